"""`sleepd harvest`, `sleepd mine`, `sleepd recall` and `sleepd tasks`."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
import yaml

from sleepd.host import locks
from sleepd.settings import config
from tests.cli.command import SESSIONS, SETTINGS, configure, live_in, sleepd
from tests.harvesters.test_samples import SAMPLES

pytestmark = pytest.mark.slow

COUNTS = ("files", "read", "sessions", "turns", "defects", "redacted")


def test_harvest_reads_what_is_new_and_nothing_twice(lived_in: Path) -> None:
    """The second harvest finds the same files and reads none."""
    first, second = (sleepd("harvest", "--json").json for _ in range(2))
    assert (SESSIONS, SESSIONS, SESSIONS) == (first["files"], first["read"], first["sessions"])
    assert {**dict.fromkeys(COUNTS, 0), "files": SESSIONS} == {name: second[name] for name in COUNTS}
    assert SESSIONS == sum(first["by_agent"].values())


def test_a_harvest_explains_whose_words_it_stored(lived_in: Path) -> None:
    """Counts by agent and source, as text and in JSON; a person's are marked."""
    told = sleepd("harvest", "--explain", "--json").json
    typed = {row["agent"]: row["texts"] for row in told["texts"] if row["source"] == "typed" and row["by_a_person"]}
    assert set(told["by_agent"]) == set(typed) | {a for a in told["by_agent"] if told["by_agent"][a] == 0}
    assert sum(row["texts"] for row in told["texts"] if row["source"] in ("typed", "reply")) <= told["turns"]
    lines = sleepd("harvest", "--explain").out.splitlines()
    assert any(line.startswith("claude-code") and "typed" in line and "yes" in line for line in lines)


def test_an_agent_can_be_harvested_alone(lived_in: Path) -> None:
    """By its name; the others are left for later."""
    assert {"codex"} == set(sleepd("harvest", "codex", "--json").json["by_agent"])


def test_files_are_recognised_in_any_folder_and_need_no_window(begun: Path, tmp_path: Path) -> None:
    """Named files are wanted whole; what is no transcript is a defect that is kept, not an error."""
    (begun / ".config/sleepd/config.toml").unlink()
    live_in(begun, 12)
    for number, file in enumerate(sorted(begun.rglob("*.jsonl"))):
        (tmp_path / f"{number}").mkdir()
        shutil.move(file, tmp_path / f"{number}" / "export.jsonl")
    (tmp_path / "notes.md").write_text("words")
    done = sleepd("harvest", tmp_path, "--json")
    assert (0, 13, 12, 1) == (done.code, done.json["files"], done.json["sessions"], done.json["defects"])
    assert 1 == done.json["by_agent"]["unknown"]
    one = sleepd("harvest", tmp_path / "0" / "export.jsonl", "--json").json
    assert (1, 0) == (one["files"], one["read"])


def test_damaged_files_stop_nothing(lived_in: Path) -> None:
    """Empty, binary, truncated, a link into nowhere: each a defect with its file, the rest is read."""
    folder = next((lived_in / ".claude" / "projects").iterdir())
    whole = next(folder.glob("*.jsonl")).read_bytes()
    (folder / "empty.jsonl").write_bytes(b"")
    (folder / "binary.jsonl").write_bytes(bytes(range(256)) * 20)
    (folder / "truncated.jsonl").write_bytes(whole[: len(whole) - 40])
    (folder / "gone.jsonl").symlink_to(folder / "nowhere")
    done = sleepd("harvest", "--json")
    assert 0 == done.code and done.json["sessions"] >= SESSIONS and done.json["defects"] >= 2


def test_a_secret_is_counted_and_never_stored(begun: Path) -> None:
    """What is redacted leaves no trace in the database."""
    live_in(begun, 3)
    secret = "ghp_" + "a1B2" * 9
    for file in begun.rglob("*.jsonl"):
        file.write_text(file.read_text().replace(" the ", f" the {secret} "))
    assert 0 < sleepd("harvest", "--json").json["redacted"]
    assert secret.encode() not in config.places().database.read_bytes()


def test_quiet_is_quiet(lived_in: Path) -> None:
    """Nothing on either stream."""
    done = sleepd("harvest", "--quiet")
    assert (0, "", "") == (done.code, done.out, done.err)


@pytest.mark.parametrize("source", ["codx", "/no/such/place"])
def test_a_source_that_is_neither_is_named(own_home: Path, source: str) -> None:
    """With the agents there are."""
    done = sleepd("harvest", source)
    assert 2 == done.code and source in done.err and "claude-code" in done.err


def test_the_window_leaves_old_files_alone(lived_in: Path) -> None:
    """--since counts from a file's last change."""
    for number, file in enumerate(sorted(lived_in.rglob("*.jsonl"))):
        if number % 2:
            os.utime(file, (1, 1))
    assert SESSIONS // 2 == sleepd("harvest", "--since", "30d", "--json").json["sessions"]


def test_a_second_harvest_waits_for_the_first(lived_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two at once would add the same lines twice; who waits too long is told."""
    monkeypatch.setattr("sleepd.usecases.harvest_sessions._LOCK_WAIT_S", 0.01)
    with locks.harvest(config.places(), 0):
        done = sleepd("harvest")
    assert 75 == done.code and "another harvest" in done.err


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the public samples are not at hand")
def test_all_public_samples_are_read(begun: Path) -> None:
    """402 files and what lies beside them; nothing is raised and nothing goes unread without a defect."""
    done = sleepd("harvest", SAMPLES, "--json")
    assert 0 == done.code
    assert 402 <= done.json["files"] and 280 <= done.json["sessions"] and "" == done.err
    assert 0 == sleepd("harvest", SAMPLES, "--json").json["read"]


def test_an_embedder_that_is_not_installed_is_one_line(own_home: Path) -> None:
    """It says what to install, or which one to name instead."""
    configure(own_home, SETTINGS.replace('"hashed-tfidf"', '"sentence-transformers"\nmodel = "./nowhere"'))
    done = sleepd("mine")
    assert 2 == done.code and 1 == done.err.count("\n") and "nowhere" in done.err


@pytest.fixture
def mined(lived_in: Path) -> Path:
    """The home with its tasks found."""
    assert 0 == sleepd("harvest", "--quiet").code and 0 == sleepd("mine").code
    return lived_in


def test_mining_twice_changes_nothing(mined: Path) -> None:
    """Nothing is cut or embedded anew, the figures stay."""
    again = sleepd("mine", "--json").json
    assert (0, 0) == (again["sessions"], again["embedded"])
    assert again == sleepd("mine", "--json").json


def test_tasks_are_listed_by_what_they_cost(mined: Path) -> None:
    """Most asked again first; each cluster with its sessions, checkable tasks by side, and checks."""
    found = sleepd("tasks", "list", "--json").json
    assert found == sorted(found, key=lambda r: -r["friction"])
    assert {"train", "val", "test"} == set(found[0]["checkable"]) and found[0]["checks"]
    assert found[0]["cluster"][:8] in sleepd("tasks", "list").out
    assert found[0]["task_ids"][0][:8] in sleepd("tasks", "list", "--all").out
    assert found[0]["name"] in sleepd("tasks", "list").out
    assert all(len(r["task_ids"]) == r["tasks"] for r in found)


def test_the_list_of_tasks_says_which_checks_gate_and_why(mined: Path) -> None:
    """Those of the largest work agree with the person on held-out sessions; the others have a reason, too."""
    found = sleepd("tasks", "list", "--json").json
    judged = found[0]["judged"]
    assert (True, "held-out") == (judged["gates"], judged["ground"])
    assert judged["held_out"]["p"] <= 0.05 and judged["held_out"]["low"] > 0.5
    assert not any(r["checks"] for r in found if not r["judged"]["gates"])
    told = sleepd("tasks", "list").out
    assert f"{found[0]['cluster'][:8]}: gates: it tells what you corrected" in told
    shown = sleepd("tasks", "show", found[0]["task_ids"][0]).out
    assert f"gates: {judged['why']}" in shown
    exported = json.loads(sleepd("tasks", "export", "-").out)["tasks"]
    of_work = [one for one in exported if one["id"] in found[0]["task_ids"]]
    assert {f"gates: {judged['why']}"} == {one["judged"] for one in of_work}
    assert "of answers they gate in 1 kind of work" in sleepd("status").out


def test_the_list_of_tasks_has_pages(mined: Path) -> None:
    """Together they are the whole list; a line says where one is; a page after the last says so."""
    found = sleepd("tasks", "list", "--json").json
    pages = [sleepd("tasks", "list", "--json", "--limit", "2", "--page", str(n)).json for n in (1, 2, 99)]
    assert [found[:2], found[2:4], []] == pages
    assert f"3 to 4 of {len(found)} kinds of work" in sleepd("tasks", "list", "--limit", "2", "--page", "2").out
    assert "begins after the last" in sleepd("tasks", "list", "--page", "99").out
    assert " kinds of work; " not in sleepd("tasks", "list").out


def test_the_list_says_what_shuffled_labels_would_have_given(mined: Path) -> None:
    """Mined wordings, those of shuffled labels, and those that beat chance; in JSON for each work."""
    wordings = [row["wordings"] for row in sleepd("tasks", "list", "--json").json]
    assert wordings[0]["found"] > 5 * wordings[0]["found_in_shuffled_labels"] > 0
    assert wordings[0]["beat_chance"] > 0
    total = sum(one["found"] for one in wordings)
    assert f"wordings that go with kept answers: {total} mined, shuffled labels give" in sleepd("tasks", "list").out


def test_a_task_is_shown_by_the_beginning_of_its_id(mined: Path) -> None:
    """Whole: request, answers, checks."""
    id_ = sleepd("tasks", "list", "--json").json[0]["task_ids"][0]
    shown = sleepd("tasks", "show", id_[:8], "--json").json
    assert id_ == shown["id"] and shown["request"] and shown["attempts"]
    assert "answer 1" in sleepd("tasks", "show", id_[:8]).out
    assert 2 == sleepd("tasks", "show", "zz").code and 2 == sleepd("tasks", "show", "").code


def test_what_was_reviewed_stays_reviewed(mined: Path, tmp_path: Path) -> None:
    """Dropped tasks do not come back and edited checks survive the next mining; importing twice changes nothing."""
    file = tmp_path / "tasks.json"
    assert 0 == sleepd("tasks", "export", file).code and 0o600 == file.stat().st_mode & 0o777
    content = json.loads(file.read_text())
    dropped, edited = _two(content)
    dropped["dropped"] = True
    edited["checks"] = edited["checks"][:1]
    file.write_text(json.dumps(content))
    assert {"dropped": 1, "checked": 1} == _some(sleepd("tasks", "import", file, "--json").json)
    live_in(mined, SESSIONS + 10, first=SESSIONS)
    assert 0 == sleepd("harvest", "--quiet").code and 0 == sleepd("mine").code
    assert 2 == sleepd("tasks", "show", dropped["id"]).code
    assert edited["checks"] == sleepd("tasks", "show", edited["id"], "--json").json["checks"]
    assert {"dropped": 0, "checked": 0} == _some(sleepd("tasks", "import", file, "--json").json)


def test_a_file_in_yaml_is_read_back(mined: Path, tmp_path: Path) -> None:
    """Unchanged it changes nothing; an edited check counts, and a broken line is named by its number."""
    file = tmp_path / "tasks.yaml"
    assert 0 == sleepd("tasks", "export", file).code
    assert {"dropped": 0, "checked": 0} == _some(sleepd("tasks", "import", file, "--json").json)
    text = file.read_text()
    assert "  - kind: first-line\n    value: '[A-9]'\n" in text
    id_ = next(row["id"] for row in yaml.safe_load(text)["tasks"] if len(row["checks"]) > 1)
    content = yaml.safe_load(text)
    edited = next(row for row in content["tasks"] if row["id"] == id_)
    edited["checks"] = edited["checks"][:1]
    file.write_text(yaml.safe_dump(content))
    assert {"dropped": 0, "checked": 1} == _some(sleepd("tasks", "import", file, "--json").json)
    edited["checks"] = [{"kind": "never-ran", "value": "make slow"}]
    file.write_text(yaml.safe_dump(content))
    refused = sleepd("tasks", "import", file)
    assert 2 == refused.code
    assert (
        "never-ran is a check of a lesson, to be put under `lessons`; a task is judged by the text of its answer"
        in refused.err
    )
    file.write_text("tasks: [")
    assert ": not YAML" in sleepd("tasks", "import", file).err


def _two(content: dict) -> list[dict]:  # type: ignore[type-arg]
    return [t for t in content["tasks"] if len(t["checks"]) > 1][:2]


def _some(done: dict) -> dict:  # type: ignore[type-arg]
    return {name: done[name] for name in ("dropped", "checked")}


def test_a_mistake_in_a_reviewed_file_changes_nothing(mined: Path, tmp_path: Path) -> None:
    """Each mistake has a line: an unknown task, a check that the accepted answer fails, a misspelt key."""
    file = tmp_path / "tasks.json"
    sleepd("tasks", "export", file)
    content = json.loads(file.read_text())
    one, other = _two(content)
    one["dropped"], other["checks"] = True, [{"kind": "contains", "value": "no such words at all"}]
    content["tasks"].append({**one, "id": "unknown", "dropped": False})
    file.write_text(json.dumps(content))
    done = sleepd("tasks", "import", file)
    assert 2 == done.code and 3 == done.err.count("\n"), done.err
    assert other["id"] in done.err and "unknown: there is no such task" in done.err
    other["cheks"] = []
    file.write_text(json.dumps(content))
    assert "cheks: unknown key" in sleepd("tasks", "import", file).err
    assert 0 == sleepd("tasks", "show", one["id"]).code


def test_a_check_is_taken_as_a_person_writes_it(mined: Path, tmp_path: Path) -> None:
    """In capitals and with two spaces; one that says nothing is a mistake with a line of its own."""
    file = tmp_path / "tasks.json"
    sleepd("tasks", "export", file)
    content = json.loads(file.read_text())
    one, other = _two(content)
    one["checks"] = [{"kind": "lacks", "value": "NO  Such Words"}]
    content["tasks"] = [one, {**other, "checks": [{**c, "value": f" {c['value']} "} for c in other["checks"]]}]
    file.write_text(json.dumps(content))
    assert {"dropped": 0, "checked": 1} == _some(sleepd("tasks", "import", file, "--json").json)
    kept = sleepd("tasks", "show", one["id"], "--json").json["checks"]
    assert [{"kind": "lacks", "value": "no such words"}] == kept
    for kind, value in (("line-start", "nothing"), ("max-words", "9" * 5_000), ("contains", "...")):
        one["checks"] = [{"kind": kind, "value": value}]
        file.write_text(json.dumps(content))
        done = sleepd("tasks", "import", file)
        assert (2, 2) == (done.code, done.err.count("\n")), done.err
        assert f"{one['id']}: check {kind} wants " in done.err


@pytest.mark.parametrize("text", ["", "[]", "{", '{"format": "sleepd-tasks-9", "tasks": []}', "\x00"])
def test_another_file_is_refused(mined: Path, text: str) -> None:
    """In words; also from stdin."""
    done = sleepd("tasks", "import", "-", stdin=text)
    assert 2 == done.code and "Traceback" not in done.err


def test_a_task_can_be_dropped(mined: Path) -> None:
    """For good."""
    id_ = sleepd("tasks", "list", "--json").json[0]["task_ids"][0]
    assert id_ == sleepd("tasks", "drop", id_[:10], "--json").json["dropped"]
    sleepd("mine")
    assert 2 == sleepd("tasks", "show", id_).code


def test_recall_finds_the_nearest_work(mined: Path) -> None:
    """Most similar first, with what became of it; no more than asked for."""
    task = sleepd("tasks", "show", sleepd("tasks", "list", "--json").json[0]["task_ids"][0], "--json").json
    found = sleepd("recall", task["request"], "-k", "3", "--json").json
    assert task["id"] == found[0]["task"] and 3 == len(found)
    assert sorted((f["similarity"] for f in found), reverse=True) == [f["similarity"] for f in found]
    assert task["id"][:8] in sleepd("recall", task["request"]).out


def test_what_an_agent_wrote_does_not_drive_the_terminal(begun: Path) -> None:
    """Escape sequences and text that turns direction are written out."""
    live_in(begun, 12)
    for file in begun.rglob("*.jsonl"):
        file.write_text(file.read_text().replace(" the ", " the \\u001b]0;owned\\u0007\\u202e "))
    sleepd("harvest", "--quiet")
    sleepd("mine")
    shown = sleepd("tasks", "list", "--all").out + sleepd("recall", "message").out
    assert "\x1b" not in shown and "\u202e" not in shown and "<U+001B>" in shown
