"""Some rows of a table, encoded; and the same as one run of bytes, which travels and is kept where rows are
far away.

Knows arrays and their types. Knows nothing of where rows come from, nor of who keeps the bytes.
Law: `unpack(pack(block))` is the block, bit for bit; numbers lie in the narrowest type that holds them all
exactly, and everything but those is read as a view of the bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick.kernels.check import code_dtype

MARK = b"tally block 1\n"
ALIGNED = 16  # bytes: an array begins where every type may begin
NARROW = ("int8", "int16", "float32")  # tried in this order for numbers
OWN = ("classes", "response", "weights")


def code_type(levels: int) -> type[np.unsignedinteger[Any]]:
    """Return the smallest unsigned type that holds the codes of so many levels, of missing and of unseen."""
    return code_dtype(levels + 2)


def class_type(labels: int) -> type[np.unsignedinteger[Any]]:
    """Return the smallest unsigned type that holds so many classes."""
    return code_dtype(labels)


def classes_of(rows: Any) -> NDArray[Any]:
    """Return classes[row] of a block or a table; rows without a target are all of one class."""
    return np.zeros(rows.rows, np.uint8) if rows.classes is None else rows.classes


def rows_counted(weights: NDArray[np.int64] | None, rows: int, unit: int) -> int:
    """Return how many rows there are where rows are counted: whole weights are copies, others are not."""
    return rows if weights is None or unit != 1 else int(weights.sum())


def row_unit(weight: int, counted: int, unit: int) -> int:
    """Return what one row weighs where rows are counted, in units of the table: 1 where weights are copies;
    else the mean weight, because weights that are not whole only say how rows compare.
    """
    return unit if unit == 1 else max(weight // max(counted, 1), 1)


class WordCounts(NamedTuple):
    """Words of rows: row r has the entries starts[r]:starts[r + 1] of words[entry] and counts[entry].

    Words rise within a row; the number after the last of the vocabulary stands for all other words.
    """

    starts: NDArray[np.int64]
    words: NDArray[np.uint32]
    counts: NDArray[np.uint32]


def join_words(parts: Sequence[WordCounts]) -> WordCounts:
    """Return the words of rows in several parts, one after the other."""
    ends = np.cumsum([0, *(part.starts[-1] for part in parts)])
    starts = [part.starts[1:] + end for part, end in zip(parts, ends, strict=False)]
    return WordCounts(
        np.concatenate([np.zeros(1, np.int64), *starts]),
        np.concatenate([part.words for part in parts]),
        np.concatenate([part.counts for part in parts]),
    )


@dataclass(frozen=True)
class Block:
    """Some rows of a table as views; see contracts.Block.

    memo: what a statistic that asks the same rows many times keeps of them.
    """

    rows: int
    columns: Mapping[str, Any]
    classes: NDArray[Any] | None = None
    response: NDArray[np.float64] | None = None
    weights: NDArray[np.int64] | None = None
    memo: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def codes(self, column: str) -> NDArray[Any]:
        """Return the codes of a levels, ordered or boolean column."""
        return self.columns[column]  # type: ignore[no-any-return]

    def values(self, column: str) -> NDArray[np.float64]:
        """Return the values of a numeric column."""
        return self.columns[column]  # type: ignore[no-any-return]

    def words(self, column: str) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.uint32]]:
        """Return the word counts of a text column as (starts, word, count)."""
        return self.columns[column]  # type: ignore[no-any-return]


def together(blocks: list[Block]) -> Block:
    """Return blocks as one."""

    def join(arrays: list[Any]) -> Any:
        if isinstance(arrays[0], WordCounts):
            return join_words(arrays)
        return None if arrays[0] is None else np.concatenate(arrays)

    if len(blocks) == 1:
        return blocks[0]
    columns = {name: join([b.columns[name] for b in blocks]) for name in blocks[0].columns}
    own = (join([getattr(b, name) for b in blocks]) for name in OWN)
    return Block(sum(b.rows for b in blocks), columns, *own)


# ---- packed ----


def pack(block: Block) -> bytes:
    """Return the block as bytes."""
    listed: list[tuple[str, str, NDArray[Any]]] = []  # what it is, name, array
    for name, data in block.columns.items():
        if isinstance(data, tuple):
            listed += [("words", name, array) for array in data]
        elif data.dtype == np.float64:
            listed.append(("values", name, narrow(data)))
        else:
            listed.append(("codes", name, data))
    for name in OWN:
        array = getattr(block, name)
        if array is not None:
            listed.append((name, "", narrow(array) if name == "response" else array))
    return join(block.rows, listed)


def join(rows: int, listed: list[tuple[str, str, NDArray[Any]]]) -> bytes:
    """Return the header and the arrays, each at a place its type may begin."""
    entries, parts, place = [], [], 0
    for what, name, array in listed:
        data = np.ascontiguousarray(array)
        entries.append([what, name, data.dtype.str, place, len(data)])
        gap = -data.nbytes % ALIGNED
        parts += [data.data.cast("B") if data.nbytes else b"", bytes(gap)]
        place += data.nbytes + gap
    head = json.dumps({"arrays": entries, "rows": rows}).encode()
    start = MARK + len(head).to_bytes(4, "little")
    gap = -(len(start) + len(head)) % ALIGNED
    return b"".join([start, head, b" " * gap, *parts])


def unpack(data: bytes, as_sent: bool = False) -> Block:
    """Return the block whose bytes these are; as_sent: its columns of numbers in the type they were sent in,
    as views.
    """
    first = len(MARK) + 4
    if data[: len(MARK)] != MARK:
        raise ValueError("these bytes are not a packed block")
    size = int.from_bytes(data[len(MARK) : first], "little")
    head = json.loads(data[first : first + size])
    start = first + size + (-(first + size) % ALIGNED)
    columns: dict[str, Any] = {}
    own: dict[str, Any] = {}
    for what, name, kind, place, count in head["arrays"]:
        array = np.frombuffer(data, kind, count, start + place)
        if what in OWN:
            own[what] = wide(array) if what == "response" else array
        elif what == "words":
            columns.setdefault(name, []).append(array)
        else:
            columns[name] = wide(array) if what == "values" and not as_sent else array
    for name, found in columns.items():
        if isinstance(found, list):
            columns[name] = WordCounts(*found)
    return Block(head["rows"], columns, own.get("classes"), own.get("response"), own.get("weights"))


def narrow(values: NDArray[np.float64]) -> NDArray[Any]:
    """Return the numbers in the narrowest type that gives back every bit of them."""
    values = np.ascontiguousarray(values)
    bits = values.view(np.int64)
    some = slice(0, 64)  # the first rows settle most columns
    for kind in NARROW:
        with np.errstate(invalid="ignore", over="ignore"):
            if not np.array_equal(values[some].astype(kind).astype(np.float64).view(np.int64), bits[some]):
                continue
            small = values.astype(kind)
            if np.array_equal(small.astype(np.float64).view(np.int64), bits):
                return small
    return values


def wide(array: NDArray[Any]) -> NDArray[np.float64]:
    """Return numbers as doubles; doubles as they are."""
    return array if array.dtype == np.float64 else array.astype(np.float64)
