"""What the tests of `sleepd service` share: a plan, and stand-ins for commands of other systems."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sleepd.schedulers.plan import Plan

_CRONTAB = """\
#!{python}
# As the crontab of Debian's cron behaves; the table is the file beside this one.
import pathlib, sys
table = pathlib.Path(__file__).with_name("table")
match sys.argv[1:]:
    case ["-l"]:
        if not table.exists():
            sys.exit("no crontab for me")
        sys.stdout.buffer.write(table.read_bytes())
    case ["-r"]:
        table.unlink()
    case ["-"]:
        given = sys.stdin.buffer.read()
        if given and not given.endswith(b"\\n"):
            sys.exit("new crontab file is missing newline before EOF, can't install.")
        table.write_bytes(given)
    case _:
        sys.exit("usage")
"""
_RECORDER = """\
#!{python}
import pathlib, sys
with pathlib.Path(__file__).with_suffix(".called").open("a") as log:
    log.write(" ".join(sys.argv[1:]) + "\\n")
{more}
"""


def a_plan(**changes: object) -> Plan:
    """A plan whose paths hold what schedulers misread."""
    facts: dict[str, object] = {
        "program": ("/home/me/my tools/$bin/100%/sleepd",),
        "environment": Path('/home/me/it\'s "here" & <there>/50% $HOME/environment'),
        "at": "03:17",
        "jitter_minutes": 10,
        "time_zone": None,
        "writable": (Path("/home/me/.local/share/sleepd"), Path("/home/me/state of 5%")),
        "caches": (Path("/home/me/.cache"),),
        "output": Path("/home/me/state/service.out"),
    }
    return Plan(**{**facts, **changes})  # type: ignore[arg-type]


def put_command(folder: Path, name: str, text: str) -> Path:
    """A command on the PATH that is only this."""
    file = folder / name
    file.write_text(text, encoding="utf-8")
    file.chmod(0o755)
    return file


def only_commands_of(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of this machine's schedulers is found any more."""
    monkeypatch.setenv("PATH", str(folder))


def a_crontab(folder: Path, monkeypatch: pytest.MonkeyPatch, before: bytes | None = None) -> Path:
    """A `crontab` command of the test's own; the file that is its table."""
    put_command(folder, "crontab", _CRONTAB.format(python=sys.executable))
    only_commands_of(folder, monkeypatch)
    table = folder / "table"
    if before is not None:
        table.write_bytes(before)
    return table


def a_recorder(folder: Path, name: str, more: str = "") -> Path:
    """A command that only writes down how it was called; the file it writes to. `more` is Python that follows."""
    put_command(folder, name, _RECORDER.format(python=sys.executable, more=more))
    return (folder / name).with_suffix(".called")


def mode(file: Path) -> int:
    return file.stat().st_mode & 0o777
