"""Equal rows with different classes: the error that no model can avoid.

Knows encoded tables. Law: the answer depends on the multiset of rows alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.data.source import scratch
from tallystick.data.table.hashes import Hasher
from tallystick.data.table.table import Table
from tallystick.data.threads import in_order

ROW_BYTES = 128  # that the work takes for each row looked at


@dataclass(frozen=True, slots=True)
class Conflicts:
    """rows: equal in their columns but of different classes; lost: those that the best answer gets wrong."""

    rows: float
    lost: float
    total: float


def conflicts(table: Table, threads: int | None = None) -> Conflicts:
    """Return how many rows are equal in all columns used and yet of different classes."""
    assert table.classes is not None
    hasher = Hasher(replace(table.schema, target=None))
    jobs = (partial(hasher.rows, replace(block, classes=None)) for block in table.blocks())
    budget = table.budget
    hashes = (scratch.empty if table.place == "disk" else np.empty)(table.rows, np.uint64)
    at = 0
    for part in in_order(jobs, threads):
        hashes[at : at + len(part)] = part
        at += len(part)
    bits = 0 if not budget else max(0, (ROW_BYTES * table.rows // (budget // 4)).bit_length())
    found = Conflicts(0.0, 0.0, 0.0)
    for start in range(1 << bits):  # rows whose hashes begin alike: equal rows are in one part
        rows = None if bits == 0 else np.flatnonzero(hashes >> np.uint64(64 - bits) == start)
        every = rows if rows is not None else slice(None)
        weight = np.ones(table.rows if rows is None else len(rows))
        if table.weights is not None:
            weight = table.weights[every] / table.unit
        more = conflicts_of(hashes[every], table.classes[every], weight, len(table.schema.predicted.labels))
        found = Conflicts(found.rows + more.rows, found.lost + more.lost, found.total + more.total)
    return found


def conflicts_of(
    hashes: NDArray[np.uint64], classes: NDArray[Any], weight: NDArray[np.float64], k: int
) -> Conflicts:
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
