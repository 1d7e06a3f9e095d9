"""The rows behind a picture: a table that was read once, and which of its columns are drawn.

Knows estimators as readers of tables. Law: what is drawn is what a fit would see.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Table
from tallystick.data.source.door import is_spark, opened
from tallystick.description import describe_table
from tallystick.errors import DataError, OptionError, counted, nearest, shown, some
from tallystick.estimators.logistic import LogisticRegression

FEW = 1_000  # rows that are drawn at most, evenly taken


def read(data: Any, target: Any, shared: Mapping[str, Any]) -> Table:
    """Return the table of rows with a class each."""
    if is_spark(data):
        raise OptionError(
            "a picture needs the rows in one place, and they are on Spark. Collect some of them."
        )
    return LogisticRegression(**shared)._read(opened(data), target)


def numeric(table: Table) -> list[str]:
    """Return the columns of numbers."""
    return [c.name for c in table.schema.used if c.kind == "numeric"]


def chosen(table: Table, names: Sequence[str] | None, many: int, kinds: Sequence[str]) -> list[str]:
    """Return the columns to draw: those named, or the most telling of some kinds, numbers first."""
    there = [c.name for c in table.schema.used if c.kind in kinds]
    if names is not None:
        given = [names] if isinstance(names, str) else list(names)
        for name in given:
            if name not in there:
                raise OptionError(
                    f"there is no column {shown(name)} to draw.{nearest(str(name), there)} "
                    f"Columns that can be drawn: {some(there) if there else 'none'}."
                )
        if len(set(given)) != many:
            raise OptionError(f"this picture takes {many} columns, not {shown(given)}.")
        return given
    if len(there) < many:
        raise DataError(
            f"this picture needs {counted(many, 'column')} ({', '.join(kinds)}), and the table has "
            f"{len(there)}. Say what columns are with kinds=."
        )
    numbers = set(numeric(table))
    gains = {c.name: c.gain or 0.0 for c in describe_table("", table).columns}
    order = sorted(there, key=lambda name: (name not in numbers, -gains.get(name, 0.0), name))
    return sorted(order[:many], key=there.index)


def only(table: Table, names: Sequence[str]) -> Table:
    """Return the table with some of its columns alone."""
    return table.without([c.name for c in table.schema.columns if c.name not in names])


def complete(table: Table, names: Sequence[str]) -> NDArray[np.int64]:
    """Return the numbers of rows that have a value in each of some columns, at most FEW, evenly taken."""
    there = np.ones(table.rows, dtype=bool)
    for name in names:
        cells = table.column(name)
        column = table.schema[name]
        there &= np.isfinite(cells) if column.kind == "numeric" else cells < len(column.levels)
    rows = np.flatnonzero(there)
    if not len(rows):
        raise DataError(f"no row has a value in {some(names)}. Draw other columns.")
    return rows[np.linspace(0, len(rows) - 1, min(FEW, len(rows))).round().astype(np.int64)]


def two_classes(table: Table) -> NDArray[np.float64]:
    """Return 1 for rows of the second class and 0 for rows of the first."""
    labels = table.schema.predicted.labels
    if len(labels) != 2:
        raise DataError(
            f"this picture is of two classes, and {shown(table.schema.predicted.name)} has {len(labels)}."
        )
    assert table.classes is not None
    return np.asarray(table.classes == 1, dtype=np.float64)
