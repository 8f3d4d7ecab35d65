"""How edits are made, and what they have to show."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from sleepd.settings.sections.section import Section
from sleepd.settings.values import Count, Share


class Optimizer(Section):
    """How far one night may move a text."""

    edit_budget: Count = Field(
        default=4,
        description="Edits one candidate may hold: the textual learning rate, where `schedule` begins. Four keep a "
        "candidate reviewable and its effect attributable (SkillOpt, arXiv 2605.23904, uses 4).",
    )
    edit_budget_end: Count = Field(
        default=2,
        description="The budget that a falling `schedule` ends with; a value above `edit_budget` counts as "
        "`edit_budget`. Two are the fewest that can be taken apart (skillopt 0.2.0 uses 2).",
    )
    schedule: Literal["constant", "linear", "cosine", "autonomous", "unbounded"] = Field(
        default="cosine",
        description="How the budget changes over the steps of a night or a training run. `linear` and `cosine` fall to "
        "`edit_budget_end`: bold while much is wrong, careful when little is left (cosine from 4 to 2 is SkillOpt's, "
        "arXiv 2605.23904). `autonomous`: the reflection model states at each step how many edits it deserves, up to "
        "`edit_budget`. `unbounded`: no budget, for comparisons.",
    )
    ranking: Literal["model", "support"] = Field(
        default="model",
        description="Who orders the proposed edits. `model`: the reflection model, as in SkillOpt (arXiv 2605.23904), "
        "at most one call in a step and only where the order decides something: less than a hundredth of a night's "
        "calls. `support`: how many reflections proposed them, without a call.",
    )
    rejected_buffer: bool = Field(
        default=True,
        description="Show failed edits, with their reasons, to later reflections, and do not try them again on "
        "the same text (SkillOpt, arXiv 2605.23904). Off is for comparisons; a person's rejections "
        "count all the same.",
    )
    shorten: bool = Field(
        default=False,
        description="When nothing else is left to try, try the text without a rule that successful work did not "
        "need. This saves the tokens of one line and takes 230 pairs or more (`gate.margin`), so it "
        "is off; a text near `max_skill_tokens` is shortened in any case.",
    )
    meta_notes: bool = Field(
        default=True,
        description="At the end of a night the reflection model notes which kinds of edits were accepted, and which "
        "not; later nights' reflections on that file read the notes, no skill ever holds them (the meta "
        "skill of SkillOpt, arXiv 2605.23904). One call a night. A training run has `--no-meta` instead.",
    )
    steps: Count = Field(
        default=2,
        description="Candidates made in a night. Each new one lowers the level for the next, so few good ones beat "
        "many.",
    )
    minibatch: Count = Field(
        default=8,
        description="Training tasks one reflection reads. Eight with their attempts fit a model's attention.",
    )
    samples: Annotated[int, Field(ge=1, le=8)] = Field(
        default=1,
        description="Rollouts of each training task that a reflection reads. More rollouts show where the same "
        "text varies, and cost as many calls.",
    )
    recall_k: Annotated[int, Field(ge=0)] = Field(
        default=5,
        description="Similar past tasks that join a reflection, with good and bad attempts side by side. Five show "
        "a pattern without crowding out the batch; 0 turns it off.",
    )
    max_skill_tokens: Count = Field(
        default=2_000,
        description="Tokens the text may have. Every session that loads the text pays for them, so this is a hard "
        "limit.",
    )
    compact_share: Share = Field(
        default=0.9,
        description="Share of `max_skill_tokens` above which a night first tries a shorter text: the rest is room for "
        "about four more rules, one candidate's worth.",
    )
    compact_saves: Count = Field(
        default=20,
        description="Tokens that a shorter text saves at least, about one rule. A smaller saving is not worth the "
        "rollouts of the non-inferiority test.",
    )
    descriptions: Literal["own", "all", "off"] = Field(
        default="own",
        description="Whose descriptions, which decide when an agent loads a skill, may be changed on evidence: those "
        "of files that sleepd made (`own`), also yours (`all`), or none, and none is measured (`off`). Your own words "
        "are left alone unless you say so.",
    )


class Gate(Section):
    """What an edit has to show before it is proposed."""

    rule: Literal["evidence", "strict", "off"] = Field(
        default="evidence",
        description="`evidence`: bets that hold their error level for life. `strict`: one higher score wins, as in "
        "the paper, which adopts edits that do nothing. `off`: no gate. Reports name the rule.",
    )
    metric: Literal["hard", "soft", "mixed"] = Field(
        default="soft",
        description="`hard`: all checks or nothing. `soft`: the share of checks that hold. `mixed`: their mean. "
        "Soft sees small improvements with fewer rollouts.",
    )
    alpha: Annotated[float, Field(gt=0, le=0.5)] = Field(
        default=0.05,
        description="The false discovery rate of all adoptions together, for the life of the account. One in "
        "twenty is customary.",
    )
    beta: Annotated[float, Field(gt=0, le=0.5)] = Field(
        default=0.10,
        description="The level at which a candidate is rejected as too weak. Looser than `alpha`: a missed edit "
        "can be proposed again.",
    )
    smallest_effect: Annotated[float, Field(gt=0, le=1)] = Field(
        default=0.10,
        description="The smallest gain worth the tokens of a rule, as a difference of mean scores. Below +0.10 the "
        "proof costs more rollouts than most people's nights hold.",
    )
    baseline_samples: Count = Field(
        default=4,
        description="Fresh rollouts of the live text behind the baseline figure of a pair. Compared with one, "
        "four cut the pairs needed by a sixth to a third, and candidates share them.",
    )
    pairs_per_night: Count = Field(
        default=200,
        description="Pairs drawn in one night over all candidates. Enough to find a house rule (a convention that "
        "you state), check it task by task and take its bundle apart in one night; half of them "
        "reject a candidate without effect.",
    )
    max_pairs: Count = Field(
        default=400,
        description="Pairs after which an undecided candidate is closed. At 400, 99 % of good candidates were "
        "found in trials.",
    )
    margin: Annotated[float, Field(gt=0, le=0.2)] = Field(
        default=0.03,
        description="The non-inferiority margin: the loss, as a difference of mean scores, from which a shorter "
        "text counts as worse. Three points are less than anybody notices; half the margin takes four "
        "times the pairs.",
    )
    margin_pairs: Count = Field(
        default=1_200,
        description="Pairs after which an undecided shorter text is closed. Showing that a text is no worse takes "
        "at least 230 pairs at a margin of 0.03, and up to 1,200 where scores vary by a quarter of a "
        "point.",
    )
    trigger_margin: Annotated[float, Field(gt=0, le=0.2)] = Field(
        default=0.05,
        description="The non-inferiority margin of a new description: the loss in the share of requests that "
        "rightly load a skill, or rightly do not. One in twenty, the number of requests that are "
        "asked about.",
    )
    max_nights: Count = Field(
        default=14,
        description="Nights after which an undecided candidate is closed. In two weeks the work itself has moved.",
    )
    coverage: Share = Field(
        default=0.8,
        description="Share of pairs that must be scored, for the live text and for the candidate. Below it the "
        "answer would be about the easy tasks only. The live text's side of a pair is scored when all its "
        "`baseline_samples` are, so a model that times out in one of sixteen calls is at the limit.",
    )
    validation_tasks: Annotated[int, Field(ge=5)] = Field(
        default=24,
        description="Tasks that a new candidate is judged on, the newest ones. Each is checked before a candidate "
        "is accepted, so more tasks cost more; `sleepd gate-lab` measures with 13.",
    )
    confirm_pairs: Annotated[int, Field(ge=0)] = Field(
        default=4,
        description="Pairs of each single task before a candidate is accepted, so that no task is broken for the mean. "
        "A task that looks worse gets more pairs. 0: no check of single tasks.",
    )
    largest_drop: Annotated[float, Field(gt=0, le=1)] = Field(
        default=0.5,
        description="The drop of one task's mean score that the check of single tasks is designed to find. Smaller "
        "drops of a single task would take hundreds of rollouts to see.",
    )
    attribution_pairs: Annotated[int, Field(ge=0)] = Field(
        default=64,
        description="Pairs at most for the leave-one-out test of each edit of a winning bundle: an edit that "
        "hurts, or has no measurable effect, does not ride along. 0: bundles are not taken apart.",
    )
    waiting_share: Share = Field(
        default=0.5,
        description="Share of a night that candidates from earlier nights may take. Half, so that something new "
        "is always tried.",
    )
