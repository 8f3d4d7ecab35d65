"""A small simulated person, and a night over their days."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from harvesters.claude_code import ClaudeCode
from harvesters.codex import Codex
from harvesters.copilot_cli import CopilotCLI
from harvesters.copilot_vscode import CopilotVSCode
from sleepd.core.confirmation import ConfirmationConfig
from sleepd.core.model import RunId
from sleepd.core.ports import Model
from sleepd.models.hashed import HashedTfidf
from sleepd.models.memoized import Memoized
from sleepd.pipeline.ingest import ingest
from sleepd.pipeline.night import NightPlan, night_id, run_night
from sleepd.pipeline.optimize import OptimizerTerms
from sleepd.pipeline.rollout import RunContext
from sleepd.pipeline.trial import AttributionConfig, GateTerms
from sleepd.pipeline.unread import IngestReport, Sources
from sleepd.settings.sections import HarvestConfig, MineConfig
from sleepd.simulate.agent import SimulatedModel
from sleepd.simulate.cast import persona
from sleepd.simulate.life import Days, live
from sleepd.simulate.transcripts import write
from sleepd.skills.surroundings import Surroundings
from sleepd.store.database import Database, open_database
from sleepd.store.nights import Night

BEGIN = datetime(2026, 9, 1, tzinfo=UTC)
NIGHT = datetime(2026, 10, 1, 3, tzinfo=UTC)
_EMBEDDER = Memoized(HashedTfidf())


def new_skill(_requests: Sequence[str], _descriptions: Sequence[str]) -> None:
    """No skill that there is fits: each cluster gets one of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A home with transcripts, a project and a database."""

    folder: Path
    database: Database
    who: str
    gate: GateTerms
    optimizing: OptimizerTerms

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def project(self) -> Path:
        return self.home / persona(self.who).project

    @property
    def sources(self) -> Sources:
        return Sources(harvesters=[ClaudeCode(), Codex(), CopilotCLI(), CopilotVSCode()], env={}, home=self.home)

    @property
    def surroundings(self) -> Surroundings:
        return Surroundings(home=self.home, env={})

    @property
    def model(self) -> Model:
        return SimulatedModel(persona(self.who), seed=1)

    def ingest(self) -> IngestReport:
        return ingest(self.database, self.sources, HarvestConfig())

    def plan(self, date: str = "2026-10-01") -> NightPlan:
        return NightPlan(
            scope="user",
            date=date,
            mining=MineConfig(),
            optimizing=self.optimizing,
            gate=self.gate,
            surroundings=self.surroundings,
        )

    def ctx(self, model: Model | None = None, night: str = "n1", workers: int = 1) -> RunContext:
        model = model or self.model
        return RunContext(
            database=self.database,
            embedder=_EMBEDDER,
            model=model,
            reflector=model,
            run=RunId(id=night),
            workers=workers,
        )

    def night(self, model: Model | None = None, date: str = "2026-10-01") -> Night:
        """Run, or go on with, the night of this date."""
        plan = self.plan(date)
        return run_night(self.ctx(model, night_id(self.database, plan.scope, date)), plan, lambda: NIGHT)

    def rows(self, table: str, *leave_out: str) -> list[dict[str, object]]:
        """A table's rows, in a stable order, without some columns."""
        with self.database.reading() as connection:
            found = connection.exec_driver_sql(f"SELECT * FROM {table}").mappings().all()
        rows = [{k: v for k, v in row.items() if k not in leave_out} for row in found]
        return sorted(rows, key=repr)


@cache
def _empty_database() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "empty.db"
        open_database(path).close()
        return path.read_bytes()


def night_rows(world: World) -> list[dict[str, object]]:
    """Without what tells of the way there: when, and in how many attempts."""
    rows = world.rows("nights", "started_at", "ended_at")
    reports = [json.loads(str(row["report"])) for row in rows]
    kept = [{name: value for name, value in report.items() if "attempt" not in name} for report in reports]
    return [{**row, "report": report} for row, report in zip(rows, kept, strict=True)]


def fresh_database(path: Path) -> Database:
    """An empty database; migrations run once for all tests, since they take half a second."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_empty_database())
    return open_database(path)


def make(folder: Path, who: str = "programmer", sessions: int = 40, **days: object) -> World:
    """A person's days on disk, not ingested yet."""
    world = World(
        folder=folder,
        database=fresh_database(folder / "sleepd.db"),
        who=who,
        # Small rounds, so that a night broken at each of its calls in turn is still quick; bundles are not taken apart.
        gate=GateTerms(
            pairs_per_night=30,
            baseline_samples=2,
            confirmation=ConfirmationConfig(least=1),
            attribution=AttributionConfig(most=0),
        ),
        optimizing=OptimizerTerms(minibatch=4, steps=2),
    )
    world.project.mkdir(parents=True)
    for session in live(persona(who), Days(seed=1, start=BEGIN, sessions=sessions, **days)):  # type: ignore[arg-type]
        write(session, world.home, world.project)
    return world


def copies(original: World, into: Path) -> Callable[[str], World]:
    """Makes copies of a world's database; the home stays shared, since a night changes nothing in it."""
    original.database.backup("start")
    start = original.folder / "backups" / "sleepd-start.db"

    def copy(name: str) -> World:
        folder = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=into))  # two tests may choose one name
        shutil.copy(start, folder / "sleepd.db")
        return replace(original, database=open_database(folder / "sleepd.db"))

    return copy
