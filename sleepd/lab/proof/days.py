"""What the shipped learner finds in the days of a developer. No replay, no model, no night."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from sleepd import registry
from sleepd.core.acts import Act
from sleepd.core.chance import mined_checks
from sleepd.core.check import Contrast
from sleepd.core.lesson import History, LessonBook
from sleepd.core.model import TaskId, digest
from sleepd.core.ports import Embedder
from sleepd.core.written_rules import TriedRule
from sleepd.lab.proof.world import BEGIN
from sleepd.pipeline.ingest import ingest
from sleepd.pipeline.mine import mine
from sleepd.pipeline.unread import Sources
from sleepd.settings.sections import HarvestConfig, LessonsConfig, MineConfig
from sleepd.simulate.developers import Developer
from sleepd.simulate.transcripts import write
from sleepd.simulate.workdays import LivedDays, live_as
from sleepd.skills.surroundings import Surroundings
from sleepd.store.database import open_database
from sleepd.usecases import lessons as usecase

OBJECTIONS = (Act.CORRECTION, Act.REFINEMENT)
SHUFFLES = 40
"""Histories with shuffled labels in which text checks are looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DaysTerms:
    """Whose days, which of the possible ones, and where they are written."""

    who: Developer
    seed: int
    embedder: Embedder
    folder: Path
    """Empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shuffled:
    """How often a text check is mined from labels that mean nothing."""

    corrected: int
    """Sessions with an answer that was objected to and one that came then."""
    histories: int
    with_checks: int
    """Of the histories with shuffled labels: those with any text check."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Learnt:
    """The truth about the days, and what the learner made of them."""

    lived: LivedDays
    book: LessonBook
    rules: tuple[TriedRule, ...]
    """The written rules that applied."""
    acts: Mapping[tuple[str, str], Act]
    """Session and text of each of the person's turns -> its act."""
    shuffled: Shuffled


def learn(terms: DaysTerms) -> Learnt:
    """Let the developer live, harvest the transcripts, mine them, and ask the shipped learner. Asserts nothing."""
    who, home = terms.who, terms.folder / "home"
    project = home / who.project
    project.mkdir(parents=True)
    name, text = who.instructions
    (project / name).write_text(text, encoding="utf-8", newline="\n")
    lived = live_as(who, terms.seed, BEGIN)
    for session in lived.sessions:
        write(session, home, project)
    database = open_database(terms.folder / "sleepd.db")
    try:
        harvesters = [registry.harvester(n) for n in registry.names("sleepd.harvesters")]
        ingest(database, Sources(harvesters=harvesters, env={}, home=home), HarvestConfig())
        mine(database, terms.embedder, MineConfig())
        floors, around = LessonsConfig(), Surroundings(home=home, env={})
        known = usecase.history(database, around=around)
        work, chance = corrected(known), random.Random(f"labels:{terms.seed}")
        with_checks = sum(bool(mined_checks([flipped(work, chance)]).checks) for _ in range(SHUFFLES))
        return Learnt(
            lived=lived,
            book=usecase.book(database, floors, known, around),
            rules=usecase.tried_rules(known, floors, around),
            acts={
                (one.episode.session, one.episode.text): one.judged.act
                for session in known.sessions
                for one in session
                if one.episode.source.own
            },
            shuffled=Shuffled(corrected=len({c.session for c in work}), histories=SHUFFLES, with_checks=with_checks),
        )
    finally:
        database.close()


def corrected(known: History) -> list[Contrast]:
    """Each answer that was objected to, with the answer that came then.

    Work that is another every day has no kinds: all of it is taken as one, so that there are labels to shuffle.
    """
    return [
        Contrast(
            task=TaskId(digest(after.episode.session, after.episode.turn)),
            session=after.episode.session,
            rejected=(before.episode.answer,),
            accepted=after.episode.answer,
        )
        for session in known.sessions
        for before, after in pairwise(session)
        if after.judged.act in OBJECTIONS and before.episode.answer and after.episode.answer
    ]


def flipped(work: Sequence[Contrast], chance: random.Random) -> list[Contrast]:
    """Labels that mean nothing: in each session a coin lets rejected and kept answers change places."""
    coins = {name: chance.random() < 1 / 2 for name in sorted({c.session for c in work})}
    return [replace(c, rejected=(c.accepted,), accepted=c.rejected[0]) if coins[c.session] else c for c in work]
