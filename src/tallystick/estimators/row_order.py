"""A source with its rows in an order of their content, so that nothing made from it depends on how they lay.

Knows sources and tables. Law: two sources with the same rows give the same batches, up to columns that are
left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tallystick.data.schema import Note, Reading
from tallystick.data.table.table import Table
from tallystick.files.apart import files_of

if TYPE_CHECKING:
    import pyarrow as pa

    from tallystick.contracts import Source


@dataclass(frozen=True)
class Ordered:
    """Rows in memory, in the order of the hashes of what they hold; rows without a target come last."""

    name: str
    columns: tuple[str, ...]
    cells: pa.Table
    notes: tuple[Note, ...]
    reading: Reading
    typed: bool
    form: str = ""
    files: tuple[str, ...] = ()

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield all rows."""
        yield from self.cells.to_batches(max_chunksize=65_536)

    def row(self, number: int) -> dict[str, str | None]:
        """Return one row as texts, None where there is nothing."""
        import pyarrow as pa

        out: dict[str, str | None] = {}
        for name, column in zip(self.columns, self.cells.columns, strict=True):
            cell = column.slice(number, 1)
            if pa.types.is_dictionary(cell.type):
                cell = cell.cast(cell.type.value_type)
            value = cell.cast(pa.string())[0].as_py() if not pa.types.is_binary(cell.type) else None
            out[name] = value
        return out


def ordered(source: Source, read: Callable[[Any], Table]) -> tuple[Ordered, Table]:
    """Return the rows of a source in the order of their content, and their table in that order.

    The source is read once; `read` encodes what it held.
    """
    import pyarrow as pa

    cells = pa.Table.from_batches(list(source.batches()))
    as_read = Ordered(
        source.name,
        source.columns,
        cells,
        source.notes,
        getattr(source, "reading", Reading()),
        getattr(source, "typed", True),
        getattr(source, "form", ""),
        tuple(files_of(source)),
    )
    table = read(as_read)
    order = np.argsort(table.row_hashes(), kind="stable")
    kept = order if table.kept is None else table.kept[order]
    rest = np.setdiff1d(np.arange(cells.num_rows), kept)
    rows = cells.take(pa.array(np.concatenate([kept, rest])))
    return replace(as_read, cells=rows), table.take(order, table.schema)
