"""`sleepd completion`: the lines that let a shell complete verbs, options and ids."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from sleepd.cli.terminal import show

VARIABLE = "_SLEEPD_COMPLETE"
"""By which the shell's lines ask the command; the name that typer expects."""


class Shell(StrEnum):
    """The shells whose completion is tested."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def completion(
    shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")],
) -> None:
    """Print the lines that complete sleepd's verbs, options, settings and proposals with Tab.

    bash: add `eval "$(sleepd completion bash)"` to ~/.bashrc. zsh: the same with zsh in ~/.zshrc, after compinit.
    fish: sleepd completion fish > ~/.config/fish/completions/sleepd.fish
    """
    from typer import completion as typers

    script = typers.get_completion_script(  # type: ignore[attr-defined]  # typer does not list it
        prog_name="sleepd", complete_var=VARIABLE, shell=shell.value
    )
    show(script)
