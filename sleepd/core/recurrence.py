"""What recurs: signals of one kind and key, over sessions, as one sentence that states the lesson."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sleepd.core import plaintext
from sleepd.core.command import commands
from sleepd.core.episode import Episode
from sleepd.core.fault import faults
from sleepd.core.follow_up import DOCS, PUBLISHING, TESTS, habits
from sleepd.core.linter_rules import instruction
from sleepd.core.model import SessionId
from sleepd.core.repair import AFTER
from sleepd.core.signal import Signal, SignalKind

_RULE_NAME = re.compile(r"[\w@/():.-]+(?:: [\w-]+)?|not formatted")
_NEARLY_ALWAYS = 0.9
_HABIT = 0.1
_FEW_SESSIONS = 0.25
_MOSTLY_WORKS = 0.5
_EXAMPLE = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class _Worded:
    rule: str
    seen: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrence:
    """One observation that was made in several sessions."""

    kind: SignalKind
    key: str
    rule: str
    """What follows from it, as an instruction."""
    seen: str
    """How often it was seen, without a full stop."""
    sessions: tuple[SessionId, ...]
    """Each once, in order."""
    occurrences: int
    first: datetime | None
    last: datetime | None
    signals: tuple[Signal, ...]
    calls: int
    """Calls that it cost in all."""
    minutes: float
    turns: int


def recurring_failures(
    signals: Sequence[Signal], *, repaired: Sequence[Signal] = (), sessions: int = 3
) -> tuple[Recurrence, ...]:
    """Failures of at least so many sessions, those of most sessions first. `repaired` may name a way out.

    A message of a linter that comes again word for word is one finding that nobody mended, and counts once.
    """
    ways: dict[str, Counter[str]] = defaultdict(Counter)
    for repair in repaired:
        form, _, error = repair.key.partition(" [")
        if error and not repair.key.endswith(f" {AFTER}"):
            ways[error.rpartition("]")[0]][repair.remedy] += 1
            ways[f"{form}: {error.rpartition(']')[0]}"][repair.remedy] += 1

    def rule(key: str, found: Sequence[Signal]) -> _Worded:
        quote = min((signal.text.partition(" → ")[2] for signal in found), key=len).rstrip(".")
        lines = [signal.text.partition(" → ")[0] for signal in found]
        acting = [[command.name for command in commands(line) if not command.reads] or [line] for line in lines]
        program = Counter(names[-1] for names in acting).most_common(1)[0][0]
        seen = f"in {len({signal.session for signal in found})} sessions"
        if _RULE_NAME.fullmatch(key):
            if key == "not formatted":
                return _Worded(rule=f"Format what you wrote before you run `{program}`.", seen=seen)
            asked = instruction(key)
            example = quote if len(quote) <= _EXAMPLE else f"{quote[:_EXAMPLE].rpartition(' ')[0]} …"
            return _Worded(
                rule=f"{asked} `{program}` stops at this ({key})."
                if asked
                else f"Write code so that `{program}` does not stop at its rule `{key}`.",
                # A tool's words are shown beside the rule and never become a part of it.
                seen=f"{seen}, for example: {example}",
            )
        known = ways.get(key) or ways.get(key.partition(": ")[2]) or Counter()
        way = f"; use `{known.most_common(1)[0][0]}`" if known else ""
        if key.startswith("command not found: "):
            name = key.partition(": ")[2]
            return _Worded(
                rule=f"`{name}` is not found when it is called by this name{way or ': do not call it'}.", seen=seen
            )
        name, _, error = key.partition(": ")
        if not error or " " in name.partition(" ")[2]:
            return _Worded(rule=f"`{program}` fails with `{key}`{way}.", seen=seen)
        return _Worded(rule=f"`{name}` fails with `{error}`{way}.", seen=seen)

    first_of_each_finding: dict[tuple[str, str], Signal] = {}
    for signal in signals:
        message = signal.text.partition(" → ")[2]
        again = message if _RULE_NAME.fullmatch(signal.key) else f"{signal.session} {signal.turn} {message}"
        first_of_each_finding.setdefault((signal.key, again), signal)
    return _recurring(first_of_each_finding.values(), rule, sessions)


def recurring_repairs(
    signals: Sequence[Signal], episodes: Sequence[Episode], *, sessions: int = 2
) -> tuple[Recurrence, ...]:
    """Repairs of at least so many sessions, those of most sessions first.

    A repair counts when one remedy served in two sessions or more. A form that fails without an error of its own, and
    works more often than it fails, teaches nothing: it is left out.
    """
    groups = _by_key(signals)
    unnamed = {key for key in groups if " [" not in key and not key.endswith(f" {AFTER}")}
    outcomes = _outcomes(episodes, unnamed)
    kept: list[Signal] = []
    for key, found in groups.items():
        remedy = _remedy(found)
        if len({signal.session for signal in found if signal.remedy == remedy}) < min(2, sessions):
            continue
        worked, failed = outcomes.get(key, (0, 0))
        fixes = remedy.startswith(key) or key.startswith(remedy.partition(":")[0] + ":")
        if key in unnamed and not fixes and worked > _MOSTLY_WORKS * (worked + failed):
            continue
        kept += found

    def rule(key: str, found: Sequence[Signal]) -> _Worded:
        remedy = _remedy(found)
        count = len({signal.session for signal in found})
        form, _, rest = key.removesuffix(f" {AFTER}").partition(" [")
        error = f" with `{rest[:-1]}`" if rest else ""
        seen = f"{len(found)} times in {count} sessions"
        if key.endswith(f" {AFTER}"):
            return _Worded(
                rule=f"When `{form}` fails{error}, run `{remedy}` and call it again; better, run `{remedy}` first.",
                seen=seen,
            )
        if remedy.startswith((f"{form}:", f"{form} -")) and not rest:
            return _Worded(rule=f"`{form}` fails on what `{remedy}` repairs by itself: run `{remedy}`.", seen=seen)
        worked, failed = outcomes.get(key, (0, 0))
        if key in unnamed:
            seen += f"; `{form}` worked {worked} of {worked + failed} times"
        wrapper = form.partition(" ")[0]
        others, all_others = outcomes.get(f"{wrapper} *{form}", (0, 0)) if key in unnamed and " " in form else (0, 0)
        narrow = ""
        if others + all_others:
            narrow = f" Keep `{wrapper}` for other commands."
            seen += f", other commands of `{wrapper}` {others} of {others + all_others} times"
        return _Worded(rule=f"`{form}` fails{error}; use `{remedy}` instead.{narrow}", seen=seen)

    return _recurring(kept, rule, sessions)


def recurring_follow_ups(
    signals: Sequence[Signal], episodes: Sequence[Episode], *, sessions: int = 3
) -> tuple[Recurrence, ...]:
    """Follow-ups of at least so many sessions, those of most sessions first.

    The lesson is to do the step where the person never refused it, and to offer it else. What reaches further than the
    working tree (a commit, a push) is offered also where it was never refused, unless it was nearly always asked for.
    """
    known = habits(episodes, signals)
    # What was asked for after one exchange in ten, and in few sessions, was wanted there and is no habit.
    seldom = {
        key
        for key, habit in known.items()
        if habit.share is not None
        and habit.share < _HABIT
        and len({s.session for s in signals if s.key == key}) <= _FEW_SESSIONS * max(1, habit.sessions)
    }
    signals = [signal for signal in signals if signal.key not in seldom]

    def rule(key: str, found: Sequence[Signal]) -> _Worded:
        habit = known[key]
        count = len({signal.session for signal in found})
        command = Counter(signal.remedy for signal in found if signal.remedy).most_common(1)
        ran = command[0][0] if command else ""
        open_ones = habit.finished - habit.by_itself
        often = f"you asked for it in {count} of {max(habit.sessions, count)} sessions with finished work"
        if open_ones > 0:
            often += f", after {habit.asked} of {open_ones} exchanges with edits that ended without it"
        if habit.refused:
            often += f", and refused it {habit.refused} {'time' if habit.refused == 1 else 'times'}"
        offer = bool(habit.refused) or (key in PUBLISHING and (habit.share is None or habit.share < _NEARLY_ALWAYS))
        if key == TESTS:
            step = (
                "offer to add tests for it" if offer else "add tests for it in the same exchange, without being asked"
            )
            return _Worded(rule=f"After work that changes code, {step}.", seen=often)
        if key == DOCS:
            step = (
                "offer to update the documents that describe it" if offer else "update the documents that describe it"
            )
            return _Worded(rule=f"After work that changes code, {step}.", seen=often)
        if key in PUBLISHING:
            verbs = {
                "pull request": "open a pull request",
                "branch": "begin a branch",
                "tag": "set a tag",
                "release": "release",
            }
            verb = verbs.get(key, key)
        elif ran:
            verb = f"run `{ran}`" + (
                "" if offer else " and put right what it finds, before you say that the work is done"
            )
        elif key.startswith("/"):
            verb = f"do what `{key}` asks for"
        else:
            step = "offer" if offer else "do without being asked"
            shortest = min((plaintext.flat(signal.text) for signal in found), key=len)
            return _Worded(rule=f"After finished work, {step} what the person says then: “{shortest}”.", seen=often)
        ready = ", with the message that you would give it" if key == "commit" and offer else ""
        return _Worded(
            rule=f"After finished work that edits files, {'offer to ' if offer else ''}{verb}{ready}.", seen=often
        )

    return _recurring(signals, rule, sessions)


def _recurring(
    signals: Iterable[Signal], rule: Callable[[str, Sequence[Signal]], _Worded], at_least: int
) -> tuple[Recurrence, ...]:
    found: list[Recurrence] = []
    for key, group in _by_key(signals).items():
        sessions = tuple(dict.fromkeys(signal.session for signal in group))
        if len(sessions) < at_least:
            continue
        times = [signal.at for signal in group if signal.at is not None]
        worded = rule(key, group)
        found.append(
            Recurrence(
                kind=group[0].kind,
                key=key,
                rule=worded.rule,
                seen=worded.seen,
                sessions=sessions,
                occurrences=len(group),
                first=min(times, default=None),
                last=max(times, default=None),
                signals=tuple(group),
                calls=sum(signal.calls for signal in group),
                minutes=sum(signal.minutes for signal in group),
                turns=sum(signal.turns for signal in group),
            )
        )
    return tuple(sorted(found, key=lambda each: (-len(each.sessions), -each.occurrences, each.key)))


def _by_key(signals: Iterable[Signal]) -> dict[str, list[Signal]]:
    groups: dict[str, list[Signal]] = defaultdict(list)
    for signal in signals:
        groups[signal.key].append(signal)
    return groups


def _remedy(found: Sequence[Signal]) -> str:
    """The remedy of most sessions; of two the later one."""
    sessions: dict[str, set[SessionId]] = defaultdict(set)
    for signal in found:
        sessions[signal.remedy].add(signal.session)
    return max(reversed(sessions), key=lambda remedy: len(sessions[remedy]))


def _outcomes(episodes: Sequence[Episode], forms: set[str]) -> Mapping[str, tuple[int, int]]:
    """How often each form worked and failed; under `WRAPPER *FORM` the same of the wrapper's calls in other forms."""
    if not forms:
        return {}
    wrappers: dict[str, list[str]] = defaultdict(list)
    for form in forms:
        wrappers[form.partition(" ")[0]].append(form)
    worked: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for call in (call for episode in episodes for call in episode.calls):
        if call.command is None or call.denied:
            continue
        named: set[str] = set()
        for command in commands(call.command):
            text = " ".join((*command.runner, command.program, command.verb)) if command.runner else command.kernel
            for form in wrappers.get(text.partition(" ")[0], ()):
                named.add(form if text == form or text.startswith(f"{form} ") else f"{form.partition(' ')[0]} *{form}")
        if named:
            (failed if call.failed or faults(call) else worked).update(named)
    return {name: (worked[name], failed[name]) for name in {*worked, *failed}}
