"""For which requests a description loads its skill, asked of the task model beside the user's other skills."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sleepd.core import schedule, trigger
from sleepd.core.model import Cause, Digest, Score, SkillTarget, Split, Task, TaskId, Unscored, digest
from sleepd.core.ports import Ask, Purpose
from sleepd.core.trigger import Loads, Side
from sleepd.pipeline.prompts import template
from sleepd.pipeline.rollout import Bench, Order, run_all
from sleepd.pipeline.work import Surroundings, Work
from sleepd.skills import targets
from sleepd.skills.targets import SKILL_FILE
from sleepd.store import rollouts, tasks
from sleepd.store.tasks import StoredTask

REQUESTS = 20
"""Of each side: so many that one of them is a twentieth."""
_OTHER_SKILLS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """The skills an agent chooses from."""

    name: str
    """The one whose description is under trial."""
    others: tuple[tuple[str, str], ...]
    """Names and descriptions of the others."""

    @property
    def names(self) -> frozenset[str]:
        return frozenset((self.name, *(name for name, _ in self.others)))

    def listed(self, description: str) -> str:
        """The list as the agent sees it, in the order of the names."""
        rows = sorted([(self.name, description), *self.others])
        return "\n".join(f"- {name}: {' '.join(said.split())}" for name, said in rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The question which skills would be loaded for a request."""

    shelf: Shelf
    side: Side
    max_tokens: int

    @property
    def judge(self) -> Digest:
        """What makes two answers exchangeable, besides the description."""
        listed = [part for other in self.shelf.others for part in other]
        return Digest(f"trigger:{self.side}:{digest(template('trigger'), self.shelf.name, *listed)[:16]}")

    def ask(self, task: Task, description: str, sample: int) -> Ask:
        return Ask(
            purpose=Purpose.TRIGGER,
            system=template("trigger").format(skills=self.shelf.listed(description)),
            prompt=task.request,
            sample=sample,
            max_tokens=self.max_tokens,
        )

    def score(self, answer: str) -> Score | Unscored:
        """1 for the right choice about the skill under trial, whatever else was loaded."""
        names = trigger.loaded(answer, self.shelf.names)
        if names is None:
            return Unscored(cause=Cause.MALFORMED, reason="the answer does not say which skills to load")
        right = (self.shelf.name in names) is (self.side is Side.WANTED)
        return Score(value=float(right), reason=f"loads {', '.join(sorted(names)) or 'none'}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Requests of both sides, and the skills they are chosen among."""

    shelf: Shelf
    tasks: Mapping[TaskId, StoredTask]
    sides: Mapping[TaskId, Side]

    def count(self, side: Side) -> int:
        return sum(one is side for one in self.sides.values())

    def order(self, bench: Bench, task: TaskId, description: Digest, sample: int) -> Order:
        question = Choice(shelf=self.shelf, side=self.sides[task], max_tokens=bench.max_tokens)
        return Order(task=self.tasks[task], text=description, sample=sample, question=question)


def shelf(target: SkillTarget, project: str, surroundings: Surroundings) -> Shelf:
    """The target among the other skills that its agent finds in the project, at most twenty, by name."""
    found = targets.discover(surroundings.home, Path(project) if project else None, surroundings.env)
    others = {
        t.name: t.description
        for t in found
        if t.agent == target.agent and Path(t.path).name == SKILL_FILE and t.description and t.path != target.path
    }
    others.pop(target.name, None)
    return Shelf(name=target.name, others=tuple(sorted(others.items())[:_OTHER_SKILLS]))


def asked(bench: Bench, work: Work, among: Shelf, splits: Sequence[Split]) -> Asked:
    """The requests of these sides of the split: at most twenty of the work, and twenty other ones of its projects.

    Requests that are near-duplicates of the work's, or in which its skill was active, are on neither side.
    """
    wanted = [s for s in work.tasks if s.split in splits and not s.retired]
    others = [s for s in _elsewhere(bench, work) if s.split in splits and not s.retired]
    seed = f"{work.target.path}:{','.join(splits)}"
    mine, theirs = ({*schedule.minibatch([s.task.id for s in side], REQUESTS, seed)} for side in (wanted, others))
    sides = {
        **{s.task.id: Side.WANTED for s in wanted if s.task.id in mine},
        **{s.task.id: Side.OTHER for s in others if s.task.id in theirs},
    }
    return Asked(shelf=among, tasks={s.task.id: s for s in (*wanted, *others) if s.task.id in sides}, sides=sides)


def asked_again(bench: Bench, work: Work, among: Shelf, ids: Iterable[TaskId]) -> Asked:
    """Those of these requests that are still there, each on the side that it is on now."""
    known = {s.task.id: (s, Side.WANTED) for s in work.tasks}
    known |= {s.task.id: (s, Side.OTHER) for s in _elsewhere(bench, work)}
    left = {id_: known[id_] for id_ in ids if id_ in known}
    return Asked(
        shelf=among,
        tasks={i: stored for i, (stored, _) in left.items()},
        sides={i: side for i, (_, side) in left.items()},
    )


def loads(bench: Bench, among: Asked, description: str, sample: int) -> tuple[Loads, tuple[TaskId, ...]]:
    """Each request asked once: what was loaded, and the requests for which that was wrong.

    Raises `NotMeasured` or `BudgetSpent`.
    """
    with bench.database.writing() as connection:
        text = rollouts.put_text(connection, description)
    ids = list(among.tasks)
    made = dict(zip(ids, run_all(bench, [among.order(bench, i, text, sample) for i in ids]), strict=True))
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


def _elsewhere(bench: Bench, work: Work) -> list[StoredTask]:
    """The user's other requests in the projects of the work."""
    clusters = {s.cluster for s in work.tasks}
    groups = {s.group for s in work.tasks}
    projects = {s.task.project for s in work.tasks}
    with bench.database.reading() as connection:
        everything = tasks.load(connection)
    return [
        s
        for s in everything
        if s.task.project in projects
        and s.cluster not in clusters
        and s.group not in groups
        and s.task.skill != work.target.name
    ]
