"""What is asked for again and again once the work is finished."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from sleepd.core.episode import Call, Episode, Source
from sleepd.core.follow_up import DOCS, TESTS, follow_ups, habits
from tests.exchanges import edit, exchange, refused, shell

WORK = (edit("src/a.go"), shell("go build ./..."))
COMMIT = (shell("git status"), shell("git diff"), shell('git add -A && git commit -m "say why"'))


def after_work(text: str, *calls: Call, session: int = 0, work: Sequence[Call] = WORK) -> list[Episode]:
    """A session of two exchanges: work, and what was said then."""
    return [
        exchange("build the parser for the new format", *work, session=session),
        exchange(text, *calls, session=session, number=1),
    ]


def keys(episodes: Sequence[Episode]) -> list[str]:
    return [signal.key for signal in follow_ups(episodes)]


class TestTheStep:
    @pytest.mark.parametrize(
        "text", ["commit", "commit this", "Make a nice message and save it", "bitte einchecken", "提交代码"]
    )
    def test_words_of_any_language_ask_for_what_was_then_done(self, text: str) -> None:
        """The agent ran `git commit`: that was asked for."""
        assert ["commit"] == keys(after_work(text, *COMMIT))

    @pytest.mark.parametrize(
        ("text", "calls", "step"),
        [
            ("push it", (shell("git push"),), "push"),
            ("open a PR", (shell("git push -u origin x"), shell("gh pr create --title x --body y")), "push"),
            ("run the tests", (shell("mise run test:ci"),), "test"),
            ("fix lint", (shell("npm run lint"), edit("src/a.ts"), shell("npm run lint")), "lint"),
            ("can you add a test for it?", (edit("pkg/a_test.go", added=20, removed=0),), TESTS),
            ("add a test", (edit("src/a.go", added=1), edit("pkg/a_test.go", added=20, removed=0)), TESTS),
            ("now the readme", (edit("README.md"),), DOCS),
            ("bump the version", (edit("package.json", added=1),), "edit package.json"),
            ("deploy", (shell("make deploy"),), "make deploy"),
        ],
    )
    def test_a_step_is_read_from_calls_and_edits(self, text: str, calls: Sequence[Call], step: str) -> None:
        """Publishing comes first, then files of one kind, then checks and other commands."""
        assert step == keys(after_work(text, *calls))[0]

    def test_several_steps_may_be_asked_for_at_once(self) -> None:
        """Each is a signal of its own."""
        calls = (shell("git checkout -b x"), *COMMIT, shell("git push"), shell("gh pr create --fill"))
        assert ["branch", "commit", "push", "pull request"] == keys(after_work("branch, commit, PR", *calls))

    def test_a_slash_command_is_a_step(self) -> None:
        """A person's own command, when the agent then worked; not one of the client's."""
        first, second = after_work("/ship", *COMMIT)
        own = exchange("/ship", *second.calls, number=1, source=Source.COMMAND)
        assert ["/ship"] == keys([first, own])
        assert [] == keys([first, exchange("/clear", number=1, source=Source.COMMAND)])

    def test_words_that_led_to_a_step_in_other_sessions_stand_for_it(self) -> None:
        """In the last session the agent only made a plan."""
        found = [
            e for n in range(3) for e in after_work("cover this", edit("a_test.go", added=9, removed=0), session=n)
        ]
        assert [TESTS] * 4 == keys([*found, *after_work("cover this new branch", session=3)])

    def test_one_word_of_many_names_no_step(self) -> None:
        """`jetzt` led to a commit three times; that all works now asks for none."""
        found = [
            e for n in range(3) for e in after_work(f"{('into git', 'commit', 'sichern')[n]} jetzt", *COMMIT, session=n)
        ]
        assert ["commit"] * 3 == keys([*found, *after_work("läuft jetzt sauber durch", session=3)])

    def test_the_same_words_without_a_step_are_one_request(self) -> None:
        """The calls differ, the request does not."""
        found = [
            *after_work("check the other places too", shell("grep -r a src"), edit("src/b.go"), session=0),
            *after_work("please check the other places, too!", edit("src/c.go"), edit("src/d.go"), session=1),
        ]
        assert ["check the other places too"] * 2 == keys(found)


class TestWhatIsNone:
    @pytest.mark.parametrize("text", ["yes", "ok, go ahead", "weiter", "continue", "好的", "perfect, thanks"])
    def test_consent_asks_for_no_step(self, text: str) -> None:
        """What the agent does next was its own proposal."""
        assert [] == keys(after_work(text, edit("src/b.go"), shell("go test ./...")))

    @pytest.mark.parametrize(
        ("text", "calls"),
        [
            ("it still crashes when the file is empty", (shell("go test ./..."), edit("src/a.go"))),
            ("do not throw the old value away, read what you need first", (shell("mise run test"),)),
            ("the test should compare the whole value", (edit("a_test.go", added=6, removed=6),)),
            ("also count the lines", (edit("src/a.go"), shell("git commit -am x"))),
        ],
    )
    def test_a_correction_is_no_follow_up(self, text: str, calls: Sequence[Call]) -> None:
        """What the agent checks while it works was not asked for."""
        assert [] == [key for key in keys(after_work(text, *calls)) if key in ("test", TESTS, "commit")]

    def test_nothing_was_finished_before(self) -> None:
        """The first request of a session, one after an interruption, one after talk."""
        request = exchange("commit", *COMMIT, number=1)
        assert [] == keys([exchange("commit", *COMMIT)])
        assert [] == keys([exchange("build it", *WORK, interrupted=True), request])
        assert [] == keys([exchange("why?"), request])

    def test_a_document_that_is_written_again_was_not_forgotten(self) -> None:
        """The person asks for another wording, not for a document."""
        work = (edit("src/a.go"), edit("docs/a.md"))
        assert [] == keys(after_work("now the docs in short sentences", edit("docs/a.md"), work=work))
        assert [DOCS] == keys(after_work("now the docs in short sentences", edit("docs/b.md"), work=work))

    def test_a_note_of_the_agent_is_no_document(self) -> None:
        """Plans and files in hidden folders are for the agent."""
        assert [] == keys(after_work("write the plan down", edit(".agent/PLAN.md")))

    @pytest.mark.parametrize("text", ["word " * 41, "line\n" * 5, "x" * 281])
    def test_length_is_words_lines_or_characters(self, text: str) -> None:
        """Any of the three makes it long."""
        assert [] == keys(after_work(text, *COMMIT))

    def test_a_long_text_is_a_request_of_its_own(self) -> None:
        """Pasted comments and plans are no follow-ups."""
        assert [] == keys(
            after_work("The comment says\n" + "that this is not covered by any test at all. " * 9, *COMMIT)
        )


class TestFinishedWork:
    def test_talk_does_not_end_it(self) -> None:
        """The edits are still there."""
        work, request = after_work("commit", *COMMIT)
        asked = exchange("why a map?", number=2)
        assert ["commit"] == keys([work, asked, exchange("commit", *request.calls, number=3)])

    def test_a_refused_last_step_leaves_the_edits_finished(self) -> None:
        """The person stopped what should have come after them."""
        work = exchange("build it", *WORK, refused("make e2e"), interrupted=True)
        assert ["commit"] == keys([work, exchange("commit", *COMMIT, number=1)])

    def test_a_new_session_may_finish_the_work_of_the_one_before(self) -> None:
        """Only for checks that the words name, and only when it follows soon."""
        calls = (shell("npm run lint"), edit("src/a.ts"))
        later = exchange("fix lint errors", *calls, session=0)
        soon = Episode(**{**{n: getattr(later, n) for n in Episode.__slots__}, "session": "another"})
        assert ["lint"] == keys([exchange("build it", *WORK), soon])
        assert [] == keys([exchange("build it", *WORK), exchange("fix lint errors", *calls, session=3)])

    def test_only_the_first_request_of_a_new_session_finishes_the_last_one(self) -> None:
        """And only a check does: a commit belongs to its own session."""

        def elsewhere(*episodes: Episode) -> list[Episode]:
            return [Episode(**{**{n: getattr(e, n) for n in Episode.__slots__}, "session": "b"}) for e in episodes]

        built = exchange("build it", *WORK)
        cleared = exchange("/clear", source=Source.COMMAND)
        lint = exchange("fix lint errors", shell("npm run lint"), number=1)
        assert ["lint"] == keys([built, *elsewhere(cleared, lint)])
        assert [] == keys([built, *elsewhere(exchange("why a map?"), lint)])
        assert [] == keys([built, *elsewhere(exchange("commit", *COMMIT))])

    def test_one_occurrence_counts_for_each_session(self) -> None:
        """A person who says it twice a day says it once."""
        again = [exchange("go on with the writer", *WORK, number=2), exchange("commit", *COMMIT, number=3)]
        assert ["commit"] == keys([*after_work("commit", *COMMIT), *again])


class TestHabits:
    def test_the_base_rate_is_the_person_s_own(self) -> None:
        """Four finished exchanges: asked after two, done unasked in one, neither in one."""
        episodes = [
            *after_work("commit", *COMMIT, session=0),
            *after_work("commit it", *COMMIT, session=1),
            exchange("build it", *WORK, *COMMIT, session=2),
            exchange("build it", *WORK, session=3),
        ]
        habit = habits(episodes, follow_ups(episodes))["commit"]
        assert (4, 1, 2, 0, 4) == (habit.finished, habit.by_itself, habit.asked, habit.refused, habit.sessions)
        assert 2 / 3 == habit.share

    def test_tests_and_documents_count_as_done_when_they_were_edited(self) -> None:
        """Wherever in the exchange."""
        episodes = [
            *after_work("add tests", edit("a_test.go", added=9, removed=0)),
            *after_work("now the readme", edit("README.md"), session=1),
            exchange("build it", edit("b_test.go"), edit("docs/b.md"), *WORK, session=2),
        ]
        known = habits(episodes, follow_ups(episodes))
        assert (1, 1) == (known[DOCS].by_itself, known[DOCS].asked)
        assert (2, 0) == (known[TESTS].by_itself, known[TESTS].refused)

    @pytest.mark.parametrize(
        ("text", "calls"),
        [
            ("write the plan, don't commit", ()),
            ("noch nicht commit", ()),
            ("build it", (refused('git commit -m "x"'),)),
        ],
    )
    def test_a_no_is_counted(self, text: str, calls: Sequence[Call]) -> None:
        """In words, or as a refused call."""
        episodes = [*after_work("commit", *COMMIT), exchange(text, *calls, session=1)]
        assert 1 == habits(episodes, follow_ups(episodes))["commit"].refused
