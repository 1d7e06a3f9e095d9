"""What changed since training, as lines: the answers, then one per column, the most changed first.

Knows changes and `draw.text`. Knows nothing of rows or models.
"""

from __future__ import annotations

from tallystick.description.against import MOMENTS, Changes, ColumnChange
from tallystick.draw.text import Line, Span, Style, clean, wrapped
from tallystick.errors import counted, some, with_article


def page(found: Changes, cells: int = 80) -> list[Line]:
    """Return all lines, at most `cells` wide."""
    trained = f"the {counted(found.trained, 'training row')} of {with_article(found.kind)}"
    head = f"{clean(found.name)}: {counted(found.rows, 'row')} beside {trained}"
    style: Style = "bad" if found else "note" if found.unjudged else "good"
    lines: list[Line] = [*_plain(head, cells), *wrapped(verdict(found), cells, "", style), ()]
    if found.answers is not None:
        lines += [*_answers(found.answers, cells), ()]
    for column in found.ranked:
        lines += _column(column, cells)
    if found.ignored:
        lines += [(), *_plain(f"not in the model, ignored: {some(found.ignored)}", cells)]
    return lines


def verdict(found: Changes) -> str:
    """Return what is known in a line: how many columns changed, and how many cannot be judged."""
    many, open_, every = len(found.changed), len(found.unjudged), counted(len(found.columns), "column")
    kept = f"the file of {with_article(found.kind)} keeps too little of the training rows"
    stray = len(found.stray)
    apart = f"; rows outside the range of training in {counted(stray, 'column')}" if stray else ""
    if many:
        rest = f"; of the others {open_} cannot be judged in full: {kept}" if open_ else ""
        return f"{many} of {every} changed{apart}{rest}"
    if open_:
        return f"no change found, but {open_} of {every} cannot be judged in full: {kept}{apart}"
    return f"no column changed{apart}"


def _answers(answers: ColumnChange, cells: int) -> list[Line]:
    """Return what the model answers now beside what it answered to its training rows."""
    first = "  the answers: "
    if answers.findings:
        lines = wrapped(clean("; ".join(answers.findings)), cells, first)
        return [(Span(first, "strong"), Span(lines[0][1].text, "bad")), *lines[1:]]
    if answers.shift is None:
        return wrapped(clean(f"not judged: {answers.untold}"), cells, first)
    moved, limit = answers.shift.value, answers.shift.limit
    return wrapped(f"as in training (moved by {moved:.0%}, limit {limit:.0%})", cells, first)


def _plain(text: str, cells: int) -> list[Line]:
    return wrapped(clean(text), cells)


def _column(column: ColumnChange, cells: int) -> list[Line]:
    """Return one column: what changed, or how little."""
    name = f"{clean(column.name)}: "
    strays = "; ".join(column.strays)
    if column.findings:
        text = "; ".join((*column.findings, *column.strays)) + _caveat(column)
        lines = wrapped(clean(text), cells, f"  {name}")
        return [(Span(f"  {name}", "strong"), Span(lines[0][1].text, "bad")), *lines[1:]]
    if column.shift is None:
        new = f"no level is new; {strays}" if strays else "no level or range is new"
        return wrapped(clean(f"not judged: {column.untold}; {new}"), cells, f"  {name}")
    size = (
        f"{column.shift.value:.0%}"
        if column.shift.measure != MOMENTS
        else f"{column.shift.value:.2f} deviations"
    )
    limit = f"{column.shift.limit:.0%}" if column.shift.measure != MOMENTS else f"{column.shift.limit:.2f}"
    new = f"not changed, but {strays}" if strays else "nothing new"
    words = f"{new} (moved by {size}, limit {limit}){_caveat(column)}"
    return wrapped(clean(words), cells, f"  {name}")


def _caveat(column: ColumnChange) -> str:
    return f"; not judged in full: {column.untold}" if column.untold else ""
