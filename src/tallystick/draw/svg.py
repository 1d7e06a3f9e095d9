"""SVG by hand: shapes and text on a canvas, with no styles, scripts or outside references.

Knows numbers and texts. Knows no model and no data set.
Laws: every text is escaped and has no control characters; colours and sizes are attributes, never `style`,
so that
a strict Content-Security-Policy lets them pass; `currentColor` follows the page, light or dark.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any

from tallystick.errors import OptionError, clean, shown
from tallystick.files.apart import as_path
from tallystick.files.whole import whole_file

# Okabe and Ito's colours, which colour-blind readers can tell apart too; classes take them in order.
PALETTE = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a400", "#6b6b6b")
INK, GROUND = "#1f2328", "#ffffff"  # of a picture that stands alone
FONT = "system-ui, sans-serif"
SCROLLS = "max-width: 980px; max-height: 640px; overflow: auto"  # lines in a notebook are never wider than it


class Picture(str):
    """A finished SVG picture: text for a page, which lends it the colour of its text; a notebook and `save`
    give it colours of its own.
    """

    __slots__ = ()

    @property
    def svg(self) -> str:
        """The picture as text."""
        return str(self)

    def __repr__(self) -> str:
        return f"<picture: {len(self):,} characters of SVG; save(path) writes it, print() shows the text>"

    def _repr_svg_(self) -> str:
        return self.with_own_colours()

    def with_own_colours(self) -> str:
        """Return the picture on a light ground with dark ink, for where no page lends it the colour of its
        text: as a file, or an image of a page, `currentColor` is black on whatever lies behind.
        """
        head, name, rest = self.partition("<svg")
        start, end, parts = rest.partition("</title>" if "</title>" in rest else ">")
        ground = f'\n<rect width="100%" height="100%" fill="{GROUND}"/>'
        return f'{head}{name} color="{INK}"{start}{end}{ground}{parts}'

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file, whose name ends in .svg, whole or not at all; over pictures only."""
        check_svg(path)
        with whole_file(path, "picture", OptionError) as file:
            file.write(self.with_own_colours().encode())


def check_svg(path: str | os.PathLike[str]) -> None:
    """Refuse a name that promises another format than SVG (/dev/stdout and the like promise none), and a
    file that holds something else.
    """
    name = as_path(path)
    ending = os.path.splitext(name)[1]
    if ending.lower() != ".svg" and not name.startswith("/dev/"):
        named = f"ends in {shown(ending)}" if ending else "has no ending"
        raise OptionError(
            f"pictures are SVG, and {shown(name)} {named}. Write it as .svg, which every "
            "browser opens and prints to other formats."
        )
    if os.path.isfile(name) and not _may_go(name):
        raise OptionError(f"{shown(name, 300)} holds no picture. Give the picture another name.")


def _may_go(name: str) -> bool:
    """Say whether a file is a picture, or empty: nothing is lost with it."""
    try:
        with open(name, "rb") as file:
            start = file.read(4096)
    except OSError:
        return False
    return not start or b"<svg" in start


def as_html(thing: object) -> str:
    """Return what a notebook shows of a result that prints as lines of text: the same lines, escaped."""
    lines = (escape(line) for line in str(thing).split("\n"))
    return f'<pre style="{SCROLLS}">' + "\n".join(lines) + "</pre>"


def colour(number: int) -> str:
    """Return the colour of class or curve `number`; they repeat after eight."""
    return PALETTE[number % len(PALETTE)]


def escape(text: object) -> str:
    """Return a text safe inside SVG: markup escaped, control and direction characters shown as codes."""
    import html

    return html.escape(clean(text), quote=True)


def brief(number: float) -> str:
    """Return a number as a short label."""
    return f"{number:,.0f}" if float(number).is_integer() and abs(number) < 1e6 else f"{number:.4g}"


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if math.isfinite(value) else "0"


def _attributes(given: dict[str, Any]) -> str:
    out = []
    for name, value in given.items():
        if value is not None:
            shown = _number(float(value)) if isinstance(value, int | float) else escape(value)
            out.append(f' {name.rstrip("_").replace("_", "-")}="{shown}"')
    return "".join(out)


class Svg:
    """A canvas. Shapes take further attributes by name: `fill`, `stroke_width`, `opacity`, `class_`."""

    def __init__(self, width: float, height: float, title: str) -> None:
        self.width, self.height, self.title = width, height, title
        self.parts: list[str] = []

    def rect(self, x: float, y: float, width: float, height: float, hint: str = "", **more: Any) -> None:
        """Draw a rectangle; `hint` is shown when the pointer rests on it."""
        self._shape("rect", {"x": x, "y": y, "width": width, "height": height, **more}, hint)

    def circle(self, x: float, y: float, r: float, hint: str = "", **more: Any) -> None:
        """Draw a disc."""
        self._shape("circle", {"cx": x, "cy": y, "r": r, **more}, hint)

    def line(self, x1: float, y1: float, x2: float, y2: float, **more: Any) -> None:
        """Draw a straight line."""
        self._shape("line", {"x1": x1, "y1": y1, "x2": x2, "y2": y2, "stroke": "currentColor", **more})

    def curve(self, points: Sequence[tuple[float, float]], **more: Any) -> None:
        """Draw straight lines from point to point."""
        path = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
        self._shape("polyline", {"points": path, "fill": "none", "stroke": "currentColor", **more})

    def area(self, points: Sequence[tuple[float, float]], **more: Any) -> None:
        """Fill the inside of a closed line."""
        path = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
        self._shape("polygon", {"points": path, **more})

    def path(self, d: str, hint: str = "", **more: Any) -> None:
        """Draw a path given in SVG's path letters."""
        self._shape("path", {"d": d, "fill": "none", "stroke": "currentColor", **more}, hint)

    def text(self, x: float, y: float, text: object, size: float = 12, hint: str = "", **more: Any) -> None:
        """Write one line of text; `text_anchor` is start, middle or end."""
        given = {"x": x, "y": y, "font_size": size, "fill": "currentColor", **more}
        self.parts.append(f"<text{_attributes(given)}>{_hint(hint)}{escape(text)}</text>")

    def open(self, **more: Any) -> None:
        """Begin a group."""
        self.parts.append(f"<g{_attributes(more)}>")

    def close(self) -> None:
        """End a group."""
        self.parts.append("</g>")

    def _shape(self, tag: str, given: dict[str, Any], hint: str = "") -> None:
        self.parts.append(
            f"<{tag}{_attributes(given)}>{_hint(hint)}</{tag}>" if hint else f"<{tag}{_attributes(given)}/>"
        )

    def __str__(self) -> str:
        size = f'viewBox="0 0 {_number(self.width)} {_number(self.height)}" width="{_number(self.width)}"'
        size += f' height="{_number(self.height)}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="{FONT}">'
        return "\n".join([head, f"<title>{escape(self.title)}</title>", *self.parts, "</svg>"])


def _hint(text: str) -> str:
    return f"<title>{escape(text)}</title>" if text else ""


def around(low: float, high: float, about: int = 5) -> list[float]:
    """Return round numbers, the first at or below low and the last at or above high."""
    inside = ticks(low, high, about)
    if len(inside) < 2:
        return inside if low == high else [low, high]
    step = inside[1] - inside[0]
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(i * step, 12) for i in range(first, last + 1)]


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Return round numbers that cover low to high with steps of 1, 2 or 5."""
    if not math.isfinite(low) or not math.isfinite(high) or high <= low:
        return [low]
    rough = (high - low) / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * f for f in (1, 2, 5, 10) if power * f >= rough)
    first = math.ceil(low / step - 1e-9)
    return [round(i * step, 12) for i in range(first, math.floor(high / step + 1e-9) + 1)]
