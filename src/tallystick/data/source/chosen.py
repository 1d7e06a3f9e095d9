"""Some columns of a source, in the order in which the source has them.

Knows sources. Law: a table read from it is the one read from the same columns alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tallystick.contracts import Source
from tallystick.data.source.base import BaseSource
from tallystick.errors import DataError, nearest, shown

if TYPE_CHECKING:
    import pyarrow as pa


class ChosenColumns(BaseSource):
    """A source that hands out some columns of another."""

    def __init__(self, source: Source, names: Sequence[str]) -> None:
        for name in names:
            if name not in source.columns:
                raise DataError(
                    f"there is no column {shown(name)} in {source.name}.{nearest(name, source.columns)}"
                )
        self.source = source
        self.name, self.notes = source.name, source.notes
        self.columns = tuple(name for name in source.columns if name in set(names))
        self.reading, self.typed, self.needed = source.reading, source.typed, source.needed
        self.stamps, self.files = source.stamps, source.files

    @property
    def form(self) -> str:
        """How a file is read, in words."""
        return self.source.form

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield all rows once."""
        for batch in self.source.batches():
            yield batch.select(list(self.columns))

    def within(self, size: int) -> ChosenColumns:
        """Return the same columns in pieces of at most about so many bytes."""
        return ChosenColumns(self.source.within(size), self.columns)

    def streamed(self) -> ChosenColumns:
        """Return the same columns in small pieces."""
        return ChosenColumns(self.source.streamed(), self.columns)

    def each_row(self) -> ChosenColumns:
        """Return the same columns with a place for every row."""
        return ChosenColumns(self.source.each_row(), self.columns)
