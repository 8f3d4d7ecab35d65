"""A commit of a proposal's text on a branch of its own."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchCommit:
    """Where the text is now."""

    repository: Path
    branch: str
    commit: str
    onto: str
    """The branch that was current, or HEAD."""
    text: str
    """The file on the branch: with HEAD's changes since the base."""
    remote: str | None
    """Where it could be pushed to."""
    fresh: bool
    """False when the branch held this already."""

    @property
    def pull_request(self) -> tuple[tuple[str, ...], ...]:
        """The commands that push the branch and open a pull request; () without a remote or without `gh`."""
        if self.remote is None or shutil.which("gh") is None:
            return ()
        return ("git", "push", "-u", self.remote, self.branch), ("gh", "pr", "create", "--fill", "--head", self.branch)
