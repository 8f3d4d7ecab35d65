"""`sleepd train` and `sleepd eval`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sleepd.app import answers, config, trained
from sleepd.app.cli.days import open_log
from sleepd.app.cli.terminal import AsJson, ask, can_ask, note, show, show_json, steps
from sleepd.app.settings import Settings
from sleepd.core.budget import Schedule
from sleepd.core.gate import Rule
from sleepd.core.model import Split
from sleepd.core.score import Metric

TaskSetFolder = Annotated[
    Path, typer.Argument(metavar="DIR", help="A task set: train/, val/ and test/ with items.json each.")
]
Skill = Annotated[Path, typer.Option("--skill", metavar="FILE", help="The skill text; it is not changed.")]
Out = Annotated[
    Path | None, typer.Option("--out", help="The output folder; else one below sleepd's state folder, by name.")
]
MaxCalls = Annotated[int | None, typer.Option("--max-calls", min=1, help="Model calls this command may make.")]
BudgetUsd = Annotated[float | None, typer.Option("--budget-usd", min=0, help="Dollars this command may spend.")]


def train(
    ctx: typer.Context,
    folder: TaskSetFolder,
    skill: Skill,
    out: Out = None,
    epochs: Annotated[
        int, typer.Option("--epochs", min=1, max=100, help="Times the train items are gone through.")
    ] = 4,
    steps_: Annotated[
        int | None, typer.Option("--steps", min=1, max=1_000, help="Steps of one epoch; else each train item once.")
    ] = None,
    batch: Annotated[
        int | None, typer.Option("--batch", min=1, max=1_000, help="Train items of a step; else optimizer.minibatch.")
    ] = None,
    samples: Annotated[
        int | None, typer.Option("--samples", min=1, max=8, help="Rollouts of each train item; else optimizer.samples.")
    ] = None,
    schedule: Annotated[
        Schedule,
        typer.Option("--schedule", help="How the edit budget falls from optimizer.edit_budget to --least-edits."),
    ] = Schedule.COSINE,
    least_edits: Annotated[int, typer.Option("--least-edits", min=1, help="The edit budget of the last step.")] = 2,
    rule: Annotated[
        Rule | None, typer.Option("--rule", help="The gate's rule; strict and off are the paper's. Else gate.rule.")
    ] = None,
    metric: Annotated[
        Metric | None, typer.Option("--metric", help="How checks become a score; else gate.metric.")
    ] = None,
    slow: Annotated[
        trained.Slow,
        typer.Option("--slow", help="The slow update at the end of an epoch: through the gate, forced, off."),
    ] = trained.Slow.GATED,
    meta: Annotated[bool, typer.Option("--meta/--no-meta", help="Strategy notes for the reflection model.")] = True,
    appendix: Annotated[
        bool,
        typer.Option("--appendix/--no-appendix", help="Reminders of rules that the skill holds and were not kept."),
    ] = True,
    patience: Annotated[
        int, typer.Option("--patience", min=0, help="Stop after so many steps in a row without a gain; 0: never.")
    ] = 0,
    min_gain: Annotated[
        float,
        typer.Option("--min-gain", min=0, max=1, help="The gain of the validation mean that counts for --patience."),
    ] = 0.0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in the output folder.")] = False,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The order in which the train items come.")] = 1,
    backend: Annotated[str | None, typer.Option("--backend", help="Another model adapter than model.name.")] = None,
    max_calls: MaxCalls = None,
    budget_usd: BudgetUsd = None,
    as_json: AsJson = False,
) -> None:
    """Train a skill text on a task set, and write the best text, the history and every patch to the output folder.

    The run has a database of its own there, so that it touches neither your sessions nor your false-discovery account.
    Nothing is written to FILE. Exit status 3 when the model could not be reached, 4 when the budget is spent; all that
    was paid for is kept, and the same command with --resume goes on.
    """
    from sleepd.app import training
    from sleepd.pipeline.slow import SlowMode
    from sleepd.pipeline.train import Training

    places = config.places()
    settings = _settings(
        {"gate.rule": rule, "gate.metric": metric, "optimizer.minibatch": batch, "optimizer.samples": samples},
        {"night.max_calls": max_calls, "night.budget_usd": budget_usd, "model.name": backend},
    )
    wish = training.Wish(
        folder=folder,
        skill=skill,
        out=out,
        resume=resume,
        training=Training(
            epochs=epochs,
            steps=steps_,
            optimizing=training.optimizing(settings),
            schedule=schedule,
            least_edits=least_edits,
            slow=SlowMode(slow.value),
            meta=meta,
            appendix=appendix,
            patience=patience,
            min_gain=min_gain,
            seed=seed,
        ),
    )
    open_log(ctx, settings)
    with steps("training", hidden=as_json) as told:
        ran = training.run(places, settings, wish, told)
    for line in ran.notes:
        note(line)
    if as_json:
        show_json(trained.ran_json(ran))
    else:
        show(trained.ran_text(ran))


def evaluate(
    ctx: typer.Context,
    folder: TaskSetFolder,
    skill: Skill,
    split: Annotated[Split, typer.Option("--split", help="The side of the task set.")] = Split.TEST,
    samples: Annotated[int, typer.Option("--samples", min=1, max=100, help="Rollouts of each item.")] = 4,
    metric: Annotated[
        Metric | None, typer.Option("--metric", help="How checks become a score; else gate.metric.")
    ] = None,
    out: Out = None,
    backend: Annotated[str | None, typer.Option("--backend", help="Another model adapter than model.name.")] = None,
    max_calls: MaxCalls = None,
    budget_usd: BudgetUsd = None,
    as_json: AsJson = False,
) -> None:
    """Score a skill text on one side of a task set: the mean with its 95 % interval, item by item.

    What could not be scored is counted apart and in no mean. Rollouts are kept in the output folder: the same command
    pays for nothing twice. Exit status 3 when nothing could be scored.
    """
    from sleepd.app import training
    from sleepd.pipeline.train import Training

    places = config.places()
    settings = _settings(
        {"gate.metric": metric},
        {"night.max_calls": max_calls, "night.budget_usd": budget_usd, "model.name": backend},
    )
    wish = training.Wish(folder=folder, skill=skill, out=out, training=Training())
    open_log(ctx, settings)
    with steps("scoring", hidden=as_json):
        scored = training.score(places, settings, wish, split, samples)
    if as_json:
        show_json(trained.scored_json(scored))
    else:
        show(trained.scored_text(scored))


def _settings(how: dict[str, object], limits: dict[str, object]) -> Settings:
    """The settings with the options in place; a limit has to be set, here or there."""
    plain = {key: getattr(value, "value", value) for key, value in {**how, **limits}.items()}
    settings = config.load(overrides=plain)
    return answers.answered(settings, (answers.SPENDING,), config.places().config, ask if can_ask() else None)
