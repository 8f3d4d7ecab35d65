"""The output folder of a training run: `docs/reference/output-folder.md` says what is in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from sleepd.core import edit
from sleepd.core.model import Split
from sleepd.host.outfile import write, write_json
from sleepd.pipeline.compare import counts
from sleepd.pipeline.rollout import RunContext
from sleepd.pipeline.trained import Epoch, Step, Trained, TrainedText
from sleepd.pipeline.trial import GateTerms
from sleepd.pipeline.work import Work
from sleepd.store import rollouts
from sleepd.views import history
from sleepd.views.candidate_view import tried
from sleepd.views.history import FORMAT, Plain
from sleepd.views.html import page


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The subject of a history."""

    ctx: RunContext
    work: Work
    gate: GateTerms


class Folder:
    """Writes the files during a run; each file is whole at every moment."""

    def __init__(self, path: Path, run: Run) -> None:
        self._path = path
        self._run = run
        self._steps: list[Plain] = []
        self._written = 0
        self._texts = 0
        self._epochs = 0
        self._patches: dict[str, str] = {}

    def keep(self, trained: Trained, status: str = "running", message: str = "") -> None:
        """Write the new files and the history."""
        for text in trained.texts[self._texts :]:
            write(self._path / _file(text), self._run.ctx.text(text.address))
        for step in trained.steps[self._written :]:
            self._steps.append(self._step(step))
        for epoch in trained.epochs[self._epochs :]:
            self._epoch(epoch)
        self._texts, self._written, self._epochs = map(len, (trained.texts, trained.steps, trained.epochs))
        write(self._path / "best_skill.md", self._run.ctx.text(trained.best.address))
        told = self.history(trained, status, message)
        write_json(self._path / "history.json", told)
        write(self._path / "report.html", page.page(told, self._patches))

    def history(self, trained: Trained, status: str, message: str) -> Plain:
        """The value of `history.json`."""
        run = self._run
        with self._run.ctx.database.reading() as connection:
            spent = rollouts.spent_by_stage(connection, self._run.ctx.run.id, range(len(trained.steps) + 2))
        return {
            "format": FORMAT,
            "kind": "training",
            "id": run.ctx.run.id,
            "status": status,
            "message": message,
            "rule": run.gate.rule.value,
            "metric": run.ctx.metric.value,
            "alpha": run.gate.alpha,
            "skill": run.work.target.name,
            "model": run.ctx.model.key,
            "reflection_model": run.ctx.reflector.key,
            "tasks": {side.value: len(run.work.usable(side)) for side in Split},
            "texts": [
                {
                    "digest": text.address,
                    "step": text.step,
                    "file": _file(text),
                    "tokens": edit.tokens(self._run.ctx.text(text.address)),
                    "origin": text.origin.value if text.origin is not None else "start",
                    "gated": text.gated,
                    "validation": asdict(text.validation),
                }
                for text in trained.texts
            ],
            "best": {"digest": trained.best.address, "step": trained.best.step},
            "steps": list(self._steps),
            "epochs": [_epoch(epoch) for epoch in trained.epochs],
            "test": {"before": asdict(trained.test[0].measure), "after": asdict(trained.test[1].measure)}
            if trained.test is not None
            else None,
            "spending": self._spending(range(len(trained.steps) + 2)),
            "stages": [asdict(one) for one in spent],
        }

    def _step(self, step: Step) -> Plain:
        folder = self._path / "steps" / f"{step.number:03d}"
        ctx = self._run.ctx
        diffs: dict[str, str] = {
            t.candidate.id: edit.diff(
                ctx.text(t.candidate.base), ctx.text(t.candidate.text), name=t.candidate.target.name
            )
            for t in step.trials
        }
        self._patches |= diffs
        seen = [replace(tried(self._run.ctx.database, t.candidate.id), trial=t) for t in step.trials]
        with ctx.database.reading() as connection:
            replies = rollouts.replies(connection, step.run)
        write(folder / "patch.diff", "\n".join(diffs.values()))
        write_json(folder / "evaluation.json", [history.evaluation(one) for one in seen])
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
            "candidates": [history.candidate(one, self._run.gate) for one in seen],
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
        with self._run.ctx.database.reading() as connection:
            return asdict(rollouts.spent(connection, self._run.ctx.run.id, numbers))


def _file(text: TrainedText) -> str:
    return f"skills/step-{text.step:03d}.md"


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
