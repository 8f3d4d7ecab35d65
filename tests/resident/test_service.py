"""`sleepd service`: one schedule, examined before it is installed, exact in what it says and in what it takes away."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sleepd.core.errors import BadSettings, UsageError
from sleepd.schedulers.cron import BEGIN, END
from sleepd.schedulers.plan import Plan, plan
from sleepd.settings import config
from sleepd.usecases import service
from tests.cli.command import SETTINGS, configure, environment, sleepd, started
from tests.resident.schedulers import a_crontab, a_recorder, mode, only_commands_of

THEIRS = b"MAILTO=me\n# mine\n*/5 * * * * echo 100\\% done\n"
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def variables() -> dict[str, str]:
    """The environment file, read."""
    lines = config.places().environment.read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if not line.startswith("#"))


def repairs() -> list[str]:
    """The faults but for cron itself, which may run here or not."""
    return [fault for fault in status()["faults"] if "cron daemon" not in fault]


def status() -> dict:
    done = sleepd("service", "status", "--json")
    assert 0 == done.code, done.err
    return done.json


# Installing and removing --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_installing_twice_leaves_one_schedule(begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's own lines stay, byte for byte, also after it is removed again."""
    table = a_crontab(tmp_path, monkeypatch, THEIRS)
    for _ in range(2):
        done = sleepd("service", "install", "--cron", "--no-preflight")
        assert 0 == done.code, done.err
    text = table.read_bytes()
    assert (1, 1, THEIRS) == (text.count(BEGIN), text.count(END), text[-len(THEIRS) :])
    assert b"17 3 * * * " in text and b" run --scheduled 2>&1) ||" in text
    gone = sleepd("service", "uninstall")
    assert (0, THEIRS) == (gone.code, table.read_bytes())
    assert "removed the lines of sleepd in your crontab" in gone.out and str(config.places().environment) in gone.out
    assert "nothing was installed" in sleepd("service", "uninstall").out


def test_where_there_was_no_crontab_there_is_none_afterwards(
    begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty one would be something else."""
    table = a_crontab(tmp_path, monkeypatch)
    assert 0 == sleepd("service", "install", "--cron", "--no-preflight").code and table.exists()
    assert 0 == sleepd("service", "uninstall").code and not table.exists()


def test_a_crontab_that_cannot_be_read_is_not_written_over(
    begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failure to read is not an empty crontab; the variables are as they were: not there."""
    called = a_recorder(tmp_path, "crontab", 'sys.exit("the disk is on fire")')
    only_commands_of(tmp_path, monkeypatch)
    done = sleepd("service", "install", "--cron", "--no-preflight")
    assert 2 == done.code and "the disk is on fire" in done.err
    assert {"-l"} == set(called.read_text().splitlines()) and not config.places().environment.exists()
    assert not status()["installed"] and 0 == sleepd("service", "uninstall").code


def test_without_a_manager_the_message_names_cron(begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line; nothing is left behind."""
    a_crontab(tmp_path, monkeypatch)
    done = sleepd("service", "install")
    assert 2 == done.code and "--cron" in done.err and 1 == len(done.err.splitlines())
    assert not config.places().environment.exists()


def test_where_nothing_is_possible_the_daemon_is_named(
    begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither systemd nor cron."""
    only_commands_of(tmp_path, monkeypatch)
    assert "`sleepd daemon`" in sleepd("service", "install").err
    assert "install cron" in sleepd("service", "install", "--cron").err


@pytest.mark.parametrize("options", [("--timer", "--cron"), ("--cron", "--linger")])
def test_options_that_contradict_each_other_are_refused(
    options: tuple[str, ...], begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything is written."""
    table = a_crontab(tmp_path, monkeypatch, THEIRS)
    assert 2 == sleepd("service", "install", *options).code
    assert THEIRS == table.read_bytes()


@pytest.mark.slow
def test_a_damaged_database_keeps_nothing_installed(
    begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Removing a schedule does not need it, and leaves it and the settings where they are."""
    table = a_crontab(tmp_path, monkeypatch)
    assert 0 == sleepd("service", "install", "--cron", "--no-preflight").code
    config.places().database.write_bytes(b"garbage" * 1000)
    assert "cron" == status()["schedules"][0]["kind"]
    gone = sleepd("service", "uninstall")
    assert (0, False) == (gone.code, table.exists()) and "crontab" in gone.out
    assert config.places().config.exists() and config.places().database.exists()


@pytest.mark.parametrize(("waiting", "words"), [(1, "1 proposal waits; it stays"), (2, "2 proposals wait; they stay")])
def test_waiting_proposals_stay_and_are_named(
    waiting: int, words: str, begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Uninstalling takes nothing that was learnt."""
    a_crontab(tmp_path, monkeypatch)
    with closing(sqlite3.connect(config.places().database)) as connection, connection:
        columns = [name for _, name, *_ in connection.execute("PRAGMA table_info(proposals)")]
        for number in range(waiting):
            facts = dict.fromkeys(columns, f"{number}") | {"status": "waiting"}
            connection.execute(f"INSERT INTO proposals VALUES ({', '.join('?' * len(columns))})", tuple(facts.values()))
    gone = sleepd("service", "uninstall")
    assert f"{words}: sleepd review\n" == gone.err
    assert waiting == sleepd("status", "--json").json["proposals"]["waiting"]


# Preflight ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_preflight_sees_what_cron_sees(begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The key of this shell is not there: nothing is installed, and the message names the way; with it, all is."""
    table = a_crontab(tmp_path, monkeypatch, THEIRS)
    configure(begun, SETTINGS.replace('name = "simulated"', 'name = "openai"\nbase_url = "http://127.0.0.1:9/v1"'))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-this-shell")
    done = sleepd("service", "install", "--cron")
    assert 2 == done.code and "OPENAI_API_KEY is set only in this shell: --keep-key" in done.err
    assert THEIRS == table.read_bytes() and [] == list(config.places().config.parent.glob("environment*"))
    kept = sleepd("service", "install", "--cron", "--keep-key")
    assert 2 == kept.code and "--keep-key" not in kept.err and "sk-of" not in kept.err  # nobody listens at port 9


@pytest.mark.slow
def test_a_preflight_that_passes_installs(begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The examination ran in a process of its own, with these settings."""
    a_crontab(tmp_path, monkeypatch, THEIRS)
    done = sleepd("service", "install", "--cron", "--json")
    assert (0, "cron") == (done.code, done.json["kind"]), done.err
    assert 1 == len(status()["schedules"])


@pytest.mark.slow
def test_a_schedule_that_serves_stays_when_a_new_one_fails(
    begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With its variables."""
    table = a_crontab(tmp_path, monkeypatch)
    assert 0 == sleepd("service", "install", "--cron", "--no-preflight").code
    before = (table.read_bytes(), config.places().environment.read_bytes())
    configure(begun, SETTINGS.replace('since = "all"', ""))
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    assert 2 == sleepd("service", "install", "--cron").code
    assert before == (table.read_bytes(), config.places().environment.read_bytes())


# The environment ----------------------------------------------------------------------------------------------------


def test_what_schedulers_do_not_give_is_kept(begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PATH, moved folders, the way to the network; no key and no setting; readable by its owner alone."""
    a_crontab(tmp_path, monkeypatch)
    monkeypatch.setenv("CODEX_HOME", "relative/codex")
    monkeypatch.setenv("https_proxy", "http://proxy:3128")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    monkeypatch.setenv("SLEEPD_NIGHT__AT", "05:05")
    done = sleepd("service", "install", "--cron", "--no-preflight")
    kept = variables()
    assert (str(tmp_path), "http://proxy:3128") == (kept["PATH"], kept["https_proxy"])
    assert str(Path.cwd() / "relative/codex") == kept["CODEX_HOME"] and str(begun) == kept["HOME"]
    assert {"ANTHROPIC_API_KEY", "SLEEPD_NIGHT__AT"} & kept.keys() == set() and "sk-secret" not in done.out + done.err
    assert "SLEEPD_NIGHT__AT is set in this shell only" in done.err and "ANTHROPIC_API_KEY" in done.err
    assert b"17 3 * * *" in (tmp_path / "table").read_bytes()
    assert 0o600 == mode(config.places().environment)


def test_secrets_are_kept_only_when_asked(begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys, and a proxy's address that holds a login."""
    a_crontab(tmp_path, monkeypatch)
    monkeypatch.setenv("SLEEPD_API_KEY", "sk-secret")
    monkeypatch.setenv("HTTPS_PROXY", "http://me:word@proxy:3128")
    assert 0 == sleepd("service", "install", "--cron", "--no-preflight").code
    assert {"SLEEPD_API_KEY", "HTTPS_PROXY"} & variables().keys() == set()
    done = sleepd("service", "install", "--cron", "--no-preflight", "--keep-key")
    assert "sk-secret" == variables()["SLEEPD_API_KEY"] and "plain text" in done.err and "sk-secret" not in done.err


@pytest.mark.parametrize("value", ["two\nlines", "a\x85b", "a\u2028b", os.fsdecode(b"\xff")])
def test_a_value_that_no_line_holds_is_refused(
    value: str, begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would be read as something else."""
    a_crontab(tmp_path, monkeypatch)
    monkeypatch.setenv("COPILOT_HOME", value)
    done = sleepd("service", "install", "--cron", "--no-preflight")
    assert 2 == done.code and "COPILOT_HOME" in done.err and not config.places().environment.exists()


def test_the_file_gives_path_home_and_time_zone(begun: Path) -> None:
    """Schedulers set PATH and HOME themselves; what else is set already stays."""
    file = begun / "environment"
    file.write_text(f"# head\nPATH=/of/the/file\nHOME={begun}\nTZ=Asia/Shanghai\nCODEX_HOME=/of/the/file\n")
    code = (
        "import os, time; from pathlib import Path; from sleepd.settings import config;"
        f"config.take_environment(Path({str(file)!r}));"
        "print(os.environ['PATH'], os.environ['HOME'], time.tzname[0], os.environ['CODEX_HOME'])"
    )
    given = environment(PATH="/usr/bin", HOME="/elsewhere", CODEX_HOME="/set/already")
    given.pop("TZ", None)
    done = subprocess.run(
        [sys.executable, "-c", code], env=given, capture_output=True, text=True, check=True, timeout=60
    )
    assert f"/of/the/file {begun} CST /set/already\n" == done.stdout


def test_a_missing_environment_file_names_its_maker(begun: Path) -> None:
    """Not the maker of the settings file."""
    with pytest.raises(BadSettings, match="sleepd service install"):
        config.take_environment(begun / "none")


# Status -------------------------------------------------------------------------------------------------------------


def test_nothing_installed_is_no_error(begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit status 0, and the command that would change it; the doctor warns."""
    a_crontab(tmp_path, monkeypatch)
    assert "sleepd service install" in sleepd("service", "status").out
    found = status()
    assert (False, [], None, []) == (found["installed"], found["schedules"], found["next"], found["faults"])
    rows = {row["fact"]: row for row in sleepd("doctor", "--json").json["rows"]}
    assert ("warning", "sleepd service install") == (rows["schedule"]["state"], rows["schedule"]["fix"])


@pytest.mark.slow
def test_a_change_of_the_time_makes_the_schedule_stale(
    begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time is the one setting a schedule holds; so is a file that is gone, or open to others."""
    a_crontab(tmp_path, monkeypatch)
    assert 0 == sleepd("service", "install", "--cron", "--no-preflight").code
    assert status()["schedules"][0]["current"]
    configure(begun, SETTINGS + 'at = "04:04"\n')
    assert (
        not status()["schedules"][0]["current"]
        and "not as this sleepd writes it now" in sleepd("service", "status").out
    )
    configure(begun)
    config.places().environment.chmod(0o644)
    assert [f"others may read {config.places().environment}; sleepd service install --cron"] == repairs()
    config.places().environment.unlink()
    assert any("is gone" in fault for fault in status()["faults"])


def test_the_last_night_stands_in_the_status(begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its own words."""
    a_crontab(tmp_path, monkeypatch)
    assert 0 == sleepd("service", "install", "--cron", "--no-preflight").code
    assert None is status()["last_night"]
    assert 0 == sleepd("run").code
    assert "done" == status()["last_night"]["status"]
    with closing(sqlite3.connect(config.places().database)) as connection, connection:
        connection.execute("UPDATE nights SET status = 'not-measured'")
    assert "not-measured" in sleepd("service", "status").out


# Logs ---------------------------------------------------------------------------------------------------------------


def test_logs_show_the_end_of_the_log(begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many lines as asked for; without a log, where it will be."""
    a_crontab(tmp_path, monkeypatch)
    assert "nothing was written yet" in sleepd("service", "logs").err
    config.places().log.parent.mkdir(parents=True, exist_ok=True)
    config.places().log.write_text("".join(f"line {n}\n" for n in range(30_000)), encoding="utf-8")
    assert "line 29998\nline 29999\n" == sleepd("service", "logs", "-n", "2").out
    assert 50 == len(sleepd("service", "logs").out.splitlines())
    assert "" == sleepd("service", "logs", "-n", "0").out


def test_logs_show_though_the_settings_are_wrong(begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That may be why somebody looks at them."""
    a_crontab(tmp_path, monkeypatch)
    configure(begun, "[gate]\nalpah = 1\n")
    config.places().log.parent.mkdir(parents=True, exist_ok=True)
    config.places().log.write_text("why it fails\n", encoding="utf-8")
    assert "why it fails\n" == sleepd("service", "logs").out


@pytest.mark.slow
def test_logs_go_on_with_what_comes(begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when the file was begun anew; Ctrl-C ends it."""
    a_crontab(tmp_path, monkeypatch)
    log = config.places().log
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("old\nfirst\n")
    with started("service", "logs", "-n", "1", "-f", env=environment()) as process:
        assert process.stdout is not None
        bound = threading.Timer(60, process.kill)
        bound.start()
        assert "first\n" == process.stdout.readline()
        with log.open("a") as stream:
            stream.write("second\n")
        assert "second\n" == process.stdout.readline()
        log.unlink()
        log.write_text("anew\n")
        assert "anew\n" == process.stdout.readline()
        process.terminate()
        process.communicate(timeout=30)
        bound.cancel()
    assert 130 == process.returncode


# Other systems: their commands are stand-ins that write down how they were called -----------------------------------


def installed(platform: str, **wish: bool) -> service.InstalledService:
    return service.install(config.places(), service.ServiceOptions(preflight=False, **wish), platform)


def the_plan() -> Plan:
    return plan(config.places(), config.load_file_alone())


@pytest.mark.slow
def test_launchd_is_asked_in_its_own_words(begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bootstrapped in the user's session; the other form and the file go when it is replaced or removed."""
    called = a_recorder(tmp_path, "launchctl", 'print("state = running")')
    a_crontab(tmp_path, monkeypatch)
    agents = begun / "Library" / "LaunchAgents"
    assert "launchd agent" == installed("darwin").kind
    assert ("launchd agent",) == installed("darwin", timer=True).removed
    assert ["sleepd-night.plist"] == [file.name for file in agents.iterdir()]
    seen = service.status(config.places(), "darwin", NOW)
    assert [("launchd timer", True, "running", ())] == [(s.kind, s.active, s.state, s.differs) for s in seen.schedules]
    assert (str(agents / "sleepd-night.plist"),) == service.uninstall(config.places(), "darwin").things[:1]
    domain = f"gui/{os.getuid()}"
    lines = called.read_text().splitlines()
    assert f"bootstrap {domain} {agents / 'sleepd.plist'}" in lines and f"bootout {domain}/sleepd-night" in lines


def test_an_agent_that_launchd_refuses_leaves_nothing(
    begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither file nor variables."""
    a_recorder(tmp_path, "launchctl", 'sys.exit("Bootstrap failed: 5" if sys.argv[1] == "bootstrap" else 0)')
    only_commands_of(tmp_path, monkeypatch)
    with pytest.raises(UsageError, match="Bootstrap failed: 5"):
        installed("darwin")
    assert [] == list((begun / "Library" / "LaunchAgents").iterdir()) and not config.places().environment.exists()


@pytest.mark.parametrize("before", [None, "OF=BEFORE\n"])
def test_a_folder_that_takes_no_schedule_leaves_the_variables_as_they_were(
    before: str | None, begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system's own errors are no different from ours; nothing lies beside them."""
    a_recorder(tmp_path, "launchctl")
    only_commands_of(tmp_path, monkeypatch)
    (begun / "Library").write_text("in the way of the folder")
    file = config.places().environment
    if before is not None:
        file.write_text(before)
    with pytest.raises(OSError, match="Library"):
        installed("darwin")
    assert before == (file.read_text() if file.exists() else None)
    assert {"config.toml", *({file.name} if before else ())} == {one.name for one in file.parent.iterdir()}
    (begun / "Library").unlink()
    installed("darwin")
    assert {"config.toml", file.name} == {one.name for one in file.parent.iterdir()}


@pytest.mark.slow
def test_the_task_scheduler_is_asked_in_its_own_words(
    begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Created from a file, run at once, ended and deleted."""
    keep = (
        "import shutil; a = sys.argv[1:]; kept = pathlib.Path(__file__).with_name(a[a.index('/TN') + 1] + '.xml')"
        " if '/TN' in a else None\n"
        "if '/Create' in a: shutil.copy(a[a.index('/XML') + 1], kept)\n"
        "elif '/Delete' in a: kept.unlink()\n"
        "elif kept and not kept.exists(): sys.exit('no such task')\n"
        "elif '/XML' in a: sys.stdout.buffer.write(kept.read_bytes())"
    )
    called = a_recorder(tmp_path, "schtasks", keep)
    a_recorder(tmp_path, "whoami", 'print("HERE\\\\me")')
    only_commands_of(tmp_path, monkeypatch)
    assert "task at login" == installed("win32").kind
    assert ("task at login",) == installed("win32", timer=True).removed
    seen = service.status(config.places(), "win32", NOW)
    assert [("task, nightly", ())] == [(s.kind, s.differs) for s in seen.schedules]
    assert "the task sleepd-night" == service.uninstall(config.places(), "win32").things[0]
    lines = called.read_text().splitlines()
    assert {"/Run /TN sleepd", "/End /TN sleepd", "/Delete /TN sleepd-night /F"} <= set(lines)
    with pytest.raises(UsageError, match="no crontab"):
        installed("win32", cron=True)


def test_json_answers_are_json(begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Installing and uninstalling too, without a word beside."""
    a_crontab(tmp_path, monkeypatch)
    done = sleepd("service", "install", "--cron", "--no-preflight", "--json")
    assert "PATH" in done.json["kept"] and any("cron skips a night" in note for note in done.json["notes"])
    gone = json.loads(sleepd("service", "uninstall", "--json").out)
    assert 2 == len(gone["removed"]) and 0 == gone["waiting"]
