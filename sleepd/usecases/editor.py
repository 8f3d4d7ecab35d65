"""A rule in the person's own words, typed in their own editor."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from sleepd.core.errors import UsageError

_HINT = """

# The rule that would be added to {name}. Change it as you like, save, and close the editor.
# Lines that begin with # are ignored; without any other line, nothing changes.
"""


def reworded(rule: str, name: str, command: str) -> str | None:
    """The saved rule; None when it was emptied or not changed.

    `command` is what the user's settings name as their editor. Raises `UsageError` when it cannot be started, ends with
    an error, or leaves a file that is no text.
    """
    with tempfile.TemporaryDirectory(prefix="sleepd-") as folder:
        file = Path(folder) / "rule.md"
        file.write_text(rule + _HINT.format(name=name), encoding="utf-8")
        try:
            words = shlex.split(command, posix=os.name != "nt")
            ended = subprocess.run([*words, str(file)], check=False)  # noqa: S603  the user's own editor
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            raise UsageError(f"the editor {command!r} cannot be started ({why}); set VISUAL or EDITOR") from error
        if ended.returncode:
            raise UsageError(f"the editor {command!r} ended with status {ended.returncode}; nothing was changed")
        try:
            saved = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"the edited file cannot be read ({error}); save it as UTF-8 text") from error
    kept = "\n".join(line for line in saved.splitlines() if not line.startswith("#")).strip()
    return kept if kept and kept != rule.strip() else None
