"""Copilot's command, `copilot`: a GitHub Copilot plan works the night. Tried with 1.0.102."""

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
from sleepd.models.settings import ModelSettings

TOKEN_VARIABLE: Final = "COPILOT_GITHUB_TOKEN"  # noqa: S105  a name
OPTIONS: Final = (
    "--output-format=json",
    "--agent=sleepd",
    "--no-custom-instructions",
    "--disable-builtin-mcps",
    "--excluded-tools=skill,sql",
    "--no-ask-user",
    "--no-auto-update",
    "--no-remote",
    "--no-color",
    "--stream=off",
    "--log-level=none",
)
"""No instructions of the user, no server, no tool that could write."""
_LOGIN_KEYS: Final = ("loggedInUsers", "lastLoggedInUser", "copilotTokens")
"""Of Copilot's settings file: who is logged in; the token itself may be in the system's keychain."""


def from_settings(settings: ModelSettings) -> CommandModel:
    """The adapter registered as `copilot`. Raises `BadSettings` for a temperature or a seed."""
    return CommandModel(settings, CopilotCommand(settings))


class CopilotCommand:
    """One turn of an agent without tools. The client keeps its own instructions around the system text, and knows no
    limit of tokens."""

    program = "copilot"
    install = "install the Copilot CLI"

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings
        where = "" if settings.host is None else f" at {settings.host}"
        self.provider = Provider(
            label=f"Copilot{where}", key_variable=f"the login of Copilot (`copilot login`, or {TOKEN_VARIABLE})"
        )

    def prepare(self, ask: Ask, folders: Folders) -> Invocation | Failure:
        env = self._credential(folders)
        if isinstance(env, Failure):
            return env
        agents = folders.config / "agents"
        agents.mkdir()
        head = "---\nname: sleepd\ndescription: Answers one request.\ntools: []\n---\n"
        (agents / "sleepd.agent.md").write_text(head + (ask.system or "Answer the request."), encoding="utf-8")
        return Invocation(
            options=(*OPTIONS, f"--model={self._settings.model}", f"--usage-output-file={folders.scratch / 'usage'}"),
            env={**env, "COPILOT_HOME": str(folders.config), "COPILOT_AUTO_UPDATE": "false"},
            stdin=ask.prompt,
        )

    def read(self, ended: Ended) -> Reply | Failure:
        events = outcomes.json_lines(ended.out)
        error = next((event for event in events if dig(event, "type") == "session.error"), None)
        if error is not None:
            return self._failed(
                str(dig(error, "data", "message") or ""), outcomes.count(dig(error, "data", "statusCode"))
            )
        said = [
            str(dig(event, "data", "content") or "") for event in events if dig(event, "type") == "assistant.message"
        ]
        if not said:
            return silent(self.provider, ended)
        try:
            usage = json.loads((ended.scratch / "usage").read_bytes())
        except (OSError, ValueError):
            usage = None
        metrics = dig(usage, "modelMetrics")
        counts = [
            sum(outcomes.count(dig(one, "usage", name)) or 0 for one in metrics.values())
            if isinstance(metrics, dict) and metrics
            else None
            for name in ("inputTokens", "outputTokens")
        ]
        return outcomes.settle(priced(self._settings, said[-1], *counts), truncated=False, provider=self.provider)

    def held_up(self, ended: Ended) -> Failure | None:
        # The client repeats a refused call for longer than most deadlines.
        failures = [e for e in outcomes.json_lines(ended.out) if dig(e, "type") == "model.call_failure"]
        status = outcomes.count(dig(failures[-1], "data", "statusCode")) if failures else None
        return None if status is None else self._failed(str(dig(failures[-1], "data", "errorMessage") or ""), status)

    def _failed(self, said: str, status: int | None) -> Failure:
        notice = outcomes.notice_in(said, self.provider, now=clock.now())
        if notice is not None:
            return notice
        if said.startswith("No response was returned"):
            return outcomes.refused(self.provider, said)
        # No attempt of ours mends it: the client itself has repeated the call by then.
        return outcomes.explain(Rejection(status=status or 500, headers={}, body=said.encode()), self.provider)

    def _credential(self, folders: Folders) -> dict[str, str] | Failure:
        key = (self._settings.api_key or "").strip()
        if self._settings.base_url is not None:
            if not key:
                return outcomes.no_key(Provider(label=self.provider.label, key_variable=TOKEN_VARIABLE))
            return billed(self.provider, self._settings, "openai") or {
                "COPILOT_OFFLINE": "true",
                "COPILOT_PROVIDER_BASE_URL": self._settings.base_url,
                "COPILOT_PROVIDER_TYPE": "openai",
                "COPILOT_PROVIDER_API_KEY": key,
            }
        if key:
            return {TOKEN_VARIABLE: key}
        kept = kept_by_client(self._settings, variable="COPILOT_HOME", folder=".copilot", file="config.json")
        login = {name: dig(kept, name) for name in _LOGIN_KEYS if dig(kept, name)}
        if not login:
            return logged_out(f"no login of Copilot was found; run `copilot login`, or set {TOKEN_VARIABLE}")
        (folders.config / "config.json").write_text(json.dumps(login), encoding="utf-8")
        return {}
