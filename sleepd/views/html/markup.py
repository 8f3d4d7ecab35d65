"""Elements of a page. A text is always shown as text, never as markup. The plots are drawn here, not by a library:
pygal's SVG loads a script from elsewhere unless it is told not to and has its own colours, and matplotlib (some 60 MB
with what it needs, a second to import) draws letters as outlines. Here the same few marks follow the reader's light or
dark, and each carries its numbers for a screen reader and for a test.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

from sleepd.core import plaintext

WIDTH = 440


def text(value: object) -> str:
    """A text as markup: escaped, invisible characters as their code points."""
    said = str(value)
    plain = said.isascii() and said.isprintable()
    return html.escape(said if plain else plaintext.shown(said), quote=True)


def tag(name: str, *inside: str, **attributes: object) -> str:
    """An element around markup. `class_` is `class`, `data_x` is `data-x`; attributes that are None are left out."""
    given = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items() if value is not None}
    stated = "".join(f' {key}="{text(value)}"' for key, value in given.items())
    return f"<{name}{stated}>{''.join(inside)}</{name}>"


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], *, numeric: Sequence[int] = ()) -> str:
    """A table of markup that scrolls by itself where it is too wide; the columns `numeric` are aligned to the right."""
    looks = ["number" if place in numeric else None for place in range(len(headings))]
    head = "".join(tag("th", text(one), scope="col", class_=look) for one, look in zip(headings, looks, strict=True))
    body = "".join(
        tag("tr", *(tag("td", cell, class_=look) for cell, look in zip(row, looks, strict=True))) for row in rows
    )
    return tag("div", tag("table", tag("thead", tag("tr", head)), tag("tbody", body)), class_="wide")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """A field of two axes, with a title and a summary for who cannot see it."""

    kind: str
    title: str
    summary: str
    x: tuple[float, float]
    y: tuple[float, float]
    height: int = 210
    left: int = 44
    right: int = 14
    top: int = 12
    bottom: int = 36

    def at(self, x: float, y: float) -> tuple[float, float]:
        """The position of a value; a value outside the field is drawn at its edge."""
        across, up = _share(x, *self.x), _share(y, *self.y)
        inner = self.height - self.top - self.bottom
        return self.left + across * (WIDTH - self.left - self.right), self.top + (1 - up) * inner

    def drawn(self, *marks: str) -> str:
        """The whole plot."""
        said = tag("title", text(self.title)) + tag("desc", text(self.summary))
        view = f"0 0 {WIDTH} {self.height}"
        return tag("svg", said, *marks, viewBox=view, role="img", aria_label=f"{self.title}. {self.summary}",
                   class_="plot", data_plot=self.kind)  # fmt: skip

    def ticks(self, down: Sequence[tuple[float, str]], along: Sequence[tuple[float, str]]) -> str:
        """Grid lines with labels on the left, and labels below."""
        out = [self.rule(value, "grid") for value, _ in down]
        for value, label in down:
            _, y = self.at(self.x[0], value)
            out.append(self._label(self.left - 6, y + 4, label, "end"))
        for value, label in along:
            x, _ = self.at(value, self.y[0])
            out.append(self._label(x, self.height - self.bottom + 16, label, "middle"))
        return "".join(out)

    def caption(self, along: str) -> str:
        """The label of the horizontal axis."""
        middle = (self.left + WIDTH - self.right) / 2
        return self._label(middle, self.height - 4, along, "middle", "caption")

    def rule(self, value: float, look: str, label: str = "") -> str:
        """A line across at a value."""
        (x1, y), (x2, _) = self.at(self.x[0], value), self.at(self.x[1], value)
        line = tag("line", x1=_px(x1), y1=_px(y), x2=_px(x2), y2=_px(y), class_=look, data_y=value)
        return line + (self._label(x1 + 4, y - 4, label, "start", "caption") if label else "")

    def path(self, points: Sequence[tuple[float, float]], look: str, says: str) -> str:
        """A line through points; `says` shows when the pointer rests on it."""
        placed = " ".join(f"{_px(x)},{_px(y)}" for x, y in (self.at(*point) for point in points))
        values = " ".join(repr(y) for _, y in points)
        return tag("polyline", tag("title", text(says)), points=placed, class_=look, data_values=values)

    def dot(self, x: float, y: float, look: str, says: str, shift: float = 0) -> str:
        """A mark at a value, `shift` pixels further to the right."""
        across, down = self.at(x, y)
        return tag("circle", tag("title", text(says)), cx=_px(across + shift), cy=_px(down), r=4.5, class_=look,
                   data_x=x, data_y=y)  # fmt: skip

    def whisker(self, x: float, low: float, high: float, look: str, shift: float = 0) -> str:
        """An interval of values, `shift` pixels further to the right."""
        (middle, bottom), (_, top) = self.at(x, low), self.at(x, high)
        shape = f"M{_px(middle + shift)} {_px(bottom)}V{_px(top)}"
        caps = "".join(f"M{_px(middle + shift - 4)} {_px(y)}h8" for y in (bottom, top))
        return tag("path", d=shape + caps, class_=f"{look} whisker", data_low=low, data_high=high)

    def _label(self, x: float, y: float, label: str, anchor: str, look: str = "tick") -> str:
        return tag("text", text(label), x=_px(x), y=_px(y), text_anchor=anchor, class_=look)


def bar(x: float, y: float, width: float, height: float, look: str, says: str) -> str:
    """A filled rectangle from its upper left corner."""
    return tag("rect", tag("title", text(says)), x=_px(x), y=_px(y), width=_px(width), height=_px(height), class_=look)


def _share(value: float, low: float, high: float) -> float:
    return min(1.0, max(0.0, (value - low) / (high - low))) if high > low else 0.5


def _px(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
