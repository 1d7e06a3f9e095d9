"""Some of several equal rows on Spark: one row stands for them, with their weight.

Knows blocks, schemas, hashes and weights. Runs in Spark's workers, but for what reads the facts.
Law: which of several equal rows are meant is nowhere asked, since nobody could tell them apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.data.schema import Schema
from tallystick.data.table.block import Block, pack, unpack
from tallystick.data.table.hashes import Hasher
from tallystick.engines.spark.parts import ChosenRows, Facts, Hashes, some_rows

PARTS = 8  # of the rows that stand for others
Weights = NDArray[np.int64]


def weight_by_key(facts: Facts, unit: int) -> tuple[Hashes, Weights]:
    """Return the distinct hashes of some rows, sorted, and the weight of each."""
    keys, at = np.unique(facts.hashes, return_inverse=True)
    out = np.zeros(len(keys), np.int64)
    np.add.at(out, at, unit if facts.weights is None else facts.weights)
    return keys, out


def repeated_keys(facts: Facts, unit: int) -> Hashes:
    """Return the hashes of what may have to be divided."""
    keys, weight = weight_by_key(facts, unit)
    rows = np.unique(facts.hashes, return_counts=True)[1]
    return keys[(rows > 1) | (weight > unit)]


def shared_keys(whole: Facts, taken: Facts, unit: int) -> tuple[Hashes, Hashes, Weights]:
    """Return the hashes of what is taken as it is, of what is taken with another weight, and that weight."""
    keys, full = weight_by_key(whole, unit)
    some, mine = weight_by_key(taken, unit)
    part = mine != full[np.searchsorted(keys, some)]
    return some[~part], some[part], mine[part]


@dataclass(frozen=True)
class OneOfEach:
    """Blocks to (bucket, packed block): the first row of each content that others may have to stand for."""

    schema: Schema
    keys: Any  # Spark's broadcast
    buckets: int

    def __call__(self, blocks: Iterable[Block]) -> Iterator[tuple[int, bytes]]:
        """Yield the rows of each bucket."""
        chosen, hasher = ChosenRows(self.keys, self.schema), Hasher(self.schema)
        for block in blocks:
            hashes = hasher.rows(block)
            rows = chosen.of(hashes)
            rows = rows[np.unique(hashes[rows], return_index=True)[1]]
            bucket = (hashes[rows] % np.uint64(self.buckets)).astype(np.int64)
            for b in np.unique(bucket).tolist():
                yield b, pack(some_rows(block, rows[bucket == b], self.schema, self.schema))


@dataclass(frozen=True)
class Once:
    """Packed rows of a bucket to packed blocks in which every content stands once."""

    schema: Schema

    def __call__(self, pairs: Iterable[tuple[int, bytes]]) -> Iterator[bytes]:
        """Yield the blocks that are left."""
        hasher, seen = Hasher(self.schema), np.zeros(0, np.uint64)
        for _, data in pairs:
            block = unpack(data)
            hashes = hasher.rows(block)
            rows = np.flatnonzero(~np.isin(hashes, seen))
            seen = np.concatenate([seen, hashes[rows]])
            if len(rows):
                yield pack(some_rows(block, rows, self.schema, self.schema))


@dataclass(frozen=True)
class Weighed:
    """Blocks to blocks of the rows that are taken in part, with the weight that is taken."""

    schema: Schema
    amounts: Any  # Spark's broadcast of (hashes, weights)

    def __call__(self, blocks: Iterable[Block]) -> Iterator[Block]:
        """Yield the blocks that are left."""
        keys, amounts = self.amounts.value
        hasher = Hasher(self.schema)
        for block in blocks:
            hashes = hasher.rows(block)
            at = np.minimum(np.searchsorted(keys, hashes), len(keys) - 1)
            rows = np.flatnonzero(keys[at] == hashes)
            if len(rows):
                some = some_rows(block, rows, self.schema, self.schema)
                yield replace(some, weights=amounts[at[rows]])
