"""The door to rows of separated text: a block cut into cells, its columns read as numbers or copied as texts.

A cut block is its bytes and ends[row, column], where the separator or the line end of each cell stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import _kernels
from tallystick.kernels import check
from tallystick.kernels.text import CellKind, joined_marks

SPACES = b" \t\n\v\f\r"  # what is not part of a cell at its ends
FEW = 1024  # texts that are compared in place
LARGEST = (1 << 32) - 64  # bytes in a block

ALL_NUMBERS = sum(1 << k for k in (CellKind.MISSING, CellKind.NUMBER, CellKind.INTEGER, CellKind.INFINITE))
ALL_DATES = 1 << CellKind.MISSING | 1 << CellKind.DATE


def cut_cells(block: bytes, columns: int, separator: str) -> NDArray[np.uint32] | None:
    """Return ends[row, column] of rows without quotes; None where the block is not plain: a row of more or
    fewer cells, an empty line, or a carriage return that ends no line.
    """
    check.size("columns", columns)
    if len(separator) != 1 or not separator.isascii() or len(block) > LARGEST:
        raise ValueError(f"separator must be one byte, blocks below 4 GB; found {separator!r}, {len(block)}")
    data = np.frombuffer(block, np.uint8)
    ends = np.empty(len(block) + 8, np.uint32)  # what is not written takes no memory
    rows = _kernels.cut_cells(data, columns, separator, ends)
    return None if rows < 0 else ends[: rows * columns].reshape(rows, columns)


def read_columns(
    block: bytes, ends: NDArray[np.uint32], texts: NDArray[np.bool_], marks: Sequence[str], decimal: str
) -> tuple[NDArray[np.float64], NDArray[np.uint32]]:
    """Return values[column, row] and seen[column], a bit for each CellKind that was met: within ALL_NUMBERS
    or ALL_DATES where all cells were read. Columns in `texts`, and those that do not look like numbers, have
    all bits.
    """
    rows, columns = _checked(block, ends)
    check.array("texts", texts, "bool", (columns,))
    values, seen = np.empty((columns, rows)), np.where(texts, ~np.uint32(0), np.uint32(0))
    data = np.frombuffer(block, np.uint8)
    _kernels.read_columns(data, ends, *joined_marks(tuple(marks)), decimal, values, seen)
    return values, seen


def code_cells(
    block: bytes, ends: NDArray[np.uint32], column: int
) -> tuple[NDArray[np.uint16], list[bytes]] | None:
    """Return codes[row] and the texts of a column of few of them, as they come, outer space left out; None
    where they are more than FEW.
    """
    rows, _ = _checked(block, ends, column)
    codes, firsts = np.empty(rows, np.uint16), np.empty(FEW, np.uint32)
    slots, data = np.zeros(4 * FEW, np.uint32), np.frombuffer(block, np.uint8)
    known = _kernels.code_cells(data, ends, column, slots, codes, firsts)
    if known < 0:
        return None
    places, flat = firsts[:known].astype(np.int64) * ends.shape[1] + column, ends.reshape(-1)
    begins = np.where(places == 0, 0, flat[places - 1].astype(np.int64) + 1).tolist()
    texts = (block[a:b].strip(SPACES) for a, b in zip(begins, flat[places].tolist(), strict=True))
    return codes, list(texts)


def copy_cells(
    block: bytes, ends: NDArray[np.uint32], column: int
) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Return the cells of a column as (data, offsets[row + 1])."""
    rows, _ = _checked(block, ends, column)
    offsets, none = np.empty(rows + 1, np.int32), np.empty(0, np.uint8)
    source = np.frombuffer(block, np.uint8)
    _kernels.copy_cells(source, ends, column, offsets, none)
    data = np.empty(int(offsets[-1]), np.uint8)
    if len(data):
        _kernels.copy_cells(source, ends, column, offsets, data)
    return data, offsets


def _checked(block: bytes, ends: Any, column: int = 0) -> tuple[int, int]:
    check.array("ends", ends, "uint32", (None, None))
    if ends.size and ends[-1, -1] > len(block):
        raise ValueError(f"ends must lie within the block of {len(block):,} bytes; found {ends[-1, -1]:,}")
    if not 0 <= column < ends.shape[1]:
        raise ValueError(f"column must be below {ends.shape[1]}; found {column}")
    return ends.shape[0], ends.shape[1]
