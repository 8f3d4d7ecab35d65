"""A line given to a shell is read as a person sees it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sleepd.core.command import check, commands


class TestKernels:
    @pytest.mark.parametrize(
        ("line", "kernels"),
        [
            ('git commit -m "say more"', ["git commit -m TEXT"]),
            ("mise run test:ci", ["mise run test:ci"]),
            ("go test ./pkg/...", ["go test PATH"]),
            ("cd web && FOO=1 npx eslint src/a.ts --fix 2>&1 | tail -5", ["npx eslint --fix PATH"]),
            ("git -C /some/where commit -m x && git push", ["git commit -m", "git push"]),
            ("rtk bun run lint | head -20", ["rtk bun run lint"]),
            ("uv run --with rich pytest tests/test_a.py -k slow", ["uv run pytest -k PATH"]),
            ("python -m pytest -q", ["python -m pytest -q"]),
            ("timeout 60 cargo test --lib", ["timeout cargo test --lib"]),
            ("mise exec -- golangci-lint run ./...", ["mise exec golangci-lint run PATH"]),
            ("gh pr create --title x --body 'two words'", ["gh pr create --title --body TEXT"]),
            ("make -C sub test-unit", ["make test-unit"]),
            ("yarn lint", ["yarn lint"]),
            ("npm ci", ["npm ci"]),
            ("git checkout 1a2b3c4d", ["git checkout SHA"]),
            ("curl https://example.org/x", ["curl URL"]),
            ("echo start; sleep 5; export A=b", []),
            ("for f in *.py; do black $f; done", ["black TEXT"]),
            ("python3 - <<'EOF'\nprint('a && b | c')\nEOF", ["python3"]),
            (
                'git commit -m "$(cat <<\'EOF\'\nIt\'s "quoted" (once\n\nMore\nEOF\n)" && git push',
                ["git commit -m TEXT", "git push"],
            ),
            ("bash -lc 'cd x && npm run build'", ["npm run build"]),
            ("./gradlew :app:test --info", ["./gradlew :app:test --info"]),
        ],
    )
    def test_it_keeps_runner_program_verb_and_flags_and_reduces_the_rest(self, line: str, kernels: list[str]) -> None:
        """Folders, variables, filters and texts say nothing about which command it is."""
        assert kernels == [command.kernel for command in commands(line)]

    def test_the_runner_can_be_left_out(self) -> None:
        """`rtk bun run lint` and `npm run lint` run the same task."""
        assert [["lint"], ["lint"]] == [
            [c.bare for c in commands(line)] for line in ("rtk bun run lint", "npm run lint")
        ]

    def test_the_shape_keeps_what_a_person_would_type_again(self) -> None:
        """Plain values stay, paths do not."""
        assert ["pytest PATH -k slow"] == [
            command.shape for command in commands("pytest tests/a.py tests/b.py -k slow")
        ]


class TestStatus:
    @pytest.mark.parametrize(
        ("line", "masked"),
        [
            ("npm test", [False]),
            ("npm test | tail -5", [True]),
            ("npm test || true", [True]),
            ("npm test; echo done", [True]),
            ("npm run lint && npm test | tail", [False, True]),
            ("npm run lint && npm test", [False, False]),
            ("npm test > log 2>&1", [False]),
            ("set -o pipefail; npm test | tail", [False]),
            ("npm start &", [True]),
            ("npm test\ngit status", [True, False]),
        ],
    )
    def test_it_says_whether_the_exit_status_is_hidden(self, line: str, masked: list[bool]) -> None:
        """A pipe, `|| true` and a later command each hide how a command ended."""
        assert masked == [command.masked for command in commands(line)]

    def test_reading_is_told_from_doing(self) -> None:
        """What only looks proves nothing and changes nothing."""
        line = "git status && git diff main && cat a.txt && ls src && gh pr view 3 && git commit -m x && sed -i s/a/b/ x.py"
        assert [True, True, True, True, True, False, False] == [command.reads for command in commands(line)]


class TestTolerance:
    @given(st.text(alphabet="ab \"'`$(){}|&;<>\n\\#=-/.", max_size=80))
    def test_no_line_is_refused(self, line: str) -> None:
        """A line that a shell would not take is read as far as it goes."""
        assert all(command.words for command in commands(line))

    @pytest.mark.parametrize(
        "line", ['echo "' + "$(" * 3_000, "'" * 5_001, "a " + '"$' * 4_000, "((" * 4_000, "<<EOF\n" * 2_000]
    )
    def test_unclosed_brackets_and_quotes_end(self, line: str) -> None:
        """The reading tries no piece twice, however long the line is."""
        assert isinstance(commands(line), tuple)


class TestChecks:
    @pytest.mark.parametrize(
        ("name", "kind"),
        [
            ("mise run test:ci", "test"),
            ("cargo test", "test"),
            ("npx eslint", "lint"),
            ("ruff check", "lint"),
            ("ruff format", "format"),
            ("npm run type-check", "types"),
            ("cargo build", "build"),
            ("./gradlew checkstyleMain", "lint"),
            ("bundle exec rails", ""),
            ("git commit", ""),
        ],
    )
    def test_a_check_is_known_by_its_name(self, name: str, kind: str) -> None:
        """Tests, linters, type checkers, formatters and builds are called alike in all projects."""
        assert kind == check(name)
