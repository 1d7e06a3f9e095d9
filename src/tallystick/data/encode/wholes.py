"""Matrices of small whole numbers: codes straight from memory, with no text and no double on the way.

Knows arrays of whole numbers. Law: the column is what the long way makes of it, to the last code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.encode.work import in_order
from tallystick.kernels import CellKind

SLICE = 1 << 18  # rows a thread takes at once
SAMPLE = 1024
EXACT = 2**53 - 256  # beyond this a double may hold another number


@dataclass(frozen=True, slots=True)
class Wholes:
    """Cells as small whole numbers: value = base + codes[row]; none is missing."""

    codes: NDArray[np.uint8]
    base: int

    def __len__(self) -> int:
        return len(self.codes)

    def values(self) -> NDArray[np.float64]:
        """Return the cells as doubles."""
        out = self.codes.astype(np.float64)
        return out + self.base if self.base else out

    def texts(self) -> pa.DictionaryArray:
        """Return the cells as texts."""
        there = np.flatnonzero(kernels.count_classes(self.codes, 256))
        into = np.zeros(256, np.int16)
        into[there] = np.arange(len(there))
        names = pa.array([str(self.base + int(v)) for v in there], pa.large_string())
        return pa.DictionaryArray.from_arrays(pa.array(into[self.codes]), names)


def is_whole_matrix(matrix: Any) -> TypeGuard[NDArray[Any]]:
    """Say whether a source's matrix holds whole numbers."""
    return matrix is not None and matrix.dtype.kind in "iu" and matrix.dtype.isnative


def small_columns(matrix: NDArray[Any], threads: int | None) -> dict[int, Wholes]:
    """Return the columns of a matrix whose values lie within 256 of each other; the memory is read once."""
    rows, width = matrix.shape
    if not rows or not width:
        return {}
    base = _bases(matrix)
    if base is None:
        return {}
    codes = np.empty((width, rows), np.uint8)

    def work(start: int) -> Callable[[], NDArray[np.uint8]]:
        def run() -> NDArray[np.uint8]:
            fits = np.ones(width, np.uint8)
            kernels.small_codes(matrix[start : start + SLICE], base, codes, start, fits)
            return fits

        return run

    jobs = (work(start) for start in range(0, rows, SLICE))
    fits = np.bitwise_and.reduce(list(in_order(jobs, threads)))
    fits[np.abs(base) > EXACT] = 0
    return {j: Wholes(codes[j], int(base[j])) for j in np.flatnonzero(fits).tolist()}


def _bases(matrix: NDArray[Any]) -> NDArray[np.int64] | None:
    """Return what to take off each column: 0 where that leaves small numbers, else the least of a sample.

    None when the sample says that no column is small.
    """
    sample = matrix[:: max(1, len(matrix) // SAMPLE)]
    low, high = sample.min(axis=0).astype(object), sample.max(axis=0).astype(object)
    if all(b - a > 255 for a, b in zip(low, high, strict=True)):
        return None
    small = [a >= 0 and b < 256 for a, b in zip(low, high, strict=True)]
    room = [max(0, (255 - (b - a)) // 2) for a, b in zip(low, high, strict=True)]
    base = [0 if s else max(a - r, -(2**62)) for s, a, r in zip(small, low, room, strict=True)]
    return np.array([b if b < 2**62 else 0 for b in base], np.int64)


@dataclass(frozen=True)
class WholeFacts:
    """present[value] rising, and counts[value] of rows."""

    present: NDArray[np.int64]
    counts: NDArray[np.int64]


def facts_of(part: Wholes, weights: NDArray[np.int64] | None) -> WholeFacts:
    """Return which values there are, and how often."""
    counts = kernels.count_classes(part.codes, 256, weights)
    there = np.flatnonzero(counts)
    return WholeFacts(there + part.base, counts[there])


def text_facts(facts: WholeFacts) -> tuple[pa.LargeStringArray, NDArray[np.int64], NDArray[np.uint8]]:
    """Return texts sorted by bytes, their counts, and their kinds as the parser sees them."""
    texts = [str(v) for v in facts.present.tolist()]
    order = sorted(range(len(texts)), key=lambda i: texts[i].encode())
    kinds = np.full(len(texts), CellKind.INTEGER, np.uint8)
    return pa.array([texts[i] for i in order], pa.large_string()), facts.counts[order], kinds


def text_table(base: int, into: Callable[[str], int], width: Any) -> NDArray[Any]:
    """Return table[value - base]: the code that the text of a whole number gets."""
    return np.array([into(str(base + v)) for v in range(256)], width)


def by_table(part: Wholes, table: NDArray[Any]) -> NDArray[Any]:
    """Return the code of each cell; the cells themselves where the table changes nothing."""
    if table.dtype == np.uint8 and (table == np.arange(256))[part.codes.max(initial=0) :: -1].all():
        return part.codes
    return table[part.codes]


def level_code(levels: Sequence[str], other: int) -> Callable[[str], int]:
    """Return what gives the code of a level's text; any other text gets `other`."""
    at = {level: code for code, level in enumerate(levels)}
    return lambda text: at.get(text, other)
