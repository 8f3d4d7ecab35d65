"""Tasks of Windows' Task Scheduler. Their XML is checked here against its published schema; they were never run."""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as Xml

from sleepd.schedulers.calls import Done, call, must
from sleepd.schedulers.plan import Plan
from sleepd.schedulers.scheduler import PREFLIGHT_S, Seen

NAMESPACE = "http://schemas.microsoft.com/windows/2004/02/mit/task"
_SOME_DAY = "2026-01-01"
"""A start boundary is a whole date; only the time of day counts."""


@dataclass(frozen=True, slots=True)
class Tasks:
    """The resident daemon from each login on, or with `nightly` a task that starts one night."""

    nightly: bool

    @property
    def kind(self) -> str:
        return "task, nightly" if self.nightly else "task at login"

    @property
    def unit(self) -> str | None:
        return None

    @property
    def name(self) -> str:
        """Its name in the Task Scheduler."""
        return "sleepd-night" if self.nightly else "sleepd"

    def refusal(self) -> str | None:
        done = call("schtasks", "/Query")
        return None if done.code == 0 else f"the Task Scheduler does not answer ({done.why})"

    def try_out(self, plan: Plan, *verb: str) -> Done:
        """Run it: a task has the variables of the user's account, as this shell has, and perhaps a few less."""
        return call(*plan.words(*verb), seconds=PREFLIGHT_S)

    def install(self, plan: Plan) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "task.xml"
            file.write_bytes(task(plan, _user(), nightly=self.nightly))
            must("schtasks", "/Create", "/TN", self.name, "/XML", str(file), "/F")
        if not self.nightly:
            must("schtasks", "/Run", "/TN", self.name)

    def remove(self) -> tuple[str, ...]:
        if call("schtasks", "/Query", "/TN", self.name).code != 0:
            return ()
        call("schtasks", "/End", "/TN", self.name)
        must("schtasks", "/Delete", "/TN", self.name, "/F")
        return (f"the task {self.name}",)

    def look(self, plan: Plan) -> Seen | None:
        done = call("schtasks", "/Query", "/TN", self.name, "/XML", "ONE")
        if done.code != 0:
            return None
        where = f"the task {self.name}"
        starts = tuple(f"{text} {more}" for text, more in _actions(done.out))
        wanted = tuple(f"{text} {more}" for text, more in _actions(task(plan, "x", nightly=self.nightly)))
        differs = () if starts == wanted else (where,)
        return Seen(
            kind=self.kind,
            where=(where,),
            active=True,
            state="in the Task Scheduler",
            again="sleepd service install --timer" if self.nightly else "sleepd service install",
            differs=differs,
        )


def task(plan: Plan, user: str, *, nightly: bool) -> bytes:
    """The task as XML, in the encoding schtasks reads. `user` is `DOMAIN\\name`."""
    root = Xml.Element("Task", {"version": "1.2", "xmlns": NAMESPACE})
    _add(root, "RegistrationInfo", {"Description": "sleepd: learn from your own days with coding agents"})
    triggers = Xml.SubElement(root, "Triggers")
    if nightly:
        daily = _add(triggers, "CalendarTrigger", {"StartBoundary": f"{_SOME_DAY}T{plan.at}:00", "Enabled": "true"})
        _add(daily, "RandomDelay", f"PT{plan.jitter_minutes}M")
        _add(daily, "ScheduleByDay", {"DaysInterval": "1"})
    else:
        _add(triggers, "LogonTrigger", {"Enabled": "true", "UserId": user})
    principal = {"UserId": user, "LogonType": "InteractiveToken", "RunLevel": "LeastPrivilege"}
    _add(Xml.SubElement(root, "Principals"), "Principal", principal).set("id", "Author")
    settings = {
        "MultipleInstancesPolicy": "IgnoreNew",
        # Battery, idleness and the network are sleepd's own conditions, set in its settings.
        "DisallowStartIfOnBatteries": "false",
        "StopIfGoingOnBatteries": "false",
        "StartWhenAvailable": "true",
        "Enabled": "true",
        "Hidden": "true",
        "ExecutionTimeLimit": "PT0S",
        "Priority": "8",
    }
    _add(_add(root, "Settings", settings), "RestartOnFailure", {"Interval": "PT1M", "Count": "3"})
    program, *words = plan.night if nightly else plan.daemon
    actions = Xml.SubElement(root, "Actions", {"Context": "Author"})
    _add(actions, "Exec", {"Command": program, "Arguments": subprocess.list2cmdline(words)})
    made: bytes = Xml.tostring(root, encoding="utf-16", xml_declaration=True)
    return made


def _add(parent: Xml.Element, tag: str, content: str | dict[str, str]) -> Xml.Element:
    made = Xml.SubElement(parent, tag)
    if isinstance(content, str):
        made.text = content
    else:
        for name, value in content.items():
            Xml.SubElement(made, name).text = value
    return made


def _actions(xml: bytes) -> list[tuple[str | None, str | None]]:
    space = f"{{{NAMESPACE}}}"
    try:
        found = Xml.fromstring(xml).iter(f"{space}Exec")  # noqa: S314 - the Task Scheduler's own answer
        return [(one.findtext(f"{space}Command"), one.findtext(f"{space}Arguments")) for one in found]
    except Xml.ParseError:
        return []


def _user() -> str:
    return must("whoami").text.strip()
