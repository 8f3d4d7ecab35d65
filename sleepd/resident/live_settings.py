"""The settings that a process of many days goes by: those of the file, or those of before while it cannot be used."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from sleepd.core.errors import SleepdError
from sleepd.resident import scheduled
from sleepd.settings import config
from sleepd.settings.places import Places, make_private
from sleepd.settings.settings import Settings


class InForce:
    """Raises `SleepdError` when the settings cannot be used from the start."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._seen = _mark(places.config)
        self.now: Settings = scheduled.current(places)
        self._text = _text(places.config)
        self.refused: str | None = None
        """Why the file cannot be used; None: it can."""

    def renew(self) -> bool:
        """Read the file again if it was written since; whether it was."""
        mark = _mark(self._places.config)
        if mark == self._seen:
            return False
        self._seen = mark
        try:
            # The settings read the file first: their own message names its fault.
            now, text = scheduled.current(self._places), _text(self._places.config)
        except (SleepdError, OSError) as error:
            self.refused = str(error)
        else:
            self.now, self.refused, self._text = now, None, text
        return True

    def for_children(self) -> Mapping[str, str] | None:
        """The environment of children that are to go by the same settings; None: they need none of their own."""
        if self.refused is None:
            return None
        copy = self._places.state / "settings-in-force.toml"
        try:
            make_private(copy.parent)
            descriptor = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(self._text)
        except OSError:
            # A full disk: then the children themselves name the file's fault.
            return None
        return config.with_settings_of(copy)


def _mark(file: Path) -> tuple[int, int, int] | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def _text(file: Path) -> bytes:
    return file.read_bytes() if file.exists() else b""
