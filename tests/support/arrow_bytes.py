"""Arrow streams and files as bytes, packed or not, and such as say of themselves what is not so."""

from __future__ import annotations

import struct

import pyarrow as pa

from tallystick.io.columnar import in_stream


def packed(rows: pa.Table, codec: str | None, new=pa.ipc.new_stream) -> bytes:
    sink = pa.BufferOutputStream()
    with new(sink, rows.schema, options=pa.ipc.IpcWriteOptions(compression=codec)) as writer:
        writer.write_table(rows, max_chunksize=70)
    return sink.getvalue().to_pybytes()


def of_rows(data: bytes, rows: int) -> bytes:
    """Data of one row that says it has so many."""
    known = list(in_stream(data))[-1]
    assert known.rows == 1
    at = [i for i in range(0, len(data) - 8, 4) if data[i : i + 8] == struct.pack("<q", 1)]
    for place in at:
        changed = data[:place] + struct.pack("<q", rows) + data[place + 8 :]
        if any(held.rows != 1 for held in in_stream(changed)):
            return changed.replace(struct.pack("<qq", 1, 1), struct.pack("<qq", rows, rows))
    raise AssertionError("no place holds the number of rows")
