"""The folder of a night: made from rows, private, and never in the way of the night itself."""

from __future__ import annotations

import json
import math
import re
import shutil
import stat
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from sleepd.core.errors import UsageError
from sleepd.settings import config
from sleepd.store import nights, proposals
from sleepd.store.database import open_database
from sleepd.store.proposals import Status
from sleepd.usecases import night_folder
from tests.cli.command import SETTINGS, configure, live_in, sleepd

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "output-folder.md"


def folder() -> Path:
    (found,) = (config.places().state / "nights").iterdir()
    return found


def history() -> Any:
    return json.loads((folder() / "history.json").read_text(encoding="utf-8"))


def shown() -> Any:
    return sleepd("show", "20", "--json").json


class Marks(HTMLParser):
    """The numbers that the plots of a page carry."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.plot = ""
        self.found: list[tuple[str, str, dict[str, str]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.plot = values.get("data-plot", self.plot if tag != "svg" else "")
        if any(name.startswith("data-") for name in values):
            self.found.append((self.plot, values.get("class", ""), values))

    def of(self, plot: str, look: str = "") -> list[dict[str, str]]:
        return [values for name, shape, values in self.found if name == plot and shape.startswith(look)]


def test_a_night_leaves_a_folder_that_only_its_owner_reads(in_it: Path) -> None:
    """Texts, diffs, pairs and the page; folders 0700, files 0600; no key, and nothing but what is listed."""
    found = {p.relative_to(folder()).as_posix() for p in folder().rglob("*") if p.is_file()}
    assert {
        "config.json", "history.json", "report.html", "reflections.json", "candidates/001/skill.md",
        "candidates/001/patch.diff", "candidates/001/evaluation.json", "skills/commit-message/best_skill.md",
        "skills/commit-message/live.md",
    } <= found  # fmt: skip
    modes = {(p.is_dir(), stat.S_IMODE(p.stat().st_mode)) for p in [folder(), *folder().rglob("*")]}
    assert {(True, 0o700), (False, 0o600)} == modes
    settings = json.loads((folder() / "config.json").read_text())
    assert ("simulated", "evidence") == (settings["model"]["name"], settings["gate"]["rule"])


def test_every_name_in_its_history_is_explained(in_it: Path) -> None:
    """The page of the reference names each key."""
    words = set(re.findall(r"[a-z_]+", PAGE.read_text(encoding="utf-8")))
    assert [] == sorted(names(history()) - words)


def names(value: object) -> set[str]:
    if isinstance(value, dict):
        return set(value) | {name for inner in value.values() for name in names(inner)}
    return {name for inner in value for name in names(inner)} if isinstance(value, list) else set()


def test_the_folder_says_the_same_when_it_is_made_again(in_it: Path) -> None:
    """Deleting it loses nothing."""
    before = {p.relative_to(folder()): p.read_bytes() for p in folder().rglob("*") if p.is_file()}
    shutil.rmtree(folder())
    assert shown()["html"] is None
    made = sleepd("show", "20", "--html")
    assert (0, str(folder() / "report.html")) == (made.code, made.out.strip())
    assert before == {p.relative_to(folder()): p.read_bytes() for p in folder().rglob("*") if p.is_file()}
    assert str(folder() / "report.html") == shown()["html"]


def test_the_plots_carry_the_numbers_of_show(in_it: Path) -> None:
    """Scores, intervals, evidence, tokens and tasks of the page are those of `sleepd show --json`."""
    seen, marks = shown(), Marks((folder() / "report.html").read_text(encoding="utf-8"))
    for side in ("before", "after"):
        scores = [(float(m["data-y"])) for m in marks.of("scores", side) if "data-y" in m]
        assert [c[side]["mean"] for c in seen["candidates"]] == scores
        ends = [(float(m["data-low"]), float(m["data-high"])) for m in marks.of("scores", side) if "data-low" in m]
        assert [(c[side]["low"], c[side]["high"]) for c in seen["candidates"]] == ends
    tokens = [(m["data-stage"], int(m["data-in"]), int(m["data-out"])) for m in marks.of("tokens") if "data-stage" in m]
    assert [(s["stage"], s["tokens_in"], s["tokens_out"]) for s in seen["stages"]] == tokens
    spent = seen["report"]["spending"]
    assert sum(t for _, t, _ in tokens) <= spent["tokens_in"] < sum(t for _, t, _ in tokens) + 50, "but the preflight"
    tasks = [(m.get("data-before"), m.get("data-after")) for m in marks.of("task")]
    told = [(repr(t["before"]), repr(t["after"])) for c in seen["candidates"] for t in c["tasks"]]
    assert told == tasks
    for line, bar, one in zip(
        marks.of("wealth", "evidence"), marks.of("wealth", "accept"), seen["candidates"], strict=True
    ):
        path = [float(v) for v in line["data-values"].split()]
        assert any(math.isclose(math.exp(w), one["evidence"], rel_tol=1e-3) for w in path)
        assert math.isclose(one["threshold"], math.exp(float(bar["data-y"])))
    assert [4, 2] == [float(v) for m in marks.of("edit-budget", "after line") for v in m["data-values"].split()]


def test_a_night_speaks_of_lessons(in_it: Path) -> None:
    """In its report, in `sleepd show`, on its page: all say the same."""
    kept = shown()["report"]["lessons"]
    assert kept == history()["lessons"] and {"lessons", "nearest"} == set(kept)
    summary = next(line for line in sleepd("show", "20").out.splitlines() if "lesson" in line)
    page = (folder() / "report.html").read_text(encoding="utf-8")
    assert "<h2>Lessons</h2>" in page and summary.partition(":")[0] in page


def test_show_says_what_each_edit_of_a_bundle_carries(in_it: Path) -> None:
    """Its part of the gain with the interval, and its rent."""
    bundle = next(c for c in shown()["candidates"] if len(c["edits"]) > 1 and c["edits"][0]["part"] is not None)
    part = bundle["edits"][0]["part"]
    line = f"its part of the gain {part['effect']:+.2f} (95 % {part['low']:+.2f} to {part['high']:+.2f})"
    assert line in sleepd("show", "20").out
    page = (folder() / "report.html").read_text(encoding="utf-8")
    assert f"{part['effect']:+.2f} ({part['low']:+.2f} to {part['high']:+.2f})" in page


def test_the_best_text_is_never_one_that_was_set_aside(in_it: Path) -> None:
    """What is quarantined is not in best_skill.md, though the gate accepted it; a person's no takes a text out of it."""
    told = history()
    by_status = {p["status"]: p["id"] for p in told["proposals"]}
    texts = {c["id"]: c["text"] for s in told["steps"] for c in s["candidates"]}
    assert texts[by_status["waiting"]] == told["steps"][0]["text"] != texts[by_status["quarantined"]]
    database = open_database(config.places().database)
    try:
        with database.writing() as connection:
            proposals.set_status(connection, by_status["waiting"], Status.REJECTED)
        night_folder.make(database, told["id"], folder())
        assert told["steps"][0]["base"] == history()["steps"][0]["text"]
        with database.writing() as connection:
            proposals.set_status(connection, by_status["waiting"], Status.WAITING)
        night_folder.make(database, told["id"], folder())
    finally:
        database.close()
    assert told == history()


def test_out_names_a_new_folder_or_an_earlier_one_of_the_same_night(in_it: Path, tmp_path: Path) -> None:
    """Anything else in it is left alone; --out and --open ask for --html."""
    own = tmp_path / "night"
    for _ in range(2):
        assert str(own / "report.html") == sleepd("show", "20", "--html", "--out", own).out.strip()
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.md").write_text("mine")
    refused = sleepd("show", "20", "--html", "--out", tmp_path / "thesis")
    assert (2, True) == (refused.code, "something else is there" in refused.err)
    assert ["chapter.md"] == [p.name for p in (tmp_path / "thesis").iterdir()]
    with pytest.raises(UsageError, match="something else"):
        night_folder.chosen(tmp_path / "thesis" / "chapter.md", "n")
    assert 2 == sleepd("show", "20", "--out", own).code
    made = sleepd("show", "20", "--html", "--out", own, "--json")
    assert str(own / "report.html") == made.json["html"]


def test_an_unknown_night_is_an_error_in_one_line(in_it: Path) -> None:
    """With --html as without."""
    done = sleepd("show", "1999", "--html")
    assert (2, 1) == (done.code, done.err.count("\n"))


def test_a_folder_that_cannot_be_written_does_not_fail_the_night(begun: Path) -> None:
    """The night is done; one line says how to get the page, and the log has it too."""
    live_in(begun, 2)
    state = config.places().state
    state.mkdir(parents=True)
    (state / "nights").write_text("in the way")
    done = sleepd("run")
    assert (0, 1) == (done.code, done.err.count("\n")), done.err
    assert "its report could not be written" in done.err and "--html" in done.err
    assert "folder.refused" in (state / "sleepd.log").read_text()
    (state / "nights").unlink()
    assert sleepd("show", "20", "--html").out.strip().endswith("report.html")


def test_old_folders_go_and_come_back(begun: Path) -> None:
    """A night's end keeps 30 folders of nights, the newest; what it did not make is left alone."""
    live_in(begun, 2)
    root = config.places().state / "nights"
    for n in range(40):
        (root / f"2026-01-{n % 28 + 1:02d}-0123abcd-{n}").mkdir(parents=True)
    (root / "notes").mkdir()
    assert 0 == sleepd("run").code
    kept = {p.name for p in root.iterdir()}
    assert night_folder.KEPT + 1 == len(kept)
    assert {"notes", shown()["id"]} <= kept


def test_settings_are_noted_without_secrets(begun: Path) -> None:
    """A key that somebody put where a name belongs is redacted; a night that noted nothing has a page all the same."""
    live_in(begun, 2)
    key = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    configure(begun, SETTINGS.replace('name = "hashed-tfidf"', f'name = "hashed-tfidf"\nmodel = "{key}"'))
    assert 0 == sleepd("run").code
    noted = (folder() / "config.json").read_text()
    assert key not in noted and "redacted" in noted
    database = open_database(config.places().database)
    try:
        with database.writing() as connection:
            (night,) = nights.nights(connection)
            nights.annotate(connection, night, {"settings": None})
        night_folder.make(database, night.id, folder())
    finally:
        database.close()
    told = history()
    assert (None, [], "null\n") == (told["rule"], told["edit_budgets"], (folder() / "config.json").read_text())
