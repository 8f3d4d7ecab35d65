"""The one place that knows everyone: from settings to things that work."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sleepd import registry
from sleepd.core.errors import UsageError
from sleepd.host import clock
from sleepd.settings import config
from sleepd.settings.backends import BACKENDS, Backend
from sleepd.settings.places import Places, make_private

if TYPE_CHECKING:
    # Each builder imports what it builds: `sleepd lessons` opens the database, and has no night to wait for.
    from sleepd.core.machine import Host
    from sleepd.core.model import RunId
    from sleepd.core.ports import Embedder, Model
    from sleepd.models.metered import Ledger, Metered
    from sleepd.models.settings import Price
    from sleepd.pipeline.night import NightPlan
    from sleepd.pipeline.optimize import OptimizerTerms
    from sleepd.pipeline.rollout import RunContext
    from sleepd.pipeline.trial import GateTerms
    from sleepd.pipeline.unread import Sources
    from sleepd.settings.sections import ModelConfig
    from sleepd.settings.settings import Settings
    from sleepd.skills.surroundings import Surroundings
    from sleepd.store.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapters:
    """What a run asks, and the account that its calls are charged to."""

    embedder: Embedder
    task: Model
    reflection: Model
    ledger: Ledger


def database(places: Places) -> Database:
    """The user's database, made on first use. Raises `DatabaseDamaged`."""
    from sleepd.store.database import open_database

    make_private(places.database.parent)
    return open_database(places.database)


def sources(settings: Settings, now: datetime, only: Mapping[str, Sequence[Path]] | None = None) -> Sources:
    """The transcripts of the agents that the settings name, or of all known ones."""
    from sleepd.pipeline.unread import Sources
    from sleepd.settings.values import window

    reach = window(settings.harvest.since) if settings.harvest.since is not None else None
    return Sources(
        harvesters=[registry.harvester(n) for n in settings.harvest.agents or registry.names("sleepd.harvesters")],
        env=config.agent_env(),
        home=config.home(),
        since=now - reach if reach is not None else None,
        only=only or {},
    )


def embedder(settings: Settings) -> Embedder:
    """The embedder that the settings name; it starts nothing before it is used."""
    from sleepd.models.memoized import Memoized
    from sleepd.models.settings import EmbedderSettings

    section = settings.embedder
    make = registry.embedder(section.name)
    return Memoized(make(EmbedderSettings(name=section.name, model=section.model)))


@contextmanager
def adapters(settings: Settings, stopped: Callable[[], bool] | None = None) -> Iterator[Adapters]:
    """The adapters that the settings name, closed at the end. Raises as `models` does."""
    task, reflection, ledger = models(settings, stopped)
    embedded_by = embedder(settings)
    try:
        yield Adapters(embedder=embedded_by, task=task, reflection=reflection, ledger=ledger)
    finally:
        embedded_by.close()
        for model in dict.fromkeys((task, reflection)):
            model.close()


def models(settings: Settings, stopped: Callable[[], bool] | None = None) -> tuple[Metered, Metered, Ledger]:
    """Task model, reflection model, and the one account that both are charged to.

    `stopped` is asked before each call: once it says yes, no model is asked any more. Raises `UsageError` when no model
    is chosen, `UnknownName` for one that is not registered, `BadSettings` for a dollar budget without prices.
    """
    from sleepd.models.metered import Ledger

    ledger = Ledger(max_calls=settings.night.max_calls, budget_usd=settings.night.budget_usd)
    task = _model(settings.model, ledger, stopped)
    reflection = settings.for_reflection()
    return task, task if reflection == settings.model else _model(reflection, ledger, stopped), ledger


def reading_model(settings: Settings) -> Metered:
    """The reflection model on the account of one reading of lessons. Raises as `models` does."""
    from sleepd.models.metered import Ledger

    ledger = Ledger(
        max_calls=settings.lessons.max_calls,
        budget_usd=settings.night.budget_usd,
        calls_setting="lessons.max_calls",
    )
    return _model(settings.for_reflection(), ledger, None)


def gate(settings: Settings) -> GateTerms:
    from sleepd.core.confirmation import ConfirmationConfig
    from sleepd.core.experiment import VerdictRule
    from sleepd.pipeline.trial import AttributionConfig, GateTerms

    section = settings.gate
    return GateTerms(
        rule=VerdictRule(section.rule),
        alpha=section.alpha,
        beta=section.beta,
        smallest_effect=section.smallest_effect,
        baseline_samples=section.baseline_samples,
        pairs_per_night=section.pairs_per_night,
        max_pairs=section.max_pairs,
        margin=section.margin,
        margin_pairs=section.margin_pairs,
        max_nights=section.max_nights,
        coverage=section.coverage,
        waiting_share=section.waiting_share,
        runners=section.runners,
        validation_tasks=section.validation_tasks,
        attribution=AttributionConfig(most=section.attribution_pairs, smallest_effect=section.smallest_effect),
        confirmation=ConfirmationConfig(least=section.confirm_pairs, drop=section.largest_drop),
    )


def optimizing(settings: Settings) -> OptimizerTerms:
    from sleepd.core.budget import Schedule
    from sleepd.core.select import Ranking
    from sleepd.pipeline.compact import CompactionConfig
    from sleepd.pipeline.describe import DescriptionConfig, Whose
    from sleepd.pipeline.optimize import OptimizerTerms

    section = settings.optimizer
    return OptimizerTerms(
        edit_budget=section.edit_budget,
        edit_budget_end=section.edit_budget_end,
        schedule=Schedule(section.schedule),
        ranking=Ranking(section.ranking),
        rejected_buffer=section.rejected_buffer,
        meta_notes=section.meta_notes,
        shorten=section.shorten,
        steps=section.steps,
        minibatch=section.minibatch,
        samples=section.samples,
        recall_k=section.recall_k,
        max_skill_tokens=section.max_skill_tokens,
        compacting=CompactionConfig(share=section.compact_share, saves=section.compact_saves),
        describing=DescriptionConfig(
            surroundings=surroundings(),
            whose=Whose(section.descriptions),
            margin=settings.gate.trigger_margin,
            max_tokens=section.max_skill_tokens,
        ),
    )


def surroundings() -> Surroundings:
    from sleepd.skills.surroundings import Surroundings

    return Surroundings(home=config.home(), env=config.agent_env())


def plan(settings: Settings, scope: str, date: str, skill: str | None = None) -> NightPlan:
    """How tonight is to be run."""
    from sleepd.pipeline.night import NightPlan

    return NightPlan(
        scope=scope,
        date=date,
        mining=settings.mine,
        kinds=settings.harvest.kinds,
        optimizing=optimizing(settings),
        gate=gate(settings),
        surroundings=surroundings(),
        skill=skill,
        skills=settings.night.skills,
    )


def context(settings: Settings, store: Database, asked: Adapters, run: RunId) -> RunContext:
    """What a run measures with."""
    from sleepd.core.score import Metric
    from sleepd.host.account import Account
    from sleepd.pipeline.rollout import RunContext

    return RunContext(
        database=store,
        embedder=asked.embedder,
        model=asked.task,
        reflector=asked.reflection,
        ledger=asked.ledger,
        metric=Metric(settings.gate.metric),
        workers=settings.night.workers,
        max_tokens=settings.model.max_tokens,
        run=run,
        replayers=registry.Replayers(),
        judges=registry.Judges(),
        account=Account(file=config.places().account),
    )


def host() -> Host:
    """The machine the user works at; one that tells and shows nothing for a system that sleepd does not know."""
    if sys.platform == "linux":
        from sleepd.host.linux import Linux

        buses = config.bus_addresses()
        return Linux(system_bus=buses.system, session_bus=buses.session)
    if sys.platform == "darwin":
        from sleepd.host.macos import MacOS

        return MacOS()
    if sys.platform == "win32":
        from sleepd.host.windows import Windows

        return Windows()
    from sleepd.host.still import Still

    return Still()


now = clock.now
"""The clock. Everything else is told the time."""


def handoff_folder(section: ModelConfig) -> Path:
    """Where `handoff` puts prompts and looks for answers."""
    if section.folder is not None:
        return Path(section.folder).expanduser().absolute()
    return config.places().database.parent / "handoff"


def adapter(section: ModelConfig) -> Model:
    """The adapter that a section names, not on any account. Raises `UnknownName`, `BadSettings`."""
    from sleepd.models.settings import ClientSettings, ModelSettings

    assert section.name is not None
    key = config.api_key(section.name, section.key_variable)
    known = stated_price(section) or listed_price(section)
    settings = ModelSettings(
        name=section.name,
        model=section.model or "",
        base_url=section.base_url or config.address(section.name),
        api_key=key.value.get_secret_value() if key is not None else None,
        key_from=key.variable if key is not None else None,
        temperature=section.temperature,
        max_retries=section.max_retries,
        timeout_s=section.timeout_s,
        price_in_per_mtok=None if known is None else known.in_per_mtok,
        price_out_per_mtok=None if known is None else known.out_per_mtok,
        seed=section.seed,
        folder=str(handoff_folder(section)),
        client=ClientSettings(env=config.client_env(), folder=str(config.places().database.parent / "clients")),
    )
    return registry.model(section.name)(settings)


def _model(section: ModelConfig, ledger: Ledger, stopped: Callable[[], bool] | None) -> Metered:
    from sleepd.models.metered import Metered

    if section.name is None:
        known = ", ".join(registry.names("sleepd.models"))
        raise UsageError(f"no model is chosen: set model.name (one of {known}) and model.model in the settings")
    model = adapter(section)
    return Metered(model, ledger, price=price(section), stopped=stopped)


def price(section: ModelConfig) -> Price | None:
    """What a call costs by the token: as stated, nothing where no bill comes, else as listed; None when unknown."""
    return stated_price(section) or _no_bill(section) or listed_price(section)


def stated_price(section: ModelConfig) -> Price | None:
    """The price in the settings."""
    from sleepd.models.settings import Price

    if section.price_in_per_mtok is None or section.price_out_per_mtok is None:
        return None
    return Price(in_per_mtok=section.price_in_per_mtok, out_per_mtok=section.price_out_per_mtok)


def listed_price(section: ModelConfig) -> Price | None:
    """The price in a table of the providers' own prices. An address of one's own may charge anything."""
    backend = BACKENDS.get(section.name or "", Backend())
    own = section.base_url or (backend.address_variable and config.variables((backend.address_variable,)))
    if (own and section.name != "azure") or backend.keyless or backend.has_login or backend.key_variable is None:
        return None
    from sleepd.models import prices

    return prices.listed(section.name or "", section.model or "")


def _no_bill(section: ModelConfig) -> Price | None:
    """0 for a plan paid by the month, a person, a simulation, or a server on this machine: calls are counted alone."""
    from sleepd.models.settings import Price

    name = section.name or ""
    backend = BACKENDS.get(name, Backend())
    free = backend.has_login or name in ("simulated", "handoff")
    if backend.keyless:
        host = urlsplit(section.base_url or config.address(name) or "").hostname or ""
        free = host == "localhost" or host.startswith("127.") or host == "::1"
    return Price(in_per_mtok=0, out_per_mtok=0) if free else None
