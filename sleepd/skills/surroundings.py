"""Where skill files are looked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """A home and its variables."""

    home: Path
    env: Mapping[str, str]
