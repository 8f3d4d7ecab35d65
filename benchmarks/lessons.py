"""What the lessons are worth on labelled real histories, and how long a long history takes.

    python -m benchmarks.lessons FOLDER            # one folder per developer: projects/, gold.jsonl, hidden.gold.jsonl
    python -m benchmarks.lessons FOLDER --answers REPLIES   # also with a model, from recorded replies
    python -m benchmarks.lessons --size 140        # a made-up history of so many megabytes; CPU seconds by step

A standing lesson of the reader counts as found when one listed lesson quotes turns of it from two sessions. Corrections
are scored with the shipped weights, which were fitted on these turns; `benchmarks.acts` scores them held out.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.acts import SURE, labels, read, sessions
from benchmarks.recorded import lesson_replies
from harvesters.records import Origin, Role, ToolCall, ToolStatus, Turn
from sleepd.core.acts import Act, judge
from sleepd.core.episode import Episode, Source, episodes
from sleepd.core.errors import NotMeasured
from sleepd.core.lesson import PAST, EpisodeWithAct, Found, History, Lesson, LessonFloors, lessons
from sleepd.core.lesson_reading import LessonsRead
from sleepd.core.model import SessionId
from sleepd.core.segment import Transcript
from sleepd.settings.sections import LessonsConfig
from sleepd.usecases import lessons as usecase
from sleepd.usecases.read_lessons import prompts_of


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


def judged(cut: Sequence[Sequence[Episode]]) -> History:
    """The history with the acts by the structural signs."""
    return History(
        sessions=tuple(
            tuple(
                EpisodeWithAct(episode=episode, judged=act, cluster=None)
                for episode, act in zip(one, judge(one), strict=True)
            )
            for one in cut
            if one
        )
    )


def learn(history: History, found: Sequence[Found] | None = None) -> tuple[Lesson, ...]:
    """The lessons of all sessions; `found`: the findings, where they are known."""
    folders = {one[0].episode.session: one[0].episode.project for one in history.sessions}
    made = lessons(found if found is not None else usecase.find(history), folders, LessonFloors())
    return tuple(one for one in made if one.state not in PAST)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadHistory:
    """A history as a model read it."""

    history: History
    """With the model's word in the acts of the labelled turns."""
    read: LessonsRead


def read_history(folder: Path, answers: Path) -> ReadHistory:
    """Acts and lessons of one developer by the recorded replies. Prompts without an answer are put there.

    Raises `NotMeasured` while one waits.
    """
    turns = read(folder, answers)
    acts = turns.acts
    history = History(
        sessions=tuple(
            tuple(replace(one, judged=acts.get(one.episode.turn, one.judged)) for one in session)
            for session in judged(sessions(folder)).sessions
        )
    )
    found = usecase.find(history)
    prompts = prompts_of(history, found, LessonsConfig().prompt_tokens)
    replies = lesson_replies(answers, folder.name, prompts, turns.waits)
    return ReadHistory(history=history, read=usecase.with_readings(history, found, replies, {}))


def score(folder: Path, history: History, listed: tuple[Lesson, ...]) -> Scored:
    """Hold acts and lessons of one developer against the reader's labels of confidence .75 or more."""
    gold = labels(folder)
    acts = {one.episode.turn: one.judged for session in history.sessions for one in session}
    denied = {
        one.episode.turn for session in history.sessions for one in session if one.episode.source is Source.DENIAL
    }
    rows = [
        (str(label["kind"]), acts[turn].act is Act.CORRECTION, turn in denied)
        for turn, label in gold.items()
        if turn in acts and float(str(label["confidence"])) >= SURE and label["kind"] != "refinement"
    ]
    own = [(kind, flag) for kind, flag, denial in rows if not denial]
    taught: defaultdict[str, set[str]] = defaultdict(set)
    for label in gold.values():
        if label.get("lesson_id"):
            taught[str(label["lesson_id"])].add(str(label["session"]))
    standing = {name for name, where in taught.items() if len(where) >= 2}
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
        denials_flagged=sum(acts[turn].act is Act.CORRECTION for turn in denied),
        denials=len(denied),
        standing=len(standing),
        found=tuple(found),
        listed=listed,
    )


def printed(one: Scored, column: str, *, whole: bool) -> str:
    """The figures of one developer, and with `whole` each lesson."""
    lines = [
        f"{one.developer}, {column}: corrections precision {one.hits}/{one.flagged}, "
        f"recall {one.hits}/{one.corrections}; "
        f"approvals flagged {one.approvals_flagged}/{one.approvals}; "
        f"denials with words {one.denials_flagged}/{one.denials}; "
        f"standing lessons {len(one.found)}/{one.standing} ({', '.join(one.found)}); listed {len(one.listed)}"
    ]
    lines += [f"  {len(lesson.sessions):3d}  {lesson.text}" for lesson in one.listed if whole]
    return "\n".join(lines)


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
    parser.add_argument("--answers", type=Path, help="folder of recorded replies; prompts without one are put there")
    parser.add_argument("--list", action="store_true", help="also print each lesson")
    given = parser.parse_args()
    if given.size:
        transcripts = made_up(given.size)
        before = time.process_time()
        cut = [episodes(one) for one in transcripts]
        read = time.process_time()
        found = learn(judged(cut))
        ended = time.process_time()
        calls = sum(len(e.calls) for one in cut for e in one)
        print(
            f"{given.size} MB, {calls} calls: episodes {read - before:.1f} s, lessons {ended - read:.1f} s, "
            f"{len(found)} lessons"
        )
        return
    for folder in sorted(path for path in given.folder.iterdir() if path.is_dir()):
        history = judged(sessions(folder))
        print(printed(score(folder, history, learn(history)), "no model", whole=given.list))
        if given.answers:
            try:
                one = read_history(folder, given.answers)
            except NotMeasured as waits:
                print(f"{folder.name}: {waits}")
                continue
            listed = learn(one.history, one.read.found)
            print(printed(score(folder, one.history, listed), "with model", whole=given.list))
            fates = Counter(fate.value for _, fate in one.read.fates)
            print(f"  lessons in the replies {dict(fates)}; quotes not found {one.read.dropped_quotes}")


if __name__ == "__main__":
    main()
