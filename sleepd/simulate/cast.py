"""The personas by name."""

from __future__ import annotations

from sleepd.core.errors import UnknownName
from sleepd.simulate import analyst, apprentice, maintainer, programmer, researcher, shopkeeper
from sleepd.simulate.developers import Developer
from sleepd.simulate.personas import Persona

_PERSONAS = {p.name: p for p in (researcher.PERSONA, programmer.PERSONA, analyst.PERSONA)}
_DEVELOPERS = {p.name: p for p in (maintainer.PERSONA, shopkeeper.PERSONA, apprentice.PERSONA)}


def persona(name: str) -> Persona:
    """The persona with recurring work of this name; raises `UnknownName`."""
    if name not in _PERSONAS:
        raise UnknownName("persona", name, _PERSONAS)
    return _PERSONAS[name]


def developer(name: str) -> Developer | None:
    """The persona whose work is new every day, of this name; None when it is another's. Raises `UnknownName`."""
    if name not in names():
        raise UnknownName("persona", name, names())
    return _DEVELOPERS.get(name)


def names() -> tuple[str, ...]:
    """All of them."""
    return (*_PERSONAS, *_DEVELOPERS)


def recurring() -> tuple[str, ...]:
    """Those whose work recurs."""
    return tuple(_PERSONAS)
