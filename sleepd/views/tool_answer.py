"""What a tool of the MCP server answers."""

from __future__ import annotations

from dataclasses import dataclass

from sleepd.views.report import Plain


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolAnswer:
    """One answer, twice: for a reader and for a program."""

    text: str
    data: Plain
