"""How well the acts of turns are told: each developer judged by weights that were fitted on the others.

    python -m benchmarks.acts FOLDER            # FOLDER holds one folder per developer: projects/ and gold.jsonl
    python -m benchmarks.acts FOLDER --fit      # also writes sleepd/core/act_weights.py from all of them
    python -m benchmarks.acts FOLDER --answers REPLIES   # also the acts as a model read them, from recorded replies

The fit is a multinomial logistic model whose weights are drawn towards `PRIOR`. The prior says in which direction a
sign points and about how far, after figures measured on 791 labelled turns of other developers: 235 labelled turns are
too few for 40 signs and 7 acts alone. Whoever set the prior had seen these turns, so even the held-out figures flatter.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.recorded import reader
from harvesters.claude_code import ClaudeCode
from harvesters.records import SessionKind
from sleepd.core.act_reading import Agreement, ReadAct, agreement, combined, pooled, shown, unsure
from sleepd.core.acts import Act, JudgedAct, decided, judge, signs
from sleepd.core.episode import Episode, Source, episodes
from sleepd.core.errors import NotMeasured
from sleepd.core.model import SessionId
from sleepd.core.segment import Transcript
from sleepd.pipeline.read_acts import kept_acts, read_acts

PRIOR: dict[Act, dict[str, float]] = {
    Act.CORRECTION: {
        "objects": 1.2, "admits": 1.5, "undone": 0.8, "stopped": 0.7, "repairs": 0.9, "repairs a failure": 1.0,
        "misses": 1.0, "denies, later": 0.5, "fails, later": 0.4, "log, later": 0.4, "obliges, later": 0.4,
        "same file": 0.3, "refusal": 2.5, "first": -0.8, "work": -0.6, "approves, short": -1.5, "question mark": -0.5,
        "impersonal": -0.6, "code in prose": -0.6,
    },
    Act.APPROVAL: {
        "approves": 1.0, "approves, short": 1.5, "long": -1.0, "first": -1.0, "fails": -0.5, "denies": -0.5,
        "edits": -0.2,
    },
    Act.QUESTION: {"question mark": 1.3, "asks": 0.7, "nothing done": 0.2, "edits": -0.5},
    Act.REQUEST: {"first": 1.0, "work": 1.0, "work, later": -0.2},
    Act.EVIDENCE: {"review": 1.2, "impersonal": 1.2, "code in prose": 1.0, "log": 0.4, "long": 0.4},
    Act.REFINEMENT: {"same file": 0.4, "undone": 0.6, "after edits": 0.3, "work, later": 0.4},
    Act.OTHER: {},
}  # fmt: skip
STRENGTH = 6.0
"""Of the pull towards the prior: the inverse variance of a weight."""
SURE = 0.75

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """One turn with a reader's label."""

    developer: str
    signs: dict[str, float]
    kind: Act
    confidence: float
    denial: bool
    turn: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """Weights (acts x signs) and one bias for each act."""

    weights: Array
    bias: Array


def sessions(folder: Path) -> list[tuple[Episode, ...]]:
    """The episodes of each interactive session of one developer, oldest first."""
    read = [ClaudeCode().read(path).session for path in sorted(folder.joinpath("projects").rglob("*.jsonl"))]
    kept = [s for s in read if s is not None and s.kind is SessionKind.INTERACTIVE]
    kept.sort(key=lambda s: (s.started_at is None, s.started_at))
    return [
        episodes(
            Transcript(id=SessionId(f"{s.agent}:{s.id}"), agent=s.agent, project=s.cwd or "", turns=s.turns, votes={})
        )
        for s in kept
    ]


def labels(folder: Path) -> dict[str, dict[str, object]]:
    """Turn id -> label, of the developer's turns and of what was said in denials."""
    found: dict[str, dict[str, object]] = {}
    for name in ("gold.jsonl", "hidden.gold.jsonl"):
        path = folder / name
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        for one in (json.loads(line) for line in lines):
            if one and one.get("uuid"):
                found[one["uuid"]] = one
    return found


def labelled(folder: Path) -> list[Labelled]:
    """Every labelled turn in the developer's own words."""
    gold = labels(folder)
    rows = []
    for session in sessions(folder):
        for before, episode in zip([None, *session], session, strict=False):
            label = gold.get(episode.turn)
            if label is not None and episode.source.own:
                rows.append(
                    Labelled(
                        developer=folder.name,
                        signs=signs(episode, before),
                        kind=Act(str(label["kind"])),
                        confidence=float(str(label["confidence"])),
                        denial=episode.source is Source.DENIAL,
                        turn=episode.turn,
                    )
                )
    return rows


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadTurns:
    """The labelled turns of one developer as a model read them."""

    acts: dict[str, JudgedAct]
    """By turn: with the model's word where it has one."""
    words: dict[str, ReadAct]
    """By turn: the model's word alone."""
    unsure: frozenset[str]
    """Turns that the signs leave open, by the shipped weights: what `sleepd lessons --read` asks about."""
    agreement: Agreement
    waits: str
    """Which prompts have no answer yet; empty for none."""


def read(folder: Path, answers: Path) -> ReadTurns:
    """Put each labelled turn to the recorded replies. Prompts without an answer are left there and named."""
    gold = labels(folder)
    cut = sessions(folder)
    by_signs = {e.turn: j for session in cut for e, j in zip(session, judge(session), strict=True)}
    turns = [turn for session in cut for turn in shown(session) if turn.episode.turn in gold]
    with reader(answers, folder.name) as read_by:
        try:
            known = dict(read_acts(read_by, turns).acts)
            waits = ""
        except NotMeasured as error:
            known, waits = kept_acts(read_by), str(error)
    pairs = [(by_signs[turn.episode.turn], known[turn.key]) for turn in turns if turn.key in known]
    acts = {turn.episode.turn: combined(by_signs[turn.episode.turn], known.get(turn.key)) for turn in turns}
    words = {turn.episode.turn: known[turn.key] for turn in turns if turn.key in known}
    open_ = frozenset(turn for turn in words if unsure(by_signs[turn]))
    return ReadTurns(acts=acts, words=words, unsure=open_, agreement=agreement(pairs), waits=waits)


def matrix(rows: Sequence[Labelled], names: Sequence[str]) -> Array:
    return np.array([[row.signs[name] for name in names] for row in rows])


def fit(rows: Sequence[Labelled], names: Sequence[str]) -> Fitted:
    """Weights by accelerated gradient descent; the problem is convex. Each turn counts as much as its label is sure."""
    signs_, sure = matrix(rows, names), np.array([row.confidence for row in rows])
    truth = np.array([[float(row.kind is act) for act in Act] for row in rows])
    prior = np.array([[PRIOR[act].get(name, 0.0) for name in names] for act in Act])
    weights, bias = prior.copy(), np.zeros(len(Act))
    ahead_w, ahead_b, momentum = weights, bias, 1.0
    step = 1 / (STRENGTH + 0.5 * float(np.linalg.norm(np.c_[signs_, np.ones(len(rows))], 2)) ** 2)
    for _ in range(4_000):
        error = (softmax(signs_ @ ahead_w.T + ahead_b) - truth) * sure[:, None]
        new_w = ahead_w - step * (error.T @ signs_ + STRENGTH * (ahead_w - prior))
        new_b = ahead_b - step * error.sum(0)
        following = (1 + math.sqrt(1 + 4 * momentum**2)) / 2
        ahead_w = new_w + (momentum - 1) / following * (new_w - weights)
        ahead_b = new_b + (momentum - 1) / following * (new_b - bias)
        weights, bias, momentum = new_w, new_b, following
    return Fitted(weights=weights, bias=bias)


def softmax(logits: Array) -> Array:
    powers: Array = np.exp(logits - logits.max(1, keepdims=True))
    shares: Array = powers / powers.sum(1, keepdims=True)
    return shares


def correction(rows: Sequence[Labelled], names: Sequence[str], fitted: Fitted) -> Array:
    """The probability of a correction, given that the turn is no refinement."""
    shares = softmax(matrix(rows, names) @ fitted.weights.T + fitted.bias)
    order = list(Act)
    found: Array = shares[:, order.index(Act.CORRECTION)] / (1 - shares[:, order.index(Act.REFINEMENT)])
    return found


def corrected(
    rows: Sequence[Labelled], names: Sequence[str], fitted: Fitted, words: Mapping[str, ReadAct]
) -> NDArray[np.bool_]:
    """Which turns are corrections by these weights and the model's word, as `act_reading.combined` has it."""
    shares = softmax(matrix(rows, names) @ fitted.weights.T + fitted.bias)
    alone = correction(rows, names, fitted) >= 0.5
    flags = []
    for row, share, flag in zip(rows, shares, alone, strict=True):
        word = words.get(row.turn)
        if word is None or word.act is None or row.denial:
            flags.append(bool(flag))
        else:
            by_signs = dict(zip(Act, share.tolist(), strict=True))
            flags.append(decided(pooled(by_signs, word.act, word.sure), ()).act is Act.CORRECTION)
    return np.array(flags)


def report(title: str, rows: Sequence[Labelled], flagged: NDArray[np.bool_]) -> str:
    """Precision and recall of corrections (refinements neutral), and how many approvals were flagged."""
    parts = []
    for name, least, with_denials in (("all", 0.0, False), ("sure", SURE, False), ("sure, with denials", SURE, True)):
        judged = [
            (row, bool(flag))
            for row, flag in zip(rows, flagged, strict=True)
            if row.kind is not Act.REFINEMENT and row.confidence >= least and (with_denials or not row.denial)
        ]
        hits = sum(flag and row.kind is Act.CORRECTION for row, flag in judged)
        marked, there = sum(flag for _, flag in judged), sum(row.kind is Act.CORRECTION for row, _ in judged)
        approvals = [flag for row, flag in judged if row.kind is Act.APPROVAL]
        parts.append(
            f"{name}: precision {hits / max(1, marked):.2f} ({hits}/{marked}), recall {hits / max(1, there):.2f} "
            f"({hits}/{there}), approvals flagged {sum(approvals)}/{len(approvals)}"
        )
    denied = [bool(flag) for row, flag in zip(rows, flagged, strict=True) if row.denial]
    parts.append(f"denials with words flagged {sum(denied)}/{len(denied)}")
    return f"{title}\n  " + "\n  ".join(parts)


def written(names: Sequence[str], fitted: Fitted) -> str:
    """The module with the weights."""
    lines = [
        '"""Weights of the signs for each act, written by `python -m benchmarks.acts FOLDER --fit`; not by hand.',
        "",
        "Logits: a turn's score for an act is its bias plus the weights of its signs.",
        '"""',
        "",
        "from __future__ import annotations",
        "",
        "BIAS: dict[str, float] = {",
        *(f'    "{act.value}": {value:.2f},' for act, value in zip(Act, fitted.bias, strict=True)),
        "}",
        "",
        "WEIGHTS: dict[str, dict[str, float]] = {",
    ]
    for act, row in zip(Act, fitted.weights, strict=True):
        lines += [
            f'    "{act.value}": {{',
            *(f'        "{n}": {v:.2f},' for n, v in zip(names, row, strict=True)),
            "    },",
        ]
    return "\n".join([*lines, "}", ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--answers", type=Path, help="folder of recorded replies; prompts without one are put there")
    given = parser.parse_args()
    rows = [row for folder in sorted(given.folder.iterdir()) if folder.is_dir() for row in labelled(folder)]
    names = list(rows[0].signs)
    developers = sorted({row.developer for row in rows})
    held_out = np.zeros(len(rows))
    for developer in developers:
        mine = np.array([row.developer == developer for row in rows])
        fitted = fit([row for row in rows if row.developer != developer], names)
        held_out[mine] = correction([row for row in rows if row.developer == developer], names, fitted)
    print(report(f"{len(rows)} turns; weights fitted on the other developers", rows, held_out >= 0.5))
    for developer in developers:
        mine = np.array([row.developer == developer for row in rows])
        print(report(developer, [r for r in rows if r.developer == developer], held_out[mine] >= 0.5))
    if given.answers:
        with_model, of_unsure, asked = np.zeros(len(rows), dtype=bool), np.zeros(len(rows), dtype=bool), 0
        for folder in sorted(path for path in given.folder.iterdir() if path.is_dir()):
            found = read(folder, given.answers)
            mine = np.array([row.developer == folder.name for row in rows])
            own, others = ([r for r in rows if (r.developer == folder.name) is same] for same in (True, False))
            fitted = fit(others, names)
            with_model[mine] = corrected(own, names, fitted, found.words)
            some = {turn: found.words[turn] for turn in found.unsure}
            of_unsure[mine], asked = corrected(own, names, fitted, some), asked + len(some)
            print(
                report(f"{folder.name}, with model", [r for r in rows if r.developer == folder.name], with_model[mine])
            )
            one = found.agreement
            print("  " + found.waits if found.waits else "  every prompt is answered")
            print(
                f"  same act as the signs {one.same}/{one.read}; called a correction by either {one.corrections}, "
                f"by both {one.both}; replies without a usable act {one.unusable}"
            )
        print(report(f"{len(rows)} turns, no model (weights fitted on the others)", rows, held_out >= 0.5))
        print(report(f"{len(rows)} turns, with model", rows, with_model))
        print(report(f"{len(rows)} turns, with model for the {asked} unsure ones alone", rows, of_unsure))
    if given.fit:
        target = Path(__file__).parent.parent / "sleepd" / "core" / "act_weights.py"
        target.write_text(written(names, fit(rows, names)), encoding="utf-8")


if __name__ == "__main__":
    main()
