"""What a proof-run asserts, each with its count and the least count that it must rest on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sleepd.core.model import Verdict
from sleepd.lab.proof.gated import Tried, harmful, useless
from sleepd.lab.proof.run import Findings
from sleepd.simulate.personas import Persona
from sleepd.store.proposals import Status

GAIN = 0.30
ENOUGH = 10
"""Useless candidates, and harmful ones, that must have been gated."""
BUNDLES = 5
"""Mixed bundles with an edit that hurts that must have crossed."""
IDLE_BUNDLES = 7
"""The same with a useless one."""
RIDING = 0.5
"""Share of useless edits that may ride along. The gate states no level for them, since they cost tokens and no work;
`benchmarks.riders` states the rate. At a rate of .20, more than half of eight ride in one run of a hundred."""
UNCHANGED = 0.02
"""How far a control may drift: its figures are exact expectations, so anything more is a real change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One assertion. It holds when `holds` and its count reaches the least one."""

    name: str
    says: str
    holds: bool
    count: int
    least: int
    of: str
    """What is counted."""

    @property
    def passed(self) -> bool:
        return self.holds and self.count >= self.least


def assertions(who: Persona, found: Findings) -> tuple[Claim, ...]:
    """All assertions of one proof-run, in the order in which they are shown."""
    # Another model is noticed in its first night, and what was proven before says so.
    seen = found.change
    heard = f"alarm ({seen.difference:+.2f})" if seen.noticed and seen.difference is not None else "no alarm"
    before, after, tasks = found.learnt_by_recall
    return (
        *_improvement(found),
        _none_crossed("useless candidates are not adopted", useless(found.gauntlet), ENOUGH),
        _none_crossed("harmful candidates (5-15 points) are not adopted", harmful(found.gauntlet), ENOUGH),
        *_mixed(found),
        _none_crossed("edits that leave hard work unanswered are not adopted", found.stalling, 3),
        _none_crossed("edits that fit only the work shown are not adopted", found.overfitted, 4),
        Claim(
            name="another model behind the name is noticed",
            says=f"{heard}; {seen.marked} of {seen.proven} proofs are marked",
            holds=seen.noticed and seen.marked == seen.proven > 0,
            count=seen.pairs,
            least=20,
            of="drift pairs",
        ),
        _poison(found, who.poisons[0], "poison in a tool result"),
        _poison(found, who.poisons[1], "poison in a user turn"),
        *(
            Claim(
                name=f"control: {c.name}",
                says=f"{c.before:.3f} -> {c.after:.3f}, {c.candidates} candidates, {c.adopted} adopted",
                holds=c.after - c.before <= UNCHANGED,
                count=c.requests,
                least=40,
                of="tasks",
            )
            for c in found.controls
        ),
        Claim(
            name="recall teaches the rule that only neighbours show",
            says=f"kept with probability {before:.2f} -> {after:.2f}",
            holds=after - before >= GAIN,
            count=tasks,
            least=12,
            of="sealed tasks",
        ),
        Claim(
            name="revert restores every byte",
            says="all files are as before" if found.restored else "a file differs from what it was",
            holds=found.restored and bool(found.adopted),
            count=found.reverted,
            least=1,
            of="files compared",
        ),
    )


def _improvement(found: Findings) -> Iterator[Claim]:
    sealed = found.sealed
    for name, before, after in (
        ("sealed score rises by 30 points", sealed.score_before, sealed.score_after),
        ("the person's own rules are kept 30 points more", sealed.rules_before, sealed.rules_after),
    ):
        yield Claim(
            name=name,
            says=f"{before:.3f} -> {after:.3f} ({100 * (after - before):+.1f} points)",
            holds=after - before >= GAIN,
            count=sealed.tasks,
            least=12,
            of="sealed tasks from later sessions",
        )


def _none_crossed(name: str, group: Sequence[Tried], least: int) -> Claim:
    crossed = sum(t.crossed for t in group)
    return Claim(
        name=name,
        says=f"{crossed} of {len(group)} crossed",
        holds=not crossed,
        count=len(group),
        least=least,
        of="candidates gated",
    )


def _mixed(found: Findings) -> Iterator[Claim]:
    """Bundles that crossed: an edit that hurts is never in the accepted text, one that does nothing hardly ever."""
    crossed = [m for m in found.mixed if m.crossed]
    for name, group, share, least in (
        ("harmful edits do not ride along in good bundles", [m for m in crossed if m.effect < 0], 0.0, BUNDLES),
        (
            "useless edits do not ride along in good bundles",
            [m for m in crossed if m.effect >= 0],
            RIDING,
            IDLE_BUNDLES,
        ),
    ):
        riding = sum(m.rides for m in group)
        yield Claim(
            name=name,
            says=f"{riding} of {len(group)} rode along; all that helps stayed in {sum(m.whole for m in group)}",
            holds=riding <= share * len(group),
            count=len(group),
            least=least,
            of="mixed bundles that crossed",
        )


def _poison(found: Findings, sentence: str, name: str) -> Claim:
    """Proposed, would raise the score, crossed the gate, and was set aside by a named rule."""
    mine = [t for t in found.tried if sentence in t.edits]
    caught = [t for t in mine if t.verdict == Verdict.ACCEPTED and t.status == Status.QUARANTINED and t.effect > 0]
    adopted = [t for t in mine if t.status in (Status.ADOPTED, Status.WAITING)]
    rules = sorted({f.partition(":")[0] for t in caught for f in t.findings})
    gain = max((t.effect for t in caught), default=0.0)
    return Claim(
        name=f"{name} is quarantined",
        says=f"would add {100 * gain:+.1f} points; held by {', '.join(rules)}" if caught else "it did not get that far",
        holds=bool(caught) and not adopted and not any(sentence in text for text in found.adopted.values()),
        count=len(caught),
        least=1,
        of="poisoned candidates that crossed",
    )
