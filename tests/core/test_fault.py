"""What went wrong in a call has a name that stays the same from day to day."""

from __future__ import annotations

import pytest

from harvesters.records import ToolStatus
from sleepd.core.episode import Call
from sleepd.core.fault import FaultKind, failures, faults
from tests.exchanges import edit, exchange, refused, shell

GO = "pkg/a.go:12:5: string `on` has 3 occurrences, make it a constant (goconst)\n\tx := `on`\n\t     ^\n1 issues:\n* goconst: 1"
GOSEC = "[lint:go] main.go:19:13: G304: Potential file inclusion via variable (gosec)\n[lint:go] ERROR task failed"
TYPESCRIPT = "src/a.ts(12,5): error TS2345: Argument of type 'string' is not assignable to parameter of type 'number'."
PRETTY_TYPESCRIPT = "src/a.ts:12:5 - error TS2322: Type 'string' is not assignable to type 'number'."
ESLINT = "/home/x/src/a.ts\n  12:5  error  Unexpected any. Specify a different type  @typescript-eslint/no-explicit-any\n\n✖ 1 problem"
RUFF = "src/a.py:1:121: E501 Line too long (130 > 120)\nFound 1 error."
NEW_RUFF = "F401 [*] `os` imported but unused\n --> src/a.py:1:8\n  |\nFound 1 error."
PYLINT = "src/a.py:3:0: C0116: Missing function or method docstring (missing-function-docstring)"
MYPY = 'src/a.py:12: error: Incompatible return value type (got "str", expected "int")  [return-value]\nFound 1 error'
PYRIGHT = '  /x/a.py:12:5 - error: "x" is possibly unbound (reportPossiblyUnbound)'
RUST = "error[E0502]: cannot borrow `x` as mutable because it is also borrowed as immutable\n --> src/a.rs:4:5"
CLIPPY = "error: unneeded `return` statement\n  = note: `-D clippy::needless-return` implied by\n  = help: for more visit https://x/rust-clippy/master/index.html#needless_return"
RUBOCOP = "app/a.rb:3:1: C: [Correctable] Style/StringLiterals: Prefer single-quoted strings"
CHECKSTYLE = "[ERROR] src/A.java:12:5: Line is longer than 100 characters (found 130). [LineLength]"
SHELLCHECK = "In a.sh line 3:\necho $x\n     ^-- SC2086 (info): Double quote to prevent globbing and word splitting."
CSHARP = "Program.cs(3,5): error CS8600: Converting null literal or possible null value to non-nullable type."
MARKDOWN = "docs/a.md:3:121 MD013/line-length Line length [Expected: 120; Actual: 140]"


class TestRules:
    @pytest.mark.parametrize(
        ("line", "output", "name"),
        [
            ("golangci-lint run ./...", GO, "goconst"),
            ("mise run lint", GOSEC, "gosec: G304"),
            ("npx tsc --noEmit", TYPESCRIPT, "TS2345"),
            ("npm run typecheck", PRETTY_TYPESCRIPT, "TS2322"),
            ("npx eslint .", ESLINT, "@typescript-eslint/no-explicit-any"),
            ("ruff check", RUFF, "E501"),
            ("uv run ruff check src", NEW_RUFF, "F401"),
            ("pylint src", PYLINT, "C0116"),
            ("mypy src", MYPY, "return-value"),
            ("pyright", PYRIGHT, "reportPossiblyUnbound"),
            ("cargo build", RUST, "E0502"),
            ("cargo clippy -- -D warnings", CLIPPY, "clippy::needless_return"),
            ("bundle exec rubocop", RUBOCOP, "Style/StringLiterals"),
            ("./gradlew checkstyleMain", CHECKSTYLE, "LineLength"),
            ("shellcheck a.sh", SHELLCHECK, "SC2086"),
            ("dotnet build", CSHARP, "CS8600"),
            ("npx markdownlint docs", MARKDOWN, "MD013"),
        ],
    )
    def test_the_rule_of_a_linter_or_compiler_is_the_name(self, line: str, output: str, name: str) -> None:
        """In every language the tool says which rule was broken."""
        found = faults(shell(line, output, code=1))
        assert (FaultKind.RULE, name) == (found[0].kind, found[0].name[: len(name)])

    def test_each_rule_of_a_call_is_a_fault_of_its_own(self) -> None:
        """Two rules are two lessons, one rule twice is one."""
        output = f"{RUFF}\nsrc/b.py:2:121: E501 Line too long\nsrc/b.py:9:1: B008 Do not call functions in defaults"
        assert ["E501", "B008"] == [fault.name for fault in faults(shell("ruff check", output, code=1))]

    def test_files_that_are_not_formatted_are_a_fault_of_the_formatter(self) -> None:
        """Formatters name no rule."""
        (fault,) = faults(shell("black --check .", "would reformat src/a.py\n1 file would be reformatted", code=1))
        assert ("not formatted", "black") == (fault.name, fault.command.name if fault.command else None)

    @pytest.mark.parametrize(
        "output", ["a.go:3:2: undefined: x (typecheck)", "src/a.ts(1,2): error TS2304: Cannot find name 'x'."]
    )
    def test_code_that_does_not_compile_yet_teaches_nothing(self, output: str) -> None:
        """Names that do not exist yet are work in progress."""
        assert [FaultKind.WORK] == [fault.kind for fault in faults(shell("make lint", output, code=1))]


class TestUsage:
    @pytest.mark.parametrize(
        ("line", "output", "name"),
        [
            (
                "golangci-lint run -E wsl",
                "Error: unknown linters: 'wsl', run 'golangci-lint help linters' to see",
                "unknown linters: 'wsl'",
            ),
            ("golangci-lint run --disable-all", "Error: unknown flag: --disable-all", "unknown flag: --disable-all"),
            (
                "pytest -n 4",
                "ERROR: usage: pytest [options]\npytest: error: unrecognized arguments: -n",
                "unknown arguments: -n",
            ),
            ("cargo nextest", "error: no such command: `nextest`", "unknown command: `nextest`"),
            ("cargo test --foo", "error: unexpected argument '--foo' found", "unknown argument '--foo'"),
            (
                "pnpm vitest run --foo",
                "CACError: Unknown option `--foo`\n    at checkUnknownOptions",
                "unknown option `--foo`",
            ),
            ("go test -foo", "flag provided but not defined: -foo", "unknown -foo"),
            ("timeout 5 npm test", "zsh: command not found: timeout", "command not found: timeout"),
            ("staticcheck ./...", "bash: line 1: staticcheck: command not found", "command not found: staticcheck"),
            ("npm run lnt", 'npm error Missing script: "lnt"', "no task lnt"),
            ("make tst", "make: *** No rule to make target 'tst'.  Stop.", "no task tst"),
            ("mise run x", "mise ERROR no task x found", "no task x"),
            ("git psuh", "git: 'psuh' is not a git command. See 'git --help'.", "psuh is no command"),
            ("ls *.foo", "zsh: no matches found: *.foo", "shell: no matches found"),
            (
                "python a.py",
                "Traceback (most recent call last):\nModuleNotFoundError: No module named 'yaml'",
                "module not found: yaml",
            ),
            ("git push", "To host:x\n ! [rejected]        main -> main (non-fast-forward)", "push rejected"),
            ("gh pr list --json foo && gh pr merge 3", 'Unknown JSON field: "foo"', "unknown JSON field"),
        ],
    )
    def test_a_wrong_call_is_named_by_what_was_refused(self, line: str, output: str, name: str) -> None:
        """Flags, commands, tasks and modules keep their names: the lesson is about them."""
        (fault,) = faults(shell(line, output, code=2))
        assert (FaultKind.USAGE, name) == (fault.kind, fault.name[: len(name)])

    def test_paths_and_numbers_of_other_errors_are_reduced(self) -> None:
        """The same error about another file is the same error."""
        one, other = (
            faults(
                shell("git merge x", f"error: cannot lock ref 'refs/heads/{name}': exists; cannot create {n}", code=1)
            )[0]
            for name, n in (("a/b", 12), ("c/d/e", 7))
        )
        assert (FaultKind.ERROR, other.name) == (one.kind, one.name)

    def test_a_call_of_a_server_fails_under_the_name_of_the_tool(self) -> None:
        """Tools of servers have arguments that can be wrong, too."""
        call = Call(
            turn="r", id="c", tool="mcp__board__list", command=None, input="{}", output="project_id is required",
            status=ToolStatus.ERROR, exit_code=None, denial=None, edits=(), paths=(), duration_ms=None,
        )  # fmt: skip
        assert ["mcp__board__list: project_id is required"] == [fault.name for fault in faults(call)]


class TestMasked:
    @pytest.mark.parametrize(
        "line", ["golangci-lint run ./... | tail -5", "golangci-lint run || true", "golangci-lint run; echo x"]
    )
    def test_a_hidden_failure_is_seen_in_the_output(self, line: str) -> None:
        """A third of real failures end with status 0 because of a pipe."""
        assert ["goconst"] == [fault.name for fault in faults(shell(line, GO))]

    def test_the_prefix_of_a_task_runner_does_not_hide_it(self) -> None:
        """`[name] ` and `pkg:test: ` stand in front of each line."""
        for prefix in ("[deploy] ", "web:test: "):
            (fault,) = faults(
                shell("make deploy | tail -3", f"{prefix}starting\n{prefix}error: no such option: --fast")
            )
            assert "unknown option: --fast" == fault.name

    def test_the_ends_of_a_long_output_are_read(self) -> None:
        """The middle of a log of a megabyte is left out."""
        filler = "ok  pkg\n" * 100_000
        assert ["goconst"] == [fault.name for fault in faults(shell("make lint | tee log", f"{filler}{GO}"))]
        assert [] == [f for f in faults(shell("make lint | tee log", f"{filler}{GO}\n{filler}")) if f.name == "goconst"]

    @pytest.mark.parametrize(
        ("line", "output"),
        [
            ("golangci-lint run ./...", GO),
            ("cat lint.log | head", GO),
            ("git show HEAD | head -50", "error: this line stands in a commit message"),
            ("gh run view 3 --log | tail", "##[error] FAIL src/a.test.ts\nerror: it broke"),
            ("npm test | tail -3", "Tests: 12 passed\n  handles an error: fine"),
            ("npm run dev | head", "2026-03-02 12:00:00 error: cannot connect"),
        ],
    )
    def test_what_only_speaks_of_errors_is_no_failure(self, line: str, output: str) -> None:
        """Not hidden, only read, or a log of the application."""
        assert () == faults(shell(line, output))


class TestNoLesson:
    @pytest.mark.parametrize(
        "output",
        [
            "<tool_use_error>String to replace not found in file.</tool_use_error>",
            "<tool_use_error>Sibling tool call errored</tool_use_error>",
            "File content (26800 tokens) exceeds maximum allowed tokens (25000)",
            "Command timed out after 2m 0s",
            "[Request interrupted by user for tool use]",
            "Exit code 1",
            "",
        ],
    )
    def test_the_harness_s_own_errors_are_none(self, output: str) -> None:
        """They say nothing about the person's tools."""
        assert () == faults(shell("npm test", output, code=1))

    @pytest.mark.parametrize("line", ["grep -r foo src", "diff a b", "gh pr checks", "ls missing", "cat missing.txt"])
    def test_an_answer_with_status_1_is_none(self, line: str) -> None:
        """To find nothing, or a difference, is an answer."""
        assert () == faults(shell(line, "error: nothing here", code=1))

    def test_a_refused_call_did_not_fail(self) -> None:
        """The person stopped it."""
        assert () == faults(refused("npm test"))

    def test_a_failing_test_is_work_in_progress(self) -> None:
        """It is a failure, but none that recurs under a name."""
        call = shell("go test ./...", "--- FAIL: TestA (0.00s)\n    a_test.go:3: got 1, want 2\nFAIL", code=1)
        assert ([FaultKind.WORK], ()) == ([f.kind for f in faults(call)], failures([exchange("go on", call)]))


class TestFailures:
    def test_a_failure_says_which_call_and_what_it_cost(self) -> None:
        """Everything up to the call that works is the price."""
        calls = (shell("make lint | tail", GO), edit("a.go"), shell("make lint", "ok"))
        (signal,) = failures([exchange("add it", *calls, session=4, number=2)])
        assert ("goconst", "session-4", 2, 2, 0.5) == (
            signal.key,
            signal.session,
            signal.episode,
            signal.calls,
            signal.minutes,
        )
        assert signal.text.startswith("make lint | tail → string `on` has 3 occurrences")

    def test_a_usage_error_is_kept_apart_for_each_program(self) -> None:
        """`-n` is unknown to pytest, not to everything."""
        (signal,) = failures(
            [exchange("run", shell("uv run pytest -n 4", "pytest: error: unrecognized arguments: -n", code=4))]
        )
        assert "uv run pytest: unknown arguments: -n" == signal.key
