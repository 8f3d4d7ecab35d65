"""Whose words a Claude Code transcript holds: typed, queued, said with a denial, or put there by the client."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harvesters.claude_code import ClaudeCode
from harvesters.records import Answered, Origin, Role, Session, ToolStatus, Turn
from tests.harvesters.merging import merged_turns
from tests.harvesters.talk import SESSION, Talk, call

ToSession = Callable[..., Session]
DENIED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file). "
)
SAID = DENIED + "To tell you how to proceed, the user said:\n"
LEFT = (
    "The user wants to clarify these questions.\n    This means they may have additional information, context or "
    "questions for you.\n    Start by asking them what they would like to clarify.\n\n    Questions asked:\n"
)


def queue(talk: Talk, operation: str, content: str | None = None) -> None:
    more = {} if content is None else {"content": content}
    number = len(talk.lines)
    at = f"2026-05-01T09:00:{number:02}.000Z"
    talk.raw({"type": "queue-operation", "operation": operation, "timestamp": at, "sessionId": SESSION, **more})


def people(session: Session) -> list[tuple[Origin, str, bool]]:
    """What the user's side says: origin, text, typed while the agent worked."""
    return [(turn.origin, turn.text, turn.queued) for turn in session.turns if turn.role is Role.USER]


def working() -> Talk:
    talk = Talk(version="2.1.39")
    talk.prompt("Go.")
    talk.reply("m1", "On it.", call("t1", "Bash", command="make"))
    return talk


def test_a_message_that_left_the_queue_in_the_middle_of_a_turn_is_a_turn_of_its_own(session: ToSession) -> None:
    """It stands where it left the queue, with the time at which it was typed."""
    talk = working()
    queue(talk, "enqueue", "Only the unit tests.")
    talk.result("t1", "ok")
    queue(talk, "remove")
    talk.reply("m2", "Only those, then.")
    turns = session(talk).turns
    assert [(Origin.PROMPT, "Go.", False), (Origin.PROMPT, "Only the unit tests.", True)] == people(session(talk))
    assert ["Go.", "On it.", "Only the unit tests.", "Only those, then."] == [turn.text for turn in turns]
    assert 2 == turns[2].at.second if turns[2].at else None


def _then_a_prompt(talk: Talk) -> None:
    queue(talk, "dequeue")
    talk.prompt("Only the unit tests.")


def _then_an_attachment(talk: Talk) -> None:
    queue(talk, "remove")
    prompt = {"type": "queued_command", "prompt": "Only the unit tests.", "commandMode": "prompt"}
    talk.line("attachment", attachment=prompt)


def _then_taken_back_and_sent(talk: Talk) -> None:
    queue(talk, "popAll")
    talk.reply("m2", "Done.")
    talk.prompt("Only the unit tests.\nAnd be quick.")


def _then_a_late_attachment(talk: Talk) -> None:
    queue(talk, "remove")
    for number in range(12):
        talk.reply(f"m{number + 2}", "Working.")
    talk.line("attachment", attachment={"type": "queued_command", "prompt": "Only the unit tests."})


@pytest.mark.parametrize(
    "follow", [_then_a_prompt, _then_an_attachment, _then_taken_back_and_sent, _then_a_late_attachment]
)
def test_a_queued_message_that_comes_again_is_one_turn(session: ToSession, follow: Callable[[Talk], None]) -> None:
    """As a prompt, as an attachment, or sent once more by the person: it is told once, and as queued."""
    talk = working()
    queue(talk, "enqueue", "Only the unit tests.")
    follow(talk)
    talk.reply("end", "Only those, then.")
    found = [(text.split("\n")[0], queued) for _, text, queued in people(session(talk))]
    assert [("Go.", False), ("Only the unit tests.", True)] == found


def test_the_same_words_on_another_day_are_a_new_turn(session: ToSession) -> None:
    """A message that was told already does not swallow a later prompt of the same words."""
    talk = working()
    queue(talk, "enqueue", "commit")
    queue(talk, "remove")
    talk.reply("m2", "Committed.")
    talk.prompt("Now the other half.")
    talk.reply("m3", "Done.")
    talk.prompt("commit")
    assert ["Go.", "commit", "Now the other half.", "commit"] == [text for _, text, _ in people(session(talk))]


@pytest.mark.parametrize(
    "content", ["<task-notification>\n<task-id>b1</task-id></task-notification>", '{"task_id":"b1","status":"done"}']
)
def test_what_the_client_queues_is_nobodys_words(session: ToSession, content: str) -> None:
    """Notices of background tasks go through the same queue."""
    talk = working()
    queue(talk, "enqueue", content)
    queue(talk, "remove")
    assert [(Origin.PROMPT, "Go.", False)] == people(session(talk))


def test_a_message_still_in_the_queue_is_not_said_yet(session: ToSession) -> None:
    """The agent has not seen it; the person may take it back."""
    talk = working()
    queue(talk, "enqueue", "Wait.")
    assert [(Origin.PROMPT, "Go.", False)] == people(session(talk))


def test_a_setting_typed_while_the_agent_works_is_a_command(session: ToSession) -> None:
    """`/model` in the queue is a command as it is elsewhere."""
    talk = working()
    queue(talk, "enqueue", "/model")
    queue(talk, "remove")
    assert (Origin.COMMAND, "/model", True) == people(session(talk))[-1]


@pytest.mark.parametrize(
    "follow", [_then_a_prompt, _then_an_attachment, _then_taken_back_and_sent, lambda talk: queue(talk, "remove")]
)
def test_a_queue_read_in_two_pieces_gives_what_it_gives_whole(tmp_path: Path, follow: Callable[[Talk], None]) -> None:
    """Wherever the first reading ends, no queued message is lost or told twice."""
    talk = working()
    queue(talk, "enqueue", "Only the unit tests.")
    follow(talk)
    talk.reply("end", "Only those, then.")
    talk.prompt("Next.")
    path = tmp_path / f"{SESSION}.jsonl"
    path.write_bytes(talk.data())
    whole = merged_turns([ClaudeCode().read(path)])
    assert ["Go.", "Only the unit tests.", "Next."] == [
        turn.text.split("\n")[0] for turn in whole if turn.role is Role.USER
    ]
    assert [] == [cut for cut in range(1, len(talk.lines)) if whole != _in_two(tmp_path / f"{cut}", talk.lines, cut)]


def _in_two(folder: Path, lines: list[bytes], cut: int) -> tuple[Turn, ...]:
    folder.mkdir()
    path = folder / f"{SESSION}.jsonl"
    path.write_bytes(b"".join(lines[:cut]))
    first = ClaudeCode().read(path)
    with path.open("ab") as file:
        file.write(b"".join(lines[cut:]))
    return merged_turns([first, ClaudeCode().read(path, first.cursor)])


PLAN = "Implement the following plan:\n\n# Rename the module"


@pytest.mark.parametrize("fields", [{"planContent": "# Rename the module"}, {}], ids=["2.1.39", "2.1.12"])
def test_a_plan_that_the_client_hands_over_is_not_the_persons_words(session: ToSession, fields: dict[str, Any]) -> None:
    """Newer versions mark it, older ones have the first line only."""
    talk = Talk()
    talk.prompt(PLAN, **fields)
    assert [(Origin.PLAN, PLAN, False)] == people(session(talk))


@pytest.mark.parametrize("text", ["Operation stopped by hook: another session is active", "Stop hook feedback:\ntest"])
def test_what_a_hook_says_is_not_the_persons_words(session: ToSession, text: str) -> None:
    """Output of hooks has an origin of its own, marked as added by the client or not."""
    talk = Talk()
    talk.prompt("Go.")
    talk.prompt(text)
    talk.prompt(text, isMeta=True)
    assert [Origin.PROMPT, Origin.HOOK, Origin.HOOK] == [origin for origin, _, _ in people(session(talk))]


def test_words_beside_a_denial_are_feedback_and_the_clients_own_are_not(session: ToSession) -> None:
    """Of a questionnaire that the person left, the answers given so far are kept and the client's sentences are not."""
    talk = Talk()
    talk.prompt("Go.")
    for number in range(3):
        talk.reply(f"m{number}", call(f"t{number}", "AskUserQuestion"))
    talk.result("t0", SAID + "too slow.\n\nNote: The user's next message may contain a correction", is_error=True)
    questions = '- "Which name?"\n  Answer: shop\n- "Which day?"\n  (No answer provided)'
    talk.result("t1", SAID + LEFT + questions, is_error=True)
    talk.result("t2", DENIED + "STOP what you are doing and wait for the user to tell you how.", is_error=True)
    found = [one for turn in session(talk).turns for one in turn.tool_calls]
    assert [("too slow.", ()), (None, (Answered(question="Which name?", answer="shop"),)), (None, ())] == [
        (one.feedback, one.answers) for one in found
    ]


def test_a_denial_whose_call_stands_in_another_file_is_kept(session: ToSession) -> None:
    """The first line after a cleared context can be a refusal: it is a call without a name, known by its id."""
    talk = Talk()
    line = talk.result("t9", SAID + "not yet", is_error=True)
    talk.prompt(PLAN)
    first = session(talk).turns[0]
    kept = first.tool_calls[0]
    assert (Role.ASSISTANT, "t9", "", ToolStatus.DENIED, "not yet", line) == (
        first.role,
        kept.id,
        kept.name,
        kept.status,
        kept.feedback,
        kept.result_id,
    )
