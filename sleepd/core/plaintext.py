"""Text as a reader sees it: lines, newlines and the characters that do not show."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_FENCE = re.compile(r"(?P<prefix>[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)*)(?P<ticks>`{3,}|~{3,})(?P<rest>.*)", re.DOTALL)
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_BLANK_LETTERS = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0",
)
"""Joiners, fillers and blank pattern letters: marks or letters by category, nothing by sight."""
CONFUSABLE = {
    ord(look): ord(like)
    for look, like in zip(
        "аеорсухіјѕһԁԛԝӏгкмтвнАВЕКМНОРСТУХІЈЅԌԚԜΑΒΕΖΗΙΚΜΝΟΡΤΥΧονρկոօսց",
        "aeopcyxijshdqwlrkmtbhABEKMHOPCTYXIJSGQWABEZHIKMNOPTYXovpknoug",
        strict=True,
    )
}
"""Cyrillic, Greek and Armenian letters and the Latin letters they imitate."""


def lines(text: str) -> list[str]:
    """The lines of a text with their endings; joined again they are the text.

    Only LF, CRLF and CR end a line (`str.splitlines` would also cut at form feeds and U+2028).
    """
    return _LINE.findall(text)


def newline(text: str) -> str:
    """The line ending most lines have: CRLF, CR or LF; LF when there is none."""
    counts = dict.fromkeys(("\n", "\r\n", "\r"), 0)
    for line in lines(text):
        ending = line[len(line.rstrip("\r\n")) :]
        if ending in counts:
            counts[ending] += 1
    return max(counts, key=lambda ending: counts[ending])


def flat(text: str) -> str:
    """The words with one space between them."""
    return " ".join(text.split())


def clipped(text: str, width: int) -> str:
    """At most `width` characters; where some are left out, the last one is `…`."""
    return text if len(text) <= width else text[: width - 1] + "…"


def key(text: str) -> str:
    """Equal for texts that differ only in spacing, letter case or compatibility forms."""
    return flat(unicodedata.normalize("NFKC", text)).casefold()


def hidden(char: str) -> bool:
    """True when a reader cannot see the character: control, zero-width, bidi, tag, private, filler, line separator.

    Newline and tab count as visible, as does U+FE0F (it colours emoji); all other variation selectors are hidden,
    because runs of them can carry a message.
    """
    if char in "\n\t\ufe0f":
        return False
    if "\ufe00" <= char <= "\ufe0e" or "\U000e0100" <= char <= "\U000e01ef":
        return True
    return char in _BLANK_LETTERS or unicodedata.category(char) in _HIDDEN_CATEGORIES


def hidden_characters(text: str) -> tuple[str, ...]:
    """The hidden characters of a text, in order, each once. CRLF is a newline, a lone CR is hidden."""
    found = dict.fromkeys(char for char in text.replace("\r\n", "\n") if hidden(char))
    return tuple(found)


def shown(text: str) -> str:
    """The text for a terminal: what does not show, and what a terminal would obey, written as `<U+001B>`."""
    return "".join(f"<U+{ord(char):04X}>" if hidden(char) else char for char in text.replace("\r\n", "\n"))


def shown_in_json(text: str) -> str:
    """A JSON text for a terminal: the same characters as JSON escapes, so that the value stays the same."""
    return "".join(_json_escape(char) if hidden(char) else char for char in text)


def _json_escape(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[n : n + 2].hex()}" for n in range(0, len(units), 2))


def code_point(char: str) -> str:
    """`U+200B ZERO WIDTH SPACE`."""
    return f"U+{ord(char):04X} {unicodedata.name(char, '')}".strip()


def frontmatter_end(all_lines: Sequence[str]) -> int:
    """The number of the line that closes the frontmatter; 0 when there is none."""
    if not all_lines or all_lines[0].removeprefix("\ufeff").rstrip() != "---":
        return 0
    return next((n for n, line in enumerate(all_lines[1:], 2) if line.rstrip() == "---"), 0)


def fenced_lines(all_lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """(line number, line number of the opening fence) for each line between the fences of a code block."""
    fence: re.Match[str] | None = None
    opener = 0
    for number, line in enumerate(all_lines, 1):
        if fence is None:
            match = _FENCE.fullmatch(line)
            opens = match is not None and not (match["ticks"][0] == "`" and "`" in match["rest"])
            fence, opener = match if opens else None, number
        elif _closes(fence, line):
            fence = None
        else:
            yield number, opener


def _closes(opener: re.Match[str], line: str) -> bool:
    match = _FENCE.fullmatch(line)
    if match is None or match["rest"].strip() or match["prefix"].strip(" \t>"):
        return False
    same = match["ticks"][0] == opener["ticks"][0] and len(match["ticks"]) >= len(opener["ticks"])
    return same and len(match["prefix"]) <= len(opener["prefix"]) + 3


_NAMED = 3


def listed(names: Sequence[str]) -> str:
    """Names for a sentence, the first three of them."""
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
