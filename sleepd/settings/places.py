"""Where sleepd keeps its files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import platformdirs


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Absolute paths. Nothing is created here: the first writer creates the folder, readable by its owner alone."""

    config: Path
    """The settings file."""
    database: Path
    state: Path
    """The folder of logs and locks: all of it can be deleted without losing what was learnt. Only `account` in it
    counts beyond the database."""

    @property
    def log(self) -> Path:
        """The log file; older ones are next to it as `sleepd.log.1`, `sleepd.log.2`, …"""
        return self.state / "sleepd.log"

    @property
    def lock(self) -> Path:
        """The lock file one night holds."""
        return self.state / "night.lock"

    @property
    def account(self) -> Path:
        """The highest index that a candidate was ever given: the account of levels survives a new database."""
        return self.state / "account.json"

    @property
    def harvest_lock(self) -> Path:
        """The lock file one harvest holds."""
        return self.state / "harvest.lock"

    @property
    def adoption_lock(self) -> Path:
        """The lock file that a writer of a skill file holds."""
        return self.state / "adoption.lock"

    @property
    def daemon_lock(self) -> Path:
        """The lock file that the one daemon holds."""
        return self.state / "daemon.lock"

    @property
    def environment(self) -> Path:
        """The variables that a scheduled start is to see, one `NAME=value` a line; `service install` writes it."""
        return self.config.with_name("environment")

    @property
    def notices(self) -> Path:
        """The folder with the days that had a notice."""
        return self.state / "notices"

    @property
    def plugins(self) -> Path:
        """The marketplace folder that agents read the plugin from: it stays where it is when sleepd is updated."""
        return self.database.parent / "plugins"

    @property
    def plugin_lock(self) -> Path:
        """The lock file of a plugin installation."""
        return self.state / "plugins.lock"

    @property
    def plugin_record(self) -> Path:
        """The parts that `plugin install` added to other programs' files, so that `plugin uninstall` removes only
        those."""
        return self.state / "plugins.json"

    @classmethod
    def below(cls, folder: Path) -> Places:
        """Everything in one folder."""
        folder = folder.expanduser().absolute()
        return cls(config=folder / "config.toml", database=folder / "sleepd.db", state=folder / "state")

    @classmethod
    def of_this_system(cls) -> Places:
        """Where the operating system wants such files (the XDG folders on Linux)."""
        folders = platformdirs.PlatformDirs("sleepd", appauthor=False)
        return cls(
            config=folders.user_config_path / "config.toml",
            database=folders.user_data_path / "sleepd.db",
            state=folders.user_state_path,
        )


def make_private(folder: Path) -> None:
    """Create a folder and its missing parents, for the owner alone (0700). Folders that exist stay as they are."""
    missing = [part for part in (folder, *folder.parents) if not part.exists()]
    for part in reversed(missing):
        part.mkdir(mode=0o700, exist_ok=True)
