"""The page: one file that fetches nothing, runs nothing, and shows hostile texts as texts."""

from __future__ import annotations

import itertools
import math
import re
from html.parser import HTMLParser
from typing import Any

import pytest

from sleepd.core.plaintext import shown
from sleepd.views.html import page, plots
from sleepd.views.html.markup import tag, text

HOSTILE = (
    "<script>alert(1)</script>",
    "</style></title></pre><img src=x onerror=alert(1)>",
    "\"><svg onload=alert(1)>' autofocus onfocus=alert(1) x='",
    "javascript:alert(1)",
    "<a href=https://evil.example/>x</a><link rel=stylesheet href=//evil.example/x.css>",
    "a\x1b[31m\x00\u202egnp.exe\u200b\U000e0041\ud800",
    "&lt;b&gt; &amp; <!-- ]]> --> <base href=//evil.example>",
)
VOID = {"meta", "input", "br", "img", "link", "base", "hr"}
KNOWN = {
    "html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "h3", "dl", "dt", "dd", "div", "figure", "svg",
    "desc", "line", "path", "circle", "text", "polyline", "rect", "g", "figcaption", "span", "section", "article", "p",
    "details", "summary", "table", "thead", "tbody", "tr", "th", "td", "del", "pre", "ul", "li",
}  # fmt: skip


class Read(HTMLParser):
    """What a browser would make of a page: elements, attributes and texts; every element must be closed in order."""

    def __init__(self, page_: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str, str]] = []
        self.said = ""
        self.feed(page_)
        self.close()
        assert [] == self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.said += data


def measure(mean: float | None = 0.5) -> dict[str, object]:
    low, high = (None, None) if mean is None else (max(0.0, mean - 0.2), min(1.0, mean + 0.2))
    return {"mean": mean, "low": low, "high": high, "tasks": 12, "scored": 48, "unscored": 0}


def candidate(index: int, said: str = "words", *, pairs: int = 20, tasks: int = 12) -> dict[str, object]:
    return {
        "index": index, "id": f"{index:032x}", "text": "0" * 32, "origin": said, "margin": 0.03, "alpha": 0.0047,
        "beta": 0.1, "verdict": said, "reason": said, "pairs": pairs, "confirming": 4, "evidence": 1.0,
        "counter_evidence": -1.0, "effect": 0.1, "wealth": [round(n / 7, 4) for n in range(pairs)],
        "counter_wealth": [round(-n / 5, 4) for n in range(pairs)], "before": measure(0.4), "after": measure(0.6),
        "tokens": 12, "proposal": said, "loads": [said],
        "tasks": [{"task": "t", "request": said, "pairs": 4, "before": 0.25, "after": 0.75} for _ in range(tasks)],
        "edits": [{"op": said, "anchor": said, "text": said, "reason": said, "kept": True, "effect": 0.2, "low": 0.1,
                   "high": 0.3, "pairs": 16, "tokens": 9}],
    }  # fmt: skip


def night(said: str = "words", candidates: int = 1, **more: Any) -> dict[str, object]:
    """A history in which every text is the same."""
    return {
        "format": said, "kind": "night", "id": said, "status": said, "message": said, "scope": said, "rule": said,
        "metric": said, "alpha": 0.05, "skills": [said], "model": said, "reflection_model": said,
        "started_at": None, "edit_budgets": [4, 2], "problems": [said],
        "steps": [{"step": 1, "kind": "night", "skill": said, "path": said, "outcome": said, "notes": said,
                   "candidates": [candidate(n, said, **more) for n in range(1, candidates + 1)],
                   "unmatched": [{"edit": said, "reason": said}], "problems": [said]}],
        "proposals": [{"id": said, "status": said, "findings": [said], "sealed": {"tasks": 3, "before": 0.1, "after": 0.9},
                       "taught_by": [{"session": said, "title": said}, {"session": said, "title": None}]}],
        "spending": {"rollouts": 1, "reflections": 1, "tokens_in": 1, "tokens_out": 1, "cost_usd": None},
        "stages": [{"stage": said, "calls": 3, "tokens_in": 100, "tokens_out": 20, "uncounted": 0}],
    }  # fmt: skip


@pytest.mark.parametrize("said", HOSTILE)
def test_hostile_texts_are_shown_and_never_obeyed(said: str) -> None:
    """In every field of a history: no element, attribute or address comes of them, and a reader sees what they say."""
    made = page.page(night(said), {f"{1:032x}": said})
    read = Read(made)
    assert KNOWN >= read.tags
    assert [] == [a for a in read.attributes if a[1].startswith("on") or a[1] in ("href", "src", "style", "xlink:href")]
    assert shown(said) in read.said
    assert not any(char in made for char in "\x1b\x00\u202e\u200b\U000e0041\ud800")
    if "\x1b" in said:
        assert "<U+001B>" in read.said and "<U+202E>" in read.said and "<U+D800>" in read.said


def test_no_address_leads_anywhere() -> None:
    """Nothing on the page is fetched: a policy forbids it, and there is nothing that could be."""
    made = page.page(night())
    read = Read(made)
    assert {"script", "link", "img", "iframe", "base", "form", "a"}.isdisjoint(read.tags)
    assert not re.search(r"https?://|url\(|@import", made)
    policy = dict(read_meta(read))["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'") and "script-src" not in policy


def read_meta(read: Read) -> list[tuple[str, str]]:
    flat = [(name, value) for tag_, name, value in read.attributes if tag_ == "meta"]
    return [(a[1], b[1]) for a, b in itertools.pairwise(flat) if a[0] == "http-equiv"]


def test_a_history_without_anything_is_a_page() -> None:
    """A night that found nothing to do, a run that was just begun, and fields that are not known."""
    for bare in ({}, {"kind": "training"}, {"steps": [{"candidates": [{}]}]}, {"steps": None, "stages": "x"}):
        assert Read(page.page(bare)).said
    assert "No candidate was tried." in page.page({"kind": "night"})
    assert "" == plots.scores({}) == plots.tokens({}) == plots.edit_budget({}) == plots.wealth({})


def test_nothing_scored_is_no_zero() -> None:
    """A text that could not be scored has no mark."""
    history = night()
    history["steps"][0]["candidates"][0]["after"] = measure(None)  # type: ignore[index]
    drawn = plots.scores(history)
    assert (1, 0) == (drawn.count('class="before" data-x'), drawn.count('class="after" data-x'))
    assert "not scored" in page.page(history)


def test_the_lines_of_evidence_stand_where_the_gate_decides() -> None:
    """The evidence at 1/alpha touches the line of acceptance; deep losses are drawn at the edge and kept as numbers."""
    one = candidate(1, pairs=3) | {"wealth": [-50.0, 0.0, -math.log(0.0047)], "counter_wealth": []}
    drawn = plots.wealth(one)
    (points,) = re.findall(r'points="([^"]*)" class="evidence', drawn)
    (line,) = re.findall(r'y1="([^"]*)"[^>]*class="accept"', drawn)
    heights = [float(point.split(",")[1]) for point in points.split()]
    assert float(line) == heights[-1] < heights[0] < heights[1] <= 230 - 36
    assert "-50.0" in drawn


def test_an_unbounded_budget_is_not_drawn() -> None:
    """There is no height for it."""
    assert "" == plots.edit_budget({"steps": [{"step": 1, "edit_budget": 999}]})
    assert 'data-values="4 2"' in plots.edit_budget({"edit_budgets": [4, 2]})


def test_a_training_run_is_drawn_by_step() -> None:
    """From the text that it began with; the steps with many candidates are folded but for what was accepted."""
    steps = [
        {"step": n, "epoch": 1, "kind": "step", "edit_budget": 4, "outcome": "rejected", "validation": measure(n / 40),
         "candidates": [candidate(n, "accepted" if n == 20 else "rejected")]}
        for n in range(1, 31)
    ]  # fmt: skip
    history = {"kind": "training", "texts": [{"validation": measure(0.3)}], "steps": steps,
               "test": {"before": measure(0.2), "after": measure(0.7)}}  # fmt: skip
    drawn = plots.scores(history)
    assert 31 == drawn.count("<circle")
    assert [0.3, *(n / 40 for n in range(1, 31))] == [
        float(v) for v in re.findall(r'data-values="([^"]*)"', drawn)[0].split()
    ]
    made = page.page(history)
    assert 1 == made.count("<details open")
    assert "0.70 (95 % 0.50 to 0.90, 12 tasks)" in made and "Step 20, epoch 1: step" in made


def test_a_long_night_is_a_small_page() -> None:
    """400 pairs of 5 candidates and texts of a megabyte stay below 2 MB, and every pair is there."""
    made = page.page(night("words " * 200_000, 5, pairs=400), {f"{1:032x}": "+x\n" * 500_000})
    assert len(made.encode()) < 2_000_000
    assert (
        5 * 2 * 401 == sum(len(v.split()) for v in re.findall(r'class="[a-z]* line" data-values="([^"]*)"', made)) - 2
    )


def test_text_and_attributes_are_escaped_in_one_place() -> None:
    """A quote cannot leave an attribute; None leaves it out."""
    assert '<p class="&quot;&gt;" data-x="&#x27;">&lt;</p>' == tag("p", text("<"), class_='">', data_x="'", id_=None)
