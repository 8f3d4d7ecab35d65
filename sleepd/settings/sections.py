"""Everything that can be set, section by section: each key once, with its type and bounds, its default and its meaning.

The text below a key is the comment in the file that `sleepd init` writes and the row of `docs/reference/settings.md`.
The sections are frozen and are passed as they are to whatever they configure. `Field(examples=[...])` gives the value
shown where a key is absent by default.
"""

from __future__ import annotations

import ast
import inspect
from typing import Annotated, ClassVar, Final, Literal, Self

from pydantic import ConfigDict, Field, ValidationInfo, field_validator, model_validator
from pydantic.dataclasses import dataclass
from pydantic.fields import FieldInfo

from sleepd.settings.values import Count, Dollars, Inner, Minutes, Name, Names, PlainUrl, Share, Since, TimeOfDay

CLOSED: Final = ConfigDict(extra="forbid", allow_inf_nan=False, defer_build=True)
"""An unknown key is a mistake, and so is a number that is none."""


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class Section:
    """A table of the settings file."""

    __pydantic_fields__: ClassVar[dict[str, FieldInfo]]

    @field_validator("*", mode="before")
    @classmethod
    def _no_truth_for_a_number(cls, value: object, info: ValidationInfo) -> object:
        """`alpha = true` is a slip, not 1.0."""
        if isinstance(value, bool) and keys(cls)[str(info.field_name)].annotation is not bool:
            raise ValueError("a value other than true or false")
        return value


def keys(section: type[Section]) -> dict[str, FieldInfo]:
    """The keys of a section with their defaults and examples, in the order of the file."""
    return section.__pydantic_fields__


def meanings(section: type[Section]) -> dict[str, str]:
    """What each key of a section means: the text below the key in this file, in one line."""
    (cls,) = ast.parse(inspect.getsource(section)).body
    assert isinstance(cls, ast.ClassDef)
    return {
        key.target.id: " ".join(text.value.value.split())
        for key, text in zip(cls.body, cls.body[1:], strict=False)
        if isinstance(key, ast.AnnAssign) and isinstance(key.target, ast.Name)
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant) and isinstance(text.value.value, str)
    }


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class HarvestConfig(Section):
    """Which transcripts are read, and how much of them is kept."""

    agents: Names = ()
    """The agents whose transcripts are read, by harvester name. Empty: every agent found on this machine, so that a
    newly installed one is noticed."""
    since: Annotated[Since | None, Field(examples=["30d"])] = None
    """How far back the first harvest reaches: "30d" for thirty days, "all" for everything. Absent: asked on the first
    run, because months of history cost time and model calls that nobody agreed to."""
    max_text: Count = 16_000
    """Characters kept of one message. 16,000 holds nearly every prompt and reply whole, while a pasted log does not
    fill the database."""
    max_tool_text: Count = 4_000
    """Characters kept of one tool result. The result of a test or a command is in its last lines; the rest is bulk."""
    include_headless: bool = False
    """Also learn from sessions that a script drove (`claude -p`, `codex exec`). Off, because a script's prompts are not
    a person's recurring work and outnumber them."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of sessions that are learnt from; never those that another agent drove."""
        # The records cost more than all sections, and `sleepd status` needs none.
        from harvesters.records import SessionKind

        alone = (SessionKind.INTERACTIVE,)
        return (*alone, SessionKind.HEADLESS) if self.include_headless else alone


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class EmbedderConfig(Section):
    """What turns a request into a vector."""

    name: Name = "sentence-transformers"
    """The embedder, by registered name. The default understands paraphrases; `hashed-tfidf` needs nothing installed and
    works on words alone. Neither replaces the other silently."""
    model: Name = "sentence-transformers/all-MiniLM-L6-v2"
    """The model the embedder loads, or a folder that holds one. The default is small (90 MB) and runs on a laptop
    without a graphics card."""


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class MineConfig(Section):
    """How recurring work is recognised."""

    similarity: Inner = 0.1
    """Least mean cosine of all pairs within a cluster, counted from the project's mean: 0 is a chance pair, 1 a copy.
    0.1 held on three labelled histories; raise it when unlike requests end up in one cluster."""
    near_duplicate: Inner = 0.95
    """Cosine from which two tasks count as copies, which must share a split. Far above `similarity`, so that only
    copies are held together."""
    min_sessions: Count = 2
    """Sessions a cluster must span to count as recurring. Two: once is not a habit."""
    split_val: Inner = 0.3
    """Share of near-duplicate groups that judge candidates. Enough for the gate's five groups at about seventeen; a
    group never changes sides."""
    split_test: Inner = 0.2
    """Share of near-duplicate groups that stay sealed for the final figure. The remainder (half) teaches."""

    @model_validator(mode="after")
    def _shares_fit(self) -> Self:
        if self.split_val + self.split_test >= 1:
            raise ValueError("split_val and split_test that leave something to learn from: together below 1")
        if self.near_duplicate <= self.similarity:
            raise ValueError("near_duplicate above similarity: a copy is more alike than a relative")
        return self


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class LessonsConfig(Section):
    """What a lesson needs before it is listed, and before a check of it is worth a model call; and what
    `sleepd lessons --read` may ask the reflection model. Without `--read` no model is asked."""

    sessions: Count = 2
    """Sessions in which a correction, a refusal or a repair has to come before it is a lesson. Two: once is no rule."""
    sessions_of_steps: Count = 3
    """The same for failed calls and for steps asked for after finished work, which come by chance more often."""
    retire_after: Count = 20
    """Sessions in which a lesson could have been needed and was not, before it is retired. The silence must also be
    too long for chance: less likely than one in twenty at the rate at which it was needed before. A retired lesson is
    listed with `--all` only, and returns when it is needed again."""
    applies: Count = 20
    """Exchanges in your history to which a check has to apply. Below twenty its shares are hardly known."""
    broken: Share = 0.2
    """Least share of them in which the rule was broken. A rule that is kept anyway is not worth a token."""
    recall: Share = 0.66
    """Least share of the moments that you corrected which the check flags. A check that misses more measures something
    else."""
    max_calls: Count = 30
    """Model calls of one reading. Thirty hold six hundred turns; the same command goes on where the last one
    stopped."""
    turns: Literal["unsure", "all"] = "unsure"
    """Whose acts are read: those that the structural signs leave open, or those of all your turns. Of 235 labelled
    turns 69 were sure, and 66 of these were rightly called a correction or none: reading them buys little."""
    prompt_tokens: Annotated[int, Field(ge=4_000)] = 30_000
    """Tokens of one prompt that asks for lessons. A longer history is asked about project by project, in several
    prompts; a lesson is seen best where all its sessions stand in one."""


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class ModelConfig(Section):
    """The task model: the one that works under the skill. Keys come from the environment, never from the file."""

    name: Annotated[Name | None, Field(examples=["anthropic"])] = None
    """The adapter, by registered name: `anthropic`, `openai` (and whatever speaks its protocol at `base_url`), `azure`,
    `openrouter`, `deepseek`, `minimax`, `qwen`, `vllm`, `ollama`, `lmstudio` (the same protocol at a known address),
    `claude`, `codex`, `copilot` (the agent's own command with the login you have), `handoff` (a folder of prompts that
    somebody answers) or `simulated`. Absent: a run stops and says how to choose, since a guess would spend money."""
    model: Annotated[Name | None, Field(examples=["claude-haiku-4-5"])] = None
    """The provider's name for the model. Absent: an error for an adapter that needs one. Use the model your agent runs
    on; evidence is about one model."""
    base_url: Annotated[PlainUrl | None, Field(examples=["http://127.0.0.1:8080/v1"])] = None
    """Another address that speaks the adapter's protocol, such as a local server. Absent: the provider's own."""
    key_variable: Annotated[Name | None, Field(examples=["WORK_API_KEY"])] = None
    """The environment variable that holds this model's key. Absent: `SLEEPD_API_KEY`, else the provider's usual one."""
    folder: Annotated[Name | None, Field(examples=["~/handoff"])] = None
    """Of `handoff`: the folder of prompts and answers. Absent: `handoff` next to the database."""
    temperature: Annotated[Annotated[float, Field(ge=0, le=2)] | None, Field(examples=[1.0])] = None
    """Sampling temperature. Absent: not sent, since some models refuse it and the provider's default is what your agent
    uses."""
    max_tokens: Count = 2_000
    """Tokens one reply may have. A reply that reaches it is unscored, not wrong; 2,000 is about three pages."""
    timeout_s: Annotated[float, Field(gt=0)] = 120
    """Seconds one request may take with all its repeats. Two minutes let a slow model finish."""
    max_retries: Annotated[int, Field(ge=0)] = 2
    """Repeats after an overload or a broken connection. Two ride out a hiccup; an outage is reported and the night goes
    on tomorrow."""
    price_in_per_mtok: Annotated[Dollars | None, Field(examples=[1.0])] = None
    """Dollars for a million tokens read. Absent: as the package `genai-prices` lists it for the provider's own address;
    unknown elsewhere, and a dollar budget then stops the run."""
    price_out_per_mtok: Annotated[Dollars | None, Field(examples=[5.0])] = None
    """Dollars for a million tokens written. Absent: as for tokens read."""
    seed: Annotated[int | None, Field(examples=[7])] = None
    """Start of the seeds sent to a provider that takes them. Absent: none is sent; the gate needs independent draws,
    not repeatable ones."""

    @model_validator(mode="after")
    def _prices_come_together(self) -> Self:
        if (self.price_in_per_mtok is None) != (self.price_out_per_mtok is None):
            raise ValueError("both prices, price_in_per_mtok and price_out_per_mtok, or neither")
        return self


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class ReflectionConfig(Section):
    """The reflection model: the one that reads outcomes and proposes edits. Absent keys mean `[model]`'s."""

    name: Annotated[Name | None, Field(examples=["anthropic"])] = None
    """Another adapter for reflections. Absent: the task model's, so that one login is enough."""
    model: Annotated[Name | None, Field(examples=["claude-opus-4-5"])] = None
    """Another model for reflections; a stronger one pays here, because it is called a few times a night and the task
    model hundreds of times. Absent: the task model."""
    base_url: Annotated[PlainUrl | None, Field(examples=["http://127.0.0.1:8080/v1"])] = None
    """Another address for reflections. Absent: the task model's, or the provider's own where the adapter differs."""
    key_variable: Annotated[Name | None, Field(examples=["WORK_API_KEY"])] = None
    """The environment variable that holds this model's key. Absent: as for the task model, where the adapter is the
    same."""
    temperature: Annotated[Annotated[float, Field(ge=0, le=2)] | None, Field(examples=[1.0])] = None
    """Sampling temperature of reflections. Absent: the task model's."""
    timeout_s: Annotated[float | None, Field(gt=0, examples=[300])] = None
    """Seconds one reflection may take with all its repeats; a model that thinks long needs more. Absent: the task
    model's."""
    price_in_per_mtok: Annotated[Dollars | None, Field(examples=[5.0])] = None
    """Dollars for a million tokens read. Absent: the task model's where it is the same model, else unknown."""
    price_out_per_mtok: Annotated[Dollars | None, Field(examples=[25.0])] = None
    """Dollars for a million tokens written. Absent: as for tokens read."""

    @model_validator(mode="after")
    def _prices_come_together(self) -> Self:
        if (self.price_in_per_mtok is None) != (self.price_out_per_mtok is None):
            raise ValueError("both prices, price_in_per_mtok and price_out_per_mtok, or neither")
        return self


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class OptimizerConfig(Section):
    """How far one night may move a text."""

    edit_budget: Count = 4
    """Edits one candidate may hold: the textual learning rate, where `schedule` begins. Four keep a candidate
    reviewable and its effect attributable (SkillOpt, arXiv 2605.23904, uses 4)."""
    edit_budget_end: Count = 2
    """The budget that a falling `schedule` ends with; a value above `edit_budget` counts as `edit_budget`. Two are the
    fewest that can be taken apart (skillopt 0.2.0 uses 2)."""
    schedule: Literal["constant", "linear", "cosine", "autonomous", "unbounded"] = "cosine"
    """How the budget changes over the steps of a night or a training run. `linear` and `cosine` fall to
    `edit_budget_end`: bold while much is wrong, careful when little is left (cosine from 4 to 2 is SkillOpt's, arXiv
    2605.23904). `autonomous`: the reflection model states at each step how many edits it deserves, up to `edit_budget`.
    `unbounded`: no budget, for comparisons."""
    ranking: Literal["model", "support"] = "model"
    """Who orders the proposed edits. `model`: the reflection model, as in SkillOpt (arXiv 2605.23904), at most one call
    in a step and only where the order decides something: less than a hundredth of a night's calls. `support`: how many
    reflections proposed them, without a call."""
    rejected_buffer: bool = True
    """Show failed edits, with their reasons, to later reflections, and do not try them again on the same text
    (SkillOpt, arXiv 2605.23904). Off is for comparisons; a person's rejections count all the same."""
    shorten: bool = False
    """When nothing else is left to try, try the text without a rule that successful work did not need. This saves the
    tokens of one line and takes 260 pairs or more (`gate.margin`), so it is off; a text near `max_skill_tokens` is
    shortened in any case."""
    meta_notes: bool = True
    """At the end of a night the reflection model notes which kinds of edits were accepted, and which not; later nights'
    reflections on that file read the notes, no skill ever holds them (the meta skill of SkillOpt, arXiv 2605.23904).
    One call a night. A training run has `--no-meta` instead."""
    steps: Count = 2
    """Candidates made in a night. Each new one lowers the level for the next, so few good ones beat many."""
    minibatch: Count = 8
    """Training tasks one reflection reads. Eight with their attempts fit a model's attention."""
    samples: Annotated[int, Field(ge=1, le=8)] = 1
    """Rollouts of each training task that a reflection reads. More rollouts show where the same text varies, and cost
    as many calls."""
    recall_k: Annotated[int, Field(ge=0)] = 5
    """Similar past tasks that join a reflection, with good and bad attempts side by side. Five show a pattern without
    crowding out the batch; 0 turns it off."""
    max_skill_tokens: Count = 2_000
    """Tokens the text may have. Every session that loads the text pays for them, so this is a hard limit."""
    compact_share: Share = 0.9
    """Share of `max_skill_tokens` above which a night first tries a shorter text: the rest is room for about four more
    rules, one candidate's worth."""
    compact_saves: Count = 20
    """Tokens that a shorter text saves at least, about one rule. A smaller saving is not worth the rollouts of the
    non-inferiority test."""
    descriptions: Literal["own", "all", "off"] = "own"
    """Whose descriptions, which decide when an agent loads a skill, may be changed on evidence: those of files that
    sleepd made (`own`), also yours (`all`), or none, and none is measured (`off`). Your own words are left alone unless
    you say so."""


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class GateConfig(Section):
    """What an edit has to show before it is proposed."""

    rule: Literal["evidence", "strict", "off"] = "evidence"
    """`evidence`: bets that hold their error level for life. `strict`: one higher score wins, as in the paper, which
    adopts edits that do nothing. `off`: no gate. Reports name the rule."""
    metric: Literal["hard", "soft", "mixed"] = "soft"
    """`hard`: all checks or nothing. `soft`: the share of checks that hold. `mixed`: their mean. Soft sees small
    improvements with fewer rollouts."""
    alpha: Annotated[float, Field(gt=0, le=0.5)] = 0.05
    """The false discovery rate of all adoptions together, for the life of the account. One in twenty is customary."""
    beta: Annotated[float, Field(gt=0, le=0.5)] = 0.10
    """The level at which a candidate is rejected as too weak. Looser than `alpha`: a missed edit can be proposed
    again."""
    smallest_effect: Annotated[float, Field(gt=0, le=1)] = 0.10
    """The smallest gain worth the tokens of a rule, as a difference of mean scores. Below +0.10 the proof costs more
    rollouts than most people's nights hold."""
    baseline_samples: Count = 4
    """Fresh rollouts of the live text behind the baseline figure of a pair. Compared with one, four cut the pairs
    needed by a sixth to a third. A pair costs one call more than that."""
    pairs_per_night: Count = 200
    """Pairs drawn in one night over all candidates. Enough to find a house rule (a convention that you state), check it
    task by task and take its bundle apart in one night; half of them reject a candidate without effect."""
    max_pairs: Count = 1_000
    """Pairs after which an undecided candidate is closed. A gain of ten points on tasks that pass half the time takes
    300 on average; candidates without effect are rejected long before."""
    margin: Annotated[float, Field(gt=0, le=0.2)] = 0.03
    """The non-inferiority margin: the loss, as a difference of mean scores, from which a shorter text counts as worse.
    Three points are less than anybody notices; half the margin takes four times the pairs."""
    margin_pairs: Count = 1_200
    """Pairs after which an undecided shorter text is closed. Showing that a text is no worse takes at least 260 pairs
    at a margin of 0.03, and up to 1,200 where scores vary by a quarter of a point."""
    trigger_margin: Annotated[float, Field(gt=0, le=0.2)] = 0.05
    """The non-inferiority margin of a new description: the loss in the share of requests that rightly load a skill, or
    rightly do not. One in twenty, the number of requests that are asked about."""
    max_nights: Count = 14
    """Nights after which an undecided candidate is closed. In two weeks the work itself has moved."""
    coverage: Share = 0.8
    """Share of rollouts that must be scored, for the live text and for the candidate. Below it the answer would be
    about the easy tasks only. A candidate that clearly stays below is closed as "could not be measured"."""
    validation_tasks: Annotated[int, Field(ge=5)] = 24
    """Tasks that a new candidate is judged on, the newest ones. Each is checked before a candidate is accepted, so more
    tasks cost more; `sleepd gate-lab` measures with 13."""
    confirm_pairs: Annotated[int, Field(ge=0)] = 4
    """Pairs of each single task before a candidate is accepted, so that no task is broken for the mean. A task that
    looks worse gets more pairs. 0: no check of single tasks."""
    largest_drop: Annotated[float, Field(gt=0, le=1)] = 0.5
    """The drop of one task's mean score that the check of single tasks is designed to find. Smaller drops of a single
    task would take hundreds of rollouts to see."""
    attribution_pairs: Annotated[int, Field(ge=0)] = 64
    """Pairs at most for the leave-one-out test of each edit of a winning bundle: an edit that hurts, or has no
    measurable effect, does not ride along. 0: bundles are not taken apart."""
    waiting_share: Share = 0.5
    """Share of a night that candidates from earlier nights may take before something new is tried. Half, so that
    something new is always tried. What the new ones leave goes to those that wait, too."""
    runners: Annotated[int, Field(ge=0)] = 8
    """Where reflections agree on nothing, at most so many of their edits run a short race on the same tasks, and the
    best two go on to the gate. A race decides nothing and costs no evidence; with eight it takes as many calls as 31
    pairs. 0: the first one goes on, in the order of `optimizer.ranking`."""


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class NightConfig(Section):
    """What one night may spend, and when it runs."""

    max_calls: Annotated[Count | None, Field(examples=[500])] = None
    """Model calls of one night, all its runs together; `--max-calls` allows one run so many more. Absent: asked on the
    first run; nothing is spent unasked."""
    budget_usd: Annotated[Dollars | None, Field(examples=[2.0])] = None
    """Dollars of one night, all its runs together. Absent: asked on the first run. A model without a known price stops
    the run when this is set."""
    skills: Count = 3
    """Skills that one night works on at most. Its pairs are divided by how often the work occurred and you had to ask
    again; with few pairs it is one skill."""
    workers: Annotated[int, Field(ge=1, le=32)] = 4
    """Rollouts at the same time. Four are within the rate limits of small accounts, and bring a first proposal within
    minutes."""
    at: TimeOfDay = "03:17"
    """Local time at which the daemon starts a night. An odd minute, away from everybody's full hour."""
    jitter_minutes: Minutes = 10
    """A night that the clock starts begins up to so many minutes later, at random, so that a house full of machines
    does not ask the provider at once."""
    projects: Annotated[Names, Field(examples=[["~/work/shop"]])] = ()
    """Project folders that each get a night of their own. Empty: one night for all projects together."""
    lock_wait_s: Annotated[float, Field(ge=0)] = 0
    """Seconds to wait for another night to end. 0: an interactive run says at once who is busy; a scheduled one states
    its own wait."""


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class ConditionsConfig(Section):
    """When a night that the clock starts may begin. One that must wait is tried again every few minutes."""

    on_battery: bool = False
    """Begin on battery power as well. Off: an hour of model calls is not worth an empty battery."""
    idle_minutes: Minutes = 5
    """Minutes without a key or a movement before a night begins. 0: do not look. Where this is unknown, as on a server,
    it blocks nothing."""
    agent_quiet_minutes: Minutes = 10
    """Minutes without a new line in any transcript before a night begins, so that it never shares your usage limit with
    your own work. 0: do not look."""


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class NotifyConfig(Section):
    """How you hear of a night. At most one message a day, whatever happens."""

    desktop: bool = True
    """Show a desktop notification where there is a desktop."""
    session_start: bool = True
    """Let the agent's plugin show one line when a session starts."""
    quiet_nights: Count = 14
    """Nights in a row that learnt nothing before you are told. Most nights adopt nothing, and that is normal; two weeks
    of it are worth a look."""


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class McpConfig(Section):
    """What agents may do through `sleepd mcp`."""

    decide_unasked: bool = False
    """Let an agent adopt and revert, by id and digest, through a client that cannot ask you. Off: your own yes is
    needed, in the client or in a terminal, because an agent that read a digest has not shown you anything."""


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class LogConfig(Section):
    """The log file. Nothing is written to the terminal unless `--verbose` is given."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    """The least important events written. `info` names the steps of a night."""
