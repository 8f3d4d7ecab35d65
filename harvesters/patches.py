"""Edits as the hunks of a unified diff, from the several shapes in which agents tell them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import msgspec

from harvesters.records import FileAction, FileChange
from harvesters.values import clip, text

_APPLY_PATCH = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+?)[ \t\r]*$", re.MULTILINE)
_APPLY_PATCH_END = "\n*** End Patch"
_ACTIONS = {
    "add": FileAction.CREATE,
    "create": FileAction.CREATE,
    "update": FileAction.UPDATE,
    "delete": FileAction.DELETE,
}
_GIT_HEADER = re.compile(
    r"^(?:diff --git |index |--- |\+\+\+ |new file mode|create file mode|deleted file mode|similarity index|rename )"
)


_GIT_DIFF = re.compile(r"\s*diff --git ")
_OLD_FILE = re.compile(r"^--- (?:a/)?(.+?)\s*$", re.MULTILINE)
_NEW_FILE = re.compile(r"^\+\+\+ (?:b/)?(.+?)\s*$", re.MULTILINE)


class Hunk(msgspec.Struct, rename="camel", gc=False):
    """One place of an edit, as Claude Code keeps it."""

    old_start: int = 0
    old_lines: int = 0
    new_start: int = 0
    new_lines: int = 0
    lines: list[str] = []


def patch_of(hunks: Iterable[Hunk], limit: int) -> str | None:
    """The hunks as text, at most `limit` characters; None without any."""
    lines: list[str] = []
    for hunk in hunks:
        lines.append(f"@@ -{hunk.old_start},{hunk.old_lines} +{hunk.new_start},{hunk.new_lines} @@")
        lines += hunk.lines
    # So many lines fill the limit with their newlines alone.
    return clip("\n".join(lines[: limit + 1]), limit) or None


def without_header(diff: str) -> str | None:
    """The hunks of a diff, without the lines that name the files; None when nothing is left."""
    lines = diff.strip("\n").split("\n")
    start = next((n for n, line in enumerate(lines) if line and not _GIT_HEADER.match(line)), len(lines))
    return "\n".join(lines[start:]) or None


def changes_of_map(changes: object) -> tuple[FileChange, ...]:
    """The files of Codex's `changes`: path -> {add|update|delete: {…}}, or path -> {type, …} in newer versions."""
    if not isinstance(changes, Mapping):
        return ()
    found = []
    for path, told in changes.items():
        if isinstance(told, Mapping):
            word = text(told, "type") or next(iter(told), "update")
            inner = told.get(word)
            body = inner if isinstance(inner, Mapping) else told
            diff, moved = text(body, "unified_diff"), text(body, "move_path")
            action = _ACTIONS.get(word, FileAction.UPDATE)
            found.append(FileChange(path=moved or path, action=action, patch=without_header(diff) if diff else None))
    return tuple(found)


def changes_of_patch(patch: str) -> tuple[FileChange, ...]:
    """The files that the text of an `apply_patch` call names, each with its own part of that text."""
    heads = list(_APPLY_PATCH.finditer(patch))
    ends = [*(head.start() for head in heads), len(patch)][1:]
    found = []
    for head, end in zip(heads, ends, strict=True):
        body = patch[head.end() : end].split(_APPLY_PATCH_END, 1)[0].strip("\n")
        found.append(FileChange(path=head[2], action=_ACTIONS[head[1].lower()], patch=body or None))
    return tuple(found)


def change_of_diff(diff: str) -> FileChange | None:
    """The file that a diff of git's form changes, the path as it stands there; None for a text that is no diff."""
    old, new = _OLD_FILE.search(diff), _NEW_FILE.search(diff)
    if not _GIT_DIFF.match(diff) or old is None or new is None:
        return None
    gone, fresh = new[1].endswith("dev/null"), old[1].endswith("dev/null")
    action = FileAction.DELETE if gone else FileAction.CREATE if fresh else FileAction.UPDATE
    return FileChange(path=old[1] if gone else new[1], action=action, patch=without_header(diff))
