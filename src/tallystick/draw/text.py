"""Data to lines of text: tables, bars and small distributions for a terminal, a pipe or `print`.

Knows texts, numbers and how wide they are on a terminal. Knows no model, no data set, and no terminal: a
line is spans of text with the name of a style, and whoever prints it decides whether a style becomes a
colour. Law: nothing that came from a user reaches a line but through `clean`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from tallystick.errors import clean as clean

Style = Literal["", "strong", "dim", "good", "bad", "note", "bar"]

EIGHTHS = " ▏▎▍▌▋▊▉█"
HEIGHTS = "▁▂▃▄▅▆▇█"
NUMBER = re.compile(r"[-+]?[0-9][0-9.,eE+-]*")
BAR = 12  # cells of the longest bar to a side: names, numbers and both sides are 80


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
        told, *ends = (f"{each:,.{digits + more}{kind}}" for each in (value, low, high))
        if low == high or ends[0] != ends[1]:
            break
    return told, " to ".join(ends)


def measured_percent(value: float, low: float, high: float, digits: int = 1) -> tuple[str, str]:
    """Return a share and its interval in percent, without the sign; 100 or 0 only where it is."""
    for more in range(digits, digits + 6):
        told, ends = measured(100 * value, 100 * low, 100 * high, f".{more}f")
        if float(told) not in (0.0, 100.0) or value in (0.0, 1.0):
            break
    return told, ends


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
