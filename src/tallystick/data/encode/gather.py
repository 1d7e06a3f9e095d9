"""Rows of a source as parts per column: numbers or coded texts, batch by batch, over threads.

Knows sources and parts. Knows nothing of kinds.
Law: the parts of a column, one after the other, are its cells in the order of the source.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import numpy as np
import pyarrow as pa

from tallystick import kernels
from tallystick.contracts import Source
from tallystick.data.encode.cells import Floats, Part, condense
from tallystick.data.encode.plain import Plain, loaded
from tallystick.data.encode.wholes import Wholes, is_whole_matrix, small_column, small_columns
from tallystick.data.encode.wide import condense_wide, is_wide
from tallystick.data.encode.work import checkpoint, in_order
from tallystick.data.source.arrays import from_numbers, to_numbers
from tallystick.data.source.unread import unread
from tallystick.kernels import Scan

BATCH = 65_536

Give = Callable[[bool], list[Part]]  # True: every part as texts
Columns = tuple[int, Mapping[str, Any], Mapping[int, str]]  # rows, cells by name, rows not read with reasons


@dataclass(frozen=True)
class Gathered:
    """All columns of a source. columns[name](as_text) gives the parts of one."""

    rows: int
    columns: Mapping[str, Give]


def gather(
    source: Source, marks: Sequence[str], decimal: str, texts: Sequence[str], threads: int | None
) -> Gathered:
    """Return the columns of a source; those in `texts` are read as texts from the start."""
    matrix = getattr(source, "matrix", None)
    if matrix is not None and matrix.dtype == np.float64 and matrix.dtype.isnative:
        return _from_matrix(source, matrix, marks, decimal, threads)
    if hasattr(source, "get"):
        small = small_columns(matrix, threads) if is_whole_matrix(matrix) else {}
        return _from_columns(source, marks, decimal, small)
    return _from_batches(source, marks, decimal, texts, threads)


def _from_matrix(
    source: Any, matrix: Any, marks: Sequence[str], decimal: str, threads: int | None
) -> Gathered:
    """Views of the matrix: read once for the facts, never copied."""
    scans = _scan(matrix, threads)

    def give(j: int) -> Give:
        def parts(as_text: bool) -> list[Part]:
            if as_text:
                return [condense(from_numbers(matrix[:, j]), source.columns[j], marks, decimal, True)]
            return [Floats(matrix[:, j], scan=scans[j])]

        return parts

    return Gathered(len(matrix), {name: give(j) for j, name in enumerate(source.columns)})


def _scan(matrix: Any, threads: int | None) -> list[Scan]:
    """Return one look at every column, by slices of rows: over threads, and an interrupt is noticed."""
    starts = range(0, len(matrix), 4 * BATCH)
    jobs = (_bind(kernels.scan_matrix, matrix[start : start + 4 * BATCH]) for start in starts)
    scans: list[Scan] | None = None
    for start, more in zip(starts, in_order(jobs, threads), strict=True):
        scans = more if scans is None else [_joined(a, b, start) for a, b in zip(scans, more, strict=True)]
    return kernels.scan_matrix(matrix) if scans is None else scans


def _joined(a: Scan, b: Scan, start: int) -> Scan:
    """Return the scan of rows looked at in two parts; the second begins at row `start`."""
    later = b.first_infinity + start if b.first_infinity >= 0 else -1
    return Scan(
        a.missing + b.missing,
        a.first_infinity if a.first_infinity >= 0 else later,
        min(a.low, b.low),
        max(a.high, b.high),
        a.whole and b.whole,
        a.binary and b.binary,
        a.negative_zero or b.negative_zero,
    )


def _from_columns(source: Any, marks: Sequence[str], decimal: str, small: Mapping[int, Wholes]) -> Gathered:
    def give(j: int, name: str) -> Give:
        if j in small:
            return lambda as_text: [small[j]]
        return lambda as_text: parts_of(source.get(j).chunks, name, marks, decimal, as_text)

    return Gathered(source.rows, {name: give(j, name) for j, name in enumerate(source.columns)})


def parts_of(
    chunks: Sequence[Any], name: str, marks: Sequence[str], decimal: str, as_text: bool
) -> list[Part]:
    """Return the parts of a column; small whole numbers without missing ones need not become doubles."""
    if len(chunks) == 1 and pa.types.is_integer(chunks[0].type) and chunks[0].null_count == 0:
        small = small_column(to_numbers(chunks[0]))
        if small is not None:
            return [small]
    return [condense(chunk, name, marks, decimal, as_text) for chunk in chunks]


def _from_batches(
    source: Source, marks: Sequence[str], decimal: str, texts: Sequence[str], threads: int | None
) -> Gathered:
    """Each batch is condensed as it comes and then forgotten."""
    names, wanted = source.columns, set(texts)

    loads = pieces(source)
    begin = list(islice(loads, 2))
    alone = len(begin) == 1

    def condense_all(load: Callable[[], Any]) -> tuple[int, list[Part]]:
        batch, parts = load() if alone else loaded(load, names), list[Part]()
        if isinstance(batch, Plain):
            return batch.num_rows, list(batch.parts(names, wanted, marks, decimal).values())
        if is_wide(batch):
            return batch.num_rows, condense_wide(batch, marks, decimal, wanted, alone)
        for name, cells in zip(names, batch.columns, strict=True):
            checkpoint()
            parts.append(condense(cells, name, marks, decimal, name in wanted))
        return batch.num_rows, parts

    rows, parts = 0, [list[Part]() for _ in names]
    for count, more in in_order((_bind(condense_all, load) for load in chain(begin, loads)), threads):
        rows += count
        for known, part in zip(parts, more, strict=True):
            known.append(part)

    again = _Again(source, parts, marks, decimal)

    def give(j: int) -> Give:
        return lambda as_text: again.texts(j) if as_text and names[j] not in wanted else parts[j]

    return Gathered(rows, {name: give(j) for j, name in enumerate(names)})


class _Again:
    """A second walk through a source, for texts that were read as numbers: once for all such columns."""

    def __init__(self, source: Source, parts: list[list[Part]], marks: Sequence[str], decimal: str) -> None:
        self.source, self.parts, self.marks, self.decimal = source, parts, marks, decimal
        self.known: dict[int, list[Part]] = {}
        self.lock = threading.Lock()

    def texts(self, j: int) -> list[Part]:
        """Return the parts of a column as texts."""
        with self.lock:
            if j not in self.known:
                wanted = {j, *(i for i, parts in enumerate(self.parts) if _is_mixed(parts))}
                self.known.update({i: [] for i in wanted})
                for load in pieces(self.source):
                    checkpoint()
                    batch = loaded(load, self.source.columns)
                    for i in wanted:
                        name = self.source.columns[i]
                        self.known[i].append(condense(batch.column(i), name, self.marks, self.decimal, True))
            return self.known[j]


def _is_mixed(parts: list[Part]) -> bool:
    """Are some parts numbers and others texts or dates?"""
    return len({(type(part), getattr(part, "dated", False)) for part in parts}) > 1


def _bind(function: Callable[[Any], Any], argument: Any) -> Callable[[], Any]:
    return lambda: function(argument)


def pieces(source: Source) -> Iterator[Callable[[], Any]]:
    """Yield callables that each return one batch; a source that can lets threads do the reading."""
    if hasattr(source, "pieces"):
        yield from source.pieces()
        return
    for batch in source.batches():
        yield _bind(lambda b: b, batch)


def batch_columns(source: Source, names: Sequence[str]) -> Iterator[Callable[[], Columns]]:
    """Yield callables that each return the rows of a batch, its columns by name (Arrow or matrix views), and
    which of its rows could not be read.
    """
    at = {name: j for j, name in enumerate(source.columns)}
    matrix = getattr(source, "matrix", None)
    if matrix is not None and matrix.dtype == np.float64 and matrix.dtype.isnative:
        for start in range(0, len(matrix), BATCH):
            part = matrix[start : start + BATCH]
            yield _bind(lambda p: (len(p), {n: p[:, at[n]] for n in names}, {}), part)
        return
    if is_whole_matrix(matrix):
        for start in range(0, len(matrix), BATCH):
            yield _bind(lambda p: (len(p), _whole_columns(p, names, at), {}), matrix[start : start + BATCH])
        return
    for load in pieces(source):
        yield _bind(lambda get: _columns_of(get(), names, at), load)


def _whole_columns(part: Any, names: Sequence[str], at: Mapping[str, int]) -> Mapping[str, Any]:
    small = small_columns(part, 1)
    return {n: small[at[n]] if at[n] in small else from_numbers(part[:, at[n]]) for n in names}


def _columns_of(batch: Any, names: Sequence[str], at: Mapping[str, int]) -> Columns:
    return batch.num_rows, {name: batch.column(at[name]) for name in names}, unread(batch)
