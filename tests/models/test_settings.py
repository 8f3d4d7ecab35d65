"""Settings that no call could use are refused at once."""

from __future__ import annotations

import pytest

from sleepd.core.errors import BadSettings
from sleepd.models.settings import EmbedderSettings, ModelSettings, Price


@pytest.mark.parametrize(
    "changes",
    [
        {"model": " "},
        {"timeout_s": 0},
        {"timeout_s": float("nan")},
        {"max_retries": -1},
        {"temperature": 2.5},
        {"price_in_per_mtok": 3.0},
        {"price_in_per_mtok": -1.0, "price_out_per_mtok": 1.0},
        {"price_in_per_mtok": float("nan"), "price_out_per_mtok": 1.0},
        {"base_url": "localhost:8000"},
        {"base_url": "http://127.0.0.1:port/v1"},
        {"base_url": "ftp://127.0.0.1/"},
    ],
    ids=str,
)
def test_unusable_model_settings_are_refused(changes: dict[str, object]) -> None:
    """Each unusable value raises BadSettings with one line."""
    with pytest.raises(BadSettings) as caught:
        ModelSettings(**({"name": "openai", "model": "stub"} | changes))  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("changes", [{"model": ""}, {"batch_size": 0}, {"timeout_s": -1}], ids=str)
def test_unusable_embedder_settings_are_refused(changes: dict[str, object]) -> None:
    """The same holds for the embedder."""
    with pytest.raises(BadSettings):
        EmbedderSettings(**({"name": "sentence-transformers"} | changes))  # type: ignore[arg-type]


def test_repr_hides_the_key() -> None:
    """Settings may be printed and logged."""
    assert "sk-1" not in repr(ModelSettings(name="openai", model="stub", api_key="sk-1"))


def test_a_price_is_known_or_not() -> None:
    """A free model has the price 0, which is not the same as no price."""
    free = ModelSettings(name="openai", model="stub", price_in_per_mtok=0, price_out_per_mtok=0)
    assert Price(in_per_mtok=0, out_per_mtok=0) == free.price
    assert ModelSettings(name="openai", model="stub").price is None


def test_a_password_in_the_address_is_not_in_the_key() -> None:
    """The key names host and port only."""
    settings = ModelSettings(name="openai", model="stub", base_url="http://user:secret@127.0.0.1:9/v1?x=1")
    assert "openai:stub:t=default@127.0.0.1:9" == settings.key
