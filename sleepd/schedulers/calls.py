"""Calling the scheduler's own commands."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass

from sleepd.core.errors import UsageError

MISSING = 127
_TIMEOUT = 124


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """How a command ended."""

    code: int
    """127: there is no such command; 124: it did not end in time."""
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode("utf-8", "replace")

    @property
    def why(self) -> str:
        """The last line it wrote about itself, or its exit status."""
        lines = [line.strip() for line in (self.err or self.text).splitlines() if line.strip()]
        return lines[-1][:300] if lines else f"exit status {self.code}"


def call(
    *words: str, given: bytes | None = None, env: Mapping[str, str] | None = None, seconds: float = 60, cwd: str = "/"
) -> Done:
    """Run a command to its end. Without `given` it finds no input; without `env` it has this process's variables."""
    fed = given if given is not None else b""
    try:
        done = subprocess.run(  # noqa: S603 - a list of words, no shell
            words,
            input=fed,
            capture_output=True,
            env=env,
            timeout=seconds,
            check=False,
            cwd=None if os.name == "nt" else cwd,
        )
    except (FileNotFoundError, NotADirectoryError):
        return Done(code=MISSING, out=b"", err=f"there is no command {words[0]} here")
    except PermissionError:
        return Done(code=126, out=b"", err=f"{words[0]} must not be run")
    except subprocess.TimeoutExpired:
        return Done(code=_TIMEOUT, out=b"", err=f"{words[0]} did not end within {seconds:g} seconds")
    return Done(code=done.returncode, out=done.stdout, err=done.stderr.decode("utf-8", "replace"))


def must(*words: str, given: bytes | None = None) -> Done:
    """The same for a command that has to succeed. Raises `UsageError` with its own words."""
    done = call(*words, given=given)
    if done.code != 0:
        said = " ".join(words[:4])
        raise UsageError(f"`{said}` failed: {done.why}; fix this and try again")
    return done
