"""The files that a SKILL.md names are read with it, within a bound, and never from elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from sleepd.skills.companions import MAX_CHARS, companions

SKILL = """---
name: style
---
Read [the guide](references/guide.md) and `./notes.txt` before, see https://example.org/elsewhere.md and ../secret.md.
Run scripts/fill.py; absent.md is not there. Again: references/guide.md.
"""


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    folder = tmp_path / "style"
    (folder / "references").mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL)
    (folder / "references" / "guide.md").write_text("- Use metric units.\n")
    (folder / "notes.txt").write_text("A note.\n")
    (folder / "unnamed.md").write_text("Nobody names me.\n")
    (tmp_path / "secret.md").write_text("Not yours.\n")
    return folder / "SKILL.md"


def test_named_text_files_come_under_their_names_each_once(skill: Path) -> None:
    """In the order in which they are named; scripts, absent, unnamed and outer files do not."""
    shown = companions(skill, SKILL)
    assert (
        '<file name="references/guide.md">\n- Use metric units.\n</file>\n\n<file name="notes.txt">\nA note.\n</file>'
        == shown
    )


def test_a_file_that_does_not_fit_is_named_and_left_out_whole(skill: Path) -> None:
    """Half a reference could say the opposite of the whole."""
    (skill.parent / "references" / "guide.md").write_text("x" * (MAX_CHARS + 1))
    assert companions(skill, SKILL).startswith('<file name="references/guide.md">(not shown here)</file>\n\n')
    assert "A note." in companions(skill, SKILL)


def test_links_and_what_is_no_text_are_not_followed(skill: Path) -> None:
    """A link inside is named without its text; one that leads out is not even named."""
    guide = skill.parent / "references" / "guide.md"
    guide.unlink()
    guide.symlink_to(skill.parent / "unnamed.md")
    (skill.parent / "notes.txt").write_bytes(b"\xff\xfe\x00")
    assert "Nobody" not in companions(skill, SKILL)
    assert 2 == companions(skill, SKILL).count("(not shown here)")
    guide.unlink()
    guide.symlink_to(skill.parent.parent / "secret.md")
    assert "guide" not in companions(skill, SKILL)


def test_secrets_are_taken_out(skill: Path) -> None:
    """These files go to a model, as transcripts do."""
    (skill.parent / "notes.txt").write_text("api_key = ghp_" + "a1B2" * 9 + "\n")
    assert "a1B2" not in companions(skill, SKILL)
    assert "[redacted:" in companions(skill, SKILL)


def test_other_files_than_skills_name_nothing(skill: Path) -> None:
    """An AGENTS.md stands in a whole repository, not in a folder of its own."""
    assert "" == companions(skill.parent / "AGENTS.md", SKILL)
    assert "" == companions(skill, "Nothing is named here.")
