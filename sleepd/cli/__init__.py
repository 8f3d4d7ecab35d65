"""The command `sleepd`. A verb's module is imported when the verb is used, so that `--help` costs nothing.

A verb parses its options, calls one function and prints. Every error ends in one line on stderr: see `main`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup
from typer.main import get_command


@dataclass(frozen=True, slots=True)
class Verb:
    """The module of a verb and its help in one line, so that listing verbs imports none of them."""

    module: str
    help: str
    function: str | None = None
    """None: the verb's own name."""
    spends: bool = False
    """Whether the verb calls models that cost money. Such a verb is never offered for a misspelt one."""


VERBS: Final = {
    "init": Verb("setup", "Find the agents on this machine, write the settings file, make the database.", "initialize"),
    "doctor": Verb("setup", "Check every requirement; each failing row names its fix."),
    "harvest": Verb("days", "Read transcripts into the database: new ones, and the lines added to known ones."),
    "lessons": Verb(
        "lessons", "List, show, drop, pin or write the rules that you had to state again and again.", "app"
    ),
    "episodes": Verb("lessons", "List your messages to your agents, each with its act, such as correction."),
    "handoff": Verb("handoff", "List the prompts that wait for somebody's answer in a file."),
    "mine": Verb("days", "Cut sessions into tasks, and find the recurring work."),
    "tasks": Verb("tasks", "List, show, export, import or drop the recurring work.", "app"),
    "recall": Verb("recall", "Find the past tasks nearest to a text, with their outcomes."),
    "run": Verb("nights", "Run one night now: harvest, mine, replay, gate, propose.", spends=True),
    "status": Verb("status", "Show last night, next night, candidates on probation and waiting proposals."),
    "nights": Verb("nights", "List past nights.", "history"),
    "show": Verb("nights", "Show the newest proposal, or all the evidence of one night.", "show_evidence"),
    "proposals": Verb("proposals", "List the proposals that wait for your decision."),
    "review": Verb("review", "Look at each waiting proposal: diff, reason, evidence, cost."),
    "adopt": Verb("review", "Write a proposal to its skill file."),
    "reject": Verb("review", "Reject a proposal, and say why."),
    "revert": Verb("review", "Undo an adoption."),
    "undo": Verb("review", "Undo the newest adoption."),
    "config": Verb("settings", "Read and change one setting: get, set.", "app"),
    "completion": Verb("completion", "Let your shell complete verbs, options and ids: bash, zsh, fish."),
    "backup": Verb("backups", "Make a checked copy of the database."),
    "restore": Verb("backups", "Put the database back from a backup; the present file is kept."),
    "notice": Verb("notices", "Print today's notice, if there is one; for agents' session starts."),
    "daemon": Verb(
        "resident", "Stay in the foreground: harvest as sessions grow, and run once each night.", spends=True
    ),
    "service": Verb("service", "Let sleepd run by itself: install, uninstall, status, logs.", "app"),
    "plugin": Verb("plugins", "The plugin for your agents: install, uninstall, status.", "app"),
    "mcp": Verb("mcp", "Serve an agent on standard input and output (Model Context Protocol)."),
    "gate": Verb(
        "lab", "Compare your live text with itself (A/A test), and predict the cost of showing a gain.", spends=True
    ),
    "train": Verb("train", "Train a skill text on a task set, with the steps and the gate of a night.", spends=True),
    "eval": Verb("train", "Score a skill on a task set, and change nothing.", "evaluate", spends=True),
    "gate-lab": Verb("lab", "Measure how often the gate errs, on candidates whose true effect is known.", "gate_lab"),
    "proof-run": Verb("proof", "Run the whole product on a simulated person: no key, no spending.", "proof_run"),
}


@dataclass(frozen=True, slots=True)
class Offer:
    """What a shell may complete a word to, as typer wants it; its own class is not public."""

    value: str
    help: str
    type: str = "plain"


class Verbs(TyperGroup):
    """Commands that are imported on demand."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - typer's signature
        return list(VERBS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 - typer's signature; no public types
        """The command of a verb; None for an unknown one."""
        verb = VERBS.get(cmd_name)
        if verb is None:
            return None
        found = getattr(import_module(f"sleepd.cli.{verb.module}"), verb.function or cmd_name)
        if not isinstance(found, typer.Typer):
            function, found = found, typer.Typer(add_completion=False, rich_markup_mode=None)
            found.command(cmd_name)(function)
        command = get_command(found)
        command.name = cmd_name
        return command

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Verbs and options for the shell, without importing the verbs."""
        if incomplete.startswith("-"):
            return list(super().shell_complete(ctx, incomplete))
        return [Offer(name, help=verb.help) for name, verb in VERBS.items() if name.startswith(incomplete)]

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - typer's signature
        """The table above, without importing the modules it names."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, verb.help) for name, verb in VERBS.items()])


app = typer.Typer(cls=Verbs, add_completion=False, rich_markup_mode=None, invoke_without_command=True)


@app.callback(epilog="Exit status: 0 done as asked (adopting nothing is a success), 1 an assertion did not hold, "
              "2 usage or settings, 3 could not be measured and is tried again, 4 budget spent, 5 your own edit is in "
              "the way, 75 another night is running, 130 stopped; the same command continues.")  # fmt: skip
def root(
    ctx: typer.Context,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Show the log and whole error traces on stderr; before the verb.")
    ] = False,
    environment: Annotated[
        Path | None,
        typer.Option("--environment", help="Read missing variables from this file; before the verb."),
    ] = None,
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    """sleepd learns at night from your own sessions with coding agents, and changes a skill file only on evidence."""
    ctx.obj = {**(ctx.obj or {}), "verbose": verbose}
    if environment is not None:
        from sleepd.settings import config

        config.take_environment(environment)
    if version:
        from sleepd import __version__

        sys.stdout.write(f"sleepd {__version__}\n")
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        sys.stdout.write(ctx.get_help() + "\n")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and end the process with its status. Every error is one line on stderr that names the remedy."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    from sleepd.cli.ending import CommandExit

    with CommandExit(verbose="--verbose" in given):
        typer.completion.completion_init()  # type: ignore[attr-defined]  # typer does not list it
        command = get_command(app)
        try:
            status = command.main(given, prog_name="sleepd", standalone_mode=False)
        except typer.TyperException as error:
            said = str(getattr(error, "format_message", error.__str__)())
            context = getattr(error, "ctx", None)
            known = nearest_verb(said) if context is None or context.parent is None else ""
            path = context.command_path if context is not None else "sleepd"
            sys.stderr.write(f"sleepd: {said.rstrip('.')}{known}; see `{path} --help`\n")
            raise SystemExit(2) from None
        raise SystemExit(status if isinstance(status, int) else 0)


def nearest_verb(message: str) -> str:
    """For `No such command 'hravest'.`: the verb that was meant; never one that spends."""
    import re

    from sleepd.core.errors import nearest

    wrong = re.search(r"No such command '(.*?)'", message)
    return nearest(wrong[1], [name for name, verb in VERBS.items() if not verb.spends]) if wrong else ""
