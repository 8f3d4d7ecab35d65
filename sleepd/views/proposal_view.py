"""A proposal on one screen: the change, its reason, the sessions that taught it, its evidence and its cost."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath

from sleepd.store.proposals import Proposal
from sleepd.store.reviews import EditChoice, EditDecision, Teacher
from sleepd.views import evidence, report
from sleepd.views.branch_commit import BranchCommit
from sleepd.views.candidate_view import TaskPairs, edit_words, loads_words, task_table
from sleepd.views.evidence import Proposed
from sleepd.views.report import MODE, Plain

_SESSIONS_SHOWN = 3
_TASKS_SHOWN = 4
_TITLE_WIDTH = 44
_REQUEST_WIDTH = 40


class LineStyle(StrEnum):
    """How a line is meant; a terminal gives each a colour."""

    PLAIN = "plain"
    HEAD = "head"
    QUIET = "quiet"
    ADDED = "added"
    REMOVED = "removed"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class PageLine:
    """One line of a page; a terminal may wrap it."""

    text: str
    look: LineStyle = LineStyle.PLAIN


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuePlace:
    """The place of a proposal among those that wait."""

    number: int
    """From 1."""
    of: int


def page(one: Proposed, place: QueuePlace | None, *, whole: bool) -> tuple[PageLine, ...]:
    """Everything a person needs to judge the proposal. Without a `place` the page names the proposal's status.

    Unless `whole`, only the tasks with the greatest differences and the newest sessions; the diff is never cut.
    """
    candidate = one.tried.trial.candidate
    head = f"{candidate.target.name}, proposal {one.proposal.id[:8]}"
    head = f"{head}, {one.proposal.status.value}" if place is None else f"{place.number} of {place.of}: {head}"
    lines = [
        PageLine(head, LineStyle.HEAD),
        PageLine(report.clean(candidate.target.path)),
        *_figures(one, whole=whole),
        *_taught_by(one.taught_by, whole=whole),
        PageLine(""),
        *diff_lines(one.proposal.diff if one.diff is None else one.diff),
        *_standing(one),
        PageLine(""),
        *_edits(one),
        PageLine(""),
        *_tasks(one.tried.by_task, whole=whole),
        PageLine(f"digest {one.digest or 'none'}", LineStyle.QUIET),
    ]
    return tuple(lines)


def diff_lines(diff: str) -> tuple[PageLine, ...]:
    """A unified diff."""
    lines = []
    for text in report.clean(diff).rstrip("\n").split("\n") if diff else ():
        if text.startswith(("+++", "---", "@@")):
            look = LineStyle.QUIET
        else:
            look = {"+": LineStyle.ADDED, "-": LineStyle.REMOVED}.get(text[:1], LineStyle.PLAIN)
        lines.append(PageLine(text, look))
    return tuple(lines)


def _figures(one: Proposed, *, whole: bool) -> Iterator[PageLine]:
    trial, candidate = one.tried.trial, one.tried.trial.candidate
    effect = "no pair was scored" if trial.effect is None else f"{trial.effect:+.2f} on average"
    pairs = f"{report.count(one.tried.pairs, 'pair')} in {report.count(trial.nights, 'night')}"
    reached = report.evidence(trial.evidence, candidate.alpha)
    how = f"{MODE}, {candidate.measured_on}" if whole else MODE
    yield PageLine(f"measured  {effect}, {pairs}; evidence {reached} needed ({how})")
    if whole:
        yield PageLine(f"needed    {report.level(candidate)}")
    worse = one.proposal.sealed_count and "worse" in evidence.sealed_words(one.proposal)
    sealed = f"sealed    {report.count(one.proposal.sealed_count, 'task')}: {evidence.sealed_words(one.proposal)}"
    yield PageLine(sealed, LineStyle.WARNING if worse else LineStyle.PLAIN)
    yield PageLine(f"costs     {one.tried.tokens_added:+d} tokens in every session that loads it")
    for when, said in loads_words(one.tried):
        yield PageLine(f"{'before' if when else 'loading':<9} {said}")


def _taught_by(teachers: Sequence[Teacher], *, whole: bool) -> Iterator[PageLine]:
    yield PageLine(f"taught by {report.count(len(teachers), 'session') if teachers else 'unknown sessions'}")
    shown = teachers if whole else teachers[:_SESSIONS_SHOWN]
    for one in shown:
        when = report.moment(one.started_at)[:10] if one.started_at is not None else "no date"
        title = report.short(one.title or f"session {one.session}", _TITLE_WIDTH)
        project = PurePath(one.project).name if one.project else "no project"
        yield PageLine(f"  {when}  {title} ({report.clean(project)})", LineStyle.QUIET)
    yield from _more(len(teachers) - len(shown), "session")


def _standing(one: Proposed) -> Iterator[PageLine]:
    """Changes of the proposal and its file since it was made."""
    if one.branch is not None:
        yield PageLine(f"on branch {one.branch.name} of {report.clean(one.branch.repository)}", LineStyle.HEAD)
    if (doubt := one.tried.trial.candidate.doubt) is not None:
        yield PageLine(doubt, LineStyle.WARNING)
    if one.conflict is not None:
        yield PageLine(f"cannot be adopted now: {report.clean(one.conflict)}", LineStyle.WARNING)
    elif one.diff == "":
        yield PageLine("the file already holds this text; adopting writes nothing", LineStyle.HEAD)
    elif one.diff is not None:
        yield PageLine("not the measured text: adopting would write this text now (unproven)", LineStyle.WARNING)


def _edits(one: Proposed) -> Iterator[PageLine]:
    edits = one.tried.trial.candidate.edits
    for number, edit in enumerate(edits, 1):
        name = f"edit {number} of {len(edits)}, {edit.op}" if len(edits) > 1 else str(edit.op)
        yield PageLine(f"{name}: {report.clean(edit_words(edit))}", LineStyle.HEAD)
        if edit.reason:
            yield PageLine(f"  because {report.clean(edit.reason)}")
        if (decided := one.decided.get(edit.id)) is not None:
            yield PageLine(f"  {decision_words(decided)}", LineStyle.QUIET)


def decision_words(decided: EditDecision) -> str:
    """The earlier decision on an edit."""
    match decided.decision:
        case EditChoice.REJECTED:
            return f"you rejected it: {report.clean(decided.why or 'no reason given')}"
        case EditChoice.REWORDED:
            return f"you accepted it as: {report.clean(decided.text or '')}"
        case EditChoice.ACCEPTED:
            return "you accepted it"


def _tasks(by_task: Sequence[TaskPairs], *, whole: bool) -> Iterator[PageLine]:
    """Before and after by task, the greatest differences first."""
    ordered = sorted(by_task, key=lambda t: (-abs((t.after or 0.0) - (t.before or 0.0)), t.task))
    shown = ordered if whole else ordered[:_TASKS_SHOWN]
    if shown:
        yield from map(PageLine, task_table(shown, _REQUEST_WIDTH).split("\n"))
    yield from _more(len(ordered) - len(shown), "task")


def _more(number: int, what: str) -> Iterator[PageLine]:
    if number > 0:
        yield PageLine(f"  … {report.count(number, f'more {what}')}: press d", LineStyle.QUIET)


def committed_words(proposal: Proposal, done: BranchCommit) -> str:
    """The result of a commit on a branch, and the next steps."""
    name = proposal.id[:8]
    did = f"committed {name} on" if done.fresh else f"{name} is there already, on"
    where = shlex.quote(str(done.repository))
    lines = [
        f"{did} branch {done.branch} of {done.repository}; your files, index and current branch are as they were",
        f"  look at it     git -C {where} diff {done.onto}...{done.branch}",
    ]
    if commands := done.pull_request:
        steps = " && ".join(" ".join(command) for command in commands)
        lines.append(f"  pull request   cd {where} && {steps}")
    lines.append(f"  once merged    sleepd adopt {name}, which writes nothing more and marks it as adopted")
    return "\n".join(lines)


def committed_json(proposal: Proposal, done: BranchCommit) -> Plain:
    """The same for a program."""
    return {
        "proposal": proposal.id,
        "repository": str(done.repository),
        "branch": done.branch,
        "commit": done.commit,
        "onto": done.onto,
        "fresh": done.fresh,
        "pull_request": [list(command) for command in done.pull_request],
    }
