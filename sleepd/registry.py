"""Adapters by name. The built-in ones are registered the same way as anybody else's: by entry point."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING, cast

from sleepd.core.errors import MissingPart, UnknownName

if TYPE_CHECKING:
    # Names of types only: at run time they would bring numpy into every command that lists adapters.
    from harvesters.records import Harvester
    from sleepd.core.ports import Embedder, Judge, Model, Replayer
    from sleepd.models.settings import EmbedderSettings, ModelSettings

    MakeModel = Callable[[ModelSettings], Model]
    MakeReplayer = Callable[[Model], Replayer]
    MakeJudge = Callable[[Model], Judge]
    MakeEmbedder = Callable[[EmbedderSettings], Embedder]

HARVESTERS = "sleepd.harvesters"
MODELS = "sleepd.models"
EMBEDDERS = "sleepd.embedders"
REPLAYERS = "sleepd.replayers"
JUDGES = "sleepd.judges"


def names(group: str) -> tuple[str, ...]:
    """What is registered in a group, sorted. Imports no adapter."""
    return tuple(sorted(_points(group)))


def harvester(name: str) -> Harvester:
    """A ready harvester. Raises UnknownName, or MissingPart when a library it needs is not installed."""
    found = cast("Callable[[], Harvester]", _load(HARVESTERS, name))()
    places = getattr(found, "places", None)
    if places is not None:
        from sleepd.skills import targets

        targets.declare(found.agent, places)
    return found


def model(name: str) -> MakeModel:
    """What makes a model from its settings. Raises as `harvester` does."""
    return cast("MakeModel", _load(MODELS, name))


def embedder(name: str) -> MakeEmbedder:
    """What makes an embedder from its settings. Raises as `harvester` does."""
    return cast("MakeEmbedder", _load(EMBEDDERS, name))


def replayer(name: str) -> MakeReplayer:
    """What makes a replayer from the task model. Raises as `harvester` does."""
    return cast("MakeReplayer", _load(REPLAYERS, name))


def judge(name: str) -> MakeJudge:
    """What makes a judge from the reflection model. Raises as `harvester` does."""
    return cast("MakeJudge", _load(JUDGES, name))


@cache
def _points(group: str) -> dict[str, metadata.EntryPoint]:
    """Read once: the lookup walks every installed package."""
    return {point.name: point for point in metadata.entry_points(group=group)}


def _load(group: str, name: str) -> object:
    """The registered object. There is no fallback: a misspelt name must never become another adapter."""
    point = _points(group).get(name)
    what = group.removeprefix("sleepd.").removesuffix("s")
    if point is None:
        raise UnknownName(what, name, names(group))
    try:
        return point.load()
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in ("sleepd", "harvesters"):
            raise
        raise MissingPart(
            f"the {what} {name!r} needs {error.name}, which is not installed; install it and try again"
        ) from error
