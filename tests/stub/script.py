"""What the stub says. A prompt that contains `stub:<word>` selects a list of steps; which step is due follows from the
conversation alone (the assistant turns since that prompt), so resume, fork, retry and sub-agents need no memory here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

_WORD = re.compile(r"stub:([a-z0-9][a-z0-9-]*)")


@dataclass(frozen=True, slots=True)
class Say:
    """A text. `stop` is `end`, `max-tokens` or `refusal`."""

    text: str
    stop: str = "end"


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call. `arguments` is an object, or a text for OpenAI's custom tools."""

    name: str
    arguments: Mapping[str, Any] | str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """A shell command, through whichever shell tool the client offers."""

    command: str


@dataclass(frozen=True, slots=True)
class Write:
    """A new file, through whichever tool the client offers for it, else through the shell."""

    path: str
    content: str


@dataclass(frozen=True, slots=True)
class Load:
    """A skill, through the client's skill tool."""

    skill: str


@dataclass(frozen=True, slots=True)
class Fail:
    """An HTTP error in the provider's own shape. With `times`, only the first so many requests of one prompt meet it."""

    status: int
    kind: str
    message: str
    headers: Mapping[str, str] = field(default_factory=dict)
    code: str | None = None
    times: int | None = None


@dataclass(frozen=True, slots=True)
class Cut:
    """The connection closes in the middle of the reply."""

    text: str = "This sentence is never"


@dataclass(frozen=True, slots=True)
class Hang:
    """Nothing is sent for so long (or until the stub closes); then the connection closes."""

    seconds: float = 3.0


@dataclass(frozen=True, slots=True)
class Drip:
    """The reply comes one byte at a time, never silent for long and never done in time."""

    seconds: float = 3.0


@dataclass(frozen=True, slots=True)
class Raw:
    """A 200 with this body, whatever the client asked for."""

    body: str
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


Step = Say | Call | Run | Write | Load | Fail | Cut | Hang | Drip | Raw


@dataclass(frozen=True, slots=True)
class Request:
    """A provider's request, reduced to what the script needs."""

    system: str
    turns: Sequence[tuple[str, str]]
    """`(role, text)` in order; role is `user`, `assistant` or `tool`. Adjacent assistant items are one turn."""
    tools: tuple[str, ...] = ()
    stream: bool = False
    model: str = "stub"

    @property
    def scenario(self) -> str | None:
        """The word of the last prompt that has one."""
        found = [words[-1] for role, text in self.turns if role == "user" and (words := _WORD.findall(text))]
        return found[-1] if found else None

    @property
    def prompt(self) -> str:
        """The last prompt with a scenario word, else the last prompt."""
        index = self._prompt_index()
        return "" if index is None else self.turns[index][1]

    @property
    def step(self) -> int:
        """Assistant turns since the prompt."""
        after = self.turns[(self._prompt_index() or 0) :]
        return sum(1 for before, now in zip((("", ""), *after), after, strict=False) if _begins(before[0], now[0]))

    def _prompt_index(self) -> int | None:
        users = [i for i, (role, _) in enumerate(self.turns) if role == "user"]
        marked = [i for i in users if _WORD.search(self.turns[i][1])]
        found = marked or users
        return found[-1] if found else None


def _begins(before: str, now: str) -> bool:
    return now == "assistant" and before != "assistant"


_HOUR = {"retry-after": "3600"}
_MESSAGE_WITHOUT_CONTENT = '{"id":"x","type":"message","role":"assistant","choices":[],"output":null}'

SCENARIOS: Mapping[str, Sequence[Step]] = {
    "hello": (Say("Hello from the stub."),),
    "run": (Run("echo from-the-stub"), Say("The command ran.")),
    "run-fails": (Run("exit 3"), Say("The command failed.")),
    "write": (Write("stub.txt", "from the stub\n"), Say("The file is written.")),
    "unauthorised": (Fail(401, "authentication_error", "invalid x-api-key", code="invalid_api_key"),),
    "forbidden": (Fail(403, "permission_error", "this key may not use the model"),),
    "unknown-model": (Fail(404, "not_found_error", "model: no-such-model", code="model_not_found"),),
    "rate-limited": (Fail(429, "rate_limit_error", "too many requests", _HOUR, "rate_limit_exceeded"),),
    "rate-limited-once": (
        Fail(429, "rate_limit_error", "too many requests", {"retry-after": "1"}, "rate_limit_exceeded", times=1),
        Say("Answered after a wait."),
    ),
    "rate-limited-a-while": (Fail(429, "rate_limit_error", "too many requests", {"retry-after": "18"}),),
    "no-quota": (
        Fail(429, "insufficient_quota", "You exceeded your current quota, check your plan", code="insufficient_quota"),
    ),
    "no-credit": (Fail(400, "invalid_request_error", "Your credit balance is too low to access the API."),),
    "billing": (Fail(402, "billing_error", "There is a problem with your billing."),),
    "overloaded": (Fail(529, "overloaded_error", "Overloaded"),),
    "overloaded-once": (Fail(529, "overloaded_error", "Overloaded", times=1), Say("Answered at the second attempt.")),
    "broken": (Fail(500, "api_error", "Internal server error", code="server_error"),),
    "broken-for-good": (Fail(500, "api_error", "Internal server error", {"x-should-retry": "false"}),),
    "bad-parameter": (Fail(400, "invalid_request_error", "temperature: Extra inputs are not permitted"),),
    "prompt-too-long": (
        Fail(400, "invalid_request_error", "prompt is too long: 9 > 8", code="context_length_exceeded"),
    ),
    "filtered": (Fail(400, "invalid_request_error", "content management policy", code="content_filter"),),
    "cut": (Cut(),),
    "hang": (Hang(),),
    "drip": (Drip(),),
    "empty": (Say(""),),
    "blank": (Say(" \n"),),
    "not-json": (Raw("<html>Bad gateway</html>", "text/html"),),
    "half-json": (Raw('{"id": "x", '),),
    "false-gzip": (Raw("{}", headers={"content-encoding": "gzip"}),),
    "json-list": (Raw("[1, 2]"),),
    "no-content": (Raw(_MESSAGE_WITHOUT_CONTENT),),
    "error-in-200": (Raw('{"type":"error","error":{"type":"overloaded_error","message":"upstream","code":502}}'),),
    "refusal": (Say("I cannot help with that.", "refusal"),),
    "max-tokens": (Say("A text that stops in the mid", "max-tokens"),),
    "limit-notice": (Say("You've hit your limit · resets 3am"),),
    "dated-notice": (Say("Claude AI usage limit reached|1755806400"),),
    "login-notice": (Say("Invalid API key · Please run /login"),),
}


def due(
    request: Request, scenarios: Mapping[str, Sequence[Step]], answer: Callable[[str, str], str], seen: int
) -> Step:
    """The step for a request. `seen`: how many requests with this prompt were failed before.

    Unknown and missing words are answered by `answer(system, prompt)`; after the last step the stub says "Done.".
    """
    steps = scenarios.get(request.scenario or "")
    if steps is None:
        return Say(answer(request.system, request.prompt))
    lasting = [s for s in steps if not (isinstance(s, Fail) and s.times is not None and seen >= s.times)]
    step = lasting[request.step] if request.step < len(lasting) else Say("Done.")
    return _through_tools(step, request.tools)


def _through_tools(step: Step, offered: tuple[str, ...]) -> Step:
    match step:
        case Run(command):
            return _shell(command, offered)
        case Write(path, content):
            return _write(path, content, offered)
        case Load(skill):
            name = next((n for n in ("Skill", "skill") if n in offered), None)
            return Call(name, {"skill": skill}) if name else Say("No skill tool is offered.")
        case _:
            return step


def _shell(command: str, offered: tuple[str, ...]) -> Step:
    shapes: dict[str, Mapping[str, Any]] = {
        "Bash": {"command": command, "description": "Run a command"},
        "bash": {"command": command, "description": "Run a command"},
        "exec_command": {"cmd": command},
        "shell_command": {"command": command},
        "shell": {"command": ["bash", "-lc", command]},
    }
    name = next((n for n in shapes if n in offered), None)
    return Call(name, shapes[name]) if name else Say("No shell tool is offered.")


def _write(path: str, content: str, offered: tuple[str, ...]) -> Step:
    if "Write" in offered:
        return Call("Write", {"file_path": path, "content": content})
    if "create" in offered:
        return Call("create", {"path": path, "file_text": content})
    return _shell(f"printf %s {_quoted(content)} > {_quoted(path)}", offered)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
