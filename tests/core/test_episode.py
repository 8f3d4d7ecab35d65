"""Episodes: each thing the person said, with all that the agent did until the next one."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from harvesters.records import FileAction, FileChange, Origin, Role, Tokens, ToolCall, ToolStatus, Turn
from sleepd.core.episode import Source, episodes
from sleepd.core.model import SessionId
from sleepd.core.segment import Transcript

START = datetime(2026, 3, 1, 9, tzinfo=UTC)


def said(text: str, n: int, *, origin: Origin = Origin.PROMPT, queued: bool = False) -> Turn:
    return Turn(
        id=f"u{n}", position=n, role=Role.USER, origin=origin, text=text, at=START + timedelta(minutes=n), queued=queued
    )


def reply(text: str, n: int, *calls: ToolCall) -> Turn:
    return Turn(
        id=f"a{n}",
        position=n,
        role=Role.ASSISTANT,
        origin=Origin.REPLY,
        text=text,
        at=START + timedelta(minutes=n),
        tool_calls=calls,
    )


def shell(line: str, **more: object) -> ToolCall:
    given = {"status": ToolStatus.OK, "output": "", **more}
    return ToolCall(id=f"c-{line}", name="Bash", input=json.dumps({"command": line}), **given)  # type: ignore[arg-type]


def cut(*turns: Turn) -> tuple[Source, ...]:
    return tuple(episode.source for episode in read(*turns))


def read(*turns: Turn):  # type: ignore[no-untyped-def]
    return episodes(Transcript(id=SessionId("claude-code:s"), agent="claude-code", project="/home/me/p", turns=turns))


def test_a_prompt_takes_all_that_the_agent_did_until_the_next() -> None:
    """Calls in order, the first and the last words, and the minutes in between."""
    first, second = read(
        said("Build it", 0), reply("I look.", 1, shell("ls")), reply("Built.", 5, shell("make")), said("Thanks", 6)
    )
    assert ["ls", "make"] == [call.command for call in first.calls]
    assert ("I look.", "Built.", 5.0) == (first.opening, first.answer, first.minutes)
    assert ("u6", (), None) == (second.turn, second.calls, second.minutes)


def test_an_episode_holds_the_tokens_of_its_replies() -> None:
    """A count that no reply states is unknown; the calls of a reply share what the model read anew and wrote."""
    one = replace(reply("I look.", 1, shell("ls"), shell("make")), tokens=Tokens(input=10, output=30, cache_read=500))
    other = replace(reply("Built.", 2), tokens=Tokens(output=5))
    (episode,) = read(said("Build it", 0), one, other)
    assert Tokens(input=10, output=35, cache_read=500) == episode.tokens
    assert (45, [20, 20]) == (episode.tokens.fresh, [call.tokens for call in episode.calls])


def test_tokens_that_no_transcript_states_are_unknown() -> None:
    (episode,) = read(said("Build it", 0), reply("I look.", 1, shell("ls")))
    assert (None, None) == (episode.tokens.fresh, episode.calls[0].tokens)


def test_the_words_of_a_denial_are_a_turn_of_their_own() -> None:
    """Named by the line that holds them; the refused call belongs to the work before."""
    refused = shell("make slow", status=ToolStatus.DENIED, feedback="too slow", result_id="line-7")
    before, denial = read(
        said("Build it", 0), reply("", 1, refused), reply("Then the fast one.", 2, shell("make fast"))
    )
    assert (Source.DENIAL, "line-7", "too slow") == (denial.source, denial.turn, denial.text)
    assert denial.denied is not None and "make slow" == denial.denied.command
    assert (["make slow"], ["make fast"]) == ([c.command for c in before.calls], [c.command for c in denial.calls])


def test_a_denial_without_words_opens_nothing() -> None:
    """So does the marker of a proposal that the person edited."""
    silent = shell("make slow", status=ToolStatus.DENIED)
    edited = shell("make", feedback="user-modified")
    assert 1 == len(read(said("Build it", 0), reply("", 1, silent, edited)))


def test_texts_that_are_not_the_persons_are_marked() -> None:
    """Plans handed over, hooks and bare commands open an episode; reminders do not."""
    sources = cut(
        said("Build it", 0),
        said("also this", 1, queued=True),
        said("Implement the plan", 2, origin=Origin.PLAN),
        said("stopped by hook", 3, origin=Origin.HOOK),
        said("/clear", 4, origin=Origin.COMMAND),
        said("a reminder", 5, origin=Origin.INJECTED),
    )
    assert (Source.PROMPT, Source.QUEUED, Source.PLAN, Source.HOOK, Source.COMMAND) == sources
    assert [True, True, False, False, False] == [source.own for source in sources]


def test_an_edit_has_its_lines_and_a_path_within_the_project() -> None:
    """From the call's arguments, or from the patch where the transcript holds one."""
    given = {"file_path": "/home/me/p/a.py", "old_string": "one\n  two", "new_string": "one\n  three"}
    edit = ToolCall(id="e", name="Edit", input=json.dumps(given), output="", status=ToolStatus.OK)
    change = FileChange(path="/home/me/p/b.py", action=FileAction.UPDATE, patch="@@ -1 +1 @@\n-old\n+ new\n")
    patched = ToolCall(id="p", name="apply_patch", input="***", output="", status=ToolStatus.OK, changes=(change,))
    (episode,) = read(said("Change it", 0), reply("", 1, edit, patched))
    assert [("a.py", ("three",), ("two",)), ("b.py", ("new",), ("old",))] == [
        (e.path, e.added, e.removed) for e in episode.edits
    ]


def test_an_edit_that_failed_changed_nothing() -> None:
    """Its path is still known."""
    given = json.dumps({"file_path": "/home/me/p/a.py", "old_string": "x", "new_string": "y"})
    edit = ToolCall(id="e", name="Edit", input=given, output="not found", status=ToolStatus.ERROR)
    (episode,) = read(said("Change it", 0), reply("", 1, edit))
    assert ((), ("a.py",), True) == (episode.edits, episode.calls[0].paths, episode.calls[0].failed)


def test_a_shell_line_is_read_in_each_agents_form() -> None:
    """A string, a list behind `bash -lc`, and arguments that were clipped in the middle."""
    forms = ['{"command": "make"}', '{"command": ["bash", "-lc", "make"]}', '{"cmd": "make"}', "make"]
    calls = [
        ToolCall(id=str(n), name="shell", input=form, output="", status=ToolStatus.OK) for n, form in enumerate(forms)
    ]
    (episode,) = read(said("Build it", 0), reply("", 1, *calls))
    assert ["make"] * 4 == [call.command for call in episode.calls]


def test_an_interruption_belongs_to_what_it_stopped() -> None:
    """And opens nothing."""
    first, second = read(
        said("Build it", 0), reply("I", 1), said("[stopped]", 2, origin=Origin.INTERRUPT), said("No, test it", 3)
    )
    assert (True, False) == (first.interrupted, second.interrupted)


def test_a_question_left_open_over_night_costs_no_night() -> None:
    """A wait counts for at most ten minutes."""
    (episode,) = read(said("Build it", 0), reply("Shall I?", 2), reply("Done.", 600))
    assert 12.0 == episode.minutes
