"""The plots of a page. Each mark carries its number as a data attribute, as in `history.json`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sleepd.core.budget import UNLIMITED
from sleepd.views.html.fields import Row, candidates, count, inner, number, numbers, rows, words
from sleepd.views.html.markup import WIDTH, Plot, bar, tag, text

Ticks = list[tuple[float, str]]

_DEEPEST = -math.log(1_000)
"""Evidence below this is drawn at the edge: the depth of a lost bet means nothing."""
_ROW = 22


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorePoint:
    """One score of the plot."""

    place: float
    """On the horizontal axis."""
    measure: Row
    label: str


def scores(history: Row) -> str:
    """Scores with their 95 % intervals: of both texts by candidate, or of the present text by step. "" without any."""
    if words(history, "kind") == "training":
        first = [
            ScorePoint(place=0.0, measure=inner(one, "validation"), label="the first text")
            for one in rows(history, "texts")[:1]
        ]
        later = [
            ScorePoint(
                place=float(count(step, "step")),
                measure=inner(step, "validation"),
                label=f"step {words(step, 'step')}",
            )
            for step in rows(history, "steps")
        ]
        return _scored({"after": [*first, *later]}, "step", joined=True)
    both = {
        look: [
            ScorePoint(
                place=float(place),
                measure=inner(one, look),
                label=f"{of}, in the pairs of candidate {words(one, 'index')}",
            )
            for place, (_, one) in enumerate(candidates(history))
        ]
        for look, of in (("before", "live text"), ("after", "candidate"))
    }
    names = [words(one, "index") for _, one in candidates(history)]
    return _scored(both, "candidate", names=names)


def _scored(
    series: Mapping[str, Sequence[ScorePoint]], what: str, *, joined: bool = False, names: Sequence[str] = ()
) -> str:
    points = [point for found in series.values() for point in found]
    if not points:
        return ""
    places = [point.place for point in points]
    known = [point for point in points if number(point.measure, "mean") is not None]
    said = "; ".join(f"{point.label}: {measured(point.measure)}" for point in known[:40]) or "nothing was scored"
    ends = (min(places) - 0.5, max(places) + 0.5)
    plot = Plot(kind="scores", title=f"Score by {what}", summary=said, x=ends, y=(0, 1), height=290)
    labels = [(place, names[int(place)] if names else f"{place:.0f}") for place in sorted(set(places))]
    marks = [plot.ticks([(n / 4, f"{n / 4:.2f}") for n in range(5)], _thinned(labels)), plot.caption(what)]
    for look, found in series.items():
        shift = 0 if len(series) == 1 else {"before": -7, "after": 7}[look]
        for point in found:
            mean, low, high = (number(point.measure, name) for name in ("mean", "low", "high"))
            if mean is not None and low is not None and high is not None:
                marks.append(plot.whisker(point.place, low, high, look, shift))
                marks.append(plot.dot(point.place, mean, look, f"{point.label}: {measured(point.measure)}", shift))
        line = [(point.place, mean) for point in found if (mean := number(point.measure, "mean")) is not None]
        if joined and len(line) > 1:
            marks.append(plot.path(line, f"{look} line", "mean score"))
    return plot.drawn(*marks)


def measured(measure: Row) -> str:
    """`0.71 (95 % 0.55 to 0.84, 12 tasks)`."""
    mean, low, high = (number(measure, name) for name in ("mean", "low", "high"))
    if mean is None or low is None or high is None:
        return "not scored"
    return f"{mean:.2f} (95 % {low:.2f} to {high:.2f}, {count(measure, 'tasks')} tasks)"


def wealth(one: Row) -> str:
    """The evidence for and against a candidate, pair by pair, on a log scale; "" without a pair."""
    up, down = numbers(one, "wealth"), numbers(one, "counter_wealth")
    alpha, beta = number(one, "alpha"), number(one, "beta")
    if not up or alpha is None:
        return ""
    bars = [(-math.log(alpha), "accept", f"accepted at 1/α = {1 / alpha:.4g}")]
    if beta is not None:
        bars.append((-math.log(beta), "refuse", f"rejected at 1/β = {1 / beta:.4g}"))
    low = max(_DEEPEST, min([0.0, *up, *down]))
    high = max([*up, *down, *(value for value, _, _ in bars)])
    index, last = words(one, "index"), _factor(up[-1])
    said = f"after {len(up)} pairs the evidence for it is {last}; " + ", ".join(says for _, _, says in bars)
    plot = Plot(
        kind="wealth", title=f"Evidence on candidate {index} by pair", summary=said, x=(0, len(up)),
        y=(low - 0.3, high + 0.7), height=230,
    )  # fmt: skip
    # Round numbers of pairs.
    rough = len(up) / 8
    power = 10 ** max(0, math.floor(math.log10(max(1.0, rough))))
    size = next(n * power for n in (1, 2, 5, 10) if n * power >= rough)
    # Powers of ten between the two natural logarithms, at most some six.
    first, final = math.ceil(plot.y[0] / math.log(10)), math.floor(plot.y[1] / math.log(10))
    every = max(1, math.ceil((final - first) / 6))
    decades = [(n * math.log(10), f"{10.0**n:g}") for n in range(first, final + 1) if n % every == 0]
    marks = [plot.ticks(decades, [(n, str(n)) for n in range(0, len(up) + 1, size)]), plot.caption("pairs")]
    marks += [plot.rule(value, look, says) for value, look, says in bars]
    if down:
        against = f"evidence against it: {_factor(down[-1])} after {len(down)} pairs"
        marks.append(plot.path([(0, 0.0), *enumerate(down, 1)], "counter line", against))
    marks.append(plot.path([(0, 0.0), *enumerate(up, 1)], "evidence line", f"evidence for it: {last}"))
    return plot.drawn(*marks)


def tokens(history: Row) -> str:
    """Tokens by stage, in and out; "" when nothing was asked."""
    found = rows(history, "stages")
    most = max((count(one, "tokens_in") + count(one, "tokens_out") for one in found), default=0)
    if not most:
        return ""
    left, out = 118, []
    for place, one in enumerate(found):
        stage, into, out_of = words(one, "stage"), count(one, "tokens_in"), count(one, "tokens_out")
        says = f"{stage}: {into:,} tokens in, {out_of:,} out, {count(one, 'calls'):,} calls"
        y, unit = place * _ROW + 4, (WIDTH - left - 80) / most
        label = tag("text", text(stage), x=left - 8, y=y + 13, text_anchor="end", class_="tick")
        middle = left + into * unit
        bars = bar(left, y, into * unit, 16, "in", says) + bar(middle, y, out_of * unit, 16, "out", says)
        total = tag(
            "text", text(f"{into + out_of:,}"), x=round(left + (into + out_of) * unit + 6), y=y + 13, class_="tick"
        )
        out.append(tag("g", label, bars, total, data_stage=stage, data_in=into, data_out=out_of))
    said = "; ".join(f"{words(o, 'stage')} {count(o, 'tokens_in') + count(o, 'tokens_out'):,}" for o in found)
    field = Plot(kind="tokens", title="Tokens by stage", summary=said, x=(0, 1), y=(0, 1), height=len(found) * _ROW + 8)
    return field.drawn(*out)


def edit_budget(history: Row) -> str:
    """The edit budget by step, and the most edits that a candidate of the step held; "" when it is not known."""
    budgets = [
        (float(count(step, "step")), value)
        for step in rows(history, "steps")
        if (value := number(step, "edit_budget")) is not None
    ] or [(float(n), value) for n, value in enumerate(numbers(history, "edit_budgets"), 1)]
    bounded = [(step, value) for step, value in budgets if value < UNLIMITED]
    if not bounded:
        return ""
    top = max(value for _, value in bounded)
    said = ", ".join(f"step {step:.0f}: {value:.0f}" for step, value in bounded[:60])
    ends = (bounded[0][0] - 0.5, bounded[-1][0] + 0.5)
    plot = Plot(kind="edit-budget", title="Edit budget by step", summary=said, x=ends, y=(0, top + 0.5), height=140)
    marks = [plot.ticks([(n, str(n)) for n in range(0, int(top) + 1, max(1, int(top) // 4))],
                        _thinned([(step, f"{step:.0f}") for step, _ in bounded])), plot.caption("step")]  # fmt: skip
    marks.append(plot.path(bounded, "after line", "edit budget"))
    marks += [plot.dot(step, most, "after", f"step {step:.0f}: at most {most:.0f} edits") for step, most in bounded]
    return plot.drawn(*marks)


def dumbbell(before: float | None, after: float | None) -> str:
    """One task's mean scores under both texts, from 0 to 1."""
    places = {look: 6 + 108 * value for look, value in (("before", before), ("after", after)) if value is not None}
    marks = [tag("line", x1=6, y1=8, x2=114, y2=8, class_="grid")]
    if before is not None and after is not None:
        look = "gain" if after > before else "loss"
        marks.append(tag("line", x1=round(places["before"], 1), y1=8, x2=round(places["after"], 1), y2=8, class_=look))
    marks += [tag("circle", cx=round(x, 1), cy=8, r=4.5, class_=look) for look, x in places.items()]
    return tag("svg", *marks, viewBox="0 0 120 16", class_="dumbbell", aria_hidden="true", data_plot="task",
               data_before=before, data_after=after)  # fmt: skip


def _factor(logarithm: float) -> str:
    """A wealth in digits."""
    value = math.exp(min(logarithm, 700.0))
    return f"{value:,.0f}" if 10 <= value < 1e6 else f"{value:.2g}"


def _thinned(labels: Ticks) -> Ticks:
    every = max(1, math.ceil(len(labels) / 20))
    return labels[::every]
