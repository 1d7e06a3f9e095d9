"""What stands at the top of every export: which model this is, what it reads, how missing values are treated.

Knows forms. Names go through `plain`: nothing in a comment can end it.
"""

from __future__ import annotations

from tallystick import __version__, methods
from tallystick.data.schema import Column
from tallystick.data.text import label_text
from tallystick.errors import counted, with_article
from tallystick.export.form import Form
from tallystick.models.tree.sentences import plain

MOST = 100  # columns and labels that are named one by one


def heading(form: Form) -> list[str]:
    """Return the lines of the comment."""
    what = with_article(methods.of_kind(form.kind).noun)
    lines = [f"Tallystick {__version__}: {what} for '{plain(form.target)}'."]
    if form.labels:
        lines.append(f"Classes: {_some([plain(label_text(label)) for label in form.labels])}.")
    if form.decision:
        lines.append(f"Answers: {plain(form.decision)}.")
    if form.sha256:
        lines.append(f"Model file sha256: {form.sha256}.")
    lines.append("Columns:")
    lines += [f"  {plain(c.name)} ({_kind(c)})" for c in form.columns[:MOST]]
    if len(form.columns) > MOST:
        lines.append(f"  and {len(form.columns) - MOST:,} more")
    return [*lines, *_missing(form)]


def _kind(column: Column) -> str:
    if column.kind == "numeric":
        return "dates, as days since 1970-01-01" if column.unit == "date" else "numbers"
    if column.kind == "text":
        return f"text, {counted(len(column.words), 'word')}"
    return counted(len(column.levels), "level") if column.kind != "boolean" else "two levels"


def _missing(form: Form) -> list[str]:
    marks = ", ".join(f"'{plain(m)}'" for m in form.marks)
    if form.spreads:
        way = "goes down all branches of a test, in the proportion of their rows"
    else:
        way = methods.of_kind(form.kind).missing
    lines = [f"A missing value {way}."]
    return [f"Missing: null, NaN and the texts {marks}.", *lines] if marks else lines


def _some(texts: list[str]) -> str:
    more = f" and {len(texts) - MOST:,} more" if len(texts) > MOST else ""
    return ", ".join(texts[:MOST]) + more
