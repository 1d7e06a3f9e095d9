"""Rows of a source that wait in a scratch file, as an Arrow table over it; and some of them, in any order.

Knows batches and scratch files. Knows nothing of what cells mean.
Law: the cells and their order are those that were given; what is held in memory is a few megabytes at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick.io.many_files import alike, common
from tallystick.io.scratch import ScratchFile, padded

JOINED = 4 << 20  # bytes: smaller batches are joined, since each array takes a kilobyte beside its cells


def on_disk(batches: Iterable[pa.RecordBatch], names: Sequence[str]) -> pa.Table:
    """Return batches of these columns as a table whose cells the system fetches from a scratch file as they
    are looked at.
    """
    schemas, kept = _kept(batches)
    schema = common(schemas, names, joins=True)
    _, rows = _kept(_joined(alike(batch, schema) for batch in kept))
    return pa.Table.from_batches(rows, schema)


def _kept(batches: Iterable[pa.RecordBatch]) -> tuple[list[pa.Schema], Iterator[pa.RecordBatch]]:
    """Write all batches into a scratch file; return their schemas, and the batches as they lie there."""
    file, places, schemas = ScratchFile(), list[tuple[int, int]](), dict[pa.Schema, None]()
    for batch in batches:  # none is held: what a batch shows may be a small part of what it holds on to
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        places.append((padded(file.size), sink.tell()))
        file.append(bytes(places[-1][0] - file.size), sink.getvalue())
        schemas[batch.schema] = None
    whole = pa.py_buffer(file.view())
    file.close()
    lying = (pa.ipc.open_stream(whole.slice(at, size)).read_next_batch() for at, size in places)
    return list(schemas), lying


def _joined(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the same rows in fewer batches."""
    waiting, size = list[pa.RecordBatch](), 0
    for batch in batches:
        waiting.append(batch)
        size += batch.nbytes
        if size >= JOINED:
            yield from _one(waiting).to_batches()
            waiting, size = [], 0
    if waiting:
        yield from _one(waiting).to_batches() or waiting[:1]  # without rows there is the schema


def _one(batches: list[pa.RecordBatch]) -> pa.Table:
    """Return batches as a table of one piece."""
    return pa.Table.from_batches(batches).unify_dictionaries().combine_chunks()


def taken(cells: pa.Table, parts: Iterable[NDArray[np.int64]]) -> Iterator[pa.RecordBatch]:
    """Yield the rows with the numbers of each part, in their order.

    Taken batch by batch: Arrow's own way to take rows of a table puts all its batches together first.
    """
    batches = cells.to_batches()
    starts = np.cumsum([0, *(batch.num_rows for batch in batches)])[:-1]
    for rows in parts:
        if not len(rows):
            continue
        at = np.searchsorted(starts, rows, "right") - 1
        order = np.argsort(at, kind="stable")
        own, first = np.unique(at[order], return_index=True)
        found = [
            batches[b].take(pa.array(rows[some] - starts[b]))
            for b, some in zip(own.tolist(), np.split(order, first[1:]), strict=True)
        ]
        back = np.empty(len(rows), np.int64)
        back[order] = np.arange(len(rows))
        yield from _one(found).take(pa.array(back)).to_batches()
