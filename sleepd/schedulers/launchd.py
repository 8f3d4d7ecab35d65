"""Agents of macOS's launchd. Their files are checked here against what launchd documents; they were never run."""

from __future__ import annotations

import os
import plistlib
from dataclasses import dataclass
from pathlib import Path

from sleepd.core.errors import SleepdError
from sleepd.schedulers.calls import Done, call, must
from sleepd.schedulers.plan import Plan
from sleepd.schedulers.scheduler import Seen, bare, differing, put, take_away
from sleepd.settings import config


@dataclass(frozen=True, slots=True)
class Launchd:
    """The resident daemon, or with `nightly` an agent that starts one night."""

    nightly: bool

    @property
    def kind(self) -> str:
        return "launchd timer" if self.nightly else "launchd agent"

    @property
    def unit(self) -> str | None:
        return None

    @property
    def label(self) -> str:
        """Its name in launchd."""
        return "sleepd-night" if self.nightly else "sleepd"

    @property
    def file(self) -> Path:
        """Where launchd finds it at a login."""
        return config.home() / "Library" / "LaunchAgents" / f"{self.label}.plist"

    def refusal(self) -> str | None:
        done = call("launchctl", "print", _domain())
        return None if done.code == 0 else f"launchd has no session for you here ({done.why})"

    def try_out(self, plan: Plan, *verb: str) -> Done:
        """Run it with the variables launchd sets."""
        return bare(plan.words(*verb), "/usr/bin:/bin:/usr/sbin:/sbin")

    def install(self, plan: Plan) -> None:
        self.remove()
        put({self.file: agent(self.label, plan, nightly=self.nightly)})
        try:
            must("launchctl", "bootstrap", _domain(), str(self.file))
        except SleepdError:
            take_away((self.file,))
            raise

    def remove(self) -> tuple[str, ...]:
        if not self.file.exists():
            return ()
        call("launchctl", "bootout", f"{_domain()}/{self.label}")
        return take_away((self.file,))

    def look(self, plan: Plan) -> Seen | None:
        if not self.file.exists():
            return None
        done = call("launchctl", "print", f"{_domain()}/{self.label}")
        said = dict(line.strip().partition(" = ")[::2] for line in done.text.splitlines() if " = " in line)
        return Seen(
            kind=self.kind,
            where=(str(self.file),),
            active=done.code == 0,
            state=said.get("state", "not loaded"),
            again="sleepd service install --timer" if self.nightly else "sleepd service install",
            last=said.get("last exit code"),
            differs=differing({self.file: agent(self.label, plan, nightly=self.nightly)}),
        )


def agent(label: str, plan: Plan, *, nightly: bool) -> bytes:
    """The property list of an agent."""
    keys: dict[str, object] = {
        "Label": label,
        "ProgramArguments": list(plan.night if nightly else plan.daemon),
        "ProcessType": "Background",
        "LowPriorityIO": True,
        "Nice": 15,
        "Umask": 0o077,
        "StandardOutPath": str(plan.output),
        "StandardErrorPath": str(plan.output),
    }
    if nightly:
        # A start that was slept through is made up for when the machine wakes.
        keys["StartCalendarInterval"] = {"Hour": plan.hour, "Minute": plan.minute}
    else:
        keys |= {"RunAtLoad": True, "KeepAlive": {"SuccessfulExit": False}, "ThrottleInterval": 60}
    return plistlib.dumps(keys, sort_keys=False)


def _domain() -> str:
    return f"gui/{os.getuid()}"
