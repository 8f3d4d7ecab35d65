"""A skill file is replaced whole, only when it is what was expected, and only where it may be."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from sleepd.core.errors import Conflict
from sleepd.core.model import digest
from sleepd.skills import files

POSIX = pytest.mark.skipif(os.name != "posix", reason="links and modes of POSIX")
OLD, NEW = "# Old\n", "# New\n"


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    path = tmp_path / "skills" / "a" / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_bytes(OLD.encode())
    return path


def tree(root: Path) -> dict[str, bytes | None]:
    return {str(p.relative_to(root)): p.read_bytes() if p.is_file() else None for p in sorted(root.rglob("*"))}


class TestRead:
    def test_gives_bytes_text_and_newline(self, skill: Path) -> None:
        """A byte order mark and CRLF come through; the digest is that of the text."""
        skill.write_bytes(b"\xef\xbb\xbf# A\r\nb\r\n")
        file = files.read(skill)
        assert file is not None
        assert ("\ufeff# A\r\nb\r\n", "\r\n", digest("\ufeff# A\r\nb\r\n")) == (file.text, file.newline, file.digest)
        assert file.data == file.text.encode()

    def test_gives_none_without_a_file(self, tmp_path: Path) -> None:
        """No file is None, not an empty text."""
        assert files.read(tmp_path / "none" / "SKILL.md") is None

    @pytest.mark.parametrize(
        ("data", "why"),
        [
            (b"ok \xff", "byte 3 is not UTF-8"),
            (b"a\0b", "NUL"),
            ("é".encode("utf-16"), "UTF-8"),
            (b"x" * 1_048_577, "larger"),
        ],
    )
    def test_refuses_what_is_no_text(self, skill: Path, data: bytes, why: str) -> None:
        """Bytes that cannot be text are a conflict with the reason."""
        skill.write_bytes(data)
        with pytest.raises(Conflict, match=why):
            files.read(skill)

    def test_refuses_a_folder(self, skill: Path) -> None:
        """A folder in the file's place is a conflict."""
        with pytest.raises(Conflict, match="not a file"):
            files.read(skill.parent)


class TestWrite:
    def test_replaces_the_bytes(self, skill: Path, tmp_path: Path) -> None:
        """The expected file becomes the new bytes, and nothing else appears."""
        assert () == files.write(skill, NEW.encode(), expected=digest(OLD), root=tmp_path)
        assert {"skills": None, "skills/a": None, "skills/a/SKILL.md": NEW.encode()} == tree(tmp_path)

    @POSIX
    @pytest.mark.parametrize("mode", [0o600, 0o644, 0o755])
    def test_keeps_the_mode(self, skill: Path, tmp_path: Path, mode: int) -> None:
        """The permissions stay as they were."""
        skill.chmod(mode)
        files.write(skill, NEW.encode(), expected=digest(OLD), root=tmp_path)
        assert mode == skill.stat().st_mode & 0o777

    def test_says_which_folders_it_made(self, tmp_path: Path) -> None:
        """Missing folders are made, and told outermost first."""
        (tmp_path / "x").mkdir()
        path = tmp_path / "x" / "y" / "z" / "SKILL.md"
        assert (path.parent.parent, path.parent) == files.write(path, NEW.encode(), expected=None, root=tmp_path)
        assert NEW == path.read_text()

    @pytest.mark.parametrize("now", ["# Mine\n", None])
    def test_refuses_a_changed_file(self, skill: Path, tmp_path: Path, now: str | None) -> None:
        """A file that was changed or removed since is left as it is."""
        skill.unlink() if now is None else skill.write_text(now)
        before = tree(tmp_path)
        with pytest.raises(Conflict, match="meanwhile"):
            files.write(skill, NEW.encode(), expected=digest(OLD), root=tmp_path)
        assert before == tree(tmp_path)

    def test_refuses_a_file_that_came(self, skill: Path, tmp_path: Path) -> None:
        """Where no file was expected, one that is there is kept."""
        with pytest.raises(Conflict, match="made meanwhile"):
            files.write(skill, NEW.encode(), expected=None, root=tmp_path)
        assert OLD == skill.read_text()

    @pytest.mark.parametrize("data", [b"", b"\xff"])
    def test_refuses_bytes_that_are_no_text(self, skill: Path, tmp_path: Path, data: bytes) -> None:
        """An empty file is never written, nor bytes that could not be read again."""
        with pytest.raises(Conflict):
            files.write(skill, data, expected=digest(OLD), root=tmp_path)
        assert OLD == skill.read_text()

    @POSIX
    def test_refuses_a_linked_file(self, skill: Path, tmp_path: Path) -> None:
        """A link in the file's place is not followed and not replaced."""
        link = skill.parent / "AGENTS.md"
        link.symlink_to(skill)
        with pytest.raises(Conflict, match="symbolic link"):
            files.write(link, NEW.encode(), expected=digest(OLD), root=tmp_path)
        assert (True, OLD) == (link.is_symlink(), skill.read_text())

    @POSIX
    @pytest.mark.parametrize("target", ["..", "../outside"])
    def test_refuses_a_link_out_of_the_root(self, tmp_path: Path, target: str) -> None:
        """A folder that is a link out of the root cannot redirect the write."""
        root = tmp_path / "project"
        (tmp_path / "outside").mkdir()
        root.mkdir()
        (root / "skills").symlink_to(target)
        before = tree(tmp_path)
        with pytest.raises(Conflict, match="outside"):
            files.write(root / "skills" / "a" / "SKILL.md", NEW.encode(), expected=None, root=root)
        assert before == tree(tmp_path)

    @POSIX
    def test_says_that_the_project_is_gone(self, tmp_path: Path) -> None:
        """Not that the file's folder is: there is nothing to check there."""
        root = tmp_path / "gone"
        path = root / ".claude" / "skills" / "a" / "SKILL.md"
        with pytest.raises(Conflict, match=r"its project is gone: there is no .*gone; bring that back"):
            files.write(path, b"# a\n", expected=None, root=root)
        with pytest.raises(Conflict, match="its project is gone"):
            files.remove(path, expected=digest("# a\n"), root=root)

    def test_allows_links_inside_the_root(self, skill: Path, tmp_path: Path) -> None:
        """A linked folder that stays inside is fine, and so is a root that is a link."""
        (tmp_path / "linked").symlink_to(skill.parent)
        files.write(tmp_path / "linked" / "SKILL.md", NEW.encode(), expected=digest(OLD), root=tmp_path)
        (tmp_path / "root").symlink_to(skill.parent)
        files.write(tmp_path / "root" / "SKILL.md", OLD.encode(), expected=digest(NEW), root=tmp_path / "root")
        assert OLD == skill.read_text()

    @pytest.mark.parametrize("path", ["../SKILL.md", "a/../../SKILL.md", "a/../SKILL.md"])
    def test_refuses_paths_that_climb(self, tmp_path: Path, path: str) -> None:
        """Paths with dots are refused even where they stay inside."""
        with pytest.raises(Conflict, match=r"plain absolute path|outside"):
            files.write(tmp_path / "root" / path, NEW.encode(), expected=None, root=tmp_path)

    @pytest.mark.parametrize("twin", ["skills/A/SKILL.md", "Skills/a/SKILL.md", "skills/a/Skill.md"])
    def test_refuses_a_twin_in_letter_case(self, skill: Path, tmp_path: Path, twin: str) -> None:
        """Two names that differ in case only are never made side by side."""
        before = tree(tmp_path)
        with pytest.raises(Conflict, match="letter case"):
            files.write(tmp_path / twin, NEW.encode(), expected=None, root=tmp_path)
        assert before == tree(tmp_path)

    @POSIX
    def test_refuses_a_read_only_file(self, skill: Path, tmp_path: Path) -> None:
        """A file the user protected stays."""
        skill.chmod(0o444)
        with pytest.raises(Conflict, match="read-only"):
            files.write(skill, NEW.encode(), expected=digest(OLD), root=tmp_path)

    def test_takes_its_folders_back_when_it_fails(self, tmp_path: Path) -> None:
        """Folders made for a write that fails are gone again."""
        path = tmp_path / "x" / "y" / ("n" * 300 + ".md")
        with pytest.raises(Conflict, match="cannot be written"):
            files.write(path, NEW.encode(), expected=None, root=tmp_path)
        assert {} == tree(tmp_path)

    def test_a_killed_writer_leaves_no_obstacle(self, skill: Path, tmp_path: Path) -> None:
        """A temporary file left by a killed process is overwritten, not a lock."""
        (skill.parent / ".SKILL.md.sleepd-new").write_text("half")
        files.write(skill, NEW.encode(), expected=digest(OLD), root=tmp_path)
        assert ["SKILL.md"] == [p.name for p in skill.parent.iterdir()]

    @POSIX
    def test_a_temporary_link_is_not_followed(self, skill: Path, tmp_path: Path) -> None:
        """A link planted under the temporary name is removed, its target untouched."""
        other = tmp_path / "other"
        other.write_text("keep")
        (skill.parent / ".SKILL.md.sleepd-new").symlink_to(other)
        files.write(skill, NEW.encode(), expected=digest(OLD), root=tmp_path)
        assert ("keep", NEW) == (other.read_text(), skill.read_text())

    @pytest.mark.slow
    @POSIX
    def test_of_two_writers_one_wins(self, skill: Path, tmp_path: Path) -> None:
        """Processes that expect the same text cannot both write."""
        code = (
            "import sys; from pathlib import Path; from sleepd.core.errors import Conflict\n"
            "from sleepd.core.model import digest; from sleepd.skills import files\n"
            "path, root, mine = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]\n"
            "sys.stdin.readline()\n"
            "try: files.write(path, mine.encode(), expected=digest('# Old\\n'), root=root); print('won', mine)\n"
            "except Conflict: print('lost')\n"
        )
        writers = [
            subprocess.Popen(
                [sys.executable, "-c", code, str(skill), str(tmp_path), f"# {n}"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for n in range(3)
        ]
        for writer in writers:
            assert writer.stdin is not None
            writer.stdin.write("go\n")
            writer.stdin.flush()
        said = sorted(writer.communicate()[0].strip() for writer in writers)
        assert ["lost", "lost", f"won {skill.read_text()}"] == said

    def test_refuses_a_change_at_the_last_moment(
        self, skill: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A file saved by an editor while the new text is being flushed is kept."""
        flush = os.fsync

        def save_then_flush(fd: int) -> None:
            skill.write_text("# Mine\n")
            flush(fd)

        monkeypatch.setattr(os, "fsync", save_then_flush)
        with pytest.raises(Conflict, match="changed meanwhile"):
            files.write(skill, NEW.encode(), expected=digest(OLD), root=tmp_path)
        assert ("# Mine\n", ["SKILL.md"]) == (skill.read_text(), [p.name for p in skill.parent.iterdir()])

    @POSIX
    def test_waits_for_another_writer(self, skill: Path, tmp_path: Path) -> None:
        """While a writer holds the folder a second one waits, and then sees what the first one wrote."""
        import fcntl

        outcome: list[str] = []

        def second() -> None:
            try:
                files.write(skill, NEW.encode(), expected=digest(OLD), root=tmp_path)
                outcome.append("written")
            except Conflict:
                outcome.append("refused")

        folder = os.open(skill.parent, os.O_RDONLY)
        fcntl.flock(folder, fcntl.LOCK_EX)
        writer = threading.Thread(target=second)
        writer.start()
        writer.join(timeout=0.2)  # a writer that does not wait is done by then
        skill.write_text("# First\n")
        os.close(folder)
        writer.join()
        assert (["refused"], "# First\n") == (outcome, skill.read_text())


class TestRemove:
    def test_undoes_a_write(self, tmp_path: Path) -> None:
        """The file and the folders made for it go; the tree is as before."""
        path = tmp_path / "x" / "y" / "SKILL.md"
        made = files.write(path, NEW.encode(), expected=None, root=tmp_path)
        assert made[::-1] == files.remove(path, made, expected=digest(NEW), root=tmp_path)
        assert {} == tree(tmp_path)

    def test_keeps_folders_in_use(self, tmp_path: Path) -> None:
        """A folder that holds something else by now stays, and those around it."""
        path = tmp_path / "x" / "y" / "SKILL.md"
        made = files.write(path, NEW.encode(), expected=None, root=tmp_path)
        (tmp_path / "x" / "mine").write_text("mine")
        assert (path.parent,) == files.remove(path, made, expected=digest(NEW), root=tmp_path)
        assert {"x": None, "x/mine": b"mine"} == tree(tmp_path)

    def test_refuses_a_changed_file(self, skill: Path, tmp_path: Path) -> None:
        """A file that is not what was written stays."""
        with pytest.raises(Conflict, match="changed meanwhile"):
            files.remove(skill, expected=digest(NEW), root=tmp_path)
        assert OLD == skill.read_text()

    def test_refuses_folders_outside(self, skill: Path, tmp_path: Path) -> None:
        """Folders that are not inside the root are never removed, nor is the file then."""
        (tmp_path / "empty").mkdir()
        with pytest.raises(Conflict, match="outside"):
            files.remove(skill, [tmp_path / "empty"], expected=digest(OLD), root=tmp_path / "skills")
        assert (True, OLD) == ((tmp_path / "empty").exists(), skill.read_text())
