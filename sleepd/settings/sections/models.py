"""The models: the one that works under the skill, and the one that proposes edits."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from sleepd.settings.sections.section import Section
from sleepd.settings.values import Count, Dollars, Name, PlainUrl


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
        description="Dollars for a million tokens read. Absent: unknown, because a built-in table would soon be "
        "wrong; a dollar budget then stops the run.",
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
        description="Another model for reflections; a stronger one pays here, because it is called a few times a night "
        "and the task model hundreds of times. Absent: the task model.",
    )
