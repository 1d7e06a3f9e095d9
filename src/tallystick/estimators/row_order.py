"""A source with its rows in an order of their content, so that nothing made from it depends on how they lay.

Knows sources and tables. Law: two sources with the same rows give the same batches, up to columns that are
left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tallystick.contracts import Table

if TYPE_CHECKING:
    from tallystick.contracts import Source
    from tallystick.data.source.frames import FrameSource


def row_of(source: FrameSource, number: int) -> dict[str, str | None]:
    """Return one row as texts, None where there is nothing."""
    import pyarrow as pa

    out: dict[str, str | None] = {}
    for j, name in enumerate(source.columns):
        cell = source.get(j).slice(number, 1)
        if pa.types.is_dictionary(cell.type):
            cell = cell.cast(cell.type.value_type)
        out[name] = None if pa.types.is_binary(cell.type) else cell.cast(pa.string())[0].as_py()
    return out


def ordered(source: Source, read: Callable[[Any], Table]) -> tuple[FrameSource, Table]:
    """Return the rows of a source, in memory, in the order of the hashes of what they hold, and their table
    in that order; rows without a target come last, and are in the source alone.

    The source is read once; `read` encodes what it held.
    """
    import pyarrow as pa

    from tallystick.data.source.frames import FrameSource

    cells = pa.Table.from_batches(list(source.batches()))
    as_read = FrameSource(
        source.name,
        source.columns,
        cells.num_rows,
        cells.column,
        source.notes,
        source.reading,
        typed=source.typed,
        form=source.form,
        files=source.files,
    )
    table = read(as_read)
    order = np.argsort(table.row_hashes(), kind="stable")
    kept = order if table.kept is None else table.kept[order]
    left = np.ones(cells.num_rows, np.bool_)
    left[kept] = False  # a search for what is not there holds Python's lock for seconds where rows are many
    rest = np.flatnonzero(left)
    rows = cells.take(pa.array(np.concatenate([kept, rest])))
    return replace(as_read, get=rows.column), table.take(order, table.schema)
