"""Prices of models by the token: stated, listed, or none."""

from __future__ import annotations

import pytest

from sleepd import compose
from sleepd.models import prices
from sleepd.models.settings import Price
from sleepd.settings.sections import ModelConfig

FREE = Price(in_per_mtok=0, out_per_mtok=0)


def test_a_known_model_has_the_listed_price() -> None:
    """Of its own provider, by the million tokens."""
    found = prices.listed("anthropic", "claude-haiku-4-5")
    assert found is not None and 0 < found.in_per_mtok < found.out_per_mtok < 1000


def test_an_unknown_model_has_none() -> None:
    """Nor one of an unknown provider."""
    assert prices.listed("anthropic", "made-up") is None
    assert prices.listed("made-up", "claude-haiku-4-5") is None


def test_a_stated_price_wins() -> None:
    """A contract of one's own is known to the user alone."""
    section = ModelConfig(name="anthropic", model="claude-haiku-4-5", price_in_per_mtok=7, price_out_per_mtok=8)
    assert Price(in_per_mtok=7, out_per_mtok=8) == compose.price(section)


@pytest.mark.parametrize(
    "section",
    [
        ModelConfig(name="openai", model="gpt-4.1", base_url="http://127.0.0.1:1/v1"),
        ModelConfig(name="openrouter", model="openai/gpt-4.1", base_url="https://gateway.example/v1"),
        ModelConfig(name="vllm", model="own", base_url="https://gpu.example/v1"),
        ModelConfig(name="of-a-package", model="any"),
    ],
)
def test_an_address_of_ones_own_has_no_listed_price(section: ModelConfig) -> None:
    """Whoever answers there may charge anything: unknown is not free."""
    assert compose.price(section) is None


@pytest.mark.parametrize(
    "name", ["claude", "codex", "copilot", "ollama", "lmstudio", "vllm", "qwen", "handoff", "simulated"]
)
def test_a_plan_and_a_server_of_this_machine_send_no_bill(name: str) -> None:
    """Their calls and tokens are counted; a dollar limit can be kept."""
    assert FREE == compose.price(ModelConfig(name=name, model="any"))
