"""What is really so, computed from the simulated agent's own probabilities. The pipeline never sees any of it."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sleepd.core.check import Check
from sleepd.core.model import Score
from sleepd.core.score import Metric, score
from sleepd.lab.proof.world import World
from sleepd.pipeline.work import Work, live_text
from sleepd.replayers.text import instructions
from sleepd.simulate.agent import USUAL, Nature, applicable, compose, probability
from sleepd.simulate.personas import Family, Persona, family_of, fields_of
from sleepd.store.tasks import StoredTask

_WORDING = 1


@dataclass(slots=True)
class Truth:
    """Exact expectations. Scores of each task under each set of kept rules are computed once for its checks: worlds
    that differ in what the person said judge the same task by other checks."""

    who: Persona
    nature: Nature = USUAL
    _scores: dict[tuple[str, tuple[Check, ...], frozenset[str]], float] = field(default_factory=dict)

    def effect(self, tasks: Sequence[StoredTask], base: str, text: str) -> float:
        """The candidate's effect on the gate's own scale: the mean over tasks of E[score(text)] - E[score(base)]."""
        gains = [self.expected(s, text) - self.expected(s, base) for s in tasks]
        return sum(gains) / len(gains)

    def expected(self, stored: StoredTask, text: str) -> float:
        """E[score] of a checkable task under a skill text."""
        family = family_of(self.who, stored.task.request)
        if family is None:
            return 0.0
        system = applicable(instructions(text), stored.task.request)
        chances = {r.key: probability(r, system, self.nature) for r in family.rules}
        return sum(
            math.prod(p if key in kept else 1 - p for key, p in chances.items()) * self._score(stored, family, kept)
            for n in range(len(chances) + 1)
            for kept in map(frozenset, itertools.combinations(chances, n))
        )

    def rules_kept(self, stored: StoredTask, text: str) -> float | None:
        """The expected share of the person's rules that an agent keeps in a task under a text; None without rules."""
        family = family_of(self.who, stored.task.request)
        if family is None:
            return None
        system = applicable(instructions(text), stored.task.request)
        return sum(probability(r, system, self.nature) for r in family.rules) / len(family.rules)

    def rule_kept(self, key: str, text: str) -> float:
        """The probability that one rule is kept under a text."""
        rule = next(r for f in self.who.families for r in f.rules if r.key == key)
        return probability(rule, text, self.nature)

    def _score(self, stored: StoredTask, family: Family, kept: frozenset[str]) -> float:
        place = (stored.task.id, stored.checks, kept)
        if place not in self._scores:
            fields = fields_of(family, stored.task.request) or {}
            answer = compose(family, fields, set(kept), random.Random(_WORDING))
            result = score(answer, stored.checks, Metric.SOFT)
            self._scores[place] = result.value if isinstance(result, Score) else 0.0
        return self._scores[place]


def changed_work(world: World) -> Mapping[str, Work]:
    """The work whose skill file is not as it was before, by path."""
    return {w.target.path: w for w in world.work() if live_text(w.target) != world.original(w)}
