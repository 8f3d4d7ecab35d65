"""How often mined text checks come from nothing, how many planted rules they find, and how often a judge is believed
wrongly.

    python -m benchmarks.checks --date DAY [--worlds 200] [FOLDER ...]

Without a folder, on simulated work. A FOLDER is one history as Claude Code keeps it (`projects/…/*.jsonl`); a file
`gold.jsonl` in it may label the person's turns with `uuid` and `kind`. Only counts are printed, never a word of a
history.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from harvesters.claude_code import ClaudeCode
from sleepd.core import check, interval
from sleepd.core.chance import held_out, mined_checks
from sleepd.core.check import Contrast, FirstLine, LineStart
from sleepd.core.discrimination import JudgedEpisode, discrimination
from sleepd.core.episode import episodes
from sleepd.core.excess import MIN_SESSIONS
from sleepd.core.model import ClusterId, TaskId
from sleepd.core.segment import Transcript
from sleepd.models.hashed import HashedTfidf
from sleepd.pipeline.ingest import ingest
from sleepd.pipeline.mine import contrasts, kinds_of_work, mine
from sleepd.pipeline.unread import Sources
from sleepd.settings.sections import HarvestConfig, MineConfig
from sleepd.store import sessions, tasks
from sleepd.store.database import open_database

Works = Sequence[Sequence[Contrast]]
_LEXICON = [
    a + b for a in ("amber", "birch", "cedar", "dune", "ember") for b in ("field", "gate", "mill", "port", "shore")
]
_RULE = "verdict:"


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The contrasts of one real history, taken in three ways."""

    name: str
    ways: dict[str, Works]


# Worlds ---------------------------------------------------------------------------------------------------------------


def planted(chance: random.Random, corrected: int, kept: float | None) -> list[Contrast]:
    """One work with a rule that `kept` of the kept answers follow and a tenth of the rejected; None for no rule."""

    def answer(follows: float) -> str:
        lines = [" ".join(chance.choices(_LEXICON, k=6)) for _ in range(5)]
        return "\n".join([f"{_RULE} {lines[0]}", *lines[1:]] if chance.random() < follows else lines)

    kept, broken = (kept, 0.1) if kept is not None else (0.5, 0.5)
    return [
        Contrast(task=TaskId(f"t{n}"), session=f"s{n:03}", rejected=(answer(broken),), accepted=answer(kept))
        for n in range(corrected)
    ]


def by_sessions(works: Works, chance: random.Random) -> Works:
    """Labels that mean nothing: in each session a coin lets rejected and kept answers change places."""
    coins = {name: chance.random() < 0.5 for name in sorted({c.session for work in works for c in work})}
    return [
        [
            Contrast(task=c.task, session=c.session, rejected=(c.accepted, *c.rejected[:-1]), accepted=c.rejected[-1])
            if c.rejected and coins[c.session]
            else c
            for c in work
        ]
        for work in works
    ]


def across(works: Works, chance: random.Random) -> Works:
    """Labels that mean nothing: all answers of a work are dealt out again over its tasks."""
    return [list(_dealt(work, chance)) for work in works]


def _dealt(work: Sequence[Contrast], chance: random.Random) -> Iterator[Contrast]:
    answers = [answer for c in work for answer in (*c.rejected, c.accepted)]
    chance.shuffle(answers)
    for c in work:
        rejected = tuple(answers.pop() for _ in c.rejected)
        yield Contrast(task=c.task, session=c.session, rejected=rejected, accepted=answers.pop())


def mined_without_test(works: Works) -> int:
    """Different checks that the search finds when nothing has to beat chance."""
    return len({one for work in works for found in check.mine(work).values() for one in found})


def mined_with_test(works: Works) -> int:
    """Different checks that are kept."""
    return len({one for found in mined_checks(works).checks.values() for one in found})


def any_gates(work: Sequence[Contrast]) -> bool:
    """Whether text checks of a work are found, and hold on sessions that they were not mined from."""
    if not mined_checks([work]).checks:
        return False
    agreement = held_out(work)
    return agreement is not None and agreement.shown


# Real histories -------------------------------------------------------------------------------------------------------


def history(folder: Path) -> History:
    """Harvest and mine one history in a database of its own."""
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        with closing(open_database(home / "sleepd.db")) as database:
            env = {"CLAUDE_CONFIG_DIR": str(folder.resolve())}
            ingest(database, Sources(harvesters=[ClaudeCode()], env=env, home=home), HarvestConfig())
            mine(database, HashedTfidf(), MineConfig())
            with database.reading() as connection:
                everything = tasks.load(connection)
                ids = sorted({s.task.session_id for s in everything})
                transcripts = [sessions.transcript(connection, id_) for id_ in ids]
    recurring = kinds_of_work(everything, MineConfig().min_sessions)
    together = contrasts({ClusterId("all"): everything})
    ways: dict[str, Works] = {"recurring work": contrasts(recurring), "all tasks as one work": together}
    gold = folder / "gold.jsonl"
    if gold.exists():
        rows = [json.loads(line) for line in gold.read_text(encoding="utf-8").splitlines() if line.strip()]
        kinds = {row["uuid"]: row["kind"] for row in rows}
        ways["a reader's corrections as one work"] = [[c for one in transcripts for c in read(one, kinds)]]
    return History(name=folder.name, ways=ways)


def read(transcript: Transcript, kinds: Mapping[str, str]) -> Iterator[Contrast]:
    """The answers before a turn that the reader calls a correction, against the answer that stayed."""
    rejected: list[str] = []
    seen = episodes(transcript)
    for one, following in zip(seen, [*seen[1:], None], strict=True):
        if not one.answer:
            continue
        if following is not None and kinds.get(following.turn) in ("correction", "refinement"):
            rejected.append(one.answer)
            continue
        task = TaskId(f"{one.session}/{one.number}")
        yield Contrast(task=task, session=one.session, rejected=tuple(rejected), accepted=one.answer)
        rejected = []


# What is printed ------------------------------------------------------------------------------------------------------


def share(found: int, of: int) -> str:
    """`3 % [1, 6]`"""
    low, high = interval.wilson(found / of, of)
    return f"{100 * found / of:.0f} % [{100 * low:.0f}, {100 * high:.0f}]"


def synthetic(worlds: int) -> Iterator[str]:
    """Rows of simulated histories: with any check at all, and with the planted one."""
    yield "| simulated work, corrected sessions | checks without the test | any check | any gates | rule found |"
    yield "|---|---:|---:|---:|---:|"
    for kept in (None, 0.8, 1.0):
        for corrected in (MIN_SESSIONS, 8, 12, 20, 40):
            loose = tight = gating = named = 0
            for seed in range(worlds):
                works = [planted(random.Random(seed), corrected, kept)]
                found = {one for these in mined_checks(works).checks.values() for one in these}
                loose += mined_without_test(works) > 0
                tight += bool(found)
                gating += any_gates(works[0])
                named += FirstLine(_RULE) in found or LineStart(_RULE) in found
            what = f"rule kept in {kept:.0%} of kept answers" if kept is not None else "no rule"
            shown = share(named, worlds) if kept is not None else "–"
            cells = [share(loose, worlds), f"**{share(tight, worlds)}**", f"**{share(gating, worlds)}**", shown]
            yield f"| {what}, {corrected} | {' | '.join(cells)} |"


def believed(worlds: int) -> Iterator[str]:
    """Rows of judges that know nothing, and of one that knows something, in sessions with moods."""
    yield "| judge, 20 sessions of 1 to 8 episodes | p ≤ .05 and interval above ½ |"
    yield "|---|---:|"
    for name, knows in (
        ("figures and corrections come in runs, unrelated", 0.0),
        ("agrees with the person half the time", 0.5),
    ):
        shown = 0
        for seed in range(worlds):
            chance = random.Random(seed)
            rows = []
            for number in range(20):
                careless, stern = chance.random(), chance.random() * 0.6
                for _ in range(chance.randint(1, 8)):
                    corrected = float(chance.random() < stern)
                    fault = corrected if chance.random() < knows else float(chance.random() < careless)
                    rows.append(JudgedEpisode(session=f"s{number:02}", fault=fault, corrected=corrected))
            found = discrimination(rows)
            shown += found is not None and found.shown
        yield f"| {name} | {share(shown, worlds)} |"


def real(found: History, worlds: int) -> Iterator[str]:
    """Rows of one real history: checks from its labels, and the share of shuffled histories with any check."""
    for way, works in found.ways.items():
        sessions_ = len({c.session for work in works for c in work if c.rejected})
        row = [found.name, way, str(sessions_), f"{mined_without_test(works)} → **{mined_with_test(works)}**"]
        for shuffle in (by_sessions, across):
            loose = tight = 0
            for seed in range(worlds):
                shuffled = shuffle(works, random.Random(seed))
                loose += mined_without_test(shuffled) > 0
                tight += mined_with_test(shuffled) > 0
            row.append(f"{share(loose, worlds)} → **{share(tight, worlds)}**")
        yield f"| {' | '.join(row)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--date", required=True)
    parser.add_argument("--worlds", type=int, default=200)
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    asked = parser.parse_args()
    print(f"measured {asked.date}\n")
    if asked.folders:
        print("| history | taken as | corrected sessions | checks | shuffled by sessions | dealt out anew |")
        print("|---|---|---:|---:|---:|---:|")
    else:
        print(*synthetic(asked.worlds), "", *believed(asked.worlds), sep="\n")
    for folder in asked.folders:
        print(*real(history(folder), asked.worlds), sep="\n", flush=True)


if __name__ == "__main__":
    main()
