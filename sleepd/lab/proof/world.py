"""One simulated home, and the shipped pipeline over it. The pipeline is not told that anything is simulated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sleepd import registry
from sleepd.core.errors import Conflict
from sleepd.core.experiment import Rule
from sleepd.core.model import Digest, RunId
from sleepd.core.ports import Embedder, Model
from sleepd.models.settings import ModelSettings
from sleepd.pipeline.adopt import WriteResult, adopt, revert
from sleepd.pipeline.ingest import ingest
from sleepd.pipeline.mine import kinds_of_work, mine
from sleepd.pipeline.night import NightPlan, night_id, run_night
from sleepd.pipeline.optimize import OptimizerTerms
from sleepd.pipeline.rollout import RunContext
from sleepd.pipeline.route import by_meaning
from sleepd.pipeline.trial import GateTerms
from sleepd.pipeline.unread import IngestReport, Sources
from sleepd.pipeline.work import Surroundings, Work, find_work
from sleepd.settings.sections import HarvestConfig, MineConfig
from sleepd.simulate.life import Corrections, Days, live
from sleepd.simulate.personas import Persona
from sleepd.simulate.transcripts import write
from sleepd.store import proposals, tasks
from sleepd.store.database import open_database
from sleepd.store.nights import Night
from sleepd.store.proposals import Proposal, Status, Trial

BEGIN = datetime(2026, 3, 2, 8, tzinfo=UTC)
HISTORY = 120
"""Sessions before the first night."""
HISTORY_END = BEGIN + timedelta(hours=3 * HISTORY)
LATER = 150
"""Sessions that come after all nights, with parameters that did not occur before."""
MINING = MineConfig(split_val=0.28, split_test=0.3)
"""More sealed tasks than by default, so that the figures over later sessions rest on enough of them."""
_PAIRS = 800


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What all worlds of one proof-run have in common."""

    who: Persona
    seed: int
    nights: int
    alpha: float
    rule: Rule
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
    """A home with transcripts and a database. Only `model` knows the persona."""

    def __init__(self, terms: Terms, variant: Variant) -> None:
        self.terms = terms
        self.variant = variant
        self.root = terms.folder / variant.name
        self.home = self.root / "home"
        self.project = self.home / terms.who.project
        self.project.mkdir(parents=True)
        self.database = open_database(self.root / "sleepd.db")
        self.surroundings = Surroundings(home=self.home, env={})
        self.model = self._model(terms.who.name)
        self._reflector = self._model(f"{terms.who.name}/{variant.reflection}".rstrip("/"))
        self._write_files()
        self.before = dict(self.files())

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

    def night(self, number: int) -> Night:
        """Run one night, some days after the history."""
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
        return run_night(self.ctx(night_id(self.database, plan.scope, plan.date)), plan, lambda: now)

    @property
    def gate(self) -> GateTerms:
        """The gate of this run: its rule and its level."""
        return GateTerms(rule=self.terms.rule, alpha=self.terms.alpha, pairs_per_night=self.variant.pairs)

    def ctx(self, night: str) -> RunContext:
        return RunContext(
            database=self.database,
            embedder=self.terms.embedder,
            model=self.model,
            reflector=self._reflector,
            workers=self.terms.workers,
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

    def _model(self, name: str) -> Model:
        return registry.model("simulated")(ModelSettings(name="simulated", model=name, seed=self.terms.seed))

    def _write_files(self) -> None:
        """What is in the project before anything happens: a file of the person's, and the skill if there is one."""
        who = self.terms.who
        (self.project / "README.md").write_text(f"# {who.project}\n", encoding="utf-8", newline="\n")
        if who.skill is not None:
            path = self.project / ".claude" / "skills" / who.skill / "SKILL.md"
            path.parent.mkdir(parents=True)
            path.write_text(who.skill_text, encoding="utf-8", newline="\n")
