"""A source with its rows in an order of their content, so that nothing made from it depends on how they lay.

Knows sources and tables. Law: two sources with the same rows give the same batches, up to columns that are
left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Table
from tallystick.evaluate import large

if TYPE_CHECKING:
    from tallystick.contracts import Source
    from tallystick.data.source.frames import FrameSource

LEAST, TAKEN = 1 << 8, 1 << 16  # rows that are looked for at once
PIECES = 2  # they take about as much as so many pieces of a source


def row_of(source: FrameSource, number: int) -> dict[str, str | None]:
    """Return one row as texts, None where there is nothing, or nothing that has a text: lists, structs."""
    return {name: _text_of(source.get(j).slice(number, 1)) for j, name in enumerate(source.columns)}


def _text_of(cell: Any) -> str | None:
    """Return the text of a column of one cell."""
    import pyarrow as pa

    try:
        if pa.types.is_dictionary(cell.type):
            cell = cell.cast(cell.type.value_type)
        return None if pa.types.is_binary(cell.type) else cell.cast(pa.string())[0].as_py()
    except pa.ArrowException:  # of a column that no model can have: it was left out
        return None


def ordered(source: Source, read: Callable[[Any], Table], budget: int = 0) -> tuple[FrameSource, Table]:
    """Return the rows of a source in the order of the hashes of what they hold, and their table in that
    order; rows without a target come last, and are in the source alone.

    The source is read once; `read` encodes what it held. budget: the bytes of memory to work in, where the
    cells wait on disk; 0: they are held in memory.
    """
    import pyarrow as pa

    from tallystick.data.source import mapped_rows
    from tallystick.data.source.alike import one_table
    from tallystick.data.source.frames import FrameSource
    from tallystick.data.source.size import piece, within

    batches = (within(source, budget) if budget else source).batches()
    names = source.columns
    cells = mapped_rows.on_disk(batches, names) if budget else one_table(batches, names, joins=True)
    as_read = FrameSource(
        source.name,
        names,
        cells.num_rows,
        cells.column,
        source.notes,
        source.reading,
        typed=source.typed,
        form=source.form,
        files=source.files,
    )
    table = read(as_read)
    order = large.in_order(table.row_hashes(), table)
    most = (
        TAKEN if not budget else max(LEAST, PIECES * piece(budget) * cells.num_rows // max(cells.nbytes, 1))
    )
    numbers = _numbers(order, table, cells.num_rows, min(most, TAKEN))
    if budget:
        rows = mapped_rows.on_disk(mapped_rows.taken(cells, numbers), names)
    else:
        rows = cells.take(pa.array(np.concatenate(list(numbers))))
    return replace(as_read, get=rows.column), table.take(order, table.schema)


def _numbers(order: NDArray[np.int64], table: Table, rows: int, most: int) -> Iterator[NDArray[np.int64]]:
    """Yield the numbers in the source of all its rows, at most so many at a time: those of the table in an
    order, then the others.
    """
    left = np.ones(rows, np.bool_)  # a search for what is not there holds Python's lock for seconds
    for s in large.steps(len(order), most):
        kept = order[s] if table.kept is None else table.kept[order[s]]
        left[kept] = False
        yield kept
    for s in large.steps(rows, most):
        yield np.flatnonzero(left[s]) + s.start
