"""What rules of linters ask for."""

from __future__ import annotations

import pytest

from sleepd.core import linter_rules
from sleepd.core.linter_rules import instruction


@pytest.mark.parametrize(
    ("rule", "begins"),
    [
        ("errcheck", "Check the error"),
        ("@typescript-eslint/no-unsafe-call", "Do not use a value of type `any`"),
        ("ANN401", "Give every function types"),
        ("a-rule-of-ones-own", ""),
        ("", ""),
    ],
)
def test_a_rule_is_an_instruction(rule: str, begins: str) -> None:
    """By its name, else by its family; a rule that is not known has none."""
    assert instruction(rule).startswith(begins)
    assert bool(begins) is bool(instruction(rule))


def test_instructions_are_whole_sentences() -> None:
    """Each can be put into a file as it is: one line, a capital letter, a full stop."""
    odd = [
        rule
        for rule in linter_rules._RULES
        if not (instruction(rule)[0].isupper() and instruction(rule).endswith(".") and "\n" not in instruction(rule))
    ]
    assert [] == odd
