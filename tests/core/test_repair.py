"""A failed call and the similar call that worked, with nothing edited between the two."""

from __future__ import annotations

import pytest

from sleepd.core.episode import Call
from sleepd.core.repair import repairs
from tests.exchanges import edit, exchange, refused, shell

UNKNOWN = "Error: unknown flag: --disable-all"


def found(*calls: Call) -> list[tuple[str, str]]:
    """Key and remedy of each repair in one exchange."""
    return [(signal.key, signal.remedy) for signal in repairs([exchange("do it", *calls)])]


class TestTheCallWasChanged:
    def test_a_wrapper_is_left_out(self) -> None:
        """The narrowest form that failed is the wrapper with the word behind it."""
        calls = (shell("rtk bun run lint", "rtk: error: cannot parse", code=1), shell("bun run lint", "ok"))
        assert ("rtk bun", "bun") == (found(*calls)[0][0].partition(" [")[0], found(*calls)[0][1])

    def test_a_masked_failure_counts(self) -> None:
        """The pipe hid the status of the first call."""
        calls = (
            shell("rtk bun run test | tail -5", "error: unknown command: bun"),
            shell("bun run test | tail -5", "5 passed"),
        )
        assert [("rtk bun", "bun")] == [(key.partition(" [")[0], remedy) for key, remedy in found(*calls)]

    def test_a_program_that_is_not_found_is_started_by_another_one(self) -> None:
        """`python3` instead of `python`, `mise exec --` in front."""
        missing = shell("golangci-lint run ./...", "zsh: command not found: golangci-lint", code=127)
        works = shell("mise exec -- golangci-lint run ./...", "ok")
        assert [("golangci-lint [command not found: golangci-lint]", "mise exec -- golangci-lint")] == found(
            missing, works
        )
        missing = shell("python tools/a.py", "zsh: command not found: python", code=127)
        assert [("python [command not found: python]", "python3")] == found(missing, shell("python3 tools/a.py", "ok"))

    def test_a_module_that_is_missing_is_found_by_another_interpreter(self) -> None:
        """The path of the program is what changed."""
        calls = (
            shell("python -m pytest tests", "/usr/bin/python: No module named pytest", code=1),
            shell(".venv/bin/python -m pytest tests", "3 passed"),
        )
        assert [("python -m [module not found: pytest]", ".venv/bin/python -m")] == found(*calls)

    def test_a_refused_flag_is_dropped(self) -> None:
        """The flag is blamed, not the program."""
        calls = (
            shell("golangci-lint run --disable-all ./a", UNKNOWN, code=3),
            shell("golangci-lint run --no-config ./a"),
        )
        assert [
            ("golangci-lint run --disable-all [unknown flag: --disable-all]", "golangci-lint run --no-config")
        ] == found(*calls)

    def test_a_flag_that_was_missing_is_added(self) -> None:
        """The branch differs each time, the error does not."""
        error = "fatal: The current branch {} has no upstream branch."
        once, again = (
            found(shell("git push", error.format(name), code=128), shell(f"git push -u origin {name}"))
            for name in ("parser", "fix/lexer")
        )
        assert once == again
        assert [("git push [fatal: The current branch NAME has no upstream branch.]", "git push -u")] == once

    def test_a_linter_that_reports_was_called_rightly(self) -> None:
        """Its findings are about the code, no longer about the call."""
        report = "a.go:3:2: Error return value is not checked (errcheck)"
        calls = (
            shell("golangci-lint run --disable-all ./a", UNKNOWN, code=3),
            shell("golangci-lint run ./a", report, code=1),
        )
        assert ["golangci-lint run --disable-all [unknown flag: --disable-all]"] == [key for key, _ in found(*calls)]

    def test_a_linter_repairs_what_it_finds(self) -> None:
        """`lint:fix` after `lint`, `--fix` after none."""
        report = "src/a.ts:3:2: error: bad [rule-a]"
        assert [("bun run lint", "bun run lint:fix")] == found(
            shell("bun run lint", report, code=1), shell("bun run lint:fix")
        )
        assert [("eslint PATH", "eslint --fix PATH")] == found(
            shell("eslint src/", report, code=1), shell("eslint --fix src/")
        )

    def test_another_task_is_the_right_one(self) -> None:
        """A task of that name does not exist."""
        calls = (shell("npm run lnt", 'npm error Missing script: "lnt"', code=1), shell("npm run lint"))
        assert [] == found(*calls)
        calls = (shell("npm run test:unit", 'npm error Missing script: "test:unit"', code=1), shell("npm run test"))
        assert [("npm run test:unit [no task test:unit]", "npm run test")] == found(*calls)

    def test_a_task_that_repairs_is_found_behind_a_wrapper(self) -> None:
        """The wrapper is another matter."""
        calls = (shell("rtk bun run lint", "src/a.ts:3:2: error: bad [rule-a]", code=1), shell("bun run lint:fix"))
        assert [("bun run lint", "bun run lint:fix")] == found(*calls)

    def test_the_same_call_in_another_folder(self) -> None:
        """The error says that the folder was wrong."""
        calls = (
            shell("npm test", "npm error enoent ENOENT: open '/x/package.json'", code=1),
            shell("cd web && npm test"),
        )
        assert [("npm test [package.json is not in this folder]", "cd web && npm test")] == found(*calls)

    def test_a_reading_call_with_an_unknown_field_is_repaired(self) -> None:
        """Its errors count where they are about the call."""
        failed = shell("gh pr view 3 --json sha --jq .sha", 'Unknown JSON field: "sha"', code=1)
        works = shell("gh pr view 3 --json headRefOid")
        assert [('gh pr view [unknown JSON field: "sha"]', "gh pr view NUMBER --json headRefOid")] == found(
            failed, works
        )


class TestTheSameCallWorksLater:
    def test_the_command_between_is_the_remedy(self) -> None:
        """Kept apart from changed calls by its key."""
        calls = (
            shell("npm test", "Error: Cannot find module 'zod'", code=1),
            shell("ls node_modules", "No such file", code=1),
            shell("npm install", "added 120 packages"),
            shell("npm test", "12 passed"),
        )
        assert [("npm test [module not found: zod] after", "npm install")] == found(*calls)

    def test_a_push_works_after_a_pull(self) -> None:
        """Both in one line or in two."""
        rejected = shell("git push", " ! [rejected] main -> main (fetch first)", code=1)
        assert [("git push [push rejected] after", "git pull")] == found(
            rejected, shell("git pull --rebase && git push")
        )

    def test_what_works_on_the_second_try_teaches_nothing(self) -> None:
        """Nothing that could be the reason ran in between."""
        calls = (shell("npm test", "FAIL a.test.ts", code=1), shell("git add a.ts"), shell("npm test", "12 passed"))
        assert [] == found(*calls)


class TestNoRepair:
    @pytest.mark.parametrize(
        "between",
        [
            edit("src/a.ts"),
            shell("sed -i s/a/b/ src/a.ts"),
            shell("git checkout -- src/a.ts"),
            shell("cat > src/a.ts <<'EOF'\nx\nEOF"),
            shell("python3 - <<'EOF'\nopen('a','w')\nEOF"),
        ],
    )
    def test_an_edit_ends_the_search(self, between: Call) -> None:
        """What was edited explains why the call works."""
        failed = shell("rtk bun run lint", "error: unknown command: bun", code=1)
        assert [] == found(failed, between, shell("bun run lint"))
        assert 1 == len(found(failed, shell("bun run lint")))

    def test_fewer_tests_are_no_repair_of_failing_tests(self) -> None:
        """The call was right: the code was wrong."""
        failed = shell("go test ./...", "--- FAIL: TestA\nFAIL", code=1)
        assert [] == found(failed, shell("go test ./other", "ok"))

    def test_another_call_that_fails_as_well_is_none(self) -> None:
        """Also when a pipe hides that it failed."""
        failed = shell("rtk bun run lint", "error: unknown command: bun", code=1)
        assert [] == found(failed, shell("bun run lint | tail", "error: script not found"))

    def test_a_refused_call_repairs_nothing_and_needs_no_repair(self) -> None:
        """It did not run."""
        failed = shell("rtk bun run lint", "error: unknown command: bun", code=1)
        assert [] == found(failed, refused("bun run lint"))
        assert [] == found(refused("rtk bun run lint"), shell("bun run lint"))

    def test_a_way_around_a_check_is_none(self) -> None:
        """The hook was right."""
        failed = shell("git commit -m x", "error: hook declined to update", code=1)
        assert [] == found(failed, shell("git commit --no-verify -m x"))
        assert [] == found(failed, shell("sudo git commit -m x"))

    def test_another_exchange_is_another_matter(self) -> None:
        """The person spoke in between."""
        failed = exchange("lint", shell("rtk bun run lint", "error: unknown command: bun", code=1))
        assert () == repairs([failed, exchange("again", shell("bun run lint"), number=1)])


def test_a_repair_says_what_the_detour_cost() -> None:
    """Calls and minutes from the failed call up to the one that works."""
    calls = (
        shell("rtk bun run lint", "error: unknown command: bun", code=1),
        shell("rtk --help", "usage"),
        shell("bun run lint"),
    )
    (signal,) = repairs([exchange("lint", *calls, session=3)])
    assert (2, 1.0, "session-3") == (signal.calls, signal.minutes, signal.session)
    assert "rtk bun run lint → error: unknown command: bun" == signal.text
