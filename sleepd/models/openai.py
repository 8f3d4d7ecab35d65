"""OpenAI's Chat Completions API through the official SDK, and every server that speaks it (`base_url`)."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sleepd.core.errors import BadSettings
from sleepd.core.ports import Ask, Failure, Reply
from sleepd.models import outcomes
from sleepd.models.outcomes import Provider, Rejection, dig
from sleepd.models.remote import Raised, RemoteModel, Streamed, priced
from sleepd.models.settings import ModelSettings
from sleepd.settings.backends import BACKENDS

if TYPE_CHECKING:
    import openai
    from openai.types.chat import ChatCompletionMessageParam

_PROVIDER = Provider(label="OpenAI", key_variable="OPENAI_API_KEY")
_ADDRESS = "https://api.openai.com/v1"
"""Passed on explicitly, so that no environment variable sends the calls elsewhere than `key` says."""
_NEW_LIMIT_NAME = ("openai.com", "azure.com")
"""Hosts whose newer models take the reply's token limit only as `max_completion_tokens`; the rest know `max_tokens`."""


def from_settings(settings: ModelSettings) -> RemoteModel:
    """The adapter registered as `openai`. Imports the SDK on the first call only."""
    return RemoteModel(settings, ChatCompletions(settings))


def named(settings: ModelSettings) -> RemoteModel:
    """The adapter of every other backend that speaks the protocol. Raises `BadSettings` without an address."""
    backend = BACKENDS[settings.name]
    if settings.base_url is None:
        raise BadSettings(f"{settings.name} needs an address: set model.base_url or {backend.address_variable}")
    given = settings.api_key or ("none" if backend.keyless else None)
    address = settings.base_url
    if settings.name == "azure" and "/openai" not in address:
        # The resource's address, as the portal shows it; this is its part with OpenAI's own protocol.
        address = f"{address.rstrip('/')}/openai/v1"
    provider = Provider(label=settings.name, key_variable=backend.key_variable or "SLEEPD_API_KEY")
    settings = replace(settings, base_url=address, api_key=given)
    return RemoteModel(settings, ChatCompletions(settings, provider))


class ChatCompletions:
    """The wire: requests to `/chat/completions`, one system and one user message, no tools, not streamed."""

    def __init__(self, settings: ModelSettings, provider: Provider = _PROVIDER) -> None:
        self._settings = settings
        self._provider = provider.used_by(settings)

    @property
    def provider(self) -> Provider:
        return self._provider

    def raised(self) -> Raised:
        import httpx2
        import openai

        return Raised(
            status=openai.APIStatusError,
            timeout=(openai.APITimeoutError, httpx2.TimeoutException),
            connection=(openai.APIConnectionError, httpx2.TransportError),
            other=(openai.OpenAIError, httpx2.RequestError),
        )

    def open(self, key: str) -> _OpenAISession:
        import openai

        address = self._settings.base_url or _ADDRESS
        return _OpenAISession(openai.OpenAI(api_key=key, base_url=address, max_retries=0), self._settings)

    def read(self, body: dict[str, Any]) -> Reply | Failure:
        message = dig(body, "choices", 0, "message")
        if message is None:
            # Routers report an upstream error inside a 200; its code is then the status that matters.
            if not body.get("error"):
                return outcomes.malformed(self._provider, "a completion without choices")
            code = outcomes.count(dig(body, "error", "code"))
            return outcomes.explain(
                Rejection(status=code or 500, headers={}, body=json.dumps(body).encode()), self._provider
            )
        stop = dig(body, "choices", 0, "finish_reason")
        if stop == "content_filter" or dig(message, "refusal"):
            return outcomes.refused(self._provider, str(dig(message, "refusal") or stop))
        usage = body.get("usage")
        counts = [outcomes.count(dig(usage, name)) for name in ("prompt_tokens", "completion_tokens")]
        content = dig(message, "content")
        if not isinstance(content, str):  # some servers send a list of text parts instead
            texts = [dig(part, "text") for part in content] if isinstance(content, list) else []
            content = "".join(text for text in texts if isinstance(text, str))
        reply = priced(self._settings, content, *counts)
        return outcomes.settle(reply, truncated=stop == "length", provider=self._provider)


class _OpenAISession:
    def __init__(self, client: openai.OpenAI, settings: ModelSettings) -> None:
        self._client = client
        self._settings = settings

    def send(self, ask: Ask, timeout_s: float) -> AbstractContextManager[Streamed]:
        import openai

        settings, omit = self._settings, openai.omit
        new_name = settings.host is None or settings.host.split(":")[0].endswith(_NEW_LIMIT_NAME)
        user: ChatCompletionMessageParam = {"role": "user", "content": ask.prompt}
        return self._client.chat.completions.with_streaming_response.create(
            model=settings.model,
            messages=[{"role": "system", "content": ask.system}, user] if ask.system else [user],
            max_completion_tokens=ask.max_tokens if new_name else omit,
            max_tokens=omit if new_name else ask.max_tokens,
            temperature=omit if settings.temperature is None else settings.temperature,
            seed=omit if settings.seed is None else settings.seed + ask.sample,
            timeout=timeout_s,
        )

    def close(self) -> None:
        self._client.close()
