"""What went wrong in a call, under a name that stays the same from day to day.

Rule names of linters and compilers come first, since they name the lesson. Then come usage errors (a flag, a command
or a task that does not exist), then other error lines with paths, numbers and texts reduced. What only says that work
is in progress (a failing assertion, code that does not compile yet) is kept apart: it teaches nothing, but it is a
failure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from harvesters.records import ToolStatus
from sleepd.core import plaintext
from sleepd.core.command import ShellCommand, check, commands, listed
from sleepd.core.episode import Call, Episode
from sleepd.core.signal import Signal, SignalKind, known_sum


class FaultKind(StrEnum):
    RULE = "rule"
    """A linter or a compiler named the rule that was broken."""
    USAGE = "usage"
    """The call itself was wrong, or something that it needs is not there."""
    ERROR = "error"
    """Another error with a text of its own."""
    WORK = "work"
    """Work in progress: a test fails, code does not compile, a program under construction ends with an error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that went wrong in a call."""

    kind: FaultKind
    name: str
    """Equal for the same fault on another day: `goconst`, `unknown flag: --all`. Empty for work in progress."""
    quote: str
    """The line of the output that says it, at most 240 characters; empty when there is none."""
    command: ShellCommand | None
    """The command of the line that is blamed; None for a filter of the line, and for tools other than a shell."""


_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_TASK = re.compile(
    r"^(?:\[(?!ERROR|WARN)[\w:.@/-]+\] |"
    r"[\w@./-]+:(?:lint|test|build|typecheck|check|types?|format)[\w:-]*: |[\w.-]+ {1,6}\| )",
    re.M,
)
_HARNESS = re.compile(
    r"\A(?:<error>)?\s*(?:<tool_use_error>|\[Request interrupted|.{0,80}exceeds maximum "
    r"(?:allowed )?tokens|Found \d+ matches"
    r"|String to replace not found|File has not been read|Sibling tool call errored|Cancelled|The user doesn't "
    r"want|Permission to use"
    r"|Claude requested permissions|This command requires approval|.{0,60}(?:was|were) blocked\b|(?:Command "
    r")?timed out after"
    r"|.{0,80}may only list files|user cancelled|aborted by user|Error: Command (?:was )?aborted)",
    re.I,
)
_PLACE = r"(?:\s*-->\s*)?(?:[\w.@~\\/$()\[\]+-]+)[:(]\d+(?:[:,]\d+)?\)?:?"
"""`src/a.go:12:5:`, `src/a.ts(12,5):`."""
_RULES = tuple(
    (needles, re.compile(text, re.M))
    for needles, text in (
        # golangci-lint, with the rule of a linter of many rules: `a.go:1:2: G304: text (gosec)`.
        (
            (")",),
            rf"^{_PLACE} (?:(?P<inner>[A-Za-z]+\d+|[a-z][A-Za-z-]{{3,}}): )?(?P<text>[^\n]*?) "
            rf"\((?P<rule>[a-z][a-z0-9_]{{2,}})\)$",
        ),
        # eslint, stylelint: `  12:5  error  text  rule-name`.
        ((" error", "✖", "×"), r"^\s+\d+:\d+\s+(?:error|✖|×)\s+(?P<text>\S[^\n]*?)\s{2,}(?P<rule>@?[a-z][\w@/-]+)$"),
        # TypeScript, C#, MSBuild: `a.ts(1,2): error TS2345: text`.
        (("error ",), rf"^{_PLACE}(?: -)? error (?P<rule>[A-Z]{{2,4}}\d{{3,5}}): (?P<text>[^\n]*)$"),
        # ruff, flake8, pycodestyle, pylint, markdownlint: `a.py:1:2: E501 text`.
        ((), rf"^{_PLACE} (?P<rule>[A-Z]{{1,5}}\d{{2,4}})(?:/[\w/-]+)?:? (?:\[\*\] )?(?P<text>[^\n]*)$"),
        # ruff's other form: the rule, then the place on the line below.
        (("-->",), r"^(?P<rule>[A-Z]{1,4}\d{3,4}) (?:\[\*\] )?(?P<text>[^\n]+)\n\s*--> \S+:\d+"),
        # rustc: `error[E0308]: text`.
        (("error[",), r"^error\[(?P<rule>E\d{4})\]: (?P<text>[^\n]*)$"),
        # clippy names its rule in a note.
        (("clippy",), r"^\s*= (?:note|help): [^\n]*?(?P<rule>clippy::[a-z_-]+|(?<=rust-clippy/)\S*#[a-z_]+)(?P<text>)"),
        # mypy, pyright, checkstyle, swiftlint, ktlint, shellcheck's gcc form.
        (
            ("error:", "warning:", "note:", "[ERROR]", "[WARN]"),
            rf"^\s*(?:\[(?:ERROR|WARN)\] {_PLACE}|{_PLACE} (?:- )?(?:error|warning|note):) (?P<text>[^\n]*?) "
            rf"+[\[(](?P<rule>[a-zA-Z][\w:-]{{2,}})[\])]$",
        ),
        (("(standard:",), rf"^{_PLACE} (?P<text>[^\n]*?) \((?P<rule>standard:[\w-]+)\)$"),
        # rubocop: `a.rb:1:2: C: [Correctable] Style/StringLiterals: text`.
        (
            (": C: ", ": W: ", ": E: ", ": F: ", ": R: "),
            rf"^{_PLACE} [CWEFR]: (?:\[\w+\] )?(?P<rule>[A-Z]\w+/\w+): (?P<text>[^\n]*)$",
        ),
        # shellcheck: `^-- SC2086 (info): text`.
        (("SC",), r"^\s*\^-*\^? (?P<rule>SC\d{4}) \(\w+\): (?P<text>[^\n]*)$"),
        # biome, oxlint.
        ((" lint/",), rf"^{_PLACE} (?P<rule>lint/\w+/\w+)(?P<text>)"),
        (("× ", "x ", "⚠ "), r"^\s*[×x⚠] (?P<rule>[a-z-]+\([\w-]+\)): (?P<text>[^\n]*)$"),
    )
)
# Code that does not compile yet, and names of levels that stand where a rule would.
_UNFINISHED = re.compile(
    r"typecheck|TS1\d{3}|TS2304|TS2305|TS2307|TS2552|TS2724|E999|E0425|E0432|E0433|E0412|E0583|F821|CS0103|"
    r"CS0246|CS1002|"
    r"CS1513|syntax-error|syntax|error|warning|cached|name-defined|import-not-found|import-untyped|import|"
    r"attr-defined|no|required"
)
_FORMATTING = re.compile(
    r"^(?P<quote>(?:would reformat |\d+ files? would be reformatted|Would reformat: |\[warn\] Code style issues|"
    r"Diff in \S+|"
    r"[^\n]{0,60}is not (?:gofmt|properly format)|error: \d+ files? (?:are|is) not formatted)[^\n]*)",
    re.M,
)
# The needles stand in every text that the expression matches: most outputs hold none of them.
_USAGE = tuple(
    (needles, label, re.compile(text, re.M))
    for needles, label, text in (
        (
            ("not found",),
            "command not found: {}",
            r"^[^\n]{0,80}?(?:command not found: (?P<name>[\w.+-]+)|\b(?P<other>[\w.+-]+): (?:command )?not found)\r?$",
        ),
        (
            ("not recognized",),
            "command not found: {}",
            r"^[^\n]{0,40}['‘\"`](?P<name>[\w.+-]+)['’\"`] is not recognized as",
        ),
        (
            ("no such file", "executable file"),
            "command not found: {}",
            r"^(?:env: |[^\n]{0,60}exec(?:ute)?: )\"?(?P<name>[\w.+-]+)\"?: (?:No such file|executable file not found)",
        ),
        (
            ("unknown ", "unrecogni", "invalid ", "illegal ", "unexpected ", "no such "),
            "unknown {}",
            r"^[^\n]{0,80}?\b(?i:unknown|unrecogni[sz]ed|invalid|illegal|unexpected|no such) (?:shorthand )?"
            r"(?P<name>(?:flag|option|argument|command|subcommand|sub-command|linter|setting|JSON field)s?[: ,"
            r"-](?:(?!, | for | in -| found)[^\n]){1,80})",
        ),
        (
            ("flag provided", "bad flag", "unknown flag"),
            "unknown {}",
            r"^[^\n]{0,40}?(?:flag provided but not defined|bad flag|[Uu]se of unknown flag): (?P<name>\S+)",
        ),
        (("' is not a",), "{} is no command", r"^[^\n]{0,30}?'(?P<name>[\w-]+)' is not an? \w+(?: \w+)? command"),
        (
            (
                "no task",
                "missing script",
                "script not found",
                "no rule to",
                "a script named",
                "task '",
                'task "',
                "task `",
                "command '",
                'command "',
                "command `",
            ),
            "no task {}",
            r"^[^\n]{0,60}?(?:\bno tasks? |[Mm]issing script:? ?|Script not found |No rule to make target |"
            r"[Cc]ouldn't find a script named |"
            r"\b[Tt]ask (?=['\"`])|\bCommand (?=['\"`]))['\"`]*(?P<name>[\w:./-]+)['\"`]*(?: found|\.? +Stop|[.,"
            r"]? *$| not found| does not exist| is not defined)",
        ),
        (("no matches found",), "shell: no matches found", r"^[^\n]{0,40}?\bno matches found: \S+(?P<name>)"),
        (
            ("(eval)", "zsh", "bash", "sh:", "/bin/"),
            "shell: {}",
            r"^(?:\(eval\)|zsh|bash|sh|/bin/\w+)[^\n]{0,40}?(?P<name>parse error near|bad substitution|syntax "
            r"error near unexpected token|"
            r"unexpected EOF while looking|event not found|read-only variable: \w+|bad pattern|unmatched .)",
        ),
        (
            ("no module named", "cannot find module", "cannot find package", "cannot resolve module"),
            "module not found: {}",
            r"^[^\n]{0,60}?(?:No module named |Cannot find (?:module|package) |Cannot resolve module "
            r")['\"]?(?P<name>(?![./])[\w.@/-]+)",
        ),
        (
            ("externally-managed",),
            "not installed in the managed environment",
            r"^[^\n]{0,20}externally-managed-environment(?P<name>)",
        ),
        (
            ("eaddrinuse", "already in use", "is in use", "is used"),
            "port in use",
            r"^[^\n]{0,80}?(?:EADDRINUSE|[Aa]ddress already in use|[Pp]ort \d+ is (?:already )?(?:in use|"
            r"used))(?P<name>)",
        ),
        (
            ("docker daemon",),
            "docker is not running",
            r"^[^\n]{0,60}?(?:Cannot connect to the Docker daemon|docker daemon is not running)(?P<name>)",
        ),
        (
            ("package.json",),
            "package.json is not in this folder",
            r"^[^\n]{0,60}?(?:ENOENT[^\n]*package\.json|Couldn't find a package\.json|No package\.json)(?P<name>)",
        ),
        (("cargo.toml",), "Cargo.toml is not in this folder", r"^error: could not find `Cargo.toml`(?P<name>)"),
        (
            ("go.mod file", "main module"),
            "go.mod is not in this folder",
            r"^[^\n]{0,30}?go(?:\.mod file not found|: cannot find main module)(?P<name>)",
        ),
        (("not a git",), "not a git repository", r"^fatal: not a git repository(?P<name>)"),
        (("rejected]",), "push rejected", r"^ ?! \[(?:remote )?rejected\][^\n]*(?P<name>)"),
    )
)
_ERROR = re.compile(
    r"^(?P<quote>(?:error|fatal|ERROR|Error|npm (?:ERR!|error)|ERR_\w+|E:|✗|✖|×|[\w.-]{2,20}: (?:error|fatal|"
    r"illegal|cannot|can't|invalid))"
    r"(?:\[[\w-]+\])?[: !][^\n]{4,400})$",
    re.M,
)
_MASKED = re.compile(
    r"^(?:error|fatal|ERROR|Error|FAIL|FAILED|npm (?:ERR!|error)|ERR_\w+|panic:|Traceback \(most|--- FAIL|✗|✖|×|"
    r"make(?:\[\d+\])?: \*\*\*|BUILD FAILED"
    r"|[=_ ]+ERRORS?[=_ ]+$|\(eval\)|(?:zsh|bash|sh): |\S+: command not found|\d+ issues:|E   |thread '.*' "
    r"panicked|Tests?:? +\d+ failed)",
    re.M,
)
_WORK = re.compile(
    r"^(?:--- FAIL|FAIL\b|FAILED\b|panic:|Traceback \(most|E   |thread '.*' panicked|Tests?:? +\d+ failed|=+ "
    r".*\d+ failed|# \S+$|  ● |\s+AssertionError)",
    re.M,
)
_CODE_AT = re.compile(rf"^\s*(?:{_PLACE}|File \"[^\"]+\", line \d+)", re.M)
_LOG_LINE = re.compile(r"\d{4}[-/]\d\d[-/]\d\d|level=|time=|\[\d|\{\"")
_EMPTY_ERRORS = re.compile(
    r"(?:task failed|Process completed with exit code|command failed|Command failed with exit|exit status \d|"
    r"script \"[^\"]*\" exited|Lifecycle script|"
    r"ELIFECYCLE|Recipe .* failed|aborting due to|could not compile|process didn't exit successfully|Found \d+ "
    r"errors?|\d+ (?:errors?|problems?)\b|"
    r"Run with --verbose|npm (?:ERR!|error) (?:code|errno|path|command|A complete log)|Failed to compile|build "
    r"failed|exited with code)",
    re.I,
)
_RUN_BY_HAND = listed("python python3 node ruby perl php deno tsx ts-node java bun")
# Status 1 of these is an answer, not a failure.
_ANSWERS = listed("grep egrep fgrep rg diff cmp test [ [[ pgrep which type ls find cat stat jq")
_REDUCED = (
    (re.compile(r"https?://\S+|git@\S+"), "URL"),
    (re.compile(r"\b[0-9a-f]{7,40}\b"), "SHA"),
    (re.compile(r"(?:[\w.@~+-]*[/\\])+[\w.@+-]+/?"), "PATH"),
    (
        re.compile(
            r"\b[\w-]+\.(?:go|py|ts|tsx|js|jsx|rs|java|rb|json|ya?ml|toml|md|sh|c|h|cpp|cs|php|swift|kt|lock|"
            r"txt|html|css|sql)\b"
        ),
        "PATH",
    ),
    (re.compile(r"(?<=\bbranch )(?!is\b|has\b|to\b|and\b|that\b|name\b)['\"`]?[\w./-]+['\"`]?"), "NAME"),
    (re.compile(r"\d[\d.,:_]*"), "NUMBER"),
    (re.compile(r"[\"'`‘“]([^\"'`’”\n]*[\s(){}=][^\"'`’”\n]*)[\"'`’”]"), "TEXT"),
)
_OWN_CODE = frozenset(
    {
        ("go", "run"),
        ("cargo", "run"),
        ("npm", "start"),
        ("dotnet", "run"),
        ("go", "generate"),
        ("go", "install"),
        ("swift", "run"),
        ("npm", "test"),
        ("npm", "t"),
        ("cargo", "check"),
        ("go", "mod"),
    }
)
_SPEAKER = re.compile(r"(?!error|fatal|Error|ERROR|npm|usage)([\w.-]+): ")
_SCANNED = 24_000
_CLEANED = 120


def reduced(line: str) -> str:
    """An error line with paths, numbers, addresses and quoted texts replaced by kinds; quoted single names stay."""
    for pattern, kind in _REDUCED:
        line = pattern.sub(kind, line)
    return plaintext.flat(line)[:_CLEANED]


def faults(call: Call) -> tuple[Fault, ...]:
    """What went wrong in a call: every rule that was broken, else one error; empty when nothing did.

    A call whose exit status is hidden (a pipe, `|| true`) went wrong when a line of its output begins as errors do.
    """
    output = call.output
    if output.startswith("Exit code "):  # the harness states the exit code in a line of its own
        output = output.partition("\n")[2]
    if call.denied or not output or output.isspace() or (call.failed and _HARNESS.match(output)):
        return ()
    if call.command is None:
        # Of tools other than a shell only those of servers fail in ways that are not the harness's own.
        if not call.failed or "__" not in call.tool:
            return ()
        first = next((line.strip() for line in call.output.splitlines() if line.strip()), "")
        if not first or re.search(
            r"timed? ?out|interrupt|cancel|not connected|connection closed|rate limit|\b50\d\b", first, re.I
        ):
            return ()
        return (Fault(kind=FaultKind.USAGE, name=f"{call.tool}: {reduced(first)}", quote=_quote(first), command=None),)
    line = commands(call.command)
    acting = [command for command in line if not command.reads]
    if not call.failed and not any(command.masked for command in acting):
        return ()
    if not acting:
        # Reading fails for many reasons; only the shell's own refusal of the line says something about the call.
        usage = _usage(output[:2_000]) if call.failed else None
        if usage is None or not usage[0].startswith(("shell: ", "command not found: ", "unknown ")):
            return ()
        return (Fault(kind=FaultKind.USAGE, name=usage[0], quote=_quote(usage[1]), command=line[-1] if line else None),)
    if not call.failed:
        acting = [command for command in acting if command.masked]
    if len(output) > _SCANNED:
        output = output[: _SCANNED // 2] + "\n" + output[-_SCANNED // 2 :]
    if "\x1b" in output:
        output = _COLOUR.sub("", output)
    if (
        not call.failed
        and _MASKED.search(output) is None
        and not any(check(c.name) in ("lint", "types") for c in acting)
    ):
        plain = _TASK.sub("", output) if "] " in output or ": " in output else output
        if _MASKED.search(plain) is None:
            return ()
        output = plain
    else:
        output = _TASK.sub("", output)
    return _found(output, acting, failed=call.failed)


def _found(output: str, acting: list[ShellCommand], *, failed: bool) -> tuple[Fault, ...]:
    blamed = acting[-1]
    if any(check(command.name) in ("lint", "types", "build", "format", "test") for command in acting):
        linter = next((c for c in reversed(acting) if check(c.name) in ("lint", "types")), None)
        checker = linter or next(c for c in reversed(acting) if check(c.name))
        if rules := _rules(output, checker):
            return rules
        if match := _FORMATTING.search(output):
            by = next((c for c in reversed(acting) if check(c.name) == "format"), checker)
            return (Fault(kind=FaultKind.RULE, name="not formatted", quote=_quote(match["quote"]), command=by),)
    # In the first and the last lines a program speaks itself, and not the code that it runs.
    all_lines = output.splitlines() if _works_on(blamed) else []
    usage = _usage("\n".join((*all_lines[:12], *all_lines[-6:])) if len(all_lines) > 24 else output)
    if usage is not None:
        name, quote = usage
        about = next((c for c in reversed(acting) if _names(c, quote)), blamed)
        speaker = _SPEAKER.match(quote)
        # `CACError: unknown option` names the kind of error, and no program.
        named = speaker is not None and not speaker[1].endswith(("Error", "Exception"))
        if speaker and named and "not found" not in name and not any(_names(command, speaker[1]) for command in acting):
            # A filter behind the pipe refused its own arguments.
            return (Fault(kind=FaultKind.USAGE, name=f"{speaker[1]}: {name}", quote=_quote(quote), command=None),)
        return (Fault(kind=FaultKind.USAGE, name=name, quote=_quote(quote), command=about),)
    if _works_on(blamed):
        if failed or _WORK.search(output) or _MASKED.search(output):
            return (Fault(kind=FaultKind.WORK, name="", quote=_quote(_first_error(output)), command=blamed),)
        return ()
    for match in _ERROR.finditer(output):
        quote = match["quote"]
        if not (_LOG_LINE.match(quote) or _EMPTY_ERRORS.search(quote) or _CODE_AT.match(quote)):
            about = next((c for c in reversed(acting) if _names(c, quote)), blamed)
            return (Fault(kind=FaultKind.ERROR, name=reduced(quote), quote=_quote(quote), command=about),)
    if failed and blamed.program not in _ANSWERS:
        return (Fault(kind=FaultKind.WORK, name="", quote=_quote(_first_error(output)), command=blamed),)
    return ()


def _rules(output: str, command: ShellCommand) -> tuple[Fault, ...]:
    found: dict[str, Fault] = {}
    inners: set[str] = set()
    for needles, pattern in _RULES:
        if needles and not any(needle in output for needle in needles):
            continue
        for match in pattern.finditer(output):
            groups = match.groupdict()
            rule = groups["rule"]
            if "clippy" in rule:
                rule = "clippy::" + rule.replace("#", "::").rpartition("::")[2].replace("-", "_")
            inner = groups.get("inner")
            name = f"{rule}: {inner}" if inner and inner != rule else rule
            if inner:
                inners.add(inner)
            if (
                name not in found
                and name not in inners
                and not _UNFINISHED.fullmatch(rule)
                and not (inner and _UNFINISHED.fullmatch(inner))
            ):
                found[name] = Fault(
                    kind=FaultKind.RULE, name=name, quote=_quote((groups["text"] or match[0]).strip()), command=command
                )
    return tuple(found.values())


def _usage(output: str) -> tuple[str, str] | None:
    """The name of the first usage error and the text that says it; None when there is none."""
    lowered = output.casefold()
    for needles, label, pattern in _USAGE:
        match = pattern.search(output) if any(needle in lowered for needle in needles) else None
        if match is None or _LOG_LINE.match(match[0]):
            continue
        names = match.groupdict()
        name = (names.get("name") or names.get("other") or "").strip()
        if name or "{}" not in label:
            end = output.find("\n", match.end())
            return label.format(reduced(name)).strip(), output[match.start() : end if end >= 0 else len(output)]
    return None


def _works_on(command: ShellCommand) -> bool:
    """Whether the command runs what the person is working on: its errors are mostly those of the work."""
    return (
        check(command.name) in ("test", "build", "types", "lint")
        or command.program in _RUN_BY_HAND
        or command.task
        or ("/" in command.words[0] and not command.runner)
        or (command.program, command.verb) in _OWN_CODE
    )


def _names(command: ShellCommand, line: str) -> bool:
    return any(re.search(rf"\b{re.escape(word)}\b", line) for word in (command.program, *command.runner))


def _first_error(output: str) -> str:
    match = _WORK.search(output) or _ERROR.search(output) or _MASKED.search(output)
    if match is None:
        return next((line for line in output.splitlines() if line.strip()), "")
    start, end = match.start(), output.find("\n", match.start())
    return output[start : end if end >= 0 else len(output)]


def _quote(text: str) -> str:
    return plaintext.flat(text)[:240]


FaultsByEpisode: TypeAlias = Sequence[Sequence[tuple[Fault, ...]]]
"""For each episode, for each of its calls: what went wrong."""


def all_faults(episodes: Sequence[Episode]) -> FaultsByEpisode:
    """What went wrong in each call. Failures and repairs read the same: whoever wants both reads it once."""
    return [[faults(call) for call in each.calls] for each in episodes]


def failures(episodes: Sequence[Episode], known: FaultsByEpisode | None = None) -> tuple[Signal, ...]:
    """The failures that have a name, in order: one for each name in each call.

    The key is the name of the rule, or the program and the name of its error. What the failure cost is counted up to
    the next call of the same episode that runs the same command and works: calls and the minutes that these took.
    """
    known = known if known is not None else all_faults(episodes)
    found: list[Signal] = []
    for episode, wrong_calls in zip(episodes, known, strict=True):
        for number, (call, wrong) in enumerate(zip(episode.calls, wrong_calls, strict=True)):
            for fault in wrong:
                if fault.kind is FaultKind.WORK:
                    continue
                wasted = _until_it_works(episode.calls, number, fault)
                rule = fault.kind is FaultKind.RULE or fault.command is None or fault.name.startswith(_SAYS_ALL)
                found.append(
                    Signal(
                        kind=SignalKind.FAILURE,
                        session=episode.session,
                        turn=call.turn,
                        episode=episode.number,
                        at=episode.at,
                        key=fault.name if rule or fault.command is None else f"{fault.command.name}: {fault.name}",
                        text=f"{line_of(call)} → {fault.quote}",
                        calls=len(wasted),
                        minutes=sum(call.duration_ms or 0 for call in wasted) / 60_000,
                        tokens=known_sum(call.tokens for call in wasted),
                    )
                )
    return tuple(found)


_SAYS_ALL = ("command not found: ", "shell: ", "no task ", "docker is", "not a git")


def _until_it_works(calls: Sequence[Call], number: int, fault: Fault) -> Sequence[Call]:
    if fault.command is None:
        return calls[number : number + 1]
    for later in range(number + 1, min(number + 24, len(calls))):
        call = calls[later]
        if call.command is None or call.failed or call.status is not ToolStatus.OK:
            continue
        if any(command.name == fault.command.name for command in commands(call.command)):
            return calls[number:later]
    return calls[number : number + 1]


def line_of(call: Call) -> str:
    """The call as it can be quoted: the line given to the shell, or the tool with the beginning of its input."""
    line = call.command if call.command is not None else f"{call.tool} {call.input}"
    return plaintext.clipped(plaintext.flat(line), 160)
