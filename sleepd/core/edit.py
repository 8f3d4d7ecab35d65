"""The learnt part of a skill file: where it is, and what one edit does to it.

A text is the user's own words plus at most one region of each `Region` kind, between two marker lines. Whatever is
outside our regions comes back byte for byte. Broken markers are an error that names the line; nothing is repaired or
deleted on a guess.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from sleepd.core import plaintext
from sleepd.core.errors import Conflict, UsageError
from sleepd.core.model import Edit, EditOp, Unmatched

MAX_RULE_CHARS = 600
MAX_NAME_CHARS = 64
MAX_DESCRIPTION_CHARS = 1_024

_SKILL_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_MARKER_LIKE = re.compile(r"\s*<!--\s*/?\s*sleepd\s*:", re.IGNORECASE)
_BULLET = re.compile(r"\A[-*+•](?:\s+|$)")
_DASH = re.compile(r"\A-(?:\s+|$)")
_STARTS_ANEW = re.compile(r"(?:[-*+] |\d{1,9}[.)] |#{1,6} |<!--|```|~~~|>)")
_DASHES = re.compile(r"\s*(?:-{3,}|\.{3})\s*")


class Region(StrEnum):
    """The parts of a skill text that sleepd may write."""

    LEARNT = "learnt"
    SLOW_UPDATE = "slow-update"
    APPENDIX = "appendix"

    @property
    def opening(self) -> str:
        return f"<!-- sleepd:{self} -->"

    @property
    def closing(self) -> str:
        return f"<!-- /sleepd:{self} -->"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A stretch of a text: the user's (`region` None, markers empty) or one of ours."""

    region: Region | None
    body: str
    opening: str = ""
    """The marker line as it stands, with its line ending."""
    closing: str = ""

    @property
    def text(self) -> str:
        return self.opening + self.body + self.closing


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """What became of some edits. `text` is the input itself when none was applied."""

    text: str
    applied: tuple[Edit, ...]
    unmatched: tuple[Unmatched, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """What stays whole when texts are merged: a line of the user's, a marker line, or a rule with all its lines."""

    text: str
    opens: Region | None = None
    """The region that a marker line opens."""
    closes: Region | None = None

    @property
    def key(self) -> str:
        """The text without line endings."""
        return "\n".join(line.rstrip("\r\n") for line in plaintext.lines(self.text))


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines of a region: one whole rule, or something else that edits leave alone."""

    lines: tuple[str, ...]
    is_rule: bool

    @property
    def shown(self) -> str:
        return "\n".join(line.rstrip("\r\n") for line in self.lines).rstrip()


_OPENINGS = {region.opening: region for region in Region}
_CLOSINGS = {region.closing: region for region in Region}


def split_regions(text: str) -> tuple[Part, ...]:
    """The parts of a text in order; their `text`s joined are the text.

    Raises `Conflict`, with the line number, for a marker that is alone, doubled, nested, indented, misspelt, or inside
    frontmatter or a code fence.
    """
    all_lines = plaintext.lines(text)
    parts: list[Part] = []
    start, opened, since = 0, None, 0
    # Line numbers inside frontmatter or a code fence, with what they are in.
    inside = {number: f"the code fence opened in line {opener}" for number, opener in _fences(all_lines)}
    inside |= dict.fromkeys(range(1, plaintext.frontmatter_end(all_lines)), "the frontmatter")
    for number, line in enumerate(all_lines, 1):
        if not _MARKER_LIKE.match(line):
            continue
        bare = line.rstrip()
        region = _OPENINGS.get(bare) or _CLOSINGS.get(bare)
        if region is None:
            raise Conflict(
                f"line {number}: {bare.strip()!r} looks like a sleepd marker but is none; correct or remove it"
            )
        if number in inside:
            raise Conflict(f"line {number}: the sleepd marker stands inside {inside[number]}; move it out")
        if bare in _OPENINGS:
            if opened is not None:
                raise Conflict(
                    f"line {number}: {region.opening!r} stands inside the region opened in line {since}; close that"
                )
            if _part(parts, region) is not None:
                raise Conflict(f"line {number}: a second {region.opening!r}; join the two regions into one")
            parts.append(Part(region=None, body="".join(all_lines[start : number - 1])))
            start, opened, since = number, region, number
        elif opened is not region:
            raise Conflict(f"line {number}: {region.closing!r} closes nothing; put {region.opening!r} before it")
        else:
            opening, body = all_lines[start - 1], "".join(all_lines[start : number - 1])
            parts.append(Part(region=region, body=body, opening=opening, closing=all_lines[number - 1]))
            start, opened = number, None
    if opened is not None:
        raise Conflict(f"line {since}: {opened.opening!r} is never closed; add {opened.closing!r} after it")
    parts.append(Part(region=None, body="".join(all_lines[start:])))
    return tuple(part for part in parts if part.text)


def pieces(text: str) -> tuple[Piece, ...]:
    """The text in pieces that stay whole; joined they are the text. Raises `Conflict` as `split_regions` does."""
    found: list[Piece] = []
    for part in split_regions(text):
        if part.region is None:
            found += (Piece(text=line) for line in plaintext.lines(part.body))
        else:
            found.append(Piece(text=part.opening, opens=part.region))
            found += (Piece(text="".join(item.lines)) for item in _items(part.body))
            found.append(Piece(text=part.closing, closes=part.region))
    return tuple(found)


def learnt_lines(text: str, region: Region = Region.LEARNT) -> tuple[str, ...]:
    """The rules of the region as they stand, each whole (`- ` and all its lines), fit to be an anchor."""
    part = _part(split_regions(text), region)
    return tuple(item.shown for item in _items(part.body) if item.is_rule) if part is not None else ()


def tokens(text: str) -> int:
    """An estimate of the model tokens of a text: characters / 4, rounded up. Scripts without spaces need more."""
    return -(-len(text) // 4)


def apply(
    text: str, edits: Iterable[Edit], *, region: Region = Region.LEARNT, max_tokens: int | None = None
) -> Applied:
    """Apply edits one after the other inside a region, each to the result of the one before.

    An edit that cannot be applied is returned as `Unmatched` with its reason and changes nothing. A text without the
    region gets it at its end, once the first edit applies. `max_tokens` bounds `tokens` of the whole text; an edit
    that makes an already longer text shorter is still applied. Raises `Conflict` as `split_regions` does.
    """
    split_regions(text)
    done: list[Edit] = []
    unmatched: list[Unmatched] = []
    for edit in edits:
        changed = _apply_one(text, edit, region)
        if isinstance(changed, str):
            unmatched.append(Unmatched(edit=edit, reason=changed))
        elif max_tokens is not None and tokens(text) < tokens(changed[0]) > max_tokens:
            unmatched.append(Unmatched(edit=edit, reason="over the token budget"))
        else:
            text = changed[0]
            done.append(edit)
    return Applied(text=text, applied=tuple(done), unmatched=tuple(unmatched))


def set_region(text: str, region: Region, body: str) -> str:
    """The text with the lines of a region replaced by `body`; the region is appended when there is none.

    Appending puts an empty line before the marker. A text without a final newline keeps that manner: the newlines
    needed in between belong to the region, and the new text ends without one too. Raises `Conflict` when the text or
    the body has broken markers.
    """
    parts, ending = split_regions(text), plaintext.newline(text)
    if body and not body.endswith(("\n", "\r")):
        body += ending
    if _part(parts, region) is not None:
        changed = "".join(p.opening + body + p.closing if p.region is region else p.text for p in parts)
    else:
        head, last = _separator(text, ending)
        changed = f"{text}{head}{region.opening}{ending}{body}{region.closing}{last}"
    split_regions(changed)
    return changed


def diff(before: str, after: str, *, name: str = "SKILL.md") -> str:
    """A unified diff with three lines of context; "" when nothing differs."""
    old, new = plaintext.lines(before), plaintext.lines(after)
    hunks = difflib.unified_diff(old, new, f"{name} (before)", f"{name} (after)", lineterm="\n")
    shown = []
    for line in hunks:
        body = line.rstrip("\r\n")
        shown.append(f"{body}\n" if line != body else f"{body}\n\\ No newline at end of file\n")
    return "".join(shown)


def new_skill(name: str, description: str, region: str = "") -> str:
    """A new SKILL.md: frontmatter and a learnt region that holds the lines of `region`.

    `name` has at most 64 lowercase letters, digits and hyphens. `description` says when to load the skill: one line of
    at most 1,024 characters without tags. Raises `UsageError` for anything else.
    """
    if len(name) > MAX_NAME_CHARS or not _SKILL_NAME.fullmatch(name):
        raise UsageError(
            f"skill name {name!r}: use at most {MAX_NAME_CHARS} lowercase letters, digits and single hyphens"
        )
    check_description(description)
    quoted = json.dumps(description, ensure_ascii=False)
    return set_region(f"---\nname: {name}\ndescription: {quoted}\n---\n", Region.LEARNT, region)


def _part(parts: Iterable[Part], region: Region) -> Part | None:
    return next((part for part in parts if part.region is region), None)


def _fences(all_lines: list[str]) -> Iterable[tuple[int, int]]:
    """As `plaintext.fenced_lines`, without regard to code in our regions: it ends with its rule."""
    seen, ours = [], False
    for line in all_lines:
        bare = line.rstrip()
        ours = (ours or bare in _OPENINGS) and bare not in _CLOSINGS
        seen.append("\n" if ours else line)
    return plaintext.fenced_lines(seen)


def _separator(text: str, ending: str) -> tuple[str, str]:
    """What stands before the opening marker and after the closing one when a region is appended."""
    # The line that opens a fence which runs to the end; None when all are closed.
    all_lines = plaintext.lines(text)
    past = len(all_lines) + 1
    fence = next((opener for number, opener in _fences([*all_lines, "\n"]) if number == past), None)
    if fence is not None:
        raise Conflict(f"line {fence}: this code fence is never closed; close it before rules can be added below it")
    if not text or text == "\ufeff":
        return ending if text else "", ending
    if not text.endswith(("\n", "\r")):
        return ending * 2, ""
    blank = not plaintext.lines(text)[-1].strip()
    return ("" if blank else ending), ending


def _items(body: str) -> list[_Block]:
    """The region's lines as rules and other things; all lines joined are the body."""
    items: list[_Block] = []
    rows = plaintext.lines(body)
    at = 0
    while at < len(rows):
        end = _rule_end(rows, at) if rows[at].startswith("- ") else at + 1
        items.append(_Block(tuple(rows[at:end]), is_rule=rows[at].startswith("- ")))
        at = end
    return items


def _rule_end(rows: list[str], start: int) -> int:
    """Past the last line of the rule: indented lines, unindented lines of the same paragraph, and blank lines
    that an indented line follows."""
    end = at = start + 1
    while at < len(rows):
        indented = rows[at].startswith(("  ", "\t")) and rows[at].strip()
        same_paragraph = at == end and rows[at].strip() and not _STARTS_ANEW.match(rows[at])
        if indented or same_paragraph:
            end = at + 1
        elif rows[at].strip():
            break
        at += 1
    return end


def _bare(rule: str) -> str:
    """A rule or an anchor without its bullet, spacing made even."""
    return plaintext.flat(_DASH.sub("", rule.strip()))


def _apply_one(text: str, edit: Edit, region: Region) -> tuple[str] | str:
    """The new text in a tuple, or the reason why not."""
    part = _part(split_regions(text), region)
    items = _items(part.body) if part is not None else []
    place = _place(items, edit)
    if isinstance(place, str):
        return place
    fresh: tuple[_Block, ...] = ()
    if edit.op is not EditOp.DELETE:
        body = _BULLET.sub("", edit.text.replace("\r\n", "\n").strip(), count=1)
        rows = [row.rstrip() for row in body.split("\n")]
        refusal = _refusal(edit.text, rows)
        if refusal is not None:
            return refusal
        # The lines of a rule: `- ` first, and the rest indented by at least two spaces.
        rest = [row if not row or row.startswith("  ") else f"  {row.lstrip()}" for row in rows[1:]]
        ruled = [f"- {rows[0].strip()}", *rest]
        rule = _bare("\n".join(ruled))
        for number, item in enumerate(items):
            there = _bare(item.shown)
            # The rule to be replaced may differ from the new one in letter case alone.
            if edit.op is EditOp.REPLACE and number == place[0]:
                is_there = there == rule
            else:
                is_there = item.is_rule and plaintext.key(there) == plaintext.key(rule)
            if is_there:
                return "already there"
        ending = plaintext.newline(text)
        fresh = (_Block(tuple(line + ending for line in ruled), is_rule=True),)
    changed = [*items[: place[0]], *fresh, *items[place[1] :]]
    return (set_region(text, region, "".join(line for item in changed for line in item.lines)),)


def _place(items: list[_Block], edit: Edit) -> tuple[int, int] | str:
    """Which items the edit takes away, as a half-open range (empty for `add`), or the reason why it has no place."""
    if edit.anchor is None or not _bare(edit.anchor):
        if edit.op is not EditOp.ADD:
            return f"{edit.op} needs an anchor"
        last = next((n for n in range(len(items), 0, -1) if items[n - 1].shown), 0)
        return last, last
    # A model may write another bullet than the file has; a rule that begins with one comes first.
    wanted = (_bare(edit.anchor), _bare(_BULLET.sub("", edit.anchor.strip(), count=1)))
    rules = [(n, _bare(item.shown)) for n, item in enumerate(items) if item.is_rule]
    found = next((places for name in wanted if (places := [n for n, rule in rules if rule == name])), [])
    if len(found) != 1:
        return f"the anchor matches {len(found) or 'no'} rules{', not one' if found else ''}"
    return (found[0] + 1, found[0] + 1) if edit.op is EditOp.ADD else (found[0], found[0] + 1)


def _refusal(text: str, rows: list[str]) -> str | None:
    hidden = plaintext.hidden_characters(text)
    if not "".join(rows).strip(" -*+•\t"):
        return "empty"
    if len(text) > MAX_RULE_CHARS:
        return f"longer than {MAX_RULE_CHARS} characters"
    if hidden:
        return f"holds a character that does not show: {plaintext.code_point(hidden[0])}"
    if "<!--" in text:
        return "holds a comment marker"
    if any(_DASHES.fullmatch(row) for row in rows):
        return "holds a frontmatter fence"
    if any(_BULLET.match(row) for row in rows[1:]):
        return "holds more than one rule"
    return None


def check_description(description: str) -> None:
    """Raises `UsageError` for anything but one line of 1 to 1,024 characters that show, without tags."""
    if not description.strip() or len(description) > MAX_DESCRIPTION_CHARS:
        raise UsageError(f"skill description: say in 1 to {MAX_DESCRIPTION_CHARS} characters when to load the skill")
    if (
        re.search(r"[\n\t]", description)
        or plaintext.hidden_characters(description)
        or re.search(r"<[^<>]+>", description)
    ):
        raise UsageError("skill description: use one line without tags, tabs or characters that do not show")
