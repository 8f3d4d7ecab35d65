"""sleepd as it is installed from a wheel, where no checkout lies beside it."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from sleepd import __version__
from tests.e2e.clients import ROOT, Person

pytestmark = pytest.mark.e2e


def test_the_plugin_comes_out_of_the_wheel(person: Person, tmp_path: Path) -> None:
    """File for file that of the repository; an agent takes it from there, and it finds the sleepd that put it in."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    words = ["wheel", "--no-deps", "--no-build-isolation", "-w", str(tmp_path), str(ROOT)]
    subprocess.run([*pip, *words], check=True, timeout=300)
    (wheel,) = tmp_path.glob("sleepd-*.whl")
    files = [p for top in ("plugins", "systemd") for p in sorted((ROOT / top).rglob("*")) if p.is_file()]
    with zipfile.ZipFile(wheel) as held:
        assert [p.read_bytes() for p in files] == [held.read(f"sleepd/{p.relative_to(ROOT)}") for p in files]
    program = _installed(wheel, tmp_path / "venv")
    ended = person.run(str(program), "plugin", "install", "claude-code")
    assert 0 == ended.code, ended
    (listed,) = person.run("claude", "plugin", "list", "--json").json
    assert ("sleepd@sleepd", __version__) == (listed["id"], listed["version"])
    wrapper = person.marketplace / "claude-code" / "bin" / "sleepd"
    assert f"sleepd {__version__}\n" == person.run(str(wrapper), "--version").out
    assert str(program) == (person.marketplace / "claude-code" / "sleepd-path").read_text().strip()
    assert str(tmp_path / "venv") in json.loads(person.run(str(program), "doctor", "--json").out)["rows"][1]["finding"]


def _installed(wheel: Path, venv: Path) -> Path:
    """The command of an environment with this wheel; what it requires is lent by the environment of the tests."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True, timeout=60)
    order = ["-m", "pip", "--disable-pip-version-check", "-q", "--python", str(venv / "bin" / "python")]
    subprocess.run([sys.executable, *order, "install", "--no-deps", str(wheel)], check=True, timeout=300)
    (packages,) = venv.glob("lib/python*/site-packages")
    ours = next(path for path in sys.path if path.endswith("site-packages"))
    # Behind its own packages, and without what makes this checkout importable: a line of a .pth file is only a path.
    (packages / "lent.pth").write_text(f"{ours}\n", encoding="utf-8")
    return venv / "bin" / "sleepd"
