"""Nothing that lies in the way of a skill file makes sleepd write, read or wait elsewhere; it says what to do instead."""

from __future__ import annotations

import os
import re
import shutil
import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sleepd.core.errors import Conflict
from sleepd.core.model import SkillTarget, digest
from sleepd.pipeline.work import live_text
from sleepd.skills import files, targets

pytestmark = pytest.mark.skipif(os.name != "posix", reason="links, pipes and owners of POSIX")
ROOT = os.name == "posix" and os.geteuid() == 0
NOBODY = 65_534
OLD, NEW = "# Old\n", "# New\n"
SECRET = "# not yours to read\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "SKILL.md").write_text(SECRET)
    (tmp_path / "project" / "skills" / "a").mkdir(parents=True)
    return tmp_path / "project"


@pytest.fixture
def path(project: Path) -> Path:
    return project / "skills" / "a" / "SKILL.md"


def tree(root: Path) -> dict[str, tuple[int, str]]:
    """Every entry below, with its kind and what it holds or leads to; links are not followed."""

    def held(entry: Path) -> str:
        if entry.is_symlink():
            return str(entry.readlink())
        return entry.read_text() if entry.is_file() else ""

    return {str(p.relative_to(root)): (p.lstat().st_mode, held(p)) for p in sorted(root.rglob("*"))}


def target(path: Path, project: Path) -> SkillTarget:
    return SkillTarget(agent="claude-code", name="a", path=str(path), project=str(project), description="d")


def link_file(path: Path) -> None:
    path.symlink_to(path.parents[3] / "outside" / "SKILL.md")


def link_file_inside(path: Path) -> None:
    (path.parents[2] / "real.md").write_text(OLD)
    path.symlink_to(path.parents[2] / "real.md")


def link_to_nothing(path: Path) -> None:
    path.symlink_to(path.parents[3] / "outside" / "made.md")


def link_to_itself(path: Path) -> None:
    path.symlink_to(path.name)


def link_folder(path: Path) -> None:
    path.parent.rmdir()
    path.parent.symlink_to(path.parents[3] / "outside")


def link_folder_in_a_circle(path: Path) -> None:
    path.parent.rmdir()
    path.parent.symlink_to(path.parent.name)


def link_to_a_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def pipe(path: Path) -> None:
    os.mkfifo(path)


def folder(path: Path) -> None:
    path.mkdir()


def unix_socket(path: Path) -> None:
    before = Path.cwd()
    os.chdir(path.parent)  # the length of its path is limited
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path.name)
    os.chdir(before)


def file_in_the_folders_place(path: Path) -> None:
    path.parent.rmdir()
    path.parent.write_text("a file")


def read_only(path: Path) -> None:
    path.write_text(OLD)
    path.chmod(0o444)


def twin(path: Path) -> None:
    path.write_text(OLD)
    path.with_name("Skill.md").write_text(OLD)


def twin_folder(path: Path) -> None:
    path.write_text(OLD)
    (path.parents[1] / "A").mkdir()


Arrange = Callable[[Path], None]
IN_THE_WAY: dict[str, tuple[Arrange, str]] = {
    "a link out": (link_file, "is a symbolic link; name the real file"),
    "a link inside": (link_file_inside, "is a symbolic link; name the real file"),
    "a link to nothing": (link_to_nothing, "is a symbolic link; name the real file"),
    "a link to itself": (link_to_itself, "is a symbolic link; name the real file"),
    "a link to a device": (link_to_a_device, "is a symbolic link; name the real file"),
    "a folder that leads out": (link_folder, "leads outside .* through a symbolic link; name the real file"),
    "a folder in a circle": (link_folder_in_a_circle, "a part of its path is"),
    "a pipe": (pipe, "is not a file; move it away"),
    "a socket": (unix_socket, "is not a file; move it away"),
    "a folder": (folder, "is not a file; move it away"),
    "a file for a folder": (file_in_the_folders_place, "a part of its path is no folder; move that away"),
    "a read-only file": (read_only, "is read-only; make it writable"),
    "another letter case": (twin, "differs only in letter case; rename one of the two"),
    "a folder in another letter case": (twin_folder, "differs only in letter case; rename one of the two"),
}


class TestInTheWay:
    @pytest.mark.parametrize(("arrange", "said"), IN_THE_WAY.values(), ids=IN_THE_WAY)
    def test_is_refused_in_one_line(self, path: Path, project: Path, arrange: Arrange, said: str) -> None:
        """By writing, by removing, and before anything is spent on it; nothing changes, nothing is waited for."""
        arrange(path)
        before = tree(project.parent)
        for refuses in (
            lambda: files.write(path, NEW.encode(), expected=digest(OLD), root=project),
            lambda: files.write(path, NEW.encode(), expected=digest(SECRET), root=project),
            lambda: files.remove(path, expected=digest(OLD), root=project),
            lambda: files.check(path, root=project),
            lambda: live_text(target(path, project)),
        ):
            with pytest.raises(Conflict, match=said) as refused:
                refuses()
            assert "\n" not in str(refused.value) and "; " in str(refused.value)
        assert before == tree(project.parent)

    @pytest.mark.parametrize("arrange", [link_file, link_file_inside, link_to_itself, link_to_a_device, pipe, folder])
    def test_is_never_read(self, path: Path, arrange: Arrange) -> None:
        """What a link leads to would be sent to a model as the skill's text."""
        arrange(path)
        with pytest.raises(Conflict):
            files.read(path)

    @pytest.mark.parametrize("arrange", [one for name, (one, _) in IN_THE_WAY.items() if "read-only" not in name])
    def test_is_not_offered(self, tmp_path: Path, arrange: Arrange) -> None:
        """Discovery passes over it and finds what lies beside it."""
        skills = tmp_path / "home" / ".claude" / "skills"
        (tmp_path / "outside").mkdir()
        (tmp_path / "outside" / "SKILL.md").write_text(SECRET)
        (skills / "a").mkdir(parents=True)
        arrange(skills / "a" / "SKILL.md")
        (skills / "good").mkdir()
        (skills / "good" / "SKILL.md").write_text(OLD)
        offered = {t.name for t in targets.discover(tmp_path / "home", None, {})}
        assert {"good"} == offered - ({"a"} if arrange is twin else set())

    @pytest.mark.parametrize("gone", ["project/skills/a/SKILL.md", "project/new/b/SKILL.md", "gone/a/SKILL.md"])
    def test_what_is_not_there_yet_is_fine(self, project: Path, gone: str) -> None:
        """A new skill has no file, often no folder; of a project that is gone others speak."""
        path = project.parent / gone
        files.check(path, root=project.parent / Path(gone).parts[0])
        assert "" == live_text(target(path, project.parent / Path(gone).parts[0]))

    def test_a_temporary_folder_is_named(self, path: Path, project: Path) -> None:
        """What is in the way is said, and not the file that is fine."""
        path.write_text(OLD)
        (path.parent / ".SKILL.md.sleepd-new").mkdir()
        with pytest.raises(Conflict, match=re.escape(".SKILL.md.sleepd-new is in the way of writing; move it away")):
            files.write(path, NEW.encode(), expected=digest(OLD), root=project)
        assert OLD == path.read_text()


NAMES = {
    "climbs": ("skills/../../outside/SKILL.md", "not a plain absolute path"),
    "climbs and comes back": ("skills/../skills/a/SKILL.md", "not a plain absolute path"),
    "NUL": ("skills/a\0b/SKILL.md", "NUL"),
    "too long": ("skills/" + "n" * 300 + "/SKILL.md", "use a shorter name"),
    "a path too long": ("/".join(["n" * 200] * 30) + "/SKILL.md", "shorter name"),
    "half a character": ("skills/\ud800/SKILL.md", "half a character"),
    "a dot at the end": ("skills/a./SKILL.md", "Windows cannot hold"),
    "a space at the end": ("skills/a /SKILL.md", "Windows cannot hold"),
    "a device": ("skills/CON/SKILL.md", "Windows cannot hold"),
    "a device with an ending": ("skills/nul.txt/SKILL.md", "Windows cannot hold"),
    "a port": ("skills/com1/SKILL.md", "Windows cannot hold"),
    "a stream": ("skills/a:b/SKILL.md", "Windows cannot hold"),
    "a backslash": ("skills/..\\..\\a/SKILL.md", "Windows cannot hold"),
    "an escape": ("skills/\x1b[2J/SKILL.md", "Windows cannot hold"),
    "a device for a file": ("skills/a/AUX.md", "Windows cannot hold"),
}


class TestNames:
    @pytest.mark.parametrize(("name", "said"), NAMES.values(), ids=NAMES)
    def test_bad_ones_are_never_made(self, project: Path, name: str, said: str) -> None:
        """One line with the remedy; no folder is left behind."""
        before = tree(project.parent)
        with pytest.raises(Conflict, match=said) as refused:
            files.write(project / name, NEW.encode(), expected=None, root=project)
        assert "\n" not in str(refused.value) and ";" in str(refused.value)
        assert before == tree(project.parent)

    @pytest.mark.parametrize("name", ["~/SKILL.md", "SKILL.md", "../SKILL.md", "C:\\SKILL.md", ""])
    def test_a_path_must_be_absolute(self, project: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """`~` is not a home here, and the folder that sleepd happens to run in does not count."""
        monkeypatch.chdir(project)
        before = tree(project.parent)
        with pytest.raises(Conflict, match=r"plain absolute path|outside"):
            files.write(Path(name), NEW.encode(), expected=None, root=project)
        assert before == tree(project.parent)

    @pytest.mark.parametrize("outside", ["/SKILL.md", "{}/../outside/x/SKILL.md", "{}x/SKILL.md"])
    def test_a_path_must_be_inside(self, project: Path, outside: str) -> None:
        """A folder whose name only begins like the root's is outside."""
        with pytest.raises(Conflict, match=r"outside|plain absolute"):
            files.write(Path(outside.format(project)), NEW.encode(), expected=None, root=project)

    def test_what_somebody_named_badly_may_be_changed(self, project: Path) -> None:
        """Only making is refused: a folder that is there is its owner's choice."""
        (project / "skills" / "aux.").mkdir()
        path = project / "skills" / "aux." / "SKILL.md"
        path.write_text(OLD)
        files.write(path, NEW.encode(), expected=digest(OLD), root=project)
        assert NEW == path.read_text()

    @pytest.mark.parametrize(
        "said",
        ["../../etc/passwd", "/etc/passwd", "~root", "a\0b", "CON", "nul.", "com1", "x" * 5_000, " . ", "..", "a/../b",
         "\x1b[2Jx", "Ünïcode \u200b name", "LPT¹"],
    )  # fmt: skip
    def test_new_skills_have_harmless_names(self, project: Path, said: str) -> None:
        """Whatever a request says: one folder below the project's skills, which any system can hold."""
        new = targets.new_project_target("claude-code", project, said, "d")
        made = Path(new.path).relative_to(project / ".claude" / "skills")
        assert (2, "SKILL.md") == (len(made.parts), made.name)
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", made.parts[0]) and len(made.parts[0]) <= 64
        files.write(Path(new.path), NEW.encode(), expected=None, root=project)


class TestLetterCase:
    def skill(self, project: Path, folder: str, name: str) -> None:
        path = project / ".claude" / "skills" / folder / "SKILL.md"
        path.parent.mkdir(parents=True)
        path.write_text(f"---\nname: {name}\ndescription: d\n---\n")

    def test_two_folders_alike_are_not_offered(self, project: Path) -> None:
        """`Deploy` and `deploy`, or one name in two forms of accents: on many disks they are one."""
        for name in ("Deploy", "deploy", "café", "cafe\u0301", "other"):
            self.skill(project, name, name)
        assert ["other"] == [t.name for t in targets.discover(project / "home", project, {})]

    @pytest.mark.parametrize("said", ["Deploy", "deploy"])
    def test_two_skills_alike_are_told_apart(self, project: Path, said: str) -> None:
        """In folders of their own the one that is written alike is meant."""
        self.skill(project, "one", "Deploy")
        self.skill(project, "two", "deploy")
        known = targets.discover(project / "home", project, {})
        found = targets.by_skill_name(known, said, "claude-code")
        assert found is not None and said == found.name

    def test_a_new_skill_keeps_clear_of_one_alike(self, project: Path) -> None:
        """Its name gets part of a digest, and it can be written."""
        self.skill(project, "Deploy-It", "x")
        new = targets.new_project_target("claude-code", project, "deploy it", "d")
        assert re.fullmatch(r"deploy-it-[0-9a-f]{8}", new.name)
        files.write(Path(new.path), NEW.encode(), expected=None, root=project)

    def test_its_own_folder_is_no_twin(self, project: Path) -> None:
        """A skill made before is found again under its name."""
        self.skill(project, "deploy-it", "x")
        assert "deploy-it" == targets.new_project_target("claude-code", project, "deploy it", "d").name


class TestSwapped:
    """Somebody exchanges a piece between the look and the write."""

    @pytest.mark.parametrize("at", range(6))
    def test_a_folder_for_a_link(self, project: Path, path: Path, at: int, monkeypatch: pytest.MonkeyPatch) -> None:
        """At whichever step: what lies outside is never touched, and no temporary file is left there."""
        path.write_text(OLD)
        outside = project.parent / "outside"
        (outside / "SKILL.md").write_text(OLD)
        listdir, steps = os.listdir, iter(range(99))

        def swap(where: int | str | Path = ".") -> list[str]:
            if next(steps) == at:
                path.parent.rename(project / "moved")
                path.parent.symlink_to(outside)
            return listdir(where)

        monkeypatch.setattr(os, "listdir", swap)
        try:
            files.write(path, NEW.encode(), expected=digest(OLD), root=project)
        except Conflict as refused:
            assert "\n" not in str(refused)
        assert {"SKILL.md": OLD} == {p.name: p.read_text() for p in outside.iterdir()}

    @pytest.mark.parametrize("arrange", [link_file, pipe, folder])
    def test_the_file_while_the_text_is_flushed(
        self, project: Path, path: Path, arrange: Arrange, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The last look is behind the flush; a link is neither followed nor replaced."""
        path.write_text(OLD)
        flush = os.fsync

        def swap(descriptor: int) -> None:
            monkeypatch.setattr(os, "fsync", flush)
            path.unlink()
            arrange(path)
            flush(descriptor)

        monkeypatch.setattr(os, "fsync", swap)
        with pytest.raises(Conflict, match=r"symbolic link|not a file"):
            files.write(path, NEW.encode(), expected=digest(OLD), root=project)
        assert SECRET == (project.parent / "outside" / "SKILL.md").read_text()
        assert [path.name] == [p.name for p in path.parent.iterdir()]

    @pytest.mark.parametrize("arrange", [link_file, pipe])
    def test_the_file_between_the_look_and_the_reading(
        self, path: Path, arrange: Arrange, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A pipe is not waited for, a link not followed."""
        path.write_text(OLD)
        opened = os.open

        def swap(*arguments: object, **options: object) -> int:
            monkeypatch.setattr(os, "open", opened)
            path.unlink()
            arrange(path)
            return opened(*arguments, **options)  # type: ignore[arg-type]

        monkeypatch.setattr(os, "open", swap)
        with pytest.raises(Conflict):
            files.read(path)


class TestHomes:
    @pytest.mark.parametrize("asked", ["home", "link"])
    @pytest.mark.parametrize("told", ["home", "link"])
    def test_a_home_may_be_a_link(self, tmp_path: Path, asked: str, told: str) -> None:
        """Also when the file was found by one of its names and the home goes by the other now."""
        skill = tmp_path / "home" / ".claude" / "skills" / "a" / "SKILL.md"
        skill.parent.mkdir(parents=True)
        skill.write_text(OLD)
        (tmp_path / "link").symlink_to("home")
        (found,) = targets.discover(tmp_path / asked, None, {})
        root = targets.write_root(found, tmp_path / told, {})
        files.write(Path(found.path), NEW.encode(), expected=digest(OLD), root=root)
        assert (NEW, True) == (skill.read_text(), (tmp_path / "link").is_symlink())

    def test_an_agents_folder_may_be_a_link(self, tmp_path: Path) -> None:
        """As people who keep their settings in one repository have it."""
        (tmp_path / "dotfiles" / "skills" / "a").mkdir(parents=True)
        (tmp_path / "dotfiles" / "skills" / "a" / "SKILL.md").write_text(OLD)
        (tmp_path / ".claude").symlink_to("dotfiles")
        (found,) = targets.discover(tmp_path, None, {})
        files.write(Path(found.path), NEW.encode(), expected=digest(OLD), root=targets.write_root(found, tmp_path, {}))
        assert NEW == (tmp_path / "dotfiles" / "skills" / "a" / "SKILL.md").read_text()


def test_a_hard_link_is_cut(project: Path, path: Path) -> None:
    """The other name, wherever it is, keeps its bytes: a copy made with hard links stays what it was."""
    other = project.parent / "outside" / "SKILL.md"
    os.link(other, path)
    files.write(path, NEW.encode(), expected=digest(SECRET), root=project)
    assert (NEW, SECRET, 1) == (path.read_text(), other.read_text(), other.stat().st_nlink)


@contextmanager
def as_nobody() -> Iterator[None]:
    """What root may do says nothing; any other user stays who they are."""
    if ROOT:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if ROOT:
            os.seteuid(0)


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that another user can reach."""
    made = Path(tempfile.mkdtemp(prefix="sleepd-"))
    made.chmod(0o777)
    yield made
    for inner in made.iterdir():
        inner.chmod(0o700)
    shutil.rmtree(made)


class TestOthers:
    def test_a_folder_that_may_not_be_written(self, shared: Path) -> None:
        """It is said who can help."""
        (shared / "a").mkdir()
        (shared / "a" / "SKILL.md").write_text(OLD)
        if ROOT:
            os.chown(shared / "a" / "SKILL.md", NOBODY, NOBODY)
        (shared / "a").chmod(0o555)
        with as_nobody(), pytest.raises(Conflict, match="make its folder and the file yours to write"):
            files.write(shared / "a" / "SKILL.md", NEW.encode(), expected=digest(OLD), root=shared)
        assert OLD == (shared / "a" / "SKILL.md").read_text()

    def test_a_folder_that_may_not_be_read(self, shared: Path) -> None:
        """Discovery goes on beside it."""
        for name in ("closed", "open"):
            (shared / "skills" / name).mkdir(parents=True)
            (shared / "skills" / name / "SKILL.md").write_text(OLD)
        (shared / "skills" / "closed").chmod(0o000)
        with as_nobody():
            found = targets.discover(shared, None, {"CLAUDE_CONFIG_DIR": str(shared)})
        (shared / "skills" / "closed").chmod(0o700)
        assert ["open"] == [t.name for t in found]

    @pytest.mark.skipif(not ROOT, reason="only root can make another user's file")
    def test_another_users_file_is_left_to_them(self, shared: Path) -> None:
        """Replacing it would take it from its owner, also where the folder would allow it."""
        path = shared / "SKILL.md"
        path.write_text(OLD)
        path.chmod(0o666)
        with as_nobody():
            for refuses in (
                lambda: files.write(path, NEW.encode(), expected=digest(OLD), root=shared),
                lambda: files.check(path, root=shared),
            ):
                with pytest.raises(Conflict, match="belongs to another user; run sleepd as its owner"):
                    refuses()
        assert (OLD, 0, ["SKILL.md"]) == (path.read_text(), path.stat().st_uid, [p.name for p in shared.iterdir()])

    @pytest.mark.skipif(not ROOT, reason="only root can give a file away")
    def test_root_leaves_the_owner(self, shared: Path) -> None:
        """A file that root changed can still be edited by whom it belongs to."""
        path = shared / "SKILL.md"
        path.write_text(OLD)
        os.chown(path, NOBODY, NOBODY)
        files.write(path, NEW.encode(), expected=digest(OLD), root=shared)
        assert (NEW, NOBODY, NOBODY) == (path.read_text(), path.stat().st_uid, path.stat().st_gid)
