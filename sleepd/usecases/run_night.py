"""One night from the outside: lock, back up, harvest, run; or only its plan and cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace

import structlog

from sleepd import compose
from sleepd.compose import Adapters
from sleepd.core.errors import BudgetSpent, NotMeasured, SleepdError
from sleepd.core.lesson import PAST, LessonState
from sleepd.core.model import Cause, RunId
from sleepd.core.ports import Ask, Failure
from sleepd.host import clock, locks, log
from sleepd.models import prices
from sleepd.models.metered import Ledger
from sleepd.pipeline.night import Outlook, night_id, outlook, run_night, spent
from sleepd.pipeline.work import Work, live_text
from sleepd.settings.places import Places
from sleepd.settings.settings import Settings
from sleepd.store import nights, proposals
from sleepd.store.database import Database
from sleepd.store.nights import Night, NightStatus
from sleepd.store.proposals import Proposal
from sleepd.usecases import harvest_sessions, judging, night_folder, night_lessons
from sleepd.usecases.harvest_sources import Named
from sleepd.usecases.run_options import RunOptions, RunProgress
from sleepd.views.night_result import NightEstimate, NightPreview, NightResult

_CHARS_PER_TOKEN = 4
_TYPICAL_ANSWER_TOKENS = 400
_FRAME_TOKENS = 100
"""Tokens of the prompt around the skill text and the request."""
_RECENT = 1_000


def run(
    places: Places,
    settings: Settings,
    options: RunOptions,
    progress: RunProgress,
    stopped: Callable[[], bool] | None = None,
    *,
    once: bool = False,
) -> NightResult:
    """Run one night now, or go on with the one of today that was not finished.

    Raises `UsageError` before anything is read when no model is chosen; `Busy` when another night is running;
    `AlreadyRun` for a night that is to run `once`. An outage and a spent budget are no errors: the night's status says
    them. `stopped` is asked before each model call.
    """
    with night_tools(places, settings, stopped) as tools:
        database, ledger = tools.database, tools.adapters.ledger
        if once:
            settled = (NightStatus.DONE, NightStatus.BUDGET_SPENT)
            with database.reading() as connection:
                known = nights.nights(connection, _RECENT)
            if any((n.scope, n.date) == (options.scope, options.date) and n.status in settled for n in known):
                raise AlreadyRun
        logger = structlog.get_logger()
        today = clock.local_date(clock.now())
        date = options.date or today
        database.backup(today)
        harvested = harvest_sessions.harvest(places, database, settings, Named(), progress.files)
        id_ = night_id(database, options.scope, date)
        with log.in_night(id_):
            logger.info("night.started", scope=options.scope)
            progress.say("looking for recurring work")
            judging.judge_checks(database, settings.lessons)
            # The limits of the settings hold for a night, however often it was continued.
            before = spent(database, id_)
            dollars = before.cost_usd
            if dollars is None:
                price = compose.price(settings.model)
                dollars = 0.0 if price is None else price.of(before.tokens_in, before.tokens_out)
            ledger.resume(
                calls=0 if "night.max_calls" in options.fresh else before.calls,
                usd=0.0 if "night.budget_usd" in options.fresh else dollars,
            )
            plan = compose.plan(settings, options.scope, date, options.skill)
            ctx = compose.context(settings, database, tools.adapters, RunId(id=id_))
            night = run_night(ctx, plan, clock.now, progress.step)
            staged = staged_in(database, id_)
            for proposal in staged:
                logger.info("proposal.staged", proposal=proposal.id, status=proposal.status.value)
            logger.info("night.ended", status=night.status.value, message=night.message)
            ran = NightResult(night=night, harvest=harvested, spending=ledger.spending(), proposals=staged)
            # The night is over and its rows are kept: a full disk changes nothing of it.
            try:
                night = night_lessons.remember(database, night, settings.lessons)
                night = night_folder.remember(database, night, settings)
                return replace(ran, night=night, page=night_folder.keep(places, database, night.id))
            except SleepdError as error:
                logger.warning("folder.refused", reason=str(error))
                again = f"then `sleepd show {night.id} --html` writes it"
                return replace(ran, unwritten=f"the night is kept, its report could not be written: {error}; {again}")


class AlreadyRun(Exception):
    """The night of this date is done, or its budget is spent."""


def run_due(places: Places, settings: Settings, options: RunOptions) -> NightResult | None:
    """As `run`, for a night that the clock starts: None when another process finished the date's night meanwhile. Only
    the holder of the lock can know this: of two schedulers at once the second finds the night done."""
    try:
        return run(places, settings, options, RunProgress(), once=True)
    except AlreadyRun:
        return None


def preview(places: Places, settings: Settings, options: RunOptions, progress: RunProgress) -> NightPreview:
    """Harvest, mine and return the plan and its cost. No model can be called."""
    with (
        closing(compose.embedder(settings)) as embedded_by,
        closing(compose.database(places)) as database,
        locks.night(places, settings.night.lock_wait_s),
    ):
        harvested = harvest_sessions.harvest(places, database, settings, Named(), progress.files)
        progress.say("looking for recurring work")
        date = clock.local_date(clock.now())
        id_ = night_id(database, options.scope, date)
        nobody = Adapters(embedder=embedded_by, task=_NoCalls(), reflection=_NoCalls(), ledger=Ledger())
        ctx = compose.context(settings, database, nobody, RunId(id=id_))
        seen = outlook(ctx, compose.plan(settings, options.scope, date, options.skill))
        judged = judging.judge_checks(database, settings.lessons, looked_at=True)
    return NightPreview(
        night_id=id_,
        outlook=seen,
        harvest=harvested,
        estimate=estimate(seen, settings),
        lessons=tuple(one for one in judged if one.lesson.state not in (LessonState.REJECTED, *PAST)),
    )


def estimate(seen: Outlook, settings: Settings) -> NightEstimate:
    """The number of calls of an outlook, within the set limit."""
    calls = min(seen.calls, settings.night.max_calls or seen.calls)
    # The most expensive skill's rollouts stand for all: it is a bound, not a bill.
    each = [_tokens_of(share.work, settings.model.max_tokens) for share in seen.chosen] or [(0, 0)]
    tokens_in, tokens_out = calls * max(t for t, _ in each), calls * max(t for _, t in each)
    price = compose.price(settings.model)
    listed = price is not None and price == compose.listed_price(settings.model) != compose.stated_price(settings.model)
    return NightEstimate(
        calls=calls,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost_usd=None if price is None else price.of(tokens_in, tokens_out),
        price_source=prices.source() if listed else None,
    )


class _NoCalls:
    """Takes the model's place when no model may be called."""

    key = "none"

    def ask(self, ask: Ask) -> Failure:  # noqa: ARG002 - the port's signature
        return Failure(cause=Cause.SPENT, message="a dry run asks no model")


@dataclass(frozen=True, slots=True, kw_only=True)
class NightTools:
    """What a night works with."""

    database: Database
    adapters: Adapters


@contextmanager
def night_tools(places: Places, settings: Settings, stopped: Callable[[], bool] | None = None) -> Iterator[NightTools]:
    """The tools of a night, while no other night is running: models, embedder, database. All are closed at the end.

    Raises `UsageError` when no model is chosen, before anything is opened; `Busy` when another night is running.
    """
    with (
        compose.adapters(settings, stopped) as adapters,
        locks.night(places, settings.night.lock_wait_s),
        closing(compose.database(places)) as database,
    ):
        yield NightTools(database=database, adapters=adapters)


def staged_in(database: Database, night: str) -> tuple[Proposal, ...]:
    """The proposals of one night."""
    with database.reading() as connection:
        return tuple(p for p in proposals.proposals(connection) if p.night_id == night)


def check_measured(night: Night) -> None:
    """Raises `NotMeasured` or `BudgetSpent` for a night that did not finish; finished work is kept."""
    if night.status is NightStatus.NOT_MEASURED:
        raise NotMeasured(f"{night.message}; finished work is kept, and the same command continues")
    if night.status is NightStatus.BUDGET_SPENT:
        raise BudgetSpent(f"{night.message} (paid work is kept)")


def _tokens_of(work: Work, most: int) -> tuple[int, int]:
    """Tokens in and out of a typical rollout, guessed from the past requests and the answers that were accepted."""
    requests = [len(s.task.request) + len(s.task.context) for s in work.tasks]
    answers = [len(s.task.accepted.answer) for s in work.tasks if s.task.accepted is not None]
    sent = sum(requests) // max(1, len(requests)) + len(live_text(work.target))
    said = sum(answers) // len(answers) // _CHARS_PER_TOKEN if answers else _TYPICAL_ANSWER_TOKENS
    return sent // _CHARS_PER_TOKEN + _FRAME_TOKENS, min(most, said)
