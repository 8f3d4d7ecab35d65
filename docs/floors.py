"""The picture of the floors, made from the contracts of import-linter in `pyproject.toml`.

Mermaid for pages that a code host shows, and the same picture as SVG for the site, which loads nothing from elsewhere.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

ROOT: Final = Path(__file__).parent.parent

_WIDTH, _ROW, _GAP, _MARGIN = 880, 52, 30, 16
_WIDEST = 260


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """A package, or a module on its own, that has a floor."""

    name: str
    """Without `sleepd.`, but for the harvesters, which are not part of it."""
    about: str
    """The first sentence of its docstring."""
    libraries: tuple[str, ...] = ()
    """What only this room may import."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """Rooms at the same height. A room may import from the floors below."""

    rooms: tuple[Room, ...]
    strangers: bool
    """Whether the rooms of this floor may not import one another."""


def floors(root: Path = ROOT) -> tuple[Floor, ...]:
    """The floors, highest first. Raises LookupError when there is no contract of layers or more than one."""
    contracts = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    layered = [contract["layers"] for contract in contracts if contract["type"] == "layers"]
    if len(layered) != 1:
        raise LookupError(f"{len(layered)} contracts of layers in pyproject.toml; the picture is made from exactly one")
    names = [[name.strip() for name in re.split("[|:]", layer)] for layer in layered[0]]
    libraries = _doors(contracts, {name for layer in names for name in layer})
    return tuple(
        Floor(
            rooms=tuple(
                Room(name=n.removeprefix("sleepd."), about=_about(root, n), libraries=libraries.get(n, ()))
                for n in layer
            ),
            strangers="|" in written,
        )
        for layer, written in zip(names, layered[0], strict=True)
    )


def _doors(contracts: Sequence[Mapping[str, Sequence[str]]], rooms: set[str]) -> dict[str, tuple[str, ...]]:
    """Room -> the libraries that are forbidden to all others."""
    found: dict[str, tuple[str, ...]] = {}
    for contract in contracts:
        allowed = rooms - set(contract.get("source_modules", rooms))
        if len(allowed) == 1:
            (room,) = allowed
            found[room] = (*found.get(room, ()), *contract["forbidden_modules"])
    return found


def _about(root: Path, module: str) -> str:
    folder = root.joinpath(*module.split("."))
    path = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return re.split(r"(?<=[.!?])\s", " ".join(said.split()))[0].rstrip(".")


def mermaid(shown: Sequence[Floor]) -> str:
    """A flowchart: one box for each floor, an arrow for what may be imported."""
    lines = ["flowchart TB"]
    for number, floor in enumerate(shown):
        lines += [f'  subgraph floor{number}[" "]', "    direction LR"]
        lines += [
            f'    {_id(room)}["{"<br/>".join(filter(None, [room.name, ", ".join(room.libraries)]))}"]'
            for room in floor.rooms
        ]
        if not floor.strangers:
            lines += [f"    {_id(a)} <--> {_id(b)}" for a, b in zip(floor.rooms, floor.rooms[1:], strict=False)]
        lines.append("  end")
    lines += [f"  floor{number} --> floor{number + 1}" for number in range(len(shown) - 1)]
    return "\n".join(lines) + "\n"


def _id(room: Room) -> str:
    return f"{room.name}_"  # `end` and the like are words of the language


def svg(shown: Sequence[Floor]) -> str:
    """The same picture, drawn: dark on light, so that it reads on any ground."""
    height = 2 * _MARGIN + len(shown) * _ROW + (len(shown) - 1) * _GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" '
        'role="img" font-family="sans-serif" text-anchor="middle">',
        "<title>The floors of sleepd: each may import from those below</title>",
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
    ]
    for number, floor in enumerate(shown):
        top = _MARGIN + number * (_ROW + _GAP)
        parts += _drawn(floor, top)
        if number + 1 < len(shown):
            at, start, end = _WIDTH // 2, top + _ROW + 4, top + _ROW + _GAP - 4
            parts.append(
                f'<path d="M{at} {start}V{end}m-5 -6l5 6l5 -6" fill="none" stroke="#57606a" stroke-width="1.5"/>'
            )
    return "\n".join([*parts, "</svg>", ""])


def _drawn(floor: Floor, top: int) -> Iterator[str]:
    """The boxes of a floor; those that may import one another lie on one strip."""
    inner = _WIDTH - 2 * _MARGIN
    between = 10
    width = min(_WIDEST, (inner - between * (len(floor.rooms) - 1)) // len(floor.rooms))
    left = (_WIDTH - width * len(floor.rooms) - between * (len(floor.rooms) - 1)) // 2
    if len(floor.rooms) > 1 and not floor.strangers:
        strip = width * len(floor.rooms) + between * (len(floor.rooms) - 1)
        yield f'<rect x="{left - 6}" y="{top - 6}" width="{strip + 12}" height="{_ROW + 12}" rx="10" fill="#eaeef2"/>'
    for number, room in enumerate(floor.rooms):
        x = left + number * (width + between)
        yield f'<rect x="{x}" y="{top}" width="{width}" height="{_ROW}" rx="6" fill="#ddf4ff" stroke="#0969da"/>'
        low = 22 if room.libraries else 32
        center = x + width // 2
        yield f'<text x="{center}" y="{top + low}" font-size="15" fill="#1f2328">{escape(room.name)}</text>'
        if room.libraries:
            small = escape(", ".join(room.libraries))
            size = min(11.0, 1.7 * width / len(small))
            yield f'<text x="{center}" y="{top + 40}" font-size="{size:.1f}" fill="#57606a">{small}</text>'


def table(shown: Sequence[Floor]) -> str:
    """The same as a table, with what is in each room."""
    rows = [
        f"| {len(shown) - number} | `{room.name}` | {room.about} | {', '.join(room.libraries)} |"
        for number, floor in enumerate(shown)
        for room in floor.rooms
    ]
    return "\n".join(
        ["| Floor | Room | What is in it | Libraries that no other room imports |", "|---:|---|---|---|", *rows, ""]
    )
