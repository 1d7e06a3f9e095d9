"""Content hashes of rows: the same row has the same hash in any container, order or partition.

Knows encoded columns and their meaning. Law: a row's hash is a function of (column name, value) pairs, summed over
columns, so the order of columns means nothing; the table's fingerprint is a sum over rows times weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.data.schema import Column, Target

U64 = np.uint64
MISSING = "missing"  # hashed without the "text:" of level texts, so no level can be equal to it


def digest(text: str, lane: int) -> int:
    """Return 64 bits of a text, different for each lane."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8, salt=bytes([lane])).digest(), "little")


def mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the bits of x well stirred, one to one (splitmix64's last step). Overwrites x."""
    x ^= x >> U64(30)
    x *= U64(0xBF58476D1CE4E5B9)
    x ^= x >> U64(27)
    x *= U64(0x94D049BB133111EB)
    x ^= x >> U64(31)
    return x


def column_hashes(column: Column, data: Any, lane: int) -> NDArray[np.uint64]:
    """Return hashes[row] of one encoded column."""
    key = digest(f"column:{column.name}", lane)
    if column.kind == "numeric":
        bits = np.ascontiguousarray(data).view(np.uint64) + U64(digest("number", lane))
        bits[np.isnan(data)] = U64(digest(MISSING, lane))
        return mix(mix(bits) + U64(key))
    if column.kind == "text":
        return _words(column, data, key, lane)
    return _by_text(column.levels, key, lane)[data]


def label_hashes(target: Target, classes: NDArray[Any], lane: int) -> NDArray[np.uint64]:
    """Return hashes[row] of the class labels."""
    return _by_text(target.labels, digest(f"column:{target.name}", lane), lane)[classes]


def response_hashes(target: Target, response: NDArray[np.float64], lane: int) -> NDArray[np.uint64]:
    """Return hashes[row] of a numeric target."""
    return column_hashes(Column(target.name, "numeric"), response + 0.0, lane)


def _by_text(levels: Sequence[str], key: int, lane: int) -> NDArray[np.uint64]:
    """Return hashes[code] of levels, then missing and unseen."""
    texts = [*(f"text:{level}" for level in levels), MISSING, "unseen"]
    return mix(np.array([digest(text, lane) for text in texts], dtype=np.uint64) + U64(key))


def _words(column: Column, data: Any, key: int, lane: int) -> NDArray[np.uint64]:
    starts, word, count = data
    texts = [*(f"word:{w}" for w in column.words), "unseen"]
    each = mix(np.array([digest(text, lane) for text in texts], dtype=np.uint64) + U64(key))[word]
    sums = np.zeros(len(word) + 1, np.uint64)
    np.cumsum(each * count, out=sums[1:])  # wraps, so differences are exact
    return mix(sums[starts[1:]] - sums[starts[:-1]] + U64(key))


def weighted_sum(hashes: NDArray[np.uint64], weights: NDArray[np.int64] | None) -> int:
    """Return the sum over rows of hash times weight, exactly."""
    if weights is None:
        low, high = hashes & U64(0xFFFFFFFF), hashes >> U64(32)
        return int(low.sum(dtype=np.uint64)) + (int(high.sum(dtype=np.uint64)) << 32)
    total = 0
    for shift in (0, 16, 32, 48):  # 16 bits of each: products and sums of a block stay below 2^64
        digits = (hashes >> U64(shift)) & U64(0xFFFF)
        for half in (0, 16, 32, 48):
            part = (weights.astype(np.uint64) >> U64(half)) & U64(0xFFFF)
            total += int((digits * part).sum(dtype=np.uint64)) << (shift + half)
    return total
