"""Of the page, the data: what needs attention, then every column with its distribution by class.

Knows descriptions and checks. Knows nothing of HTML.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tallystick.data.schema import Column, Note
from tallystick.data.text import quantity
from tallystick.description import ColumnView, Part
from tallystick.draw.panels import length_bar, split_bars
from tallystick.draw.text import clean, cut, width
from tallystick.errors import counted
from tallystick.reports.ingredients import Ingredients
from tallystick.reports.sentences import percent

OPEN = 30  # columns shown at once; the rest unfolds
MOST = 300  # columns shown at all
MOST_BARS = 14  # of a small distribution
MOST_NOTES = 60
LETTERS = 28  # under all bars together


def data_section(given: Ingredients) -> dict[str, Any]:
    """Return the checks, the classes, the columns and the notes, as the page shows them."""
    found = given.description
    ranked = sorted(found.columns, key=lambda c: (*c.rank, c.name))
    most = max([c.gain or 0.0 for c in ranked] or [0.0]) or 1.0
    schema = given.table.schema
    rows = [column_row(c, schema[c.name], found.rows, given.labels, most) for c in ranked[:MOST]]
    notes = [n.text for n in _notes(found.notes)]
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
    view: ColumnView, column: Column, rows: int, labels: Sequence[str], most: float
) -> dict[str, Any]:
    """Return a column as a line of the page; rows: of the table, most: the largest gain of a column."""
    rows = max(rows, 1)
    gain = "" if view.gain is None else f"{view.gain:.3f}"
    return {
        "name": view.name,
        "kind": view.kind,
        "why": view.why,
        "missing": f"{view.missing:,}" if view.missing else "–",
        "missing_share": percent(view.missing / rows) if view.missing else "",
        "gain": gain,
        "left": "" if view.left is None else f"{view.left:.3f}",
        "gain_bar": "" if view.gain is None else length_bar(view.gain / most, f"gain {gain} bits"),
        "cut": _cut(view, column),
        "bars": _bars(view, column, labels),
        "caption": _caption(view, column),
    }


def _cut(view: ColumnView, column: Column) -> str:
    if view.cut is None:
        return ""
    if isinstance(view.cut, float):
        return f"best cut: < {quantity(view.cut, column.unit, 6)}"
    return f"best {'word' if view.kind == 'text' else 'cut: <'} {cut(clean(view.cut), 24)}"


def _bars(view: ColumnView, column: Column, labels: Sequence[str]) -> str:
    parts = _shown(view.distribution)
    if not parts:
        return ""
    hints = [f"{_name(p, column)}: {_told(p, labels)}" for p in parts]
    words = f"distribution of {view.name}{' by class' if parts[0].by_class else ''}: " + "; ".join(hints[:6])
    counts = [p.by_class or (p.rows,) for p in parts]
    return split_bars(counts, words, hints, _under(view, column, parts))


def _under(view: ColumnView, column: Column, parts: list[Part]) -> list[str]:
    """Return what stands under the bars: the ends of a range, or every level where there is room."""
    if column.kind == "numeric" and column.low is not None and column.high is not None:
        return [quantity(v, column.unit, 6) for v in (column.low, column.high)]
    return [clean(p.label) for p in parts] if _fit(parts) else []


def _fit(parts: Sequence[Part]) -> bool:
    """Say whether every name has room under its bar."""
    return len(parts) > 0 and all(width(clean(p.label)) <= LETTERS // len(parts) for p in parts)


def _shown(parts: tuple[Part, ...]) -> list[Part]:
    """Return the parts to draw: all in their order where their names fit, else the largest first."""
    if not parts or parts[0].low is not None or _fit(parts):
        return list(parts)
    return sorted(parts, key=lambda p: (-p.rows, p.label))[:MOST_BARS]


def _name(part: Part, column: Column) -> str:
    return f"from {quantity(part.low, column.unit, 6)}" if part.low is not None else part.label


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
    drawn = _shown(view.distribution)
    if column.kind == "numeric" or _under(view, column, drawn):
        return ""
    names = [cut(clean(p.label), 18) for p in drawn[:4]]
    rest = view.distinct - len(names)
    return ", ".join(names) + (f" and {rest:,} more" if rest > 0 else "")
