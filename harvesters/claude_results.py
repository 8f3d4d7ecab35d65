"""What Claude Code's `toolUseResult` tells of a call beside its text: edits, answers, durations, sub-agents."""

from __future__ import annotations

import re

import msgspec

from harvesters.claude_records import ABSENT, Raw, lenient, starts_with
from harvesters.decode import FAST_FAILURES, loads
from harvesters.patches import Hunk, patch_of
from harvesters.records import Answered, FileAction, FileChange
from harvesters.values import clip

_BOILERPLATE = (
    "The user wants to clarify these questions",
    "The user has indicated they have provided enough answers",
)
"""What the client says in the person's place when the person leaves a questionnaire."""
_QUESTION = re.compile(r'^- "(?P<question>.*)"\n\s+Answer: (?P<answer>.*)$', re.MULTILINE)


class Result(msgspec.Struct, rename="camel", gc=False):
    """The fields that some tool gives. All others are passed over."""

    type: str | None = None
    file_path: str | None = None
    structured_patch: list[Hunk] | None = None
    user_modified: bool | None = None
    plan_was_edited: bool | None = None
    answers: Raw = ABSENT
    agent_id: str | None = None
    total_tokens: int | None = None
    total_duration_ms: int | None = None
    duration_ms: float | None = None
    duration_seconds: float | None = None

    def changes(self, limit: int) -> tuple[FileChange, ...]:
        """The file that an edit changed; () for every other tool."""
        if self.file_path is None or self.structured_patch is None:
            return ()
        action = FileAction.CREATE if self.type == "create" else FileAction.UPDATE
        return (FileChange(path=self.file_path, action=action, patch=patch_of(self.structured_patch, limit)),)

    def duration(self) -> int | None:
        """Milliseconds, where the tool states a duration."""
        if self.total_duration_ms is not None:
            return self.total_duration_ms
        if self.duration_ms is not None:
            return int(self.duration_ms)
        return None if self.duration_seconds is None else int(self.duration_seconds * 1000)


_NOTHING = Result()
_RESULT = msgspec.json.Decoder(Result)


def result_of(raw: Raw) -> Result:
    """The fields of a `toolUseResult`; none of them where it is a text, a list or absent."""
    if raw is ABSENT or not starts_with(raw, b"{"):
        return _NOTHING
    try:
        return _RESULT.decode(raw)
    except FAST_FAILURES:
        value = loads(bytes(raw))
    return lenient(Result, value) if isinstance(value, dict) else _NOTHING


def answers_of(result: Result, words: str | None, limit: int) -> tuple[Answered, ...]:
    """What the person answered, out of the result's fields or out of the `words` beside a denial."""
    if result.answers is not ABSENT:
        stated = loads(bytes(result.answers))
        found = []
        for question, answer in stated.items() if isinstance(stated, dict) else ():
            chosen = answer
            if isinstance(answer, list):
                chosen = ", ".join(one for one in answer if isinstance(one, str))
            if isinstance(chosen, str) and chosen:
                found.append(Answered(question=clip(question, limit), answer=clip(chosen, limit)))
        return tuple(found)
    if words is None or not words.startswith(_BOILERPLATE):
        return ()
    return tuple(Answered(question=m["question"], answer=m["answer"]) for m in _QUESTION.finditer(words))


def own_words(words: str) -> str | None:
    """What the person said with a denial; None where the words are the client's."""
    return None if words.startswith(_BOILERPLATE) else words.strip() or None
