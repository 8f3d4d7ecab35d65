"""Adapters by name."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest

from sleepd import registry
from sleepd.core.errors import MissingPart, UnknownName


@pytest.fixture
def points(monkeypatch: pytest.MonkeyPatch) -> dict[str, EntryPoint]:
    """A group's registrations, to be filled by the test."""
    made: dict[str, EntryPoint] = {}
    monkeypatch.setattr(registry, "_points", lambda group: made)
    return made


def point(name: str, value: str) -> EntryPoint:
    return EntryPoint(name=name, value=value, group=registry.MODELS)


def test_built_in_adapters_are_registered_like_anybody_elses() -> None:
    """The installed package names its own adapters by entry point, and nothing else does."""
    assert {"claude-code", "codex", "copilot-cli", "copilot-vscode"} <= set(registry.names(registry.HARVESTERS))
    assert {"anthropic", "openai", "simulated"} <= set(registry.names(registry.MODELS))
    assert {"hashed-tfidf", "sentence-transformers"} <= set(registry.names(registry.EMBEDDERS))


def test_an_unknown_name_lists_the_known_ones_and_the_nearest() -> None:
    """A misspelt model is an error; no other model takes its place."""
    with pytest.raises(UnknownName) as caught:
        registry.model("antropic")
    message = str(caught.value)
    assert "unknown model 'antropic' (did you mean 'anthropic'?)" in message
    assert all(name in message for name in registry.names(registry.MODELS))


def test_with_nothing_registered_the_message_says_so(points: dict[str, EntryPoint]) -> None:
    """An installation without adapters is told apart from a misspelling."""
    with pytest.raises(UnknownName, match=r"known: none; .*install sleepd again"):
        registry.embedder("hashed-tfidf")


def test_a_name_gives_the_registered_object(points: dict[str, EntryPoint]) -> None:
    """What stands in the entry point is what is returned, unchanged."""
    points["counter"] = point("counter", "collections:Counter")
    from collections import Counter

    assert Counter is registry.model("counter")


def test_a_harvester_comes_ready(points: dict[str, EntryPoint]) -> None:
    """A harvester takes no settings, so its class is called."""
    points["counter"] = point("counter", "collections:Counter")
    assert {} == registry.harvester("counter")


def test_a_missing_library_is_named(points: dict[str, EntryPoint]) -> None:
    """An adapter whose library is not installed says which."""
    points["broken"] = point("broken", "no_such_library_at_all.adapter:make")
    with pytest.raises(MissingPart, match="'broken' needs no_such_library_at_all"):
        registry.model("broken")


def test_a_defect_of_our_own_is_not_taken_for_a_missing_library(points: dict[str, EntryPoint]) -> None:
    """A wrong module path within sleepd stays a crash that somebody will see."""
    points["broken"] = point("broken", "sleepd.models.nowhere:make")
    with pytest.raises(ModuleNotFoundError, match=r"sleepd\.models\.nowhere"):
        registry.model("broken")


def test_listing_names_imports_no_adapter() -> None:
    """`sleepd --help` may name the models without paying seconds for their libraries."""
    code = (
        "import sys; from sleepd import registry as r;"
        "names = [r.names(g) for g in (r.HARVESTERS, r.MODELS, r.EMBEDDERS)];"
        "print([m for m in ('openai', 'anthropic', 'torch', 'numpy', 'harvesters.codex') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "[]" == done.stdout.strip()


def test_a_broken_replayer_that_nothing_uses_stops_nothing(points: dict[str, EntryPoint]) -> None:
    """A package is imported when its replay or judge is asked for, and its error names it then."""
    points["text"] = point("text", "sleepd.replayers.text:TextReplayer")
    points["theirs"] = point("theirs", "package_that_is_not_there.replay:Theirs")
    assert ["text", "theirs"] == list(registry.Replayers())
    assert "TextReplayer" == registry.Replayers()["text"].__name__
    with pytest.raises(MissingPart, match="package_that_is_not_there"):
        registry.Replayers()["theirs"]
    with pytest.raises(MissingPart, match="judge 'theirs'"):
        registry.Judges()["theirs"]


def test_an_installation_without_our_own_replayers_says_what_to_do(points: dict[str, EntryPoint]) -> None:
    """After an update of the code alone: one line instead of a KeyError in every night."""
    assert {} == points
    with pytest.raises(UnknownName, match="install sleepd again"):
        registry.Replayers()["text"]
