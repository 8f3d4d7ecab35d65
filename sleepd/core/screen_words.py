"""The screen's patterns for speech: overriding, hiding from the user, sending data away; in several languages."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pattern:
    """One thing to look for, and what to tell the reader about it."""

    why: str
    regex: re.Pattern[str]


def any_of(why: str, *alternatives: str, case: bool = False) -> Pattern:
    """A pattern of alternatives, blind to letter case unless `case`."""
    return Pattern(why, re.compile("|".join(f"(?:{a})" for a in alternatives), 0 if case else re.IGNORECASE))


_USER_WORDS = (
    r"(?:users?|humans?|developers?|anyone|anybody|owners?|reviewers?|person|people|maintainers?|operator|them|him|her)"
)
OVERRIDE = (
    any_of(
        "overrides other instructions",
        r"\b(?:ignore|disregard|forget|override|overrule|supersede|bypass|discard|violate)(?:s|d|"
        r"ing)?\s+(?:(?:all|any|the|every|of|previous|prior|earlier|above|preceding|your|other|system|these|"
        r"those|existing|former|original|safety|my|developer|user)\s+){0,6}(?:instructions?|rules?|prompts?|"
        r"guidelines?|directives?|polic(?:y|ies)|constraints?|guardrails?|orders?|restrictions?)\b",
        r"\b(?:ignore|disregard|forget)\s+(?:(?:all|everything|anything|what)\s+){0,2}(?:previous|prior|above|"
        r"before|preceding|you (?:were|have been|know))\b(?! \w+ (?:results?|errors?|runs?|lines?))",
        r"\b(?:take|takes|has|have|with) (?:precedence|priority) over (?:all|any|every|the|other|your|system|"
        r"previous)\b",
        r"\b(?:system|developer) (?:prompt|message|override)\b|\b(?:developer|god|dan|jailbreak) mode\b|\bjailbreak",
        r"</?\s?(?:system|instructions?|user|assistant|human|admin)(?:[ -]\w+)?\s?>|\[/?INST\]|<\|\w+\|>|(?:^|"
        r"[\n#] ?)(?:system|assistant|developer)\s?:",
        r"\b(?:ignorier|vergiss|vergesst|missacht|ubergeh|verwirf)\w*.{0,50}(?:anweisung|regel|vorgabe|"
        r"instruktion|prompt|richtlini|system)",
        r"\b(?:ignor|oubli|neglig|ecart)\w*.{0,50}(?:instruction|consigne|regle|directive|prompt|systeme)|"
        r"\bne (?:tiens|tenez) pas compte",
        r"\b(?:ignor|olvid|omit|descart|pasa por alto|haz caso omiso)\w*.{0,50}(?:instruccion|reglas?\b|"
        r"indicacion|orden|directri|sistema|prompt)",
        r"\b(?:ignor|esquec|dimentica)\w*.{0,50}(?:instruc|istruzion|regole|regras|sistema)",
        r"(?:忽略|无视|無視|忽視|忘记|忘掉|忘記|不要理会|不理会|覆盖).{0,16}(?:指令|指示|规则|規則|提示|要求|说明|系统|系統|内容)|無視して",
        r"(?:игнорир|забуд|забыв|не обраща|пренебре|отмен)\w*.{0,50}(?:инструкц|указани|правил|команд|систем|"
        r"промпт|подсказ)",
    ),
    any_of(
        "overrides other instructions",
        r"\b(?:ignor|disregard|forget|overrul)\w*\s+(?:what|whatever|anything|everything|all)\b.{0,30}\b(?:said|"
        r"says|told|wrote|wants|instruct)",
        r"\b(?:ignor|disregard|overrul|overrid)\w*\s+(?:the )?(?:\w+ )?(?:claude|agents|skill|readme|"
        r"copilot-instructions|contributing)\.md\b",
        r"\b(?:disregard|pay no attention to|do not follow|don'?t follow|stop following|no longer (?:follow|"
        r"obey))\b.{0,40}\b(?:rules?|instructions?|polic|guideline)",
        r"\b(?:real|true|actual|secret|updated|revised) (?:instructions?|orders|task|goal|objective)\b|"
        r"\bno (?:restrictions|limits|filters|rules)\b",
        r"\b(?:vergiss|vergesst|ignorier)\w*.{0,20}(?:davor|vorher|bisher|zuvor|oben|alles)|\b(?:oubli|"
        r"ignor)\w*.{0,20}(?:precede|avant|ci-dessus)",
        r"\b(?:olvid|ignor)\w*.{0,20}(?:anterior|previo|de arriba)",
        r"(?:忘记|忘掉|忽略|无视).{0,6}(?:上面|以上|之前|前面)",
        r"(?:забуд|игнорир)\w*.{0,24}(?:раньше|ранее|выше|прежн|предыдущ)",
    ),
    any_of(
        "overrides other instructions",
        r"\b(?:highest|absolute|supreme|final|top) (?:authority|priority|precedence)\b|"
        r"\bwhatever the user (?:asks|says|wants)",
        r"\bthis rule (?:comes|goes|is) (?:first|above)\b|\bno matter what (?:the user|you|anyone)\b",
    ),
    any_of(
        "gives the agent another role",
        r"\byou are now\b|\bfrom now on,? you\b|\bpretend (?:to be|you are|that you)\b|"
        r"\bnew (?:system )?(?:instructions|prompt)\s?:",
        r"\bdu bist (?:jetzt|nun|ab jetzt|ab sofort)\b|\bab (?:jetzt|sofort) bist du\b",
        r"\b(?:tu es|vous etes) (?:maintenant|desormais)\b|\b(?:desormais|a partir de maintenant),? (?:tu es|"
        r"vous etes)\b",
        r"\bahora eres\b|\beres ahora\b|\ba partir de ahora,? (?:eres|seras)\b|\bagora voce e\b",
        r"(?:你|您)(?:现在|現在|从现在起|从现在开始|如今)(?:是|扮演|成为)|从现在(?:起|开始)[,,]?你|あなたは今",
        r"(?:теперь ты|ты теперь|отныне ты|с этого момента ты|вы теперь|теперь вы)",
    ),
    any_of(
        "keeps something from the user",
        r"\bsilently\b.{0,6}:|\b(?:following|this|these|it)\b.{0,12}\b(?:silently|quietly|unnoticed)\b|"
        r"\bas if (?:no|nothing|you (?:did|had) not)\b",
        r"\b(?:hide|conceal|suppress|mask)\w*\s+(?:the |your |this |any |all )?(?:tool|command|shell|"
        r"git)? ?(?:output|calls?|changes?|edits?|diffs?|steps?|activity|commands?)\b",
        rf"\b{_USER_WORDS}\b.{{0,20}}\b(?:must|should|may|need|can|shall|will|does|do)(?: ?not|n'?t|"
        rf" never)\b.{{0,20}}\b(?:know|see|notice|learn|hear|find out|be (?:told|aware|informed))",
        r"\b(?:keep|stay|be|remain) (?:quiet|silent|discreet|mum) (?:about|on|regarding)\b|\bleave no trace\b|"
        r"\bcover (?:your|the) tracks\b",
        r"\b(?:do not|don'?t|never)\s+(?:include|list|log|mention|show|describe|record|note)\w*\s+(?:this|these|"
        r"that|it)\b.{0,40}\b(?:in|from)\b",
        r"(?:nutzer|anwender)\w*.{0,20}(?:darf|soll|muss|braucht)\w*.{0,30}(?:nicht|nichts|nie)|"
        r"utilisateur.{0,20}(?:ne )?(?:doit|peut|devrait) (?:pas|rien|jamais)",
        r"usuario.{0,12}\bno (?:debe|puede|tiene que|deberia)",
        r"用户.{0,6}(?:不应|不该|不能|不得|不可|不会)(?:知道|看到|发现|该)?|"
        r"пользовател\w*.{0,12}не (?:долж|узна|увид)",
        rf"\b(?:do not|don'?t|never|without|not|avoid|must not|no need to)\s+(?:\w+ )?(?:tell|telling|mention|"
        rf"inform|notify|alert|warn|reveal|disclos|report|letting|let|confess|"
        rf"admit)\w*\b.{{0,60}}\b{_USER_WORDS}\b",
        rf"\b(?:do not|don'?t|never|without)\s+show\w*\b.{{0,20}}\b(?:this|these|it|the (?:change|diff|command|"
        rf"output|edit|rule|instruction)s?)\b.{{0,20}}\bto\b.{{0,10}}\b{_USER_WORDS}\b",
        r"\b(?:do not|don'?t|never|without)\s+(?:mention|reveal|disclos|report|"
        r"acknowledg)\w*\s+(?:\w+ ){0,2}?(?:this|these|it|that you)\b",
        rf"\b(?:hid(?:e|den|ing)|conceal\w*|invisible|keep\w*|secret)\b.{{0,40}}\bfrom\b.{{0,15}}\b{_USER_WORDS}\b",
        r"\b(?:secretly|covertly|stealthily|surreptitiously)\b|\bbehind (?:the )?\w+'?s? back\b|\bkeep (?:this|"
        r"it) (?:a )?(?:secret|hidden|quiet|private|confidential)\b|\bbetween us\b",
        r"(?:sag|erzahl|verrat|teil|zeig|melde|erwahn|informier|verschweig|verheimlich|verberg|"
        r"versteck)\w*.{0,40}(?:nutzer|anwender|user).{0,40}(?:nicht|nichts|niemals|kein)|(?:nicht|nichts|"
        r"niemals|nie)\b.{0,30}(?:nutzer|anwender|user).{0,30}(?:sag|erzahl|verrat|mitteil|zeig|meld|erwahn|"
        r"informier)|vor (?:dem|den|der) (?:be)?nutzer\w*.{0,20}(?:verb|verst|verh|geheim)|\bheimlich\b|"
        r"(?:verschweig|verheimlich|verbirg|versteck)\w*.{0,40}(?:nutzer|anwender)",
        r"\bn[e']? ?(?:le |la |les |lui |leur |en )?(?:dis|dites|dire|mentionn|revel|inform|montr|previen|"
        r"prevenez|signal|parl)\w*.{0,50}(?:utilisateur|usager|personne)|\ba linsu\b|\ba l'insu|\ben secret\b|"
        r"\bcach\w*.{0,30}utilisateur",
        r"\b(?:no|nunca|jamas) (?:le |les |se lo |lo )?(?:dig|menci|inform|revel|muestr|avis|"
        r"cuent)\w*.{0,50}(?:usuario|nadie)|\ba espaldas\b|\bocult\w*.{0,30}usuario|\ben secreto\b",
        r"(?:不要|别|別|勿|切勿|不能|不得|不可|不许|绝不).{0,8}(?:告诉|告訴|告知|透露|提及|提到|通知|让|讓).{0,10}(?:用户|用戶|使用者|任何人|他人|别人)|(?:对|向|"
        r"瞒着|瞞著)(?:用户|用戶|使用者).{0,6}(?:隐藏|隐瞒|隱瞞|保密)?|(?:隐藏|隐瞒|隱瞞).{0,10}(?:用户|用戶)|ユーザーに.{0,8}(?:言わ|伝え|知らせ)",
        r"\bне (?:говори|сообща|рассказыва|показыва|упомина|раскрыва|информиру|уведомля|"
        r"предупрежда)\w*.{0,50}(?:пользовател|юзер|никому|человек)|(?:скры|скро|спрят|спрячь|"
        r"утаи)\w*.{0,40}пользовател|втайне|тайком|пользовател\w* (?:об этом )?не (?:говори|сообща|уведомля)",
    ),
)

_GOODS = (
    r"(?:repos?(?:itory)?|files?|contents?|source(?: code)?|code ?base|code|transcripts?|data|output|logs?|"
    r"diffs?|history|conversations?|workspace|"
    r"context|environment|director(?:y|ies)|folders?|projects?|archives?|prompts?|results?|changes|everything|"
    r"tarball|zip|documents?|screenshots?)"
)
_LEAVES = r"\b(?:upload|e-?mail|exfiltrat|leak|transmit|beacon|tweet|phone)\w*\b"
_HANDS = (
    r"\b(?:send|post|forward|share|submit|deliver|mail|publish|copy|push|sync|back ?up|report|stream|relay|"
    r"dispatch)(?:s|es|ing|ting|ed)?\b"
)
_FAR = (
    r"(?:\S+@\S+\.\w|servers?|endpoints?|slack|discord|telegram|pastebin|gists?|s3|buckets?|channels?|address|https?|"
    r"external|remote|third|domain|dns|api|webhooks?|online|outside|internet|cloud|\w+\.(?:com|net|org|io|dev|"
    r"example))"
)
OUTGOING = (
    any_of(
        "sends data away",
        rf"{_LEAVES}.{{0,60}}\b{_GOODS}\b",
        rf"{_HANDS}.{{0,60}}\b{_GOODS}\b.{{0,40}}\b(?:to|at|via|into|with|on)\b.{{0,40}}\b{_FAR}",
        rf"\b(?:send|post|forward|mail|submit)(?:s|ing|"
        rf"ed)?\b(?: \w+){{0,3}} {_GOODS}\b.{{0,40}}\bto\b(?! (?:std(?:out|err)|the (?:logger|log|console|"
        rf"terminal|formatter|parser|queue|worker)))",
        rf"\bto\b.{{0,40}}{_FAR}.{{0,20}}{_HANDS}.{{0,40}}\b{_GOODS}\b|{_GOODS} .{{0,30}}\b(?:sent|posted|"
        rf"uploaded|forwarded|mailed)\b to\b",
    ),
    any_of(
        "uses a channel that leaves the machine",
        r"\b[\w.-]+@[\w.-]+:\w|\bgit (?:push|clone|fetch|pull)\s+\S*[@:/]\S*[@:]|\b\w[\w.+-]*@[\w-]+\.\w{2,}",
        rf"\b(?:attach|mirror|pipe|report|forward|hand|leak|expose|ship|stream|"
        rf"relay)\w*\b.{{0,40}}\b{_GOODS}\b.{{0,40}}\b(?:to|into|with)\b.{{0,30}}\b(?:e-?mail|nc|netcat|host|"
        rf"collector|remote|server|outside|us|our)\b",
        r"\b(?:nc|ncat|netcat)\s+\S+\s+\d+",
        r"\b(?:call|hit|ping|notif|trigger|inform|post to|send to)\w*\b.{0,24}\bwebhook",
        r"\bpastebin\b|\btransfer\.sh\b|\bngrok\b|\brequestbin\b|\bphone home\b",
        r"\b(?:scp|sftp|ftp|rsync)\b.{0,80}\w:|\bsendmail\b|\bmailx?\s+-s|\b(?:dig|nslookup|host)\b.{0,40}\$\(|"
        r"\bgh gist\b|\baws s3 (?:cp|sync)\b|\bgsutil cp\b|\brclone\b",
    ),
    any_of(
        "sends data away",
        r"\b(?:schick|send|lad|ubermittel|ubertrag|mail)\w*.{0,60}(?:datei|quellcode|inhalt|repo|verlauf|projekt|"
        r"daten|code).{0,60}(?:an\b|nach\b|zu\b|hoch\b|server|adresse)|\bhochladen\b",
        r"\b(?:envoi|envoy|televers|transmet|transmi|expedi)\w*.{0,60}(?:fichier|code|contenu|depot|donnee|"
        r"historique|projet)",
        r"\b(?:envia|envie|sub[ea]|manda|mande|transmit)\w*\b.{0,60}(?:archivo|fichero|codigo|contenido|"
        r"repositorio|datos|historial|proyecto)",
        r"(?:发送|發送|上传|上傳|传送|邮寄|提交到|发到|发给|外传).{0,20}(?:文件|代码|内容|仓库|数据|日志|源码|项目)|(?:文件|代码|内容|仓库|数据|日志|源码|"
        r"项目).{0,12}(?:发送|上传|传送|发到|发给|外传)",
        r"(?:отправ|отошл|загру[зж]|выгру[зж]|перешл|переда[йв]|слей|слить)\w*.{0,60}(?:файл|код|исходник|"
        r"содержим|репозитор|"
        r"данн|истори|проект)",
    ),
)
