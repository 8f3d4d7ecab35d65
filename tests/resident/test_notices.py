"""What is worth saying, and that it is said once."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from sleepd.host.still import Still
from sleepd.resident import notices
from sleepd.resident.notices import Notice
from sleepd.settings import config
from sleepd.settings.sections import NotifyConfig
from sleepd.settings.settings import Settings
from sleepd.store.calendar import calendar
from sleepd.store.overview import overview
from tests.cli.command import configure, environment, living_in, sleepd, started

TODAY = date(2026, 11, 20)
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _utc() -> Iterator[None]:
    with living_in("UTC"):
        yield


def nights(*statuses: str, last: date = TODAY, scope: str = "user") -> None:
    """Enter nights of so many days in a row, the newest first."""
    rows = [
        (f"{scope}-{last - timedelta(days=n)}", scope, str(last - timedelta(days=n)), status)
        for n, status in enumerate(statuses)
    ]
    run("INSERT INTO nights VALUES (?, ?, ?, ?, '2026-01-01T00:00:00+00:00', NULL, 'a message', '{}')", rows)


def proposals(*ids: str, status: str = "waiting", night: str = "some-night") -> None:
    rows = [(id_, night, status) for id_ in ids]
    run("INSERT INTO proposals VALUES (?, ?, ?, '[]', '', '[]', 0, NULL, NULL, NULL)", rows)


def run(statement: str, rows: Sequence[tuple[str, ...]] = ((),)) -> None:
    with sqlite3.connect(config.places().database) as connection:
        connection.executemany(statement, rows)
    connection.close()


def due(now: datetime = NOON, **notify: object) -> Notice | None:
    return notices.due(config.places(), settings(**notify), now)


def say(now: datetime = NOON, **notify: object) -> str | None:
    said = notices.say(config.places(), settings(**notify), now)
    return None if said is None else said.kind


def tell(host: Still, now: datetime = NOON, **notify: object) -> Notice | None:
    return notices.tell(config.places(), settings(**notify), host, now)


def settings(**notify: object) -> Settings:
    return Settings(notify=NotifyConfig(**notify))


def days(number: float) -> datetime:
    return NOON + timedelta(days=number)


# What is worth saying -----------------------------------------------------------------------------------------------


def test_where_nothing_happened_nothing_is_said(begun: Path) -> None:
    """A database without a night."""
    assert None is due()


def test_without_a_database_nothing_is_said(own_home: Path) -> None:
    """And none is made."""
    assert None is due()
    assert [] == [path for path in own_home.rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    ("ids", "text"),
    [
        (["a"], "1 proposal waits for you; sleepd review shows it"),
        (["a", "b"], "2 proposals wait for you; sleepd review shows them"),
    ],
)
def test_waiting_proposals_come_first(begun: Path, ids: list[str], text: str) -> None:
    """Before a night that could not be measured."""
    nights("not-measured")
    proposals(*ids)
    notice = due()
    assert notice is not None
    assert ("proposal-waits", text, f"sleepd: {text}") == (notice.kind, notice.text, notice.line)


def test_a_clock_that_was_ahead_for_a_night_silences_nothing(begun: Path) -> None:
    """Such a night is neither news nor the last one, and its limit is nobody's, until its date has come."""
    nights("not-measured", "not-measured", "done")
    nights("done", last=date(2027, 11, 21))
    # One that began at a right date by its zone, but at a time that is far away.
    run("INSERT INTO nights VALUES ('x', 'x', '2026-11-20', 'done', '2027-01-01T00:00:00+00:00', NULL, '', '{}')")
    notice = due()
    assert notice is not None and "the last 2 nights could not be measured" in notice.text
    seen = overview(config.places().database, NOON)
    assert seen is not None and seen.last_night is not None
    assert ("user-2026-11-20", "2026-11-18") == (seen.last_night.id, seen.last_measured)
    assert {"2026-11-18", "2026-11-19", "2026-11-20"} == {
        night.date for night in calendar(config.places().database, "2026-11-01", NOON).nights
    }
    # Whoever flew east is a day ahead at most.
    assert 2 == len(calendar(config.places().database, "2026-11-01", NOON - timedelta(days=2)).nights)


@pytest.mark.parametrize("status", ["quarantined", "adopted", "rejected", "reverted"])
def test_only_proposals_that_wait_are_said(begun: Path, status: str) -> None:
    """The others need nobody."""
    proposals("a", status=status)
    assert None is due()


NIGHTS: dict[str, tuple[str | None, list[str]]] = {
    "a night like any other": (None, ["done"]),
    "a night that is running": (None, ["running"]),
    "one that could not be measured": (
        "the last night could not be measured; sleepd doctor --live shows why",
        ["not-measured", "done", "not-measured"],
    ),
    "several that could not be measured": (
        "the last 3 nights could not be measured; sleepd doctor --live shows why",
        ["not-measured", "not-measured", "not-measured", "done", "not-measured"],
    ),
    "the same, and one is running": (
        "the last 2 nights could not be measured; sleepd doctor --live shows why",
        ["running", "not-measured", "not-measured"],
    ),
    "measured again": (None, ["done", "not-measured", "not-measured"]),
    "a budget that was reached": (
        "the last night's budget is spent; sleepd run continues it",
        ["budget-spent", "done"],
    ),
    "budgets that were reached": (
        "the last 2 nights ended when their budget was spent; sleepd run continues it",
        ["budget-spent", "budget-spent", "not-measured"],
    ),
    "too few quiet nights": (None, ["done"] * 13),
    "quiet nights": ("nothing was learnt in the last 14 nights; sleepd nights shows what was tried", ["done"] * 14),
    "quiet nights between others that say nothing": (
        "nothing was learnt in the last 14 nights; sleepd nights shows what was tried",
        ["done"] * 7 + ["not-measured", "budget-spent"] + ["done"] * 7,
    ),
}


@pytest.mark.parametrize("case", NIGHTS)
def test_nights_are_said_in_one_sentence(begun: Path, case: str) -> None:
    """How many in a row, and the command that helps."""
    text, statuses = NIGHTS[case]
    nights(*statuses)
    notice = due()
    assert text == (None if notice is None else notice.text)


def test_a_night_that_learnt_something_ends_the_quiet(begun: Path) -> None:
    """Whatever became of its proposal."""
    nights(*["done"] * 20)
    proposals("a", status="rejected", night=f"user-{TODAY - timedelta(days=10)}")
    assert None is due()
    notice = due(quiet_nights=10)
    assert notice is not None and "10 nights" in notice.text


def test_while_a_proposal_waits_nothing_else_can_be_learnt(begun: Path) -> None:
    """Its work is left alone until somebody decides: quiet nights then say nothing."""
    nights(*["done"] * 20)
    proposals("a")
    assert ["proposal-waits", None] == [say(), say(days(1))]


def test_the_worst_night_of_a_date_counts(begun: Path) -> None:
    """Projects have nights of their own on one date."""
    nights("done", "done", scope="a")
    nights("not-measured", "not-measured", scope="b")
    notice = due()
    assert notice is not None and "the last 2 nights could not be measured" in notice.text


def test_nights_long_past_are_no_news(begun: Path) -> None:
    """Nobody runs them any more; proposals still wait."""
    nights("not-measured", last=TODAY - timedelta(days=8))
    assert None is due()
    proposals("a")
    assert "proposal-waits" == say()


# Once ---------------------------------------------------------------------------------------------------------------


def test_looking_does_not_say_it(begun: Path) -> None:
    """`due` can be asked as often as one likes."""
    proposals("a")
    assert due() == due() is not None
    assert not config.places().notices.exists()


def test_what_was_said_is_not_due(begun: Path) -> None:
    """Nor is anything else that day."""
    proposals("a")
    say()
    proposals("b")
    assert None is due()


def test_one_thing_is_said_a_day(begun: Path) -> None:
    """The next one tomorrow, by the local date."""
    proposals("a")
    nights("not-measured")
    assert ["proposal-waits", None, None, "not-measured"] == [say(), say(), say(NOON.replace(hour=23)), say(days(1))]


def test_the_local_date_is_what_counts_as_a_day(begun: Path) -> None:
    """In Auckland the day ends before it does in Greenwich."""
    with living_in("Pacific/Auckland"):
        proposals("a")
        say(datetime(2026, 11, 20, 10, 58, tzinfo=UTC))
        proposals("b")
        assert [None, "proposal-waits"] == [say(datetime(2026, 11, 20, hour, 59, tzinfo=UTC)) for hour in (10, 11)]


def test_the_same_is_said_again_after_a_week(begun: Path) -> None:
    """Not before, however often one looks."""
    proposals("a")
    assert "proposal-waits" == say()
    assert [None] * 6 == [say(days(n)) for n in range(1, 7)]
    assert "proposal-waits" == say(days(7))


def test_another_proposal_is_news(begun: Path) -> None:
    """One that is gone is none."""
    proposals("a", "b")
    assert "proposal-waits" == say()
    run("UPDATE proposals SET status = 'adopted' WHERE id = 'a'")
    assert None is say(days(1))
    proposals("c")
    assert "proposal-waits" == say(days(2))


def test_a_longer_outage_is_no_news_and_a_new_one_is(begun: Path) -> None:
    """Five nights without a login are one thing."""
    nights("not-measured", last=TODAY)
    assert "not-measured" == say()
    nights("not-measured", last=TODAY + timedelta(days=1))
    assert None is say(days(1))
    nights("not-measured", "done", last=TODAY + timedelta(days=3))
    assert "not-measured" == say(days(3))


def test_a_budget_that_is_reached_now_and_then_is_said_once_a_week(begun: Path) -> None:
    """A small budget is meant to be reached."""
    nights("budget-spent", last=TODAY)
    assert "budget-spent" == say()
    nights("budget-spent", "done", last=TODAY + timedelta(days=2))
    assert None is say(days(2))


def test_old_claims_are_tidied_away_and_nothing_else(begun: Path) -> None:
    """Also those of a clock that ran ahead, which must not silence a year."""
    folder = config.places().notices
    folder.mkdir(parents=True)
    for name in ("2026-11-01", "2027-06-01", "2026-02-30", "notes.txt", "2026-11-14"):
        (folder / name).write_text("")
    proposals("a")
    say()
    assert {"2026-02-30", "notes.txt", "2026-11-14", "2026-11-20"} == {file.name for file in folder.iterdir()}


def test_a_claim_of_rubbish_is_a_claim(begun: Path) -> None:
    """Half a write, or somebody else's bytes: the day is taken, and nothing breaks."""
    folder = config.places().notices
    folder.mkdir(parents=True)
    (folder / "2026-11-19").write_bytes(b"\xff\x00" * 100_000)
    proposals("a")
    assert "proposal-waits" == say()
    (folder / "2026-11-20").write_bytes(b"")
    assert None is say()


def test_the_memory_is_for_its_owner_alone(begun: Path) -> None:
    """It says when you work."""
    proposals("a")
    say()
    folder = config.places().notices
    assert (0o700, 0o600) == (folder.stat().st_mode & 0o777, (folder / "2026-11-20").stat().st_mode & 0o777)


def test_of_many_at_the_same_moment_one_speaks(begun: Path) -> None:
    """All have looked before the first has spoken."""
    everybody = threading.Barrier(8)

    def one(day: int) -> str | None:
        everybody.wait(30)
        return say(days(day))

    with ThreadPoolExecutor(8) as pool:
        for day in range(10):
            proposals(f"proposal-{day}")
            said = list(pool.map(one, [day] * 8))
            assert ["proposal-waits"] == [kind for kind in said if kind is not None]


def test_nobody_speaks_while_the_desktop_is_told(begun: Path) -> None:
    """A desktop may take seconds to show it."""
    proposals("a")
    meanwhile: list[str | None] = []

    class Slow(Still):
        def notify(self, title: str, body: str) -> bool:
            meanwhile.append(say())
            return super().notify(title, body)

    assert None is not tell(Slow(shows=True))
    assert [None] == meanwhile


@pytest.mark.slow
def test_of_many_processes_one_speaks(begun: Path) -> None:
    """Six sessions start at once."""
    proposals("a")
    all_ = [started("notice") for _ in range(6)]
    said = [process.communicate(timeout=60)[0] for process in all_]
    assert [""] * 5 + ["sleepd: 1 proposal waits for you; sleepd review shows it\n"] == sorted(said)


# On the desktop -----------------------------------------------------------------------------------------------------


def test_the_desktop_is_told_and_the_session_start_then_is_not(begun: Path) -> None:
    """Whichever comes first."""
    proposals("a")
    host = Still(shows=True)
    assert "proposal-waits" == getattr(tell(host), "kind", None)
    assert None is say() and None is tell(host)
    assert [("sleepd", "1 proposal waits for you; sleepd review shows it")] == host.shown


def test_what_no_desktop_showed_was_not_said(begun: Path) -> None:
    """A server has none; the session start says it."""
    proposals("a")
    host = Still(shows=False)
    assert None is tell(host)
    assert 1 == len(host.shown)
    assert "proposal-waits" == say()


def test_both_can_be_switched_off(begun: Path) -> None:
    """Each for itself, and then nothing is claimed."""
    proposals("a")
    host = Still(shows=True)
    assert None is tell(host, desktop=False) and None is say(session_start=False)
    assert ([], False) == (host.shown, config.places().notices.exists())


def test_a_night_is_not_troubled_by_what_cannot_be_told(begun: Path) -> None:
    """A damaged database, or a state folder that cannot be written."""
    host = Still(shows=True)
    proposals("a")
    config.places().state.parent.mkdir(parents=True, exist_ok=True)
    config.places().state.write_text("a file where the folder should be")
    assert None is tell(host)
    config.places().database.write_text("no database at all")
    assert None is tell(host)
    assert [] == host.shown


def python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=60, check=False)


# The command --------------------------------------------------------------------------------------------------------


def test_the_command_prints_the_line_once(begun: Path) -> None:
    """Then the day is over."""
    proposals("a")
    first, second = sleepd("notice"), sleepd("notice")
    assert (0, "sleepd: 1 proposal waits for you; sleepd review shows it\n", "") == (first.code, first.out, first.err)
    assert (0, "", "") == (second.code, second.out, second.err)


def test_a_program_gets_a_value_in_any_case(begun: Path) -> None:
    """`null` when there is nothing."""
    proposals("a")
    told = {"kind": "proposal-waits", "text": "1 proposal waits for you; sleepd review shows it"}
    assert [{"notice": told}, {"notice": None}] == [sleepd("notice", "--json").json for _ in range(2)]


def test_the_hook_prints_what_claude_code_shows_to_the_user(begun: Path) -> None:
    """One JSON object, and nothing at all when there is nothing."""
    proposals("a")
    first, second = sleepd("notice", "--hook", "claude-code"), sleepd("notice", "--hook", "claude-code")
    assert {"systemMessage": "sleepd: 1 proposal waits for you; sleepd review shows it"} == json.loads(first.out)
    assert (0, "", "") == (second.code, second.out, second.err)


@pytest.mark.parametrize("entrypoint", ["sdk-cli", "sdk-py", "claude-vscode", "claude-desktop"])
def test_a_session_that_nobody_sees_takes_no_notice_away(
    begun: Path, entrypoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Claude Code runs the hook for scripts too, and shows its line in a terminal only."""
    proposals("a")
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", entrypoint)
    assert "" == sleepd("notice", "--hook", "claude-code").out
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
    assert "systemMessage" in sleepd("notice", "--hook", "claude-code").out


def no_database() -> None:
    config.places().database.unlink()


def damaged_database() -> None:
    config.places().database.write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)


def empty_database() -> None:
    config.places().database.write_bytes(b"")


def folder_for_a_database() -> None:
    no_database()
    config.places().database.mkdir()


def broken_settings() -> None:
    configure(config.home(), "[night\n")


def unknown_settings() -> None:
    configure(config.home(), "[nihgt]\nat = 3\n")


def settings_that_are_a_folder() -> None:
    config.places().config.unlink()
    config.places().config.mkdir()


def state_that_is_a_file() -> None:
    config.places().state.parent.mkdir(parents=True, exist_ok=True)
    config.places().state.write_text("")


def foreign_database() -> None:
    no_database()
    run("CREATE TABLE proposals (shape TEXT)")


TROUBLE = [
    no_database, damaged_database, empty_database, folder_for_a_database, broken_settings, unknown_settings,
    settings_that_are_a_folder, state_that_is_a_file, foreign_database,
]  # fmt: skip


@pytest.mark.parametrize("trouble", TROUBLE)
def test_the_hook_never_fails(begun: Path, trouble: Callable[[], None]) -> None:
    """Whatever is wrong with sleepd, a session with an agent starts as if it were not there."""
    proposals("a")
    trouble()
    done = sleepd("notice", "--hook", "claude-code")
    assert (0, "", "") == (done.code, done.out, done.err)


@pytest.mark.parametrize("trouble", [damaged_database, empty_database, broken_settings, foreign_database])
def test_who_asks_by_hand_is_told_what_is_wrong(begun: Path, trouble: Callable[[], None]) -> None:
    """In one line that names a remedy."""
    trouble()
    done = sleepd("notice")
    assert (2, "", 1) == (done.code, done.out, len(done.err.splitlines()))
    assert any(word in done.err for word in ("sleepd restore", "not TOML")), done.err


def test_a_locked_database_silences_the_hook(begun: Path) -> None:
    """It waits for a second, and no longer."""
    proposals("a")
    connection = sqlite3.connect(config.places().database)
    try:
        connection.execute("PRAGMA locking_mode=EXCLUSIVE")
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute("INSERT INTO texts VALUES ('a', 'b')")
        hook, by_hand = sleepd("notice", "--hook", "claude-code"), sleepd("notice")
    finally:
        connection.close()
    assert (0, "", "") == (hook.code, hook.out, hook.err)
    assert (75, "") == (by_hand.code, by_hand.out) and "try again" in by_hand.err
    assert 0 == sleepd("notice").code


def test_an_unknown_agent_is_a_mistake_that_is_named(begun: Path) -> None:
    """The known ones are listed."""
    done = sleepd("notice", "--hook", "vim")
    assert 2 == done.code and "claude-code" in done.err


@pytest.mark.slow
def test_the_command_imports_no_database_library_and_no_agent_kit(begun: Path) -> None:
    """A session waits for it."""
    proposals("a")
    heavy = (
        "sqlalchemy",
        "alembic",
        "numpy",
        "structlog",
        "mcp",
        "anthropic",
        "openai",
        "jeepney",
        "apscheduler",
        "rich",
    )
    code = (
        "import sys; sys.argv = ['sleepd', 'notice']\n"
        "from sleepd.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    done = python(code)
    assert ("sleepd: 1 proposal waits for you; sleepd review shows it\n[]\n", "") == (done.stdout, done.stderr)


@pytest.mark.slow
def test_what_cannot_be_remembered_is_not_said(begun: Path) -> None:
    """On a full disk it would be said at every start."""
    proposals("a")
    code = (
        "import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
        "sys.argv = ['sleepd', 'notice', *sys.argv[1:]]; runpy.run_module('sleepd', run_name='__main__')"
    )
    both = [python(code), python(code, "--hook", "claude-code")]
    assert [(2, ""), (0, "")] == [(done.returncode, done.stdout) for done in both]
    assert "notices" in both[0].stderr and "large" in both[0].stderr and "" == both[1].stderr
    assert [] == list(config.places().notices.iterdir())
    assert "1 proposal" in sleepd("notice").out
