"""What each mechanism of the optimiser is worth: the same training runs with one of them taken away.

    python -m benchmarks.ablations --date 2026-11-20 [--seeds 24] [--processes 2]

Each seed is one simulated home with 120 sessions; the skill of its most expensive work is trained from what the persona
has (nothing, or a skill file). Two in three of the edits that the reflection proposes do nothing or harm. The score is
exact: what the simulated agent's own probabilities say of the sealed tasks under the best text. Differences are paired,
home by home. Prints Markdown. Deterministic for the seeds.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from sleepd import registry
from sleepd.core import edit, plaintext
from sleepd.core.budget import Schedule
from sleepd.core.confirmation import ConfirmationConfig
from sleepd.core.experiment import VerdictRule
from sleepd.core.model import Split
from sleepd.core.ports import Ask, Failure, Model, Reply
from sleepd.core.select import Ranking
from sleepd.lab.proof.truth import Truth
from sleepd.lab.proof.world import HISTORY, Terms, Variant, World
from sleepd.models.hashed import HashedTfidf
from sleepd.models.memoized import Memoized
from sleepd.models.settings import ModelSettings
from sleepd.pipeline.optimize import OptimizerTerms
from sleepd.pipeline.slow import SlowMode
from sleepd.pipeline.train import TrainingTerms, train
from sleepd.pipeline.trial import AttributionConfig, GateTerms
from sleepd.pipeline.work import Work
from sleepd.simulate.cast import persona, recurring
from sleepd.skills.targets import starting_text
from sleepd.store.database import open_database

EPOCHS: Final = 2
HEAD: Final = """\
| run | after one epoch | sealed score | points from full | idle lines | tokens | candidates | rollouts |
|---|---:|---|---|---:|---:|---:|---:|"""
_Z: Final = 1.959964
_NOTHING: Final = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One way to train."""

    name: str
    training: TrainingTerms
    gate: GateTerms
    rubbish: bool = False
    """The reflection model proposes only what does nothing or harms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Came:
    """What one run in one home came to."""

    before: float
    early: float
    """The same as `score`, of the present text where the first epoch ended."""
    score: float
    """The expected score of the sealed tasks under the best text, exactly."""
    idle: int
    """Lines of the best text that do nothing for the sealed tasks, or harm."""
    tokens: int
    """Of those that training added."""
    rollouts: int
    candidates: int


def runs() -> tuple[Run, ...]:
    """The shipped defaults, and each with one thing changed."""
    full = Run(name="**full**", training=TrainingTerms(epochs=EPOCHS), gate=GateTerms())
    strict = _gate_config(full, "gate: a higher mean of one pass", rule=VerdictRule.STRICT)
    off = _gate_config(full, "no gate", rule=VerdictRule.OFF)
    # What an epoch ends with would quote its material: where all is to be rubbish, it is left out.
    alone: dict[str, object] = {"slow": SlowMode.OFF, "meta": False, "appendix": False}
    return (
        full,
        _optimizing(full, "no edit budget", schedule=Schedule.UNBOUNDED),
        _optimizing(full, "no rejected-edit buffer", rejected_buffer=False),
        _training(full, "no slow update, no meta skill, no appendix", **alone),
        _training(full, "slow update forced", slow=SlowMode.FORCED),
        _optimizing(full, "no recall", recall_k=0),
        _optimizing(full, "three rollouts of a train task, not one", samples=3),
        _optimizing(full, "ranked by support, not by the model", ranking=Ranking.SUPPORT),
        _gate_config(full, "no attribution", attribution=AttributionConfig(most=0)),
        _gate_config(full, "no confirmation", confirmation=ConfirmationConfig(least=0)),
        strict,
        off,
        *(replace(_training(run, run.name, **alone), rubbish=True) for run in (full, strict, off)),
    )


def _optimizing(full: Run, name: str, **changed: object) -> Run:
    optimizing: OptimizerTerms = replace(full.training.optimizing, **changed)  # type: ignore[arg-type]
    return replace(full, name=name, training=replace(full.training, optimizing=optimizing))


def _training(full: Run, name: str, **changed: object) -> Run:
    return replace(full, name=name, training=replace(full.training, **changed))  # type: ignore[arg-type]


def _gate_config(full: Run, name: str, **changed: object) -> Run:
    return replace(full, name=name, gate=replace(full.gate, **changed))  # type: ignore[arg-type]


class Muddled:
    """A reflection model two thirds of whose edits do nothing or harm, each good one behind two of those."""

    def __init__(self, quoting: Model, rubbish: Model) -> None:
        self._quoting, self._rubbish = quoting, rubbish
        self.key = f"{quoting.key}+{rubbish.key}"

    def ask(self, ask: Ask) -> Reply | Failure:
        reply, noise = self._quoting.ask(ask), self._rubbish.ask(ask)
        if '"edits"' not in ask.system or isinstance(reply, Failure) or isinstance(noise, Failure):
            return reply
        good, bad = (json.loads(one.text).get("edits", []) for one in (reply, noise))
        mixed = [edit for n, one in enumerate(good) for edit in (*bad[2 * n : 2 * n + 2], one)]
        return replace(reply, text=json.dumps({"edits": mixed or bad[:2]}))


def _rubbish(who: str, seed: int) -> Model:
    return registry.model("simulated")(ModelSettings(name="simulated", model=f"{who}/distractors-only", seed=seed))


def home(seed: int) -> list[Came]:
    """All runs in the home of one seed, in the order of `runs`; each in a database of its own."""
    who = persona(recurring()[seed % len(recurring())])
    with tempfile.TemporaryDirectory(prefix="ablations-") as folder:
        terms = Terms(
            who=who,
            seed=seed,
            nights=0,
            gate=GateTerms(),
            workers=1,
            embedder=Memoized(HashedTfidf()),
            folder=Path(folder),
        )
        world = World(terms, Variant(name="home"))
        world.live(0, HISTORY)
        world.harvest()
        world.mine()
        work = next(w for w in world.work() if w.missing is None)
        world.close()
        return [_ran(world, work, run, Path(folder) / f"{number}.db") for number, run in enumerate(runs())]


def _ran(world: World, work: Work, run: Run, path: Path) -> Came:
    shutil.copy(world.root / "sleepd.db", path)
    database = open_database(path)
    ctx = replace(world.ctx("run"), database=database)
    who, seed = world.terms.who.name, world.terms.seed
    ctx = replace(ctx, reflector=_rubbish(who, seed) if run.rubbish else Muddled(ctx.reflector, _rubbish(who, seed)))
    start, truth = world.original(work), Truth(world.terms.who)
    trained = train(ctx, work, start, run.training, run.gate, lambda _: None)
    best = ctx.text(trained.best.address)
    added = tuple(_shorter(start or starting_text(work.target), best))
    tried = [t for step in trained.steps for t in step.trials]
    with database.reading() as connection:
        made = int(connection.exec_driver_sql("SELECT COUNT(*) FROM rollouts").scalar_one())
    database.close()
    path.unlink()
    return Came(
        before=_score(truth, work, start),
        early=_score(truth, work, ctx.text(trained.epochs[0].last)),
        score=_score(truth, work, best),
        idle=sum(_score(truth, work, less) >= _score(truth, work, best) - _NOTHING for _, less in added),
        tokens=sum(edit.tokens(line) for line, _ in added),
        rollouts=made,
        candidates=len({t.candidate.id for t in tried}),
    )


def _score(truth: Truth, work: Work, text: str) -> float:
    tasks = work.usable(Split.TEST)
    return sum(truth.expected(s, text) for s in tasks) / len(tasks)


def _shorter(given: str, best: str) -> Iterator[tuple[str, str]]:
    """Each line that training added, and the best text without it."""
    rows = plaintext.lines(best)
    known = {row.strip() for row in plaintext.lines(given)}
    for n, row in enumerate(rows):
        bare = row.strip()
        if bare and bare not in known and not bare.startswith("<!--"):
            yield bare, "".join([*rows[:n], *rows[n + 1 :]])


def interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Mean and Student's 95 % interval over at least ten values (the quantile to a hundredth)."""
    count, middle = len(values), float(np.mean(values))
    quantile = _Z + (_Z**3 + _Z) / (4 * (count - 1))
    half = quantile * float(np.std(values, ddof=1)) / math.sqrt(count)
    return middle, middle - half, middle + half


def row(name: str, came: Sequence[Came], full: Sequence[Came]) -> str:
    score, low, high = interval([c.score for c in came])
    early = float(np.mean([c.early for c in came]))
    change = interval([100 * (c.score - f.score) for c, f in zip(came, full, strict=True)])
    apart = "–" if came is full else "{:+.1f} [{:+.1f}, {:+.1f}]".format(*change)
    idle, tokens, rollouts, tried = (
        float(np.mean([getattr(c, figure) for c in came])) for figure in ("idle", "tokens", "rollouts", "candidates")
    )
    scores = f"{early:.3f} | {score:.3f} [{low:.3f}, {high:.3f}] | {apart}"
    return f"| {name} | {scores} | {idle:.1f} | {tokens:.0f} | {tried:.1f} | {rollouts:,.0f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--date", required=True)
    parser.add_argument("--seeds", type=int, default=24)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    chosen = parser.parse_args()
    begun = time.monotonic()
    with ProcessPoolExecutor(chosen.processes) as executor:
        homes = list(executor.map(home, range(chosen.first, chosen.first + chosen.seeds)))
    last = chosen.first + chosen.seeds - 1
    print(f"{chosen.date}, seeds {chosen.first} to {last}, {EPOCHS} epochs; {time.monotonic() - begun:.0f} s")
    for line in table(homes):
        print(line)


def table(homes: Sequence[Sequence[Came]]) -> Iterator[str]:
    """The lines of both tables, from what came of each home."""
    by_run = list(zip(*homes, strict=True))
    before, low, high = interval([c.before for c in by_run[0]])
    yield f"before training {before:.3f} [{low:.3f}, {high:.3f}]"
    for rubbish, words in ((False, "two in three proposed edits do nothing or harm"), (True, "all of them do")):
        yield f"\n{words}\n\n{HEAD}"
        some = [(run, came) for run, came in zip(runs(), by_run, strict=True) if run.rubbish is rubbish]
        for run, came in some:
            yield row(run.name, came, some[0][1])


if __name__ == "__main__":
    main()
