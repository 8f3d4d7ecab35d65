"""What the lessons are worth on labelled real histories, and how long a long history takes.

    python -m benchmarks.lessons FOLDER            # one folder per developer: projects/, gold.jsonl, hidden.gold.jsonl
    python -m benchmarks.lessons --size 140        # a made-up history of so many megabytes; CPU seconds by step

A standing lesson of the reader counts as found when one listed lesson quotes turns of it from two sessions. Corrections
are scored with the shipped weights, which were fitted on these turns; `benchmarks.acts` scores them held out.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.acts import SURE, labels, sessions
from harvesters.records import Origin, Role, ToolCall, ToolStatus, Turn
from sleepd.core.acts import Act, judge
from sleepd.core.episode import Episode, Source, episodes
from sleepd.core.lesson import Lesson, LessonFloors, joined, lessons, of_calls, of_refusals, of_words
from sleepd.core.model import SessionId
from sleepd.core.segment import Transcript


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """Counts of one developer."""

    developer: str
    hits: int
    flagged: int
    corrections: int
    approvals_flagged: int
    approvals: int
    denials_flagged: int
    denials: int
    standing: int
    found: tuple[str, ...]
    listed: tuple[Lesson, ...]


def learn(history: Sequence[Sequence[Episode]]) -> tuple[Lesson, ...]:
    """The lessons of all sessions."""
    words = of_words([(one, judge(one)) for one in history])
    every = [episode for one in history for episode in one]
    found = joined((*words, *of_refusals(history), *of_calls(every)))
    return lessons(found, {one[0].session: one[0].project for one in history if one}, LessonFloors())


def score(folder: Path) -> Scored:
    """Hold acts and lessons of one developer against the reader's labels of confidence .75 or more."""
    gold = labels(folder)
    history = [one for one in sessions(folder) if one]
    judged = {e.turn: j for one in history for e, j in zip(one, judge(one), strict=True)}
    denied = {e.turn for one in history for e in one if e.source is Source.DENIAL}
    rows = [
        (str(label["kind"]), judged[turn].act is Act.CORRECTION, turn in denied)
        for turn, label in gold.items()
        if turn in judged and float(str(label["confidence"])) >= SURE and label["kind"] != "refinement"
    ]
    own = [(kind, flag) for kind, flag, denial in rows if not denial]
    taught: defaultdict[str, set[str]] = defaultdict(set)
    for label in gold.values():
        if label.get("lesson_id"):
            taught[str(label["lesson_id"])].add(str(label["session"]))
    standing = {name for name, where in taught.items() if len(where) >= 2}
    listed = learn(history)
    found = []
    for name in sorted(standing):
        of_it = {turn for turn, label in gold.items() if label.get("lesson_id") == name}
        if any(len({q.session for q in one.quotes if q.turn in of_it}) >= 2 for one in listed):
            found.append(name)
    return Scored(
        developer=folder.name,
        hits=sum(flag and kind == "correction" for kind, flag in own),
        flagged=sum(flag for _, flag in own),
        corrections=sum(kind == "correction" for kind, _ in own),
        approvals_flagged=sum(flag and kind == "approval" for kind, flag in own),
        approvals=sum(kind == "approval" for kind, _ in own),
        denials_flagged=sum(judged[turn].act is Act.CORRECTION for turn in denied),
        denials=len(denied),
        standing=len(standing),
        found=tuple(found),
        listed=listed,
    )


def made_up(megabytes: int) -> list[Transcript]:
    """Sessions with the shape of real ones: forty calls to a megabyte, a turn to every sixteen calls."""
    output = "ok  \tpackage/name\t0.01s\n" * 900
    made = []
    for number in range(megabytes):
        turns: list[Turn] = []
        for n in range(40):
            if n % 16 == 0:
                text = ("fix the failing lint", "Add an option to the parser", "commit")[n // 16 % 3]
                turns.append(Turn(id=f"u{n}", position=2 * n, role=Role.USER, origin=Origin.PROMPT, text=text))
            line = ("npm run lint", "git commit -m 'x'", "go test ./...", "grep -rn foo src | head -5")[n % 4]
            failed = n % 7 == 0
            call = ToolCall(
                id=f"c{n}",
                name="Bash",
                input=json.dumps({"command": line}),
                output=("src/a.ts:1:1 error no-unused-vars (no-unused-vars)\n" if failed else "") + output[:16_000],
                status=ToolStatus.ERROR if failed else ToolStatus.OK,
                exit_code=1 if failed else 0,
            )
            turns.append(
                Turn(
                    id=f"a{n}",
                    position=2 * n + 1,
                    role=Role.ASSISTANT,
                    origin=Origin.REPLY,
                    text="Done. " * 200,
                    tool_calls=(call,),
                )
            )
        made.append(Transcript(id=SessionId(f"made-up:{number}"), agent="made-up", project="/p", turns=turns, votes={}))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--size", type=int, help="megabytes of a made-up history")
    parser.add_argument("--list", action="store_true", help="also print each lesson")
    given = parser.parse_args()
    if given.size:
        transcripts = made_up(given.size)
        before = time.process_time()
        cut = [episodes(one) for one in transcripts]
        read = time.process_time()
        found = learn(cut)
        ended = time.process_time()
        calls = sum(len(e.calls) for one in cut for e in one)
        print(
            f"{given.size} MB, {calls} calls: episodes {read - before:.1f} s, lessons {ended - read:.1f} s, "
            f"{len(found)} lessons"
        )
        return
    for folder in sorted(path for path in given.folder.iterdir() if path.is_dir()):
        one = score(folder)
        print(
            f"{one.developer}: corrections precision {one.hits}/{one.flagged}, recall {one.hits}/{one.corrections}; "
            f"approvals flagged {one.approvals_flagged}/{one.approvals}; "
            f"denials with words {one.denials_flagged}/{one.denials}; "
            f"standing lessons {len(one.found)}/{one.standing} ({', '.join(one.found)}); listed {len(one.listed)}"
        )
        for lesson in one.listed if given.list else ():
            print(f"  {len(lesson.sessions):3d}  {lesson.text}")


if __name__ == "__main__":
    main()
