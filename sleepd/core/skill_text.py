"""Texts of skills and commands as a transcript shows them when they are loaded: name, place and words.

Claude Code puts the text into the conversation in the person's name: after a slash command, after a call of its tool
`Skill`, or with the skill's folder in the first line. Codex has a tag `<skill>`, Copilot's terminal `<skill-context>`.
The agent of Codex reads `SKILL.md` by itself: then the text is what the shell printed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from harvesters.records import Origin, Role, ToolStatus, Turn
from sleepd.core.model import Digest, digest
from sleepd.core.tools import SHELLS

_FOLDER = re.compile(r"Base directory for this skill: *(\S[^\n]*)\n+")
_TAG = re.compile(r"\s*<skill(?:-context)?\b([^>]*)>\s*(.*?)\s*(?:</skill(?:-context)?>\s*)?\Z", re.DOTALL)
_NAMED = re.compile(r"\bname=[\"']([^\"']+)[\"']|<name>\s*([^<]+?)\s*</name>")
_PLACED = re.compile(r"<path>\s*([^<]+?)\s*</path>")
_SLASH = re.compile(r"/([\w:./\\-]*[\w-])(?:\s+(.*))?\Z", re.DOTALL)
_ASKED = re.compile(r'"(?:skill|command)":"([^"]+)"')
_GIVEN = re.compile(r'"args":"((?:[^"\\]|\\.)*)"')
_READ = re.compile(r"([\w.-]+)[/\\]SKILL\.md\b")
_ARGUMENTS = re.compile(r"\n+ARGUMENTS:[^\n]*(?:\n.*)?\Z", re.DOTALL)
_PLACE_OF_ARGUMENTS = "$ARGUMENTS"
_SUMS_UP = "compact"
"""A command behind which the client puts a summary."""
_LEAST = 20
"""Shorter texts are notes of the client."""
_LEAST_ARGUMENT = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillText:
    """The words of a skill or of a command, as they were loaded once."""

    name: str
    """Last segment of a qualified name."""
    text: str
    """Without the folder, and with `$ARGUMENTS` where the person's arguments stood."""

    @property
    def version(self) -> Digest:
        """Equal for texts that differ in white space only."""
        return digest("skill text", " ".join(self.text.split()))


def loaded_by_client(turn: Turn, before: Turn | None) -> SkillText | None:
    """The text that the client put into the conversation with this turn; `before` is the turn before it."""
    if turn.role is not Role.USER or turn.origin is not Origin.INJECTED:
        return None
    text = turn.text.strip()
    if (folder := _FOLDER.match(text)) is not None:
        return _made(folder[1], text[folder.end() :], "")
    if text.startswith("<skill"):
        tag = _TAG.match(text)
        named = _NAMED.search(text)
        if tag is None or named is None:
            return None
        body = _PLACED.sub("", _NAMED.sub("", tag[2]))
        return _made(named[1] or named[2], body, "")
    if before is None or text.startswith(("<", "Caveat:")) or len(text) < _LEAST:
        return None
    if before.role is Role.USER:
        asked = _SLASH.match(before.text.strip()) if before.origin in (Origin.PROMPT, Origin.COMMAND) else None
        if asked is None or asked[1] == _SUMS_UP:
            return None
        return _made(asked[1], text, asked[2] or "")
    for call in reversed(before.tool_calls):
        if call.name == "Skill" and call.status is ToolStatus.OK and (named := _ASKED.search(call.input)) is not None:
            given = _GIVEN.search(call.input)
            return _made(named[1].split()[0], text, given[1] if given is not None else "")
    return None


def loaded_by_reading(turn: Turn) -> tuple[SkillText, ...]:
    """The texts of `SKILL.md` files that the agent printed in this reply: whole files, with their heads."""
    found = []
    for call in turn.tool_calls:
        if call.name.casefold() in SHELLS and call.status is ToolStatus.OK and "SKILL.md" in call.input:
            names = _READ.findall(call.input)
            if len(names) == 1 and (call.output or "").lstrip().startswith("---"):
                found.append(_made(names[0], call.output or "", ""))
    return tuple(found)


def _made(name: str, text: str, arguments: str) -> SkillText:
    """Without what differs from one call to the next: the person's arguments."""
    body = _ARGUMENTS.sub("", text.strip())
    if len(arguments.strip()) >= _LEAST_ARGUMENT:
        body = body.replace(arguments.strip(), _PLACE_OF_ARGUMENTS)
    return SkillText(name=re.split(r"[:/\\]", name.strip().rstrip("/\\"))[-1], text=body.strip())
