"""Which skills a Claude Code session loaded, and what the session is called."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

from harvesters.claude_drafts import last_segment
from harvesters.claude_memory import RECENT, Memory
from harvesters.claude_prompts import skill_directory
from harvesters.claude_records import Block, Record
from harvesters.decode import loads
from harvesters.records import SkillTrigger, SkillUse
from harvesters.values import text

_TITLE_RANK = {"summary": 1, "ai-title": 2, "custom-title": 3}


class Skills:
    """The skills loaded in one reading."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._uses: list[SkillUse] = []
        self._of_call: dict[str, int] = {}

    def uses(self) -> tuple[SkillUse, ...]:
        """By position."""
        return tuple(sorted(self._uses, key=lambda use: use.position))

    def asked(self, call_id: str, block: Block, position: int) -> None:
        """The agent asks for a skill; it is loaded once the call succeeds."""
        arguments = loads(bytes(block.input))
        name = text(arguments, "skill") or text(arguments, "command")
        if name:
            self._memory.loading[call_id] = (last_segment(name.split()[0]), position)

    def answered(self, call_id: str, *, loaded: bool) -> None:
        """A call has its result, which may be that of a skill's."""
        loading = self._memory.loading.pop(call_id, None)
        if loading is not None and loaded:
            self._of_call[call_id] = len(self._uses)
            self._memory.loaded = dict([*self._memory.loaded.items(), (call_id, loading)][-RECENT:])
            self._use(SkillUse(name=loading[0], trigger=SkillTrigger.AGENT, position=loading[1]))

    def body(self, record: Record, words: str, position: int) -> None:
        """A line that the client added may hold the text of a skill, with its folder."""
        directory = skill_directory(words)
        if directory is None:
            return
        if record.source_tool_use_id is None:
            name = last_segment(directory)
            self._use(SkillUse(name=name, path=directory, trigger=SkillTrigger.USER, position=position))
            return
        index = self._of_call.get(record.source_tool_use_id)
        if index is not None:
            self._uses[index] = replace(self._uses[index], path=directory)
        elif record.source_tool_use_id in self._memory.loaded:
            name, at = self._memory.loaded[record.source_tool_use_id]
            self._uses.append(SkillUse(name=name, path=directory, trigger=SkillTrigger.AGENT, position=at))

    def attribute(self, qualified: str, position: int) -> None:
        """The client says that a reply was driven by a skill."""
        name = last_segment(qualified)
        if name not in self._memory.skills:
            self._use(SkillUse(name=name, trigger=SkillTrigger.CONTEXT, position=position))

    def _use(self, use: SkillUse) -> None:
        self._uses.append(use)
        if use.name not in self._memory.skills:
            self._memory.skills = [*self._memory.skills, use.name][-RECENT:]


class Title:
    """A session's title: what the user gave it, else what the client made up, else the summary of its own lines."""

    def __init__(self, memory: Memory, limit: int) -> None:
        self._memory = memory
        self._limit = limit
        self._summaries: list[tuple[str, str]] = []
        self.changed = False

    def take(self, record: Record) -> None:
        """Take in a line that names the session, or another one."""
        if record.type == "summary":
            if record.summary and record.leaf_uuid:
                self._summaries.append((record.leaf_uuid, record.summary))
        else:
            self._set(record.type or "", record.custom_title if record.type == "custom-title" else record.ai_title)

    def settle(self, lines: Container[str], known: Container[str]) -> None:
        """Of the summaries, those of this file's lines count: a file holds other sessions' too."""
        for leaf, summary in self._summaries:
            if leaf in lines or leaf in known:
                self._set("summary", summary)

    def _set(self, kind: str, title: str | None) -> None:
        rank = _TITLE_RANK.get(kind, 0)
        if title and rank >= self._memory.title_rank:
            self._memory.title = title[: self._limit]
            self._memory.title_rank = rank
            self.changed = True
