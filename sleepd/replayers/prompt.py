"""Our prompts, by the name of their files, and how untrusted text is quoted in them."""

from __future__ import annotations

from functools import cache
from importlib import resources

from sleepd.core.model import digest

TEXT_LIMIT = 1_500


@cache
def template(name: str) -> str:
    """A prompt of ours, by the name of its file."""
    return (resources.files("sleepd.core") / "prompts" / f"{name}.md").read_text(encoding="utf-8")


@cache
def version(name: str) -> str:
    """Twelve hex digits that change with a prompt's words: what another wording gave is not exchangeable."""
    return digest(name, template(name))[:12]


def quoted(text: str, limit: int = TEXT_LIMIT) -> str:
    """The text, cut to so many characters, with a bar before each line, so that it cannot end its own quote."""
    return "\n".join(f"| {line}" for line in text[:limit].splitlines()) or "|"


def part(title: str, text: str, limit: int = TEXT_LIMIT) -> str:
    """A quote under its title; "" for an empty text."""
    return f"{title}:\n{quoted(text, limit)}" if text.strip() else ""
