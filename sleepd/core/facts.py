"""The facts that behaviour checks read: what an agent did, in order, and what the person had asked for.

An episode of a transcript gives them today; a rollout that makes calls can give the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Final

from harvesters.records import ToolStatus
from sleepd.core.command import Program, programs, unwrapped
from sleepd.core.episode import Call, Episode, FileEdit, Source

# Programs that only print or search may name a command without running it.
_TALKERS: Final = frozenset(
    {"echo", "printf", "grep", "rg", "egrep", "fgrep", "cat", "head", "tail", "sed", "awk", "ls"}
)
_WORDS: Final = re.compile(r"[^\s\"'`«»“”()]+")
_MOST_READ: Final = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One call of a tool."""

    tool: str
    programs: tuple[Program, ...]
    """The programs of a shell line, in order; empty for other tools."""
    paths: tuple[str, ...]
    """Files that the call names, relative to the project where they lie below it."""
    status: ToolStatus
    exit_code: int | None
    edits: tuple[FileEdit, ...]

    @property
    def succeeded(self) -> bool:
        """The call ended well."""
        return self.status is ToolStatus.OK and not self.exit_code

    @property
    def ran(self) -> bool:
        """The call came to an end, well or not."""
        return self.status in (ToolStatus.OK, ToolStatus.ERROR)

    @property
    def denied(self) -> bool:
        """The person refused the call."""
        return self.status is ToolStatus.DENIED


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What happened between one turn of the person and the next, with what came before it in the session."""

    session_actions: tuple[Action, ...]
    """All actions of the session, in order. Episodes of one session share them."""
    start: int
    """The first action of this episode."""
    stop: int
    """One behind its last action."""
    said: tuple[str, ...]
    """The person's prompts of the session up to and with this turn. Words of a denial are no prompt: they name a
    command in order to refuse it."""
    question: bool | None
    """Whether the person only asked a question; None when unknown."""
    answer: str
    """The agent's last words; empty when there are none."""
    interrupted: bool
    """The person stopped the agent, so nobody knows what it would have done next."""

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions of this episode."""
        return self.session_actions[self.start : self.stop]


def of_session(episodes: Sequence[Episode], questions: Sequence[bool | None] | None = None) -> tuple[Facts, ...]:
    """The facts of one session's episodes, in order.

    `questions` says for each episode whether the person only asked a question; without it that is unknown. Words of a
    client, such as a plan that it hands over, are not the person's.
    """
    asked = questions if questions is not None else [None] * len(episodes)
    actions: list[Action] = []
    stops = []
    for episode in episodes:
        actions += [action_of(call) for call in episode.calls]
        stops.append(len(actions))
    prompts = [episode.text for episode in episodes if _prompts(episode)]
    heard = 0
    found: list[Facts] = []
    for episode, question, (start, stop) in zip(episodes, asked, pairwise([0, *stops]), strict=True):
        heard += _prompts(episode)
        found.append(
            Facts(
                session_actions=tuple(actions) if not found else found[0].session_actions,
                start=start,
                stop=stop,
                said=tuple(prompts[:heard]),
                question=question,
                answer=episode.answer,
                interrupted=episode.interrupted,
            )
        )
    return tuple(found)


def _prompts(episode: Episode) -> bool:
    return episode.source.own and episode.source is not Source.DENIAL


def action_of(call: Call) -> Action:
    """The facts of one call."""
    return Action(
        tool=call.tool,
        programs=programs_of(call.command) if call.command else (),
        paths=call.paths,
        status=call.status,
        exit_code=call.exit_code,
        edits=call.edits,
    )


# Shell lines ----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=4_096)
def programs_of(line: str) -> tuple[Program, ...]:
    """The programs that a shell line starts, without wrappers such as `sudo`."""
    bare = (replace(program, words=unwrapped(program.words)) for program in programs(line[:_MOST_READ]))
    return tuple(program for program in bare if program.words)


def runs_command(program: Program, command: Sequence[str]) -> bool:
    """Whether the words of a command are in a row in what was run; `*` in a word is any text.

    `mise run lint` is in `mise run lint --fix` and not in `mise run lint:fix`. `test:ci` is in `mise run test:ci` and
    not in `grep test:ci Makefile`, which only searches for the word.
    """
    words = program.words
    last = len(words) - len(command)
    if PurePosixPath(words[0]).name in _TALKERS:
        last = min(last, 0)
    return any(all(map(_fits, words[at : at + len(command)], command)) for at in range(last + 1))


def names_command(texts: Sequence[str], command: Sequence[str]) -> bool:
    """Whether the last word of a command is a word of one of these texts: `push` of `git push`, in any letter case."""
    wanted = command[-1].strip("-*").casefold()
    said = (word.strip("-*.,;:!?").casefold() for text in texts for word in _WORDS.findall(text))
    return any(word == wanted for word in said)


def path_fits(path: str, pattern: str) -> bool:
    """Whether a path fits a pattern: `*.go` by its name anywhere, `src/` below a folder, `src/*.py` whole.

    `|` separates alternatives; `*` is any text, folders included.
    """
    plain = path.replace("\\", "/").removeprefix("./")
    for one in pattern.split("|"):
        if one.endswith("/"):
            fits = f"/{one}" in f"/{plain}"
        else:
            fits = _fits(plain if "/" in one else PurePosixPath(plain).name, one)
        if fits:
            return True
    return False


def _fits(text: str, pattern: str) -> bool:
    return _expression(pattern).fullmatch(text) is not None


@lru_cache(maxsize=1_024)
def _expression(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL)
