"""What the user is asked once, and how it gets into a file that is the user's own."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleepd.core.errors import BadSettings, UsageError
from sleepd.settings import config
from sleepd.settings.settings import Settings
from sleepd.usecases import answers
from sleepd.usecases.answers import SPENDING, WINDOW

BOTH = (WINDOW, SPENDING)

FILES = {
    "the commented file of init": config.default_config_toml(),
    "an empty file": "",
    "a heading without keys": "[night]\n[harvest]",
    "other keys and comments": '# mine\n[harvest] # here\nagents = ["codex"]  # only this\n\n[gate]\nalpha = 0.01\n',
    "no such section": "[gate]\nalpha = 0.01",
    "dotted keys": 'harvest.agents = ["codex"]\nnight.workers = 1\n',
    "windows line ends": '[harvest]\r\n# since = "30d"\r\n\r\n[night]\r\nworkers = 1\r\n',
    "a byte order mark": "\ufeff[night]\nworkers = 1\n",
    "a heading inside a text": '[model]\nmodel = """\n[harvest]\n# since = "1d"\n"""\n',
}


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_an_answer_joins_the_file_and_every_other_byte_stays(tmp_path: Path, text: str) -> None:
    """The file reads as before with the two keys more, and taking the new lines out gives the old bytes."""
    file = tmp_path / "config.toml"
    file.write_bytes(text.encode())
    answers.write(file, {"harvest.since": "14d", "night.max_calls": 7})
    after = file.read_bytes().decode()
    read = tomllib.loads(after.removeprefix("\ufeff").replace("\r\n", "\n"))
    wanted = tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    wanted.setdefault("harvest", {})["since"] = "14d"
    wanted.setdefault("night", {})["max_calls"] = 7
    assert wanted == read
    assert is_within(text, after)
    assert ("\r\n" in text) == ("\r\n" in after) and ("\n" not in after.replace("\r\n", "") or "\r\n" not in text)


def is_within(old: str, new: str) -> bool:
    """Whether `old` is left when some characters of `new` are taken out."""
    rest = iter(new)
    return all(char in rest for char in old)


def test_the_answer_stands_below_its_own_comment(tmp_path: Path) -> None:
    """In the file that init writes, the explanation stays above the key."""
    file = tmp_path / "config.toml"
    file.write_text(config.default_config_toml())
    answers.write(file, {"harvest.since": "14d"})
    lines = file.read_text().splitlines()
    assert '# since = "30d"' == lines[lines.index('since = "14d"') - 1]


def test_without_a_file_a_commented_one_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    """Mode 0600, every key explained, the answer in it."""
    file = tmp_path / "new" / "config.toml"
    answers.write(file, {"night.max_calls": 7})
    assert (0o600, 7) == (file.stat().st_mode & 0o777, tomllib.loads(file.read_text())["night"]["max_calls"])
    assert "# alpha = 0.05" in file.read_text()


def test_a_link_to_somebodys_dotfiles_stays_a_link(tmp_path: Path) -> None:
    """The file it leads to is changed, its rights stay."""
    real = tmp_path / "dotfiles.toml"
    real.write_text("[night]\nworkers = 1\n")
    real.chmod(0o640)
    link = tmp_path / "config.toml"
    link.symlink_to(real)
    answers.write(link, {"night.max_calls": 7})
    assert link.is_symlink() and 7 == tomllib.loads(real.read_text())["night"]["max_calls"]
    assert 0o640 == real.stat().st_mode & 0o777


@pytest.mark.parametrize("text", ["night = {workers = 1}\n", "[night]\nmax_calls = 3\n"])
def test_what_cannot_be_written_safely_is_left_to_the_user(tmp_path: Path, text: str) -> None:
    """An inline table, a key that is there: the error says the line to add, the file is untouched."""
    file = tmp_path / "config.toml"
    file.write_text(text)
    with pytest.raises(BadSettings, match="max_calls = 7"):
        answers.write(file, {"night.max_calls": 7})
    assert text == file.read_text()


@pytest.mark.slow
@settings(max_examples=60)
@given(
    st.lists(
        st.sampled_from(["[harvest]", "[night]", "# since = 3", "[gate]", 'agents = ["a"]', "", "workers = 2", "x"]),
        max_size=8,
    )
)
def test_any_file_is_either_answered_or_untouched(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    """Whatever stands in it, the result is the old file and the key, or the old file."""
    file = tmp_path_factory.mktemp("any") / "config.toml"
    old = "\n".join(lines)
    file.write_text(old)
    try:
        before = tomllib.loads(old)
    except tomllib.TOMLDecodeError:
        return
    try:
        answers.write(file, {"harvest.since": "14d"})
    except BadSettings:
        assert old == file.read_text()
        return
    before.setdefault("harvest", {})["since"] = "14d"
    assert before == tomllib.loads(file.read_text())


def test_settings_and_options_count_as_answers(tmp_path: Path) -> None:
    """Who stated a window and either limit is asked nothing."""
    for limit in ({"night.max_calls": 5}, {"night.budget_usd": 1.0}):
        stated = answers.with_values(Settings(), {"harvest.since": "all", **limit})
        assert stated == answers.answered(stated, BOTH, tmp_path / "config.toml", None)
    assert [] == list(tmp_path.iterdir())


def test_without_anybody_to_ask_the_error_names_options_and_keys(tmp_path: Path) -> None:
    """One line with all that is missing, and nothing is written."""
    with pytest.raises(UsageError) as error:
        answers.answered(Settings(), BOTH, tmp_path / "config.toml", None)
    said = str(error.value)
    assert all(w in said for w in ("--since 30d", "--max-calls 500", "harvest.since", "night.max_calls", "config.toml"))
    assert "\n" not in said and [] == list(tmp_path.iterdir())


def test_answers_are_asked_for_once(tmp_path: Path) -> None:
    """They are in force at once, and kept."""
    file = tmp_path / "config.toml"
    replies = {WINDOW.text: "14d", SPENDING.text: "20"}
    settled = answers.answered(Settings(), BOTH, file, lambda text, default, check: replies[text])
    assert ("14d", 20) == (settled.harvest.since, settled.night.max_calls)
    assert () == answers.open_questions(config.load(file), BOTH)


@pytest.mark.parametrize(
    ("question", "wrong"), [(WINDOW, "soon"), (WINDOW, ""), (SPENDING, "0"), (SPENDING, "ten"), (SPENDING, "-3")]
)
def test_a_wrong_answer_is_not_taken(question: answers.Question, wrong: str) -> None:
    """The reader of an answer raises ValueError, at which the question is put again."""
    with pytest.raises(ValueError):
        question.read(wrong)
