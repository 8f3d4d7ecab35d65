"""Rule checks: what the accepted answers of one recurring work have in common and the rejected ones lack.

Nothing here reads the user's words, so it works in any language, and no check is ever shown to the model that proposes
edits: it cannot write to the test.

What the values mean (letter case never counts, except in shapes):

- first-line, last-line: what the first or last line that is not blank begins with: a label, else the first token's
  shape, else that token; digits become `9`
- line-start: a label such as `tested:` or `##` at the start of some line
- shape: some token has this shape: letters become `A` or `a`, digits `9`, repetitions one sign (`[AA-12]` -> `[A-9]`)
- contains, lacks: one to three words in a row, or one symbol
- max-words: at most so many words
- answer: one of these answers, one on each line, stands in what is given as the answer: between the last
  `<answer>` and `</answer>`, else on the last line that is not blank; punctuation and articles do not count
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from sleepd.core.model import CheckKind, Digest, TaskId, digest

JUDGE_VERSION = "rules-1"

# Words (with inner hyphens, dots and apostrophes), single ideographs and kana, and single symbols.
_TOKEN = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
    r"|[^\W_\u3040-\u30ff\u3400-\u9fff]+(?:[-'’._][^\W_\u3040-\u30ff\u3400-\u9fff]+)*"
    r"|[\u2190-\u2bff\U0001f000-\U0001faff]"
)
_LABEL = re.compile(r"(?:#{1,6}|[-*>] )?[^\W\d_][\w -]{0,30}:|#{1,6}(?= )|[-*>](?= )|\d+[.)](?= )|```")
_TAGGED = re.compile(r"<answer>(.*?)</answer>", re.DOTALL | re.IGNORECASE)
_PLAIN = re.compile(r"(?:(?<!\w)-)?\d+(?:\.\d+)*|[^\W_]+")
_ARTICLES = frozenset({"a", "an", "the"})
_LETTERS = re.compile(r"[^\W\d_]+")
_DIGITS = re.compile(r"\d+")
_DIGIT = re.compile(r"\d")
_LONGEST_PHRASE = 3
_SENTENCE_END = re.compile(r"[.!?;:]\s|[\n。！？]")
# Words of one to three Latin letters are mostly grammar; alone they tell nothing.
_SHORT_WORD = 3
_LONGEST_SHAPED = 40
_MOST_WORDS_READ = 4_000
_MOST_DIGITS = 9
_LABEL_ALONE = "a label such as `tested:` or `##` with nothing after it"
_WANTED = {
    CheckKind.FIRST_LINE: f"{_LABEL_ALONE}, or one word, or one shape such as `[A-9]`",
    CheckKind.LAST_LINE: f"{_LABEL_ALONE}, or one word, or one shape such as `[A-9]`",
    CheckKind.LINE_START: _LABEL_ALONE,
    CheckKind.SHAPE: f"one token of at most {_LONGEST_SHAPED} characters that is no plain word, such as `[A-9]`",
    CheckKind.CONTAINS: "words or a symbol, within one sentence",
    CheckKind.LACKS: "words or a symbol, within one sentence",
    CheckKind.MAX_WORDS: f"a number from 1 to {_MOST_WORDS_READ - 1}",
    CheckKind.ANSWER: "a word or a number",
}

# A check must hold for the work, not for one answer.
_MIN_SESSIONS = 2
_MIN_ACCEPTED_SHARE = 0.8
_MIN_ODDS = 4
_ENOUGH_AT_ONCE = 3
_SAME_BUT = 0.05
_BEYOND_SHARE = 0.1
_WORDS_MARGIN = 1.25
_PRIORITY = tuple(CheckKind)
# A number in these is the check's own or already only a shape; elsewhere it would tie the check to one task.
_FREE_OF_NUMBERS = (CheckKind.SHAPE, CheckKind.FIRST_LINE, CheckKind.LAST_LINE, CheckKind.MAX_WORDS)
_OF_WORDS = (CheckKind.CONTAINS, CheckKind.LACKS)


# The checks -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _TextCheck:
    """A condition with one text; raises ValueError without one."""

    value: str
    """As a task set and the database write it down."""

    def __post_init__(self) -> None:
        if not self.value:
            raise ValueError(f"a check of the kind {type(self).__name__} needs a text")


@dataclass(frozen=True, slots=True)
class FirstLine(_TextCheck):
    """The first line that is not blank opens like this."""

    kind: ClassVar = CheckKind.FIRST_LINE


@dataclass(frozen=True, slots=True)
class LastLine(_TextCheck):
    """The last line that is not blank opens like this."""

    kind: ClassVar = CheckKind.LAST_LINE


@dataclass(frozen=True, slots=True)
class LineStart(_TextCheck):
    """Some line has this label."""

    kind: ClassVar = CheckKind.LINE_START


@dataclass(frozen=True, slots=True)
class Shape(_TextCheck):
    """Some token has this shape."""

    kind: ClassVar = CheckKind.SHAPE


@dataclass(frozen=True, slots=True)
class Contains(_TextCheck):
    """These words stand in a row."""

    kind: ClassVar = CheckKind.CONTAINS


@dataclass(frozen=True, slots=True)
class Lacks(_TextCheck):
    """These words stand nowhere in a row."""

    kind: ClassVar = CheckKind.LACKS


@dataclass(frozen=True, slots=True)
class MaxWords:
    """At most so many words, from 1 on."""

    limit: int
    kind: ClassVar = CheckKind.MAX_WORDS

    def __post_init__(self) -> None:
        if self.limit < 1:
            raise ValueError("no answer has fewer words than one")

    @property
    def value(self) -> str:
        """As a task set and the database write it down."""
        return str(self.limit)


@dataclass(frozen=True, slots=True)
class RightAnswer:
    """One of these is given as the answer. Never mined; for task sets whose tasks have a right answer."""

    accepted: tuple[str, ...]
    kind: ClassVar = CheckKind.ANSWER

    @property
    def value(self) -> str:
        """As a task set and the database write it down: one a line."""
        return "\n".join(self.accepted)


Check = FirstLine | LastLine | LineStart | Shape | Contains | Lacks | MaxWords | RightAnswer
"""A machine-checkable condition on an answer."""

_OF_TEXT: dict[CheckKind, type[FirstLine | LastLine | LineStart | Shape | Contains | Lacks]] = {
    one.kind: one for one in (FirstLine, LastLine, LineStart, Shape, Contains, Lacks)
}


def check_of(kind: CheckKind, value: str) -> Check:
    """The check that a kind and a value written down stand for. Raises ValueError for a value that is none."""
    match kind:
        case CheckKind.MAX_WORDS:
            return MaxWords(int(value))
        case CheckKind.ANSWER:
            return RightAnswer(tuple(value.splitlines()))
        case _:
            return _OF_TEXT[kind](value)


# Mining ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """What one task shows: the answers that were rejected (maybe none) and the one that was kept."""

    task: TaskId
    session: str
    rejected: tuple[str, ...]
    accepted: str


def passes(check: Check, answer: str) -> bool:
    """Whether the answer meets the condition. For the positive kinds: whether it is among `features(answer)`."""
    match check:
        case MaxWords(limit=limit):
            return len(_words(answer)) <= limit
        case Contains(value=words):
            return _says(answer, words)
        case Lacks(value=words):
            return not _says(answer, words)
        case Shape(value=shape):
            return any(_shape(token) == shape for token in answer.split())
        case LineStart(value=label):
            return any(_label(line) == label for line in _lines(answer))
        case FirstLine(value=opening) | LastLine(value=opening):
            lines = _lines(answer)
            return bool(lines) and _opening(lines[0 if isinstance(check, FirstLine) else -1]) == opening
        case RightAnswer(accepted=accepted):
            return any(_answers(_given(answer), wanted) for wanted in accepted)


def normal(kind: CheckKind, value: str) -> Check | None:
    """The check that a person wrote, with its value as `passes` compares it: `SIGNED` becomes `signed`.

    None when nothing is left of the value, or when the check would say less than was written or never be met or failed:
    `wanted` says what the kind takes. A mined check is normal already, but for a few letters whose lower case is two
    and shapes of raised digits.
    """
    compared = _normal(kind, value.strip())
    return check_of(kind, compared) if compared else None


def wanted(kind: CheckKind) -> str:
    """What a value of this kind has to be, to follow `wants`."""
    return _WANTED[kind]


def in_order(checks: Iterable[Check]) -> tuple[Check, ...]:
    """The checks as the database gives them back, each once."""
    return tuple(sorted(set(checks), key=lambda c: (c.kind, c.value)))


def identity(checks: Sequence[Check]) -> Digest:
    """What makes two scores by these checks exchangeable: the checks and the version of this module's rules."""
    return digest(JUDGE_VERSION, *(f"{c.kind}={c.value}" for c in checks))


def features(answer: str) -> frozenset[Check]:
    """Every condition of the positive kinds that this answer meets."""
    lines = _lines(answer)
    found: set[Check] = {Shape(shape) for shape in map(_shape, answer.split()) if shape}
    found |= {LineStart(label) for label in map(_label, lines) if label}
    if lines:
        found.add(FirstLine(_opening(lines[0])))
        found.add(LastLine(_opening(lines[-1])))
    found |= {Contains(phrase) for sentence in _sentences(answer) for phrase in _phrases(sentence)}
    return frozenset(found)


def shortened(rejected: str, accepted: str) -> int:
    """1 where the rejected answer is longer by a quarter, in words; -1 where the accepted one is; else 0."""
    before, after = len(_words(rejected)), len(_words(accepted))
    return (before > after * _WORDS_MARGIN) - (after > before * _WORDS_MARGIN)


def mine(
    contrasts: Sequence[Contrast], tested: Callable[[Check], bool] | None = None
) -> dict[TaskId, tuple[Check, ...]]:
    """The checks of each task of one cluster; with `tested`, only checks of which that is true.

    A task keeps a check only if it fails one of its own rejected answers and passes its accepted one. Besides, the
    check must do so in at least two sessions and four times as often as the reverse, and hold for four fifths of the
    accepted answers, also of those accepted at once (words that only a second try brings, such as "corrected", fall
    there). Of checks that fail the same answers one is kept. Tasks without a check are left out.
    """
    seen = {c.task: _Seen(c) for c in contrasts}
    limit = max((s.accepted_words for s in seen.values()), default=0)
    proposed: dict[Check, set[str]] = {}
    for one in seen.values():
        for check in one.discriminating(limit):
            proposed.setdefault(check, set()).add(one.session)
    everything = list(seen.values())
    general = [
        c
        for c, sessions in proposed.items()
        if len(sessions) >= _MIN_SESSIONS and (tested is None or tested(c)) and _holds(c, everything)
    ]
    kept = _one_of_each(general, everything)
    checks = {task: tuple(c for c in kept if s.tells(c)) for task, s in seen.items()}
    return {task: found for task, found in checks.items() if found}


def _holds(check: Check, seen: Sequence[_Seen]) -> bool:
    """Whether the check goes with being accepted, over the cluster's answers."""
    at_once = [s for s in seen if s.at_once]
    groups = [seen, at_once] if len(at_once) >= _ENOUGH_AT_ONCE else [seen]
    if any(sum(s.accepted_passes(check) for s in g) < _MIN_ACCEPTED_SHARE * len(g) for g in groups):
        return False
    return sum(s.tells(check) for s in seen) >= _MIN_ODDS * sum(s.tells_reverse(check) for s in seen)


class _Seen:
    """One contrast with its features read once."""

    def __init__(self, contrast: Contrast) -> None:
        self.session = contrast.session
        self._accepted = _Answer(contrast.accepted)
        self.rejected = [_Answer(text) for text in contrast.rejected]

    @property
    def accepted_words(self) -> int:
        return self._accepted.words

    @property
    def at_once(self) -> bool:
        return not self.rejected

    def discriminating(self, limit: int) -> set[Check]:
        """Checks that fail one of the rejected answers, pass the accepted one and hold no number of this task."""
        found: set[Check] = set()
        for rejected in self.rejected:
            found |= self._accepted.features - rejected.features
            found |= {Lacks(c.value) for c in rejected.features - self._accepted.features if isinstance(c, Contains)}
            if limit and rejected.words > limit * _WORDS_MARGIN:
                found.add(MaxWords(limit))
        return {c for c in found if c.kind in _FREE_OF_NUMBERS or not _DIGIT.search(c.value)}

    def accepted_passes(self, check: Check) -> bool:
        return self._accepted.passes(check)

    def tells(self, check: Check) -> bool:
        return self._accepted.passes(check) and not all(r.passes(check) for r in self.rejected)

    def tells_reverse(self, check: Check) -> bool:
        return not self._accepted.passes(check) and any(r.passes(check) for r in self.rejected)


class _Answer:
    def __init__(self, text: str) -> None:
        self.features = features(text)
        self.words = len(_words(text))

    def passes(self, check: Check) -> bool:
        match check:
            case Lacks(value=words):
                return Contains(words) not in self.features
            case MaxWords(limit=limit):
                return self.words <= limit
            case _:
                return check in self.features


def _one_of_each(checks: Sequence[Check], seen: Sequence[_Seen]) -> list[Check]:
    """Of checks that fail the same rejected answers keep one: what shows form goes before what quotes words.

    Two rules that are often broken together are still two: what counts is each answer, not each task.
    """
    rejected = [answer for one in seen for answer in one.rejected]
    failed = {c: frozenset(i for i, answer in enumerate(rejected) if not answer.passes(c)) for c in checks}
    kept: list[Check] = []
    for check in sorted(checks, key=lambda c: (c.kind in _OF_WORDS, -len(failed[c]), _rank(c))):
        words = check.kind in _OF_WORDS
        if not any(_covers(failed[other], failed[check], len(rejected), words=words) for other in kept):
            kept.append(check)
    return sorted(kept, key=_rank)


def _covers(kept: frozenset[int], new: frozenset[int], answers: int, *, words: bool) -> bool:
    """Whether the new check fails the answers that the kept one fails.

    A phrase is covered besides when it hardly ever fails an answer that the kept one passes: then it is the wording of
    what the kept one sees.
    """
    if len(kept ^ new) <= _SAME_BUT * answers:
        return True
    beyond = len(new - kept)
    return words and beyond <= _SAME_BUT * (answers - len(kept)) and beyond <= _BEYOND_SHARE * len(new)


def _rank(check: Check) -> tuple[int, int, str]:
    return (_PRIORITY.index(check.kind), -len(check.value), check.value)


def _normal(kind: CheckKind, value: str) -> str:
    """The value as an answer's own would be read; "" when it is none."""
    match kind:
        case CheckKind.MAX_WORDS:
            number = int(value) if value.isdecimal() and len(value) <= _MOST_DIGITS else 0
            # More words than are read of an answer would be in no answer.
            return str(number) if 0 < number < _MOST_WORDS_READ else ""
        case CheckKind.CONTAINS | CheckKind.LACKS:
            sentences = _sentences(value)
            return " ".join(sentences[0]) if len(sentences) == 1 else ""
        case CheckKind.SHAPE:
            return _shape(value) if len(value.split()) == 1 else ""
        case CheckKind.LINE_START:
            return _label_alone(value)
        case CheckKind.FIRST_LINE | CheckKind.LAST_LINE:
            alone = _label_alone(value)
            if not alone and (_label(value) or len(value.split()) != 1):
                return ""
            return _DIGITS.sub("9", alone) or _opening(value)
        case CheckKind.ANSWER:
            return value if _PLAIN.findall(value.casefold()) else ""


def _label_alone(value: str) -> str:
    """The label that the value is; "" when it is none or more than one."""
    # Some labels are one only before a space.
    label = _label(f"{value} .")
    return label if label == value.casefold() else ""


def _words(text: str) -> list[str]:
    return [w.casefold() for w in _TOKEN.findall(text[: _MOST_WORDS_READ * 10])[:_MOST_WORDS_READ]]


def _sentences(text: str) -> list[list[str]]:
    """The words of each sentence or line: a phrase never runs over its end."""
    return [words for words in map(_words, _SENTENCE_END.split(text[: _MOST_WORDS_READ * 10])) if words]


def _phrases(words: Sequence[str]) -> set[str]:
    runs = (
        words[start : start + size] for size in range(1, _LONGEST_PHRASE + 1) for start in range(len(words) - size + 1)
    )
    return {" ".join(run) for run in runs if len(run) > 1 or not (run[0].isascii() and len(run[0]) <= _SHORT_WORD)}


def _says(answer: str, phrase: str) -> bool:
    return any(f" {phrase} " in f" {' '.join(sentence)} " for sentence in _sentences(answer))


def _given(answer: str) -> str:
    """What an answer gives as its result."""
    tagged = _TAGGED.findall(answer)
    lines = _lines(answer)
    return tagged[-1] if tagged else lines[-1] if lines else ""


def _answers(given: str, wanted: str) -> bool:
    """Whether the wanted words stand in what was given. "A" may be the letter of a choice: that has to stand last."""
    bare = _bare(wanted)
    if bare:
        return f" {bare} " in f" {_bare(given)} "
    letters = _PLAIN.findall(wanted.casefold())
    return bool(letters) and _PLAIN.findall(given.casefold())[-len(letters) :] == letters


def _bare(text: str) -> str:
    """Words and numbers alone; the sign and the point of a number stay."""
    return " ".join(word for word in _PLAIN.findall(text.casefold()) if word not in _ARTICLES)


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _label(line: str) -> str:
    """What a line is marked with at its start (`tested:`, `##`, `-`); "" for none."""
    label = _LABEL.match(line)
    return label.group().casefold().strip() if label else ""


def _opening(line: str) -> str:
    """What a line begins with: its label, else its first token's shape, else that token; without its numbers."""
    token = line.split(maxsplit=1)[0]
    return _DIGITS.sub("9", _label(line) or _shape(token) or token.casefold())


def _shape(token: str) -> str:
    """The token's shape, or "" when it is a plain word that no shape describes better than itself."""
    if token.isalpha() or len(token) > _LONGEST_SHAPED:
        return ""
    return _DIGITS.sub("9", _LETTERS.sub(lambda m: "A" if m.group().isupper() else "a", token))
