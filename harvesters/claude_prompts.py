"""Telling what stands behind a `user` line of Claude Code: a person's words, or one of the many things that look so."""

from __future__ import annotations

import re
from typing import NamedTuple

from harvesters.claude_records import ABSENT, Attachment, Block, Record, blocks_of, origin_kind
from harvesters.records import Origin

SETTINGS_COMMANDS = frozenset(
    {
        "add-dir",
        "agents",
        "branch",
        "bug",
        "chrome",
        "clear",
        "color",
        "config",
        "context",
        "copy",
        "cost",
        "desktop",
        "diff",
        "doctor",
        "effort",
        "exit",
        "export",
        "fast",
        "feedback",
        "files",
        "fork",
        "help",
        "hooks",
        "ide",
        "install-github-app",
        "keybindings",
        "login",
        "logout",
        "mcp",
        "memory",
        "mobile",
        "model",
        "output-style",
        "permissions",
        "plugin",
        "plugins",
        "privacy-settings",
        "quit",
        "rate-limit-options",
        "reload-plugins",
        "remote-control",
        "rename",
        "resume",
        "rewind",
        "sandbox",
        "settings",
        "skills",
        "stats",
        "status",
        "statusline",
        "stickers",
        "tag",
        "tasks",
        "terminal-setup",
        "theme",
        "upgrade",
        "usage",
        "vim",
        "voice",
    }
)
"""Commands built into the client whose arguments set something and are no request to the agent."""

_COMMAND_NAME = re.compile(r"<command-name>\s*/?([^<]*?)\s*</command-name>")
_COMMAND_ARGS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
_TYPED_COMMAND = re.compile(r"/(?P<name>[A-Za-z][\w:.-]*)(?:\s+(?P<args>.*))?", re.DOTALL)
_BASH_INPUT = re.compile(r"<bash-input>(.*?)</bash-input>", re.DOTALL)
_WRAPPED = re.compile(
    r"\s*<(ide_opened_file|ide_selection|ide_diagnostics|system-reminder)>.*?</\1>\s*",
    re.DOTALL,
)
_INJECTED_STARTS = (
    "This session is being continued from a previous conversation",
    "<local-command-stdout>",
    "<local-command-stderr>",
    "<local-command-caveat>",
    "Caveat: The messages below",
    "<bash-stdout>",
    "<bash-stderr>",
    "<task-notification",
    "<teammate-message",
    "Unknown skill: ",
    "Unknown slash command: ",
)
_HOOK_STARTS = (
    "Operation stopped by hook",
    "Stop hook feedback:",
    "UserPromptSubmit operation blocked by hook",
    "<user-prompt-submit-hook>",
)
_PLAN_START = "Implement the following plan:"
_SKILL_BODY = re.compile(r"\s*Base directory for this skill:[ \t]*([^\r\n]+)")


class Words(NamedTuple):
    """What a user line says and why it is there."""

    origin: Origin
    text: str


def words_of(record: Record, blocks: list[Block]) -> Words | None:
    """The words of a `user` line that holds no tool result; None when it says nothing at all."""
    texts = [block.text for block in blocks if block.type == "text" and block.text and block.text.strip()]
    whole = "\n".join(texts).strip()
    if not whole:
        image = any(block.type in ("image", "document") for block in blocks)
        return Words(Origin.INJECTED if record.is_meta else Origin.PROMPT, "[image]") if image else None
    if whole.startswith(_HOOK_STARTS):
        return Words(Origin.HOOK, whole)
    if record.is_meta or record.is_visible_in_transcript_only or record.is_compact_summary:
        return Words(Origin.INJECTED, whole)
    kind = origin_kind(record.origin)
    if kind is not None and kind not in ("human", "cli"):
        return Words(Origin.INJECTED, whole)
    if record.plan_content is not ABSENT or whole.startswith(_PLAN_START):
        return Words(Origin.PLAN, whole)
    rest = "\n".join(kept for kept in map(_without_tags, texts) if kept).strip()
    if not rest:
        return Words(Origin.INJECTED, whole)
    if rest.startswith("[Request interrupted by user"):
        return Words(Origin.INTERRUPT, rest)
    if rest.startswith(("<command-name>", "<command-message>")):
        return command_words(rest) or Words(Origin.INJECTED, rest)
    if rest.startswith("<bash-input>"):
        match = _BASH_INPUT.match(rest)
        return Words(Origin.SHELL, match[1].strip() if match else rest)
    return Words(Origin.INJECTED if rest.startswith(_INJECTED_STARTS) else Origin.PROMPT, rest)


def _without_tags(text: str) -> str:
    """The text without the tags that an IDE or the client put in front of it."""
    while (match := _WRAPPED.match(text)) is not None:
        text = text[match.end() :]
    return text.strip()


def typed_words(text: str) -> Words | None:
    """The words of a message that a person typed while the agent was at work; None for what the client queued."""
    words = words_of(Record(), [Block(type="text", text=text)])
    if words is None or words.origin is not Origin.PROMPT or text.lstrip().startswith('{"task_id"'):
        return None
    name = _TYPED_COMMAND.fullmatch(words.text)
    bare = name is not None and (not name["args"] or name["name"] in SETTINGS_COMMANDS)
    return Words(Origin.COMMAND, words.text) if bare else words


def queued_words(attachment: Attachment) -> Words | None:
    """A prompt typed while the agent was at work; None for every other attachment."""
    if attachment.type != "queued_command" or attachment.command_mode not in (None, "prompt"):
        return None
    if origin_kind(attachment.origin) not in (None, "human"):
        return None
    return words_of(Record(is_meta=attachment.is_meta), blocks_of(attachment.prompt))


def command_words(text: str) -> Words | None:
    """A slash command `/name args`: a PROMPT where its arguments are a person's request, else a COMMAND."""
    match = _COMMAND_NAME.search(text)
    if match is None or not match[1]:
        return None
    found = _COMMAND_ARGS.search(text)
    args = found[1].strip() if found else ""
    name = match[1].split()[0]
    asks = bool(args) and name not in SETTINGS_COMMANDS
    return Words(Origin.PROMPT if asks else Origin.COMMAND, f"/{name} {args}".strip())


def skill_directory(text: str) -> str | None:
    """The folder that the body of a loaded skill names in its first line, or None."""
    match = _SKILL_BODY.match(text)
    return match[1].strip() if match else None
