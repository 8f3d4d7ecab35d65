"""The patterns of the screen, by rule. Texts arrive flat (single spaces), Latin letters without accents."""

from __future__ import annotations

import re

from sleepd.core.screen_words import OUTGOING, OVERRIDE, Pattern, any_of

_FETCHER = (
    r"\b(?:curl|wget2?|aria2c|httpie|iwr|irm|invoke-webrequest|invoke-restmethod|lwp-download|start-bitstransfer)\b"
)
_SHELL = (
    r"(?:env |/\S{0,40}/)?(?:(?:ba|z|da|k|fi|a|c|tc)?sh|pwsh|powershell|cmd|iex|invoke-expression|python[\d.]*|node|"
    r"deno|bun|perl|ruby|php|osascript|source)\b"
)
_START = (
    r"\b(?:run|runs|running|execute|executing|exec|invoke|start|launch|evaluate|eval|source|install|pipe|apply|obey|"
    r"follow)\b"
)
_CODE_THING = (
    r"(?:files?|script|binar(?:y|ies)|installer|payload|program|executable|archive|tarball|instructions|web ?page)"
)
_CODE_RUNS = (
    r"(?:urllib|requests\.|urlopen|socket|http|exec\(|eval\(|os\.system|subprocess|child_process|base64|__import__|"
    r"import\()"
)

_FETCH = (
    any_of(
        "downloads with a command-line tool",
        rf"{_FETCHER}(?:\s+[^\s.,;]\S*)?\s+-{{1,2}}\w",
        rf"{_FETCHER}.{{0,160}}?(?:https?:|\$|\||>|`|www\.|\w\.\w+/)",
        rf"{_START}.{{0,40}}{_FETCHER}",
        rf"\b(?:fuhr|starte|execut|ejecut|lanc|esegui|运行|执行|запуст|выполн).{{0,40}}{_FETCHER}",
        rf"[$`(]\s*\(?\s*{_FETCHER}",
        r"\b(?:certutil|bitsadmin|mshta|regsvr32|rundll32)\b",
    ),
    any_of("pipes text into an interpreter", rf"\|\s*(?:sudo |doas |xargs )?{_SHELL}", rf"(?:{_SHELL}|\s\.)\s+<\("),
    any_of(
        "runs code handed over as text",
        r"\beval\b\s*[\"'(`$]",
        r"\b(?:iex|invoke-expression)\b",
        rf"\b(?:python[\d.]*|node|perl|ruby|php|deno|bun)\s+(?:eval|-\w*[cer]\b|--eval|-\w*e).{{0,160}}?{_CODE_RUNS}",
        r"\bexec\(\s*\w+[.(]|\bperl\s+-M|\bdeno run\b.{0,40}(?:\s-A\b|--allow)",
        r"\b(?:powershell|pwsh)\b.{0,40}\s-e(?:nc|ncodedcommand|c)?\b",
        r"\$\{?\w{1,12}\}?\$\{?\w{1,12}\}?",
    ),
    any_of(
        "decodes text to run it",
        r"\bbase(?:64|32)\s+(?:-\w+ )*(?:-d|-D|--decode)\b",
        r"\bxxd\s+-\w*r",
        r"\bopenssl\s+(?:enc|base64)\b.{0,40}\s-d\b",
        r"\b(?:b64decode|frombase64string|atob)\b",
    ),
    any_of(
        "runs or installs a package from outside the project",
        r"\b(?:npx|bunx|uvx|pnpx)\b(?!\s+--no(?:-install)?\b)\s+\S",
        r"\b(?:pnpm|yarn) dlx\b|\bpipx (?:run|install)\b|\buv tool (?:run|install)\b|\bnpm (?:exec|create|init) \w",
        r"\b(?:uv )?(?:pip3?|python[\d.]* -m pip) install\b(?!\s*(?:$|[.,;`](?:\s|$)))(?!\s+(?:-e \.|-r \S+|"
        r"\.(?:\[|\s|`|$)|-e \S*/))",
        r"\b(?:npm|pnpm|yarn|bun) (?:i|install|add)\s+(?:-\S+ )*"
        r"(?!(?:after|and|before|then|in|when|to|first|again|once|if|or|with|on|for|at|from|the)\b)[@\w]",
        r"\b(?:cargo|gem|brew|go|conda|apt|apt-get|dnf|yum|apk|pacman|choco|winget|snap|code) (?:install|add|-s|"
        r"--install-extension)\s+\S",
        r"--(?:extra-)?index-url\b|\bgit\+(?:https?|ssh)|\bdocker (?:run|pull)\b",
    ),
    any_of(
        "runs something from outside the project",
        r"(?:^|[`;&|] ?)(?:source|\.) (?:/|~)|\b(?:run|execute|source|launch|start)\w*\s+`?(?:source )?(?:/tmp|"
        r"/var/tmp|/dev/shm|~/)\S",
        r"\bssh\s+\S+@|\bone-?liner\b",
    ),
    any_of(
        "opens a connection for a shell", r"/dev/(?:tcp|udp)/", r"\b(?:nc|ncat|netcat)\s+-", r"\bsocat\b", r"\bmkfifo\b"
    ),
    any_of(
        "downloads something to run it",
        rf"\b(?:download|fetch|retrieve|grab)\b.{{0,60}}{_CODE_THING}.{{0,60}}{_START}",
        rf"{_START}.{{0,40}}{_CODE_THING}.{{0,30}}\b(?:from|at|on)\b.{{0,30}}\b(?:internet|web|server|site|url|"
        rf"link|remote|gist)",
        rf"{_START}.{{0,30}}\b(?:downloaded|fetched|what(?:ever)? (?:it|the \w+) (?:returns|says|answers|prints))",
        r"\b(?:lade|ladt|herunterladen)\b.{0,60}(?:skript|script|programm|datei).{0,60}(?:ausfuhr|fuhr|start|aus\b)",
        r"\btelecharg\w*.{0,60}(?:script|programme|fichier|binaire).{0,60}(?:execut|lance|demarr)",
        r"\b(?:descarg|baj)\w*.{0,60}(?:script|programa|archivo|binario).{0,60}(?:ejecut|corre|lanza)",
        r"下载.{0,30}(?:运行|执行|安装)|下載.{0,30}(?:執行|安裝)",
        r"(?:скача|загруз)\w*.{0,60}(?:запуст|выполн|установ)",
    ),
)

_TLD = (
    r"(?:com|org|xyz|ru|cn|top|info|biz|site|online|click|link|onion|cloud|tech|store|live|club|icu|tk|ga|cf|gq|ml|"
    r"su|test)"
)
_URL = (
    any_of(
        "names an address on the network",
        r"\b(?:[a-z][a-z0-9+.-]{1,20}|hxxps?)\s?:\s?//",
        r"\bwww\.\w",
        r"(?<![:\w/.])//[a-z0-9-]+\.[a-z]{2,}",
        r"\b(?:data|javascript|vbscript):\s?[\w/+.-]+[,;(]",
        r"\bmailto:",
        r"(?<![\w/\\])(?:[a-z0-9][a-z0-9-]*\.)+[a-z]{2,}(?::\d+)?/\w(?!\S*\.(?:py|js|ts|md|rs|go)\b)",
        r"(?<![\w/\\])(?:[a-z0-9][a-z0-9-]*\.)+[a-z]{2,}:\d{2,5}\b",
        rf"(?<![\w/\\])(?:[a-z0-9][a-z0-9-]*\.)+{_TLD}\b(?!\.\w|\()",
        r"\bxn--\w",
        r"(?<!\S)\\\\\w+\\",
        r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.]*\d)",
        r"(?<![\w:])(?:[0-9a-f]{1,4}:){3,7}:?[0-9a-f]{1,4}(?![\w:])|\[[0-9a-f:]*::[0-9a-f:]*\]",
    ),
)

_READ = (
    r"\b(?:read|open|cat|print|echo|show|display|include|insert|paste|copy|send|post|upload|use|ask|request|"
    r"fetch|get|load|"
    r"collect|dump|export|log|write|save|store|commit|grep|search|find|list|reveal|tell|give|attach|append|embed|put|"
    r"steal|extract|retrieve|report|return|share|submit|quote|enter|supply|provide|need|look up|check|mention|"
    r"state|base64|encode)"
    r"(?:s|es|ed|ing)?\b"
)
_PRIVATE = (
    r"(?:\bapi[ _-]?keys?\b|\bsecrets?\b|\bpass(?:words?|phrases?|codes?)\b|\bcredentials?\b|"
    r"\bprivate[ _-]keys?\b|\bssh[ _-]keys?\b|"
    r"\b(?:access|auth\w*|api|bearer|refresh|session|git\w*|npm|pypi|slack|oauth|personal|deploy|secret|"
    r"jwt)[ _-](?:access )?tokens?\b|"
    r"\b(?:the|your|my|users?|user's|their|any|all|every) tokens?\b(?! (?:count|budget|limit|usage|length|"
    r"estimate|number|size|cost|total|stream|type|class|kind|name)s?\b)|"
    r"\bsession cookies?\b|\bcookies\b|\bkeychains?\b|\bkeyrings?\b|\b1password\b|\bbitwarden\b|"
    r"\bseed phrases?\b|\bwallets?\b|\b2fa\b|\botp\b)"
)
_CREDENTIALS = (
    any_of(
        "names a file that holds secrets",
        r"(?<![\w.])\.env(?!\.(?:example|sample|template|dist)\b)(?:\.\w+)?\b",
    ),
    any_of(
        "names a file of keys",
        r"(?:~|\$HOME|%userprofile%|/root|/home/\S{1,40}|/users/\S{1,40})?[/\\]?(?<!\w)\.(?:ssh|aws|gnupg|kube|"
        r"docker|azure|netrc|pypirc|pgpass|git-credentials|config/gh|boto|vault-token)\b",
        r"\bid_(?:rsa|dsa|ecdsa|ed25519)\b|\bauthorized_keys\b|\b\w+\.(?:pem|p12|pfx|keystore|kdbx)\b",
        r"/etc/(?:passwd|shadow|sudoers)|/proc/\S*environ",
        r"\b(?:service[-_]account|credentials|client_secret)\w*\.json\b|\blogin data\b|\bcookies\.sqlite\b|"
        r"\bauth\.json\b",
    ),
    any_of(
        "names a secret variable",
        r"\b[A-Z][A-Z0-9_]*_(?:TOKEN|KEY|SECRET|PASSWORD|PASSWD|PAT|CREDENTIALS)\b",
        case=True,
    ),
    any_of(
        "reads the whole environment",
        r"\b(?:the )?(?:values?|contents?) of \$?[A-Z][A-Z0-9]+_[A-Z0-9_]+\b",
        r"\bprintenv\b|(?:^|[`;&|$( ])env\s*(?:\||>|`)",
        rf"{_READ}.{{0,40}}\b(?:(?:all|every|whole|entire|your|of the|current|shell) environment(?: variables?)?|"
        rf"(?:all|every|your|the) env(?:ironment)? vars?|process\.env|os\.environ)\b",
        r"\bsecurity find-\w+-password\b|\bgit credential\b|\bgh auth token\b|\bgcloud auth print\S*",
    ),
    any_of(
        "holds what looks like a secret",
        r"\b(?:sk-|sk_live_|ghp_|gho_|github_pat_|glpat-|xox[bp]-|npm_|hf_|AKIA|AIza)[A-Za-z0-9_-]{12,}|-----BEGIN",
        case=True,
    ),
)

SAFEGUARD_OFF = "switches off a safeguard"
_SAFEGUARD = (
    r"(?:sandbox(?:es|ing)?|hooks?|tests?|test suite|checks?|lint(?:er|ers|ing)?|verification|guards?|"
    r"guardrails?|permissions?|approvals?|"
    r"code reviews?|reviews?|security|certificates?|ssl|tls|firewalls?|antivirus|protections?|ci|confirmations?|"
    r"prompts?|validation|safety|"
    r"type ?check(?:s|er|ing)?|signing|authentication|authorization|audit\w*|logging)"
)
_BETWEEN = (
    r"(?:(?:the|all|any|every|your|our|this|these|those|its|failing|broken|flaky|slow|pre-?commit|pre-?push|commit|"
    r"git|unit|integration|e2e|user|tool|branch|security|safety|permission|code|host|key|signature)s?[ -]){0,4}"
)
_ENVIRONMENT = (
    any_of(
        SAFEGUARD_OFF,
        rf"\b(?:disabl|deactivat|skip|bypass|circumvent|suppress|evad|defeat|silenc|muting\b|mute[sd]?\b)\w*\s+{_BETWEEN}{_SAFEGUARD}\b",
        rf"\b(?:turn|switch)(?:s|ed|ing)? off\s+{_BETWEEN}{_SAFEGUARD}\b|\b(?:turn|switch)(?:s|ed|"
        rf"ing)?\s+{_BETWEEN}{_SAFEGUARD} off\b",
        rf"\b(?:remov|delet|comment(?:s|ed|ing)? out|ignor|work(?:s|ed|ing)? around|"
        rf"get around)\w*\s+{_BETWEEN}(?:sandbox|hooks?|checks?|guards?|permissions?|tests?|protections?|"
        rf"security)\b(?! (?:data|files?|output|results?|databases?|folders?|directory|fixtures?|users?)\b)",
        r"--no-verify\b|--no-gpg-sign\b|--no-sandbox\b|--no-check\w*|--insecure\b|\bHUSKY=0|\bSKIP=\w|"
        r"verify\s?=\s?false|sslverify|stricthostkeychecking|reject_unauthorized|strict-ssl",
        r"(?:绕过|禁用|关闭|跳过|停用).{0,8}(?:沙箱|沙盒|权限|测试|检查|钩子|审批|验证)",
        r"\b(?:deaktivier|umgeh|uberspring|abschalt)\w*.{0,30}(?:sandbox|hook|test|pruf|schutz|genehmig|sicherheit)",
        r"\b(?:desactiv|contourn|saut|ignor)\w*.{0,30}(?:sandbox|bac a sable|hooks?\b|tests?\b|verification|"
        r"securite|pruebas|seguridad|permisos)",
        r"(?:отключ|обойд|пропус|выключ)\w*.{0,30}(?:песочниц|хук|тест|провер|защит|разрешен)",
    ),
    any_of(
        SAFEGUARD_OFF,
        r"\bpretend that (?:the |all )?(?:tests?|checks?|build|ci)\b",
        r"\bgit_ssl_no_verify|\bgit commit\b.{0,30}\s-\w*n\b|\b(?:mark|report|treat|"
        r"declare)\b.{0,30}\b(?:checks?|tests?|ci)\b.{0,20}\b(?:passed|passing|green|done)",
        r"\b(?:comment(?:ing)? out|weaken|loosen|relax|stub out|neuter)\b.{0,30}\b(?:assert\w*|tests?|checks?|"
        r"hooks?)\b|\b(?:delet|remov|skip)\w*\s+tests? (?:that|which|when|if)\b",
        r"\bno-?verify\b|\bwithout (?:running|the) (?:\w+ )?(?:tests?|checks?|hooks?|them)\b|\bskip\w*permission\w*",
    ),
    any_of(
        "acts without asking",
        r"\bwithout (?:waiting|a review|any review|checking with)\b|\b(?:don'?t|do not|never) ask\b(?= ?[,;.]|"
        r" just| first| again)",
        r"\b(?:make|set|turn)\b.{0,20}\b(?:repo\w*|project|branch|bucket|gist)\b.{0,12}\bpublic\b|"
        r"\badd (?:a )?collaborator",
        r"\btrust (?:all|any|every)\b|\bumask\b",
        r"\b(?:approve|accept|allow|grant|confirm)\b.{0,40}\b(?:automatically|by default|always|silently|"
        r"every (?:time|call|request))",
        r"\bwithout (?:asking|confirm\w*|approv\w*|permission|review|prompting|telling|my (?:ok|consent|approval))",
        r"\b(?:do not|don'?t|never|no need to|needn'?t) (?:ask|wait)(?: \w+){0,3}? (?:permission|confirmation|"
        r"approval|before|consent)\b",
        r"\b(?:auto[- ]?|automatically |always )(?:approv|accept|allow|confirm|grant)\w*\b",
        r"\bohne (?:zu fragen|nachfrage|ruckfrage|bestatigung|erlaubnis)|\bsans (?:demander|confirmation|"
        r"autorisation)|\bsin (?:preguntar|confirma|permiso)",
        r"без (?:спроса|подтвержд|разрешен|согласов)|(?:不要|无需|不用|无须|不必).{0,3}(?:询问|确认|请示)",
    ),
    any_of(
        "widens permissions",
        r"\b(?:world|group)-(?:writ|read)able\b|\bsudoers\b|\bwritable (?:by|for|to) (?:all|every|other)",
        r"\bmode 0?[0-7]?[67]77\b",
        r"\bchmod\b(?!\s+(?:\+x|u\+x|a\+x|755|644)\b)",
        r"\b(?:chown|setfacl|setenforce|xattr)\b|\bumask 0|\b(?:icacls|takeown)\b",
        r"(?:^|[`\s;&|(])(?:sudo|doas|runas|pkexec)\b|\bas (?:root|administrator)\b|\bsu -|--privileged\b",
        r"--dangerously\S*|--yolo\b|--allow-all\S*|--full-auto\b|--skip-permissions\b|--permission-mode\b|"
        r"bypasspermissions|danger-full-access|\bapproval_policy\b|\bsandbox_mode\b|--trust-\w+",
        r"(?<!/)\bsettings(?:\.local)?\.json\b|\.mcp\.json\b|\.claude(?:\.json|/(?:settings|hooks|commands|"
        r"agents))|\.codex/|\.copilot/",
        r"\b(?:permissions?\.allow|\"allow\"\s?:|alwaysallow)\b",
        r"\b(?:edit|change|append|rewrite|write|add|insert|update|modify|replace|put)\w*\b.{0,60}\b(?:claude|"
        r"agents|skill|"
        r"copilot-instructions)\.md\b",
        r"\b(?:permission|allow) rules?\b|\bgrant\b.{0,40}\b(?:access|permissions?|rights?)\b",
    ),
    any_of(
        "changes the environment",
        r"\bexport\s+\w+=|\bsetx \w+ |(?:^|[`;&|] ?)set \w+=|\$env:\w|\bsetenv\b|(?:^|[`\s;&])PATH\+?=|\b(?:to|"
        r"change|extend|modify|"
        r"set) (?:the |your )?\$?PATH\b",
        r"\.(?:bashrc|zshrc|bash_profile|profile|zprofile|zshenv|gitconfig|curlrc|wgetrc)\b|\bLD_PRELOAD|"
        r"\bDYLD_\w+|\bPYTHONSTARTUP|\bNODE_OPTIONS",
        r"\b(?:crontab|systemctl|launchctl|schtasks|at now|reg add|iptables|ufw|netsh)\b|/etc/\w",
        r"\bgit config\b|\bcore\.\w*hooks\w*|\.git/hooks|\bgit remote (?:add|set-url)\b|\b(?:npm|pip|yarn) config\b",
    ),
    any_of(
        "destroys work",
        r"\brm\s+-\w*[rf]|\bgit reset --hard|\bgit push\b.{0,40}\s(?:--force\b(?!-with-lease)|-f\b)|"
        r"\bgit clean -\w*f|\bmkfs\b|\bdd if=|\bshred\b|\bdrop (?:table|database|schema)\b",
    ),
)

RULES: dict[str, tuple[Pattern, ...]] = {
    "fetch-and-execute": _FETCH,
    "url": _URL,
    "credentials": _CREDENTIALS,
    "environment-or-permissions": _ENVIRONMENT,
    "override": OVERRIDE,
    "hidden-text": (
        any_of(
            "hides text from the rendered page", r"<!--|\[[^\]\n]{0,40}\]:\s?#|display\s?:\s?none|<\w+[^>]*\bhidden\b"
        ),
    ),
    "outgoing-data": OUTGOING,
}

WAIVABLE = frozenset({"fetch-and-execute", "credentials", "environment-or-permissions", "outgoing-data"})
"""Rules whose findings a plain ban may cause. Addresses, overrides and hidden text have no place in a ban either."""

PLAIN_BAN = re.compile(
    r"(?:[-*+•] )?(?:please )?(?:never(?: ever)?|do not(?: ever)?|don'?t(?: ever)?|must not|avoid|no)\s+"
    r"(?:commit|run|use|read|print|log|send|post|upload|push|share|pipe|store|write|add|include|put|paste|echo|"
    r"open|edit|change|set|"
    r"disable|skip|bypass|delete|remove|expose|hard-?code|execute|install|download|call|touch|modify|force|"
    r"check in|leak|show|ask for|request|"
    r"turn off|switch off|chmod|sudo|export|embed|copy|mention|`)(?:ing|ning|ting)?\b",
    re.IGNORECASE,
)
BROKEN_OFF = re.compile(
    r"[;:,!?—–|&]|\.\s|\$\(|//|\(|\bby\b|\band\b|\bbut\b|\bthen\b|\binstead\b|\bunless\b|\buntil\b|\bwithout\b|"
    r"\bexcept\b|\bbefore\b|\bafter\b|"
    r"\bwhen\b|\bif\b|\bwhile\b|\bjust\b|\bonly\b|\bbecause\b|\brather\b|\bso\b|\byou\b|\bsince\b|\balways\b|"
    r"\bmust\b|\bnot\b.*\bnot\b|"
    r"\bforget|\bhesitat|\bfail\w* to\b|\brefus|\bstop\b|\banything (?:other|else)|\bother than\b|\bless\b|\bmore\b|"
    r"\b(?:skip|omit|miss)\w* (?:to\b|\w+ing\b)",
    re.IGNORECASE,
)
SWITCHES_OFF = re.compile(
    r"^\W*(?:please )?(?:never|do not|don'?t|must not|avoid|no)(?: ever)?\s+(?:disabl|skip|bypass|delet|remov|"
    r"turn|switch)",
    re.IGNORECASE,
)
