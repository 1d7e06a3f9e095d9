"""Rows on a device: columns that stay there while their table is in use, or parts of all rows in turn.

Knows tables, their arrays and the memory of a device. Knows nothing of statistics.
Laws: a cell on the device is the cell here, bit for bit; what a table keeps there goes when it is released
or forgotten; where columns do not fit, parts of them come one after the other, the next while one is summed.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block
from tallystick.data.table.table import Table
from tallystick.data.threads import checkpoint, in_order
from tallystick.engines.gpu.device import KINDS, Device

SHARE = 0.8  # of the free memory that columns may take: totals and orders need some too
TILE = 1 << 14  # rows that a thread copies at once: columns of a matrix share its lines
PIECE = 1 << 20  # rows that go together
LEAST_PART = 1 << 16  # rows of a part, at least
CLASSES, WEIGHTS = "\0classes", "\0weights"  # names that no column can have
Words = tuple[Any, Any, Any]


@dataclass(frozen=True)
class DevicePart:
    """Some rows on a device, by column: an array there, or the three of a column of words."""

    rows: int
    columns: dict[str, Any]
    sizes: dict[int, int] = field(default_factory=dict)  # how large the numbers of a column are, where asked

    def kind(self, name: str) -> int:
        """Return the type of a column's cells, as the device code numbers it."""
        return KINDS[str(self.columns[name].dtype)]

    @property
    def classes(self) -> tuple[Any, int]:
        """The classes and their type; None where rows have no target."""
        found = self.columns.get(CLASSES)
        return found, 0 if found is None else self.kind(CLASSES)

    @property
    def weights(self) -> Any:
        """The weights, None for 1 each."""
        return self.columns.get(WEIGHTS)


@dataclass
class Kept:
    """Arrays that a device keeps for arrays here, by which they are found again."""

    device: Device
    arrays: dict[int, Any] = field(default_factory=dict)
    sizes: dict[int, int] = field(default_factory=dict)
    cards: dict[Any, Any] = field(default_factory=dict)  # rows as the lines of scorecards
    lock: Any = field(default_factory=threading.Lock)

    def forget(self, key: int) -> None:
        """Give the memory of one array back."""
        self.sizes.pop(id(self.arrays.pop(key, None)), None)

    def keep_for(self, table: Table, forget: Callable[[], object]) -> None:
        """Let something go when a table is released, or dies: then another may take its number."""
        table.on_release.append(forget)
        weakref.finalize(table, forget)

    def find(self, array: NDArray[Any]) -> Any:
        """Return what stands there for an array here, None where nothing does."""
        return self.arrays.get(id(array))

    def keep(self, array: NDArray[Any], there: Any) -> None:
        """Keep what stands for an array as long as that lives."""
        if id(array) not in self.arrays:
            weakref.finalize(array, self.forget, id(array))
        self.arrays[id(array)] = there


@dataclass(frozen=True)
class DeviceRows:
    """The rows of a table for a device. memory: bytes that they may take there, None for what is free."""

    device: Device
    kept: Kept
    table: Any
    memory: int | None = None
    threads: int | None = None

    def parts(self, names: Sequence[str]) -> Iterator[DevicePart]:
        """Yield all rows once, with some of their columns, their classes and weights."""
        if not self.at_hand:
            for block in self.table.blocks():
                checkpoint()
                yield self._of_block(block, names)
            return
        arrays = self._arrays(names)
        whole = self._resident(arrays)
        if whole is not None:
            yield DevicePart(self.table.rows, whole, self.kept.sizes)
            return
        yield from self._in_parts(arrays)

    def whole(self, names: Sequence[str]) -> DevicePart | None:
        """Return all rows, to stay there; None where they do not fit, or cannot be had whole."""
        if not self.at_hand:
            return None
        found = self._resident(self._arrays(names))
        return None if found is None else DevicePart(self.table.rows, found)

    @property
    def unweighted(self) -> bool:
        """Does every row count once? Rows that come block by block may not."""
        return self.at_hand and self.table.weights is None

    @property
    def at_hand(self) -> bool:
        """Can columns be had whole?"""
        return isinstance(self.table, Table)

    def _arrays(self, names: Sequence[str]) -> dict[str, Any]:
        table = self.table
        found: dict[str, Any] = {name: table.column(name) for name in names}
        if table.classes is not None:
            found[CLASSES] = table.classes
        if table.weights is not None:
            found[WEIGHTS] = table.weights
        return found

    @property
    def room(self) -> int:
        """Bytes that columns may take."""
        free = int(SHARE * self.device.room())
        return free if self.memory is None else min(free, self.memory)

    def _resident(self, arrays: dict[str, Any]) -> dict[str, Any] | None:
        with self.kept.lock:
            wanted = {name: a for name, a in arrays.items() if not isinstance(a, tuple)}
            missing = {name: a for name, a in wanted.items() if self.kept.find(a) is None}
            size = sum(len(a) * min(a.itemsize, 8) for a in missing.values())
            size += sum(part.nbytes for a in arrays.values() if isinstance(a, tuple) for part in a)
            if size > self.room:
                return None
            for array, there in zip(missing.values(), self._sent(list(missing.values())), strict=True):
                self.kept.keep(array, there)
                self.table.on_release.append(partial(self.kept.forget, id(array)))
            out = {name: self.kept.find(a) for name, a in wanted.items()}
        texts = {name: a for name, a in arrays.items() if isinstance(a, tuple)}
        return out | {name: tuple(self.device.put(part) for part in a) for name, a in texts.items()}

    def _sent(self, arrays: list[NDArray[Any]]) -> list[Any]:
        """Return arrays as they lie there: doubles that are all single floats as these. They go in pieces
        through one small buffer.
        """
        doubles = [a for a in arrays if a.dtype == np.float64]
        guess = [not _wider(a[:TILE]) for a in doubles]
        singles = [a for a, single in zip(doubles, guess, strict=True) if single]
        sent = self._singles(singles) if singles else []
        found = {id(a): there for a, there in zip(singles, sent, strict=True) if there is not None}
        return [found[id(a)] if id(a) in found else self.device.put(a) for a in arrays]

    def _singles(self, columns: list[NDArray[Any]]) -> list[Any]:
        """Return columns of doubles as single floats there, None where these are not the same numbers."""
        rows, groups = len(columns[0]), side_by_side(columns)
        there = [self.device.empty(rows, np.float32) for _ in columns]
        buffer = self.device.buffer((len(columns), min(PIECE, rows)), np.float32)
        exact = np.ones(len(columns), bool)

        def copy(start: int, first: int) -> NDArray[np.bool_]:
            some = slice(first, min(first + TILE, start + PIECE, rows))
            fits = np.empty(len(columns), bool)
            for group in groups:
                cells = group.matrix[some][:, group.cells]
                with np.errstate(over="ignore"):
                    single = cells.astype(np.float32)
                fits[group.which] = ((single == cells) | (cells != cells)).all(axis=0)
                buffer[group.which, first - start : some.stop - start] = single.T
            return fits

        for start in range(0, rows, PIECE):
            checkpoint()
            stop = min(start + PIECE, rows)
            jobs = (partial(copy, start, first) for first in range(start, stop, TILE))
            for fits in in_order(jobs, self.threads):
                exact &= fits
            for j in np.flatnonzero(exact).tolist():
                self.device.put(buffer[j, : stop - start], there[j][start:stop])
        return [array if fits else None for array, fits in zip(there, exact, strict=True)]

    def _in_parts(self, arrays: dict[str, Any]) -> Iterator[DevicePart]:
        """Yield parts in turn; every other one lies in the other lane, so that its copies need not wait."""
        table = self.table
        each = sum(min(a.itemsize, 8) for a in arrays.values() if not isinstance(a, tuple))
        each += sum(part.nbytes for a in arrays.values() if isinstance(a, tuple) for part in a) // table.rows
        step = max(self.room // 3 // max(each, 1), LEAST_PART)
        for i, start in enumerate(range(0, table.rows, step)):
            checkpoint()
            stop = min(start + step, table.rows)
            with self.device.use(lane=1 + i % 2):
                yield self._of_block(table.slice(start, stop), [n for n in arrays if n[0] != "\0"])
        self.device.wait()

    def _of_block(self, block: Block, names: Sequence[str]) -> DevicePart:
        found: dict[str, Any] = {}
        for name in names:
            kind = self.table.schema[name].kind
            if kind == "text":
                found[name] = tuple(self.device.put(part) for part in block.words(name))
            else:
                found[name] = self.device.put(block.values(name) if kind == "numeric" else block.codes(name))
        if block.classes is not None:
            found[CLASSES] = self.device.put(block.classes)
        if block.weights is not None:
            found[WEIGHTS] = self.device.put(block.weights)
        return DevicePart(block.rows, found)


def _wider(values: NDArray[np.float64]) -> bool:
    """Say whether some number is not a single float."""
    with np.errstate(over="ignore"):
        return not np.array_equal(values.astype(np.float32), values, equal_nan=True)


@dataclass(frozen=True)
class SideBySide:
    """Columns that lie in the rows of one matrix [row, cell]: which they are, and the cell of each."""

    which: NDArray[np.int64]
    matrix: NDArray[Any]
    cells: NDArray[np.int64]


def side_by_side(columns: Sequence[NDArray[Any]]) -> list[SideBySide]:
    """Return columns of one type as the matrices in which they lie; one that lies alone is a matrix too."""
    at = np.array([c.__array_interface__["data"][0] for c in columns], np.int64)
    cell, steps = columns[0].dtype.itemsize, [c.strides[0] for c in columns]
    groups: list[list[int]] = []
    for j in np.argsort(at, kind="stable").tolist():
        first = groups[-1][0] if groups else j
        apart = int(at[j] - at[first])
        beside = steps[j] == steps[first] and apart + cell <= steps[j] and not apart % cell
        if groups and beside and not steps[j] % cell:
            groups[-1].append(j)
        else:
            groups.append([j])
    out = []
    for group in groups:
        which, column = np.sort(np.array(group, np.int64)), columns[group[0]]
        cells = (at[which] - at[group[0]]) // cell
        shape, strides = (len(column), int(cells.max()) + 1), (column.strides[0], cell)
        matrix = np.lib.stride_tricks.as_strided(column, shape, strides, writeable=False)
        out.append(SideBySide(which, matrix, cells))
    return out
