"""One stub server for all tests of the models."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from sleepd.models import anthropic, openai
from sleepd.models.anthropic import Messages
from sleepd.models.openai import ChatCompletions
from sleepd.models.remote import RemoteModel
from sleepd.models.settings import ModelSettings
from tests.stub.server import Stub

KEY = "sk-test-4242424242"

Make = Callable[..., RemoteModel]


@pytest.fixture(scope="session")
def stub() -> Iterator[Stub]:
    with Stub() as running:
        yield running


@pytest.fixture(params=["anthropic", "openai"])
def adapter(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def pauses() -> list[float]:
    """The waits between attempts, in seconds; nothing really waits."""
    return []


@pytest.fixture
def make(stub: Stub, adapter: str, pauses: list[float]) -> Iterator[Make]:
    """Makes the adapter's model against the stub; closes what it made."""
    made: list[RemoteModel] = []

    def build(**changes: object) -> RemoteModel:
        settings = settings_for(adapter, stub.url, **changes)
        wire = Messages(settings) if adapter == "anthropic" else ChatCompletions(settings)
        made.append(RemoteModel(settings, wire, pause=pauses.append))
        return made[-1]

    yield build
    for model in made:
        model.close()


def settings_for(adapter: str, url: str, **changes: object) -> ModelSettings:
    base = url if adapter == "anthropic" else f"{url}/v1"
    given: dict[str, object] = {"name": adapter, "model": "stub", "base_url": base, "api_key": KEY, "timeout_s": 20}
    return ModelSettings(**(given | changes))  # type: ignore[arg-type]


FROM_SETTINGS = {"anthropic": anthropic.from_settings, "openai": openai.from_settings}
