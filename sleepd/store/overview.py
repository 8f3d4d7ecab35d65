"""What `sleepd status` and notices need, in one go and without SQLAlchemy: its import takes longer than the answer."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

from sleepd.store.ahead import CAME, latest
from sleepd.store.readable import HEAD, reading, uri

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class LastNight:
    """The newest night that a clock which was right can have begun. Times are ISO texts, UTC."""

    id: str
    scope: str
    date: str
    status: str
    message: str
    started_at: str
    report: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class OnProbation:
    """A candidate whose verdict is open."""

    id: str
    skill: str
    index: int
    alpha: float
    evidence: float | None
    """Natural logarithm; crosses at ln(1 / alpha)."""
    effect: float | None
    nights: int
    pairs: int
    edits: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class InForce:
    """An adoption that was not taken back."""

    proposal: str
    skill: str
    path: str
    since: str
    """ISO, UTC."""
    proven: bool
    rent: int
    """Tokens that the adoption added to every session that loads the file; an estimate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenRule:
    """A lesson's rule that the person wrote on their own word."""

    lesson: str
    rule: str
    path: str
    since: str
    """ISO, UTC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """How many checks may decide on candidates, as mining found it out."""

    work_gates: int
    """Kinds of work whose mined text checks gate."""
    work_observed: int
    """Kinds of work that have mined text checks, all of them observed only."""
    lesson_gates: int
    """Checks of lessons that gate."""
    lesson_observed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SpentInAll:
    """What all nights together cost."""

    nights: int
    """Those with at least one model call."""
    calls: int
    tokens_in: int
    tokens_out: int
    cost_usd: float
    """Of the nights whose cost is known."""
    unknown: int
    """Nights with calls and without a known cost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """Where everything stands."""

    sessions: int
    tasks: int
    checkable: int
    """Tasks with at least one check."""
    defects: int
    last_harvest: str | None
    """When the newest session that was read ended."""
    waiting: int
    """Proposals that wait for a person."""
    quarantined: int
    adopted: int
    last_night: LastNight | None
    last_measured: str | None
    """Date of the newest night that was measured to its end."""
    on_probation: tuple[OnProbation, ...]
    in_force: tuple[InForce, ...]
    """Oldest first."""
    spent: SpentInAll
    lessons: int
    """How many were listed so far."""
    judging: Judging
    written: tuple[WrittenRule, ...]
    """Rules in force on the person's own word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NightsOf:
    """All nights of one local date that came to an end."""

    date: str
    """Local, ISO."""
    status: str
    """The worst: `not-measured`, else `budget-spent`, else `done`."""
    learnt: bool
    """Whether a proposal came out of one of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """What a notice may speak of."""

    waiting: tuple[str, ...]
    """Ids of the proposals that wait for a person."""
    nights: tuple[NightsOf, ...]
    """Newest first."""


def overview(path: Path, now: datetime) -> Overview | None:
    """Where everything stands; None when there is no database yet. Makes nothing and never waits for a night.

    Raises `DatabaseDamaged`. A database of an older sleepd is migrated first; on a read-only disk that is `Unwritable`.
    """
    return glance(path, lambda connection: _read(connection, now)) if path.exists() else None


def glance(path: Path, read: Callable[[sqlite3.Connection], T]) -> T:
    """What `read` finds in a database that is there. Never waits for a night.

    Raises `DatabaseDamaged`, also for a database of a newer sleepd. A database of an older sleepd is migrated first;
    on a read-only disk that is `Unwritable`.
    """
    try:
        return _looked_at(path, read)
    except sqlite3.DatabaseError:
        # Damaged, or from another version: the door that can tell says which, or mends it.
        from sleepd.store.database import damage_named, open_database

        open_database(path).close()
        with damage_named(path):
            return _looked_at(path, read)


def news(path: Path, now: datetime) -> News | None:
    """What a notice may speak of; None when there is no database yet. Makes, migrates and repairs nothing.

    Raises `Busy` when the database is locked for a second, `Unwritable` on a full disk, `DatabaseDamaged` otherwise.
    """
    if not path.exists():
        return None
    with reading(path, timeout=1) as connection:
        waiting = connection.execute("SELECT id FROM proposals WHERE status = 'waiting' ORDER BY id")
        nights = connection.execute(
            "SELECT date, max(status = 'not-measured'), max(status = 'budget-spent'), "  # noqa: S608
            "max(id IN (SELECT night_id FROM proposals)) "
            f"FROM nights WHERE status <> 'running' AND {CAME} GROUP BY date ORDER BY date DESC",
            latest(now),
        )
        return News(
            waiting=tuple(str(id_) for (id_,) in waiting),
            nights=tuple(
                NightsOf(
                    date=date,
                    status="not-measured" if unmeasured else "budget-spent" if spent else "done",
                    learnt=bool(learnt),
                )
                for date, unmeasured, spent, learnt in nights
            ),
        )


def _looked_at(path: Path, read: Callable[[sqlite3.Connection], T]) -> T:
    with closing(sqlite3.connect(uri(path), uri=True, timeout=30)) as connection:
        (revision,) = connection.execute("SELECT max(version_num) FROM alembic_version").fetchone()
        if revision != HEAD:
            raise sqlite3.DatabaseError(f"schema {revision}")
        connection.row_factory = sqlite3.Row
        return read(connection)


def _read(connection: sqlite3.Connection, now: datetime) -> Overview:
    number = partial(_number, connection)
    newest = f"SELECT * FROM nights WHERE {CAME} ORDER BY started_at DESC, id DESC LIMIT 1"  # noqa: S608
    row = connection.execute(newest, latest(now)).fetchone()
    if row is None:
        last_night = None
    else:
        last_night = LastNight(
            id=row["id"],
            scope=row["scope"],
            date=row["date"],
            status=row["status"],
            message=row["message"],
            started_at=row["started_at"],
            report=json.loads(row["report"]),
        )
    rows = connection.execute("SELECT * FROM lesson_decisions WHERE decision = 'written' ORDER BY at")
    adopted = connection.execute(
        "SELECT a.*, c.name, length(CAST(a.after AS TEXT)) AS longer, "
        "coalesce(length(CAST(a.before AS TEXT)), 0) AS shorter "
        "FROM adoptions a JOIN candidates c ON c.id = a.proposal_id "
        "WHERE a.reverted_at IS NULL AND a.state <> 'intended' ORDER BY a.number"
    )
    return Overview(
        sessions=number("SELECT count(*) FROM sessions"),
        tasks=number("SELECT (SELECT count(*) FROM tasks) - (SELECT count(*) FROM tasks WHERE dropped)"),
        checkable=number("SELECT count(DISTINCT task_id) FROM checks WHERE gates"),
        defects=number("SELECT count(*) FROM defects"),
        last_harvest=connection.execute("SELECT max(ended_at) FROM sessions").fetchone()[0],
        waiting=number("SELECT count(*) FROM proposals WHERE status = 'waiting'"),
        quarantined=number("SELECT count(*) FROM proposals WHERE status = 'quarantined'"),
        adopted=number("SELECT count(*) FROM proposals WHERE status = 'adopted'"),
        last_night=last_night,
        last_measured=connection.execute(
            f"SELECT max(date) FROM nights WHERE status = 'done' AND {CAME}",  # noqa: S608
            latest(now),
        ).fetchone()[0],
        on_probation=_on_probation(connection),
        in_force=tuple(
            InForce(
                proposal=row["proposal_id"],
                skill=row["name"],
                path=row["path"],
                since=row["at"],
                proven=bool(row["proven"]),
                # As `core.edit.tokens`, whose import would cost more than the rest.
                rent=-(-row["longer"] // 4) + -row["shorter"] // 4,
            )
            for row in adopted
        ),
        spent=_spent(connection),
        lessons=_number(connection, "SELECT count(*) FROM lessons"),
        judging=Judging(
            work_gates=number("SELECT count(*) FROM validities WHERE family = 'work' AND ground IS NOT NULL"),
            work_observed=number(
                "SELECT count(DISTINCT coalesce(c.kind, t.cluster_id)) FROM checks "
                "JOIN tasks t ON t.id = checks.task_id LEFT JOIN clusters c ON c.id = t.cluster_id "
                "WHERE NOT checks.gates AND NOT t.dropped"
            ),
            lesson_gates=number("SELECT count(*) FROM validities WHERE family = 'lesson' AND ground IS NOT NULL"),
            lesson_observed=number("SELECT count(*) FROM validities WHERE family = 'lesson' AND ground IS NULL"),
        ),
        written=tuple(
            WrittenRule(lesson=row["lesson_id"], rule=row["rule"], path=row["path"], since=row["at"]) for row in rows
        ),
    )


def edit_words(stored: str) -> tuple[str, ...]:
    """The edits of a candidate's row in a few words each: the new text, or what is done to which line."""
    return tuple(edit["text"] or f"{edit['op']} {edit['anchor']}" for edit in json.loads(stored))


def _number(connection: sqlite3.Connection, query: str) -> int:
    return int(connection.execute(query).fetchone()[0])


def _spent(connection: sqlite3.Connection) -> SpentInAll:
    calls, cost = (f"json_extract(report, '$.spending.{key}')" for key in ("calls", "cost_usd"))
    row = connection.execute(
        f"SELECT count(*), total({calls}), total(json_extract(report, '$.spending.tokens_in')), "  # noqa: S608
        f"total(json_extract(report, '$.spending.tokens_out')), total({cost}), total({cost} IS NULL) "
        f"FROM nights WHERE {calls} > 0"
    ).fetchone()
    nights, made, tokens_in, tokens_out, dollars, unknown = row
    return SpentInAll(
        nights=nights,
        calls=int(made),
        tokens_in=int(tokens_in),
        tokens_out=int(tokens_out),
        cost_usd=dollars,
        unknown=int(unknown),
    )


def _on_probation(connection: sqlite3.Connection) -> tuple[OnProbation, ...]:
    rows = connection.execute(
        "SELECT c.*, (SELECT count(*) FROM pairs p WHERE p.candidate_id = c.id) AS drawn "
        "FROM candidates c WHERE verdict = 'undecided' ORDER BY number"
    )
    return tuple(
        OnProbation(
            id=row["id"],
            skill=row["name"],
            index=row["number"],
            alpha=row["alpha"],
            evidence=row["evidence"],
            effect=row["effect"],
            nights=row["nights"],
            pairs=row["drawn"],
            edits=edit_words(row["edits"]),
        )
        for row in rows
    )
