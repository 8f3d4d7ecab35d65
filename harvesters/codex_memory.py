"""What reading a Codex rollout must keep in mind: who drove the session, where it was copied from, what it cost.

All of it fits into a cursor's state, so that a grown rollout can be read on from where it was left.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from harvesters.decode import loads
from harvesters.drafts import compact
from harvesters.jsonl import digest
from harvesters.records import SessionKind, Tokens
from harvesters.values import Counts, integer, mapping, text

MAX_REMEMBERED = 64
_FORMAT = 1
_USAGE_FIELDS = ("input_tokens", "cached_input_tokens", "cache_write_input_tokens", "output_tokens")
_UUID7 = re.compile(r"([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
_PERSON_SOURCES = (None, "user", "cli", "vscode")


@dataclass(slots=True)
class Memory:
    """Everything a continuing reading has to know of the earlier ones."""

    format: int = _FORMAT
    thread: str | None = None
    """The vendor's id of this thread."""
    kind: str = SessionKind.INTERACTIVE.value
    parent: str | None = None
    cwd: str | None = None
    branch: str | None = None
    commit: str | None = None
    mode: str | None = None
    """What the agent may do without asking."""
    version: str | None = None
    title: str | None = None
    started: str | None = None
    model: str | None = None
    models: list[str] = field(default_factory=list)
    bare: bool = False
    """True for the first generation, whose lines have no timestamps and do not say who typed."""
    turn: str | None = None
    """The vendor's id of the running turn."""
    count: int = 0
    """Turns made within the running vendor turn."""
    spoken: bool = False
    """True when the agent said something in the running vendor turn."""
    stream: str = ""
    """The records that prompts are taken from: `event`, `item` or `response`."""
    reply: list[Any] | None = None
    """Id and position of the reply that calls belong to."""
    said: list[str] = field(default_factory=list)
    """Digest of the last reply's text, and the records it was seen in."""
    copied_from: str | None = None
    """The thread whose beginning was copied into this file."""
    copying: bool = False
    """True while the records belong to that copy."""
    begun: bool = False
    """True once a turn was returned: what follows adds to a session."""
    saw_task: bool = False
    """True when the file holds `task_started` records (old clients did not keep them)."""
    first: float | None = None
    """When the first line was written, in epoch seconds."""
    total: list[int] | None = None
    """The last cumulative token count."""
    counted: dict[str, int] = field(default_factory=dict)
    recorded: dict[str, int] = field(default_factory=dict)
    responses: list[str] = field(default_factory=list)
    usage: str = ""
    """The records that the tokens of replies are taken from: `count` or `record`, whichever came first."""
    unplaced: Counts = field(default_factory=list)
    """Tokens of the running exchange, while the agent has neither said nor called anything in it."""
    skills: list[str] = field(default_factory=list)
    calls: dict[str, list[Any]] = field(default_factory=dict)

    def state(self) -> dict[str, str]:
        """This memory as a cursor's state: without the title, since cursors are kept as they are and hold no words."""
        return {"memory": compact(asdict(self) | {"title": None})}

    def tokens(self) -> Tokens:
        """Spent so far. Usage records, where there are any, stand for the cumulative counts beside them."""
        sums = self.recorded or self.counted
        if not sums:
            return Tokens()
        return _tokens_of(sums)

    def introduce(self, meta: Mapping[str, Any]) -> None:
        """Take in the first `session_meta` (or the header line of a bare file)."""
        self.thread = text(meta, "id") or text(meta, "session_id")
        self.kind = kind_of(meta).value
        self.parent = parent_of(meta)
        self.cwd = text(meta, "cwd")
        self.branch = text(mapping(meta, "git"), "branch")
        self.commit = text(mapping(meta, "git"), "commit_hash")
        self.version = text(meta, "cli_version")
        self.started = text(meta, "timestamp")

    def heard(self, words: str, record: str) -> bool:
        """True when `words` is the last reply once more, told by another kind of record."""
        fingerprint = digest(words.encode())
        if self.said and self.said[0] == fingerprint and record not in self.said[1:]:
            self.said.append(record)
            return True
        self.said = [fingerprint, record]
        return False

    def count_tokens(self, info: Mapping[str, Any]) -> Tokens:
        """Take in the `info` of a `token_count`: the cumulative count may stand still, or start again.

        Gives what was used since the last one; nothing stated where replies take their tokens from other records.
        """
        total = mapping(info, "total_token_usage")
        numbers = [integer(total, name) or 0 for name in _USAGE_FIELDS]
        if not total or numbers == self.total:
            return Tokens()
        before, self.total = self.total, numbers
        if self.copying:
            return Tokens()
        last = mapping(info, "last_token_usage")
        if last:
            steps = [integer(last, name) or 0 for name in _USAGE_FIELDS]
        elif before is None or any(now < earlier for earlier, now in zip(before, numbers, strict=True)):
            steps = numbers
        else:
            steps = [now - earlier for earlier, now in zip(before, numbers, strict=True)]
        told = {name: step for name, step in zip(_USAGE_FIELDS, steps, strict=True) if step or name in total}
        for name, step in told.items():
            self.counted[name] = self.counted.get(name, 0) + step
        self.usage = self.usage or "count"
        return _tokens_of(told) if self.usage == "count" else Tokens()

    def record_usage(self, payload: Mapping[str, Any]) -> Tokens:
        """Take in a `token_usage_record`, once for each response; gives what it states, as `count_tokens` does."""
        response, usage = text(payload, "response_id"), mapping(payload, "usage")
        if not usage or self.copying or response in self.responses:
            return Tokens()
        if response is not None:
            self.responses = [*self.responses, response][-MAX_REMEMBERED:]
        told = {name: number for name in _USAGE_FIELDS if (number := integer(usage, name)) is not None}
        for name, number in told.items():
            self.recorded[name] = self.recorded.get(name, 0) + number
        self.usage = self.usage or "record"
        return _tokens_of(told) if self.usage == "record" else Tokens()

    def forget_copy(self) -> None:
        """The records so far were the parent's: what was gathered from them is not this session's."""
        self.counted, self.recorded, self.responses = {}, {}, []
        self.said, self.reply, self.skills, self.calls = [], None, [], {}
        self.stream, self.count, self.spoken = "", 0, False
        self.usage, self.unplaced = "", []


def remembered(state: Mapping[str, str]) -> Memory | None:
    """The memory in a cursor's state; None when it is not one that this version wrote."""
    value = loads(state.get("memory", "").encode())
    if not isinstance(value, dict) or value.get("format") != _FORMAT:
        return None
    known = {item.name for item in fields(Memory)}
    return Memory(**value) if known == set(value) else None


def _tokens_of(sums: Mapping[str, int]) -> Tokens:
    """Sums by their names; the vendor's input includes what was read from and written to the cache."""
    cached, written = sums.get("cached_input_tokens", 0), sums.get("cache_write_input_tokens")
    return Tokens(
        input=max(0, sums.get("input_tokens", 0) - cached - (written or 0)),
        output=sums.get("output_tokens", 0),
        cache_read=cached,
        cache_write=written,
    )


def kind_of(meta: Mapping[str, Any]) -> SessionKind:
    """Who drove a session, by its first `session_meta`."""
    source, originator = meta.get("source"), text(meta, "originator") or ""
    if isinstance(source, dict) and ("subagent" in source or "internal" in source):
        return SessionKind.SUBAGENT
    if source in ("exec", "mcp") or originator == "codex_exec" or originator.startswith("codex_sdk"):
        return SessionKind.HEADLESS
    if text(meta, "thread_source") not in _PERSON_SOURCES:
        return SessionKind.SUBAGENT
    return SessionKind.INTERACTIVE


def parent_of(meta: Mapping[str, Any]) -> str | None:
    """The thread this one was spawned by or forked from."""
    spawn = mapping(mapping(mapping(meta, "source"), "subagent"), "thread_spawn")
    return text(spawn, "parent_thread_id") or text(meta, "parent_thread_id") or text(meta, "forked_from_id")


def is_older(identifier: str | None, other: str | None) -> bool | None:
    """True when one time-ordered id (UUID version 7) was made before another; None when that cannot be told."""
    mine, theirs = _UUID7.fullmatch(identifier or ""), _UUID7.fullmatch(other or "")
    if mine is None or theirs is None:
        return None
    return mine.groups() < theirs.groups()
