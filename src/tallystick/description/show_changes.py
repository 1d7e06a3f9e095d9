"""What changed since training, as lines: one per column.

Knows changes and `draw.text`. Knows nothing of rows or models.
"""

from __future__ import annotations

from tallystick.description.against import COUNTS, Changes, ColumnChange
from tallystick.draw.text import Line, Span, clean, wrapped
from tallystick.errors import some


def page(found: Changes, cells: int = 80) -> list[Line]:
    """Return all lines, at most `cells` wide."""
    trained = f"the {found.trained:,.10g} training rows of a {found.kind}"
    head = f"{clean(found.name)}: {found.rows:,} rows beside {trained}"
    many = len(found.changed)
    verdict = f"{many} of {len(found.columns)} columns changed" if many else "no column changed"
    lines: list[Line] = [*_plain(head, cells), (Span(verdict, "bad" if many else "good"),), ()]
    for column in found.columns:
        lines += _column(column, cells)
    if found.ignored:
        lines += [(), *_plain(f"not in the model, ignored: {some(found.ignored)}", cells)]
    return lines


def _plain(text: str, cells: int) -> list[Line]:
    return wrapped(clean(text), cells)


def _column(column: ColumnChange, cells: int) -> list[Line]:
    """Return one column: what changed, or how little."""
    name = f"{clean(column.name)}: "
    if column.findings:
        text = "; ".join(column.findings) + _caveat(column)
        lines = wrapped(clean(text), cells, f"  {name}")
        return [(Span(f"  {name}", "strong"), Span(lines[0][1].text, "bad")), *lines[1:]]
    if column.shift is None:
        return wrapped(clean(f"nothing new{_caveat(column)}"), cells, f"  {name}")
    size = (
        f"{column.shift.value:.0%}"
        if column.shift.measure == COUNTS
        else f"{column.shift.value:.2f} deviations"
    )
    limit = f"{column.shift.limit:.0%}" if column.shift.measure == COUNTS else f"{column.shift.limit:.2f}"
    return wrapped(clean(f"nothing new (moved by {size}, limit {limit})"), cells, f"  {name}")


def _caveat(column: ColumnChange) -> str:
    return f"; shift not told: {column.untold}" if column.untold else ""
