"""Rules of everyday work that look like a finding and are none, and short bans.

The patterns of the screen are wide. A finding's reason is looked up here with the text: `curl` in an example,
`localhost`, well-known packages, a manual's address, "never commit .env files".
"""

# Lexicons are kept whole on their lines.
# ruff: noqa: E501

from __future__ import annotations

import re
from typing import Final

from sleepd.core import screen_notions

I = re.IGNORECASE  # noqa: E741


def _lexicon(latin: str, other: str = "") -> str:
    """Beginnings of words for languages with spaces, and signs or words of the others."""
    return rf"(?:\b(?:{latin})\w*" + (rf"|{other})" if other else ")")


FETCH: Final = _lexicon(
    r"download|fetch|pull|obtain|get\b|retriev|grab|clon|lade?\b|herunterlad|hol\b|hole\b|telecharg|recuper|descarg|baj(?:a|ar|e|alo|ala|arlo)\b|scaric|haal\b|ophal|baix|pobier|sciagn|скача|загру",
    r"下载|下載|拉取|ダウンロード|取得|다운로드|내려받|받아",
)
SEND: Final = _lexicon(
    r"send|sent|post|upload|mail|email|forward|transmit|submit|schick|versend|ubermitt|hochlad|weiterleit|envoi|envoy|transmet|televers|envi(?:a|e|o|ar|es|en)\b|mand(?:a|ar|e)\b|sub(?:e|a|ir)\b|publi[cq]|invi(?:a|o|are)\b|caric|pubblic|stuur|verstuur|deel|compartilh|wysl|wysyl|wyśl|przesl|przesyl|prześl|отправ|выклад|вылож|залей|залив|отсыл|посыла|пошл|перешл|перешли|выгруж|выгруз|передава|переда[йт]",
    r"发送|發送|发到|发给|上传|上傳|转发|传到|传给|送信|送る|送って|アップロード|転送|投稿|보내|전송|업로드|올려|게시",
)
AWAY: Final = r"(?:https?://|\b[\w.+-]+@[\w-]+\.\w|\b(?:[a-z0-9-]+\.)+(?:com|net|org|io|dev|sh|ru|cn|xyz|me|co|de|fr|nl|it|es|pl|br|kr|jp)\b(?!\()|\bwebhooks?\b|\bpastebin\b|\bgists?\b|\btransfer\.sh\b|\bexternal\b|\bextern\w*\b|\bexterne\b|\bexterno\b|\bvendor\b|\bthird[- ]party\b|\bsupport\b|\bслак\b|\bвнешн\w*|外部|第三方|ウェブフック|외부|웹훅)"

_BAN_BEGINS: Final = r"^[^,;:]{0,16}(?:不要|不得|禁止|切勿)|^\W*\w+ (?:keine?[nrms]?|nicht|geen|niet)\b|^\W*(?:please |bitte )?(?:never|do not|don'?t|must not|avoid|no\b(?! (?:need|confirm))|nicht|nie|niemals|keine?|ne |n'|jamais|nunca|no |non |mai |niet|nooit|geen|nao |nie |nigdy|не |никогда|不要|请勿|禁止|勿|别)"
"""A clause that begins with a ban: it forbids the act."""
_BAN_ENDS: Final = r"(?:ない(?:こと|で)?|禁止|せず|なく|지 ?(?:마|말|않)\S*|금지)\W*$|\b(?:verboten|vermeiden|nicht \w+en)\W*$|^\W*(?:keine?n?)\b"
_BAN: Final = re.compile(rf"{_BAN_BEGINS}|{_BAN_ENDS}", I)

SAID_AS_BANS = frozenset(
    {
        "takes the user's word away",
        "keeps something from the user",
        "acts without asking",
        "lets another text speak for the user",
    }
)

_TOOLS: Final = (
    r"(?:prettier|eslint|stylelint|tsc|typescript|tsx|ts-node|jest|vitest|mocha|playwright|cypress|prisma|drizzle-kit|turbo|nx|next|vite|biome|@biomejs/biome|changeset|@changesets/cli|lint-staged|storybook|husky|commitlint|knip|depcheck|npm-check-updates|markdownlint(?:-cli2?)?|openapi-typescript|rimraf|concurrently|serve|http-server|wrangler|vercel|netlify|supabase|expo|react-native|create-next-app|create-vite|shadcn(?:-ui)?@?\w*"
    r"|pytest|ruff|black|isort|mypy|pyright|flake8|pylint|pre-commit|tox|nox|poetry|uv|pipx|build|twine|requests|httpx|numpy|pandas|scipy|matplotlib|polars|jupyter(?:lab)?|django|flask|fastapi|uvicorn|sqlalchemy|alembic|pydantic|hypothesis|coverage|mkdocs\S*|sphinx|cowsay|react|vue|svelte|lodash|express|zod|date-fns|dayjs|axios|tailwindcss|rails|rspec|rubocop|bundler|cargo-\w+|clippy|rustfmt|nextest|golangci-lint|goimports|gofumpt|gotestsum|staticcheck|air|buf)"
)
_PACKAGE: Final = r"[a-z][\w.+-]*(?:@[\w.-]+)?"
ORDINARY: Final = {
    "downloads with a command-line tool": re.compile(
        r"\b(?:as an?|with an?|an?|the|in|show\w*|give|include|write|add|prefer|use|document\w*|for)\b.{0,30}`?\b(?:curl|wget|httpie)`?(?: -\w+)? (?:example|command|snippet|call|request|line|invocation|output|equivalent|sample|syntax|block)s?\b|`(?:curl|wget)`(?!.{0,80}(?:https?:(?!//(?:localhost|127\.|example\.))|\|))",
        I,
    ),
    "runs something from outside the project": re.compile(
        r"(?<!run )(?<!execute )`ssh (?:-\w+ (?:\S+ )?)?[\w.-]+@[\w.-]+`(?!.{0,40}\b(?:and run|then run|execute)\b)", I
    ),
    "runs or installs a package from outside the project": re.compile(
        rf"(?:\b(?:npx|bunx|uvx|pnpx)|\b(?:pnpm|yarn) dlx|\buv tool (?:run|install)|\bpipx (?:run|install)) (?:--?[\w-]+ )*{_TOOLS}(?![\w/-])"
        rf"|\b(?:pip3?|uv pip|uv|poetry|npm|pnpm|yarn|bun|cargo|gem|conda|python3? -m pip) (?:install|add|i) (?:-{{1,2}}[\w-]+ )*{_TOOLS}(?:\[\w+\])?(?:@[\w.^~-]+|[=<>~!]=?[\w.]+)?(?: {_TOOLS})*(?=[`\s.,;)]|$)(?! [a-z]+[-_])"
        rf"|\b(?:brew|apt|apt-get|dnf|yum|apk|pacman|choco|winget) (?:-y )?(?:install|add|-S)(?: -\w+)*(?: {_PACKAGE})+(?![/:@])"
        r"|\bdocker (?:run|pull)\b(?!.{0,80}(?:--privileged|docker\.sock|-v /[: ]|--net\w*[= ]host|https?:|[\w.-]+\.\w{2,}/| [a-z][\w-]*/[\w-]+))"
        r"|\bgo install (?:golang\.org|honnef\.co|google\.golang\.org|mvdan\.cc)/|\b(?:npx|pnpm exec|yarn) --no\b",
        I,
    ),
    "destroys work": re.compile(
        r"\brm -\w+(?: (?:\./)?(?:node_modules|dist|coverage|\.next|\.nuxt|\.turbo|\.venv|venv|\.cache|__pycache__|\.\w+_cache|\*\.(?:pyc|o|log))/?)+(?=[`\s.,;)]|$)(?!.{0,40}(?:&&|;|\|) ?(?:rm|curl|git))",
        I,
    ),
    "sends data away": re.compile(
        rf"^\W*(?:upload|send|post|e-?mail|publish)\w* [^.;]{{0,40}}\b(?:through|via|using|with) (?:the |our )?[`\w ]{{2,30}}(?:service|model|client|class|module|helper|adapter|mailer|queue|outbox|templates?|template folder)\b(?!.*(?:{AWAY}))",
        I,
    ),
    "widens permissions": re.compile(r"\bsudo (?:apt|apt-get|dnf|yum|pacman|systemctl (?:status|restart|start)) \S", I),
    "changes the environment": re.compile(
        r"\b(?:cron|cron ?jobs?|scheduled tasks?|startup \w+)\b.{0,30}\b(?:to|in|into|under) `?(?!~|/etc|/var|\$HOME)[\w-]+/[\w./-]+|\bexport [A-Z_]+=(?!.*(?:PATH|PRELOAD|PROXY|REGISTRY|INDEX|NODE_OPTIONS|https?:))\S+|\bsystemctl (?:status|restart|start) |\bgit config (?:--get|--list|user\.)|document\w* .{0,40}/etc/",
        I,
    ),
    "switches off a safeguard": re.compile(
        r"^\W*(?:please )?(?:skip|don'?t run|do not run|exclude|leave out|deselect) (?:the |all )?(?:slow|long|e2e|end-to-end|integration|browser|expensive|network|nightly|gpu|smoke|flaky|load)[\w-]* (?:tests?|suites?|ones)\b.{0,12}(?:unless|by default|until|while|locally|except|when i)|^\W*delete the test database\b",
        I,
    ),
    "asks for or reads secrets": re.compile(
        r"\bpassword (?:field|form|input|reset|policy|hash|column|page|length|strength)s?\b|\b(?:argon2|bcrypt|scrypt|pbkdf2|hash\w*|encrypt\w*|vault|secrets? manager|environment variables?|env vars?|\.env\.example|redact\w*|mask\w*|placeholder)\b(?!.{0,60}\b(?:send|post|upload|print|show|report|paste|quote|mail)\b)|\btokens? (?:expire|last|are (?:valid|refreshed|rotated))|\b(?:return|respond with|answer) (?:a )?40[13]\b",
        I,
    ),
    "reads or shows secrets": re.compile(
        r"\b(?:environment variables?|env vars?|secrets? manager|vault)\b.{0,40}\b(?:never|not)\b|\bpassword (?:field|form|input|reset|policy|hash|column|page|length|strength)s?\b|\btokens? (?:expire|last)",
        I,
    ),
    "acts without asking": re.compile(
        r"^\W*(?:please |bitte )?(?:(?:do not|don'?t|never|no|nunca|jamais|nao|non|niet|nie|не|mai|ne)\W|n'|\w+ (?:keine?\w?|nicht|nichts|niet|geen|nie)\b)(?! ?(?:wait|hesitat|stop|ask|bother|forget|zoger|wart|frag|hesit|dud|esper|dema|aspett|wacht|waha|жди|медли))[^;:.]{2,90}\b(?:without|ohne|sans|sin|sem|senza|zonder|bez|без)\b|(?:未经|沒有|没有).{1,14}(?:不要|不得|禁止|不能)|(?:なし(?:に|で)|せずに).{1,16}(?:しない|禁止|ない)|없이.{1,16}(?:지 ?(?:마|말)|금지)|\b(?:nothing|no \w+) (?:is|gets|may be) \w+ without\b",
        I,
    ),
    "names a secret variable": re.compile(
        r"\.env\.example|\b(?:document|list|declare|described?)\b|is (?:required|needed|set) (?:in|for|by) ci", I
    ),
    "names a file that holds secrets": re.compile(
        r"^\W*(?:copy|cp) `?\.env\.(?:example|sample|template)`? (?:to|as) `?\.env(?:\.\w+)?`?\W*$|`cp \.env\.(?:example|sample) \.env`",
        I,
    ),
}
"""Forms of house rules that look like a finding and are none, by the reason of the finding; see `ordinary`."""

_ADDRESS = re.compile(
    r"\blocalhost(?::\d+)?(?:/[^\s`'\"<>)\]]*)?|\b[a-z][a-z0-9+.-]{1,20}://[^\s`'\"<>)\]]+|(?<![\w/@.])(?:[a-z0-9-]+\.)+[a-z]{2,}(?::\d+)?(?:/[^\s`'\"<>)\]]*)?|(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?",
    I,
)
_NEAR = re.compile(
    r"(?:[a-z]+://)?(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]|host\.docker\.internal|10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|(?:[\w-]+\.)*(?:example\.(?:com|org|net)|localhost))(?::\d+)?(?:[/?#].*)?\Z",
    I,
)
"""This machine, a private network, and the names that are kept for examples (RFC 2606)."""
_HERE = re.compile(r"(?:https?://)?(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?(?:[/?#].*)?\Z", re.I)
_RESERVED = re.compile(r"(?:https?://)?(?:[\w-]+\.)*(?:example\.(?:com|org|net)|localhost)(?::\d+)?(?:[/?#].*)?\Z", I)
"""Names that are kept for examples (RFC 2606): nobody answers there."""
_EXAMPLE = re.compile(
    r"\bexamples?\b|\bbeispiel|\bexemple|\bejemplo|\bexemplo|\besempi|пример|示例|例|예시|\bornek|\bprzyklad|उदाहरण|مثال",
    I,
)
_REFERENCE = re.compile(
    r"(?:https?://)?(?:www\.)?(?:developer\.mozilla\.org|(?:docs|peps)\.python\.org|conventionalcommits\.org|semver\.org|keepachangelog\.com|w3\.org|ietf\.org|rfc-editor\.org|datatracker\.ietf\.org|spec\.openapis\.org|json-schema\.org|schema\.org|12factor\.net|google\.github\.io/styleguide|go\.dev|pkg\.go\.dev|doc\.rust-lang\.org|docs\.rs|react\.dev|vuejs\.org|nodejs\.org/\w*docs|typescriptlang\.org|docs\.djangoproject\.com|docs\.github\.com|docs\.docker\.com|kubernetes\.io/docs|postgresql\.org/docs|learn\.microsoft\.com|docs\.aws\.amazon\.com|cloud\.google\.com/\S*docs|owasp\.org|cheatsheetseries\.owasp\.org|wikipedia\.org|[a-z]{2}\.wikipedia\.org)(?:[/?#].*)?\Z",
    I,
)
"""Where standards and manuals are read: nobody can put a text there for one project."""
_ACTS_ON_ADDRESS = re.compile(
    rf"{SEND}|{FETCH}|\bpip\b|\bnpm\b|\bcurl\b|\bwget\b|regist|mirror|\bproxy\b|script|instructions|commands|\|", I
)


def ordinary(why: str, text: str) -> bool:
    """Whether a finding of this reason is a house rule as developers write them."""
    if why == "names an address on the network":
        named = [address.rstrip(".,;:") for address in _ADDRESS.findall(text)]
        if named and all(_HERE.match(address) for address in named):
            return True
        if named and all(_RESERVED.match(address) for address in named) and _EXAMPLE.search(_ADDRESS.sub(" ", text)):
            return True
        named = _ADDRESS.findall(text)
        near = [address for address in named if _NEAR.match(address.rstrip(".,;:"))]
        known = [address for address in named if _REFERENCE.match(address.rstrip(".,;:"))]
        return bool(named) and len(near) + len(known) == len(named) and _ACTS_ON_ADDRESS.search(text) is None
    if why in {"downloads with a command-line tool", "runs a download"} and "|" not in text:
        named = [address.rstrip(".,;:") for address in _ADDRESS.findall(text) if "/" in address or ":" in address]
        if named and all(_NEAR.match(address) for address in named):
            return True
    if why == "acts without asking" and screen_notions.MILD.search(screen_notions.folded(text)):
        return True
    form = ORDINARY.get(why)
    return form is not None and form.search(text) is not None


_REFUSED = re.compile(
    r"(?:\b(?:never|not|no|avoid|instead of|rather than)(?: use| run| even| with)?|\b(?:kein\w?|nicht|niemals|statt|pas|jamais|au lieu de|nunca|jamas|no|en vez de|mai|non|niet|geen|nooit|nao|nie|nigdy|не|никогда)(?: \w+)?|不要|别|禁止)[\s`'\"(]*\Z",
    I,
)
_SECOND_THOUGHT = re.compile(
    r"[;:!?,]|\b(?:hesit|zoger|skip|miss|omit|fail|refus|stop|dud|tard|wart|wait|aufhor)\w*|\b(?:sondern|aber|mais|pero|sino|ma\b|maar|mas\b|ale|lecz|но|а\b|but|instead|stattdessen|until|bis|jusqu|hasta|finche|tot|ate|dopoki|пока|forget|vergiss|oubli\w*|olvid\w*|dimentic\w*|vergeet|esquec\w*|забыв\w*)|而是|但|しかし|忘れ|잊",
    I,
)
MAX_BAN_CHARS: Final = 120


def refused(hit: re.Match[str]) -> bool:
    """Whether the words right before a finding refuse it: `never --force`."""
    last = hit.start() + max(hit[0].rfind(" "), 0)
    return any(_REFUSED.search(hit.string[max(0, at - 24) : at]) for at in (hit.start(), last))


def forbids(text: str) -> bool:
    """Whether a flat text is one short ban in one of the languages, without a second thought."""
    return len(text) <= MAX_BAN_CHARS and _BAN.search(text) is not None and _SECOND_THOUGHT.search(text) is None
