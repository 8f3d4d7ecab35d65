"""A proof-run for programs and for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from sleepd.lab.proof.claims import Claim
from sleepd.lab.proof.gated import Tried
from sleepd.lab.proof.run import Findings
from sleepd.lab.proof.world import Terms

_DIGITS = 6


def as_json(terms: Terms, found: Findings, claims: Sequence[Claim]) -> dict[str, object]:
    """Everything that was found. Equal arguments give equal values."""
    return {
        "persona": terms.who.name,
        "seed": terms.seed,
        "nights": [{"date": n.date, "status": n.status.value, "message": n.message} for n in found.nights],
        "gate": {"rule": terms.gate.rule.value, "alpha": terms.gate.alpha},
        "embedder": terms.embedder.key,
        "assertions": asserted(claims),
        "candidates": [_tried(t) for t in found.tried],
        "gauntlet": [_tried(t) for t in found.gauntlet],
        "stalling": [_tried(t) for t in found.stalling],
        "overfitted": [_tried(t) for t in found.overfitted],
        "change": _rounded(asdict(found.change)),
        "sealed": _rounded(asdict(found.sealed)),
        "controls": [_rounded(asdict(control)) for control in found.controls],
        "adopted": found.adopted,
    }


def as_text(terms: Terms, found: Findings, claims: Sequence[Claim]) -> str:
    """A page for a person: what happened, then what was asserted, each line with its count."""
    lines = [
        f"{terms.who.name}, seed {terms.seed}: gate rule {terms.gate.rule.value} at alpha {terms.gate.alpha:g}",
        "",
        *(f"night of {n.date}: {n.message}" for n in found.nights),
        "",
    ]
    for t in found.tried:
        edits = t.edits[0] if len(t.edits) == 1 else f"{len(t.edits)} edits: {t.edits[0]} …"
        status = f", {t.status}" if t.status else ""
        lines.append(f"candidate {t.index}: {t.verdict}{status} after {t.pairs} pairs ({t.effect:+.3f}): {edits}")
    lines.append("")
    return "\n".join([*lines, *table(claims)])


def asserted(claims: Sequence[Claim]) -> list[dict[str, object]]:
    """The claims for programs."""
    return [asdict(claim) | {"passed": claim.passed} for claim in claims]


def table(claims: Sequence[Claim]) -> list[str]:
    """The claims for people, a line each, and how many hold."""
    width = max(len(claim.name) for claim in claims)
    lines = []
    for claim in claims:
        mark = "ok  " if claim.passed else "FAIL"
        lines.append(f"{mark}  {claim.name:<{width}}  {claim.says}  [{claim.count} {claim.of}, at least {claim.least}]")
    failed = sum(not claim.passed for claim in claims)
    return [*lines, "", f"{len(claims) - failed} of {len(claims)} assertions hold"]


def _tried(tried: Tried) -> dict[str, object]:
    return _rounded(asdict(tried))


def _rounded(values: Mapping[str, object]) -> dict[str, object]:
    return {key: round(value, _DIGITS) if isinstance(value, float) else value for key, value in values.items()}
