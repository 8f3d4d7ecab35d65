"""Attempts at tasks under a text: made once, kept, and never made twice."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass, field
from typing import Protocol

from sleepd.core.check import judge
from sleepd.core.errors import BudgetSpent, NotMeasured
from sleepd.core.model import Cause, Digest, Rollout, RolloutKey, Score, Task, TaskId, Unscored, digest
from sleepd.core.ports import Ask, Embedder, Failure, Model, Reply
from sleepd.core.schedule import of_candidate, of_live_text
from sleepd.core.score import Metric, score
from sleepd.models.metered import Ledger
from sleepd.pipeline.prompts import rollout_ask, rollout_version
from sleepd.store import rollouts
from sleepd.store.database import Database
from sleepd.store.tasks import StoredTask

_SILENT_CALLS = 8
"""So many calls in a row without an answer, all under the live text, are an outage."""


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
    notes: str = ""
    """Strategy notes: what earlier epochs taught about proposing edits. For reflections only; no rollout sees them."""
    beside: str = ""
    """The files that the skill file under trial names (`pipeline.beside`); rollouts and reflections see them."""
    ledger: Ledger | None = None
    """The account that both models are charged to; None where nobody counts."""
    texts: dict[Digest, str] = field(default_factory=dict)
    """Texts already read, by address."""
    made: dict[RolloutKey, Rollout] = field(default_factory=dict)
    """Rollouts already read or made: candidates of one night share their baseline."""

    @property
    def replay_key(self) -> str:
        """What else besides text, task and judge makes rollouts exchangeable: model, parameters, our prompt, files."""
        read = f":beside={digest(self.beside)[:8]}" if self.beside else ""
        return f"{self.model.key}:max={self.max_tokens}:prompt={rollout_version()}{read}"

    def text(self, address: Digest) -> str:
        if address not in self.texts:
            with self.database.reading() as connection:
                self.texts[address] = rollouts.text(connection, address)
        return self.texts[address]


class Question(Protocol):
    """Something else that is asked about a task's request than to do it."""

    @property
    def judge(self) -> Digest:
        """What makes two answers exchangeable, besides the text."""
        ...

    def ask(self, task: Task, text: str, sample: int) -> Ask: ...

    def score(self, answer: str) -> Score | Unscored: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A rollout that is wanted."""

    task: StoredTask
    text: Digest
    sample: int
    question: Question | None = None
    """None: the task itself."""

    def judge(self, metric: Metric) -> Digest:
        """Whose score it is; the metric is part of a task's."""
        return self.question.judge if self.question else Digest(f"{metric}:{judge(self.task.checks)}")


def key(bench: Bench, order: Order) -> RolloutKey:
    """What the rollout is kept under."""
    return RolloutKey(
        task_id=order.task.task.id,
        text=order.text,
        model=bench.replay_key,
        judge=order.judge(bench.metric),
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
            known.update(rollouts.load(connection, unread, bench.night_id))
    todo = {k: order for k, order in zip(keys, orders, strict=True) if k not in known}
    failed: Failure | None = None
    held: dict[RolloutKey, Rollout] = {}
    with ThreadPoolExecutor(max_workers=bench.workers) as executor, closing(_attempts(bench, executor, todo)) as groups:
        for ready in groups:
            # An outage says nothing about the text and is not kept.
            outages = [o for o in ready.values() if isinstance(o, Failure) and o.cause.outside]
            failed = next(iter(outages), failed)
            held |= {k: _rollout(bench, k, todo[k], o) for k, o in ready.items() if o not in outages}
            if any(_answered(k, o) for k, o in ready.items()):
                _keep(bench, held)
    if failed is not None:
        _keep(bench, {k: r for k, r in held.items() if isinstance(r.result, Score) or of_candidate(k.sample)})
        raise outage(failed)
    _keep(bench, held)
    return [known[k] for k in keys]


def _answered(k: RolloutKey, outcome: Reply | Failure) -> bool:
    """Whether the outcome shows that the model is there, so that failures beside it are about what was asked."""
    return isinstance(outcome, Reply) or (of_candidate(k.sample) and not outcome.cause.outside)


def _keep(bench: Bench, held: dict[RolloutKey, Rollout]) -> None:
    with bench.database.writing() as connection:
        rollouts.save(connection, list(held.values()), bench.night_id)
    bench.made.update(held)
    held.clear()


def outage(failure: Failure) -> NotMeasured | BudgetSpent:
    """The error that ends a night for a reason outside the text."""
    if failure.cause is Cause.SPENT:
        return BudgetSpent(failure.message)
    return NotMeasured(failure.message, failure.retry_at)


def _attempts(
    bench: Bench, executor: Executor, todo: Mapping[RolloutKey, Order]
) -> Generator[dict[RolloutKey, Reply | Failure], None, None]:
    """The outcomes as they come in: each time, all that are there by then."""
    stop: list[Failure] = []
    silent: list[Failure] = []

    def attempt(order: Order) -> Reply | Failure:
        # After the first outage the remaining calls would only fail, or cost, as well.
        if stop:
            return stop[0]
        outcome = ask_once(bench.model, _ask(bench, order))
        if isinstance(outcome, Reply):
            silent.clear()
        elif outcome.cause.outside:
            stop.append(outcome)
        elif of_live_text(order.sample):
            silent.append(outcome)
            if len(silent) >= _SILENT_CALLS:
                # The text that everybody uses every day is not what keeps the model from answering at all.
                stop.append(_silence(outcome))
                return stop[0]
        return outcome

    pending = {executor.submit(attempt, order): k for k, order in todo.items()}
    try:
        while pending:
            done, _ = wait(pending, return_when=FIRST_COMPLETED)
            yield {pending.pop(future): future.result() for future in done}
    finally:
        # When the night is ended in the middle, calls that were not begun are not paid for.
        for future in pending:
            future.cancel()


def _silence(last: Failure) -> Failure:
    said = f"{_SILENT_CALLS} calls in a row gave no answer ({last.cause}): {last.message}"
    return Failure(cause=Cause.NETWORK, message=said)


def _ask(bench: Bench, order: Order) -> Ask:
    if order.question is not None:
        return order.question.ask(order.task.task, bench.text(order.text), order.sample)
    text = "\n\n".join(filter(None, (bench.text(order.text), bench.beside)))
    return rollout_ask(order.task.task, text, order.sample, bench.max_tokens)


def ask_once(model: Model, ask: Ask) -> Reply | Failure:
    """What came of asking; an adapter that breaks is one failure."""
    try:
        return model.ask(ask)
    except Exception as error:  # noqa: BLE001 - a defect of an adapter costs one rollout, not the night
        return Failure(cause=Cause.MALFORMED, message=f"the model adapter broke: {type(error).__name__}: {error}")


def _rollout(bench: Bench, k: RolloutKey, order: Order, outcome: Reply | Failure) -> Rollout:
    match outcome:
        case Reply():
            return Rollout(
                key=k,
                result=order.question.score(outcome.text)
                if order.question
                else score(outcome.text, order.task.checks, bench.metric),
                answer=outcome.text,
                tokens_in=outcome.tokens_in,
                tokens_out=outcome.tokens_out,
                cost_usd=outcome.cost_usd,
            )
        case Failure():
            return Rollout(key=k, result=Unscored(cause=outcome.cause, reason=outcome.message), answer="")


def by_task(tasks: Sequence[StoredTask]) -> dict[TaskId, StoredTask]:
    return {stored.task.id: stored for stored in tasks}
