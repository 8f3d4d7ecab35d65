"""Whose words the stored texts are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harvesters.records import Answered, Origin, Role, SessionKind, ToolStatus, Turn
from sleepd.store.database import Database
from sleepd.store.voices import Voice, VoiceCount, voices
from tests.store.test_rows import call, file, save, turn


def user(n: int, origin: Origin, text: str, *, queued: bool = False) -> Turn:
    return replace(turn(n, text), role=Role.USER, origin=origin, queued=queued)


def counted(database: Database) -> dict[Voice, tuple[int, int]]:
    with database.reading() as connection:
        return {one.voice: (one.texts, one.characters) for one in voices(connection)}


def test_every_text_is_counted_by_where_it_came_from(database: Database) -> None:
    """Turns by origin, and what was said at calls: with a denial, without words, as an answer."""
    no = ToolStatus.DENIED
    calls = (
        call("c1", status=no, feedback="not so"),
        call("c2", status=no),
        call("c3", status=ToolStatus.OK, feedback="user-modified"),
        call("c4", answers=(Answered(question="a", answer="b"), Answered(question="c", answer="d"))),
    )
    said = [
        user(0, Origin.PROMPT, "1234"),
        user(1, Origin.PROMPT, "12", queued=True),
        *(user(n, origin, "123") for n, origin in enumerate((Origin.PLAN, Origin.HOOK, Origin.INJECTED), 2)),
        *(user(n, origin, "12345") for n, origin in enumerate((Origin.COMMAND, Origin.SHELL, Origin.INTERRUPT), 5)),
        turn(8, "reply", *calls),
    ]
    save(database, file(*said))
    assert {
        Voice.TYPED: (1, 4),
        Voice.QUEUED: (1, 2),
        Voice.COMMAND: (1, 5),
        Voice.SHELL: (1, 5),
        Voice.INTERRUPT: (1, 5),
        Voice.DENIAL_WORDS: (1, 6),
        Voice.DENIAL_WITHOUT_WORDS: (1, 0),
        Voice.EDITED: (1, 0),
        Voice.ANSWERED: (2, 24),
        Voice.PLAN: (1, 3),
        Voice.HOOK: (1, 3),
        Voice.INJECTED: (1, 3),
        Voice.REPLY: (1, 5),
    } == counted(database)


@pytest.mark.parametrize(
    ("kind", "voice"), [(SessionKind.HEADLESS, Voice.SCRIPT), (SessionKind.SUBAGENT, Voice.SUBAGENT)]
)
def test_prompts_that_nobody_typed_are_no_persons(database: Database, kind: SessionKind, voice: Voice) -> None:
    """A script's and another agent's prompts are counted apart."""
    save(database, replace(file(user(0, Origin.PROMPT, "go")), kind=kind.value))
    with database.reading() as connection:
        expected = VoiceCount(agent="claude-code", voice=voice, texts=1, characters=2)
        assert ((expected,), False) == (voices(connection), expected.by_a_person)
