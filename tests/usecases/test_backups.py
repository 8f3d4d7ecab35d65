"""A drill: the database is damaged, every verb says so in one line, and `sleepd restore` brings it back."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sleepd.resident.children import Children
from tests.cli.command import sleepd
from tests.store.test_database import damaged_in_the_middle

VERBS = (["proposals"], ["nights"], ["tasks", "list"], ["harvest"], ["backup"])


def database_of(home: Path) -> Path:
    return home / ".local" / "share" / "sleepd" / "sleepd.db"


@pytest.mark.slow
def test_a_damaged_database_is_said_by_each_verb_and_put_back_by_one(begun: Path) -> None:
    """Nothing is written to the damaged file, the good backup survives, and afterwards everything works."""
    file = database_of(begun)
    made = sleepd("backup", "--json").json["backup"]
    damaged_in_the_middle(file)
    for verb in VERBS:
        ended = sleepd(*verb)
        assert (2, 1) == (ended.code, ended.err.count("\n")), (verb, ended)
        assert "sleepd restore" in ended.err
    assert "sleepd restore" in sleepd("doctor").out
    restored = sleepd("restore", "--json").json
    assert made == restored["backup"]
    assert Path(restored["kept_as"]).is_file()
    for verb in VERBS:
        assert 0 == sleepd(*verb).code, verb


def test_without_a_backup_restore_says_so(begun: Path) -> None:
    """And leaves the file."""
    before = database_of(begun).read_bytes()
    ended = sleepd("restore")
    assert (2, "none was made yet" in ended.err) == (ended.code, True)
    assert before == database_of(begun).read_bytes()


def test_a_child_of_the_daemon_runs_no_file_of_the_folder_it_stands_in(
    begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hostile repository may hold `sleepd.py`, or a module that sleepd imports."""
    for name in ("sleepd", "typer", "json", "harvesters"):
        (tmp_path / f"{name}.py").write_text("open('ran', 'w').close()\nraise SystemExit(9)\n")
    monkeypatch.chdir(tmp_path)
    assert 0 == Children().harvest().status
    assert not (tmp_path / "ran").exists()
    # The folder does shadow the package where nobody keeps it out.
    assert 9 == subprocess.run([sys.executable, "-m", "sleepd", "--version"], check=False).returncode


@pytest.mark.slow
def test_doctor_sees_damage_that_no_verb_has_met_yet(begun: Path) -> None:
    """One page in the middle of the file: it opens, and most verbs never read that page."""
    file = database_of(begun)
    data = bytearray(file.read_bytes())
    data[-4096:] = b"\x07" * 4096
    file.write_bytes(data)
    assert "sleepd restore" in sleepd("doctor").out or "there is no backup" in sleepd("doctor").out
    assert 2 == sleepd("backup").code
