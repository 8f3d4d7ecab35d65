"""The screen's patterns for overriding, hiding and sending away, as whole sentences in several languages."""

from __future__ import annotations

from sleepd.core.screen_words import any_of

_STEP = (
    r"(?:this|that|the|any|these|it)(?: (?:extra|last|first|previous|whole|same))?(?: (?:step|change|rule|list|"
    r"section|edit|commit|action|part|command|call|file)s?)?"
)
_STEP_DE = r"(?:schritt|regel|anderung|abschnitt|befehl|aktion|punkt|teil|vorgang)"
_STEP_FR = r"(?:etape|regle|modification|changement|section|commande|action|partie|consigne)"
_STEP_ES = r"(?:paso|regla|cambio|seccion|orden|accion|parte|instruccion)"

OVERRIDE = (
    any_of(
        "overrides other instructions",
        r"\b(?:is|are|becomes?|counts? as|have|has) (?:now )?(?:void|null|obsolete|expired|invalid|superseded|"
        r"cancelled|"
        r"revoked)\b.{0,40}\b(?:only|these|this|replace|follow|instead|now)\b",
        r"\b(?:instructions?|rules|guidelines?|polic(?:y|ies)|restrictions?|orders)\b.{0,40}\b(?:do(?:es)? not|"
        r"don't|no longer)"
        r" (?:apply|count|hold|bind|matter)\b",
        r"\b(?:guidelines?|instructions?|rules|polic(?:y|ies))\b.{0,12}\b(?:have|has|are|is) (?:now )?(?:expired|"
        r"void|obsolete|"
        r"cancelled|replaced|revoked)\b",
        r"\b(?:outranks?|trumps?|beats?|stands? above|overrules?|wins over)\b.{0,50}\b(?:claude|agents|user|system|"
        r"instructions?|rules?|developer|prompt|everything)\b",
        r"\b(?:treat|read|regard|consider|see)\b.{0,30}\bas (?:coming |being |if )?.{0,10}\b(?:from|by|"
        r"of) the (?:system|"
        r"operator|developer|vendor|administrator|maker|admin)\b",
        r"(?:^|[\s#*>])#{0,6}\s?(?:system|assistant|developer|admin)\s?:\s",
        r"\b(?:disregard|ignore|forget|drop|abandon)\b.{0,12}\b(?:every|each|all|any)\b.{0,24}\b(?:earlier|prior|"
        r"previous|"
        r"former|instruction|rule|order|guideline)s?\b(?! (?:results?|errors?|runs?|lines?|files?|entr))",
        r"\b(?:beacht|befolg|hor)\w*\b.{0,40}(?:anweisung|vorgabe|regel|nutzer|anwender)\w*.{0,20}\b(?:nicht|"
        r"nie)\b.{0,6}"
        r"(?:mehr|langer)?$",
        r"\b(?:ab (?:jetzt|sofort|heute)|von nun an|kunftig)\b.{0,12}\bgelten\b.{0,20}\b(?:nur|allein|"
        r"ausschliesslich)\b",
        r"\bne (?:tien|tenez|tenir)\w*.{0,12}compte\b.{0,20}(?:utilisateur|demande|consigne|instruction|regle)",
        r"\bn(?:e |')(?:obei|suis|suivez|ecout)\w*.{0,12}(?:plus|pas|jamais)\b.{0,24}(?:utilisateur|instruction|"
        r"consigne)",
        r"\bno (?:hagas|haga|hagan|prestes|preste) (?:caso|atencion)\b|\bdesobedec\w*|\bsolo (?:cuentan|"
        r"valen) estas\b",
        r"не (?:слушай|слуша|выполня|учитывай|следуй)\w*.{0,24}(?:пользовател|указани|инструкц|правил|просьб)|"
        r"(?:следуй|выполняй) только эт",
        r"(?:不要|不必|不用|别|勿)(?:理会|听从|听|遵守|遵循|管|理).{0,10}(?:用户|指令|要求|规则|说明|提示)|"
        r"只(?:按|听|遵守|执行)(?:此|这|本)",
        r"(?:指示|命令|ルール|規則|プロンプト|指図).{0,8}(?:すべて|全て|全部)?(?:を|は)?.{0,6}(?:無視|忘れ|破棄|"
        r"取り消)|(?:今まで|これまで|以前|上記)の.{0,12}"
        r"(?:無視|忘れ)",
        r"(?:تجاهل|انس|انسَ|اترك|أهمل|لا تتبع|خالف).{0,30}(?:تعليمات|التعليمات|أوامر|الأوامر|قواعد|القواعد|"
        r"توجيهات|ما سبق|النظام)",
    ),
    any_of(
        "gives the agent another role",
        r"\b(?:act|behave|answer|respond|work|operate|pose|speak) as (?:an? |the )?(?:\w+ )?(?:unrestricted|unlimited|"
        r"uncensored|unfiltered|free|evil|root|limitless|boundless)\b",
        r"\b(?:benimm|verhalte|gib) dich (?:wie|als)\b.{0,30}\b(?:ohne|unbeschrankt|anderer|andere|frei)\b",
        r"\bfais (?:comme )?si tu (?:etais|es)\b|\b(?:comporte-toi|agis) comme\b.{0,40}\b(?:sans|autre)\b",
        r"\b(?:actua|comportate|finge|haz) como\b.{0,40}\b(?:sin|otro|libre|ilimitad)",
        r"(?:веди себя|действуй|притвор|отвечай) \w{0,6}\s?как\b.{0,40}(?:без|друг|неогранич)",
        r"(?:扮演|假装|充当|当作).{0,12}(?:没有|不受|无).{0,4}(?:限制|约束|规则|审查)|(?:不受|没有任何)(?:限制|"
        r"约束)的(?:助手|代理|模型)",
        r"(?:制限|規則|制約|検閲)(?:の)?(?:ない|無い|なし).{0,16}(?:アシスタント|エージェント|モデル|として|"
        r"振る舞|ふるま)",
        r"أنت الآن|من الآن فصاعدا أنت|تصرّف ك|تصرف ك|تظاهر (?:بأنك|أنك)|بلا قيود|دون قيود|بدون قيود",
    ),
    any_of(
        "keeps something from the user",
        rf"\b(?:leave|keep|omit|drop|strike)\b\s{_STEP}\b.{{0,12}}\b(?:out|off|away)\b.{{0,10}}\b(?:of|"
        rf"from)\b.{{0,16}}\b(?:summar|"
        r"report|log|changelog|answer|diff|list|record|message)",
        r"\b(?:when|if|whenever) (?:asked|someone asks|anybody asks|the user asks)\b.{0,30}\b(?:say|answer|claim|"
        r"reply|deny|"
        r"state|tell)\b.{0,24}\b(?:none|nothing|no such|not exist|never|no)\b",
        r"\b(?:as if|pretend|claim|say|act like|report) (?:that )?(?:the )?(?:user|owner|reviewer|tests?|checks?|"
        r"build|ci)\b"
        r".{0,20}\b(?:approved|agreed|consented|allowed|confirmed|passed|succeeded|green)\b",
        r"\b(?:user|human|owner|developer|reviewer|customer)s?\b.{0,12}\b(?:do(?:es)? not|don't|need not|needn't|"
        r"should not|must"
        r" not|never) (?:need|have|want|get)?\s?(?:to )?(?:hear|know|learn|see|find out|be told|notice|read)\b",
        rf"\b(?:erwahn|nenn|meld|protokollier|dokumentier|bericht|"
        rf"zeig)\w*\b.{{0,20}}{_STEP_DE}\w*.{{0,12}}\b(?:nirgends|nirgendwo|"
        rf"nie|niemals|nicht|keinesfalls)\b|\b(?:nie|niemals|nirgends)\b.{{0,20}}{_STEP_DE}\w*.{{0,10}}(?:erwahn|"
        rf"nenn|meld)",
        rf"\bne (?:mentionn|signal|parl|montr|indiqu|decri|dis|not)\w*.{{0,10}}\b(?:jamais|pas|nulle part|"
        rf"rien)\b.{{0,20}}{_STEP_FR}",
        rf"\bno (?:menc|indiq|inform|muestr|escrib|dig|registr|anot)\w*.{{0,20}}{_STEP_ES}",
        r"(?:никогда|нигде|никому)?\s?не (?:упомина|показыва|сообща|отмеча|записыва|говори)\w*.{0,24}(?:шаг|"
        r"правил|изменени|"
        r"действи|пункт|раздел)",
        r"(?:不要|别|勿|切勿|绝不).{0,10}(?:总结|摘要|报告|日志|回答|记录)?.{0,4}(?:中|里)?.{0,3}(?:提到|提及|"
        r"写出|写明|记录|说明|显示|透露).{0,6}(?:这|此|该|本)",
        r"(?:この|その|本)(?:手順|変更|規則|ルール|操作|作業|項目).{0,10}(?:ユーザー|利用者|誰)?(?:に|には|"
        r"にも)?.{0,8}(?:知らせ|言わ|伝え|教え|書か|載せ|記録し|"
        r"触れ|報告し)(?:ない|ず|ません|るな)|(?:ユーザー|利用者)に.{0,12}(?:知らせ|言わ|伝え|教え|見せ|"
        r"報告し)(?:ない|ず|ません)",
        r"لا (?:تخبر|تذكر|تقل|تعلم|تُعلم|تظهر|تكشف|تبلغ|تُبلغ|تشر).{0,40}(?:المستخدم|أحد|هذه|هذا|الخطوة|القاعدة)|"
        r"(?:أخف|اخف|أخفِ|اكتم).{0,30}(?:المستخدم|الخطوة|التغيير|عن)",
    ),
)

_GOODS_DE = (
    r"(?:kopie|anderung|datei|protokoll|quellcode|verlauf|inhalt|bericht|daten|code|ergebnis|projekt|entwurf)\w*"
)
_GOODS_FR = r"(?:copie|modification|fichier|journal|contenu|code|donnee|historique|depot|rapport|projet)\w*"
_GOODS_ES = r"(?:copia|cambio|archivo|fichero|registro|contenido|codigo|dato|historial|repositorio|informe|proyecto)\w*"
_GOODS_RU = r"(?:копи|изменени|файл|журнал|содержим|код|данн|истори|репозитор|отчёт|отчет|проект)\w*"
_GOODS_ZH = r"(?:副本|改动|修改|文件|日志|源码|代码|内容|数据|记录|仓库|项目|差异)"
_GOODS_JA = r"(?:差分|コピー|ファイル|ログ|ソース|コード|内容|データ|履歴|リポジトリ|記録|成果物)"
_GOODS_AR = r"(?:نسخة|الملفات|ملفات|ملف|الشيفرة|الكود|محتوى|محتويات|البيانات|بيانات|السجل|سجلات|المستودع|التغييرات)"
_GOODS = (
    r"(?:repos?(?:itory)?|files?|file names?|contents?|source(?: of)?|code|transcripts?|data|logs?|diffs?|history|"
    r"prompts?|"
    r"answers?|tables?|reports?|summar(?:y|ies)|customers?|records|documents?|archive|branch(?:es)?|page)"
)

OUTGOING = (
    any_of(
        "sends data away",
        rf"\b(?:put|place|store|publish|keep|paste|drop)\b.{{0,40}}\b{_GOODS}\b.{{0,40}}\b(?:public gists?|gists?|"
        rf"pastebin|discord|"
        rf"slack|telegram|public bucket|dropbox|drive|forum)\b",
        rf"\b(?:encode|embed|append|hide|smuggle|pack|put)\b.{{0,40}}\b{_GOODS}\b.{{0,60}}\b(?:dns|lookup|"
        rf"query (?:string|"
        rf"parameter)|url|pixel|subdomain|request|header|image address)\b",
        rf"\bpost\b.{{0,12}}\b{_GOODS}\b.{{0,24}}\bto (?:the |our |an? )?(?:collector|endpoint|service|server|"
        rf"host|webhook|api|"
        rf"address|tracker)\b",
        rf"\b(?:share|exchange|hand over|pass on|give)\b.{{0,24}}\b{_GOODS}\b.{{0,16}}\b(?:with|"
        rf"to)\b.{{0,16}}\b(?:partner|vendor|"
        rf"third|agency|supplier|outside|advertis|sponsor|auditor|contractor)",
        rf"\b(?:let|inform|tell|notify)\b.{{0,30}}\b(?:service|server|collector|endpoint|host|partner|"
        rf"agency)\b.{{0,24}}\b{_GOODS}\b",
        r"\badd (?:a |another |one more )?(?:git )?remote\b|\bpush (?:all|every|the) branch\w* to (?:it|another|"
        r"the (?:backup|"
        r"mirror|copy))\b",
        rf"\b(?:schick|send|leit|ubermittel|mail|gib)\w*\b.{{0,60}}{_GOODS_DE}.{{0,30}}\b(?:an|nach|zu|"
        rf"weiter)\b.{{0,30}}\w",
        rf"\blad\w*\b.{{0,20}}{_GOODS_DE}.{{0,24}}\b(?:hoch|cloud|server)\b",
        rf"\b(?:envoi|envoy|transmet|publi|partag|expedi|poste)\w*.{{0,30}}{_GOODS_FR}.{{0,40}}\b(?:a|au|aux|sur|"
        rf"vers|dans|chez)\b"
        rf"\W{{0,2}}(?:\w+['’ ]){{0,3}}(?:gist|equipe|serveur|service|site|cloud|adresse|agence|partenaire|"
        rf"externe|tiers|public)",
        rf"\b(?:manda|mande|envi[ae]|publi[cq]|compart|sub[ea]|transmit)\w*.{{0,30}}{_GOODS_ES}.{{0,40}}\b(?:a|al|"
        rf"en|hacia|con)\b.{{0,24}}"
        rf"(?:equipo|servidor|gist|nube|servicio|sitio|agencia|socio|tercer|extern|public)",
        rf"(?:отправ|отсыла|пошли|выложи|опубликуй|залей|перешли|"
        rf"поделись)\w*.{{0,40}}{_GOODS_RU}.{{0,50}}(?:команд|сервер|доступ|"
        rf"сторон|облак|внешн|партн|аудит|сайт|канал)",
        rf"{_GOODS_ZH}.{{0,16}}(?:发送|发给|传给|上传|公开|提交到|同步到|寄给|共享给|交给).{{0,20}}(?:团队|网|"
        rf"服务器|外部|第三方|公司|平台|云|审计|合作)?|(?:发送|发给|"
        rf"上传|公开).{{0,12}}{_GOODS_ZH}",
        rf"{_GOODS_JA}.{{0,16}}(?:を)?.{{0,20}}(?:サーバー?|チーム|外部|クラウド|社外|宛|公開|先方|"
        rf"監査).{{0,12}}(?:送信|送る|送付|アップロード|公開|共有|転送|投稿)",
        rf"(?:أرسل|ارسل|ارفع|حمّل|انشر|شارك|انقل|سلّم|إرسال|رفع).{{0,40}}{_GOODS_AR}.{{0,60}}(?:إلى|الى|على|مع|"
        rf"عبر).{{0,30}}"
        rf"(?:خادم|فريق|خارج|سحاب|موقع|شركة|شريك|جهة|بريد)",
    ),
)
