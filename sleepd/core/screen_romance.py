"""The screen's patterns for Italian and Portuguese, by rule. Texts arrive flat, without accents."""

from __future__ import annotations

from sleepd.core.screen_words import any_of

FETCH = (
    any_of(
        "downloads something to run it",
        r"\b(?:scaric|recuper|prend|prelev|otten|ottien|procur)\w*.{0,60}(?:script|programm|file|binari|strument|"
        r"pacchett|"
        r"eseguibil).{0,60}(?:esegu|avvi|lanci|install)",
        r"\bscaric\w* (?:ed?|e poi|poi) (?:esegu|avvi|lanci|install)\w*",
        r"\b(?:baix|obtenh|obter|descarreg|pegu|busqu)\w*.{0,60}(?:script|programa|arquivo|ficheiro|binario|"
        r"ferramenta).{0,60}"
        r"(?:execut|inici|rod[ea]|lanc|instal)",
        r"\b(?:baix|descarreg)\w* e (?:depois )?(?:execut|rod|inici|instal)\w*",
    ),
)
CREDENTIALS = (
    any_of(
        "asks for or reads secrets",
        r"(?<!non )(?<!mai )\b(?:legg|chied|mett|copi|scriv|mostr|invi|stamp|salv|inclu|raccogl|estra|inser|"
        r"riport)\w*.{0,50}"
        r"(?:password|parol[ae] d'? ?ordine|credenzial|chiav[ei] (?:privat|segret|api|ssh|di accesso)|\btoken\b)",
        r"(?<!nao )(?<!nunca )\b(?:leia|peca|pedir|coloq|copi|escrev|mostr|envi|imprim|salv|inclu|"
        r"extrai)\w*.{0,50}(?:\bsenhas?\b|"
        r"credenciai|chaves? (?:privad|secret|api|ssh|de acesso)|\btokens?\b)",
    ),
)
SAFEGUARD = (
    any_of(
        "switches off a safeguard",
        r"(?<!non )\b(?:disattiv|disabilit|salt|aggir|spegn|elud|bypass)\w*.{0,30}(?:sandbox|hook|\btest\b|verific|"
        r"controll|"
        r"protezion|sicurezza|permess|revision)",
        r"(?<!nao )\b(?:desativ|desabilit|desligu|pul[ae]|contorn|burl)\w*.{0,30}(?:sandbox|hook|\btestes?\b|verificac|"
        r"protec|seguranca|permiss|revis)",
    ),
    any_of(
        "acts without asking",
        r"\bsenza (?:chieder|conferm|autorizz|permess|il permesso|approvaz|attender|aspettar|avvis)\w*",
        r"\brispond\w*.{0,20}\bsi\b.{0,30}(?:permess|conferm|richiest|autorizz)",
        r"\b(?:approv|accett|conferm|autorizz)\w* (?:sempre|automaticamente|ogni|tutt[eio]).{0,20}(?:permess|richiest|"
        r"conferm|"
        r"avvis)",
        r"\bsem (?:pedir|pergunt|confirm|autoriz|permiss|aprov|esperar|avis)\w*",
        r"\brespond\w*.{0,20}\bsim\b.{0,30}(?:permiss|confirm|pedido|autoriz)",
        r"\b(?:aprov|aceit|confirm|autoriz)\w* (?:sempre|automaticamente|cada|tod[ao]s?).{0,20}(?:permiss|pedido|"
        r"confirm|"
        r"avis)",
    ),
)
OVERRIDE = (
    any_of(
        "overrides other instructions",
        r"(?<!non )\b(?:ignor|dimentic|trascur|disattend|scart)\w*.{0,50}(?:istruzion|regol|indicazion|direttiv|"
        r"\bordini\b|"
        r"prompt|sistema)",
        r"(?<!nao )\b(?:esquec|ignor|desconsider|descart)\w*.{0,50}(?:instruc|regra|\bordens\b|diretri|prompt|sistema)",
    ),
    any_of(
        "gives the agent another role",
        r"\b(?:ora|adesso|d'? ?ora in (?:poi|avanti)|da (?:ora|adesso)(?: in poi)?),? (?:tu )?(?:sei|sarai|"
        r"comportati)\b",
        r"\b(?:agora|a partir de agora|de agora em diante),? (?:voce|tu) (?:e|es|sera)\b",
    ),
    any_of(
        "keeps something from the user",
        r"\bnon (?:dir|menzion|rivel|inform|mostr|segnal|avvis|raccont|comunic|far sapere)\w*.{0,50}(?:utent|nessuno|"
        r"svilupp)",
        r"\b(?:nascond|cela|occult)\w*.{0,40}(?:utent|svilupp|revisor)|\binsaputa\b|\bdi nascosto\b|\bin segreto\b",
        r"\bnao (?:dig|fal|cont|mencion|revel|inform|mostr|avis)\w*.{0,50}(?:usuari|utilizador|ninguem)",
        r"\b(?:escond|ocult)\w*.{0,40}(?:usuari|utilizador)|\bem segredo\b|\bas escondidas\b",
    ),
)
OUTGOING = (
    any_of(
        "sends data away",
        r"\b(?:invi|mand|spedi|caric|trasmett|trasferi|pubblic|inoltr|condivid)\w*.{0,60}(?:file|codice|sorgent|"
        r"contenut|"
        r"repository|dati|cronologi|progett|\blog\b|conversazion)\w*.{0,30}\b(?:al|allo|alla|all|su|sul|verso|ad?|"
        r"via)\b.{0,30}"
        r"(?:server|\bsito\b|indirizz|estern|pubblic|remot|internet|cloud)",
        r"\b(?:envi|mand|carreg|transmit|publi[cq]|encaminh|compartilh)\w*.{0,60}(?:arquivo|ficheiro|codigo|conteudo|"
        r"repositorio|"
        r"dados|historico|projeto|conversa)\w*.{0,30}\b(?:para|ao?|num|em|no|na|via)\b.{0,30}(?:servidor|\bsite\b|"
        r"endereco|"
        r"extern|public|remot|internet|nuvem)",
    ),
)
