"""The pages on data and words are held against the code."""

from __future__ import annotations

import dataclasses
import importlib
import re
from pathlib import Path

import pytest

from docs.vocabulary import VOCABULARY, Term
from sleepd.core import evidence, experiment, provenance, screen_rules
from sleepd.core.evidence import Place
from sleepd.core.model import CheckKind
from sleepd.pipeline.trial import GateTerms
from sleepd.settings.sections import MineConfig
from sleepd.store.schema import metadata

DOCS = Path(__file__).parents[2] / "docs"


def rows(page: str) -> list[list[str]]:
    """The cells of every table row of a page, without heads and rules."""
    lines = (DOCS / page).read_text(encoding="utf-8").splitlines()
    cells = [[c.strip() for c in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    rules = {n for n, row in enumerate(cells) if set("".join(row)) <= {"-", ":"}}
    return [row for n, row in enumerate(cells) if not {n, n + 1} & rules]


def text(page: str) -> str:
    return " ".join((DOCS / page).read_text(encoding="utf-8").split())


def test_every_table_is_explained() -> None:
    """None is missing and none is made up; each says what a row is and why it is kept."""
    explained = rows("explanation/data.md")
    assert set(metadata.tables) == {row[0].strip("`") for row in explained}
    assert all(len(row) == 3 and all(row) for row in explained)


TERMS = [term for part in VOCABULARY.values() for term in part]


@pytest.mark.parametrize("term", TERMS, ids=[term.word for term in TERMS])
def test_every_word_lives_where_the_glossary_says(term: Term) -> None:
    """`module:Name` or `module:Name.attribute` can be imported."""
    assert term.word and term.meaning
    found = re.fullmatch(r"([\w.]+):([\w.]+)", term.at)
    assert found is not None, term.at
    value = importlib.import_module(found[1])
    for name in found[2].split("."):
        fields = {f.name for f in dataclasses.fields(value)} if dataclasses.is_dataclass(value) else set()
        assert hasattr(value, name) or name in fields, f"{term.at}: no {name}"
        value = getattr(value, name, None)


def test_each_word_is_explained_once() -> None:
    """In one row, and no word that is explained is ruled out for another thing."""
    words = [word for term in TERMS for word in term.word.split(", ")]
    assert len(words) == len(set(words)) > 50
    ruled_out = {word for term in TERMS for word in term.instead_of.split(", ")}
    assert set() == ruled_out & set(words)


def test_the_gates_page_states_the_figures_in_force() -> None:
    """Levels, endings, floors and limits are those of the code."""
    page, default = text("explanation/gate.md"), GateTerms()
    assert f"evidence of {1 / evidence.level(Place(index=1), 0, default.alpha):.0f}" in page
    assert f"{default.alpha} unless set otherwise" in page
    assert f"β = {default.beta:.2f}" in page and f"below {default.smallest_effect:+.2f}" in page
    ending = f"{default.max_pairs} pairs or {default.max_nights} nights"
    assert ending in page and ending in text("how-to/troubleshooting.md")
    assert (0.8, 0.5) == (default.coverage, default.waiting_share)
    assert "four fifths of the rollouts" in page and "at most half of its pairs" in page
    assert experiment.enough(5, 3) is None and experiment.enough(4, 3) and experiment.enough(5, 2)
    assert "fewer than five validation groups or three sealed ones" in page


def test_the_page_on_mining_knows_every_kind_of_check() -> None:
    """And the figures of splitting."""
    page, default = text("explanation/mining.md"), MineConfig()
    assert [] == [kind for kind in CheckKind if f"`{kind}`" not in page]
    assert f"at least {default.near_duplicate}" in page
    assert (
        f"{default.split_val:.0%}".replace("%", " %") in page and f"{default.split_test:.0%}".replace("%", " %") in page
    )


def product() -> str:
    """The text of the whole product."""
    return "\n".join(p.read_text(encoding="utf-8") for p in sorted((DOCS.parent / "sleepd").rglob("*.py")))


def test_what_troubleshooting_says_one_sees_is_what_is_said() -> None:
    """Every message in the first column stands in the code, numbers and what is left out aside."""
    seen = [shown for row in rows("how-to/troubleshooting.md") for shown in re.findall(r"`([^`]+)`", row[0])]
    parts = [part.strip() for shown in seen for part in re.split(r"…|\d+|~\S+|`", shown)]
    said = " ".join(product().split())
    assert len(parts) > 8 and [] == [part for part in parts if part and part not in said]


def test_every_rule_of_the_screen_is_explained() -> None:
    """The findings that a person sees can be looked up."""
    named = {row[0].strip("`") for row in rows("explanation/screen.md")}
    assert [] == [rule for rule in (*screen_rules.RULES, provenance.RULE, provenance.UNSAID) if rule not in named]


def test_every_target_of_make_that_is_named_exists() -> None:
    """In the README, for contributors, and on the pages."""
    root = DOCS.parent
    pages = [root / "README.md", root / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
    said = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    targets = set(re.findall(r"^([a-z0-9]+):", (root / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = set(re.findall(r"(?:`|^)make ([a-z0-9]+)", said, re.MULTILINE))
    assert len(named) > 4 and set() == named - targets
