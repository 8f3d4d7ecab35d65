"""Lessons for the person: found in the stored sessions, listed, shown, dropped, pinned, written to a file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sleepd import compose
from sleepd.core import cluster, edit, lesson, ngrams, provenance
from sleepd.core.acts import judge
from sleepd.core.adoption import plan, revert_plan
from sleepd.core.episode import Source, episodes
from sleepd.core.errors import Conflict, UsageError
from sleepd.core.lesson import EpisodeWithAct, Found, History, Lesson, LessonBook, LessonFloors, LessonState, Scope
from sleepd.core.model import ClusterId, Edit, EditOp, SkillTarget, TaskId, digest
from sleepd.core.screen import screen
from sleepd.host import clock, locks
from sleepd.models.hashed import HashedTfidf
from sleepd.settings.places import Places
from sleepd.settings.sections import MineConfig
from sleepd.skills import files, targets
from sleepd.store import lessons as store
from sleepd.store import sessions as stored
from sleepd.store.database import Database
from sleepd.store.lessons import LessonChoice, LessonDecision

_LOCK_WAIT_S = 30.0
_STATES = {
    LessonChoice.PINNED: LessonState.PINNED,
    LessonChoice.REJECTED: LessonState.REJECTED,
    LessonChoice.WRITTEN: LessonState.WRITTEN,
}


def history(database: Database, project: str | None = None) -> History:
    """Read the stored interactive sessions; of one project when `project` names its folder or the folder's end."""
    found = []
    with database.reading() as connection:
        cluster_of = store.clusters(connection)
        for id_ in store.interactive(connection):
            transcript = stored.transcript(connection, id_)
            if project is not None and not _is_project(transcript.project, project):
                continue
            cut = episodes(transcript)
            work: ClusterId | None = None
            session = []
            for episode, judged in zip(cut, judge(cut), strict=True):
                # A turn about the answer before belongs to that answer's kind of work.
                work = cluster_of.get(TaskId(digest(transcript.agent, episode.turn)), work)
                session.append(EpisodeWithAct(episode=episode, judged=judged, cluster=work))
            if session:
                found.append(tuple(session))
    return History(sessions=tuple(found))


def _is_project(folder: str, wanted: str) -> bool:
    there, asked = folder.rstrip("/\\"), wanted.rstrip("/\\")
    return there == asked or there.replace("\\", "/").endswith("/" + asked.replace("\\", "/").lstrip("/"))


def find(known: History) -> tuple[Found, ...]:
    """Everything that recurs, however seldom."""
    acts = {one.episode: one.judged for session in known.sessions for one in session}
    cut = lesson.originals([[one.episode for one in session] for session in known.sessions])
    themes = lesson.of_words([(session, [acts[episode] for episode in session]) for session in cut])
    every = [episode for session in cut for episode in session]
    return lesson.joined((*themes, *lesson.of_refusals(cut), *lesson.of_calls(every)))


def book(
    database: Database, project: str | None = None, floors: LessonFloors | None = None, known: History | None = None
) -> LessonBook:
    """The lessons of the stored sessions with the person's decisions; remembers that they were listed.

    `known`: the history, where it was read already.
    """
    known = known if known is not None else history(database, project)
    floors = floors if floors is not None else LessonFloors()
    projects = {session[0].episode.session: session[0].episode.project for session in known.sessions}
    found = find(known)
    made = lesson.lessons(found, projects, floors)
    ids = {one.id for one in made}
    with database.reading() as connection:
        before, decided = store.listed(connection), store.decisions(connection)
    living = [_with_state(one, before, decided) for one in lesson.conflicts(made)]
    with database.writing() as connection:
        store.keep(connection, made, clock.now())
    others = [f for f in found if lesson.lesson_id(f) not in ids]
    nearest = max(others, key=lambda f: len({s.session for s in f.signals}), default=None)
    living.sort(key=lambda one: one.state is not LessonState.PINNED)
    return LessonBook(
        lessons=tuple(_written_down(one) for one in living),
        sessions=len(known.sessions),
        turns=known.turns,
        nearest=nearest,
    )


def _with_state(one: Lesson, before: Mapping[str, store.Listed], decided: Mapping[str, LessonDecision]) -> Lesson:
    if one.id in decided:
        return replace(one, state=_STATES[decided[one.id].choice], why=decided[one.id].why)
    if one.state is LessonState.NEW and one.id in before and len(one.sessions) > before[one.id].first_sessions:
        return replace(one, state=LessonState.UPDATED)
    return one


def _written_down(one: Lesson) -> Lesson:
    """With the line of the project's or the user's own file that says so already."""
    for target in _instruction_files(one):
        try:
            file = files.read(Path(target.path))
        except Conflict:
            continue  # a file that is no text states no rule; `write` names it when it is in the way
        line = lesson.stated(one, file.text) if file is not None else None
        if line is not None:
            return replace(one, written_down=f"{target.path}:{line.number}: {line.text}")
    return one


def _instruction_files(one: Lesson) -> tuple[SkillTarget, ...]:
    """AGENTS.md, CLAUDE.md and the like: the project's before the user's own."""
    surroundings = compose.surroundings()
    project = Path(one.project) if one.project and Path(one.project).is_dir() else None
    found = targets.discover(surroundings.home, project, surroundings.env)
    return tuple(t for t in found if Path(t.path).name != targets.SKILL_FILE)


def one(database: Database, prefix: str, known: History | None = None) -> Lesson:
    """The lesson whose id begins with `prefix`. Raises `UsageError` for none or several."""
    fitting = [found for found in book(database, known=known).lessons if found.id.startswith(prefix)]
    if len(fitting) != 1:
        why = "no lesson has" if not fitting else f"{len(fitting)} lessons have"
        raise UsageError(f"{why} an id that begins with {prefix!r}; `sleepd lessons` lists them")
    return fitting[0]


def choose(database: Database, prefix: str, choice: LessonChoice, why: str = "") -> Lesson:
    """Pin or reject a lesson. Raises `UsageError` for a pin on a rule that is written: only `drop` takes that out."""
    found = one(database, prefix)
    if choice is LessonChoice.PINNED and found.state is LessonState.WRITTEN:
        raise UsageError(
            f"lesson {found.id[:6]} is written already; take it out first: sleepd lessons drop {found.id[:6]}"
        )
    with database.writing() as connection:
        store.decide(
            connection, LessonDecision(lesson_id=found.id, choice=choice, at=clock.now(), why=why, rule=found.text)
        )
    return replace(found, state=_STATES[choice], why=why)


def drop(places: Places, database: Database, prefix: str, why: str = "") -> Lesson:
    """Reject a lesson: it is not listed again. A rule that was written is taken out of its file; later changes stay.

    Raises `Conflict` when the person's later change touches the same lines.
    """
    found = one(database, prefix)
    with database.reading() as connection:
        decided = store.decisions(connection).get(found.id)
    if decided is not None:
        with locks.adoption(places, _LOCK_WAIT_S):
            _take_out(decided, found)
    return choose(database, found.id, LessonChoice.REJECTED, why)


def _take_out(decided: LessonDecision, found: Lesson) -> None:
    """Take the rule of a written lesson out of its file; of a decision that wrote nothing there is nothing to do."""
    if decided.path is None or decided.after is None:
        return
    path = Path(decided.path)
    current = files.read(path)
    before = decided.before.decode() if decided.before is not None else None
    change = revert_plan(current.text if current is not None else None, decided.after.decode(), before)
    if not change.changes:
        return
    root = _root(found, path)
    if change.text is None and current is not None:
        files.remove(path, (), expected=current.digest, root=root)
    elif change.text is not None:
        files.write(path, change.text.encode(), expected=current.digest if current else None, root=root)


def _root(found: Lesson, path: Path) -> Path:
    return Path(found.project) if found.project and path.is_relative_to(found.project) else path.parent


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenLesson:
    """A rule that stands in a file now, on the person's own word."""

    lesson: Lesson
    path: str
    rule: str


def write(places: Places, database: Database, prefix: str, rule: str | None = None) -> WrittenLesson:
    """Put a lesson's rule into the project's own file, or the user's where it holds in several projects.

    `rule`: other words for it. Nothing was replayed: the rule is unproven, and on probation. Raises `UsageError` for a
    rule that looks unsafe or has no file to go to, and `Conflict` when the file may not be written.
    """
    found = one(database, prefix)
    text = rule if rule is not None else found.text
    unsafe = screen(text)
    if unsafe:
        raise UsageError(f"this rule looks unsafe ({unsafe[0].rule}: {unsafe[0].why}); write it into the file yourself")
    if rule is None:
        own = [quote.text for quote in found.quotes if quote.own]
        returned = [quote.text for quote in found.quotes if not quote.own]
        if taken := provenance.taken_over(text, returned, own):
            raise UsageError(
                f"this rule holds a tool's words ({taken[0].excerpt}); give it in your own words with --text"
            )
    with locks.adoption(places, _LOCK_WAIT_S):
        with database.reading() as connection:
            decided = store.decisions(connection).get(found.id)
        if decided is not None:
            _take_out(decided, found)  # other words take the place of the first ones
        path = _place(found)
        live = files.read(path)
        before = live.text if live is not None else ""
        applied = edit.apply(before, [Edit(op=EditOp.ADD, anchor=None, text=text, reason=f"lesson {found.id}")])
        if applied.unmatched:
            raise UsageError(f"{path}: {applied.unmatched[0].reason}")
        wanted = plan(live.text if live is not None else None, live.text if live is not None else None, applied.text)
        if wanted.changes:
            files.write(
                path,
                applied.text.encode(),
                expected=digest(live.text) if live is not None else None,
                root=_root(found, path),
            )
        with database.writing() as connection:
            store.decide(
                connection,
                LessonDecision(
                    lesson_id=found.id,
                    choice=LessonChoice.WRITTEN,
                    at=clock.now(),
                    rule=text,
                    path=str(path),
                    before=live.data if live is not None else None,
                    after=applied.text.encode(),
                ),
            )
    return WrittenLesson(lesson=replace(found, state=LessonState.WRITTEN), path=str(path), rule=text)


def _place(found: Lesson) -> Path:
    """The file a rule belongs into: the project's own where there is one, else the one its agent would read."""
    surroundings = compose.surroundings()
    agent = targets.agent_of(found.sessions[-1].split(":", 1)[0])
    places_ = targets.places_of(agent)
    if found.scope is Scope.PROJECT:
        folder = Path(found.project)
        if not folder.is_dir():
            raise UsageError(f"the project's folder {found.project} is gone; copy the rule into its file by hand")
        mine = [folder / name for name in places_.project_files]
    else:
        home = targets.user_folder(places_, surroundings.home, surroundings.env)
        mine = [home / name for name in places_.home_files]
    if not mine:
        raise UsageError(f"{agent} reads no file of instructions that sleepd knows; copy the rule by hand")
    return next((path for path in mine if os.path.isfile(path)), mine[0])  # noqa: PTH113  never raises


def with_work(known: History) -> History:
    """The history with a kind of work for each turn, also before `sleepd mine`: then by the words alone.

    Turns of one project are grouped by character n-grams, as mining does with its lightest embedder. Nothing is stored.
    """
    own = [one for session in known.sessions for one in session if one.episode.source.own]
    if not own or any(one.cluster is not None for one in own):
        return known
    by_project: dict[str, list[EpisodeWithAct]] = {}
    for one in own:
        by_project.setdefault(one.episode.project, []).append(one)
    work: dict[str, ClusterId] = {}
    for some in by_project.values():
        texts = [one.episode.text for one in some]
        rows = ngrams.combine(HashedTfidf().encode(texts), texts, english_only=False)
        ids = [one.episode.turn for one in some]
        rule = cluster.Rule(similarity=MineConfig().similarity)
        found = cluster.assign(ids, rows, [None] * len(ids), rule)
        work |= {id_: ClusterId(member) for id_, member in zip(ids, found.members, strict=True)}
    return History(
        sessions=tuple(
            tuple(replace(one, cluster=work.get(one.episode.turn)) for one in session) for session in known.sessions
        )
    )


def own_turns(known: History) -> Sequence[EpisodeWithAct]:
    """The person's own turns and what the client put there, in order."""
    return [one for session in known.sessions for one in session if one.episode.source is not Source.COMMAND]
