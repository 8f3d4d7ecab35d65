"""Themes: what people say to coding agents again and again, in every project. A catalogue, read without a model.

A theme is found in the person's own words, and only where the turn objects, refines or asks for a step that was left
out. Where the agent's answer shows what was meant (it ran the linter, it edited tests), the answer has to agree.
The rule is our wording; what authorises a lesson are the person's quotes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from sleepd.core.act_words import whole_words


class Proof(StrEnum):
    """What the agent's answer must show for a turn to count."""

    NONE = "none"
    CHECK = "check"
    """It ran the check that the theme is named after."""
    TESTS = "tests"
    """It edited tests."""
    DOCS = "docs"
    """It edited documents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """One thing that people say in every project."""

    name: str
    words: re.Pattern[str]
    rule: str
    """`{command}` and `{paths}` stand for what the agent ran or edited when it was told."""
    also: re.Pattern[str] | None = None
    """Words that must be there as well."""
    proof: Proof = Proof.NONE
    asked: bool = False
    """A plain request counts as well: the person asks for a step that finished work lacked."""
    general: bool = False
    """Advice that fits every project: it takes as many sessions as a step that is asked for."""


_LACKS = whole_words(
    r"add|adds|write|create|implement|need|needs|missing|lacks?|include|cover(?:s|age)?|more|have|"
    r"hinzu\w*|schreib\w*|erg[aä]nz\w*|f[uü]ge|fehl\w*|"
    r"ajoute\w*|[eé]cri\w*|manque\w*|a[nñ]ad\w*|agreg\w*|escrib\w*|falta\w*|adicion\w*|escrev\w*|"
    r"aggiung\w*|scriv\w*|voeg|schrijf|dodaj|napisz|brakuje|"
    r"добав\w*|напи[шс]\w*|нужн\w*|покр\w+",
    r"添加|增加|加上?|补|写|缺|追加|書いて|추가|작성",
)
_RED = whole_words(
    r"fix\w*|fail\w*|error\w*|issues?|red|broken|address|resolve|pass(?:es|ing)?|clean|run|complain\w*|"
    r"warning\w*|fires?|findings?|throws?|"
    r"beheb\w*|fehler\w*|corrig\w*|erreurs?|arregl\w*|falla\w*|conserta\w*|исправ\w*|ошибк\w*|пада\w+|"
    r"почини\w*",
    r"修复|修正|报错|失败|错误|直して|エラー|失敗|고쳐|오류|실패",
)
_UPDATES = whole_words(
    r"update\w*|refresh\w*|reflect\w*|sync\w*|adjust\w*|document|add|missing|outdated|stale|"
    r"aktualisier\w*|veraltet|mets? [aà] jour|actualiz\w*|atualiz\w*|"
    r"aggiorn\w*|zaktualizuj|обнов\w*|допиши",
    r"更新|同步|补充|追記|업데이트|갱신",
)

THEMES: tuple[Theme, ...] = (
    Theme(
        name="lint",
        words=whole_words(
            r"lint\w*|golangci\S*|eslint|ruff|clippy|rubocop|pylint|flake8|stylelint|pre-?commit|линт\w*|"
            r"\((?:goconst|errcheck|revive|ireturn|staticcheck|unused)\)",
            r"代码检查|リント|린트",
        ),
        also=_RED,
        proof=Proof.CHECK,
        asked=True,
        rule="After the last edit run `{command}`, and mend what it reports before you say that the work is done.",
    ),
    Theme(
        name="types",
        words=whole_words(
            r"type ?(?:check|error|issue)s?\w*|mypy|pyright|tsc|typescript errors?|типизац\w*",
            r"类型错误|型エラー|타입 오류",
        ),
        also=_RED,
        proof=Proof.CHECK,
        asked=True,
        rule="After the last edit run `{command}`, and mend what it reports before you say that the work is done.",
    ),
    Theme(
        name="build",
        words=whole_words(r"builds?|compil\w+|сборк\w+|kompilier\w*", r"编译|构建|ビルド|빌드"),
        also=whole_words(
            r"fix\w*|fail\w*|errors?|broken|breaks?|issues?|red|исправ\w*|ошибк\w*|пада\w+|fehler\w*",
            r"修复|报错|失败|错误|エラー|失敗|오류|실패",
        ),
        proof=Proof.CHECK,
        rule="After the last edit run `{command}`, and mend what fails before you say that the work is done.",
    ),
    Theme(
        name="test",
        words=whole_words(
            r"tests?|unit ?tests?|test ?(?:case|suite)s?|specs?|Test\w+|test_\w+|pytest|jest|prueba\w*|testes?|"
            r"тест\w*",
            r"测试|テスト|테스트",
        ),
        also=whole_words(
            r"fix\w*|fail\w*|errors?|red|broken|breaks?|flaky|run|pass(?:es|ing)?|исправ\w*|пада\w+|fehl\w*|"
            r"falla\w*|[eé]chou\w*",
            r"修复|报错|失败|通过|直して|失敗|실패|고쳐",
        ),
        proof=Proof.CHECK,
        rule="After the last edit run `{command}`, and end only when it passes.",
    ),
    Theme(
        name="tests with the change",
        words=whole_words(
            r"tests?|unit ?tests?|test ?(?:case|suite)s?|specs?|coverage|prueba\w*|testes?|тест\w*",
            r"测试|テスト|테스트",
        ),
        also=_LACKS,
        proof=Proof.TESTS,
        asked=True,
        rule=(
            "A change of behaviour comes with its test in the same change, without being asked: new cases "
            "and error paths included."
        ),
    ),
    Theme(
        name="docs with the change",
        words=whole_words(
            r"docs?|documentation|readme\w*|changelog\w*|docstrings?|doc comments?|architecture|doku\w*|"
            r"documentaci[oó]n|documenta[cç][aã]o|документац\w*",
            r"文档|ドキュメント|문서",
        ),
        also=_UPDATES,
        proof=Proof.DOCS,
        asked=True,
        rule="A change of behaviour updates the document that describes it in the same change ({paths}).",
    ),
    Theme(
        name="seen to work",
        words=whole_words(
            r"(?:still|just|again|it|that|this|they|which|what) (?:\w+ ){0,2}(?:does|do|did|is|are|was)(?: not|"
            r"n['’]?t) (?:\w+ ){0,2}"
            r"(?:work\w*|happen\w*|show\w*|appear\w*|fixed|there|run\w*|trigger\w*|updat\w*|sav\w*|load\w*|"
            r"display\w*|render\w*|start\w*|respond\w*|chang\w*|right)|"
            r"(?:not|isn['’]?t|aren['’]?t|doesn['’]?t|never) (?:\w+ )?work(?:s|ing|ed)?|"
            r"still (?:\w+ ){0,2}(?:fail\w*|broken|wrong|the same|not|see\w*|get\w*|happen\w*|display\w*|show\w*|"
            r"shows?|there)|"
            r"i (?:still |just )?(?:don['’]?t|do not|can['’]?t|cannot|haven['’]?t) (?:see|find|get|seen)|"
            r"nothing (?:happen\w*|changed|shows?)|same (?:error|problem|issue|result)|no longer works?|"
            r"(?:would(?: have)?|was|i['’]?m) expect(?:ed|ing)?|keeps? (?:fail|crash|happen)\w*|"
            r"funktioniert (?:immer noch )?nicht|geht (?:immer noch )?nicht|immer noch|passiert nichts|"
            r"ne (?:marche|fonctionne) (?:toujours )?pas|toujours pas|no funciona|sigue sin|sigue fallando|"
            r"n[aã]o funciona|continua sem|non funziona|ancora non|werkt niet|nog steeds|nie dzia[lł]a|dalej nie|"
            r"(?:всё |все )?(?:ещё|еще|равно|так же) не|не работает|не помогло|та же ошибка|ничего не",
            r"还是(?:不|没|报|有)|仍然|依然|没有效果|没用|不起作用|没反应|"
            r"まだ|動かない|動きません|変わらない|여전히|안 ?돼|안 ?됩|작동하지",
        ),
        rule="Before you say that something works, run it the way the person will, and look at its output.",
    ),
    Theme(
        name="no duplication",
        words=whole_words(
            r"duplicat\w*|copy[- ]?past\w*|repeat(?:ed|ing|s)? (?:code|logic|the|this|that)|not repeat|re-?us(?:e|"
            r"ed|ing)|same code|DRY|"
            r"doppelt\w*|redundan\w*|wiederverwend\w*|dupliqu\w*|r[eé]utilis\w*|duplicad\w*|reutiliz\w*|дублир\w*|"
            r"переиспольз\w*|повтор\w*",
            r"重复|复用|重複|使い回|중복|재사용",
        ),
        rule="Reuse or extend what is there before you add code, and remove the duplication that your change brings.",
        general=True,
    ),
    Theme(
        name="smallest change",
        words=whole_words(
            r"simpl(?:e|er|est|ify|ification|er way)|over-?engineer\w*|overkill|too (?:complex|complicated|much|"
            r"big|many)|unnecessar\w*|(?:do|why do) (?:we|you|i) (?:really |even |actually )?need|"
            r"don['’]?t need|not needed|minimal|yagni|bloat\w*|einfacher|unn[oö]tig\w*|zu (?:komplex|kompliziert|"
            r"viel)|plus simple|inutile\w*|trop (?:complexe|compliqu\w*)|"
            r"m[aá]s (?:simple|sencill\w*)|innecesari\w*|desnecess[aá]ri\w*|mais simples|pi[uù] semplice|"
            r"eenvoudiger|prostsz\w*|проще|упрост\w*|лишн\w*|слишком сложн\w*|не нужн\w*",
            r"太复杂|简单|简化|不需要|多余|没必要|シンプル|簡単|不要|複雑|간단|불필요|복잡",
        ),
        rule="Start from the smallest change that does what was asked, with what is there already.",
        general=True,
    ),
    Theme(
        name="only what was asked",
        words=whole_words(
            r"(?:i )?did(?: not|n['’]?t) (?:ask|want|tell|say)(?: you)?|(?:do not|don['’]?t|never|"
            r"without) (?:touch\w*|chang\w*|modif\w*|edit\w*|remov\w*|delet\w*|refactor\w*|renam\w*)|"
            r"unrelated|leave (?:it|that|the|this|them)|not what i (?:asked|wanted|meant)|"
            r"why did you (?:\w+ )?(?:change|remove|delete|add|touch|edit|modify|rename)|only (?:change|touch|"
            r"edit|do)|"
            r"put (?:it|that|this) back|nicht (?:anfassen|[aä]ndern)|nur das|ne (?:touche|change|modifie) pas|"
            r"no (?:toques|cambies|modifiques|borres)|n[aã]o (?:mexa|altere|mude)|"
            r"не (?:трогай|меняй|удаляй|надо было|просил)|зачем ты",
            r"不要(?:改|动|修改|删)|别(?:改|动|删)|只(?:改|修改)|我没(?:让|有让|说)|触らない|変えない|勝手に|건드리지|바꾸지|수정하지",
        ),
        rule="Change only what was asked for; name what else you found instead of changing it.",
    ),
    Theme(
        name="the other places too",
        words=whole_words(
            r"everywhere|other (?:places?|files?|ones|spots|occurrences|cases|usages|tests|components|pages|"
            r"languages)|all (?:the )?(?:other|places|occurrences|usages|instances)|the rest of|"
            r"same (?:thing |change |fix )?(?:in|for|to|with)|elsewhere|auch in|[uü]berall|anderen? stellen|"
            r"partout|les autres|en (?:todos|los otros|otros)|tamb[eé]m em|в(?:о всех| других)|везде|остальн\w*",
            r"其他(?:地方|文件|的)|所有|别的地方|他の|全て|すべて|다른 (?:곳|파일)|모든",
        ),
        rule=(
            "When you mend or change something, search for the other places with the same pattern and treat "
            "them too, or name them."
        ),
    ),
    Theme(
        name="no silent fallback",
        words=whole_words(
            r"fall ?-?backs?|silent(?:ly)?|swallow\w*|(?:ignor|suppress|hid)(?:e|es|ing) (?:the )?errors?|"
            r"bare except|catch[- ]all|verschluck\w*|stillschweigend|silencieu\w*|silencios\w*|"
            r"молча|проглат\w*|фоллб[эе]к\w*",
            r"吞(?:掉|异常)|静默|兜底|黙って|握りつぶ|フォールバック|무시하지|폴백",
        ),
        rule="Do not fall back or skip silently: fail, or say what was not done.",
    ),
    Theme(
        name="git only when asked",
        words=whole_words(
            r"(?:do not|don['’]?t|never|stop|no need to|without asking|not) (?:\w+ ){0,2}(?:commit\w*|push\w*|"
            r"stash\w*|merg\w*|rebas\w*|reset\w*|check ?out|force[- ]?push\w*|amend\w*)|"
            r"(?:nicht|kein\w*) (?:\w+ )?(?:commit\w*|push\w*)|ne (?:commit|push)\w* pas|no (?:hagas |"
            r"hacer )?(?:commit|push)\w*|n[aã]o (?:fa[cç]a |d[eê] )?(?:commit|push)\w*|не (?:коммить|пуш|"
            r"делай коммит)\w*",
            r"不要(?:提交|推送|commit|push)|别(?:提交|推送|commit|push)|コミットしない|プッシュしない|커밋하지|푸시하지",
        ),
        rule="Leave the state of git alone (commit, push, stash, reset, checkout) unless you are asked.",
    ),
    Theme(
        name="wait for the word",
        words=whole_words(
            r"ask (?:me )?(?:first|before)|before (?:you )?(?:start|implement|cod|chang|edit|mak)\w*|"
            r"wait for (?:me|my)|plan first|(?:do not|don['’]?t) (?:start|implement|code|write|do anything|"
            r"make (?:any )?changes)(?: \w+){0,3} (?:yet|until|before)|"
            r"just (?:plan|discuss|explain|answer|tell me|asking|a question)|only (?:plan|discuss|answer)|"
            r"i['’]?m (?:just |only )?asking|let me (?:decide|know|review|look) (?:first|before)|"
            r"write down (?:all )?the steps|"
            r"frag(?:e)? (?:mich )?(?:erst|vorher)|erst fragen|noch nichts? (?:[aä]ndern|machen)|nur eine frage|"
            r"demande[- ]moi|avant de|pregunta(?:me)? (?:primero|antes)|pergunte antes|сначала спроси|"
            r"пока не (?:пиши|делай|меняй)|просто (?:вопрос|ответь)",
            r"先(?:问|不要|别|讨论|说)|不要(?:直接|马上|急着)|等我|"
            r"まず(?:聞|確認|相談)|勝手に(?:進|始)|먼저 (?:물어|확인)|아직",
        ),
        rule="On a question or an open choice answer and wait: no edits before the person gives the word.",
    ),
    Theme(
        name="no needless comments",
        words=whole_words(
            r"(?:remove|delete|drop|no|without|too many|unnecessary|useless|fewer|don['’]?t (?:add|write|put)|"
            r"stop adding) (?:\w+ ){0,3}comments?|comments? (?:are|is) (?:not|unnecessary|redundant|useless)|"
            r"(?:kein\w*|entfern\w*|unn[oö]tig\w*) (?:\w+ )?kommentar\w*|(?:sans|supprime\w*|"
            r"pas de) (?:\w+ )?commentaires?|(?:sin|quita\w*|no) (?:\w+ )?comentarios|(?:sem|"
            r"remov\w*) (?:\w+ )?coment[aá]rios|(?:без|убери|удали|лишн\w*) (?:\w+ )?комментари\w*",
            r"(?:不要|删除?|去掉|别)(?:加|写)?注释|"
            r"コメント(?:は|を)?(?:不要|消|削除|いらない)|주석(?:은|을)? ?(?:빼|삭제|제거|필요)",
        ),
        rule="Write no comments that repeat the code; comment only why.",
    ),
    Theme(
        name="no hard-coded values",
        words=whole_words(
            r"hard-? ?cod\w*|magic (?:numbers?|strings?)|hartkodier\w*|fest verdrahtet|en dur|hardcodead\w*|"
            r"хардкод\w*|захардкож\w*",
            r"硬编码|写死|ハードコード|하드코딩",
        ),
        rule="Write no values into the code that belong into settings or constants.",
    ),
    Theme(
        name="nothing invented",
        words=whole_words(
            r"(?:ma(?:d|k)e|making) (?:it|that|this|things|stuff) up|does(?: not|n['’]?t) exist|do(?: not|"
            r"n['’]?t) exist|there is no (?:such|\w+:\w+)|hallucinat\w*|invent(?:ed|ing)|look it up|"
            r"check the (?:docs|documentation)|"
            r"gibt es nicht|erfunden|n['’]existe pas|invent[eé]\w*|no existe|inventa\w*|n[aã]o existe|non esiste|"
            r"bestaat niet|nie istnieje|не существует|нет такого|выдум\w*|придум\w*",
            r"不存在|没有这个|编造|瞎编|存在しない|ありません|捏造|존재하지|없는",
        ),
        rule="Look an option, path or function up (documentation, `--help`, the source) before you rely on it.",
    ),
    Theme(
        name="review comments weighed",
        words=whole_words(r"pr|pull request|review\w*|feedback|comments?|copilot|coderabbit|评审|レビュー|리뷰"),
        also=whole_words(
            r"valid\w*|evaluat\w*|eval|critical\w*|critically|legit\w*|make sense|assess|agree|worth|check if|"
            r"really|sinnvoll|berechtigt|valable|v[aá]lid\w*|стоит ли|обоснован\w*",
            r"合理|有效|是否|妥当|타당",
        ),
        asked=True,
        rule=(
            "A review comment is a claim: say for each whether it is valid for this code and what you skip, "
            "then mend only what is valid."
        ),
    ),
    Theme(
        name="short answers",
        words=whole_words(
            r"too (?:long|verbose|wordy)|(?:more )?(?:concise|brief|terse)|shorter|tl;?dr|less text|"
            r"stop explaining|no emojis?|without emojis?|emojis?|k[uü]rzer|zu lang|plus court|trop long|"
            r"m[aá]s (?:corto|breve)|mais curto|pi[uù] breve|korter|kr[oó]cej|короче|слишком длинн\w*|без эмодзи",
            r"太长|简短|精简|简洁|不要表情|短く|長すぎ|簡潔|짧게|간결|너무 길",
        ),
        rule="Keep answers and texts short; no emojis.",
        general=True,
    ),
    Theme(
        name="plain words for users",
        words=whole_words(
            r"wording|re-?word|phras\w*|(?:user|error|warning|help|confirmation) (?:messages?|texts?)|"
            r"(?:this|that|the) (?:message|text|label|warn\w*)|user-?friendly|"
            r"(?:not|more|less|be) (?:\w+ )?(?:friendly|meaningful|confusing|clear)|clearer|jargon|"
            r"(?:does|do)(?: not|n['’]?t) sound|better names?|(?<!-)naming|first-?timers?|"
            r"formulierung|wortwahl|verst[aä]ndlich\w*|libell[eé]|formulation|redacci[oó]n|"
            r"формулировк\w*|понятн\w*|переименуй\w*",
            r"措辞|文案|提示语|命名|表述|文言|わかりやすく|문구",
        ),
        rule="Texts that a user reads say exactly what happens in this situation, in plain words, and what to do next.",
        general=True,
    ),
    Theme(
        name="nothing private leaves",
        words=whole_words(
            r"(?:leak\w*|expos\w*|plain ?text|redact\w*|privacy|sensitive|personal|"
            r"confidential) (?:\w+ ){0,3}(?:secrets?|tokens?|keys?|passwords?|data|paths?|credentials?|info\w*)|"
            r"(?:secrets?|tokens?|keys?|passwords?|credentials?) (?:\w+ ){0,4}(?:leak\w*|visible|exposed|"
            r"plain ?text|logs?|committed|hard-?coded)",
            r"泄露|敏感信息|漏洩|機密|유출",
        ),
        rule="No secret, key or personal path goes into code, logs, arguments or stored data.",
    ),
)

INSTEAD = re.compile(
    r"\b(?:use|using|prefer|run|call|with|"
    r"want)\s+[`'\"]?(?P<good>[\w@./:+-]{2,40})[`'\"]?(?:\s+[\w@./:+-]+){0,4}?\s*,?\s*"
    r"(?:instead of|not|rather than|and not|over)\s+(?:the |a |an )?[`'\"]?(?P<bad>[\w@./:+-]{2,40})[`'\"]?"
    r"|\binstead of\s+(?:the |a |an |using )?[`'\"]?(?P<bad2>[\w@./:+-]{2,40})[`'\"]?\s*,?\s*(?:please |"
    r"just )?(?:use|run|call|do)\s+[`'\"]?(?P<good2>[\w@./:+-]{2,40})",
    re.IGNORECASE,
)
"""`use X instead of Y`, in either order."""
