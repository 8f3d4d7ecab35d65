"""Whether mined text checks, and whole judges, tell corrected work from kept work better than chance does.

Text checks are found by looking at thousands of wordings, so some will seem to separate the answers of any history. The
null here is a history whose labels mean nothing: for each session a coin decides whether its rejected and its kept
answers change places. A check is kept if it separates the person's own labels better than the best of all
wordings separates 95 % of these histories: the studentised maximum of Westfall and Young (1993), "Resampling-based
multiple testing", with sessions as the units. So at most one history in twenty without any rule yields a text check.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from sleepd.core import check
from sleepd.core.check import Check, Contains, Contrast, Lacks, MaxWords
from sleepd.core.discrimination import JudgedContrast, of_contrasts
from sleepd.core.excess import MIN_SESSIONS, Excess
from sleepd.core.model import TaskId, digest
from sleepd.core.validity import LEVEL, Discrimination

_SHUFFLES: Final = 999
_FOLDS: Final = 10
"""Of sessions, at most; below so many corrected sessions each is a fold of its own."""
_COLUMNS_AT_ONCE: Final = 4_096
_TIE: Final = 1e-9
"""Sums of the same terms in another order may differ by less."""
_Floats = npt.NDArray[np.float64]


# Text checks ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class MinedChecks:
    """The text checks of one history."""

    checks: Mapping[TaskId, tuple[Check, ...]]
    """Tasks without a check are left out."""
    excess: tuple[Excess, ...]
    """One for each work."""


def mined_checks(works: Sequence[Sequence[Contrast]]) -> MinedChecks:
    """The checks of each task, by recurring work, of those that beat chance over the whole history.

    All works are tested together, and a session that occurs in several of them is shuffled as one. The same contrasts
    give the same result, whatever their order.
    """
    table = _table(works)
    order = sorted({contrast.session for work in works for contrast in work})
    seed = int(digest("text checks", *order)[:16], 16)
    coins = np.random.default_rng(seed).choice((-1.0, 1.0), size=(_SHUFFLES, len(table.sessions)))
    tested = _tested(table.differences, coins)
    checks: dict[TaskId, tuple[Check, ...]] = {}
    excess = []
    for number, work in enumerate(works):
        here = [at for at, column in enumerate(table.columns) if column.work == number]
        proven = {table.columns[at].trait for at in here if tested.proven[at]}
        if proven:
            checks |= check.mine(work, _among(proven))
        excess.append(
            Excess(
                corrected_sessions=len({contrast.session for contrast in work if contrast.rejected}),
                wordings=len(here),
                found=int(tested.found[here].sum()),
                by_chance=round(float(tested.by_chance[here].sum()), 3),
                proven=len(proven),
            )
        )
    return MinedChecks(checks=checks, excess=tuple(excess))


def held_out(work: Sequence[Contrast]) -> Discrimination | None:
    """How well text checks of one work judge sessions that they were not mined from; None where nothing was rejected.

    The sessions are dealt into folds, those with a rejected answer evenly. Checks are mined from all but one fold, and
    the answers of that fold are valued by the share of these checks that they fail. Where the others give no check, all
    answers of the fold are of one value. The same contrasts give the same figures, whatever their order.
    """
    names = sorted({c.session for c in work}, key=lambda name: digest("fold", name))
    corrected = {c.session for c in work if c.rejected}
    dealt = [*(n for n in names if n in corrected), *(n for n in names if n not in corrected)]
    folds = min(_FOLDS, max(1, len(corrected)))
    fold_of = {name: place % folds for place, name in enumerate(dealt)}
    judged = []
    for fold in range(folds):
        others = [c for c in work if fold_of[c.session] != fold]
        found = {one for checks in mined_checks([others]).checks.values() for one in checks}
        judged += [
            JudgedContrast(
                session=c.session,
                rejected=tuple(_fault(answer, found) for answer in c.rejected),
                kept=_fault(c.accepted, found),
            )
            for c in work
            if fold_of[c.session] == fold
        ]
    return of_contrasts(judged)


def _fault(answer: str, checks: Collection[Check]) -> float:
    return sum(not check.passes(one, answer) for one in checks) / len(checks) if checks else 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trait:
    """What an answer has or lacks, and whether having it is what a check asks for."""

    of: Check | None
    """A condition of the positive kinds; None for length."""
    wanted: bool


@dataclass(frozen=True, slots=True)
class _Column:
    work: int
    trait: _Trait


@dataclass(frozen=True, slots=True)
class _Table:
    """How kept answers differ from rejected ones, session by session."""

    sessions: tuple[str, ...]
    columns: tuple[_Column, ...]
    differences: _Floats
    """Sessions × columns: positive where the kept answers meet the column's condition and the rejected ones do not. The
    labels of a session change places by changing the sign of its row."""


@dataclass(frozen=True, slots=True)
class _Tested:
    """One figure for each column."""

    proven: npt.NDArray[np.bool_]
    found: npt.NDArray[np.bool_]
    by_chance: _Floats
    """The share of shuffles that would be found."""


def _table(works: Sequence[Sequence[Contrast]]) -> _Table:
    """Only traits that differ in enough sessions: which ones these are does not depend on the labels."""
    columns: list[tuple[_Column, dict[str, float]]] = []
    for number, work in enumerate(works):
        corrected = [contrast for contrast in work if contrast.rejected]
        if len({contrast.session for contrast in corrected}) < MIN_SESSIONS:
            continue
        by_trait: dict[Check | None, dict[str, float]] = {}
        for contrast in corrected:
            for trait, difference in _differences(contrast).items():
                of_sessions = by_trait.setdefault(trait, {})
                of_sessions[contrast.session] = of_sessions.get(contrast.session, 0.0) + difference
        for trait, by_session in by_trait.items():
            seen = {session: value for session, value in by_session.items() if value}
            if len(seen) >= MIN_SESSIONS:
                columns.append((_Column(number, _Trait(of=trait, wanted=True)), seen))
                if isinstance(trait, Contains):
                    lacking = {session: -value for session, value in seen.items()}
                    columns.append((_Column(number, _Trait(of=trait, wanted=False)), lacking))
    rows = {session: row for row, session in enumerate(sorted({s for _, seen in columns for s in seen}))}
    differences = np.zeros((len(rows), len(columns)))
    for at, (_, seen) in enumerate(columns):
        for session, value in seen.items():
            differences[rows[session], at] = value
    return _Table(tuple(rows), tuple(column for column, _ in columns), differences)


def _differences(contrast: Contrast) -> dict[Check | None, float]:
    """Trait -> share of the rejected answers without it, or minus the share with it where the kept one has none."""
    kept = check.features(contrast.accepted)
    rejected = [check.features(answer) for answer in contrast.rejected]
    found: dict[Check | None, float] = {
        trait: (trait in kept) - sum(trait in one for one in rejected) / len(rejected)
        for trait in kept.union(*rejected)
    }
    found[None] = sum(check.shortened(answer, contrast.accepted) for answer in contrast.rejected) / len(rejected)
    return {trait: difference for trait, difference in found.items() if difference}


def _tested(differences: _Floats, coins: _Floats) -> _Tested:
    """The test of each column; shuffles × columns are computed in pieces."""
    count = differences.shape[1]
    studentised = differences / np.sqrt((differences**2).sum(axis=0))
    real = studentised.sum(axis=0)
    highest = np.full(len(coins), -np.inf)
    found, by_chance = np.zeros(count, dtype=bool), np.zeros(count)
    for start in range(0, count, _COLUMNS_AT_ONCE):
        piece = slice(start, start + _COLUMNS_AT_ONCE)
        shuffled = coins @ studentised[:, piece]
        highest = np.maximum(highest, shuffled.max(axis=1))
        # What at most a twentieth of a column's own shuffles exceeds.
        level = np.quantile(shuffled, 1 - LEVEL, axis=0, method="inverted_cdf") + _TIE
        found[piece] = real[piece] > level
        by_chance[piece] = (shuffled > level).mean(axis=0)
    # The history itself is one of the shuffles: without that the level would not hold for few sessions.
    reached = np.array([(highest >= value - _TIE).sum() for value in real])
    return _Tested(proven=(reached + 1) / (len(coins) + 1) <= LEVEL, found=found, by_chance=by_chance)


def _among(proven: set[_Trait]) -> Callable[[Check], bool]:
    return lambda one: _trait(one) in proven


def _trait(one: Check) -> _Trait:
    """The column by which a check is tested."""
    match one:
        case Lacks(value=words):
            return _Trait(of=Contains(words), wanted=False)
        case MaxWords():
            return _Trait(of=None, wanted=True)
        case _:
            return _Trait(of=one, wanted=True)
