"""What `sleepd harvest` reads: the agents' own places, or the agents, files and folders that the user named."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from harvesters.sniff import Unknown, agent_of
from sleepd import compose, registry
from sleepd.core.errors import UnknownName, UsageError, nearest
from sleepd.host import locks
from sleepd.pipeline.ingest import IngestReport, Sources, ingest
from sleepd.settings import config
from sleepd.settings.places import Places
from sleepd.settings.settings import Settings
from sleepd.store.database import Database

_LOCK_WAIT_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """The sources that the user named."""

    agents: tuple[str, ...] = ()
    paths: tuple[Path, ...] = ()
    written_by: str | None = None
    """The agent that wrote the files; None: each file is recognised by its content."""

    @property
    def needs_window(self) -> bool:
        """Files that were named one by one are wanted whole, whatever their age; an agent's history is not."""
        return bool(self.agents) or not self.paths


def named(sources: Sequence[str], written_by: str | None = None) -> Named:
    """Tell agents from paths. A registered name is an agent; everything else must be there.

    Raises `UsageError` that lists the agents, and `UnknownName` for files `written_by` an unknown agent.
    """
    known = registry.names(registry.HARVESTERS)
    if written_by is not None and written_by not in known:
        raise UnknownName("harvester", written_by, known)
    agents = tuple(s for s in sources if s in known)
    paths = tuple(Path(s).expanduser().absolute() for s in sources if s not in known)
    for path in paths:
        if not path.exists():
            word = path.name
            raise UsageError(
                f"{path}: no such file or folder, and no agent{nearest(word, known)}; the agents are {', '.join(known)}"
            )
    return Named(agents=agents, paths=paths, written_by=written_by)


def harvest(
    places: Places,
    database: Database,
    settings: Settings,
    wanted: Named,
    progress: Callable[[int, int], None] | None = None,
) -> IngestReport:
    """Read new transcripts and lines. One harvest at a time: two would add the same lines twice.

    Raises `Busy` when another one lasts longer than a minute.
    """
    parts = []
    if wanted.needs_window:
        chosen = settings.model_copy(
            update={"harvest": replace(settings.harvest, agents=wanted.agents or settings.harvest.agents)}
        )
        parts.append(compose.sources(chosen, compose.now()))
    if wanted.paths:
        # The files below the named paths, each under the agent that wrote it, or all under the one that was named.
        named: dict[str, list[Path]] = {}
        for file in dict.fromkeys(found for path in wanted.paths for found in _files(path)):
            agent = wanted.written_by or agent_of(file) or _other_agent_of(file) or Unknown.agent
            named.setdefault(agent, []).append(file)
        harvesters = [Unknown() if agent == Unknown.agent else registry.harvester(agent) for agent in sorted(named)]
        parts.append(Sources(harvesters=harvesters, env=config.agent_env(), home=config.home(), only=named))
    with locks.harvest(places, _LOCK_WAIT_S):
        reports = [ingest(database, part, settings.harvest, progress) for part in parts]
    by_agent: Counter[str] = Counter()
    for report in reports:
        by_agent.update(report.by_agent)
    return IngestReport(
        files=sum(r.files for r in reports),
        read=sum(r.read for r in reports),
        bytes_read=sum(r.bytes_read for r in reports),
        sessions=sum(r.sessions for r in reports),
        turns=sum(r.turns for r in reports),
        defects=sum(r.defects for r in reports),
        redacted=sum(r.redacted for r in reports),
        by_agent=by_agent,
    )


def _other_agent_of(file: Path) -> str | None:
    """The agent of another package whose harvester recognises the file."""
    for name in registry.names(registry.HARVESTERS):
        recognises = getattr(registry.harvester(name), "recognises", None)
        if recognises is not None and recognises(file):
            return name
    return None


def _files(path: Path) -> Iterator[Path]:
    """Every plain file, in a stable order; links are not followed, for they may lead anywhere or in circles."""
    if not path.is_dir():
        yield path
        return
    for folder, names, files in os.walk(path):
        names.sort()
        found = (Path(folder, file) for file in sorted(files))
        yield from (file for file in found if not file.is_symlink())
