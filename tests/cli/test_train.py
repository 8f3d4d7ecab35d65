"""`sleepd train` and `sleepd eval`: task sets, output folders, limits, and what is said when something is wrong."""

from __future__ import annotations

import json
import re
import shutil
import stat
import time
from pathlib import Path
from typing import Any

import pytest

from sleepd.core.model import Split
from sleepd.pipeline.mine import mine
from sleepd.settings import config
from sleepd.settings.sections import MineConfig
from tests.cli.command import SETTINGS, Result, configure, environment, sleepd, started
from tests.pipeline.sets import export, write_set
from tests.pipeline.world import make

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "output-folder.md"
ITEM = {"id": "a", "request": "What is 6 times 7?", "answer": "42"}


@pytest.fixture(scope="module")
def task_set(tmp_path_factory: pytest.TempPathFactory) -> Path:
    world = make(tmp_path_factory.mktemp("exported"), sessions=60)
    world.ingest()
    mine(world.database, world.ctx().embedder, MineConfig())
    return export(world, tmp_path_factory.mktemp("sets") / "commits")


@pytest.fixture
def skill(own_home: Path) -> Path:
    configure(own_home, SETTINGS.replace("2000", "20000"))
    file = own_home / "SKILL.md"
    file.write_text("---\nname: commits\ndescription: Use for commits.\n---\n\nMine.\n", encoding="utf-8")
    return file


def train(task_set: Path, skill: Path, out: Path, *more: str) -> Result:
    """A short run, small enough for a test."""
    settings = ("--epochs", "1", "--batch", "6", "--steps", "1")
    return sleepd("train", task_set, "--skill", skill, "--out", out, *settings, *more)


def items(count: int, first: str = "Item") -> list[dict[str, object]]:
    words = ("oak", "elm", "ash", "fir", "yew", "box", "bay", "fig", "gum", "may")
    return [
        {"id": f"{first}{n}", "request": f"{first} about {words[n]} trees {n}", "answer": str(n)} for n in range(count)
    ]


def begin_the_account_anew() -> None:
    """Another run in the same home would go on with its indices, and have lower levels."""
    config.places().account.unlink()


@pytest.mark.slow
class TestTraining:
    def test_it_writes_what_the_page_promises(self, task_set: Path, skill: Path, tmp_path: Path) -> None:
        before = skill.read_bytes()
        ran = train(task_set, skill, tmp_path / "out")
        assert (0, "") == (ran.code, ran.err)
        assert re.search(r"1 step in 1 epoch: 1 accepted", ran.out)
        assert before == skill.read_bytes()
        found = {p.relative_to(tmp_path / "out").as_posix() for p in (tmp_path / "out").rglob("*") if p.is_file()}
        assert {
            "config.json", "history.json", "best_skill.md", "sleepd.db", "skills/step-000.md", "skills/step-001.md",
            "steps/001/patch.diff", "steps/001/evaluation.json", "steps/001/reflections.json", "slow/epoch-01.json",
            "meta/epoch-01.md", "report.html",
        } <= found  # fmt: skip
        assert before.decode() == (tmp_path / "out/skills/step-000.md").read_text()
        assert (tmp_path / "out/skills/step-001.md").read_text() == (tmp_path / "out/best_skill.md").read_text()
        assert "Mine.\n" in (tmp_path / "out/best_skill.md").read_text()
        assert (tmp_path / "out/steps/001/patch.diff").read_text().startswith("--- ")

    def test_every_name_in_the_history_is_explained(self, task_set: Path, skill: Path, tmp_path: Path) -> None:
        train(task_set, skill, tmp_path / "out")
        history = json.loads((tmp_path / "out/history.json").read_text())
        words = set(re.findall(r"[a-z_]+", PAGE.read_text(encoding="utf-8")))
        assert [] == sorted(names(history) - words)
        assert "done" == history["status"]
        assert history["best"]["digest"] == history["texts"][-1]["digest"]
        candidate = history["steps"][0]["candidates"][-1]
        assert candidate["pairs"] == len(candidate["wealth"])
        assert round(candidate["evidence"], 4) in candidate["wealth"]
        assert history["spending"]["rollouts"] >= sum(s["spending"]["rollouts"] for s in history["steps"]) > 0

    def test_nobody_else_may_read_it_and_the_users_own_database_is_left_alone(
        self, task_set: Path, skill: Path, tmp_path: Path, own_home: Path
    ) -> None:
        train(task_set, skill, tmp_path / "out")
        written = {*(tmp_path / "out").rglob("*")} - {tmp_path / "out" / "run.lock"}
        for path in [tmp_path / "out", *written]:
            assert 0 == stat.S_IMODE(path.stat().st_mode) & 0o077, path
        assert [] == list(own_home.rglob("sleepd.db"))

    def test_it_goes_on_where_it_was_stopped_and_pays_nothing_twice(
        self, task_set: Path, skill: Path, tmp_path: Path
    ) -> None:
        whole = train(task_set, skill, tmp_path / "whole", "--json").json
        begin_the_account_anew()
        stopped = train(task_set, skill, tmp_path / "out", "--max-calls", "200")
        assert 4 == stopped.code
        assert "--resume continues" in stopped.err
        assert 1 == stopped.err.count("\n")
        assert "budget-spent" == json.loads((tmp_path / "out/history.json").read_text())["status"]
        resumed = train(task_set, skill, tmp_path / "out", "--resume", "--json").json
        # One call more: each start asks once whether the model is there.
        assert whole["spending"]["calls"] + 1 == 200 + resumed["spending"]["calls"]
        histories = [(tmp_path / name / "history.json").read_bytes() for name in ("whole", "out")]
        assert histories[0] == histories[1]

    def test_killed_and_resumed_it_comes_to_the_same_history(self, task_set: Path, skill: Path, tmp_path: Path) -> None:
        """By the system, in the middle, more than once."""
        train(task_set, skill, tmp_path / "whole")
        begin_the_account_anew()
        out, more = tmp_path / "out", []
        for pages in (20, 60):
            options = ("--epochs", "1", "--batch", "6", "--steps", "1", *more)
            child = started(
                "train", str(task_set), "--skill", str(skill), "--out", str(out), *options, env=environment()
            )
            for _ in range(3_000):
                if child.poll() is not None or pages_written(out) >= pages:
                    break
                time.sleep(0.01)
            child.kill()
            child.communicate()
            more = ["--resume"] if (out / "config.json").exists() else []
        assert 0 == train(task_set, skill, out, *more).code
        histories = [(tmp_path / name / "history.json").read_bytes() for name in ("whole", "out")]
        assert histories[0] == histories[1]

    def test_a_run_that_is_there_is_not_written_over(self, task_set: Path, skill: Path, tmp_path: Path) -> None:
        train(task_set, skill, tmp_path / "out")
        again = train(task_set, skill, tmp_path / "out")
        assert 2 == again.code
        assert "a run is there already; --resume continues it" in again.err

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            (("--seed", "2"), "seed was 1, is 2"),
            (("--rule", "strict"), "rule was evidence, is strict"),
            (("--slow", "forced"), "slow was gated, is forced"),
        ],
    )
    def test_other_terms_are_another_run(
        self, change: tuple[str, ...], said: str, task_set: Path, skill: Path, tmp_path: Path
    ) -> None:
        train(task_set, skill, tmp_path / "out", "--max-calls", "5")
        resumed = train(task_set, skill, tmp_path / "out", "--resume", *change)
        assert 2 == resumed.code
        assert said in resumed.err

    def test_a_changed_skill_or_task_set_is_another_run(self, task_set: Path, skill: Path, tmp_path: Path) -> None:
        own = tmp_path / "set"
        shutil.copytree(task_set, own)
        train(own, skill, tmp_path / "out", "--max-calls", "5")
        skill.write_text("Other.\n", encoding="utf-8")
        assert "skill_digest was" in train(own, skill, tmp_path / "out", "--resume").err
        file = own / "train" / "items.json"
        file.write_text(file.read_text().replace("ticket key", "ticket", 1), encoding="utf-8")
        assert "task_set_digest was" in train(own, skill, tmp_path / "out", "--resume").err

    def test_files_that_the_skill_names_are_read_with_it(self, task_set: Path, skill: Path, tmp_path: Path) -> None:
        """So they are part of what a run is about."""
        (skill.parent / "reference").mkdir()
        (skill.parent / "reference" / "rules.md").write_text("Always be kind.\n", encoding="utf-8")
        skill.write_text(f"{skill.read_text()}\nSee reference/rules.md.\n", encoding="utf-8")
        train(task_set, skill, tmp_path / "out", "--max-calls", "5")
        (skill.parent / "reference" / "rules.md").write_text("Never mind.\n", encoding="utf-8")
        assert "skill_digest was" in train(task_set, skill, tmp_path / "out", "--resume").err

    def test_there_has_to_be_a_run_to_go_on_with(self, task_set: Path, skill: Path, tmp_path: Path) -> None:
        assert "there is no run to continue" in train(task_set, skill, tmp_path / "out", "--resume").err

    def test_a_skill_that_is_not_there_is_said(self, task_set: Path, skill: Path, tmp_path: Path) -> None:
        ran = train(task_set, tmp_path / "none.md", tmp_path / "out")
        assert 2 == ran.code
        assert "there is no such file; you may begin with an empty file" in ran.err

    def test_a_limit_has_to_be_set(self, task_set: Path, skill: Path, tmp_path: Path, own_home: Path) -> None:
        configure(own_home, SETTINGS.partition("[night]")[0])
        ran = train(task_set, skill, tmp_path / "out")
        assert 2 == ran.code
        assert "--max-calls" in ran.err


class TestScoring:
    @pytest.mark.slow
    def test_it_tells_the_mean_and_each_item_and_pays_once(self, task_set: Path, skill: Path, tmp_path: Path) -> None:
        scored = [
            sleepd("eval", task_set, "--skill", skill, "--out", tmp_path / "out", "--samples", "2", "--json")
            for _ in range(2)
        ]
        first, second = (s.json for s in scored)
        count = len(json.loads((task_set / "test/items.json").read_text()))
        assert 2 * count == first["scored"]
        assert (0, count) == (first["unscored"], len(first["items"]))
        assert 0 <= first["low"] < first["mean"] < first["high"] <= 1
        assert (2 * count + 1, 1) == (first["spending"]["calls"], second["spending"]["calls"])
        assert first["mean"] == second["mean"]

    def test_a_person_reads_a_table_from_the_worst_to_the_best(
        self, task_set: Path, skill: Path, tmp_path: Path
    ) -> None:
        ran = sleepd("eval", task_set, "--skill", skill, "--out", tmp_path / "out", "--split", "val")
        assert re.match(
            r"val: 0\.\d\d \(95 % 0\.\d\d to 0\.\d\d\) over \d+ items; \d+ rollouts scored, 0 not\n", ran.out
        )
        means = [float(m) for m in re.findall(r"^\w+ +(\d\.\d\d) ", ran.out, re.MULTILINE)]
        assert len(means) > 5
        assert sorted(means) == means

    def test_items_may_have_checks_alone(self, skill: Path, tmp_path: Path) -> None:
        """A request and something to judge by is enough: neither an answer nor an attempt has to be known."""
        for side in ("train", "val", "test"):
            items = [
                {"request": f"Name the {side} moon number {n}.", "checks": [{"kind": "max-words", "value": "900"}]}
                for n in range(6)
            ]
            (tmp_path / "set" / side).mkdir(parents=True)
            (tmp_path / "set" / side / "items.json").write_text(json.dumps(items), encoding="utf-8")
        done = sleepd("eval", tmp_path / "set", "--skill", skill, "--out", tmp_path / "out", "--json")
        assert (0, 6) == (done.code, len(done.json["items"])), done.err

    def test_a_side_without_items_is_said(self, skill: Path, tmp_path: Path) -> None:
        folder = write_set(tmp_path / "set", {"train": [ITEM], "val": [ITEM | {"request": "other"}]})
        ran = sleepd("eval", folder, "--skill", skill)
        assert 2 == ran.code
        assert "it holds no test items; choose another side by --split" in ran.err

    @pytest.mark.slow
    def test_a_spent_budget_ends_with_four(self, task_set: Path, skill: Path, tmp_path: Path) -> None:
        ran = sleepd("eval", task_set, "--skill", skill, "--out", tmp_path / "out", "--max-calls", "3")
        assert 4 == ran.code
        assert "the same command continues" in ran.err


class TestTaskSets:
    def test_sets_of_other_tools_are_read(self, skill: Path, tmp_path: Path) -> None:
        """By the names their loaders know, from one JSON file of any name or lines of JSON; the rest is left alone."""
        folder = write_set(
            tmp_path / "set",
            {
                "train": [{"uid": 7, "question": "2+2?", "ground_truth": 4, "task_type": "sum"}],
                "val": [
                    {"questionId": n, "prompt": f"{word}?", "answers": [word, "x"]} for n, word in enumerate("abc")
                ],
            },
        )
        (folder / "val" / "items.json").rename(folder / "val" / "dev.json")
        (folder / "test").mkdir()
        (folder / "test" / "rows.jsonl").write_text(
            '{"id": "t", "question": "q?", "answer": "z", "context": "Z is z."}\n'
        )
        ran = sleepd("eval", folder, "--skill", skill, "--split", "val", "--json")
        assert (0, 3) == (ran.code, ran.json["tasks"])
        assert ["0", "1", "2"] == [item["item"] for item in ran.json["items"]]
        asked = sleepd("eval", folder, "--skill", skill, "--json").json["items"][0]["request"]
        assert "q?\n\nZ is z." == asked

    @pytest.mark.parametrize(
        ("item", "said"),
        [
            ({"id": "a", "answer": "1"}, "item 1: request: it needs a `request` (or `question`, or `prompt`)"),
            ({"request": "  ", "answer": "1"}, "item 1: its request is empty"),
            ({"request": "r"}, "item 1: it has neither `checks` nor an `answer`, so nothing can be judged"),
            ({"request": "r", "answer": " "}, "item 1: it has neither `checks` nor an `answer`"),
            (
                {"request": "r", "checks": [{"kind": "smells", "value": "x"}]},
                "item 1: checks.0.kind: wanted 'first-line'",
            ),
            (
                {"request": "r", "checks": [{"kind": "max-words", "value": "ten"}]},
                "item 1: check max-words wants a number",
            ),
            (
                {"request": "r", "checks": [{"kind": "contains", "value": ""}]},
                "item 1: check contains has an empty value",
            ),
            (
                {"request": "r", "checks": [{"kind": "max-words", "value": "9" * 5_000}]},
                "item 1: check max-words wants a number from 1 to 3999, found '999",
            ),
            (
                {"request": "r", "checks": [{"kind": "contains", "value": "{}"}]},
                "item 1: check contains wants words or a symbol, within one sentence, found '{}'",
            ),
            ({"request": "r", "answer": "?!"}, "item 1: check answer wants a word or a number"),
            (
                {"request": "r", "checks": [{"kind": "lacks", "value": "TODO"}], "accepted": "a todo\nis left"},
                "item 1: its `accepted` answer fails check lacks 'TODO'; change one of the two",
            ),
            (
                {"request": "r", "answer": "4", "accepted": "So 5."},
                "item 1: its `accepted` answer fails check answer '4'",
            ),
            ({"request": "r", "answer": "1", "rejected": [{"anser": "2"}]}, "item 1: rejected.0"),
            ({"request": "\ud800", "answer": "1"}, "item 1: "),
            ("words", "item 1: it: "),
            (None, "item 1: it: "),
        ],
    )
    def test_a_bad_item_is_one_line_that_names_file_and_item(
        self, item: object, said: str, skill: Path, tmp_path: Path
    ) -> None:
        folder = write_set(tmp_path / "set", {"train": [ITEM], "val": [item], "test": []})
        ran = sleepd("train", folder, "--skill", skill, "--out", tmp_path / "out")
        assert 2 == ran.code
        assert f"{folder}/val/items.json: {said}" in ran.err
        assert 1 == ran.err.count("\n")

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            (b"[{", "not JSON: "),
            (b"", "not JSON: "),
            (b"7", "wanted a list of items, found int"),
            (b'{"a": 1}', "wanted a list of items, found dict"),
            (b'["\xff"]', "not UTF-8 at byte 2; save it as UTF-8"),
            (b"[" * 100_000, "not JSON: "),
        ],
    )
    def test_a_bad_file_is_one_line_too(self, text: bytes, said: str, skill: Path, tmp_path: Path) -> None:
        folder = write_set(tmp_path / "set", {"train": [ITEM], "val": [ITEM], "test": []})
        (folder / "val" / "items.json").write_bytes(text)
        ran = sleepd("train", folder, "--skill", skill, "--out", tmp_path / "out")
        assert 2 == ran.code
        assert f"{folder}/val/items.json: {said}" in ran.err

    def test_missing_folders_files_and_double_ids_are_said(self, skill: Path, tmp_path: Path) -> None:
        assert "there is no such folder" in sleepd("train", tmp_path / "none", "--skill", skill).err
        folder = write_set(tmp_path / "set", {"train": [ITEM, ITEM]})
        assert "it has no folder val/" in sleepd("train", folder, "--skill", skill).err
        (folder / "val").mkdir()
        assert "item 2: a second item with the id 'a'" in sleepd("train", folder, "--skill", skill).err
        (folder / "train" / "items.json").write_text("[]")
        assert "val: there is no JSON file; put the items into" in sleepd("train", folder, "--skill", skill).err

    @pytest.mark.parametrize(("val", "groups"), [([ITEM], 1), (items(4, "Some"), 4)])
    def test_too_little_to_judge_by_is_refused_in_words(
        self, val: list[dict[str, Any]], groups: int, skill: Path, tmp_path: Path
    ) -> None:
        """Under the evidence rule; the paper's rules go on and say that it is no proof."""
        folder = write_set(tmp_path / "set", {"train": items(3, "Train"), "val": val, "test": items(3, "Test")})
        ran = train(folder, skill, tmp_path / "out")
        assert 2 == ran.code
        assert f"not enough checkable tasks: {groups} to validate with (at least 5 needed)" in ran.err
        assert 1 == ran.err.count("\n")

    @pytest.mark.slow
    def test_under_the_papers_rule_it_is_said_and_done(self, skill: Path, tmp_path: Path) -> None:
        folder = write_set(tmp_path / "set", {"train": items(3, "Train"), "val": [ITEM], "test": []})
        ran = train(folder, skill, tmp_path / "out", "--rule", "off")
        assert 0 == ran.code
        assert "an acceptance here is no proof" in ran.err

    @pytest.mark.slow
    def test_near_duplicates_count_once_and_what_judges_never_teaches(self, skill: Path, tmp_path: Path) -> None:
        """Twelve wordings of one question are one thing to judge by, and a train item that val asks is left out."""
        same = [{"id": n, "request": f"What  IS 6 times{' ' * n} 7?", "answer": "42"} for n in range(12)]
        sides = {"train": [*items(3, "Train"), ITEM], "val": same, "test": items(3, "Test")}
        ran = train(write_set(tmp_path / "set", sides), skill, tmp_path / "out")
        assert "1 to validate with" in ran.err
        ran = train(tmp_path / "set", skill, tmp_path / "out2", "--rule", "off")
        assert "1 train item is left out as near-duplicates of val/ or test/" in ran.err
        assert 3 == json.loads((tmp_path / "out2/history.json").read_text())["tasks"][Split.TRAIN]


def names(value: object) -> set[str]:
    """All names in a JSON value."""
    match value:
        case dict():
            return set(value) | {n for v in value.values() for n in names(v)}
        case list():
            return {n for v in value for n in names(v)}
    return set()


def pages_written(out: Path) -> int:
    """How much a run has written to its database."""
    file = out / "sleepd.db-wal"
    return file.stat().st_size // 4_096 if file.exists() else 0
