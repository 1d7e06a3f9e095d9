"""The sums of naive Bayes on a device: counts by code, bin and word, and exact moments.

Knows what each statistic is the sum of, and which kernel adds it. Knows nothing of distributions.
Law: an answer is the total of zero, add and merge over all rows, bit for bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.engines.gpu.device import Device
from tallystick.engines.gpu.rows import DevicePart, DeviceRows
from tallystick.engines.local import Local
from tallystick.stats.bayes import Ask, BayesSums, Total, key, plus

BLOCKS = 8  # a processor has so many blocks of rows to choose from
AT_ONCE, PARTS = 2, 6  # as device/moments.hpp
LONG = 1 << 20  # the exponent that says: the long way
WINDOW = 400  # exponents beyond: squares would leave the range of doubles
THREAD_ROWS = 1 << 8  # rows of a stripe that a thread adds up before they are whole numbers
Counts = NDArray[np.int64]


def bayes_sums(rows: DeviceRows, question: BayesSums) -> Total:
    """Return class counts and the sums of each column; what the device cannot sum is summed here."""
    there = [i for i, ask in enumerate(question.asks) if _on_device(ask, rows)]
    here = [i for i in range(len(question.asks)) if i not in there]
    work = _DeviceSums(rows.device, question, there)
    for part in rows.parts(list(dict.fromkeys(question.asks[i].column for i in there))):
        work.add(part)
    total = work.total()
    if here:
        some = replace(question, asks=tuple(question.asks[i] for i in here))
        _join(total, Local(rows.threads).total(rows.table, some), question, here)
    return total


def _on_device(ask: Ask, rows: DeviceRows) -> bool:
    """Say whether a kernel sums this: moments of weighted rows and words in fixed point have none."""
    return ask.how in ("codes", "bins", "words", "once") or (ask.how == "moments" and rows.unweighted)


def _join(total: Total, found: Total, question: BayesSums, here: Sequence[int]) -> None:
    """Add the sums of some columns to those of all."""
    moments = [i for i, ask in enumerate(question.asks) if ask.how == "moments"]
    own = [moments.index(i) for i in here if i in moments]
    more = question.zero()
    for n, i in enumerate(here):
        for name in ("counts", "missing"):
            if key(n, name) in found:
                more[key(i, name)] = found[key(n, name)]
    for name in ("missing", "sums", "squares"):
        if name in found:
            more[name][own] = found[name]
    plus(total, more, 1)


def copies_in_block(device: Device, cells: int) -> int:
    """Return how many copies of a table a block keeps for itself; 0: it is too large."""
    return min(device.block_memory // (8 * cells), 8)


def blocks_for(device: Device, rows: int) -> int:
    """Return how many blocks share rows."""
    return min(device.processors * BLOCKS, -(-rows // device.threads))


def count_on_device(device: Device, part: DevicePart, cells: tuple[Any, int], table: Any) -> None:
    """Add the rows of a part to table[code, class]. cells: codes and their type; None: all rows have one."""
    codes, classes = (table.shape[0], table.shape[1]) if len(table.shape) == 2 else (1, table.shape[0])
    copies = copies_in_block(device, codes * classes)
    given = part.rows, *cells, *part.classes, part.weights, codes, classes, copies, table
    memory = 8 * copies * codes * classes
    device.launch("count_codes", blocks_for(device, part.rows), *given, memory=memory)


@dataclass
class _DeviceSums:
    """Totals on the device, and the kernels that add to them."""

    device: Device
    question: BayesSums
    there: list[int]
    tables: dict[str, Any] = field(default_factory=dict)
    found: list[_MomentParts] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.zero = self.question.zero()
        self.tables = {
            name: self.device.zeros(table.shape, np.int64)
            for name, table in self.zero.items()
            if name not in ("sums", "squares", "missing")
        }
        self.moments = [i for i in self.there if self.question.asks[i].how == "moments"]
        self.places = [i for i, ask in enumerate(self.question.asks) if ask.how == "moments"]

    def add(self, part: DevicePart) -> None:
        """Add the rows of a part."""
        self._count(part, (None, 0), self.tables[""])
        for i in self.there:
            ask = self.question.asks[i]
            if ask.how == "codes":
                cells = part.columns[ask.column], part.kind(ask.column)
                self._count(part, cells, self.tables[key(i, "counts")])
            elif ask.how == "bins":
                self._bins(part, ask, self.tables[key(i, "counts")])
            elif ask.how != "moments":
                self._words(part, ask, i)
        for kind in (0, 1):
            same = [i for i in self.moments if part.kind(self.question.asks[i].column) == kind]
            if same:
                self._add_moments(part, same, kind)

    def _count(self, part: DevicePart, cells: tuple[Any, int], table: Any) -> None:
        count_on_device(self.device, part, cells, table)

    def _bins(self, part: DevicePart, ask: Ask, table: Any) -> None:
        cuts, classes = self.device.put(np.array(ask.cuts, np.float64)), self.question.classes
        cells = (len(ask.cuts) + 2) * classes
        copies = copies_in_block(self.device, cells)
        self.device.launch(
            "count_bins", blocks_for(self.device, part.rows), part.rows, part.columns[ask.column],
            part.kind(ask.column), cuts, len(ask.cuts), *part.classes, part.weights, classes, copies, table,
            memory=8 * copies * cells,
        )  # fmt: skip

    def _words(self, part: DevicePart, ask: Ask, i: int) -> None:
        starts, words, counts = part.columns[ask.column]
        own = None if ask.how == "once" else counts
        table, missing = self.tables[key(i, "counts")], self.tables[key(i, "missing")]
        self.device.launch(
            "count_words", blocks_for(self.device, part.rows), part.rows, starts, words, own, *part.classes,
            part.weights, ask.size, self.question.classes, table, missing,
        )  # fmt: skip

    # ---- moments ----

    def _add_moments(self, part: DevicePart, asked: list[int], kind: int) -> None:
        device, classes, shape = self.device, self.question.classes, (len(asked), self.question.classes)
        columns = [part.columns[self.question.asks[i].column] for i in asked]
        exponents = [self._exponent(part, self.question.asks[i].column, kind) for i in asked]
        found = _MomentParts(
            asked,
            exponents,
            kind,
            device.zeros((*shape, PARTS, 2), np.int64),
            device.zeros(shape, np.int64),
            device.zeros((*shape, kernels.SUM_DIGITS), np.int64),
            device.zeros((*shape, kernels.SQUARE_DIGITS), np.int64),
        )
        addresses = device.put(np.array([device.address(c) for c in columns], np.int64))
        powers = device.put(np.array(exponents, np.int64))
        stripe = device.threads * THREAD_ROWS
        for first in range(0, classes, AT_ONCE):
            device.launch(
                "add_singles" if kind else "add_doubles", -(-part.rows // stripe), part.rows, len(columns),
                addresses, powers, *part.classes, first, classes, stripe, *found.arrays,
                memory=8 * AT_ONCE * (PARTS // 2 if kind else PARTS) * device.threads,
            )  # fmt: skip
        self.found.append(found)

    def _exponent(self, part: DevicePart, name: str, kind: int) -> int:
        """Return e of the least power 2^e above all sizes; `LONG` where squares would not be doubles."""
        column = part.columns[name]
        known = part.sizes.get(id(column))
        if known is None:
            bits = self.device.zeros(1, np.uint64)
            self.device.launch("largest", blocks_for(self.device, part.rows), part.rows, column, kind, bits)
            e = int(np.frexp(float(self.device.get(bits).view(np.float64)[0]))[1])
            known = part.sizes[id(column)] = e if -WINDOW < e < WINDOW else LONG
        return known

    def total(self) -> Total:
        """Return the totals, here."""
        out = self.zero
        for name, table in self.tables.items():
            out[name] = self.device.get(table)
        for found in self.found:
            found.add_to(out, self.device, self.places)
        return out


@dataclass(frozen=True)
class _MomentParts:
    """What the kernel leaves of a part, on the device: parts[column, class, part, 2], missing[column, class],
    and digits of what went the long way.
    """

    asked: list[int]
    exponents: list[int]
    kind: int
    parts: Any
    missing: Any
    sums: Any
    squares: Any

    @property
    def arrays(self) -> tuple[Any, ...]:
        """The arrays that the kernel adds to."""
        return self.parts, self.missing, self.sums, self.squares

    def add_to(self, total: Total, device: Device, places: list[int]) -> None:
        """Add to a total, where the moments of ask places[j] stand at j."""
        parts, missing, *digits = (device.get(array) for array in self.arrays)
        for n, i in enumerate(self.asked):
            j = places.index(i)
            total["missing"][j] += missing[n]
            for c in range(missing.shape[1]):
                first, second = self._whole(parts[n, c], [d[n, c] for d in digits], self.exponents[n])
                total["sums"][j, c] += kernels.digits_of(first, kernels.SUM_DIGITS)
                total["squares"][j, c] += kernels.digits_of(second, kernels.SQUARE_DIGITS)
        kernels.carry(total["sums"])
        kernels.carry(total["squares"])

    def _whole(self, parts: Counts, digits: list[Counts], e: int) -> tuple[int, int]:
        """Return the sum in units of 2^-1074 and the sum of squares in units of 2^-2148."""
        first, second = (sum(int(d) << 32 * i for i, d in enumerate(own.tolist()) if d) for own in digits)
        if e == LONG:
            return first, second
        sums, squares = (1, 2) if self.kind == 1 else (2, 4)
        whole = [low + (high << 32) for low, high in parts.tolist()]
        first += sum(whole[i] << e - 40 * (i + 1) + 1074 for i in range(sums))
        second += sum(whole[sums + i] << 2 * e - 40 * (i + 1) + 2148 for i in range(squares))
        return first, second
