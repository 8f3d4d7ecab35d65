"""What recurs is said in one sentence that states the lesson."""

from __future__ import annotations

from collections.abc import Sequence

from sleepd.core.episode import Call, Episode, Source
from sleepd.core.fault import failures
from sleepd.core.follow_up import follow_ups
from sleepd.core.recurrence import (
    Recurrence,
    recurring_failures,
    recurring_follow_ups,
    recurring_repairs,
)
from sleepd.core.repair import repairs
from tests.exchanges import edit, exchange, in_sessions, refused, shell

GOCONST = "a.go:12:5: string `on` has 3 occurrences, make it a constant (goconst)"
NO_WSL = "Error: unknown linters: 'wsl', run 'golangci-lint help linters' to see the list"
WORK = (edit("src/a.go"), shell("go build ./..."))


def of_repairs(episodes: Sequence[Episode], sessions: int = 2) -> list[str]:
    return [f"{each.rule} ({each.seen})" for each in recurring_repairs(repairs(episodes), episodes, sessions=sessions)]


class TestFailures:
    def test_a_broken_rule_names_its_check_and_takes_over_no_message(self) -> None:
        """The message is a tool's words: it is shown beside the rule. Three sessions by default, and their cost."""
        found = [
            exchange(
                "go", shell("make lint | tail", GOCONST.replace("`on`", word)), shell("make lint", "ok"), session=n
            )
            for n, word in enumerate(("`on`", "`off`", "`left`"))
        ]
        (each,) = recurring_failures(failures(found))
        assert (
            "Make a constant of a string that stands in three places; use the constant where there is one. "
            "`make lint` stops at this (goconst)."
        ) == each.rule
        assert "in 3 sessions, for example: string `on` has 3 occurrences, make it a constant" == each.seen
        assert (3, 3, 3, 1.5) == (len(each.sessions), each.occurrences, each.calls, each.minutes)
        assert (found[0].at, found[2].at) == (each.first, each.last)
        assert () == recurring_failures(failures(found[:2]))

    def test_a_finding_that_nobody_mended_is_no_new_mistake(self) -> None:
        """The same message in three sessions is one finding of code that was there."""
        assert () == recurring_failures(failures(in_sessions(3, shell("make lint", GOCONST, code=1))))

    def test_a_rule_that_is_not_known_is_named(self) -> None:
        """Its meaning is in the message, which is shown beside it."""
        odd = "a.go:12:5: do not call the clock here, take it as an argument (nowallclock)"
        found = [
            exchange("go", shell("make lint", odd.replace("the clock", f"the {name}"), code=1), session=n)
            for n, name in enumerate(("clock", "calendar", "stopwatch"))
        ]
        (each,) = recurring_failures(failures(found))
        assert "Write code so that `make lint` does not stop at its rule `nowallclock`." == each.rule
        assert each.seen.endswith("for example: do not call the clock here, take it as an argument")

    def test_a_wrong_call_is_told_with_its_way_out(self) -> None:
        """The way out is what repaired it most often."""
        found = in_sessions(
            3, shell("golangci-lint run -E wsl", NO_WSL, code=3), shell("golangci-lint run --default all", "ok")
        )
        (each,) = recurring_failures(failures(found), repaired=repairs(found))
        assert (
            "`golangci-lint run` fails with `unknown linters: 'wsl'`; use `golangci-lint run --default all`."
            == each.rule
        )

    def test_a_program_that_is_missing_is_told_once_for_all_its_uses(self) -> None:
        """Whatever it should have run."""
        missing = "zsh: command not found: timeout"
        found = [
            exchange("go", shell(line, missing, code=127), session=n)
            for n, line in enumerate(["timeout 5 npm test", "timeout 9 go test ./...", "timeout 1 make x"])
        ]
        (each,) = recurring_failures(failures(found))
        assert "`timeout` is not found when it is called by this name: do not call it." == each.rule


class TestRepairs:
    def test_the_rule_is_as_narrow_as_what_was_seen(self) -> None:
        """The wrapper works with another program: only the failing form is named."""
        broken = shell("rtk bun run lint | tail", "error: it broke")
        calls: tuple[Call, ...] = (shell("rtk git status"), shell("rtk git commit -m x"), broken, shell("bun run lint"))
        assert [
            "`rtk bun` fails; use `bun` instead. Keep `rtk` for other commands. "
            "(3 times in 3 sessions; `rtk bun` worked 0 of 3 times, other commands of `rtk` 6 of 6 times)"
        ] == of_repairs(in_sessions(3, *calls))

    def test_a_form_that_mostly_works_is_not_blamed(self) -> None:
        """A call that failed twice of twelve times was unlucky."""
        failing = in_sessions(2, shell("rtk bun run lint", "it broke", code=1), shell("bun run lint"))
        working = [exchange("go", shell("rtk bun run lint"), session=9, number=n) for n in range(10)]
        assert [] == of_repairs([*failing, *working])
        assert 1 == len(of_repairs(failing))

    def test_one_remedy_must_have_served_twice(self) -> None:
        """Two sessions with two ways out show no rule."""
        failed = shell("golangci-lint run -E wsl", NO_WSL, code=3)
        one, other = shell("golangci-lint run --fast"), shell("golangci-lint run --default all")
        assert [] == of_repairs([exchange("go", failed, one), exchange("go", failed, other, session=1)])
        assert 1 == len(of_repairs([exchange("go", failed, one), exchange("go", failed, one, session=1)]))

    def test_the_command_that_has_to_run_before_is_named(self) -> None:
        """The call itself was right."""
        calls = (
            shell("npm test", "Error: Cannot find module 'zod'", code=1),
            shell("npm install"),
            shell("npm test", "12 passed"),
        )
        assert [
            "When `npm test` fails with `module not found: zod`, run `npm install` and call it again; "
            "better, run `npm install` first. (2 times in 2 sessions)"
        ] == of_repairs(in_sessions(2, *calls))

    def test_a_check_that_repairs_is_preferred(self) -> None:
        """Even where the plain check sometimes passes."""
        calls = (shell("bun run lint", "src/a.ts:3:2: error: bad [rule-a]", code=1), shell("bun run lint:fix"))
        passing = [exchange("go", shell("bun run lint"), session=9, number=n) for n in range(10)]
        assert [
            "`bun run lint` fails on what `bun run lint:fix` repairs by itself: run `bun run lint:fix`. "
            "(2 times in 2 sessions)"
        ] == of_repairs([*in_sessions(2, *calls), *passing])


class TestFollowUps:
    def of(self, text: str, *calls: Call, more: Sequence[Episode] = (), count: int = 3) -> Recurrence:
        """The finding of so many sessions in which work was followed by a request."""
        episodes = [
            *(
                e
                for n in range(count)
                for e in (exchange("build it", *WORK, session=n), exchange(text, *calls, session=n, number=1))
            ),
            *more,
        ]
        (each,) = recurring_follow_ups(follow_ups(episodes), episodes)
        return each

    def test_what_is_published_is_offered(self) -> None:
        """In the fourth session the person went on without a commit."""
        each = self.of("commit", shell("git commit -am x"), more=[exchange("build it", *WORK, session=7)])
        assert (
            "After finished work that edits files, offer to commit, with the message that you would give it. (you asked "
            "for it in 3 of 4 sessions with finished work, after 3 of 4 exchanges with edits that ended without it)"
        ) == f"{each.rule} ({each.seen})"
        assert 3 == each.turns

    def test_what_was_always_asked_for_is_done(self) -> None:
        """Each exchange with edits was followed by the request, and it was never refused."""
        each = self.of("commit", shell("git commit -am x"))
        assert "After finished work that edits files, commit." == each.rule
        assert each.seen.startswith("you asked for it in 3 of 3 sessions")

    def test_a_check_is_run_and_not_offered(self) -> None:
        """It changes nothing that a person would miss."""
        each = self.of("run the tests", shell("mise run test:ci"))
        assert each.rule.startswith(
            "After finished work that edits files, run `mise run test:ci` and put right what it finds, before you say"
        )

    def test_what_was_asked_for_seldom_is_no_habit(self) -> None:
        """Three of forty exchanges, in three of forty sessions: it was wanted there."""
        more = [exchange("build it", *WORK, session=n) for n in range(10, 47)]
        work = [exchange("build it", *WORK, session=n) for n in range(3)]
        asked = [exchange("commit", shell("git commit -am x"), session=n, number=1) for n in range(3)]
        episodes = [e for pair in zip(work, asked, strict=True) for e in pair]
        assert 1 == len(recurring_follow_ups(follow_ups(episodes), episodes))
        everything = [*episodes, *more]
        assert () == recurring_follow_ups(follow_ups(everything), everything)

    def test_a_refusal_makes_it_an_offer(self) -> None:
        """Once is enough."""
        each = self.of("run the tests", shell("make test"), more=[exchange("go", refused("make test"), session=8)])
        assert "After finished work that edits files, offer to run `make test`." == each.rule
        assert each.seen.endswith(", and refused it 1 time")

    def test_a_command_of_the_person_s_own_is_named(self) -> None:
        """The command says what is to be done."""
        episodes = [
            each
            for n in range(3)
            for each in (
                exchange("build it", *WORK, session=n),
                exchange("/ship", shell("make ship"), session=n, number=1, source=Source.COMMAND),
            )
        ]
        (each,) = recurring_follow_ups(follow_ups(episodes), episodes)
        assert "After finished work that edits files, do what `/ship` asks for." == each.rule

    def test_tests_belong_to_the_same_exchange(self) -> None:
        """They were asked for after the code."""
        each = self.of("add tests", edit("src/a_test.go", added=9, removed=0))
        assert each.rule.startswith(
            "After work that changes code, add tests for it in the same exchange, without being"
        )
