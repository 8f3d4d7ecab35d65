"""Rules that a person has written down: lines of AGENTS.md, CLAUDE.md and the like.

Lines that name a command to run, or never to run, are read. Only these can be held against what an agent did. A line
counts when it obliges: a mere list of the project's commands is no rule.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sleepd.core import behaviour
from sleepd.core.act_words import OBLIGES, whole_words
from sleepd.core.backtest import Backtest
from sleepd.core.behaviour import LessonCheck
from sleepd.core.command import check, commands
from sleepd.core.lesson import CODE_FILES, StatedLine

_MOST_CHARACTERS = 400_000
_SHOWN = 300
_SPAN = re.compile(r"`([^`\n]{2,120})`")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_FIRMLY = whole_words(
    r"always|every|each|before|after|once|when(?:ever)?|make sure|ensure|remember|run|never|not|don['’]?t|avoid|"
    r"without|immer|vor|nach|bevor|nachdem|jede[mnrs]?|nie|niemals|nicht|kein\w*|ohne|toujours|avant|apr[eè]s|chaque|jamais|"
    r"pas|sans|siempre|antes|despu[eé]s|cada|nunca|sin|sempre|depois|nunca|sem|prima|dopo|mai|senza|altijd|voor|na|nooit|"
    r"niet|zawsze|przed|nigdy|nie|всегда|перед|после|кажд\w+|никогда|не|без",
    r"总是|每次|之前|之后|务必|不要|禁止|切勿|必ず|前に|後に|しない|항상|전에|후에|하지",
)
_NO = whole_words(
    r"never|not|don['’]?t|avoid|without|nie|niemals|nicht|kein\w*|ohne|jamais|pas|sans|nunca|no|sin|sem|n[aã]o|mai|non|"
    r"senza|nooit|niet|zonder|nigdy|bez|никогда|не|без",
    r"不要|禁止|切勿|别|しない|하지",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandRule:
    """A line that says what to run, or never to run."""

    line: StatedLine
    check: LessonCheck
    """What keeping the rule means."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedRule:
    """A written rule with what the history says of it."""

    path: str
    rule: CommandRule
    result: Backtest
    ignored: bool
    """It applied often enough, and was broken often enough, to be worded anew."""


def written_rules(text: str) -> tuple[CommandRule, ...]:
    """The rules of a file of instructions, each command once, in order. Lines within fences are examples, no rules."""
    found: dict[LessonCheck, CommandRule] = {}
    fenced = False
    for number, line in enumerate(text[:_MOST_CHARACTERS].splitlines(), start=1):
        if _FENCE.match(line):
            fenced = not fenced
        if fenced or not (OBLIGES.search(line) or _FIRMLY.search(line)):
            continue
        for span in _SPAN.finditer(line):
            wanted = _check(span[1], line[: span.start()])
            if wanted is not None:
                rule = CommandRule(line=StatedLine(number=number, text=line.strip()[:_SHOWN]), check=wanted)
                found.setdefault(wanted, rule)
    return tuple(found.values())


def _check(named: str, before: str) -> LessonCheck | None:
    """The check of one command that a line names, by what stands before it; None for what is no command to judge."""
    acting = [command for command in commands(named) if not command.reads]
    if len(acting) != 1 or not (acting[0].verb or acting[0].task or check(acting[0].name)):
        return None
    clause = re.split(r"[.;:!?]\s", before)[-1]
    try:
        # "Never commit without `make test`" asks for the test: two refusals are a demand.
        if len(_NO.findall(clause)) % 2:
            return behaviour.NeverRan(command=acting[0].name)
        if check(acting[0].name):
            return behaviour.RanAfterLastEdit(command=acting[0].name, edited=CODE_FILES)
    except ValueError:
        return None  # the line names something that no check can be made of
    return None
