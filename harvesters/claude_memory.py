"""What the reader of Claude Code transcripts remembers of a file between two readings, and what it counts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import msgspec

from harvesters.claude_records import Usage
from harvesters.decode import FAST_FAILURES
from harvesters.records import Tokens
from harvesters.values import Counts, tokens_of

RECENT = 64
"""How many responses at the end of a file may still get more lines."""


class Memory(msgspec.Struct, omit_defaults=True):
    """The bounded part of a reading that the next one needs. Kept as JSON in `Cursor.state`."""

    kind: str | None = None
    parent: str | None = None
    agent: str | None = None
    cwd: str | None = None
    branch: str | None = None
    version: str | None = None
    title: str | None = None
    title_rank: int = 0
    start: datetime | None = None
    end: datetime | None = None
    models: list[str] = []
    skills: list[str] = []
    loading: dict[str, tuple[str, int]] = {}
    """Skill calls without a result yet: call id -> skill name and position."""
    loaded: dict[str, tuple[str, int]] = {}
    """Skill calls with a result, whose text may still follow: call id -> skill name and position."""
    queued: dict[str, str] = {}
    """Prompts typed while the agent worked: the uuid under which one may come again -> turn id."""
    unsettled: bool = False
    """A message was in the queue, or had just left it: whether it stands elsewhere is seen from the whole file only."""
    mode: str | None = None
    asked: dict[str, datetime] = {}
    """Calls without a result yet -> when they were made."""
    places: list[str] = []
    lengths: dict[str, int] = {}
    """Turn id -> length of the text so far, for the last replies."""
    counted: Counts = []
    """Sum of the responses that are done."""
    open: dict[str, Counts] = {}
    """The last responses, which may be stated once more with higher counts."""
    unplaced: dict[str, Counts] = {}
    """Message id -> what its lines stated, while none of them had words or calls."""

    def to_state(self) -> dict[str, str]:
        """The form that a cursor carries: without the title, since cursors are kept as they are and hold no words."""
        return {"memory": msgspec.json.encode(msgspec.structs.replace(self, title=None)).decode()}


def memory_of(state: Mapping[str, str]) -> Memory | None:
    """The memory in a cursor's state; None when there is none or it cannot be read: the file is then read whole."""
    try:
        return msgspec.json.decode(state["memory"], type=Memory)
    except (KeyError, *FAST_FAILURES):
        return None


_NO_TOKENS = Tokens()


class TokenTally:
    """Adds up tokens. A response is stated on several lines: the highest value of each count is the true one."""

    def __init__(self, counted: Counts, still_open: Mapping[str, Counts]) -> None:
        self._counted: Counts = [*counted, None, None, None, None][:4]
        self._open: dict[str, Counts] = {
            key: [*counts, None, None, None, None][:4] for key, counts in still_open.items()
        }

    def count(self, key: str, usage: Usage) -> Tokens:
        """Note what one line says of the response `key`; gives what no line had said of it before."""
        new: Counts = [
            usage.input_tokens,
            usage.output_tokens,
            usage.cache_read_input_tokens,
            usage.cache_creation_input_tokens,
        ]
        old = self._open.pop(key, None)
        if old is None or old == new:
            # Most responses state the same on each of their lines.
            self._open[key] = new
            return tokens_of(new) if old is None else _NO_TOKENS
        stated = ([value for value in pair if value is not None] for pair in zip(old, new, strict=True))
        self._open[key] = [max(values, default=None) for values in stated]
        return tokens_of(
            [
                None if now is None or now == before else now - (before or 0)
                for before, now in zip(old, self._open[key], strict=True)
            ]
        )

    def total(self) -> Tokens:
        """Everything counted so far."""
        return tokens_of(self._sum(list(self._open.values())))

    def split(self) -> tuple[Counts, dict[str, Counts]]:
        """The sum of the older responses, and the last ones by key."""
        keys = list(self._open)
        done = [self._open[key] for key in keys[:-RECENT]]
        return self._sum(done), {key: self._open[key] for key in keys[-RECENT:]}

    def _sum(self, groups: list[Counts]) -> Counts:
        columns = zip(self._counted, *groups, strict=True)
        stated = ([value for value in column if value is not None] for column in columns)
        return [sum(values) if values else None for values in stated]
