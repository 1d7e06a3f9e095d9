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
from tallystick.data.read.strings import Distinct
from tallystick.data.source.arrays import from_numbers, from_texts
from tallystick.data.table.block import code_type
from tallystick.data.threads import in_order

SLICE = 1 << 18  # rows a thread takes at once
SAMPLE = 1024
EXACT = 2**53 - 256  # beyond this a double may hold another number


@dataclass(frozen=True, slots=True)
class SmallIntegers:
    """Cells as small whole numbers: value = base + codes[row]; none is missing. used: the codes there are,
    rising.
    """

    codes: NDArray[np.uint8]
    base: int
    used: NDArray[np.int64]

    @property
    def present(self) -> list[int]:
        """The values there are, rising."""
        return [int(v) + self.base for v in self.used]

    def __len__(self) -> int:
        return len(self.codes)

    def values(self) -> NDArray[np.float64]:
        """Return the cells as doubles."""
        out = self.codes.astype(np.float64)
        return out + self.base if self.base else out

    def distinct(self) -> Distinct:
        """Return the cells as distinct texts."""
        texts = sorted(map(str, self.present), key=str.encode)
        code, kind = level_code(texts, len(texts)), code_type(len(texts))
        table = np.zeros(256, kind)
        table[self.used] = [code(str(value)) for value in self.present]
        return Distinct(from_texts(texts), by_table(self, table))

    def texts(self) -> pa.DictionaryArray:
        """Return the cells as texts."""
        into = np.zeros(256, np.int16)
        into[self.used] = np.arange(len(self.used))
        names = from_texts([str(v) for v in self.present])
        return pa.DictionaryArray.from_arrays(from_numbers(into[self.codes]), names)


def is_integer_matrix(matrix: Any) -> TypeGuard[NDArray[Any]]:
    """Say whether a source's matrix holds whole numbers."""
    return matrix is not None and matrix.dtype.kind in "iu" and matrix.dtype.isnative


def small_columns(matrix: NDArray[Any], threads: int | None) -> dict[int, SmallIntegers]:
    """Return the columns of a matrix whose values lie within 256 of each other; the memory is read once."""
    rows, width = matrix.shape
    if not rows or not width:
        return {}
    base = _bases(matrix)
    if base is None:
        return {}
    codes = np.empty((width, rows), np.uint8)

    def work(start: int) -> Callable[[], tuple[NDArray[np.uint8], NDArray[np.uint8]]]:
        def run() -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
            fits, seen = np.ones(width, np.uint8), np.zeros((width, 256), np.uint8)
            kernels.small_codes(matrix[start : start + SLICE], base, codes, start, fits, seen)
            return fits, seen

        return run

    done = list(in_order((work(start) for start in range(0, rows, SLICE)), threads))
    fits = np.bitwise_and.reduce([f for f, _ in done])
    fits[np.abs(base) > EXACT] = 0
    used = np.bitwise_or.reduce([s for _, s in done])
    return {
        j: SmallIntegers(codes[j], int(base[j]), np.flatnonzero(used[j]))
        for j in np.flatnonzero(fits).tolist()
    }


def small_column(cells: NDArray[Any]) -> SmallIntegers | None:
    """Return one column the same way, None when it is not small; a short one needs no sample, no thread."""
    if len(cells) > SLICE or not len(cells):
        return small_columns(cells[:, None], 1).get(0)
    low, high = int(cells.min()), int(cells.max())
    if high - low > 255 or max(-low, high) > EXACT:
        return None
    base = 0 if low >= 0 and high < 256 else low
    codes = (cells - base if base else cells).astype(np.uint8)
    return SmallIntegers(codes, base, np.flatnonzero(np.bincount(codes, minlength=256)))


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


def text_table(base: int, into: Callable[[str], int], width: Any) -> NDArray[Any]:
    """Return table[value - base]: the code that the text of a whole number gets."""
    return np.array([into(str(base + v)) for v in range(256)], width)


def by_table(part: SmallIntegers, table: NDArray[Any]) -> NDArray[Any]:
    """Return the code of each cell; the cells themselves where the table changes nothing."""
    if table.dtype == np.uint8 and (table[part.used] == part.used).all():
        return part.codes
    return np.take(table, part.codes, mode="clip")  # no code is beyond the table, and so it need not look


def level_code(levels: Sequence[str], other: int) -> Callable[[str], int]:
    """Return what gives the code of a level's text; any other text gets `other`."""
    at = {level: code for code, level in enumerate(levels)}
    return lambda text: at.get(text, other)
