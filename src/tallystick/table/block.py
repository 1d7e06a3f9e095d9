"""Blocks: encoded rows, their packed bytes, content hashes of rows, and equal rows of different classes.

- `RowBlock`, `WordCounts`: some rows of a table, encoded. Entry: `RowBlock`.
- `pack()`, `unpack()`: a block as bytes. Law: `unpack(pack(block))` is the block, bit for bit; numbers have
  the narrowest type that is exact for all of them, and other arrays are views of the bytes.
- `Hasher`: hashes of rows and fingerprints. `conflicts()`: the error that no model can avoid.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block, Table
from tallystick.kernels.check import code_dtype
from tallystick.schema import Column, Schema

MARK = b"tally block 1\n"
ALIGNED = 16  # bytes: arrays begin at multiples of it, as any type may
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
class RowBlock:
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


def together(blocks: list[RowBlock]) -> RowBlock:
    """Return blocks as one."""

    def join(arrays: list[Any]) -> Any:
        if isinstance(arrays[0], WordCounts):
            return join_words(arrays)
        return None if arrays[0] is None else np.concatenate(arrays)

    if len(blocks) == 1:
        return blocks[0]
    columns = {name: join([b.columns[name] for b in blocks]) for name in blocks[0].columns}
    own = (join([getattr(b, name) for b in blocks]) for name in OWN)
    return RowBlock(sum(b.rows for b in blocks), columns, *own)


# ---- a block as bytes ----


def pack(block: RowBlock) -> bytes:
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


def unpack(data: bytes, as_sent: bool = False) -> RowBlock:
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
    return RowBlock(head["rows"], columns, own.get("classes"), own.get("response"), own.get("weights"))


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


# ---- content hashes: equal rows have equal hashes in any container, order or partition ----
# Law: a row's hash is a function of its (column name, value) pairs, summed over columns; the fingerprint of
# rows is the sum of hash times weight. In fingerprints numbers have a quicker hash, their prints, as every
# table that is fitted needs one.

Hashes = NDArray[np.uint64]
Key = tuple[int, int]
Weights = NDArray[np.int64]
Weighed = tuple[Hashes, NDArray[Any], Weights]  # hashes, classes and weights [row]
Unlabelled = tuple[Hashes, NDArray[Any], Weights | None]
STEP = 1 << 16  # rows hashed at once
ROW_BYTES = 128  # bytes per row of the search for equal rows
FEW_TEXTS = 16  # texts, up to which hashing one by one is faster
NO_TABLE: Hashes = np.empty((2, 0), np.uint64)  # numbers need none


class Hasher:
    """The tables that turn the codes of a schema into hashes; made once for many blocks."""

    def __init__(self, schema: Schema) -> None:
        keys = dict(schema.keys)
        keyed = [(c, _key(keys.get(c.name, c.name))) for c in schema.used]
        self.columns = [(c, key, NO_TABLE if c.kind == "numeric" else _table(c, key)) for c, key in keyed]
        self.target = schema.target
        if schema.target is not None:
            self.target_key = _key(keys.get(schema.target.name, schema.target.name))
            self.labels = _hash_texts(schema.target.labels, self.target_key)

    def rows(self, block: Block) -> Hashes:
        """Return hashes[row] of the rows' content, target included, weights not; for folds and copies."""
        coded, numeric = self._codes(block), self._numbers(block)
        hashes = self._others(block, coded)
        narrow = [(codes, table) for codes, table in coded if codes.dtype == np.uint8]
        kernels.add_joint_hashes(hashes, [codes for codes, _ in narrow], [table for _, table in narrow])
        for values, key in numeric:
            kernels.add_double_hashes(hashes, values, key)
        kernels.mix_hashes(hashes)
        first: Hashes = hashes[0]
        return first

    def total(self, block: Block) -> int:
        """Return the sum over rows of hash times weight, modulo 2^128. Numbers go in by their prints."""
        return self.total_and_least(block, 0)[0]

    def total_and_least(self, block: Block, limit: int) -> tuple[int, NDArray[np.int64], Hashes]:
        """Return the same, and the rows with hashes whose lower halves are at most a limit, with these."""
        coded, numeric = self._codes(block), self._numbers(block)
        narrow = [(codes, table) for codes, table in coded if codes.dtype == np.uint8]
        plain = len(narrow) == len(coded) and not any(c.kind == "text" for c, _, _ in self.columns)
        total, rows, hashes = kernels.hash_total(
            block.rows,
            [codes for codes, _ in narrow],
            [table for _, table in narrow],
            [values for values, _ in numeric],
            [key for _, key in numeric],
            None if plain else self._others(block, coded),
            block.weights,
            limit,
        )
        return total, np.array(rows, np.int64), np.array(hashes, np.uint64)

    def _codes(self, block: Block) -> list[tuple[NDArray[Any], Hashes]]:
        """Return codes and their hashes, of levels and classes."""
        coded = [(block.codes(c.name), t) for c, _, t in self.columns if c.kind not in ("numeric", "text")]
        if block.classes is not None:
            coded.append((block.classes, self.labels))
        return coded

    def _numbers(self, block: Block) -> list[tuple[NDArray[np.float64], Key]]:
        """Return numbers and their keys, the response among them."""
        numeric = [(block.values(c.name), key) for c, key, _ in self.columns if c.kind == "numeric"]
        if block.classes is None and block.response is not None:
            numeric.append((block.response, self.target_key))
        return numeric

    def _others(self, block: Block, coded: list[tuple[NDArray[Any], Hashes]]) -> Hashes:
        """Return hashes[lane, row] of words, and of codes that need more than 8 bits."""
        hashes = np.zeros((2, block.rows), np.uint64)
        for codes, table in coded:
            if codes.dtype != np.uint8:
                kernels.add_code_hashes(hashes, codes, table)
        for column, _, table in self.columns:
            if column.kind == "text":
                kernels.add_word_hashes(hashes, *block.words(column.name), table)
        return hashes


@lru_cache(maxsize=4_096)
def _key(name: str) -> Key:
    """Return the key of a column: fold after fold, fit after fit has the same names."""
    return kernels.hash_text(name.encode())


def _table(column: Column, key: Key) -> Hashes:
    """Return hashes[lane, code] of a column's levels, then missing and unseen; of words, then unseen."""
    return _hash_texts(column.words if column.kind == "text" else column.levels, key)


def _hash_texts(texts: Sequence[str], key: Key) -> Hashes:
    """Return hashes[lane, text], then those of missing and of unseen."""
    if len(texts) <= FEW_TEXTS:
        return _hash_few(tuple(texts), key)
    known = np.zeros((2, len(texts)), np.uint64)
    kernels.add_text_hashes(known, *kernels.join_texts(texts), None, key)
    return np.concatenate([known, np.array(_hash_ends(key), np.uint64).T], axis=1)


@lru_cache(maxsize=1_024)
def _hash_few(texts: tuple[str, ...], key: Key) -> Hashes:
    """Return the same of few texts, one by one. Cached, so never written to."""
    each = [*(kernels.hash_text(text.encode(), key) for text in texts), *_hash_ends(key)]
    return np.array(each, np.uint64).T.copy()


def _hash_ends(key: Key) -> list[Key]:
    missing = kernels.hash_missing(key)
    return [missing, kernels.hash_text(b"unseen", missing)]


# ---- equal rows of different classes, found by their hashes ----


class Conflicts(NamedTuple):
    """rows: equal in their columns but of different classes; lost: those that the best answer gets wrong."""

    rows: float
    lost: float
    total: float


def conflicts(table: Table) -> Conflicts:
    """Return how many rows are equal in all columns used and yet of different classes."""
    found = list(table.unlabelled(ConflictsAmong(len(table.schema.predicted.labels), table.unit)))
    return Conflicts(*(sum((one[i] for one in found), 0.0) for i in range(3)))


def equal_together(
    hashes: Hashes, classes: NDArray[Any], weights: Weights | None, unit: int, budget: int
) -> Iterator[Unlabelled]:
    """Yield rows in parts that a budget has room for, equal rows in one part. Of more than one part, rows
    that are equal with their class are one row of their weight: there may be too many of them.
    """
    bits = 0 if not budget else max(0, (ROW_BYTES * len(hashes) // (budget // 4)).bit_length())
    if bits == 0:
        yield hashes, classes, weights
        return
    for start in range(1 << bits):  # rows whose hashes begin alike
        steps = (slice(at, at + STEP) for at in range(0, len(hashes), STEP))
        found = ((s, np.flatnonzero(hashes[s] >> np.uint64(64 - bits) == start)) for s in steps)
        yield _joined_copies(
            (hashes[s][at], classes[s][at], np.full(len(at), unit) if weights is None else weights[s][at])
            for s, at in found
        )


def _joined_copies(parts: Iterator[Weighed]) -> Weighed:
    """Return the different rows of all parts with what equal ones weigh, never many more than these held."""
    held = [next(parts)]
    for part in parts:
        held.append(part)
        if sum(len(hashes) for hashes, *_ in held[1:]) >= max(STEP, len(held[0][0])):
            held = [_summed(held)]
    return _summed(held)


def _summed(parts: list[Weighed]) -> Weighed:
    """Return the different rows of some parts with their summed weights."""
    hashes, classes, weights = (np.concatenate(each) for each in zip(*parts, strict=True))
    order = np.lexsort((classes, hashes))
    hashes, classes = hashes[order], classes[order]
    if not len(hashes):
        return hashes, classes, weights
    starts = np.flatnonzero(np.r_[True, (hashes[1:] != hashes[:-1]) | (classes[1:] != classes[:-1])])
    return hashes[starts], classes[starts], np.add.reduceat(weights[order], starts)


@dataclass(frozen=True)
class ConflictsAmong:
    """The work of finding them in rows without their class; it can be sent to where the rows are."""

    classes: int
    unit: int

    def __call__(self, hashes: Hashes, classes: NDArray[Any], weights: NDArray[np.int64] | None) -> Conflicts:
        """Return the conflicts of some rows."""
        weight = np.ones(len(hashes)) if weights is None else weights / self.unit
        return _conflicts_of(hashes, classes, weight, self.classes)


def _conflicts_of(hashes: Hashes, classes: NDArray[Any], weight: NDArray[np.float64], k: int) -> Conflicts:
    """Return the same from the hashes of rows without their class, and their classes 0..k-1."""
    _, groups = np.unique(hashes, return_inverse=True)
    cells, place = np.unique(groups * k + classes, return_inverse=True)
    sums = np.bincount(place, weight)  # of each group and class that is there
    of = cells // k
    starts = np.flatnonzero(np.r_[True, of[1:] != of[:-1]]) if len(of) else np.empty(0, np.int64)
    if not len(starts):
        return Conflicts(0.0, 0.0, 0.0)
    every, best = np.add.reduceat(sums, starts), np.maximum.reduceat(sums, starts)
    mixed = np.diff(np.r_[starts, len(of)]) > 1
    return Conflicts(float(every[mixed].sum()), float((every - best)[mixed].sum()), float(weight.sum()))
