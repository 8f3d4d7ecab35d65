"""The files of each schedule: read back by what will read them, or held against its published schema."""

from __future__ import annotations

import plistlib
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from sleepd.core.errors import UsageError
from sleepd.schedulers import launchd, systemd, tasks
from sleepd.schedulers.cron import BEGIN, END, block, without_block
from sleepd.schedulers.plan import program
from tests.resident.schedulers import a_plan

UNITS = ("sleepd.service", "sleepd-night.service", "sleepd-night.timer")
WORST_EXPOSURE = 5.7
"""As systemd 252 counts for a unit of the whole system; a user's unit cannot do the rest of what it counts."""

on_systemd = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs the package systemd")


def analyze(*words: str | Path, runtime: Path) -> subprocess.CompletedProcess[str]:
    runtime.mkdir(mode=0o700, exist_ok=True)
    env = {"XDG_RUNTIME_DIR": str(runtime), "PATH": "/usr/bin:/bin", "HOME": str(runtime)}
    command = ["systemd-analyze", *map(str, words)]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=60)


# systemd ------------------------------------------------------------------------------------------------------------


@on_systemd
@pytest.mark.parametrize("name", UNITS)
@pytest.mark.parametrize("zone", [None, "Asia/Shanghai"])
def test_systemd_accepts_the_units(name: str, zone: str | None, tmp_path: Path) -> None:
    """`systemd-analyze verify` has nothing at all to say, though the paths hold spaces, %, $ and quotes."""
    script = tmp_path / "my tools $x 100%" / "sleepd"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    made = a_plan(program=(str(script),), time_zone=zone)
    for unit in UNITS:
        (tmp_path / unit).write_text(systemd.text(unit, made), encoding="utf-8")
    done = analyze("verify", "--user", tmp_path / name, runtime=tmp_path / "runtime")
    assert (0, "") == (done.returncode, done.stderr)


@on_systemd
@pytest.mark.parametrize("name", UNITS[:2])
def test_the_units_are_no_more_exposed_than_they_were(name: str, tmp_path: Path) -> None:
    """The score of `systemd-analyze security`."""
    (tmp_path / name).write_text(systemd.text(name, a_plan(program=("/bin/true",))), encoding="utf-8")
    done = analyze("security", "--offline=true", tmp_path / name, runtime=tmp_path / "runtime")
    found = re.search(r"exposure level for \S+: ([0-9.]+)", done.stdout)
    assert found is not None and float(found[1]) <= WORST_EXPOSURE


@pytest.mark.parametrize("name", UNITS)
def test_nothing_is_left_of_the_templates_marks(name: str) -> None:
    """Each `@WORD@` was replaced, and no option but the time stands in a unit."""
    text = systemd.text(name, a_plan(at="23:05", jitter_minutes=4))
    assert [] == re.findall(r"@[A-Z]+@", text)
    assert ("OnCalendar=*-*-* 23:05:00\nRandomizedDelaySec=4min\n" in text) == name.endswith(".timer")


def test_units_write_two_folders_and_caches_only() -> None:
    """Transcripts may hold anything; what reads them at night writes nowhere else."""
    text = systemd.text("sleepd.service", a_plan())
    assert 'ReadWritePaths=/home/me/.local/share/sleepd "/home/me/state of 5%%" -/home/me/.cache' in text.splitlines()
    assert {"ProtectSystem=strict", "ProtectHome=read-only", "NoNewPrivileges=yes"} <= set(text.splitlines())


# cron ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [0, 3])
def test_the_crontab_line_means_the_command(status: int, tmp_path: Path) -> None:
    """As cron takes it apart (an escaped % is a %), and then the shell; a night that goes well prints nothing."""
    script = tmp_path / "a tool's $x (100%)"
    script.write_text(f'#!/bin/sh\nprintf "%s|" "$@" >&2\nexit {status}\n', encoding="utf-8")
    script.chmod(0o755)
    made = a_plan(program=(str(script),))
    begin, line, end = block(made).splitlines(keepends=True)
    minute, hour, *every, command = line.decode().rstrip("\n").split(" ", 5)
    assert (BEGIN, END, "17", "3", ["*", "*", "*"]) == (begin, end, minute, hour, every)
    assert not re.search(r"(?<!\\)%", command)
    shell = ["/bin/sh", "-c", command.replace("\\%", "%")]
    done = subprocess.run(shell, capture_output=True, text=True, check=False, env={}, timeout=60)
    said = "|".join(made.night[1:]) + "|\n" if status else ""
    assert (said, "") == (done.stdout, done.stderr)


@pytest.mark.parametrize("theirs", [b"", b"# mine\n", b"@daily x\n\n", b"\xff\xfe latin\n", b"a\r\nb\r\n", b"no end"])
def test_every_other_byte_of_a_crontab_stays(theirs: bytes) -> None:
    """Ours goes wherever it stands, once or twice; theirs stays, with or without a last newline."""
    ours = block(a_plan())
    assert theirs == without_block(ours + theirs) == without_block(ours + ours + theirs)
    assert theirs + b"\n# more" == without_block(theirs + b"\n" + ours + b"# more")


@pytest.mark.parametrize("broken", [BEGIN + b"1 1 * * * x\n", b"1 1 * * * x\n" + END, END + BEGIN])
def test_a_marker_that_stands_alone_is_left_to_the_user(broken: bytes) -> None:
    """What lies behind it may be theirs."""
    with pytest.raises(UsageError, match="has no counterpart"):
        without_block(b"mine\n" + broken + b"mine too\n")


def test_a_line_that_cron_would_cut_is_refused() -> None:
    """It reads a thousand bytes at most."""
    with pytest.raises(UsageError, match="shorter path"):
        block(a_plan(environment=Path("/" + "x" * 1000)))


# launchd and the Task Scheduler: never run here ---------------------------------------------------------------------

LAUNCHD_KEYS = {
    "Label": str,
    "ProgramArguments": list,
    "ProcessType": str,
    "LowPriorityIO": bool,
    "Nice": int,
    "Umask": int,
    "StandardOutPath": str,
    "StandardErrorPath": str,
    "RunAtLoad": bool,
    "KeepAlive": dict,
    "ThrottleInterval": int,
    "StartCalendarInterval": dict,
}
"""The keys of launchd.plist(5) that are used here, with their types."""


@pytest.mark.parametrize("nightly", [False, True])
def test_a_property_list_says_what_launchd_documents(nightly: bool) -> None:
    """Read back: known keys of the right types, the command whole, and one way to start."""
    made = a_plan()
    read = plistlib.loads(launchd.agent("sleepd", made, nightly=nightly))
    assert [] == [key for key, value in read.items() if type(value) is not LAUNCHD_KEYS[key]]
    assert list(made.night if nightly else made.daemon) == read["ProgramArguments"]
    assert ({"Hour": 3, "Minute": 17} if nightly else None) == read.get("StartCalendarInterval")
    assert ([] if nightly else ["KeepAlive", "RunAtLoad"]) == [k for k in ("KeepAlive", "RunAtLoad") if k in read]
    assert "Background" == read["ProcessType"] and -20 <= read["Nice"] <= 20


BOOLEAN, DURATION = r"true|false", r"P(T(?=\d)(\d+H)?(\d+M)?(\d+S)?)"
SCHEMA: dict[str, list[str] | str] = {
    "Task": ["RegistrationInfo?", "Triggers?", "Principals?", "Settings?", "Actions"],
    "RegistrationInfo": ["Description?"],
    "Triggers": ["CalendarTrigger?", "LogonTrigger?"],
    # A trigger's own elements first and in this order, then those of its kind.
    "CalendarTrigger": ["StartBoundary", "Enabled?", "RandomDelay?", "ScheduleByDay"],
    "LogonTrigger": ["Enabled?", "UserId?"],
    "ScheduleByDay": ["DaysInterval?"],
    "Principals": ["Principal"],
    "Principal": ["UserId?", "LogonType?", "RunLevel?"],
    "Settings": [
        "MultipleInstancesPolicy?",
        "DisallowStartIfOnBatteries?",
        "StopIfGoingOnBatteries?",
        "StartWhenAvailable?",
        "Enabled?",
        "Hidden?",
        "ExecutionTimeLimit?",
        "Priority?",
        "RestartOnFailure?",
    ],
    "RestartOnFailure": ["Interval", "Count"],
    "Actions": ["Exec"],
    "Exec": ["Command", "Arguments?", "WorkingDirectory?"],
    "Description": r".+",
    "StartBoundary": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d",
    "RandomDelay": DURATION,
    "DaysInterval": r"[1-9]\d*",
    "UserId": r".+",
    "LogonType": r"S4U|Password|InteractiveToken|InteractiveTokenOrPassword",
    "RunLevel": r"LeastPrivilege|HighestAvailable",
    "MultipleInstancesPolicy": r"Parallel|Queue|IgnoreNew|StopExisting",
    "DisallowStartIfOnBatteries": BOOLEAN,
    "StopIfGoingOnBatteries": BOOLEAN,
    "StartWhenAvailable": BOOLEAN,
    "Enabled": BOOLEAN,
    "Hidden": BOOLEAN,
    "ExecutionTimeLimit": DURATION,
    "Priority": r"\d|10",
    "Interval": DURATION,
    "Count": r"[1-9]\d{0,2}",
    "Command": r".+",
    "Arguments": r".*",
    "WorkingDirectory": r".+",
}
"""The part of the Task Scheduler's schema (version 1.2) that is used: what may stand in each element, in which order."""


def wrong(element: Xml.Element) -> list[str]:
    """What the schema does not allow."""
    tag = element.tag.removeprefix(f"{{{tasks.NAMESPACE}}}")
    rule = SCHEMA[tag]
    if isinstance(rule, str):
        return [] if re.fullmatch(rule, element.text or "") and len(element) == 0 else [f"{tag}: {element.text!r}"]
    inside = [child.tag.removeprefix(f"{{{tasks.NAMESPACE}}}") for child in element]
    pattern = "".join(f"({name.rstrip('?')} ){'?' if name.endswith('?') else ''}" for name in rule)
    here = [] if re.fullmatch(pattern, "".join(f"{name} " for name in inside)) else [f"{tag} holds {inside}"]
    return here + [fault for child in element for fault in wrong(child)]


@pytest.mark.parametrize("nightly", [False, True])
def test_a_task_obeys_the_schema(nightly: bool) -> None:
    """Read back from UTF-16: elements, their order and their values; the command whole."""
    made = a_plan(program=(r"C:\Users\me & you\sleepd.exe",), environment=Path("C:/Users/me & you/environment"))
    data = tasks.task(made, r"HERE\me", nightly=nightly)
    assert data.startswith((b"\xff\xfe", b"\xfe\xff"))
    root = Xml.fromstring(data)
    assert [] == wrong(root)
    assert ("1.2", f"{{{tasks.NAMESPACE}}}Task") == (root.get("version"), root.tag)
    found = {element.tag.rpartition("}")[2]: element.text for element in root.iter()}
    assert r"C:\Users\me & you\sleepd.exe" == found["Command"]
    verb = "run --scheduled" if nightly else "daemon"
    assert f'--environment "C:/Users/me & you/environment" {verb}' == found["Arguments"]
    assert nightly == ("CalendarTrigger" in found) != ("LogonTrigger" in found)


def test_the_schema_can_be_broken() -> None:
    """The check above does not hold for everything."""
    data = tasks.task(a_plan(), "me", nightly=True)
    swapped = data.decode("utf-16").replace("IgnoreNew", "Sometimes").replace("DaysInterval", "UserId")
    assert 2 == len(wrong(Xml.fromstring(swapped)))


# The program --------------------------------------------------------------------------------------------------------


def test_the_script_beside_this_python_is_preferred(tmp_path: Path) -> None:
    """Else the Python itself starts it, safe from what lies in the folder it is started in."""
    python = tmp_path / "python3"
    assert (str(python), "-P", "-m", "sleepd") == program(python)
    (tmp_path / "sleepd").touch(mode=0o755)
    assert (str(tmp_path / "sleepd"),) == program(python)
