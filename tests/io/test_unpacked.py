"""What Arrow data holds unpacked, seen before it is unpacked."""

from __future__ import annotations

import contextlib

import numpy as np
import pyarrow as pa
import pytest
from arrow_bytes import of_rows, packed

import tallystick as ts
from tallystick.errors import DataError
from tallystick.io.columnar import in_file, in_parts, in_stream, written

TEXT = "x" * 3_000
CODECS = [None, "lz4", "zstd"]


def table() -> pa.Table:
    texts = pa.array([TEXT, None, "b", TEXT] * 50)
    return pa.table(
        {
            "number": pa.array(np.zeros(200)),
            "text": texts,
            "code": texts.dictionary_encode(),
            "yes": pa.array([True, None] * 100),
            "none": pa.nulls(200),
            "list": pa.array([[1, 2], []] * 100),
        }
    )


@pytest.mark.parametrize("codec", CODECS)
def test_no_message_becomes_larger_than_it_was_seen_to_be(codec):
    data = packed(table(), codec)
    seen = [held for held in in_stream(data) if held.is_batch]
    made = list(pa.ipc.open_stream(data))
    assert [held.rows for held in seen] == [batch.num_rows for batch in made] == [70, 70, 60]
    for held, batch in zip(seen, made, strict=True):
        bare = [c.indices if pa.types.is_dictionary(c.type) else c for c in batch.columns]
        assert sum(buffer.size for c in bare for buffer in c.buffers() if buffer) <= held.size
    (dictionary,) = [held for held in in_stream(data) if not held.is_batch]
    assert dictionary.size >= len(TEXT) + 1


@pytest.mark.parametrize("codec", CODECS)
def test_a_file_holds_what_its_stream_holds(codec):
    file = pa.BufferReader(packed(table(), codec, pa.ipc.new_file))
    assert sorted(map(str, in_file(file))) == sorted(map(str, in_stream(packed(table(), codec))))


SHARED = {
    "dictionary": lambda texts: texts.dictionary_encode(),
    "view": lambda texts: texts.cast(pa.string_view()),
    "runs": lambda texts: pa.RunEndEncodedArray.from_arrays(pa.array([len(texts)], pa.int32()), texts[:1]),
}


@pytest.mark.parametrize("form", SHARED)
def test_a_text_of_many_rows_counts_in_each(form):
    cells = SHARED[form](pa.array([TEXT, TEXT] * 500))
    assert written(cells) == 1_000 * len(TEXT)
    assert written(cells[250:750]) == 500 * len(TEXT)
    parts = list(in_parts(pa.record_batch([cells], names=["t"]), 100 * len(TEXT)))
    assert [part.num_rows for part in parts] == [100] * 10
    assert written(pa.array([TEXT] * 1_000)) == 0  # lies there a thousand times


def test_rows_without_a_byte_are_counted_as_rows():
    bare = pa.table({"a": pa.nulls(1), "y": pa.nulls(1)})
    (held,) = in_stream(of_rows(packed(bare, None), 10**12))
    assert (held.rows, held.size) == (10**12, 0)
    (held,) = in_stream(of_rows(packed(bare, None), -5))
    assert held.rows == 0


@pytest.mark.slow
def test_a_file_that_swells_is_refused_before_it_is_read(tmp_path):
    rows = pa.table({"x": np.zeros(40_000_000), "y": pa.nulls(40_000_000)})
    path = tmp_path / "x.arrow"
    with pa.OSFile(str(path), "wb") as sink:
        options = pa.ipc.IpcWriteOptions(compression="zstd")
        with pa.ipc.new_file(sink, rows.schema, options=options) as writer:
            writer.write_table(rows)
    with pytest.raises(DataError, match=r"unpacks to 305 MiB.*unpack=True"):
        ts.read(path)
    assert ts.read(path, unpack=True).columns == ("x", "y")


@pytest.mark.slow
def test_a_damaged_file_is_an_error_wherever_it_is_damaged(tmp_path):
    data = packed(table(), "lz4", pa.ipc.new_file)
    path = tmp_path / "x.arrow"
    for at in range(8, len(data), 11):
        for byte in (0, 255):
            path.write_bytes(data[:at] + bytes([byte]) + data[at + 1 :])
            with contextlib.suppress(DataError):
                for batch in ts.read(path).batches():
                    batch.validate()
