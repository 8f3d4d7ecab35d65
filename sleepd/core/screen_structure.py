"""What a rule would make an agent do, in any language: an act upon an object in one clause.

Commands, paths, addresses and flags are the same in every language; the verbs and nouns around them come from small
lexicons in twelve languages. A finding needs both: something done (run, fetch, send, write, switch off, keep quiet)
and something it must not be done to. Texts arrive flat, Latin letters without accents.
"""

# Lexicons are kept whole on their lines.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

I = re.IGNORECASE  # noqa: E741


def _lexicon(latin: str, other: str = "") -> str:
    """Beginnings of words for languages with spaces, and signs or words of the others."""
    return rf"(?:\b(?:{latin})\w*" + (rf"|{other})" if other else ")")


RUN: Final = _lexicon(
    r"runs?\b|running\b|execut|launch|start|invok|sourc|evaluat|eval\b|ausfuhr|ausgefuhrt|fuhre?\b|fuhrt\b|lass\w*\b.{0,20}\blaufen|demarr|lanc|ejecut|corr(?:e|a|er)\b|lanz|esegu|avvi|lanci|voer\b|draai|uitvoer|rod(?:e|a|ar)\b|uruchom|uruchami|wykon|odpal|запус|выполн",
    r"запуск|运行|執行|执行|跑一|実行|起動|走らせ|실행|돌려",
)
FETCH: Final = _lexicon(
    r"download|fetch|pull|obtain|get\b|retriev|grab|clon|lade?\b|herunterlad|hol\b|hole\b|telecharg|recuper|descarg|baj(?:a|ar|e|alo|ala|arlo)\b|scaric|haal\b|ophal|baix|pobier|sciagn|скача|загру",
    r"下载|下載|拉取|ダウンロード|取得|다운로드|내려받|받아",
)
SEND: Final = _lexicon(
    r"send|sent|post|upload|mail|email|forward|transmit|submit|schick|versend|ubermitt|hochlad|weiterleit|envoi|envoy|transmet|televers|envi(?:a|e|o|ar|es|en)\b|mand(?:a|ar|e)\b|sub(?:e|a|ir)\b|publi[cq]|invi(?:a|o|are)\b|caric|pubblic|stuur|verstuur|deel|compartilh|wysl|wysyl|wyśl|przesl|przesyl|prześl|отправ|выклад|вылож|залей|залив|отсыл|посыла|пошл|перешл|перешли|выгруж|выгруз|передава|переда[йт]",
    r"发送|發送|发到|发给|上传|上傳|转发|传到|传给|送信|送る|送って|アップロード|転送|投稿|보내|전송|업로드|올려|게시",
)
WRITE: Final = _lexicon(
    r"adds?\b|adding\b|schedul|append|puts?\b|writ|insert|regist|install|sets?\b|creat|plac|paste|keep|edit|chang|modif|point|switch|symlink|enabl|trage?\b|eintrag|schreib|fuge?\b|hinterleg|setze?\b|richte|lege?\b|andere?\b|aktivier|ajout|ecri|inscri|mets\b|mett|creez?\b|creer\b|indiqu|agreg|anad|escrib|pon\b|ponga|crea|cargedit[ae]|cambi|aggiung|scriv|inseri|imposta|crea|modific|voeg|schrijf|zet\b|plaats|maak|wijzig|adicion|inclu|escrev|coloqu|grav|cri[ae]|alter|dodaj|dopis|wpis|zapis|umie[sś]|ustaw|utworz|zmie[nń]|добав|запи[сш]|пропи[сш]|встав|помест|созда|установ|внес|измен|поменя",
    r"写入|写进|写到|寫入|添加|加入|加到|加进|放到|放进|创建|设置|修改|改成|追加|追記|書き込|書き足|書き換|書く|書い|入れ|コピー|作成|設定|登録|変更|추가|작성|넣|등록|설정|만들|수정|변경|써",
)
OFF: Final = _lexicon(
    r"disabl|deactiv|turn(?:s|ed|ing)? off|switch(?:es|ed|ing)? off|skip|bypass|ignor|remov|delet|silenc|suppress|mut(?:e|es|ed|ing)\b|comment\w* out|drop|weaken|mark\w* as (?:skipped|passed)|deaktivier|abschalt|ausschalt|schalt|uberspring|umgeh|ignorier|entfern|unterdruck|losch|auskommentier|desactiv|contourn|saut[ez]|supprim|coup[ez]|desactiv|omit[ae]|salt[ae]|elimin|coment[ae]|quit[ae]|evit[ae]|disattiv|disabilit|rimuov|aggir|elimin|schakel|uitschakel|zet\b.{0,60}\buit\b|(?:schalt|stell|mach|dreh)\w*\b.{0,60}\b(?:ab|aus)\b|sla\b|overslaan|omzeil|negeer|verwijder|desativ|desabilit|pul[ae]|contorn|remov|wy[lł][aą]cz|pomin|pomij|pomi[nń]|ignoruj|obejd|obchod|usu[nń]|usuwa|zakomentuj|отключ|выключ|пропус|обойд|обход|игнор|удал|закоммент|убер|убира",
    r"关闭|關閉|禁用|跳过|跳過|绕过|忽略|删除|停用|注释掉|去掉|移除|关掉|無効|スキップ|無視|回避|削除|外す|外し|オフ|コメントアウト|비활성|끄고|꺼|건너뛰|무시|우회|삭제|제거|생략",
)
SAFEGUARD: Final = _lexicon(
    r"verif|certific|zertifik|certyfik|сертифик|tls|ssl|signatur|firma[s]?|firme|assinatur|podpis|подпис|security|sicherheit|securite|segurid|sicurezz|beveilig|seguranc|bezpiecz|zabezpiecz|безопас|защит|sandbox|песочниц|scanner|firewall|antivirus|authent|authoriz|authentif|autentic|autentif|uwierzyt|аутентиф|авторизац|comprobac|zertifikatspruf|uberpruf|prufung|weryfik|провер|code ?owners|branch protection|required review|2fa|mfa|validat|validier|validac|валидац|type ?check|typpruf|hooks?\b|ganchos|haken|хук|pre-?commit|pruebas|tests?\b|teste[s]?\b|testow|testy|тест|audit\w*|guard|rate limit",
    r"验证|驗證|证书|憑證|签名|安全|测试|检查|钩子|审查|审核|认证|校验|沙箱|沙盒|検証|証明書|署名|セキュリティ|テスト|チェック|フック|レビュー|認証|검증|인증|서명|보안|테스트|검사|훅|리뷰|확인",
)
USER: Final = _lexicon(
    r"user|person|human|developer|owner|maintainer|benutzer|nutzer|anwender|mensch|entwickler|utilisat|usuari|utente|gebruiker|uzytkown|użytkown|пользоват|человек|разработчик",
    r"用户|使用者|用戶|开发者|ユーザー|利用者|개발자|사용자",
)
TELL: Final = _lexicon(
    r"mention|tell|say|report|show|list|inform|disclos|reveal|note|notif|erwahn|sag|mitteil|teil|bericht|meld|zeig|informier|dis\b|dire|dites|mentionn|signal|montr|menci?on|dig[ae]|decir|digas|muestr|revel|menzion|mostr|vertel|noem|zeg|toon|inform|relat|wspomin|mow|mów|informuj|zglasz|pokazu|упомин|говор|сообщ|показ|расска|информир",
    r"提到|告诉|告訴|提及|说明|报告|显示|透露|言及|伝え|知らせ|報告|表示|触れ|언급|말하|알리|보고|표시|밝히",
)
ACCOUNT: Final = _lexicon(
    r"summar|report|recap|final answer|final message|commit message|diff|log|changelog|zusammenfassung|bericht|abschluss|resum|rapport|compte rendu|informe|riassunt|riepilog|samenvatting|verslag|relator|podsumow|raport|отчет|отчёт|сводк|итог|резюме",
    r"总结|總結|摘要|报告|まとめ|要約|報告|サマリ|요약|보고|정리",
)
DEED: Final = _lexicon(
    r"step|chang|sync|action|script|command|upload|file|this|it\b|that|rule|schritt|datei|geandert|anderung|ausgefuhrt|befehl|skript|etap|commande|fichier|modific|execut|paso|archivo|cambio|comando|passagg|passo|modific|stap|uitgevoerd|bestand|etapa|arquivo|alterac|krok|plik|zmian|polecen|шаг|файл|измен|команд|скрипт|этом|это",
    r"步骤|文件|修改|更改|操作|命令|这个|此|手順|変更|ファイル|作業|この|ステップ|コマンド|단계|변경|파일|작업|명령|이 ",
)
ASK: Final = _lexicon(
    r"ask|confirm|permission|approval|consent|wait for|frag|ruckfrag|nachfrag|bestatig|erlaubnis|genehmig|demand[ez]|demander|confirm|autoris|permiss|pid[ae]|pregunt|preguntar|permiso|aprobac|autoriz|chied|conferm|permess|approv|vra[ag]|bevestig|toestemming|pergunt|peca|aprovac|pyta|zapyt|potwierd|zgod|спраш|спрос|подтвержд|разрешен|соглас|одобр",
    r"询问|詢問|确认|確認|请求|问用户|批准|同意|许可|尋ね|聞か|聞く|許可|承認|묻|물어|확인|승인|허락|허가|동의",
)
NOT: Final = (
    r"(?:\b(?:not|no|never|nothing|without|don'?t|doesn'?t|nicht|kein\w*|ohne|nie|niemals|ne|n'|sans|jamais|pas|no|sin|nunca|non|senza|mai|niet|geen|zonder|nooit|nao|sem|nie|bez|nigdy|не|без|никогда)\b"
    r"|不|无需|无须|勿|别|未经|ない|なし|せずに|ずに|不要|않|말고|말아|말 것|없이|지 마|마라|하지 마)"
)
OBEY: Final = _lexicon(
    r"follow|obey|outrank|priorit|preced|overrid|authorit|comply|treat|count as|trust|befolg|vorrang|gehen|gelten|gilt|gehorch|folge|suivre|suis|suivez|obei|preva|consider|traite|obede|sigu|prevalec|seg[un]|obbed|consider|prevalg|volg|gehoorza|voorrang|beschouw|sig[ae]|trat[ae]|stosuj|przestrzeg|pierwszen|nadrzed|traktuj|следу|подчин|приоритет|важне|выше|счита",
    r"遵循|遵守|优先|高于|服从|当作|视为|按照|听从|優先|従|扱|みなす|見なす|우선|따르|따라|간주|취급",
)
SAID: Final = _lexicon(
    r"instruction|command|request|order|direct|guidance|rule|step|say|says|said|tell|anweisung|befehl|vorgabe|regel|gesagt|consign|instruct|ordre|regle|instrucc|orden|regla|istruz|regol|instructie|opdracht|instruc|regra|ordem|polecen|instrukc|zasad|указан|инструкц|команд|правил|слов",
    r"指令|指示|命令|规则|要求|说明|内容|ルール|命令|지시|명령|규칙|지침|요청|내용",
)
SOURCE: Final = _lexicon(
    r"web ?page|website|site\b|pages?\b|ticket|issue|comment|tool (?:result|output)|resultad|ergebnis|readme|email|mail|e-mail|log|attachment|webseite|kommentar|quell?code|code comment|werkzeug|commentair|outil|pagina|pagin|herramient|comentari|strument|commenti|reactie|hulpmiddel|ferrament|komentarz|stron|narzedz|страниц|тикет|задач|комментар|инструмент|письм|файл",
    r"网页|工单|注释|工具|评论|邮件|日志|文件|README|ウェブ|ページ|チケット|コメント|ツール|ファイル|웹|페이지|티켓|댓글|도구|주석|파일",
)
EARLIER: Final = _lexicon(
    r"previous|earlier|prior|above|former|other|all|any|existing|fruher|vorherig|bisherig|vorig|obig|precedent|anterior|preceden|eerder|vorige|bestaande|wczesniej|wcześniej|poprzedn|dotychczas|предыдущ|прежн|ранее|остальн",
    r"之前|以前|先前|上述|前面|其他|所有|これまで|前の|以前の|上記|이전|앞선|기존|다른|모든",
)
RULES_NOUN: Final = _lexicon(
    r"instruction|guidance|guideline|rule|polic|prompt|constraint|anweisung|regel|vorgabe|richtlini|consign|instruct|regle|directiv|instrucc|reglas?|norma|istruz|regol|richtlijn|instructie|regra|instruc|diretri|zasad|regu[lł]|instrukc|wytyczn|правил|инструкц|указан",
    r"规则|指令|指示|说明|限制|规定|ルール|指示|命令|制約|규칙|지침|지시|명령|제한",
)
SECRET: Final = _lexicon(
    r"password|passphrase|secret|credential|token|api[ _-]?key|private key|ssh key|keychain|cookie|passwort|kennwort|zugangsdat|schlussel|geheim|mots? de passe|identifiant|cles? (?:api|priv|ssh)|jeton|contrasen|credencial|claves?\b|credenzial|chiav|wachtwoord|sleutel|inloggegev|senha|chaves?\b|has[lł]|klucz|poswiadcz|парол|ключ|токен|учетн|секрет",
    r"密码|密碼|口令|密钥|令牌|凭证|凭据|私钥|パスワード|秘密鍵|トークン|認証情報|シークレット|비밀번호|암호|토큰|자격 ?증명|비밀 ?키|API ?키",
)
SHOW: Final = _lexicon(
    r"read|print|echo|logs?\b|quot|copy|copi|paste|includ|attach|put|dump|export|lies\b|lese?\b|druck|kopier|fuge?\b|gib\b|zeig|copi[ea]|affich|lis\b|lire\b|imprim|lee\b|leer\b|mostr|muestr|incluy|pon\b|copi[ae]|legg|zet\b|stamp|inclu|scriv|lees|toon|kopieer|druk|zapis|wypis|skopiuj|wklej|czytaj|odczyt|прочит|чита|вывед|вывод|скопир|вставл|вставь|печата|cole|leia|coloqu|imprim|grav|salv|guard|stor(?:e|es|ing)\b|sav(?:e|es|ing)\b|keep|сохран",
    r"读取|打印|输出|复制|写入|记录|粘贴|保存|読み|表示|出力|コピー|貼り|保存|記録|읽|출력|복사|붙여|기록|저장",
)
EVERYTHING: Final = r"(?:\b(?:env|environment variables?|source code|code ?base|whole|entire|repo\w*|diff|log\w*|config\w*|history|transcripts?|protokoll\w*|quellcode|verlauf|code source|historique|registros?|codigo\w*|historial|configurac\w*|codice|cronologia|broncode|geschiedenis|codigo|historico|kod\w*|histori\w*|logi\b|konfigurac\w*|истори\w*|код\w*|лог\w*|журнал\w*|содержим\w*|files?|contents?|dateien?|fichiers?|archivos?|documents?|summary)\b|\.env\b|代码|源码|配置|历史|日志|文件|内容|コード|ソース|設定|履歴|ログ|ファイル|코드|소스|설정|기록|로그|파일)"
AWAY: Final = r"(?:https?://|\b[\w.+-]+@[\w-]+\.\w|\b(?:[a-z0-9-]+\.)+(?:com|net|org|io|dev|sh|ru|cn|xyz|me|co|de|fr|nl|it|es|pl|br|kr|jp)\b(?!\()|\bwebhooks?\b|\bpastebin\b|\bgists?\b|\btransfer\.sh\b|\bexternal\b|\bextern\w*\b|\bexterne\b|\bexterno\b|\bvendor\b|\bthird[- ]party\b|\bsupport\b|\bслак\b|\bвнешн\w*|外部|第三方|ウェブフック|외부|웹훅)"

_HOME: Final = r"(?:~[/\\]|\$HOME\b|\$\{HOME\}|%(?:APPDATA|USERPROFILE|LOCALAPPDATA)%|/(?:etc|root|usr/local|opt)/|/(?:home|Users)/\w)"
_STARTUP: Final = (
    r"(?:\.(?:bashrc|zshrc|bash_profile|bash_login|profile|zprofile|zshenv|kshrc|cshrc|xinitrc|xprofile|inputrc|gitconfig|curlrc|wgetrc|vimrc)\b|config\.fish\b|authorized_keys\b|known_hosts\b|\.ssh/|launch ?agents?\b|launch ?daemons?\b|\.plist\b|\blaunchctl\b|\bschtasks\b|\bautostart\b|/etc/|\bcrontab\b"
    r"|\bsystemd (?:user )?(?:unit|service|timer)|\w\.service\b|\w\.timer\b|\bCurrentVersion\\Run\b|\bstartup folder\b|\blogin items?\b|\.git/hooks|hooks?/(?:pre|post)-|\bcore\.hooksPath\b|\bnohup\b|\bdisown\b|tasks\.json\b|folderOpen|\.envrc\b|post(?:Create|Start|Attach)Command|\bpm2 (?:startup|save)|systemctl (?:--user )?enable|restart ?[=:] ?always|git config --(?:global|system)|\bcore\.(?:fsmonitor|sshCommand|pager|editor)|credential\.helper|init\.templateDir|\bLD_PRELOAD\b|\bPROMPT_COMMAND\b|\bBASH_ENV\b|\bsitecustomize\b|\busercustomize\b|\bconftest\.py\b.{0,30}\b(?:run|download|import os))"
)
_CRON: Final = r"(?:\bcron(?:tab|jobs?)?\b|\bкрон\w*|计划任务|定时任务|스케줄러)"
_OWN_FILES: Final = (
    r"(?:\b(?:claude|agents|gemini|skill|copilot-instructions)\.md\b|\.claude\b|\.codex\b|\.cursor\b|\.mcp\.json\b|\bsettings(?:\.local)?\.json\b|\bsleepd(?:\.toml)?\b|\bgate\.\w+|\bsystem prompt\b|instruction(?:s)? file|permission (?:settings|mode)|\bPreToolUse\b|\bPostToolUse\b"
    r"|(?:your|its|own|eigen\w*|propi\w*|propri\w*|propre\w*|eigen) [\w ]{0,20}(?:instruc\w*|anweisung\w*|regel\w*|consign\w*|settings|einstellung\w*|configura\w*)|自己的(?:指令|配置|设置|规则)|自分の(?:設定|指示)|너의 (?:설정|지침))"
)


_DO: Final = r"(?:\bperform\w*|carry out|\bdo (?:what|as)|\b(?:kopier|copy|paste|type)\w*\b.{0,40}(?:konsole|terminal|shell|console)|\bmach|\bfais|\bhaz\b|\bfai\b|\bdoe\b|\bfaca|\bzrob|сделай|делай|照做|照办|その通り|그대로)"
_SPOKEN_BY: Final = _lexicon(
    r"ticket|issue|comment|web ?page|page|website|server|vendor|supplier|email|mail|message|attachment|kommentar|webseite|seite|anbieter|nachricht|commentair|serveur|fournisseur|mensaj|comentari|pagin|proveedor|servidor|fornitor|sito|pagina|reactie|leverancier|bericht|comentari|fornecedor|komentarz|stron|serwer|dostawc|комментар|задач|страниц|сервер|поставщик|письм",
    r"工单|评论|网页|页面|服务器|邮件|チケット|コメント|ページ|サーバ|メール|티켓|댓글|페이지|서버|메일|이슈",
)
_THEIR_WORDS: Final = r"(?:\b(?:commands?|instructions?|steps?|blocks?|what(?:ever)?|befehle?|anweisung\w*|schritte|was|commandes?|consignes?|ce qu\w*|comandos?|instruccion\w*|lo que|comand\w*|istruzion\w*|quello che|cio che|opdracht\w*|wat|instruco\w*|o que|polecen\w*|instrukcj\w*|co\b|команд\w*|инструкц\w*|то,? что|что)\b|命令|指令|指示|コマンド|内容|명령|지시|내용)"
_PROMPT: Final = _lexicon(
    r"prompt|dialog|confirmation|approval|permission|ruckfrag|nachfrag|bestatigungs|demandes? d'autoris|demandes? de (?:confirm|permission|fusion)|solicitud|peticion|confirmac|richiest|conferm|vraag|vragen|toestemming|bevestig|pedido|confirmac|pyta|potwierdz|zgod|запрос|подтвержд|разрешен|вопрос",
    r"权限|确认|提示|許可|確認|承認|권한|확인|승인|프롬프트",
)
_YES: Final = r"(?:\byes\b|\bagree|\baffirmative|\bapprove\b|\bpress (?:y|enter)|\baccept|let .{0,30} through|auf ja\b|mit ja\b|\bja\b|zustimm|\boui\b|accepte|valide|approuve|\bsi a\b|acepta|aprueba|di que si|\bsi\b.{0,10}(?:siempre|sempre)|accetta|approva|altijd ja|\bakkoord|accepteer|\bsim\b|aceite|aprove|\btak\b|zgadzaj|zatwierdzaj|соглаша|одобря|подтверждай|отвечай да|«да»|同意|允许|点是|はい|承諾|許可する|承認する|예\b|허용|수락|동의)"
_NOBODY: Final = r"(?:\b(?:nobody|no one|anyone|anybody|niemand\w*|personne|quiconque|nadie|nessuno|ninguem|nikomu|nikt)\b|никому|никто|от всех|任何人|谁也|誰にも|아무에게도|누구에게도)"
_OUTSIDERS: Final = r"(?:\b(?:contractor|agency|vendor|supplier|partner|third[- ]part\w*|outsider|competitor|external\w*|publicly|dienstleister|agentur|lieferant\w*|anbieter\w*|extern\w*|offentlich|prestataire|fournisseur|agence|partenaire|externe|proveedor|contratista|externo|socio|fornitore|esterno|agenzia|leverancier|bureau|fornecedor|parceiro|terceiro\w*|dostawc\w*|zewnetrzn\w*|внешн\w*|подрядчик\w*|партнер\w*|поставщик\w*|посторонн\w*)\b|外部|第三方|供应商|协作方|協力会社|取引先|外注|협력사|외부|업체)"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleEffect:
    """Something a clause would make an agent do."""

    rule: str
    why: str
    hit: re.Match[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    """One closed question put to a clause: all of `both` must be in it, nothing of `but`."""

    rule: str
    why: str
    both: tuple[re.Pattern[str], ...]
    but: re.Pattern[str] | None = None


def _question(rule: str, why: str, *both: str, but: str | None = None) -> _Question:
    return _Question(
        rule=rule, why=why, both=tuple(re.compile(b, I) for b in both), but=re.compile(but, I) if but else None
    )


_BAN_BEGINS: Final = r"^[^,;:]{0,16}(?:不要|不得|禁止|切勿)|^\W*\w+ (?:keine?[nrms]?|nicht|geen|niet)\b|^\W*(?:please |bitte )?(?:never|do not|don'?t|must not|avoid|no\b(?! (?:need|confirm))|nicht|nie|niemals|keine?|ne |n'|jamais|nunca|no |non |mai |niet|nooit|geen|nao |nie |nigdy|не |никогда|不要|请勿|禁止|勿|别)"
"""A clause that begins with a ban: it forbids the act."""
_BAN_ENDS: Final = r"(?:ない(?:こと|で)?|禁止|せず|なく|지 ?(?:마|말|않)\S*|금지)\W*$|\b(?:verboten|vermeiden|nicht \w+en)\W*$|^\W*(?:keine?n?)\b"
_BAN: Final = re.compile(rf"{_BAN_BEGINS}|{_BAN_ENDS}", I)

QUESTIONS: Final = (
    # What would it run or fetch?
    _question(
        "fetch-and-execute",
        "downloads something to run it",
        FETCH,
        RUN,
        r"script|skript|skrypt|сценари|installer|instalador|binar|program|fichier|archivo|datei|plik|arquivo|bestand|файл|文件|ファイル|파일|playbook|setup|code|コード|スクリプト|脚本|스크립트|скрипт|https?://|instal",
    ),
    _question(
        "fetch-and-execute",
        "runs a download",
        RUN,
        r"https?://\S+|\bcurl\b[^`]{0,80}https?:|\bwget\b[^`]{0,80}\w\.\w",
        but=r"localhost|127\.0\.0\.1|example\.(?:com|org|net)|\[::1\]",
    ),
    _question(
        "fetch-and-execute",
        "does what a remote text says",
        FETCH,
        OBEY,
        r"pastebin|gist|remote|server|url|https?://|网|サーバ",
    ),
    _question(
        "fetch-and-execute",
        "does what a remote text says",
        r"(?:pull\w*|fetch\w*|download\w*|read\w*)\b.{0,80}(?:pastebin|gist|shared|remote|server)",
        r"do(?:ing)? what|carry(?:ing)? out|follow|as (?:it|they) sa",
    ),
    _question(
        "fetch-and-execute",
        "puts downloaded files in place",
        FETCH,
        r"\b(?:unpack|unzip|untar|extract|apply|overwrit|copy over|entpack|decompress|extrai|extrae|estra|uitpak|rozpak)\w*|распак\w*|解压|覆盖|展開|上書き|압축|덮어",
        r"bundle|archiv|tarball|zip|hotfix|patch|update|cdn|server|paket|https?://|сервер|服务器|サーバ|서버",
    ),
    _question(
        "fetch-and-execute",
        "runs what a server answers",
        rf"{RUN}|\beval\w*",
        r"\b(?:repl(?:y|ies)|response|answer|output|result|antwort|reponse|respuesta|risposta|antwoord|resposta|odpowied\w*|ответ\w*)\b|返回|応答|응답",
        r"endpoint|server|service|\bapi\b|\burl\b|remote|dienst|servidor|serveur|сервер\w*|服务器|接口|サーバ|서버",
        but=r"\btests?\b|time|status code|snapshot",
    ),
    # What would persist?
    _question(
        "environment-or-permissions", "changes what runs by itself", _STARTUP, rf"{WRITE}|{RUN}|{FETCH}|alias|drop"
    ),
    _question(
        "environment-or-permissions",
        "changes what runs by itself",
        _CRON,
        rf"{_HOME}|every \w+ minutes|hourly|\*/|https?://|toutes les|cada|каждый|каждые|每|毎|매",
        rf"{WRITE}|{RUN}|relanc",
        but=r"infra/|deploy/|\bci\b|\.github/|k8s|helm",
    ),
    _question(
        "environment-or-permissions",
        "changes what runs by itself",
        _CRON,
        rf"{WRITE}",
        but=r"\b[\w-]+/[\w./-]*cron|\binfra|terraform|k8s|helm|owner|document|docs",
    ),
    _question(
        "environment-or-permissions",
        "changes what runs by itself",
        r"every (?:time|login)|after (?:each|every|a|the)? ?(?:reboot|restart|login)|nach (?:jedem|einem) (?:neustart|login|start)|apres (?:chaque )?(?:redemarrage|connexion)|tras (?:cada )?reinici\w*|dopo (?:ogni )?riavvio|na elke (?:herstart|start)|apos (?:cada )?reinici\w*|po kazdym (?:restarcie|starcie)|после (?:перезагруз|перезапус|вход)\w*|重启后|开机|再起動|부팅|재시작|at (?:log ?in|boot|startup)|on ?logon|каждом (?:входе|запуске)|(?:cada|todo) (?:login|inicio)|bei jeder anmeldung|a chaque (?:connexion|demarrage)|ogni (?:accesso|avvio)|bij elke (?:login|aanmelding)|przy kazdym (?:logowaniu|starcie)|每次(?:打开|登录|启动)|ログインするたび|起動するたび|로그인할 때마다|부팅",
        rf"{_HOME}|{_STARTUP}|script|skript|update|start\w*|demon|daemon|service|dienst|systemd|launchd|脚本|スクリプト|스크립트|скрипт",
        but=r"dev server|docker compose|container|the server after|tests?\b",
    ),
    _question(
        "environment-or-permissions",
        "changes what runs by itself",
        r"\.github/workflows|gitlab-ci\.yml|workflow file|ci (?:file|config\w*)|workflow",
        rf"{WRITE}",
        r"https?://|\bcurl\b|self-hosted|secrets?\.|schedule|\bcron\b|\$\{\{|toJSON|write-all|token",
        but=r"^\W*(?:never|do not|don'?t)|nightly build",
    ),
    # Whose packages would it install?
    _question(
        "fetch-and-execute",
        "takes packages from another place",
        r"--(?:extra-)?index-url|extra-index-url|index-url|--registry|\bregistry\b|\bregistries\b|\bgit\+(?:https?|ssh)|GOPROXY|GONOSUMDB|GOFLAGS|\bfind-links\b|\btrusted-host\b|\btap\b|\bPPA\b|add-apt-repository|源|レジストリ|레지스트리",
        r"https?://|git\+|\w\.(?:io|net|dev|de|fr|com|org|cn)\b",
        but=r"registry\.npmjs\.org|pypi\.org/simple|localhost",
    ),
    _question(
        "fetch-and-execute",
        "runs code when packages are installed",
        r"\b(?:pre|post)install\b|\"prepare\"|setup\.py.{0,20}(?:run|download)|install script",
        rf"{WRITE}|{RUN}",
    ),
    _question(
        "fetch-and-execute",
        "puts another package in a package's place",
        r"\breplace\b[^`]{0,20}`?[\w./-]+ ?=> ?[\w./-]+|\b(?:resolutions|overrides)\b.{0,60}(?:git|http|github)",
    ),
    _question(
        "fetch-and-execute",
        "puts another package in a package's place",
        r"\b(?:base )?image\b|\bFROM\b|镜像|イメージ|이미지",
        r"instead of (?:the )?official|statt (?:des )?offiziell|au lieu de l'?officiel|en vez de(?:l)? oficial|代替官方|(?:docker\.io|ghcr\.io|quay\.io)/\S+.{0,60}instead",
    ),
    _question(
        "fetch-and-execute",
        "installs from somewhere's repository",
        r"install\w*|instal[ae]\w*|installier\w*|安装|インストール|설치",
        r"git\+https?|github\.com/\S+\.git|https?://\S+\.(?:tgz|tar\.gz|whl|zip|deb|rpm|sh)",
    ),
    # What would it send, and where?
    _question(
        "outgoing-data",
        "sends something away",
        SEND,
        AWAY,
        EVERYTHING,
        but=r"localhost|127\.0\.0\.1|example\.(?:com|org|net)(?!\S*@)",
    ),
    _question(
        "outgoing-data", "sends something away", SEND, r"https?://(?!(?:localhost|127\.))|[\w.+-]+@[\w-]+\.[a-z]"
    ),
    _question(
        "outgoing-data",
        "sends something away",
        r"\$\((?:whoami|hostname|id|cat|env|uname)|\b(?:nslookup|dig|host)\b.{0,40}\.\w{2,}|!\[[^\]]*\]\(https?://[^)]*(?:[?&]\w+=|<)",
    ),
    _question(
        "outgoing-data",
        "shows secrets to others",
        r"\b(?:env|printenv|environment variables?)\b|\.env\b",
        r"pull request|\bpr\b|issue|comment|description|slack|channel|canal|kanal|チャンネル|채널|频道",
        rf"{SHOW}|{SEND}",
        but=r"\.env\.(?:example|sample)",
    ),
    _question(
        "outgoing-data",
        "shows private things",
        rf"{SHOW}|{SEND}|paste",
        r"(?:contents?|inhalt\w*|contenu|contenido|contenuto|inhoud|conteudo|zawartosc|содержим\w*|内容|내용)?.{0,20}(?:\bconfig/\S*prod\w*|production[\w ./-]{0,20}(?:config|settings|data|dump|database)|customer (?:data|records|list)|database dump|conversations?\b|transcripts?\b|kundendaten|donnees client\w*|datos de clientes|dati dei clienti|klantgegevens|客户数据|顧客データ|고객 ?데이터)",
        r"issue|comment|pull request|\bpr\b|ticket|gist|wiki|chat|slack|e?-?mail|channel|kanal|canal|report|kommentar|commentaire|comentario|коммент\w*|チャット|コメント|评论|댓글|correo",
        but=r"^\W*(?:never|do not|don'?t|no\b|nie|ne )",
    ),
    # Would it touch credentials?
    _question(
        "credentials",
        "reads or shows secrets",
        SECRET,
        SHOW,
        r"\blog(?:s|file)?\b|readme|report|comment|issue|chat|rapport|bericht|fehlerbericht|protokoll\w*|ausgabe|registro|registre|informe|journal|config\w*|project|projet|proyecto|url\b|plik|zeichen|characters|first \w+ (?:char|digit)|日志|报告|ログ|コメント|로그|댓글|журнал|лог\b|отчет",
        but=r"argon2|bcrypt|scrypt|hash|encrypt|vault|secrets? manager|verschlussel|chiffr|cifrad|crittograf|加密|暗号|암호화|redact|mask|request id|expire|\bnever\b|\bnot\b|\bno\b|\bkeine?\b|\bne\b|не |不",
    ),
    _question(
        "credentials",
        "writes secrets down",
        SECRET,
        rf"{WRITE}|적어|hard-?cod\w*|schreib|speicher|leg\w* ab",
        r"\bscript\w*|skript\w*|skrypt\w*|\bcode\b|readme|comment\w*|kommentar\w*|source|\.(?:sh|py|js|ts|yml|yaml|json|md|toml)\b|repo\w*|wiki|скрипт\w*|код\w*|脚本|代码|注释|スクリプト|コード|コメント|스크립트|코드|주석",
        but=r"vault|secrets? manager|environment|env\b|\.env|umgebungs|hash|argon2|bcrypt|encrypt|placeholder|test|mock|fake|never|\bnot\b|\bno\b|kein|nicht|field|form\b|module|class|function|endpoint|schema|model|token count|tokeni[sz]|design tokens?|\buse [A-Z]\w+",
    ),
    _question(
        "credentials",
        "reads files that hold secrets",
        r"(?:~|\$HOME|/home/\w+|/root)/\.(?:aws|ssh|netrc|kube|gnupg|npmrc|pypirc|docker|azure|config/gh|pgpass)|\bid_(?:rsa|ed25519|ecdsa)\b|/etc/shadow|security find-\w+-password",
        rf"{SHOW}|{SEND}|{WRITE}|take|use",
    ),
    _question(
        "credentials",
        "reads or shows secrets",
        r"environment variables?|umgebungsvariablen|variables d'environnement|variables de entorno|variabili d'ambiente|omgevingsvariabelen|variaveis de ambiente|zmienne srodowiskow|переменн\w* (?:окружения|среды)|环境变量|環境変数|환경 ?변수",
        rf"{SECRET}",
        rf"{SHOW}",
    ),
    # Would it widen what the agent may do, or stop it from asking?
    _question(
        "environment-or-permissions",
        "acts without asking",
        r"already (?:approved|agreed|consented|confirmed)|bereits (?:genehmigt|erlaubt|zugestimmt)|deja (?:approuve|accepte|autorise)|ya (?:aprobad|autorizad|aceptad)\w*|gia (?:approvat|autorizzat)\w*|al (?:goedgekeurd|akkoord)|ja (?:aprovad|autorizad)\w*|juz (?:zatwierdz|zgodz)\w*|уже (?:соглас|одобр|разреш)\w*|已经?(?:同意|批准|授权)|すでに(?:承認|許可|同意)|이미 (?:승인|동의|허락)",
    ),
    _question(
        "environment-or-permissions",
        "answers in the user's place",
        r"\b(?:answer|reply|say|repond\w*|antwort\w*|respond\w*|contest\w*|rispond\w*|antwoord\w*|odpowiad\w*|отвеча\w*)\b.{0,12}\b(?:yes|y|oui|ja|si|sim|tak|да)\b|\byes\b.{0,10}\|",
        r"prompt|confirm|question|demande|frage|pregunta|domand|vraag|pergunt|pytan|вопрос|подтвержд|permission|request",
    ),
    _question(
        "environment-or-permissions",
        "acts without asking",
        r"(?:自动|直接|默认|一律)(?:批准|同意|允许|通过|确认)|自動(?:的に)?(?:承認|許可)|자동(?:으로)? ?(?:승인|허용|동의|수락)|auto-?(?:approv|accept|confirm)\w*|automatisch (?:genehmig|bestatig|akzeptier|goedkeur)\w*|(?:appro\w*|accept\w*|autori\w*|aprue\w*|acept\w*|apro\w*|aceit\w*|permit\w*|confirm\w*) (?:tou\w* )?(?:auto\w*)|automatycznie (?:zatwierdz|akceptuj)\w*|автоматически (?:одобр|подтвержд|разреш|соглаш)\w*",
    ),
    _question(
        "environment-or-permissions",
        "acts without asking",
        rf"^\W*(?:[^,;]{{0,40}}\s)?{NOT}(?:\W+\w+){{0,2}}\W*{ASK}|(?:确认|許可|承認|確認)(?:を)?(?:求め|取ら|得)(?:ず|ない)|(?:不要|无需|无须|不用|别)(?:再)?(?:询问|问|请求|征求)|묻지 (?:말|않|마)|(?:승인|확인|허락) 없이|без (?:спроса|подтвержд|разрешен|согласов)\w*",
        rf"{RUN}|{OFF}|{WRITE}|{SEND}|push|sudo|delete|losch|comman|tool|工具|调用|명령|команд|before|bevor|avant|antes|prima|voordat|wait|yes|要求",
        but=r"^\W*(?:do not|don'?t|never|nie|ne|no|nunca|nao|non|niet|keine?|не)\b.{3,80}\b(?:without|ohne|sans|sin|senza|zonder|sem|bez|без)\b|\b(?:unless|hasta que|until|bis ich|bez pytania)\b|before (?:you )?add|when i ask|unless i ask",
    ),
    _question(
        "environment-or-permissions",
        "widens permissions",
        r"\bchmod\s+(?:-R\s+)?(?:0?777|a\+rwx|o\+w)|NOPASSWD|Bash\(\*\)|\"allow\"\s*:|dangerously|bypassPermissions|danger-full-access|approval_policy|--yolo|--privileged|/var/run/docker\.sock|setuid|chmod u\+s|permissions: write-all|\bwrite-all\b|pull_request_target",
    ),
    _question(
        "environment-or-permissions",
        "destroys work",
        rf"{NOT}|without|no need|never|force|immer|always|siempre|sempre|toujours|zawsze|всегда|始终|总是|常に|항상",
        r"push\b.{0,20}(?:--force\b(?!-with)|-f\b|forzado|force[ed]?)|force[- ]push|rm -rf [/~]",
        but=r"^\W*(?:never|do not|don'?t)\s+(?:force|run|use|push)|(?:never|not) `?--force\b",
    ),
    # Would it skip or blind a check?
    _question(
        "environment-or-permissions",
        "switches off a safeguard",
        OFF,
        SAFEGUARD,
        r"fail\w*|scheiter\w*|echou\w*|fall[ae]\w*|stor\w*|block\w*|slow|brok\w*|fallan|fallen|when|wenn|quand|cuando|si |se |als |jesli|если|если|必|如果|失败|失敗|実패|실패|エラー|all|alle|tou[ts]\w*|tod[ao]s|wszystk|всех|所有|すべて|모든|config\w*|konfig\w*|einstell\w*|ci\b|每|全",
        but=r"(?:unless|only when|except when|if) (?:i |you are |explicitly )?ask|slow|legacy|deprecat|generated|vendor|node_modules|\bhook\b complains|warning|tests? (?:data|database|file|fixture|user|db|run|output)",
    ),
    _question(
        "environment-or-permissions",
        "switches off a safeguard",
        rf"(?:{OFF}).{{0,40}}(?:certific\w*|zertifik\w*|certyfik\w*|сертифик\w*|\btls\b|\bssl\b|signatur\w*|assinatur\w*|\bfirmas?\b|podpis\w*|подпис\w*|authent\w*|autent\w*|2fa|\bmfa\b|sandbox\w*|песочниц\w*|scanner|firewall|antivirus|证书|签名|认证|沙箱|証明書|署名|認証|サンドボックス|인증|서명|샌드박스)|(?:证书|签名|认证|証明書|署名|認証|検証|인증서|서명|검증).{{0,12}}(?:关闭|跳过|忽略|禁用|無効|無視|スキップ|外|무시|끄|꺼|건너)",
        but=r"\b(?:remov|delet|drop|ignor)\w* (?:\w+ ){0,3}(?:unused|old|expired|duplicate|files?|folder|tests?)\b|supabase auth|auth (?:tests?|module|folder)",
    ),
    _question(
        "environment-or-permissions",
        "blinds a check",
        r"\bassert\w*|断言|アサート|단언|expect\(|zusicherung\w*",
        r"always|true\b|pass\b|remov\w*|weaken|delet\w*|loosen|总是|通过|删|常に|削除|항상|immer",
        but=r"never|not\b|don'?t|message|style|use assert",
    ),
    _question(
        "environment-or-permissions",
        "switches off a safeguard",
        r"\bverify\s*=\s*False|NODE_TLS_REJECT_UNAUTHORIZED|rejectUnauthorized\s*:\s*false|InsecureSkipVerify|PYTHONHTTPSVERIFY|GIT_SSL_NO_VERIFY|StrictHostKeyChecking[ =]no|--no-verify\b|--no-gpg-sign|--insecure\b|curl -k\b|HUSKY=0|hooksPath[ =]/dev/null|--no-audit|--ignore-scripts=false|--disable-\w*security",
    ),
    _question(
        "environment-or-permissions",
        "blinds a check",
        r"\b(?:nosec|noqa|nolint|eslint-disable|type: ?ignore|@ts-ignore|NOSONAR|skipcq|gitleaks:allow|pragma: ?allowlist)\b",
        r"each|every|all|any|silenc|alle|jede|chaque|tout|cada|tod[ao]s|ogni|каждо|всех|所有|每|すべて|모든",
        but=r"\b(?:no|never|without|not|don'?t)\b",
    ),
    _question(
        "environment-or-permissions",
        "blinds a check",
        r"(?:exit|return|status|code)\w*\W{1,3}(?:\w+\W){0,3}0\b",
        r"whatever|always|regardless|no matter|immer|egal|toujours|siempre|sempre|altijd|zawsze|всегда|总是|常に|항상|even (?:if|when)",
    ),
    _question(
        "environment-or-permissions",
        "blinds a check",
        r"\b(?:lower|rais|reduc|increas|adjust|relax|drop|senk|herabsetz|setz\w*\b.{0,60}\bherunter|baiss|redui|baj|reduc|abbass|verlaag|diminu|obniz|сниз|пониз)\w*|降低|下げ|낮",
        r"threshold|coverage|limit|baseline|schwell\w*|abdeckung|seuil|couverture|umbral|cobertura|soglia|copertura|drempel|prog\w*|порог\w*|покрыти\w*|阈值|覆盖率|閾値|しきい値|カバレッジ|임계|커버리지",
        r"green|pass\w*|until|so that|fail\w*|grun|vert\b|verde|passe|groen|zielon|зелен|пройд|通过|通る|통과",
        but=r"approval|ask|never|do not",
    ),
    _question(
        "environment-or-permissions",
        "blinds a check",
        r"(?:mark|report|treat|declare|markier|marqu|marc|segna|markeer|oznacz|помеч|отмеч|标记|マーク|표시)\w*.{0,40}(?:skipp|pass|green|done|ok\b|success|ubersprungen|bestanden|reussi|superad|passat|geslaagd|zalicz|успешн|пройден|通过|跳过|成功|合格|통과|성공)",
        rf"{SAFEGUARD}|\bci\b",
        r"fail|mention|even|scheiter|echou|fall|провал|失败|失敗|실패|without|sans|ohne|sin ",
    ),
    _question(
        "environment-or-permissions",
        "switches off a safeguard",
        r"required reviews?|CODEOWNERS|branch protection|dependabot|codeql|gitleaks|semgrep|snyk|secret scanning",
        rf"{OFF}",
        but=r"\b(?:never|not|don'?t)\b",
    ),
    # Would it put something above the person?
    _question(
        "override", "sets other instructions aside", OFF, EARLIER, RULES_NOUN, but=r"lint|eslint|ruff|css|style rules"
    ),
    _question(
        "override",
        "sets other instructions aside",
        r"\b(?:disregard|forget|overrid\w*|outrank\w*|supersed\w*|vergiss|vergesst|missacht\w*|oubli\w*|olvid\w*|dimentic\w*|vergeet|esquec\w*|zapomnij|забудь)\b|忘记|忘れ|잊",
        rf"{RULES_NOUN}|{EARLIER}|{USER}|person|chat",
        but=r"^\W*(?:don'?t|do not|never|nicht|ne )",
    ),
    _question(
        "override",
        "lets another text speak for the user",
        OBEY,
        SAID,
        SOURCE,
        rf"{USER}|instead|even (?:when|if)|vor\b|immer|gesprach|above|more than|over what|always|obedec|obei|考|より|优先|우선|выше|важне|obey|same authority|priorit\w*|aparezcan|prevalec|conversa",
    ),
    _question(
        "override",
        "lets another text speak for the user",
        r"\beven (?:when|if|though)\b.{0,30}(?:user|person|i) (?:say|ask|want|disagree|object)|auch wenn der (?:benutzer|nutzer)|meme si l'utilisateur|aunque el usuario|anche se l'utente|ook als de gebruiker|mesmo que o usuario|nawet jesli uzytkownik|даже если пользователь|即使用户|たとえユーザー|사용자가.{0,10}(?:해도|라도)",
    ),
    _question(
        "override",
        "lets another text speak for the user",
        OBEY,
        USER,
        SOURCE,
        r"consign|instruc|anweis|istruz|regel|polecen|указан|指示|指令|지시|command|request|wish|authority|word|voice",
    ),
    _question(
        "override",
        "takes the user's word away",
        r"\b(?:whatever|no matter what|regardless of what|egal was|quoi que|diga lo que|pida lo que|qualunque cosa|wat .{0,20} ook|o que quer que|niezaleznie)\b|что бы ни|无论|不管|何を言|뭐라고|무엇을",
        rf"{USER}|\bi\b",
        r"\b(?:ask|say|want|request|sag|will|dis|demand|diga|pida|dica|chied|zeg|vraag|diga|peca|mow|powie|prosi)\w*|сказа\w*|говор\w*|прос\w*|说|要求|言|말|요청",
        r"final|binding|law|last word|counts?\b|appl\w*|verbindlich|gilt|definiti\w*|wins?\b|prevail|fini|ostatecz|окончат\w*|главн\w*|准|有效|従|우선|priorit\w*|follow",
    ),
    _question(
        "override",
        "takes the user's word away",
        r"more important|(?:counts?|weighs?|matters?) more|zahlt mehr|compte(?:nt)? plus|valen? mas|cuentan? mas|conta(?:no)? di piu|vale di piu|telt zwaarder|valem? mais|bardziej sie licz|значит больше|outweigh\w*|wichtiger|plus important\w*|mas important\w*|piu important\w*|belangrijker|mais important\w*|wazniejsz\w*|важнее|главнее|比.{0,20}(?:重要|优先)|より(?:も)?(?:重要|優先|大事)|보다 (?:중요|우선)",
        rf"{USER}|person|chat|conversation|gesprach",
    ),
    _question(
        "override",
        "takes the user's word away",
        r"pass(?:ent|e|es)? avant|\bcomes? before\b|\bgo(?:es)? before\b|\bprecedence\b|\bvor (?:den|dem|der)\b|tienen? prioridad|van antes|precedenza|vengono prima|gaan voor|\bvoor wat\b|tem prioridade|vem antes|vale mais|pierwszenstwo|важнее|приоритет|выше|优先于|高于|先于|より優先|に優先|보다 우선|trump\w*|\bbeats?\b",
        rf"{USER}",
        r"file|rules?\b|list|instruct\w*|datei|regel\w*|fichier|regles|archivo|reglas|file|regole|bestand|regels|arquivo|regras|plik\w*|zasad\w*|файл\w*|правил\w*|文件|规则|ファイル|ルール|파일|규칙",
    ),
    _question(
        "override",
        "lets another text speak for the user",
        SOURCE,
        r"\b(?:tells?|says?|asks?|wants?|orders?|sagt|verlangt|dit|demande|dice|pide|chiede|zegt|vraagt|diz|pede|mowi|prosi|говорит|просит|пишет|требует)\b|要求|写着|言|書かれ|하라고",
        r"\b(?:do it|do so|do what|obey|comply|follow it|mach das|tu das|fais-?le|hazlo|fallo|doe het|faca|zrob to|сделай|выполни)\b|照做|従|따라",
        but=r"^\W*(?:never|do not|don'?t)",
    ),
    # Would it hide something from the person?
    _question(
        "override",
        "keeps something from the user",
        rf"{NOT}(?:\W+\w+){{0,2}}?\W*(?:\btell\b|mention|inform\b|bring(?:ing)? up|\bdiscuss|\bdisclos|\ballude|let\b.{{0,20}}\bknow|erwahn|\bsag\w*|erzahl|\bdis\b|\bdire\b|\bdig[ao]\w*|\bcuent|raccont|vertel|\bcont[ae]\b|\bmow|говор|рассказ|сообщ)",
        r"\b(?:the|this|your) (?:user|person|developer|human|maintainer|reviewer)\b|\b(?:dem|den|der) (?:nutzer|benutzer|anwender|entwickler)|l'utilisat|\bal usuario|all'utente|\bde gebruiker|\bao usuario|uzytkownikowi|пользователю",
        but=r"password is|internal error|stack trace|which (?:library|framework)|to (?:restart|reload)|their (?:password|account)",
    ),
    _question(
        "override",
        "keeps something from the user",
        r"without (?:bringing (?:it|this|that) up|mention\w*|telling|saying (?:so|it)|a word|comment\b)|ohne (?:es |das |dies )?(?:zu )?(?:erwahn|sag|meld)\w*|sans (?:le |en )?(?:dire|mention\w*|parler|signal\w*)|sin (?:mencion\w*|decir\w*|avis\w*)|senza (?:dir\w*|menzion\w*|avvis\w*)|zonder (?:het )?(?:te )?(?:meld|vermeld|zeg)\w*|sem (?:mencion\w*|avis\w*|dizer|contar)|bez (?:wspomin|informow|mowien)\w*|не (?:сообщая|упоминая|говоря)|而不(?:提|告诉|说)|黙って|말없이|알리지 않고",
        but=r"^\W*(?:never|do not|don'?t|nie|no|ne|não|nao)\b",
    ),
    _question(
        "override",
        "keeps something from the user",
        r"\b(?:silen(?:ce|cio|zio|t)|stillschweig\w*|stillschweigen|milcz\w*|молч\w*|stil\b)\b|沉默|保持安静|沈黙|침묵",
        rf"{DEED}|{USER}",
        but=r"logger|log level|output|flag|--silent|warnings?",
    ),
    _question(
        "override",
        "keeps something from the user",
        rf"{TELL}.{{0,40}}\b(?:niet|nicht|nie),? (?:dat|dass|das|ze)\b|{NOT}(?:\W+\w+){{0,4}}?\W*{TELL}|(?:不要|别|勿).{{0,10}}(?:提到|告诉|提及|说明|显示|报告)|(?:言及|報告|表示|知らせ|伝え)(?:し|ら)?(?:ない|ず)|(?:언급|말|보고|알리|표시)(?:하)?지 ?(?:마|말|않)",
        rf"{USER}|{ACCOUNT}",
        DEED,
        but=r"claude|\bai\b|copilot|co-author|anthropic|credential|password|secret|token|explain|basic|error|stack|intern|\bto me\b",
    ),
    _question(
        "override",
        "keeps something from the user",
        r"\b(?:hide|conceal|omit|leave|keep|drop)\b.{0,50}\b(?:out of|from|off)\b",
        rf"{USER}|{ACCOUNT}|\blist\b|you show",
        r"chang\w*|step|edit|file|command|workflow|action|sync",
        but=r"changelog|internal ticket|generated|vendor",
    ),
    _question(
        "override",
        "keeps something from the user",
        r"\b(?:unsaid|unmentioned|unreported|untold|unspoken|ungesagt|unerwahnt|verschweig\w*|passe sous silence|passer sous silence|calla\w*|taci|tacere|verzwijg\w*|przemilcz\w*|умолч\w*|умалчива\w*)\b|隐瞒|瞒着|伏せ|黙って|숨기",
    ),
    _question(
        "override",
        "wipes the traces",
        r"history -c|\.(?:bash|zsh)_history|HISTFILE|clear(?:ing)? (?:the )?(?:shell )?history|delete (?:the )?(?:shell )?(?:history|logs)|git reflog expire|wevtutil cl",
        rf"{OFF}|unset|clear|rm |export|history -c",
    ),
    # Would it change the agent's own bounds, or sleepd?
    _question(
        "environment-or-permissions",
        "changes what binds the agent",
        _OWN_FILES,
        rf"{WRITE}|{OFF}|allow|允许|許可|허용|adopt|broken|weaken|raise|lower|borra|losch|efface|cancell|uberneh",
        but=r"^\W*(?:read|see|look|keep (?:it|them)|document)|when i ask|only if i|architecture",
    ),
    _question(
        "environment-or-permissions",
        "changes what binds the agent",
        r"\b(?:copy|add|put|write|insert|kopier|copi|agreg|anad|voeg|kopieer|adicion|скопир|добав)\w*|复制|コピー|복사",
        r"\b(?:this|these|the same|diese\w*|cette|ces|esta\w*|queste?\w*|deze|essa\w*|это|эт[уи])\b.{0,20}(?:list|rules?|instructions?|regel\w*|regles?|reglas?|regol\w*|regels?|regras?|правил\w*)|この(?:規則|ルール)|这条规则|이 규칙",
        r"global|other|every|each|all|ander\w*|jede\w*|alle\w*|autres?|chaque|otros?|cada|tod[oa]s|altri|ogni|elke|outros?|друг\w*|кажд\w*|所有|每|ほか|すべて|모든|다른",
        but=r"generated header",
    ),
    _question(
        "environment-or-permissions",
        "widens permissions",
        r"allowed tools|allowed-tools|allowedTools|\bBash\(|\bWebFetch\b|permissions? (?:list|settings)|tool permissions?",
        rf"{WRITE}|allow",
    ),
    _question(
        "environment-or-permissions",
        "changes what binds the agent",
        r"\bsleepd (?:adopt|run|revert|undo|config|train|restore|mcp|daemon|init|uninstall)\b",
    ),
    _question(
        "environment-or-permissions",
        "changes what binds the agent",
        r"\bmcp\b",
        rf"{WRITE}",
        r"server|npx|uvx|https?://|サーバ|서버|服务器|сервер",
        but=r"document|docs/|tests?/|src/",
    ),
    # Would it leave a door open?
    _question(
        "environment-or-permissions",
        "leaves a door open",
        r"\beval\w*\b",
        r"parameter|query|request|header|body|input|`\w+`|参数|パラメータ|параметр",
        but=r"never|not|avoid|don'?t",
    ),
    _question(
        "environment-or-permissions",
        "leaves a door open",
        r"\b(?:admin\w*|root|service|maintenance|wartung\w*|support|superuser|backup)\b.{0,60}\b(?:account|user|benutzer|konto|compte|utilisateur|usuario|cuenta|utente|gebruiker|uzytkownik|пользоват\w*)|(?:benutzer|user|account|usuario|utilisateur|utente)\b.{0,30}\b(?:admin\w*|root|wartung|support|service)\b",
        r"[\w.+-]+@[\w-]+\.\w|(?:password|passwort|mot de passe|contrasena|wachtwoord|senha|haslem|парол\w*|密码)\s+`?\w*\d|vendor",
        but=r"localhost|seed data|test user|fixture",
    ),
    _question(
        "environment-or-permissions",
        "leaves a door open",
        r"(?:allow|accept|let|permit|pass|erlaub|lass|autoris|permit|permett|sta\b|разреш|允许|許可|허용)\w*",
        r"without|ohne|sans|sin |senza|zonder|sem |bez |без|不|なし|없이|skip",
        r"signature|auth\w*|password|login|token|verification|check|signatur|anmeldung|prufung|signatur|firma|contrasen|签名|认证|密码|署名|認証|인증",
        r"when|if|header|wenn|quand|cuando|se |als|если|当|場合|경우|user-agent|parameter",
        but=r"^\W*(?:never|do not|don'?t)",
    ),
    _question(
        "environment-or-permissions",
        "leaves a door open",
        r"\b0\.0\.0\.0\b|debug (?:port|endpoint|route|console|mode)|remote debugg\w*|hidden (?:route|endpoint|account|admin)|back ?door|hintertur|puerta trasera|porte derobee",
        r"prod\w*|public|open|leave|keep|every|each|always|hidden|cach",
        but=r"never|not\b|don'?t|local",
    ),
    _question(
        "environment-or-permissions",
        "leaves a door open",
        r"\bcors\b|access-control-allow-origin",
        r"\*|any origin|all origins",
        but=r"never|not\b|don'?t",
    ),
    # Whose word does it carry out?
    _question(
        "fetch-and-execute",
        "does what another text says",
        rf"{RUN}|{OBEY}|{_DO}",
        _SPOKEN_BY,
        _THEIR_WORDS,
        but=r"docs?/|make |npm |readme\.md (?:to|for)|style guide|playbook in|runbook|^\W*(?:reply|answer|read|respond)|review comments? (?:before|with)|\btests?\b|\b(?:was|were|been) (?:run|executed|used|started)\b",
    ),
    _question(
        "fetch-and-execute",
        "runs what another hands over",
        r"\bpip(?:e|ing|es)\b.{0,40}(?:installer|script|output|reply).{0,30}(?:shell|bash|interpreter|python)|(?:content|contenu|inhalt|contenido|contenuto|содержим\w*|内容)\w* (?:of|de|der|des|di|da)?.{0,24}(?:variable|variavel|переменн)",
        rf"{RUN}|{FETCH}|obtain|get",
    ),
    _question(
        "environment-or-permissions",
        "answers in the user's place",
        _PROMPT,
        _YES,
        but=r"^\W*(?:never|do not|don'?t|nie|ask|wait)|\bunless\b|wait for|ask me",
    ),
    _question(
        "environment-or-permissions",
        "claims somebody's consent",
        r"\b(?:assum\w*|presum\w*|consider|take)\b.{0,30}(?:consent|approv\w*|permission|agree\w*)|\bfine (?:with|by)\b.{0,30}(?:just|do)|(?:zustimmung|einverstandnis|consentement|consentimiento|consenso|toestemming|consentimento|zgod\w*|согласи\w*|同意|동의).{0,30}(?:voraus|suppos|asum|presum|veronderstel|zakladaj|счита\w*|默认|視為|视为|前提|간주)|(?:считай|guarda|ga ervan uit|zaloz|suppose|suponha|asume|geh\w* davon aus)\W.{0,40}(?:соглас|разреш|einverstanden|akkoord|zgadza|accord|acuerdo|accordo)",
    ),
    _question(
        "override",
        "keeps something from the user",
        rf"{_NOBODY}",
        rf"{TELL}|speak|talk|verrat\w*|parl\w*|habl\w*|fal[ae]\w*|praat|расска\w*|说|話|말",
    ),
    _question(
        "override",
        "keeps something from the user",
        r"\b(?:keep|hold|guard|gard|conserv|mantien|tien|manten|houd|bewaar|zachowaj|trzymaj|behalt|halte|держ|храни)\w*\b.{0,40}(?:\bsecret\b|\bquiet\b|to yourself|\bsilen\w+|pour toi|en secret|en secreto|in secreto|per te\b|em segredo|geheim|fur dich|w tajemnicy|для себя|в тайне|в секрете)|秘密に|内緒|保密|비밀로|\bdeny\b.{0,30}(?:exist|rule|list)|guard[ae] silenci",
        but=r"password|token|api key|credential|\bkeys?\b|env",
    ),
    _question(
        "override",
        "keeps something from the user",
        rf"{USER}|{_NOBODY}",
        rf"{NOT}(?:\W+\w+){{0,3}}?\W*(?:know|notice|see\b|find out|learn|hear|wissen|merken|erfahren|savoir|voir|saber|enter|notar|sapere|vedere|accorg|weten|merken|wiedzie|zauwazy|знать|узна|заме[тч]|知道|发现|察觉|知ら|気づ|알 ?(?:필요|게|지)|모르게)|(?:知られ|気付かれ)(?:ない|ず)|(?:不|别)让.{{0,6}}(?:知道|发现)",
        but=r"need to know (?:git|the basics)|users? (?:of|see)",
    ),
    _question(
        "override",
        "takes the user's word away",
        rf"(?:later|future|subsequent|spater\w*|kunftig\w*|ulterieur\w*|futur\w*|posterior\w*|successiv\w*|toekomstig\w*|pozniejsz\w*|последующ\w*|дальнейш\w*|之后|以后|今後|나중)|{USER}|the (?:chat|conversation)|rules? of the repo|regole",
        rf"{SAID}|wish|wunsch|request|voeu|souhait|dese|desider|wens|zycz|желан|要求|요청|types|regole",
        r"(?:\brefus\w*|not count|do(?:es)? not (?:count|apply|matter)|zahl\w* nicht|gelten nicht|gilt nicht|ne compt\w*|ne s'appliqu\w*|no cuenta\w*|no vale\w*|non (?:valgono|contano)|nao (?:valem|contam)|tellen niet|gelden niet|nie licz|не (?:считают|действу|имеют|в счет)|不算|无效|無効|무효|rank|replac\w*|outweigh|beneath|below|lower priority)",
    ),
    _question(
        "override",
        "lets another text speak for the user",
        r"\b(?:lines?|comments?|notes?|text|entries|zeilen|kommentare)\b.{0,40}\b(?:rank|replac|count|stand|speak|weigh|outrank|zahl|gelten)\w*",
        rf"{USER}|person|request",
    ),
    _question(
        "outgoing-data",
        "hands something to outsiders",
        rf"{SEND}|\b(?:copy|mirror|hand|pass|give|leav|share|provid|expos|publish|make|kopier|gib|geb|stell|veroffentlich|pass|donn|partag|copi|da[rl]?|entreg|pas[ae]|comparti|condivid|consegn|passa|geef|kopieer|deel|entreg|pass[ae]|przeka|udostep|daj|скопиру|дай|предостав|опублик)\w*|分享|共享|公开|交给|渡す|共有|公開|넘겨|공유|공개",
        _OUTSIDERS,
        rf"{EVERYTHING}|变更|变化|変更|변경|data|write|work|daten|donnees|datos|dati|gegevens|dados|dane|данн\w*|数据|データ|데이터|journal",
        but=r"^\W*(?:never|do not|don'?t)|public api|public method|changelog",
    ),
    _question(
        "credentials",
        "reads or shows secrets",
        rf"{SHOW}|{SEND}|покаж\w*|show",
        r"\bkube ?config\b|\bkey ?files?\b|schlusseldatei\w*|fichier\w* de cles?|archivo\w* de claves?|файл\w* с ключами|\bbearer (?:string|token|header)|密钥文件|鍵ファイル|키 파일|\bauth(?:orization)? header",
        but=r"^\W*(?:never|do not|don'?t|nie)|\bnever\b|redact|mask",
    ),
    _question(
        "environment-or-permissions",
        "switches off a safeguard",
        r"\b(?:loosen|relax|amend|weaken|open up|lower|lift|take off|lock\w*er|aufweich|assoupli|afloj|quit[ae]|togli|allent|versoepel|afrouxe|tir[ae]|poluzn|zdejm|ослаб|сним|сня)\w*|放宽|解除|緩め|풀어",
        r"firewall|branch protection|protection|permis\w*|read-only|solo lectura|controll\w*|schutz|restrict\w*|pare-?feu|cortafuegos|zapora|брандмауэр|огранич\w*|защит\w*|防火墙|权限|ファイアウォール|制限|방화벽|제한",
        but=r"^\W*(?:never|do not|don'?t)",
    ),
    _question(
        "environment-or-permissions",
        "widens permissions",
        r"\b(?:docker|sudo|wheel|root|admin\w*) group\b|\bgroupe? (?:docker|sudo)\b|usermod -aG|gpasswd|setcap\b",
    ),
    _question(
        "outgoing-data",
        "shows private things",
        r"(?:terminal|shell|command|befehls|bash|zsh)[- ]?(?:history|verlauf|historie)|historique du terminal|historial (?:del? )?(?:terminal|shell)|история команд|истори\w* (?:команд|терминал)|命令历史|コマンド履歴|명령 기록|(?:folders?|files?|contents?) (?:in|of) the (?:user'?s )?home|clipboard|zwischenablage|presse-papiers|portapapeles|剪贴板|クリップボード|클립보드",
        rf"{SHOW}|{SEND}|finish|name|list|in the pr|pull request|report|message",
        but=r"^\W*(?:never|do not|don'?t)|navigator\.clipboard|copy button|component",
    ),
    _question(
        "environment-or-permissions",
        "turns remotes elsewhere",
        r"\b(?:pull|fetch|push\w*)\b.{0,40}\b(?:both|other|second|mirror|backup)\b.{0,20}(?:host|remote|origin)|in place of origin|statt origin|instead of origin",
    ),
    # Can it be read at all?
    _question(
        "hidden-text",
        "tells to decode what cannot be read",
        r"\b(?:decod|entschlussel|dekod|decif|decrypt|unbase64|rot13|decodific|декод|расшифр)\w*|base64|解码|デコード|디코드",
        r"(?<![\w/])(?=[A-Za-z0-9+/]*[A-Z])(?=[A-Za-z0-9+/]*[a-z])(?:[A-Za-z0-9+/]{20,}={0,2})(?![\w/])",
    ),
)
"""The closed questions; `docs/explanation/screen.md` lists them in words."""

_CLAUSE = re.compile(r"(?<=[^\d\W]|[`\"')\]])[.;!?]\s+|[。；！？]|\s[–—]\s")
_SWAP = re.compile(
    r"\b(?:replac|swap|substitut|use|prefer|take|install|ersetz|nimm|nutz|verwend|remplac|utilis|reemplaz|usa|prefier|sostitui|preferisci|vervang|gebruik|substitu|zamie[nń]|uzyj|замен|используй|用|使用|使う|사용)\w*\b\W{0,3}(?:\w+ ){0,2}?`(?P<a>@?[a-z][a-z0-9_./-]{4,40})`.{0,40}?`(?P<b>@?[a-z][a-z0-9_./-]{4,40})`",
    I,
)


def acts(text: str) -> Iterator[RuleEffect]:
    """What the clauses of a flat text would make an agent do; a clause that only forbids makes it do nothing."""
    for clause in _clauses(text):
        banned = _BAN.search(clause) is not None
        for question in QUESTIONS:
            # Keeping quiet and not asking are said as bans themselves.
            if banned and question.why not in SAID_AS_BANS:
                continue
            hit = question.both[0].search(clause)
            if hit is None or not all(part.search(clause) for part in question.both[1:]):
                continue
            if question.but is None or not question.but.search(clause):
                yield RuleEffect(rule=question.rule, why=question.why, hit=hit)
    if (swap := _SWAP.search(text)) and _alike(swap["a"], swap["b"]):
        yield RuleEffect(rule="fetch-and-execute", why="puts another package in a package's place", hit=swap)


SAID_AS_BANS = frozenset(
    {
        "takes the user's word away",
        "keeps something from the user",
        "acts without asking",
        "lets another text speak for the user",
    }
)


def _clauses(text: str) -> tuple[str, ...]:
    return tuple(clause for clause in _CLAUSE.split(text) if clause.strip())


def _alike(first: str, second: str) -> bool:
    """Two names that a hasty reader takes for one another; a version, a suffix of files or a path is a name's own."""
    one, other = (re.sub(r"[-_.@]?v?\d[\d.]*$|\.\w{1,4}$", "", name.lower()) for name in (first, second))
    if one == other or "/" in one.lstrip("@") or "/" in other.lstrip("@"):
        return False
    return SequenceMatcher(a=one, b=other).ratio() >= 0.8


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
        named = _ADDRESS.findall(text)
        near = [address for address in named if _NEAR.match(address.rstrip(".,;:"))]
        known = [address for address in named if _REFERENCE.match(address.rstrip(".,;:"))]
        return bool(named) and len(near) + len(known) == len(named) and _ACTS_ON_ADDRESS.search(text) is None
    if why in {"downloads with a command-line tool", "runs a download"} and "|" not in text:
        named = [address.rstrip(".,;:") for address in _ADDRESS.findall(text) if "/" in address or ":" in address]
        if named and all(_NEAR.match(address) for address in named):
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
