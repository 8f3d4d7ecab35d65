"""The output of the scheduled starts: the journal where there is one, else the log file."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from sleepd.schedulers.calls import call

_LOOK_EVERY_S: Final = 0.5
_BLOCK: Final = 65_536


def journal(unit: str, lines: int) -> str:
    """The last lines of a unit's journal; "" where there is none that this user may read."""
    done = call("journalctl", f"--user-unit={unit}", f"--lines={lines}", "--quiet", "--no-pager")
    return done.text if done.code == 0 else ""


def follow_journal(unit: str) -> None:
    """Print new lines, until Ctrl-C."""
    words = ["journalctl", f"--user-unit={unit}", "--lines=0", "--follow", "--quiet", "--no-pager"]
    subprocess.run(words, check=False)  # noqa: S603 - a list of words, no shell


def tail(file: Path, lines: int, size: int) -> str:
    """The last lines of the first `size` bytes of a file; "" for one that is not there."""
    if not file.exists() or lines == 0:
        return ""
    with file.open("rb") as stream:
        position, data = size, b""
        while position > 0 and data.count(b"\n") <= lines:
            part = min(_BLOCK, position)
            position -= part
            stream.seek(position)
            data = stream.read(part) + data
    return b"".join(data.splitlines(keepends=True)[-lines:]).decode("utf-8", "replace")


def follow(file: Path, since: tuple[int, int], say: Callable[[str], None]) -> None:
    """Tell what is added to a file since its `end`, until Ctrl-C; a file that was begun anew is read from its start."""
    inode, position = since
    while True:
        time.sleep(_LOOK_EVERY_S)
        found, size = end(file)
        if found != inode or size < position:
            inode, position = found, 0
        if size > position:
            # The file may be replaced this very moment: the next look finds out.
            with suppress(FileNotFoundError), file.open("rb") as stream:
                stream.seek(position)
                data = stream.read(size - position)
                position += len(data)
                say(data.decode("utf-8", "replace"))


def end(file: Path) -> tuple[int, int]:
    """The identity of the file, and its size."""
    try:
        facts = file.stat()
    except FileNotFoundError:
        return 0, 0
    return facts.st_ino, facts.st_size
