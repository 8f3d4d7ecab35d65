"""Tokens: those with a vendor's prefix, and long ones that only look random."""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Iterator

from sleepd.core.redact_needles import Span, fresh

# Long tokens: a run of at least 20 token characters. With every token character turned into one letter, all runs are
# found by a literal search, at more than half a gigabyte a second.

_TOKEN_CHARS = (string.ascii_letters + string.digits + "_-+").encode()
_CLASSES = bytes(ord("a") if c in _TOKEN_CHARS else ord(" ") for c in range(256))
_RUN = b"a" * 20
_BASE64 = string.ascii_letters + string.digits + "+/_-"
_DIGIT = re.compile(r"[0-9]")

_GROUPS: tuple[tuple[str, str], ...] = (
    ("aws-key-id", r"A[KS]IA[A-Z0-9]{16,}"),
    ("github-token", r"gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}"),
    ("gitlab-token", r"gl(?:[a-z]{2,6}-[\w-]{16,}(?:\.[\w.-]+)?|sa_\w{20,})|GR1348941[\w-]{16,}"),
    ("slack-token", r"xox[a-z][-.][\w.-]{10,}|xapp-[\w-]{12,}"),
    ("stripe-key", r"[prs]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[\w+/=-]{16,}"),
    ("anthropic-key", r"sk-ant-[\w-]{12,}"),
    ("openai-key", r"sk-(?=[\w-]{0,64}[0-9A-Z])[\w-]{17,}"),
    ("google-key", r"AIza[\w-]{28,}|ya29\.[\w.-]{16,}|GOCSPX-[\w-]{16,}"),
    ("jwt", r"eyJ[\w-]{8,600}\.[\w-]{2,}"),
    ("npm-token", r"npm_[A-Za-z0-9]{28,}"),
    ("pypi-token", r"pypi-(?=[\w-]{0,64}[0-9A-Z])[\w-]{16,}"),
    ("huggingface-token", r"hf_[A-Za-z0-9]{28,}"),
    ("sendgrid-key", r"SG\.[\w-]{16,64}\.[\w-]{16,}"),
    ("docker-token", r"dckr_[op]at_[\w-]{20,}"),
    ("shopify-token", r"shp[a-z]{2,3}_[A-Za-z0-9]{28,}"),
    ("twilio-key", r"SK[0-9a-f]{32}(?![0-9a-f])"),
    (
        "vendor-token",
        r"(?:ATATT3|NRAK-|AGE-SECRET-KEY-1|dapi|dop_v1_|figd_|gsk_|hvs\.|key-|lin_api_|ntn_|pplx-|pscale_|r8_|sbp_|sq0...-|tvly-|xai-|xkeysib-)(?=[\w-]{0,64}[0-9])[\w.=-]{20,}",
    ),
)
_TOKEN = re.compile("|".join(f"(?P<{name.replace('-', '_')}>{pattern})" for name, pattern in _GROUPS), re.ASCII)
_BOT = re.compile(r":AA[\w-]{30,}", re.ASCII)
_DISCORD = re.compile(r"[MNO][\w-]{22,28}\.[\w-]{6}\.[\w-]{27,}", re.ASCII)
_TOKEN_REST = re.compile(r"(?:[\w+=-]|\.(?=[\w-]))*", re.ASCII)
_OPEN = re.compile(
    r"(?:A[KS]IA|AIza|GOCSPX-|SG\.|eyJ|gh[pousr]_|github_pat_|gl[a-z]{2,6}-|hf_|npm_|pypi-|[prs]k_(?:live|test)_|sk-|shp[a-z]{2,3}_"
    r"|dckr_[op]at_|xox[a-z][-.]|xapp-|ya29\.|(?:bot)?[0-9]{8,10}:AA)[\w.+/=-]*\Z",
    re.ASCII,
)


def vendor_token(text: str, at: int) -> Span | None:
    """The token with a known prefix that begins at `at`."""
    if not fresh(text, at):
        return None
    token = _TOKEN.match(text, at)
    if token is None:
        return None
    rest = _TOKEN_REST.match(text, token.end())
    return at, rest.end() if rest else token.end(), str(token.lastgroup).replace("_", "-")


def bot_token(text: str, colon: int) -> Span | None:
    """A Telegram token, found by the `:AA` in its middle."""
    before = text[max(0, colon - 14) : colon]
    digits = len(before) - len(before.rstrip(string.digits))
    start = colon - digits
    token = _BOT.match(text, colon) if 8 <= digits <= 10 else None
    if token and (fresh(text, start) or before[:-digits].endswith("bot")):
        return start, token.end(), "telegram-token"
    return None


def long_tokens(text: str, raw: bytes, public: list[tuple[int, int]]) -> Iterator[Span]:
    """Long tokens without a known prefix, outside of the `public` key blocks."""
    shape = raw.translate(_CLASSES)
    start = shape.find(_RUN)
    while start >= 0:
        end = shape.find(b" ", start)
        end = len(text) if end < 0 else end
        if _DIGIT.search(text, start, end) and (span := _unnamed_token(text, start, end)):
            if not any(first <= start < last for first, last in public):
                yield span
            end = max(end, span[1])
        start = shape.find(_RUN, end)


def open_end(text: str) -> list[Span]:
    """A token that the end of the clipped text cuts short: its prefix is evidence enough."""
    cut = _OPEN.search(text, max(0, len(text) - 96))
    return [(cut.start(), len(text), "cut-token")] if cut and fresh(text, cut.start()) else []


# Long tokens without a known prefix: judged by what stands before them and by how random they look.

_WEBHOOK = re.compile(
    r"(?:hooks\.slack\.com\\?/(?:services|workflows|triggers)|discord(?:app)?\.com\\?/api(?:\\?/v[0-9]+)?\\?/webhooks"
    r"|webhook\.office\.com\\?/webhookb2)\\?/(?P<path>[\w\\/@.-]{0,128})\Z"
)
_PUBLIC_BEFORE = re.compile(
    r"(?:\bsha-?[0-9]{1,3}[-:=]|\bmd5[-:=]|\bh1:|;base64,|\bintegrity\b.{0,12}|"
    r"\bchecksum.{0,6}|\bssh-[a-z0-9-]{3,12} |\bnixpkgs\S*)\Z",
    re.I,
)
_PUBLIC_START = re.compile(
    r"iVBORw0KGgo|/9j/|R0lGOD|UklGR|PHN2Zy|JVBERi0|UEsDB|H4sI|d09GR|AAAA[BCE][23]|(?:srv|sdk)?(?:toolu|tooluse|msg|req|resp|call|chatcmpl|rs|fc|"
    r"run|thread|asst|file|cmpl|batch)[_-]"
)
_SECRET_WORD = re.compile(
    r"(?:secret|token|passw(?:or)?d|api[ _-]?key|access[ _-]?key|private[ _-]?key|credential)s?"
    r"[ \t:=|\"'`>]{1,6}(?:(?:is|was)[ \t:\"'`]{1,4})?\Z",
    re.I,
)
_SECRET_STEMS = ("secret", "token", "passw", "key", "credential")
_UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\Z")
_HEX = re.compile(r"(?:0x)?[0-9a-fA-F]+-?\Z")
_WORDS = re.compile(r"[a-z]{4,}|[A-Z]{4,}")
_NAME_PART = re.compile(r"[a-z]{3,}\Z|[A-Z]?[a-z]{4,}")


def _unnamed_token(text: str, start: int, end: int) -> Span | None:
    """A long token that only its looks or its neighbourhood give away. The cheap refusals come first."""
    first, last = _widened(text, start, end)
    before = text[max(0, first - 32) : first]
    if text[start - 1 : start] == "/" and (hook := _WEBHOOK.search(text[max(0, start - 200) : start])):
        return start - len(hook["path"]), last, "webhook"
    if text[last : last + 1] == "." and (discord := _DISCORD.match(text, first)):
        return *discord.span(), "discord-token"
    token = text[first:last]
    named = _after_secret_word(before) and not _UUID.match(token) and _wordiness(token) < 0.4
    if not (named or _random(token)) or _PUBLIC_START.match(token) or _PUBLIC_BEFORE.search(before):
        return None
    return first, last, "secret" if named else "high-entropy"


def _after_secret_word(before: str) -> bool:
    low = before.lower()
    return any(word in low for word in _SECRET_STEMS) and _SECRET_WORD.search(before) is not None


def _widened(text: str, start: int, end: int) -> tuple[int, int]:
    """The run with its base64 neighbours (`/`, `=`), and without the rest of an escape before it."""
    first, last = start, end
    if text[start - 1 : start] == "/":
        left = text[max(0, start - 128) : start]
        first = start - (len(left) - len(left.rstrip(_BASE64)))
    if text[end : end + 1] == "/":
        right = text[end : end + 4_096]
        last = end + len(right) - len(right.lstrip(_BASE64))
    while text[last : last + 1] == "=" and last < end + 4_098:
        last += 1
    return first + (text[first - 1 : first] == "\\" and fresh(text, first + 1)), last


def _random(token: str) -> bool:
    """At least 32 characters of base64 that are neither hex, nor a path, nor words joined to a name."""
    if len(token) < 32 or token.islower() or token.isupper():
        return False
    body = token.rstrip("=")
    if len(body) < 32 or _HEX.match(body) or not _mixed(body):
        return False
    return _wordiness(body) < 0.4 and not _path(body) and _entropy(body[:256]) >= 3.8


def _wordiness(body: str) -> float:
    """The share of letters that stand four or more of one case together: words do, chance does not."""
    return sum(len(word) for word in _WORDS.findall(body)) / len(body)


def _mixed(body: str) -> bool:
    digits = sum(body.count(d) for d in string.digits)
    return digits >= 2 and digits <= 0.6 * len(body) and body.lower() != body and body.upper() != body


def _path(body: str) -> bool:
    parts = body.split("/")
    return len(parts) > 1 and (parts[0] == "" or any(_NAME_PART.match(part) for part in parts))


def _entropy(body: str) -> float:
    """Shannon's, in bits for each character."""
    counts = Counter(body).values()
    return -sum(n / len(body) * math.log2(n / len(body)) for n in counts)
