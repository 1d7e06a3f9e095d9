"""Several files as one table: a list of paths, or a pattern such as part-*.csv.

Knows sources with names. Law: the order of the files means nothing; columns go by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import pyarrow as pa

from tallystick.contracts import Source
from tallystick.data.schema import Note, Reading
from tallystick.data.source.stamp import Stamp
from tallystick.data.source.unread import carried
from tallystick.errors import DataError, some


@dataclass(frozen=True)
class Many:
    """Sources of the same columns, one after the other."""

    name: str
    sources: tuple[Source, ...]
    reading: Reading = field(default_factory=Reading)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns, in an order that some file has and that the order of files does not change."""
        return min(source.columns for source in self.sources)

    @property
    def typed(self) -> bool:
        """Is text in every file text for sure?"""
        return all(getattr(source, "typed", True) for source in self.sources)

    @property
    def needed(self) -> int:
        """Bytes of memory for the whole table, about."""
        return sum(getattr(source, "needed", 0) for source in self.sources)

    @property
    def stamps(self) -> tuple[Stamp, ...]:
        """The files as they were."""
        return tuple(stamp for source in self.sources for stamp in getattr(source, "stamps", ()))

    @property
    def files(self) -> tuple[str, ...]:
        """What queries among them read."""
        return tuple(file for source in self.sources for file in getattr(source, "files", ()))

    def within(self, size: int) -> Many:
        """Return the same files, read in pieces of at most about so many bytes."""
        smaller = (source.within(size) if hasattr(source, "within") else source for source in self.sources)
        return replace(self, sources=tuple(smaller))

    @property
    def notes(self) -> tuple[Note, ...]:
        """The notes of all files, each said once."""
        return tuple(dict.fromkeys(note for source in self.sources for note in source.notes))

    def streamed(self) -> Many:
        """Return the same files in small blocks, where they can be had."""
        sources = [source.streamed() if hasattr(source, "streamed") else source for source in self.sources]
        return replace(self, sources=tuple(sources))

    def each_row(self) -> Many:
        """Return the same files with a place for every row."""
        sources = [source.each_row() if hasattr(source, "each_row") else source for source in self.sources]
        return replace(self, sources=tuple(sources))

    def pieces(self) -> Iterator[Callable[[], pa.RecordBatch]]:
        """Yield callables that each give some rows, columns in one order."""
        for source in self.sources:
            order = [source.columns.index(name) for name in self.columns]
            loads = (
                source.pieces()
                if hasattr(source, "pieces")
                else (partial(_same, b) for b in source.batches())
            )
            if order == list(range(len(order))):
                yield from loads
                continue
            for load in loads:
                yield partial(_ordered, load, order, self.columns)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield all rows of all files."""
        for load in self.pieces():
            yield load()


def _same(batch: pa.RecordBatch) -> pa.RecordBatch:
    return batch


def _ordered(load: Callable[[], pa.RecordBatch], order: list[int], names: Sequence[str]) -> pa.RecordBatch:
    batch = load()
    return carried(pa.RecordBatch.from_arrays([batch.column(j) for j in order], names=list(names)), batch)


def open_many(sources: Sequence[Source], name: str) -> Source:
    """Return several sources as one; all must have the same columns."""
    first = sources[0]
    for other in sources[1:]:
        lacking = sorted(set(first.columns) - set(other.columns))
        more = sorted(set(other.columns) - set(first.columns))
        if lacking or more:
            what = f"lacks {some(lacking)}" if lacking else f"has {some(more)} too"
            raise DataError(f"{other.name} {what}, unlike {first.name}. Give all files the same columns.")
    return first if len(sources) == 1 else Many(name, tuple(sources), getattr(first, "reading", Reading()))
