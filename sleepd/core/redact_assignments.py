"""Assignments of a secret to a name: `password=…`, `"api_key": "…"`, `SECRET_KEY=…`, `--token …`, `<password>…`."""

from __future__ import annotations

import re

from sleepd.core.redact_needles import Span, fresh

TEMPLATE = r"(?:\$\{?\w|\$\(|\{|<|\*{2,}|%\(|%[sdv]|\.{3}|x{3,}\b|\[redacted:|\u2026)"
"""What begins a place to be filled in, rather than a secret."""

KEYWORDS = {"pass": "pass", "pwd": "pwd", "secr": "secret", "toke": "token", "key": "key", "cred": "credential"}
"""The letters that are searched for, and the word they have to begin."""

_KEY_OWNERS = (
    "api",
    "access",
    "secret",
    "private",
    "account",
    "encryption",
    "encrypt",
    "signing",
    "sign",
    "auth",
    "service",
    "shared",
    "master",
    "storage",
    "deploy",
    "license",
    "subscription",
    "app",
    "application",
    "client",
    "consumer",
    "aes",
    "hmac",
    "jwt",
    "session",
    "cookie",
    "admin",
    "root",
    "webhook",
    "bot",
    "openai",
    "anthropic",
    "stripe",
    "sendgrid",
)
"""A `key` is a secret only behind one of these."""
_NAME_REST = re.compile(
    r"(?:[_-]?(?:word|wd|phrase|code|key|access|secret|token|value|base|hash|b64|base64|str|string|plain|raw|prod|dev|test|live|[0-9]{1,2}(?![0-9])))"
    r"{0,4}s?(?![A-Za-z0-9])(?:\\*[\"'`])?\]?",
    re.I,
)
_SEPARATOR = re.compile(
    r"[ \t]{0,8}(?:(?P<typed>:[ \t]{0,4}(?:str|string|&str|String)(?:[ \t]*\|[ \t]*None)?[ \t]*=(?!=))"
    r"|(?P<arrow>=>|:=|->)|(?P<equals>==?=?)|(?P<colon>:(?!:))"
    r"|(?P<xml>>(?=[^<\s]{4,256}</))|(?P<call>\((?=[ \t]{0,4}[\"'])))[ \t]{0,8}"
)
_SPACE = re.compile(r"[ \t]{1,4}")
_OPENER = re.compile(r"[bBrRuUfF]{0,2}(?P<slashes>\\*)(?P<mark>[\"'`])")
_MARKS = re.compile(r"(\\*)([\"'`\n])")
_WORD = re.compile(r"(?:[^\s\"'`\\\x00-\x1f]++|\\++(?![nrtu\"'\\]))++")
_LOOSE = re.compile(r"(?:[^\s\"'`\\\x00-\x1f,;<>&|(){}\[\]]++|\\++(?![nrtu\"'\\]))++")
_REACH = 1_024
"""How much of a value is looked at before it counts as one, which bounds the work for a name."""
_PLACEHOLDER = re.compile(
    rf"{TEMPLATE}|\s|, |\)[,:;)\s]|"
    r"(?:none|null|nil|true|false|undefined|str|string|bytes|int|number|any|text|required|optional|hidden|redacted|masked|unset|empty|"
    r"x+|\*+|\.+|-+|_+)[.,;:!?]?\Z|(?:your|my|some|the|example|dummy|fake|test|insert|enter)[ _-]",
    re.I,
)
_LABEL = re.compile(
    r"\b(?:enter|your|must|is|are|the|a|an|not|please|invalid|required|for|to|of|at|with|wrong|incorrect|missing|confirm|new|old|current|forgot|"
    r"reset|and|or)\b",
    re.I,
)
_LOCATION = re.compile(
    r"(?:~|\.{1,2})?\\?/[a-z][\w.-]*(?:\\?/[\w.-]+)*\Z|[a-z][a-z+.-]*:\\?/|[A-Za-z]:\\|arn:|env:|op:|vault:|ref:|file:|sha[0-9]{1,3}[:-]"
)
_NAME = re.compile(r"[A-Za-z_$][A-Za-z_$.-]*[0-9]{0,2}[?!.]{0,3}\Z|[\w$]+(?:(?:\.|::|->)[A-Za-z_]\w*)+\Z")
_NUMBER = re.compile(r"[-+]?[0-9][0-9_.,:]*[a-zA-Z%]{0,3}\Z")
_FLAG = re.compile(r"--[A-Za-z0-9_-]{0,40}\Z")
_ENV_NAME = re.compile(r"(?:[A-Z0-9_]|%[0-9A-F]{2})*\Z")


def assignment(text: str, at: int, word: str) -> Span | None:
    """The value that the name ending in `word`, one of `KEYWORDS`, is given; `at` is where the word begins."""
    if not _names_secret(text, at, word):
        return None
    name = _NAME_REST.match(text, at + len(word))
    if name is None:
        return None
    return _assigned(text, at, name.end(), word in {"pass", "pwd"})


_PASS_ENDS = {"word", "phra", "code"}


def _names_secret(text: str, at: int, keyword: str) -> bool:
    """Whether the word is (the end of) a secret's name: `api_key` is, `monkey` and `compass` are not."""
    if keyword == "key":
        return text[max(0, at - 16) : at].lower().rstrip(" _.-").endswith(_KEY_OWNERS)
    if keyword == "pass" and (rest := text[at + 4 : at + 8].lower()) not in _PASS_ENDS:
        if rest[:1].isalpha() and rest[:2] not in {"s=", "s:", "wd"}:
            return False
        return fresh(text, at) or (text[at].isupper() and text[at - 1].islower())
    return True


def _assigned(text: str, at: int, end: int, password: bool) -> Span | None:
    rule = "password" if password else "secret"
    separator = _SEPARATOR.match(text, end)
    if separator is None:
        gap = _SPACE.match(text, end)
        flag = _FLAG.search(text[max(0, at - 42) : at]) if gap else None
        quoted = gap and text[at + 4 : at + 8].lower() == "word" and text[gap.end() : gap.end() + 1] == "'"
        return _value(text, gap.end(), rule, "flag" if flag else "quoted only") if gap and (flag or quoted) else None
    kind = separator.lastgroup or ""
    if kind == "call" or (kind == "equals" and separator.group().strip() != "="):
        return _value(text, separator.end(), rule, "quoted only")
    if kind == "xml":
        return _value(text, separator.end(), rule, "xml")
    tight = kind == "equals" and separator.group() == "="
    flagged = tight and _FLAG.search(text[max(0, at - 42) : at])
    env = (
        tight
        and _ENV_NAME.match(text[max(0, at - 4) : end].lstrip("nrt\\").rstrip("\"'"))
        and text[end - 1] not in "\"'"
    )
    return _value(text, separator.end(), rule, "env" if env or flagged else "loose")


def _value(text: str, at: int, rule: str, style: str) -> Span | None:
    """The span of the value that begins at `at`, if it looks like a secret."""
    if opener := _OPENER.match(text, at):
        start, end = opener.end(), _closing(text, opener)
        value = text[start:end]
        return (start, end, rule) if _plausible(value, rule, literal=True) else None
    if style == "quoted only":
        return None
    pattern = _WORD if style == "env" else _LOOSE
    word = pattern.match(text, at, at + _REACH)
    if word is None or (style == "loose" and text[word.end() : word.end() + 1] in {"(", "["}):
        return None
    value = word.group().rstrip(".,;:!?)") if style != "env" else word.group()
    literal = style in {"env", "xml"}
    if not _plausible(value, rule, literal=literal):
        return None
    more = pattern.match(text, word.end()) if word.end() == at + _REACH else None
    return at, more.end() if more else at + len(value), rule


def _closing(text: str, opener: re.Match[str]) -> int:
    """Where the quoted text ends: at a like mark behind as many backslashes, modulo those that escape one another."""
    depth = len(opener["slashes"])
    stop = min(len(text), opener.end() + 2_048)
    for mark in _MARKS.finditer(text, opener.end(), stop):
        if mark[2] == "\n":
            return mark.start()
        if mark[2] == opener["mark"] and len(mark[1]) % (2 * depth + 2) == depth:
            return mark.end() - 1 - depth
    return stop


def _plausible(value: str, rule: str, *, literal: bool) -> bool:
    """Whether a value is a secret rather than a placeholder, a label, a place or an expression."""
    if len(value) < 4 or _PLACEHOLDER.match(value) or _LOCATION.match(value):
        return False
    if not literal and (_NAME.match(value) or (_NUMBER.match(value) and (rule != "password" or len(value) < 6))):
        return False
    if " " in value and (_LABEL.search(value) or rule == "secret"):
        return False
    if rule == "password":
        return True
    return len(value) >= 8 and not _NUMBER.match(value) and _coded(value)


def _coded(value: str) -> bool:
    """A digit among letters, or both cases without the look of a name."""
    if re.search(r"[0-9]", value):
        return not re.fullmatch(r"[A-Za-z][a-z]+(?:[_-]?[A-Za-z][a-z]+)*[_-]?v?[0-9]{1,2}", value)
    wordy = sum(len(word) for word in re.findall(r"[a-z]{4,}|[A-Z]{4,}", value))
    return len(value) >= 12 and wordy < 0.5 * len(value)
