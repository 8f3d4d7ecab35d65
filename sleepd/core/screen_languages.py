"""The screen's patterns for whole sentences, by rule, in several languages. Texts arrive flat, without accents."""

from __future__ import annotations

from sleepd.core.screen_words import any_of

_REMOTE_EN = (
    r"(?:wiki|page|site|server|ticket|issue|mirror|link|url|web|internet|remote|gist|chat|channel|comment|readme)"
)

FETCH = (
    any_of(
        "runs what somebody else wrote",
        rf"\b(?:do|follow|obey|carry out|perform|execute|run)\b.{{0,30}}\b(?:what|whatever|everything|all|any|"
        rf"commands?|"
        rf"steps|instructions)\b.{{0,40}}\b{_REMOTE_EN}\b.{{0,30}}\b(?:say|tell|list|contain|hold|show|give|name|"
        rf"ask|state)",
        rf"\b(?:commands?|steps|instructions|code)\b.{{0,30}}\b{_REMOTE_EN}\b.{{0,40}}\b(?:are|is|must|should|"
        rf"be)\b.{{0,16}}"
        r"\b(?:executed|run|followed|obeyed|carried out)\b",
        r"/s?bin/\S*[?*\[]",
        r"\bgit clone\b.{0,80}\b(?:run|runs|execute|install|start|launch)\b",
        r"\bnpm exec\b",
    ),
    any_of(
        "downloads something to run it",
        r"\b(?:hol|hole|lad|lade|zieh|besorg|beschaff)\w*\b.{0,60}(?:skript|script|programm|datei|werkzeug)\w*.{0,60}"
        r"(?:ausfuhr|fuhr|start|installier|aus\b)",
        r"\b(?:recuper|telecharg|charg|obtien|rapatri)\w*.{0,60}(?:script|programme|fichier|binaire|outil).{0,60}"
        r"(?:execut|lanc|demarr|install)",
        r"\b(?:obten|obtien|descarg|baj|recuper|tra[ei])\w*.{0,60}(?:script|programa|archivo|binario|guion|"
        r"herramienta).{0,60}"
        r"(?:ejecut|corr|lanz|instal)",
        r"(?:получи|скача|загруз|возьми|достань)\w*.{0,60}(?:скрипт|программ|файл|утилит).{0,60}(?:выполн|запуст|"
        r"установ)",
        r"(?:获取|獲取|下载|下載|拉取|取得).{0,16}(?:脚本|腳本|程序|程式|文件|工具).{0,16}(?:运行|執行|执行|安装|"
        r"安裝|启动)",
        r"(?:ダウンロード|取得|入手).{0,16}(?:実行|起動|インストール|走らせ)|(?:スクリプト|"
        r"プログラム).{0,16}(?:ダウンロード|取得).{0,20}(?:実行|起動)",
        r"(?:تنزيل|نزّل|نزل|حمّل|حمل|تحميل|جلب|اجلب).{0,60}(?:سكربت|السكربت|برنامج|البرنامج|ملف|الملف|سكريبت).{0,60}"
        r"(?:شغ|نفّذ|نفذ|تنفيذ|ثبّت|تشغيل)",
    ),
)

_TLD = r"(?:net|io|dev|app|co|ai|me|de|fr|es|it|nl|pl|jp|cn|kr|br|in|uk|eu|ch|at|us)"
URL = (
    any_of(
        "names an address on the network",
        r"\bh\s?t\s?t\s?p\s?s?\s?:\s?/\s?/",
        rf"(?<![\w/\\.])(?:[a-z0-9-]+\.)+[a-z0-9-]{{3,}}\.{_TLD}\b(?!\.\w|\()",
        rf"(?<![\w/\\.])[a-z0-9]+-[a-z0-9-]*[a-z0-9]\.{_TLD}\b(?!\.\w|\()",
    ),
)

SAFEGUARD_FOREIGN = (
    any_of(
        "switches off a safeguard",
        r"\b(?:schalt|stell|mach)\w*\b.{0,30}\b(?:tests?|prufung\w*|hooks?|sandbox|schutz|sicherung\w*|"
        r"warnung\w*)\b.{0,12}\b"
        r"(?:ab|aus)\b",
        r"\b(?:desactiv|deshabilit|apag|omit|salt|evit)\w*.{0,30}(?:comprobacion|prueba|verificacion|validacion|"
        r"hooks?\b|"
        r"seguridad|proteccion)",
        r"\b(?:desactiv|coup|saut|evit|contourn|supprim)\w*.{0,30}(?:verification|controle|test|protection|"
        r"securite|hooks?\b|"
        r"garde)",
        r"(?:отключ|выключ|обойд|пропуска|пропуст|убер)\w*.{0,30}(?:провер|тест|хук|защит|песочниц|сертификат)",
        r"(?:跳过|略过|关掉|关闭|禁用|屏蔽|省略|忽略).{0,8}(?:测试|检查|钩子|验证|校验|审批|沙箱|签名)",
        r"(?:テスト|フック|検証|チェック|確認|保護|サンドボックス|レビュー)(?:や\w{1,8})?(?:を|は).{0,8}(?:無効|"
        r"省略|スキップ|飛ば|切っ|オフ|外し|回避)",
        r"(?:عطّل|عطل|تعطيل|تجاوز|أوقف|تخطّ|تخطى).{0,30}(?:اختبار|فحص|حماية|تحقق|صلاحي|جدار|مراجع)",
        r"\b(?:certificate|ssl|tls|signature|sandbox|approval|permission|hook|lint\w*|type|"
        r"security)s?(?: (?:check\w*|prompts?|"
        r"verification))?\s+(?:turned |switched )?off\b",
        r"\b(?:turn|switch)\w*\b.{0,40}\b(?:check\w*|approvals?|verification|protections?|sandbox\w*|"
        r"hooks?)\b.{0,8}\boff\b",
        r"(?:^|\s|`)--no-(?:\s|`|$)|\b(?:checks?|hooks?|tests?|reviews?) (?:are|is|become|be) optional\b",
    ),
    any_of(
        "acts without asking",
        r"\b(?:frag|frage|fragt|bitte|warte)\w*\b.{0,12}\b(?:nie|niemals|nicht|keinesfalls)\b.{0,24}(?:erlaubnis|"
        r"zustimmung|"
        r"bestatigung|freigabe|genehmigung|bevor)",
        r"\bn[e' ]{1,2}(?:attend|demand)\w*.{0,16}(?:approbation|autorisation|confirmation|accord|permission|"
        r"validation)",
        r"\bsin (?:pedir|solicitar|esperar)\w*.{0,20}(?:confirmacion|permiso|aprobacion|autorizacion)",
        r"не (?:спрашива|дожида|жди|проси|запрашива)\w*.{0,24}(?:разреш|подтвержд|согласи|одобр)",
        r"(?:无需|不用|不必|无须|不需要|不要|未经).{0,4}(?:征得|经过|等待|请求|获得|得到|取得).{0,6}(?:同意|批准|"
        r"许可|确认|允许)",
        r"(?:確認|許可|承認|同意)(?:を|は|なしに|なしで).{0,8}(?:求めず|取らず|得ず|待たず|尋ねず|実行|進め|省い)",
        r"(?:دون|بدون|بلا).{0,10}(?:طلب|انتظار|أخذ)?.{0,6}(?:إذن|الإذن|موافقة|الموافقة|تأكيد|التأكيد|استئذان)",
        r"\b(?:approve|merge|accept|sign off)\b.{0,16}\byour own\b|\bself-?(?:approve|merge)\b",
    ),
    any_of(
        "widens permissions",
        r"\bmode 0?[0-7]?777\b|\b(?:rechte|rechten|permiso\w*|permission\w*|droits|прав\w*|权限|権限|"
        r"صلاحي\w*)\b.{0,16}\b0?777\b|"
        r"\b0?777\b.{0,24}(?:rechte|permis|droits|прав|权限|権限|صلاحي)",
        r"\b(?:become|act as|be|run as|log in as|switch to|work as) (?:the )?root\b|\bsystemd-run\b|\bat -f\b",
    ),
    any_of("destroys work", r"\bforce-?\s?push\w*\b(?! a shared)(?=.*\b(?:main|master|over|branch|trunk)\b)"),
)

CREDENTIALS = (
    any_of(
        "reads the whole environment",
        r"\b(?:all|every|whole|entire|full)\b.{0,12}\bvariables? (?:of|in|from) (?:the |your )?(?:shell|"
        r"environment|session|"
        r"process)\b",
        r"(?:环境变量|環境變數|環境変数).{0,8}(?:全部|所有|打印|输出|列出|显示|すべて|全て|出力|表示|書)|(?:全部|"
        r"所有|打印|输出|列出).{0,6}环境变量",
        r"\b(?:alle|samtliche) umgebungsvariablen|\btoutes les variables d'environnement|"
        r"\btodas las variables de entorno|"
        r"все переменные (?:окружения|среды)|(?:جميع|كل) متغيرات البيئة",
    ),
)
