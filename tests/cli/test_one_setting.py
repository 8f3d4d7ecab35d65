"""`sleepd config get` and `sleepd config set`: one key of the user's own file."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from sleepd.settings import config
from tests.cli.command import configure, sleepd

MINE = """\
# my settings
[night]  # every night
max_calls = 500  # enough
at = "02:00"

[gate]
# stricter than usual
alpha = 0.01
"""


def one(key: str) -> dict[str, Any]:
    (found,) = sleepd("config", "get", key, "--json").json
    return dict(found)


def test_a_setting_says_its_value_and_where_it_comes_from(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the file, from a variable, or by default; with its meaning."""
    file = configure(own_home, MINE)
    monkeypatch.setenv("SLEEPD_GATE__ALPHA", "0.02")
    assert {"key": "night.max_calls", "value": 500, "default": None, "origin": str(file)} == one("night.max_calls")
    assert (0.02, "SLEEPD_GATE__ALPHA") == (one("gate.alpha")["value"], one("gate.alpha")["origin"])
    assert (4, "default") == (one("night.workers")["value"], one("night.workers")["origin"])
    assert "Rollouts at the same time." in sleepd("config", "get", "night.workers").out
    listed = sleepd("config", "get").out
    assert "night.max_calls" in listed and "SLEEPD_GATE__ALPHA" in listed and "night.workers" not in listed
    assert list(config.known_keys()) == [s["key"] for s in sleepd("config", "get", "--json").json]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_new_value_changes_its_own_line_alone(own_home: Path, ending: str, mark: str) -> None:
    """Comments stay, that behind the value too."""
    text = mark + MINE.replace("\n", ending)
    file = configure(own_home, "")
    file.write_bytes(text.encode())
    assert 0 == sleepd("config", "set", "night.max_calls", "700").code
    assert text.replace("500", "700").encode() == file.read_bytes()


def test_a_key_that_was_not_set_goes_below_its_own_comment(own_home: Path) -> None:
    """In the file that init writes."""
    file = configure(own_home, config.default_config_toml())
    assert 0 == sleepd("config", "set", "night.at", "02:30").code
    lines = file.read_text().splitlines()
    assert '# at = "03:17"' == lines[lines.index('at = "02:30"') - 1]


def test_without_a_file_one_is_made(own_home: Path) -> None:
    """Commented, for its owner alone."""
    assert 0 == sleepd("config", "set", "harvest.since", "30d").code
    file = config.places().config
    assert (0o600, "30d") == (file.stat().st_mode & 0o777, tomllib.loads(file.read_text())["harvest"]["since"])


@pytest.mark.parametrize(
    ("key", "typed", "value"),
    [
        ("harvest.agents", "codex,claude-code", ["codex", "claude-code"]),
        ("harvest.agents", '["codex"]', ["codex"]),
        ("harvest.agents", "codex", ["codex"]),
        ("model.model", "4.5", "4.5"),
        ("harvest.include_headless", "true", True),
        ("gate.alpha", "0.01", 0.01),
        ("night.at", "04:00", "04:00"),
    ],
)
def test_a_value_is_read_as_the_key_wants_it(own_home: Path, key: str, typed: str, value: object) -> None:
    """Typed without the quotes of TOML, which a shell takes away."""
    configure(own_home, "")
    assert 0 == sleepd("config", "set", key, typed).code
    assert value == one(key)["value"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["night.max_cals", "3"], "did you mean 'max_calls'?"),
        (["nigth.at", "03:00"], "did you mean"),
        (["night.max_calls", "many"], "night.max_calls"),
        (["mine.split_val", "0.9"], "together below 1"),
        (["model.api_key", "sk-live"], "keys are not read from the file"),
        (["night.at"], "either a value or --default"),
        (["night.at", "03:00", "--default"], "either a value or --default"),
    ],
)
def test_what_cannot_be_set_is_one_line_and_changes_nothing(own_home: Path, words: list[str], said: str) -> None:
    """Also what does not fit another key of the file."""
    file = configure(own_home, MINE)
    done = sleepd("config", "set", *words)
    assert (2, 1, MINE) == (done.code, done.err.count("\n"), file.read_text())
    assert said in done.err and "sk-live" not in done.err, done.err


def test_a_key_is_taken_out_and_its_neighbours_stay(own_home: Path) -> None:
    """Taking it out twice is no error."""
    file = configure(own_home, MINE)
    assert 0 == sleepd("config", "set", "gate.alpha", "--default").code
    assert MINE.replace("alpha = 0.01\n", "") == file.read_text()
    assert 0 == sleepd("config", "set", "gate.alpha", "--default").code
    assert 0.05 == one("gate.alpha")["value"]


def test_a_file_with_a_mistake_is_named_before_anything_is_written(own_home: Path) -> None:
    """The mistake is what has to be mended, not the new value."""
    file = configure(own_home, "[night]\nmax_cals = 3\n")
    done = sleepd("config", "set", "night.at", "03:00")
    assert (2, 1) == (done.code, done.err.count("\n")) and "max_cals" in done.err
    assert "[night]\nmax_cals = 3\n" == file.read_text()


@pytest.mark.parametrize("text", ["[night\n", "night = 3\n", "caf\xe9"])
@pytest.mark.parametrize("words", [["get", "night.at"], ["set", "night.at", "03:00"], ["set", "night.at", "--default"]])
def test_a_file_that_is_no_settings_file_is_one_line(own_home: Path, text: str, words: list[str]) -> None:
    """And stays as it is."""
    file = configure(own_home, "")
    file.write_bytes(text.encode("latin-1"))
    done = sleepd("config", *words)
    assert (2, 1, text.encode("latin-1")) == (done.code, done.err.count("\n"), file.read_bytes()), done.err


def test_a_wrong_value_can_be_mended(own_home: Path) -> None:
    """The value that is refused is the one to be replaced."""
    file = configure(own_home, "[night]\nmax_calls = -3  # oops\n")
    assert 0 == sleepd("config", "set", "night.max_calls", "3").code
    assert "[night]\nmax_calls = 3  # oops\n" == file.read_text()


def test_dotfiles_stay_a_link(own_home: Path, tmp_path: Path) -> None:
    """The file it leads to is changed."""
    real = tmp_path / "dotfiles.toml"
    real.write_text(MINE)
    link = configure(own_home, "")
    link.unlink()
    link.symlink_to(real)
    assert 0 == sleepd("config", "set", "night.max_calls", "9").code
    assert link.is_symlink() and MINE.replace("500", "9") == real.read_text()
