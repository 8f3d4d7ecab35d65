"""Lines of a person's own files that name a command."""

from __future__ import annotations

import pytest

from sleepd.core.written_rules import written_rules


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("- Always run `make lint` before you end", "run `make lint` after the last edit"),
        ("Vor jedem Commit `npm run test` laufen lassen", "run `npm run test` after the last edit"),
        ("每次修改之后运行 `pnpm lint`", "run `pnpm lint` after the last edit"),
        ("Never run `make test:e2e` unasked.", "never run `make test:e2e` unless asked"),
        ("Do not use `npm install` here.", "never run `npm install` unless asked"),
        ("Never commit without running `make test`", "run `make test` after the last edit"),
        ("Nothing here is slow. Always run `cargo test`.", "run `cargo test` after the last edit"),
    ],
)
def test_a_line_that_obliges_is_a_rule(line: str, sentence: str) -> None:
    """To run a check after the last edit, or never to run a command."""
    (rule,) = written_rules(f"# Project\n\n{line}\n")
    assert rule.check.sentence.startswith(sentence)
    assert (3, line) == (rule.line.number, rule.line.text)


@pytest.mark.parametrize(
    "text",
    [
        "`make lint`: the linter",
        "```\n# always run this\nmake lint  # `make lint`\n```",
        "Always read `README.md` first",
        "Always start the server with `npm start`",
        "Always write `TODO` comments",
        "Run the linter before you end.",
        "Always run `a | b && c`",
        "`" * 500,
        "",
    ],
)
def test_what_names_no_command_to_judge_is_none(text: str) -> None:
    """Lists, examples, files, servers and words."""
    assert () == written_rules(text)


def test_a_rule_is_read_once() -> None:
    """Said twice, it is one rule, at its first line; a huge file is read in good time."""
    text = "Always run `make lint`.\n" * 3 + "Some line without a rule.\n" * 8_000
    (rule,) = written_rules(text)
    assert 1 == rule.line.number
