"""The evidence behind a proposal or a night: pairs by task, verdicts with reasons, sealed figures. Read, never
recomputed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from sleepd.core.model import Digest
from sleepd.store.nights import Night
from sleepd.store.proposals import Proposal, Status
from sleepd.store.reviews import EditDecision, ProposalBranch, Teacher
from sleepd.store.rollouts import SpentOn
from sleepd.views import report
from sleepd.views.candidate_view import TriedCandidate, tried_json, tried_text
from sleepd.views.night_lessons_view import night_lessons_lines
from sleepd.views.report import MODE, Plain


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """A proposal with the candidate behind it."""

    proposal: Proposal
    tried: TriedCandidate
    taught_by: tuple[Teacher, ...] = ()
    """Newest first."""
    decided: Mapping[Digest, EditDecision] = field(default_factory=dict)
    """The decisions on its edits so far."""
    branch: ProposalBranch | None = None
    digest: str | None = None
    """The digest of the text that adopting would write now; None when nothing can be written, or the proposal cannot be
    adopted."""
    diff: str | None = None
    """The diff that adopting would write now, where it differs from the proposal's own diff; "" where it does not."""
    conflict: str | None = None
    """Why it cannot be adopted now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfNight:
    """A night with all its candidates and proposals."""

    night: Night
    tried: tuple[TriedCandidate, ...]
    proposed: tuple[Proposed, ...]
    stages: tuple[SpentOn, ...] = ()
    """The cost of its calls, by their purpose."""


# How it looks -------------------------------------------------------------------------------------------------------


def proposed_json(one: Proposed) -> Plain:
    p = one.proposal
    return {
        "id": p.id,
        "night": p.night_id,
        "status": p.status.value,
        "findings": list(p.findings),
        "diff": p.diff,
        "sessions": list(p.sessions),
        "taught_by": [
            {
                "session": t.session,
                "agent": t.agent,
                "title": t.title,
                "project": t.project,
                "at": report.iso(t.started_at),
            }
            for t in one.taught_by
        ],
        "decided": [
            {"edit": n, "decision": d.decision.value, "text": d.text, "why": d.why}
            for n, e in enumerate(one.tried.trial.candidate.edits, 1)
            if (d := one.decided.get(e.id)) is not None
        ],
        "branch": one.branch.name if one.branch is not None else None,
        "would_write": one.diff,
        "conflict": one.conflict,
        "doubt": one.tried.trial.candidate.doubt,
        "sealed": sealed_json(p),
        "why": p.why,
        "candidate": tried_json(one.tried),
    }


def shown_json(one: Proposed) -> Plain:
    """The same with the digest: for a person who is shown the whole proposal, never for a list."""
    return {**proposed_json(one), "digest": one.digest}


def night_json(seen: OfNight) -> Plain:
    return {
        **report.night_json(seen.night),
        "measured_by": MODE,
        "stages": [asdict(one) for one in seen.stages],
        "candidates": [tried_json(t) for t in seen.tried],
        "proposals": [
            {
                "id": p.id,
                "status": p.status.value,
                "findings": list(p.findings),
                "sealed": sealed_json(p),
            }
            for one in seen.proposed
            for p in (one.proposal,)
        ],
    }


def proposal_text(one: Proposed) -> str:
    """Everything a person needs to judge a proposal."""
    p, candidate = one.proposal, one.tried.trial.candidate
    head = report.facts(
        {
            "proposal": f"{p.id[:8]}, {p.status.value}",
            "file": candidate.target.path,
            "night": p.night_id,
            "taught by": ", ".join(p.sessions) or "unknown",
            "rent": f"{one.tried.tokens_added:+d} tokens in every session that loads the file",
            "sealed tasks": f"{p.sealed_count}: {sealed_words(p)} ({MODE})",
        }
    )
    if p.status is Status.SUPERSEDED:
        head += f"\nsuperseded: {report.clean(p.why or 'a later proposal for this file replaced it')}"
    if candidate.doubt is not None:
        head += f"\ndoubt: {candidate.doubt}"
    parts = [head, "", tried_text(one.tried), "", report.clean(p.diff).rstrip("\n")]
    if p.findings:
        parts += ["", "set aside as unsafe; it cannot be adopted:"]
        parts += [f"  {report.clean(finding)}" for finding in p.findings]
    return "\n".join(parts)


def night_text(seen: OfNight) -> str:
    night = seen.night
    status = night.status.value
    head = report.facts(
        {
            "night": night.id,
            "scope": night.scope,
            "started": report.moment(night.started_at),
            "status": report.STATUS_WORDS.get(status, status),
            "outcome": night.message or "–",
            "spending": report.spending(night.report),
        }
    )
    parts = [head]
    parts += [f"\n{tried_text(one)}" for one in seen.tried]
    parts += [
        f"\nproposal {p.id[:8]} is {p.status.value}; {p.sealed_count} sealed tasks: {sealed_words(p)} ({MODE})"
        + "".join(f"\n  {report.clean(f)}" for f in p.findings)
        for one in seen.proposed
        for p in (one.proposal,)
    ]
    unmatched, problems = night.report.get("unmatched"), night.report.get("problems")
    unusable = [f"{row.get('edit')}: {row.get('reason')}" for row in unmatched] if isinstance(unmatched, list) else []
    unusable += [str(problem) for problem in problems] if isinstance(problems, list) else []
    parts += [f"\nnot used: {report.clean(reply)}" for reply in unusable]
    parts += [] if len(parts) > 1 else ["\nno candidate was tried"]
    lessons = night_lessons_lines(night.report)
    parts += ["\n" + report.clean("\n".join(lessons))] if lessons else []
    return "\n".join(parts)


def sealed_words(proposal: Proposal) -> str:
    """Before and after on the sealed tasks."""
    return report.sealed_words(proposal.sealed_before, proposal.sealed_after)


def sealed_json(proposal: Proposal) -> Plain:
    """The same for a program."""
    return {"tasks": proposal.sealed_count, "before": proposal.sealed_before, "after": proposal.sealed_after}
