"""The backends that `model.name` may name: where each has its key and its address.

One that is registered by another package is none of these; it has no variable of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """Facts about one backend."""

    key_variable: str | None = None
    """The provider's usual name for its key; None where there is no key."""
    address: str | None = None
    """Where it is asked unless `base_url` says otherwise; None: the SDK's or the command's own."""
    address_variable: str | None = None
    """The provider's usual variable for another address."""
    has_login: bool = False
    """Whether it is an agent's command, which works with the login that the user has there, and no key."""
    keyless: bool = False
    """Whether it is a server of one's own, which usually checks no key and sends no bill."""


BACKENDS: Final = {
    "anthropic": Backend(key_variable="ANTHROPIC_API_KEY"),
    "openai": Backend(key_variable="OPENAI_API_KEY"),
    "azure": Backend(key_variable="AZURE_OPENAI_API_KEY", address_variable="AZURE_OPENAI_ENDPOINT"),
    "openrouter": Backend(key_variable="OPENROUTER_API_KEY", address="https://openrouter.ai/api/v1"),
    "deepseek": Backend(key_variable="DEEPSEEK_API_KEY", address="https://api.deepseek.com/v1"),
    "minimax": Backend(
        key_variable="MINIMAX_API_KEY", address="https://api.minimax.io/v1", address_variable="MINIMAX_BASE_URL"
    ),
    "qwen": Backend(
        key_variable="QWEN_CHAT_API_KEY",
        address="http://127.0.0.1:8000/v1",
        address_variable="QWEN_CHAT_BASE_URL",
        keyless=True,
    ),
    "vllm": Backend(address="http://127.0.0.1:8000/v1", keyless=True),
    "ollama": Backend(address="http://127.0.0.1:11434/v1", keyless=True),
    "lmstudio": Backend(address="http://127.0.0.1:1234/v1", keyless=True),
    "claude": Backend(key_variable="CLAUDE_CODE_OAUTH_TOKEN", has_login=True),
    "codex": Backend(key_variable="CODEX_API_KEY", has_login=True),
    "copilot": Backend(key_variable="COPILOT_GITHUB_TOKEN", has_login=True),
    "handoff": Backend(),
    "simulated": Backend(),
}
