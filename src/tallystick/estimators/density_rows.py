"""Rows drawn from a density tree, as an Arrow table.

Knows the fitted tree and Arrow. Draws are 53 bits of PCG64, whose stream NumPy keeps for good; a share is a
whole number of 2^-53, so whole numbers are compared, and the same seed gives the same rows anywhere.
"""

from __future__ import annotations

import datetime

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick.models.density.cells import ColumnCells
from tallystick.models.density.model import DensityModel

Ints = NDArray[np.int64]
BITS = 53


def drawn_table(model: DensityModel, n: int, seed: int) -> pa.Table:
    """Return n rows."""
    bits = np.random.PCG64(seed)
    leaf = _drawn(bits, model.nodes.counts[model.leaves, 0].astype(np.float64), n)
    arrays, names = [], []
    for j, own in enumerate(model.cells):
        code = np.zeros(n, np.int64)
        for i in range(len(model.leaves)):
            here = np.flatnonzero(leaf == i)
            code[here] = _drawn(bits, model.leaf_shares[j][i, : own.k + 1], len(here))
        arrays.append(_column(own, code, bits))
        names.append(own.name)
    return pa.Table.from_arrays(arrays, names=names)


def _raw(bits: np.random.PCG64, n: int) -> Ints:
    """Return n whole numbers below 2^53, each as likely as any other."""
    if not n:
        return np.empty(0, np.int64)
    out: Ints = (bits.random_raw(n) >> np.uint64(64 - BITS)).astype(np.int64)
    return out


def _drawn(bits: np.random.PCG64, shares: NDArray[np.float64], n: int) -> Ints:
    """Return n places drawn by shares, which need not sum to 1."""
    ends = np.add.accumulate(shares)  # in their order: the same bits on every machine
    whole = np.floor(np.ldexp(ends / ends[-1], BITS)).astype(np.int64)
    out: Ints = np.searchsorted(whole, _raw(bits, n), side="right")
    return out


def _column(own: ColumnCells, code: Ints, bits: np.random.PCG64) -> pa.Array:
    """Return the cells of a column; code k is missing."""
    missing = code == own.k
    if not own.numeric:
        return pa.array([None if c == own.k else own.column.levels[c] for c in code.tolist()], pa.string())
    at = np.where(missing, 0, code)
    low, high = own.edges[at], own.edges[at + 1]
    part = np.ldexp(_raw(bits, len(code)).astype(np.float64), -BITS)
    values = low / 2 + part * (high / 2 - low / 2)
    values = np.clip(2 * values, own.column.low, own.column.high)
    if own.whole:
        values = np.clip(np.floor(low + 0.5) + np.floor(part * (high - low)), own.column.low, own.column.high)
    return _typed(own, values, missing)


def _typed(own: ColumnCells, values: NDArray[np.float64], missing: NDArray[np.bool_]) -> pa.Array:
    if own.column.unit == "date":
        moments = [None if m else _moment(v) for v, m in zip(values.tolist(), missing.tolist(), strict=True)]
        return pa.array(moments, pa.date32() if own.whole else pa.timestamp("us"))
    if own.whole:
        return pa.array(values.astype(np.int64), mask=missing)
    return pa.array(values, mask=missing)


def _moment(days: float) -> datetime.datetime:
    return datetime.datetime(1970, 1, 1) + datetime.timedelta(days=days)
