"""Accepted candidates become proposals for a person to look at; suspicious ones are set aside."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sleepd.core import edit, provenance
from sleepd.core.model import Candidate, Purpose, Rollout, Sample, Score, SkillTarget, Split
from sleepd.pipeline.adopt import in_the_way
from sleepd.pipeline.optimize import OptimizeReport
from sleepd.pipeline.rollout import RunContext, run_all
from sleepd.pipeline.trace import source_texts
from sleepd.pipeline.work import Work
from sleepd.skills.targets import starting_text
from sleepd.store import proposals, reviews
from sleepd.store.proposals import Proposal, Status, Trial

_TITLE = re.compile(r"\s*#+(?:[ \t]+[\w/&-]+){1,3}[ \t]*\Z")
"""A heading of at most three words orders a file; a longer one may be a rule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedScores:
    """Mean scores of the sealed tasks under the live text and under the candidate."""

    count: int
    """Tasks scored under both."""
    before: float | None
    after: float | None


def stage(ctx: RunContext, report: OptimizeReport) -> tuple[Proposal, ...]:
    """One proposal for each candidate that crossed, also in a night that ended before it came here.

    Those of earlier nights for the same file that it leaves without a use end as superseded.

    Raises `NotMeasured` or `BudgetSpent`; the next run goes on from there.
    """
    with ctx.database.reading() as connection:
        accepted = proposals.unstaged(connection, report.work.target.path)
    staged = tuple(_stage(ctx, report.work, trial) for trial in accepted)
    # End what waited for this file since earlier nights, when tonight made another or the text cannot take it.
    path = report.work.target.path
    with ctx.database.reading() as connection:
        waiting = [
            p
            for p in proposals.proposals(connection, Status.WAITING)
            if proposals.trial(connection, p.id).candidate.target.path == path
            and reviews.on_branch(connection, p.id) is None  # there a person works with it already
        ]
    made = [p for p in waiting if p.night_id == ctx.run.id]
    for one in waiting:
        if one.night_id == ctx.run.id:
            continue
        why = f"{made[-1].id[:8]} was made later for this file" if made else in_the_way(ctx.database, one)
        if why is not None:
            with ctx.database.writing() as connection:
                proposals.supersede(connection, one.id, why)
    return staged


def _stage(ctx: RunContext, work: Work, trial: Trial) -> Proposal:
    candidate = trial.candidate
    before, after = ctx.text(candidate.base), ctx.text(candidate.text)
    found = _findings(ctx, work, trial, before, after)
    sealed = _sealed(ctx, work, candidate)
    proposal = Proposal(
        id=candidate.id,
        night_id=ctx.run.id,
        status=Status.QUARANTINED if found else Status.WAITING,
        findings=found,
        diff=edit.diff(before, after, name=candidate.target.name),
        sessions=trial.sessions,
        sealed_count=sealed.count,
        sealed_before=sealed.before,
        sealed_after=sealed.after,
    )
    with ctx.database.writing() as connection:
        proposals.stage(connection, proposal)
    return proposal


def _findings(ctx: RunContext, work: Work, trial: Trial, before: str, after: str) -> tuple[str, ...]:
    """For each rule that the change of the text breaks, a line with the rule, its reason and an excerpt."""
    # The screen's patterns take half a second to compile: too long for a night that found nothing.
    from sleepd.core.screen import EXCERPT_CHARS, Finding
    from sleepd.core.screened import screened
    from sleepd.pipeline.question import question

    added = _added(before, after)
    heard = source_texts(ctx.database, work, trial.sessions, before)
    taken_over = provenance.taken_over(added, heard.returned, heard.own)
    not_theirs = [Finding(rule=provenance.RULE, excerpt=p.excerpt, why=provenance.WHY) for p in taken_over]
    by_rule: dict[str, Finding] = {}
    for finding in (*screened(trial.candidate.edits), *screened(added), *not_theirs):
        by_rule.setdefault(finding.rule, finding)
    if not by_rule and added.strip():
        by_rule = {finding.rule: finding for finding in reversed(question(ctx, added))}
    if not by_rule and (lines := provenance.unsaid(rules(trial.candidate.target, added), heard.said)):
        unsaid = Finding(rule=provenance.UNSAID, excerpt=lines[0][:EXCERPT_CHARS], why=provenance.WHY_UNSAID)
        by_rule = {unsaid.rule: unsaid}
    return tuple(f"{f.rule}: {f.why}: {f.excerpt}" for f in by_rule.values())


def _added(before: str, after: str) -> str:
    """The lines that a new text adds, without our own markers."""
    known = {*before.splitlines(), *(mark for region in edit.Region for mark in (region.opening, region.closing))}
    return "\n".join(line for line in after.splitlines() if line not in known)


def rules(target: SkillTarget, added: str) -> str:
    """Of added lines those that may be rules: no short headings, and nothing that a new file begins with."""
    ours = frozenset(starting_text(target).splitlines())
    return "\n".join(line for line in added.splitlines() if line not in ours and not _TITLE.match(line))


def _sealed(ctx: RunContext, work: Work, candidate: Candidate) -> SealedScores:
    tasks = work.usable(Split.TEST)
    # Apart from all others: each is made once, after the verdict, and decides nothing.
    sample = Sample(purpose=Purpose.SEALED, series=candidate.index)
    texts = (candidate.base, candidate.text)
    made = run_all(ctx, [ctx.request(s, text, sample) for text in texts for s in tasks])
    pairs = zip(_values(made[: len(tasks)]), _values(made[len(tasks) :]), strict=True)
    known = [(b, a) for b, a in pairs if b is not None and a is not None]
    if not known:
        return SealedScores(count=0, before=None, after=None)
    before, after = (sum(side) / len(known) for side in zip(*known, strict=True))
    return SealedScores(count=len(known), before=before, after=after)


def _values(made: Sequence[Rollout]) -> list[float | None]:
    return [r.result.value if isinstance(r.result, Score) else None for r in made]
