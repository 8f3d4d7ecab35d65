"""Rubrics: rules that only a reader can tell kept from broken. A model reads; the person's cards say how often it errs.

A rubric gates only if the model's verdicts agree with the person's corrections on held-out sessions, and the cards
leave no doubt that they say something. Its mean is corrected for its error: exchanges are put into four cells by what
the judge says and what the person's signs say, cards are drawn in each, and the cells are added up by their size
(post-stratified: prediction-powered inference with a binary judge). The intervals are those of Beta posteriors with
Jeffreys' prior in each cell: twenty cards are too few for a normal approximation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np

from sleepd.core.act_reading import clean, what_was_done
from sleepd.core.behaviour import Keeping, RubricCheck
from sleepd.core.discrimination import JudgedEpisode, discrimination
from sleepd.core.lesson import History, Lesson, corrected_places
from sleepd.core.model import Digest, SessionId, digest
from sleepd.core.validity import Discrimination, Ground, Validity, measured, observed

MOST_CARDS: Final = 20
LEAST_CARDS: Final = 10
"""Answered with kept or broken, before a judge's error is spoken of."""
MOST_EXCHANGES: Final = 200
"""The newest exchanges are judged, at most so many."""
_OF_DISAGREEMENT: Final = 6
_OF_AGREEMENT: Final = 4
"""Cards of each cell, where it has so many; what is left goes round, disagreements first."""
_DRAWS: Final = 4_000
_REQUEST: Final = 900
_DONE: Final = 2_500
_ANSWER: Final = 900
_MOST_CHARACTERS: Final = 400


class CardAnswer(StrEnum):
    """What a person answers to a card."""

    KEPT = "kept"
    BROKEN = "broken"
    CANNOT_SAY = "cannot say"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownExchange:
    """One exchange as the judge and the person see it: redacted and short."""

    key: Digest
    """Of what is shown."""
    session: SessionId
    turn: str
    request: str
    done: str
    corrected: bool
    """By the person's signs: the next turn is one that the lesson rests on, or a call was refused for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeVerdict:
    """What a judge said of an exchange. Without `keeping` the reply could not be used, and `why` says so."""

    keeping: Keeping | None
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedExchange:
    """An exchange with the judge's verdict."""

    exchange: ShownExchange
    broken: bool
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimated:
    """A share with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeError:
    """How often a judge errs, by the person's cards, and the mean without that error."""

    cards: int
    """Answered with kept or broken."""
    sensitivity: Estimated
    """Of the broken exchanges those that the judge calls broken."""
    specificity: Estimated
    """Of the others those that it does not."""
    said: float
    """The share of exchanges that the judge calls broken."""
    broken: Estimated
    """The share that are broken, corrected for the judge's error."""
    informative: bool
    """Sensitivity and specificity together lie above those of a coin: the 95 % interval of their sum lies above 1."""


def rubric_of(lesson: Lesson) -> RubricCheck:
    """The question that a judge answers about a lesson."""
    return RubricCheck(name=lesson.about or "rule", question=" ".join(lesson.text.split())[:_MOST_CHARACTERS])


def rubric_id(rubric: RubricCheck) -> Digest:
    """Other words are another rubric: verdicts and cards belong to one of them."""
    return digest("rubric", rubric.question)


def exchanges(lesson: Lesson, known: History) -> tuple[ShownExchange, ...]:
    """The exchanges that a rubric of this lesson can be held to, oldest first: those of its project whose next turn is
    known and in which the agent did or said something. Equal ones are one."""
    corrected = corrected_places(lesson, known)
    found: dict[Digest, ShownExchange] = {}
    for session in known.sessions:
        if lesson.project and known.repository(session[0].episode.project) != lesson.project:
            continue
        for one in session:
            episode = one.episode
            chance = corrected.get((episode.session, episode.turn))
            if chance is None or not (episode.calls or episode.answer):
                continue
            request = clean(episode.text.strip(), _REQUEST)
            done = clean(what_was_done(episode, reaction=False, answer=_ANSWER), _DONE)
            key = digest("exchange", request, done)
            found[key] = ShownExchange(
                key=key, session=episode.session, turn=episode.turn, request=request, done=done, corrected=chance >= 0.5
            )
    return tuple(found.values())[-MOST_EXCHANGES:]


def judged(some: Iterable[ShownExchange], verdicts: Mapping[Digest, ExchangeVerdict]) -> tuple[JudgedExchange, ...]:
    """The exchanges of which the judge said something. One to which the rule does not apply is not broken."""
    return tuple(
        JudgedExchange(exchange=one, broken=verdicts[one.key].keeping is Keeping.BROKEN, why=verdicts[one.key].why)
        for one in some
        if one.key in verdicts and verdicts[one.key].keeping is not None
    )


def agreement(some: Sequence[JudgedExchange]) -> Discrimination | None:
    """How well the judge tells what the person corrected from what the person kept. It was made from no session."""
    return discrimination(
        [
            JudgedEpisode(session=e.session, fault=float(one.broken), corrected=float(e.corrected))
            for one, e in ((one, one.exchange) for one in some)
        ]
    )


# Cards ----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cell:
    broken: bool
    corrected: bool

    @property
    def disagrees(self) -> bool:
        return self.broken is not self.corrected


_CELLS: Final = (
    _Cell(broken=True, corrected=False),
    _Cell(broken=False, corrected=True),
    _Cell(broken=True, corrected=True),
    _Cell(broken=False, corrected=False),
)


def cards(some: Sequence[JudgedExchange], rubric: RubricCheck) -> tuple[JudgedExchange, ...]:
    """The exchanges to ask the person about, at most `MOST_CARDS`, in an order that gives nothing away.

    Six of each kind of disagreement between judge and signs and four of each kind of agreement, drawn at random by
    hash; where a cell has fewer, the others get more, disagreements first.
    """
    mark = rubric_id(rubric)
    waiting = {
        cell: sorted((one for one in some if _cell(one) == cell), key=lambda one: digest(mark, one.exchange.key))
        for cell in _CELLS
    }
    drawn: list[JudgedExchange] = []
    for cell in _CELLS:
        most = _OF_DISAGREEMENT if cell.disagrees else _OF_AGREEMENT
        drawn += waiting[cell][:most]
        waiting[cell] = waiting[cell][most:]
    while len(drawn) < MOST_CARDS and any(waiting.values()):
        for cell in _CELLS:
            drawn += waiting[cell][:1]
            waiting[cell] = waiting[cell][1:]
    return tuple(sorted(drawn[:MOST_CARDS], key=lambda one: digest("order", mark, one.exchange.key)))


def judge_error(
    some: Sequence[JudgedExchange], answers: Mapping[Digest, CardAnswer], rubric: RubricCheck
) -> JudgeError | None:
    """What the cards say of the judge; None before `LEAST_CARDS` of them are answered with kept or broken."""
    sizes = np.array([float(sum(_cell(one) == cell for one in some)) for cell in _CELLS])
    counts = np.zeros((len(_CELLS), 2))
    for one in some:
        answer = answers.get(one.exchange.key, CardAnswer.CANNOT_SAY)
        if answer is not CardAnswer.CANNOT_SAY:
            counts[_CELLS.index(_cell(one)), int(answer is CardAnswer.BROKEN)] += 1
    if counts.sum() < LEAST_CARDS:
        return None
    seed = int(digest("cards", rubric_id(rubric), *map(str, counts.ravel()))[:16], 16)
    shares = np.random.default_rng(seed).beta(counts[:, 1] + 0.5, counts[:, 0] + 0.5, size=(_DRAWS, len(_CELLS)))
    called = np.array([cell.broken for cell in _CELLS])
    broken, kept = shares * sizes, (1 - shares) * sizes
    sensitivity = broken[:, called].sum(axis=1) / broken.sum(axis=1)
    specificity = kept[:, ~called].sum(axis=1) / kept.sum(axis=1)
    return JudgeError(
        cards=int(counts.sum()),
        sensitivity=_estimated(sensitivity),
        specificity=_estimated(specificity),
        said=float(sizes[called].sum() / sizes.sum()),
        broken=_estimated(broken.sum(axis=1) / sizes.sum()),
        informative=bool(np.quantile(sensitivity + specificity, 0.025) > 1),
    )


def verdict(found: Discrimination | None, error: JudgeError | None, asked: int, answered: int) -> Validity:
    """Whether a rubric gates, by held-out sessions and by the cards, of which `answered` of `asked` are answered."""
    held_out = measured(found)
    if not held_out.gates:
        return held_out
    if error is None:
        return observed(
            f"its judge agrees with you on held-out sessions; {answered} of {asked} cards are answered, and "
            f"{LEAST_CARDS} with kept or broken are needed: sleepd review",
            found,
        )
    rates = f"by {error.cards} of your cards it finds {_percent(error.sensitivity)} of what is broken and "
    rates += f"passes {_percent(error.specificity)} of the rest"
    if not error.informative:
        return observed(f"its judge errs too often to be believed: {rates}", found)
    return Validity(ground=Ground.CARDS, why=f"{held_out.why}; {rates}", agreement=found)


def _cell(one: JudgedExchange) -> _Cell:
    return _Cell(broken=one.broken, corrected=one.exchange.corrected)


def _estimated(draws: np.typing.NDArray[np.float64]) -> Estimated:
    low, high = np.quantile(draws, (0.025, 0.975))
    return Estimated(value=float(draws.mean()), low=float(low), high=float(high))


def _percent(one: Estimated) -> str:
    return f"{one.value:.0%} [{one.low:.0%}, {one.high:.0%}]"


# Lessons --------------------------------------------------------------------------------------------------------------

UNASKED: Final = observed("no judge model has read your exchanges for it")
"""The verdict on a rubric before `judge`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingPlan:
    """What a judge would be asked about one lesson."""

    lesson: Lesson
    model: str
    exchanges: int
    """Those that were not judged yet."""
    calls: int
    tokens: int
    """Sent, about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedLesson:
    """A lesson's rubric with what the judge and the person said so far."""

    lesson: Lesson
    rubric: RubricCheck
    judged: tuple[JudgedExchange, ...]
    answers: Mapping[Digest, CardAnswer]
    """By exchange."""
    validity: Validity
    troubles: tuple[str, ...] = ()
    """Why calls gave no answer; they are made again another time."""

    @property
    def cards(self) -> tuple[JudgedExchange, ...]:
        """What the person may be asked about. Cards cost minutes: () where they could not make the rubric gate."""
        held_out = measured(self.validity.agreement)
        return cards(self.judged, self.rubric) if held_out.gates else ()

    @property
    def waiting(self) -> tuple[JudgedExchange, ...]:
        """The cards without an answer."""
        return tuple(card for card in self.cards if card.exchange.key not in self.answers)

    @property
    def error(self) -> JudgeError | None:
        """How often the judge errs, once enough cards are answered."""
        return judge_error(self.judged, self.answers, self.rubric)
