"""A proposal on a branch: nothing else of the repository moves."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from sleepd.store.proposals import Status
from tests.cli.command import sleepd
from tests.cli.keyboard import terminal
from tests.cli.test_review import OURS, seen
from tests.usecases.waiting import POISON, TICKET, Home

pytestmark = pytest.mark.slow

WANTED = OURS.replace("- a\n", f"- a\n- {TICKET.text}\n")
NAME = ".claude/skills/commit/SKILL.md"


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=False)
    assert 0 == done.returncode, done.stderr
    return done.stdout


def begin(folder: Path, *options: str) -> None:
    """A repository with an identity and nothing in it."""
    folder.mkdir(exist_ok=True, parents=True)
    git(folder, "init", "-q", "-b", "main", *options)
    git(folder, "config", "user.name", "Ada")
    git(folder, "config", "user.email", "ada@shop.example")


@pytest.fixture
def home(begun: Path) -> Home:
    """A project whose skill file is committed."""
    home = Home(folder=begun)
    begin(home.project)
    home.live(OURS)
    git(home.project, "add", ".")
    git(home.project, "commit", "-q", "-m", "first")
    return home


def state(folder: Path) -> tuple[object, ...]:
    """All that must not move: working tree, index, current branch, other branches, configuration."""
    files = {p: p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file() and ".git" not in p.parts}
    index = git(folder, "ls-files", "--stage")
    return files, index, git(folder, "status", "--short"), git(folder, "rev-parse", "HEAD", "main"), (
        (folder / ".git" / "config").read_bytes() if (folder / ".git").is_dir() else b""
    )  # fmt: skip


def on_branch(home: Home, id_: str, name: str = NAME) -> str:
    return git(home.project, "show", f"sleepd/{id_[:8]}:{name}")


class TestCommitted:
    def test_nothing_but_the_branch_moves(self, home: Home) -> None:
        """With changes in the tree and in the index; the commit names reason, evidence and id; it goes on waiting."""
        id_ = home.propose((TICKET,), base=OURS)
        (home.project / "dirty.txt").write_text("mine\n")
        (home.project / "staged.txt").write_text("mine\n")
        git(home.project, "add", "staged.txt")
        before = state(home.project)
        done = sleepd("adopt", id_[:8], "--git")
        branch = f"sleepd/{id_[:8]}"
        assert (0, before) == (done.code, state(home.project)), done.err
        assert f"diff main...{branch}" in done.out and "gh pr create" not in done.out
        assert WANTED == on_branch(home, id_)
        assert [NAME] == git(home.project, "diff", "--name-only", f"main...{branch}").split()
        log = git(home.project, "log", "-1", "--format=%an %ae%n%P%n%B", branch)
        assert log.startswith(f"Ada ada@shop.example\n{git(home.project, 'rev-parse', 'main')}commit: {TICKET.text}\n")
        assert f"because {TICKET.reason}" in log and "Evidence 403 of 200" in log and f"Sleepd-Proposal: {id_}" in log
        assert Status.WAITING is home.status(id_) and "waiting, on branch" in sleepd("proposals").out
        assert branch in sleepd("proposals").out

    def test_once_merged_adopting_writes_nothing(self, home: Home) -> None:
        """And a revert brings back the text of before, though git wrote the other one."""
        id_ = home.propose((TICKET,), base=OURS)
        sleepd("adopt", id_[:8], "--git")
        git(home.project, "merge", "-q", f"sleepd/{id_[:8]}")
        assert "adopting writes nothing" in sleepd("review").out
        assert 2 == sleepd("adopt", id_[:8], "--git").code
        done = sleepd("adopt", id_[:8], "--json")
        assert [(True, False)] == [(w["proven"], w["changed"]) for w in done.json["adopted"]]
        assert "" == git(home.project, "status", "--short")
        assert (0, OURS) == (sleepd("revert").code, home.file().read_text())

    def test_a_choice_of_edits_that_was_merged_counts(self, home: Home) -> None:
        """Also when more was changed in the file since; a revert takes out the learnt line alone."""
        id_ = home.propose(base=OURS)
        assert 0 == sleepd("adopt", id_[:8], "--git", "--edit", "1").code
        assert WANTED == on_branch(home, id_)
        git(home.project, "merge", "-q", f"sleepd/{id_[:8]}")
        home.live(WANTED.replace("# Mine", "# Mine, too"))
        done = sleepd("adopt", id_[:8])
        assert 0 == done.code and "already holds this text" in done.out
        assert (0, OURS.replace("# Mine", "# Mine, too")) == (sleepd("revert").code, home.file().read_text())

    def test_a_new_file(self, home: Home) -> None:
        """With its folders, in the tree of the branch alone."""
        id_ = home.propose((TICKET,), name="fresh")
        assert 0 == sleepd("adopt", id_[:8], "--git").code
        assert TICKET.text in on_branch(home, id_, ".claude/skills/fresh/SKILL.md")
        assert not home.file("fresh").exists()

    def test_what_head_has_beyond_the_base_is_kept(self, home: Home) -> None:
        """The night saw the file with a line that is not committed; HEAD has another one. Neither moves."""
        base = OURS.replace("# Mine", "# Mine, uncommitted")
        id_ = home.propose((TICKET,), base=base)
        home.live(base)
        assert 0 == sleepd("adopt", id_[:8], "--git").code
        assert (WANTED, base) == (on_branch(home, id_), home.file().read_text())

    @pytest.mark.parametrize("autocrlf", ["true", "input", "false"])
    def test_line_endings_are_gits_affair(self, home: Home, autocrlf: str) -> None:
        """A file with CRLF on the disk is committed as `git add` would: the diff is one line."""
        git(home.project, "config", "core.autocrlf", autocrlf)
        git(home.project, "config", "core.safecrlf", "true")
        crlf = OURS.replace("\n", "\r\n")
        home.live(crlf)
        if autocrlf == "false":
            git(home.project, "commit", "-q", "-a", "-m", "as on the disk")
        id_ = home.propose((TICKET,), base=crlf)
        assert 0 == sleepd("adopt", id_[:8], "--git").code
        stat = git(home.project, "diff", "--numstat", f"main...sleepd/{id_[:8]}")
        assert f"1\t0\t{NAME}" == stat.strip()

    def test_a_filter_and_attributes(self, home: Home) -> None:
        """What the repository does to the file when it is added is done here as well."""
        git(home.project, "config", "filter.up.clean", "sed s/Mine/MINE/")
        git(home.project, "config", "filter.up.smudge", "sed s/MINE/Mine/")
        (home.project / ".gitattributes").write_text("*.md filter=up\n")
        git(home.project, "add", "--renormalize", ".")
        git(home.project, "commit", "-q", "-a", "-m", "filtered")
        id_ = home.propose((TICKET,), base=OURS)
        assert 0 == sleepd("adopt", id_[:8], "--git").code
        assert WANTED.replace("Mine", "MINE") == on_branch(home, id_)

    def test_in_a_worktree_and_on_a_detached_head(self, home: Home, tmp_path: Path) -> None:
        """The repository is the worktree's, its HEAD the parent."""
        git(home.project, "checkout", "-q", "--detach")
        id_ = home.propose((TICKET,), base=OURS)
        assert "diff HEAD...sleepd/" in sleepd("adopt", id_[:8], "--git").out
        side = Home(folder=home.folder / "elsewhere")
        git(home.project, "worktree", "add", "-q", "-b", "side", str(side.project))
        git(side.project, "commit", "-q", "--allow-empty", "-m", "side")
        second = side.propose((TICKET,), name="fresh", number=2)
        assert f"diff side...sleepd/{second[:8]}" in sleepd("adopt", second[:8], "--git").out
        assert git(side.project, "rev-parse", "side") == git(home.project, "rev-parse", f"sleepd/{second[:8]}~1")

    def test_a_hook_has_no_say_but_gits_own(self, home: Home) -> None:
        """No commit hook runs: nothing is committed by hand here. A refusal of the reference is told in its words."""
        hooks = home.project / ".git" / "hooks"
        for name in ("pre-commit", "commit-msg", "post-commit"):
            (hooks / name).write_text("#!/bin/sh\ntouch ran\nexit 1\n")
            (hooks / name).chmod(0o755)
        id_ = home.propose((TICKET,), base=OURS)
        assert 0 == sleepd("adopt", id_[:8], "--git").code and not (home.project / "ran").exists()
        other = home.propose((TICKET,), name="fresh", number=2)
        (hooks / "reference-transaction").write_text("#!/bin/sh\necho 'fatal: not on Fridays' >&2\nexit 1\n")
        (hooks / "reference-transaction").chmod(0o755)
        done = sleepd("adopt", other[:8], "--git")
        assert (5, 1) == (done.code, done.err.count("\n")) and "not on Fridays" in done.err

    def test_a_hook_of_git_that_calls_us_does_not_lead_elsewhere(
        self, home: Home, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Its variables name another repository."""
        begin(home.folder / "other")
        monkeypatch.setenv("GIT_DIR", str(home.folder / "other" / ".git"))
        monkeypatch.setenv("GIT_INDEX_FILE", str(home.folder / "other" / ".git" / "index"))
        id_ = home.propose((TICKET,), base=OURS)
        assert 0 == sleepd("adopt", id_[:8], "--git").code
        monkeypatch.delenv("GIT_DIR")
        monkeypatch.delenv("GIT_INDEX_FILE")
        assert WANTED == on_branch(home, id_)

    def test_review_commits_as_well(self, home: Home) -> None:
        """With one key; the file stays as it is."""
        id_ = home.propose((TICKET,), base=OURS)
        with terminal("review", "--git") as at:
            at.press_at("[skip] ", "a")
            assert 0 == at.end(), at.text
        assert (OURS, WANTED) == (home.file().read_text(), on_branch(home, id_))
        assert "look at it" in at.text

    def test_one_that_cannot_does_not_keep_the_others(self, home: Home) -> None:
        """With --all each gets its branch or its line."""
        ids = [home.propose((TICKET,), base=OURS), home.propose((TICKET,), name="hidden", number=2)]
        (home.project / ".gitignore").write_text(".claude/skills/hidden\n")
        done = sleepd("adopt", "--all", "--git")
        assert 5 == done.code and f"{ids[1][:8]}: git ignores" in done.err
        assert WANTED == on_branch(home, ids[0])


class TestAgain:
    def test_twice_is_once(self, home: Home) -> None:
        """The second time says that it is there."""
        id_ = home.propose((TICKET,), base=OURS)
        first = sleepd("adopt", id_[:8], "--git", "--json").json["committed"][0]
        second = sleepd("adopt", id_[:8], "--git", "--json").json["committed"][0]
        assert (first["commit"], True, False) == (second["commit"], first["fresh"], second["fresh"])

    def test_our_own_commit_is_replaced_when_head_moved(self, home: Home) -> None:
        """Nobody's work is in it; but not while it is checked out."""
        id_ = home.propose((TICKET,), base=OURS)
        sleepd("adopt", id_[:8], "--git")
        git(home.project, "commit", "-q", "--allow-empty", "-m", "second")
        (home.project / "more").write_text("more\n")
        git(home.project, "add", "more")
        git(home.project, "commit", "-q", "-m", "third")
        git(home.project, "worktree", "add", "-q", str(home.folder / "side"), f"sleepd/{id_[:8]}")
        done = sleepd("adopt", id_[:8], "--git")
        assert (5, 1) == (done.code, done.err.count("\n")) and "is checked out" in done.err
        git(home.project, "worktree", "remove", str(home.folder / "side"))
        assert 0 == sleepd("adopt", id_[:8], "--git").code
        assert "" == git(home.project, "diff", f"main...sleepd/{id_[:8]}", "--", "more")
        assert git(home.project, "rev-parse", "main") == git(home.project, "rev-parse", f"sleepd/{id_[:8]}~1")

    def test_somebody_elses_branch_is_left_alone(self, home: Home) -> None:
        """Of that very name, or in the way of it."""
        id_ = home.propose((TICKET,), base=OURS)
        git(home.project, "branch", f"sleepd/{id_[:8]}")
        done = sleepd("adopt", id_[:8], "--git")
        assert (5, 1) == (done.code, done.err.count("\n")) and f"git branch -D sleepd/{id_[:8]}" in done.err
        git(home.project, "branch", "-D", f"sleepd/{id_[:8]}")
        git(home.project, "branch", "sleepd")
        done = sleepd("adopt", id_[:8], "--git")
        assert (5, 1) == (done.code, done.err.count("\n")) and "refs/heads/sleepd" in done.err
        assert Status.WAITING is home.status(id_) and seen(id_)["branch"] is None


class TestRefused:
    def refused(self, id_: str, *, code: int, said: str) -> None:
        done = sleepd("adopt", id_[:8], "--git")
        assert (code, 1) == (done.code, done.err.count("\n")) and said in done.err, done.err
        assert seen(id_)["branch"] is None

    def test_no_repository(self, home: Home) -> None:
        """One line."""
        shutil.rmtree(home.project / ".git")
        self.refused(home.propose((TICKET,), base=OURS), code=2, said="is in no git repository; adopt it without --git")

    def test_no_commit_yet(self, home: Home) -> None:
        """Nothing to branch from."""
        shutil.rmtree(home.project / ".git")
        begin(home.project)
        self.refused(home.propose((TICKET,), base=OURS), code=2, said="has no commit yet")

    def test_never_committed_and_ignored(self, home: Home) -> None:
        """A merge would refuse to write over the one, and git would not hold the other."""
        home.live(OURS, "fresh")
        self.refused(home.propose((TICKET,), name="fresh", base=OURS), code=2, said="was never committed")
        (home.project / ".gitignore").write_text(".claude/skills/hidden\n")
        self.refused(home.propose((TICKET,), name="hidden", number=2), code=2, said="git ignores")

    def test_nobody_is_the_author(self, home: Home) -> None:
        """git's own wish, in one line."""
        git(home.project, "config", "--unset", "user.name")
        git(home.project, "config", "--unset", "user.email")
        git(home.project, "config", "user.useConfigOnly", "true")
        self.refused(home.propose((TICKET,), base=OURS), code=5, said="git config --global user.name")

    def test_head_has_the_same_place_in_other_words(self, home: Home) -> None:
        """A conflict, and no branch."""
        id_ = home.propose((TICKET,), base=OURS)
        home.live(OURS.replace("- a\n", "- a\n- mine\n"))
        git(home.project, "commit", "-q", "-a", "-m", "mine")
        home.live(OURS)
        self.refused(id_, code=5, said="change the same place")

    def test_a_link(self, home: Home) -> None:
        """It may lead anywhere."""
        id_ = home.propose((TICKET,), base=OURS)
        home.file().unlink()
        (home.folder / "outside.md").write_text(OURS)
        home.file().symlink_to(home.folder / "outside.md")
        self.refused(id_, code=5, said="symbolic link")
        assert "cannot be adopted now" in sleepd("review").out

    def test_a_folder_that_leads_into_another_repository(self, home: Home) -> None:
        """Its branches are not ours to make, whoever linked it."""
        id_ = home.propose((TICKET,), base=OURS)
        other = home.folder / "dotfiles"
        shutil.copytree(home.project, other)
        shutil.rmtree(home.project / ".claude")
        (home.project / ".claude").symlink_to(other / ".claude")
        self.refused(id_, code=5, said="leads outside")
        assert "main" == git(other, "branch", "--format=%(refname:short)").strip()

    def test_a_damaged_repository(self, home: Home) -> None:
        """git's words, in one line."""
        id_ = home.propose((TICKET,), base=OURS)
        shutil.rmtree(home.project / ".git" / "objects")
        self.refused(id_, code=2, said="git repository")

    def test_what_was_set_aside(self, home: Home) -> None:
        """Not by way of a branch either."""
        self.refused(
            home.propose((POISON,), name="fresh", status=Status.QUARANTINED), code=2, said="set aside as unsafe"
        )

    def test_without_git(self, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
        """It says what is missing."""
        id_ = home.propose((TICKET,), base=OURS)
        monkeypatch.setenv("PATH", str(home.folder))
        self.refused(id_, code=2, said="git is not on PATH")


class TestPullRequest:
    @pytest.fixture
    def shop(self, home: Home, monkeypatch: pytest.MonkeyPatch) -> Home:
        """With a remote, and a `gh` that writes down what it was told."""
        begin(home.folder / "remote", "--bare")
        git(home.project, "remote", "add", "origin", str(home.folder / "remote"))
        tools = home.folder / "tools"
        tools.mkdir()
        (tools / "gh").write_text(f'#!/bin/sh\necho "$@" > {home.folder}/told\necho https://forge.example/pull/7\n')
        (tools / "gh").chmod(0o755)
        git_path = Path(str(shutil.which("git"))).parent
        monkeypatch.setenv("PATH", f"{tools}:{git_path}:/usr/bin:/bin")
        return home

    def test_the_commands_are_printed(self, shop: Home) -> None:
        """And not run."""
        id_ = shop.propose((TICKET,), base=OURS)
        done = sleepd("adopt", id_[:8], "--git")
        branch = f"sleepd/{id_[:8]}"
        assert f"git push -u origin {branch} && gh pr create --fill --head {branch}\n" in done.out
        assert "" == git(shop.folder / "remote", "branch")

    def test_they_are_run_when_asked_for(self, shop: Home) -> None:
        """The branch is pushed, and the address of the pull request shown."""
        id_ = shop.propose((TICKET,), base=OURS)
        done = sleepd("adopt", id_[:8], "--git", "--pr")
        assert (0, True) == (done.code, "https://forge.example/pull/7" in done.out), done.err
        assert f"sleepd/{id_[:8]}" == git(shop.folder / "remote", "branch").strip()
        assert f"pr create --fill --head sleepd/{id_[:8]}\n" == (shop.folder / "told").read_text()

    @pytest.mark.parametrize(
        ("missing", "said"), [("remote", "has no remote; leave --pr out"), ("gh", "leave --pr out")]
    )
    def test_what_is_missing_is_said_before_anything_is_made(
        self, shop: Home, monkeypatch: pytest.MonkeyPatch, missing: str, said: str
    ) -> None:
        """One line, and no branch."""
        id_ = shop.propose((TICKET,), base=OURS)
        if missing == "remote":
            git(shop.project, "remote", "remove", "origin")
        else:
            only_git = shop.folder / "only-git"
            only_git.mkdir()
            (only_git / "git").symlink_to(str(shutil.which("git")))
            monkeypatch.setenv("PATH", str(only_git))
        done = sleepd("adopt", id_[:8], "--git", "--pr")
        assert (2, "", 1) == (done.code, done.out, done.err.count("\n")) and said in done.err
        assert "" == git(shop.project, "branch", "--list", "sleepd/*").strip()

    def test_a_remote_that_refuses(self, shop: Home) -> None:
        """The line says so; the branch is there, and the same command goes on."""
        id_ = shop.propose((TICKET,), base=OURS)
        shutil.rmtree(shop.folder / "remote")
        done = sleepd("adopt", id_[:8], "--git", "--pr")
        assert (5, 1) == (done.code, done.err.count("\n")) and f"the branch sleepd/{id_[:8]} is there" in done.err
        assert WANTED == on_branch(shop, id_)
