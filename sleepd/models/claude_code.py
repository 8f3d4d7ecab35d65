"""Claude Code's command, `claude -p`: a subscription works the night. Tried with 2.1.328."""

from __future__ import annotations

import json
from typing import Final

from sleepd.core.ports import Ask, Failure, Reply
from sleepd.host import clock
from sleepd.models import outcomes
from sleepd.models.command_line import (
    CommandModel,
    Ended,
    Folders,
    Invocation,
    billed,
    kept_by_client,
    logged_out,
    silent,
)
from sleepd.models.outcomes import Provider, Rejection, dig
from sleepd.models.remote import priced
from sleepd.models.retry import Again
from sleepd.models.settings import ModelSettings

TOKEN_VARIABLE: Final = "CLAUDE_CODE_OAUTH_TOKEN"  # noqa: S105  a name
"""What `claude setup-token` makes; it holds for a year."""
_OAUTH: Final = "sk-ant-oat"
OPTIONS: Final = (
    "-p",
    "--output-format=json",
    "--tools=",
    "--strict-mcp-config",
    "--setting-sources=",
    "--disable-slash-commands",
    "--no-session-persistence",
    "--permission-prompts=none",
)
"""No tool, no server, no settings, no skill, no history."""
_QUIET: Final = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_MAX_RETRIES": "0",
}


def from_settings(settings: ModelSettings) -> CommandModel:
    """The adapter registered as `claude`. Raises `BadSettings` for a temperature or a seed."""
    return CommandModel(settings, ClaudeCommand(settings))


class ClaudeCommand:
    """One turn without tools. The client adds its own reminders of date and folder to the prompt."""

    program = "claude"
    install = "install Claude Code"

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings
        where = "" if settings.host is None else f" at {settings.host}"
        self.provider = Provider(
            label=f"Claude Code{where}", key_variable="the login of Claude Code (`claude setup-token` makes one)"
        )

    def prepare(self, ask: Ask, folders: Folders) -> Invocation | Failure:
        credential = self._credential()
        if isinstance(credential, Failure):
            return credential
        system = folders.scratch / "system.md"
        system.write_text(ask.system or "Answer the request.", encoding="utf-8")
        address = {} if self._settings.base_url is None else {"ANTHROPIC_BASE_URL": self._settings.base_url}
        return Invocation(
            options=(*OPTIONS, f"--model={self._settings.model}", "--system-prompt-file", str(system)),
            env={
                **_QUIET,
                **credential,
                **address,
                "CLAUDE_CONFIG_DIR": str(folders.config),
                "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(ask.max_tokens),
            },
            stdin=ask.prompt,
        )

    def read(self, ended: Ended) -> Reply | Failure | Again:
        try:
            result = json.loads(ended.out)
        except (ValueError, RecursionError):
            return silent(self.provider, ended)
        said = str(dig(result, "result") or "")
        if dig(result, "stop_reason") == "refusal":
            return outcomes.refused(self.provider, said)
        if dig(result, "is_error"):
            return self._failed(said, outcomes.count(dig(result, "api_error_status")))
        usage = dig(result, "usage")
        fresh = outcomes.count(dig(usage, "input_tokens"))
        cached = ("cache_creation_input_tokens", "cache_read_input_tokens")
        read = None if fresh is None else fresh + sum(outcomes.count(dig(usage, name)) or 0 for name in cached)
        reply = priced(self._settings, said, read, outcomes.count(dig(usage, "output_tokens")))
        return outcomes.settle(reply, truncated=False, provider=self.provider)

    def held_up(self, ended: Ended) -> Failure | None:  # noqa: ARG002
        # Its one line comes at the end.
        return None

    def _failed(self, said: str, status: int | None) -> Failure | Again:
        notice = outcomes.notice_in(said, self.provider, now=clock.now())
        if notice is not None:
            return notice
        if "output token maximum" in said:
            return outcomes.cut_off(self.provider)
        failure = outcomes.explain(Rejection(status=status or 500, headers={}, body=said.encode()), self.provider)
        passing = status is None or status in {408, 409} or status >= 500
        return Again(failure=failure) if passing else failure

    def _credential(self) -> dict[str, str] | Failure:
        """The variable that holds the login: a token of one's own, else the one of the user's Claude Code."""
        given = (self._settings.api_key or "").strip()
        if given.startswith(_OAUTH):
            return {TOKEN_VARIABLE: given}
        if given:
            return billed(self.provider, self._settings, "anthropic") or {"ANTHROPIC_API_KEY": given}
        if self._settings.base_url is not None:
            # The user's login is for the provider alone.
            return outcomes.no_key(Provider(label=self.provider.label, key_variable=TOKEN_VARIABLE))
        # On macOS the keychain has it instead, which is not opened.
        login = kept_by_client(self._settings, variable="CLAUDE_CONFIG_DIR", folder=".claude", file=".credentials.json")
        token, expires = dig(login, "claudeAiOauth", "accessToken"), dig(login, "claudeAiOauth", "expiresAt")
        if not isinstance(token, str):
            return logged_out(f"no login of Claude Code was found; run `claude setup-token`, and set {TOKEN_VARIABLE}")
        if isinstance(expires, int | float) and expires / 1000 < clock.now().timestamp() + self._settings.timeout_s:
            # Not refreshed here: a refresh would end the login that the user's own client holds.
            return logged_out(
                f"the login of Claude Code has run out; start `claude` once, or run `claude setup-token`, which makes "
                f"one for a year, and set {TOKEN_VARIABLE}"
            )
        return {TOKEN_VARIABLE: token}
