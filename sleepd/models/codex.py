"""Codex's command, `codex exec`: a ChatGPT subscription works the night. Tried with 0.169.0."""

from __future__ import annotations

import base64
import json
import re
from typing import Any, Final

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
from sleepd.settings.config import toml_value

OPTIONS: Final = (
    "exec",
    "--skip-git-repo-check",
    "--ephemeral",
    "--ignore-user-config",
    "--ignore-rules",
    "--sandbox=read-only",
    "--json",
)
"""No settings, no rules, no history; what the model tries cannot write."""
_WITHOUT: Final = (
    'web_search="disabled"',
    "project_doc_max_bytes=0",
    "skills.bundled.enabled=false",
    "skills.include_instructions=false",
    "include_environment_context=false",
    "include_permissions_instructions=false",
    "include_apps_instructions=false",
    "include_collaboration_mode_instructions=false",
    *(
        f"features.{name}=false"
        for name in (
            "apps",
            "browser_use",
            "computer_use",
            "daemon_auto_start",
            "goals",
            "hooks",
            "image_generation",
            "memories",
            "multi_agent",
            "plugins",
            "shell_tool",
            "tool_suggest",
            "unified_exec",
            "view_image",
        )
    ),
)
"""What would put text of its own into the prompt, offer tools, or call other servers. Unknown ones are ignored."""
_STATUS: Final = re.compile(r"(?:unexpected|last) status:? (\d{3})")


def from_settings(settings: ModelSettings) -> CommandModel:
    """The adapter registered as `codex`. Raises `BadSettings` for a temperature or a seed."""
    return CommandModel(settings, CodexCommand(settings))


class CodexCommand:
    """One turn; the system text takes the place of the client's own instructions. It knows no limit of tokens."""

    program = "codex"
    install = "install Codex"

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings
        where = "" if settings.host is None else f" at {settings.host}"
        self.provider = Provider(label=f"Codex{where}", key_variable="the login of Codex (`codex login`)")

    def prepare(self, ask: Ask, folders: Folders) -> Invocation | Failure:
        login = self._login()
        if isinstance(login, Failure):
            return login
        auth = folders.config / "auth.json"
        auth.touch(mode=0o600)
        auth.write_text(json.dumps(login), encoding="utf-8")
        system = folders.scratch / "system.md"
        system.write_text(ask.system or "Answer the request.", encoding="utf-8")
        config = [f"model_instructions_file={toml_value(str(system))}", *_WITHOUT]
        if self._settings.base_url is not None:
            address = toml_value(self._settings.base_url)
            config += [
                'model_provider="sleepd"',
                f'model_providers.sleepd={{name="sleepd",base_url={address},wire_api="responses",'
                "requires_openai_auth=true,request_max_retries=0,stream_max_retries=0}",
            ]
        return Invocation(
            options=(*OPTIONS, "-m", self._settings.model, *(word for line in config for word in ("-c", line)), "-"),
            env={"CODEX_HOME": str(folders.config)},
            stdin=ask.prompt,
        )

    def read(self, ended: Ended) -> Reply | Failure | Again:
        events = outcomes.json_lines(ended.out)
        failed = next((event for event in events if dig(event, "type") == "turn.failed"), None)
        if failed is not None:
            return self._failed(str(dig(failed, "error", "message") or ""))
        done = next((event for event in events if dig(event, "type") == "turn.completed"), None)
        if done is None:
            return silent(self.provider, ended)
        said = [
            str(dig(event, "item", "text") or "")
            for event in events
            if dig(event, "type") == "item.completed" and dig(event, "item", "type") == "agent_message"
        ]
        if not said:
            return outcomes.refused(self.provider, "it ended its turn without a word")
        counts = [outcomes.count(dig(done, "usage", name)) for name in ("input_tokens", "output_tokens")]
        return outcomes.settle(priced(self._settings, said[-1], *counts), truncated=False, provider=self.provider)

    def held_up(self, ended: Ended) -> Failure | None:
        said = [str(dig(e, "message") or "") for e in outcomes.json_lines(ended.out) if dig(e, "type") == "error"]
        if not said:
            return None
        outcome = self._failed(said[-1])
        return outcome.failure if isinstance(outcome, Again) else outcome

    def _failed(self, said: str) -> Failure | Again:
        notice = outcomes.notice_in(said, self.provider, now=clock.now())
        if notice is not None:
            return notice
        if "max_output_tokens" in said:
            return outcomes.cut_off(self.provider)
        if "content_filter" in said:
            return outcomes.refused(self.provider, said)
        found = _STATUS.search(said)
        status = int(found.group(1)) if found else 429 if said.startswith("Quota exceeded") else 500
        failure = outcomes.explain(Rejection(status=status, headers={}, body=said.encode()), self.provider)
        return Again(failure=failure) if status in {408, 409} or status >= 500 else failure

    def _login(self) -> dict[str, Any] | Failure:
        """The contents of `auth.json` for the call: an API key, or the tokens without the one that renews them.

        Renewing would end the login that the user's own client holds.
        """
        key = (self._settings.api_key or "").strip()
        if not key and self._settings.base_url is not None:
            # The user's login is for the provider alone.
            return outcomes.no_key(Provider(label=self.provider.label, key_variable="CODEX_API_KEY"))
        found = {"OPENAI_API_KEY": key}
        if not key:
            found = kept_by_client(self._settings, variable="CODEX_HOME", folder=".codex", file="auth.json")
        tokens = dig(found, "tokens")
        if isinstance(tokens, dict) and isinstance(access := tokens.get("access_token"), str):
            ends = _end_of(access)
            if ends is not None and ends < clock.now().timestamp() + self._settings.timeout_s:
                return logged_out("the login of Codex has run out; start `codex` once")
            renewed = clock.now().isoformat().replace("+00:00", "Z")
            return {"OPENAI_API_KEY": None, "tokens": {**tokens, "refresh_token": ""}, "last_refresh": renewed}
        if not isinstance(key := dig(found, "OPENAI_API_KEY"), str) or not key:
            return logged_out("no login of Codex was found; run `codex login`")
        return billed(self.provider, self._settings, "openai") or {"OPENAI_API_KEY": key}


def _end_of(token: str) -> float | None:
    """When a JSON web token ends, in seconds since 1970; None when it does not say."""
    try:
        claims = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
    except (ValueError, IndexError):
        return None
    ends = dig(claims, "exp")
    return float(ends) if isinstance(ends, int | float) else None
