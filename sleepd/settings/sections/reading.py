"""What is read, and how recurring work is recognised in it."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from sleepd.settings.sections.section import Section
from sleepd.settings.values import Count, Inner, Name, Names, Since


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
        description="Characters kept of one tool result. The result of a test or a command is in its last lines; "
        "the rest is bulk.",
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
