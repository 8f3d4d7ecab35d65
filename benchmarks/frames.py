"""How many functions of sleepd lie between the verb `run` and a model call: `python -m benchmarks.frames`.

A small night of the simulated programmer is run in this process, through the command line, in a home of its own. The
adapter that the night asks notes who called it. A call that a thread pool makes counts the functions up to the
submission, too. Comprehensions are not counted, nor is what is not sleepd's. Prints one JSON object: purpose of the
call -> the longest chain of functions, outermost first.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, redirect_stdout
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from types import FrameType
from typing import Any

NAME = "counted"
"""What the adapter of this module is called in the settings."""
SESSIONS = 60

_VERB = "run"
_longest: dict[str, list[str]] = {}
_submitted = threading.local()
"""`by`: the functions that led to the submission of what this thread does now."""


class Counted:
    """The simulated model, which notes by whom each call was made."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    @property
    def key(self) -> str:
        return str(self._inner.key)

    def ask(self, ask: Any) -> Any:
        chain = functions(sys._getframe(1))
        if chain and len(chain) > len(_longest.get(ask.purpose, [])):
            _longest[str(ask.purpose)] = chain
        return self._inner.ask(ask)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def from_settings(settings: Any) -> Counted:
    """The model that the entry point `simulated` makes, wrapped."""
    (simulated,) = metadata.entry_points(group="sleepd.models", name="simulated")
    return Counted(simulated.load()(settings))


def functions(frame: FrameType | None) -> list[str]:
    """The functions of sleepd from the verb's to the one of this frame; [] when the verb is not among them."""
    found: list[str] = []
    while frame is not None:
        code = frame.f_code
        module = frame.f_globals.get("__name__", "")
        if module.startswith("sleepd.") and not code.co_name.startswith("<"):
            found.append(f"{module}:{code.co_qualname}")
        frame = frame.f_back
    chain = [*getattr(_submitted, "by", []), *reversed(found)]
    begins = [n for n, name in enumerate(chain) if ".cli." in name and name.endswith(f":{_VERB}")]
    return chain[begins[0] :] if begins else []


@contextmanager
def threads_remember() -> Iterator[None]:
    """Within, what a thread pool runs knows the functions that led to its submission."""
    plain = ThreadPoolExecutor.submit

    def submit(pool: ThreadPoolExecutor, work: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        by = functions(sys._getframe(1))

        def remembering() -> Any:
            _submitted.by = by
            return work(*given, **named)

        return plain(pool, remembering)

    ThreadPoolExecutor.submit = submit  # type: ignore[method-assign,assignment]
    try:
        yield
    finally:
        ThreadPoolExecutor.submit = plain  # type: ignore[method-assign]


def night(home: Path) -> dict[str, list[str]]:
    """Run the night; purpose -> its longest chain. Ends the process where the night does not end as asked."""
    from tests.docs.machine import with_history

    with_history(home, datetime.now(UTC), sessions=SESSIONS)  # noqa: TID251  sessions of the last weeks
    config = home / ".config" / "sleepd" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(
        f'[model]\nname = "{NAME}"\nmodel = "programmer"\n[embedder]\nname = "hashed-tfidf"\n'
        '[harvest]\nsince = "90d"\n[gate]\npairs_per_night = 20\n[night]\nmax_calls = 400\n',
        encoding="utf-8",
    )
    os.environ.update(HOME=str(home), USERPROFILE=str(home))  # noqa: TID251  for this process alone
    (verb,) = metadata.entry_points(group="console_scripts", name="sleepd")
    sys.argv = ["sleepd", "run"]
    with threads_remember(), redirect_stdout(sys.stderr):
        try:
            verb.load()()
        except SystemExit as ended:
            if ended.code not in (None, 0, 4):
                sys.exit(f"the night ended with exit status {ended.code}")
    return _longest


if __name__ == "__main__":
    # The entry point imports this file by its name: both have to note the calls in one place.
    sys.modules["benchmarks.frames"] = sys.modules["__main__"]
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(night(Path(folder))))
