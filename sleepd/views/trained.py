"""The output of `sleepd train` and `sleepd eval`. Light to import: nothing here reads or decides."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING

from sleepd.views.report import short, table

if TYPE_CHECKING:
    from sleepd.models.metered import Spending
    from sleepd.pipeline.evaluate import Measure
    from sleepd.views.training_result import EvaluationResult, TrainingResult

Plain = dict[str, object]
_ENDS = {"slow-update": "slow update", "appendix": "reminder", "compaction": "shorter text"}


class Slow(StrEnum):
    """The modes of the slow update (`sleepd.pipeline.slow.SlowMode`), without importing the pipeline."""

    GATED = "gated"
    FORCED = "forced"
    OFF = "off"


def ran_text(ran: TrainingResult) -> str:
    """A run in a few lines."""
    done = ran.trained
    proper = [step for step in done.steps if step.edit_budget is not None]
    outcomes = Counter(step.outcome.value for step in proper)
    counted = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items())
    early = "; stopped early, after steps without a gain" if done.stopped_early else ""
    ends = Counter(_ENDS[step.kind.value] for step in done.steps if step.edit_budget is None and step.text != step.base)
    early = "".join(f"; {_many(count, kind)} taken over" for kind, count in ends.items()) + early
    lines = [
        f"{_many(len(proper), 'step')} in {_many(len(done.epochs), 'epoch')}: {counted}{early}",
        f"validation: {measure_text(done.texts[0].validation)} at first, {measure_text(done.best.validation)} at best",
    ]
    if done.test is not None:
        before, after = (one.measure for one in done.test)
        lines.append(f"sealed test: {measure_text(before)} at first, {measure_text(after)} with the best text")
    if done.best.step:
        proof = "accepted on evidence" if done.best.gated else "no proof: it was not accepted on evidence"
        lines.append(f"best text: {ran.out / 'best_skill.md'} (step {done.best.step}; {proof})")
    else:
        lines.append("no text was better than yours; most runs should end so")
    return "\n".join([*lines, f"history: {ran.out / 'history.json'}; {spent_text(ran.spending)}"])


def ran_json(ran: TrainingResult) -> Plain:
    """A run; `history.json` has the rest."""
    done = ran.trained
    return {
        "out": str(ran.out),
        "steps": len(done.steps),
        "epochs": len(done.epochs),
        "outcomes": dict(Counter(step.outcome.value for step in done.steps)),
        "stopped_early": done.stopped_early,
        "best": {"step": done.best.step, "digest": done.best.address, "gated": done.best.gated},
        "validation": {"before": asdict(done.texts[0].validation), "after": asdict(done.best.validation)},
        "test": None
        if done.test is None
        else {"before": asdict(done.test[0].measure), "after": asdict(done.test[1].measure)},
        "spending": asdict(ran.spending),
        "notes": list(ran.notes),
    }


def scored_text(scored: EvaluationResult) -> str:
    """A text's figures, the items from the worst to the best."""
    by_id = {s.task.id: s for s in scored.tasks}
    rows = sorted(scored.found.by_task, key=lambda r: (r.mean is not None, r.mean))
    cells = [
        (
            _name(by_id[r.task_id].task.session_id),
            "-" if r.mean is None else f"{r.mean:.2f}",
            f"{r.scored} of {r.scored + r.unscored}",
            short(r.reason, 60),
        )
        for r in rows
    ]
    measure = scored.found.measure
    head = f"{scored.split}: {measure_text(measure)}; {measure.scored} rollouts scored, {measure.unscored} not"
    return "\n".join([head, "", table(("item", "mean", "scored", "missed"), cells), "", spent_text(scored.spending)])


def scored_json(scored: EvaluationResult) -> Plain:
    """The same for programs."""
    by_id = {s.task.id: s for s in scored.tasks}
    return {
        "split": scored.split.value,
        **asdict(scored.found.measure),
        "items": [
            {"item": _name(by_id[r.task_id].task.session_id), **asdict(r), "request": by_id[r.task_id].task.request}
            for r in scored.found.by_task
        ],
        "spending": asdict(scored.spending),
    }


def measure_text(measure: Measure) -> str:
    """`0.71 (95 % 0.55 to 0.84) over 12 items`."""
    if measure.mean is None or measure.low is None or measure.high is None:
        return "nothing scored"
    return f"{measure.mean:.2f} (95 % {measure.low:.2f} to {measure.high:.2f}) over {measure.tasks} items"


def spent_text(spending: Spending) -> str:
    """The cost of a command."""
    cost = "" if spending.cost_usd is None else f", ${spending.cost_usd:.2f}"
    return f"{spending.calls} calls, {spending.tokens_in + spending.tokens_out} tokens{cost}"


def _name(session: str) -> str:
    return session.partition("/")[2]


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"
