"""Tokens: those with a vendor's prefix, and long ones that only look random."""

# Patterns are kept whole on their lines.
# ruff: noqa: E501

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Iterator, Sequence

from sleepd.core.redact_needles import Span, fresh

# Long tokens: a run of at least 20 token characters. With every token character turned into one letter, all runs are
# found by a literal search, at more than half a gigabyte a second.

_TOKEN_CHARS = (string.ascii_letters + string.digits + "_-+").encode()
_CLASSES = bytes(ord("a") if c in _TOKEN_CHARS else ord(" ") for c in range(256))
_RUN = b"a" * 20
_BASE64 = string.ascii_letters + string.digits + "+/_-"
_DIGIT = re.compile(r"[0-9]")
_DIGIT_BYTE = re.compile(rb"[0-9]")

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
)
_VENDORS = (
    # Clouds and hosting
    r"hv[sbr]\.[\w-]{20,}|do[opr]_v1_[0-9a-f]{40,}|HRKU-[\w-]{30,}|rnd_\w{24,}|nfp_\w{30,}|vc[apikr]_\w{20,}|vercel_\w{20,}|napi_\w{30,}",
    r"pscale_(?:tkn|pw|oauth)_[\w.-]{20,}|sbp_[0-9a-f]{32,}|sb_secret_[\w-]{20,}|fm[12][ar]?_[\w+/=,-]{40,}|fo1_[\w-]{30,}|tskey-\w+-[\w-]{16,}",
    r"LTAI[A-Za-z0-9]{12,}|AKID[A-Za-z0-9]{24,}|ABSK[\w+/=]{60,}|AQVN[\w-]{32,}|y[0-3]_[\w-]{50,}|IQoJb3JpZ2lu[\w+/=]{40,}|F[wQ]oGZXIv[\w+/=]{40,}",
    r"v1\.0-[0-9a-f]{20,}-[0-9a-f]{60,}|ops_eyJ[\w-]{40,}|dt0[a-z][0-9]{2}\.[A-Z0-9]{20,}|pul-[0-9a-f]{40}|eyJrIjoi[\w=]{40,}|sntry[su]_[\w=+/-]{40,}",
    r"glc_[\w+/=]{32,}|NR(?:AK|II|AL|JS|SP)-[\w-]{20,}|dapi[0-9a-f]{32}|AKCp[A-Za-z0-9]{40,}|cmVmdGtu[\w=]{40,}|oy2[a-z0-9]{43}|rubygems_[0-9a-f]{40,}",
    r"cio[A-Za-z0-9]{32}(?![A-Za-z0-9])|CLOJARS_[a-z0-9]{40,}|EAA[A-Za-z0-9]{60,}|EAAA[\w-]{56,}|sq0[a-z]{3}-[\w-]{20,}|amzn[0-9]\.[\w.-]{30,}|nvapi-[\w-]{40,}",
    # Models
    r"(?:gsk|tgp_v1|fw|r8|jina|wandb_v1|pcsk|lsv2_[ps][tk])_(?=\w*[0-9])[\w-]{24,}|xai-\w{40,}|pplx-\w{32,}|csk-\w{32,}|tvly-[\w-]{20,}|fc-[0-9a-f]{32}",
    r"pa-(?=[\w-]*[0-9])[\w-]{40,}|api_org_[A-Za-z]{30,}|sk_[0-9a-f]{40,}|AGE-SECRET-KEY-1[A-Z0-9]{40,}|co-[A-Za-z0-9]{38,}",
    # Tools and services
    r"AT(?:ATT3|CTT3)[\w=-]{40,}|ATBB[A-Za-z0-9]{20,}|fig[dou]_[\w-]{30,}|lin_(?:api|oauth|wh)_\w{24,}|ntn_\w{30,}|secret_[A-Za-z0-9]{40,}|key-[0-9a-f]{32}",
    r"xkeysib-[0-9a-f]{40,}[\w-]*|xsmtpsib-[0-9a-f]{40,}[\w-]*|re_(?=\w*[0-9])\w{20,}|PMA[KT]-[\w-]{24,}|CFPAT-[\w-]{30,}|tfp_[\w-]{30,}|shippo_(?:live|test)_[0-9a-f]{30,}",
    r"bk[a-z]{2}_[0-9a-f]{30,}|CCIP(?:AT|RJ)_\w{20,}|pnu_\w{30,}|rdme_\w{40,}|EZ[AT]K\w{40,}|duffel_(?:live|test)_[\w-]{30,}|aio_[A-Za-z0-9]{28}|ph[xs]_\w{32,}",
    r"sgp_(?:\w{16}_)?[0-9a-f]{40}|HRKU-[\w-]{30,}|rzp_(?:live|test)_\w{14,}|FLWSECK(?:_TEST)?-\w{12,}|sl\.[\w-]{60,}|pat-[a-z]{2}[0-9]-[0-9a-f-]{36}",
    r"[a-f0-9]{32}-us[0-9]{1,2}(?![0-9])|github_pat_\w{40,}|live_[0-9a-f]{40,}|u[0-9]{6,}-[0-9a-f]{24}",
)
"""Tokens of at least 20 characters in a row, which the search for long runs finds: they need no needle."""
_VENDOR = re.compile("|".join(_VENDORS), re.ASCII)
_BEFORE_DOT = re.compile(
    r"(?:\bpat[A-Za-z0-9]{14}\.|\b[A-Za-z0-9]{14}\.atlasv1\.|\b[\w.-]{3}[78]Q~|\bt1\.[\w-]{1,12}\.|\bhv[sbr]\.|\bsl\.)\Z"
)
"""What stands before a run when a vendor's token has a dot in it."""
_TOKEN = re.compile("|".join(f"(?P<{name.replace('-', '_')}>{pattern})" for name, pattern in _GROUPS), re.ASCII)

_FULL = (
    ("gh[pousr]_", 40),
    ("github_pat_", 93),
    ("glpat-", 26),
    ("A[KS]IA", 20),
    ("AIza", 39),
    ("npm_", 40),
    ("hf_", 37),
    ("sk-ant-", 108),
    ("sk-proj-", 132),
    ("sk-or-v1-", 73),
    ("sk-", 51),
    ("xox[abp]-", 56),
    ("dop_v1_", 71),
    ("[sr]k_live_", 32),
    ("pypi-", 160),
    ("SG\\.", 69),
    ("shp[a-z]{2}_", 38),
    ("dapi", 36),
    ("glsa_", 46),
    ("gsk_", 56),
    ("dckr_pat_", 36),
    ("eyJ", 120),
)
"""How long a vendor's tokens are at least: a shorter one at the end of a line goes on in the next."""
_BROKEN = re.compile(
    "|".join(rf"(?P<f{size}_{number}>{prefix})" for number, (prefix, size) in enumerate(_FULL)), re.ASCII
)
_PIECE = re.compile(r"[\w.+/=-]+", re.ASCII)
_BREAK = re.compile(
    r"(?:\\?\r?\n|\\{0,4}\\n)(?:[ \t]{0,40}[|>+\u2502]?[ \t]{0,8})(?=(?P<next>[\w.+/=-]{4,256}))", re.ASCII
)
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
    broken = _wrapped(text, at)
    if token is None:
        return (at, broken, "wrapped-token") if broken else None
    rest = _TOKEN_REST.match(text, token.end())
    return at, max(broken, rest.end() if rest else token.end()), str(token.lastgroup).replace("_", "-")


def _wrapped(text: str, at: int) -> int:
    """Where a token ends that a terminal broke at the end of a line; 0 when it was not broken.

    The pieces are joined as long as the token is shorter than its vendor's are and the next line begins with what looks
    random.
    """
    known = _BROKEN.match(text, at)
    piece = _PIECE.match(text, at, at + 256) if known else None
    if known is None or piece is None:
        return 0
    missing = int(str(known.lastgroup)[1:].split("_")[0]) - len(piece.group())
    end = 0
    last = piece.end()
    while missing > 0 and (line := _BREAK.match(text, last)):
        more = line["next"][: 4 * missing]
        if not _DIGIT.search(more) or _wordiness(more) > 0.5 or len(line["next"]) > 2 * missing + 40:
            break
        last = end = line.end() + len(line["next"])
        missing -= len(line["next"])
    return end


def bot_token(text: str, colon: int) -> Span | None:
    """A Telegram token, found by the `:AA` in its middle."""
    before = text[max(0, colon - 14) : colon]
    digits = len(before) - len(before.rstrip(string.digits))
    start = colon - digits
    token = _BOT.match(text, colon) if 8 <= digits <= 10 else None
    if token and (fresh(text, start) or before[:-digits].endswith("bot")):
        return start, token.end(), "telegram-token"
    return None


def long_runs(raw: bytes) -> Iterator[tuple[int, int]]:
    """Start and end of each run of at least 20 token characters with a digit among them, in order."""
    shape = raw.translate(_CLASSES)
    start = shape.find(_RUN)
    while start >= 0:
        end = shape.find(b" ", start)
        end = len(raw) if end < 0 else end
        if _DIGIT_BYTE.search(raw, start, end):
            yield start, end
        start = shape.find(_RUN, end)


def long_tokens(text: str, runs: Sequence[tuple[int, int]], public: list[tuple[int, int]]) -> Iterator[Span]:
    """Long tokens without a known prefix, outside of the `public` key blocks; `runs` are the text's long runs."""
    done = 0
    for begin, end in runs:
        start = max(begin, done)
        if end - start < len(_RUN) or (start > begin and not _DIGIT.search(text, start, end)):
            continue
        # Most long runs of a transcript. A web hook, a vendor's prefix or an escape would show in the neighbours.
        alone = text[start - 1 : start] not in _JOINS and text[end : end + 1] not in _JOINS
        if alone and end - start == 36 and _LOWER_UUID.match(text, start, end):
            continue
        if span := _vendor_run(text, start, end) or _unnamed_token(text, start, end):
            if not any(first <= start < last for first, last in public):
                yield span
            done = max(end, span[1])


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
    r"(?:\bsha-?[0-9]{1,3}[-:= ]{1,3}|\bmd5[-:=]|\bfingerprint.{0,6}|\bpubkey\w{0,6}.{0,5}|\bh1:|;base64,|\bintegrity\b.{0,12}|"
    r"\bchecksum.{0,6}|\bssh-[a-z0-9-]{3,12} |\bnixpkgs\S*)\Z",
    re.I,
)
_PUBLIC_START = re.compile(
    r"iVBORw0KGgo|/9j/|R0lGOD|UklGR|PHN2Zy|JVBERi0|UEsDB|H4sI|d09GR|AAAA[BCE][23]|(?:srv|sdk)?(?:toolu|tooluse|msg|req|resp|call|chatcmpl|rs|fc|"
    r"run|thread|asst|file|cmpl|batch)[_-]"
)
_ID = re.compile(r"(?:[a-z]{2,12}_){1,3}01[1-9A-HJ-NP-Za-km-z]{20,24}\Z|[\w-]{0,40}20[0-9]{2}-[01][0-9]-[0-3][0-9]T")
"""An object's id as interfaces of models hand it out, and a name with a date in it."""
_SECRET_WORD = re.compile(
    r"(?:secret|token|passw(?:or)?d|api[ _-]?key|access[ _-]?key|private[ _-]?key|credential)s?"
    r"[ \t:=|\"'`>]{1,6}(?:(?:is|was)[ \t:\"'`]{1,4})?\Z",
    re.I,
)
_SECRET_STEMS = ("secret", "token", "passw", "key", "credential")
_UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\Z")
_LOWER_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\Z")
_JOINS = frozenset("/.~=\\")
_HEX = re.compile(r"(?:0x|I)?[0-9a-fA-F]+-?\Z")
_WORDS = re.compile(r"[a-z]{4,}|[A-Z]{4,}")
_CAMEL = re.compile(r"_{0,2}(?:[A-Z][a-z]++|[a-z]{2,}+|[A-Z]{2,}+|[0-9]{1,8}+|[_-])++\Z")
_ESCAPED = re.compile(r"u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[abfnrtv]")
_NAME_PART = re.compile(r"[a-z]{3,}\Z|[A-Z]?[a-z]{4,}")


def _unnamed_token(text: str, start: int, end: int) -> Span | None:
    """A long token that only its looks or its neighbourhood give away. The cheap refusals come first."""
    # The run with its base64 neighbours (`/`, `=`), and without the rest of an escape before it.
    first, last = start, end
    if text[start - 1 : start] == "/":
        left = text[max(0, start - 128) : start]
        first = start - (len(left) - len(left.rstrip(_BASE64)))
    if text[end : end + 1] == "/":
        right = text[end : end + 4_096]
        last = end + len(right) - len(right.lstrip(_BASE64))
    while text[last : last + 1] == "=" and last < end + 4_098:
        last += 1
    if text[first - 1 : first] == "\\" and (escape := _ESCAPED.match(text, first)):
        first = escape.end()
    before = text[max(0, first - 32) : first]
    if text[start - 1 : start] == "/" and (hook := _WEBHOOK.search(text[max(0, start - 200) : start])):
        return start - len(hook["path"]), last, "webhook"
    if text[last : last + 1] == "." and (discord := _DISCORD.match(text, first)):
        return *discord.span(), "discord-token"
    token = text[first:last]
    low = before.lower()
    announced = any(word in low for word in _SECRET_STEMS) and _SECRET_WORD.search(before) is not None
    named = announced and not _UUID.match(token) and _wordiness(token) < 0.4
    if not (named or _random(token)) or _PUBLIC_START.match(token) or _ID.match(token) or _PUBLIC_BEFORE.search(before):
        return None
    return first, last, "secret" if named else "high-entropy"


def _vendor_run(text: str, start: int, end: int) -> Span | None:
    """The vendor's token that this run of token characters is, or ends with."""
    before = text[start - 1 : start]
    escape = _ESCAPED.match(text, start) if before == "\\" else None
    if token := _VENDOR.match(text, escape.end() if escape else start + (text[start] in "+-")):
        return token.start(), max(end, token.end()), "vendor-token"
    if before in {".", "~"} and (head := _BEFORE_DOT.search(text[max(0, start - 28) : start])):
        return start - len(head.group()), end, "vendor-token"
    return None


def _random(token: str) -> bool:
    """At least 32 characters of base64 that are neither hex, nor a path, nor words joined to a name."""
    if len(token) < 32 or token.islower() or token.isupper():
        return False
    body = token.rstrip("=")
    if len(body) < 32 or _HEX.match(body):
        return False
    digits = sum(body.count(d) for d in string.digits)
    if not 2 <= digits <= 0.6 * len(body) or body.lower() == body or body.upper() == body:
        return False
    pieces = body.replace("_", "-").count("-") + 1
    if _wordiness(body) >= 0.4 or len(body) < 6 * pieces or _CAMEL.match(body):
        return False
    first, *others = body.split("/")
    if others and (
        first == "" or any(_NAME_PART.match(p) or (len(p) >= 4 and _CAMEL.match(p)) for p in (first, *others))
    ):
        return False
    # Shannon's entropy, in bits for each character.
    seen = body[:256]
    return -sum(n / len(seen) * math.log2(n / len(seen)) for n in Counter(seen).values()) >= 3.8


def _wordiness(body: str) -> float:
    """The share of letters that stand four or more of one case together: words do, chance does not."""
    return sum(len(word) for word in _WORDS.findall(body)) / len(body)
