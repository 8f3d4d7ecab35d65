"""`sleepd run`, `sleepd status`, `sleepd nights` and `sleepd show`."""

from __future__ import annotations

import itertools
import sqlite3
import threading
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sleepd.core.edit import tokens
from sleepd.host import locks
from sleepd.settings import config
from sleepd.store import nights as stored_nights
from sleepd.store.database import backups, open_database
from sleepd.store.nights import Night, NightStatus
from tests.cli.command import SESSIONS, configure, environment, live_in, sleepd, started
from tests.stub.server import WRONG_KEY, Stub
from tests.usecases.waiting import TICKET, Home

WORKERS = 2

STUB = """\
[harvest]
since = "all"
[embedder]
name = "hashed-tfidf"
[model]
name = "openai"
model = "stub"
base_url = "{url}/v1"
max_retries = 0
[night]
max_calls = 50
"""


@pytest.mark.slow
def test_a_dry_run_says_what_a_night_would_do(lived_in: Path) -> None:
    """No model has to be chosen, none is asked, and no night is written; a price makes a cost."""
    configure(lived_in, STUB.format(url="http://127.0.0.1:1").replace('name = "openai"\nmodel = "stub"', ""))
    seen = sleepd("run", "--dry-run", "--json")
    assert 0 == seen.code
    assert ["commit-message"] == [one["skill"] for one in seen.json["chosen"]] and 50 == seen.json["estimate"][
        "calls_at_most"
    ]
    assert seen.json["estimate"]["tokens_in"] > 0 and seen.json["estimate"]["cost_usd"] is None
    assert [] == sleepd("nights", "--json").json
    assert "cost unknown" in sleepd("run", "--dry-run").out
    priced = STUB.format(url="http://127.0.0.1:1").replace(
        "[night]", "price_in_per_mtok = 1.0\nprice_out_per_mtok = 5.0\n[night]"
    )
    configure(lived_in, priced)
    estimate = sleepd("run", "--dry-run", "--json").json["estimate"]
    assert pytest.approx((estimate["tokens_in"] + 5 * estimate["tokens_out"]) / 1e6) == estimate["cost_usd"]


def test_a_dry_run_of_an_empty_home_would_do_nothing(begun: Path) -> None:
    """And says why."""
    assert "would do nothing" in sleepd("run", "--dry-run").out


def test_a_run_without_a_model_stops_before_it_reads(own_home: Path) -> None:
    """The line lists the adapters."""
    live_in(own_home, 2)
    configure(own_home, '[harvest]\nsince = "all"\n[night]\nmax_calls = 5\n[embedder]\nname = "hashed-tfidf"\n')
    done = sleepd("run")
    assert 2 == done.code and "simulated" in done.err and "model.name" in done.err
    assert not config.places().database.exists()


@pytest.mark.slow
def test_a_spent_budget_ends_with_4_and_the_next_run_goes_on(lived_in: Path) -> None:
    """The same night, and what was paid for is not paid for again."""
    spent = sleepd("run", "--max-calls", "30", "--json")
    assert (4, "budget-spent") == (spent.code, spent.json["status"])
    assert "--max-calls" in spent.err or "night.max_calls" in spent.err
    done = sleepd("run", "--json")
    assert (0, "done", spent.json["id"]) == (done.code, done.json["status"], done.json["id"])
    assert 1 == len(sleepd("nights", "--json").json)


@pytest.mark.slow
def test_a_login_that_does_not_hold_ends_with_3_and_status_says_so(
    lived_in: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is consumed: with the right key the same night is run to its end."""
    with Stub() as stub:
        configure(lived_in, STUB.format(url=stub.url))
        monkeypatch.setenv("SLEEPD_API_KEY", WRONG_KEY)
        done = sleepd("run")
        assert 3 == done.code and 1 == done.err.count("\n") and "could not be measured" in done.err
        assert "check SLEEPD_API_KEY" in done.err
        status = sleepd("status")
        assert "not-measured" in status.out and "sleepd doctor --live" in status.out
        seen = sleepd("status", "--json").json
        assert ("not-measured", None) == (seen["last_night"]["status"], seen["last_measured"])
    configure(lived_in)
    again = sleepd("run", "--json")
    assert (0, seen["last_night"]["id"]) == (again.code, again.json["id"])


@pytest.mark.slow
def test_without_a_key_no_call_is_counted(lived_in: Path) -> None:
    """Nothing was asked: 0 calls in the night's report and in status, and the line names what to set."""
    with Stub() as stub:
        configure(lived_in, STUB.format(url=stub.url))
        done = sleepd("run", "--json")
        assert (3, 0) == (done.code, len(stub.requests)) and "_API_KEY" in done.err
        assert 0 == done.json["report"]["spending"]["calls"]
        assert 0 == sleepd("status", "--json").json["last_night"]["spending"]["calls"]


@pytest.mark.slow
def test_a_budget_holds_for_a_night_and_every_call_counts(lived_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another run of the same date makes no call more, `--max-calls` allows so many more, and the report adds up what
    the provider saw: preflights and failures too.
    """
    monkeypatch.setenv("SLEEPD_API_KEY", "k")
    numbers = itertools.count()

    def answer(system: str, prompt: str) -> str:
        return "ready" if "the word ready" in prompt or next(numbers) % 3 else ""

    with Stub(answer=answer) as stub:
        configure(lived_in, STUB.format(url=stub.url).replace("max_calls = 50", "max_calls = 20"))
        first = sleepd("run", "--json")
        assert (4, 20, 20) == (first.code, len(stub.requests), first.json["report"]["spending"]["calls"])
        assert first.json["report"]["spending"]["failed"] > 0
        again = sleepd("run", "--json")
        assert (4, 20, 20) == (again.code, len(stub.requests), again.json["report"]["spending"]["calls"])
        more = sleepd("run", "--max-calls", "5", "--json")
        calls = more.json["report"]["spending"]["calls"]
        assert len(stub.requests) == calls and 20 < calls <= 25
        assert (3, first.json["id"]) == (more.json["report"]["attempts"], more.json["id"])
    assert f"{calls} calls" in sleepd("status").out


@pytest.mark.slow
def test_two_runs_at_once_are_one_too_many(lived_in: Path) -> None:
    """75, and the second has changed nothing."""
    with locks.night(config.places(), 0):
        done = sleepd("run")
        assert (75, 1) == (done.code, done.err.count("\n"))
        assert 75 == sleepd("mine").code
    assert 0 == sleepd("run", "--max-calls", "2000").code


@pytest.mark.slow
def test_a_killed_run_goes_on(lived_in: Path) -> None:
    """kill -9 in the middle of a call: the lock is free, the night is taken up, and only the calls that were under way,
    or had come in that moment, are paid for twice.
    """
    asked, go_on = threading.Event(), threading.Event()
    said: list[str] = []

    def answer(system: str, prompt: str) -> str:
        if "the word ready" not in prompt:
            said.append(prompt)
        if len(said) == 12:
            asked.set()
            go_on.wait(20)
        return "an answer"

    with Stub(answer=answer) as stub:
        configure(lived_in, STUB.format(url=stub.url))
        run = started("run", env=environment(SLEEPD_API_KEY="k"))
        assert asked.wait(30)
        run.kill()
        run.communicate(timeout=30)
        go_on.set()
        assert "not finished" in sleepd("status").out
        again = started("run", "--json", env=environment(SLEEPD_API_KEY="k"))
        again.communicate(timeout=60)
    (night,) = sleepd("nights", "--json").json
    kept = night["report"]["spending"]["calls"]
    assert again.returncode in (0, 4) and 12 < len(said)
    assert 0 <= len(said) - kept <= 3 * WORKERS


@pytest.mark.slow
def test_each_night_backs_the_database_up(lived_in: Path) -> None:
    """Under its local date, before anything changes."""
    sleepd("run", "--max-calls", "5")
    date = datetime.now(UTC).astimezone().date().isoformat()  # noqa: TID251
    assert [f"sleepd-{date}.db"] == [b.name for b in backups(config.places().database)]


@pytest.mark.slow
def test_one_project_and_one_skill_can_be_asked_for(lived_in: Path) -> None:
    """The scope is the project's folder; an unknown skill leaves nothing to do."""
    project = lived_in / "uploader"
    seen = sleepd("run", "--project", project, "--dry-run", "--json").json
    assert ["commit-message"] == [one["skill"] for one in seen["chosen"]]
    none = sleepd("run", "--skill", "no-such-skill", "--dry-run", "--json").json
    assert [] == none["chosen"]
    wrong = sleepd("run", "--project", lived_in / "nowhere")
    assert 2 == wrong.code and "no such folder" in wrong.err


def test_nights_in_which_nothing_was_asked_are_one(begun: Path) -> None:
    """Somebody who has no work yet and tries again does not fill the list; the second run continues the first."""
    nights = [sleepd("run", "--json").json for _ in range(3)]
    assert [0] * 3 == [n["report"]["spending"]["calls"] for n in nights]
    assert [nights[0]["id"]] == [n["id"] for n in sleepd("nights", "--json").json]
    assert (1, 3) == (len({n["id"] for n in nights}), nights[2]["report"]["attempts"])


def test_another_backend_can_be_asked_for(lived_in: Path) -> None:
    """An unknown one is an error that lists the known."""
    done = sleepd("run", "--backend", "simulatd")
    assert 2 == done.code and "did you mean 'simulated'?" in done.err


# After a night ------------------------------------------------------------------------------------------------------


def test_status_says_where_everything_stands(in_it: Path) -> None:
    """Last night, next night, proposals, spending, counts."""
    seen = sleepd("status", "--json").json
    assert (SESSIONS, "done") == (seen["sessions"], seen["last_night"]["status"])
    assert seen["last_night"]["spending"]["calls"] > 0 and seen["proposals"]["waiting"] >= 1
    text = sleepd("status").out
    assert all(word in text for word in ("last night", "next night", "sleepd review", "calls"))


@pytest.mark.slow
def test_nights_and_their_evidence_can_be_looked_at(in_it: Path) -> None:
    """By the beginning of the id; every figure says that it is a text replay."""
    (night,) = sleepd("nights", "--json").json
    assert night["id"] in sleepd("nights").out
    seen = sleepd("show", night["id"][:12], "--json").json
    assert "text replay" == seen["measured_by"] and seen["candidates"] and seen["proposals"]
    first = seen["candidates"][0]
    assert first["reason"] and first["tasks"] and first["threshold"] > 20
    assert first["pairs"] == sum(t["pairs"] for t in first["tasks"])
    text = sleepd("show", night["id"]).out
    assert "(text replay" in text and "evidence " in text and first["edits"][0]["text"] in text
    assert (1, pytest.approx(1 / first["threshold"])) == (first["stated"], first["level"])
    assert f"level {first['level']:.2g}, as candidate 1 of the account and number 1 of those" in text


def test_an_unknown_night_is_said_so(in_it: Path) -> None:
    """With where the known ones are listed."""
    done = sleepd("show", "1999")
    assert 2 == done.code and "sleepd nights" in done.err


def test_status_shows_what_is_in_force_and_what_it_cost_in_all(begun: Path) -> None:
    """Each adoption that was not taken back, with its rent; the calls of all nights, and that a cost is not known."""
    home = Home(folder=begun)
    first, second = home.propose(), home.propose((TICKET,), name="other", number=2)
    assert (0, 0) == (sleepd("adopt", first[:8]).code, sleepd("adopt", second[:8]).code)
    spent = {"calls": 100, "tokens_in": 2_000, "tokens_out": 300}
    database = open_database(config.places().database)
    with database.writing() as connection:
        for day, cost in ((1, 0.5), (2, 0.25), (3, None)):
            at = datetime(2026, 9, day, 3, tzinfo=UTC)
            night = Night(
                id=f"2026-09-0{day}-user-1", scope="user", date=f"2026-09-0{day}", status=NightStatus.DONE,
                started_at=at, ended_at=at, message="", report={"spending": {**spent, "cost_usd": cost}},
            )  # fmt: skip
            stored_nights.begin(connection, night)
            stored_nights.end(connection, night)
    database.close()
    text = sleepd("status").out
    assert "300 calls, 6,900 tokens, $0.7500 in 3 nights, and 1 night of unknown cost" in text
    rent = tokens(home.file().read_text())
    assert f"  commit, {first[:8]} since " in text and f"as measured, +{rent} tokens in every session" in text
    seen = sleepd("status", "--json").json
    assert [first, second] == [one["proposal"] for one in seen["in_force"]]
    assert (3, 300, 0.75, 1) == tuple(seen["spent"][key] for key in ("nights", "calls", "cost_usd", "unknown"))
    sleepd("undo")
    assert ["commit"] == [one["skill"] for one in sleepd("status", "--json").json["in_force"]]
    sleepd("undo")
    assert "nothing is in force" in sleepd("status").out


@pytest.mark.slow
def test_tables_fit_80_columns(in_it: Path) -> None:
    """Every list of a home in which a night was run."""
    lists = (["nights"], ["proposals", "--all"], ["tasks", "list"], ["recall", "write a commit message"])
    shown = {words[0]: sleepd(*words).out.partition("\n\n")[0] for words in lists}
    assert {} == {verb: line for verb, text in shown.items() for line in text.splitlines() if len(line) > 80}
    assert all(text.count("\n") > 0 for text in shown.values())


# Status alone -------------------------------------------------------------------------------------------------------


def test_status_without_a_database_says_how_to_begin(own_home: Path) -> None:
    """And makes none."""
    assert "sleepd init" in sleepd("status").out
    assert (0, False) == (sleepd("status").code, sleepd("status", "--json").json["begun"])
    assert not config.places().database.exists()


@pytest.mark.parametrize("verb", ["status", "proposals"])
def test_a_database_of_a_newer_sleepd_is_named(begun: Path, verb: str) -> None:
    """Its figures may mean something else by then; the line says to upgrade, and nothing is changed."""
    file = config.places().database
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    held = file.read_bytes()
    done = sleepd(verb)
    assert (2, "", 1) == (done.code, done.out, done.err.count("\n")) and "upgrade sleepd" in done.err
    assert held == file.read_bytes()


@pytest.mark.parametrize("damage", [b"", b"garbage" * 1000])
def test_a_damaged_database_is_named_and_never_replaced(begun: Path, damage: bytes) -> None:
    """By every verb that needs it, with the last backup."""
    file = config.places().database
    copies = file.parent / "backups"
    copies.mkdir()
    (copies / "sleepd-2026-01-01.db").write_bytes(b"x")
    file.write_bytes(damage)
    for verb in (["status"], ["tasks", "list"], ["nights"], ["run"], ["harvest"], ["proposals"]):
        done = sleepd(*verb)
        assert (2, 1) == (done.code, done.err.count("\n")), verb
        assert str(file) in done.err and "sleepd-2026-01-01.db" in done.err
    assert damage == file.read_bytes()


@pytest.mark.slow
def test_probation_is_told_in_words_and_numbers(lived_in: Path) -> None:
    """Evidence against the threshold."""
    settings = (lived_in / ".config/sleepd/config.toml").read_text() + "[gate]\npairs_per_night = 6\n"
    configure(lived_in, settings)
    assert 0 == sleepd("run").code
    (candidate, *_) = sleepd("status", "--json").json["on_probation"]
    assert candidate["threshold"] > 20 and candidate["pairs"] > 0
    assert f" of {candidate['threshold']:.0f}, mean difference" in sleepd("status").out
