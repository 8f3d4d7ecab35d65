"""Trace the words of a text to who said them in the sessions that taught it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from harvesters.records import Origin, ToolStatus
from sleepd.core import provenance
from sleepd.core.aggregate import Backed
from sleepd.core.model import Digest, Edit, SessionId, Task
from sleepd.core.tools import ASKS_THE_PERSON
from sleepd.pipeline.work import Work
from sleepd.store import sessions as stored
from sleepd.store.database import Database

_THE_USERS = frozenset({Origin.PROMPT, Origin.COMMAND, Origin.SHELL})


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceTexts:
    """The texts of some sessions by where they came from. What else the agent said belongs to neither side."""

    returned: tuple[str, ...]
    """What tools returned, and what the client put into the conversation by itself: files, pages, output of hooks."""
    own: tuple[str, ...]
    """What the user said, the answers the user kept, and the text that stands in the file."""
    said: tuple[str, ...]
    """Of these what the user put into words: prompts, refusals, answers to questions; and the lines of the file."""
    turns: tuple[str, ...]
    """`said` without the lines of the file."""
    objections: tuple[str, ...]
    """Of the turns the reactions to answers and the words of refusals: what may be a rule as it was said."""


def source_texts(database: Database, work: Work, sessions: Sequence[str], present: str) -> SourceTexts:
    """What was said in these sessions; `present` is the text in the file. Sessions that are gone are left out."""
    taught = frozenset(sessions)
    tasks = [s.task for s in work.tasks if s.task.session_id in taught]
    returned = [attempt.tool_output or "" for task in tasks for attempt in task.attempts]
    turns = [text for task in tasks for text in _said(task)]
    objections = [attempt.reaction for task in tasks for attempt in task.rejected if attempt.reaction]
    own = [present, *(task.accepted.answer for task in tasks if task.accepted is not None)]
    with database.reading() as connection:
        for id_ in stored.known(connection, [SessionId(s) for s in sessions]):
            for turn in stored.transcript(connection, id_).turns:
                if turn.origin in (Origin.INJECTED, Origin.HOOK):
                    returned.append(turn.text)
                returned.extend(call.output for call in turn.tool_calls if call.output)
                if turn.origin in _THE_USERS:
                    turns.append(turn.text)
                for call in turn.tool_calls:
                    turns.append(call.feedback or "")
                    objections += [call.feedback] if call.feedback and call.status is ToolStatus.DENIED else []
                    turns.extend(answered.answer for answered in call.answers)
                    turns.append((call.output or "") if call.name.casefold() in ASKS_THE_PERSON else "")
    said = (*present.splitlines(), *turns)
    return SourceTexts(
        returned=tuple(returned), own=(*own, *said), said=said, turns=tuple(turns), objections=tuple(objections)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class EditSources:
    """Whose words some edits are. An edit may be neither, and both where a tool repeated the user's words."""

    foreign: frozenset[Edit]
    """They would write what stems from a tool and not from the user."""
    stated: frozenset[Edit]
    """The user put each of their lines into words, in a turn of the sessions that taught them."""
    verbatim: Mapping[Digest, str]
    """Id of a stated edit of one line -> the user's exact words for the line, where one turn holds them."""


def edit_sources(database: Database, work: Work, backed: Sequence[Backed], present: str) -> EditSources:
    """Whose words these edits of the text `present` are."""
    sessions = tuple(dict.fromkeys(session for b in backed for session in b.sessions))
    edits = [b.edit for b in backed]
    heard = source_texts(database, work, sessions, present)
    added = "\n".join(" ".join(e.text.split()) for e in edits)
    found = provenance.taken_over(added, heard.returned, heard.own)
    stated = frozenset(e for e in edits if e.text.strip() and not provenance.unsaid(e.text, heard.turns))
    single = [e for e in edits if e in stated and "\n" not in e.text.strip()]
    return EditSources(
        foreign=frozenset(edits[line] for passage in found for line in passage.lines),
        stated=stated,
        verbatim={e.id: said for e in single if (said := provenance.verbatim(e.text, heard.objections)) is not None},
    )


def _said(task: Task) -> Iterator[str]:
    yield task.request
    yield from (attempt.reaction or "" for attempt in task.attempts)
