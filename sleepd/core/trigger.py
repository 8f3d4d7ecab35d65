"""Descriptions of skills: how one is read and replaced, and for which requests it loads the skill (gate, promise 8).

`core.experiment.TriggerAccuracy` says when a description is better than another.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from sleepd.core import edit, plaintext
from sleepd.core.model import Digest

_FENCED = re.compile(r"\A```(?:json)?\s*\n(?P<body>.*)\n```\Z", re.DOTALL)
_DESCRIPTION = re.compile(r"description:(?:[ \t]+(?P<value>.*))?")


class Side(StrEnum):
    """What a request says about a skill."""

    WANTED = "wanted"
    """It is the work that the skill is for."""
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillList:
    """The skills an agent chooses from."""

    name: str
    """The one whose description is under trial."""
    others: tuple[tuple[str, str], ...]
    """Names and descriptions of the others."""

    @property
    def names(self) -> frozenset[str]:
        return frozenset((self.name, *(name for name, _ in self.others)))

    def listed(self, description: str) -> str:
        """The list as the agent sees it, in the order of the names."""
        rows = sorted([(self.name, description), *self.others])
        return "\n".join(f"- {name}: {' '.join(text.split())}" for name, text in rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadCriteria:
    """Whether a request loads the skill, as it should or should not."""

    skills: SkillList
    side: Side
    prompt: Digest
    """Of the words of the question."""

    @property
    def judge(self) -> str:
        return "trigger"

    @property
    def identity(self) -> Digest:
        return Digest(f"trigger:{self.side}:{self.prompt[:16]}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Loads:
    """For how many requests a description loaded its skill. Unreadable answers are in none of the counts but theirs."""

    wanted: int
    loaded_wanted: int
    others: int
    loaded_others: int
    unscored: int = 0

    @property
    def recall(self) -> float | None:
        return self.loaded_wanted / self.wanted if self.wanted else None


def loaded(answer: str, known: Collection[str]) -> frozenset[str] | None:
    """The skills that an answer names; None for one that is not exactly the JSON asked for, or names an unknown one."""
    body = answer.strip()
    fenced = _FENCED.match(body)
    try:
        value = json.loads(fenced["body"] if fenced else body)
    except (ValueError, RecursionError):
        return None
    names = value.get("load") if isinstance(value, dict) and len(value) == 1 else None
    if not isinstance(names, list) or not all(isinstance(name, str) and name in known for name in names):
        return None
    return frozenset(names)


def words(loads: Loads) -> str:
    """For a person: `loads for 18 of 20 of these requests, for 1 of 20 others`."""
    unread = f" ({loads.unscored} unreadable)" if loads.unscored else ""
    return (
        f"loads for {loads.loaded_wanted} of {loads.wanted} of these requests, for {loads.loaded_others} of "
        f"{loads.others} others{unread}"
    )


def description_of(text: str) -> str | None:
    """The description in a skill file's frontmatter; None when there is none, or when it takes more than one line."""
    row = _row(text)
    if row is None:
        return None
    value = plaintext.lines(text)[row].rstrip("\r\n").partition(":")[2].strip()
    if value[:1] == '"':
        try:
            return str(json.loads(value))
        except ValueError:
            return None
    return value.strip("'") if value and value[0] not in "|>&*!" and " #" not in value else None


def described(text: str, description: str) -> str | None:
    """The text with another description, all other bytes as they were; None when it has no description of one line.

    Raises `UsageError` for a description that is not one line of at most 1,024 characters without tags and characters
    that do not show.
    """
    edit.check_description(description)
    row = _row(text)
    if row is None or description_of(text) is None:
        return None
    rows = plaintext.lines(text)
    ending = rows[row][len(rows[row].rstrip("\r\n")) :]
    rows[row] = f"description: {json.dumps(description, ensure_ascii=False)}{ending}"
    return "".join(rows)


def _row(text: str) -> int | None:
    """The place of the one line that holds the description."""
    rows = plaintext.lines(text)
    end = plaintext.frontmatter_end(rows) - 1
    found = [n for n in range(1, max(1, end)) if _DESCRIPTION.fullmatch(rows[n].rstrip("\r\n"))]
    if len(found) != 1 or rows[found[0] + 1][:1] in (" ", "\t"):
        return None
    return found[0]
