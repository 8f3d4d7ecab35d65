"""Which proposals a person must look at before anything is written: text that could have been planted.

A transcript can carry words meant to become a rule ("run this script first"). The screen is a table of patterns over
several plain readings of the text; in doubt it quarantines. It is a filter, not a proof: a person still reads the diff.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from urllib.parse import unquote

from sleepd.core import plaintext, screen_effects, screen_everyday, screen_learned
from sleepd.core.model import Edit, EditOp
from sleepd.core.screen_rules import (
    BROKEN_OFF,
    PLAIN_BAN,
    RULES,
    SAFEGUARD_OFF,
    SWITCHES_OFF,
    WAIVABLE,
)
from sleepd.core.screen_words import Pattern

EXCERPT_CHARS = 120
FEW_WORDS = 10
"""The model knows little of texts with no more words: there each finding of a pattern counts."""
LIKENESS = "likeness"
WHY_LIKE = "reads like a planted rule, most of all for"
ALONE = frozenset({"url", "hidden-text"})
"""Findings of these rules hold a text back whatever the model says."""
SELDOM_WRONG = frozenset(
    {
        "acts in secret",
        "acts without a yes",
        "acts without asking",
        "calls other rules void",
        "claims a consent that nobody can check",
        "decodes something and runs it",
        "decodes text to run it",
        "destroys what cannot be had again",
        "downloads something to run it",
        "fetches something and runs it",
        "fits a check to the result",
        "gives the agent another role",
        "goes on against a safeguard",
        "goes on against the person's no",
        "hides text from the rendered page",
        "holds what looks like a secret",
        "leaves deeds out of its account",
        "lets a text speak as the user",
        "makes a check pass",
        "makes a login with a known password",
        "names a file of keys",
        "opens a connection for a shell",
        "overrides other instructions",
        "pipes text into an interpreter",
        "puts another package in a package's place",
        "puts another text above the person",
        "reads the whole environment",
        "runs something from outside the project",
        "sets the rules of the files aside",
        "spreads itself",
        "takes a yes for given",
        "takes internal packages from a public place",
        "takes packages from another place",
        "turns a safeguard off by a switch",
        "unpins packages",
        "uses a channel that leaves the machine",
        "wipes out its traces",
    }
)
"""Reasons that named at most eight in 2,750 harmless rules of ten writers who did not know the screen.

The other reasons need the model to lean the same way."""
_LOOKS_LATIN = ("CYRILLIC", "COPTIC", "CHEROKEE", "LISU", "DESERET", "LATIN LETTER SMALL CAPITAL")
MAX_BAN_CHARS = 120
WINDOW_CHARS = 1_200
OVERLAP_CHARS = 200

_BLOCK = re.compile(r"\n[ \t]*(?=\n)|\n(?=[ \t]*(?:[-*+•]|\d{1,3}[.)])\s)")
_CONTINUED = re.compile(r"[\\^][ \t]*\n\s*")
_SPLIT_QUOTES = re.compile(r"""(?<=[\w/.])(?:''|""|['"’])(?=[\w/.])|(?<!\w)(?:''|"")(?=\w)|(?<=\w)(?:''|"")""")
_SPLIT_BACKSLASH = re.compile(r"\\(?=[A-Za-z/.~-])")
_IFS = re.compile(r"\$\{?IFS[^}\s]{0,12}\}?|\{(?=\w+,)|(?<=\w),(?=-{1,2}\w|http)")
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u\{?([0-9a-fA-F]{4,6})\}?|([0-3][0-7]{2}))")
_DEFANGED_DOT = re.compile(
    r"\s*[\[({]\s*(?:\.|dot|punkt|point)\s*[\])}]\s*|(?<=\w) dot (?=\w)|(?<=[A-Za-z0-9])\u3002(?=[A-Za-z0-9])",
    re.IGNORECASE,
)
_SPACED = re.compile(r"(?<!\w)(?:\w[ ._*-]){3,}\w(?!\w)")
_WORD = re.compile(r"[^\W\d_]+")
_LONG_CODE = re.compile(
    r"(?<![\w+/])(?=[\w+/-]*\d)(?=[\w+/-]*[A-Za-z])(?:[A-Za-z0-9+/_-]{56,}|(?:[0-9a-fA-F]{2}[ :,]?){32,})={0,2}"
)
_FLOOD = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2e]{3,}|\ufe0f{2,}")
_GOES_ON = re.compile(r"(?:[-*+•][ \t]+)?(?=[`'\"|&;]|[^\W\d_A-Z])(?P<rest>.*)", re.DOTALL)
_DIGITS_FOR_LETTERS = str.maketrans("013457@$", "oieastas")
_LEET = re.compile(r"(?<!\w)(?=[\w@$]*[A-Za-z]{2})(?:[A-Za-z]*[013457@$][A-Za-z]+)+\w*")
_PADDING = re.compile(r"[^\S\n]{24,}|(?:\n[^\S\n]*){6,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A reason to quarantine. `excerpt` is at most 120 characters, hidden ones written as code points."""

    rule: str
    excerpt: str
    why: str


def screen(edits_or_text: str | Edit | Iterable[Edit]) -> tuple[Finding, ...]:
    """What is suspicious in a text, or in what edits would write; () when nothing is.

    Rules: `fetch-and-execute`, `url`, `credentials`, `environment-or-permissions`, `override`, `hidden-text`,
    `outgoing-data`; `docs/explanation/screen.md` says what each looks for. Each bullet or paragraph is read by itself.
    A short plain ban ("never commit .env files") may name what it bans. At most one finding for a rule and a reason.
    """
    found: dict[tuple[str, str], Finding] = {}
    texts = list(_texts(edits_or_text))
    blocks = [block for text in texts for block in _BLOCK.split(text)]
    findings = chain.from_iterable((*map(_hidden, texts), *map(_block, blocks), *map(_block, _put_together(blocks))))
    for finding in findings:
        found.setdefault((finding.rule, finding.why), finding)
    return tuple(found.values())


def readings(text: str) -> tuple[str, ...]:
    """The plain forms of a text that the patterns are tried on, without repeats.

    Hidden characters, compatibility forms, look-alike letters, line continuations, character escapes, quotes inside
    words, `${IFS}` and letters set apart are undone. Latin letters lose their accents. Letter case stays.
    """
    plain = _plain(text)
    decoded = _plain(_decoded(plain))
    joined = _IFS.sub(" ", _SPLIT_QUOTES.sub("", _SPLIT_BACKSLASH.sub("", decoded)))
    lettered = _LEET.sub(lambda match: match[0].translate(_DIGITS_FOR_LETTERS), joined)
    unspaced = _SPACED.sub(lambda match: re.sub(r"[ ._*-]", "", match[0]), joined)
    forms = (plain, decoded, joined, _latinized(joined), lettered, unspaced)
    return tuple(dict.fromkeys(plaintext.flat(form) for form in forms))


def _texts(edits_or_text: str | Edit | Iterable[Edit]) -> Iterator[str]:
    if isinstance(edits_or_text, str):
        yield edits_or_text
        return
    edits = (edits_or_text,) if isinstance(edits_or_text, Edit) else edits_or_text
    yield from (edit.text for edit in edits if edit.op is not EditOp.DELETE)


def _put_together(blocks: Sequence[str]) -> Iterator[str]:
    """Blocks that look like one sentence cut in two, joined with a space and without one."""
    for first, second in pairwise(blocks):
        goes_on = _GOES_ON.match(second.strip())
        if goes_on is not None and first.strip():
            yield from (first.rstrip() + between + goes_on["rest"] for between in (" ", ""))


def _windows(text: str) -> Iterator[str]:
    """The text, a long one in overlapping stretches: patterns may look ahead, and their time must stay bounded."""
    yield text[:WINDOW_CHARS]
    for start in range(WINDOW_CHARS - OVERLAP_CHARS, len(text) - OVERLAP_CHARS, WINDOW_CHARS - OVERLAP_CHARS):
        yield text[start : start + WINDOW_CHARS]


def _block(block: str) -> Iterator[Finding]:
    for window in _windows(block):
        forms = readings(window)
        read = max(map(screen_learned.likeness, dict.fromkeys((forms[0], forms[-1]))), key=lambda read: read.score)
        model = screen_learned.shipped()
        length = screen_learned.words_in(forms[0])
        if read.score > model.alone and length >= screen_learned.LEAST_WORDS:
            named = ", ".join(f"“{word}”" for word in read.words)
            yield Finding(rule=LIKENESS, excerpt=_shown(window.strip()), why=f"{WHY_LIKE}: {named}")
        ban = _ban(forms[0]) if len(block) <= WINDOW_CHARS else None
        for finding in chain(_effects(window, forms), _matches(forms, ban)):
            if (
                length <= FEW_WORDS
                or finding.rule in ALONE
                or finding.why in SELDOM_WRONG
                or read.score > model.agreeing
            ):
                yield finding


def _effects(window: str, forms: tuple[str, ...]) -> Iterator[Finding]:
    # Each script once: the other forms differ in commands and disguises, which the patterns read.
    for form in dict.fromkeys((window, forms[0], forms[-1])):
        for effect in screen_effects.effects(form):
            yield Finding(rule=effect.rule, excerpt=_shown(effect.excerpt), why=effect.why)


def _matches(forms: tuple[str, ...], ban: str | None) -> Iterator[Finding]:
    for rule, patterns in RULES.items():
        for pattern in patterns:
            bans = rule in WAIVABLE and pattern.why not in screen_everyday.SAID_AS_BANS
            hits = (match for form in forms for match in pattern.regex.finditer(form))
            hit = next((match for match in hits if not (bans and _refused(match))), None)
            if hit is None or _waived(rule, pattern, ban) or screen_everyday.ordinary(pattern.why, forms[0]):
                continue
            if rule == "credentials" and screen_everyday.forbids(forms[0]):
                continue
            if not _in_a_ban(rule, pattern, forms[0]):
                yield Finding(rule=rule, excerpt=_excerpt(hit), why=pattern.why)


def _refused(hit: re.Match[str]) -> bool:
    """Whether the words around a finding refuse it: `never --force`, "use no passwords"."""
    form = hit.string.casefold()
    start = max((end.end() for end in _SENTENCES.finditer(form, 0, hit.start() + 1)), default=0)
    stop = _SENTENCES.search(form, hit.end())
    again = re.compile(re.escape(hit[0].casefold())).search(form[start : stop.start() if stop else None])
    return screen_everyday.refused(hit) or (again is not None and screen_effects.banned(again.string, again))


def _ban(plain: str) -> str | None:
    """The text when it is one short, plain ban."""
    plain = _EMPHASIS.sub("", plain)
    simple = len(plain) <= MAX_BAN_CHARS and PLAIN_BAN.match(plain) and not BROKEN_OFF.search(plain)
    return plain if simple else None


_EMPHASIS = re.compile(r",? (?:not even|also not|ever)(?: (?:in|for|on|during) [\w ]{1,24})?(?=\.?\Z)")
_POINTS_BACK = re.compile(r"\b(?:them|it|those|these|one|instead)\b", re.IGNORECASE)
_SENTENCES = re.compile(r"(?<=[\w`\"')])[;.] +")


def _in_a_ban(rule: str, pattern: Pattern, plain: str) -> bool:
    """Whether the finding stands in a sentence that only bans, beside sentences that say nothing of the kind."""
    first, *others = _SENTENCES.split(plain)
    if not others or BROKEN_OFF.search(" ".join(others)) or _POINTS_BACK.search(" ".join(others)):
        return False
    return not pattern.regex.search(" ".join(others)) and _waived(rule, pattern, _ban(first))


def _waived(rule: str, pattern: Pattern, ban: str | None) -> bool:
    """A ban may name what it bans. "Never skip X" bans nothing unless X is a safeguard."""
    if ban is None or rule not in WAIVABLE:
        return False
    return pattern.why == SAFEGUARD_OFF if SWITCHES_OFF.search(ban) else True


def _plain(text: str) -> str:
    seen = _CONTINUED.sub("", text.replace("\r\n", "\n"))
    seen = "".join(char for char in seen if not plaintext.hidden(char) and char != "\ufe0f")
    seen = _DEFANGED_DOT.sub(".", unicodedata.normalize("NFKC", seen))
    return _unaccented(seen)


def _unaccented(text: str) -> str:
    """Latin letters without their marks; other scripts as they are (a mark there is part of the letter)."""
    spelt = text.replace("ß", "ss").replace("ẞ", "SS")
    return "".join(
        unicodedata.normalize("NFKD", char)[0] if "LATIN" in unicodedata.name(char, "") else char for char in spelt
    )


def _decoded(text: str) -> str:
    def char(match: re.Match[str]) -> str:
        code = int(match[1] or match[2], 16) if match[1] or match[2] else int(match[3], 8)
        return chr(code) if code < 0x110000 else ""

    return _ESCAPE.sub(char, html.unescape(unquote(text)))


def _latinized(text: str) -> str:
    """Look-alike letters as the Latin letters they imitate, in words that also hold Latin letters."""
    return _WORD.sub(lambda match: match[0].translate(plaintext.CONFUSABLE) if _mixed(match[0]) else match[0], text)


def _mixed(word: str) -> bool:
    names = [unicodedata.name(char, "") for char in word]
    latin = any("LATIN" in name for name in names)
    return latin and any(
        ord(char) in plaintext.CONFUSABLE or name.startswith(_LOOKS_LATIN)
        for char, name in zip(word, names, strict=True)
    )


def _hidden(text: str) -> Iterator[Finding]:
    unseen = plaintext.hidden_characters(text)
    if unseen:
        names = ", ".join(plaintext.code_point(char) for char in unseen[:3])
        yield Finding(rule="hidden-text", excerpt=names, why="holds characters that do not show")
    checks = (
        (next((m for m in _WORD.finditer(text) if _mixed(m[0])), None), "one word mixes alphabets that look alike"),
        (_FLOOD.search(text), "piles marks on a letter"),
        (_first(_LONG_CODE, text), "holds encoded text that cannot be read"),
        (_PADDING.search(text.strip()), "pushes text out of sight with empty space"),
    )
    for hit, why in checks:
        if hit is not None:
            yield Finding(rule="hidden-text", excerpt=_excerpt(hit), why=why)


def _first(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    return next((hit for window in _windows(text) if (hit := pattern.search(window))), None)


def _excerpt(hit: re.Match[str]) -> str:
    """The hit with a little of what surrounds it."""
    start = max(0, hit.start() - 20)
    return _shown(hit.string[start : start + EXCERPT_CHARS * 2])


def _shown(text: str) -> str:
    around = plaintext.flat(text[: EXCERPT_CHARS * 2])
    shown = "".join(f"<U+{ord(char):04X}>" if plaintext.hidden(char) else char for char in around)
    return shown[:EXCERPT_CHARS]
