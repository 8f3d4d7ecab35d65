"""Reading and writing skill files so that nobody's words are lost.

A write is all or nothing: a temporary file beside the target, flushed, then renamed over it. It happens only while
the target is still what the caller saw, inside the folder the caller allows, and never through a symbolic link. On
POSIX every step goes through open folders, so a folder swapped for a link in between is noticed; writers of sleepd
exclude one another by a lock on the folder, which ends with the process.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from sleepd.core import plaintext
from sleepd.core.errors import Conflict
from sleepd.core.model import Digest, digest

try:
    import fcntl
except ImportError:  # Windows: no lock; the digest check alone guards
    fcntl = None  # type: ignore[assignment]

MAX_BYTES = 1_048_576
"""Of a skill file. Larger ones are not read."""
MAX_PATH_BYTES = 1_000 if sys.platform == "darwin" else 4_000
"""Less than the system's own bound, with room for the temporary file's name."""

_BY_FOLDER = os.open in os.supports_dir_fd and os.stat in os.supports_dir_fd
_DIRECTORY = getattr(os, "O_DIRECTORY", 0)
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_NONBLOCK = getattr(os, "O_NONBLOCK", 0)
_REMEDIES = {
    errno.ENAMETOOLONG: "use a shorter name",
    errno.EROFS: "its disk cannot be written; make it writable",
    errno.ENOSPC: "free some space on its disk",
    errno.EDQUOT: "free some space in your quota",
    errno.ENOTDIR: "a part of its path is no folder; move that away",
    errno.ELOOP: "a part of its path is a symbolic link; name the real file",
    errno.EACCES: "make its folder and the file yours to write",
    errno.EPERM: "make its folder and the file yours to write",
}

DEVICES = frozenset({"con", "prn", "aux", "nul", *(f"{name}{n}" for name in ("com", "lpt") for n in range(10))})
"""Names that Windows keeps for itself, with any ending and in any letter case."""
_UNPORTABLE = re.compile(r'[<>:"|?*\\\x00-\x1f]')


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillFile:
    """A skill file as it was read."""

    path: Path
    data: bytes
    text: str
    """`data` decoded from UTF-8; a byte order mark stays as U+FEFF, line endings stay."""
    newline: str
    """The line ending most lines have."""

    @property
    def digest(self) -> Digest:
        """Content address of the text, equal to that of a gated text with the same bytes."""
        return digest(self.text)


@dataclass(frozen=True, slots=True)
class _Folder:
    """An open folder; without folder handles (Windows) its path alone."""

    path: Path
    fd: int | None

    def at(self, name: str) -> str:
        return name if self.fd is not None else str(self.path / name)

    def names(self) -> list[str]:
        return os.listdir(self.path if self.fd is None else self.fd)  # noqa: PTH208  a handle cannot be a Path


def read(path: Path) -> SkillFile | None:
    """The file, or None when there is none.

    Raises `Conflict` when it is a link, or no UTF-8 text file of at most 1 MiB.
    """
    _refuse_unnameable(path)
    try:
        _refuse_kind(path, path.lstat())
        data = _bytes(_Folder(path.parent, None), path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _conflict(path, "cannot be read", error) from error
    text = _text(path, data)
    return SkillFile(path=path, data=data, text=text, newline=plaintext.newline(text))


def check(path: Path, *, root: Path) -> None:
    """Raises the `Conflict` that `write` would raise whatever the text is. Changes nothing.

    A file and folders that are not there yet are fine; so is a root that is gone, which is no matter of the path.
    """
    try:
        with _open_folder(path, root, None) as folder:
            _look(folder, path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise _conflict(path, "cannot be written", error) from error


def write(
    path: Path, data: bytes, *, expected: Digest | None, root: Path, empty_before: bool = False
) -> tuple[Path, ...]:
    """Replace the file's bytes; the folders that had to be made, outermost first.

    `expected` is the digest of what has to be there now (None: no file); `root` an existing folder that the path must
    stay in, links resolved. Mode and owner are kept. `empty_before` allows empty data, for a revert to an empty file.
    Raises `Conflict` and changes nothing when the data is empty or no UTF-8 text, the file is another one than
    expected, read-only, a link, another user's, or outside `root`, when a name on the way differs only in letter case
    from one that exists, or when one would have to be made that not every system can hold.
    """
    if not data and not empty_before:
        raise Conflict(f"{path}: an empty skill file is never written; remove the file instead")
    _text(path, data)
    made: list[Path] = []
    with ExitStack() as undo:
        undo.callback(lambda: _remove_empty(made[::-1]))
        try:
            with _open_folder(path, root, made if expected is None else None) as folder:
                _replace(folder, path, data, expected)
        except OSError as error:
            raise _gone(path, root) or _conflict(path, "cannot be written", error) from error
        undo.pop_all()
    return tuple(made)


def remove(path: Path, made_folders: Sequence[Path] = (), *, expected: Digest, root: Path) -> tuple[Path, ...]:
    """Remove the file if it is still `expected`, then those of `made_folders` that are empty; the removed folders.

    Raises `Conflict` as `write` does, and then removes nothing.
    """
    try:
        for made in made_folders:
            _inside(made, root)
        with _open_folder(path, root, None) as folder:
            _check_current(folder, path, expected)
            os.unlink(folder.at(path.name), dir_fd=folder.fd)
            _sync(folder)
    except OSError as error:
        raise _gone(path, root) or _conflict(path, "cannot be removed", error) from error
    return _remove_empty(sorted(made_folders, key=lambda made: len(made.parts), reverse=True))


def _text(path: Path, data: bytes) -> str:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Conflict(f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8 first") from error
    if "\0" in text:
        raise Conflict(f"{path} holds NUL characters; save the file as UTF-8 text first")
    return text


def _conflict(path: Path, what: str, error: OSError) -> Conflict:
    remedy = _REMEDIES.get(error.errno or 0, "check its folder and permissions")
    return Conflict(f"{path} {what}: {error.strerror or error}; {remedy}")


def _gone(path: Path, root: Path) -> Conflict | None:
    """What to say when not the file but all that it belongs to is missing; None when that is there."""
    return (
        None if root.exists() else Conflict(f"{path}: its project is gone: there is no {root}; bring that back first")
    )


def _inside(path: Path, root: Path) -> tuple[Path, tuple[str, ...]]:
    """The real root, and the names that lead from it to `path` once links between are resolved."""
    _refuse_unnameable(path)
    real = Path(os.path.realpath(root, strict=True))
    if ".." in path.parts or not path.is_absolute():
        raise Conflict(f"{path} is not a plain absolute path; name the file from the root of the disk on, without ..")
    parent = Path(os.path.realpath(path.parent))
    if not parent.is_relative_to(real):
        if not (path.is_relative_to(root) or path.is_relative_to(real)):
            raise Conflict(f"{path} is outside {root}; only files inside it may be changed")
        raise Conflict(f"{path} leads outside {root} to {parent} through a symbolic link; name the real file")
    return real, (*parent.relative_to(real).parts, path.name)


@contextmanager
def _open_folder(path: Path, root: Path, made: list[Path] | None) -> Iterator[_Folder]:
    """The folder of the file, open and locked. Missing folders are made and noted in `made`, or are an error."""
    here, names = _inside(path, root)
    folder = _Folder(here, os.open(here, os.O_RDONLY | _DIRECTORY) if _BY_FOLDER else None)
    try:
        for name in names[:-1]:
            folder = _enter(folder, name, made)
        _refuse_twin(folder, names[-1])
        if folder.fd is not None and fcntl is not None:
            fcntl.flock(folder.fd, fcntl.LOCK_EX)
        yield folder
    finally:
        if folder.fd is not None:
            os.close(folder.fd)


def _enter(folder: _Folder, name: str, made: list[Path] | None) -> _Folder:
    """The folder inside, open; the outer one is closed when that worked."""
    _refuse_twin(folder, name)
    inner = folder.path / name
    if made is not None and name not in folder.names():
        _refuse_unportable(folder, name)
        try:
            os.mkdir(folder.at(name), dir_fd=folder.fd)
        except FileExistsError:
            pass  # another writer made it a moment ago, so it is not ours to remove
        else:
            made.append(inner)
            _sync(folder)
    if folder.fd is None:
        return _Folder(inner, None)
    opened = os.open(name, os.O_RDONLY | _DIRECTORY | _NOFOLLOW, dir_fd=folder.fd)
    os.close(folder.fd)
    return _Folder(inner, opened)


def _refuse_twin(folder: _Folder, name: str) -> None:
    """Two names that differ in case are one file on many disks, and one would overwrite the other."""
    wanted = folded(name)
    twin = next((other for other in folder.names() if other != name and folded(other) == wanted), None)
    if twin is not None:
        remedy = "rename one of the two" if name in folder.names() else "use that name"
        raise Conflict(f"{folder.path / name}: {twin!r} is there and differs only in letter case; {remedy}")


def _refuse_unnameable(path: Path) -> None:
    """Through open folders a file can be made that no path leads to any more."""
    try:
        name = os.fsencode(path)
    except UnicodeEncodeError:
        raise Conflict(f"{str(path)!r} holds half a character; name a real file") from None
    if b"\0" in name:
        raise Conflict(f"{str(path)!r} holds a NUL character; name a real file")
    if len(name) > MAX_PATH_BYTES:
        raise Conflict(f"{path}: the path is longer than {MAX_PATH_BYTES:,} bytes; use a shorter name")


def _refuse_unportable(folder: _Folder, name: str) -> None:
    """A repository is cloned on other systems too; a name made here must not break it there."""
    bad = name.rstrip(". ") != name or name.partition(".")[0].casefold() in DEVICES or _UNPORTABLE.search(name)
    if bad:
        raise Conflict(f"{folder.path / name}: Windows cannot hold the name {name!r}; choose another one")


def folded(name: str) -> str:
    """Equal for names that are one file on some disk: letter case and the form of accents do not count."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _replace(folder: _Folder, path: Path, data: bytes, expected: Digest | None) -> None:
    found = _check_current(folder, path, expected)
    temporary = f".{path.name}.sleepd-new"
    with_mode = 0o666 if found is None else 0o600
    if found is None:
        _refuse_unportable(folder, path.name)
    _forget(folder, temporary)  # left by a writer that was killed
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW | _BINARY
        with os.fdopen(os.open(folder.at(temporary), flags, with_mode, dir_fd=folder.fd), "wb") as new:
            new.write(data)
            new.flush()
            if found is not None and _BY_FOLDER:
                if found.st_uid != os.fstat(new.fileno()).st_uid:
                    try:
                        # Only the administrator can give a file away; anybody else would take it from its owner.
                        os.fchown(new.fileno(), found.st_uid, found.st_gid)
                    except PermissionError as error:
                        raise _anothers(path) from error
                os.fchmod(new.fileno(), stat.S_IMODE(found.st_mode))
            os.fsync(new.fileno())
        _check_current(folder, path, expected)
        os.replace(folder.at(temporary), folder.at(path.name), src_dir_fd=folder.fd, dst_dir_fd=folder.fd)
    finally:
        _forget(folder, temporary)
    _sync(folder)


def _anothers(path: Path) -> Conflict:
    return Conflict(f"{path} belongs to another user; run sleepd as its owner, or make the file yours")


def _check_current(folder: _Folder, path: Path, expected: Digest | None) -> os.stat_result | None:
    """What is known of the file there, None without one. Raises `Conflict` when it may not be replaced."""
    found = _look(folder, path)
    if found is None:
        if expected is not None:
            raise Conflict(f"{path} was removed meanwhile; run the command again")
        return None
    if expected is None:
        raise Conflict(f"{path} was made meanwhile; run the command again")
    if found.st_size > MAX_BYTES or digest(_text(path, _bytes(folder, path))) != expected:
        raise Conflict(f"{path} was changed meanwhile; run the command again")
    return found


def _look(folder: _Folder, path: Path) -> os.stat_result | None:
    """What is known of the file there, None without one. Raises `Conflict` when nobody may replace it."""
    try:
        found = os.stat(folder.at(path.name), dir_fd=folder.fd, follow_symlinks=False)
    except FileNotFoundError:
        return None
    _refuse_kind(path, found)
    if not found.st_mode & 0o222:
        raise Conflict(f"{path} is read-only; make it writable if sleepd may change it")
    if _BY_FOLDER and os.geteuid() not in (0, found.st_uid):
        raise _anothers(path)
    return found


def _refuse_kind(path: Path, found: os.stat_result) -> None:
    if stat.S_ISLNK(found.st_mode):
        raise Conflict(f"{path} is a symbolic link; name the real file as the target")
    if not stat.S_ISREG(found.st_mode):
        raise Conflict(f"{path} is not a file; move it away")


def _bytes(folder: _Folder, path: Path) -> bytes:
    """The file's bytes. It is looked at again once it is open: a pipe put in its place would be waited for."""
    descriptor = os.open(folder.at(path.name), os.O_RDONLY | _NOFOLLOW | _NONBLOCK | _BINARY, dir_fd=folder.fd)
    with os.fdopen(descriptor, "rb") as file:
        _refuse_kind(path, os.fstat(descriptor))
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise Conflict(f"{path} is larger than {MAX_BYTES:,} bytes; shorten it")
    return data


def _forget(folder: _Folder, name: str) -> None:
    try:
        os.unlink(folder.at(name), dir_fd=folder.fd)
    except FileNotFoundError:
        return
    except (IsADirectoryError, PermissionError) as error:
        raise Conflict(f"{folder.path / name} is in the way of writing; move it away") from error


def _sync(folder: _Folder) -> None:
    """Make the renaming durable; only POSIX lets a folder be flushed."""
    if folder.fd is not None:
        os.fsync(folder.fd)


def _remove_empty(folders: Sequence[Path]) -> tuple[Path, ...]:
    """Remove folders, innermost first, as far as they are empty."""
    removed = []
    for folder in folders:
        try:
            folder.rmdir()
        except OSError:
            break  # someone put a file there; it and the folders around it stay
        removed.append(folder)
    return tuple(removed)
