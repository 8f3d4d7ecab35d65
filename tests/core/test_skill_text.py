"""Texts of skills as transcripts show them when they are loaded."""

from __future__ import annotations

import json

import pytest

from harvesters.records import Origin, Role, ToolCall, ToolStatus, Turn
from sleepd.core.skill_text import SkillText, loaded_by_client, loaded_by_reading
from tests.core.test_episode import read, reply, said, shell

BODY = "# Review\n\nCommit first, then reply with its sha."


def injected(text: str, n: int = 2) -> Turn:
    return Turn(id=f"i{n}", position=n, role=Role.USER, origin=Origin.INJECTED, text=text)


def skill_call(name: str, args: str = "", status: ToolStatus = ToolStatus.OK) -> ToolCall:
    given = json.dumps({"skill": name, "args": args}, separators=(",", ":"))
    return ToolCall(id="c", name="Skill", input=given, output="Launching skill", status=status)


LOADS: dict[str, tuple[Turn | None, str, SkillText]] = {
    "a folder": (
        None,
        f"Base directory for this skill: /home/me/.claude/skills/review\n\n{BODY}\n\nARGUMENTS: PR 7",
        SkillText(name="review", text=BODY),
    ),
    "a slash command": (said("/tools:review PR 7", 1), f"{BODY}\nLook at PR 7.", SkillText(
        name="review", text=f"{BODY}\nLook at $ARGUMENTS."
    )),
    "a call": (reply("", 1, skill_call("tools:review", "PR 7")), f"{BODY}\n\nARGUMENTS: PR 7", SkillText(
        name="review", text=BODY
    )),
    "a tag of Codex": (
        None,
        f"<skill>\n<name>review</name>\n<path>/skills/review/SKILL.md</path>\n{BODY}\n</skill>",
        SkillText(name="review", text=BODY),
    ),
    "a tag of Copilot": (None, f'<skill-context name="review">\n{BODY}\n</skill-context>', SkillText(
        name="review", text=BODY
    )),
}  # fmt: skip


@pytest.mark.parametrize("case", LOADS)
def test_each_client_shows_the_text_in_its_own_way(case: str) -> None:
    """The words are the same without the folder and the person's arguments, so that versions can be told."""
    before, text, expected = LOADS[case]
    assert expected == loaded_by_client(injected(text), before)


@pytest.mark.parametrize(
    ("before", "text"),
    [
        (said("/model", 1), "<local-command-stdout>Set model</local-command-stdout>"),
        (said("/compact", 1), "This session is being continued from a previous conversation."),
        (said("Look at the parser", 1), "Continue from where you left off."),
        (reply("", 1, skill_call("review", status=ToolStatus.ERROR)), "Continue from where you left off."),
        (reply("", 1, shell("ls")), "Continue from where you left off."),
    ],
)
def test_other_words_of_the_client_are_no_skill(before: Turn, text: str) -> None:
    assert None is loaded_by_client(injected(text), before)


def test_what_the_person_says_is_no_skill() -> None:
    assert None is loaded_by_client(said(f"Base directory for this skill: /s/review\n\n{BODY}", 2), None)


def test_a_skill_that_the_agent_prints_is_loaded() -> None:
    """The whole file with its head; a look at a part of it, or at several files, is none."""
    whole = shell("cat /home/me/.agents/skills/review/SKILL.md", output=f"---\nname: review\n---\n{BODY}")
    part = shell("tail -3 skills/review/SKILL.md", output=BODY)
    two = shell("cat skills/a/SKILL.md skills/b/SKILL.md", output=f"---\nname: a\n---\n{BODY}")
    (found,) = loaded_by_reading(reply("", 1, whole, part, two))
    assert ("review", True) == (found.name, found.text.endswith(BODY))


def test_a_version_is_the_same_however_it_is_wrapped() -> None:
    one, other = SkillText(name="a", text="Do this.\nThen that."), SkillText(name="a", text="Do this.  Then that.\n")
    assert (True, False) == (one.version == other.version, one.version == SkillText(name="a", text="Do").version)


def test_an_exchange_holds_the_skills_that_were_loaded_in_it() -> None:
    """Also where a reminder of the client stands between the command and its text."""
    first, second = read(
        said("/review PR 7", 0), injected("<system-reminder>x</system-reminder>", 1), injected(BODY, 2),
        reply("Looked.", 3), said("Thanks", 4), reply("Welcome.", 5),
    )  # fmt: skip
    assert (["review"], []) == ([one.name for one in first.loaded], [one.name for one in second.loaded])
