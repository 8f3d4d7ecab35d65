"""`sleepd gate-lab`: from settings to the printed table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

from sleepd import compose
from sleepd.core.experiment import VerdictRule
from sleepd.lab.gate import apart, figures
from sleepd.lab.gate.figures import Figure, Line, Row, Unit
from sleepd.lab.gate.trials import Setup
from sleepd.settings.settings import Settings
from sleepd.views.report import Plain


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """All figures of one run of the laboratory."""

    setup: Setup
    alpha: float
    repetitions: int
    seed: int
    rows: tuple[Row, ...]
    lines: tuple[Line, ...]


def setup(settings: Settings, rule: VerdictRule, *, tasks: int, pairs: int) -> tuple[Setup, float]:
    """The gate of the settings over a simulated user, and the level of the whole account."""
    gate = replace(compose.gate(settings), rule=rule)
    made = Setup(
        tasks=tasks,
        baseline_samples=gate.baseline_samples,
        pairs_per_night=pairs,
        experiment=gate.experiment(gate.alpha),
        margin=gate.margin,
        margin_pairs=gate.margin_pairs,
        attribution=gate.attribution,
    )
    return made, gate.alpha


def measure(made: Setup, alpha: float, repetitions: int, seed: int, told: Callable[[int, int], None]) -> Measured:
    """Everything, with all processors there are; `told` hears how many parts are done, of how many.

    Neither their number nor which part ends first changes a figure.
    """
    jobs = figures.jobs(made, alpha, repetitions, seed)
    found = [figure for part in apart.each(jobs, told) for figure in part]
    return Measured(
        setup=made,
        alpha=alpha,
        repetitions=repetitions,
        seed=seed,
        rows=tuple(one for one in found if isinstance(one, Row)),
        lines=tuple(one for one in found if isinstance(one, Line)),
    )


def as_json(measured: Measured) -> Plain:
    """The figures as plain values; intervals are `low` and `high`."""
    made = measured.setup
    return {
        "rule": str(made.rule),
        "seed": measured.seed,
        "repetitions": measured.repetitions,
        "generator": _generator(made),
        "rows": [asdict(row) for row in measured.rows],
        "lines": [asdict(line) for line in measured.lines],
    }


def as_text(measured: Measured) -> str:
    """The table for a person."""
    made = measured.setup
    parts = [f"rule {made.rule}, seed {measured.seed}; {_generator(made)}"]
    for index in dict.fromkeys(row.index for row in measured.rows):
        rows = [row for row in measured.rows if row.index == index]
        parts.append(
            f"\ncandidate {index} of an account at {measured.alpha:g}: evidence must pass {1 / rows[0].alpha:,.0f}"
        )
        for row in rows:
            blocked = f", blocked {_percent(row.blocked)}" if row.blocked.value > 0 else ""
            best = f", pairs/N* {row.ratio.value:.2f} [{row.ratio.low:.2f}, {row.ratio.high:.2f}]" if row.ratio else ""
            parts += [
                f"  {row.words} (realised {row.effect:+.3f})",
                f"    accepted {_percent(row.accepted)}, within 5 nights {_percent(row.within_nights)}{blocked}",
                f"    {row.pairs.value:.0f} [{row.pairs.low:.0f}, {row.pairs.high:.0f}] pairs, "
                f"{row.rollouts.value:.0f} rollouts until the verdict{best}",
            ]
    parts.append("\nwhole lives, shorter texts, bundles")
    for line in measured.lines:
        figure = _percent(line.figure)
        if line.unit is not Unit.SHARE:
            digits = 3 if line.unit is Unit.RATE else 0
            figure = f"{line.figure.value:.{digits}f} [{line.figure.low:.{digits}f}, {line.figure.high:.{digits}f}]"
        parts.append(f"  {figure}  {line.words}" + (f" (realised {line.effect:+.3f})" if line.effect else ""))
    parts.append("\neach figure: value [95 % interval]; pairs/N*: against a bettor who knows the best fixed bet")
    return "\n".join(parts)


def _generator(made: Setup) -> str:
    look = made.experiment.confirmation
    return (
        f"{made.tasks} tasks, pass rates Beta(0.8, 0.6), gains cut at 0 and 1; {made.pairs_per_night} pairs a night, "
        f"{made.baseline_samples} baseline rollouts a pair; at least {look.least} pairs of each task before "
        f"a candidate is accepted (a drop of {look.drop:g} is looked for, error at most "
        f"{look.level:g})"
    )


def _percent(figure: Figure) -> str:
    return f"{figure.value:.1%} [{figure.low:.1%}, {figure.high:.1%}]"
