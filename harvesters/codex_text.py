"""Reading the texts of Codex rollouts: what a person typed, what the client added, how a command ended."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from harvesters.decode import loads
from harvesters.drafts import compact
from harvesters.records import ToolStatus
from harvesters.values import flag, integer, mapping, text

_INJECTED_STARTS = (
    "<user_instructions>",
    "<environment_context>",
    "<skill>",
    "<user_shell_command>",
    "<turn_aborted>",
    "<subagent_notification>",
    "<codex_internal_context",
    "<goal_context>",
    "<recommended_plugins>",
    "<hook_prompt",
    "<realtime_delegation>",
    "Warning: apply_patch was requested via",
    "Warning: The maximum number of unified exec",
    "Warning: Your account was flagged",
)
_AGENTS_FILE = "# AGENTS.md instructions for"
_REQUEST_MARKER = re.compile(r"^## My request for Codex:[ \t]*\r?$", re.MULTILINE)
_IMAGE_WRAPPER = re.compile(r"</?image\b[^>]*>")
_SHELL_LINE = re.compile(r"<command>\s*(.*?)\s*</command>", re.DOTALL)
_SKILL_NAME = re.compile(r"<name>\s*(.*?)\s*</name>", re.DOTALL)
_SKILL_PATH = re.compile(r"<path>\s*(.*?)\s*</path>", re.DOTALL)
_SKILL_FILE = "SKILL.md"
_SKILL_READ = re.compile(r"""[^\s"'`|;<>()=,]*[/\\]([^\s/\\"'`]+)[/\\]+SKILL\.md$""")
_PATH_CHARACTERS = 512
_CITATION = re.compile(r"<oai-mem-citation>.*?</oai-mem-citation>", re.DOTALL)

_HEADER_CHARACTERS = 800
_EXIT_CODE = re.compile(r"^(?:Exit code:|Process exited with code) (-?\d{1,10})\b", re.MULTILINE)
_WALL_TIME = re.compile(r"^Wall time: (\d{1,7}(?:\.\d{1,9})?) seconds", re.MULTILINE)
_REJECTED = re.compile(r"^.{0,60}\brejected by user\b", re.MULTILINE)
_ABORTED = re.compile(r"^.{0,60}\baborted by user\b", re.MULTILINE)
_FAILED = re.compile(
    r"^.{0,60}(?:\bexecution error\b|\bexec error\b|apply_patch verification failed|\bunsupported call\b)",
    re.MULTILINE,
)


class Ending(NamedTuple):
    """How a call went, as far as its output text tells."""

    status: ToolStatus
    exit_code: int | None = None


class NamedSkill(NamedTuple):
    """A skill named in a text, with the path of its SKILL.md where the text gives one."""

    name: str
    path: str | None


def is_injected(value: str) -> bool:
    """True for text that the client put into the user's role."""
    start = value.lstrip()
    if start.startswith(_AGENTS_FILE):
        return "</INSTRUCTIONS>" in start
    return start.startswith(_INJECTED_STARTS)


def request_of(value: str) -> str:
    """What the person asked for, without the context that editors put in front of it.

    A text that opens with a heading and holds the marker line `## My request for Codex:` counts from behind the last
    such marker; any other text is returned stripped.
    """
    if value.lstrip().startswith("#"):
        markers = list(_REQUEST_MARKER.finditer(value))
        if markers:
            return value[markers[-1].end() :].strip()
    return value.strip()


def texts_of(content: object) -> list[str]:
    """The text parts of a message's content (a string, or a list of parts), without the wrappers around images."""
    if isinstance(content, str):
        return [content]
    if not isinstance(content, list):
        return []
    found = [part if isinstance(part, str) else text(part, "text") for part in content]
    return [part for part in found if part and not _IMAGE_WRAPPER.fullmatch(part.strip())]


def shell_line(fragment: str) -> str | None:
    """The line a user ran with `!`, from a `<user_shell_command>` fragment; None for any other fragment."""
    if not fragment.lstrip().startswith("<user_shell_command>"):
        return None
    found = _SHELL_LINE.search(fragment)
    return found.group(1) if found else None


def skill_of(fragment: str) -> NamedSkill | None:
    """The skill a `<skill>` fragment loads; None for any other fragment."""
    if not fragment.lstrip().startswith("<skill>"):
        return None
    name, path = _SKILL_NAME.search(fragment), _SKILL_PATH.search(fragment)
    return NamedSkill(last_segment(name.group(1)), path.group(1) if path else None) if name else None


def skills_read(command: str) -> list[NamedSkill]:
    """The SKILL.md files that a command names: reading one is how the agent loads a skill by itself."""
    found = []
    end = command.find(_SKILL_FILE)
    while end >= 0:
        end += len(_SKILL_FILE)
        path = _SKILL_READ.search(command[max(0, end - _PATH_CHARACTERS) : end])
        if path is not None:
            found.append(NamedSkill(path.group(1), path.group(0)))
        end = command.find(_SKILL_FILE, end)
    return found


def last_segment(name: str) -> str:
    """`review` of `plugin:review` and of `plugins/review`."""
    return re.split(r"[:/]", name.rstrip(":/"))[-1]


def same_words(value: str) -> str:
    """A reply's text as all records of it agree on."""
    return _CITATION.sub("", value).strip()


def arguments_of(value: object) -> tuple[str, str]:
    """A call's arguments as compact JSON (or as they are, where they are no JSON), and the command line in them."""
    parsed = loads(value.encode()) if isinstance(value, str) else value
    if not isinstance(parsed, dict):
        raw = value if isinstance(value, str) else "" if value is None else compact(value)
        return raw, raw
    return compact(parsed), command_of(parsed)


def command_of(arguments: dict[str, Any]) -> str:
    """The command line in a shell call's arguments; empty when there is none."""
    value = arguments.get("command", arguments.get("cmd"))
    if isinstance(value, list):
        return " ".join(part for part in value if isinstance(part, str))
    return value if isinstance(value, str) else ""


def output_of(value: object) -> tuple[str | None, Ending]:
    """The text of a call's output and how the call went by it."""
    if isinstance(value, dict) and "type" not in value:
        content = value.get("content", value.get("output"))
        output = content if isinstance(content, str) else "\n".join(texts_of(content))
        ending = ending_of(output)
        failed = flag(value, "success") is False and ending.status is ToolStatus.OK
        return output, Ending(ToolStatus.ERROR, ending.exit_code) if failed else ending
    output = "\n".join(texts_of([value] if isinstance(value, dict) else value))
    return output, ending_of(output)


def ending_of(output: str) -> Ending:
    """How a call went by its output text; OK when nothing speaks against it.

    Only the client's header is searched (JSON metadata, or the lines before `Output:`): what a command printed may
    look the same.
    """
    if output.startswith("{"):
        code = integer(mapping(loads(output.encode()), "metadata"), "exit_code")
        if code is not None:
            return by_exit_code(code)
    header = output[:_HEADER_CHARACTERS].split("\nOutput:", 1)[0]
    found = _EXIT_CODE.search(header)
    if found:
        return by_exit_code(int(found.group(1)))
    if _REJECTED.search(header):
        return Ending(ToolStatus.DENIED)
    if _ABORTED.search(header):
        return Ending(ToolStatus.UNANSWERED)
    return Ending(ToolStatus.ERROR if _FAILED.search(header) else ToolStatus.OK)


def wall_time_ms(output: str) -> int | None:
    """How long a command ran, by the client's header before its output; None where it does not say."""
    if output.startswith("{"):
        seconds = mapping(loads(output.encode()), "metadata").get("duration_seconds")
        return int(seconds * 1000) if isinstance(seconds, int | float) else None
    found = _WALL_TIME.search(output[:_HEADER_CHARACTERS].split("\nOutput:", 1)[0])
    return int(float(found.group(1)) * 1000) if found else None


def by_exit_code(code: int) -> Ending:
    """How a command went by its exit code: only 0 is success."""
    return Ending(ToolStatus.OK if code == 0 else ToolStatus.ERROR, code)
