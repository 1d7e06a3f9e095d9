"""Batches of one source as one table, though files may hold a column in different types.

Knows Arrow types. Knows nothing of what cells mean.
Law: the cells are those that were given; only their type may be another, and only where batches differ or a
dictionary has narrow codes, which those of others may not fit into. Where no type holds all, cells are texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import pyarrow as pa
import pyarrow.compute as pc

from tallystick.contracts import Load, Source
from tallystick.errors import DataError, shown, some
from tallystick.files import Stamp
from tallystick.io.csv_repair import carried
from tallystick.io.frames import FAILURES, as_texts, batch_of
from tallystick.io.source import BaseSource
from tallystick.schema import Note, Reading


def no_rows(names: Sequence[str]) -> pa.RecordBatch:
    """Return a batch of these columns without a row."""
    return pa.RecordBatch.from_arrays([pa.nulls(0, pa.string())] * len(names), names=list(names))


def one_table(batches: Iterable[pa.RecordBatch], names: Sequence[str], joins: bool = False) -> pa.Table:
    """Return all batches of a source with these columns as one table; joins: see `common`."""
    given = list(batches)
    schema = common([batch.schema for batch in given], names, joins)
    return pa.Table.from_batches([alike(batch, schema) for batch in given], schema)


def common(schemas: Sequence[pa.Schema], names: Sequence[str], joins: bool) -> pa.Schema:
    """Return the one schema that batches of these schemas can have; without any, that of no rows.

    joins: dictionaries will become one, which may have more values than a narrow code can tell apart.
    """
    several = list(dict.fromkeys(schema.remove_metadata() for schema in schemas)) or [no_rows(names).schema]
    types = (dict.fromkeys(own) for own in zip(*(schema.types for schema in several), strict=True))
    return pa.schema([(name, _one_type(own, joins)) for name, own in zip(names, types, strict=True)])


def _one_type(types: Iterable[pa.DataType], joins: bool) -> pa.DataType:
    """Return a type for the cells of all these types."""
    several = list(dict.fromkeys(map(_wide, types) if joins else types))
    if len(several) == 1:
        return several[0]
    try:
        schemas = [pa.schema([("", kind)]) for kind in several]
        return pa.unify_schemas(schemas, promote_options="permissive").field(0).type
    except pa.ArrowException:
        return pa.large_string()


def _wide(kind: pa.DataType) -> pa.DataType:
    """Return a type whose arrays Arrow can join and take rows of: that of the same cells in plain texts, in a
    dictionary with codes for any number of values, or not encoded by runs; another as it is.
    """
    if pa.types.is_run_end_encoded(kind):
        return _wide(kind.value_type)
    if pa.types.is_string_view(kind):
        return pa.large_string()
    if pa.types.is_binary_view(kind):
        return pa.large_binary()
    if pa.types.is_dictionary(kind):
        return pa.dictionary(pa.int32(), _wide(kind.value_type), kind.ordered)
    return kind


def alike(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Return a batch in this schema."""
    if batch.schema.equals(schema):
        return batch
    cells = [_cast(own, field) for own, field in zip(batch.columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(cells, schema=schema)


def _cast(cells: pa.Array, field: pa.Field) -> pa.Array:
    """Return the cells in the type of a field."""
    own, wanted = cells.type, field.type
    if own.equals(wanted):
        return cells
    try:
        if pa.types.is_dictionary(own) and pa.types.is_dictionary(wanted):
            codes, values = cells.indices.cast(wanted.index_type), cells.dictionary.cast(wanted.value_type)
            return pa.DictionaryArray.from_arrays(codes, values, ordered=wanted.ordered)
        plain = _plain(cells)
        if wanted.equals(pa.large_string()) and "string" not in str(plain.type):
            return as_texts(plain.to_pylist(), field.name)
        return plain.cast(wanted)
    except DataError:  # it is among FAILURES, and says what is wrong
        raise
    except FAILURES as error:
        raise DataError(
            f"column {shown(field.name)} is of type {shown(own)} in some rows, {shown(wanted)} would be that "
            "of all, and not every cell is the same in it. Give the column one type in all files."
        ) from error


def _plain(cells: pa.Array) -> pa.Array:
    """Return the cells one by one, though they are encoded."""
    if pa.types.is_dictionary(cells.type):
        return cells.dictionary_decode()
    return pc.run_end_decode(cells) if pa.types.is_run_end_encoded(cells.type) else cells


# Several files as one table: a list of paths, or a pattern such as part-*.csv.
#
# Knows sources with names. Law: the order of the files means nothing; columns go by name.


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
