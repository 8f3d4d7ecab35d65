"""Places that hold a secret without naming one: headers, cookies, addresses, commands, calls, password files."""

# Patterns are kept whole on their lines.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from sleepd.core.redact_assignments import PLACEHOLDER, TEMPLATE
from sleepd.core.redact_needles import Span

Reader = Callable[[str, int], Iterator[Span]]
"""The secrets of the place that a needle at an offset of a text leads to."""

_VALUE = (
    r"(?:\\*'(?P<single>[^'\n\\]{3,128})\\*'|\\*\"(?P<double>[^\"\n\\]{3,128})\\*\"|(?P<bare>[^\s'\"`|;&<>\\]{3,256}))"
)
"""A word of a command line, quoted or not."""
_LINE = r"(?:[^\n|;&\\]|\\+(?!n)){0,240}?"
"""The rest of a command, up to an option."""
_CODED = re.compile(r"(?=.*[0-9])(?=.*[A-Za-z]).{12,}|.{24,}", re.S)


def _given(found: re.Match[str] | None, rule: str) -> Iterator[Span]:
    """The one value that a pattern with `_VALUE` found, unless it is a place to be filled in."""
    if found is None:
        return
    group = next(name for name in ("single", "double", "bare") if found[name] is not None)
    value = found[group]
    if not re.match(TEMPLATE, value) and not PLACEHOLDER.match(value) and not value.isupper():
        yield (*found.span(group), rule)


# ---------------------------------------------------------------------------------------------------------------------
# Addresses.

_USER_INFO = re.compile(
    rf"://[^\s/:@\"'<>\\\[\]]{{0,128}}:(?!{TEMPLATE})(?![0-9]{{1,5}}[/?#])(?P<password>[^\s/@\"'<>\\]{{1,256}}(?:@[^\s/@\"'<>\\:]{{1,64}}(?=@))?)@",
    re.I,
)
_USER_TOKEN = re.compile(
    r"://(?P<token>(?=[\w.~%-]{0,64}[0-9])(?=[\w.~%-]{0,64}[A-Za-z])(?![\w.~%-]{0,256}\.[a-z]{2,4}@)[\w.~%-]{20,256})(?::x-oauth-basic)?@"
)


def _address(text: str, at: int) -> Iterator[Span]:
    if address := _USER_INFO.match(text, at):
        yield (*address.span("password"), "url-password")
    elif token := _USER_TOKEN.match(text, at):
        yield (*token.span("token"), "url-password")


_SIGNATURE = re.compile(r"(?:sig|ure)=(?P<value>[\w%+/~.-]{16,2048}={0,2})")
_SIGNED = re.compile(r"(?:[?&;]|\\u0026|amp;)(?:X-(?:Amz|Goog|Oss|Cos|Bce|Obs)-)?(?:q-)?(?:Signat)?\Z", re.I)
_CODE = re.compile(r"ode=(?P<value>(?=[\w%.~/-]{0,64}[0-9])[\w%.~/-]{20,1024})")
_QUERY = re.compile(r"(?:[?&]|\\u0026|amp;)(?:auth_?)?c\Z", re.I)


def _signature(text: str, at: int) -> Iterator[Span]:
    """The signature of an address that lets in whoever has it."""
    found = _SIGNATURE.match(text, at)
    if found is None:
        found = _SIGNATURE.match(text[at : at + 4].lower() + text[at + 4 : at + 2_060]) if text[at].isupper() else None
        if found is None or not _SIGNED.search(text[max(0, at - 24) : at]):
            return
        yield at + found.start("value"), at + found.end("value"), "url-signature"
    elif _SIGNED.search(text[max(0, at - 24) : at]):
        yield (*found.span("value"), "url-signature")


def _login_code(text: str, at: int) -> Iterator[Span]:
    """The code with which an OAuth redirect lets in."""
    if (found := _CODE.match(text, at)) and _QUERY.search(text[max(0, at - 12) : at]):
        yield (*found.span("value"), "authorization")


# ---------------------------------------------------------------------------------------------------------------------
# Headers and cookies.

_WRAP = r"(?:\\+\r?\n[ \t]{0,16}|\\{3,}n)"
_HEADER = re.compile(
    rf"authorization(?:\\*[\"'])?[ \t]{{0,4}}[:=,][ \t]{{0,4}}(?:\\*[\"'`])?[ \t]{{0,4}}"
    rf"(?P<scheme>(?:basic|bearer|token|digest|apikey|bot)[ \t]+)?(?!{TEMPLATE})"
    rf"(?P<value>[\w.~+/=:-]{{8,}}(?:{_WRAP}[\w.~+/=-]{{8,}}){{0,8}})",
    re.I | re.ASCII,
)
_BEARER = re.compile(
    rf"(?i:bearer|basic)(?:\+|%20|[ \t]{{1,4}})(?!{TEMPLATE})(?=[\w.~+/-]{{0,64}}[0-9A-Z])"
    rf"(?P<value>[\w.~+/-]{{16,}}(?:{_WRAP}[\w.~+/-]{{8,}}){{0,8}}=*)",
    re.ASCII,
)
_LETTERS_AND_DIGITS = re.compile(r"(?=[^0-9]*[0-9])(?=[^A-Za-z]*[A-Za-z])")
_AUTH_ENTRY = re.compile(
    rf"auth\\*[\"']?[ \t]{{0,4}}[:=][ \t]{{0,4}}\\*[\"']?(?!{TEMPLATE})(?P<value>(?=[\w+/]{{0,512}}[0-9=])[\w+/]{{12,512}}={{0,2}})(?![\w.(])",
    re.ASCII,
)
_CREDENTIAL_PAIR = re.compile(
    r"(?:auth|basic|login)\w{0,24}[ \t]{0,2}=?[ \t]{0,2}\([ \t]{0,4}(?:\\*[\"'])(?P<user>[^\"'\n\\]{1,64})\\*[\"'][ \t]{0,2},[ \t]{0,2}\\*(?P<mark>[\"'])"
    r"(?P<value>[^\"'\n\\]{4,128})\\*(?P=mark)[ \t]{0,2}[,)]",
    re.I,
)
"""A call or pair with a user and a password: `auth=('svc', '…')`, `login("me", "…")`."""


def _authorization(text: str, at: int) -> Iterator[Span]:
    header = _HEADER.match(text, at)
    if header is not None and header["scheme"] is None and not _LETTERS_AND_DIGITS.match(header["value"]):
        header = None
    header = header or _BEARER.match(text, at)
    if header is None and text[at - 1 : at] in {"_", '"', "'"}:
        header = _AUTH_ENTRY.match(text, at)
    if header is not None:
        yield (*header.span("value"), "authorization")
    else:
        yield from _pair(text, at)


def _pair(text: str, at: int) -> Iterator[Span]:
    pair = _CREDENTIAL_PAIR.match(text, at)
    if pair is not None and not PLACEHOLDER.match(pair["value"]) and " " not in pair["value"]:
        yield (*pair.span("value"), "password")


_COOKIES = re.compile(r"cookies?2?\\*[\"']?[ \t]{0,4}(?:[:=,][ \t]{0,4}|[ \t]{1,4})\\*[\"']?(?=[\w.%-]{1,64}=)", re.I)
_COOKIE_OPTION = re.compile(r"-b [\"'](?=[\w.%-]{1,64}=)")
_CRUMB = re.compile(r"(?P<name>[\w.%-]{1,64})=\"?(?P<value>[^\s;,\"'\\]{0,4096})\"?(?P<more>;[ \t]{0,2})?")
_ACCESS_CRUMB = re.compile(r"sess|sid\b|csrf|xsrf|token|auth|jwt|login|remember|secret|ticket|_id\Z|key", re.I)
_OPEN_CRUMB = re.compile(
    r"(?:path|domain|expires|max-age|samesite|version|priority|theme|lang|locale|_ga\w*|consent)\Z", re.I
)


def _cookies(text: str, at: int) -> Iterator[Span]:
    """The values of a cookie header that let somebody in; a theme and a language stay."""
    head = _COOKIES.match(text, at) or _COOKIE_OPTION.match(text, at)
    if head is None:
        return
    crumb = _CRUMB.match(text, head.end())
    while crumb is not None:
        name, value = crumb["name"], crumb["value"]
        told = len(value) >= 8 and (_ACCESS_CRUMB.search(name) or (_CODED.fullmatch(value) and len(value) >= 16))
        if told and not _OPEN_CRUMB.match(name) and not re.match(TEMPLATE, value):
            yield (*crumb.span("value"), "cookie")
        crumb = _CRUMB.match(text, crumb.end()) if crumb["more"] else None


# ---------------------------------------------------------------------------------------------------------------------
# Commands.

_USER_OPTION = re.compile(
    rf"(?:-u |-user[ =])[\"']?(?!{TEMPLATE})[^\s:\"'/]{{1,64}}:(?!{TEMPLATE}|[0-9]{{1,7}}\b|/)"
    r"(?P<value>[^\s\"']{3,256})"
)


def _user_option(text: str, at: int) -> Iterator[Span]:
    if option := _USER_OPTION.match(text, at):
        yield (*option.span("value"), "authorization")


_MYSQL = re.compile(rf"(?:mysql|maria)\w*(?:-\w+)?[ \t]{_LINE}[ \t]-p(?!ort\b|rotocol\b|lugin){_VALUE}", re.I)
_P_OPTION = re.compile(
    rf"(?:mongo(?:sh|dump|restore|import|export)?|twine|sqlcmd)[ \t]{_LINE}[ \t]-[pP][ =]?{_VALUE}", re.I
)
_REDIS = re.compile(rf"s-cli[ \t]{_LINE}(?:-a[ \t]+|--pass[ =]){_VALUE}")
_LOGIN = re.compile(rf"login[ \t]{_LINE}[ \t]-p[ =]?{_VALUE}")
_SSHPASS = re.compile(rf"pass[ \t]{{1,4}}(?:-v[ \t]+)?-p[ \t]{{0,4}}{_VALUE}")
_HTPASSWD = re.compile(
    rf"passwd[ \t]+-\w*b\w*[ \t]+(?:-\w+[ \t]+){{0,4}}[^\s]{{1,128}}[ \t]+[^\s]{{1,64}}[ \t]+{_VALUE}"
)
_ECHO = re.compile(
    r"(?:echo|printf)[ \t]+(?:-\w+[ \t]+|\\*[\"']?%s(?:\\+n)?\\*[\"']?[ \t]+)?\\*(?P<mark>[\"']?)(?P<value>[^\s\"'|$\\][^\s\"'|\\]{3,256})\\*(?P=mark)[ \t]*\|[ \t]*(?:sudo[ \t]+)?[^|\n]{0,160}\Z"
)
_SUDO = re.compile(r"sudo[ \t]+(?:-\w+[ \t]+){0,3}-\w*S")


def _echoed(text: str, at: int) -> Iterator[Span]:
    """What was handed to the command at `at` through a pipe."""
    start = max(0, at - 320)
    if (echo := _ECHO.search(text[start:at])) and not PLACEHOLDER.match(echo["value"]):
        value = echo["value"]
        colon = value.find(":") + 1 if text.startswith("passwd", at) else 0
        yield start + echo.start("value") + colon, start + echo.end("value"), "password"


def command_password(text: str, at: int) -> Iterator[Span]:
    """The password of a command whose name or option holds the letters `pass` at `at`."""
    before = text[max(0, at - 3) : at]
    if before.endswith("ssh"):
        yield from _given(_SSHPASS.match(text, at), "password")
    elif before.endswith("ht") and text.startswith("passwd", at):
        yield from _given(_HTPASSWD.match(text, at), "password")
    elif (before.endswith("ch") and text.startswith("passwd", at)) or text.startswith("password-stdin", at):
        yield from _echoed(text, at)


def _sudo(text: str, at: int) -> Iterator[Span]:
    if _SUDO.match(text, at):
        yield from _echoed(text, at)


def _option(pattern: re.Pattern[str]) -> Reader:
    def read(text: str, at: int) -> Iterator[Span]:
        return _given(pattern.match(text, at), "password")

    return read


def _login(text: str, at: int) -> Iterator[Span]:
    yield from _given(_LOGIN.match(text, at), "password")
    yield from _pair(text, at)


_SECURE_STRING = re.compile(
    r"securestring[ \t]+(?:-string[ \t]+)?\\*[\"'](?P<value>[^\"'\n]{4,128}?)\\*[\"'][ \t]+\Z", re.I
)


def _plain_text(text: str, at: int) -> Iterator[Span]:
    """PowerShell's `ConvertTo-SecureString "…" -AsPlainText`."""
    start = max(0, at - 180)
    if (found := _SECURE_STRING.search(text[start:at])) and not re.match(TEMPLATE, found["value"]):
        yield start + found.start("value"), start + found.end("value"), "password"


# ---------------------------------------------------------------------------------------------------------------------
# Programs and password files.

_IDENTIFIED = re.compile(
    r"identified[ \t]+(?:with[ \t]+\S{1,64}[ \t]+)?(?:by|as)[ \t]+(?:password[ \t]+)?\\*[\"'](?P<value>[^\"'\n\\]{4,256})\\*[\"']",
    re.I,
)
_MNEMONIC = re.compile(
    r"mnemonic\w*\\*[\"']?[ \t]{0,4}(?:[:=]|is)[ \t]{0,4}\\*[\"']?(?P<value>[a-z]{3,8}(?:[ ,][a-z]{3,8}){11,23})(?![a-z])",
    re.I,
)
_HASHED = re.compile(r"(?P<value>\$(?:apr1|[1256y]|2[aby]|argon2(?:id|i|d))\$[\w./=,$-]{16,256})")
_PGPASS = re.compile(r":(?:[0-9]{2,5}|\*):[\w*.-]{1,64}:[\w*.-]{1,64}:(?P<value>[^\s:\"'\\]{4,128})")
_PUTTY = re.compile(
    r"Private-Lines:[ \t]*[0-9]{1,3}(?P<value>(?:(?:\r?\n|\\+n)(?!Private-)[A-Za-z0-9+/=]{1,80})+)(?:(?:\r?\n|\\+n)Private-MAC:[ \t]*(?P<mac>[0-9a-f]+))?"
)
_GOOGLE_REFRESH = re.compile(r"(?P<value>1//0[\w-]{30,})")
_DOTTED = re.compile(
    r"(?P<value>dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,}|fm[12][ar]?_[\w+/=,-]{40,})"
)


def _hole(pattern: re.Pattern[str], rule: str) -> Reader:
    def read(text: str, at: int) -> Iterator[Span]:
        if (found := pattern.match(text, at)) and (rule == "password-hash" or not re.match(TEMPLATE, found["value"])):
            yield (*found.span("value"), rule)

    return read


def _putty(text: str, at: int) -> Iterator[Span]:
    if found := _PUTTY.match(text, at):
        yield (*found.span("value"), "private-key")
        if found["mac"]:
            yield (*found.span("mac"), "private-key")


PLACES: Mapping[str, Reader] = {
    "://": _address,
    "sig=": _signature,
    "ure=": _signature,
    "ode=": _login_code,
    "auth": _authorization,
    "bear": _authorization,
    "basi": _authorization,
    "cook": _cookies,
    "-b '": _cookies,
    '-b "': _cookies,
    "-u ": _user_option,
    "-use": _user_option,
    "mysq": _option(_MYSQL),
    "mari": _option(_MYSQL),
    "mong": _option(_P_OPTION),
    "twin": _option(_P_OPTION),
    "sqlc": _option(_P_OPTION),
    "s-cl": _option(_REDIS),
    "logi": _login,
    "sudo": _sudo,
    "-asp": _plain_text,
    "iden": _hole(_IDENTIFIED, "password"),
    "mnem": _hole(_MNEMONIC, "secret"),
    "$apr": _hole(_HASHED, "password-hash"),
    "$arg": _hole(_HASHED, "password-hash"),
    "$2a$": _hole(_HASHED, "password-hash"),
    "$2b$": _hole(_HASHED, "password-hash"),
    "$2y$": _hole(_HASHED, "password-hash"),
    "$1$": _hole(_HASHED, "password-hash"),
    "$5$": _hole(_HASHED, "password-hash"),
    "$6$": _hole(_HASHED, "password-hash"),
    "$y$": _hole(_HASHED, "password-hash"),
    ":543": _hole(_PGPASS, "password"),
    ":*:": _hole(_PGPASS, "password"),
    "priv": _putty,
    "1//0": _hole(_GOOGLE_REFRESH, "google-key"),
    "fm2_": _hole(_DOTTED, "vendor-token"),
    "fm1_": _hole(_DOTTED, "vendor-token"),
    "dp.": _hole(_DOTTED, "vendor-token"),
}
"""The reader for what a needle begins, by its first four or three characters in small letters."""
