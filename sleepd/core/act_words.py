"""Words with which people open or carry a turn, in twelve languages: weak signs of what the turn is.

Every list is a sign among others (see `sleepd.core.acts`), never a verdict. The languages: English, German, French,
Spanish, Portuguese, Italian, Dutch, Polish, Russian, Chinese, Japanese, Korean. Scripts without spaces match anywhere.
"""

from __future__ import annotations

import re


def whole_words(spaced: str, unspaced: str = "", *, opening: bool = False) -> re.Pattern[str]:
    """A pattern of alternatives: whole words in scripts with spaces, any place in the others."""
    start = r"\A[\W_]*" if opening else ""
    parts = [rf"\b(?:{spaced})(?!\w)"]
    if unspaced:
        parts.append(f"(?:{unspaced})")
    return re.compile(f"{start}(?:{'|'.join(parts)})", re.IGNORECASE)


APPROVES = whole_words(
    r"y|yes|yep|yeah|yea|ya|yup|ok|okay|okey|k|sure|go|go ahead|go for it|do it|do that|do so|please do|"
    r"proceed|continue|"
    r"keep going|great|perfect|nice|good|cool|awesome|excellent|amazing|thanks|thank you|thx|ty|lgtm|"
    r"looks? (?:good|great|fine)|"
    r"sounds? (?:good|great|fine)|makes sense|commit|push|merge|ship it|approved?|agreed|correct|right|"
    r"exactly|done|it'?s (?:perfect|good|fine)|"
    r"option \w|options? \d|let'?s (?:do it|go|do that|do this)|fine|all good|works?|love it|"
    r"ja|jo|genau|gut|passt|mach(?: das| es)?|weiter|danke|super|oui|d'accord|vas-y|continue[rz]?|merci|"
    r"parfait|s[ií]|claro|"
    r"dale|adelante|gracias|perfecto|vale|sim|isso|obrigad[oa]|perfeito|va bene|perfetto|grazie|certo|"
    r"prego|goed|prima|"
    r"ga door|tak|dobrze|dzi[eę]ki|super|да|ага|ок|хорошо|давай(?:те)?|спасибо|отлично|верно|"
    r"продолжай(?:те)?|супер|\d{1,2}",
    r"是的?|对的?|好的?|可以|行|继续|没问题|谢谢|完美|同意|はい|お願い|いいね|ありがとう|続けて|了解|네|응|좋아|좋습니다|계속|감사|고마워",
    opening=True,
)
"""Opens with assent, thanks, a choice, or the word to go on."""

OBJECTS = whole_words(
    r"but|hm+|mh+|hmm+|huh|uh+|no|nope|nah|not|still|wait|hold on|hang ?on|weird|strange|odd|actually|"
    r"why (?:did|do|is|are|was|were|would|not)|"
    r"do ?n[o']?t|do not|never|stop|that'?s (?:not|wrong|incorrect)|that is (?:not|wrong|incorrect)|"
    r"this is (?:not|wrong|incorrect|still)|"
    r"this (?:does|did|is)n[o']?t|it(?:'s| is| does| did)?(?: not|n'?t| still)|its (?:not|still)|"
    r"you (?:did|have|are|forgot|missed|broke|removed|deleted|should|were|still|just)|"
    r"i (?:don'?t|didn'?t|haven'?t|can'?t|still|said|told|asked|meant|wanted|expected|would have)|wrong|"
    r"incorrect|instead|"
    r"rather|undo|revert|nothing|really|wtf|oh|seems?|looks like|"
    r"aber|nein|nicht|immer noch|halt|falsch|wieso|warum|stopp?|mais|non|pas|toujours|pourquoi|attends|"
    r"pero|todav[ií]a|por ?qu[eé]|"
    r"mas|n[aã]o|ainda|ma|ancora|perch[eé]|maar|nee|niet|nog steeds|waarom|ale|nie|dlaczego|wci[aą][zż]|"
    r"но|нет|не|опять|снова|почему|зачем|стоп|подожди|неправильно|всё ещё|все еще",
    r"不|没|错|还是|但是?|为什么|怎么|别|停|いや|いいえ|違|でも|まだ|なぜ|なんで|待って|아니|안|왜|아직|하지만|잘못",
    opening=True,
)
"""Opens with doubt, surprise, contrast or refusal."""

REPAIRS = whole_words(
    r"(?:please |can you |could you |now |also |ok,? |so |then |and )*(?:fix|address|resolve|correct|"
    r"repair|revert|undo|restore|"
    r"bring back|put back|roll ?back|simplify|reduce|delete|remove|drop|get rid of|stop|clean ?up)|"
    r"(?:bitte )?(?:korrigier\w*|behebe?\w*|repariere?|entferne?\w*|l[oö]sche?|fixe?)|corrige[rz]?|"
    r"r[eé]pare[rz]?|supprime[rz]?|enl[eè]ve|arregla\w*|corrija|"
    r"quita|elimina\w*|borra|conserta|arruma|remova|correggi|rimuovi|sistema|herstel|verwijder|popraw|"
    r"napraw|usu[nń]|"
    r"исправь\w*|почини\w*|убери\w*|удали\w*|верни\w*|пофикси\w*",
    r"修复|修正|修一下|改回|删除|删掉|去掉|回滚|解决|直して|修正して|削除|戻して|고쳐|수정|삭제|되돌려|제거",
    opening=True,
)
"""Opens with a demand to mend or take out something."""

FAILS = whole_words(
    r"fail(?:s|ed|ing|ure|ures)?|broken|breaks?|broke|crash\w*|errors?|bugs?|buggy|regress\w*|conflicts?|"
    r"panic\w*|"
    r"(?:does|do|did|is|are|was)(?: not|n['’]?t) work\w*|not working|doesnt work|flaky|red|warnings?|"
    r"exception|traceback|timed? ?out|"
    r"hangs?|stuck|lint|typos?|fehler\w*|kaputt|schl[aä]gt fehl|fehlgeschlagen|funktioniert nicht|"
    r"geht nicht|erreurs?|ne (?:marche|fonctionne) pas|"
    r"[eé]choue\w*|falla\w*|fallo|no funciona|roto|erro|n[aã]o funciona|quebrad\w|errore|non funziona|"
    r"rotto|fout(?:en)?|werkt niet|"
    r"b[lł][aą]d\w*|nie dzia[lł]a|ошибк\w*|пада\w+|не работает|сломал\w*|упал\w*",
    r"报错|失败|错误|不工作|不行|崩溃|坏了|有问题|エラー|失敗|動かない|バグ|壊れ|오류|에러|실패|안 돼|안돼|버그",
)
"""Speaks of something that fails."""

DENIES = whole_words(
    r"(?:do|does|did|is|are|was|were|have|has|had|wo|ca|could|would|should)(?:n['’]?t| not)|can ?not|"
    r"never|no longer|not|nothing|none|instead|wrong\w*|"
    r"still|again|without|missing|missed|forgot\w*|redundant|unnecessary|duplicat\w*|too (?:slow|big|long|"
    r"much|many|short|small|verbose|complicated|complex)|"
    r"should (?:be|have|only|just)|supposed to|expect(?:ed|ing)?|rather than|anymore|any more|ugly|"
    r"confusing|bad|worse|incorrect|inconsistent|misleading|"
    r"only if|must|nicht|kein\w*|falsch\w*|statt|immer noch|wieder|fehlt|zu (?:langsam|lang|gro[sß]|viel)|"
    r"pas|jamais|toujours|encore|au lieu|manque|"
    r"faux|incorrecto|todav[ií]a|otra vez|nunca|falta|mal|sin|errado|de novo|sbagliato|manca|niet|geen|"
    r"fout|weer|nie|brak\w*|zn[oó]w|"
    r"не|нет|неправильн\w*|вместо|опять|снова|лишн\w*|должн\w+|никогда",
    r"不|没|错|还是|又|应该|不要|别|多余|缺|ない|じゃなく|違|また|べき|않|없|못|잘못|다시|말고",
)
"""Speaks of what is not, should be, or is too much."""

MISSES = whole_words(
    r"i (?:don['’]?t|do not|didn['’]?t|can['’]?t|cannot|haven['’]?t|still don['’]?t|"
    r"no longer) (?:\w+ )?(?:see|get|find|hear|have|understand|like|want|think|need)|"
    r"i (?:see(?!\s*(?:[.,;:!?…]|$))|get|am getting|'m getting|still see|still get|was expecting|expected|"
    r"would(?: have)? expect(?:ed)?|meant|said|told|asked)|i'm (?:getting|seeing|expecting)|"
    r"(?:it|that|this) (?:still |just |only )?(?:does|did|is|was)(?: not|n['’]?t)|(?:is|are) (?:still|"
    r"failing|missing|broken|not)|"
    r"you (?:did|have|had|are|were|do)(?: not|n['’]?t)|you (?:forgot|missed|removed|deleted|broke|changed|"
    r"added|skipped|ignored)|as i said|i already|"
    r"ich (?:sehe|bekomme|kriege|wollte|meinte|hatte)|du hast|je (?:ne|n')|tu as|no veo|te dije|quer[ií]a|"
    r"has|я (?:не|же|хотел\w*|просил\w*|вижу)|ты (?:не|же|забыл\w*|сломал\w*|удалил\w*)",
    r"我(?:没|不|要的|说|看到|想要)|你(?:没|怎么|又|忘|把|还)|私は|ではなく|と言った|나는|제가 말한|너는",
)
"""Sets what came against what the person saw, wanted or had said."""

STARTS_WORK = whole_words(
    r"(?:ok(?:ay)?,? |great,? |now,? |next,? |so,? |and |also,? |then |hi,? |hello,? |please |"
    r"can you (?:please )?|could you (?:please )?|i(?:'d| would) like (?:you )?to |i(?: do)? (?:want|"
    r"need)(?: you)? to |let'?s |we (?:need|should|have) to |help me )*"
    r"(?:add|create|implement|write|build|generate|make|update|change|set ?up|install|run|show|give|list|"
    r"find|search|look|check|read|explore|investigate|analy[sz]e|explain|"
    r"describe|summari[sz]e|plan|design|review|refactor|rename|move|test|deploy|release|prepare|draft|"
    r"compare|research|use|print|extend|migrate|convert|open|start|document|rebase|bump|upgrade|"
    r"configure)|"
    r"(?:bitte )?(?:f[uü]ge|erstelle?|schreibe?|mache?|baue?|pr[uü]fe|zeige?|erkl[aä]re?|implementiere?|"
    r"[aä]ndere)|ajoute[rz]?|cr[eé]e[rz]?|[eé]cri[st]|fais|v[eé]rifie|montre|"
    r"a[nñ]ade|agrega|crea|escribe|haz|muestra|revisa|adicione|crie|fa[cç]a|aggiungi|crea|scrivi|voeg|"
    r"maak|schrijf|dodaj|stw[oó]rz|napisz|zr[oó]b|"
    r"добавь\w*|создай\w*|напиши\w*|сделай\w*|проверь\w*|покажи\w*|посмотри\w*|реализуй\w*",
    r"添加|增加|创建|实现|写|生成|帮我|请|查看|检查|看看|加|追加|作成|作って|実装|書いて|確認|調べて|추가|생성|만들어|작성|구현|확인",
    opening=True,
)
"""Opens with a verb that asks for work."""

ADMITS = whole_words(
    r"you(?:'re| are) (?:absolutely |totally |completely |quite |so )?(?:right|correct)|good (?:catch|"
    r"point|question|call|eye|thinking)|great (?:catch|point)|nice catch|"
    r"i (?:apologi[sz]e|misunderst\w*|misread|missed|made a mistake|made an error|was wrong|"
    r"was conflating|overlooked|forgot|should(?: have|n't have)|broke|jumped|see the (?:issue|problem|"
    r"confusion|bug))|"
    r"sorry|apologies|my (?:mistake|bad|apolog\w*|fault)|fair (?:point|enough)|that'?s (?:a )?(?:fair|"
    r"good) (?:point|call)|oops|"
    r"du hast (?:v[oö]llig |absolut |ganz )?recht|sie haben recht|entschuldig\w*|tut mir leid|mein fehler|"
    r"vous avez (?:tout [aà] fait )?raison|tu as raison|d[eé]sol[eé]|"
    r"tienes (?:toda la )?raz[oó]n|disculpa|perd[oó]n|lo siento|voc[eê] tem raz[aã]o|desculp\w*|"
    r"hai ragione|scusa|je hebt gelijk|masz racj[eę]|przepraszam|"
    r"(?:вы|ты) (?:абсолютно |совершенно )?прав\w*|извини\w*|простите",
    r"[你您]说得(?:很)?对|[你您]是对的|抱歉|对不起|我的错|おっしゃる通り|すみません|申し訳|失礼しました|맞습니다|죄송",
    opening=True,
)
"""The agent's reply opens with an admission."""

OBLIGES = whole_words(
    r"should|shall|must|needs? to|has to|have to|ought to|supposed to|sollte\w*|muss|m[uü]ssen|doit|"
    r"devrait|il faut|debe\w*|tiene que|deve|precisa|"
    r"moet|powin\w+|musi|должн\w+|нужно|надо",
    r"应该|必须|需要|要|べき|必要|해야|되어야",
)
"""Says what ought to be."""

REVIEWS = whole_words(
    r"pr|pull request|merge request|review(?:s|er|ers|ed)?|feedback|comments?|copilot|coderabbit|bugbot|"
    r"sonar\w*|(?:low|medium|high|critical) severity|nitpick|nit",
    r"评审|审查|代码审查|评论|レビュー|리뷰",
)
"""Speaks of a review by others."""

PERSON = whole_words(
    r"i|i['’](?:m|ve|d|ll)|we|let['’]?s|you|your|please|my|our|can|could|me|us|ich|wir|bitte|du|dein\w*|"
    r"mir|je|j'|nous|tu|vous|votre|moi|yo|t[uú]|mi|nosotros|"
    r"eu|voc[eê]|n[oó]s|io|noi|ik|jij|je|wij|ja|ty|my|prosz[eę]|я|мы|ты|вы|мне|нам|пожалуйста",
    r"我|你|您|请|咱|私|僕|俺|あなた|ください|나|저|우리|너|당신|주세요",
)
"""Speaks in the first person, or to somebody: a person typing, and not a text from elsewhere."""

ASKS = whole_words(
    r"what|why|how|where|when|which|who|is|are|does|do|did|can|could|should|would|will|was|were|isn'?t|"
    r"aren'?t|any|"
    r"was|warum|wie|wo|wann|welche\w*|wer|ist|sind|kann|qu'?est|quoi|pourquoi|comment|o[uù]|quel\w*|"
    r"est-ce|qu[eé]|c[oó]mo|d[oó]nde|cu[aá]l|por ?qu[eé]|"
    r"o que|como|onde|qual|cosa|come|dove|quale|wat|hoe|waar|welke|co|jak|gdzie|kt[oó]r\w*|czy|"
    r"что|как|где|когда|какой|какая|какие|почему|зачем|можно|есть ли",
    r"什么|为什么|怎么|如何|哪|谁|是否|能不能|吗|なに|何|なぜ|どう|どこ|いつ|どれ|ですか|무엇|뭐|왜|어떻게|어디|인가요",
    opening=True,
)
"""Opens with a question word or an inverted verb."""
