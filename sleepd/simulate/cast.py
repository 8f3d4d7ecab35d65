"""The personas by name."""

from __future__ import annotations

from sleepd.core.errors import UnknownName
from sleepd.simulate import analyst, programmer, researcher
from sleepd.simulate.personas import Persona

_PERSONAS = {p.name: p for p in (researcher.PERSONA, programmer.PERSONA, analyst.PERSONA)}


def persona(name: str) -> Persona:
    """The persona of this name; raises `UnknownName`."""
    if name not in _PERSONAS:
        raise UnknownName("persona", name, _PERSONAS)
    return _PERSONAS[name]


def names() -> tuple[str, ...]:
    return tuple(_PERSONAS)
