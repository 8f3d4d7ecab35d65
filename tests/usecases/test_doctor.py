"""`sleepd doctor`: each fact that must hold has a row, and a row that fails names its fix."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from sleepd.host import locks
from sleepd.settings import config
from sleepd.store.nights import NightStatus
from sleepd.usecases import doctor
from sleepd.views.doctor_result import DoctorRow, DoctorState
from tests.cli.command import SETTINGS, configure, live_in, sleepd
from tests.resident.test_scheduled import enter
from tests.stub.server import WRONG_KEY, Stub

OPENAI = """\
[harvest]
since = "all"
[embedder]
name = "hashed-tfidf"
[model]
name = "openai"
model = "stub"
base_url = "{url}/v1"
max_retries = 0
[night]
max_calls = 50
"""


def rows(*, live: bool = False) -> dict[str, DoctorRow]:
    return {row.fact: row for row in doctor.examine(config.places(), live=live)}


def test_all_is_well_where_all_is_set(own_home: Path) -> None:
    """Exit status 0; every agent has a row with its count."""
    live_in(own_home, 6)
    configure(own_home)
    assert 0 == sleepd("harvest", "--quiet").code
    done = sleepd("doctor", "--json")
    assert (0, True) == (done.code, done.json["ok"])
    found = {row["fact"]: row["finding"] for row in done.json["rows"]}
    agents = {f"agent {name}" for name in ("claude-code", "codex", "copilot-cli", "copilot-vscode")}
    assert agents <= found.keys() and found["database"].startswith("6 sessions")


def test_an_empty_home_needs_three_answers(own_home: Path) -> None:
    """Each failing row has a fix; exit status 2. That there is no transcript and no database yet only warns."""
    done = sleepd("doctor", "--json")
    failed = {row["fact"] for row in done.json["rows"] if row["state"] == "failed"}
    assert (2, {"window", "spending", "model"}) == (done.code, failed)
    assert all(row["fix"] for row in done.json["rows"] if row["state"] != "ok")
    assert not config.places().database.exists()


def test_warnings_do_not_fail(own_home: Path) -> None:
    """An English-only embedder, a defect, a variable that a scheduled night would not see."""
    configure(own_home)
    (own_home / "notes.txt").write_text("nothing of an agent")
    assert 0 == sleepd("harvest", own_home / "notes.txt").code
    done = sleepd("doctor", "--json")
    found = {row["fact"]: row for row in done.json["rows"]}
    assert (0, "warning") == (done.code, found["database"]["state"])
    assert "notes.txt at byte 0 (unknown-format)" in found["database"]["finding"]


def test_a_variable_in_force_is_named_without_its_value(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be a key."""
    configure(own_home)
    monkeypatch.setenv("SLEEPD_API_KEY", "sk-secret")
    row = rows()["variables"]
    assert DoctorState.WARNING is row.state and "SLEEPD_API_KEY" in row.finding and "sk-secret" not in str(row)


def test_a_misspelt_variable_fails(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be an error of every other verb; the settings' row says so too."""
    monkeypatch.setenv("SLEEPD_NIGHT__MAX_CALS", "3")
    found = rows()
    assert DoctorState.FAILED is found["variables"].state and DoctorState.FAILED is found["settings"].state


@pytest.mark.parametrize("damage", [b"", b"garbage" * 1000])
def test_a_damaged_database_is_a_row_that_names_it(own_home: Path, damage: bytes) -> None:
    """It is neither mended nor replaced."""
    configure(own_home)
    file = config.places().database
    file.parent.mkdir(parents=True)
    file.write_bytes(damage)
    row = rows()["database"]
    assert DoctorState.FAILED is row.state and str(file) in row.finding and "backup" in row.fix
    assert damage == file.read_bytes()


def test_a_database_that_others_may_read_fails(own_home: Path) -> None:
    """It holds what was said to agents."""
    configure(own_home)
    sleepd("init")
    config.places().database.chmod(0o644)
    row = rows()["database rights"]
    assert (DoctorState.FAILED, f"chmod 600 {config.places().database}") == (row.state, row.fix)


def test_a_running_night_is_seen(own_home: Path) -> None:
    """Its lock says so."""
    configure(own_home)
    assert DoctorState.OK is rows()["lock"].state
    with locks.night(config.places(), 0):
        assert DoctorState.WARNING is rows()["lock"].state


def test_nights_of_a_day_to_come_are_named(begun: Path) -> None:
    """A clock that was ahead left them; they count as no night until then."""
    assert ("ok", "") == ((row := rows()["nights"]).state.value, row.fix)
    ids = [enter(NightStatus.DONE, day=date(2047, 11, day)).id for day in range(1, 6)]
    row = rows()["nights"]
    assert "warning" == row.state and f"{', '.join(ids[:3])} and 2 more" in row.finding and "clock" in row.fix


def test_wrong_settings_are_a_row_like_any_other(own_home: Path) -> None:
    """The rest is examined all the same."""
    configure(own_home, "[gate]\nalpah = 1\n")
    found = rows()
    assert DoctorState.FAILED is found["settings"].state and "alpha" in found["settings"].finding
    assert {"disk", "lock", "python", "import names"} <= found.keys()


@pytest.mark.parametrize(
    ("text", "fact", "named"),
    [
        (SETTINGS.replace('"hashed-tfidf"', '"hashed"'), "embedder", "hashed-tfidf"),
        (SETTINGS.replace('"simulated"', '"simulatd"'), "model", "simulated"),
        (OPENAI.format(url="http://127.0.0.1:1"), "model", "OPENAI_API_KEY"),
    ],
)
def test_what_cannot_work_is_found_before_the_night(own_home: Path, text: str, fact: str, named: str) -> None:
    """A misspelt embedder, a misspelt model, a missing key."""
    configure(own_home, text)
    row = rows()[fact]
    assert DoctorState.FAILED is row.state and named in row.finding + row.fix


def test_live_asks_the_model_once(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One real call; without --live none."""
    with Stub() as stub:
        configure(own_home, OPENAI.format(url=stub.url))
        monkeypatch.setenv("SLEEPD_API_KEY", "right")
        assert "not tested" in rows()["model"].finding and [] == stub.requests
        assert DoctorState.OK is rows(live=True)["model"].state and 1 == len(stub.requests)


def test_live_finds_a_login_that_does_not_hold(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The row fails with the cause, and exit status 2; the key is nowhere in it."""
    with Stub() as stub:
        configure(own_home, OPENAI.format(url=stub.url))
        monkeypatch.setenv("SLEEPD_API_KEY", WRONG_KEY)
        done = sleepd("doctor", "--live")
    assert 2 == done.code and "auth" in done.out and WRONG_KEY not in done.out
