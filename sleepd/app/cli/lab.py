"""`sleepd gate-lab`."""

from __future__ import annotations

from typing import Annotated

import typer

from sleepd.app import config
from sleepd.app.cli.terminal import AsJson, progress, show, show_json
from sleepd.core.gate import Rule


def gate_lab(
    repetitions: Annotated[
        int,
        typer.Option("--repetitions", "-n", min=20, help="Candidates for each line; lives for each share of lives."),
    ] = 2_000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The chance; equal seeds give equal tables.")] = 1,
    rule: Annotated[
        Rule, typer.Option("--rule", help="The gate's rule; strict and off are the paper's.")
    ] = Rule.EVIDENCE,
    tasks: Annotated[int, typer.Option("--tasks", min=5, max=200, help="Validation tasks of the simulated user.")] = 13,
    pairs: Annotated[int, typer.Option("--pairs", min=1, help="Pairs a night.")] = 40,
    as_json: AsJson = False,
) -> None:
    """Run the shipped gate on simulated candidates whose true effect is known, and print how often it errs.

    Takes a few minutes; no key, no spending. Every figure has its 95 % interval and the level it was measured at. The
    levels, the number of baseline rollouts and the look at each task are those of your settings.
    """
    from sleepd.app.lab import printed

    setup, alpha = printed.setup(config.load(), rule, tasks=tasks, pairs=pairs)
    with progress("simulating") as told:
        measured = printed.measure(setup, alpha, repetitions, seed, told)
    if as_json:
        show_json(printed.as_json(measured))
    else:
        show(printed.as_text(measured))
