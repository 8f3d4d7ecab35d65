"""Prices by the token of providers' models, from the table of the package `genai-prices`: kept, dated, offline."""

from __future__ import annotations

from importlib.metadata import version

from sleepd.models.settings import Price

_CALL = 10_000
"""Tokens of a call as sleepd makes them. Some providers charge more for a token of a very long prompt."""


def listed(provider: str, model: str) -> Price | None:
    """The listed price of a model at its provider's own address; None for one that the table does not know."""
    from genai_prices import Usage, calc_price

    try:
        read = calc_price(Usage(input_tokens=_CALL, output_tokens=0), model_ref=model, provider_id=provider)
        wrote = calc_price(Usage(input_tokens=0, output_tokens=_CALL), model_ref=model, provider_id=provider)
    except (LookupError, ValueError):
        return None
    each = 1_000_000 / _CALL
    return Price(in_per_mtok=float(read.total_price) * each, out_per_mtok=float(wrote.total_price) * each)


def source() -> str:
    """The name of the table, with its version."""
    return f"genai-prices {version('genai-prices')}"
