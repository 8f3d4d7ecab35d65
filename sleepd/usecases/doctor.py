"""One row for each fact that must hold. A row that fails names its fix."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from sleepd import compose, registry
from sleepd.agents import plugins
from sleepd.core import validity
from sleepd.core.errors import SleepdError
from sleepd.core.mark import OWN_MARK
from sleepd.core.ports import Ask, CallPurpose, Failure
from sleepd.host import clock, locks
from sleepd.settings import config
from sleepd.settings.backends import BACKENDS, Backend
from sleepd.settings.places import Places
from sleepd.settings.settings import Settings
from sleepd.store import lessons, session_parts, sessions, validities
from sleepd.store.ahead import nights_ahead
from sleepd.store.database import backups, open_database, require_sound
from sleepd.store.listed_lessons import listed
from sleepd.store.validity_rows import CheckFamily
from sleepd.usecases import format_changes, service
from sleepd.usecases.init import agents
from sleepd.views import report
from sleepd.views.doctor_result import DoctorRow, DoctorState

_LEAST_FREE_BYTES = 500_000_000
_SHOWN_DEFECTS = 3
_SHOWN_NIGHTS = 3


def examine(places: Places, *, live: bool = False) -> tuple[DoctorRow, ...]:
    """All rows. With `live` each model gets one real call, which may cost a fraction of a cent."""
    rows = [*_installation(), *_agents()]
    settings = _settings(places)
    where = str(places.config) if places.config.exists() else f"no file at {places.config}: the defaults apply"
    rows.append(settings if isinstance(settings, DoctorRow) else _ok("settings", where))
    folder = next(p for p in (places.database.parent, *places.database.parents) if p.exists())
    free = shutil.disk_usage(folder).free
    words = f"{free / 1e9:.1f} GB free at {folder}"
    if free < _LEAST_FREE_BYTES:
        disk = _failed("disk", words, "make room: a night needs half a gigabyte for its database and backups")
    else:
        disk = _ok("disk", words)
    if locks.is_held(places.lock):
        lock = _warning("lock", "a night is running now", "wait for it; sleepd status shows how it ended")
    else:
        lock = _ok("lock", "no night is running")
    variables: list[DoctorRow] = []
    for variable in config.stray_variables():
        if variable.effect is None:
            fix = f"unset {variable.name}, or correct its name"
            variables.append(_failed("variables", f"{variable.name} is set, and no such setting exists", fix))
        else:
            fix = "a scheduled night may not see it: put it in the settings file (keys excepted)"
            variables.append(_warning("variables", f"{variable.name} is set: {variable.effect}", fix))
    if not config.stray_variables():
        variables.append(_ok("variables", "no SLEEPD_ variable is set"))
    rows += [*_database(places), disk, lock, *variables, *_plugins(places)]
    if not isinstance(settings, DoctorRow):
        if settings.model.name is None:
            known = ", ".join(registry.names(registry.MODELS))
            model = _failed(
                "model", "no model is chosen", f"set model.name (one of {known}) and model.model in the settings"
            )
        else:
            model = _explained("model", lambda: _login(settings, live=live))
        rows += [*_questions(settings), *_embedder(settings), model]
        rows.append(_explained("schedule", lambda: _schedule(places)))
    return tuple(rows)


def _ok(fact: str, finding: str) -> DoctorRow:
    return DoctorRow(fact=fact, state=DoctorState.OK, finding=finding)


def _failed(fact: str, finding: str, fix: str) -> DoctorRow:
    return DoctorRow(fact=fact, state=DoctorState.FAILED, finding=finding, fix=fix)


def _warning(fact: str, finding: str, fix: str) -> DoctorRow:
    return DoctorRow(fact=fact, state=DoctorState.WARNING, finding=finding, fix=fix)


def _explained(fact: str, make: Callable[[], DoctorRow]) -> DoctorRow:
    """The row, or the error that kept it from being made: its message names the fix."""
    try:
        return make()
    except SleepdError as error:
        finding, _, fix = str(error).partition("; ")
        return _failed(fact, finding, fix)


def _installation() -> Iterator[DoctorRow]:
    version = ".".join(map(str, sys.version_info[:3]))
    yield _ok("python", f"{version} at {sys.executable}")
    ours = {"sleepd": _folder_of("sleepd"), "harvesters": _folder_of("harvesters")}
    if ours["sleepd"] == ours["harvesters"]:
        yield _ok("import names", f"sleepd and harvesters come from {ours['sleepd']}")
    else:
        where = ", ".join(f"{name} from {folder}" for name, folder in ours.items())
        yield _failed("import names", where, "another package with one of these names is installed; remove it")


def _folder_of(package: str) -> Path | None:
    spec = importlib.util.find_spec(package)
    return Path(spec.origin).parent.parent if spec is not None and spec.origin is not None else None


def _agents() -> Iterator[DoctorRow]:
    found = agents()
    for agent in found:
        yield _ok(f"agent {agent.name}", f"{agent.transcripts} transcripts" if agent.transcripts else "none found")
    if not any(agent.transcripts for agent in found):
        yield _warning(
            "agents",
            "no transcript of any agent was found",
            "work with an agent once, or name files: sleepd harvest FOLDER",
        )


def _settings(places: Places) -> Settings | DoctorRow:
    try:
        return config.load()
    except SleepdError as error:
        held = places.daemon_lock.exists() and locks.is_held(places.daemon_lock)
        kept = "; until then the daemon keeps the earlier settings" if held else ""
        return _failed("settings", str(error), f"correct it, or move {places.config} away and run sleepd init{kept}")


def _database(places: Places) -> Iterator[DoctorRow]:
    file = places.database
    if not file.exists():
        yield _warning("database", f"none at {file}", "run sleepd init, or sleepd harvest")
        return
    row = _explained("database", lambda: _contents(file))
    yield row
    if row.state is not DoctorState.FAILED:
        yield _explained("nights", lambda: _nights(file))
        yield _explained("lessons", lambda: _lessons(file))
        yield _explained("checks", lambda: _checks(file))
        # A client that changed what it writes: a warning for each of its versions.
        with closing(open_database(file)) as database, database.reading() as connection:
            found = format_changes.format_changes(session_parts.record_counts(connection))
        for change in found:
            yield _warning(
                "format",
                format_changes.in_words(change),
                "update sleepd; until then a part of such sessions is not read",
            )
        if not found:
            yield _ok("format", "what the agents write is known")
    if file.stat().st_mode & 0o077:
        yield _failed("database rights", f"others may read {file}", f"chmod 600 {file}")


def _nights(file: Path) -> DoctorRow:
    found = nights_ahead(file, clock.now())
    if not found:
        return _ok("nights", "none has a future date")
    more = f" and {len(found) - _SHOWN_NIGHTS} more" if len(found) > _SHOWN_NIGHTS else ""
    return _warning(
        "nights",
        f"with a future date, from a clock that was ahead: {', '.join(found[:_SHOWN_NIGHTS])}{more}",
        "set the clock if it is wrong now; else do nothing: these nights do not count before their date",
    )


def _lessons(file: Path) -> DoctorRow:
    with closing(open_database(file)) as database, database.reading() as connection:
        known, written = listed(connection), lessons.decisions(connection).values()
    rules = [one for one in written if one.choice is lessons.LessonChoice.WRITTEN]
    if not known:
        return _ok("lessons", "not looked at yet: sleepd lessons")
    more = f", {len(rules)} of them written on your word" if rules else ""
    return _ok("lessons", f"{len(known)} listed{more}: sleepd lessons")


def _checks(file: Path) -> DoctorRow:
    """That a check is only observed is no fault; the most frequent reason says what would change it."""
    with closing(open_database(file)) as database, database.reading() as connection:
        of_lessons = [one.validity for one in validities.load(connection, CheckFamily.LESSON).values()]
        of_works = list(validities.of_works(connection).values())
    if not of_lessons and not of_works:
        return _ok("checks", "not looked at yet: sleepd mine")
    words = f"of lessons: {validity.counted(of_lessons)}; of answers: they gate in "
    words += f"{sum(one.gates for one in of_works)} of {report.count(len(of_works), 'kind')} of work"
    why = Counter(one.why for one in of_works if not one.gates).most_common(1)
    return _ok("checks", f"{words}, elsewhere mostly because {why[0][0]}" if why else words)


def _contents(file: Path) -> DoctorRow:
    require_sound(file)
    database = open_database(file)
    try:
        with database.reading() as connection:
            counts = sessions.counts(connection)
            some = sessions.defects(connection, _SHOWN_DEFECTS)
    finally:
        database.close()
    copies = backups(file)
    held = f"{counts.sessions} sessions, {counts.turns} turns in {file}; backups: {len(copies)}"
    if not counts.defects:
        return _ok("database", held)
    shown = ", ".join(f"{d.path} at byte {d.offset} ({d.reason})" for d in some)
    return _warning(
        "database",
        f"{held}; {counts.defects} pieces could not be read: {shown}",
        "docs/reference/defects.md says what each means; the rest was read",
    )


def _plugins(places: Places) -> Iterator[DoctorRow]:
    """Nobody has to have the plugin: an agent without it is no warning."""
    for row in plugins.states(plugins.Machine(places=places, env=config.agent_env(), home=config.home())):
        if row.program is None and not row.installed:
            continue
        finding, fix = plugins.in_words(row)
        fact = f"plugin {row.agent}"
        if row.installed or row.trouble:
            yield _warning(fact, finding, fix) if fix else _ok(fact, finding)
        else:
            yield _ok(fact, f"{finding}; sleepd plugin install {row.agent} installs /skillopt-sleep there")


def _questions(settings: Settings) -> Iterator[DoctorRow]:
    if settings.harvest.since is None:
        yield _failed(
            "window",
            "not set: how far back to read",
            'run sleepd init, or set harvest.since = "30d" in the settings',
        )
    if settings.night.max_calls is None and settings.night.budget_usd is None:
        yield _failed(
            "spending", "not set: the budget of a night", "run sleepd init, or set night.max_calls in the settings"
        )


def _embedder(settings: Settings) -> Iterator[DoctorRow]:
    row = _explained("embedder", lambda: _ok("embedder", compose.embedder(settings).key))
    yield row
    if row.state is DoctorState.OK and compose.embedder(settings).english_only:
        yield _warning(
            "embedder language",
            f"{settings.embedder.model} knows English only; it distinguishes other languages by their letters alone",
            "docs/how-to/embedder.md names models for other languages",
        )


def _login(settings: Settings, *, live: bool) -> DoctorRow:
    models = dict.fromkeys(compose.models(settings)[:2])
    names = ", ".join(model.key for model in models)
    for section in (settings.model, settings.for_reflection()):
        backend = BACKENDS.get(section.name or "", Backend())
        needed = section.key_variable or backend.key_variable
        optional = (backend.has_login or backend.keyless) and section.key_variable is None
        if needed is not None and not optional and config.api_key(section.name or "", section.key_variable) is None:
            usual = needed if section.key_variable is not None else f"SLEEPD_API_KEY or {needed}"
            return _failed("model", f"{names}: no key is set", f"export {usual}")
    if not live:
        return _ok("model", f"{names}; not tested (sleepd doctor --live does)")
    ask = Ask(purpose=CallPurpose.PREFLIGHT, system=OWN_MARK, prompt="Reply with the word ready.", max_tokens=64)
    for model in models:
        outcome = model.ask(ask)
        model.close()
        if isinstance(outcome, Failure):
            return _failed("model", f"{model.key}: {outcome.cause}", outcome.message)
    return _ok("model", f"{names} answered")


def _schedule(places: Places) -> DoctorRow:
    found = service.status(places, sys.platform, clock.now())
    if not found.schedules:
        return _warning("schedule", "no night starts by itself", "sleepd service install")
    if found.faults:
        finding, _, fix = found.faults[0].partition("; ")
        return _warning("schedule", finding, fix)
    kinds = ", ".join(seen.kind for seen in found.schedules)
    return _ok("schedule", f"{kinds}; next night {report.moment(found.next_at)}")
