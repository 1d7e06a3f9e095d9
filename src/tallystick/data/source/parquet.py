"""Parquet files: rows a batch at a time, a text that repeats held once.

Knows pyarrow's reader. Knows nothing of cells.
Laws: memory goes with the bytes that the file says it holds, not with how often a text repeats; the file is
read, never mapped, so that one cut short meanwhile is an error and not a crash.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tallystick.data.schema import Reading
from tallystick.data.source.frames import Stream
from tallystick.data.source.names import clean_names
from tallystick.data.source.size import needed
from tallystick.data.source.stream import cannot_read
from tallystick.data.source.unpacked import in_parts
from tallystick.errors import DataError, shown
from tallystick.files.stamp import Stamp

BATCH = 65_536  # rows at most
BYTES = 1 << 26  # of a batch, about


def open_parquet(path: str, reading: Reading, where: str) -> Stream:
    """Open a Parquet file."""
    stamp = Stamp.of(path, where)
    with _told(where):
        file = pq.ParquetFile(path)
        schema, count = file.schema_arrow, file.metadata.num_rows
        texts, per_row = _repeating(file.metadata, schema), _bytes_per_row(file.metadata)
        file.close()
    names, notes = clean_names(schema.names, where)
    numbers = sum(1 for t in schema.types if pa.types.is_primitive(t) and not pa.types.is_boolean(t))
    size = needed(count, numbers, len(names) - numbers)

    def walk(rows: int, limit: int, threads: bool) -> Iterator[pa.RecordBatch]:
        more: dict[str, Any] = {} if threads else {"pre_buffer": False, "buffer_size": 1 << 16}
        seen = 0
        with _told(where), pq.ParquetFile(path, read_dictionary=texts, **more) as file:
            for batch in file.iter_batches(rows, use_threads=threads):
                seen += batch.num_rows
                yield from in_parts(batch, limit)
        if seen != count:  # of a file cut short meanwhile, the reader may say nothing
            raise DataError(f"{where} gave {seen:,} of its {count:,} rows. Write it again.")

    def sized(size: int) -> Callable[[], Iterator[pa.RecordBatch]]:
        return partial(walk, _rows(size, max(per_row, 8 * len(names))), 8 * size, False)

    whole = partial(walk, _rows(BYTES, per_row), BYTES, True)
    return Stream(
        where, names, whole, notes, reading, needed=size, stamps=(stamp,), files=(path,), sized=sized
    )


def _rows(size: int, per_row: int) -> int:
    """Return how many rows make a batch of about so many bytes."""
    return max(64, min(BATCH, size // max(per_row, 1)))


def _bytes_per_row(metadata: Any) -> int:
    """Return the bytes of a row, as the file tells them; a text that repeats counts once."""
    groups = (metadata.row_group(i) for i in range(metadata.num_row_groups))
    return int(max((group.total_byte_size // max(group.num_rows, 1) for group in groups), default=0))


def _repeating(metadata: Any, schema: pa.Schema) -> list[str]:
    """Return the columns of texts that the file holds once and names by number: they are read so."""
    wanted = {f.name for f in schema if pa.types.is_string(f.type) or pa.types.is_large_string(f.type)}
    found = set[str]()
    for i in range(metadata.num_row_groups):
        group = metadata.row_group(i)
        for j in range(group.num_columns):
            column = group.column(j)
            if column.path_in_schema in wanted and column.has_dictionary_page:
                found.add(column.path_in_schema)
    return sorted(found)


class _told:  # noqa: N801  used as a function is
    """Reads in a block; what the reader fails at becomes one line."""

    def __init__(self, where: str) -> None:
        self.where = where

    def __enter__(self) -> None:
        """Begin to read."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Say what failed."""
        if isinstance(error, pa.ArrowInvalid | pa.ArrowNotImplementedError):
            raise DataError(
                f"{self.where} is a damaged Parquet file: {shown(error, 120)}. Write it again."
            ) from None
        if isinstance(error, OSError):
            raise cannot_read(self.where, error) from None
