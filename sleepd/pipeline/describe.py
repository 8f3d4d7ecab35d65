"""Descriptions: when an agent loads a skill. A better one is proposed only on evidence (gate, promise 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from sleepd.core import edit, experiment, trigger
from sleepd.core.drift import Drift
from sleepd.core.errors import UsageError
from sleepd.core.experiment import VerdictRule
from sleepd.core.model import (
    Candidate,
    CandidateOrigin,
    Digest,
    Edit,
    EditOp,
    Purpose,
    Replay,
    Sample,
    Split,
    Verdict,
    digest,
)
from sleepd.core.ports import Ask, CallPurpose
from sleepd.core.select import Bundle
from sleepd.core.trigger import Side, SkillList
from sleepd.pipeline import buffer
from sleepd.pipeline.drift import Watched, watch_one
from sleepd.pipeline.loaded import LoadRequests, load_requests, load_requests_again, loads, skill_list
from sleepd.pipeline.prompts import WHOLE_SKILL
from sleepd.pipeline.replies import ReplyText, found, reply_to
from sleepd.pipeline.rollout import RunContext, drive
from sleepd.pipeline.trial import Arms, CandidateClaim, Comparison, GateTerms, allowance, enter, identity, measure
from sleepd.pipeline.work import Work
from sleepd.replayers.prompt import part, template
from sleepd.skills.surroundings import Surroundings
from sleepd.store import loads as rows
from sleepd.store import proposals
from sleepd.store.proposals import Trial

LEAST = 5
"""Requests of each side that judge; fewer show nothing."""
_PATIENCE = 2
"""Descriptions that failed against the present one, after which no other is tried."""
_SHOWN = 10
_FAILED = (Verdict.REJECTED, Verdict.CLOSED)


class Whose(StrEnum):
    """Whose descriptions may be changed."""

    OWN = "own"
    """Those of files that sleepd made."""
    ALL = "all"
    OFF = "off"


@dataclass(frozen=True, slots=True, kw_only=True)
class DescriptionConfig:
    """How descriptions are looked after."""

    surroundings: Surroundings
    """Where the user's other skills are."""
    whose: Whose = Whose.OWN
    margin: float = 0.05
    """What either share of right choices may lose."""
    max_tokens: int = 2_000
    """Of the whole skill file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DescriptionResult:
    """What a night came to."""

    tried: tuple[Trial, ...] = ()
    problems: tuple[str, ...] = ()
    drift: Drift | None = None
    """Whether the model still chooses skills as in earlier nights; None when no description waited."""


class _Reply(BaseModel):
    model_config = ConfigDict(extra="ignore")

    description: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """A description under way."""

    ctx: RunContext
    comparison: Comparison
    work: Work
    how: DescriptionConfig
    gate: GateTerms

    @property
    def skills(self) -> SkillList:
        return skill_list(self.comparison.target, self.work.tasks[0].task.project, self.how.surroundings)

    @property
    def trials(self) -> list[Trial]:
        """The descriptions tried for the file, tonight's included."""
        with self.ctx.database.reading() as connection:
            found = proposals.for_target(connection, self.comparison.target.path)
        return [t for t in found if t.candidate.origin is CandidateOrigin.DESCRIPTION]


def describe(
    ctx: RunContext, comparison: Comparison, work: Work, how: DescriptionConfig, gate: GateTerms
) -> DescriptionResult:
    """Go on with a description that waits; else try a better one where the present one loads the skill wrongly.

    Before one that waits is gone on with, the present description is watched for a model that changed
    (`pipeline.drift`). Within a share of the night as large as that of candidates that wait. Nothing for a file that is
    not there yet, that is not the settings' to change, or whose description is not one line. Raises `NotMeasured` or
    `BudgetSpent`; a rerun goes on from there.
    """
    case = _Case(ctx=ctx, comparison=comparison, work=work, how=how, gate=gate)
    present = trigger.description_of(comparison.base)
    if present is None or gate.rule is not VerdictRule.EVIDENCE or not _may(case):
        return DescriptionResult()
    drift = _watched(case)
    continued = _go_on(case)
    if continued:
        return DescriptionResult(tried=tuple(continued), drift=drift)
    # Tonight's own do not count, so that a rerun of a killed night comes to the same candidate.
    # Nor those from before the model changed: what failed with the former model may work now.
    earlier = [t for t in case.trials if t.run != ctx.run and t.candidate.invalidated_in is None]
    failed = [t for t in earlier if t.candidate.edits[0].anchor == present and t.candidate.verdict in _FAILED]
    if len(failed) >= _PATIENCE:
        return DescriptionResult(drift=drift)
    proposed = _proposed(case, present, [t.candidate.edits[0].text for t in failed])
    done = proposed if isinstance(proposed, DescriptionResult) else _try_out(case, proposed)
    return replace(done, drift=drift)


def record(ctx: RunContext, work: Work, how: DescriptionConfig) -> None:
    """Measure for how many requests the descriptions of new files, and new descriptions, load their skill.

    Kept in rows with the accepted candidates that no proposal was made of yet, and shown with it; decides nothing. A
    new description is asked about sealed requests, a new file's about all. Raises `NotMeasured` or `BudgetSpent`.
    """
    if how.whose is Whose.OFF:
        return
    with ctx.database.reading() as connection:
        accepted = proposals.unstaged(connection, work.target.path)
        open_ = [t.candidate for t in accepted if rows.load(connection, t.candidate.id) == (None, None)]
    skills = skill_list(work.target, work.tasks[0].task.project, how.surroundings)
    for candidate in open_:
        before, after = (ctx.text(text) for text in (candidate.base, candidate.text))
        changed = candidate.origin is CandidateOrigin.DESCRIPTION
        texts = [(rows.BEFORE, before)] * changed + [(rows.AFTER, after)] * (changed or not before)
        among = load_requests(ctx, work, skills, [Split.TEST] if changed else list(Split))
        for name, text in texts:
            description = trigger.description_of(text)
            if description is not None and among.tasks:
                sample = Sample(purpose=Purpose.SEALED, series=candidate.index)
                seen, _ = loads(ctx, among, description, sample)
                with ctx.database.writing() as connection:
                    rows.save(connection, candidate.id, name, seen)


def _may(case: _Case) -> bool:
    """Whether the settings let the description of this file be changed."""
    if case.how.whose is not Whose.OWN:
        return case.how.whose is Whose.ALL
    with case.ctx.database.reading() as connection:
        journal = proposals.adoptions(connection, standing=True)
    return any(a.path == case.comparison.target.path and a.before is None for a in journal)


# A description is proposed --------------------------------------------------------------------------------------------


def _proposed(case: _Case, present: str, failed: Sequence[str]) -> Edit | DescriptionResult:
    """What the reflection model would say instead, or why nothing is tried."""
    ctx, base = case.ctx, case.comparison.base
    train = load_requests(ctx, case.work, case.skills, [Split.TRAIN])
    judging = load_requests(ctx, case.work, case.skills, [Split.VAL])
    if not train.tasks or min(judging.count(side) for side in Side) < LEAST:
        return DescriptionResult()
    _, wrong = loads(ctx, train, present, Sample(purpose=Purpose.LEARNING))
    if not wrong:
        return DescriptionResult()
    by_side = {side: [train.tasks[i].task.request for i in wrong if train.sides[i] is side][:_SHOWN] for side in Side}
    parts = [
        part("The description today", present),
        part("The skill file today", case.comparison.base, WHOLE_SKILL),
        part("The other skills", "\n".join(f"{name}: {said}" for name, said in train.skills.others), WHOLE_SKILL),
        *(part("A request that it is for but that did not load it", request) for request in by_side[Side.WANTED]),
        *(part("A request that it is not for but that loaded it", request) for request in by_side[Side.OTHER]),
        *(part("A description that was tried and was not better", one) for one in failed),
    ]
    reply = reply_to(
        ctx,
        Ask(
            purpose=CallPurpose.REFLECT,
            system=template("describe").format(),
            prompt="\n\n".join(p for p in parts if p),
            max_tokens=case.ctx.max_tokens,
        ),
    )
    if not isinstance(reply, ReplyText):
        return DescriptionResult(problems=(reply,))
    read = found(reply.text, _Reply)
    if read is None:
        return DescriptionResult(problems=("the reply about the description holds none in JSON",))
    made = Edit(op=EditOp.REPLACE, anchor=present, text=read.description.strip(), reason=" ".join(read.reason.split()))
    refused = _refused(case, base, made, failed)
    return made if refused is None else DescriptionResult(problems=(f"description not tried: {refused}",))


def _refused(case: _Case, base: str, made: Edit, failed: Sequence[str]) -> str | None:
    try:
        text = trigger.described(base, made.text)
    except UsageError as error:
        return str(error)
    declined = buffer.turned_down(case.ctx.database, case.comparison.target.path, but_of=case.ctx.run.id)
    if text in (None, base) or made.text in (made.anchor, *failed):
        return "it is the present one, or one that failed before"
    if any(buffer.says_the_same(made, one.edit) for one in declined):
        return "you turned it down before"
    if text is not None and edit.tokens(base) < edit.tokens(text) > case.how.max_tokens:
        return "there is no room for it within optimizer.max_skill_tokens"
    return None


# A description is gated -----------------------------------------------------------------------------------------------


def _try_out(case: _Case, made: Edit) -> DescriptionResult:
    """Give the description its index and draw requests, as far as tonight's share reaches."""
    ctx, comparison = case.ctx, case.comparison
    judging = load_requests(ctx, case.work, case.skills, [Split.VAL])
    sessions = tuple(dict.fromkeys(str(s.task.session_id) for s in case.work.tasks if s.split is Split.TRAIN))
    claim = _claim(case, made, sessions, judging)
    budget = _budget(case, identity(ctx, comparison, claim, case.gate))
    if not budget:
        return DescriptionResult()
    return DescriptionResult(tried=(_measure(case, judging, enter(ctx, comparison, claim, case.gate), budget),))


def _go_on(case: _Case) -> list[Trial]:
    """Those of earlier nights that wait; each that drew requests tonight already, before it was killed, counts too."""
    tried = []
    tonight = (case.ctx.run.id, case.ctx.run.step)
    for trial in case.trials:
        candidate = trial.candidate
        with case.ctx.database.reading() as connection:
            nights = proposals.drawn_in(connection, candidate.id)
        if trial.run == case.ctx.run:
            continue
        if candidate.verdict is not Verdict.UNDECIDED:
            tried += [trial] * (tonight in nights)
            continue
        judging = load_requests_again(case.ctx, case.work, case.skills, candidate.tasks)
        claim = _claim(case, candidate.edits[0], trial.sessions, judging)
        if identity(case.ctx, case.comparison, claim, case.gate) != candidate.id:
            _close(case, candidate, "the live text, the requests, the other skills, the model or the gate changed")
        elif len(nights - {tonight}) >= case.gate.max_nights:
            _close(case, candidate, f"{len(nights)} nights used up without a decision")
        else:
            tried.append(_measure(case, judging, trial, _budget(case, candidate.id)))
    return tried


def _watched(case: _Case) -> Drift | None:
    """Whether the model still answers as when the oldest description that waits was begun.

    One that tonight closed for this reason, before it was killed, counts as waiting, so that a rerun says the same.
    """
    ctx = case.ctx
    waiting = (
        t.candidate
        for t in case.trials
        if t.run != ctx.run
        and t.candidate.base == digest(case.comparison.base)
        and (t.candidate.verdict is Verdict.UNDECIDED or t.candidate.invalidated_in == ctx.run.id)
    )
    candidate = next(waiting, None)
    if candidate is None:
        return None
    judging = load_requests_again(ctx, case.work, case.skills, candidate.tasks)
    text = ctx.put_text(candidate.edits[0].anchor or "")
    one = Watched(
        text=text,
        judges={task: judging.criteria(task).identity for task in judging.sides},
        replay=Replay.TRIGGER,
        request=lambda task, sample: judging.request(ctx, task, text, sample),
    )
    return watch_one(ctx, case.comparison, one, case.gate)


def _budget(case: _Case, id_: Digest) -> int:
    """Requests of tonight: as large a share as that of waiting candidates, so that neither starves the other."""
    gate = case.gate
    left = allowance(case.ctx, case.comparison, id_, gate.pairs_per_night)
    return min(int(gate.pairs_per_night * gate.waiting_share), left)


def _close(case: _Case, candidate: Candidate, why: str) -> None:
    with case.ctx.database.writing() as connection:
        proposals.end(connection, candidate.id, experiment.closed(why))


def _claim(case: _Case, made: Edit, sessions: Sequence[str], judging: LoadRequests) -> CandidateClaim:
    margin = case.how.margin
    base = case.comparison.base
    return CandidateClaim(
        bundle=Bundle.of((made,), sessions, origin=CandidateOrigin.DESCRIPTION, margin=margin),
        text=trigger.described(base, made.text) or "",
        judges={task: judging.criteria(task).identity for task in judging.sides},
        baselines=(digest(base), digest(made.anchor or "")),
    )


def _measure(case: _Case, judging: LoadRequests, trial: Trial, budget: int) -> Trial:
    """Draw requests until there is a verdict, at most `budget` of them in this night."""
    ctx, made = case.ctx, trial.candidate.edits[0]
    arms = Arms(
        candidate=ctx.put_text(made.text),
        baseline=ctx.put_text(made.anchor or ""),
        request=lambda task, text, sample: judging.request(ctx, task, text, sample),
        own={task: side is Side.WANTED for task, side in judging.sides.items()},
    )
    drive(ctx, measure(ctx, arms, trial, case.gate, budget))
    with ctx.database.reading() as connection:
        return proposals.trial(connection, trial.candidate.id)
