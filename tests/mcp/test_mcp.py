"""`sleepd mcp` through the SDK's own client: what the tools say and do."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import pytest
from filelock import FileLock

from sleepd.core.model import digest
from sleepd.host import locks
from sleepd.settings import config
from tests.cli.command import SETTINGS, configure, sleepd
from tests.homes import move_into
from tests.mcp.mcp_client import PATIENCE_S, Person, Talk, talking, talking_here, text

UNASKED = f"{SETTINGS}\n[mcp]\ndecide_unasked = true\n"
"""So that a client that cannot ask a person may decide."""
TOOLS = {"status", "run", "proposals", "show", "adopt", "revert", "recall"}


@dataclass(frozen=True)
class Clients:
    """Three servers in one home, and what speaks with them."""

    plain: Talk
    asking: Talk
    older_asking: Talk
    """By the protocol with a handshake, as of 2025. This server has no process of its own."""
    person: Person
    """Who sits before the two that can ask."""


@pytest.fixture(scope="module")
def clients(after_a_night: Path) -> Iterator[Clients]:
    """Started once: a start costs as much as all of a test."""
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        move_into(patch, after_a_night)
        configure(after_a_night, UNASKED)
        person = Person()
        plain = stack.enter_context(talking())
        asking = stack.enter_context(talking(elicitation_callback=person))
        older_asking = stack.enter_context(talking_here(elicitation_callback=person))
        yield Clients(plain, asking, older_asking, person)


@pytest.fixture
def ask(clients: Clients, in_it: Path) -> Talk:
    """The client that most tests use, in the home in which a night was run."""
    return clients.plain


@pytest.fixture
def waiting(ask: Talk) -> Iterator[dict[str, Any]]:
    """What `show` says of the proposal that waits; whatever the test does is taken back."""
    database = config.places().database
    before = database.read_bytes()
    id_ = next(p["id"] for p in sleepd("proposals", "--json").json if p["status"] == "waiting")
    shown = ask("show", {"id": id_})
    assert not shown.is_error and shown.structured_content is not None, text(shown)
    yield shown.structured_content | {"text": text(shown)}
    path_of(shown.structured_content).unlink(missing_ok=True)
    for journal in database.parent.glob("sleepd.db-*"):
        journal.unlink()
    database.write_bytes(before)


def path_of(shown: dict[str, Any]) -> Path:
    return Path(shown["candidate"]["path"])


def named(shown: dict[str, Any]) -> dict[str, str]:
    return {"id": shown["id"], "digest": shown["digest"]}


def shown_now(ask: Talk, shown: dict[str, Any]) -> dict[str, str]:
    """Its id, with the digest that `show` gives by now."""
    return named(ask("show", {"id": shown["id"]}).structured_content or {})


def in_database(statement: str, *values: object) -> list[Any]:
    with closing(sqlite3.connect(config.places().database)) as connection, connection:
        return connection.execute(statement, values).fetchall()


# What there is ------------------------------------------------------------------------------------------------------


def test_the_tools_say_what_they_do_take_and_change(ask: Talk) -> None:
    """Each has a description, words for its arguments, a schema for its result, and honest hints."""
    tools = {t.name: t for t in ask.do(lambda client: client.list_tools()).tools}
    assert TOOLS == set(tools)
    assert [] == [n for n, t in tools.items() if not (t.title and t.description and t.output_schema)]
    silent = [
        (n, a) for n, t in tools.items() for a, s in t.input_schema["properties"].items() if "description" not in s
    ]
    assert [] == silent
    hints = {n: (t.annotations.read_only_hint, t.annotations.destructive_hint) for n, t in tools.items()}
    changing = {"run": (False, False), "adopt": (False, True), "revert": (False, True)}
    assert dict.fromkeys(TOOLS, (True, False)) | changing == hints


@pytest.mark.slow
def test_the_reading_tools_say_what_the_command_says(ask: Talk) -> None:
    """The same text for a reader, the same values for a program."""
    assert sleepd("status", "--json").json == ask("status").structured_content
    listed = ask("proposals")
    assert sleepd("proposals").out.rstrip("\n") == text(listed)
    assert ids(sleepd("proposals", "--json").json) == ids(listed.structured_content["proposals"])
    found = ask("recall", {"text": "write a unit test", "k": 3}).structured_content["tasks"]
    assert sleepd("recall", "write a unit test", "-k", "3", "--json").json == found
    assert 3 == len(found)


def ids(found: list[dict[str, Any]]) -> list[str]:
    return [one["id"] for one in found]


def test_a_proposal_is_shown_whole(waiting: dict[str, Any]) -> None:
    """Diff, why, sessions, before and after by task, evidence, rent, and the digest of it all."""
    words = ("+++ ", "because ", "taught by", "before  after", "evidence ", "tokens in every session", "text replay")
    assert [] == [word for word in (*words, f"digest  {waiting['digest']}") if word not in waiting["text"]]
    assert (True, None, None) == (waiting["adoptable"], waiting["would_write"], waiting["conflict"])
    assert waiting["diff"] and waiting["sessions"] and waiting["candidate"]["tasks"]


# Deciding -----------------------------------------------------------------------------------------------------------


def test_adopt_and_revert_change_the_file_byte_for_byte(ask: Talk, waiting: dict[str, Any]) -> None:
    """Doing either twice is an error in words and changes nothing."""
    file = path_of(waiting)
    assert not file.exists()
    adopted = ask("adopt", named(waiting))
    assert not adopted.is_error, text(adopted)
    expected = {"done": True, "proposal": waiting["id"], "path": str(file), "proven": True}
    assert expected == {key: adopted.structured_content[key] for key in expected}
    added = [line[1:] for line in waiting["diff"].splitlines() if line.startswith("+") and not line.startswith("+++")]
    assert "\n".join(added) + "\n" == file.read_bytes().decode()
    again = ask("adopt", named(waiting))
    assert again.is_error and "adopted already" in text(again)
    now = shown_now(ask, waiting)
    assert not ask("revert", now).is_error
    assert not file.exists() and not file.parent.exists()
    nothing = ask("revert", now)
    assert nothing.is_error and "reverted" in text(nothing)


def test_a_digest_serves_for_one_decision(ask: Talk, waiting: dict[str, Any]) -> None:
    """After an adoption and a revert everything is as it was, and the person has to look again."""
    ask("adopt", named(waiting))
    assert not ask("revert", shown_now(ask, waiting)).is_error
    again = ask("adopt", named(waiting))
    assert again.is_error and "show it to the person again" in text(again) and not path_of(waiting).exists()
    assert not ask("adopt", shown_now(ask, waiting)).is_error


def test_no_list_holds_a_digest(ask: Talk, waiting: dict[str, Any]) -> None:
    """Only `show` does, with all that a person has to see."""
    for listed in (ask("proposals", {"include_decided": True}), ask("status")):
        assert waiting["digest"] not in text(listed) + str(listed.structured_content)


def test_a_client_that_cannot_ask_decides_nothing(ask: Talk, waiting: dict[str, Any]) -> None:
    """Unless a setting says so: it is off by default, and the refusal names it and the command for the person."""
    file = config.places().config
    file.write_text(SETTINGS)
    refused = ask("adopt", named(waiting))
    said = ("sleepd review", f"mcp.decide_unasked in {file}")
    assert (True, []) == (refused.is_error, [part for part in said if part not in text(refused)]), text(refused)
    assert not path_of(waiting).exists()
    file.write_text(UNASKED)
    assert not ask("adopt", named(waiting)).is_error
    file.write_text(SETTINGS)
    refused = ask("revert", shown_now(ask, waiting))
    file.write_text(UNASKED)
    assert refused.is_error and "mcp.decide_unasked" in text(refused) and path_of(waiting).exists()


def test_a_revert_needs_what_was_shown(ask: Talk, waiting: dict[str, Any]) -> None:
    """It is done only while the file is as it was shown."""
    ask("adopt", named(waiting))
    after = path_of(waiting).read_bytes()
    shown = ask("show", {"id": waiting["id"]}).structured_content
    refused = ask("revert", {"id": waiting["id"], "digest": "0" * 12})
    assert refused.is_error and "show it to the person again" in text(refused)
    assert after == path_of(waiting).read_bytes()
    assert not ask("revert", named(shown)).is_error
    assert not path_of(waiting).exists()


def test_a_wrong_digest_writes_nothing(ask: Talk, waiting: dict[str, Any]) -> None:
    """What was shown is not what would be written: the person has to see it."""
    refused = ask("adopt", {"id": waiting["id"], "digest": "0123456789ab"})
    assert refused.is_error and "show it to the person again" in text(refused)
    assert not path_of(waiting).exists()


def test_a_file_that_changed_after_it_was_shown_is_shown_again(ask: Talk, waiting: dict[str, Any]) -> None:
    """The old digest is worth nothing then; the new one comes with what stands in the way."""
    file = path_of(waiting)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("---\nname: mine\ndescription: Mine.\n---\n\nMy own words.\n")
    refused = ask("adopt", named(waiting))
    assert refused.is_error and "show it to the person again" in text(refused)
    shown = ask("show", {"id": waiting["id"]})
    assert shown.structured_content["digest"] != waiting["digest"]
    assert not shown.structured_content["adoptable"] and "cannot be adopted now" in text(shown)
    conflict = ask("adopt", named(shown.structured_content))
    assert conflict.is_error and "a file was made in this place" in text(conflict)
    assert "My own words." in file.read_text()


def test_a_change_beside_the_proposals_own_is_merged_as_shown(ask: Talk, waiting: dict[str, Any]) -> None:
    """The text to be written is shown, called unproven, and its digest adopts it."""
    file = path_of(waiting)
    base, gated = "# Mine\n\nfirst\n\nlast\n", "# Mine\n\nfirst\n\nlast\nlearnt\n"
    for body in (base, gated):
        in_database("INSERT INTO texts VALUES (?, ?)", digest(body), body)
    in_database('UPDATE candidates SET base = ?, "text" = ? WHERE id = ?', digest(base), digest(gated), waiting["id"])
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("# Mine, changed\n\nfirst\n\nlast\n")
    shown = ask("show", {"id": waiting["id"]})
    assert "(unproven)" in text(shown) and "+learnt" in shown.structured_content["would_write"]
    done = ask("adopt", named(shown.structured_content))
    assert not done.is_error and not done.structured_content["proven"], text(done)
    assert "# Mine, changed\n\nfirst\n\nlast\nlearnt\n" == file.read_text()


def test_an_agent_is_told_who_taught_a_proposal(ask: Talk, waiting: dict[str, Any]) -> None:
    """The same facts as the command's own: sessions with their agent, title and time."""
    (listed,) = [one for one in sleepd("review", "--json").json if one["id"] == waiting["id"]]
    shown = ask("show", {"id": waiting["id"]}).structured_content
    assert listed["taught_by"] and listed["taught_by"] == shown["taught_by"]
    assert {**listed, "adoptable": True} == shown


def test_what_was_set_aside_is_shown_as_such_and_refused(ask: Talk, waiting: dict[str, Any]) -> None:
    """Its id and digest do not help."""
    why = '["pipe-to-shell: it would run what it fetched"]'
    in_database("UPDATE proposals SET status = 'quarantined', findings = ? WHERE id = ?", why, waiting["id"])
    shown = ask("show", {"id": waiting["id"]})
    assert "cannot be adopted" in text(shown) and not shown.structured_content["adoptable"]
    assert ["pipe-to-shell: it would run what it fetched"] == shown.structured_content["findings"]
    refused = ask("adopt", named(shown.structured_content))
    assert refused.is_error and "pipe-to-shell" in text(refused)
    assert not path_of(waiting).exists()


@pytest.mark.parametrize(
    ("status", "said"), [("quarantined", "set aside as unsafe"), ("rejected", "only waiting proposals can be adopted")]
)
def test_the_person_is_not_asked_in_vain(clients: Clients, waiting: dict[str, Any], status: str, said: str) -> None:
    """What may not be adopted is refused before."""
    in_database("UPDATE proposals SET status = ? WHERE id = ?", status, waiting["id"])
    clients.person.asked.clear()
    refused = clients.asking("adopt", named(waiting))
    assert refused.is_error and said in text(refused)
    assert [] == clients.person.asked and not path_of(waiting).exists()


@pytest.mark.parametrize("which", ["asking", "older_asking"])
def test_where_the_client_can_ask_the_person_decides(clients: Clients, waiting: dict[str, Any], which: str) -> None:
    """They see file and diff; yes writes, and yes takes it back."""
    do: Talk = getattr(clients, which)
    clients.person.asked.clear()
    clients.person.answer = ("accept", {"agreed": True})
    adopted = do("adopt", named(waiting))
    assert not adopted.is_error and path_of(waiting).exists(), text(adopted)
    reverted = do("revert", shown_now(do, waiting))
    assert not reverted.is_error and not path_of(waiting).exists(), text(reverted)
    first, _ = clients.person.asked
    assert str(path_of(waiting)) in first and waiting["diff"][:200] in first


@pytest.mark.parametrize("which", ["asking", "older_asking"])
@pytest.mark.parametrize("answer", [("decline", None), ("cancel", None), ("accept", {"agreed": False})])
def test_no_is_no(clients: Clients, waiting: dict[str, Any], which: str, answer: tuple[str, Any]) -> None:
    """Declined, dismissed, or sent without the tick: nothing is written, and the agent is told that it was the user."""
    clients.person.asked.clear()
    clients.person.answer = answer
    done = getattr(clients, which)("adopt", named(waiting))
    assert (1, False) == (len(clients.person.asked), done.is_error)
    assert ("gave no answer" if answer[0] == "cancel" else "the user said no") in text(done)
    assert {"done": False} == done.structured_content
    assert not path_of(waiting).exists()


def test_two_servers_at_once_agree(clients: Clients, waiting: dict[str, Any]) -> None:
    """What one writes the other sees at once: neither keeps anything."""

    def listed() -> bool:
        return waiting["id"] in ids(clients.asking("proposals").structured_content["proposals"])

    before = listed()
    clients.plain("adopt", named(waiting))
    assert (True, False) == (before, listed())
    clients.person.answer = ("accept", {"agreed": True})
    assert not clients.asking("revert", shown_now(clients.asking, waiting)).is_error


# Running ------------------------------------------------------------------------------------------------------------


def test_a_run_is_dry_unless_asked_otherwise(ask: Talk) -> None:
    """It says what a night would do and cost, and no night is written."""
    nights = sleepd("nights", "--json").out
    done = ask("run")
    assert not done.is_error and done.structured_content["dry_run"], text(done)
    assert {"calls_at_most", "cost_usd"} <= set(done.structured_content["estimate"])
    assert nights == sleepd("nights", "--json").out


def test_a_real_run_wants_a_stated_budget(ask: Talk) -> None:
    """An agent does not decide what may be spent: the user's settings do."""
    file = config.places().config
    file.write_text(UNASKED.replace("max_calls = 2000", ""))
    refused = ask("run", {"dry_run": False})
    file.write_text(UNASKED)
    assert refused.is_error and "night.max_calls" in text(refused) and str(file) in text(refused)


def test_a_night_that_runs_elsewhere_is_said(ask: Talk) -> None:
    """In the words of the command."""
    with FileLock(config.places().lock):
        refused = ask("run", {"dry_run": False})
    assert refused.is_error and "another night is running" in text(refused)


@pytest.mark.slow
def test_a_night_reports_progress_while_the_server_goes_on_answering(lived_in: Path) -> None:
    """And ends as `sleepd run` does, with what it proposes."""
    told: list[tuple[float, str | None]] = []

    async def progress(done: float, _total: float | None, message: str | None) -> None:
        told.append((done, message))

    async def both(client: Any) -> list[Any]:
        results: list[Any] = []

        async def night() -> None:
            results.append(await client.call_tool("run", {"dry_run": False}, progress_callback=progress))

        async with anyio.create_task_group() as group:
            group.start_soon(night)
            while not told:
                await anyio.sleep(0.01)
            await client.session.send_ping() if client.protocol_version < "2026" else await client.list_tools()
            assert [] == results, "the night was over before anything else was asked"
        return results

    with talking() as talk:
        (ran,) = talk.do(both)
    assert not ran.is_error and ran.structured_content["status"] == "done", text(ran)
    numbers = [number for number, _ in told]
    assert sorted(set(numbers)) == numbers and all(message for _, message in told)
    assert ids(sleepd("proposals", "--json").json) == ran.structured_content["proposals"]


@pytest.mark.slow
def test_a_cancelled_night_stops_and_is_gone_on_with(lived_in: Path) -> None:
    """The lock is free soon after, and the next run of the day finishes it."""

    async def stop(client: Any) -> None:
        begun = anyio.Event()

        async def progress(*_: Any) -> None:
            begun.set()

        async def night() -> None:
            await client.call_tool("run", {"dry_run": False}, progress_callback=progress)

        async with anyio.create_task_group() as group:
            group.start_soon(night)
            await begun.wait()
            group.cancel_scope.cancel()
        with anyio.fail_after(PATIENCE_S):
            while locks.is_held(config.places().lock):
                await anyio.sleep(0.05)
        assert not (await client.call_tool("status")).is_error

    with talking() as talk:
        talk.do(stop)
    assert [] == [n for n in sleepd("nights", "--json").json if n["status"] == "done"]
    assert 0 == sleepd("run").code


# What can be wrong --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_before_the_first_harvest_every_tool_says_how_to_begin(own_home: Path) -> None:
    """And no tool makes a database."""
    configure(own_home)
    digest = {"digest": "0" * 12}
    asked = {"status": {}, "proposals": {}, "recall": {"text": "x"}, "show": {"id": "abcdef"}}
    asked |= {"adopt": {"id": "abcdef", **digest}, "revert": {"id": "abcdef", **digest}}
    with talking() as talk:
        said = {tool: talk(tool, arguments) for tool, arguments in asked.items()}
    assert [] == [tool for tool, result in said.items() if "sleepd init" not in text(result)]
    assert [tool for tool in said if tool != "status"] == [tool for tool, result in said.items() if result.is_error]
    assert not config.places().database.exists()


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("shwo", {}, "did you mean 'show'?"),
        ("show", {}, "id: Field required"),
        ("show", {"id": 7}, "id: Input should be a valid string"),
        ("show", {"id": "zzzzzzz"}, "`sleepd proposals` lists them"),
        ("show", {"id": "x" * 1_000_000}, "at most 64 characters"),
        ("show", {"id": None}, "id: Input should be a valid string"),
        ("show", {"id": "abcdef", "ID": "abcdef"}, "no argument 'ID'"),
        ("show", {"id": "abcdef", "y" * 100_000: 1}, "no argument 'yyyy"),
        ("run", {"dry_run": "false"}, "valid boolean"),
        ("run", {"dryrun": False}, "did you mean 'dry_run'?"),
        ("run", {"project": "/no/such/folder"}, "there is no such folder"),
        ("run", {"project": "a\0b"}, "there is no such folder"),
        ("recall", {"text": ""}, "at least 1 character"),
        ("recall", {"text": "x", "k": 0}, "k: Input should be greater than or equal to 1"),
        ("recall", {"text": "x", "k": 1.5}, "k: "),
        ("recall", {"text": ["x"]}, "text: Input should be a valid string"),
        ("adopt", {"id": "abcdef"}, "digest: Field required"),
        ("revert", {"id": ""}, "at least 6 characters"),
        ("revert", {"id": "abcdef"}, "digest: Field required"),
    ],
)
def test_wrong_arguments_are_one_line_that_says_what_is_wrong(
    ask: Talk, tool: str, arguments: dict[str, Any], said: str
) -> None:
    """Without repeating what was sent."""
    result = ask(tool, arguments)
    assert result.is_error and said in text(result), text(result)
    assert "\n" not in text(result) and len(text(result)) < 300


def test_broken_settings_are_said_by_the_tools_and_cured_while_the_server_runs(ask: Talk) -> None:
    """It neither dies of them nor has to be started again."""
    file = config.places().config
    file.write_text("[night]\nmax_cals = 3\n")
    broken = ask("status")
    file.write_text(UNASKED)
    assert broken.is_error and "did you mean 'max_calls'?" in text(broken)
    assert not ask("status").is_error


def test_a_damaged_database_is_one_line(ask: Talk, waiting: dict[str, Any]) -> None:
    """As the command says it."""
    config.places().database.write_bytes(b"not a database at all, but long enough to be looked at" * 100)
    result = ask("proposals")
    assert result.is_error and str(config.places().database) in text(result), text(result)
    assert "\n" not in text(result)


def test_what_nobody_expected_is_one_line_and_a_trace_in_the_log(ask: Talk, waiting: dict[str, Any]) -> None:
    """A table that is gone, say. The agent is told where the trace is, not what is in it."""
    in_database("DROP TABLE pairs")
    result = ask("show", {"id": waiting["id"]})
    assert result.is_error and str(config.places().log) in text(result), text(result)
    assert "\n" not in text(result) and "no such table" not in text(result)
    log = config.places().log.read_text()
    assert "tool.failed" in log and "no such table: pairs" in log
