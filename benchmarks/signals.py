"""What reading signals costs: `python -m benchmarks.signals [CALLS]`. Calls are made up: 60,000 are 140 MB and more."""

from __future__ import annotations

import random
import sys
import time
from datetime import UTC, datetime, timedelta

from harvesters.records import ToolStatus
from sleepd.core.episode import Call, Episode, FileEdit, Source
from sleepd.core.fault import all_faults, failures
from sleepd.core.follow_up import follow_ups
from sleepd.core.model import SessionId
from sleepd.core.recurrence import (
    recurring_failures,
    recurring_follow_ups,
    recurring_repairs,
)
from sleepd.core.repair import repairs

_LINT = "\n".join(
    f"src/a{n}.go:{n}:5: string `x{n}` has 3 occurrences, make it a constant (goconst)\n\tf()" for n in range(25)
)
_TESTS = "\n".join(f"ok  \texample.org/x/y/{n}\t0.{n}s some more text on this line of output" for n in range(70))
_TRACE = "\n".join(f"  at f{n} (src/x{n}.ts:{n}:5)" for n in range(100)) + "\nError: it broke\nFAIL src/a.test.ts"
_LINES = (
    "git status",
    "cd /x/y && npm test 2>&1 | tail -{0}",
    "go test ./pkg{0}/... -run TestA -v",
    "git add src/a{0}.ts && git commit -m \"$(cat <<'EOF'\nfix {0}\n\na long text\nEOF\n)\"",
    "npx eslint src/f{0}.ts --fix",
    'grep -rn "foo{0}" src | head -20',
    "rtk bun run lint | tail -5; echo {0}",
    "uv run pytest tests/test_{0}.py -q",
)
_SAID = (
    "commit",
    "add tests for it",
    "yes",
    "fix the lint errors",
    "now the parser of dates",
    "update the docs",
    "run the tests",
)


def main() -> None:
    """Print the CPU seconds of all signals and findings together."""
    episodes = made_up(int(sys.argv[1]) if len(sys.argv) > 1 else 60_000)
    calls = [call for episode in episodes for call in episode.calls]
    size = sum(len(call.output) + len(call.input) for call in calls)
    start = time.process_time()
    known = all_faults(episodes)
    repaired = repairs(episodes, known)
    found = (
        *recurring_failures(failures(episodes, known), repaired=repaired),
        *recurring_repairs(repaired, episodes),
        *recurring_follow_ups(follow_ups(episodes), episodes),
    )
    spent = time.process_time() - start
    sys.stdout.write(f"{len(calls)} calls, {size / 1e6:.0f} MB of text: {spent:.2f} s CPU, {len(found)} findings\n")


def made_up(count: int) -> list[Episode]:
    """Episodes with so many calls in all; the same for the same count."""
    chance = random.Random(1)
    episodes: list[Episode] = []
    made = 0
    while made < count:
        size = min(chance.randint(2, 23), count - made)
        episodes.append(
            Episode(
                session=SessionId(f"s{len(episodes) // 8}"),
                agent="an-agent",
                project="p",
                number=len(episodes) % 8,
                turn=f"t{len(episodes)}",
                at=datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=len(episodes)),
                source=Source.PROMPT,
                text=chance.choice(_SAID),
                denied=None,
                calls=tuple(_call(chance, made + n) for n in range(size)),
                opening="",
                answer="Done.",
                interrupted=False,
                abandoned=False,
                skill=None,
                minutes=3.0,
            )
        )
        made += size
    return episodes


def _call(chance: random.Random, number: int) -> Call:
    in_shell = chance.random() < 0.4
    failed = in_shell and chance.random() < 0.2
    edited = not in_shell and chance.random() < 0.3
    change = FileEdit(path=f"src/a{number % 50}.ts", added=("x",) * 5, removed=("y",))
    line = chance.choice(_LINES).format(number) if in_shell else None
    return Call(
        turn=f"r{number}",
        id=f"c{number}",
        tool="Bash" if in_shell else "Read",
        command=line,
        input=line or "{}",
        output=chance.choice((_LINT, _TESTS, _TRACE, _LINT + _TESTS, "")) if in_shell else "x" * 2_200,
        status=ToolStatus.ERROR if failed else ToolStatus.OK,
        exit_code=1 if failed else None,
        denial=None,
        edits=(change,) if edited else (),
        paths=(),
        duration_ms=1_000,
    )


if __name__ == "__main__":
    main()
