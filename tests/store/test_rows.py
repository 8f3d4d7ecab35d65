"""Every table gives back what it was given."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest

from harvesters.records import (
    Cursor,
    Defect,
    Origin,
    Reading,
    Role,
    Session,
    SessionKind,
    SkillTrigger,
    SkillUse,
    Tokens,
    ToolCall,
    ToolStatus,
    Turn,
)
from sleepd.core.check import Contains, Lacks
from sleepd.core.experiment import Decision
from sleepd.core.model import (
    AnswerOutcome,
    Attempt,
    CallUsage,
    Candidate,
    Cause,
    ClusterId,
    Digest,
    Edit,
    EditOp,
    EvidenceKind,
    Pair,
    Purpose,
    Rollout,
    RolloutKey,
    RunId,
    RunKind,
    Sample,
    Score,
    SessionId,
    SkillTarget,
    Split,
    Task,
    TaskId,
    Unscored,
    Verdict,
)
from sleepd.core.ports import Reply
from sleepd.core.schedule import baseline
from sleepd.core.split import Placed
from sleepd.store import nights, proposals, rollouts, runs, sessions, tasks
from sleepd.store.cursors import cursors
from sleepd.store.database import Database
from sleepd.store.nights import Night, NightStatus
from sleepd.store.proposals import Adoption, Proposal, Status
from sleepd.store.stored_file import StoredFile

AT = datetime(2026, 9, 1, 8, 30, 15, 123_000, tzinfo=UTC)
CURSOR = Cursor(inode=7, size=90, mtime_ns=5, offset=80, head="h", head_length=80, tail="t", state={"a": "b"})
S = SessionId("claude-code:one")


def call(id_: str = "c1", **more: object) -> ToolCall:
    return replace(ToolCall(id=id_, name="Bash", input='{"command":"ls"}'), **more)  # type: ignore[arg-type]


def turn(n: int, text: str, *calls: ToolCall, **more: object) -> Turn:
    plain = Turn(id=f"m{n}", position=n * 10, role=Role.ASSISTANT, origin=Origin.REPLY, text=text, tool_calls=calls)
    return replace(plain, **more)  # type: ignore[arg-type]


FULL = turn(
    1, "done", call(output="a", status=ToolStatus.OK, exit_code=0, feedback="user-modified"), call("c2"),
    at=AT, model="m", skill="s", cwd="/p", branch="main", abandoned=True,
)  # fmt: skip
ASKED = replace(turn(0, "do it"), role=Role.USER, origin=Origin.PROMPT)
USE = SkillUse(name="s", path="/p/SKILL.md", trigger=SkillTrigger.AGENT, position=5)


def file(*turns: Turn, whole: bool = True, path: str = "/t/one.jsonl", **more: object) -> StoredFile:
    session = Session(agent="claude-code", id="one", kind=SessionKind.INTERACTIVE, cwd="/p", turns=turns)
    reading = Reading(session=replace(session, **more), cursor=CURSOR, whole=whole)  # type: ignore[arg-type]
    return StoredFile(path=path, agent="claude-code", reading=reading, kind="interactive", redacted=2)


def save(database: Database, *files: StoredFile) -> None:
    for one in files:
        with database.writing() as connection:
            sessions.save(connection, [one])


def stored(database: Database) -> list[Turn]:
    with database.reading() as connection:
        return list(sessions.transcript(connection, S).turns)


def column(database: Database, query: str) -> object:
    with database.reading() as connection:
        return connection.exec_driver_sql(query).scalar()


class TestSessions:
    def test_a_reading_comes_back_whole(self, database: Database) -> None:
        """Turns with their calls in order, skills, votes, cursor and defects."""
        one = file(ASKED, FULL, skills=(USE,), votes={"m1": -1}, tokens=Tokens(input=5), models=("m",), title="T")
        defect = Defect(path=one.path, offset=3, reason="bad-json")
        save(database, replace(one, reading=replace(one.reading, defects=(defect,))))
        with database.reading() as connection:
            got = sessions.transcript(connection, S)
            assert ([ASKED, FULL], [USE], {"m1": -1}, "/p") == (got.turns, got.skills, got.votes, got.project)
            assert {one.path: CURSOR} == cursors(database.path, "claude-code")
            assert {} == cursors(database.path, "codex")
            assert (defect,) == sessions.defects(connection, 10)
            assert sessions.Counts(sessions=1, turns=2, tool_calls=2, defects=1) == sessions.counts(connection)

    def test_a_continuing_reading_adds(self, database: Database) -> None:
        """Text is appended, calls are added, late results fill in, and what a tail does not state stays."""
        save(database, file(ASKED, turn(1, "do", call()), title="T", started_at=AT, models=("m",)))
        late = ToolCall(id="c1", name="", input="", output="late", status=ToolStatus.ERROR, exit_code=2, feedback="no")
        tail = file(turn(1, "ne", call("c2")), turn(2, "bye"), whole=False, late_results=(late,), ended_at=AT, cwd="/q")
        save(database, tail)
        filled = call(output="late", status=ToolStatus.ERROR, exit_code=2, feedback="no")
        assert [ASKED, ("done", {"c1", "c2"}), turn(2, "bye")] == [
            t if t.id != "m1" else (t.text, {c.id for c in t.tool_calls}) for t in stored(database)
        ]
        assert filled in stored(database)[1].tool_calls
        with database.reading() as connection:
            row = connection.exec_driver_sql("SELECT title, started_at, project, models, redacted FROM sessions").one()
        assert ("T", AT.isoformat(timespec="microseconds"), "/p", '["m"]', 4) == tuple(row)

    def test_the_tokens_of_a_continued_turn_add_up(self, database: Database) -> None:
        """What neither part states stays unknown."""
        first = turn(1, "One.", tokens=Tokens(input=10, output=4))
        more = turn(1, " More.", tokens=Tokens(output=5, cache_read=7))
        save(database, file(first), file(more, whole=False))
        assert [Tokens(input=10, output=9, cache_read=7)] == [one.tokens for one in stored(database)]

    def test_a_whole_reading_replaces(self, database: Database) -> None:
        """Also the turns, calls, skills and defects that are gone now."""
        save(database, file(ASKED, FULL, skills=(USE,)), file(turn(3, "new")))
        assert [turn(3, "new")] == stored(database)
        assert (0, 0) == (
            column(database, "SELECT count(*) FROM tool_calls"),
            column(database, "SELECT count(*) FROM skill_uses"),
        )

    def test_readings_saved_together_are_as_if_saved_one_by_one(self, database: Database) -> None:
        """Those of one session follow each other, the next file's stands beside it, one without a session is kept."""
        other = replace(file(turn(1, "else")), path="/t/two.jsonl")
        moved = replace(other, reading=replace(other.reading, session=replace(other.reading.session, id="two")))  # type: ignore[type-var]
        empty = replace(file(path="/t/three.jsonl"), reading=Reading(session=None, cursor=CURSOR))
        late = ToolCall(id="c1", name="", input="", output="late", status=ToolStatus.OK)
        parts = [
            file(ASKED, turn(1, "do", call())),
            moved,
            empty,
            file(turn(1, "ne"), whole=False, late_results=(late,)),
        ]
        with database.writing() as connection:
            sessions.save(connection, parts)
        assert [ASKED, turn(1, "done", call(output="late", status=ToolStatus.OK))] == stored(database)
        with database.reading() as connection:
            assert 3 == len(cursors(database.path, "claude-code"))
            assert 2 == sessions.counts(connection).sessions

    def test_the_same_reading_twice_is_once(self, database: Database) -> None:
        """Of a whole reading."""
        save(database, file(ASKED, FULL), file(ASKED, FULL))
        assert [ASKED, FULL] == stored(database)

    def test_a_change_has_to_be_mined_again(self, database: Database) -> None:
        """Only kinds that are asked for; marked done, it rests until it changes."""
        save(database, file(ASKED))
        with database.writing() as connection:
            waiting = sessions.unmined(connection, ["interactive"])
            assert ((S, 1),) == waiting
            assert () == sessions.unmined(connection, ["headless"])
            sessions.mark_mined(connection, waiting)
            assert () == sessions.unmined(connection, ["interactive"])
        save(database, file(turn(2, "more"), whole=False))
        with database.reading() as connection:
            assert ((S, 2),) == sessions.unmined(connection, ["interactive"])

    def test_a_change_while_mining_is_not_lost(self, database: Database) -> None:
        """The revision that was read is marked, not the one that came meanwhile."""
        save(database, file(ASKED))
        with database.reading() as connection:
            waiting = sessions.unmined(connection, ["interactive"])
        save(database, file(turn(2, "more"), whole=False))
        with database.writing() as connection:
            sessions.mark_mined(connection, waiting)
            assert 1 == len(sessions.unmined(connection, ["interactive"]))

    def test_a_file_without_a_session_keeps_its_cursor(self, database: Database) -> None:
        """So that it is not read again for nothing; one that could not be opened has none."""
        one = file()
        save(database, replace(one, reading=replace(one.reading, session=None)))
        save(database, replace(one, path="/t/gone", reading=Reading(session=None)))
        with database.reading() as connection:
            assert ["/t/one.jsonl"] == list(cursors(database.path, "claude-code"))
            assert 0 == sessions.counts(connection).sessions


class TestTimes:
    def test_a_naive_time_is_refused(self, database: Database) -> None:
        """No local time ever enters the database."""
        with pytest.raises(ValueError, match="naive time"):
            save(database, file(replace(ASKED, at=datetime(2026, 9, 1, 8))))  # noqa: DTZ001

    @pytest.mark.slow
    def test_every_zone_is_stored_as_utc(self, database: Database) -> None:
        """The same moment comes back, and texts sort by time."""
        shanghai = AT.astimezone(timezone(timedelta(hours=8)))
        save(database, file(replace(ASKED, at=shanghai)))
        assert AT == stored(database)[0].at
        assert "2026-09-01T08:30:15.123000+00:00" == column(database, "SELECT at FROM turns")


TASK = Task(
    id=TaskId("t1"), session_id=S, project="/p", at=AT, request="r", context="c", skill="s",
    attempts=(
        Attempt(answer="a", outcome=AnswerOutcome.REJECTED, evidence=(EvidenceKind.REDONE,), reaction="no", tool_output="err"),
        Attempt(answer="b", outcome=AnswerOutcome.ACCEPTED),
    ),
)  # fmt: skip


def save_tasks(database: Database, *found: Task, session: SessionId = S) -> None:
    with database.writing() as connection:
        tasks.save(connection, session, "claude-code", found)


def load(database: Database) -> tuple[tasks.StoredTask, ...]:
    with database.reading() as connection:
        return tasks.load(connection)


class TestTasks:
    @pytest.fixture(autouse=True)
    def _sessions(self, database: Database) -> None:
        save(database, file(ASKED))
        two = file(ASKED, path="/t/two.jsonl", id="two")
        save(database, two)

    def test_a_task_comes_back_with_what_mining_found(self, database: Database) -> None:
        """Attempts in order, side, group, cluster and checks."""
        checks = (Contains("x"), Lacks("y"))
        save_tasks(database, TASK)
        with database.writing() as connection:
            assert tasks.unplaced(connection)
            tasks.place(connection, [Placed(task=TASK.id, group=TaskId("g"), split=Split.VAL)])
            tasks.set_clusters(connection, {TASK.id: ClusterId("k")})
            assert not tasks.unplaced(connection)
            tasks.set_checks(connection, [TASK.id], {TASK.id: checks})
        (got,) = load(database)
        assert (TASK, Split.VAL, "g", "k", "k", checks, True) == (
            got.task, got.split, got.group, got.cluster, got.kind, got.checks, got.usable
        )  # fmt: skip
        with database.writing() as connection:
            older = tasks.Cluster(id=ClusterId("k"), kind=ClusterId("older"), name="commit")
            tasks.describe_clusters(connection, [older])
            tasks.retire(connection, [TASK.id])
            assert () == tasks.load(connection, [TaskId("other")])
        (got,) = load(database)
        assert ("k", "older", True, False) == (got.cluster, got.kind, got.retired, got.usable)

    def test_tasks_asked_for_come_with_their_own_attempts_and_checks(self, database: Database) -> None:
        """The same by one id as in the whole list, whatever else is stored."""
        other = replace(TASK, id=TaskId("t2"), attempts=TASK.attempts[:1])
        save_tasks(database, TASK, other)
        with database.writing() as connection:
            tasks.set_checks(connection, [other.id], {other.id: (Contains("x"),)})
        whole = load(database)
        with database.reading() as connection:
            assert [(s,) for s in whole] == [tasks.load(connection, [s.task.id]) for s in whole]
            assert sorted((s.task.id, s.task.request) for s in whole) == [*tasks.load_requests(connection)]
            many = [TaskId(f"x{n}") for n in range(tasks._ASKED_FOR_AT_ONCE)]
            assert whole[:1] == tasks.load(connection, [whole[0].task.id, *many])

    def test_cutting_again_keeps_the_place_and_drops_what_is_gone(self, database: Database) -> None:
        """A session that grew keeps the sides of its tasks; attempts are replaced."""
        save_tasks(database, TASK, replace(TASK, id=TaskId("t2")))
        with database.writing() as connection:
            tasks.place(connection, [Placed(task=TASK.id, group=TASK.id, split=Split.TEST)])
        save_tasks(database, replace(TASK, attempts=TASK.attempts[:1]))
        (got,) = load(database)
        assert (Split.TEST, TASK.attempts[:1]) == (got.split, got.task.attempts)

    @pytest.mark.parametrize("order", [(0, 1), (1, 0)])
    def test_a_fork_makes_no_second_task(self, database: Database, order: tuple[int, int]) -> None:
        """The same prompt in two sessions is one task: that of the session which tells more of it, in either order."""
        tellings = [
            (TASK, S),
            (replace(TASK, session_id=SessionId("claude-code:two"), attempts=TASK.attempts[1:]), None),
        ]
        for n in order:
            told, session = tellings[n]
            save_tasks(database, told, session=session or told.session_id)
        assert [TASK] == [s.task for s in load(database)]
        save_tasks(database, session=SessionId("claude-code:two"))
        assert [TASK] == [s.task for s in load(database)]

    @pytest.mark.parametrize("order", [(0, 1), (1, 0)])
    def test_of_two_tellings_as_long_the_first_stays(self, database: Database, order: tuple[int, int]) -> None:
        """A fork that tells as many attempts tells no more, so the task does not wander from session to session."""
        other = replace(TASK, session_id=SessionId("claude-code:two"), attempts=TASK.attempts[::-1])
        tellings = [TASK, other]
        for n in order:
            save_tasks(database, tellings[n], session=tellings[n].session_id)
        assert [tellings[order[0]]] == [s.task for s in load(database)]
        again = replace(tellings[order[0]], request="reworded")
        save_tasks(database, again, session=again.session_id)
        assert [again] == [s.task for s in load(database)]

    def test_vectors_are_kept_by_text_and_space(self, database: Database) -> None:
        """At half precision, bit for bit; few are asked for by name, many are looked through."""
        vector = np.array([0.25, -1.5], dtype=np.float16)
        with database.writing() as connection:
            tasks.save_vectors(connection, {Digest("text"): vector}, "s1")
            tasks.save_vectors(connection, {Digest("text"): vector * 2}, "s1")
            assert {} == tasks.vectors(connection, [Digest("text")], "s2")
            many = {Digest("text"), *(Digest(f"d{n}") for n in range(tasks._ASKED_FOR_AT_ONCE))}
            for texts in ([Digest("text"), Digest("other")], many):
                found = tasks.vectors(connection, texts, "s1")
                assert ["text"] == list(found) and vector.tolist() == found[Digest("text")].tolist()


N1, N2, N3 = (RunId(id=night) for night in ("n1", "n2", "n3"))
KEY = RolloutKey(task_id=TASK.id, text=Digest("x"), model="m", judge=Digest("j"), sample=baseline(3, "n1"))
SCORED = Rollout(
    key=KEY, result=Score(value=0.5, reason="r"), answer="a", usage=CallUsage(tokens_in=1, tokens_out=2, cost_usd=0.5)
)
HOLE = Rollout(key=replace(KEY, sample=baseline(4, "")), result=Unscored(cause=Cause.TIMEOUT, reason="60 s"), answer="")
CANDIDATE = Candidate(
    id=Digest("c1"), index=1, alpha=0.004,
    target=SkillTarget(agent="codex", name="n", path="/p/S.md", project="/p", description="d"),
    base=Digest("b"), text=Digest("t"), edits=(Edit(op=EditOp.REPLACE, anchor="- a", text="b", reason="r"),),
    tasks=(TASK.id,), model="m",
)  # fmt: skip


class TestMeasured:
    @pytest.fixture(autouse=True)
    def _tasks(self, database: Database) -> None:
        save(database, file(ASKED))
        save_tasks(database, TASK)

    def test_rollouts_come_back_scored_or_not(self, database: Database) -> None:
        """A missing score stays missing, and a second save changes nothing."""
        with database.writing() as connection:
            rollouts.save(connection, [SCORED, HOLE], N1)
            rollouts.save(connection, [replace(SCORED, answer="other")], N2)
            wanted = [SCORED.key, HOLE.key, replace(KEY, sample=baseline(9, "n1"))]
            assert {SCORED.key: SCORED, HOLE.key: HOLE} == rollouts.load(connection, wanted, N1)
            many = [replace(KEY, sample=baseline(n, night)) for n in range(1_000) for night in ("", "n1")]
            assert 2 == len(rollouts.load(connection, many, N1))

    def test_a_later_night_makes_again_what_could_not_be_scored_but_for_what_belongs_to_a_night(
        self, database: Database
    ) -> None:
        """A bad hour does not stand for the live text for ever; drawing what is compared again would be choosing."""
        own = replace(HOLE, key=replace(HOLE.key, sample=Sample(purpose=Purpose.CANDIDATE, series=1, night="n1")))
        mended = replace(HOLE, result=SCORED.result, answer="fine")
        with database.writing() as connection:
            rollouts.save(connection, [HOLE, own], N1)
            assert {own.key: own} == rollouts.load(connection, [HOLE.key, own.key], N2)
            rollouts.save(connection, [mended], N2)
            assert {HOLE.key: mended} == rollouts.load(connection, [HOLE.key], N3)

    def test_texts_and_reflections_are_kept_by_content(self, database: Database) -> None:
        """Paid for once."""
        with database.writing() as connection:
            address = rollouts.put_text(connection, "body\r\n")
            assert ("body\r\n", address) == (
                rollouts.text(connection, address),
                rollouts.put_text(connection, "body\r\n"),
            )
            rollouts.save_reflection(connection, Digest("p"), "m", Reply(text="one"), N1)
            rollouts.save_reflection(connection, Digest("p"), "m", Reply(text="two"), N1)
            assert ("one", None) == (
                rollouts.reflection(connection, Digest("p"), "m"), rollouts.reflection(connection, Digest("p"), "other")
            )  # fmt: skip

    def test_one_unknown_price_makes_the_sum_unknown(self, database: Database) -> None:
        """Never counted as free."""
        with database.writing() as connection:
            rollouts.save(connection, [SCORED], N1)
            assert (1, 0, 1, 2, 0.5) == (
                (s := rollouts.spent(connection, "n1")).rollouts, s.reflections, s.tokens_in, s.tokens_out, s.cost_usd
            )  # fmt: skip
            rollouts.save(connection, [HOLE], N1)
            assert None is rollouts.spent(connection, "n1").cost_usd
            assert 0.0 == rollouts.spent(connection, "n2").cost_usd

    def test_what_a_night_cost_by_stage(self, database: Database) -> None:
        """By purpose; a call whose tokens nobody stated is counted and adds nothing."""
        made = [
            replace(
                SCORED, key=replace(SCORED.key, sample=sample), usage=CallUsage(tokens_in=known, tokens_out=known and 2)
            )
            for sample, known in (
                (baseline(0, "n1"), 10),
                (Sample(purpose=Purpose.CONFIRMATION, ordinal=9), 10),
                (Sample(purpose=Purpose.CANDIDATE, series=1), 7),
                (Sample(purpose=Purpose.CANDIDATE, series=7, ordinal=3), 5),
                (Sample(purpose=Purpose.SEALED, series=1), None),
            )
        ]
        with database.writing() as connection:
            rollouts.save(connection, made, N1)
            rollouts.save(connection, [replace(SCORED, key=replace(SCORED.key, sample=baseline(1, "n1")))], N2)
            rollouts.save_reflection(connection, Digest("p"), "m", Reply(text="one", tokens_in=3, tokens_out=1), N1)
            found = rollouts.spent_by_stage(connection, "n1")
            assert () == rollouts.spent_by_stage(connection, "n3") == rollouts.spent_by_stage(connection, "n1", [])
        assert [
            ("live text", 2, 20, 4, 0), ("candidates", 2, 12, 4, 0), ("sealed tasks", 1, 0, 0, 1),
            ("reflections", 1, 3, 1, 0),
        ] == [(s.stage, s.calls, s.tokens_in, s.tokens_out, s.uncounted) for s in found]  # fmt: skip

    def test_steps_of_a_training_run_are_apart(self, database: Database) -> None:
        """Each draws and counts for itself, and the run is known as what it is."""
        first = RunId(id="train-1", kind=RunKind.TRAINING, step=1)
        second = replace(first, step=2)
        with database.writing() as connection:
            rollouts.save(connection, [HOLE], first)
            trial = proposals.start(connection, CANDIDATE, second)
            assert {HOLE.key: HOLE} == rollouts.load(connection, [HOLE.key], first)
            assert {} == rollouts.load(connection, [HOLE.key], second)
            assert (1, 0) == tuple(rollouts.spent(connection, "train-1", [n]).rollouts for n in (1, 2))
        assert second == trial.run

    def test_what_a_changed_model_invalidated_is_kept_and_used_by_nothing(self, database: Database) -> None:
        """The same rollout can be made again of the model as it is now, and changes are counted."""
        now = replace(SCORED, answer="now")
        with database.writing() as connection:
            rollouts.save(connection, [SCORED], N1)
            proposals.start(connection, CANDIDATE, N1)
            change = runs.put_model_change(connection, "m", N2)
            assert change == runs.put_model_change(connection, "m", N2) == runs.model_change(connection, "m", N2)
            assert None is runs.model_change(connection, "m", N1)
            rollouts.invalidate(connection, [KEY.text], "m", change)
            proposals.invalidate(connection, CANDIDATE.id, change)
            assert {} == rollouts.load(connection, [KEY], N2)
            rollouts.save(connection, [now], N2)
            assert {KEY: now} == rollouts.load(connection, [KEY], N2)
            valid, former = (rollouts.scores(connection, [TASK.id], KEY.text, "m", number) for number in (0, change))
            assert (["n2"], ["n1"]) == ([s.run_id for s in valid], [s.run_id for s in former])
            assert (1, 0) == tuple(
                rollouts.model_changes(connection, [TASK.id], [Digest(text)], "m") for text in ("x", "other")
            )
            known = proposals.trial(connection, CANDIDATE.id).candidate
            assert ("n2", "m until night n2") == (known.invalidated_in, known.measured_on)
            assert () == proposals.on_base(connection, CANDIDATE.base, "m")

    def test_a_candidate_comes_back_and_is_entered_once(self, database: Database) -> None:
        """Index and level never change; pairs keep their holes and their order."""
        pairs = (
            Pair(ordinal=0, task_id=TASK.id, candidate=0.5, baseline=None),
            Pair(ordinal=1, task_id=TASK.id, candidate=None, baseline=0.25),
        )
        decision = Decision(
            verdict=Verdict.ACCEPTED, reason="r", pairs=2, evidence=3.0, counter_evidence=-1.0, effect=0.5,
            coverage_candidate=1.0, coverage_baseline=1.0,
        )  # fmt: skip
        with database.writing() as connection:
            assert 1 == proposals.given(connection).next().index
            trial = proposals.start(connection, CANDIDATE, N1, ("s1",))
            again = proposals.start(connection, replace(CANDIDATE, alpha=0.9), N2)
            assert (CANDIDATE, ("s1",), trial) == (trial.candidate, trial.sessions, again)
            proposals.save_pairs(connection, CANDIDATE.id, pairs[::-1], N1)
            proposals.save_pairs(connection, CANDIDATE.id, pairs, N2)
            assert pairs == proposals.pairs(connection, CANDIDATE.id)
            assert (2, 2, 0, frozenset({("n1", 0)})) == (
                proposals.drawn(connection, N1), proposals.drawn(connection, N1, CANDIDATE.id),
                proposals.drawn(connection, N1, Digest("other")), proposals.drawn_in(connection, CANDIDATE.id),
            )  # fmt: skip
            proposals.decide(connection, CANDIDATE.id, decision, 2)
            decided = proposals.trial(connection, CANDIDATE.id)
            assert (Verdict.ACCEPTED, 3.0, -1.0, 0.5, 2) == (
                decided.candidate.verdict, decided.evidence, decided.counter_evidence, decided.effect, decided.nights
            )  # fmt: skip
            assert (1, 2) == (proposals.acceptances(connection), proposals.given(connection).next().index)
            assert (
                (decided,) == proposals.unstaged(connection, "/p/S.md") == proposals.for_target(connection, "/p/S.md")
            )
            assert () == proposals.unstaged(connection, "/other")

    def test_what_was_accepted_without_evidence_raises_no_level(self, database: Database) -> None:
        """The paper's rules accept so: it takes an index, and is no discovery of the account."""
        decision = Decision(
            verdict=Verdict.ACCEPTED, reason="rule off", pairs=2, evidence=0.0, counter_evidence=0.0, effect=0.5,
            coverage_candidate=1.0, coverage_baseline=1.0,
        )  # fmt: skip
        with database.writing() as connection:
            proposals.start(connection, CANDIDATE, N1, ("s1",))
            proposals.decide(connection, CANDIDATE.id, decision, 1)
            assert Verdict.ACCEPTED is proposals.trial(connection, CANDIDATE.id).candidate.verdict
            assert (0, 2) == (proposals.acceptances(connection), proposals.given(connection).next().index)

    def test_proposals_and_the_journal_come_back(self, database: Database) -> None:
        """Bytes as bytes; a proposal that is there keeps its status."""
        proposal = Proposal(
            id=CANDIDATE.id, night_id="n1", status=Status.WAITING, findings=("url: x",), diff="d", sessions=("s1",),
            sealed_count=2, sealed_before=0.5, sealed_after=None,
        )  # fmt: skip
        entry = Adoption(
            number=1, proposal_id=CANDIDATE.id, path="/p/S.md", before=None, after=b"\xef\xbb\xbfx\r\n", proven=True,
            folders=("/p/a",), state="intended", at=AT, reverted_at=None,
        )  # fmt: skip
        with database.writing() as connection:
            proposals.start(connection, CANDIDATE, N1)
            proposals.stage(connection, proposal)
            proposals.set_status(connection, proposal.id, Status.REJECTED, "no")
            proposals.stage(connection, proposal)
            rejected = replace(proposal, status=Status.REJECTED, why="no")
            assert ((rejected,), (), (rejected,)) == (
                proposals.proposals(connection), proposals.proposals(connection, Status.WAITING),
                proposals.proposals(connection, Status.REJECTED),
            )  # fmt: skip
            assert 1 == proposals.intend(connection, entry)
            assert (entry,) == proposals.adoptions(connection)
            proposals.written(connection, entry)
            proposals.forget(connection, 1)
            assert ["written"] == [a.state for a in proposals.adoptions(connection, standing=True)]
            proposals.reverted(connection, 1, AT)
            assert ((), AT) == (
                proposals.adoptions(connection, standing=True), proposals.adoptions(connection)[0].reverted_at
            )  # fmt: skip

    def test_nights_come_back_newest_first(self, database: Database) -> None:
        """One that is begun again keeps its start; an id may be given by its beginning."""
        first = Night(
            id="2026-10-01-a-1", scope="user", date="2026-10-01", status=NightStatus.RUNNING, started_at=AT,
            ended_at=None, message="", report={},
        )  # fmt: skip
        done = replace(first, status=NightStatus.DONE, ended_at=AT, message="m", report={"a": [1]})
        second = replace(first, id="2026-10-02-a-1", date="2026-10-02", started_at=AT + timedelta(days=1))
        with database.writing() as connection:
            nights.begin(connection, first)
            nights.begin(connection, replace(first, started_at=AT + timedelta(hours=1)))
            nights.end(connection, done)
            nights.begin(connection, second)
            assert (second, done) == nights.nights(connection)
            assert (done, second, None) == (
                nights.night(connection, "2026-10-01"), nights.night(connection, "2026"), nights.night(connection, "%")
            )  # fmt: skip

    def test_a_whole_id_means_that_night(self, database: Database) -> None:
        """Also where the id of a newer night begins with it, as that of the tenth night of a day does."""
        one = Night(
            id="2026-10-01-1", scope="user", date="2026-10-01", status=NightStatus.DONE, started_at=AT,
            ended_at=AT, message="", report={},
        )  # fmt: skip
        tenth = replace(one, id="2026-10-01-10", started_at=AT + timedelta(hours=1))
        with database.writing() as connection:
            nights.begin(connection, one)
            nights.begin(connection, tenth)
            found = [nights.night(connection, id_) for id_ in ("2026-10-01-1", "2026-10-01-10", "2026-10-01")]
        assert [one.id, tenth.id, tenth.id] == [night and night.id for night in found]
