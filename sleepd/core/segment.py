"""Cut a session into tasks, and say which answers the user kept.

What counts as rejection is what people and agents did, not which English words they used:

- the agent did the same thing again after the user spoke: the new answer resembles the old one, or is a rewording that
  still holds what only the request named; and the user's words do not resemble the request, so that it is a correction
  and not the next piece of recurring work
- the user denied a tool call, interrupted, rewound, edited the proposal or voted it down
- a tool that ran right after the answer failed, and the agent answered again

An answer that stands when the user moves on is accepted.

A plan that the client hands over is cut off as work of its own, but gives no task: its words are the agent's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from harvesters.records import Origin, Role, SkillUse, ToolCall, ToolStatus, Turn
from sleepd.core.model import AnswerOutcome, Attempt, EvidenceKind, SessionId, Task, TaskId, digest
from sleepd.core.ngrams import similarity
from sleepd.core.tools import SHELLS

# Cosines of character n-grams. Two tries at one answer share most of their text; two requests of one recurring kind
# share their frame (about 0.5 to 0.8) but a request repeated with an addition shares nearly everything.
_SAME_ANSWER = 0.5
_REWORDED = 0.3
_OTHER_REQUEST = 0.45
_REPEATED_REQUEST = 0.9
_CONTEXT_LIMIT = 4_000
_RESULT_LIMIT = 800
_COMPARED = 4_000
_LEAST_ANSWER = 20
_LEAST_NAMED = 2
_KEPT_SHARE = 0.6
_LONG_WORD = 4
_WRITES = ("write", "edit", "create", "apply_patch", "str_replace", "multiedit")
_WRITTEN_KEYS = ('"content"', '"new_string"', '"file_text"', '"new_str"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """A session as stored: only interactive ones hold the user's own words."""

    id: SessionId
    agent: str
    project: str
    turns: Sequence[Turn]
    skills: Sequence[SkillUse] = ()
    votes: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class _Exchange:
    """A prompt with everything until the next one."""

    prompt: Turn
    turns: list[Turn] = field(default_factory=list)

    @property
    def calls(self) -> list[ToolCall]:
        return [call for turn in self.turns for call in turn.tool_calls]


def segment(transcript: Transcript) -> tuple[Task, ...]:
    """The session's tasks in order. A task without a single answer is left out."""
    exchanges: list[_Exchange] = []
    for turn in transcript.turns:
        if turn.role is Role.USER and turn.origin in (Origin.PROMPT, Origin.PLAN):
            exchanges.append(_Exchange(prompt=turn))
        elif exchanges:
            exchanges[-1].turns.append(turn)
    tasks = []
    start = 0
    while start < len(exchanges):
        end = start + 1
        while end < len(exchanges) and _corrects(exchanges[start], exchanges[end - 1], exchanges[end]):
            end += 1
        task = _task(transcript, exchanges[start:end], exchanges[start - 1] if start else None)
        if task is not None:
            tasks.append(task)
        start = end
    return tuple(tasks)


def _corrects(first: _Exchange, before: _Exchange, after: _Exchange) -> bool:
    """Whether the user's next words are about the answer just given and not new work."""
    if Origin.PLAN in (first.prompt.origin, after.prompt.origin):
        return False
    old, new = _answer(before.turns), _answer(after.turns)
    if not old or not new:
        return False
    to_request = similarity(_cut(first.prompt.text), _cut(after.prompt.text))
    if to_request >= _REPEATED_REQUEST:
        return True
    alike = similarity(_cut(old), _cut(new))
    redone = alike >= _SAME_ANSWER
    if _REWORDED <= alike < _SAME_ANSWER:
        # The new answer may hold on to what the request named, although the user did not name it again.
        named = (_names(first.prompt.text) & _names(old)) - _names(after.prompt.text)
        redone = len(named) >= _LEAST_NAMED and len(named & _names(new)) >= _KEPT_SHARE * len(named)
    stopped = any(t.origin is Origin.INTERRUPT or t.abandoned for t in before.turns) or any(
        c.status is ToolStatus.DENIED for c in before.calls
    )
    return redone and (to_request < _OTHER_REQUEST or stopped)


def _names(text: str) -> set[str]:
    """The words long enough, or with digits enough, to name something."""
    words = re.findall(r"\w+", _cut(text).casefold())
    return {w for w in words if len(w) >= _LONG_WORD or w[-1].isdigit()}


def _task(transcript: Transcript, chain: Sequence[_Exchange], before: _Exchange | None) -> Task | None:
    first = chain[0]
    if first.prompt.origin is Origin.PLAN or first.prompt.at is None or not first.prompt.text.strip():
        return None
    attempts: list[Attempt] = []
    for exchange, following in zip(chain, [*chain[1:], None], strict=True):
        tries = _tries(exchange)
        if tries:
            attempts += tries[:-1]
            attempts.append(_close(tries[-1], exchange, following, transcript.votes))
    if not attempts:
        return None
    # What a fresh agent needs to know: the previous exchange and what tools returned before the answer.
    parts = []
    if before is not None:
        parts += [f"Earlier request: {before.prompt.text}", f"Earlier answer: {_answer(before.turns)}"]
    for turn in first.turns:
        for call in turn.tool_calls:
            if call.output and call.name.casefold() not in _WRITES:
                parts.append(f"{call.name} {call.input[:_RESULT_LIMIT]}\n{call.output[:_RESULT_LIMIT]}")
        if len(_answer([turn])) >= _LEAST_ANSWER:
            break
    # The skill that the turns name, else the last one that was loaded by then.
    end = first.turns[-1].position if first.turns else first.prompt.position
    loaded = [u.name for u in transcript.skills if u.position <= end]
    skills = [t.skill for t in first.turns if t.skill] or loaded
    return Task(
        id=TaskId(digest(transcript.agent, first.prompt.id)),
        session_id=transcript.id,
        project=first.prompt.cwd or transcript.project,
        at=first.prompt.at,
        request=first.prompt.text,
        context="\n\n".join(p[:_RESULT_LIMIT] for p in parts)[:_CONTEXT_LIMIT],
        attempts=tuple(attempts),
        skill=skills[-1] if skills else None,
    )


def _tries(exchange: _Exchange) -> list[Attempt]:
    """The answers within one exchange: all but the last were given up because a tool that checked them failed."""
    tries: list[Attempt] = []
    for turns in _until_each_answer(exchange.turns):
        answer = _answer(turns)
        # The last call that ran a command on the answer, if it has a result.
        calls = [c for t in turns for c in t.tool_calls if c.status in (ToolStatus.OK, ToolStatus.ERROR)]
        ran = [
            c for c in calls if c.exit_code is not None or c.status is ToolStatus.ERROR or (c.name.casefold() in SHELLS)
        ]
        verdict = ran[-1] if ran else None
        kind = EvidenceKind.TOOL_PASSED if verdict and verdict.status is ToolStatus.OK else EvidenceKind.TOOL_FAILED
        tries.append(
            Attempt(
                answer=answer,
                outcome=AnswerOutcome.UNKNOWN,
                evidence=(kind,) if verdict else (),
                tool_output=verdict.output if verdict else None,
            )
        )
    # Keep the failed tries that the next one redid, marked as rejected, and the last try.
    kept = []
    for one, following in pairwise(tries):
        failed = EvidenceKind.TOOL_FAILED in one.evidence
        if failed and similarity(_cut(one.answer), _cut(following.answer)) >= _SAME_ANSWER:
            kept.append(replace(one, outcome=AnswerOutcome.REJECTED))
    return [*kept, *tries[-1:]]


def _until_each_answer(turns: Sequence[Turn]) -> Iterator[list[Turn]]:
    """Cut an exchange before each reply that is an answer of its own; the last piece holds the last answer."""
    piece: list[Turn] = []
    answered = False
    for turn in turns:
        is_answer = len(_answer([turn])) >= _LEAST_ANSWER
        if answered and is_answer and any(t.tool_calls for t in piece):
            yield piece
            piece, answered = [], False
        piece.append(turn)
        answered = answered or is_answer
    if answered or _answer(piece):
        yield piece


def _close(attempt: Attempt, exchange: _Exchange, following: _Exchange | None, votes: dict[str, int]) -> Attempt:
    """Decide an exchange's last answer by what came after it."""
    against: list[EvidenceKind] = []
    if any(c.status is ToolStatus.DENIED for c in exchange.calls):
        against.append(EvidenceKind.DENIED)
    if any(c.feedback == "user-modified" for c in exchange.calls):
        against.append(EvidenceKind.USER_EDITED)
    if any(t.origin is Origin.INTERRUPT for t in exchange.turns):
        against.append(EvidenceKind.INTERRUPTED)
    if exchange.prompt.abandoned or any(t.abandoned for t in exchange.turns):
        against.append(EvidenceKind.REWOUND)
    if any(votes.get(t.id, 0) < 0 for t in exchange.turns):
        against.append(EvidenceKind.VOTED)
    if following is not None:
        evidence = (*attempt.evidence, *against, EvidenceKind.REDONE)
        return replace(attempt, outcome=AnswerOutcome.REJECTED, evidence=evidence, reaction=following.prompt.text)
    if against or EvidenceKind.TOOL_FAILED in attempt.evidence:
        rejected = any(k is not EvidenceKind.INTERRUPTED for k in against)
        outcome = AnswerOutcome.REJECTED if rejected else AnswerOutcome.UNKNOWN
        said = [c.feedback for c in exchange.calls if c.feedback and c.feedback != "user-modified"]
        return replace(
            attempt, outcome=outcome, evidence=(*attempt.evidence, *against), reaction="\n".join(said) or None
        )
    committed = any(c.status is ToolStatus.OK and "git commit" in c.input for c in exchange.calls)
    kept = EvidenceKind.COMMITTED if committed else EvidenceKind.MOVED_ON
    return replace(attempt, outcome=AnswerOutcome.ACCEPTED, evidence=(*attempt.evidence, kept))


def _answer(turns: Iterable[Turn]) -> str:
    """What was produced: the last reply's words, or what was written to files when there are hardly any words."""
    replies = [t for t in turns if t.origin is Origin.REPLY]
    texts = [t.text.strip() for t in replies if t.text.strip()]
    if texts and len(texts[-1]) >= _LEAST_ANSWER:
        return texts[-1]
    written = [c.input for t in replies for c in t.tool_calls if c.name.casefold() in _WRITES]
    kept = [w for w in written if any(key in w for key in _WRITTEN_KEYS) or w.startswith("***")]
    return "\n".join(kept) or (texts[-1] if texts else "")


def _cut(text: str) -> str:
    return text[:_COMPARED]
