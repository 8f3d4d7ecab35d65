"""Attempts at tasks under a text: made once, kept, and never made twice."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass, field

from sleepd.core.check import judge
from sleepd.core.errors import BudgetSpent, NotMeasured
from sleepd.core.model import Cause, Digest, Rollout, RolloutKey, TaskId, Unscored
from sleepd.core.ports import Ask, Embedder, Failure, Model, Reply
from sleepd.core.score import Metric, score
from sleepd.pipeline.prompts import rollout_ask, rollout_version
from sleepd.store import rollouts
from sleepd.store.database import Database
from sleepd.store.tasks import StoredTask


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """Everything a night measures with."""

    database: Database
    embedder: Embedder
    model: Model
    reflector: Model
    metric: Metric = Metric.SOFT
    workers: int = 2
    max_tokens: int = 2_000
    night_id: str
    texts: dict[Digest, str] = field(default_factory=dict)
    """Texts already read, by address."""
    made: dict[RolloutKey, Rollout] = field(default_factory=dict)
    """Rollouts already read or made: candidates of one night share their baseline."""

    @property
    def replay_key(self) -> str:
        """What else besides text, task and judge makes rollouts exchangeable: model, parameters and our own prompt."""
        return f"{self.model.key}:max={self.max_tokens}:prompt={rollout_version()}"

    def text(self, address: Digest) -> str:
        if address not in self.texts:
            with self.database.reading() as connection:
                self.texts[address] = rollouts.text(connection, address)
        return self.texts[address]


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A rollout that is wanted."""

    task: StoredTask
    text: Digest
    sample: int


def key(bench: Bench, order: Order) -> RolloutKey:
    """What the rollout is kept under; the metric is part of the judge."""
    return RolloutKey(
        task_id=order.task.task.id,
        text=order.text,
        model=bench.replay_key,
        judge=Digest(f"{bench.metric}:{judge(order.task.checks)}"),
        sample=order.sample,
    )


def run_all(bench: Bench, orders: Sequence[Order]) -> list[Rollout]:
    """The rollouts, in the order asked for; those made before are read, the others are made and kept.

    Raises `NotMeasured` or `BudgetSpent` when a call failed for a reason outside the text. Each rollout is kept as soon
    as it is there, so that the next run goes on from there, also after a kill.
    """
    keys = [key(bench, order) for order in orders]
    known = bench.made
    unread = [k for k in keys if k not in known]
    if unread:
        with bench.database.reading() as connection:
            known.update(rollouts.load(connection, unread))
    todo = {k: order for k, order in zip(keys, orders, strict=True) if k not in known}
    failed: Failure | None = None
    with ThreadPoolExecutor(max_workers=bench.workers) as executor, closing(_attempts(bench, executor, todo)) as groups:
        for ready in groups:
            # An outage says nothing about the text and is not kept.
            outages = [o for o in ready.values() if isinstance(o, Failure) and o.cause.outside]
            failed = next(iter(outages), failed)
            made = {k: _rollout(bench, k, todo[k], o) for k, o in ready.items() if o not in outages}
            with bench.database.writing() as connection:
                rollouts.save(connection, list(made.values()), bench.night_id)
            known.update(made)
    if failed is not None:
        raise outage(failed)
    return [known[k] for k in keys]


def outage(failure: Failure) -> NotMeasured | BudgetSpent:
    """The error that ends a night for a reason outside the text."""
    if failure.cause is Cause.SPENT:
        return BudgetSpent(failure.message)
    return NotMeasured(failure.message)


def _attempts(
    bench: Bench, executor: Executor, todo: Mapping[RolloutKey, Order]
) -> Generator[dict[RolloutKey, Reply | Failure], None, None]:
    """The outcomes as they come in: each time, all that are there by then."""
    stop: list[Failure] = []

    def attempt(ask: Ask) -> Reply | Failure:
        # After the first outage the remaining calls would only fail, or cost, as well.
        if stop:
            return stop[0]
        outcome = _ask_once(bench.model, ask)
        if isinstance(outcome, Failure) and outcome.cause.outside:
            stop.append(outcome)
        return outcome

    pending = {executor.submit(attempt, _ask(bench, order)): k for k, order in todo.items()}
    try:
        while pending:
            done, _ = wait(pending, return_when=FIRST_COMPLETED)
            yield {pending.pop(future): future.result() for future in done}
    finally:
        # When the night is ended in the middle, calls that were not begun are not paid for.
        for future in pending:
            future.cancel()


def _ask(bench: Bench, order: Order) -> Ask:
    return rollout_ask(order.task.task, bench.text(order.text), order.sample, bench.max_tokens)


def _ask_once(model: Model, ask: Ask) -> Reply | Failure:
    try:
        return model.ask(ask)
    except Exception as error:  # noqa: BLE001 - a defect of an adapter costs one rollout, not the night
        return Failure(cause=Cause.MALFORMED, message=f"the model adapter broke: {type(error).__name__}: {error}")


def _rollout(bench: Bench, k: RolloutKey, order: Order, outcome: Reply | Failure) -> Rollout:
    match outcome:
        case Reply():
            return Rollout(
                key=k,
                result=score(outcome.text, order.task.checks, bench.metric),
                answer=outcome.text,
                tokens_in=outcome.tokens_in,
                tokens_out=outcome.tokens_out,
                cost_usd=outcome.cost_usd,
            )
        case Failure():
            return Rollout(key=k, result=Unscored(cause=outcome.cause, reason=outcome.message), answer="")


def by_task(tasks: Sequence[StoredTask]) -> dict[TaskId, StoredTask]:
    return {stored.task.id: stored for stored in tasks}
