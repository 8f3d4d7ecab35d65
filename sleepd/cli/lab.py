"""`sleepd gate-lab`."""

from __future__ import annotations

from typing import Annotated

import typer

from sleepd.cli.terminal import AsJson, ask, can_ask, progress, show, show_json, steps
from sleepd.core.experiment import VerdictRule
from sleepd.settings import config


def gate_lab(
    repetitions: Annotated[
        int,
        typer.Option(
            "--repetitions", "-n", min=20, help="Simulated candidates, or lives of many candidates, for each line."
        ),
    ] = 2_000,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="The seed of the simulation; equal seeds give equal tables.")
    ] = 1,
    rule: Annotated[
        VerdictRule, typer.Option("--rule", help="The gate's rule; strict and off are the rules of SkillOpt's paper.")
    ] = VerdictRule.EVIDENCE,
    tasks: Annotated[int, typer.Option("--tasks", min=5, max=200, help="Validation tasks of the simulated user.")] = 13,
    pairs: Annotated[int, typer.Option("--pairs", min=1, help="Pairs a night.")] = 40,
    as_json: AsJson = False,
) -> None:
    """Run the shipped gate on simulated candidates whose true effect is known, and print how often it errs.

    The command takes a few minutes, needs no key and spends nothing. Every figure has its 95 % interval and the level
    it was measured at. The levels, the number of baseline rollouts and the check of each task are those of your
    settings.
    """
    from sleepd.lab.gate import printed

    setup, alpha = printed.setup(config.load(), rule, tasks=tasks, pairs=pairs)
    with progress("simulating") as told:
        measured = printed.measure(setup, alpha, repetitions, seed, told)
    if as_json:
        show_json(printed.as_json(measured))
    else:
        show(printed.as_text(measured))


gate = typer.Typer(
    help="Test the gate on your own model and work.", add_completion=False, no_args_is_help=True, rich_markup_mode=None
)


@gate.callback()
def _group() -> None:
    """Test the gate on your own model and work."""


@gate.command()
def calibrate(
    ctx: typer.Context,
    pairs: Annotated[int, typer.Option("--pairs", min=8, help="Pairs of the live text against itself.")] = 40,
    budget_usd: Annotated[
        float | None, typer.Option("--budget-usd", help="Dollars that the command may spend.")
    ] = None,
    max_calls: Annotated[int | None, typer.Option("--max-calls", help="Model calls that the command may make.")] = None,
    skill: Annotated[str | None, typer.Option("--skill", help="Calibrate on this skill's work only.")] = None,
    as_json: AsJson = False,
) -> None:
    """Compare the live text with itself on your own model (A/A test), and predict the cost of showing a gain.

    A difference between identical texts is a defect; the exit status is then 1. The rollouts are kept:
    the same command goes on with them.
    """
    from sleepd.cli.days import open_log
    from sleepd.usecases import answers, calibration
    from sleepd.usecases.run_options import RunOptions

    places = config.places()
    settings = config.load(overrides={"night.budget_usd": budget_usd, "night.max_calls": max_calls})
    settings = answers.answered(settings, (answers.SPENDING,), places.config, ask if can_ask() else None)
    open_log(ctx, settings)
    with steps("the live text against itself"):
        seen = calibration.run(places, settings, RunOptions(skill=skill), pairs)
    if as_json:
        show_json(calibration.as_json(seen))
    else:
        show(calibration.as_text(seen))
    calibration.check(seen)
