"""Attempts at tasks under a text: made once, kept, and never made twice."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

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

T = TypeVar("T")

_SILENT_CALLS = 8
"""So many calls in a row without an answer, all under the live text, are an outage."""
REPLAYERS: Mapping[str, Callable[[Model], Replayer]] = {Replay.TEXT: TextReplayer, Replay.TRIGGER: TriggerReplayer}
"""The built-in ones, from the task model, as they are registered in `sleepd.replayers`."""
JUDGES: Mapping[str, Callable[[Model], Judge]] = {"checks": CheckJudge, "trigger": TriggerJudge}
"""The built-in ones, from the reflection model, as they are registered in `sleepd.judges`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownText:
    """A text under trial."""

    address: Digest
    body: str
    """All that a replay shows of the text, with the files that it names."""


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
        shown = ShownText(address=text, body=body)
        return self.request_of(Replay.TEXT, task, shown, self.criteria(task), sample)

    def request_of(
        self, replay: Replay, task: StoredTask, text: ShownText, criteria: Criteria, sample: Sample
    ) -> RolloutRequest:
        """The request for any kind of replay."""
        key = RolloutKey(
            task_id=task.task.id,
            text=text.address,
            model=self.replay_key,
            judge=criteria.identity,
            replay=replay,
            sample=sample,
        )
        return RolloutRequest(key=key, task=task.task, text=text.body, criteria=criteria, max_tokens=self.max_tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a stage asks for before it goes on."""

    requests: Sequence[RolloutRequest]
    """Their rollouts are sent to it, in this order."""
    ahead: Sequence[RolloutRequest] = ()
    """Those are begun as well, behind the others, and asked for in some later turn: so that no worker waits while the
    stage reckons, or for the last calls of a turn. What is begun ahead must follow from earlier turns alone, never from
    what happens to be there: then a night has the same rows for any number of workers."""


Rollouts = Generator[Wanted, Sequence[Rollout], T]
"""A stage of a night: hands out what it wants, is sent the rollouts, and comes to a result. `drive` runs it."""


def run_all(ctx: RunContext, requests: Sequence[RolloutRequest]) -> Sequence[Rollout]:
    """The rollouts, in the order asked for; those made before are read, the others are made and kept.

    Raises `NotMeasured` or `BudgetSpent` as `drive` does.
    """
    return drive(ctx, at_once(requests))


def at_once(requests: Sequence[RolloutRequest]) -> Rollouts[Sequence[Rollout]]:
    """The stage that wants all of these, and comes to their rollouts."""
    return (yield Wanted(requests=requests))


def drive(ctx: RunContext, stage: Rollouts[T]) -> T:
    """Run a stage to its result; rollouts made before are read, the others are made and kept.

    Raises `NotMeasured` or `BudgetSpent` when a call failed for a reason outside the text. Each rollout is kept as soon
    as it is there, so that the next run goes on from there, also after a kill.
    """
    known, begun = ctx.made, set[RolloutKey]()
    replayers: dict[str, Replayer] = {}
    judges: dict[str, Judge] = {}
    held: dict[RolloutKey, Rollout] = {}
    calls = _Calls()
    with ctx.executor(ctx.workers) as executor:
        try:
            wanted = next(stage)
            while True:
                unread = [r.key for r in (*wanted.requests, *wanted.ahead) if r.key not in known and r.key not in begun]
                if unread:
                    with ctx.database.reading() as connection:
                        known.update(rollouts.load(connection, unread, ctx.run))
                for request in (*wanted.requests, *wanted.ahead):
                    if request.key in known or request.key in begun or calls.outage is not None:
                        continue
                    kind, name = request.key.replay, request.criteria.judge
                    replayer = replayers.get(kind) or replayers.setdefault(kind, ctx.replayers[kind](ctx.model))
                    judge = judges.get(name) or judges.setdefault(name, ctx.judges[name](ctx.reflector))
                    begun.add(request.key)
                    calls.add(executor.submit(perform, replayer, judge, request), request)
                missing = {r.key for r in wanted.requests if r.key not in known}
                while calls.ended is not None or not missing <= held.keys():
                    ready = calls.next_ready()
                    if not ready:
                        break
                    made: dict[RolloutKey, Rollout] = {}
                    for request, outcome in ready:
                        if isinstance(outcome, Rollout):
                            made[request.key] = outcome
                        elif not outcome.cause.outside:
                            # A cause that the text may have leaves a rollout without a score.
                            gone = Unscored(cause=outcome.cause, reason=outcome.message)
                            made[request.key] = Rollout(key=request.key, result=gone, answer="")
                    held |= made
                    # An answer shows that the model is there, so that failures beside it are about what was asked.
                    if any(r.answer or r.key.sample.purpose is Purpose.CANDIDATE for r in made.values()):
                        _keep(ctx, held)
                        missing -= known.keys()
                if calls.ended is not None:
                    final = (
                        r
                        for r in held.values()
                        if not isinstance(r.result, Unscored) or r.key.sample.purpose is Purpose.CANDIDATE
                    )
                    _keep(ctx, {r.key: r for r in final})
                    raise outage(calls.ended)
                _keep(ctx, held)
                wanted = stage.send([known[r.key] for r in wanted.requests])
        except StopIteration as end:
            result: T = end.value
            return result
        finally:
            # When the night is ended in the middle, calls that were not begun are not paid for.
            calls.cancel()
            stage.close()


class _Calls:
    """The calls under way. Finds out that calls go unanswered for a reason outside the text; then none is begun."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._silent = 0
        self._pending: dict[Future[Rollout | Failure], RolloutRequest] = {}
        self.outage: Failure | None = None
        self._waiting: Failure | None = None
        """Somebody has to answer; nothing speaks against handing over the other prompts as well."""

    @property
    def ended(self) -> Failure | None:
        """Why the night cannot go on; None when nothing speaks against it."""
        return self.outage or self._waiting

    def add(self, future: Future[Rollout | Failure], request: RolloutRequest) -> None:
        self._pending[future] = request
        future.add_done_callback(partial(self._note, request))

    def cancel(self) -> None:
        """Cancel the calls that were not begun."""
        for future in tuple(self._pending):
            future.cancel()

    def next_ready(self) -> list[tuple[RolloutRequest, Rollout | Failure]]:
        """The outcomes that came in since the last time, at least one, in the order of the calls; waits for it. [] when
        no call is under way."""
        while self._pending:
            done, _ = wait(self._pending, return_when=FIRST_COMPLETED)
            some = [(future, self._pending.pop(future)) for future in tuple(self._pending) if future in done]
            ready = [(request, future.result()) for future, request in some if not future.cancelled()]
            if ready:
                return ready
        return []

    def _note(self, request: RolloutRequest, future: Future[Rollout | Failure]) -> None:
        # Called before a thread takes its next call, so that a call that would only fail, or cost, is not made.
        if future.cancelled():
            return
        if future.exception() is not None:
            self.cancel()
            return
        outcome = future.result()
        with self._lock:
            if isinstance(outcome, Rollout):
                self._silent = 0
            elif outcome.cause is Cause.WAITING:
                self._waiting = max(self._waiting or outcome, outcome, key=lambda failure: failure.waiting)
            elif outcome.cause.outside:
                self.outage = self.outage or outcome
            elif request.key.sample.purpose.of_live_text:
                # The text that everybody uses every day is not what keeps the model from answering at all.
                self._silent += 1
                if self._silent >= _SILENT_CALLS:
                    said = f"{_SILENT_CALLS} calls in a row gave no answer ({outcome.cause}): {outcome.message}"
                    self.outage = self.outage or Failure(cause=Cause.NETWORK, message=said)
        if self.outage is not None:
            self.cancel()


def perform(replayer: Replayer, judge: Judge, request: RolloutRequest) -> Rollout | Failure:
    """Replay and judge one request, wherever the executor runs it."""
    try:
        outcome = replayer.replay(request)
        if isinstance(outcome, Failure):
            return outcome
        result = judge.judge(request, outcome)
    except Exception as error:  # noqa: BLE001 - a defect of an adapter costs one rollout, not the night
        return broken(error)
    if isinstance(result, Failure):
        return result
    return Rollout(key=request.key, result=result, answer=outcome.answer, usage=outcome.usage)


def broken(error: BaseException) -> Failure:
    """The failure of an adapter that breaks."""
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


def _keep(ctx: RunContext, held: dict[RolloutKey, Rollout]) -> None:
    if held:
        with ctx.database.writing() as connection:
            rollouts.save(connection, list(held.values()), ctx.run)
    ctx.made.update(held)
    held.clear()
