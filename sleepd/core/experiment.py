"""The one sequential experiment, and the one place that computes a verdict.

Two arms are drawn in pairs; a judge scores each side; a statistic turns the scores into evidence for and against a
claim; the error levels turn the evidence into a verdict. Every question sleepd asks is a configuration of this:

| Question | Statistic |
|---|---|
| Does a candidate text help? | `Superiority` |
| Is a shorter text not worse? | `NonInferiority` |
| Does a description load its skill more rightly? | `TriggerAccuracy` |
| Does an edit of a bundle help? | `LeaveOneOut` |
| Does the model still answer as it did? Does a text differ from itself (A/A)? | `TwoSided` |
| The paper's rules, for comparison | `OnePass` |

Evidence is that of an e-process (`core.evidence`). The result does not depend on how many pairs were drawn at once:
it is looked at after every pair, and the first crossing decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np

from sleepd.core.confirmation import Confirmation, ConfirmationConfig, confirm
from sleepd.core.evidence import (
    COUNTER_BETS,
    SMALLER_COUNTER_BETS,
    Flags,
    Floats,
    Scores,
    adaptive_wealth,
    log_wealth,
    scores_of,
    two_sided,
)
from sleepd.core.model import Attribution, Pair, TaskId, Verdict

_LOG_2 = float(np.log(2))
_MIN_VALIDATION_TASKS = 5
_MIN_TEST_GROUPS = 3


class VerdictRule(StrEnum):
    """How a verdict is reached. The last two are the paper's, kept for comparison."""

    EVIDENCE = "evidence"
    STRICT = "strict"
    """One rollout of both texts per validation task; accepted when the mean is strictly higher."""
    OFF = "off"
    """Everything is accepted."""


# Statistics: what is claimed, and what evidence for and against the claim is ------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Superiority:
    """The candidate is better: effect > 0. Against it: the effect is below the smallest one worth having."""

    smallest_effect: float = 0.10
    adaptive: bool = True
    """Half of the capital bets as much as the earlier pairs advise, and the bets against it are smaller. Without, as
    candidates of earlier versions began: a bet must not change once its pairs were seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NonInferiority:
    """The candidate is worse by less than a margin (promise 8). Against it: it is worse by more."""

    margin: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerAccuracy:
    """A description loads its skill more rightly: for its own requests or for others, and in neither way worse.

    Two shares are compared over one schedule of draws: of the requests that the skill is for, how many load it
    (recall), and of the user's other requests, how many leave it alone. When neither falls, precision does not fall
    either, whatever the mix of requests. Three bets have to win: that each share did not fall by `margin`, and that
    one of them rose. The evidence is the least of the three wealths: a false claim's bet wins with a chance of at most
    α, and so does the least. No correction is needed, since all three have to win. Against it: a share fell by more
    than the margin, or neither rose by `smallest_effect`; half of that level is for harm, on either side, and half for
    use. `Scores.own` tells the sides apart.
    """

    margin: float
    smallest_effect: float = 0.10


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaveOneOut:
    """An edit helps: the bundle against the bundle without the edit.

    When its pairs are used up before either bet has won, the edit stays only if it looks worth its rent and a bet at
    the same level has ruled out that it does the harm that is never to ride along. So an edit with that harm stays with
    a chance of at most the level (Ville). `sleepd gate-lab` says how often edits without
    effect stay, and useful ones go.
    """

    smallest_effect: float = 0.10
    harm: float = 0.15
    """The loss of mean score that never rides along."""
    worth: float = 0.075
    """The mean that an edit must show at least when its pairs are used up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoSided:
    """The two sides differ, in either direction. Nothing speaks against it. Both scores must be known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OnePass:
    """The paper's rules: every task once, and a strictly higher mean, or nothing at all."""

    rule: VerdictRule


Statistic = Superiority | NonInferiority | TriggerAccuracy | LeaveOneOut | TwoSided | OnePass


@dataclass(frozen=True, slots=True, kw_only=True)
class Paths:
    """The evidence for and against the claim after every pair, as natural logarithms; shape (pairs,) each."""

    evidence: Floats
    counter: Floats


def paths(statistic: Statistic, scores: Scores) -> Paths:
    """What a verdict rests on, and what reports draw: the statistic that decides. Zeros under the paper's rules."""
    cautious, hopeful = scores.cautious, scores.hopeful
    match statistic:
        case Superiority(smallest_effect=effect, adaptive=adaptive):
            accepting, against = (adaptive_wealth, SMALLER_COUNTER_BETS) if adaptive else (log_wealth, COUNTER_BETS)
            return Paths(evidence=accepting(cautious), counter=log_wealth(effect - hopeful, against))
        case NonInferiority(margin=margin):
            # The counter bet's factor is 1 - λ(margin + d)/s >= 1 - λ(1 + margin)/s, so with s >= 1 + margin λ may go
            # up to 1 as well.
            return Paths(
                evidence=log_wealth((cautious + margin) / (1 + margin)),
                counter=log_wealth((-margin - hopeful) / (1 + margin), COUNTER_BETS),
            )
        case TriggerAccuracy(margin=margin, smallest_effect=effect):
            own = scores.own if scores.own is not None else np.ones(len(scores), dtype=bool)
            sides = (own, ~own)
            held = [_of_side((cautious + margin) / (1 + margin), side) for side in sides]
            rose = [_of_side(cautious, side) for side in sides]
            fell = [_of_side((-margin - hopeful) / (1 + margin), side) for side in sides]
            useless = np.minimum(*(_of_side(effect - hopeful, side) for side in sides))
            return Paths(
                evidence=np.minimum.reduce([*held, np.logaddexp(*rose) - _LOG_2]),
                counter=np.maximum(np.maximum(*fell) - 2 * _LOG_2, useless - _LOG_2),
            )
        case LeaveOneOut(smallest_effect=effect):
            return Paths(evidence=log_wealth(cautious), counter=log_wealth(effect - hopeful))
        case TwoSided():
            return Paths(evidence=two_sided(scores.candidate - scores.baseline), counter=np.zeros(len(scores)))
        case OnePass():
            return Paths(evidence=np.zeros(len(scores)), counter=np.zeros(len(scores)))


def _of_side(gains: Floats, side: Flags) -> Floats:
    """The wealth of a bet on the pairs of one side after every pair, as a natural logarithm."""
    own = np.concatenate([[0.0], log_wealth(gains[side])])
    path: Floats = own[np.cumsum(side)]
    return path


# The experiment -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """What is asked of two arms, and at which error levels."""

    statistic: Statistic = field(default_factory=Superiority)
    alpha: float
    """The level in force: accepted when the evidence reaches 1/alpha."""
    beta: float = 0.10
    """Rejected when the evidence against it reaches 1/beta."""
    coverage: float = 0.8
    """Least share of pairs, of the candidate and of the baseline, that must have been scored."""
    max_pairs: int = 400
    confirmation: ConfirmationConfig = field(default_factory=lambda: ConfirmationConfig(least=0))
    """How each task is looked at after the evidence crossed."""

    @property
    def by_evidence(self) -> bool:
        return not isinstance(self.statistic, OnePass)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A verdict, with why."""

    verdict: Verdict
    reason: str
    """One line for a person."""
    pairs: int
    """Pairs looked at: the verdict was reached at the last of them."""
    evidence: float
    """Wealth of the accepting bet, as a natural logarithm."""
    counter_evidence: float
    """Wealth of the rejecting bet, as a natural logarithm."""
    effect: float | None
    """Mean difference over the scored pairs, in [-1, 1]; None without any."""
    coverage_candidate: float
    coverage_baseline: float
    blocked: bool = False
    """The evidence crossed, and a task got worse."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """A verdict over all pairs, and what is still to be done before a crossing accepts."""

    decision: Decision
    confirmation: Confirmation = field(default_factory=Confirmation)
    parts_wanted: bool = False
    """The evidence crossed; its edits have to be left out one at a time before it is accepted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateEnding:
    """How a candidate ends whatever its pairs say."""

    verdict: Verdict
    reason: str


def closed(why: str) -> CandidateEnding:
    """The ending of a candidate that cannot go on."""
    return CandidateEnding(verdict=Verdict.CLOSED, reason=why)


def enough(validation_tasks: int, test_groups: int) -> str | None:
    """None when there is enough to judge by; else the sentence that says what is missing."""
    if validation_tasks >= _MIN_VALIDATION_TASKS and test_groups >= _MIN_TEST_GROUPS:
        return None
    return (
        f"not enough checkable tasks: {validation_tasks} to validate with (at least {_MIN_VALIDATION_TASKS} needed) "
        f"and {test_groups} sealed (at least {_MIN_TEST_GROUPS} needed)"
    )


def decide(experiment: Experiment, scores: Scores) -> Decision:
    """The verdict of the statistic over the pairs so far, in the order of their draws.

    Pairs beyond `max_pairs` are not looked at. Nothing here looks at single tasks or edits: see `conclude`.
    """
    if isinstance(experiment.statistic, OnePass):
        return _one_pass(scores, experiment.statistic.rule)
    scores = scores.first(experiment.max_pairs)
    found = paths(experiment.statistic, scores)
    floor = experiment.coverage * np.arange(1, len(scores) + 1)
    sides = {"the candidate": scores.candidate_missing, "the live text": scores.baseline_missing}
    scored = [np.cumsum(1 - missing) for missing in sides.values()]
    crossed = (found.evidence >= -np.log(experiment.alpha)) & (scored[0] >= floor) & (scored[1] >= floor)
    refuted = found.counter >= -np.log(experiment.beta)
    # A bet on each side that fewer are scored than the floor asks for. One of them wins by chance, where both sides
    # meet the floor, with a chance of at most beta (Ville).
    spared = 1 - experiment.coverage
    hidden = [
        log_wealth((missing - spared) / max(spared, 1 - spared)) >= np.log(2 / experiment.beta)
        for missing in (sides.values() if experiment.coverage else ())
    ]
    over = np.flatnonzero(np.logical_or.reduce([crossed, refuted, *hidden]))
    used = int(over[0]) + 1 if len(over) else len(scores)
    reason = None
    if len(over):
        verdict = Verdict.ACCEPTED if crossed[over[0]] else Verdict.REJECTED
        if not (crossed[over[0]] or refuted[over[0]]):
            verdict = Verdict.CLOSED
            whose, missing = next(side for side, lost in zip(sides.items(), hidden, strict=True) if lost[over[0]])
            share = f"{missing[:used].sum():.3g} of {used} rollouts of {whose} have no score"
            reason = f"could not be measured: {share} (error at most {experiment.beta:.2g})"
    elif used < experiment.max_pairs:
        verdict = Verdict.UNDECIDED
    else:
        verdict = _when_used_up(experiment, scores)
    return Decision(
        verdict=verdict,
        reason=reason or _reason(experiment, verdict, used),
        pairs=used,
        evidence=float(found.evidence[used - 1]) if used else 0.0,
        counter_evidence=float(found.counter[used - 1]) if used else 0.0,
        effect=scores.first(used).effect,
        coverage_candidate=float(scored[0][used - 1] / used) if used else 1.0,
        coverage_baseline=float(scored[1][used - 1] / used) if used else 1.0,
    )


def conclude(
    experiment: Experiment,
    pairs: Sequence[Pair],
    tasks: Sequence[TaskId],
    parts: Sequence[Attribution] | None = None,
) -> Conclusion:
    """The verdict over all pairs: the statistic's, then that of each edit, then that of each task.

    `parts` is what leaving out each edit of a bundle showed: () when that has still to be found out, None for a
    candidate that is not taken apart. A candidate whose evidence crossed stays undecided until its edits are known and
    each task was looked at; an edit without measurable effect prunes it, a task that got worse rejects it.
    """
    scheduled = [p for p in pairs if not p.confirms]
    decision = decide(experiment, scores_of(scheduled))
    if decision.verdict is not Verdict.ACCEPTED or not experiment.by_evidence:
        return Conclusion(decision=decision)
    if parts is not None and not all(one.kept for one in parts):
        lost = sum(not one.kept for one in parts)
        without = f"{lost} of its {len(parts)} edits had no measurable effect: goes on without "
        reason = f"better on the whole, but {without}{'it' if lost == 1 else 'them'}"
        return Conclusion(decision=replace(decision, verdict=Verdict.PRUNED, reason=reason))
    if parts == ():
        reason = f"{decision.reason}; each edit is left out once"
        return Conclusion(decision=replace(decision, verdict=Verdict.UNDECIDED, reason=reason), parts_wanted=True)
    if not experiment.confirmation.least:
        return Conclusion(decision=decision)
    looked_at = [*scheduled[: decision.pairs], *(p for p in pairs if p.confirms)]
    found = confirm(looked_at, tasks, experiment.confirmation)
    return Conclusion(decision=confirmed(experiment, decision, found, len(tasks)), confirmation=found)


def confirmed(experiment: Experiment, crossed: Decision, found: Confirmation, tasks: int) -> Decision:
    """What becomes of a decision that accepted, once each of so many tasks was looked at."""
    unit = "requests" if isinstance(experiment.statistic, TriggerAccuracy) else "tasks"
    if found.broken:
        lost = f"better on the whole, but {len(found.broken)} of {tasks} {unit} got worse"
        reason = f"{lost} (error at most {experiment.confirmation.level:.2g})"
        return replace(crossed, verdict=Verdict.REJECTED, reason=reason, blocked=True)
    if found.wanting:
        each = f"each {unit.removesuffix('s')} is looked at"
        return replace(crossed, verdict=Verdict.UNDECIDED, reason=f"{crossed.reason}; {each}")
    return replace(crossed, reason=f"{crossed.reason}; none of {tasks} {unit} got worse")


def _when_used_up(experiment: Experiment, scores: Scores) -> Verdict:
    """The verdict when all pairs are drawn and neither bet has won."""
    if not isinstance(experiment.statistic, LeaveOneOut):
        return Verdict.CLOSED
    harm, worth = experiment.statistic.harm, experiment.statistic.worth
    harmless = log_wealth((scores.cautious + harm) / (1 + harm)) >= -np.log(experiment.alpha)
    return Verdict.ACCEPTED if harmless.any() and scores.cautious.mean() >= worth else Verdict.REJECTED


def _reason(experiment: Experiment, verdict: Verdict, used: int) -> str:
    statistic = experiment.statistic
    unit = "requests" if isinstance(statistic, TriggerAccuracy) else "pairs"
    match verdict:
        case Verdict.ACCEPTED:
            passed = f"evidence passed 1/{experiment.alpha:.2g} after {used} {unit}"
            if isinstance(statistic, TriggerAccuracy):
                return f"{passed}: it loads the skill more rightly, and in neither way worse by {statistic.margin:g}"
            return passed
        case Verdict.REJECTED:
            error = f"after {used} {unit} (error at most {experiment.beta:.2g})"
            match statistic:
                case TriggerAccuracy(margin=margin, smallest_effect=effect):
                    worse = f"worse by {margin:g} for its own or for other requests"
                    return f"{worse}, or better by less than {effect:g} for both, {error}"
                case NonInferiority(margin=margin):
                    return f"effect below {-margin:+.2f} {error}"
                case Superiority(smallest_effect=effect) | LeaveOneOut(smallest_effect=effect):
                    return f"effect below {effect:+.2f} {error}"
                case _:
                    return error
        case Verdict.CLOSED:
            return f"{used} {unit} used up without a decision"
        case _:
            return f"{used} {unit} so far; goes on in a later night"


def _one_pass(scores: Scores, rule: VerdictRule) -> Decision:
    """The reference's rules: a strictly higher mean over one pass, or nothing at all."""
    effect, count = scores.effect, len(scores)
    higher = effect is not None and effect > 0
    share = len(scores.known) / count if count else 1.0
    return Decision(
        verdict=Verdict.ACCEPTED if rule is VerdictRule.OFF or higher else Verdict.REJECTED,
        reason=f"rule {rule}: mean difference {effect:+.3f}" if effect is not None else f"rule {rule}: nothing scored",
        pairs=count,
        evidence=0.0,
        counter_evidence=0.0,
        effect=effect,
        coverage_candidate=share,
        coverage_baseline=share,
    )
