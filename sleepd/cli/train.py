"""`sleepd train` and `sleepd eval`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from sleepd.cli.days import open_log
from sleepd.cli.terminal import AsJson, ask, can_ask, note, show, show_json, steps
from sleepd.core.budget import Schedule
from sleepd.core.experiment import VerdictRule
from sleepd.core.model import Split
from sleepd.core.score import Metric
from sleepd.settings import config
from sleepd.settings.settings import Settings
from sleepd.usecases import answers
from sleepd.views import trained

TaskSetFolder = Annotated[
    Path, typer.Argument(metavar="DIR", help="A task set: the folders train/, val/ and test/, each with an items.json.")
]
Skill = Annotated[Path, typer.Option("--skill", metavar="FILE", help="The skill text; it is not changed.")]
Out = Annotated[Path | None, typer.Option("--out", help="The output folder. Default: one below sleepd's state folder.")]
Epochs = Annotated[int, typer.Option("--epochs", min=1, max=100, help="Passes over the train items.")]
Steps = Annotated[
    int | None, typer.Option("--steps", min=1, max=1_000, help="Steps of one epoch. Default: each train item once.")
]
Batch = Annotated[
    int | None, typer.Option("--batch", min=1, max=1_000, help="Train items of a step. Default: optimizer.minibatch.")
]
Samples = Annotated[
    int | None, typer.Option("--samples", min=1, max=8, help="Rollouts of each train item. Default: optimizer.samples.")
]
EditSchedule = Annotated[
    Schedule | None,
    typer.Option("--schedule", help="How the edit budget falls over the run. Default: optimizer.schedule."),
]
GateRule = Annotated[
    VerdictRule | None,
    typer.Option("--rule", help="The gate's rule; strict and off are SkillOpt's rules. Default: gate.rule."),
]
GateMetric = Annotated[Metric | None, typer.Option("--metric", help="How checks become a score. Default: gate.metric.")]
SlowUpdate = Annotated[
    trained.Slow,
    typer.Option("--slow", help="The slow update at the end of an epoch: gated, forced (without the gate), off."),
]
Meta = Annotated[bool, typer.Option("--meta/--no-meta", help="Strategy notes for the reflection model.")]
Appendix = Annotated[
    bool, typer.Option("--appendix/--no-appendix", help="Reminders of skill rules that the agent did not keep.")
]
Patience = Annotated[
    int, typer.Option("--patience", min=0, help="Stop after so many steps in a row without a gain; 0: never.")
]
MinGain = Annotated[
    float, typer.Option("--min-gain", min=0, max=1, help="The gain of the validation mean that counts for --patience.")
]
Resume = Annotated[bool, typer.Option("--resume", help="Continue the run in the output folder.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="The seed of the order of the train items.")]
Backend = Annotated[str | None, typer.Option("--backend", help="Another model adapter than model.name.")]
MaxCalls = Annotated[int | None, typer.Option("--max-calls", min=1, help="Model calls this command may make.")]
BudgetUsd = Annotated[float | None, typer.Option("--budget-usd", min=0, help="Dollars this command may spend.")]
Option: TypeAlias = str | int | float | None


def train(
    ctx: typer.Context,
    folder: TaskSetFolder,
    skill: Skill,
    out: Out = None,
    epochs: Epochs = 4,
    steps_: Steps = None,
    batch: Batch = None,
    samples: Samples = None,
    schedule: EditSchedule = None,
    rule: GateRule = None,
    metric: GateMetric = None,
    slow: SlowUpdate = trained.Slow.GATED,
    meta: Meta = True,
    appendix: Appendix = True,
    patience: Patience = 0,
    min_gain: MinGain = 0.0,
    resume: Resume = False,
    seed: Seed = 1,
    backend: Backend = None,
    max_calls: MaxCalls = None,
    budget_usd: BudgetUsd = None,
    as_json: AsJson = False,
) -> None:
    """Train a skill text on a task set, and write the best text, the history and every patch to the output folder.

    The run has its own database there and does not touch your sessions; its error levels continue your one account.
    Nothing is written to FILE. Exit status 3 when the model could not be reached, 4 when the budget is spent; paid work
    is kept, and the same command with --resume continues.
    """
    from sleepd.usecases import train_skill

    steering = {"optimizer.minibatch": batch, "optimizer.samples": samples, "optimizer.schedule": schedule}
    how = {"gate.rule": rule, "gate.metric": metric, **steering}
    settings = _settings(how, {"night.max_calls": max_calls, "night.budget_usd": budget_usd, "model.name": backend})
    ends = train_skill.Ends(slow=slow.value, meta=meta, appendix=appendix, patience=patience, min_gain=min_gain)
    course = train_skill.Course(epochs=epochs, steps=steps_, seed=seed)
    asked = train_skill.knobs(settings, course, ends)
    wish = train_skill.Wish(folder=folder, skill=skill, out=out, resume=resume, training=asked)
    open_log(ctx, settings)
    with steps("training", hidden=as_json) as told:
        ran = train_skill.run(config.places(), settings, wish, told)
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
    metric: GateMetric = None,
    out: Out = None,
    backend: Backend = None,
    max_calls: MaxCalls = None,
    budget_usd: BudgetUsd = None,
    as_json: AsJson = False,
) -> None:
    """Score a skill text on one side of a task set: the mean with its 95 % interval, item by item.

    Unscored rollouts are counted separately and enter no mean. Rollouts are kept in the output folder: the same command
    pays for nothing twice. Exit status 3 when nothing could be scored.
    """
    from sleepd.usecases import train_skill

    limits = {"night.max_calls": max_calls, "night.budget_usd": budget_usd, "model.name": backend}
    settings = _settings({"gate.metric": metric}, limits)
    wish = train_skill.Wish(folder=folder, skill=skill, out=out)
    open_log(ctx, settings)
    with steps("scoring", hidden=as_json):
        scored = train_skill.score(config.places(), settings, wish, split, samples)
    if as_json:
        show_json(trained.scored_json(scored))
    else:
        show(trained.scored_text(scored))


def _settings(how: Mapping[str, Option], limits: Mapping[str, Option]) -> Settings:
    """The settings with the options in place; a limit has to be set, here or there."""
    settings = config.load(overrides={**how, **limits})
    return answers.answered(settings, (answers.SPENDING,), config.places().config, ask if can_ask() else None)
