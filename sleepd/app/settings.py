"""Everything a user can set: one class for each section of `config.toml`, one field for each key.

Each description says what the key does and why its default is what it is; the reference in
`docs/reference/settings.md` and the file that `sleepd init` writes are made from these classes.
`sleepd.app.config` says where the values come from.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_validator
from pydantic_settings import BaseSettings, InitSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from sleepd.app.values import Count, Dollars, Inner, Minutes, Name, Names, PlainUrl, Share, Since, TimeOfDay


class Section(BaseModel):
    """A table of the settings file: frozen, and closed to keys it does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @field_validator("*", mode="before")
    @classmethod
    def _no_truth_for_a_number(cls, value: object, info: ValidationInfo) -> object:
        """`alpha = true` is a slip, not 1.0."""
        if isinstance(value, bool) and cls.model_fields[str(info.field_name)].annotation is not bool:
            raise ValueError("a value other than true or false")
        return value


class Harvest(Section):
    """Which transcripts are read, and how much of them is kept."""

    agents: Names = Field(
        default=(),
        description="The agents whose transcripts are read, by harvester name. Empty: every agent found on this "
        "machine, so that a newly installed one is noticed.",
    )
    since: Since | None = Field(
        default=None,
        examples=["30d"],
        description='How far back the first harvest reaches: "30d" for thirty days, "all" for everything. Absent: '
        "asked on the first run, because months of history cost time and model calls that nobody agreed to.",
    )
    max_text: Count = Field(
        default=16_000,
        description="Characters kept of one message. 16,000 holds nearly every prompt and reply whole, while a "
        "pasted log does not fill the database.",
    )
    max_tool_text: Count = Field(
        default=4_000,
        description="Characters kept of one tool result. The verdict of a test or a command stands in its last "
        "lines; the rest is bulk.",
    )
    include_headless: bool = Field(
        default=False,
        description="Also learn from sessions that a script drove (`claude -p`, `codex exec`). Off, because a "
        "script's prompts are not a person's recurring work and outnumber them.",
    )


class Embedder(Section):
    """What turns a request into a vector."""

    name: Name = Field(
        default="sentence-transformers",
        description="The embedder, by registered name. The default understands paraphrases; `hashed-tfidf` needs "
        "nothing installed and works on words alone. Neither replaces the other silently.",
    )
    model: Name = Field(
        default="sentence-transformers/all-MiniLM-L6-v2",
        description="The model the embedder loads, or a folder that holds one. The default is small (90 MB) and "
        "runs on a laptop without a graphics card.",
    )


class Mine(Section):
    """How recurring work is recognised."""

    similarity: Inner = Field(
        default=0.52,
        description="Cosine from which two tasks count as the same recurring work. Low enough for paraphrases under "
        "the default model; raise it when unlike work ends up in one cluster.",
    )
    near_duplicate: Inner = Field(
        default=0.95,
        description="Cosine from which two tasks count as copies, which must share a split. Far above `similarity`, "
        "so that only copies are held together.",
    )
    min_sessions: Count = Field(
        default=2,
        description="Sessions a cluster must span to count as recurring. Two: once is not a habit.",
    )
    split_val: Inner = Field(
        default=0.3,
        description="Share of near-duplicate groups that judge candidates. Enough for the gate's five groups at "
        "about seventeen; a group never changes sides.",
    )
    split_test: Inner = Field(
        default=0.2,
        description="Share of near-duplicate groups that stay sealed for the final figure. The remainder (half) "
        "teaches.",
    )

    @model_validator(mode="after")
    def _shares_fit(self) -> Self:
        if self.split_val + self.split_test >= 1:
            raise ValueError("split_val and split_test that leave something to learn from: together below 1")
        if self.near_duplicate <= self.similarity:
            raise ValueError("near_duplicate above similarity: a copy is more alike than a relative")
        return self


class Model(Section):
    """The task model: the one that works under the skill. Keys come from the environment, never from the file."""

    name: Name | None = Field(
        default=None,
        examples=["anthropic"],
        description="The adapter, by registered name: `anthropic`, `openai` (and whatever speaks its protocol at "
        "`base_url`) or `simulated`. Absent: a run stops and says how to choose, since a guess would spend money.",
    )
    model: Name | None = Field(
        default=None,
        examples=["claude-haiku-4-5"],
        description="The provider's name for the model. Absent: an error for an adapter that needs one. Use the "
        "model your agent runs on; evidence is about one model.",
    )
    base_url: PlainUrl | None = Field(
        default=None,
        examples=["http://127.0.0.1:8080/v1"],
        description="Another address that speaks the adapter's protocol, such as a local server. Absent: the "
        "provider's own.",
    )
    temperature: Annotated[float, Field(ge=0, le=2)] | None = Field(
        default=None,
        examples=[1.0],
        description="Sampling temperature. Absent: not sent, since some models refuse it and the provider's "
        "default is what your agent uses.",
    )
    max_tokens: Count = Field(
        default=2_000,
        description="Tokens one reply may have. A reply that reaches it is unscored, not wrong; 2,000 is about "
        "three pages.",
    )
    timeout_s: Annotated[float, Field(gt=0)] = Field(
        default=120,
        description="Seconds one request may take with all its repeats. Two minutes let a slow model finish.",
    )
    max_retries: Annotated[int, Field(ge=0)] = Field(
        default=2,
        description="Repeats after an overload or a broken connection. Two ride out a hiccup; an outage is "
        "reported and the night goes on tomorrow.",
    )
    price_in_per_mtok: Dollars | None = Field(
        default=None,
        examples=[1.0],
        description="Dollars for a million tokens read. Absent: unknown, for a built-in table would soon be wrong; "
        "a dollar budget then stops the run instead of going blind.",
    )
    price_out_per_mtok: Dollars | None = Field(
        default=None,
        examples=[5.0],
        description="Dollars for a million tokens written. Absent: as for tokens read.",
    )
    seed: int | None = Field(
        default=None,
        examples=[7],
        description="Start of the seeds sent to a provider that takes them. Absent: none is sent; the gate needs "
        "independent draws, not repeatable ones.",
    )

    @model_validator(mode="after")
    def _prices_come_together(self) -> Self:
        if (self.price_in_per_mtok is None) != (self.price_out_per_mtok is None):
            raise ValueError("both prices, price_in_per_mtok and price_out_per_mtok, or neither")
        return self


class Reflection(Section):
    """The reflection model: the one that reads outcomes and proposes edits. Absent keys mean `[model]`'s."""

    name: Name | None = Field(
        default=None,
        examples=["anthropic"],
        description="Another adapter for reflections. Absent: the task model's, so that one login is enough.",
    )
    model: Name | None = Field(
        default=None,
        examples=["claude-opus-4-5"],
        description="Another model for reflections; a stronger one pays here, for it is called a few times a night "
        "and the task model hundreds of times. Absent: the task model.",
    )


class Optimizer(Section):
    """How far one night may move a text."""

    edit_budget: Count = Field(
        default=4,
        description="Edits one candidate may hold: the textual learning rate. Four keep a candidate reviewable and "
        "its effect attributable.",
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
    recall_k: Annotated[int, Field(ge=0)] = Field(
        default=5,
        description="Similar past tasks that join a reflection, with good and bad attempts side by side. Five show "
        "a pattern without crowding out the batch; 0 turns it off.",
    )
    max_skill_tokens: Count = Field(
        default=2_000,
        description="Tokens the text may have. Every session that loads it pays this rent, so it is a hard limit.",
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
        description="The false-discovery level of all adoptions together, for the life of the account. One in "
        "twenty is the custom.",
    )
    beta: Annotated[float, Field(gt=0, le=0.5)] = Field(
        default=0.10,
        description="The level at which a candidate is rejected as too weak. Looser than `alpha`: a missed edit "
        "can be proposed again.",
    )
    smallest_effect: Annotated[float, Field(gt=0, le=1)] = Field(
        default=0.10,
        description="The smallest gain worth the rent of a rule, as a difference of mean scores. Below +0.10 the "
        "proof costs more rollouts than most people's nights hold.",
    )
    baseline_samples: Count = Field(
        default=4,
        description="Fresh rollouts of the live text behind the baseline figure of a pair. Against one, four cut the "
        "pairs needed by a sixth to a third, and candidates share them.",
    )
    pairs_per_night: Count = Field(
        default=120,
        description="Pairs drawn in one night over all candidates. Rejects an empty candidate in about a night.",
    )
    max_pairs: Count = Field(
        default=400,
        description="Pairs after which an undecided candidate is closed. At 400, 99 % of good candidates were "
        "found in trials.",
    )
    max_nights: Count = Field(
        default=14,
        description="Nights after which an undecided candidate is closed. In two weeks the work itself has moved.",
    )
    coverage: Share = Field(
        default=0.8,
        description="Share of pairs that must be scored, for the live text and for the candidate. Below it the "
        "answer would be about the easy tasks only.",
    )
    waiting_share: Share = Field(
        default=0.5,
        description="Share of a night that candidates from earlier nights may take. Half, so that something new "
        "is always tried.",
    )


class Night(Section):
    """What one night may spend, and when it runs."""

    max_calls: Count | None = Field(
        default=None,
        examples=[500],
        description="Model calls of one run; another run on the same date may make as many again. Absent: asked on "
        "the first run; nothing is spent unasked.",
    )
    budget_usd: Dollars | None = Field(
        default=None,
        examples=[2.0],
        description="Dollars of one run. Absent: asked on the first run. A model without a known price stops "
        "the run when this is set.",
    )
    workers: Annotated[int, Field(ge=1, le=32)] = Field(
        default=2,
        description="Rollouts at the same time. Two, since small accounts have low rate limits.",
    )
    at: TimeOfDay = Field(
        default="03:17",
        description="Local time at which the daemon starts a night. An odd minute, away from everybody's full hour.",
    )
    jitter_minutes: Minutes = Field(
        default=10,
        description="A night that the clock starts begins up to so many minutes later, at random, so that a house full "
        "of machines does not ask the provider at once.",
    )
    projects: Names = Field(
        default=(),
        examples=[["~/work/shop"]],
        description="Project folders that get a night of their own, beside each other. Empty: one night for all "
        "projects together.",
    )
    lock_wait_s: Annotated[float, Field(ge=0)] = Field(
        default=0,
        description="Seconds to wait for another night to end. 0: an interactive run says at once who is busy; a "
        "scheduled one states its own wait.",
    )


class Conditions(Section):
    """When a night that the clock starts may begin. One that must wait is tried again every few minutes."""

    on_battery: bool = Field(
        default=False,
        description="Begin on battery power as well. Off: an hour of model calls is not worth an empty battery.",
    )
    idle_minutes: Minutes = Field(
        default=5,
        description="Minutes without a key or a movement before a night begins. 0: do not look. Where it cannot be "
        "told, as on a server, it hinders nothing.",
    )
    agent_quiet_minutes: Minutes = Field(
        default=10,
        description="Minutes without a new line in any transcript before a night begins, so that it never shares your "
        "usage limit with your own work. 0: do not look.",
    )


class Notify(Section):
    """How you hear of a night. At most one message a day, whatever happens."""

    desktop: bool = Field(
        default=True,
        description="Show a desktop notification where there is a desktop.",
    )
    session_start: bool = Field(
        default=True,
        description="Let the agent's plugin show one line when a session starts.",
    )
    quiet_nights: Count = Field(
        default=14,
        description="Nights in a row that learnt nothing before you are told. Most nights adopt nothing, and that is "
        "work done; two weeks of it are worth a look.",
    )


class Log(Section):
    """The log file. Nothing is written to the terminal unless `--verbose` is given."""

    level: Literal["debug", "info", "warning", "error"] = Field(
        default="info",
        description="The least important events written. `info` names the steps of a night.",
    )


class Settings(BaseSettings):
    """All sections. Made by `sleepd.app.config.load`, which names the origin of every wrong value."""

    model_config = SettingsConfigDict(
        extra="forbid",
        frozen=True,
        env_prefix="SLEEPD_",
        env_nested_delimiter="__",
        env_ignore_empty=True,
    )

    harvest: Harvest = Harvest()
    embedder: Embedder = Embedder()
    mine: Mine = Mine()
    model: Model = Model()
    reflection: Reflection = Reflection()
    optimizer: Optimizer = Optimizer()
    gate: Gate = Gate()
    night: Night = Night()
    conditions: Conditions = Conditions()
    notify: Notify = Notify()
    log: Log = Log()

    def __init__(self, *sources: PydanticBaseSettingsSource, **sections: Section) -> None:
        """The given sections over the sources, the first winning; without either, the defaults alone."""
        super().__init__(_build_sources=((InitSettingsSource(type(self), dict(sections)), *sources), {}))

    def for_reflection(self) -> Model:
        """The settings of the reflection model: `[model]` with `[reflection]` over it.

        Prices are dropped when the model differs, and the address as well when the adapter does: they are facts
        about the other one.
        """
        chosen = {key: value for key, value in self.reflection.model_dump().items() if value is not None}
        foreign: dict[str, object] = {}
        if self.reflection.name not in (None, self.model.name):
            foreign = {"model": None, "base_url": None}
        if foreign or self.reflection.model not in (None, self.model.model):
            foreign |= {"price_in_per_mtok": None, "price_out_per_mtok": None}
        return self.model.model_copy(update=foreign | chosen)


def section_classes() -> dict[str, type[Section]]:
    """Section name -> its class, in the order of the file."""
    return {name: type(field.default) for name, field in Settings.model_fields.items()}
