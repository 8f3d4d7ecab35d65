"""Files of an output folder: whole at every moment, and for their owner alone."""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import suppress
from pathlib import Path

from sleepd.core.errors import Unwritable
from sleepd.settings.places import make_private


def write_json(path: Path, value: object) -> None:
    """As `write`, for a value."""
    write(path, json.dumps(value, indent=1, ensure_ascii=False, default=str) + "\n")


def write(path: Path, text: str) -> None:
    """Write a file (0600; new folders 0700); whoever reads it sees the old one or the new one. Raises `Unwritable`.

    Two that write it at once do not hinder each other: the file is one of the two.
    """
    part = None
    try:
        make_private(path.parent)
        descriptor, part = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace", newline="") as stream:
            stream.write(text)
        Path(part).replace(path)
    except OSError as error:
        if part is not None:
            with suppress(OSError):
                Path(part).unlink(missing_ok=True)
        raise Unwritable.of(path, error) from error


def replace_file(file: Path, data: bytes, mode: int | None = None) -> None:
    """Whole or not at all, with this mode; None: the rights the file had, and a new one is its owner's alone.

    A link is replaced, not followed. Raises `OSError` that names the file.
    """
    if mode is None:
        mode = file.stat().st_mode & 0o777 if file.exists() else 0o600
    part = file.with_name(f".{file.name}.new-{os.getpid()}")
    try:
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        part.chmod(mode)
        part.replace(file)
    except OSError as error:
        # An error in the middle of writing has no file name, and nobody would know the temporary name.
        raise OSError(error.errno, error.strerror, str(file)) from error
    finally:
        with suppress(OSError):  # it was never there, or the disk says so already
            part.unlink(missing_ok=True)
