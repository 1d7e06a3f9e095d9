"""The length of rows told by a node: what they cost in bits when nobody knows the shares beforehand.

A leaf tells its rows one after the other, each cell by the very share it would have after the rows before it,
(its rows so far + alpha · its share of all rows) / (rows so far + alpha); over all rows that is

    log2 Γ(n + a)/Γ(a) - sum over cells of log2 Γ(n_c + a_c)/Γ(a_c)

with a = alpha and a_c = alpha · the cell's share of all rows that can come there.

A test costs log2(columns) bits for its column, log2(choices) for its cut or level, and the branches of its
rows as two outcomes of half a row each; a node costs one bit to say whether it has a test.
Knows counts. Knows nothing of rows or how a tree was grown. Law: the order of rows means nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.models.density.cells import ColumnCells
from tallystick.models.density.model import prior_in
from tallystick.models.tree.average import log_evidence, log_gamma

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
LOG_TWO = 0.6931471805599453


def leaf_bits(
    cells: Sequence[ColumnCells],
    rows: Sequence[Floats],
    whole: Sequence[Floats],
    reach: Sequence[NDArray[np.bool_]],
    alpha: float,
) -> float:
    """Return what the rows of a leaf cost. rows[column][cell, missing last]; whole: shares of all rows."""
    prior, counts = [], []
    for own, known, share, here in zip(cells, rows, whole, reach, strict=True):
        prior.append(alpha * prior_in(own, share, here)[: own.k + 1])
        counts.append(known)
    a, n = np.concatenate(prior), np.concatenate(counts)
    seen = n > 0  # a cell without rows costs nothing
    each = log_gamma(n[seen] + a[seen]) - log_gamma(a[seen])
    total = math.fsum(rows[0])
    ends = log_gamma(np.array([total + alpha, alpha]))
    return (len(cells) * float(ends[0] - ends[1]) - math.fsum(each)) / LOG_TWO


def test_bits(columns: int, choices: int, branches: Floats) -> float:
    """Return what a test costs: to name it, and to tell which rows take which branch."""
    named = kernels.log2(np.array([float(columns), float(choices)]))
    return (
        float(named[0] + named[1])
        - float(log_evidence(branches[None, :], 1.0, np.array([0.5, 0.5]))[0]) / LOG_TWO
    )
