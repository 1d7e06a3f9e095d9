"""Of the page, the data: what needs attention, then every column with its distribution by class.

Knows descriptions and checks. Knows nothing of HTML.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tallystick.data.schema import Column, Note
from tallystick.data.text import figure
from tallystick.description import ColumnView, Part
from tallystick.draw.panels import length_bar, split_bars, split_lines
from tallystick.draw.text import clean, cut, width
from tallystick.errors import counted, for_reader
from tallystick.reports.ingredients import Ingredients
from tallystick.reports.inks import inks
from tallystick.reports.sentences import percent

OPEN = 30  # columns shown at once; the rest unfolds
MOST = 300  # columns shown at all
MOST_LINES = 6  # levels that are drawn where their names have no room under bars: five, and the others
MOST_NOTES = 60
LETTERS = 28  # under all bars together


def data_section(given: Ingredients) -> dict[str, Any]:
    """Return the checks, the classes, the columns and the notes, as the page shows them."""
    found = given.description
    ranked = sorted(found.columns, key=lambda c: (*c.rank, c.name))
    most = max([c.gain or 0.0 for c in ranked] or [0.0]) or 1.0
    schema = given.table.schema
    own = inks(given)
    rows = [column_row(c, schema[c.name], found.rows, given.labels, most, own) for c in ranked[:MOST]]
    notes = [for_reader(n.text) for n in _notes(found.notes)]
    return {
        "checks": [c.to_dict() for c in given.comparison.checks],
        "classes": [
            {"label": p.label, "rows": f"{p.rows:,}", "share": percent(p.rows / max(found.rows, 1))}
            for p in found.classes
        ],
        "entropy": f"{found.entropy or 0.0:.3f}",
        "rows": rows[:OPEN],
        "more": rows[OPEN:],
        "left": len(ranked) - len(rows),
        "notes": notes[:MOST_NOTES],
        "notes_left": max(0, len(notes) - MOST_NOTES),
        "form": found.form,
    }


def _notes(notes: tuple[Note, ...]) -> list[Note]:
    return list(dict.fromkeys(notes))


def column_row(
    view: ColumnView,
    column: Column,
    rows: int,
    labels: Sequence[str],
    most: float,
    inks: Sequence[str] = (),
) -> dict[str, Any]:
    """Return a column as a line of the page; rows: of the table, most: the largest gain of a column; inks:
    the colours of the classes, if not in order.
    """
    rows = max(rows, 1)
    gain = "" if view.gain is None else f"{view.gain:.3f}"
    return {
        "name": view.name,
        "kind": view.kind,
        "why": for_reader(view.why),
        "missing": f"{view.missing:,}" if view.missing else "–",
        "missing_share": percent(view.missing / rows) if view.missing else "",
        "gain": gain,
        "left": "" if view.left is None else f"{view.left:.3f}",
        "gain_bar": "" if view.gain is None else length_bar(view.gain / most, f"gain {gain} bits"),
        "cut": _cut(view, column),
        "bars": _bars(view, column, labels, inks),
        "caption": _caption(view, column),
    }


def _cut(view: ColumnView, column: Column) -> str:
    if view.cut is None:
        return ""
    if isinstance(view.cut, float):
        return f"best cut: < {figure(view.cut, column.unit, 6)}"
    return f"best {'word' if view.kind == 'text' else 'cut: <'} {cut(clean(view.cut), 24)}"


def _bars(view: ColumnView, column: Column, labels: Sequence[str], inks: Sequence[str]) -> str:
    lines = _in_lines(view.distribution)
    parts = _shown(view, column) if lines else list(view.distribution)
    if not parts:
        return ""
    hints = [f"{_name(p, column)}: {_told(p, labels)}" for p in parts]
    words = f"distribution of {view.name}{' by class' if parts[0].by_class else ''}: " + "; ".join(hints[:6])
    counts = [p.by_class or (p.rows,) for p in parts]
    if lines:
        whole = max((p.rows for p in parts if p.label in column.levels), default=0)  # others may go beyond
        return split_lines(counts, words, hints, [p.label for p in parts], inks, whole)
    return split_bars(counts, words, hints, _under(column, parts), inks)


def _under(column: Column, parts: Sequence[Part]) -> list[str]:
    """Return what stands under the bars: the ends of a range, or every level."""
    if column.kind == "numeric" and column.low is not None and column.high is not None:
        return [figure(v, column.unit, 6) for v in (column.low, column.high)]
    return [clean(p.label) for p in parts]


def _in_lines(parts: Sequence[Part]) -> bool:
    """Say whether the names of levels have no room under bars, and stand beside lines."""
    if not parts or parts[0].low is not None:
        return False
    return any(width(clean(p.label)) > LETTERS // len(parts) for p in parts)


def _shown(view: ColumnView, column: Column) -> list[Part]:
    """Return the levels to draw: all of a few; of many the largest, and the others as one; ordered ones in
    their order.
    """
    named = [
        p for p in view.distribution if p.label in column.levels
    ]  # of very many, the rest is one already
    order = sorted(named, key=lambda p: (-p.rows, p.label))
    kept = order if len(view.distribution) <= MOST_LINES else order[: MOST_LINES - 1]
    if column.kind == "ordered" or len(kept) == len(view.distribution):
        kept = [p for p in view.distribution if p in kept]
    left = [p for p in view.distribution if p not in kept]
    if not left:
        return kept
    by_class = tuple(sum(n) for n in zip(*(p.by_class for p in left), strict=True))
    many = len(column.levels) - len(kept)
    return [*kept, Part(f"{many:,} others", sum(p.rows for p in left), by_class=by_class)]


def _name(part: Part, column: Column) -> str:
    return f"from {figure(part.low, column.unit, 6)}" if part.low is not None else part.label


def _told(part: Part, labels: Sequence[str]) -> str:
    if not part.by_class:
        return counted(part.rows, "row")
    counts = zip(labels, part.by_class, strict=True)
    shown = sorted(counts, key=lambda c: -c[1])[:4]
    return f"{counted(part.rows, 'row')} (" + ", ".join(f"{label} {n:,}" for label, n in shown if n) + ")"


def _caption(view: ColumnView, column: Column) -> str:
    """Return what the bars stand for where it does not stand under them."""
    if view.kind == "out":
        return "left out"
    if view.kind == "text":
        return counted(view.distinct, "different word")
    return ""
