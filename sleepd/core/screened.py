"""The screen, asked once about each text: a run meets the same edit in every step, and once more at its end."""

from __future__ import annotations

from functools import lru_cache

from sleepd.core.model import Edit
from sleepd.core.screen import Finding, screen


@lru_cache(maxsize=4_096)
def screened(edits_or_text: str | tuple[Edit, ...]) -> tuple[Finding, ...]:
    """What `screen` finds in a text, or in what edits would write."""
    return screen(edits_or_text)
