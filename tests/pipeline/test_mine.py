"""Sessions to tasks, clusters, sides and checks; again and again without a change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import insert, update

from sleepd.core.model import Split, digest
from sleepd.core.ports import Vectors
from sleepd.core.validity import YOURS
from sleepd.models.hashed import HashedTfidf
from sleepd.pipeline.embed import vectors_of
from sleepd.pipeline.mine import kinds_of_work, mine
from sleepd.pipeline.work import find_work
from sleepd.settings.sections import MineConfig
from sleepd.simulate.cast import persona
from sleepd.simulate.life import Days, live
from sleepd.simulate.transcripts import write
from sleepd.store import schema, tasks, validities
from sleepd.store.validity_rows import CheckFamily
from tests.pipeline.world import BEGIN, World, make, new_skill

MINED = ("tasks", "attempts", "checks", "vectors", "clusters")


class Counting:
    """An embedder that counts the texts it is given, and can end in the middle."""

    def __init__(self, most: int = 10_000) -> None:
        self._inner, self.seen, self._most = HashedTfidf(), 0, most
        self.lengths: list[int] = []
        self.key, self.english_only = self._inner.key, False

    def encode(self, texts: Sequence[str]) -> Vectors:
        self.seen += len(texts)
        self.lengths += map(len, texts)
        if self.seen > self._most:
            raise KeyboardInterrupt
        return self._inner.encode(texts)

    def close(self) -> None: ...


def rows(world: World) -> dict[str, list[dict[str, object]]]:
    return {table: world.rows(table) for table in MINED}


def test_mining_twice_changes_nothing_and_embeds_nothing(world: World) -> None:
    """The same report but for what had to be done."""
    embedder = Counting()
    before = rows(world)
    report = mine(world.database, embedder, MineConfig())
    assert (before, 0, 0, 0) == (rows(world), embedder.seen, report.sessions, report.embedded)
    assert report.checkable > 20


def test_the_work_that_recurs_is_found_with_checks(mined: World) -> None:
    """Commit messages are one cluster, checkable by form; each task is on one side."""
    with mined.database.reading() as connection:
        everything = tasks.load(connection)
    largest = max(kinds_of_work(everything, 2).values(), key=len)
    assert all("ommit" in s.task.request for s in largest)
    kinds = {(c.kind.value, c.value) for s in largest for c in s.checks}
    assert {("first-line", "[A-9]"), ("last-line", "tested:")} <= kinds
    assert set(Split) == {s.split for s in largest if s.usable}


@pytest.mark.slow
def test_new_days_leave_old_decisions_alone(tmp_path: Path) -> None:
    """Sides and groups never move; clusters only become part of older ones."""
    world = make(tmp_path, sessions=20)
    world.ingest()
    mine(world.database, HashedTfidf(), MineConfig())
    before = {r["id"]: (r["split"], r["group_id"]) for r in world.rows("tasks")}
    for session in live(persona("programmer"), Days(seed=1, start=BEGIN, sessions=20, first=20)):
        write(session, world.home, world.project)
    world.ingest()
    mine(world.database, HashedTfidf(), MineConfig())
    after = {r["id"]: (r["split"], r["group_id"]) for r in world.rows("tasks")}
    assert len(after) > len(before)
    assert before == {i: after[i] for i in before}


@pytest.mark.slow
def test_a_run_killed_in_between_is_done_again(tmp_path: Path) -> None:
    """While embedding, say: the next run comes to what an undisturbed one comes to."""
    worlds = [make(tmp_path / name, sessions=15) for name in ("broken", "whole")]
    for world in worlds:
        world.ingest()
    with pytest.raises(KeyboardInterrupt):
        mine(worlds[0].database, Counting(most=0), MineConfig())
    for world in worlds:
        mine(world.database, HashedTfidf(), MineConfig())
    broken, whole = (
        {
            t: sorted(repr({**r, "project": "", "id": "", "session_id": ""}) for r in w.rows(t))
            for t in ("checks", "vectors")
        }
        for w in worlds
    )
    assert whole == broken


def test_work_of_other_kinds_of_sessions_is_left_out(tmp_path: Path) -> None:
    """Only the sessions that the settings name hold work."""
    world = make(tmp_path, sessions=5)
    world.ingest()
    assert 0 == mine(world.database, HashedTfidf(), MineConfig(), kinds=("headless",)).tasks


@pytest.mark.slow
def test_near_duplicates_in_two_projects_are_on_one_side(tmp_path: Path) -> None:
    """The user's own skills learn from several projects; what teaches in one must not judge in another."""
    world = make(tmp_path, sessions=12)
    other = world.home / "other"
    other.mkdir()
    for session in live(persona("programmer"), Days(seed=1, start=BEGIN, sessions=12)):
        write(replace(session, id=session.id[:-4] + "ffff"), world.home, other)
    world.ingest()
    mine(world.database, HashedTfidf(), MineConfig())
    sides: dict[str, set[object]] = {}
    for row in world.rows("tasks"):
        sides.setdefault(str(row["request"]), set()).add(row["split"])
    projects = {row["project"] for row in world.rows("tasks")}
    assert 2 == len(projects)
    assert all(len(found) == 1 for found in sides.values())


def test_a_dropped_task_does_not_come_back(world: World) -> None:
    """Forgotten at the user's wish, it stays in no list."""
    with world.database.writing() as connection:
        victim = tasks.load(connection)[0].task.id
        assert tasks.drop(connection, victim)
        assert not tasks.drop(connection, victim[:-1] + "?")  # type: ignore[arg-type]
    mine(world.database, HashedTfidf(), MineConfig())
    with world.database.reading() as connection:
        assert victim not in {s.task.id for s in tasks.load(connection)}


def test_vectors_are_kept_by_embedder_and_text(world: World) -> None:
    """Another embedder starts anew; equal texts are embedded once."""
    one, other = Counting(), Counting()
    other.key = "another"
    fresh = ["never seen before", "never seen before", "nor this"]
    assert [2, 0] == [vectors_of(world.database, one, fresh)[1] for _ in range(2)]
    assert 2 == vectors_of(world.database, other, fresh)[1]
    got, _ = vectors_of(world.database, one, [])
    assert 0 == len(got)


@pytest.mark.slow
def test_texts_are_embedded_in_order_of_length(world: World) -> None:
    """Over the whole list and not within a portion: a batch takes as long as its longest text."""
    embedder = Counting()
    texts = [f"{'word ' * (n * 37 % 97)}{n}" for n in range(1_200)]
    got, _ = vectors_of(world.database, embedder, texts)
    assert sorted(map(len, texts)) == embedder.lengths
    one, _ = vectors_of(world.database, embedder, texts[7:8])
    assert one[0].tolist() == got[7].tolist()


def test_what_an_older_version_embedded_is_not_embedded_again(world: World) -> None:
    """It kept the embedder's own vectors; the combined ones are made of them."""
    texts = ["an old request", "another one"]
    rows_ = [
        {"text": digest(text), "embedder": "old", "vector": vector.tobytes()}
        for text, vector in zip(texts, HashedTfidf().encode(texts), strict=True)
    ]
    with world.database.writing() as connection:
        connection.execute(insert(schema.embeddings), rows_)
    embedder = Counting()
    embedder.key = "old"
    got, embedded = vectors_of(world.database, embedder, texts)
    assert (0, 0) == (embedded, embedder.seen)
    assert got.tolist() == vectors_of(world.database, Counting(), texts)[0].tolist()


def test_tasks_that_lost_their_cluster_are_clustered_again(world: World) -> None:
    """As after a migration: no session is cut anew, sides and groups stay, the clusters come out the same."""
    before = rows(world)
    with world.database.writing() as connection:
        connection.execute(update(schema.tasks).values(cluster_id=None))
        tasks.describe_clusters(connection, [])
    report = mine(world.database, Counting(), MineConfig())
    assert (before, 0, 0) == (rows(world), report.sessions, report.embedded)


def test_kinds_of_work_hold_whole_clusters_and_have_names_of_their_own(world: World) -> None:
    """A kind is of one or more clusters; no cluster has more than its share of the project; no two names are equal."""
    with world.database.reading() as connection:
        everything = tasks.load(connection)
    sizes = Counter(s.cluster for s in everything)
    assert max(sizes.values()) <= max(5, 0.15 * len(everything))
    kinds = {s.cluster: s.kind for s in everything}
    assert all(kinds[s.cluster] == s.kind for s in everything)
    assert max(Counter(s.kind for s in everything).values()) > max(sizes.values())
    names = {row["kind"]: row["name"] for row in world.rows("clusters")}
    named = [name for name in names.values() if name]
    assert "commit message" in named and len(named) == len(set(named)) > 3


def test_work_with_too_few_corrections_is_observed_and_not_judged(tmp_path: Path) -> None:
    """Corrections of five sessions beat no shuffle: no check is stored, and the work says so in words."""
    world = make(tmp_path, sessions=7)
    world.ingest()
    mine(world.database, HashedTfidf(), MineConfig())
    with world.database.reading() as connection:
        everything = tasks.load(connection)
    assert any(s.task.rejected for s in everything)
    assert [] == [s for s in everything if s.checks]
    work = find_work(kinds_of_work(everything, 2), world.surroundings, new_skill)[0]
    assert (
        "observed, cannot be judged yet: no wording differs between rejected and kept answers in 6 sessions of one work"
        == work.missing
    )


def test_checks_that_fail_on_held_out_sessions_are_shown_and_judge_nothing(tmp_path: Path) -> None:
    """Seven corrected sessions beat shuffled labels, and are too few to be told apart without one of them."""
    world = make(tmp_path, sessions=9)
    world.ingest()
    report = mine(world.database, HashedTfidf(), MineConfig())
    with world.database.reading() as connection:
        everything = tasks.load(connection)
        verdicts = validities.of_works(connection)
    observed = [s for s in everything if s.observed]
    assert observed and not any(s.checks or s.usable for s in everything)
    assert 0 == report.checkable
    assert {"observed"} == {one.word for one in verdicts.values()}
    assert {verdicts[s.kind] for s in observed if s.kind} == {s.validity for s in observed}
    work = find_work(kinds_of_work(everything, 2), world.surroundings, new_skill)[0]
    assert "held-out sessions" in (work.missing or "")


def test_checks_of_an_earlier_version_are_judged_at_the_next_mining(mined: World) -> None:
    """A database from before verdicts: nothing new was read, and the work is searched again all the same."""
    before = mined.rows("validities")
    assert any(row["ground"] == "held-out" for row in before)
    with mined.database.writing() as connection:
        validities.save(connection, CheckFamily.WORK, [])
    mine(mined.database, HashedTfidf(), MineConfig())
    assert before == mined.rows("validities")


def test_work_without_checks_of_an_earlier_version_gets_its_reason_too(tmp_path: Path) -> None:
    """Nothing was found there, and the lists say why instead of nothing."""
    world = make(tmp_path, sessions=5)
    world.ingest()
    mine(world.database, HashedTfidf(), MineConfig())
    before = world.rows("validities")
    with world.database.writing() as connection:
        validities.save(connection, CheckFamily.WORK, [])
    mine(world.database, HashedTfidf(), MineConfig())
    assert before and before == world.rows("validities")


def test_a_check_that_the_person_wrote_gates_whatever_mining_says(tmp_path: Path) -> None:
    """It needs no held-out session: the person's own words are the reason."""
    world = make(tmp_path, sessions=9)
    world.ingest()
    mine(world.database, HashedTfidf(), MineConfig())
    with world.database.writing() as connection:
        one = next(s for s in tasks.load(connection) if s.observed)
        tasks.review(connection, one.task.id, one.observed)
        (stored,) = tasks.load(connection, [one.task.id])
    assert (one.observed, (), YOURS, True) == (stored.checks, stored.observed, stored.validity, stored.usable)
