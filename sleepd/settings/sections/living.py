"""When nights are run, what they may spend, and how you hear of them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from sleepd.settings.sections.section import Section
from sleepd.settings.values import Count, Dollars, Minutes, Names, TimeOfDay


class Night(Section):
    """What one night may spend, and when it runs."""

    max_calls: Count | None = Field(
        default=None,
        examples=[500],
        description="Model calls of one night, all its runs together; `--max-calls` allows one run so many more. "
        "Absent: asked on the first run; nothing is spent unasked.",
    )
    budget_usd: Dollars | None = Field(
        default=None,
        examples=[2.0],
        description="Dollars of one night, all its runs together. Absent: asked on the first run. A model without a "
        "known price stops the run when this is set.",
    )
    skills: Count = Field(
        default=3,
        description="Skills that one night works on at most. Its pairs are divided by how often the work occurred "
        "and you had to ask again; with few pairs it is one skill.",
    )
    workers: Annotated[int, Field(ge=1, le=32)] = Field(
        default=4,
        description="Rollouts at the same time. Four are within the rate limits of small accounts, and bring a first "
        "proposal within minutes.",
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
        description="Project folders that each get a night of their own. Empty: one night for all projects together.",
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
        description="Minutes without a key or a movement before a night begins. 0: do not look. Where this is "
        "unknown, as on a server, it blocks nothing.",
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
        description="Nights in a row that learnt nothing before you are told. Most nights adopt nothing, and that "
        "is normal; two weeks of it are worth a look.",
    )


class Log(Section):
    """The log file. Nothing is written to the terminal unless `--verbose` is given."""

    level: Literal["debug", "info", "warning", "error"] = Field(
        default="info",
        description="The least important events written. `info` names the steps of a night.",
    )
