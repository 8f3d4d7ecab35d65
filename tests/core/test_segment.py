"""Sessions are cut into tasks, and what people did, not their words, says which answers they kept."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from harvesters.records import Origin, Role, SkillTrigger, SkillUse, ToolCall, ToolStatus, Turn
from sleepd.core.model import AnswerOutcome, Attempt, EvidenceKind, SessionId, Task, TaskId, digest
from sleepd.core.ngrams import similarity
from sleepd.core.segment import Transcript, segment

BEGIN = datetime(2026, 9, 1, 8, tzinfo=UTC)
DRAFT = "Fix the crash in the manifest reader when a line is empty. It now skips such a line and goes on."
FINAL = "[CLI-7] Fix the crash in the manifest reader when a line is empty. It now skips such a line and goes on."
OTHER = "A barrier waits until all have come, a latch opens once and then stays open for everybody who comes later."

LEDGER = "Report on ledger 4411 of Haverkamp, please"
SHORTER = "Shorter, and the state goes first."
CLOSED = (
    "The ledger 4411 of Haverkamp is closed for March. All entries were checked twice and nothing is open any more."
)
FITS = "Part a7 fits with b2 since the thread was cut anew; the test of both went through without a fault."


class Session:
    """A transcript written turn by turn."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.votes: dict[str, int] = {}
        self.skills: list[SkillUse] = []

    def _add(self, role: Role, origin: Origin, text: str, **more: object) -> Session:
        n = len(self.turns)
        turn = Turn(id=f"m{n}", position=n, role=role, origin=origin, text=text, at=BEGIN + timedelta(minutes=n))
        self.turns.append(Turn(**{**{f: getattr(turn, f) for f in Turn.__dataclass_fields__}, **more}))  # type: ignore[arg-type]
        return self

    def user(self, text: str, **more: object) -> Session:
        return self._add(Role.USER, Origin.PROMPT, text, **more)

    def agent(self, text: str, *calls: ToolCall, **more: object) -> Session:
        return self._add(Role.ASSISTANT, Origin.REPLY, text, tool_calls=calls, **more)

    def other(self, origin: Origin, text: str = "") -> Session:
        return self._add(Role.USER, origin, text)

    @property
    def tasks(self) -> tuple[Task, ...]:
        return segment(
            Transcript(
                id=SessionId("claude-code:s"),
                agent="claude-code",
                project="/p",
                turns=self.turns,
                skills=self.skills,
                votes=self.votes,
            )
        )

    @property
    def only(self) -> Task:
        (task,) = self.tasks
        return task


def ran(command: str, *, ok: bool, output: str = "out", name: str = "Bash") -> ToolCall:
    status = ToolStatus.OK if ok else ToolStatus.ERROR
    return ToolCall(
        id=f"c{command}{ok}", name=name, input=command, output=output, status=status, exit_code=0 if ok else 1
    )


def outcomes(task: Task) -> list[str]:
    return [a.outcome.value for a in task.attempts]


class TestCorrections:
    @pytest.mark.parametrize(
        ("request_", "correction", "draft", "final"),
        [
            ("Write the commit message for the manifest reader", "The ticket key is missing, as always.", DRAFT, FINAL),
            ("Schreibe die Nachricht zum Manifestleser", "Der Schlüssel fehlt mal wieder.",
             "Behebt den Absturz des Manifestlesers bei leerer Zeile und liest danach weiter.",
             "[CLI-7] Behebt den Absturz des Manifestlesers bei leerer Zeile und liest danach weiter."),
            ("Напиши сообщение коммита про чтение манифеста", "Опять нет ключа задачи.",
             "Исправлено падение при чтении пустой строки манифеста, чтение идёт дальше.",
             "[CLI-7] Исправлено падение при чтении пустой строки манифеста, чтение идёт дальше."),
            ("为清单读取器写一条提交说明", "又忘了写任务编号。",
             "修复清单读取器在遇到空行时崩溃的问题，现在会跳过空行并继续读取后面的内容。",
             "[CLI-7] 修复清单读取器在遇到空行时崩溃的问题，现在会跳过空行并继续读取后面的内容。"),
        ],
        ids=["english", "german", "russian", "chinese"],
    )  # fmt: skip
    def test_a_correction_belongs_to_its_task_in_any_language(
        self, request_: str, correction: str, draft: str, final: str
    ) -> None:
        """The agent did the same again after the user spoke: the first answer was rejected, the second kept."""
        task = Session().user(request_).agent(draft).user(correction).agent(final).only
        assert (request_, ["rejected", "accepted"], 1) == (task.request, outcomes(task), task.friction)
        assert (draft, correction, (EvidenceKind.REDONE,)) == (
            task.attempts[0].answer, task.attempts[0].reaction, task.attempts[0].evidence
        )  # fmt: skip
        assert task.accepted is not None and final == task.accepted.answer

    def test_several_corrections_in_a_row_are_one_task(self) -> None:
        """Friction counts them."""
        session = Session().user("Write the commit message for the reader").agent(DRAFT).user("No key.").agent(FINAL)
        task = session.user("Say what was tested, too.").agent(FINAL + "\nTested: make check").only
        assert ["rejected", "rejected", "accepted"] == outcomes(task)

    def test_the_next_piece_of_recurring_work_is_no_correction(self) -> None:
        """Its words resemble the first request, and so do the answers."""
        session = Session()
        for name in ("manifest reader", "retry queue", "upload client"):
            session.user(f"Write the commit message for the change of the {name}").agent(
                f"Fix the crash of the {name} when a line is empty. It skips such a line."
            )
        assert [["accepted"]] * 3 == [outcomes(t) for t in session.tasks]
        assert 3 == len({t.id for t in session.tasks})

    def test_the_same_request_again_is_a_rejection_of_the_answer(self) -> None:
        """The user asked for the very same once more."""
        request = "Write the commit message for the change of the manifest reader"
        task = Session().user(request).agent(DRAFT).user(request + "!").agent(OTHER).only
        assert ["rejected", "accepted"] == outcomes(task)

    @pytest.mark.parametrize(
        ("request_", "now", "draft", "final", "corrected"),
        [
            (LEDGER, SHORTER, CLOSED, "Closed for March: ledger 4411 (Haverkamp). Each entry was looked at twice, nothing is left open.", True),
            (LEDGER, SHORTER, CLOSED, "Closed for March: ledger 4411. Each line in it was looked at two times; nothing stays open.", True),
            (LEDGER, SHORTER, CLOSED, "Closed for March: ledger 9023. Each entry was looked at twice and nothing is left open at all.", False),
            (LEDGER, SHORTER, CLOSED, "Closed for March: journal 9023 (Duval). Each entry was looked at twice, nothing is left open.", False),
            (f"{LEDGER}, entries of March", SHORTER, CLOSED, "Closed for March: ledger 4411. Each line in it was looked at two times; nothing stays open.", True),
            (f"{LEDGER}, entries of March", SHORTER, CLOSED, "Ledger 4411 was closed last month. Each line in it was looked at two times, and nothing there stays open.", False),
            (LEDGER, "Haverkamp, 4411, ledger: put the state in front", CLOSED, "Closed for March: ledger 4411 (Haverkamp). Each entry was looked at twice, nothing is left open.", False),
            ("What about 4411 and Haverkamp?", SHORTER, CLOSED, "Closed for March: ledger 4411 (Haverkamp). Each entry was looked at twice, nothing is left open.", True),
            ("What about Haverkamp?", SHORTER, CLOSED, "Closed for March: ledger 4411 (Haverkamp). Each entry was looked at twice, nothing is left open.", False),
            ("And a7 with b2?", "Say how.", FITS, "We cut another thread: a7 and b2 now fit, and a trial with the two of them was without any fault.", True),
            ("And a7 with b2?", "Say how.", FITS, "We cut another thread: c9 and d4 now fit, and a trial with the two of them was without any fault.", False),
        ],
        ids=["all three names", "two of three", "one of three", "none", "three of five", "two of five", "named anew",
             "both", "one name is too few", "short names with a digit", "other short names"],
    )  # fmt: skip
    def test_a_rewording_is_a_correction_when_it_keeps_what_only_the_request_named(
        self, request_: str, now: str, draft: str, final: str, corrected: bool
    ) -> None:
        """Two names at least, and three fifths of them; what the user names again may be new work of the same kind."""
        assert 0.3 <= similarity(draft, final) < 0.5, "the case must be a rewording, neither a copy nor other words"
        tasks = Session().user(request_).agent(draft).user(now).agent(final).tasks
        assert (["rejected", "accepted"] if corrected else ["accepted"]) == outcomes(tasks[0])

    def test_other_words_are_new_work_whatever_they_name(self) -> None:
        """An answer that shares hardly anything with the one before is no rewording of it."""
        other = f"{OTHER} Ledger 4411, Haverkamp."
        assert similarity(CLOSED, other) < 0.3
        assert 2 == len(Session().user(LEDGER).agent(CLOSED).user(SHORTER).agent(other).tasks)

    def test_a_request_that_got_no_answer_is_not_corrected(self) -> None:
        """The same words again are then the request."""
        task = Session().user("Write the message").user("Write the message!").agent(FINAL).only
        assert ("Write the message!", ["accepted"]) == (task.request, outcomes(task))

    def test_calls_that_were_allowed_are_no_stop(self) -> None:
        """The next piece of recurring work may follow an answer with calls."""
        request = "Write the commit message for the manifest reader"
        session = Session().user(request).agent(DRAFT, ran("git diff", ok=True))
        tasks = session.user("Write the commit message for the manifest reader with its key").agent(FINAL).tasks
        assert [["accepted"], ["accepted"]] == [outcomes(t) for t in tasks]

    @pytest.mark.parametrize("rewound", [True, False])
    def test_words_like_the_request_correct_what_was_denied_or_rewound(self, rewound: bool) -> None:
        """As after an interrupt: the user stopped the agent and said it again."""
        denied = ToolCall(id="c", name="Edit", input="{}", status=ToolStatus.DENIED)
        session = Session().user("Write the commit message for the manifest reader")
        session = session.agent(DRAFT, abandoned=True) if rewound else session.agent(DRAFT, denied)
        task = session.user("Write the commit message for the manifest reader with its key").agent(FINAL).only
        assert ["rejected", "accepted"] == outcomes(task)

    def test_new_work_leaves_the_answer_accepted(self) -> None:
        """The user moved on with the answer standing."""
        first, second = (
            Session().user("Write the commit message").agent(DRAFT).user("What is a latch?").agent(OTHER).tasks
        )
        assert (["accepted"], ["accepted"]) == (outcomes(first), outcomes(second))
        assert (EvidenceKind.MOVED_ON,) == first.attempts[0].evidence
        assert "Earlier request: Write the commit message" in second.context

    @pytest.mark.parametrize(
        "words", ["greatest-common-divisor incorrect piano", "perfect, thanks!", "wrong again", "нет", "不对"]
    )
    def test_words_alone_say_nothing(self, words: str) -> None:
        """What the user's words mean in one language is never looked at: without a second try nothing is rejected."""
        tasks = Session().user("Write the message").agent(DRAFT).user(words).agent(OTHER).tasks
        assert [["accepted"], ["accepted"]] == [outcomes(t) for t in tasks]


class TestWhatPeopleDid:
    @pytest.mark.parametrize(
        ("name", "exit_code", "status", "evidence"),
        [
            *((name, None, ToolStatus.OK, EvidenceKind.TOOL_PASSED)
              for name in ("Bash", "shell", "shell_command", "exec_command", "local_shell", "run_in_terminal")),
            ("Bash", None, ToolStatus.ERROR, EvidenceKind.TOOL_FAILED),
            ("check", 0, ToolStatus.OK, EvidenceKind.TOOL_PASSED),
            ("check", None, ToolStatus.ERROR, EvidenceKind.TOOL_FAILED),
            ("Read", None, ToolStatus.OK, None),
            ("Bash", None, ToolStatus.DENIED, None),
        ],
    )  # fmt: skip
    def test_which_calls_say_something_about_an_answer(
        self, name: str, exit_code: int | None, status: ToolStatus, evidence: EvidenceKind | None
    ) -> None:
        """Each agent's shell, whatever has an exit code, and whatever failed; not what was only looked at, or never ran."""
        call = ToolCall(id="c", name=name, input="x", output="seen", status=status, exit_code=exit_code)
        attempt = Session().user("Write it").agent(DRAFT, call).only.attempts[0]
        told = {EvidenceKind.TOOL_PASSED, EvidenceKind.TOOL_FAILED} & set(attempt.evidence)
        assert ({evidence} if evidence else set(), "seen" if evidence else None) == (told, attempt.tool_output)

    def test_an_interrupted_answer_is_neither_kept_nor_rejected(self) -> None:
        """The user may have stopped it for any reason."""
        task = Session().user("Write it").agent(DRAFT).other(Origin.INTERRUPT).only
        assert ["unknown"] == outcomes(task)
        assert (EvidenceKind.INTERRUPTED,) == task.attempts[0].evidence

    def test_an_interrupt_with_new_words_about_the_same_is_a_correction(self) -> None:
        """Also when the words resemble the request."""
        request = "Write the commit message for the manifest reader"
        session = Session().user(request).agent(DRAFT).other(Origin.INTERRUPT)
        task = session.user("Write the commit message for the manifest reader with its key").agent(FINAL).only
        assert ["rejected", "accepted"] == outcomes(task)
        assert {EvidenceKind.INTERRUPTED, EvidenceKind.REDONE} == set(task.attempts[0].evidence)

    @pytest.mark.parametrize(
        ("feedback", "kind", "reaction"),
        [("use the other name", EvidenceKind.DENIED, "use the other name"), (None, EvidenceKind.DENIED, None)],
    )
    def test_a_denied_action_rejects_the_answer(
        self, feedback: str | None, kind: EvidenceKind, reaction: str | None
    ) -> None:
        """With what the user said on denying it."""
        call = ToolCall(id="c", name="Edit", input="{}", status=ToolStatus.DENIED, feedback=feedback)
        task = Session().user("Rename it").agent(DRAFT, call).only
        assert (["rejected"], (kind,), reaction) == (
            outcomes(task),
            task.attempts[0].evidence,
            task.attempts[0].reaction,
        )

    def test_a_proposal_the_user_changed_was_not_right(self) -> None:
        """The user edited what the agent wanted to write; the marker is not the user's words."""
        call = ToolCall(id="c", name="Edit", input="{}", status=ToolStatus.OK, output="", feedback="user-modified")
        task = Session().user("Rename it").agent(DRAFT, call).only
        assert (["rejected"], None) == (outcomes(task), task.attempts[0].reaction)
        assert EvidenceKind.USER_EDITED in task.attempts[0].evidence

    def test_a_rewound_answer_was_rejected(self) -> None:
        """The user went back to before it: its turns lie on no path to the end."""
        session = Session().user("Write the message", abandoned=True).agent(DRAFT, abandoned=True)
        task = session.user("Something else entirely, please").agent(OTHER).tasks[0]
        assert (["rejected"], (EvidenceKind.REWOUND,)) == (outcomes(task), task.attempts[0].evidence)

    @pytest.mark.parametrize(("vote", "outcome"), [(-1, "rejected"), (1, "accepted")])
    def test_a_vote_counts(self, vote: int, outcome: str) -> None:
        """Thumbs down rejects; thumbs up leaves the answer accepted."""
        session = Session().user("Write it").agent(DRAFT)
        session.votes = {"m1": vote}
        assert [outcome] == outcomes(session.only)

    def test_a_failing_command_and_its_mending_are_two_attempts(self) -> None:
        """The tool's output is kept apart from the user's words."""
        session = Session().user("Write the message").agent(DRAFT, ran("lint", ok=False, output="error: no key"))
        task = session.agent(FINAL, ran("lint", ok=True)).only
        assert ["rejected", "accepted"] == outcomes(task)
        assert ("error: no key", None) == (task.attempts[0].tool_output, task.attempts[0].reaction)
        assert ((EvidenceKind.TOOL_FAILED,), EvidenceKind.TOOL_PASSED) == (
            task.attempts[0].evidence, task.attempts[1].evidence[0]
        )  # fmt: skip

    def test_an_answer_left_with_a_failing_command_is_not_kept(self) -> None:
        """Nobody knows whether the user took it."""
        assert ["unknown"] == outcomes(Session().user("Write it").agent(DRAFT, ran("lint", ok=False)).only)

    def test_a_failing_command_before_other_words_is_no_attempt(self) -> None:
        """Looking around may fail; only an answer that is done again was a try."""
        session = Session().user("Write it").agent("Let me look at the folder first.", ran("ls x", ok=False))
        assert ["accepted"] == outcomes(session.agent(FINAL, ran("lint", ok=True)).only)

    def test_a_commit_is_the_best_evidence(self) -> None:
        """Only one that worked."""
        for ok, kind in ((True, EvidenceKind.COMMITTED), (False, EvidenceKind.TOOL_FAILED)):
            task = Session().user("Write it").agent(FINAL, ran("git commit -m x", ok=ok)).only
            assert kind in task.attempts[0].evidence


class TestPlans:
    def test_a_plan_that_was_handed_over_is_nobodys_request(self) -> None:
        """Its words are the agent's; what the person says afterwards is a task of its own."""
        session = Session().other(Origin.PLAN, "Implement the following plan: all").agent(DRAFT)
        session = session.user("Write the message again").agent(FINAL)
        assert ["Write the message again"] == [task.request for task in session.tasks]

    def test_a_plan_ends_the_work_before_it(self) -> None:
        """Accepting a plan is no correction of the answer before it, however alike the answers are."""
        session = Session().user("Plan it").agent(DRAFT).other(Origin.PLAN, "Implement the following plan").agent(FINAL)
        assert [["accepted"]] == [outcomes(task) for task in session.tasks]


class TestPieces:
    def test_a_task_in_whole(self) -> None:
        """Its id comes from the agent's name and the prompt's own id."""
        expected = Task(
            id=TaskId(digest("claude-code", "m0")),
            session_id=SessionId("claude-code:s"),
            project="/p",
            at=BEGIN,
            request="Write it",
            context="",
            attempts=(Attempt(answer=DRAFT, outcome=AnswerOutcome.ACCEPTED, evidence=(EvidenceKind.MOVED_ON,)),),
            skill=None,
        )
        assert expected == Session().user("Write it").agent(DRAFT).only

    def test_few_words_are_the_answer_where_nothing_was_written(self) -> None:
        """Also when a file was only looked at, or the call that writes holds no text."""
        look = ToolCall(id="r", name="Read", input='{"content":"x"}', output="x", status=ToolStatus.OK)
        bare = ToolCall(id="w", name="Write", input='{"file_path":"a"}', output="", status=ToolStatus.OK)
        for calls in ((), (look,), (bare,)):
            assert ["Yes."] == [a.answer for a in Session().user("Is it so?").agent("Yes.", *calls).only.attempts]

    def test_the_context_tells_of_the_exchange_before(self) -> None:
        """What was asked and answered, then what the tools were given and returned, each clipped."""
        read = ToolCall(id="r", name="Read", input="i" * 900, output="o" * 900, status=ToolStatus.OK)
        wrote = ToolCall(id="w", name="Write", input="written", output="done", status=ToolStatus.OK)
        none = ToolCall(id="n", name="Grep", input="nothing", output="", status=ToolStatus.OK)
        session = Session().user("What is a latch?").agent(OTHER).user("Write it").agent("", wrote, none, read)
        read_part = f"Read {'i' * 900}"[:800]
        context = session.agent(DRAFT).tasks[1].context
        assert f"Earlier request: What is a latch?\n\nEarlier answer: {OTHER}\n\n{read_part}" == context

    def test_prompts_without_an_answer_are_no_task(self) -> None:
        """A session that ends with a question, or holds nothing but commands."""
        assert () == Session().user("Write it").tasks
        assert () == Session().other(Origin.COMMAND, "/clear").other(Origin.INJECTED, "reminder").tasks
        assert () == Session().tasks
        assert () == Session().agent(DRAFT).tasks

    def test_a_prompt_without_a_time_is_no_task(self) -> None:
        """Tasks come in order of time; one without cannot."""
        assert () == Session().user("Write it", at=None).agent(DRAFT).tasks

    def test_injected_text_is_nobodys_request(self) -> None:
        """Reminders and skill bodies in between belong to the exchange they stand in."""
        session = Session().user("Write it").other(Origin.INJECTED, "be brief").agent(DRAFT)
        assert ("Write it", DRAFT) == (session.only.request, session.only.attempts[0].answer)

    def test_written_files_are_the_answer_where_words_are_few(self) -> None:
        """`Done.` says nothing about what was produced."""
        call = ToolCall(
            id="c", name="Write", input='{"file_path":"a","content":"hello there"}', status=ToolStatus.OK, output=""
        )
        assert "hello there" in Session().user("Write it").agent("Done.", call).only.attempts[0].answer

    def test_ids_come_from_the_agents_own_ids(self) -> None:
        """A fork that repeats a prompt repeats its task, not a copy of it."""
        one, fork = (Session().user("Write it").agent(a).only for a in (DRAFT, OTHER))
        assert one.id == fork.id

    def test_the_context_holds_what_the_agent_read_before_it_answered(self) -> None:
        """Clipped, and without what came after the answer."""
        read = ToolCall(id="r", name="Read", input="a.txt", output="first words " + "x" * 9_000, status=ToolStatus.OK)
        after = ran("late", ok=True, output="after the answer")
        task = Session().user("Write it").agent("", read).agent(DRAFT).agent("", after).only
        assert "first words" in task.context
        assert "after the answer" not in task.context
        assert len(task.context) <= 4_000

    def test_the_context_ends_with_the_calls_of_the_answer_itself(self) -> None:
        """Words and calls of one reply belong together; calls of a later reply come after the answer."""
        session = Session().user("Write it").agent(DRAFT, ran("with", ok=True, output="returned with the answer"))
        context = session.agent("", ran("late", ok=True, output="returned after the answer")).only.context
        assert (True, False) == ("returned with the answer" in context, "returned after the answer" in context)

    @pytest.mark.parametrize(("first", "outcome"), [(True, "unknown"), (False, "accepted")])
    def test_the_last_command_decides_about_an_answer(self, first: bool, outcome: str) -> None:
        """A command that failed and was mended is no verdict, nor is a success before the failure."""
        calls = (ran("one", ok=first, output="first said"), ran("two", ok=not first, output="last said"))
        task = Session().user("Write it").agent(DRAFT, *calls).only
        assert ([outcome], "last said") == (outcomes(task), task.attempts[0].tool_output)

    def test_the_answer_is_the_last_of_several_replies(self) -> None:
        """Nothing was run in between, so the earlier words were on the way there."""
        assert [FINAL] == [a.answer for a in Session().user("Write it").agent(OTHER).agent(FINAL).only.attempts]

    def test_the_skill_in_use_is_named(self) -> None:
        """The one that a turn is attributed to, the last of several, else the last that was loaded by then."""
        session = Session().user("Write it").agent(DRAFT)
        session.skills = [
            SkillUse(name="first", trigger=SkillTrigger.USER, position=0),
            SkillUse(name="early", trigger=SkillTrigger.USER, position=0),
            SkillUse(name="late", trigger=SkillTrigger.USER, position=99),
        ]
        assert "early" == session.only.skill
        assert "own" == Session().user("Write it").agent("Look.", skill="other").agent(DRAFT, skill="own").only.skill
        assert None is Session().user("Write it").agent(DRAFT).only.skill

    def test_the_project_is_the_folder_of_the_prompt(self) -> None:
        """A session may move on to another folder."""
        assert "/q" == Session().user("Write it", cwd="/q").agent(DRAFT).only.project
        assert "/p" == Session().user("Write it").agent(DRAFT).only.project

    def test_the_kept_answer_is_the_last(self) -> None:
        """A task whose last answer was not accepted has none."""
        task = Session().user("Write it").agent(DRAFT).other(Origin.INTERRUPT).only
        assert (None, AnswerOutcome.UNKNOWN) == (task.accepted, task.attempts[-1].outcome)
