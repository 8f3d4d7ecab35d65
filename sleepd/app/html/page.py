"""The page."""

from __future__ import annotations

from collections.abc import Mapping


def page(history: Mapping[str, object], patches: Mapping[str, str] | None = None) -> str:
    """Soon."""
    return f"<!doctype html><title>{len(history)} {len(patches or {})}</title>"
