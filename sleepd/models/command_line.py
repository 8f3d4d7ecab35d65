"""A model behind an agent's own command: the user's login, no key, one process for each call.

The command works in folders of sleepd's own, which hold one credential and nothing else of the user: no settings,
hooks, plugins, MCP servers or memory. The prompt goes in by stdin, no tool runs, and nothing is left in a history that
a harvest reads. The modules of the single commands know their options and their output.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Protocol

from filelock import FileLock, Timeout

from sleepd.core.errors import BadSettings
from sleepd.core.model import Cause
from sleepd.core.ports import Ask, CallPurpose, Failure, Reply
from sleepd.models import outcomes
from sleepd.models.outcomes import Provider
from sleepd.models.retry import Again, until_answered
from sleepd.models.settings import ModelSettings
from sleepd.models.surrogates import without_surrogates

_SLOTS: Final = 64
_LARGEST: Final = 16_000_000
"""Bytes read of an output; no answer is longer."""
_PASSED_ON: Final = (
    "PATH",
    "LANG",
    "SYSTEMROOT",
    *(spelt for name in ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY") for spelt in (name, name.lower())),
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
)
"""Of the user's variables: what a program needs to start and to reach its provider."""
_USUAL_PLACES: Final = ("~/.local/bin", "~/.claude/local", "~/bin", "/usr/local/bin", "/opt/homebrew/bin")
"""Where installers put the commands; a scheduler's PATH may lack them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Folders:
    """The folders of one call. No other call uses `config`, `home` and `scratch` meanwhile."""

    config: Path
    """Empty before the call and removed after it."""
    home: Path
    """Kept between calls, for what a command unpacks at its first start."""
    scratch: Path
    """For files of the call; empty before it and removed after it."""
    work: Path
    """The current folder of all calls, empty: it may show in the prompt, which must not vary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """How a command is started for one ask."""

    options: tuple[str, ...]
    env: Mapping[str, str]
    """On top of the user's PATH, proxies and certificates."""
    stdin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a command ended."""

    status: int | None
    """None: it was ended at the deadline."""
    out: str
    err: str
    scratch: Path
    """The folder of the call's files."""


class Command(Protocol):
    """One agent's command: its options, its credential and its output."""

    @property
    def provider(self) -> Provider: ...

    @property
    def program(self) -> str:
        """The file name looked for on PATH."""
        ...

    @property
    def install(self) -> str:
        """How the user gets it, for messages."""
        ...

    def prepare(self, ask: Ask, folders: Folders) -> Invocation | Failure:
        """Put the credential and the system text into the folders. A `Failure` when the user is not logged in."""
        ...

    def read(self, ended: Ended) -> Reply | Failure | Again: ...

    def held_up(self, ended: Ended) -> Failure | None:
        """Why a command that was ended at the deadline got no answer, as its output says; None: it does not say."""
        ...


class CommandModel:
    """A Model over one command. Safe to call from several threads and processes."""

    def __init__(
        self, settings: ModelSettings, command: Command, *, pause: Callable[[float], None] = time.sleep
    ) -> None:
        if settings.temperature is not None or settings.seed is not None:
            raise BadSettings(
                f"the command {command.program} takes no temperature and no seed; take model.temperature and "
                "model.seed out of the settings, or use a provider's API"
            )
        if settings.client is None:
            raise BadSettings(f"the command {command.program} needs a folder of sleepd's own")
        self._settings = settings
        self._command = command
        self._client = settings.client
        self._pause = pause

    @property
    def key(self) -> str:
        return self._settings.key

    def ask(self, ask: Ask) -> Reply | Failure:
        """The reply, or why there is none, within `timeout_s`, repeats and pauses included."""
        program = _found(self._command.program, self._client.env)
        if program is None:
            return self._missing()
        clean = replace(ask, system=without_surrogates(ask.system), prompt=without_surrogates(ask.prompt))
        outcome = until_answered(lambda deadline: self._attempt(program, clean, deadline), self._settings, self._pause)
        if isinstance(outcome, Failure):
            return replace(outcome, message=outcomes.one_line(outcome.message, self._settings.api_key))
        return outcome

    def ready(self) -> Failure | None:
        """Why no call could be made: the command is missing, or nobody is logged in. Starts nothing, asks nobody."""
        if _found(self._command.program, self._client.env) is None:
            return self._missing()
        ask = Ask(purpose=CallPurpose.PREFLIGHT, system="", prompt="")
        with _folders(Path(self._client.folder) / self._settings.name) as folders:
            prepared = self._command.prepare(ask, folders)
        return prepared if isinstance(prepared, Failure) else None

    def _missing(self) -> Failure:
        message = (
            f"the command {self._command.program} is not on PATH; {self._command.install}, or choose another model"
        )
        return Failure(cause=Cause.AUTH, message=message, asked=False)

    def _attempt(self, program: str, ask: Ask, deadline: float) -> Reply | Failure | Again:
        with _folders(Path(self._client.folder) / self._settings.name) as folders:
            invocation = self._command.prepare(ask, folders)
            if isinstance(invocation, Failure):
                return invocation
            env = {name: self._client.env[name] for name in _PASSED_ON if name in self._client.env}
            env |= {"HOME": str(folders.home), "TMPDIR": str(folders.scratch), **invocation.env}
            try:
                ended = _run((program, *invocation.options), env, invocation.stdin, folders, deadline)
            except OSError as error:
                message = f"{program} cannot be started: {error.strerror}; {self._command.install}"
                return Failure(cause=Cause.AUTH, message=message, asked=False)
            if ended.status is None:
                late = outcomes.timed_out(self._command.provider, self._settings.timeout_s)
                return self._command.held_up(ended) or late
            return self._command.read(ended)


def silent(provider: Provider, ended: Ended) -> Failure:
    """A command that ended without the output that was asked for: it does not know an option, or broke down."""
    said = (ended.err.strip() or ended.out.strip() or "nothing").splitlines()[-1]
    message = (
        f"{provider.label} ended with status {ended.status} and no answer ({said[:160]}); update it, and see whether "
        "it works when you start it yourself"
    )
    return Failure(cause=Cause.AUTH, message=message)


def logged_out(message: str) -> Failure:
    """The user is not logged in, so that no call is made. `message` is one line with the remedy."""
    return Failure(cause=Cause.AUTH, message=message, asked=False)


def kept_by_client(settings: ModelSettings, *, variable: str, folder: str, file: str) -> Any:
    """What the user's own client keeps in a JSON file; None where there is no such file, or no JSON in it.

    The client's folder is the one that `variable` names, else `folder` in the user's home.
    """
    env = {} if settings.client is None else settings.client.env
    try:
        return json.loads((Path(env.get(variable) or Path(env.get("HOME", ""), folder)) / file).read_bytes())
    except (OSError, ValueError):
        return None


def billed(provider: Provider, settings: ModelSettings, api: str) -> Failure | None:
    """A Failure for a key whose calls cost money by the token while no price is stated: unknown is not free."""
    if settings.price is not None:
        return None
    message = (
        f"{provider.label} is logged in with a key that is billed by the token; state model.price_in_per_mtok and "
        f"model.price_out_per_mtok, or set model.name to {api}"
    )
    return Failure(cause=Cause.AUTH, message=message, asked=False)


@contextmanager
def _folders(base: Path) -> Iterator[Folders]:
    """Folders that no other call uses, for one call."""
    work = base / "work"
    work.mkdir(mode=0o700, parents=True, exist_ok=True)
    for number in range(_SLOTS):
        lock = FileLock(base / f"{number}.lock", timeout=0, mode=0o600)
        with suppress(Timeout):
            lock.acquire()
            break
    else:
        raise BadSettings(f"{_SLOTS} calls are under way in {base}; wait for them")
    folders = Folders(
        config=base / f"{number}" / "config",
        home=base / f"{number}" / "home",
        scratch=base / f"{number}" / "scratch",
        work=work,
    )
    try:
        # A call that was killed may have left its own behind.
        _remove(folders.config, folders.scratch)
        for folder in (folders.config, folders.home, folders.scratch):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        yield folders
    finally:
        _remove(folders.config, folders.scratch)
        lock.release()


def _remove(*folders: Path) -> None:
    for folder in folders:
        with suppress(FileNotFoundError):
            shutil.rmtree(folder)


def _found(program: str, env: Mapping[str, str]) -> str | None:
    """The program's path. Relative entries of PATH are left out: the current folder may be anybody's."""
    named = [entry for entry in env.get("PATH", "").split(os.pathsep) if Path(entry).is_absolute()]
    home = env.get("HOME", "")
    usual = [place.replace("~", home, 1) for place in _USUAL_PLACES if home or not place.startswith("~")]
    return shutil.which(program, path=os.pathsep.join([*named, *usual]))


def _run(words: tuple[str, ...], env: Mapping[str, str], stdin: str, folders: Folders, deadline: float) -> Ended:
    """The ended command. Its whole process group is ended in any case."""
    # Files instead of pipes: a command that prints without end fills no memory, and a grandchild that keeps the
    # output open holds nobody up.
    out, err, given = (folders.scratch / name for name in ("stdout", "stderr", "stdin"))
    given.write_text(stdin, encoding="utf-8")
    with given.open("rb") as source, out.open("wb") as to_out, err.open("wb") as to_err:
        process = subprocess.Popen(  # noqa: S603  the program that the user chose
            words,
            env=dict(env),
            cwd=folders.work,
            stdin=source,
            stdout=to_out,
            stderr=to_err,
            start_new_session=True,
        )
    status = None
    try:
        status = process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        pass
    finally:
        if os.name == "nt":
            process.kill()
        else:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return Ended(status=status, out=_text(out), err=_text(err), scratch=folders.scratch)


def _text(file: Path) -> str:
    with file.open("rb") as stream:
        return stream.read(_LARGEST).decode("utf-8", "replace")
