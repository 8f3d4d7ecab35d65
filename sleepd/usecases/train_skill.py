"""`sleepd train` and `sleepd eval` from the outside: task set, skill, output folder, limits.

A run has a database of its own in its output folder, and no session of the user's is in it. Its error levels continue
the user's one account.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from sleepd import compose
from sleepd.core.errors import BudgetSpent, NotMeasured, Unwritable, UsageError
from sleepd.core.experiment import VerdictRule
from sleepd.core.model import RunId, RunKind, SkillTarget, Split, digest
from sleepd.host import clock, locks
from sleepd.host.outfile import write_json
from sleepd.pipeline.companions import with_companions
from sleepd.pipeline.enrol import AGENT, enrol
from sleepd.pipeline.evaluate import evaluate
from sleepd.pipeline.night import preflight
from sleepd.pipeline.slow import SlowMode
from sleepd.pipeline.train import TrainingTerms, steps_of, train
from sleepd.pipeline.trained import Step, Trained
from sleepd.pipeline.work import Work
from sleepd.settings.places import Places, make_private
from sleepd.settings.settings import Settings
from sleepd.skills import files, targets
from sleepd.store import rollouts
from sleepd.store.database import Database, open_database
from sleepd.store.tasks import StoredTask
from sleepd.usecases import taskset
from sleepd.usecases.taskset import TaskSet
from sleepd.usecases.training_folder import Folder, Run
from sleepd.views.training_result import EvaluationResult, TrainingResult

FORMAT = "sleepd-training-1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """The options of a run, beyond the settings."""

    folder: Path
    """The task set."""
    skill: Path
    out: Path | None
    """None: a folder below sleepd's state folder, named after task set and skill."""
    training: TrainingTerms = field(default_factory=TrainingTerms)
    resume: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """The length of a run and the order of its items."""

    epochs: int
    steps: int | None
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ends:
    """The work at the end of an epoch, and the end of a run."""

    slow: str
    meta: bool
    appendix: bool
    patience: int
    min_gain: float


def knobs(settings: Settings, course: Course, ends: Ends) -> TrainingTerms:
    """The knobs of a run: those of the settings and of the command."""
    return TrainingTerms(
        epochs=course.epochs,
        steps=course.steps,
        optimizing=compose.optimizing(settings),
        slow=SlowMode(ends.slow),
        meta=ends.meta,
        appendix=ends.appendix,
        patience=ends.patience,
        min_gain=ends.min_gain,
        seed=course.seed,
    )


def run(places: Places, settings: Settings, wish: Wish, told: Callable[[str], None]) -> TrainingResult:
    """Train, or continue a stopped run.

    Raises `UsageError` before anything is spent; `NotMeasured` or `BudgetSpent`; finished work is kept.
    """
    found = taskset.read(wish.folder)
    start = _text(wish.skill)
    out = _out(places, wish, f"{found.name}-{targets.slug(_name(wish.skill))}")
    gate = compose.gate(settings)
    with compose.adapters(settings) as tools, _opened(out, told) as database:
        enrolled = enrol(database, tools.embedder, found.given, settings.mine.near_duplicate)
        work = _work(wish.skill, found, enrolled.tasks)
        few = "1 train item is" if enrolled.retired == 1 else f"{enrolled.retired} train items are"
        notes = [
            *_notes(work, gate.rule),
            *([f"{few} left out as near-duplicates of val/ or test/"] * bool(enrolled.retired)),
        ]
        named = f"train-{digest(start, found.digest)[:8]}"
        ctx = with_companions(
            compose.context(settings, database, tools, RunId(id=named, kind=RunKind.TRAINING)), work.target
        )
        _begin(
            out,
            {
                "format": FORMAT,
                "task_set": str(found.folder),
                "task_set_digest": found.digest,
                "skill": str(wish.skill.expanduser().absolute()),
                "skill_digest": digest(start, ctx.companions),
                "model": ctx.model.key,
                "reflection_model": ctx.reflector.key,
                "embedder": ctx.embedder.key,
                "metric": ctx.metric.value,
                "max_tokens": ctx.max_tokens,
                "training": asdict(wish.training),
                "gate": asdict(gate),
            },
            resume=wish.resume,
        )
        preflight(ctx)
        about = Run(ctx=ctx, work=work, gate=gate)
        trained = _train(about, start, wish.training, Folder(out, about), told)
    return TrainingResult(out=out, trained=trained, spending=tools.ledger.spending(), notes=tuple(notes))


def score(places: Places, settings: Settings, wish: Wish, split: Split, samples: int) -> EvaluationResult:
    """Score a text on one side of a task set, and nothing else.

    Raises `UsageError`, `BudgetSpent`, and `NotMeasured` also when nothing could be scored.
    """
    found = taskset.read(wish.folder)
    text = _text(wish.skill)
    if not found.count(split):
        raise UsageError(f"{found.folder}: it holds no {split} items; choose another side by --split")
    out = _out(places, wish, f"{found.name}-eval")
    with compose.adapters(settings) as tools, _opened(out, None) as database:
        enrolled = enrol(database, tools.embedder, found.given, settings.mine.near_duplicate)
        tasks = tuple(s for s in enrolled.tasks if s.split is split)
        target = _work(wish.skill, found, tasks).target
        run = RunId(id=f"eval-{clock.now().isoformat()}", kind=RunKind.EVALUATION)
        ctx = with_companions(compose.context(settings, database, tools, run), target)
        preflight(ctx)
        with database.writing() as connection:
            address = rollouts.put_text(connection, text)
        with _said_how_to_go_on(out, "the same command continues"):
            made = evaluate(ctx, tasks, address, samples)
    return EvaluationResult(split=split, tasks=tasks, found=made, spending=tools.ledger.spending())


# What a run works with ----------------------------------------------------------------------------------------------


@contextmanager
def _opened(out: Path, told: Callable[[str], None] | None) -> Iterator[Database]:
    if told is not None:
        told("reading the task set")
    try:
        make_private(out)
    except OSError as error:
        raise Unwritable.of(out, error) from error
    with locks.training(out):
        database = open_database(out / "sleepd.db")
        try:
            yield database
        finally:
            database.close()


def _work(skill: Path, found: TaskSet, tasks: tuple[StoredTask, ...]) -> Work:
    path = skill.expanduser().absolute()
    requests = " ".join(targets.slug(found.name).split("-"))
    target = SkillTarget(
        agent=AGENT,
        name=targets.slug(_name(path)),
        path=str(path),
        project="",
        description=targets.when_to_load(requests),
    )
    return Work(target=target, tasks=tasks, frequency=len(tasks), friction=1.0)


def _name(skill: Path) -> str:
    """The name of a skill: for a `SKILL.md` the name of its folder."""
    path = skill.expanduser().absolute()
    return path.parent.name if path.name == targets.SKILL_FILE else path.stem


def _text(skill: Path) -> str:
    file = files.read(skill.expanduser().absolute())
    if file is None:
        raise UsageError(f"{skill}: there is no such file; you may begin with an empty file")
    return file.text


def _out(places: Places, wish: Wish, name: str) -> Path:
    out = wish.out.expanduser().absolute() if wish.out is not None else places.state / "training" / name
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out}: is a file; --out needs a folder")
    return out


def _notes(work: Work, rule: VerdictRule) -> list[str]:
    """Raises `UsageError` when there is nothing to learn from, or not enough for the gate to judge by."""
    if not work.usable(Split.TRAIN) or not work.usable(Split.VAL):
        side = Split.VAL if work.usable(Split.TRAIN) else Split.TRAIN
        raise UsageError(f"the task set has no {side} items to work with; put some into {side}/items.json")
    if work.missing is None:
        return []
    if rule is VerdictRule.EVIDENCE:
        raise UsageError(
            f"{work.missing}; add items to val/ and test/ that are no near-duplicates of one another, or use the "
            "paper's rule, which is no proof: --rule strict"
        )
    return [f"{work.missing}: an acceptance here is no proof"]


# One run ------------------------------------------------------------------------------------------------------------


def _begin(out: Path, config: dict[str, object], *, resume: bool) -> None:
    """Write the configuration, or compare it with that of the run to continue."""
    file = out / "config.json"
    if not file.exists():
        if resume:
            raise UsageError(f"{out}: there is no run to continue; leave --resume out")
        write_json(file, {**config, "started_at": clock.now().isoformat()})
        return
    if not resume:
        raise UsageError(f"{out}: a run is there already; --resume continues it, --out names another folder")
    try:
        before = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{file}: cannot be read any more: {error}; name another folder by --out") from error
    now = json.loads(json.dumps(config, default=str))
    changed = _changed(before, now) if isinstance(before, dict) else ["all of it"]
    if changed:
        raise UsageError(
            f"{out}: this run began with other options ({', '.join(changed)}); give the same ones, or name another "
            "folder by --out"
        )


def _changed(before: dict[str, object], now: dict[str, object]) -> list[str]:
    """`name was x, is y` for each term that differs."""
    out = []
    for name, value in now.items():
        old = before.get(name)
        if isinstance(old, dict) and isinstance(value, dict):
            out += _changed(old, value)
        elif old != value:
            out.append(f"{name} was {old}, is {value}")
    return out


def _train(about: Run, start: str, training: TrainingTerms, folder: Folder, told: Callable[[str], None]) -> Trained:
    last: list[Trained] = []
    total = training.epochs * steps_of(training, about.work)

    def keep(trained: Trained) -> None:
        last[:] = [trained]
        folder.keep(trained)
        if not trained.steps:
            progress = f"training: {total} steps ahead"
        else:
            step: Step = trained.steps[-1]
            progress = f"epoch {step.epoch}, step {step.number}: {step.outcome}"
        told(progress)

    try:
        with _said_how_to_go_on(Path(about.ctx.database.path).parent, "the same command with --resume continues"):
            trained = train(about.ctx, about.work, start, training, about.gate, keep)
    except (NotMeasured, BudgetSpent) as error:
        if last:
            folder.keep(last[0], error.code, str(error))
        raise
    status = "stopped-early" if trained.stopped_early else "done"
    folder.keep(trained, status, "")
    return trained


@contextmanager
def _said_how_to_go_on(out: Path, how: str) -> Iterator[None]:
    try:
        yield
    except BudgetSpent as error:
        limit = str(error).partition(";")[0]
        raise BudgetSpent(f"{limit}; paid work is kept in {out}: {how}") from error
    except NotMeasured as error:
        raise NotMeasured(f"{error}; paid work is kept in {out}: {how}", error.retry_at) from error
