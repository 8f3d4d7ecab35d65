"""Units of the user's own systemd: a resident daemon, or a timer that starts one night."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Final

import platformdirs

from sleepd.core.errors import MissingPart, SleepdError
from sleepd.schedulers.calls import CommandResult, call, must
from sleepd.schedulers.plan import Plan
from sleepd.schedulers.scheduler import PREFLIGHT_S, InstalledSchedule, bare, differing, put, take_away

_PATH: Final = "/usr/local/bin:/usr/bin:/bin"
_SHOWN: Final = "ActiveState,SubState,UnitFileState,Result,ExecMainStatus,NRestarts,NextElapseUSecRealtime"
_UNPLAIN: Final = re.compile(r"[^A-Za-z0-9@%+=:,./_-]")
_REFUSALS: Final = {
    203: "systemd finds no program to start, because units do not see /tmp: install sleepd elsewhere",
    226: "systemd cannot prepare the folders of the unit",
}
"""Exit statuses with which systemd reports a failed start."""
_RUN: Final = ("systemd-run", "--user", "--wait", "--pipe", "--quiet", "--collect")


@dataclass(frozen=True, slots=True)
class Systemd:
    """`sleepd.service`, or with `nightly` `sleepd-night.service` and its timer."""

    nightly: bool

    @property
    def kind(self) -> str:
        return "systemd timer" if self.nightly else "systemd service"

    @property
    def unit(self) -> str:
        return "sleepd-night.service" if self.nightly else "sleepd.service"

    @property
    def _enabled(self) -> str:
        """The unit that is enabled and started."""
        return "sleepd-night.timer" if self.nightly else "sleepd.service"

    @property
    def _again(self) -> str:
        return "sleepd service install --timer" if self.nightly else "sleepd service install"

    @property
    def _names(self) -> tuple[str, ...]:
        return ("sleepd-night.timer", "sleepd-night.service") if self.nightly else ("sleepd.service",)

    def refusal(self) -> str | None:
        done = _systemctl("show", "--property=Version")
        return None if done.code == 0 else f"no user systemd answers here ({done.why})"

    def try_out(self, plan: Plan, *verb: str) -> CommandResult:
        """Run it in a unit of its own under the same restrictions; where that cannot be, with as few variables."""
        if call(*_RUN, "true", seconds=20).code != 0:
            return bare(plan.words(*verb), _PATH)
        service = text(self.unit, plan).partition("[Service]\n")[2].partition("\n[")[0]
        # On a command line % has no special meaning.
        kept = [line.replace("%%", "%") for line in service.splitlines() if "=" in line and not line.startswith("#")]
        limits = [line for line in kept if not line.startswith(("Type", "ExecStart", "Restart", "SuccessExit"))]
        done = call(*_RUN, *(f"--property={line}" for line in limits), "--", *plan.words(*verb), seconds=PREFLIGHT_S)
        return replace(done, err=_REFUSALS[done.code]) if done.code in _REFUSALS and not done.out else done

    def install(self, plan: Plan) -> None:
        folder = _folder()
        before = {folder / n: (folder / n).read_bytes() for n in self._names if (folder / n).is_file()}
        put({folder / name: text(name, plan).encode() for name in self._names})
        try:
            must("systemctl", "--user", "daemon-reload")
            must("systemctl", "--user", "enable", self._enabled)
            must("systemctl", "--user", "restart", self._enabled)
        except SleepdError:
            self.remove()
            put(before)
            if before:
                _systemctl("daemon-reload")
                _systemctl("enable", "--now", self._enabled)
            raise

    def remove(self) -> tuple[str, ...]:
        folder = _folder()
        if not any((folder / name).exists() or (folder / name).is_symlink() for name in self._names):
            return ()
        answers = self.refusal() is None
        if answers:
            must("systemctl", "--user", "disable", "--now", *self._names)
            if self.nightly:
                # The stamp of the last time would make a timer that is installed again fire at once.
                _systemctl("clean", "--what=state", self._enabled)
        gone = take_away(tuple(folder / name for name in self._names))
        for link in folder.glob(f"*.wants/{self._enabled}"):
            link.unlink()
        if answers:
            _systemctl("daemon-reload")
            _systemctl("reset-failed", *self._names)
        return gone

    def look(self, plan: Plan) -> InstalledSchedule | None:
        folder = _folder()
        files = {folder / name: text(name, plan).encode() for name in self._names}
        there = tuple(str(file) for file in files if file.exists())
        if not there:
            return None
        facts = self._facts(self._enabled)
        started = self._facts(self.unit)
        if not facts:
            state = "no user systemd answers here"
            return InstalledSchedule(
                kind=self.kind, where=there, active=None, state=state, again=self._again, differs=differing(files)
            )
        next_at = None
        with contextlib.suppress(ValueError):  # "" and "n/a": there is no next time
            next_at = datetime.fromtimestamp(int(facts.get("NextElapseUSecRealtime", "").removeprefix("@")), UTC)
        active = facts["ActiveState"] == "active" and facts["UnitFileState"] == "enabled"
        result, status = started.get("Result", ""), started.get("ExecMainStatus", "0")
        again = started.get("NRestarts", "0")
        words = [result or "unknown", f"exit status {status}" if status != "0" else ""]
        words.append(f"restarted {again} times" if again not in ("", "0") else "")
        return InstalledSchedule(
            kind=self.kind,
            where=there,
            active=active,
            state=f"{facts['ActiveState']} ({facts['SubState']}), {facts['UnitFileState'] or 'not enabled'}",
            again=self._again,
            next_at=next_at,
            last=", ".join(filter(None, words)) if started else None,
            differs=differing(files),
        )

    def _facts(self, unit: str) -> dict[str, str]:
        done = _systemctl("--timestamp=unix", "show", f"--property={_SHOWN}", unit)
        pairs = (line.partition("=") for line in done.text.splitlines())
        return {name: value for name, _, value in pairs} if done.code == 0 else {}


def text(name: str, plan: Plan) -> str:
    """A unit's text. `name` is that of a file in the folder `systemd`."""
    at = f"*-*-* {plan.at}:00" + (f" {plan.time_zone}" if plan.time_zone else "")
    writable = [*(_quoted(str(p)) for p in plan.writable), *(_quoted(f"-{p}") for p in plan.caches)]
    told = {
        "@HARDENING@": _unit("hardening.conf").rstrip("\n"),
        "@DAEMON@": _command(plan.daemon),
        "@NIGHT@": _command(plan.night),
        "@CALENDAR@": at,
        "@JITTER@": str(plan.jitter_minutes),
        "@WRITABLE@": " ".join(writable),
    }
    whole = _unit(name)
    for mark, value in told.items():
        whole = whole.replace(mark, value)
    return whole


def _unit(name: str) -> str:
    """The text of a file of the folder `systemd`: packaged in a wheel, beside the package in a checkout.

    Raises `MissingPart` where it is nowhere.
    """
    package = Path(str(resources.files("sleepd")))
    for folder in (package / "systemd", package.parent / "systemd"):
        if (folder / name).is_file():
            return (folder / name).read_text(encoding="utf-8")
    raise MissingPart("this sleepd came without its systemd folder; install it again from its wheel or its repository")


def _command(words: Iterable[str]) -> str:
    program, *rest = words
    # In the program's own name a $ has no special meaning.
    return " ".join([_quoted(program), *(_quoted(word).replace("$", "$$") for word in rest)])


def _quoted(word: str) -> str:
    word = word.replace("%", "%%")
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"' if _UNPLAIN.search(word) else word


def lingers() -> bool:
    """Whether the user's systemd also runs while the user is not logged in."""
    return (Path("/var/lib/systemd/linger") / _user()).exists()


def linger() -> None:
    """Let it run then. Raises `UsageError`."""
    must("loginctl", "enable-linger", _user())


def _user() -> str:
    """The name of whoever runs this, as the system knows it."""
    import pwd

    return pwd.getpwuid(os.getuid()).pw_name


def _folder() -> Path:
    """Where the user's systemd reads units; its own variables may differ from this shell's."""
    known = _systemctl("show", "--property=UnitPath", "--value")
    folders = [Path(word) for word in known.text.split() if word.endswith("/systemd/user")]
    outside = ("/etc/", "/run/", "/usr/")
    mine = [folder for folder in folders if not str(folder).startswith(outside)]
    return mine[0] if mine and known.code == 0 else platformdirs.user_config_path() / "systemd" / "user"


def _systemctl(*words: str) -> CommandResult:
    return call("systemctl", "--user", *words)
