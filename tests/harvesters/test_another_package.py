"""The example package of another agent: installed beside sleepd, it is harvested, mined and never stops a night."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

PACKAGE = Path(__file__).parents[2] / "docs" / "examples" / "sleepd-pi"
SAMPLE = PACKAGE / "sample.jsonl"
SETTINGS = """\
[harvest]
since = "all"
[embedder]
name = "hashed-tfidf"
[model]
name = "simulated"
model = "programmer"
[night]
max_calls = 40
"""
SUBJECTS = (
    *("cent fix", "broken search page", "new export of orders", "login by mail", "tax table of Norway"),
    *("slow start page", "missing stock alarm", "print of labels", "voucher that expires"),
)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """The package as an installer lays it down: the module, and the entry points that its project file names."""
    site = tmp_path / "site"
    site.mkdir()
    shutil.copy(PACKAGE / "sleepd_pi.py", site)
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    info = site / f"sleepd_pi-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    points = project["entry-points"]["sleepd.harvesters"]
    rows = "".join(f"{name} = {where}\n" for name, where in points.items())
    (info / "entry_points.txt").write_text(f"[sleepd.harvesters]\n{rows}")
    return site


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    (home / ".config" / "sleepd").mkdir(parents=True)
    (home / ".config" / "sleepd" / "config.toml").write_text(SETTINGS)
    return home


def sleepd(site: Path, home: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    kept = ("PATH", "LANG")
    env = {name: os.environ[name] for name in kept if name in os.environ}  # noqa: TID251  handed to a child process
    command = [sys.executable, "-m", "sleepd", *map(str, arguments)]
    return subprocess.run(
        command, env=env | {"HOME": str(home), "PYTHONPATH": str(site)}, capture_output=True, text=True, check=False
    )


def harvested(site: Path, home: Path, *arguments: object) -> dict[str, Any]:
    done = sleepd(site, home, "harvest", *arguments, "--json")
    assert 0 == done.returncode, done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def lived_in(home: Path, sessions: int) -> None:
    """Sessions of one recurring piece of work, one a day, in a project."""
    folder = home / ".pi" / "agent" / "sessions" / "--home-dev-shop--"
    folder.mkdir(parents=True)
    text = SAMPLE.read_text(encoding="utf-8")
    for day in range(1, sessions + 1):
        told = text.replace("2026-05-01", f"2026-05-{day:02}").replace("00000001", f"{day:08}")
        told = re.sub(r'"a(\d)"', rf'"{day}a\1"', told.replace("cent fix", SUBJECTS[day - 1]))
        (folder / f"2026-05-{day:02}_{day}.jsonl").write_text(told, encoding="utf-8")


def test_the_example_holds_the_contract(site: Path, tmp_path: Path) -> None:
    """The kit is imported by the package's own test, from a process that has both installed."""
    program = (
        "import sys; from pathlib import Path; from sleepd_pi import Pi; from harvesters.contract import violations; "
        "print(violations(Pi(), Path(sys.argv[1]), Path(sys.argv[2])))"
    )
    (tmp_path / "work").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", program, str(SAMPLE), str(tmp_path / "work")],
        env={"PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ("[]\n", "") == (done.stdout, done.stderr)


@pytest.mark.slow
def test_an_installed_harvester_is_found_and_read(site: Path, home: Path) -> None:
    """By its agent's folder, by its name, and by a file that is recognised or said to be one of its agent's."""
    lived_in(home, 2)
    assert {"pi": 2} == {name: n for name, n in harvested(site, home)["by_agent"].items() if n}
    assert (2, 0) == (harvested(site, home, "pi")["files"], harvested(site, home, "pi")["read"])
    named = home / "export.jsonl"
    shutil.copy(SAMPLE, named)
    assert {"pi": 1} == harvested(site, home, named)["by_agent"]
    other = home / "export.txt"
    shutil.copy(SAMPLE, other)
    assert {"pi": 1} == harvested(site, home, other, "--as", "pi")["by_agent"]
    wrong = sleepd(site, home, "harvest", other, "--as", "pie")
    assert (True, 1) == ("pi" in wrong.stderr, len(wrong.stderr.strip().splitlines()))


@pytest.mark.slow
def test_a_night_over_another_agents_sessions_runs(site: Path, home: Path) -> None:
    """Its work is mined and planned for a skill in the folder that the harvester declares; no other agent is stopped."""
    lived_in(home, 9)
    done = sleepd(site, home, "run", "--dry-run", "--json")
    assert 0 == done.returncode, done.stderr
    told = json.loads(done.stdout)
    assert [True, True] == [told["harvest"]["sessions"] == 9, len(told["work"]) > 0]
    assert {("pi", True)} == {(work["agent"], "/.pi/skills/" in work["path"]) for work in told["work"]}
