"""Choose what a night works on: the skill whose recurring work costs the user most."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sleepd.core import experiment
from sleepd.core.model import ClusterId, SkillTarget, Split
from sleepd.pipeline.route import Near
from sleepd.skills import files, targets
from sleepd.skills.surroundings import Surroundings
from sleepd.store.tasks import StoredTask

# A new skill is named after its oldest tasks, which stay the oldest, so that the name does not change.
_NAMED_AFTER = 7
_SHARED = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One skill target with the recurring work that it is for."""

    target: SkillTarget
    tasks: tuple[StoredTask, ...]
    """All tasks of its clusters, oldest first."""
    frequency: int
    """Sessions in which the work came up."""
    friction: float
    """Mean number of times the user had to ask again."""

    @property
    def priority(self) -> float:
        return self.frequency * self.friction

    def usable(self, split: Split) -> tuple[StoredTask, ...]:
        """The checkable tasks of one side."""
        return tuple(s for s in self.tasks if s.usable and s.split is split)

    def judging(self, most: int) -> tuple[StoredTask, ...]:
        """The validation tasks that a new candidate is judged on: the newest, at most so many, oldest first.

        Every one of them is looked at before a candidate is accepted, so their number is what a night costs.
        """
        return self.usable(Split.VAL)[-most:]

    @property
    def missing(self) -> str | None:
        """None when the gate has enough to judge by; else what is missing, in words."""
        groups = len({s.group for s in self.usable(Split.TEST)})
        if not self.usable(Split.TRAIN):
            if self.friction and not any(s.checks for s in self.tasks):
                return f"observed, cannot be judged yet: {self._why_observed}"
            if not self.friction:
                return "you rejected no answer of it, so there is nothing to learn from"
            return "not enough checkable tasks: none to learn from"
        return experiment.enough(len({s.group for s in self.usable(Split.VAL)}), groups)

    @property
    def _why_observed(self) -> str:
        """The reason that most of its tasks give, of those with checks where there are any."""
        known = [s for s in self.tasks if s.validity is not None]
        reasons = Counter(s.validity.why for s in known if s.validity is not None and s.observed) or Counter(
            s.validity.why for s in known if s.validity is not None and s.task.friction
        )
        return reasons.most_common(1)[0][0] if reasons else "no check of its answers beats shuffled labels"


def find_work(
    recurring: Mapping[ClusterId, Sequence[StoredTask]], surroundings: Surroundings, near: Near
) -> tuple[Work, ...]:
    """All work worth a skill, the most expensive for the user first.

    A cluster goes to the skill that was active in most of its tasks, else to the one of the project that `near` finds
    by its description, else to a new one.
    """
    by_path: dict[str, tuple[SkillTarget, list[StoredTask]]] = {}
    for members in recurring.values():
        if not members[0].task.project:
            # A transcript that does not say where the work was done names no place for a skill either.
            continue
        target = _target(members, surroundings, near)
        by_path.setdefault(target.path, (target, []))[1].extend(members)
    work = []
    for target, found in by_path.values():
        ordered = sorted(found, key=lambda s: (s.task.at, s.task.id))
        friction = sum(s.task.friction for s in ordered) / len(ordered)
        sessions = {s.task.session_id for s in ordered}
        work.append(Work(target=target, tasks=tuple(ordered), frequency=len(sessions), friction=friction))
    return tuple(sorted(work, key=lambda w: (-w.priority, w.target.agent, w.target.name)))


def live_text(target: SkillTarget) -> str:
    """What stands in the target's file now; "" when it is not there.

    Raises `Conflict` when the file could not be written, so that nothing is spent on a change of it, and nothing that
    a link leads to is sent to a model.
    """
    path = Path(target.path)
    if target.project:
        files.check(path, root=Path(target.project))
    file = files.read(path)
    return file.text if file is not None else ""


def _target(members: Sequence[StoredTask], surroundings: Surroundings, near: Near) -> SkillTarget:
    # Where the skill of this work belongs: of the clones and worktrees that are still there the one of most tasks.
    folders = [Path(folder) for folder, _ in Counter(s.task.project for s in members).most_common()]
    folder = next((folder for folder in folders if folder.is_dir()), folders[0])
    known = targets.discover(surroundings.home, folder, surroundings.env)
    active = Counter((s.agent, s.task.skill) for s in members if s.task.skill)
    if active and active.total() * 2 > len(members):
        for (agent, name), _ in active.most_common():
            found = targets.by_skill_name(known, name or "", agent)
            if found is not None:
                return found
    agent = Counter(s.agent for s in members).most_common(1)[0][0]
    requests = [s.task.request for s in members[:_NAMED_AFTER]]
    candidates = targets.project_skills(known, agent)
    nearest = near(requests, [target.description for target in candidates])
    if nearest is not None:
        return candidates[nearest]
    # What the requests have in common names the work; a whole request would carry one day's details, and whatever
    # else the user said in it, into every later session.
    common = " ".join(shared_words(requests))
    name = targets.slug(common or f"recurring work {members[0].task.id[:8]}")
    return targets.new_project_target(agent, folder, name, targets.when_to_load(common))


def shared_words(requests: Sequence[str]) -> tuple[str, ...]:
    """The words, in order of first appearance, that most of these requests have: what the work is called."""
    heard = [dict.fromkeys(re.findall(r"[^\W\d_]{4,}", request.casefold())) for request in requests]
    counts = Counter(word for words in heard for word in words)
    return tuple(word for word, count in counts.items() if count >= _SHARED * len(requests))
