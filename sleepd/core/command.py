"""A line given to a shell, as a person sees it: the commands that do something, without what only shows or hides.

`cd x && FOO=1 npx eslint src/a.ts --fix | tail -5` is one command for a person, `npx eslint --fix PATH`, whose exit
status is hidden by the pipe. The reading is tolerant: a line that a shell would refuse is read as far as it goes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellCommand:
    """One command of a line, with its arguments reduced to kinds."""

    words: tuple[str, ...]
    """As written, without quotes, redirections and assignments of variables."""
    runner: tuple[str, ...]
    """The words in front that only start the program: `npx`, `uv run`, `mise run`, `sudo`. Flags are left out."""
    program: str
    """Without folders. After a task runner (`npm run`, `make`) the task: `test:ci`."""
    verb: str
    """The sub-command: `commit` of git, `pr create` of gh. Empty when the program has none."""
    flags: tuple[str, ...]
    """Names alone, in order, each once: `-m`, `--fix`."""
    arguments: tuple[str, ...]
    """What is neither program, verb nor flag, as written."""
    kinds: tuple[str, ...]
    """The arguments reduced: PATH, NUMBER, URL, SHA, TEXT. Plain words have no kind."""
    masked: bool
    """The line's exit status does not tell how the command ended: a pipe, `|| true` or another command hides it."""
    reads: bool
    """The command changes nothing and proves nothing: `cat`, `grep`, `git status`, `gh pr view`."""
    task: bool
    """The program is a task that the project has named (`npm run X`, `make X`)."""
    chained: bool
    """The command runs only if the one before succeeded (`&&`)."""

    @property
    def bare(self) -> str:
        """The command without its runner."""
        return " ".join(filter(None, (self.program, self.verb, *self.flags, *self.kinds)))

    @property
    def kernel(self) -> str:
        """The command with its runner: what is equal for two calls that differ only in paths, numbers and texts."""
        return " ".join((*self.runner, self.bare))

    @property
    def name(self) -> str:
        """Runner, program and verb, without flags and arguments."""
        return " ".join(filter(None, (*self.runner, self.program, self.verb)))

    @property
    def shape(self) -> str:
        """As a person would write it down: flags with their plain values, but no paths, texts or numbers."""
        shown = [word if not (kind := _kind(word)) else kind for word in self.words]
        return " ".join(word for word, _ in groupby(shown))


def listed(words: str) -> frozenset[str]:
    """The words of a list that is written as one text."""
    return frozenset(words.split())


# What a shell takes as one piece. Quantifiers are possessive: no line makes the expression try twice.
_PIECE = re.compile(
    r"""(?P<blank>[ \t\r]+|\\\r?\n|(?<![^\s;&|(])\#[^\n]*)
      |(?P<redirection>\d*+(?:&>>|&>|<<<|<<-?|>>|>\||>&|<&|<>|>|<)(?:[ \t]*+(?:&?\d+(?![^\s;&|)])|&-))?)
      |(?P<operator>&&|\|\||\|&|;;|[;|&\n()])
      |(?P<word>(?:
          '[^']*+'
        | "(?:[^"\\$]|\\.|\$\((?:[^()"]|"[^"]*+"|\((?:[^()])*+\))*+\)|\$)*+"
        | \$\((?:[^()]|\((?:[^()]|\([^()]*+\))*+\))*+\)
        | `[^`]*+`
        | \\. | [^\s;|&()<>'"`\\$] | ["'`$\\]
        )++)""",
    re.VERBOSE | re.DOTALL,
)
_HEREDOC = re.compile(
    r"<<-?[ \t]*(?P<quote>['\"]?)(?P<end>[A-Za-z_]\w*)(?P=quote)(?P<rest>[^\n]*)\n(?:.*?\n)??[ \t]*(?P=end)[ "
    r"\t]*(?=[\n)\"]|\Z)",
    re.DOTALL,
)
_OPEN_HEREDOC = re.compile(r"<<-?[ \t]*['\"]?[A-Za-z_]\w*['\"]?([^\n]*)\n.*", re.DOTALL)
_QUOTED = re.compile(r"""'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)""", re.DOTALL)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_NUMBER = re.compile(r"[-+]?\d[\d.,_]*[kKmMgGsh%]?")
_SHA = re.compile(r"(?=[0-9a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}(?:[~^]\d*)?")
_URL = re.compile(r"[a-z][a-z0-9+.-]*://|git@")
_ENDING = re.compile(r"[^\s/]+\.[A-Za-z][A-Za-z0-9]{0,5}")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_:-]*")

_SKIPPED = listed(
    "cd pushd popd echo printf sleep true false : wait exit return export unset set source . local shopt alias "
    "trap read eval declare typeset [ [[ test ulimit umask clear pwd date which type hash"
)
_FILTERS = listed(
    "tail head grep egrep fgrep rg sed awk cut sort uniq wc tr tee less more cat jq yq column fold nl xargs ts "
    "strings cmp diff"
)
_READERS = _FILTERS - {"tee", "xargs", "ts"} | listed(
    "ls find fd tree stat file du df ps pgrep lsof env printenv whoami uname hostname id realpath dirname "
    "basename readlink man help test [ [[ ag ack bat lsblk free top uptime history sw_vers"
)
_READING_VERBS = frozenset(
    {
        *(
            f"git {verb}"
            for verb in listed(
                "status diff log show branch rev-parse blame ls-files ls-tree ls-remote grep remote describe "
                "merge-base cat-file rev-list reflog shortlog config for-each-ref name-rev symbolic-ref "
                "check-ignore whatchanged show-ref count-objects var help"
            )
        ),
        *(
            f"gh {noun} {verb}"
            for noun in ("pr", "issue", "run", "repo", "release", "workflow", "label")
            for verb in ("view", "list", "checks", "diff", "status", "watch")
        ),
        "gh api",
        "gh auth status",
        "gh search",
        "docker ps",
        "docker logs",
        "docker images",
        "docker inspect",
        "docker compose ps",
        "docker compose logs",
        "kubectl get",
        "kubectl describe",
        "kubectl logs",
        "mise tasks",
        "mise ls",
        "npm ls",
        "npm list",
        "npm view",
        "npm outdated",
        "pip list",
        "pip show",
        "pip freeze",
        "go env",
        "go list",
        "go doc",
        "go version",
        "go mod graph",
        "go mod why",
        "cargo tree",
        "cargo metadata",
        "brew list",
        "brew info",
        "systemctl status",
        "uv pip list",
        "rustup show",
    }
)
# Keywords behind which a command may follow, and those that carry none.
_BEFORE = listed("then do else elif if while until ! time { (")
_NO_COMMAND = listed("for case select function done fi esac } ) in [[ ((")
# Programs that start another one; the value counts how many words belong to the wrapper, flags aside.
_WRAPPERS = {
    **dict.fromkeys(
        listed(
            "sudo doas env nohup time command exec nice caffeinate xvfb-run stdbuf npx bunx pnpx uvx pipx "
            "setsid unbuffer winpty arch catchsegv strace dotenv direnv_exec"
        ),
        1,
    ),
    "timeout": 2,
    "gtimeout": 2,
    **dict.fromkeys(
        (
            "uv run",
            "poetry run",
            "pipenv run",
            "pdm run",
            "rye run",
            "hatch run",
            "bundle exec",
            "mise exec",
            "mise x",
            "pnpm exec",
            "pnpm dlx",
            "yarn dlx",
            "yarn exec",
            "npm exec",
            "bun x",
            "conda run",
            "xcrun simctl",
            "dotnet tool run",
            "pipx run",
            "op run",
            "doppler run",
            "asdf exec",
            "rbenv exec",
        ),
        2,
    ),
    "direnv exec": 3,
    "docker exec": 3,
    "docker compose exec": 4,
    "docker-compose exec": 3,
    "nix develop": 2,
}
_TASK_RUNNERS = frozenset(
    (
        "mise run",
        "mise r",
        "npm run",
        "npm run-script",
        "pnpm run",
        "yarn run",
        "bun run",
        "deno task",
        "composer run",
        "make",
        "gmake",
        "just",
        "task",
        "rake",
        "invoke",
        "inv",
        "nox -s",
        "turbo run",
        "nx run",
        "lerna run",
        "moon run",
        "poe",
        "hatch run",
        "./gradlew",
        "gradle",
        "./mvnw",
        "mvn",
        "tox -e",
    )
)
_SHORTHAND_TASKS = frozenset({"npm", "pnpm", "yarn", "bun"})
"""Runners of tasks that need no `run`: `yarn lint`. Their own verbs are listed next."""
_PACKAGE_VERBS = listed(
    "install i ci add remove rm update upgrade init publish version audit link unlink exec dlx create ls list "
    "view outdated pack info why test t start stop restart cache config login logout whoami x build run"
)
_TWO_WORDS = listed("gh aws gcloud az heroku fly docker-machine")
_NOUNS = frozenset(
    {
        "git stash",
        "git remote",
        "git worktree",
        "git submodule",
        "git bisect",
        "docker compose",
        "go mod",
        "docker image",
        "docker container",
        "docker volume",
        "docker network",
        "uv pip",
        "npm config",
        "helm repo",
        "terraform state",
        "cargo install",
        "kubectl rollout",
        "systemctl --user",
        "go tool",
        "uv tool",
        "golangci-lint linters",
    }
)
_NO_VERB = (
    _READERS
    | _FILTERS
    | listed(
        "python python3 python2 node ruby perl php lua bash sh zsh fish deno tsx ts-node java javac gcc g++ clang "
        "curl wget rm mv cp mkdir touch chmod chown ln pytest py.test jest vitest mocha eslint prettier black isort "
        "flake8 pylint mypy pyright rubocop rspec tsc gofmt goimports staticcheck shellcheck shfmt psql mysql sqlite3 "
        "redis-cli ssh scp rsync tar zip unzip kill pkill killall open code vim nano ed patch stylelint phpunit "
        "phpstan ktlint swiftlint clang-format rustfmt"
    )
)
# Flags whose next word is a value and that stand before a verb.
_VALUED = listed(
    "-C -c --prefix --cwd --dir --filter -F --namespace --context --manifest-path --work-tree --git-dir -f --file "
    "-p --project --package --project-directory --profile --region --config --directory --python --with -u --user "
    "-w --workspace --extra --group -n -s --signal -k --from --rcfile --env-file"
)
_KNOWN = listed(
    "git gh go cargo npm pnpm yarn bun npx make pytest mypy ruff eslint tsc jest vitest prettier docker kubectl "
    "uv pip pip3 python python3 node deno rustc gradle mvn dotnet golangci-lint next vite playwright terraform ls "
    "cat grep rg find tree bundle rake rspec rubocop composer php swift xcodebuild mise just curl black flake8 "
    "pylint biome tsx diff"
)
_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh"})
_PREFIXES = frozenset({"sudo", "time", "nice", "exec", "env", "command"})


# Every signal asks for the commands of the same lines; long ones hold texts and are not kept.
_REMEMBERED = 65_536
_REMEMBERED_LENGTH = 1_024


def commands(line: str) -> tuple[ShellCommand, ...]:
    """The commands of a line that do something, in order. Never raises; empty for a line of `cd`, `echo` and the like.

    A filter counts when it stands first (`grep -r x src`), not when it is fed by a pipe.
    """
    return _remembered(line) if len(line) <= _REMEMBERED_LENGTH else _remembered.__wrapped__(line)


@lru_cache(maxsize=_REMEMBERED)
def _remembered(line: str) -> tuple[ShellCommand, ...]:
    found = (
        _command(program.words, program.masked, chained=program.chained)
        for program in programs(line)
        if not (program.fed and program.words[0].rpartition("/")[2] in _FILTERS)
    )
    return tuple(command for command in found if command is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One program that a line starts."""

    words: tuple[str, ...]
    """Program and arguments without quotes, redirections and assignments of variables; with `sudo` and the like."""
    masked: bool
    """The line's exit status does not tell how the program ended: a pipe, `|| true` or another program hides it."""
    chained: bool = False
    """The program runs only if the one before succeeded (`&&`)."""
    fed: bool = False
    """The program stands behind a pipe."""


def programs(line: str, depth: int = 0) -> Iterator[Program]:
    """All programs of a line, in order; a script given to `bash -c` is read as well, to a depth of three."""
    pieces = _split(line)
    pipefail = "pipefail" in line
    for number, piece in enumerate(pieces):
        masked = piece.ending == "&" or (piece.ending in ("|", "|&") and not pipefail)
        # The end of a `&&` chain decides the status of all of it; what comes behind that end may hide it.
        end = number
        while end + 1 < len(pieces) and pieces[end].ending in ("&&", "|", "|&"):
            end += 1
        if end + 1 < len(pieces) and pieces[end].ending in ("||", ";", "&"):
            masked = masked or pieces[end + 1].ending != "" or bool(pieces[end + 1].words)
        elif piece.ending == "||" and number + 1 < len(pieces):
            masked = True
        words = unwrapped(piece.words)
        if len(words) > 2 and words[0] in _SHELLS and depth < 3 and re.fullmatch(r"-[a-z]*c", words[1]):
            for program in programs(words[2], depth + 1):
                yield replace(program, masked=program.masked or masked)
        else:
            chained = number > 0 and pieces[number - 1].ending == "&&"
            yield Program(words=piece.words, masked=masked, chained=chained, fed=piece.fed)


def unwrapped(words: tuple[str, ...]) -> tuple[str, ...]:
    """A program's words without `sudo`, `env` and the like in front."""
    while words and (words[0] in _PREFIXES or _ASSIGNMENT.match(words[0])):
        words = words[1:]
    return words


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """Words between two operators."""

    words: tuple[str, ...]
    ending: str
    """The operator behind the words; a line's end is `;`, the text's end is empty."""
    fed: bool
    """The words stand behind a pipe."""


def _split(line: str) -> list[_Piece]:
    if "<<" in line:
        line = _HEREDOC.sub(r" \g<rest>", line)
        line = _OPEN_HEREDOC.sub(r" \1", line)
    pieces: list[_Piece] = []
    words: list[str] = []
    fed = target = False
    for match in _PIECE.finditer(line):
        text = match[0]
        if match.lastgroup == "word":
            if target:
                target = False
            elif words or not (_ASSIGNMENT.match(text) or text in _BEFORE):
                words.append(_QUOTED.sub(_unquoted, text) if "'" in text or '"' in text or "\\" in text else text)
        elif match.lastgroup == "redirection":
            target = not text[-1:].isdigit() and not text.endswith("-")
        elif match.lastgroup == "operator":
            target = False
            ending = ";" if text in "\n;;()" else text
            if words:
                pieces.append(_Piece(words=tuple(words), ending=ending, fed=fed))
                fed = ending in ("|", "|&")
            elif pieces and ending in ("&&", "||", "|") and pieces[-1].ending == ";":
                # `(a; b) && c`: the operator behind a bracket belongs to the last command in it.
                last = pieces[-1]
                pieces[-1] = _Piece(words=last.words, ending=ending, fed=last.fed)
                fed = ending == "|"
            words = []
    if words:
        pieces.append(_Piece(words=tuple(words), ending="", fed=fed))
    elif pieces and pieces[-1].ending == ";":
        last = pieces[-1]
        pieces[-1] = _Piece(words=last.words, ending="", fed=last.fed)
    return pieces


def _unquoted(match: re.Match[str]) -> str:
    return next(group for group in match.groups("") if group) if any(match.groups()) else ""


def _command(words: tuple[str, ...], masked: bool, *, chained: bool) -> ShellCommand | None:
    """None for what does nothing by itself, such as `cd`, `echo` or the head of a loop."""
    if not words or words[0] in _NO_COMMAND or words[0] in _SKIPPED or not words[0]:
        return None
    runner: list[str] = []
    task = False
    at = 0
    while at < len(words):
        word = words[at]
        second = _next_word(words, at + 1)
        pair = f"{word} {words[second]}" if second < len(words) else ""
        third = _next_word(words, second + 1) if second < len(words) else second
        triple = f"{pair} {words[third]}" if pair and third < len(words) else ""
        wrapper = next((text for text in (triple, pair, word) if text in _WRAPPERS), None)
        if wrapper is not None:
            following = _behind(words, at, _WRAPPERS[wrapper])
            if following >= len(words):
                break
            runner += wrapper.split()
            at = following
        elif pair in _TASK_RUNNERS and third < len(words):
            runner += pair.split()
            at, task = third, True
            break
        elif (word in _TASK_RUNNERS and second < len(words) and not _ASSIGNMENT.match(words[second])) or (
            word in _SHORTHAND_TASKS
            and second < len(words)
            and words[second] not in _PACKAGE_VERBS
            and _WORD.fullmatch(words[second])
        ):
            runner.append(word)
            at, task = second, True
            break
        elif (
            word.rpartition("/")[2] in ("python", "python3")
            and words[at + 1 : at + 2] == ("-m",)
            and at + 2 < len(words)
        ):
            runner += [word, "-m"]
            at += 2
        elif word not in _KNOWN and word not in _NO_VERB and "/" not in word and pair and words[second] in _KNOWN:
            # A wrapper of the person's own shows by what it wraps.
            runner.append(word)
            at = second
        elif _ASSIGNMENT.match(word) and at + 1 < len(words):
            at += 1
        else:
            break
    program = words[at].rpartition("/")[2] or words[at]
    if not runner and (program in _SKIPPED or program in _NO_COMMAND):
        return None
    rest = words[at + 1 :]
    verb, rest = ("", rest) if task or program in _NO_VERB or "/" in words[at] else _verb(program, rest)
    flags = tuple(
        dict.fromkeys(word.partition("=")[0] for word in rest if len(word) > 1 and word[0] == "-" and word != "--")
    )
    flags = tuple(flag for flag in flags if not _NUMBER.fullmatch(flag))
    arguments = tuple(word for word in rest if not word.startswith("-"))
    kinds = tuple(kind for kind, _ in groupby(filter(None, map(_kind, arguments))))
    changing = any(flag in ("-i", "-delete", "-exec", "--fix", "-X", "--method") for flag in flags) or "-d" in flags
    spoken = f"{program} {verb}" if verb else program
    return ShellCommand(
        words=words,
        runner=tuple(runner),
        program=program,
        verb=verb,
        flags=flags,
        arguments=arguments,
        kinds=kinds,
        masked=masked,
        reads=not task and not changing and (program in _READERS or spoken in _READING_VERBS or _asks(rest)),
        task=task,
        chained=chained,
    )


def _asks(rest: tuple[str, ...]) -> bool:
    return len(rest) == 1 and rest[0] in ("--version", "--help", "-h", "-V", "version", "help")


def _next_word(words: tuple[str, ...], at: int) -> int:
    """The place of the next word that is neither a flag nor a flag's value."""
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _VALUED else 1
    return at


def _behind(words: tuple[str, ...], at: int, count: int) -> int:
    """The place behind so many words that are no flags."""
    for _ in range(count):
        at = _next_word(words, at) + 1
    at = _next_word(words, at)
    while at < len(words) and _ASSIGNMENT.match(words[at]):
        at += 1
    return at


def _verb(program: str, rest: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    first = _next_word(rest, 0)
    if first >= len(rest) or not _WORD.fullmatch(rest[first]) or _SHA.fullmatch(rest[first]):
        return "", rest
    verb, behind = rest[first], rest[:first] + rest[first + 1 :]
    # A flag before the verb with a value (`git -C DIR`) says where, not what.
    head = tuple(word for word in rest[:first] if word.startswith("-") and word not in _VALUED)
    behind = head + rest[first + 1 :]
    if program in _TWO_WORDS or f"{program} {verb}" in _NOUNS:
        tail = rest[first + 1 :]
        second = _next_word(tail, 0)
        if second < len(tail) and _WORD.fullmatch(tail[second]) and (program in _TWO_WORDS or len(tail[second]) > 1):
            if verb in ("api", "search"):
                return verb, behind
            return f"{verb} {tail[second]}", head + tail[:second] + tail[second + 1 :]
    return verb, behind


@lru_cache(maxsize=8_192)
def _kind(word: str) -> str:
    """What an argument is; empty for a plain word or a flag."""
    if word.startswith("-"):
        return ""
    if _URL.match(word):
        return "URL"
    if any(char.isspace() for char in word) or not word:
        return "TEXT"
    if _NUMBER.fullmatch(word):
        return "NUMBER"
    if _SHA.fullmatch(word):
        return "SHA"
    if "/" in word or "\\" in word or word in (".", "..") or _ENDING.fullmatch(word) or word.startswith(("~", "*.")):
        return "PATH"
    return "TEXT" if word[0] in "$`" or not word[0].isascii() else ""


_CHECKS = (
    (
        "test",
        listed(
            "test tests pytest jest vitest mocha rspec phpunit tox nox e2e unittest playwright cypress ava karma ctest "
            "nextest integration unit spec coverage cov xctest bats testall"
        ),
    ),
    (
        "lint",
        listed(
            "lint eslint ruff flake pylint golangci clippy rubocop shellcheck stylelint biome oxlint ktlint "
            "swiftlint vet staticcheck markdownlint hadolint checkstyle phpstan detekt lints linter"
        ),
    ),
    ("types", listed("tsc mypy pyright typecheck types typing typescript pyre vue-tsc")),
    ("format", listed("fmt format prettier black gofmt rustfmt isort gofumpt goimports spotless formatter shfmt")),
    ("build", listed("build compile assemble webpack")),
)
_PIECES = re.compile(r"[^a-z]+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


@lru_cache(maxsize=4_096)
def check(name: str) -> str:
    """The kind of check that a command's `name` runs: test, lint, types, format or build; empty when it runs none.

    A task that says two of them runs the first: `test:lint` is a test.
    """
    words = set(_PIECES.split(_HUMP.sub(" ", name).casefold()))
    if {"ruff", "format"} <= words or {"biome", "format"} <= words or {"cargo", "fmt"} <= words:
        return "format"
    if "test" not in words and {"type", "check"} <= words:
        return "types"
    return next((kind for kind, known in _CHECKS if words & known), "")
