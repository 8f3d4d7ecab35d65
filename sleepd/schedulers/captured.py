"""The environment file: the variables of this shell that a scheduled start sees."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import platformdirs

from sleepd.core.errors import UsageError
from sleepd.host.outfile import replace_file
from sleepd.settings import config
from sleepd.settings.places import make_private

FOLDERS: Final = tuple(
    dict.fromkeys((*config.AGENT_VARIABLES, "XDG_DATA_HOME", "XDG_CACHE_HOME", "HF_HOME", "HF_HUB_CACHE"))
)
"""Variables that move the agents' folders, sleepd's own and those of the embedder."""
CONNECTION: Final = tuple(
    spelt
    for name in ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")
    for spelt in ((name, name.lower()) if name.endswith("_PROXY") else (name,))
)
"""Variables without which a provider may not be reached."""
# No LANG or LC_*: sleepd neither reads nor writes by a locale, and its children's output is easier to read without one.
PLAIN: Final = ("PATH", "TZ", "HF_HUB_OFFLINE")
KEYS: Final = ("SLEEPD_API_KEY", *config.KEY_VARIABLES)
_HEAD: Final = "# Written by `sleepd service install`: what a scheduled start sees of your shell. For you alone.\n"
_LOGIN: Final = re.compile(r"//[^/@]+@")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellVariables:
    """The variables to keep, and notes about the others."""

    values: dict[str, str]
    keys: tuple[str, ...]
    """Names of the keys that are set here and not kept."""
    notes: tuple[str, ...]
    """One line each."""

    @property
    def text(self) -> str:
        return _HEAD + "".join(f"{name}={value}\n" for name, value in self.values.items())


def capture(*, keep_key: bool) -> ShellVariables:
    """Look at this process's variables. Raises `UsageError` for a value that does not fit on a line."""
    keys = (*KEYS, *config.load_file_alone().key_variables)
    found = config.variables((*PLAIN, *FOLDERS, *CONNECTION, *config.ADDRESS_VARIABLES, "SLEEPD_HOME", *keys))
    secret = [name for name in found if name in keys or (name in CONNECTION and _LOGIN.search(found[name]))]
    values = {name: _value(name, text) for name, text in found.items() if keep_key or name not in secret}
    # The home a scheduler gives its programs.
    if os.name == "nt":
        home_of_record = config.home()
    else:
        import pwd

        home_of_record = Path(pwd.getpwuid(os.getuid()).pw_dir)
    if config.home() != home_of_record:
        values["HOME"] = _value("HOME", str(config.home()))
    notes = []
    if secret:
        kept = (
            "kept as plain text in a file that only you can read"
            if keep_key
            else "not kept, since no --keep-key was given"
        )
        notes.append(f"{kept}: {', '.join(secret)}")
    own_file = config.places().config
    notes += [
        f"{variable.name} is set in this shell only and not kept; put it into {own_file}"
        for variable in config.stray_variables()
        if variable.name.upper() not in config.OWN_VARIABLES
    ]
    return ShellVariables(values=values, keys=() if keep_key else tuple(secret), notes=tuple(notes))


def _value(name: str, text: str) -> str:
    # A file is read by lines and as UTF-8; a value that would read differently is refused, not repaired.
    if len(text.splitlines()) != 1 or text.encode("utf-8", "replace") != text.encode("utf-8", "surrogateescape"):
        raise UsageError(f"{name}: its value has line breaks or is not UTF-8, which no schedule can hold; correct it")
    if name == "SLEEPD_HOME" or (name in FOLDERS and not text.startswith("~")):
        return str(Path(text).expanduser().absolute())
    return text


def folders_beside() -> tuple[Path, ...]:
    """The folders of caches, where the embedder writes."""
    moved = config.variables(("HF_HOME", "HF_HUB_CACHE"))
    usual = platformdirs.user_cache_path()
    return tuple(dict.fromkeys((usual, *(Path(value).absolute() for value in moved.values()))))


def write(file: Path, text: str) -> None:
    """Write a file that its owner alone may read, whole or not at all."""
    make_private(file.parent)
    replace_file(file, text.encode("utf-8"), 0o600)
