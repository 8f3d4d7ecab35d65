"""Repairs: a call failed, a similar call worked, and nothing was edited between the two.

Nobody's opinion is needed to see that the second call is the better one. What the agent edits in between explains the
success otherwise, so the search ends at the first successful edit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harvesters.records import ToolStatus
from sleepd.core.command import ShellCommand, check, commands, listed
from sleepd.core.episode import Call, Episode
from sleepd.core.fault import Fault, FaultKind, FaultsByEpisode, all_faults, line_of
from sleepd.core.signal import Signal, SignalKind, known_sum

AFTER = "after"
"""Stands in the key of a repair whose call stayed the same and worked after another command."""
_REACH = 12
_WRITES_A_FILE = re.compile(r"(?<![0-9&<=-])>>?\s*(?!/dev/|/tmp/|/var/|&|\$|\"\$|\d)[\"']?[\w./~-]+")
_EDITING = listed("apply_patch applypatch patch ed vim nano")
_GIT_EDITS = listed("apply checkout restore reset revert cherry-pick am switch")
_FIXING = re.compile(r"(?:^|[^a-z])(?:fix|write|autofix|fmt|format|update|u)(?:$|[^a-z])|--fix|--write|--apply", re.I)
_FOLDER = re.compile(r"(?:^|[;&\n(]\s*)cd\s+[\"']?([\w./~-]+)")
_TALK = listed("-v -vv -vvv --verbose -q --quiet --debug --no-pager --no-color --json -s --silent --trace --porcelain")
# Ways around a check are no repairs, although the call works.
_EVASIONS = listed(
    "--no-verify --force -f --force-with-lease --break-system-packages --no-check --insecure --no-gpg-sign "
    "--skip-tests --allow-dirty --legacy-peer-deps --ignore-scripts "
    "--dangerously-skip-permissions --no-strict --skip-checks --no-lint"
)
_PREPARING = re.compile(
    r"(?:^|[^a-z])(?:install|ci|sync|generate|gen|codegen|build|tidy|up|start|migrate|restore|fmt|format|fix|"
    r"setup|bootstrap|init|"
    r"download|prepare|compile|pull|update|lock|add|trust|login|fetch|seed)(?:$|[^a-z])"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """How the call that worked differs from the call that failed."""

    failing: str
    working: str
    same_call: bool = False

    @property
    def leaves_out(self) -> bool:
        """A wrapper was left out: the form says all, whatever the wrapper's error was."""
        return is_left_out(self.failing, self.working)


def is_left_out(failing: str, working: str) -> bool:
    """Whether the working form is the failing one without the wrapper in front."""
    return failing.endswith(f" {working}")


def repairs(episodes: Sequence[Episode], known: FaultsByEpisode | None = None) -> tuple[Signal, ...]:
    """Calls that failed and were repaired without an edit, in order.

    The key is `FAILING [ERROR]`, the form alone where a wrapper was left out or where the error has no name, or
    `FAILING [ERROR] after` when the same call worked once another command had run. FAILING is the narrowest form
    that failed: the wrapper with the word behind it, the program with the flag that it refused, or the task. The
    remedy is the form that worked, or the command that had to run before.
    """
    known = known if known is not None else all_faults(episodes)
    found: list[Signal] = []
    for episode, wrong in zip(episodes, known, strict=True):
        seen: set[tuple[str, int]] = set()
        for number, call in enumerate(episode.calls):
            if call.command is None or call.status is ToolStatus.UNANSWERED:
                continue
            blamed = [fault for fault in wrong[number] if fault.command is not None]
            if not blamed:
                continue
            for later, way in _ways(episode.calls, wrong, number, blamed[0]):
                named = blamed[0].kind in (FaultKind.USAGE, FaultKind.ERROR) and not way.leaves_out
                error = blamed[0].name if named else ""
                key = way.failing + (f" [{error}]" if error else "") + (f" {AFTER}" if way.same_call else "")
                if (key, later) not in seen:
                    seen.add((key, later))
                    lost = episode.calls[number:later]
                    found.append(
                        Signal(
                            kind=SignalKind.REPAIR,
                            session=episode.session,
                            turn=call.turn,
                            episode=episode.number,
                            at=episode.at,
                            key=key,
                            text=f"{line_of(call)} → {blamed[0].quote}",
                            remedy=way.working,
                            calls=len(lost),
                            minutes=sum(each.duration_ms or 0 for each in lost) / 60_000,
                            tokens=known_sum(each.tokens for each in lost),
                        )
                    )
                break
    return tuple(found)


def _ways(
    calls: Sequence[Call], faults: Sequence[tuple[Fault, ...]], number: int, fault: Fault
) -> Iterator[tuple[int, _Way]]:
    """The later call that works and how it differs: at most one."""
    failed = fault.command
    if failed is None or not failed.words:
        return
    between: list[ShellCommand] = []
    for later in range(number + 1, min(number + 1 + _REACH, len(calls))):
        call = calls[later]
        if call.edits:
            return
        if call.command is None or call.status not in (ToolStatus.OK, ToolStatus.ERROR):
            continue
        line = commands(call.command)
        acting = [command for command in line if failed.reads or not command.reads]
        wrong = faults[later]
        # A linter that now reports what it found was called rightly.
        reports = fault.kind is FaultKind.USAGE and bool(wrong) and all(each.kind is FaultKind.RULE for each in wrong)
        if reports or not (wrong or call.failed):
            for position, command in enumerate(acting):
                way = _elsewhere(fault, failed, command, calls[number].command or "", call.command)
                way = way or _way(fault, failed, command, [*between, *acting[:position]])
                if way is not None:
                    yield later, way
                    return
        # Without the texts of heredocs and of quotes, in which `>` is only a character.
        bare = re.sub(r"'[^']*'|\"[^\"]*\"", "''", call.command.partition("<<")[0])
        if any(_edits(command) for command in acting) or _WRITES_A_FILE.search(bare):
            return
        if not call.failed:
            between += acting


def _edits(command: ShellCommand) -> bool:
    if command.program in ("sed", "perl", "ruby") and any(
        flag.startswith("-i") or flag == "-pi" for flag in command.flags
    ):
        return True
    if command.program in ("python", "python3", "node", "perl") and (
        "-c" in command.flags or "-e" in command.flags or not command.arguments
    ):
        return True
    if command.program == "git" and command.verb.partition(" ")[0] in _GIT_EDITS:
        return True
    return command.program in _EDITING or command.program in ("mv", "cp", "rm")


def _way(fault: Fault, failed: ShellCommand, works: ShellCommand, between: Sequence[ShellCommand]) -> _Way | None:
    about_the_call = fault.kind in (FaultKind.USAGE, FaultKind.ERROR)
    if (set(works.flags) - set(failed.flags)) & _EVASIONS or "sudo" in works.runner:
        return None
    if failed.words == works.words:
        remedy = next((command for command in reversed(between) if _may_prepare(command, failed, fault)), None)
        return _Way(failing=failed.name, working=remedy.name, same_call=True) if remedy is not None else None
    if fault.name == f"command not found: {failed.program}" and not failed.runner:
        if works.program == failed.program:
            return _Way(failing=_launch(failed), working=_launch(works)) if _launch(works) != _launch(failed) else None
        shared = set(works.arguments) & set(failed.arguments)
        if len(shared) * 2 >= len(failed.arguments) > 0 or (works.verb and works.verb.endswith(failed.verb or "\n")):
            return _Way(failing=failed.program, working=_launch(works))
        return None
    if (failed.program, failed.verb) == (works.program, works.verb):
        if _launch(failed) != _launch(works):
            if failed.flags == works.flags and failed.kinds == works.kinds and failed.arguments == works.arguments:
                return _other_launch(failed, works)
            if about_the_call and set(failed.arguments) & set(works.arguments):
                return _other_launch(failed, works)
        if fault.name.startswith("shell: "):
            return _Way(failing=failed.name, working=works.shape)
        if not about_the_call:
            return _Way(failing=failed.kernel, working=works.kernel) if _fixes(failed, works, fault) else None
        dropped = [flag for flag in failed.flags if flag not in works.flags]
        added = [flag for flag in works.flags if flag not in failed.flags and flag not in _TALK]
        paths = {word for word in failed.arguments if "/" in word or "." in word}
        if paths and not paths & set(works.arguments) and not (dropped or added):
            return None
        blamed = any(re.search(rf"(?<![\w-])-*{re.escape(flag.strip('-'))}\b", fault.quote) for flag in dropped)
        if blamed:
            return _Way(failing=" ".join((failed.name, *dropped)), working=" ".join((works.name, *added)))
        if fault.kind is FaultKind.USAGE and works.shape != failed.shape:
            return _Way(failing=failed.name, working=works.shape)
        if added:
            return _Way(failing=failed.kernel, working=" ".join((works.name, *added)))
        return None
    if failed.task and works.task and failed.runner[-len(works.runner) :] == works.runner:
        # A wrapper in front of the runner is another matter.
        form = " ".join((*works.runner, failed.program))
        if fault.name == f"no task {failed.program}" and check(failed.name) == check(works.name):
            return _Way(failing=form, working=works.name)
        if _fixes(failed, works, fault):
            return _Way(failing=form, working=works.name)
    return None


def _elsewhere(fault: Fault, failed: ShellCommand, works: ShellCommand, line: str, later: str) -> _Way | None:
    """The same call in another folder, where the error says that the folder was wrong."""
    if failed.words != works.words or not fault.name.endswith("in this folder"):
        return None
    folder = _FOLDER.search(later)
    if folder is None or folder == _FOLDER.search(line) or folder[1] in line:
        return None
    return _Way(failing=failed.name, working=f"cd {folder[1]} && {failed.name}")


def _started(command: ShellCommand) -> list[str]:
    """The words up to the program, as written."""
    ends = [place for place, word in enumerate(command.words) if word.rpartition("/")[2] == command.program]
    return list(command.words[: ends[0] + 1]) if ends else [*command.runner, command.program]


def _launch(command: ShellCommand) -> str:
    """What starts the program: the runner and the program as written."""
    return " ".join(_started(command))


def _other_launch(failed: ShellCommand, works: ShellCommand) -> _Way:
    """The same program, started in another way. Words that both share at the end say no more than the first of them."""
    before = [*failed.runner, failed.program] if failed.runner else _started(failed)
    after = _started(works)
    while len(before) > 1 and len(after) > 1 and before[-2:] == after[-2:]:
        before.pop()
        after.pop()
    return _Way(failing=" ".join(before), working=" ".join(after))


def _fixes(failed: ShellCommand, works: ShellCommand, fault: Fault) -> bool:
    """Whether the working command is the failing check with the order to repair what it finds."""
    if fault.kind not in (FaultKind.RULE, FaultKind.WORK) or check(failed.name) not in ("lint", "format"):
        return False
    if failed.task:
        return works.program.startswith(failed.program.partition(":check")[0]) and bool(
            _FIXING.search(works.program[len(failed.program.partition(":check")[0]) :])
        )
    added = [flag for flag in works.flags if flag not in failed.flags]
    dropped = [flag for flag in failed.flags if flag not in works.flags]
    return any(_FIXING.search(flag) for flag in added) or any(flag in ("--check", "-l", "--diff") for flag in dropped)


def _may_prepare(command: ShellCommand, failed: ShellCommand, fault: Fault) -> bool:
    """Whether a command that ran in between can be the reason why the same call works now."""
    if command.name == failed.name or (command.program == "git" and failed.program != "git"):
        return False
    if command.program == "git" and command.verb in ("add", "commit") and fault.kind is not FaultKind.ERROR:
        return False
    if fault.kind in (FaultKind.USAGE, FaultKind.ERROR):
        return not check(command.name) or check(command.name) == "build"
    return bool(_PREPARING.search(command.name)) and check(command.name) != "test"
