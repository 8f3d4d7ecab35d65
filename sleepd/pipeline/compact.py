"""Compaction: where a text leaves no room for more, a shorter one is tried, and gated for not being worse.

The reflection model proposes what to merge and what to delete, in bounded edits of the learnt part. Where it proposes
nothing of use, the rules with the least effect are left out. Either is one candidate of the account like any other,
asked for non-inferiority: it may be worse by less than a margin (gate, promise 8).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sleepd.core import edit, evidence, forecast, plaintext
from sleepd.core.experiment import VerdictRule
from sleepd.core.model import Attribution, CandidateOrigin, Edit, EditOp, Unmatched, Verdict, digest
from sleepd.core.ports import Ask, CallPurpose
from sleepd.core.select import Bundle
from sleepd.pipeline import buffer
from sleepd.pipeline.calibrate import remembered
from sleepd.pipeline.prompts import WHOLE_SKILL, with_files
from sleepd.pipeline.reflect import parse
from sleepd.pipeline.replies import ReplyText, reply_to
from sleepd.pipeline.rollout import RunContext
from sleepd.pipeline.trial import Comparison, GateTerms
from sleepd.replayers.prompt import part, template
from sleepd.store import attributions, proposals
from sleepd.store.proposals import Trial

EDITS = 8
"""Changes of one compaction at most: a person has to look at each."""
OVER_BUDGET = "over the token budget"
"""Why `edit.apply` refuses an edit that has no room."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionConfig:
    """When a text is to become shorter, and by how much."""

    share: float = 0.9
    """Of the token budget: a text above it leaves no room."""
    saves: int = 20
    """Tokens that a compaction saves at least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """What is worth trying to make a text shorter."""

    bundle: Bundle | None
    problems: tuple[str, ...] = ()
    """Why there is nothing to try, or what of a reply was not used."""
    unmatched: tuple[Unmatched, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    """A learnt rule with what is known of it."""

    text: str
    effect: Attribution | None
    """None: it was never left out to see."""

    @property
    def tokens(self) -> int:
        return edit.tokens(self.text)

    @property
    def worth(self) -> tuple[float, int]:
        """What was measured, nothing where nothing was; of two with the same effect the longer one is worth less."""
        effect = self.effect.effect if self.effect is not None else None
        return (effect or 0.0, -self.tokens)


def leaves_no_room(text: str, max_tokens: int, how: CompactionConfig) -> bool:
    """Whether a text takes more than its share of the token budget."""
    return edit.tokens(text) > how.share * max_tokens


def compact(
    ctx: RunContext, comparison: Comparison, gate: GateTerms, how: CompactionConfig, max_tokens: int
) -> Compaction:
    """A shorter text worth trying instead of the live one; `max_tokens` is the token budget of the file.

    Nothing while an earlier one still waits, and where the margin is out of reach. Raises `NotMeasured` or
    `BudgetSpent`.
    """
    with ctx.database.reading() as connection:
        everything = proposals.for_target(connection, comparison.target.path)
    # Tonight's own do not count, so that a rerun of a killed night comes to the same candidate.
    trials = [t for t in everything if t.run != ctx.run]
    rules = _rules(ctx, comparison, trials)
    begun = any(_compacts(t, comparison) for t in everything if t.run == ctx.run)
    hindered = _hindered(comparison, rules, trials, how.share * max_tokens, max_tokens)
    if hindered is None and not begun:
        hindered = _out_of_reach(ctx, comparison, gate)
    if hindered is not None:
        return Compaction(bundle=None, problems=(hindered,) if hindered else ())
    reply = reply_to(ctx, with_files(_ask(comparison.base, rules, how.saves, ctx.max_tokens), ctx.companions))
    proposed = parse(reply.text, EDITS) if isinstance(reply, ReplyText) else reply
    problems = [f"compaction: {proposed}"] if isinstance(proposed, str) else []
    unmatched: tuple[Unmatched, ...] = ()
    tried = [frozenset(e.id for e in t.candidate.edits) for t in trials if _compacts(t, comparison)]
    declined = buffer.turned_down(ctx.database, comparison.target.path, but_of=ctx.run.id)
    # What to leave out where nobody proposes better: the rule with the least effect, then the next, one at a time.
    # Where one saves too little, those with the least effect after it go with it.
    deletions: list[tuple[Edit, ...]] = []
    ordered = sorted(rules, key=lambda rule: rule.worth)
    for first in range(len(ordered)):
        taken: list[_Rule] = []
        for rule in ordered[first:]:
            taken.append(rule)
            if sum(r.tokens for r in taken) > how.saves:
                deletions.append(tuple(_delete(r) for r in taken))
                break
    for edits in (() if isinstance(proposed, str) else proposed, *deletions):
        wanted = [e for e in edits if not any(buffer.says_the_same(e, d.edit) for d in declined)]
        # Deletions first, since a merged rule may be longer than the one that it stands for; there is nothing to add.
        done = edit.apply(
            comparison.base,
            sorted((e for e in wanted if e.op is not EditOp.ADD), key=lambda e: e.op is not EditOp.DELETE),
        )
        unmatched += done.unmatched
        refused = _refused(comparison.base, done, how.saves)
        if frozenset(e.id for e in done.applied) in tried:
            continue
        if refused is None:
            # The sessions that taught the rules that change.
            changed = {_key(e.anchor or "") for e in done.applied} & {_key(r.text) for r in rules}
            taught = (t for t in trials if {_key(e.text) for e in t.candidate.edits} & changed)
            bundle = Bundle.of(
                done.applied,
                tuple(dict.fromkeys(session for t in taught for session in t.sessions)),
                origin=CandidateOrigin.COMPACTION,
                margin=gate.margin,
            )
            return Compaction(bundle=bundle, problems=tuple(problems), unmatched=unmatched)
        problems += [f"compaction: {refused}"] * bool(edits)
    return Compaction(
        bundle=None, problems=(*problems, "compaction: nothing shorter is left to try"), unmatched=unmatched
    )


def _hindered(
    comparison: Comparison, rules: Sequence[_Rule], trials: Sequence[Trial], room: float, max_tokens: int
) -> str | None:
    """Why no compaction is tried: "" where an earlier one still waits; None when nothing stands in the way."""
    if any(_compacts(t, comparison) and t.candidate.verdict is Verdict.UNDECIDED for t in trials):
        return ""
    own = edit.tokens("".join(p.body for p in edit.split_regions(comparison.base) if p.region is None))
    if own > room:
        return (
            f"{comparison.target.name}: your own part of the file has {own} of {max_tokens} tokens; shorten it, or "
            "raise optimizer.max_skill_tokens"
        )
    if len(rules) < 2:
        return f"{comparison.target.name}: the learnt part has nothing that could be merged or left out"
    return None


def _out_of_reach(ctx: RunContext, comparison: Comparison, gate: GateTerms) -> str | None:
    """The sentence for a margin that the noise of the scores hides whatever is tried; None when it can be shown."""
    if gate.rule is not VerdictRule.EVIDENCE:
        return None
    noise = remembered(ctx, comparison, gate.baseline_samples)
    with ctx.database.reading() as connection:
        place, accepted = ctx.next_place(proposals.given(connection)), proposals.acceptances(connection)
    alpha = evidence.level(place, accepted, gate.alpha)
    needed = forecast.pairs_needed(noise if len(noise) else np.zeros(1), gate.margin, alpha)
    most = gate.experiment(alpha, gate.margin).max_pairs
    if needed <= most:
        return None
    return (
        f"no compaction: that a text is worse by less than {gate.margin:g} would take {needed:,.0f} pairs, more than "
        f"the {most:,} of gate.margin_pairs; raise that or gate.margin, or shorten the file by hand"
    )


def _rules(ctx: RunContext, comparison: Comparison, trials: Sequence[Trial]) -> list[_Rule]:
    """The learnt rules in their order, each with the last time it was left out to see."""
    known: dict[str, Attribution] = {}
    with ctx.database.reading() as connection:
        for trial in trials:
            texts = {e.id: e.text for e in trial.candidate.edits}
            for one in attributions.load(connection, trial.candidate.id):
                if one.effect is not None and one.edit_id in texts:
                    known[_key(texts[one.edit_id])] = one
    return [_Rule(text=line, effect=known.get(_key(line))) for line in edit.learnt_lines(comparison.base)]


def _delete(rule: _Rule) -> Edit:
    effect = "never measured by itself" if rule.effect is None else f"its effect was {rule.effect.effect:+.2f}"
    return Edit(op=EditOp.DELETE, anchor=rule.text, text="", reason=f"makes room: {effect}")


def _refused(base: str, done: edit.Applied, saves: int) -> str | None:
    """Why these edits are no compaction; None when they are one."""
    if not done.applied:
        return "none of the proposed changes has a place in the learnt part"
    if not edit.learnt_lines(done.text):
        return "the proposed changes would leave no learnt rule"
    saved = edit.tokens(base) - edit.tokens(done.text)
    if saved < 0:
        return f"the proposed changes make the file {-saved} tokens longer"
    if saved < saves:
        return f"the proposed changes save {saved} tokens, not the {saves} of optimizer.compact_saves"
    return None


def _compacts(trial: Trial, comparison: Comparison) -> bool:
    """Whether it is an earlier compaction of the live text."""
    candidate = trial.candidate
    return candidate.origin is CandidateOrigin.COMPACTION and candidate.base == digest(comparison.base)


def _key(rule: str) -> str:
    return plaintext.key(rule.strip().removeprefix("- "))


def _ask(base: str, rules: Sequence[_Rule], saves: int, max_tokens: int) -> Ask:
    parts = [
        part("The skill file today", base, WHOLE_SKILL),
        *(f"## Rule {n} ({rule.tokens} tokens; {_carries(rule)})\n{part('the rule', rule.text)}" for n, rule in
          enumerate(rules, 1)),
    ]  # fmt: skip
    return Ask(
        purpose=CallPurpose.REFLECT,
        system=template("compact").format(limit=EDITS, saves=saves),
        prompt="\n\n".join(parts),
        max_tokens=max_tokens,
    )


def _carries(rule: _Rule) -> str:
    if rule.effect is None or rule.effect.effect is None:
        return "never measured by itself"
    one = rule.effect
    return f"effect {one.effect:+.2f} of the score, between {one.low:+.2f} and {one.high:+.2f}"
