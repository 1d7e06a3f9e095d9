"""Results in a notebook: pictures and tables as on the page, in a frame of a sensible width that scrolls.

Knows lines of text, tables of them and pictures. Knows no model and no notebook. Law: everything that came
from a user is escaped; nothing is wider than its frame.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from tallystick.draw.svg import escape
from tallystick.draw.text import Line, Span

__all__ = ["framed", "html_lines"]

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
    """Return lines as HTML: the rows of a table (`draw.text.table`) as a table, others as paragraphs."""
    out = []
    for kind, group in itertools.groupby(lines, _kind):
        if kind == "table":
            out.append(_table(list(group)))
        elif kind == "words":
            said: list[str] = []
            for line in group:
                words = "".join(map(_words, line)).strip()
                if said and _goes_on(line):
                    said[-1] += f" {words}"
                else:
                    said.append(words)
            out += [f'<p style="margin: 6px 0">{words}</p>' for words in said]
    return "".join(out)


def _goes_on(line: Line) -> bool:
    """Say whether a line goes on with the sentence before it (`draw.text.wrapped`)."""
    return len(line) == 2 and line[0].style == "dim" and not line[0].text.strip()


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
