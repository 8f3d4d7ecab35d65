"""A candidate with its evidence: pairs by task, scores with intervals, the effect of each edit. Read only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from sleepd.core import interval, trigger
from sleepd.core.edit import tokens
from sleepd.core.model import Attribution, CandidateOrigin, Digest, Edit, EditOp, Pair, TaskId, Verdict
from sleepd.core.trigger import Loads
from sleepd.pipeline.evaluate import MeanScore
from sleepd.store import attributions, loads, proposals, rollouts, tasks
from sleepd.store.database import Database
from sleepd.store.proposals import Trial
from sleepd.views import report
from sleepd.views.report import MODE, Plain

_REQUEST_WIDTH = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPairs:
    """One validation task: mean scores under the live text and under the candidate."""

    task: TaskId
    request: str
    """"" when the task was dropped since."""
    pairs: int
    before: float | None
    after: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedCandidate:
    """A candidate with its pairs."""

    trial: Trial
    by_task: tuple[TaskPairs, ...]
    drawn: tuple[Pair, ...]
    """In the order of their draws, those of the confirmation round last."""
    before: MeanScore
    """The live text's scores in these pairs, counted by pairs. The figure describes and decides nothing."""
    after: MeanScore
    """The candidate's."""
    carried: tuple[Attribution, ...]
    """The effect of each edit, as far as it was measured, on this candidate or on the bundle that it was part of."""
    tokens_added: int
    """Tokens that the change adds to every session that loads the text; an estimate."""
    loads: tuple[Loads | None, Loads | None] = (None, None)
    """For how many requests the description before and after loads the skill; None where nobody asked."""

    @property
    def pairs(self) -> int:
        return len(self.drawn)


def tried(database: Database, id_: Digest) -> TriedCandidate:
    """A candidate with its pairs by task."""
    with database.reading() as connection:
        trial = proposals.trial(connection, id_)
        pairs = proposals.pairs(connection, id_)
        requests = {s.task.id: s.task.request for s in tasks.load(connection, trial.candidate.tasks)}
        base = rollouts.text(connection, trial.candidate.base)
        text = rollouts.text(connection, trial.candidate.text)
        loaded = loads.load(connection, id_)
    by_task = []
    for task in dict.fromkeys(trial.candidate.tasks):
        if own := [p for p in pairs if p.task_id == task]:
            before, after = _mean([p.baseline for p in own]), _mean([p.candidate for p in own])
            request = requests.get(task, "")
            by_task.append(TaskPairs(task=task, request=request, pairs=len(own), before=before, after=after))
    return TriedCandidate(
        trial=trial,
        by_task=tuple(by_task),
        drawn=pairs,
        before=_measure([row.before for row in by_task], [p.baseline for p in pairs]),
        after=_measure([row.after for row in by_task], [p.candidate for p in pairs]),
        carried=_carried(database, trial),
        tokens_added=tokens(text) - tokens(base),
        loads=loaded,
    )


def _carried(database: Database, trial: Trial) -> tuple[Attribution, ...]:
    """The effects of its edits: from its own leave-one-out comparisons, or from those of the bundle it was pruned
    from."""
    candidate = trial.candidate
    with database.reading() as connection:
        found = attributions.load(connection, candidate.id)
        if found or candidate.origin is not CandidateOrigin.PRUNED:
            return found
        own = {e.id for e in candidate.edits}
        for other in reversed(proposals.for_target(connection, candidate.target.path)):
            if other.candidate.verdict is Verdict.PRUNED and other.candidate.base == candidate.base:
                kept = tuple(one for one in attributions.load(connection, other.candidate.id) if one.kept)
                if {one.edit_id for one in kept} == own:
                    return kept
    return ()


def _measure(means: Sequence[float | None], scores: Sequence[float | None]) -> MeanScore:
    known = [mean for mean in means if mean is not None]
    mean, low, high = interval.around(known) if known else (None, None, None)
    scored = sum(score is not None for score in scores)
    return MeanScore(mean=mean, low=low, high=high, tasks=len(known), scored=scored, unscored=len(scores) - scored)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return sum(known) / len(known) if known else None


# How it looks -------------------------------------------------------------------------------------------------------


def tried_json(one: TriedCandidate) -> Plain:
    candidate = one.trial.candidate
    known = {found.edit_id: found for found in one.carried}
    return {
        "id": candidate.id,
        "index": candidate.index,
        "skill": candidate.target.name,
        "path": candidate.target.path,
        "origin": candidate.origin.value,
        "verdict": candidate.verdict.value,
        "reason": candidate.reason,
        "evidence": report.factor(one.trial.evidence),
        "threshold": 1 / candidate.alpha,
        "level": candidate.alpha,
        "stated": candidate.stated,
        "margin": candidate.margin,
        "effect": one.trial.effect,
        "before": asdict(one.before),
        "after": asdict(one.after),
        "pairs": one.pairs,
        "nights": one.trial.nights,
        "model": candidate.measured_on,
        "measured_by": MODE,
        "tokens_added": one.tokens_added,
        "loads": {name: asdict(seen) for name, seen in zip(("before", "after"), one.loads, strict=True) if seen},
        "edits": [
            {
                "number": n,
                "op": e.op.value,
                "anchor": e.anchor,
                "text": e.text,
                "reason": e.reason,
                "tokens": tokens(e.text),
                "part": carried_json(known.get(e.id)),
            }
            for n, e in enumerate(candidate.edits, 1)
        ],
        "tasks": [asdict(row) for row in one.by_task],
    }


def carried_json(found: Attribution | None) -> Plain | None:
    """The leave-one-out result of an edit; None when it was not left out."""
    if found is None or not found.pairs:
        return None
    return {"kept": found.kept, "effect": found.effect, "low": found.low, "high": found.high, "pairs": found.pairs}


def tried_text(one: TriedCandidate) -> str:
    """A candidate: verdict, reason, evidence, each edit with its reason, before and after by task."""
    trial, candidate = one.trial, one.trial.candidate
    effect = "no pair was scored" if trial.effect is None else f"mean difference {trial.effect:+.3f}"
    # The origin and the test of a candidate, where they are not the usual ones.
    origin = [ORIGINS[candidate.origin]] if candidate.origin in ORIGINS else []
    if candidate.margin:
        origin.append(f"non-inferiority test, margin {candidate.margin:.2f}; {one.tokens_added:+d} tokens")
    lines = [
        f"candidate {candidate.index}, {candidate.verdict.value}: {report.clean(candidate.reason) or 'still open'}",
        f"evidence {report.evidence(trial.evidence, candidate.alpha)}, {effect}, {report.count(one.pairs, 'pair')} "
        f"in {report.count(trial.nights, 'night')} ({MODE}, {candidate.measured_on})",
        report.level(candidate),
        *origin,
        *(f"the description{when} {said}" for when, said in loads_words(one)),
    ]
    known = {found.edit_id: found for found in one.carried}
    for one_edit in candidate.edits:
        lines.append(f"  {one_edit.op.value}: {report.clean(edit_words(one_edit))}")
        if one_edit.reason:
            lines.append(f"    because {report.clean(one_edit.reason)}")
        lines += [f"    {part_words(found)}" for found in [known.get(one_edit.id)] if found is not None and found.pairs]
    return "\n".join([*lines, task_table(one.by_task, _REQUEST_WIDTH)] if one.by_task else lines)


def task_table(tasks: Sequence[TaskPairs], width: int) -> str:
    """Before and after by task, with at most `width` characters of each request."""
    rows = [
        [t.task[:8], t.pairs, report.mean(t.before), report.mean(t.after), report.short(t.request, width)]
        for t in tasks
    ]
    return report.table(["task", "pairs", "before", "after", "request"], rows, cut="request")


def loads_words(one: TriedCandidate) -> list[tuple[str, str]]:
    """For how many requests the description loads the skill, each after ` before` or nothing."""
    found = zip((" before", ""), one.loads, strict=True)
    return [(when, trigger.words(seen)) for when, seen in found if seen is not None]


ORIGINS = {
    CandidateOrigin.PRUNED: "the bundle without the edits that had no measurable effect",
    CandidateOrigin.COMPACTION: "a shorter text that says the same",
    CandidateOrigin.SLOW_UPDATE: "guidance from the comparison of two epochs",
    CandidateOrigin.APPENDIX: "reminders of the skill's own rules",
    CandidateOrigin.DESCRIPTION: "another description of when to load the skill",
}
"""The origin of a candidate, where it was not a reflection alone."""


def part_words(found: Attribution) -> str:
    """The leave-one-out result of one edit, in words."""
    stays = "stays" if found.kept else "goes"
    part = "unknown" if found.effect is None else f"{found.effect:+.2f} (95 % {found.low:+.2f} to {found.high:+.2f})"
    pairs = report.count(found.pairs, "pair")
    return f"{stays}: its part of the gain {part}, {pairs} without it; rent {found.tokens:+d} tokens"


def edit_words(one: Edit) -> str:
    """The change of an edit to the rules."""
    return one.text if one.op is EditOp.ADD else f"{one.anchor} → {one.text or 'nothing'}"
