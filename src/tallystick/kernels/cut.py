"""The door to rows of separated text: a block cut into cells, its columns read as numbers or copied as texts.

A cut block is its bytes and ends[row, column], where the separator or the line end of each cell stands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import _kernels
from tallystick.kernels import check
from tallystick.kernels.text import CellKind, joined_marks

FEW = 1024  # texts that are compared in place
LARGEST = (1 << 32) - 64  # bytes in a block
SPARE = 8  # entries beyond the cells that a block can have

ALL_NUMBERS = sum(1 << k for k in (CellKind.MISSING, CellKind.NUMBER, CellKind.INTEGER, CellKind.INFINITE))
ALL_DATES = 1 << CellKind.MISSING | 1 << CellKind.DATE

Text = bytes | NDArray[np.uint8]


class TextLook(NamedTuple):
    """What some text holds. lines: line feeds; end: behind the last of them, 0 without one; odd: a quote or a
    NUL byte; beyond: a byte beyond ASCII; holds: the byte that was asked for.
    """

    lines: int
    end: int
    odd: bool
    beyond: bool
    holds: bool


def look_at_text(text: NDArray[np.uint8], asked: int) -> TextLook:
    """Return what some bytes hold, in one look. asked: a byte."""
    check.array("text", text, "uint8", (None,))
    if not 0 <= asked < 256:
        raise ValueError(f"asked must be a byte; found {asked}")
    return TextLook(*_kernels.look_at_text(text, asked))


def cut_cells(
    block: Text, columns: int, separator: str, room: NDArray[np.uint32] | None = None
) -> NDArray[np.uint32] | None:
    """Return ends[row, column] of rows without quotes; None where the block is not plain: a row of more or
    fewer cells, an empty line, or a carriage return that ends no line. room: where they are put, at least
    SPARE more than the block has bytes.
    """
    check.size("columns", columns)
    if len(separator) != 1 or not separator.isascii() or len(block) > LARGEST:
        raise ValueError(f"separator must be one byte, blocks below 4 GB; found {separator!r}, {len(block)}")
    data = np.frombuffer(block, np.uint8)
    ends = np.empty(len(block) + SPARE, np.uint32) if room is None else room  # unwritten, it takes no memory
    if len(ends) < len(block) + SPARE:
        raise ValueError(f"room must be {len(block) + SPARE:,} long at least; found {len(ends):,}")
    rows = _kernels.cut_cells(data, columns, separator, ends)
    return None if rows < 0 else ends[: rows * columns].reshape(rows, columns)


def read_columns(
    block: Text,
    ends: NDArray[np.uint32],
    texts: NDArray[np.bool_],
    marks: Sequence[str],
    decimal: str,
    room: Callable[[NDArray[np.uint32], int], Sequence[NDArray[np.float64]]] | None = None,
) -> tuple[Sequence[NDArray[np.float64]], NDArray[np.uint32], NDArray[np.uint32], dict[int, FewTexts | None]]:
    """Return values[i][row], columns[i] and seen[i], a bit for each CellKind that was met: within ALL_NUMBERS
    or ALL_DATES where all cells were read; and those columns that do not look like numbers as codes, None for
    one that has more texts than FEW. Columns in `texts` are left out. room(columns, rows) gives the places of
    values.
    """
    rows, columns = _checked(block, ends)
    check.array("texts", texts, "bool", (columns,))
    data, (mark_data, mark_offsets) = np.frombuffer(block, np.uint8), joined_marks(tuple(marks))
    looks = np.where(texts, ~np.uint32(0), np.uint32(0))
    _kernels.look_at_columns(data, ends, mark_data, mark_offsets, decimal, looks)
    chosen = np.flatnonzero(looks == 0).astype(np.uint32)
    values, seen = (room or _fresh)(chosen, rows), np.zeros(len(chosen), np.uint32)
    if len(values) != len(chosen):
        raise ValueError(f"room must give {len(chosen)} places; found {len(values)}")
    check.arrays("values", values, "float64", (rows,))
    others = np.flatnonzero((looks != 0) & ~texts).astype(np.uint32)
    coding = _coding(len(others), rows)
    _kernels.read_columns(
        data, ends, mark_data, mark_offsets, decimal, chosen, list(values), seen, others, *coding
    )
    return values, chosen, seen, dict(zip(others.tolist(), _coded(block, coding), strict=True))


def _fresh(columns: NDArray[np.uint32], rows: int) -> Sequence[NDArray[np.float64]]:
    return list(np.empty((len(columns), rows)))


class FewTexts(NamedTuple):
    """A column of few texts: codes[row], the texts as they come, outer space left out, and rows of each."""

    codes: NDArray[np.uint16]
    texts: list[bytes]
    counts: NDArray[np.int64]


def code_columns(block: Text, ends: NDArray[np.uint32], columns: Sequence[int]) -> list[FewTexts | None]:
    """Return some columns as codes; None for one that has more texts than FEW."""
    rows, width = _checked(block, ends)
    if wrong := [j for j in columns if not 0 <= j < width]:
        raise ValueError(f"columns must be below {width}; found {wrong[0]}")
    coding = _coding(len(columns), rows)
    data, chosen = np.frombuffer(block, np.uint8), np.array(columns, np.uint32)
    _kernels.code_columns(data, ends, chosen, *coding)
    return _coded(block, coding)


class _Coding(NamedTuple):
    """Where a kernel puts columns of few texts; see `Coding` in csv/cut.hpp."""

    codes: NDArray[np.uint16]
    texts: NDArray[np.uint32]
    counts: NDArray[np.int64]
    slots: NDArray[np.uint16]
    keys: NDArray[np.uint64]
    known: NDArray[np.int64]


def _coding(size: int, rows: int) -> _Coding:
    return _Coding(
        np.empty((size, rows), np.uint16),
        np.empty((size, FEW, 2), np.uint32),
        np.empty((size, FEW), np.int64),
        np.zeros((size, 4 * FEW), np.uint16),
        np.empty((size, FEW), np.uint64),
        np.zeros(size, np.int64),
    )


def _coded(block: Text, coding: _Coding) -> list[FewTexts | None]:
    found = list[FewTexts | None]()
    for i, n in enumerate(coding.known.tolist()):
        texts = [bytes(block[at : at + size]) for at, size in coding.texts[i, : max(n, 0)].tolist()]
        found.append(None if n < 0 else FewTexts(coding.codes[i], texts, coding.counts[i, :n]))
    return found


def copy_cells(
    block: Text, ends: NDArray[np.uint32], column: int
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


def _checked(block: Text, ends: Any, column: int = 0) -> tuple[int, int]:
    check.array("ends", ends, "uint32", (None, None))
    if ends.size and ends[-1, -1] > len(block):
        raise ValueError(f"ends must lie within the block of {len(block):,} bytes; found {ends[-1, -1]:,}")
    if not 0 <= column < ends.shape[1]:
        raise ValueError(f"column must be below {ends.shape[1]}; found {column}")
    return ends.shape[0], ends.shape[1]
