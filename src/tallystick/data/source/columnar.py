"""Arrow files (Feather) and ORC files: batches as they were written.

Knows pyarrow's readers. Knows nothing of cells.
Law: the file is read, never mapped, so that one cut short meanwhile is an error and not a crash.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator
from functools import partial

import pyarrow as pa

from tallystick.data.schema import Reading
from tallystick.data.source.bytes import refuse_swollen
from tallystick.data.source.frames import BATCH, Stream
from tallystick.data.source.names import clean_names
from tallystick.data.source.unpacked import in_file, in_parts
from tallystick.errors import DataError, shown
from tallystick.files.stamp import Stamp

BYTES = 1 << 26  # of the texts of a batch, written out


def _arrow_batches(path: str) -> Iterator[pa.RecordBatch]:
    with pa.OSFile(path) as file, pa.ipc.open_file(file) as reader:
        for number in range(reader.num_record_batches):
            yield reader.get_batch(number)


def _arrow_schema(path: str) -> tuple[pa.Schema, int]:
    """Return the schema, and what the file holds unpacked: bytes, or rows where those take none."""
    with pa.OSFile(path) as file, pa.ipc.open_file(file) as reader:
        return reader.schema, sum(max(held.size, held.rows) for held in in_file(file))


def _orc_batches(path: str) -> Iterator[pa.RecordBatch]:
    from pyarrow import orc

    with pa.OSFile(path) as file:
        reader = orc.ORCFile(file)
        for number in range(reader.nstripes):
            yield reader.read_stripe(number)


def _orc_schema(path: str) -> tuple[pa.Schema, int]:
    from pyarrow import orc

    with pa.OSFile(path) as file:
        reader = orc.ORCFile(file)
        return reader.schema, reader.nrows


def _opened(
    what: str,
    schema_of: Callable[[str], tuple[pa.Schema, int]],
    batches_of: Callable[[str], Iterator[pa.RecordBatch]],
    path: str,
    reading: Reading,
    where: str,
) -> Stream:
    def wrong(error: Exception) -> DataError:
        return DataError(f"{where} is a damaged {what} file: {shown(error, 200)}. Write it again.")

    def walk() -> Iterator[pa.RecordBatch]:
        try:
            for batch in batches_of(path):
                batch.validate()  # that its texts lie where they can be measured
                for start in range(0, batch.num_rows, BATCH):
                    yield from in_parts(batch.slice(start, BATCH), BYTES)
        except (pa.ArrowException, OSError) as error:
            raise wrong(error) from error

    stamp = Stamp.of(path, where)
    try:
        schema, size = schema_of(path)
        given = schema.names
    except (pa.ArrowException, OSError, struct.error, IndexError, UnicodeDecodeError) as error:
        raise wrong(error) from error
    refuse_swollen(os.path.getsize(path), size, reading, where)
    names, notes = clean_names(given, where)
    return Stream(where, names, walk, notes, reading, stamps=(stamp,), files=(path,))


open_arrow = partial(_opened, "Arrow", _arrow_schema, _arrow_batches)
open_orc = partial(_opened, "ORC", _orc_schema, _orc_batches)
