"""Which checks of a history gate, which are observed, and how often any gates when the labels mean nothing.

    python -m benchmarks.validity --date DAY [--worlds 200] FOLDER ...

A FOLDER is one history as Claude Code keeps it (`projects/…/*.jsonl`). In a shuffled world the labels of whole sessions
change places: of the checks of behaviour that have to show their worth, and of text checks mined from all tasks as one
work. Objective checks need no labels and are not counted there. Only counts are printed, never a word of a history.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.checks import any_gates, by_sessions, share
from harvesters.claude_code import ClaudeCode
from sleepd.core import behaviour, facts, validity
from sleepd.core.acts import Act
from sleepd.core.behaviour import Judged, Keeping, LessonCheck, NoEditsOnQuestion, TestWithCode
from sleepd.core.check import Contrast
from sleepd.core.discrimination import JudgedEpisode, discrimination
from sleepd.core.lesson import CODE_FILES, TEST_FILES, History, TriedLesson, originals
from sleepd.core.model import ClusterId
from sleepd.core.validity import Ground, Validity
from sleepd.models.hashed import HashedTfidf
from sleepd.pipeline.ingest import ingest
from sleepd.pipeline.mine import contrasts, mine
from sleepd.pipeline.unread import Sources
from sleepd.settings.sections import HarvestConfig, LessonsConfig, MineConfig
from sleepd.skills.surroundings import Surroundings
from sleepd.store import tasks, validities
from sleepd.store.database import open_database
from sleepd.usecases import lessons

_MEASURED: tuple[LessonCheck, ...] = (TestWithCode(code=CODE_FILES, tests=TEST_FILES), NoEditsOnQuestion())
"""The checks of behaviour that are not objective."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """One history with its verdicts, and what shuffled worlds are made of."""

    name: str
    works: tuple[Validity, ...]
    lessons: tuple[TriedLesson, ...]
    moments: Mapping[str, Sequence[JudgedEpisode]]
    """Of each check of behaviour that is not objective: each moment where it applies, and what the person did then."""
    contrasts: Sequence[Contrast]
    """All tasks as one work."""


def examined(folder: Path) -> Examined:
    """Harvest and mine one history in a database of its own."""
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        around = Surroundings(home=home, env={})
        with closing(open_database(home / "sleepd.db")) as database:
            env = {"CLAUDE_CONFIG_DIR": str(folder.resolve())}
            ingest(database, Sources(harvesters=[ClaudeCode()], env=env, home=home), HarvestConfig())
            mine(database, HashedTfidf(), MineConfig())
            with database.reading() as connection:
                everything = tasks.load(connection)
                works = validities.of_works(connection)
            known = lessons.history(database, around=around)
            book = lessons.book(database, LessonsConfig(), known, around)
    (together,) = contrasts({ClusterId("all"): everything})
    return Examined(
        name=folder.name,
        works=tuple(works.values()),
        lessons=lessons.tried(book.lessons, LessonsConfig(), known),
        moments={check.kind: list(_moments(check, known)) for check in _MEASURED},
        contrasts=together,
    )


def _moments(check: LessonCheck, known: History) -> Iterator[JudgedEpisode]:
    """Every moment where a check applies and the next turn is known; corrected as that turn objects."""
    by_episode = {one.episode: one.judged for session in known.sessions for one in session}
    for session in originals([[one.episode for one in session] for session in known.sessions]):
        asked = [by_episode[episode].act is Act.QUESTION for episode in session]
        seen = facts.of_session(session, asked)
        for episode, following, fact in zip(session, session[1:], seen, strict=False):
            said = behaviour.judge(check, fact)
            if isinstance(said, Judged) and said.keeping is not Keeping.DOES_NOT_APPLY:
                yield JudgedEpisode(
                    session=episode.session,
                    fault=float(said.keeping is Keeping.BROKEN),
                    corrected=float(by_episode[following].correction >= 0.5),
                )


def shuffled(moments: Sequence[JudgedEpisode], chance: random.Random) -> list[JudgedEpisode]:
    """The same moments with the labels of whole sessions in other places."""
    by_session: dict[str, list[float]] = {}
    for one in moments:
        by_session.setdefault(one.session, []).append(one.corrected)
    blocks = list(by_session.values())
    chance.shuffle(blocks)
    labels = iter([label for block in blocks for label in block])
    ordered = sorted(moments, key=lambda one: list(by_session).index(one.session))
    return [replace(one, corrected=next(labels)) for one in ordered]


def any_behaviour(found: Mapping[str, Sequence[JudgedEpisode]]) -> bool:
    """Whether any check of behaviour gates by held-out sessions."""
    together = validity.together({kind: discrimination(moments) for kind, moments in found.items()})
    return any(one is not None and one.shown for one in together.values())


def agreements(moments: Mapping[str, Sequence[JudgedEpisode]]) -> str:
    """How the checks of behaviour agree with the person's own labels."""
    found = {kind: discrimination(some) for kind, some in moments.items()}
    return "; ".join(
        f"{kind} {one.auc:.2f} [{one.low:.2f}, {one.high:.2f}], p {one.p:.2f}" if one is not None else f"{kind} –"
        for kind, one in found.items()
    )


def row(found: Examined, worlds: int) -> str:
    """One line of the table."""
    checks = [tested.validity for one in found.lessons for tested in one.checks]
    objective = sum(one.ground is Ground.OBJECTIVE for one in checks)
    shown = sum(one.ground is Ground.HELD_OUT for one in checks)
    behaving = texts = 0
    for seed in range(worlds):
        chance = random.Random(seed)
        behaving += any_behaviour({kind: shuffled(moments, chance) for kind, moments in found.moments.items()})
        texts += any_gates(by_sessions([found.contrasts], chance)[0])
    cells = [
        found.name,
        f"{len(found.lessons)}",
        f"{objective} + {shown}",
        f"{len(checks) - objective - shown}",
        f"{sum(one.gates for one in found.works)} of {len(found.works)}",
        agreements(found.moments),
        share(behaving, worlds),
        share(texts, worlds),
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--date", required=True)
    parser.add_argument("--worlds", type=int, default=200)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    asked = parser.parse_args()
    print(f"measured {asked.date}\n")
    heads = (
        "history",
        "lessons",
        "their checks that gate: objective + by held-out sessions",
        "observed",
        "works whose text checks gate",
        "AUC of checks of behaviour that are not objective",
        "shuffled: any check of behaviour gates",
        "shuffled: any text check gates",
    )
    print(f"| {' | '.join(heads)} |")
    print("|---|---:|---:|---:|---:|---|---:|---:|")
    for folder in asked.folders:
        print(row(examined(folder), asked.worlds), flush=True)


if __name__ == "__main__":
    main()
