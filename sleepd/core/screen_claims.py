"""The screen's patterns for borrowed authority: consent that was never given, texts that speak as the user, private
things shown in public, and sources turned elsewhere. In English; texts arrive flat, without accents."""

from __future__ import annotations

from sleepd.core.screen_words import any_of

_PERMIT = r"(?:permission|approval|confirmation|consent|security|trust|safety|tool)s?"
_PROMPT = (
    rf"(?:{_PERMIT}[ -](?:\w+ )?(?:prompts?|requests?|dialogs?|dialogues?|questions?|warnings?|menus?)|permissions?|"
    r"approvals?|prompts?|dialogs?)\b"
)
_SAYS_YES = (
    r"\b(?:answer|repl(?:y|ie)|respond|say|choose|select|press|hit|type|click|pick|tick|pipe|echo)(?:s|ed|ing)?\b"
)
_YES = r"(?:yes|y|ok|okay|allow|accept|approve|always allow|continue|proceed|agree)"
_DECIDES = r"\b(?:confirm|approv|accept|consent|answer|agree|decid|grant|authori[sz]|sign|permit|allow)\w*\b"

APPROVES = (
    any_of(
        "acts without asking",
        rf"{_SAYS_YES}.{{0,30}}\b{_YES}\b.{{0,60}}\b(?:permissions?|approvals?|confirm\w*|consent|prompts?|dialogs?|"
        r"wants to know whether|asks whether)\b",
        r"\b(?:answer|accept|approve|confirm|grant|acknowledge|dismiss|consent to|agree to|click(?:ing)? through|"
        r"allow|"
        rf"reply to|respond to)\b.{{0,12}}\b(?:every|each|all|any|whatever|whichever)\b.{{0,12}}\b{_PROMPT}",
        rf"{_DECIDES}.{{0,60}}\b(?:on (?:the |my |their )?(?:\w+'?s? )?behalf|(?:in place|instead) of the (?:user|"
        r"owner|"
        r"person)|as the (?:user|owner) would)\b",
        r"\b(?:grant|approve|confirm|allow|permit|authori[sz]e)\b (?:it |them |this |that |everything )?(?:to |for )?"
        r"yourself\b",
        r"\b(?:take|treat|read|interpret|regard|count|see)\b (?:\w+ )?(?:silence|no (?:answer|reply|response|"
        r"objection))"
        r"\b.{0,20}\bas\b",
        r"\b(?:pipe|feed|send)\b (?:a )?(?:yes|y)\b.{0,12}\b(?:in)?to\b",
    ),
    any_of("destroys work", r"\bpush(?:es|ing)?\b.{0,60}\s--force\b(?!-with-lease)"),
)

_CLAUSE = r"(?:^|[.;:!,]\s?|\bbecause |\bsince )(?:the |an? |our |your |my )?"
_OFFICE = (
    r"(?:\w+ )?(?:owner|maintainer|admin|administrator|user|security|management|legal|lead|manager|boss|operator|"
    r"company|"
    r"cto|compliance|author|team)s?"
)
_LEAVE = r"(?:permission|approval|consent|clearance|authori[sz]ation)"

CLAIMS = (
    any_of(
        "claims a consent that nobody can check",
        rf"{_CLAUSE}{_OFFICE} (?:(?:has|have|had|already|now|hereby) ){{0,3}}(?:approved|agreed|authori[sz]ed|"
        r"consent(?:s|ed)|"
        r"signed off|okayed|ok'?d|permitted|pre-?approved|pre-?authori[sz]ed|cleared|sanctioned|waived|confirmed that "
        rf"no|(?:gave|given|granted) (?:\w+ ){{0,2}}{_LEAVE})\b",
        r"(?<!if )(?<!unless )(?<!until )(?<!when )\b(?:you|we) (?:already )?have (?:\w+ )?(?:standing|prior|blanket|"
        r"full|"
        rf"general|permanent|advance) {_LEAVE}\b",
        rf"{_CLAUSE}{_LEAVE} (?:\w+ ){{0,4}}(?:has|have|is|was|were) (?:already |been |hereby |now )*(?:granted|given|"
        r"obtained|secured)\b",
        rf"{_CLAUSE}(?:it|this|that|everything|all(?: of (?:this|it))?) (?:was|is|has been) (?:already )?(?:cleared|"
        r"approved|"
        r"agreed|authori[sz]ed|signed off) (?:with|by)\b",
        r"\bno (?:further|more|other|extra|additional) (?:confirmation|approval|permission|consent)s? (?:is |"
        r"are )?(?:needed|"
        r"required|necessary)\b",
        r"\bno need to (?:ask|check back|consult)\b",
    ),
)

_VOICE = r"(?:users?|owner|human|operator|person|developer|maintainer)"
_ORDERS = r"(?:orders?|instructions?|commands?|requests?|words?|wish(?:es)?|directives?|prompts?)"

AS_USER = (
    any_of(
        "lets a text speak as the user",
        rf"\b(?:as (?:if|though)|like)\b.{{0,16}}\b(?:{_VOICE}|i|it came from)\b.{{0,24}}\b(?:typed|said|written|"
        r"wrote|asked|"
        r"requested|ordered|told|entered|prompted|the person|the user)\b",
        rf"\b(?:take|regard|treat|see|consider|read|count|accept|handle)s?\b.{{0,60}}\b(?:as|"
        rf"for)\b.{{0,12}}\b(?:{_ORDERS} "
        rf"(?:of|from|by) (?:the |your |my )?{_VOICE}|{_VOICE}'?s? (?:own )?{_ORDERS})\b",
        r"\b(?:as|consider\b.{0,50})\b(?: an?)? (?:direct|binding) (?:command|order|instruction)s?\b",
        rf"\b(?:same|equal|full) (?:weight|authority|rank|force|standing|status|trust)\b.{{0,16}}\b(?:as|of|"
        rf"to)\b.{{0,10}}"
        rf"\b(?:{_VOICE}|system)\b",
        rf"\b(?:are|is) (?:the )?(?:orders|instructions|commands) (?:from|of|by) (?:the |your )?{_VOICE}\b|"
        r"\bcounts? as "
        rf".{{0,12}}{_ORDERS} (?:from|of|by) (?:the |your )?{_VOICE}\b",
        r"\b(?:obey|act on|comply with)\b.{0,40}\b(?:ticket|issue|comment|readme|file|page|log|todo|inbox|wiki|mail|"
        r"message|"
        r"note)s?\b",
        r"\bdo (?:what|whatever)\b.{0,16}\b(?:ticket|issue|comment|file|page|log|inbox|wiki|mail|message|"
        r"note)s?\b.{0,24}"
        r"\b(?:tell|say|ask|demand|want|contain)s?\b",
        rf"\blike an? {_VOICE} (?:prompt|request|order)\b",
    ),
)

_OWN = r"\b(?:machine|user|shell|system|computer|developer|person|owner|terminal|host)'?s "
_HOLDINGS = (
    r"(?:(?:shell|bash|zsh|terminal|command(?:[ -]line)?|browser|browsing|clipboard|chat)(?:'?s)? (?:history|"
    r"contents?)|"
    r"\.(?:bash|zsh|python|psql|node_repl)_history|\bclipboard\b|\bscrollback\b|\bwhoami\b|\b(?:home|user) (?:folder|"
    r"directory) listing|\bprivate (?:notes|messages|files|documents)\b|\binstalled (?:software|programs|"
    r"applications)\b|"
    r"\blast commands\b|\bprocess list\b|"
    rf"{_OWN}(?:\w+ ){{0,2}}(?:host ?name|user ?name|address|e-?mails?|messages|notes|photos|contacts|environment|"
    r"history|"
    r"calendar|location|serial number|documents))"
)
_SHOWN_IN = (
    r"(?:commits?|pull requests?|prs?|merge requests?|issues?|tickets?|reports?|changelog|readme|release|descriptions?|"
    r"summary|tested line|footer|trailer|reviewers?|public|wiki)"
)

SHOWS = (
    any_of(
        "shows what is private",
        r"\b(?:add|put|append|include|write|mention|quote|list|paste|attach|record|copy|insert|embed|note|store|print|"
        r"show|"
        rf"report|post|publish)(?:s|ing)?\b.{{0,40}}{_HOLDINGS}.{{0,60}}\b(?:to|into|in|on|with|for|of)\b.{{0,24}}"
        rf"\b{_SHOWN_IN}\b",
    ),
)

_SOURCE = (
    r"(?:(?:git )?remotes?|origin|upstream|push(?:es| urls?| remotes?)?|fetch url|submodule urls?|registry|registries|"
    r"package (?:index|source|feed)|index[ -]url|\.git/config)"
)
TURNS = (
    any_of(
        "changes the environment",
        r"\b(?:rewrit|repoint|point|chang|set|switch|swap|replac|redirect|let|mak|edit|updat|mov|add|configur|exchang|"
        rf"substitut)(?:e|es|s|ing|ting)?\b.{{0,30}}(?<!\w){_SOURCE}\b.{{0,50}}\b(?:mirror|server|host|backup|fork|"
        r"proxy|copy|"
        r"elsewhere|points? (?:at|to)|refers?|[\w-]+\.[\w-]+\.\w+|[\w-]+-(?:host|cache|mirror))\b",
        r"\buse\b.{0,12}\b(?:registry|package index|mirror) (?:on|at|of)\b.{0,40}\binstall",
    ),
)
