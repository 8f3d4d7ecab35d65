"""Lessons for the person: found in the stored sessions, listed, shown, dropped, pinned, written to a file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sleepd.core import act_reading, cluster, edit, lesson, lesson_reading, ngrams, provenance
from sleepd.core.acts import Act, judge
from sleepd.core.adoption import plan, revert_plan
from sleepd.core.backtest import Backtest, Floors, backtest
from sleepd.core.episode import Episode, Source, episodes
from sleepd.core.errors import Conflict, UsageError
from sleepd.core.lesson import (
    EpisodeWithAct,
    Found,
    History,
    Lesson,
    LessonBook,
    LessonFloors,
    LessonState,
    Scope,
    TriedLesson,
)
from sleepd.core.lesson_reading import LessonsRead
from sleepd.core.model import ClusterId, Digest, Edit, EditOp, SkillTarget, TaskId, digest
from sleepd.core.retirement import silence
from sleepd.core.skill_versions import SkillHistory, skill_versions
from sleepd.core.written_rules import TriedRule, written_rules
from sleepd.host import clock, locks
from sleepd.models.hashed import HashedTfidf
from sleepd.replayers.prompt import version
from sleepd.settings import config
from sleepd.settings.places import Places
from sleepd.settings.sections import LessonsConfig, MineConfig
from sleepd.skills import files, targets
from sleepd.skills.surroundings import Surroundings
from sleepd.store import lessons as store
from sleepd.store import readings, repositories, validities
from sleepd.store import sessions as stored
from sleepd.store.database import Database
from sleepd.store.lessons import LessonChoice, LessonDecision
from sleepd.store.listed_lessons import Listed, listed
from sleepd.store.validities import CheckVerdict
from sleepd.store.validity_rows import CheckFamily
from sleepd.usecases.client_labels import client_labels

_LOCK_WAIT_S = 30.0
_STATES = {
    LessonChoice.PINNED: LessonState.PINNED,
    LessonChoice.REJECTED: LessonState.REJECTED,
    LessonChoice.WRITTEN: LessonState.WRITTEN,
}


def history(database: Database, project: str | None = None, around: Surroundings | None = None) -> History:
    """Read the stored interactive sessions; of one project when `project` names its folder or the folder's end.

    What a model took a turn for, when it was asked earlier, is part of the turn's act. No model is asked here. Here and
    below `around` says whose home it is; default: the user's.
    """
    found = []
    around = around or _users()
    with database.reading() as connection:
        cluster_of = store.clusters(connection)
        read = readings.acts(connection, version("acts"))
        repository = repositories.of_folders(connection)
        ids = store.interactive(connection)
        labels = client_labels(ids, around.home, around.env)
        for id_ in ids:
            transcript = stored.transcript(connection, id_)
            if project is not None and not _is_project(transcript.project, project):
                continue
            cut = episodes(transcript)
            work: ClusterId | None = None
            session = []
            turns = {turn.episode.turn: turn.key for turn in act_reading.shown(cut)} if read else {}
            for episode, by_signs in zip(cut, judge(cut, labels.get(id_)), strict=True):
                judged = act_reading.combined(by_signs, read.get(turns.get(episode.turn, Digest(""))))
                # A turn about the answer before belongs to that answer's kind of work.
                work = cluster_of.get(TaskId(digest(transcript.agent, episode.turn)), work)
                session.append(EpisodeWithAct(episode=episode, judged=judged, cluster=work))
            if session:
                found.append(tuple(session))
    return History(sessions=tuple(found), repositories=_still_there(repository))


def _users() -> Surroundings:
    return Surroundings(home=config.home(), env=config.agent_env())


def _still_there(repository: Mapping[str, str]) -> dict[str, str]:
    """The same with a folder that is still there to stand for each repository, where one is."""
    there: dict[str, str] = {}
    for main, folder in sorted((main, folder) for folder, main in repository.items()):
        if Path(main).is_dir():
            there[main] = main
        elif main not in there and Path(folder).is_dir():
            there[main] = folder
    return {folder: there.get(main, main) for folder, main in repository.items()}


def _is_project(folder: str, wanted: str) -> bool:
    there, asked = folder.rstrip("/\\"), wanted.rstrip("/\\")
    return there == asked or there.replace("\\", "/").endswith("/" + asked.replace("\\", "/").lstrip("/"))


def find(known: History) -> tuple[Found, ...]:
    """Everything that recurs, however seldom, found without a model."""
    acts = {one.episode: one.judged for session in known.sessions for one in session}
    cut = lesson.originals([[one.episode for one in session] for session in known.sessions])
    themes = lesson.of_words([(session, [acts[episode] for episode in session]) for session in cut])
    every = [episode for session in cut for episode in session]
    return lesson.joined((*themes, *lesson.of_refusals(cut), *lesson.of_calls(every)))


def tried(found: Sequence[Lesson], floors: LessonsConfig, known: History) -> tuple[TriedLesson, ...]:
    """Lessons with their checks, each held against the whole history.

    Give all lessons of the list: how sure a verdict is depends on how many checks were measured.
    """
    wanted = Floors(applies=floors.applies, broken=floors.broken, recall=floors.recall)
    return lesson.tried_together(
        [TriedLesson(lesson=one, checks=lesson.tried_checks(one, known, wanted)) for one in found]
    )


def with_rubrics(database: Database, found: Sequence[TriedLesson]) -> tuple[TriedLesson, ...]:
    """The same with the verdict on each lesson's rubric, where a judge model was asked."""
    with database.reading() as connection:
        read = validities.load(connection, CheckFamily.RUBRIC)
    return tuple(replace(one, rubric=read[one.lesson.id].validity if one.lesson.id in read else None) for one in found)


def keep_verdicts(database: Database, found: Sequence[TriedLesson]) -> None:
    """Remember which checks of the listed lessons gate, in the place of what was remembered."""
    verdicts = [
        CheckVerdict(
            subject=f"{one.lesson.id}:{tested.check.kind}", sentence=tested.check.sentence, validity=tested.validity
        )
        for one in found
        if one.lesson.state not in (LessonState.REJECTED, LessonState.SUPERSEDED)
        for tested in one.checks
    ]
    with database.writing() as connection:
        validities.save(connection, CheckFamily.LESSON, verdicts)


def book(
    database: Database,
    floors: LessonsConfig,
    known: History,
    around: Surroundings | None = None,
    *,
    looked_at: bool = True,
) -> LessonBook:
    """The lessons of a history with the person's decisions; where a person looks at them, remembers that."""
    projects = {session[0].episode.session: known.repository(session[0].episode.project) for session in known.sessions}
    with database.reading() as connection:
        before, decided = listed(connection), store.decisions(connection)
        checks = store.reviewed_checks(connection)
        replies = [reply for reading in readings.newest_lessons(connection) for reply in reading.replies]
        earlier = readings.turns_of_lessons(connection)
    taken = with_readings(known, find(known), replies, earlier)
    found = taken.found
    made = lesson.lessons(found, projects, LessonFloors(words=floors.sessions, steps=floors.sessions_of_steps))
    ids = {one.id for one in made}
    # What was never shown whole is not shown as split, and a rule that stands in a file stays one.
    gone = {one.id for one in made if one.state is LessonState.SPLIT and one.id not in before and one.id not in decided}
    whole = {id_ for id_, one in decided.items() if one.choice is LessonChoice.WRITTEN}
    made = tuple(
        replace(one, checks=checks.get(one.id, one.checks))
        for one in made
        if one.id not in gone and one.parent not in whole
    )
    living = [_retired(_with_state(one, before, decided), known, floors.retire_after) for one in lesson.conflicts(made)]
    if looked_at:
        with database.writing() as connection:
            store.keep(connection, made, clock.now())
            readings.keep_turns(connection, lesson_reading.turns_to_keep(found))
    others = [f for f in found if lesson.lesson_id(f) not in ids]
    nearest = max(others, key=lambda f: len({s.session for s in f.signals}), default=None)
    living.sort(key=lambda one: (one.state is not LessonState.PINNED, one.state in lesson.PAST))
    return LessonBook(
        lessons=tuple(_written_down(one, around or _users()) for one in living),
        sessions=len(known.sessions),
        turns=known.turns,
        nearest=nearest,
    )


def with_readings(
    known: History, found: Sequence[Found], replies: Sequence[str], earlier: Mapping[str, frozenset[str]]
) -> LessonsRead:
    """The findings with what a model's replies say of the same history; every quote is checked anew."""
    if not replies:
        return LessonsRead(found=tuple(found), fates=(), dropped_quotes=0)
    from sleepd.pipeline.read_lessons import group_id, parsed_lessons

    read = parsed_lessons(replies)
    citable = lesson_reading.citables(known.sessions, found, lesson_reading.cited_ids(read))
    group_ids = {group_id(finding): finding.key for finding in found}
    return lesson_reading.taken(read, found, citable, group_ids, earlier)


def checkable(database: Database, floors: LessonsConfig) -> tuple[Lesson, ...]:
    """The living lessons that have a check, or had one that the person took out: for a file of checks."""
    with database.reading() as connection:
        reviewed = store.reviewed_checks(connection)
    found = book(database, floors, history(database)).lessons
    living = (one for one in found if one.state not in (LessonState.REJECTED, *lesson.PAST))
    return tuple(one for one in living if one.checks or one.id in reviewed)


def _with_state(one: Lesson, before: Mapping[str, Listed], decided: Mapping[str, LessonDecision]) -> Lesson:
    choice = decided.get(one.id) or decided.get(one.parent)
    if choice is not None and not (one.state is LessonState.SPLIT and choice.choice is LessonChoice.PINNED):
        return replace(one, state=_STATES[choice.choice], why=choice.why)
    if one.state is LessonState.NEW and one.id in before and len(one.sessions) > before[one.id].first_sessions:
        return replace(one, state=LessonState.UPDATED)
    return one


def _retired(one: Lesson, known: History, least: int) -> Lesson:
    """The lesson as retired where it was not needed for long; what the person decided on stays as it is."""
    if one.state not in (LessonState.NEW, LessonState.UPDATED):
        return one
    found = silence(one, known)
    if not found.retires(least):
        return one
    last = max((signal.at for signal in one.signals if signal.at is not None), default=None)
    since = f" since {last:%Y-%m-%d}" if last is not None else ""
    why = f"not needed{since}, in {found.sessions} sessions in which it could have been"
    return replace(one, state=LessonState.RETIRED, why=why)


def _written_down(one: Lesson, around: Surroundings) -> Lesson:
    """With the line of the project's or the user's own file that says so already."""
    for file in _instructions(one.project, around):
        line = lesson.stated(one, file.text)
        if line is not None:
            return replace(one, written_down=f"{file.target.path}:{line.number}: {line.text}")
    return one


@dataclass(frozen=True, slots=True, kw_only=True)
class _Instructions:
    """A file of instructions: AGENTS.md, CLAUDE.md and the like."""

    target: SkillTarget
    text: str


def _instructions(folder: str, around: Surroundings) -> Iterator[_Instructions]:
    """The files of instructions that hold in a folder: the project's before the user's own."""
    project = Path(folder) if folder and Path(folder).is_dir() else None
    for target in targets.discover(around.home, project, around.env):
        if Path(target.path).name == targets.SKILL_FILE:
            continue
        try:
            file = files.read(Path(target.path))
        except Conflict:
            continue  # a file that is no text states no rule; `write` names it when it is in the way
        if file is not None:
            yield _Instructions(target=target, text=file.text)


def tried_rules(known: History, floors: LessonsConfig, around: Surroundings | None = None) -> tuple[TriedRule, ...]:
    """The rules in the person's own files that name a command, those broken most often first, held against history.

    A project's rules are held against its own sessions, a file of the user's own against all. Rules that never applied
    are left out.
    """
    around = around or _users()
    by_project: dict[str, list[Sequence[Episode]]] = {}
    cut = lesson.originals([[one.episode for one in session] for session in known.sessions])
    for session in cut:
        by_project.setdefault(known.repository(session[0].project), []).append(session)
    questions = {
        (one.episode.session, one.episode.turn): one.judged.act is Act.QUESTION
        for session in known.sessions
        for one in session
    }
    found: dict[str, TriedRule] = {}
    for folder, sessions in sorted(by_project.items()):
        for file in _instructions(folder, around):
            path = file.target.path
            for rule in written_rules(file.text):
                result = backtest(rule.check, sessions if file.target.project else cut, {}, questions)
                if isinstance(result, Backtest) and result.applies:
                    often = result.applies >= floors.applies and (result.broken.value or 0) >= floors.broken
                    found[f"{path}:{rule.line.number}:{rule.check.sentence}"] = TriedRule(
                        path=path, rule=rule, result=result, ignored=often
                    )
    return tuple(sorted(found.values(), key=lambda one: (not one.ignored, -(one.result.broken.value or 0))))


def shown(database: Database, floors: LessonsConfig, prefix: str) -> TriedLesson:
    """The lesson whose id begins with `prefix`, with its checks over the history. Raises as `one` does."""
    known = history(database)
    listed_lessons = book(database, floors, known).lessons
    named = _named(listed_lessons, prefix)
    held = with_rubrics(database, tried(listed_lessons, floors, known))
    keep_verdicts(database, held)
    return next(found for found in held if found.lesson.id == named.id)


def one(database: Database, floors: LessonsConfig, prefix: str, known: History | None = None) -> Lesson:
    """The lesson whose id begins with `prefix`. Raises `UsageError` for none or several.

    `known`: the history, where it was read already.
    """
    known = known if known is not None else history(database)
    return _named(book(database, floors, known).lessons, prefix)


def _named(found: Sequence[Lesson], prefix: str) -> Lesson:
    fitting = [each for each in found if each.id.startswith(prefix)]
    if len(fitting) != 1:
        why = "no lesson has" if not fitting else f"{len(fitting)} lessons have"
        raise UsageError(f"{why} an id that begins with {prefix!r}; `sleepd lessons` lists them")
    return fitting[0]


def choose(database: Database, floors: LessonsConfig, prefix: str, choice: LessonChoice, why: str = "") -> Lesson:
    """Pin or reject a lesson. Raises `UsageError` for a pin on a rule that is written: only `drop` takes that out."""
    found = one(database, floors, prefix)
    if choice is LessonChoice.PINNED and found.state is LessonState.WRITTEN:
        raise UsageError(
            f"lesson {found.id[:6]} is written already; take it out first: sleepd lessons drop {found.id[:6]}"
        )
    with database.writing() as connection:
        store.decide(
            connection, LessonDecision(lesson_id=found.id, choice=choice, at=clock.now(), why=why, rule=found.text)
        )
    return replace(found, state=_STATES[choice], why=why)


def drop(places: Places, database: Database, floors: LessonsConfig, prefix: str, why: str = "") -> Lesson:
    """Reject a lesson: it is not listed again. A rule that was written is taken out of its file; later changes stay.

    Raises `Conflict` when the person's later change touches the same lines.
    """
    found = one(database, floors, prefix)
    with database.reading() as connection:
        decided = store.decisions(connection).get(found.id)
    if decided is not None:
        with locks.adoption(places, _LOCK_WAIT_S):
            _take_out(decided, found)
    return choose(database, floors, found.id, LessonChoice.REJECTED, why)


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


def write(
    places: Places, database: Database, floors: LessonsConfig, prefix: str, rule: str | None = None
) -> WrittenLesson:
    """Put a lesson's rule into the project's own file, or the user's where it holds in several projects.

    `rule`: other words for it. Nothing was replayed: the rule is unproven, and on probation. Raises `UsageError` for a
    rule that looks unsafe or has no file to go to, and `Conflict` when the file may not be written.
    """
    # Its rules take longer to compile than the whole list to show.
    from sleepd.core.screen import screen

    found = one(database, floors, prefix)
    text = rule if rule is not None else found.text
    if rule is None:
        own = [quote.text for quote in found.quotes if quote.own]
        returned = [quote.text for quote in found.quotes if not quote.own]
        if taken := provenance.taken_over(text, returned, own):
            raise UsageError(
                f"this rule holds a tool's words ({taken[0].excerpt}); give it in your own words with --text"
            )
        if lesson_reading.unsupported(found):
            raise UsageError("none of your own words supports this rule of the model's; give it in yours with --text")
    unsafe = screen(text)
    if unsafe:
        raise UsageError(f"this rule looks unsafe ({unsafe[0].rule}: {unsafe[0].why}); write it into the file yourself")
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
    agent = targets.agent_of(found.sessions[-1].split(":", 1)[0])
    places_ = targets.places_of(agent)
    if found.scope is Scope.PROJECT:
        folder = Path(found.project)
        if not folder.is_dir():
            raise UsageError(f"the project's folder {found.project} is gone; copy the rule into its file by hand")
        mine = [folder / name for name in places_.project_files]
    else:
        home = targets.user_folder(places_, config.home(), config.agent_env())
        mine = [home / name for name in places_.home_files]
    if not mine:
        raise UsageError(f"{agent} reads no file of instructions that sleepd knows; copy the rule by hand")
    return next((path for path in mine if os.path.isfile(path)), mine[0])  # noqa: PTH113  never raises


def skills(database: Database, floors: LessonsConfig, known: History) -> tuple[SkillHistory, ...]:
    """The skills that the history's sessions loaded, version by version."""
    return skill_versions(known, book(database, floors, known).lessons)


def with_work(known: History) -> History:
    """The history with a kind of work for each turn, also before `sleepd mine`: then by the words alone.

    Turns of one repository are grouped by character n-grams, as mining does with its lightest embedder. Nothing is
    stored.
    """
    own = [one for session in known.sessions for one in session if one.episode.source.own]
    if not own or any(one.cluster is not None for one in own):
        return known
    by_project: dict[str, list[EpisodeWithAct]] = {}
    for one in own:
        by_project.setdefault(known.repository(one.episode.project), []).append(one)
    work: dict[str, ClusterId] = {}
    for some in by_project.values():
        texts = [one.episode.text for one in some]
        rows = ngrams.combine(HashedTfidf().encode(texts), texts, english_only=False)
        ids = [one.episode.turn for one in some]
        rule = cluster.Rule(similarity=MineConfig().similarity)
        found = cluster.assign(ids, rows, [None] * len(ids), rule)
        work |= {id_: ClusterId(member) for id_, member in zip(ids, found.members, strict=True)}
    return replace(
        known,
        sessions=tuple(
            tuple(replace(one, cluster=work.get(one.episode.turn)) for one in session) for session in known.sessions
        ),
    )


def own_turns(known: History) -> Sequence[EpisodeWithAct]:
    """The person's own turns and what the client put there, in order."""
    return [one for session in known.sessions for one in session if one.episode.source is not Source.COMMAND]
