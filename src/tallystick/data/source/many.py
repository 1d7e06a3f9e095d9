"""Several files as one table: a list of paths, or a pattern such as part-*.csv.

Knows sources with names. Law: the order of the files means nothing; columns go by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import pyarrow as pa

from tallystick.contracts import Load, Source
from tallystick.data.schema import Note, Reading
from tallystick.data.source.arrays import batch_of
from tallystick.data.source.base import BaseSource
from tallystick.data.source.unread import carried
from tallystick.errors import DataError, some
from tallystick.files.stamp import Stamp


@dataclass(frozen=True)
class Many(BaseSource):
    """Sources of the same columns, one after the other; see `open_many`."""

    name: str
    sources: tuple[Source, ...]
    reading: Reading = field(default_factory=Reading)
    typed: bool = True  # text in every file is text for sure
    needed: int = 0
    stamps: tuple[Stamp, ...] = ()
    files: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns, in an order that some file has and that the order of files does not change."""
        return min(source.columns for source in self.sources)

    def within(self, size: int) -> Many:
        """Return the same files, read in pieces of at most about so many bytes."""
        return replace(self, sources=tuple(source.within(size) for source in self.sources))

    @property
    def notes(self) -> tuple[Note, ...]:
        """The notes of all files, each said once."""
        return tuple(dict.fromkeys(note for source in self.sources for note in source.notes))

    def streamed(self) -> Many:
        """Return the same files in small blocks, where that is possible."""
        return replace(self, sources=tuple(source.streamed() for source in self.sources))

    def each_row(self) -> Many:
        """Return the same files with a place for every row."""
        return replace(self, sources=tuple(source.each_row() for source in self.sources))

    def pieces(self) -> Iterator[Load]:
        """Yield the pieces of all files, columns in one order."""
        for source in self.sources:
            order = [source.columns.index(name) for name in self.columns]
            if order == list(range(len(order))):
                yield from source.pieces()
            else:
                yield from (_Turned(piece, order, self.columns) for piece in source.pieces())

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield all rows of all files."""
        for load in self.pieces():
            yield load()


@dataclass(frozen=True, slots=True)
class _Turned:
    """A piece whose columns stand in another order."""

    piece: Load
    order: list[int]
    names: Sequence[str]

    def __call__(self) -> pa.RecordBatch:
        """Return the rows, columns in the order of all files."""
        batch = self.piece()
        columns = [batch.column(j) for j in self.order]
        return carried(batch_of(columns, self.names, batch.num_rows), batch)

    @property
    def counted(self) -> None:
        """Its bytes are not read."""
        return

    def plain(self) -> None:
        """Its bytes have the columns in another order."""
        return


def open_many(sources: Sequence[Source], name: str) -> Source:
    """Return several sources as one; all must have the same columns."""
    first = sources[0]
    for other in sources[1:]:
        lacking = sorted(set(first.columns) - set(other.columns))
        more = sorted(set(other.columns) - set(first.columns))
        if lacking or more:
            what = f"lacks {some(lacking)}" if lacking else f"has {some(more)} too"
            raise DataError(f"{other.name} {what}, unlike {first.name}. Give all files the same columns.")
    if len(sources) == 1:
        return first
    return Many(
        name,
        tuple(sources),
        first.reading,
        typed=all(source.typed for source in sources),
        needed=sum(source.needed for source in sources),
        stamps=tuple(stamp for source in sources for stamp in source.stamps),
        files=tuple(file for source in sources for file in source.files),
    )
