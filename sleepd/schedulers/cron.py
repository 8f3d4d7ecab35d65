"""One line of the user's crontab, between markers. Every other byte of it stays."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sleepd.core.errors import UsageError
from sleepd.schedulers.calls import MISSING, Done, call, must
from sleepd.schedulers.plan import Plan
from sleepd.schedulers.scheduler import Seen, bare

BEGIN: Final = b"# >>> sleepd: one night each night; `sleepd service uninstall` removes these lines\n"
END: Final = b"# <<< sleepd\n"
_BLOCK: Final = re.compile(rb"^# >>> sleepd\b[^\n]*\n(?:(?!# >>> sleepd\b)[^\n]*\n)*?# <<< sleepd[^\n]*(?:\n|\Z)", re.M)
_MARK: Final = re.compile(rb"^# (?:>>>|<<<) sleepd\b", re.M)
_LONGEST_COMMAND: Final = 990
_NONE: Final = ("no crontab for", "no such file or directory")
"""How `crontab -l` says that the user has none."""
_DAEMONS: Final = frozenset({"cron", "crond", "fcron", "bcron-sched"})


@dataclass(frozen=True, slots=True)
class Cron:
    """A crontab line that starts one night."""

    @property
    def kind(self) -> str:
        return "cron"

    @property
    def unit(self) -> str | None:
        return None

    def refusal(self) -> str | None:
        done = call("crontab", "-l")
        missing = done.code == MISSING or "not allowed" in done.err
        return f"cron cannot be used here ({done.why})" if missing else None

    def try_out(self, plan: Plan, *verb: str) -> Done:
        """Run it as cron does: next to no variables, through /bin/sh."""
        return bare(("/bin/sh", "-c", shlex.join(plan.words(*verb))), "/usr/bin:/bin")

    def install(self, plan: Plan) -> None:
        before = _crontab()
        if before is None:
            raise UsageError(f"`crontab -l` failed: {call('crontab', '-l').why}; fix this and try again")
        # In front, so that no SHELL= or PATH= of the user's own lines changes what it means.
        _write(block(plan) + without_block(before))

    def remove(self) -> tuple[str, ...]:
        before = _crontab() or b""
        after = without_block(before)
        if after == before:
            return ()
        if after:
            _write(after)
        else:
            must("crontab", "-r")
        return ("the lines of sleepd in your crontab",)

    def look(self, plan: Plan) -> Seen | None:
        found = _BLOCK.findall(_crontab() or b"")
        if not found:
            return None
        runs = daemon_runs()
        states = {True: "cron runs", False: "no cron daemon runs on this machine", None: "in the crontab"}
        differs = () if found == [block(plan)] else ("the lines of sleepd in your crontab",)
        return Seen(
            kind=self.kind,
            where=("your crontab",),
            active=runs,
            state=states[runs],
            again="sleepd service install --cron",
            wake="start one, as with: systemctl enable --now cron",
            differs=differs,
        )


def block(plan: Plan) -> bytes:
    """The lines of the crontab. Raises `UsageError` when cron could not read them."""
    # Cron mails whatever is printed: a night that went well is silent.
    command = f'out=$({shlex.join(plan.night)} 2>&1) || echo "$out"'.replace("%", "\\%").encode()
    if len(command) > _LONGEST_COMMAND:
        raise UsageError(f"cron reads no line of {len(command)} bytes: move sleepd or its settings to a shorter path")
    return BEGIN + f"{plan.minute} {plan.hour} * * * ".encode() + command + b"\n" + END


def without_block(crontab: bytes) -> bytes:
    """The crontab without our lines. Raises `UsageError` when only one of the two markers is there."""
    rest = _BLOCK.sub(b"", crontab)
    if _MARK.search(rest):
        raise UsageError(
            "a line `>>> sleepd` or `<<< sleepd` has no counterpart in your crontab; delete it with crontab -e"
        )
    return rest


def daemon_runs() -> bool | None:
    """Whether a cron daemon runs; None when that is unknown."""
    if not Path("/proc/1/comm").exists():
        return None
    return not _DAEMONS.isdisjoint(_process_names())


def _process_names() -> Iterator[str]:
    for file in Path("/proc").glob("[0-9]*/comm"):
        try:
            yield file.read_text(errors="replace").strip()
        except OSError:  # it ended meanwhile
            continue


def _crontab() -> bytes | None:
    """The user's crontab, empty where there is none; None where it cannot be read, and so must not be written over."""
    done = call("crontab", "-l")
    if done.code == 0:
        return done.out
    none = done.code != MISSING and any(words in done.err.lower() for words in _NONE)
    return b"" if none else None


def _write(crontab: bytes) -> None:
    must("crontab", "-", given=crontab)
    # Some crons put lines of their own in front.
    if not (_crontab() or b"").endswith(crontab):
        raise UsageError("the crontab is not as it was written; look at it with crontab -l, and try again")
