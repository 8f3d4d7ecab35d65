"""For which requests a description loads its skill, asked of the task model among the user's other skills."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sleepd.core import schedule
from sleepd.core.model import Digest, Replay, Sample, Score, SkillTarget, Split, TaskId, digest
from sleepd.core.ports import RolloutRequest
from sleepd.core.trigger import LoadCriteria, Loads, Side, SkillList
from sleepd.pipeline.rollout import RunContext, ShownText, run_all
from sleepd.pipeline.work import Work
from sleepd.replayers.prompt import template
from sleepd.skills import targets
from sleepd.skills.surroundings import Surroundings
from sleepd.skills.targets import SKILL_FILE
from sleepd.store import tasks
from sleepd.store.tasks import StoredTask

REQUESTS = 20
"""Of each side: so many that one of them is a twentieth."""
_OTHER_SKILLS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadRequests:
    """Requests of both sides, and the skills they are chosen among."""

    skills: SkillList
    tasks: Mapping[TaskId, StoredTask]
    sides: Mapping[TaskId, Side]

    def count(self, side: Side) -> int:
        return sum(one is side for one in self.sides.values())

    def criteria(self, task: TaskId) -> LoadCriteria:
        """What an answer to this request is judged by."""
        listed = [part for other in self.skills.others for part in other]
        prompt = digest(template("trigger"), self.skills.name, *listed)
        return LoadCriteria(skills=self.skills, side=self.sides[task], prompt=prompt)

    def request(self, ctx: RunContext, task: TaskId, description: Digest, sample: Sample) -> RolloutRequest:
        """The question which skills would be loaded for a request, under a description."""
        text = ShownText(address=description, body=ctx.text(description))
        return ctx.request_of(Replay.TRIGGER, self.tasks[task], text, self.criteria(task), sample)


def skill_list(target: SkillTarget, project: str, surroundings: Surroundings) -> SkillList:
    """The target among the other skills that its agent finds in the project, at most twenty, by name."""
    found = targets.discover(surroundings.home, Path(project) if project else None, surroundings.env)
    others = {
        t.name: t.description
        for t in found
        if t.agent == target.agent and Path(t.path).name == SKILL_FILE and t.description and t.path != target.path
    }
    others.pop(target.name, None)
    return SkillList(name=target.name, others=tuple(sorted(others.items())[:_OTHER_SKILLS]))


def load_requests(ctx: RunContext, work: Work, among: SkillList, splits: Sequence[Split]) -> LoadRequests:
    """The requests of these sides of the split: at most twenty of the work, and twenty other ones of its projects.

    Requests that are near-duplicates of the work's, or in which its skill was active, are on neither side.
    """
    wanted = [s for s in work.tasks if s.split in splits and not s.retired]
    others = [s for s in _elsewhere(ctx, work) if s.split in splits and not s.retired]
    seed = f"{work.target.path}:{','.join(splits)}"
    mine, theirs = ({*schedule.minibatch([s.task.id for s in side], REQUESTS, seed)} for side in (wanted, others))
    sides = {
        **{s.task.id: Side.WANTED for s in wanted if s.task.id in mine},
        **{s.task.id: Side.OTHER for s in others if s.task.id in theirs},
    }
    return LoadRequests(
        skills=among, tasks={s.task.id: s for s in (*wanted, *others) if s.task.id in sides}, sides=sides
    )


def load_requests_again(ctx: RunContext, work: Work, among: SkillList, ids: Iterable[TaskId]) -> LoadRequests:
    """Those of these requests that are still there, each on the side that it is on now."""
    known = {s.task.id: (s, Side.WANTED) for s in work.tasks}
    known |= {s.task.id: (s, Side.OTHER) for s in _elsewhere(ctx, work)}
    left = {id_: known[id_] for id_ in ids if id_ in known}
    return LoadRequests(
        skills=among,
        tasks={i: stored for i, (stored, _) in left.items()},
        sides={i: side for i, (_, side) in left.items()},
    )


def loads(ctx: RunContext, among: LoadRequests, description: str, sample: Sample) -> tuple[Loads, tuple[TaskId, ...]]:
    """Each request asked once: what was loaded, and the requests for which that was wrong.

    Raises `NotMeasured` or `BudgetSpent`.
    """
    text = ctx.put_text(description)
    ids = list(among.tasks)
    made = dict(zip(ids, run_all(ctx, [among.request(ctx, i, text, sample) for i in ids]), strict=True))
    right = {i: r.result.value >= 1 for i, r in made.items() if isinstance(r.result, Score)}
    wanted = [i for i in right if among.sides[i] is Side.WANTED]
    others = [i for i in right if among.sides[i] is Side.OTHER]
    seen = Loads(
        wanted=len(wanted),
        loaded_wanted=sum(right[i] for i in wanted),
        others=len(others),
        loaded_others=sum(not right[i] for i in others),
        unscored=len(ids) - len(right),
    )
    return seen, tuple(i for i in ids if right.get(i) is False)


def _elsewhere(ctx: RunContext, work: Work) -> list[StoredTask]:
    """The user's other requests in the projects of the work."""
    kinds = {s.kind for s in work.tasks}
    groups = {s.group for s in work.tasks}
    projects = {s.task.project for s in work.tasks}
    with ctx.database.reading() as connection:
        everything = tasks.load(connection)
    return [
        s
        for s in everything
        if s.task.project in projects
        and s.kind not in kinds
        and s.group not in groups
        and s.task.skill != work.target.name
    ]
