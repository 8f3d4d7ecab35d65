"""The result of a night, with its words, and the plan of one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sleepd.core.lesson import TriedLesson
from sleepd.models.metered import Spending
from sleepd.pipeline.night import Outlook
from sleepd.pipeline.unread import IngestReport
from sleepd.store.nights import Night
from sleepd.store.proposals import Proposal
from sleepd.views import report
from sleepd.views.night_lessons_view import night_lessons_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class NightResult:
    """A night that was run."""

    night: Night
    harvest: IngestReport
    spending: Spending
    """This run's own; an earlier run of the same night spent its own."""
    proposals: tuple[Proposal, ...]
    page: Path | None = None
    """The night's `report.html`; None when it could not be written."""
    unwritten: str = ""
    """The reason and the remedy of a failure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NightEstimate:
    """The upper bound of a night's cost. Tokens are estimated: four characters each."""

    calls: int
    tokens_in: int
    tokens_out: int
    cost_usd: float | None
    """None: the model's price is not known."""
    price_source: str | None = None
    """The table that the price is from; None for one that the settings state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NightPreview:
    """The plan of a night."""

    night_id: str
    outlook: Outlook
    harvest: IngestReport
    estimate: NightEstimate
    lessons: tuple[TriedLesson, ...] = ()
    """What the person said again and again, with the verdicts on its checks. No night replays a lesson yet."""


def ran_text(ran: NightResult) -> str:
    """The result of a fully measured night, and the next steps."""
    spent = ran.spending
    lines = [
        f"night {ran.night.id}: {report.clean(ran.night.message)}",
        f"harvested {ran.harvest.read} files; spent {spent.calls} calls, {spent.tokens_in:,} tokens in, "
        f"{spent.tokens_out:,} out, {report.dollars(spent.cost_usd)}",
    ]
    lines += night_lessons_lines(ran.night.report)[:1]
    if ran.proposals:
        lines.append("review the proposals: sleepd review")
    lines.append(f"all the evidence: sleepd show {ran.night.id}")
    if ran.page is not None:
        lines.append(f"the same with plots: {ran.page}")
    return "\n".join(lines)
