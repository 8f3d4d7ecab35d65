"""The same plugin in the real Codex, and the skill alone where its plugins are turned off."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from sleepd import __version__
from tests.e2e.clients import ROOT, SLEEPD, Person, eventually

pytestmark = pytest.mark.e2e

RULE = "Adopt only a proposal that the user saw and named"
"""Of the skill's body: a list of skills does not hold it."""


def codex(person: Person, prompt: str, *options: str) -> str:
    """Run a prompt; everything that the model was sent last, as one text."""
    ended = person.run("codex", "exec", "--skip-git-repo-check", "--json", *options, prompt)
    assert (0, "turn.completed") == (ended.code, ended.lines[-1]["type"]), ended
    return json.dumps(person.asked("/responses")[-1], ensure_ascii=False)


@pytest.fixture
def installed(person: Person) -> Person:
    """The same person after `sleepd plugin install codex`."""
    person.sleepd("plugin", "install", "codex")
    return person


@pytest.fixture
def without_plugins(person: Person) -> Person:
    """A person who turned Codex's plugins off."""
    with (person.home / ".codex" / "config.toml").open("a", encoding="utf-8") as file:
        file.write("plugins = false\n")
    return person


def test_it_is_installed_and_listed_and_taken_out_again(person: Person) -> None:
    """What Codex lists is what sleepd says; afterwards its settings are what they were."""
    settings = person.home / ".codex" / "config.toml"
    before = settings.read_text(encoding="utf-8")
    person.sleepd("plugin", "install", "codex")
    (listed,) = person.run("codex", "plugin", "list", "--json").json["installed"]
    assert ("sleepd@sleepd", __version__, True) == (listed["pluginId"], listed["version"], listed["enabled"])
    row = json.loads(person.sleepd("plugin", "status", "--json").out)[1]
    assert ("codex", True, True, True) == (row["agent"], row["installed"], row["enabled"], row["current"])
    person.sleepd("plugin", "uninstall", "codex")
    assert [] == person.run("codex", "plugin", "list", "--json").json["installed"]
    assert before.strip() == settings.read_text(encoding="utf-8").strip()


def test_the_skill_is_offered_and_reaches_the_model_when_it_is_named(installed: Person) -> None:
    """Every session is told that there is the skill; a mention sends its text."""
    offered = codex(installed, "stub:hello")
    assert ("sleepd:sleepd: Use when" in offered, RULE in offered) == (True, False)
    assert RULE in codex(installed, "use $sleepd:sleepd stub:hello")


def test_what_the_skill_names_finds_the_program(installed: Person) -> None:
    """`bin/sleepd` two folders above the skill runs the program that installed it, though PATH lacks it."""
    (skill,) = (installed.home / ".codex" / "plugins").rglob("SKILL.md")
    program = skill.parents[2] / "bin" / "sleepd"
    assert installed.sleepd("status").out == installed.run(str(program), "status").out


def test_an_update_reaches_the_copy_that_codex_keeps(installed: Person) -> None:
    """Installing again replaces what Codex copied."""
    (skill,) = (installed.home / ".codex" / "plugins").rglob("SKILL.md")
    skill.write_text("old", encoding="utf-8")
    installed.sleepd("plugin", "install", "codex")
    assert (ROOT / "plugins/claude-code/skills/sleepd/SKILL.md").read_text() == skill.read_text()


def test_a_session_is_harvested_when_it_ends_once_its_hooks_are_trusted(installed: Person) -> None:
    """Codex runs no hook that the user did not look at; after that the session's prompt becomes a row by itself."""
    codex(installed, "Not yet stub:hello")
    codex(installed, "And now stub:hello", "--dangerously-bypass-hook-trust")
    wanted = {"Not yet stub:hello", "And now stub:hello"}
    eventually(lambda: wanted == set(installed.prompts("codex")), "both prompts are in the database")


def test_a_folder_that_somebody_deleted_is_no_dead_end(installed: Person) -> None:
    """Codex itself then lists and removes nothing: status names the remedy, and uninstall works all the same."""
    shutil.rmtree(installed.marketplace)
    assert "run sleepd plugin install codex" in installed.sleepd("plugin", "status").out
    installed.sleepd("plugin", "uninstall", "codex")
    assert "[marketplaces" not in (installed.home / ".codex" / "config.toml").read_text(encoding="utf-8")
    assert not installed.marketplace.exists()


def test_with_plugins_turned_off_the_skill_alone_is_installed(without_plugins: Person) -> None:
    """It lies in Codex's skills folder, is offered, reaches the model, and goes again without a trace."""
    said = without_plugins.sleepd("plugin", "install", "codex").out
    folder = without_plugins.home / ".codex" / "skills" / "sleepd"
    assert (True, True) == (str(folder) in said, (folder / "SKILL.md").is_file())
    assert RULE in codex(without_plugins, "use $sleepd stub:hello")
    assert without_plugins.sleepd("status").out == without_plugins.run(str(folder / "bin" / "sleepd"), "status").out
    row = json.loads(without_plugins.sleepd("plugin", "status", "--json").out)[1]
    assert (True, True) == (row["installed"], row["current"])
    without_plugins.sleepd("plugin", "uninstall", "codex")
    assert not folder.exists()
    assert not without_plugins.marketplace.exists()


def test_somebody_elses_skill_of_that_name_stays(without_plugins: Person) -> None:
    """It is named, and neither replaced nor removed."""
    own = without_plugins.home / ".codex" / "skills" / "sleepd" / "SKILL.md"
    own.parent.mkdir(parents=True)
    own.write_text("mine", encoding="utf-8")
    refused = without_plugins.run(str(SLEEPD), "plugin", "install", "codex")
    assert (2, True) == (refused.code, str(own.parent) in refused.out)
    without_plugins.sleepd("plugin", "uninstall", "codex")
    assert "mine" == own.read_text(encoding="utf-8")


def test_a_session_is_found_by_harvest(person: Person) -> None:
    """Without any plugin, `sleepd harvest` reads what the real client wrote."""
    codex(person, "Only this stub:run")
    person.sleepd("harvest")
    assert ["Only this stub:run"] == person.prompts("codex")
    assert Path(person.project).name in str(person.rows("SELECT project FROM sessions"))
