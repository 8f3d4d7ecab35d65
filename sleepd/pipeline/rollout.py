"""Attempts at tasks under a text: made once, kept, and never made twice."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass, field
from typing import ParamSpec, TypeVar

from sleepd.core.errors import BudgetSpent, NotMeasured
from sleepd.core.evidence import Given, Place
from sleepd.core.model import (
    Cause,
    Digest,
    Purpose,
    Replay,
    Rollout,
    RolloutKey,
    RunId,
    Sample,
    Score,
    TaskId,
    Unscored,
    digest,
)
from sleepd.core.ports import Criteria, Embedder, Failure, Judge, Model, Replayer, RolloutRequest
from sleepd.core.score import CheckCriteria, Metric
from sleepd.host.account import Account
from sleepd.judges.checks import CheckJudge
from sleepd.judges.trigger import TriggerJudge
from sleepd.models.metered import Ledger
from sleepd.replayers.text import TextReplayer, prompt_version
from sleepd.replayers.trigger import TriggerReplayer
from sleepd.store import rollouts
from sleepd.store.database import Database
from sleepd.store.tasks import StoredTask

_T = TypeVar("_T")
_P = ParamSpec("_P")
_SILENT_CALLS = 8
"""So many calls in a row without an answer, all under the live text, are an outage."""
REPLAYERS: Mapping[str, Callable[[Model], Replayer]] = {Replay.TEXT: TextReplayer, Replay.TRIGGER: TriggerReplayer}
"""The built-in ones, from the task model, as they are registered in `sleepd.replayers`."""
JUDGES: Mapping[str, Callable[[Model], Judge]] = {"checks": CheckJudge, "trigger": TriggerJudge}
"""The built-in ones, from the reflection model, as they are registered in `sleepd.judges`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContext:
    """Everything a run measures with."""

    database: Database
    embedder: Embedder
    model: Model
    reflector: Model
    metric: Metric = Metric.SOFT
    workers: int = 2
    executor: Callable[[int], Executor] = ThreadPoolExecutor
    """Makes what calls run on, from the number of workers: threads, processes, or another machine's."""
    replayers: Mapping[str, Callable[[Model], Replayer]] = field(default_factory=lambda: REPLAYERS)
    judges: Mapping[str, Callable[[Model], Judge]] = field(default_factory=lambda: JUDGES)
    max_tokens: int = 2_000
    run: RunId
    notes: str = ""
    """Strategy notes: what earlier epochs taught about proposing edits. For reflections only; no rollout sees them."""
    companions: str = ""
    """The files that the skill file under trial names (`pipeline.companions`); rollouts and reflections see them."""
    ledger: Ledger | None = None
    """The account that both models are charged to; None where nobody counts."""
    account: Account | None = None
    """The account of levels, outside of the database; None where the database is all there is, as in a simulation."""
    texts: dict[Digest, str] = field(default_factory=dict)
    """Texts already read, by address."""
    made: dict[RolloutKey, Rollout] = field(default_factory=dict)
    """Rollouts already read or made: candidates of one night share their baseline."""

    @property
    def replay_key(self) -> str:
        """What else besides text, task and judge makes rollouts exchangeable: model, parameters, our prompt, files."""
        read = f":beside={digest(self.companions)[:8]}" if self.companions else ""
        return f"{self.model.key}:max={self.max_tokens}:prompt={prompt_version()}{read}"

    def next_place(self, known: Given) -> Place:
        """The place that the next candidate would be given, after those that the database `known`s, were its rules not
        put into words by the person."""
        return (known if self.account is None else known.or_more(self.account.given())).next()

    def take_place(self, known: Given, candidate: Digest, *, stated: bool) -> Place:
        """As `next_place`, for this candidate: no other one, of whichever database, is given it."""
        if self.account is None:
            return known.next(stated=stated)
        return self.account.take(known, candidate, stated=stated)

    def text(self, address: Digest) -> str:
        if address not in self.texts:
            with self.database.reading() as connection:
                self.texts[address] = rollouts.text(connection, address)
        return self.texts[address]

    def put_text(self, body: str) -> Digest:
        """Keep a text and return its address."""
        with self.database.writing() as connection:
            return rollouts.put_text(connection, body)

    def criteria(self, task: StoredTask) -> CheckCriteria:
        """A task's checks, and how they become one number."""
        return CheckCriteria(checks=task.checks, metric=self.metric)

    def request(self, task: StoredTask, text: Digest, sample: Sample) -> RolloutRequest:
        """The request for a text replay, judged by the task's checks."""
        body = "\n\n".join(filter(None, (self.text(text), self.companions)))
        return self.request_of(Replay.TEXT, task, (text, body), self.criteria(task), sample)

    def request_of(
        self, replay: Replay, task: StoredTask, text: tuple[Digest, str], criteria: Criteria, sample: Sample
    ) -> RolloutRequest:
        """The request for any kind of replay, with the address of the text under trial and all that is shown of it."""
        key = RolloutKey(
            task_id=task.task.id,
            text=text[0],
            model=self.replay_key,
            judge=criteria.identity,
            replay=replay,
            sample=sample,
        )
        return RolloutRequest(key=key, task=task.task, text=text[1], criteria=criteria, max_tokens=self.max_tokens)


def run_all(ctx: RunContext, requests: Sequence[RolloutRequest]) -> list[Rollout]:
    """The rollouts, in the order asked for; those made before are read, the others are made and kept.

    Raises `NotMeasured` or `BudgetSpent` when a call failed for a reason outside the text. Each rollout is kept as soon
    as it is there, so that the next run goes on from there, also after a kill.
    """
    known = ctx.made
    unread = [r.key for r in requests if r.key not in known]
    if unread:
        with ctx.database.reading() as connection:
            known.update(rollouts.load(connection, unread, ctx.run))
    todo = {r.key: r for r in requests if r.key not in known}
    watch = _OutageWatch()
    held: dict[RolloutKey, Rollout] = {}
    with closing(_performed(ctx, todo, watch)) as groups:
        for ready in groups:
            made = {r.key: _kept(r, outcome) for r, outcome in ready if not watch.is_outage(outcome)}
            held |= made
            # An answer shows that the model is there, so that failures beside it are about what was asked.
            if any(r.answer or r.key.sample.purpose is Purpose.CANDIDATE for r in made.values()):
                _keep(ctx, held)
    if watch.outage is not None:
        final = (r for r in held.values() if not isinstance(r.result, Unscored) or _is_final(r))
        _keep(ctx, {r.key: r for r in final})
        raise outage(watch.outage)
    _keep(ctx, held)
    return [known[r.key] for r in requests]


class _OutageWatch:
    """Finds out that calls go unanswered for a reason outside the text. May be told from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._silent = 0
        self.outage: Failure | None = None

    def note(self, request: RolloutRequest, outcome: Rollout | Failure) -> None:
        """Take notice of an outcome, in the order in which they come in."""
        with self._lock:
            if isinstance(outcome, Rollout):
                self._silent = 0
            elif outcome.cause.outside:
                self.outage = self.outage or outcome
            elif request.key.sample.purpose.of_live_text:
                # The text that everybody uses every day is not what keeps the model from answering at all.
                self._silent += 1
                if self._silent >= _SILENT_CALLS:
                    self.outage = self.outage or _silence(outcome)

    def is_outage(self, outcome: Rollout | Failure) -> bool:
        """Whether it says nothing about the text, and is not kept."""
        return isinstance(outcome, Failure) and outcome.cause.outside


def _kept(request: RolloutRequest, outcome: Rollout | Failure) -> Rollout:
    """What is written down of an outcome: a cause that the text may have leaves a rollout without a score."""
    if isinstance(outcome, Rollout):
        return outcome
    return Rollout(key=request.key, result=Unscored(cause=outcome.cause, reason=outcome.message), answer="")


def _is_final(rollout: Rollout) -> bool:
    return rollout.key.sample.purpose is Purpose.CANDIDATE


def perform(replayer: Replayer, judge: Judge, request: RolloutRequest) -> Rollout | Failure:
    """Replay and judge one request, wherever the executor runs it."""
    outcome = guarded(replayer.replay, request)
    if isinstance(outcome, Failure):
        return outcome
    result = guarded(judge.judge, request, outcome)
    if isinstance(result, Failure):
        return result
    return Rollout(key=request.key, result=result, answer=outcome.answer, usage=outcome.usage)


def guarded(call: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T | Failure:
    """What a call to an adapter came to; an adapter that breaks is one failure."""
    try:
        return call(*args, **kwargs)
    except Exception as error:  # noqa: BLE001 - a defect of an adapter costs one rollout, not the night
        return Failure(cause=Cause.MALFORMED, message=f"the model adapter broke: {type(error).__name__}: {error}")


def outage(failure: Failure) -> NotMeasured | BudgetSpent:
    """The error that ends a night for a reason outside the text."""
    if failure.cause is Cause.SPENT:
        return BudgetSpent(failure.message)
    return NotMeasured(failure.message, failure.retry_at)


def mean_score(made: Sequence[Rollout]) -> float | None:
    """The mean score, or None when one could not be scored: leaving it out would choose among the rollouts."""
    values = [r.result.value for r in made if isinstance(r.result, Score)]
    return sum(values) / len(values) if len(values) == len(made) else None


def by_task(tasks: Sequence[StoredTask]) -> dict[TaskId, StoredTask]:
    return {stored.task.id: stored for stored in tasks}


def _performed(
    ctx: RunContext, todo: Mapping[RolloutKey, RolloutRequest], watch: _OutageWatch
) -> Generator[list[tuple[RolloutRequest, Rollout | Failure]], None, None]:
    """The outcomes as they come in: each time, all that are there by then. After an outage nothing more is begun."""
    replayers = {kind: ctx.replayers[kind](ctx.model) for kind in {r.key.replay for r in todo.values()}}
    judges = {name: ctx.judges[name](ctx.reflector) for name in {r.criteria.judge for r in todo.values()}}
    pending: dict[Future[Rollout | Failure], RolloutRequest] = {}

    def cancel() -> None:
        for future in tuple(pending):
            future.cancel()

    def came(future: Future[Rollout | Failure]) -> None:
        # Called before a thread takes its next call, so that a call that would only fail, or cost, is not made.
        if future.cancelled():
            return
        if future.exception() is None:
            watch.note(pending[future], future.result())
        if future.exception() is not None or watch.outage is not None:
            cancel()

    with ctx.executor(ctx.workers) as executor:
        try:
            for request in todo.values():
                if watch.outage is not None:
                    break
                future = executor.submit(
                    perform, replayers[request.key.replay], judges[request.criteria.judge], request
                )
                pending[future] = request
                future.add_done_callback(came)
            left = set(pending)
            while left:
                done, left = wait(left, return_when=FIRST_COMPLETED)
                ready = (
                    [f for f in pending if f in done and not f.cancelled()]
                    if len(done) > 1
                    else [f for f in done if not f.cancelled()]
                )
                yield [(pending[f], f.result()) for f in ready]
        finally:
            # When the night is ended in the middle, calls that were not begun are not paid for.
            cancel()


def _keep(ctx: RunContext, held: dict[RolloutKey, Rollout]) -> None:
    if held:
        with ctx.database.writing() as connection:
            rollouts.save(connection, list(held.values()), ctx.run)
    ctx.made.update(held)
    held.clear()


def _silence(last: Failure) -> Failure:
    said = f"{_SILENT_CALLS} calls in a row gave no answer ({last.cause}): {last.message}"
    return Failure(cause=Cause.NETWORK, message=said)
