"""Lessons: standing rules made of what a person says again and again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from harvesters.records import Tokens, ToolCall, ToolStatus, Turn
from sleepd.core.acts import judge
from sleepd.core.backtest import Backtest, Floors
from sleepd.core.episode import Episode, episodes
from sleepd.core.lesson import (
    EpisodeWithAct,
    Found,
    History,
    Lesson,
    LessonFloors,
    LessonState,
    Scope,
    conflicts,
    lessons,
    of_calls,
    of_refusals,
    of_words,
    originals,
    stated,
    tried_checks,
)
from sleepd.core.model import SessionId
from sleepd.core.segment import Transcript
from sleepd.core.signal import Signal, SignalKind
from tests.core.test_episode import reply, said, shell


def session(number: int, *turns: Turn, project: str = "/p") -> tuple[Episode, ...]:
    return episodes(
        Transcript(id=SessionId(f"claude-code:s{number}"), agent="claude-code", project=project, turns=turns)
    )


def edit(path: str, n: int = 0) -> ToolCall:
    given = json.dumps({"file_path": f"/p/{path}", "old_string": "a", "new_string": f"b{n}"})
    return ToolCall(id=f"e{path}{n}", name="Edit", input=given, output="", status=ToolStatus.OK)


def work(number: int, demand: str, *answer: ToolCall, project: str = "/p") -> tuple[Episode, ...]:
    """Some work, and then a demand with what the agent did about it."""
    return session(
        number,
        said(f"Add option {number} to the parser", 0),
        reply("Done, all works.", 1, edit("parser.py")),
        said(demand, 2),
        reply("Right.", 3, *answer),
        project=project,
    )


def learn(history: Sequence[tuple[Episode, ...]], floors: LessonFloors | None = None) -> dict[str, Lesson]:
    found = (*of_words([(one, judge(one)) for one in history]), *of_refusals(history))
    projects = {one[0].session: one[0].project for one in history}
    return {one.about: one for one in lessons(found, projects, floors or LessonFloors())}


def test_what_is_said_in_two_sessions_is_a_lesson() -> None:
    """With the command that the agent ran when told, and the person's own words as quotes."""
    history = [
        work(1, "the lint still fails, fix it", shell("npm run lint"), edit("a.py")),
        work(2, "fix lint errors", shell("npm run lint:fix"), shell("npm run lint"), edit("b.py")),
    ]
    found = learn(history)["lint"]
    assert (
        "After the last edit run `npm run lint`, and mend what it reports before you say that the work is done."
        == found.text
    )
    assert ["the lint still fails, fix it", "fix lint errors"] == [quote.text for quote in found.quotes]
    assert (2, 1, 2, "/p", Scope.PROJECT) == (
        len(found.sessions), found.needed_again, found.cost.turns, found.project, found.scope
    )  # fmt: skip


def test_a_lesson_costs_what_its_exchanges_used() -> None:
    """Only tokens that are stated count; where no transcript states any, the cost in tokens is unknown."""
    silent = [work(n, "the lint still fails, fix it", shell("npm run lint")) for n in (1, 2)]
    first, second = silent[0]
    stated = (first, replace(second, tokens=Tokens(input=10, output=5, cache_read=900)))
    costs = [learn(told)["lint"].cost.tokens for told in (silent, [stated, silent[1]])]
    assert [None, 15] == costs


def test_the_persons_words_for_a_rule_are_about_it() -> None:
    """The newest saying that shares a word with the rule, before a newer report of what is wrong."""
    told = ("please fix the lint errors", "the lint still fails, fix it", "eslint fails, fix the errors")
    history = [work(n, text, shell("npm run lint")) for n, text in enumerate(told)]
    found = learn(history)["lint"]
    assert [told[1]] == [wording.text for wording in found.wordings]


def test_once_is_no_lesson() -> None:
    """Nor is twice in one session."""
    once = work(1, "the lint still fails, fix it", shell("npm run lint"))
    assert {} == learn([once])


def test_the_agents_answer_has_to_agree() -> None:
    """Words about tests are no demand for tests where no test was written."""
    history = [work(n, "we need to add the missing test data to the page", edit("page.py", n)) for n in (1, 2)]
    assert "tests with the change" not in learn(history)
    wrote = [work(n, "we need to add the missing tests for it", edit("tests/test_page.py", n)) for n in (1, 2, 3)]
    assert 3 == len(learn(wrote)["tests with the change"].sessions)


def test_asking_for_a_step_needs_more_sessions_than_objecting() -> None:
    """Two plain requests are two requests; from the third session on the step is a habit."""
    history = [work(n, "update the docs", edit("docs/guide.md", n)) for n in (1, 2, 3)]
    found = learn(history)
    assert 3 == len(found["docs with the change"].sessions)
    assert "docs with the change" not in learn(history[:2])


def test_an_approval_teaches_nothing() -> None:
    """Whatever it names."""
    assert {} == learn([work(n, "yes, run the lint", shell("npm run lint")) for n in (1, 2, 3)])


def taken_back(number: int, question: str, words: str, *, back: bool = True, more: str = "") -> tuple[Episode, ...]:
    """A question on which the agent edited, and an objection after which it took the lines out again, or did not."""
    again = {"file_path": "/p/parser.py", "old_string": "retries = 3", "new_string": "pass"}
    undo = ToolCall(id=f"u{number}", name="Edit", input=json.dumps(again), output="", status=ToolStatus.OK)
    given = {"file_path": "/p/parser.py", "old_string": "pass", "new_string": f"retries = 3{more}"}
    wrote = ToolCall(id=f"w{number}", name="Edit", input=json.dumps(given), output="", status=ToolStatus.OK)
    return session(
        number,
        said(question, 0),
        reply("It tries once. I made it three times.", 1, wrote),
        said(words, 2),
        reply("You're right, sorry.", 3, *((undo,) if back else (edit("other.py", number),))),
    )


def test_edits_on_a_question_that_are_taken_back_are_a_lesson_in_any_language() -> None:
    """The words name no rule; the agent's edit, the objection and the way back do."""
    asked = ("how often does the parser retry?", "wie oft versucht es der Parser?")
    words = ("не трогай, я спросил", "du hast das geändert, das war falsch")
    found = learn([taken_back(n, asked[n], words[n]) for n in (0, 1)])
    assert list(words) == [quote.text for quote in found["wait for the word"].quotes]
    kept = learn([taken_back(n, asked[n], words[n], back=False) for n in (0, 1)])
    assert "wait for the word" not in kept
    # One line of three put otherwise is a change of the work, and does not take it back.
    changed = learn([taken_back(n, asked[n], words[n], more="\ndelay = 7.5\nlimit = 200") for n in (0, 1)])
    assert "wait for the word" not in changed


def test_an_answer_to_a_proposal_is_no_objection() -> None:
    """The agent had changed nothing: consent in words that no list holds is not a rule, however often it comes."""
    history = [
        session(
            n,
            said(f"Add option {n} to the parser", 0),
            reply("I would take the parser apart first. Shall I?", 1),
            said("proviamo così", 2),
            reply("Done.", 3, edit("parser.py", n)),
        )
        for n in range(3)
    ]
    assert {} == learn(history)


def test_a_command_that_is_refused_more_often_than_let_pass_is_a_lesson() -> None:
    """With and without words; what was let pass as often is none."""
    slow = shell("make slow", status=ToolStatus.DENIED, feedback="too slow", result_id="r1")
    silent = shell("make slow && make also", status=ToolStatus.DENIED, result_id="r2")
    history = [
        session(1, said("Build it", 0), reply("", 1, slow), reply("Fine.", 2, shell("make also"))),
        session(2, said("Build it", 0), reply("", 1, silent), reply("Fine.", 2, shell("make also"))),
    ]
    found = learn(history)
    assert ["make slow refused"] == list(found)
    assert "Do not run `make slow` unless you are asked to." == found["make slow refused"].text
    assert (SignalKind.CORRECTION, SignalKind.DENIAL) == found["make slow refused"].kinds
    assert [("r1", "too slow"), ("r2", "make slow && make also")] == [
        (quote.turn, quote.text) for quote in found["make slow refused"].quotes
    ]


def test_a_choice_between_two_tools_is_a_lesson_of_its_own() -> None:
    """In either order of words."""
    history = [
        work(1, "no, use pnpm instead of npm", shell("pnpm install")),
        work(2, "instead of npm use pnpm please, that's wrong", shell("pnpm install")),
    ]
    assert "Use pnpm instead of npm." == learn(history)["pnpm not npm"].text


def test_demand_and_refusal_of_one_command_are_a_conflict() -> None:
    """Both name the other; the person has to say which holds."""
    refused = shell("npm run lint", status=ToolStatus.DENIED, result_id="r")
    history = [
        *(work(n, "fix the failing lint", shell("npm run lint")) for n in (1, 2)),
        *(session(n, said("Build", 0), reply("", 1, refused)) for n in (3, 4)),
    ]
    found = conflicts(tuple(learn(history).values()))
    assert [LessonState.CONFLICTING] * 2 == [one.state for one in found]
    assert found[0].id in found[1].why and found[1].id in found[0].why


def test_several_projects_make_it_the_persons_own() -> None:
    """The rule then belongs into the user's file."""
    history = [work(n, "fix the failing lint", shell("npm run lint"), project=f"/p{n}") for n in (1, 2)]
    assert (Scope.USER, "") == (learn(history)["lint"].scope, learn(history)["lint"].project)


@pytest.mark.parametrize(
    ("text", "line"),
    [("# Rules\n\n- Run `npm run lint` before committing.\n", 3), ("- Run `npm run lint:fix` at the end.\n", None)],
)
def test_a_rule_that_is_written_down_is_found(text: str, line: int | None) -> None:
    """By its command, and not by a longer one."""
    found = learn([work(n, "fix the failing lint", shell("npm run lint")) for n in (1, 2)])["lint"]
    there = stated(found, text)
    assert line == (there.number if there is not None else None)


def test_an_id_stays_while_signals_grow() -> None:
    """So that a decision holds."""
    history = [work(n, "fix the failing lint", shell("npm run lint")) for n in (1, 2, 3)]
    assert learn(history[:2])["lint"].id == learn(history)["lint"].id


def test_what_a_fork_repeats_counts_once() -> None:
    """The same words at the same moment are the same turn, in whatever file."""
    first = work(1, "fix the failing lint", shell("npm run lint"))
    copy = session(2, said("Add option 1 to the parser", 0), said("fix the failing lint", 2), said("and more", 9))
    assert [2, 1] == [len(one) for one in originals([first, copy])]
    assert {} == learn(originals([first, copy]))


def test_of_a_long_pasted_text_beginning_and_end_are_read() -> None:
    """What stands in between was written by others; a whole page is not the person's demand at all."""

    def about(words: str) -> bool:
        refused = [
            session(
                n, said("Build", 0), reply("", 1, shell(f"make {n}", status=ToolStatus.DENIED, feedback=f"{words} {n}"))
            )
            for n in (1, 2, 3)
        ]
        return "no duplication" in learn(refused)

    pasted = "The report goes on and on. " * 20
    assert (True, True, False, False) == (
        about("duplicated code"),
        about(f"{pasted} duplicated code"),
        about(f"{pasted} duplicated code {pasted}"),
        about(f"{pasted * 4} duplicated code"),
    )


def history(*sessions: tuple[Episode, ...]) -> History:
    return History(
        sessions=tuple(
            tuple(EpisodeWithAct(episode=e, judged=j, cluster=None) for e, j in zip(one, judge(one), strict=True))
            for one in sessions
        )
    )


def test_a_check_is_held_against_the_whole_history() -> None:
    """Corrected is the exchange before the turn that taught; what the person went on from was let pass."""
    told = [work(n, f"fix the failing lint of {n}", shell("npm run lint"), edit("a.py")) for n in (1, 2)]
    kept = session(
        3,
        said("Add an option", 0),
        reply("Done.", 1, edit("a.py"), shell("npm run lint")),
        said("now add a page", 2),
        reply("Done.", 3, edit("b.py"), shell("npm run lint")),
    )
    found = learn([*told, kept])["lint"]
    (check,) = found.checks
    assert "npm run lint" in check.sentence
    (tried,) = tried_checks(found, history(*told, kept), Floors())
    result = tried.result
    assert isinstance(result, Backtest)
    assert ("applied in 6 episodes, at least 20 needed",) == tried.short_of
    assert (6, 4, 1.0, 0.0) == (
        result.applies, result.broken.value and round(result.broken.value * 6), result.recall.value, result.false_alarms.value
    )  # fmt: skip


def test_a_refused_command_was_corrected_where_it_was_refused() -> None:
    """With words or without: the exchange that called it."""
    silent = shell("make slow", status=ToolStatus.DENIED, result_id="r2")
    told = [
        session(
            n,
            said(f"Build {n}", 0),
            reply("", 1, silent),
            said(f"go on with {n}", 2),
            reply("", 3, shell("make also")),
        )
        for n in (1, 2)
    ]
    found = learn(told)["make slow refused"]
    (tried,) = tried_checks(found, history(*told), Floors())
    result = tried.result
    assert isinstance(result, Backtest)
    assert (1.0, 2) == (result.recall.value, result.recall.of)


def test_a_command_that_mostly_passes_is_no_refusal() -> None:
    """Refused in two sessions, let pass in three: the person minded the moment, not the command."""
    refused = [
        session(n, said("Build", 0), reply("", 1, shell("make all", status=ToolStatus.DENIED, result_id=f"r{n}")))
        for n in (1, 2)
    ]
    passed = [session(n, said("Build", 0), reply("", 1, shell("make all"))) for n in (3, 4, 5)]
    assert ["make all refused"] == list(learn(refused))
    assert {} == learn([*refused, *passed])


def test_what_is_sent_again_in_a_session_counts_once() -> None:
    """The same words twice are one demand, one quote and one turn of cost."""
    words = "the lint still fails, fix it"
    twice = session(
        1,
        said("Add an option", 0),
        reply("Done.", 1, edit("a.py")),
        said(words, 2),
        reply("", 3, shell("npm run lint")),
        said(words, 4),
        reply("", 5, shell("npm run lint")),
    )
    found = learn([twice, work(2, "fix the failing lint", shell("npm run lint"))])["lint"]
    assert ([words, "fix the failing lint"], 2) == ([quote.text for quote in found.quotes], found.cost.turns)


def test_words_put_to_two_agents_at_once_are_said_once() -> None:
    """A long message that is pasted into two sessions is one occasion; a short demand comes twice by itself."""
    at = datetime(2026, 1, 5, 9, tzinfo=UTC)

    def sessions(words: str, later: timedelta) -> int:
        signals = tuple(
            Signal(kind=SignalKind.CORRECTION, session=SessionId(f"s{n}"), turn=f"t{n}", episode=0, at=moment, key="",
                   text=words, turns=1)
            for n, moment in enumerate((at, at + later))
        )  # fmt: skip
        found = Found(key="k", about="a", text="Do.", signals=signals)
        return len(lessons([found], {}, LessonFloors(words=1))[0].sessions)

    long = "put the report into the archive before you go, or none of this will have mattered"
    assert 1 == sessions(long, timedelta(seconds=15))
    assert 2 == sessions(long, timedelta(days=1))
    assert 2 == sessions("now commit", timedelta(seconds=15))


def test_a_failure_and_its_repair_are_one_finding() -> None:
    """The same calls are not told twice, once as what fails and once as what works instead."""

    def lost(n: int) -> tuple[Episode, ...]:
        fails = shell("git add -- '!/a.md'", output="fatal: Invalid path '/!': No such file", status=ToolStatus.ERROR)
        return session(n, said("Commit it", 0), reply("", 1, fails, shell("git add -u")))

    for sessions in (2, 3):
        found = of_calls([episode for n in range(sessions) for episode in lost(n)])
        about = [one for one in found if "Invalid path" in one.text or "git add" in one.text]
        assert 1 == len(about) and "git add -u" in about[0].text
        assert sessions == len({signal.session for signal in about[0].signals})


def test_words_about_tests_need_an_edited_test() -> None:
    """Even when all of three sessions ask for them."""
    history = [work(n, "we need to add the missing tests for it", edit("page.py", n)) for n in (1, 2, 3)]
    assert "tests with the change" not in learn(history)


def test_words_that_no_theme_knows_teach_when_they_come_again() -> None:
    """In any language: the person's own words are the rule. Said once, or in other words, they are none."""
    given = json.dumps({"file_path": "/p/parser.py", "old_string": "b0", "new_string": "a"})
    undone = ToolCall(id="u", name="Edit", input=given, output="", status=ToolStatus.OK)

    def objection(number: int, words: str) -> tuple[Episode, ...]:
        return session(
            number,
            said(f"Add option {number} to the parser", 0),
            reply("Done, all works.", 1, edit("parser.py")),
            said(words, 2),
            reply("You're right, I should not have done that.", 3, undone),
        )

    history = [
        objection(1, "không, hãy giữ nguyên tên cột!!"),
        objection(2, "không! hãy giữ nguyên tên cột"),
        objection(3, "không, màu này xấu quá, thử màu xanh đi"),
    ]
    found = [lesson for lesson in learn(history).values() if lesson.text.startswith("Keep to this from the start")]
    assert ["Keep to this from the start: “không! hãy giữ nguyên tên cột”"] == [lesson.text for lesson in found]
    assert (2, 2) == (len(found[0].sessions), len(found[0].quotes))


def test_advice_that_fits_every_project_needs_three_sessions() -> None:
    """Two objections may be chance; a rule with a command or a step of its own needs two."""
    objections = [
        work(n, words, edit("parser.py", n))
        for n, words in enumerate(("no, duplicated code!", "wrong, duplicate code", "no, that is copy paste"), 1)
    ]
    assert "no duplication" not in learn(objections[:2])
    assert 3 == len(learn(objections)["no duplication"].sessions)


def two_linters(*, second: str = "ruff check", sessions: int = 2) -> list[tuple[Episode, ...]]:
    """One project whose linter is run by npm, and another one."""
    words = "the lint still fails, fix it"
    app = [work(n, words, shell("npm run lint"), project="/app") for n in range(3)]
    return app + [work(10 + n, words, shell(second), project="/tool") for n in range(sessions)]


def test_a_rule_that_means_another_command_in_each_project_is_split() -> None:
    """Each part has its own command and project and names the lesson that it was a part of."""
    history = two_linters()
    found = of_lint(history)
    parts = {one.demands: one for one in found if one.state is LessonState.NEW}
    (whole,) = (one for one in found if one.state is LessonState.SPLIT)
    assert {("npm run lint", "/app", 3), ("ruff check", "/tool", 2)} == {
        (one.demands, one.project, len(one.sessions)) for one in parts.values()
    }
    assert all(one.parent == whole.id != one.id for one in parts.values())
    assert all(f"`{command}`" in one.text for command, one in parts.items())
    assert all(one.id[:6] in whole.why for one in parts.values())


@pytest.mark.parametrize("history", [two_linters(second="npm run lint"), two_linters(sessions=1)])
def test_a_rule_with_one_command_or_a_part_too_small_stays_whole(history: list[tuple[Episode, ...]]) -> None:
    """No session is lost: a part that is no lesson by itself stays with the others."""
    found = of_lint(history)
    assert [(LessonState.NEW, "", len(history))] == [(one.state, one.parent, len(one.sessions)) for one in found]


def test_a_split_rule_is_in_conflict_by_its_parts_only() -> None:
    """The refusal of one project's command speaks against that part, whatever the order."""
    history = two_linters()
    line = shell("npm run lint", status=ToolStatus.DENIED)
    refusals = [session(20 + n, said("go", 0), reply("", 1, line)) for n in range(5)]
    told = [*history, *refusals]
    found = (*of_words([(one, judge(one)) for one in told]), *of_refusals(refusals))
    made = lessons(found, folders(told), LessonFloors())
    for order in (made, made[::-1]):
        marked = [one for one in conflicts(order) if one.state is LessonState.CONFLICTING]
        (part,) = (one for one in marked if one.demands)
        (refused,) = (one for one in marked if one.forbids)
        assert ("npm run lint", True) == (part.demands, refused.why.startswith(part.id))


def folders(history: Sequence[tuple[Episode, ...]]) -> dict[SessionId, str]:
    return {one[0].session: one[0].project for one in history}


def of_lint(history: Sequence[tuple[Episode, ...]]) -> list[Lesson]:
    found = lessons(of_words([(one, judge(one)) for one in history]), folders(history), LessonFloors())
    return [one for one in found if one.about == "lint"]
