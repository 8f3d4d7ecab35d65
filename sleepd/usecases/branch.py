"""A proposal's text on a branch of its own, for those who want to see a change in a pull request before it counts.

Only git's plumbing is used: the user's working tree, index and current branch stay as they are; no commit hook runs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sleepd.core.adoption import plan
from sleepd.core.errors import Conflict, UsageError
from sleepd.views.branch_commit import BranchCommit

_ELSEWHERE = "or adopt it without --git"
_OPTIONS = ("core.safecrlf=false", "core.splitIndex=false", "core.fsmonitor=false", "i18n.commitEncoding=UTF-8")
_TIMEOUT_S = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """The text to commit."""

    path: Path
    """The skill file; it need not be there."""
    base: str
    """The file's content when the text was made; "" for no file."""
    wanted: str
    message: str
    branch: str
    ours: str | None
    """The commit that sleepd left on this branch before; it may be replaced, nobody else's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """A repository with a working tree, and the environment to call git in."""

    folder: Path
    env: Mapping[str, str]

    def git(self, *arguments: str, data: bytes = b"", more: Mapping[str, str] | None = None) -> bytes | None:
        """git's output; None when git ended with another status than 0."""
        done = self._run(arguments, data, more or {})
        return done.stdout if done.returncode == 0 else None

    def must(self, *arguments: str, data: bytes = b"", more: Mapping[str, str] | None = None) -> str:
        """git's output, without the last line end. Raises `Conflict` with git's own words when it refuses."""
        done = self._run(arguments, data, more or {})
        if done.returncode:
            raise Conflict(f"git {arguments[0]} in {self.folder}: {_said(done.stderr)}; {_ELSEWHERE}")
        return done.stdout.decode("utf-8", "replace").rstrip("\n")

    def _run(
        self, arguments: tuple[str, ...], data: bytes, more: Mapping[str, str]
    ) -> subprocess.CompletedProcess[bytes]:
        options = [word for option in _OPTIONS for word in ("-c", option)]
        command = [_program("git"), "-C", str(self.folder), *options, *arguments]
        env = {**self.env, **more}
        try:
            return subprocess.run(  # noqa: S603  git, with our own arguments
                command, input=data, capture_output=True, env=env, timeout=_TIMEOUT_S, check=False
            )
        except subprocess.TimeoutExpired:
            raise Conflict(f"git {arguments[0]} did not end within {_TIMEOUT_S} s; try again, {_ELSEWHERE}") from None


def holding(path: Path, env: Mapping[str, str]) -> Repository:
    """The repository that the file belongs to. Raises `UsageError` when it is in none."""
    folder = next(parent for parent in path.parents if parent.is_dir())
    found = Repository(folder=folder, env=env)._run(("rev-parse", "--show-toplevel"), b"", {})
    top = found.stdout.decode().rstrip("\n")
    if found.returncode or not top:
        said = _said(found.stderr)
        why = f"is in no git repository: {said}" if "not a git repository" not in said else "is in no git repository"
        raise UsageError(f"{path} {why}; adopt it without --git")
    return Repository(folder=Path(top), env=env)


def commit(repository: Repository, text: Text) -> BranchCommit:
    """Commit the text on its branch, on top of HEAD. The working tree, the index and the current branch stay.

    Raises `UsageError` when git cannot hold the file (ignored, not committed yet, no commit at all), and `Conflict`
    when HEAD's own text of it is in the way, when the branch holds something else, or when git refuses.
    """
    if repository.git("rev-parse", "-q", "--verify", "HEAD^{commit}") is None:
        raise UsageError(f"{repository.folder} has no commit yet; commit once, {_ELSEWHERE}")
    head = repository.must("rev-parse", "HEAD^{commit}")
    name = _inside(repository, text.path)
    mode, stands = _in_head(repository, name, text.path)
    whole = _whole(stands, text)
    tree = _tree(repository, head, f"{mode},{_blob(repository, name, whole)},{name}")
    made, fresh = _point(repository, text, head, tree)
    current = repository.git("symbolic-ref", "-q", "--short", "HEAD")
    remotes = repository.must("remote").split()
    return BranchCommit(
        repository=repository.folder,
        branch=text.branch,
        commit=made,
        onto=current.decode().strip() if current else "HEAD",
        text=whole,
        remote=("origin" if "origin" in remotes else remotes[0]) if remotes else None,
        fresh=fresh,
    )


def check_pull_request(path: Path, env: Mapping[str, str]) -> None:
    """Raises `UsageError` when no pull request could be opened for the repository that the file belongs to."""
    repository = holding(path, env)
    if not repository.must("remote").split():
        raise UsageError(f"{repository.folder} has no remote; leave --pr out, or add one: git remote add origin URL")
    if shutil.which("gh") is None:
        raise UsageError("a pull request needs `gh`, which is not on PATH; leave --pr out, or install it")


def open_pull_request(done: BranchCommit, env: Mapping[str, str]) -> str:
    """Push the branch and open the pull request; the output of `gh`, usually the address. Raises `UsageError` or
    `Conflict` when that fails."""
    commands = done.pull_request
    if not commands:
        missing = "has no remote" if done.remote is None else "needs `gh`, which is not on PATH"
        raise UsageError(f"a pull request for {done.repository} {missing}; the branch {done.branch} is there")
    said = ""
    for command in commands:
        ended = subprocess.run(  # noqa: S603  git or gh, as it was printed
            [_program(command[0]), *command[1:]], cwd=done.repository, env=dict(env), capture_output=True, check=False
        )
        if ended.returncode:
            raise Conflict(f"`{' '.join(command)}`: {_said(ended.stderr)}; the branch {done.branch} is there")
        said = ended.stdout.decode("utf-8", "replace").strip()
    return said


def _inside(repository: Repository, path: Path) -> str:
    """The file's name inside the repository, as git writes it."""
    if path.is_symlink():
        raise Conflict(f"{path} is a symbolic link; name the real file as the target")
    real = Path(os.path.realpath(path.parent)) / path.name
    top = Path(os.path.realpath(repository.folder))
    if not real.is_relative_to(top):
        raise Conflict(f"{path} leads out of {top}; adopt it without --git")
    return real.relative_to(top).as_posix()


def _in_head(repository: Repository, name: str, path: Path) -> tuple[str, str | None]:
    """The file's mode and its text in HEAD, as a checkout would write it; None when it is not there."""
    entry = repository.must("ls-tree", "-z", "--full-tree", "HEAD", "--", name).rstrip("\0")
    if not entry:
        # The one command of these that refuses to take paths literally.
        if repository.git("check-ignore", "-q", "--", name, more={"GIT_LITERAL_PATHSPECS": "0"}) is not None:
            raise UsageError(f"git ignores {path}, so no branch can hold it; adopt it without --git")
        if path.exists():
            raise UsageError(f"{path} was never committed; commit it first, {_ELSEWHERE}")
        return "100644", None
    mode = entry.split()[0]
    if mode not in ("100644", "100755"):
        raise Conflict(f"{path} is no plain file in HEAD of {repository.folder}; adopt it without --git")
    data = repository.git("cat-file", "--filters", f"HEAD:{name}")
    if data is None:
        raise Conflict(f"{path} cannot be read from HEAD; `git cat-file --filters HEAD:{name}` says why")
    try:
        return mode, data.decode("utf-8")
    except UnicodeDecodeError:
        raise Conflict(f"{path} is not UTF-8 in HEAD; adopt it without --git") from None


def _whole(stands: str | None, text: Text) -> str:
    """The file on the branch: the wanted text, with HEAD's changes since the base. Raises `Conflict`."""
    if stands is not None and _even(stands) == _even(text.base):
        return text.wanted
    nothing = None if stands is None else ""
    planned = plan(stands, text.base or nothing, text.wanted)
    if not planned.changes:
        raise UsageError("the current commit holds this text already; adopt it without --git, which marks it adopted")
    return planned.text


def _even(text: str) -> str:
    return text.replace("\r\n", "\n")


def _blob(repository: Repository, name: str, whole: str) -> str:
    """The text as git keeps it: line endings and filters as for `git add`."""
    return repository.must("hash-object", "-w", "--stdin", f"--path={name}", data=whole.encode())


def _tree(repository: Repository, head: str, entry: str) -> str:
    """HEAD's tree with one file in other words, made in an index of its own."""
    with tempfile.TemporaryDirectory(prefix="sleepd-") as folder:
        own = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        repository.must("read-tree", head, more=own)
        repository.must("update-index", "--add", "--cacheinfo", entry, more=own)
        return repository.must("write-tree", more=own)


def _point(repository: Repository, text: Text, head: str, tree: str) -> tuple[str, bool]:
    """The branch's present commit, and whether it was made just now."""
    ref = f"refs/heads/{text.branch}"
    there = repository.git("rev-parse", "-q", "--verify", f"{ref}^{{commit}}")
    old = there.decode().strip() if there else ""
    if old and repository.must("rev-parse", f"{old}^{{tree}}") == tree:
        return old, False
    if old and old != text.ours:
        raise Conflict(f"the branch {text.branch} holds something else; merge it, or `git branch -D {text.branch}`")
    if old and f"branch {ref}" in repository.must("worktree", "list", "--porcelain").splitlines():
        raise Conflict(f"the branch {text.branch} is checked out; check out another one, then try again")
    made = repository.must("commit-tree", tree, "-p", head, data=text.message.encode())
    repository.must("update-ref", "-m", "sleepd: a proposal to review", ref, made, old)
    return made, True


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise UsageError(f"{name} is not on PATH; install it, {_ELSEWHERE}")
    return found


def _said(stderr: bytes) -> str:
    """The line of git's complaint that says most."""
    lines = [line.strip() for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    if any("tell me who you are" in line or "ident" in line for line in lines):
        return "git does not know who you are: git config --global user.name and user.email"
    marked = [line for line in lines if line.startswith(("fatal:", "error:", "remote:", "!"))]
    return (marked or lines or ["no reason was given"])[0].removeprefix("fatal: ").removeprefix("error: ")[:300]
