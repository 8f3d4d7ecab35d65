"""Sessions to tasks, tasks to recurring work, recurring work to checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from harvesters.records import SessionKind
from sleepd.core import cluster, naming, split, validity
from sleepd.core.chance import MinedChecks, held_out, mined_checks
from sleepd.core.check import Contrast
from sleepd.core.excess import MIN_SESSIONS, Excess
from sleepd.core.model import ClusterId, TaskId
from sleepd.core.ports import Embedder, Vectors
from sleepd.core.segment import segment
from sleepd.core.split import Known, Placed, Shares, SplitRule
from sleepd.core.validity import Validity
from sleepd.pipeline.embed import vectors_of
from sleepd.settings.sections import MineConfig
from sleepd.store import repositories, sessions, tasks, validities
from sleepd.store.database import Database
from sleepd.store.tasks import StoredTask
from sleepd.store.validities import CheckVerdict
from sleepd.store.validity_rows import CheckFamily

_SESSIONS_AT_ONCE = 200
_SAME_KIND = 0.3
"""Mean cosine from which clusters are one kind of work: in real histories 19 of 20 unrelated requests stay below."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MineReport:
    """What the database holds after mining."""

    sessions: int
    """Sessions cut anew."""
    tasks: int
    recurring: int
    """Tasks of kinds that recur."""
    clusters: int
    """Kinds of work that recur."""
    checkable: int
    embedded: int
    """Texts that had to be embedded now."""


def mine(
    database: Database,
    embedder: Embedder,
    config: MineConfig,
    progress: Callable[[int, int], None] | None = None,
    *,
    kinds: tuple[str, ...] = (SessionKind.INTERACTIVE,),
) -> MineReport:
    """Bring tasks, clusters, sides and checks up to date with the stored sessions. Doing it twice changes nothing.

    Sessions of `kinds` hold work worth learning from. `progress` is told (sessions, sessions in all) at the end.
    """
    with database.reading() as connection:
        waiting = sessions.unmined(connection, kinds)
        todo = waiting or tasks.unplaced(connection) or validities.unjudged(connection)
    embedded = 0
    if todo:
        # Cut sessions into tasks; a transaction holds some of them.
        for start in range(0, len(waiting), _SESSIONS_AT_ONCE):
            with database.writing() as connection:
                for id_, _ in waiting[start : start + _SESSIONS_AT_ONCE]:
                    transcript = sessions.transcript(connection, id_)
                    tasks.save(connection, id_, transcript.agent, segment(transcript))
        embedded = _place(database, embedder, config)
        with database.reading() as connection:
            everything = tasks.load(connection)
        # Mine the checks of all recurring work anew; tasks outside of it have none. A person's checks stay. Only checks
        # that beat chance are kept, and only those that agree with the person on held-out sessions gate.
        recurring = kinds_of_work(everything, config.min_sessions)
        works = contrasts(recurring)
        mined = mined_checks(works)
        verdicts = dict(zip(recurring, _verdicts(works, mined), strict=True))
        gating = {s.task.id for kind, some in recurring.items() if verdicts[kind].gates for s in some}
        gate = {id_: checks for id_, checks in mined.checks.items() if id_ in gating}
        watch = {id_: checks for id_, checks in mined.checks.items() if id_ not in gating}
        changed = [
            s.task.id
            for s in everything
            if not s.reviewed and (s.checks, s.observed) != (gate.get(s.task.id, ()), watch.get(s.task.id, ()))
        ]
        with database.writing() as connection:
            tasks.set_checks(connection, changed, gate, watch)
            tasks.save_excess(connection, dict(zip(recurring, mined.excess, strict=True)))
            found = [CheckVerdict(subject=kind, sentence="", validity=one) for kind, one in verdicts.items()]
            validities.save(connection, CheckFamily.WORK, found)
        # Last of all: sessions of a run that was killed in between are mined again.
        with database.writing() as connection:
            sessions.mark_mined(connection, waiting)
    if progress is not None:
        progress(len(waiting), len(waiting))
    with database.reading() as connection:
        everything = tasks.load(connection)
    recurring = kinds_of_work(everything, config.min_sessions)
    return MineReport(
        sessions=len(waiting),
        tasks=len(everything),
        recurring=sum(map(len, recurring.values())),
        clusters=len(recurring),
        checkable=sum(s.usable for s in everything),
        embedded=embedded,
    )


def _verdicts(works: Sequence[Sequence[Contrast]], mined: MinedChecks) -> Iterator[Validity]:
    """Whether the text checks of each work gate. Only works with checks are measured on held-out sessions."""
    agreement = {n: held_out(work) for n, work in enumerate(works) if any(c.task in mined.checks for c in work)}
    together = validity.together({str(n): one for n, one in agreement.items()})
    for number, excess in enumerate(mined.excess):
        yield validity.measured(together[str(number)]) if number in agreement else _unfound(excess)


def _unfound(excess: Excess) -> Validity:
    """Why a work has no text check."""
    if not excess.corrected_sessions:
        return validity.observed("no answer of this work was rejected and followed by one that you kept")
    if not excess.wordings:
        return validity.observed(
            f"no wording differs between rejected and kept answers in {MIN_SESSIONS} sessions of one work"
        )
    return validity.observed(
        f"no wording beats chance: {excess.found} go with kept answers, shuffled labels give {excess.by_chance:.1f}"
    )


def kinds_of_work(everything: Sequence[StoredTask], min_sessions: int) -> dict[ClusterId, list[StoredTask]]:
    """The kinds of work that span at least `min_sessions` sessions, with their tasks, oldest first."""
    found: dict[ClusterId, list[StoredTask]] = {}
    for stored in everything:
        if stored.kind is not None:
            found.setdefault(stored.kind, []).append(stored)
    return {i: m for i, m in found.items() if len({s.task.session_id for s in m}) >= min_sessions}


def _place(database: Database, embedder: Embedder, config: MineConfig) -> int:
    """Give new tasks their cluster, within their repository, and their side. What was decided before stays.

    Near-duplicates are looked for in all projects: the user's own skills learn from several. Returns how many texts
    had to be embedded.
    """
    with database.reading() as connection:
        everything = tasks.load(connection)
        repository = repositories.of_folders(connection)
    if all(s.cluster is not None for s in everything):
        return 0
    vectors, embedded = vectors_of(database, embedder, [s.task.request for s in everything])
    members, described = _clustered(everything, vectors, config, repository)
    old = [i for i, s in enumerate(everything) if s.split is not None and s.group is not None]
    new = sorted(set(range(len(everything))) - set(old))
    placement = split.place(
        [everything[i].task.id for i in new],
        Known(requests=[everything[i].task.request for i in new], vectors=vectors[new]),
        [Placed(task=s.task.id, group=s.group, split=s.split) for s in everything if s.group and s.split],
        Known(requests=[everything[i].task.request for i in old], vectors=vectors[old]),
        SplitRule(near_duplicate=config.near_duplicate, shares=Shares(val=config.split_val, test=config.split_test)),
    )
    with database.writing() as connection:
        tasks.place(connection, placement.placed)
        tasks.set_clusters(connection, members)
        tasks.describe_clusters(connection, described)
        tasks.retire(connection, placement.retired)
    return embedded


def _clustered(
    everything: Sequence[StoredTask], vectors: Vectors, config: MineConfig, repository: Mapping[str, str]
) -> tuple[dict[TaskId, ClusterId], list[tasks.Cluster]]:
    """The cluster of every task, and what is known about the clusters; each repository for itself."""
    members: dict[TaskId, ClusterId] = {}
    known: list[tasks.Cluster] = []
    rule = cluster.Rule(similarity=config.similarity)
    by_repository: dict[str, list[int]] = {}
    for row, stored in enumerate(everything):
        by_repository.setdefault(repository.get(stored.task.project, stored.task.project), []).append(row)
    for rows in by_repository.values():
        some = [everything[i] for i in rows]
        found = cluster.assign([s.task.id for s in some], vectors[rows], [s.cluster for s in some], rule)
        fresh = iter(found.members)
        clusters = [next(fresh) if s.cluster is None else found.joined.get(s.cluster, s.cluster) for s in some]
        members |= {s.task.id: ClusterId(c) for s, c in zip(some, clusters, strict=True)}
        known += _described(some, clusters, vectors[rows])
    return members, known


def _described(some: Sequence[StoredTask], clusters: Sequence[str], vectors: Vectors) -> list[tasks.Cluster]:
    """The kinds of work that one repository's clusters are of, with their names."""
    kind_of: dict[str, str] = {}
    for s, c in zip(some, clusters, strict=True):
        if s.kind is not None:
            kind_of.setdefault(c, s.kind)
    groups = [kind_of.get(c, c) for c in clusters]
    grown = {g for s, g in zip(some, groups, strict=True) if s.cluster is None}
    merged = cluster.merged(groups, vectors, grown, _SAME_KIND)
    kinds = [merged.get(g, g) for g in groups]
    requests: dict[str, list[str]] = {}
    for s, kind in zip(some, kinds, strict=True):
        requests.setdefault(kind, []).append(s.task.request)
    named = naming.names({kind: texts for kind, texts in requests.items() if len(texts) > 1})
    return [
        tasks.Cluster(id=ClusterId(c), kind=ClusterId(kind), name=named.get(kind, ""))
        for c, kind in dict(zip(clusters, kinds, strict=True)).items()
    ]


def contrasts(recurring: Mapping[ClusterId, Sequence[StoredTask]]) -> list[list[Contrast]]:
    """What each recurring work shows to the search for checks."""
    return [[c for c in map(_contrast, members) if c is not None] for members in recurring.values()]


def _contrast(stored: StoredTask) -> Contrast | None:
    accepted = stored.task.accepted
    if accepted is None:
        return None
    return Contrast(
        task=stored.task.id,
        session=stored.task.session_id,
        rejected=tuple(a.answer for a in stored.task.rejected),
        accepted=accepted.answer,
    )
