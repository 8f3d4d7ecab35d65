"""Which folders of the stored sessions are one repository."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, func, select

from sleepd.core.repository import WorkedOn, repositories
from sleepd.store import schema as t
from sleepd.store.schema_parts import file_changes


def of_folders(connection: Connection) -> Mapping[str, str]:
    """Each folder in which sessions began -> the folder that stands for its repository.

    Files are told by the changes made to them; only those below the session's folder count.
    """
    s, changed = t.sessions.c, file_changes.c
    count = select(s.project, func.count()).where(s.project.is_not(None)).group_by(s.project)
    sessions = {folder: number for folder, number in connection.execute(count) if folder}
    branches: dict[str, set[str]] = {}
    for folder, branch in connection.execute(select(s.project, s.branch).distinct()):
        if folder and branch:
            branches.setdefault(folder, set()).add(branch)
    paths: dict[str, set[str]] = {}
    edited = select(s.project, changed.path).distinct().join(file_changes, changed.session_id == s.id)
    for folder, path in connection.execute(edited):
        if folder:
            # The path relative to the folder; as it is when it was relative; none for a path elsewhere.
            there, named = folder.replace("\\", "/").rstrip("/"), path.replace("\\", "/")
            if named.startswith(f"{there}/"):
                named = named[len(there) + 1 :]
            elif named.startswith(("/", "~")) or named[1:2] == ":":
                continue
            paths.setdefault(folder, set()).add(named)
    return repositories(
        {
            folder: WorkedOn(
                paths=frozenset(paths.get(folder, ())) - {""},
                branches=frozenset(branches.get(folder, ())),
                sessions=number,
            )
            for folder, number in sessions.items()
        }
    )
