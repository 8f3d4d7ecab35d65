"""One simulated home, and the shipped pipeline over it. The pipeline is not told that anything is simulated."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import ParamSpec, TypeVar

from sleepd import registry
from sleepd.core.errors import Conflict
from sleepd.core.model import Digest, RunId, Score, Unscored
from sleepd.core.ports import Embedder, Failure, Judge, ReplayOutcome, RolloutRequest
from sleepd.judges.checks import CheckJudge
from sleepd.pipeline.adopt import WriteResult, adopt, revert
from sleepd.pipeline.ingest import ingest
from sleepd.pipeline.mine import kinds_of_work, mine
from sleepd.pipeline.night import NightPlan, night_id, run_night
from sleepd.pipeline.optimize import OptimizerTerms
from sleepd.pipeline.rollout import JUDGES, RunContext
from sleepd.pipeline.route import by_meaning
from sleepd.pipeline.trial import GateTerms
from sleepd.pipeline.unread import IngestReport, Sources
from sleepd.pipeline.work import Work, find_work
from sleepd.settings.sections import HarvestConfig, MineConfig
from sleepd.simulate.agent import USUAL, Nature, SimulatedModel
from sleepd.simulate.life import Corrections, Days, live
from sleepd.simulate.personas import Persona
from sleepd.simulate.transcripts import write
from sleepd.skills.surroundings import Surroundings
from sleepd.store import proposals, tasks
from sleepd.store.database import Database, open_database
from sleepd.store.nights import Night
from sleepd.store.proposals import Proposal, Status, Trial

BEGIN = datetime(2026, 3, 2, 8, tzinfo=UTC)
HISTORY = 120
"""Sessions before the first night."""
HISTORY_END = BEGIN + timedelta(hours=3 * HISTORY)
LATER = 110
"""Sessions that come after all nights, with parameters that did not occur before."""
MINING = MineConfig(split_val=0.28, split_test=0.3)
"""More sealed tasks than by default, so that the figures over later sessions rest on enough of them."""
_PAIRS = 800
_VARIES = 0.1
"""From night to night the model does up to so much more unasked, of what it does not do otherwise."""
SLOW = 0.01
"""Share of answers that time out in every world."""
_T = TypeVar("_T")
_P = ParamSpec("_P")


class AtOnce(Executor):
    """Runs each call where it is submitted: the simulated model reckons and waits for nobody."""

    def submit(self, call: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_T]:
        future: Future[_T] = Future()
        future.set_result(call(*args, **kwargs))
        return future


class Remembering:
    """The shipped judge, asked once about each answer: simulated ones are often the same to the letter."""

    def __init__(self, judge: Judge, known: dict[tuple[str, str], Score | Unscored | Failure]) -> None:
        self._judge, self._known = judge, known

    def judge(self, request: RolloutRequest, outcome: ReplayOutcome) -> Score | Unscored | Failure:
        at = (request.key.judge, outcome.answer)
        if at not in self._known:
            self._known[at] = self._judge.judge(request, outcome)
        return self._known[at]


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What all worlds of one proof-run have in common."""

    who: Persona
    seed: int
    nights: int
    gate: GateTerms
    """What all candidates of the run must show; a world may set how many pairs a night draws."""
    workers: int
    embedder: Embedder
    folder: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """What is different about one world."""

    name: str
    corrections: Corrections = Corrections.WORDED
    poisoned: bool = False
    recall_k: int = 12
    reflection: str = ""
    """A variant of the simulated reflection."""
    edit_budget: int = 4
    steps: int = 3
    pairs: int = _PAIRS


class World:
    """A home with transcripts and a database. Only the model knows the persona."""

    def __init__(self, terms: Terms, variant: Variant, *, of: World | None = None) -> None:
        """A new home; or, with `of`, that world's home as it is and all that its database holds by now.

        Worlds that share a home are used one after the other; `anew` begins with the files of the first day.
        """
        self.terms = terms
        self.variant = variant
        self.root = terms.folder / variant.name
        self.home: Path = self.root / "home" if of is None else of.home
        self.project = self.home / terms.who.project
        if of is None:
            self.project.mkdir(parents=True)
            # What is in the project before anything happens: a file of the person's, and the skill if there is one.
            who = self.terms.who
            (self.project / "README.md").write_text(f"# {who.project}\n", encoding="utf-8", newline="\n")
            if who.skill is not None:
                path = self.project / ".claude" / "skills" / who.skill / "SKILL.md"
                path.parent.mkdir(parents=True)
                path.write_text(who.skill_text, encoding="utf-8", newline="\n")
            self.before = dict(self.files())
            empty = terms.folder / "new.db"
            if not empty.exists():
                open_database(empty).close()
            shutil.copy(empty, self.root / "sleepd.db")
        else:
            self.before = of.before
            self.root.mkdir(parents=True)
            shutil.copy(of.database.backup("shared"), self.root / "sleepd.db")
        self.database: Database = open_database(self.root / "sleepd.db")
        self.surroundings = Surroundings(home=self.home, env={})
        self._judged: dict[tuple[str, str], Score | Unscored | Failure] = {}

    def anew(self, variant: Variant) -> World:
        """Another world with this one's history, in which the person has adopted nothing yet."""
        for path, _ in list(self.files()):
            if path not in self.before:
                (self.project / path).unlink()
        for path, data in self.before.items():
            (self.project / path).write_bytes(data)
        return World(self.terms, variant, of=self)

    def live(self, first: int, sessions: int) -> None:
        """Let the person work: the agents write their transcripts."""
        days = Days(
            seed=self.terms.seed,
            start=BEGIN,
            sessions=sessions,
            first=first,
            corrections=self.variant.corrections,
            poisoned=self.variant.poisoned,
        )
        for session in live(self.terms.who, days):
            write(session, self.home, self.project)

    def harvest(self) -> IngestReport:
        names = registry.names("sleepd.harvesters")
        sources = Sources(harvesters=[registry.harvester(n) for n in names], env={}, home=self.home)
        return ingest(self.database, sources, HarvestConfig())

    def mine(self) -> None:
        mine(self.database, self.terms.embedder, MINING)

    def night(self, number: int, nature: Nature | None = None) -> Night:
        """Run one night, some days after the history, with the model as it is that night."""
        now = HISTORY_END + timedelta(days=1 + number)
        plan = NightPlan(
            scope=str(self.project),
            date=now.date().isoformat(),
            mining=MINING,
            optimizing=OptimizerTerms(
                edit_budget=self.variant.edit_budget,
                steps=self.variant.steps,
                recall_k=self.variant.recall_k,
            ),
            gate=self.gate,
            surroundings=self.surroundings,
        )
        if nature is None:
            # No provider's model is the same every night.
            chance = random.Random(f"{self.terms.seed}:{self.terms.who.name}:night {number}")
            nature = Nature(habit=chance.uniform(0, _VARIES), slow=SLOW)
        ctx = self.ctx(night_id(self.database, plan.scope, plan.date), nature)
        return run_night(ctx, plan, lambda: now)

    @property
    def gate(self) -> GateTerms:
        """The gate of this run."""
        return replace(self.terms.gate, pairs_per_night=self.variant.pairs)

    def ctx(self, night: str, nature: Nature = USUAL) -> RunContext:
        """What a night measures with, the model behind its name being of this nature."""
        who, seed, workers = self.terms.who, self.terms.seed, self.terms.workers
        return RunContext(
            database=self.database,
            embedder=self.terms.embedder,
            model=SimulatedModel(who, seed=seed, nature=nature),
            reflector=SimulatedModel(who, seed=seed, variant=self.variant.reflection),
            workers=workers,
            executor=ThreadPoolExecutor if workers > 1 else lambda _: AtOnce(),
            judges={**JUDGES, "checks": lambda model: Remembering(CheckJudge(model), self._judged)},
            run=RunId(id=night),
        )

    def adopt_waiting(self) -> list[WriteResult]:
        """The person adopts whatever waits. What no longer fits the file stays waiting."""
        done = []
        for proposal in self.proposals(Status.WAITING):
            try:
                done.append(adopt(self.database, proposal, self.surroundings, BEGIN))
            except Conflict:
                continue
        return done

    def revert_all(self) -> None:
        """Undo every adoption, the newest first."""
        with self.database.reading() as connection:
            standing = proposals.adoptions(connection, standing=True)
        for adoption in reversed(standing):
            revert(self.database, adoption, self.surroundings, BEGIN)

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Everything in the project's folder, by relative path."""
        for path in sorted(self.project.rglob("*")):
            if path.is_file():
                yield path.relative_to(self.project).as_posix(), path.read_bytes()

    def trials(self) -> tuple[Trial, ...]:
        with self.database.reading() as connection:
            return proposals.trials(connection)

    def pairs(self, trial: Trial) -> int:
        with self.database.reading() as connection:
            return len(proposals.pairs(connection, trial.candidate.id))

    def proposals(self, status: Status | None = None) -> tuple[Proposal, ...]:
        with self.database.reading() as connection:
            return proposals.proposals(connection, status)

    def work(self) -> tuple[Work, ...]:
        with self.database.reading() as connection:
            everything = tasks.load(connection)
        near = by_meaning(self.ctx(""))
        return find_work(kinds_of_work(everything, MINING.min_sessions), self.surroundings, near)

    def text(self, address: Digest) -> str:
        return self.ctx("").text(address)

    def original(self, work: Work) -> str:
        """What stood in a skill's file before the first night."""
        relative = Path(work.target.path).relative_to(self.project).as_posix()
        return self.before.get(relative, b"").decode()

    def close(self) -> None:
        self.database.close()
