"""The output folder of a night: made from the rows of the database, at the night's end and on request.

Nothing in it is the only copy. `docs/reference/output-folder.md` says what is in it.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from sleepd.core import budget, edit, redact
from sleepd.core.budget import Schedule
from sleepd.core.errors import Unwritable, UsageError
from sleepd.core.experiment import VerdictRule
from sleepd.core.model import Digest, RunId, Verdict
from sleepd.host.outfile import write, write_json
from sleepd.pipeline.trial import GateTerms
from sleepd.settings.places import Places
from sleepd.settings.settings import Settings
from sleepd.skills import targets
from sleepd.store import nights, notes, rollouts
from sleepd.store.database import Database
from sleepd.store.nights import Night
from sleepd.store.proposals import Status
from sleepd.usecases import show
from sleepd.usecases.night_lessons import LESSONS
from sleepd.views import evidence, history, report
from sleepd.views.candidate_view import TriedCandidate
from sleepd.views.evidence import OfNight
from sleepd.views.history import FORMAT, Plain
from sleepd.views.html import page

KEPT = 30
"""Folders of nights that are kept: a month."""
_NAME = re.compile(r"\d{4}-\d{2}-\d{2}-[0-9a-f]{8}-\d+")
_SETTINGS = "settings"
_OUTCOMES = (Verdict.ACCEPTED, Verdict.UNDECIDED, Verdict.REJECTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class NightSkill:
    """The work of a night on one skill file."""

    name: str
    path: str
    folder: str
    """Below the night's folder."""
    tried: tuple[TriedCandidate, ...]

    @property
    def base(self) -> Digest:
        """The live text: the one that the newest candidate was compared with."""
        return self.tried[-1].trial.candidate.base

    best: Digest
    """The text that is proposed, or was adopted since; else the live text. Never one that was set aside as unsafe."""
    notes: str
    """The reflection model's strategy notes; "" for none."""


def of(places: Places, night_id: str) -> Path:
    """The path of a night's folder, whether it exists or not."""
    return places.state / "nights" / night_id


def report_of(places: Places, night_id: str) -> Path | None:
    """The night's page; None when it was not made, or is gone."""
    file = of(places, night_id) / "report.html"
    return file if file.is_file() else None


def remember(database: Database, night: Night, settings: Settings) -> Night:
    """Keep the settings in force with the night's report, so that the folder can be made again; without secrets."""
    with database.writing() as connection:
        return nights.annotate(connection, night, {_SETTINGS: _without_secrets(settings.model_dump(mode="json"))})


def keep(places: Places, database: Database, night_id: str) -> Path:
    """Write the folder of a night, and delete old nights' folders; the path of its page.

    Raises `Unwritable` for a full or read-only disk; the database holds the night's results all the same.
    """
    file = make(database, night_id, of(places, night_id))
    # Delete the folders of all but the newest nights. A folder that cannot be deleted stays.
    folder = places.state / "nights"
    try:
        found = [p for p in folder.iterdir() if _NAME.fullmatch(p.name) and p.name != night_id and not p.is_symlink()]
        found.sort(key=lambda p: (p.stat().st_mtime, p.name))
    except OSError as error:
        raise Unwritable.of(folder, error) from error
    for old in found[: max(0, len(found) - KEPT + 1)]:
        shutil.rmtree(old, ignore_errors=True)
    return file


def make(database: Database, night_id: str, folder: Path) -> Path:
    """Write or refresh the folder of a night; its page. Raises `UsageError` for an unknown night, `Unwritable`."""
    seen = show.night_shown(database, night_id)
    with database.reading() as connection:
        noted = notes.of_night(connection, seen.night.id)
        replies = rollouts.replies(connection, RunId(id=seen.night.id))
    skills = _skills(seen, noted)
    told = history_of(database, seen, skills)
    patches: dict[str, str] = {}
    for skill in skills:
        write(folder / skill.folder / "live.md", _text(database, skill.base))
        write(folder / skill.folder / "best_skill.md", _text(database, skill.best))
        if skill.notes:
            write(folder / skill.folder / "notes.md", f"{skill.notes}\n")
        for one in skill.tried:
            # Write the files of one candidate; the change as a diff.
            candidate = one.trial.candidate
            own = folder / "candidates" / f"{candidate.index:03d}"
            after = _text(database, candidate.text)
            diff = edit.diff(_text(database, candidate.base), after, name=candidate.target.name)
            write(own / "skill.md", after)
            write(own / "patch.diff", diff)
            write_json(own / "evaluation.json", [history.evaluation(one)])
            patches[one.trial.candidate.id] = diff
    write_json(folder / "config.json", seen.night.report.get(_SETTINGS))
    write_json(folder / "reflections.json", [asdict(r) for r in replies])
    write_json(folder / "history.json", told)
    write(folder / "report.html", page.page(told, patches))
    return folder / "report.html"


def chosen(folder: Path, night_id: str) -> Path:
    """A folder that somebody named. Raises `UsageError` when something else is in it."""
    place = folder.expanduser().absolute()
    if not place.exists() or (place.is_dir() and not any(place.iterdir())):
        return place
    try:
        there = json.loads((place / "history.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        there = None
    if not isinstance(there, dict) or (there.get("kind"), there.get("id")) != ("night", night_id):
        raise UsageError(f"{place}: something else is there already; name a new or empty folder by --out")
    return place


def _text(database: Database, address: Digest) -> str:
    with database.reading() as connection:
        return rollouts.text(connection, address)


def _skills(seen: OfNight, noted: Mapping[str, str]) -> tuple[NightSkill, ...]:
    """The files that candidates were tried for, in the order of the candidates."""
    by_path: dict[str, list[TriedCandidate]] = {}
    for one in seen.tried:
        by_path.setdefault(one.trial.candidate.target.path, []).append(one)
    standing = {p.proposal.id for p in seen.proposed if p.proposal.status in (Status.WAITING, Status.ADOPTED)}
    out: list[NightSkill] = []
    for path, tried in by_path.items():
        name = tried[0].trial.candidate.target.name
        slug = targets.slug(name)
        taken = {skill.folder for skill in out}
        own = next(
            n for n in (f"skills/{slug}{'-' * (i > 1)}{i if i > 1 else ''}" for i in range(1, 10_000)) if n not in taken
        )
        found = [t.trial.candidate.text for t in tried if t.trial.candidate.id in standing]
        best = found[-1] if found else tried[-1].trial.candidate.base
        skill = NightSkill(name=name, path=path, folder=own, tried=tuple(tried), best=best, notes=noted.get(path, ""))
        out.append(skill)
    return tuple(out)


# history.json -------------------------------------------------------------------------------------------------------


def history_of(database: Database, seen: OfNight, skills: Sequence[NightSkill]) -> Plain:
    """The value of `history.json`."""
    night = seen.night
    # The sections of the settings; none for a night that did not note them.
    noted = night.report.get(_SETTINGS)
    rows = noted if isinstance(noted, dict) else {}
    in_force: Sections = {name: section for name, section in rows.items() if isinstance(section, dict)}
    # The terms of the night; defaults for terms that an older sleepd did not store.
    section = in_force.get("gate", {})
    known = {field.name for field in fields(GateTerms)}
    plain = {name: value for name, value in section.items() if name in known and name != "rule"}
    rule = section.get("rule")
    gate = replace(GateTerms(), **plain, rule=VerdictRule(rule) if rule in list(VerdictRule) else VerdictRule.EVIDENCE)  # type: ignore[arg-type]
    with database.reading() as connection:
        spent = rollouts.spent(connection, night.id)
    found = night.report.get("problems")
    # The budget of each step that was planned; [] when it is not known.
    section = in_force.get("optimizer", {})
    schedule, numbers = section.get("schedule"), [section.get(n) for n in ("steps", "edit_budget", "edit_budget_end")]
    if schedule not in list(Schedule) or not all(isinstance(n, int) for n in numbers):
        edit_budgets = []
    else:
        steps, most, least = (int(str(n)) for n in numbers)
        edit_budgets = [budget.edits(Schedule(str(schedule)), n, steps, most, least) for n in range(steps)]
    return {
        "format": FORMAT,
        "kind": "night",
        "id": night.id,
        "status": night.status.value,
        "message": night.message,
        "scope": night.scope,
        "date": night.date,
        "started_at": report.iso(night.started_at),
        "ended_at": report.iso(night.ended_at),
        "rule": gate.rule.value if in_force else None,
        "metric": in_force.get("gate", {}).get("metric"),
        "alpha": gate.alpha if in_force else None,
        "skills": [skill.name for skill in skills],
        "model": _model(in_force, "model"),
        "reflection_model": _model(in_force, "reflection") or _model(in_force, "model"),
        "edit_budgets": edit_budgets,
        "texts": [
            {
                "digest": skill.base,
                "step": number,
                "file": f"{skill.folder}/live.md",
                "tokens": edit.tokens(_text(database, skill.base)),
                "origin": "start",
                "gated": False,
                "validation": asdict(max(skill.tried, key=lambda t: t.pairs).before),
            }
            for number, skill in enumerate(skills, 1)
        ],
        "steps": [_step(seen, number, skill, gate) for number, skill in enumerate(skills, 1)],
        "problems": [str(one) for one in found] if isinstance(found, list) else [],
        "lessons": night.report.get(LESSONS),
        "proposals": [_proposal(one) for one in seen.proposed],
        "spending": asdict(spent),
        "stages": [asdict(one) for one in seen.stages],
    }


def _step(seen: OfNight, number: int, skill: NightSkill, gate: GateTerms) -> Plain:
    verdicts = {t.trial.candidate.verdict for t in skill.tried}
    best = [t for t in skill.tried if t.trial.candidate.text == skill.best]
    most = max(skill.tried, key=lambda t: t.pairs)
    lost = seen.night.report.get("unmatched")
    status = {p.proposal.id: p.proposal.status.value for p in seen.proposed}
    return {
        "step": number,
        "epoch": None,
        "kind": "night",
        "skill": skill.name,
        "path": skill.path,
        "edit_budget": None,
        "base": skill.base,
        "text": skill.best,
        "outcome": next((v.value for v in _OUTCOMES if v in verdicts), "nothing"),
        "validation": asdict(best[-1].after if best else most.before),
        "train": None,
        "notes": skill.notes or None,
        "candidates": [
            {**history.candidate(one, gate), "proposal": status.get(one.trial.candidate.id)} for one in skill.tried
        ],
        "unmatched": [
            {"edit": str(row.get("edit")), "reason": str(row.get("reason"))}
            for row in (lost if isinstance(lost, list) else [])
            if isinstance(row, dict) and row.get("skill") in (None, skill.name)
        ],
        "problems": [],
        "spending": None,
    }


def _proposal(one: evidence.Proposed) -> Plain:
    p = one.proposal
    return {
        "id": p.id,
        "status": p.status.value,
        "findings": list(p.findings),
        "sealed": evidence.sealed_json(p),
        "taught_by": [
            {"session": t.session, "agent": t.agent, "title": t.title, "at": report.iso(t.started_at)}
            for t in one.taught_by
        ],
    }


# The settings in force ----------------------------------------------------------------------------------------------


def _without_secrets(value: object) -> object:
    """An address may carry a password; keys are no settings."""
    if isinstance(value, str):
        return redact.redact(value, len(value)).text
    if isinstance(value, dict):
        return {name: _without_secrets(inner) for name, inner in value.items()}
    return [_without_secrets(inner) for inner in value] if isinstance(value, list) else value


Sections = Mapping[str, Mapping[str, object]]


def _model(in_force: Sections, section: str) -> str | None:
    found = in_force.get(section, {})
    known = [str(found[name]) for name in ("name", "model") if found.get(name)]
    return ":".join(known) or None
