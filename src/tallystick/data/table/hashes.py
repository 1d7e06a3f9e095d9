"""Content hashes of rows: the same row has the same hash in any container, order or partition.

Knows encoded blocks and what their codes mean. Law: a row's hash is a function of its (column name, value)
pairs, summed over columns; the fingerprint of rows is the sum of hash times weight: no order means anything.
In fingerprints numbers have a quicker hash, their prints: every table that is learned needs one.
Equal rows of different classes are found by their hashes: the error that no model can avoid.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block, Table
from tallystick.data.schema import Column, Schema

Hashes = NDArray[np.uint64]
Key = tuple[int, int]
Weights = NDArray[np.int64]
Weighed = tuple[Hashes, NDArray[Any], Weights]  # hashes, classes and weights [row]
Unlabelled = tuple[Hashes, NDArray[Any], Weights | None]
STEP = 1 << 16  # rows looked at at once
ROW_BYTES = 128  # that the search for equal rows takes for each row looked at
FEW_TEXTS = 16  # that are hashed one by one sooner than joined
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
        coded, numeric = self._codes(block), self._numbers(block)
        narrow = [(codes, table) for codes, table in coded if codes.dtype == np.uint8]
        plain = len(narrow) == len(coded) and not any(c.kind == "text" for c, _, _ in self.columns)
        return kernels.hash_total(
            block.rows,
            [codes for codes, _ in narrow],
            [table for _, table in narrow],
            [values for values, _ in numeric],
            [key for _, key in numeric],
            None if plain else self._others(block, coded),
            block.weights,
        )

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
    """Return the same of few texts, one by one. Shared: nobody writes to it."""
    each = [*(kernels.hash_text(text.encode(), key) for text in texts), *_hash_ends(key)]
    return np.array(each, np.uint64).T.copy()


def _hash_ends(key: Key) -> list[Key]:
    missing = kernels.hash_missing(key)
    return [missing, kernels.hash_text(b"unseen", missing)]


# ---- equal rows of different classes ----


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
