"""Assignments of a secret to a name: `password=…`, `"api_key": "…"`, `SECRET_KEY=…`, `--token …`, `<password>…`."""

# Patterns are kept whole on their lines.
# ruff: noqa: E501

from __future__ import annotations

import re

from sleepd.core.redact_needles import Span, fresh

TEMPLATE = r"(?:\$\{?\w|\$\(|\{|<|\*{2,}|%\(|%[sdv]|\.{3}|x{3,}\b|\[redacted:|\u2026)"
"""What begins a place to be filled in, rather than a secret."""

KEYWORDS = {
    "pass": "pass",
    "pwd": "pwd",
    "pw:": "pw",
    "pw=": "pw",
    "pw ": "pw",
    "secr": "secret",
    "toke": "token",
    "key": "key",
    "cred": "credential",
    "salt": "salt",
    "psk=": "psk",
    "senh": "senha",
    "htwo": "htwoord",
}
"""The letters that are searched for, and the word they have to begin."""
_PASSWORDS = {"pass", "pwd", "pw", "psk", "senha", "htwoord"}

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
    "preshared",
    "function",
    "recovery",
    "wallet",
    "functions",
    "backup",
    "vault",
    "ssl",
    "tls",
    "ssh",
    "openai",
    "anthropic",
    "stripe",
    "sendgrid",
)
"""A `key` is a secret only behind one of these."""
_NAME_REST = re.compile(
    r"(?:[_-]?(?:word|wort|wd|phrase|code|key|access|secret|token|value|base|hash|b64|base64|str|string|plain|raw|prod|dev|test|live|data|pem|e\b"
    r"|[0-9]{1,2}(?![0-9]))){0,4}s?(?![A-Za-z0-9])(?:\\*[\"'`])?\]?",
    re.I,
)
_SEPARATOR = re.compile(
    r"[ \t]{0,8}(?:(?P<typed>:[ \t]{0,4}(?:str|string|&str|String)(?:[ \t]*\|[ \t]*None)?[ \t]*=(?!=))"
    r"|(?P<arrow>=>|:=|->)|(?P<equals>==?=?)"
    r"|(?P<block>:[ \t]{0,4}[|>][+-]?[ \t]{0,4}(?:\r?\n|\\+n)(?:[ \t]{0,40}|[ \t]*[0-9]{1,6}\u2192[ \t]{0,40}))"
    r"|(?P<colon>:(?!:))|(?P<bar>\|)"
    r"|(?P<xml>>(?=[^<\s]{4,256}</))|(?P<call>\((?=[ \t]{0,4}[\"'])))[ \t]{0,8}"
)
_PAIRED = re.compile(
    r"(?:\\*[\"'])?[ \t]{0,4}[,;]?(?:\r?\n|\\+n|[ \t]|\\+t|[0-9]{1,6}\u2192){0,40}-?[ \t]{0,4}\\*[\"']?value\\*[\"']?[ \t]{0,4}[:=][ \t]{0,4}",
    re.I,
)
"""Between a name and its value where both are attributes: `<add key="…" value="…">`, `- name: …` and `value: …`."""
_NAMED = re.compile(
    r"(?:\b(?:name|key|variable|property|id)\\*[\"']?[ \t]{0,4}[:=][ \t]{0,4}\\*[\"']?)[\w.:-]{0,64}\Z", re.I
)
_COMMA = re.compile(r"[ \t]{0,4},[ \t]{0,16}(?=\\*[\"'])")
_QUOTED_NAME = re.compile(r"[\"'][\w.-]{0,64}\Z")
_DEFINED = re.compile(
    r"(?:define|putenv|setenv|set_?env|set_?header|set_?item|append|setproperty)\([ \t]{0,4}[\"'][\w.-]{0,64}\Z", re.I
)
_SPOKEN = re.compile(
    r"[ \t]{0,2}(?:\([^)\n]{0,40}\)[ \t]{0,2})?(?:is|was|be|to|lautet|ist|est|es|\u00e8|\u00e9|\u2192|[:=\u2013-])[ \t]{1,2}(?:now |still |set to |simply )?"
)
"""A sentence that tells a secret: `the password is …`."""
_SPACED = re.compile(
    r"(?:^|\b|\\n)(?:ENV|ARG|setx|set|login[ \t]+\S+|login[ \t]+\S+[\s]{1,12}|LOGIN|ROLE[ \t]+\S+|USER[ \t]+\S+)(?:[ \t]+|[\s]{1,12})[\w.-]{0,40}\Z"
)
"""Before a name that a space parts from its value: `ENV API_TOKEN …`, `machine … login … password …`."""
_SPACED_NAMES = re.compile(r"(?:require|master|bind|admin|store|key|root)\Z", re.I)
_KEYTOOL = re.compile(r"(?:^|[\s\"'])-(?:src|dest|new)?(?:store|key)\Z", re.I)
_SPACE = re.compile(r"[ \t]{1,4}")
_OPENER = re.compile(r"[bBrRuUfF]{0,2}(?P<slashes>\\*)(?P<mark>[\"'`])")
_MARKS = re.compile(r"(\\*)([\"'`\n])")
_WORD = re.compile(r"(?:[^\s\"'`\\\x00-\x1f]++|\\++(?![nrtu\"'\\]))++")
_LOOSE = re.compile(r"(?:[^\s\"'`\\\x00-\x1f,;<>&|(){}\[\]]++|\\++(?![nrtu\"'\\]))++")
_REACH = 1_024
"""How much of a value is looked at before it counts as one, which bounds the work for a name."""
PLACEHOLDER = re.compile(
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
    r"(?:~|\.{1,2})?\\?/[A-Za-z][\w.-]*(?:\\?/[\w.-]+)*\Z|[a-z][a-z+.-]*:\\?/|[A-Za-z]:\\|arn:|env:|op:|vault:|ref:|file:|sha[0-9]{1,3}[:-]"
)
_NAME = re.compile(r"[A-Za-z_$][A-Za-z_$.-]*[0-9]{0,2}[?!.]{0,3}\Z|[\w$]+(?:(?:\.|::|->)[A-Za-z_]\w*)+\Z")
_CHOSEN = re.compile(
    r"(?!(?:value|param|string|field|test|user|password|passwd|pass|secret|token|arg|item|version|input|example|key)s?\d)[A-Z]?[a-z]{5,}[0-9]{1,4}!?\Z",
    re.I,
)
"""A word with a number behind it: a password as people choose them, where a variable would be short or of several words."""
_NUMBER = re.compile(r"[-+]?[0-9][0-9_.,:]*[a-zA-Z%]{0,3}\Z")
_FLAG = re.compile(r"--[A-Za-z0-9_-]{0,40}\Z|[\s\"']-(?:[A-Za-z]{2,20}-)?\Z")
_ENV_NAME = re.compile(r"(?:[A-Z0-9_]|%[0-9A-F]{2})*\Z")


def assignment(text: str, at: int, word: str) -> Span | None:
    """The value that the name ending in `word`, one of `KEYWORDS`, is given; `at` is where the word begins."""
    if not _names_secret(text, at, word):
        return None
    name = _NAME_REST.match(text, at + len(word))
    if name is None:
        return None
    # What is assigned to the name that ends at `end`; the name's last word begins at `at`.
    end = name.end()
    rule = "password" if word in _PASSWORDS else "secret"
    before = text[max(0, at - 64) : at]
    bare = word in {"pass", "pw"} and text[at + 4 : at + 8].lower() not in _PASS_ENDS
    if pair := _PAIRED.match(text, end):
        return _value(text, pair.end(), rule, "env") if _NAMED.search(before) else None
    separator = _SEPARATOR.match(text, end)
    if separator is None:
        return _unmarked(text, at, end, rule, bare=bare)
    kind = separator.lastgroup or ""
    if kind == "call" or (kind == "equals" and separator.group().strip() != "="):
        return None if bare else _value(text, separator.end(), rule, "quoted only")
    if kind in {"xml", "block"}:
        return _value(text, separator.end(), rule, kind)
    tight = kind == "equals" and separator.group() == "="
    flagged = tight and _FLAG.search(before)
    env = (
        tight
        and _ENV_NAME.match(text[max(0, at - 4) : end].lstrip("nrt\\").rstrip("\"'"))
        and text[end - 1] not in "\"'"
    )
    if env or flagged:
        return _value(text, separator.end(), rule, "env")
    if bare and kind in {"colon", "bar"}:
        given = _PASS_GIVEN.search(before)
        return (
            _value(text, separator.end(), rule, "env" if given else "telling")
            if given or not text[at : at + 4].isupper()
            else None
        )
    return _value(text, separator.end(), rule, "telling" if kind == "bar" else "loose")


_PASS_ENDS = {"word", "phra", "code", "wort"}
_PASS_OWNERS = re.compile(
    r"(?:store|key|root|db|user|admin|bind|my|mysql|pg|smtp|mail|ftp|ssh|sudo|become|require|auth|login|redis|master|proxy|src|dest|new)\Z",
    re.I,
)
_ENVIRONMENT_KEY = re.compile(
    r"(?:^|[^\w])(?!\w{0,32}(?:PUBLIC|CACHE|PRIMARY|FOREIGN|SORT|GROUP|PARTITION|IDEMPOTENCY|CACHE))[A-Z][A-Z0-9_]{1,32}_\Z"
)


def _names_secret(text: str, at: int, keyword: str) -> bool:
    """Whether the word is (the end of) a secret's name: `api_key` is, `monkey` and `compass` are not."""
    if keyword == "key":
        before = text[max(0, at - 40) : at]
        return before[-16:].lower().rstrip(" _.-").endswith(_KEY_OWNERS) or (
            before[-1:] == "_" and text[at : at + 4] == "KEY=" and _ENVIRONMENT_KEY.search(before) is not None
        )
    if keyword == "salt":
        return text[at - 1 : at] == "_" and text[at : at + 4].isupper() and "0x" not in text[at : at + 12]
    if keyword == "pass" and (rest := text[at + 4 : at + 8].lower()) not in _PASS_ENDS:
        if rest[:1].isalpha() and rest[:2] not in {"s=", "s:", "wd", "e ", "e:"}:
            return False
    elif keyword not in {"pw", "psk", "senha"}:
        return True
    camel = text[at].isupper() and text[at - 1].islower()
    return fresh(text, at) or camel or _PASS_OWNERS.search(text[max(0, at - 8) : at]) is not None


_PASS_GIVEN = re.compile(r"-pass(?:in|out)?[ =]\Z")


def _unmarked(text: str, at: int, end: int, rule: str, *, bare: bool) -> Span | None:
    """A value behind a name without a sign between the two: an option's, a configuration's, one told in a sentence."""
    before = text[max(0, at - 64) : at]
    if (comma := _COMMA.match(text, end)) and _QUOTED_NAME.search(before):
        return _value(text, comma.end(), rule, "defined" if _DEFINED.search(before) else "listed")
    gap = _SPACE.match(text, end)
    if gap is None:
        return None
    if (
        (not bare and _FLAG.search(before))
        or _KEYTOOL.search(before)
        or _SPACED.search(before)
        or _SPACED_NAMES.search(before)
    ):
        return _value(text, gap.end(), rule, "flag")
    if not bare and (spoken := _SPOKEN.match(text, end)):
        return _value(text, spoken.end(), rule, "spoken")
    quoted = text[at + 4 : at + 8].lower() == "word" and text[gap.end() : gap.end() + 1] == "'"
    return _value(text, gap.end(), rule, "quoted only") if quoted else None


_LITERAL = {"env", "xml", "defined", "block"}
"""Where a value stands for itself and cannot be an expression."""
_NEXT_PIECE = re.compile(
    r"(?P<mark>\\*[\"'])[ \t]{0,4}(?:[+.&\\]{0,2}[ \t]{0,4}(?:\r?\n|\\+n)[ \t]{0,40}[+.&]?|[+.&])[ \t]{0,8}(?P=mark)(?=[\w+/=.-]{6,})"
)
"""Between two literals of which a program makes one."""


def _value(text: str, at: int, rule: str, style: str) -> Span | None:
    """The span of the value that begins at `at`, if it looks like a secret."""
    if opener := _OPENER.match(text, at):
        start, end = opener.end(), _closing(text, opener)
        value = text[start:end]
        if style in {"listed", "telling", "spoken"}:
            good = _telling(value, rule)
        else:
            good = _plausible(value, rule, literal=True)
        while good and (piece := _NEXT_PIECE.match(text, end)):
            following = _OPENER.match(text, piece.end() - len(piece["mark"]))
            stop = _closing(text, following) if following else end
            if stop <= piece.end():
                break
            end = stop
        return (start, end, rule) if good else None
    if style in {"quoted only", "listed", "defined"}:
        return None
    pattern = _WORD if style in {"env", "block"} else _LOOSE
    word = pattern.match(text, at, at + _REACH)
    if word is None or (style == "loose" and text[word.end() : word.end() + 1] in {"(", "["}):
        return None
    value = word.group() if style == "env" else word.group().rstrip(".,;:!?)")
    good = (
        _telling(value, rule)
        if style in {"telling", "spoken"}
        else _plausible(value, rule, literal=style in _LITERAL, run=4 if style == "flag" else 3)
    )
    if not good or (style == "flag" and value.startswith("-")):
        return None
    more = pattern.match(text, word.end()) if word.end() == at + _REACH else None
    return at, more.end() if more else at + len(value), rule


def _telling(value: str, rule: str) -> bool:
    """Whether a value gives itself away, where words of a sentence or of a list could stand as well."""
    if not _plausible(value, rule, literal=True) or " " in value or "/" in value or "(" in value:
        return False
    if rule == "password":
        return (
            len(value) >= 6
            and re.search(r"[0-9!#$%&*@^]", value) is not None
            and not re.fullmatch(r"[\d.,:%x]+|[a-z]+(?:[_-][a-z0-9]+)+", value)
        )
    return len(value) >= 16 and not _NAME.match(value) and not _UUID.match(value)


_UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\Z")


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


def _plausible(value: str, rule: str, *, literal: bool, run: int = 3) -> bool:
    """Whether a value is a secret rather than a placeholder, a label, a place or an expression.

    `run` letters of one case make a word of a name.
    """
    if len(value) < 4 or PLACEHOLDER.match(value) or _LOCATION.match(value):
        return False
    if not literal and _NUMBER.match(value) and (rule != "password" or len(value) < 6):
        return False
    if not literal and _NAME.match(value) and not (rule == "password" and _CHOSEN.match(value)):
        # Letters in an order and a case that no name has.
        wordy = sum(len(word) for word in re.findall(rf"[A-Z]?[a-z]{{{run},}}|[A-Z]{{{run},}}", value))
        if len(value) < 12 or not value.isalnum() or wordy >= 0.5 * len(value):
            return False
    if " " in value and (_LABEL.search(value) or rule == "secret"):
        return False
    if rule == "password":
        return True
    if len(value) < 8 or _NUMBER.match(value):
        return False
    # A digit among letters, or both cases without the look of a name.
    if re.fullmatch(r"[a-z]+(?:[_-][a-z]+)+|.*\[.*\].*", value):
        return False
    if re.search(r"[0-9]", value):
        return not re.fullmatch(r"[A-Za-z][a-z]+(?:[_-]?[A-Za-z][a-z]+)*[_-]?v?[0-9]{1,2}", value)
    wordy = sum(len(word) for word in re.findall(r"[a-z]{4,}|[A-Z]{4,}", value))
    return len(value) >= 12 and wordy < 0.5 * len(value)
