"""Rows that nobody can write over: what may wait until somebody asks is found from these.

Knows tables in memory. Knows nothing of who asks, or for what.
"""

from __future__ import annotations

from dataclasses import replace

from tallystick.contracts import Table as Tabular
from tallystick.data.table.table import Table

FEW_CELLS = 1 << 17  # of a table that is copied rather than watched


def is_own(table: Tabular) -> bool:
    """Say whether nobody but the table can write to its rows."""
    return isinstance(table, Table) and table.own


def held(table: Tabular) -> Tabular | None:
    """Return the rows of a small table in memory as nobody can write over them: a copy where arrays are not
    its own. None of other tables.
    """
    if not isinstance(table, Table) or table.place != "memory":
        return None
    if table.rows * len(table.columns) > FEW_CELLS or any(c.kind == "text" for c in table.schema.used):
        return None
    return owned(table)


def owned(table: Table) -> Table:
    """Return a table in memory as nobody can write over it: with copies of what is not its own."""
    if table.own:
        return table
    columns = {  # the words of texts are made here
        name: data if isinstance(data, tuple) else data.copy() for name, data in table.columns.items()
    }
    classes, weights = (None if a is None else a.copy() for a in (table.classes, table.weights))
    response = None if table.response is None else table.response.copy()
    return replace(table, columns=columns, classes=classes, response=response, weights=weights, own=True)
