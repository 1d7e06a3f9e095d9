"""The SVG canvas, lines of text for a terminal, results in a notebook, and the scales of a nomogram.

Entry: `Svg` and `Picture`; `table()`, `bar()`, `plain()` for text; `framed()` for notebooks; `scale_line()`.
span = some text in one style; cell = the width of one character of a terminal.
Laws of SVG: every text is escaped and has no control characters; colours and sizes are attributes, never
`style`, so that a strict Content-Security-Policy lets them pass; `currentColor` follows the page.
"""

from __future__ import annotations

import itertools
import math
import os
import re
import unicodedata
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from tallystick.errors import OptionError, clean, shown
from tallystick.files import as_path, whole_file

# Okabe and Ito's colours, which colour-blind readers can tell apart too; classes take them in order.
PALETTE = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a400", "#6b6b6b")
INK, GROUND = "#1f2328", "#ffffff"  # colours of text and background of a picture in a file of its own
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
    if os.path.isfile(name):
        start = None
        with suppress(OSError), open(name, "rb") as file:
            start = file.read(4096)
        if start is None or (
            start and b"<svg" not in start
        ):  # else it is empty, or a picture: nothing is lost
            raise OptionError(f"{shown(name, 300)} holds no picture. Give the picture another name.")


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


# Lines of text: tables, bars and small distributions for a terminal, a pipe or `print`.
# A line is a list of spans; the printer decides whether a style becomes a colour. Law: text from a user
# reaches a line only through `clean`.

Style = Literal["", "strong", "dim", "good", "bad", "note", "bar"]

EIGHTHS = " ▏▎▍▌▋▊▉█"
HEIGHTS = "▁▂▃▄▅▆▇█"
NUMBER = re.compile(r"[-+]?[0-9][0-9.,eE+-]*")
BAR = 12  # cells of the longest bar to one side, so that a line with its name and number has 80


@dataclass(frozen=True, slots=True)
class Span:
    """Some text in one style."""

    text: str
    style: Style = ""


Line = tuple[Span, ...]


def width(text: str) -> int:
    """Return how many cells a terminal gives to a cleaned text."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )


def cut(text: str, cells: int) -> str:
    """Return the text, or as much of it as fits `cells` with a … at its end."""
    if width(text) <= cells:
        return text
    kept = ""
    for c in text:
        if width(kept + c) > cells - 1:
            break
        kept += c
    return kept + "…" if cells > 0 else ""


def padded(text: str, cells: int, right: bool = False) -> str:
    """Return the text filled with spaces to `cells`, on its left when `right`."""
    space = " " * max(0, cells - width(text))
    return space + text if right else text + space


def bar(share: float, cells: int) -> str:
    """Return a bar of `share` (0 to 1) of `cells`, to an eighth; a share above 0 is never invisible."""
    eighths = min(cells * 8, max(int(share > 0), round(share * cells * 8)))
    full, rest = divmod(eighths, 8)
    return "█" * full + (EIGHTHS[rest] if rest else "")


def spark(counts: Sequence[float]) -> str:
    """Return one block per count, as high as its share of the largest; a blank where the count is 0."""
    top = max(counts, default=0)
    if top <= 0:
        return " " * len(counts)
    return "".join(HEIGHTS[min(7, int(8 * c / top))] if c > 0 else " " for c in counts)


def table(
    header: Sequence[str],
    rows: Iterable[Sequence[Span]],
    right: frozenset[int] = frozenset(),
    cells: int = 80,
) -> list[Line]:
    """Return a header and rows in aligned columns, two spaces apart; the first column gives way to fit
    `cells`.

    right: numbers of the columns that are aligned on their right side.
    """
    body = [tuple(row) for row in rows]
    widths = [max([width(h), *(width(r[j].text) for r in body)]) for j, h in enumerate(header)]
    rest = sum(widths[1:]) + 2 * (len(widths) - 1)
    widths[0] = max(min(widths[0], cells - rest), min(widths[0], 8))
    lines = []
    for row in [tuple(Span(h, "dim") for h in header), *body]:
        spans: list[Span] = []
        for j, span in enumerate(row):
            text = padded(cut(span.text, widths[j]), widths[j], j in right)
            spans += [Span("  " * (j > 0)), Span(text, span.style)]
        while spans and not spans[-1].text.strip():  # no spaces at the end of a line
            spans.pop()
        lines.append((*spans[:-1], Span(spans[-1].text.rstrip(), spans[-1].style)) if spans else ())
    return lines


def wrapped(text: str, cells: int, first: str = "", style: Style = "") -> list[Line]:
    """Return a sentence broken at spaces to fit `cells`; `first` opens it, the rest is indented as far."""
    indent, words, lines, now = width(first), text.split(" "), [], ""
    for word in words:
        if now and width(now) + 1 + width(word) > cells - indent:
            lines.append(now)
            now = word
        else:
            now = f"{now} {word}" if now else word
    lines.append(now)
    return [(Span(first if i == 0 else " " * indent, "dim"), Span(t, style)) for i, t in enumerate(lines)]


def folded(line: Line, cells: int) -> list[Line]:
    """Return a line in lines that fit `cells`, broken at spaces; what goes on is indented. A word that is
    longer stays whole.
    """
    out: list[Line] = []
    while width("".join(span.text for span in line).rstrip()) > cells:
        text = "".join(span.text for span in line)
        indent = len(text) - len(text.lstrip())
        ends = [k for k, c in enumerate(text) if c == " " and text[indent:k].strip()]
        fits = [k for k in ends if width(text[:k].rstrip()) <= cells]
        if not ends or (not fits and not text[ends[0] :].strip()):
            break
        at = fits[-1] if fits else ends[0]
        kept, line = _parted(line, at)
        out.append(kept)
        line = (Span("    "), *_parted(line, len(text[at:]) - len(text[at:].lstrip()))[1])
    return [*out, line]


def _parted(line: Line, at: int) -> tuple[Line, Line]:
    """Return a line up to a place, and the rest."""
    first: list[Span] = []
    rest: list[Span] = []
    for span in line:
        head, tail = span.text[: max(at, 0)], span.text[max(at, 0) :]
        at -= len(span.text)
        first += [Span(head, span.style)] if head else []
        rest += [Span(tail, span.style)] if tail else []
    return tuple(first), tuple(rest)


def plain(lines: Iterable[Line]) -> str:
    """Return lines as text without styles."""
    return "\n".join("".join(span.text for span in line).rstrip() for line in lines)


def between(low: float, high: float, form: str) -> str:
    """Return `0.91 to 0.95`: as many digits as the form has, and more where two different ends look alike."""
    return measured(low, low, high, form)[1]


def measured(value: float, low: float, high: float, form: str) -> tuple[str, str]:
    """Return a value and its interval in the same number of digits, so that it lies within: as many as the
    form has, and more where two different ends look alike.
    """
    digits, kind = int(form[1:-1]), form[-1]
    for more in range(6):
        number, *ends = (f"{each:,.{digits + more}{kind}}" for each in (value, low, high))
        if low == high or ends[0] != ends[1]:
            break
    return number, " to ".join(ends)


def measured_percent(value: float, low: float, high: float, digits: int = 1) -> tuple[str, str]:
    """Return a share and its interval in percent, without the sign; 100 or 0 only where it is."""
    for more in range(digits, digits + 6):
        number, ends = measured(100 * value, 100 * low, 100 * high, f".{more}f")
        if float(number) not in (0.0, 100.0) or value in (0.0, 1.0):
            break
    return number, ends


def p_value(p: float) -> str:
    """Return a p with three digits, never 0."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def percent(share: float, digits: int = 1) -> str:
    """Return a share in percent; never 100 % or 0 % unless it is."""
    if share in (0.0, 1.0):
        return f"{100 * share:.0f} %"
    text = f"{100 * share:.{digits}f}"
    if share < 1 and float(text) >= 100:
        text = f"{100 - 10**-digits:.{digits}f}"
    if share > 0 and float(text) <= 0:
        return f"< {10**-digits:.{digits}f} %"
    return f"{text} %"


def class_words(label: str) -> str:
    """Return what a class is called: `spam`, and `class 4` where the label is a number."""
    return f"class {label}" if NUMBER.fullmatch(label) else label


def bar_line(name: str, weight: float, most: float, form: str) -> str:
    """Return one part of a sum as a line: its name, its size, and a bar to the left or right."""
    size = round(abs(weight) / most * BAR)
    side = ("▇" * size).rjust(BAR) + "|" if weight < 0 else " " * BAR + "|" + "▇" * size
    return f"{padded(cut(clean(name), 44), 44)} {weight:{form}} {side.rstrip()}"


# Results in a notebook: pictures and tables in a frame that scrolls.
# Law: everything that came from a user is escaped; nothing is wider than its frame.

WIDE, TALL = 980, 640  # pixels of a frame
FRAME = f"max-width: {WIDE}px; font-family: system-ui, sans-serif; line-height: 1.45"
PART = f"overflow: auto; max-height: {TALL}px; margin: 6px 0"
CELL = "padding: 3px 14px 3px 0; border-bottom: 1px solid #8886; white-space: nowrap"
LEFT, RIGHT = "text-align: left", "text-align: right; font-variant-numeric: tabular-nums"


def framed(*parts: str, text: str = "") -> str:
    """Return pictures and tables under each other, each scrolling by itself. text: the same in lines, which
    unfolds.
    """
    shown = [_fitted(part) for part in parts if part]
    if text:
        lines = "\n".join(escape(line) for line in text.split("\n"))
        shown.append(f'<details><summary>as text</summary><pre style="{PART}">{lines}</pre></details>')
    return f'<div style="{FRAME}">{"".join(shown)}</div>'


def _fitted(part: str) -> str:
    """Return a picture as wide as its frame at most, and whole; a table that scrolls."""
    if part.startswith("<svg "):
        picture = part.replace("<svg ", '<svg style="max-width: 100%; height: auto" ', 1)
        return f'<div style="margin: 6px 0">{picture}</div>'
    return f'<div style="{PART}">{part}</div>'


def html_lines(lines: Iterable[Line]) -> str:
    """Return lines as HTML: the rows of a table (`table`) as a table, others as paragraphs."""
    out = []
    for kind, group in itertools.groupby(lines, _kind):
        if kind == "table":
            out.append(_table(list(group)))
        elif kind == "words":
            said: list[str] = []
            for line in group:
                words = "".join(map(_words, line)).strip()
                if said and (len(line) == 2 and line[0].style == "dim" and not line[0].text.strip()):
                    said[-1] += f" {words}"
                else:
                    said.append(words)
            out += [f'<p style="margin: 6px 0">{words}</p>' for words in said]
    return "".join(out)


def _kind(line: Line) -> str:
    """Say what a line is: cells stand between spans of two spaces, the first behind an empty one."""
    gaps = line[::2]
    if len(line) >= 4 and len(line) % 2 == 0 and gaps[0].text == "" and all(g.text == "  " for g in gaps[1:]):
        return "table"
    return "words" if any(span.text.strip() for span in line) else "none"


def _words(span: Span) -> str:
    text = escape(span.text)
    if not span.text.strip():
        return ""
    if span.style == "strong":
        return f"<b>{text}</b>"
    return f'<span style="opacity: 0.75">{text}</span>' if span.style == "dim" else text


def _table(lines: Sequence[Line]) -> str:
    rows = [line[1::2] for line in lines]
    count = max(map(len, rows))
    right = {j for j in range(1, count) if any(row[j].text.startswith(" ") for row in rows if j < len(row))}
    out = []
    for row in rows:
        head = all(span.style == "dim" for span in row)
        cells = []
        for j in range(count):
            tag = "th" if head or j == 0 else "td"
            strong = "" if head or any(s.style == "strong" for s in row[: j + 1]) else "; font-weight: normal"
            words = escape(row[j].text.strip()) if j < len(row) else ""
            cells.append(f'<{tag} style="{CELL}; {RIGHT if j in right else LEFT}{strong}">{words}</{tag}>')
        out.append(f'<tr style="background: none">{"".join(cells)}</tr>')
    return f'<table style="border-collapse: collapse; margin: 6px 0">{"".join(out)}</table>'


# One scale of a nomogram, as wide as its place on the page: marks stand at percentages.
# Law: everything that came from a user is escaped; labels that would touch are left out, the ends never.

NARROW = 340.0  # pixels that labels are laid out for, the width of a phone
LETTER = 6.4
SCALE_HEIGHT, MIDDLE = 52, 26


def place(weight: float, ends: tuple[float, float]) -> float:
    """Return where a weight lies, in percent; the outer 3 on each side are margin."""
    low, high = ends
    inside = (min(max(weight, low), high) - low) / ((high - low) or 1.0)
    return round(3 + 94 * inside, 3)


def scale_line(title: str, marks: Sequence[tuple[str, float]], ends: tuple[float, float]) -> str:
    """Return a line with its marks (words, weight), words above and below in turn where there is room."""
    at = sorted(((place(w, ends), text) for text, w in marks), key=lambda m: (m[0], m[1]))
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="100%" height="{SCALE_HEIGHT}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="11"><title>{escape(title)}</title>'
    ]
    if at:
        out.append(
            f'<line x1="{at[0][0]}%" y1="{MIDDLE}" x2="{at[-1][0]}%" y2="{MIDDLE}" stroke="currentColor" '
            'opacity="0.5"/>'
        )
    for x, _ in at:
        out.append(
            f'<line x1="{x}%" y1="{MIDDLE - 4}" x2="{x}%" y2="{MIDDLE + 4}" stroke="currentColor" '
            'opacity="0.6"/>'
        )
    for x, text, above in _labels(at):
        anchor = "start" if x < 8 else "end" if x > 92 else "middle"
        up = MIDDLE - 12 if above else MIDDLE + 20  # clear of a point that lies on the line
        out.append(
            f'<text x="{x}%" y="{up}" text-anchor="{anchor}" fill="currentColor">{escape(text)}</text>'
        )
    return "".join([*out, "</svg>"])


def _labels(at: Sequence[tuple[float, str]]) -> list[tuple[float, str, bool]]:
    """Return the labels that fit: the two ends first, then the others where they touch none."""
    taken: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
    out = []
    order = [0, len(at) - 1, *range(1, len(at) - 1)] if len(at) > 1 else list(range(len(at)))
    for k in order:
        x, text = at[k]
        short = cut(text, 20)
        half = width(short) * LETTER / 2 + 3
        middle = x / 100 * NARROW
        middle = middle + half if x < 8 else middle - half if x > 92 else middle
        for above in (k % 2 == 0, k % 2 == 1):
            if all(middle + half < a or middle - half > b for a, b in taken[above]):
                taken[above].append((middle - half, middle + half))
                out.append((x, short, above))
                break
    return out
