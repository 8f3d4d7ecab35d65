"""The output folder of a training run: `docs/reference/output-folder.md` says what is in it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from sleepd.app.places import make_private
from sleepd.core import edit, gate
from sleepd.core.errors import Unwritable
from sleepd.core.gate import Rule
from sleepd.core.model import Attribution, Digest, Edit, Pair, Split
from sleepd.pipeline.compare import counts
from sleepd.pipeline.evaluate import Evaluated
from sleepd.pipeline.rollout import Bench
from sleepd.pipeline.trained import Epoch, Step, Text, Trained
from sleepd.pipeline.work import Work
from sleepd.store import attributions, proposals, rollouts
from sleepd.store.proposals import Trial

FORMAT = "sleepd-history-1"
Plain = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What a history is about."""

    bench: Bench
    work: Work
    rule: Rule
    alpha: float

    def night(self, number: int) -> str:
        """What the calls of one step are kept under."""
        return f"{self.bench.night_id}:{number:03d}"


class Folder:
    """Writes the files as a run goes on; each is whole at every moment."""

    def __init__(self, path: Path, run: Run) -> None:
        self._path = path
        self._run = run
        self._steps: list[Plain] = []
        self._written = 0
        self._texts = 0
        self._epochs = 0

    def keep(self, trained: Trained, status: str = "running", message: str = "") -> None:
        """Write what is new, and the history."""
        for text in trained.texts[self._texts :]:
            write(self._path / _file(text), self._run.bench.text(text.address))
        for step in trained.steps[self._written :]:
            self._steps.append(self._step(step))
        for epoch in trained.epochs[self._epochs :]:
            self._epoch(epoch)
        self._texts, self._written, self._epochs = map(len, (trained.texts, trained.steps, trained.epochs))
        write(self._path / "best_skill.md", self._run.bench.text(trained.best.address))
        write_json(self._path / "history.json", self.history(trained, status, message))

    def history(self, trained: Trained, status: str, message: str) -> Plain:
        """The value of `history.json`."""
        run = self._run
        return {
            "format": FORMAT,
            "kind": "training",
            "id": run.bench.night_id,
            "status": status,
            "message": message,
            "rule": run.rule.value,
            "metric": run.bench.metric.value,
            "alpha": run.alpha,
            "skill": run.work.target.name,
            "model": run.bench.model.key,
            "reflection_model": run.bench.reflector.key,
            "tasks": {side.value: len(run.work.usable(side)) for side in Split},
            "texts": [self._text(text) for text in trained.texts],
            "best": {"digest": trained.best.address, "step": trained.best.step},
            "steps": list(self._steps),
            "epochs": [_epoch(epoch) for epoch in trained.epochs],
            "test": _test(trained.test),
            "spending": self._spending(range(len(trained.steps) + 2)),
        }

    def _text(self, text: Text) -> Plain:
        return {
            "digest": text.address,
            "step": text.step,
            "file": _file(text),
            "tokens": edit.tokens(self._run.bench.text(text.address)),
            "origin": text.origin.value if text.origin is not None else "start",
            "gated": text.gated,
            "validation": asdict(text.validation),
        }

    def _step(self, step: Step) -> Plain:
        folder = self._path / "steps" / f"{step.number:03d}"
        bench = self._run.bench
        diffs = [
            edit.diff(bench.text(t.candidate.base), bench.text(t.candidate.text), name=t.candidate.target.name)
            for t in step.trials
        ]
        with bench.database.reading() as connection:
            pairs = {t.candidate.id: proposals.pairs(connection, t.candidate.id) for t in step.trials}
            carried = {t.candidate.id: attributions.load(connection, t.candidate.id) for t in step.trials}
            replies = rollouts.replies(connection, step.night_id)
        write(folder / "patch.diff", "\n".join(diffs))
        write_json(folder / "evaluation.json", [_evaluated(t, pairs[t.candidate.id]) for t in step.trials])
        write_json(folder / "reflections.json", [asdict(r) for r in replies])
        return {
            "step": step.number,
            "epoch": step.epoch,
            "kind": step.kind.value,
            "edit_budget": step.edit_budget,
            "base": step.base,
            "text": step.text,
            "outcome": step.outcome.value,
            "validation": asdict(step.validation),
            "train": asdict(step.train) if step.train is not None else None,
            "candidates": [
                _candidate(t, pairs[t.candidate.id], carried[t.candidate.id], self._run.rule) for t in step.trials
            ],
            "unmatched": [{"edit": u.edit.text or u.edit.anchor, "reason": u.reason} for u in step.unmatched],
            "problems": list(step.problems),
            "spending": self._spending([step.number]),
        }

    def _epoch(self, epoch: Epoch) -> None:
        name = f"epoch-{epoch.number:02d}"
        compared = [
            {
                "request": one.task.task.request,
                "change": one.change.value,
                "before": asdict(one.before.result),
                "after": asdict(one.after.result),
            }
            for one in epoch.compared
        ]
        write_json(self._path / "slow" / f"{name}.json", {**_epoch(epoch), "tasks": compared})
        write(self._path / "meta" / f"{name}.md", epoch.notes and f"{epoch.notes}\n")

    def _spending(self, numbers: Sequence[int]) -> Plain:
        with self._run.bench.database.reading() as connection:
            spent = [rollouts.spent(connection, self._run.night(n)) for n in numbers]
        costs = [s.cost_usd for s in spent]
        return {
            "rollouts": sum(s.rollouts for s in spent),
            "reflections": sum(s.reflections for s in spent),
            "tokens_in": sum(s.tokens_in for s in spent),
            "tokens_out": sum(s.tokens_out for s in spent),
            "cost_usd": None if None in costs else sum(c or 0.0 for c in costs),
        }


def write_json(path: Path, value: object) -> None:
    """As `write`, for a value."""
    write(path, json.dumps(value, indent=1, ensure_ascii=False, default=str) + "\n")


def write(path: Path, text: str) -> None:
    """Write a file for its owner alone; whoever reads it sees the old one or the new one. Raises `Unwritable`."""
    part = path.with_name(f".{path.name}.part")
    try:
        make_private(path.parent)
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace", newline="") as stream:
            stream.write(text)
        part.replace(path)
    except OSError as error:
        raise Unwritable.of(path, error) from error


def _file(text: Text) -> str:
    return f"skills/step-{text.step:03d}.md"


def _candidate(trial: Trial, pairs: Sequence[Pair], carried: Sequence[Attribution], rule: Rule) -> Plain:
    candidate = trial.candidate
    for_mean = [p for p in pairs if not p.confirms]
    wealth = gate.path(*gate.columns(for_mean), candidate.margin) if rule is Rule.EVIDENCE else np.zeros(0)
    known = {one.edit_id: one for one in carried}
    return {
        "index": candidate.index,
        "id": candidate.id,
        "text": candidate.text,
        "origin": candidate.origin.value,
        "margin": candidate.margin,
        "alpha": candidate.alpha,
        "verdict": candidate.verdict.value,
        "reason": candidate.reason,
        "pairs": len(for_mean),
        "confirming": len(pairs) - len(for_mean),
        "evidence": trial.evidence,
        "counter_evidence": trial.counter_evidence,
        "effect": trial.effect,
        "wealth": [round(float(w), 4) for w in wealth],
        "edits": [_edit(e, known) for e in candidate.edits],
    }


def _edit(one: Edit, known: Mapping[Digest, Attribution]) -> Plain:
    found = known.get(one.id)
    asked = found if found is not None and found.pairs else None
    return {
        "op": one.op.value,
        "anchor": one.anchor,
        "text": one.text,
        "reason": one.reason,
        "kept": found.kept if found is not None else None,
        "effect": asked.effect if asked is not None else None,
        "low": asked.low if asked is not None else None,
        "high": asked.high if asked is not None else None,
        "pairs": asked.pairs if asked is not None else None,
        "tokens": edit.tokens(one.text),
    }


def _evaluated(trial: Trial, pairs: Sequence[Pair]) -> Plain:
    rows = [{**asdict(p), "confirms": p.confirms} for p in pairs]
    return {"candidate": trial.candidate.id, "index": trial.candidate.index, "pairs": rows}


def _epoch(epoch: Epoch) -> Plain:
    return {
        "epoch": epoch.number,
        "steps": list(epoch.steps),
        "first": epoch.first,
        "last": epoch.last,
        "comparison": {c.value: n for c, n in counts(epoch.compared).items()} if epoch.compared else None,
        "notes": epoch.notes or None,
        "problems": list(epoch.problems),
    }


def _test(test: tuple[Evaluated, Evaluated] | None) -> Plain | None:
    return {"before": asdict(test[0].measure), "after": asdict(test[1].measure)} if test is not None else None
