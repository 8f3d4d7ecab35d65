"""Let candidates run against each other on the validation tasks before the gate: `core.race` says what for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from sleepd.core import race, schedule
from sleepd.core.evidence import Scores
from sleepd.core.model import Digest, Purpose, Sample, TaskId
from sleepd.core.select import Bundle
from sleepd.pipeline.rollout import Rollouts, RunContext, Wanted, by_task, mean_score
from sleepd.pipeline.trial import Comparison


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """A candidate that runs."""

    bundle: Bundle
    text: str
    """The whole file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceResult:
    """How a race ended."""

    on: tuple[Bundle, ...]
    """Those that go on to the gate, the best first."""
    behind: tuple[Bundle, ...]
    """The others."""


@dataclass(slots=True)
class _Drawn:
    """What a runner has drawn so far."""

    own: list[float | None] = field(default_factory=list)
    live: list[float | None] = field(default_factory=list)


def run(ctx: RunContext, comparison: Comparison, runners: Sequence[Runner], number: int) -> Rollouts[RaceResult]:
    """The race of step `number` of tonight among these candidates, at least one.

    A rerun of the same night finds the rollouts that were made, and comes to the same end.
    """
    by_text = {ctx.put_text(r.text): r.bundle for r in runners}
    base, judging = ctx.put_text(comparison.base), by_task(comparison.tasks)
    drawn = {text: _Drawn() for text in by_text}
    left = tuple(by_text)
    turns: Counter[TaskId] = Counter()
    seed, names, first = f"race:{ctx.run}:{number}:{base}", sorted(judging), 0
    for heat in race.HEATS:
        requests = []
        for place in range(first, first + heat.pairs):
            task = schedule.by_hash(names, seed, place)
            sample = Sample(purpose=Purpose.RACE, series=number, ordinal=turns[task], night=str(ctx.run))
            turns[task] += 1
            requests += [ctx.request(judging[task], text, sample) for text in (base, *left)]
        made = iter((yield Wanted(requests=requests)))
        for _ in range(heat.pairs):
            live = mean_score([next(made)])
            for text in left:
                drawn[text].own.append(mean_score([next(made)]))
                drawn[text].live.append(live)
        first += heat.pairs
        scores: dict[Digest, Scores] = {text: Scores.of(drawn[text].own, drawn[text].live) for text in left}
        left = race.leaders(scores, heat, last=heat is race.HEATS[-1])
    return RaceResult(
        on=tuple(by_text[text] for text in left),
        behind=tuple(bundle for text, bundle in by_text.items() if text not in left),
    )
