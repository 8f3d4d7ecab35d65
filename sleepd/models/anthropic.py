"""Anthropic's Messages API through the official SDK."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from sleepd.core.ports import Ask, Failure, Reply
from sleepd.models import outcomes
from sleepd.models.outcomes import Provider, Rejection, dig
from sleepd.models.remote import Raised, RemoteModel, Streamed, priced
from sleepd.models.settings import ModelSettings

if TYPE_CHECKING:
    import anthropic

_PROVIDER = Provider(label="Anthropic", key_variable="ANTHROPIC_API_KEY")
_WITH_TEMPERATURE = {"anthropic-version": "2023-06-01"}
"""The SDK sends 2026-10-21, which rejects `temperature` for every model; this one passes it to models that take it."""
_ADDRESS = "https://api.anthropic.com"
"""Passed on explicitly, so that no environment variable sends the calls elsewhere than `key` says."""


def from_settings(settings: ModelSettings) -> RemoteModel:
    """The adapter registered as `anthropic`. Imports the SDK on the first call only."""
    return RemoteModel(settings, Messages(settings))


class Messages:
    """The wire: requests to `/v1/messages`, one user turn, no tools, not streamed."""

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings
        self._provider = _PROVIDER.used_by(settings)

    @property
    def provider(self) -> Provider:
        return self._provider

    def raised(self) -> Raised:
        import anthropic
        import httpx2

        return Raised(
            status=anthropic.APIStatusError,
            timeout=(anthropic.APITimeoutError, httpx2.TimeoutException),
            connection=(anthropic.APIConnectionError, httpx2.TransportError),
            other=(anthropic.AnthropicError, httpx2.RequestError),
        )

    def open(self, key: str) -> _AnthropicSession:
        import anthropic

        address = self._settings.base_url or _ADDRESS
        return _AnthropicSession(anthropic.Anthropic(api_key=key, base_url=address, max_retries=0), self._settings)

    def read(self, body: dict[str, Any]) -> Reply | Failure:
        if body.get("type") == "error":
            return outcomes.explain(Rejection(status=500, headers={}, body=json.dumps(body).encode()), self._provider)
        if dig(body, "stop_reason") == "refusal":
            return outcomes.refused(self._provider, str(dig(body, "stop_details", "explanation") or ""))
        blocks = body.get("content")
        if not isinstance(blocks, list):
            return outcomes.malformed(self._provider, "a message without content")
        texts = [dig(block, "text") for block in blocks if dig(block, "type") == "text"]
        text = "".join(part for part in texts if isinstance(part, str))
        usage = body.get("usage")
        # All input tokens, cached ones included: the API counts them apart.
        fresh = outcomes.count(dig(usage, "input_tokens"))
        if fresh is None:
            tokens_in = None
        else:
            cached = ("cache_creation_input_tokens", "cache_read_input_tokens")
            tokens_in = fresh + sum(outcomes.count(dig(usage, name)) or 0 for name in cached)
        reply = priced(self._settings, text, tokens_in, outcomes.count(dig(usage, "output_tokens")))
        truncated = body.get("stop_reason") in {"max_tokens", "model_context_window_exceeded"}
        return outcomes.settle(reply, truncated=truncated, provider=self._provider)


class _AnthropicSession:
    def __init__(self, client: anthropic.Anthropic, settings: ModelSettings) -> None:
        self._client = client
        self._settings = settings

    def send(self, ask: Ask, timeout_s: float) -> AbstractContextManager[Streamed]:
        import anthropic

        warm = self._settings.temperature is not None
        return self._client.messages.with_streaming_response.create(
            model=self._settings.model,
            max_tokens=ask.max_tokens,
            system=ask.system or anthropic.omit,
            messages=[{"role": "user", "content": ask.prompt}],
            extra_body={"temperature": self._settings.temperature} if warm else None,
            extra_headers=_WITH_TEMPERATURE if warm else None,
            timeout=timeout_s,
        )

    def close(self) -> None:
        self._client.close()
