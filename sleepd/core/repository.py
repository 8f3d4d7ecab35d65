"""Folders that are one repository: clones and worktrees, told by the files and branches that were worked on in them.

The folders of old sessions are often gone, so nothing can be asked of git. What stays is what the sessions did.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from sleepd.core.command import listed

_OVERLAP = 0.25
"""Least share of the smaller folder's telling paths that both have."""
_TELLING = 2
"""So many shared paths with a folder of a name of its own join two folders."""
_USUAL = 5
"""So many are needed when every folder of the paths is one that most projects have."""
_BRANCH = 8
"""A branch name of this length or more, in several words, is seldom given twice: with it one shared file is enough."""
_FOLDERS_OF_ALL = listed(
    "src source lib libs app apps pkg packages package cmd internal api core common shared util utils helpers hooks "
    "components component pages views view models model services service routes router controllers controller "
    "middleware types styles style public assets static templates config configs scripts bin tools test tests spec "
    "specs e2e docs doc examples server client frontend backend web ui db database migrations main java kotlin "
    "python com org io resources features feature modules module store stores layout layouts context contexts "
    "admin auth user users home v1 v2 _tests_ __tests__ fixtures"
)
_FILES_OF_ALL = listed(
    "index main app page layout init __init__ __main__ mod lib config settings setup test utils util helpers types "
    "constants readme changelog license makefile dockerfile package tsconfig conftest routes schema models views urls "
    "server client home globals manifest"
)
_WORDS_APART = "-_/"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkedOn:
    """What sessions in one folder worked on."""

    paths: frozenset[str]
    """Files that were edited, relative to the folder; others are left out of account."""
    branches: frozenset[str]
    sessions: int


def repositories(folders: Mapping[str, WorkedOn]) -> Mapping[str, str]:
    """The folder that stands for each folder's repository: of its clones and worktrees the one of most sessions.

    Two folders are one repository when they share enough of their files. With a branch of a telling name in common, one
    file in a folder of its own name is enough. A branch alone says nothing: `fix/login` is a name in many projects, and
    what is of one project must not reach another.
    """
    names = sorted(folders)
    parent = {name: name for name in names}

    def root(name: str) -> str:
        while parent[name] != name:
            name = parent[name]
        return name

    telling = {name: frozenset(path for path in folders[name].paths if _is_telling(path)) for name in names}
    branches = {
        name: frozenset(
            branch
            for branch in folders[name].branches
            if len(branch) >= _BRANCH and any(mark in branch.strip(_WORDS_APART) for mark in _WORDS_APART)
        )
        for name in names
    }
    # The pairs of folders that have any file in common: of many folders most have none.
    holders: dict[str, list[str]] = {}
    for name in names:
        for path in telling[name]:
            holders.setdefault(path, []).append(name)
    for one, other in sorted({pair for some in holders.values() for pair in combinations(some, 2)}):
        both = telling[one] & telling[other]
        own = sum(map(_has_own_folder, both))
        told = branches[one] & branches[other] and own
        enough = len(both) >= _OVERLAP * min(len(telling[one]), len(telling[other]))
        if root(one) != root(other) and (told or (enough and (own >= _TELLING or len(both) >= _USUAL))):
            parent[root(other)] = root(one)
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(root(name), []).append(name)
    return {
        name: max(members, key=lambda folder: (folders[folder].sessions, folder))
        for members in groups.values()
        for name in members
    }


def _is_telling(path: str) -> bool:
    """A relative path below a folder, not in a hidden one, of a file that not every project has."""
    parts = path.replace("\\", "/").split("/")
    if len(parts) < 2 or not parts[0] or ":" in parts[0] or any(part.startswith(".") for part in parts):
        return False
    return parts[-1].partition(".")[0].casefold() not in _FILES_OF_ALL or _has_own_folder(path)


def _has_own_folder(path: str) -> bool:
    return any(part.casefold() not in _FOLDERS_OF_ALL for part in path.replace("\\", "/").split("/")[:-1])
