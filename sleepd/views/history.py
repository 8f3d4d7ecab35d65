"""The part of `history.json` on candidates, the same in nights and in training runs;
docs/reference/output-folder.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from sleepd.core import edit, experiment
from sleepd.core.evidence import Floats, scores_of
from sleepd.core.model import Attribution
from sleepd.pipeline.trial import GateTerms
from sleepd.views.candidate_view import TriedCandidate, loads_words

FORMAT = "sleepd-history-1"
Plain = dict[str, object]


def candidate(one: TriedCandidate, gate: GateTerms) -> Plain:
    """One entry of `candidates`."""
    trial, found = one.trial, one.trial.candidate
    for_mean = [p for p in one.drawn if not p.confirms]
    asked = gate.asked_of(found)
    # The statistic that decided, whatever was asked of the candidate.
    paths = experiment.paths(asked.statistic, scores_of(for_mean))
    known = {each.edit_id: each for each in one.carried}
    not_measured: Plain = dict.fromkeys(("kept", "effect", "low", "high", "pairs"))
    return {
        "index": found.index,
        "id": found.id,
        "text": found.text,
        "origin": found.origin.value,
        "margin": found.margin,
        "alpha": found.alpha,
        "stated": found.stated,
        "beta": asked.beta,
        "verdict": found.verdict.value,
        "reason": found.reason,
        "pairs": len(for_mean),
        "confirming": len(one.drawn) - len(for_mean),
        "evidence": trial.evidence,
        "counter_evidence": trial.counter_evidence,
        "effect": trial.effect,
        "wealth": _rounded(paths.evidence) if asked.by_evidence else [],
        "counter_wealth": _rounded(paths.counter) if asked.by_evidence else [],
        "before": asdict(one.before),
        "after": asdict(one.after),
        "tokens": one.tokens_added,
        "loads": [f"the description{when} {said}" for when, said in loads_words(one)],
        "tasks": [asdict(row) for row in one.by_task],
        "edits": [
            {
                "op": e.op.value,
                "anchor": e.anchor,
                "text": e.text,
                "reason": e.reason,
                **(carried_json(known[e.id]) if e.id in known else not_measured),
                "tokens": edit.tokens(e.text),
            }
            for e in found.edits
        ],
    }


def evaluation(one: TriedCandidate) -> Plain:
    """An entry of `evaluation.json`: the pairs of a candidate, draw by draw."""
    rows = [{**asdict(p), "confirms": p.confirms} for p in one.drawn]
    return {"candidate": one.trial.candidate.id, "index": one.trial.candidate.index, "pairs": rows}


def carried_json(found: Attribution) -> Plain:
    """The leave-one-out result of an edit; for an edit that was not left out only its rent is known."""
    asked = found if found.pairs else None
    return {
        "kept": found.kept,
        "effect": asked.effect if asked is not None else None,
        "low": asked.low if asked is not None else None,
        "high": asked.high if asked is not None else None,
        "pairs": asked.pairs if asked is not None else None,
    }


def _rounded(path: Floats | Sequence[float]) -> list[float]:
    return [round(float(w), 4) for w in np.asarray(path)]
