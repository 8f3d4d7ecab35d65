"""Descriptions: when an agent loads a skill. A better one is proposed only on evidence (gate, promise 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from sleepd.core import confirmation, edit, gate, schedule, trigger
from sleepd.core.errors import UsageError
from sleepd.core.gate import Decision, Rule
from sleepd.core.model import Candidate, Digest, Edit, EditOp, Origin, Pair, Score, Split, TaskId, Verdict, digest
from sleepd.core.ports import Ask, Purpose
from sleepd.core.schedule import SEALED_SAMPLE, TRAINING_SAMPLE, Draw
from sleepd.core.trigger import Side
from sleepd.pipeline import buffer
from sleepd.pipeline.loaded import Asked, Shelf, asked, asked_again, loads, shelf
from sleepd.pipeline.prompts import WHOLE_SKILL, part, template
from sleepd.pipeline.replies import Said, found, said
from sleepd.pipeline.rollout import Bench, run_all
from sleepd.pipeline.trial import Gating, Ground, allowance
from sleepd.pipeline.work import Surroundings, Work
from sleepd.store import loads as rows
from sleepd.store import proposals, rollouts
from sleepd.store.proposals import Trial

LEAST = 5
"""Requests of each side that judge; fewer show nothing."""
_AT_ONCE = 16
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
class Describing:
    """How descriptions are looked after."""

    surroundings: Surroundings
    """Where the user's other skills are."""
    whose: Whose = Whose.OWN
    margin: float = 0.05
    """What either share of right choices may lose."""
    max_tokens: int = 2_000
    """Of the whole skill file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """What a night came to."""

    tried: tuple[Trial, ...] = ()
    problems: tuple[str, ...] = ()


class _Reply(BaseModel):
    model_config = ConfigDict(extra="ignore")

    description: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """A description under way."""

    bench: Bench
    ground: Ground
    work: Work
    describing: Describing
    gating: Gating

    @property
    def shelf(self) -> Shelf:
        return shelf(self.ground.target, self.work.tasks[0].task.project, self.describing.surroundings)

    @property
    def trials(self) -> list[Trial]:
        """The descriptions tried for the file, tonight's included."""
        with self.bench.database.reading() as connection:
            found = proposals.for_target(connection, self.ground.target.path)
        return [t for t in found if t.candidate.origin is Origin.DESCRIPTION]


def describe(bench: Bench, ground: Ground, work: Work, how: tuple[Describing, Gating]) -> Described:
    """Go on with a description that waits; else try a better one where the present one loads the skill wrongly.

    Within a share of the night as large as that of candidates that wait. Nothing for a file that is not there yet, that
    is not the settings' to change, or whose description is not one line. Raises `NotMeasured` or `BudgetSpent`; a rerun
    goes on from there.
    """
    describing, gating = how
    case = _Case(bench=bench, ground=ground, work=work, describing=describing, gating=gating)
    present = trigger.description_of(ground.base)
    if present is None or gating.rule is not Rule.EVIDENCE or not _may(case):
        return Described()
    continued = _go_on(case)
    if continued:
        return Described(tried=tuple(continued))
    # Tonight's own do not count, so that a rerun of a killed night comes to the same candidate.
    earlier = [t for t in case.trials if t.night_id != bench.night_id]
    failed = [t for t in earlier if t.candidate.edits[0].anchor == present and t.candidate.verdict in _FAILED]
    if len(failed) >= _PATIENCE:
        return Described()
    proposed = _proposed(case, present, [t.candidate.edits[0].text for t in failed])
    return proposed if isinstance(proposed, Described) else _try_out(case, proposed)


def record(bench: Bench, work: Work, describing: Describing) -> None:
    """Measure for how many requests the descriptions of new files, and new descriptions, load their skill.

    Kept in rows beside the accepted candidates that no proposal was made of yet, and shown with it; decides nothing. A
    new description is asked about sealed requests, a new file's about all. Raises `NotMeasured` or `BudgetSpent`.
    """
    if describing.whose is Whose.OFF:
        return
    with bench.database.reading() as connection:
        accepted = proposals.unstaged(connection, work.target.path)
        open_ = [t.candidate for t in accepted if rows.load(connection, t.candidate.id) == (None, None)]
    for candidate in open_:
        before, after = (bench.text(text) for text in (candidate.base, candidate.text))
        changed = candidate.origin is Origin.DESCRIPTION
        texts = [(rows.BEFORE, before)] * changed + [(rows.AFTER, after)] * (changed or not before)
        splits = [Split.TEST] if changed else list(Split)
        for name, text in texts:
            _record(bench, work, (describing, splits), (candidate, name), trigger.description_of(text))


def _record(
    bench: Bench,
    work: Work,
    how: tuple[Describing, Sequence[Split]],
    what: tuple[Candidate, str],
    description: str | None,
) -> None:
    describing, splits = how
    candidate, name = what
    among = asked(bench, work, shelf(work.target, work.tasks[0].task.project, describing.surroundings), splits)
    if description is None or not among.tasks:
        return
    seen, _ = loads(bench, among, description, SEALED_SAMPLE + candidate.index)
    with bench.database.writing() as connection:
        rows.save(connection, candidate.id, name, seen)


def _may(case: _Case) -> bool:
    """Whether the settings let the description of this file be changed."""
    if case.describing.whose is not Whose.OWN:
        return case.describing.whose is Whose.ALL
    with case.bench.database.reading() as connection:
        journal = proposals.adoptions(connection, standing=True)
    return any(a.path == case.ground.target.path and a.before is None for a in journal)


# A description is proposed --------------------------------------------------------------------------------------------


def _proposed(case: _Case, present: str, failed: Sequence[str]) -> Edit | Described:
    """What the reflection model would say instead, or why nothing is tried."""
    bench, base = case.bench, case.ground.base
    train = asked(bench, case.work, case.shelf, [Split.TRAIN])
    judging = asked(bench, case.work, case.shelf, [Split.VAL])
    if not train.tasks or min(judging.count(side) for side in Side) < LEAST:
        return Described()
    _, wrong = loads(bench, train, present, TRAINING_SAMPLE)
    if not wrong:
        return Described()
    reply = said(bench, _ask(case, (present, failed), train, wrong))
    if not isinstance(reply, Said):
        return Described(problems=(reply,))
    read = found(reply.text, _Reply)
    if read is None:
        return Described(problems=("the reply about the description holds none in JSON",))
    made = Edit(op=EditOp.REPLACE, anchor=present, text=read.description.strip(), reason=" ".join(read.reason.split()))
    refused = _refused(case, base, made, failed)
    return made if refused is None else Described(problems=(f"description not tried: {refused}",))


def _refused(case: _Case, base: str, made: Edit, failed: Sequence[str]) -> str | None:
    try:
        text = trigger.described(base, made.text)
    except UsageError as error:
        return str(error)
    declined = buffer.turned_down(case.bench.database, case.ground.target.path, but_of=case.bench.night_id)
    if text in (None, base) or made.text in (made.anchor, *failed):
        return "it is the present one, or one that failed before"
    if any(buffer.says_the_same(made, one.edit) for one in declined):
        return "you turned it down before"
    if text is not None and edit.tokens(base) < edit.tokens(text) > case.describing.max_tokens:
        return "there is no room for it within optimizer.max_skill_tokens"
    return None


def _ask(case: _Case, said_so_far: tuple[str, Sequence[str]], train: Asked, wrong: Sequence[TaskId]) -> Ask:
    present, failed = said_so_far
    by_side = {side: [train.tasks[i].task.request for i in wrong if train.sides[i] is side][:_SHOWN] for side in Side}
    parts = [
        part("The description today", present),
        part("The skill file today", case.ground.base, WHOLE_SKILL),
        part("The other skills", "\n".join(f"{name}: {said}" for name, said in train.shelf.others), WHOLE_SKILL),
        *(part("A request that it is for but that did not load it", request) for request in by_side[Side.WANTED]),
        *(part("A request that it is not for but that loaded it", request) for request in by_side[Side.OTHER]),
        *(part("A description that was tried and was not better", one) for one in failed),
    ]
    return Ask(
        purpose=Purpose.REFLECT,
        system=template("describe").format(),
        prompt="\n\n".join(p for p in parts if p),
        max_tokens=case.bench.max_tokens,
    )


# A description is gated -----------------------------------------------------------------------------------------------


def _try_out(case: _Case, made: Edit) -> Described:
    """Give the description its index and draw requests, as far as tonight's share reaches."""
    bench, ground, gating = case.bench, case.ground, case.gating
    text = trigger.described(ground.base, made.text) or ""
    judging = asked(bench, case.work, case.shelf, [Split.VAL])
    id_ = _identity(case, digest(text), judging)
    budget = _budget(case, id_)
    if not budget:
        return Described()
    sessions = tuple(dict.fromkeys(str(s.task.session_id) for s in case.work.tasks if s.split is Split.TRAIN))
    with bench.database.writing() as connection:
        index = proposals.next_index(connection)
        candidate = Candidate(
            id=id_,
            index=index,
            alpha=gate.level(index, proposals.acceptances(connection), gating.alpha),
            target=ground.target,
            base=rollouts.put_text(connection, ground.base),
            text=rollouts.put_text(connection, text),
            edits=(made,),
            tasks=tuple(judging.sides),
            model=bench.replay_key,
            origin=Origin.DESCRIPTION,
            margin=case.describing.margin,
        )
        trial = proposals.start(connection, candidate, bench.night_id, sessions)
    return Described(tried=(_measure(case, judging, trial.candidate, budget),))


def _go_on(case: _Case) -> list[Trial]:
    """Those of earlier nights that wait; each that drew requests tonight already, before it was killed, counts too."""
    tried = []
    for trial in case.trials:
        candidate = trial.candidate
        with case.bench.database.reading() as connection:
            nights = proposals.nights(connection, candidate.id)
        if trial.night_id == case.bench.night_id:
            continue
        if candidate.verdict is not Verdict.UNDECIDED:
            tried += [trial] * (case.bench.night_id in nights)
            continue
        judging = asked_again(case.bench, case.work, case.shelf, candidate.tasks)
        if _identity(case, candidate.text, judging) != candidate.id:
            _close(case, candidate, "the live text, the requests, the other skills, the model or the gate changed")
        elif len(nights - {case.bench.night_id}) >= case.gating.max_nights:
            _close(case, candidate, f"{len(nights)} nights used up without a decision")
        else:
            tried.append(_measure(case, judging, candidate, _budget(case, candidate.id)))
    return tried


def _budget(case: _Case, id_: Digest) -> int:
    """Requests of tonight: as large a share as what waits has, of what is left, so that neither starves the other."""
    gating = case.gating
    left = allowance(case.bench, case.ground, id_, gating.pairs_per_night)
    return min(int(gating.pairs_per_night * gating.waiting_share), left)


def _close(case: _Case, candidate: Candidate, why: str) -> None:
    with case.bench.database.writing() as connection:
        proposals.close(connection, candidate.id, why)


def _identity(case: _Case, text: Digest, judging: Asked) -> Digest:
    """What the evidence is about (promise 6): any change makes another candidate."""
    gating, target = case.gating, case.ground.target
    terms = (str(gating.alpha), str(gating.baseline_samples), str(case.describing.margin))
    requests = (f"{id_}:{judging.order(case.bench, id_, text, 0).judge(case.bench.metric)}" for id_ in judging.sides)
    parts = (target.agent, target.name, digest(case.ground.base), text, case.bench.replay_key)
    return digest("description", *parts, *terms, *requests)


def _measure(case: _Case, judging: Asked, candidate: Candidate, budget: int) -> Trial:
    """Draw requests until the gate decides, at most `budget` of them in this night. What was drawn before counts."""
    bench, gating = case.bench, case.gating
    with bench.database.reading() as connection:
        done = list(proposals.pairs(connection, candidate.id))
        left = budget - proposals.drawn(connection, bench.night_id, candidate.id)
    while True:
        decision, draws = _standing(done, candidate, (judging, gating), min(_AT_ONCE, left))
        with bench.database.writing() as connection:
            if done:
                proposals.decide(connection, candidate.id, decision, len(proposals.nights(connection, candidate.id)))
        if not draws:
            break
        fresh = _pairs(bench, judging, candidate, draws)
        with bench.database.writing() as connection:
            proposals.save_pairs(connection, candidate.id, fresh, bench.night_id)
        done += fresh
        left -= len(fresh)
    with bench.database.reading() as connection:
        return proposals.trial(connection, candidate.id)


def _standing(
    done: Sequence[Pair], candidate: Candidate, how: tuple[Asked, Gating], most: int
) -> tuple[Decision, tuple[Draw, ...]]:
    """Where the gate stands, and at most `most` draws to be made before it looks again."""
    judging, gating = how
    terms = gating.terms(candidate.alpha, candidate.margin)
    scheduled = [p for p in done if not p.confirms]
    decision = trigger.decide(scheduled, judging.sides, terms)
    if decision.verdict is Verdict.ACCEPTED and gating.confirming.least:
        seen = [*scheduled[: decision.pairs], *(p for p in done if p.confirms)]
        looked = confirmation.confirm(seen, candidate.tasks, gating.confirming)
        if looked.broken:
            lost = f"better on the whole, but {len(looked.broken)} of {len(candidate.tasks)} requests are chosen worse"
            return replace(decision, verdict=Verdict.REJECTED, reason=lost), ()
        if looked.wanting:
            decision = replace(decision, verdict=Verdict.UNDECIDED, reason=f"{decision.reason}; each is looked at")
            return decision, schedule.confirming(candidate, looked.pairs, looked.wanting, max(0, most))
    if decision.verdict is not Verdict.UNDECIDED or most <= 0:
        return decision, ()
    limit = min(terms.max_pairs, len(scheduled) + most)
    return decision, schedule.draws(candidate, limit, gating.baseline_samples, gating.rule)[len(scheduled) :]


def _pairs(bench: Bench, judging: Asked, candidate: Candidate, draws: Sequence[Draw]) -> list[Pair]:
    made = candidate.edits[0]
    with bench.database.writing() as connection:
        before, after = (rollouts.put_text(connection, text) for text in (made.anchor or "", made.text))
    orders = []
    for draw in draws:
        orders.append(judging.order(bench, draw.task_id, after, draw.candidate_sample))
        orders += [judging.order(bench, draw.task_id, before, sample) for sample in draw.baseline_samples]
    answers = iter([r.result.value if isinstance(r.result, Score) else None for r in run_all(bench, orders)])
    pairs = []
    for draw in draws:
        tried, base = next(answers), [next(answers) for _ in draw.baseline_samples]
        known = [value for value in base if value is not None]
        mean = sum(known) / len(known) if len(known) == len(base) else None
        pairs.append(Pair(draw=draw.number, task_id=draw.task_id, candidate=tried, baseline=mean))
    return pairs
