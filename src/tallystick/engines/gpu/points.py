"""The sums of logistic regression on a device: loss, gradient and curvature at given weights.

Knows how a design reads columns, and how sums of products are shared out among threads. Knows nothing of
solvers. Law: an answer is the total of zero, add and merge over all rows, bit for bit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.engines.gpu.device import Device
from tallystick.engines.gpu.rows import DevicePart, DeviceRows
from tallystick.engines.gpu.sums import count_on_device
from tallystick.kernels import Curvature
from tallystick.models.logistic.design import Dense, Factor
from tallystick.stats.gradients import Copies, LogisticSums, NewtonSums, RowFacts, RowTotals, Sides, Total

BLOCKS = 3  # of a processor at the same time
TILE = 7  # 2^7 rows are taken through all steps at once, where they fit
LEAST_TILE = 3
HASHED = 3  # columns that choose rows, as pick_rows in src/kernels/logistic/words.hpp
FEW = 128  # columns of a tile, cells among them: beyond, rows add to cells one by one
SQUARES = (Curvature.PAIRS, Curvature.GRAM, Curvature.OWN)
NO_FACTOR = (0, 0, -1)
TOP = np.uint64(1 << 63)
Whole = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PointAsk:
    """Columns and weights of a question, whoever asks it. codes: (name, first cell) of coded columns."""

    dense: tuple[Dense, ...]
    codes: tuple[tuple[str, int], ...]
    cells: int
    scaling: NDArray[np.float64]
    theta: NDArray[np.float64]
    bits: int
    copies: Copies
    curvature: Curvature

    @property
    def links(self) -> int:
        """One for two classes, else one per class."""
        return int(self.theta.shape[1])

    @property
    def weights(self) -> int:
        """How many weights a row has in the curvature."""
        if self.curvature == Curvature.NONE:
            return 0
        if self.curvature in (Curvature.GRAM, Curvature.DIAGONAL) or self.links == 1:
            return 1
        return self.links if self.curvature == Curvature.OWN else self.links * (self.links - 1) // 2


def logistic_sums(rows: DeviceRows, question: LogisticSums) -> Total | None:
    """Return loss, gradient and curvature; None with words."""
    if question.texts or not rows.table.rows:
        return None
    asked = asked_by(question)
    tiles = PointTiles.of(asked, rows.device)
    if tiles is None:
        return None
    total = question.zero()
    sums = total.sums
    there = [rows.device.zeros(a.shape, np.int64) for a in (sums.loss, sums.gradient, sums.squares)]
    for part in rows.parts([name for name, _ in question.design.columns]):
        chosen = None if question.every == 1 else chosen_rows(rows, part, asked, question.every)
        tiles.add(rows.device, part, asked, there, chosen)
    for here, found in zip((sums.loss, sums.gradient, sums.squares), there, strict=True):
        here += rows.device.get(found)
    return total


@dataclass(frozen=True)
class PartSample:
    """Some rows of a part: rows[0 .. count] on the device; by: what they were chosen by."""

    by: tuple[Any, ...]
    rows: Any
    count: int


def chosen_rows(rows: DeviceRows, part: DevicePart, asked: PointAsk, every: int) -> PartSample:
    """Return about one row in `every`, those of `kernels.sample_rows`; the rows of a whole table are kept."""
    device, dense = rows.device, asked.dense[:HASHED]
    codes = asked.codes[: HASHED - len(dense)]
    by = id(rows.table), every, dense, codes
    whole, known = part.rows == rows.table.rows, rows.kept.arrays.get(hash(by))
    if whole and isinstance(known, PartSample) and known.by == by:
        return known
    count, found = device.zeros(1, np.uint32), device.empty(part.rows, np.uint32)
    sources, coded = _places(device, part, dense, codes)
    blocks = min(device.processors * 8, -(-part.rows // device.threads))
    given = len(dense), device.put(sources), len(codes), device.put(coded)
    device.launch("choose_rows", blocks, part.rows, *given, every, count, found)
    number = int(device.get(count)[0])
    if not whole:
        return PartSample(by, found, number)
    room = device.empty(max(number, 1), np.uint32)
    room[:] = found[: max(number, 1)]
    rows.kept.arrays[hash(by)] = PartSample(by, room, number)
    rows.kept.keep_for(rows.table, partial(rows.kept.forget, hash(by)))
    return PartSample(by, room, number)


def newton_sums(rows: DeviceRows, question: NewtonSums) -> Total | None:
    """Return the sums at the next point of Newton's method."""
    return logistic_sums(rows, question.question)


def sides(rows: DeviceRows, question: Sides) -> tuple[Floats, Floats] | None:
    """Return between which scores the classes lie; None where classes are too many for a block."""
    device, d, thetas = rows.device, question.design, np.stack(question.directions)
    directions, parameters, links = thetas.shape
    memory = 8 * links * device.threads
    if not rows.table.rows or memory > device.block_memory:
        return None
    empty = question.zero()
    there = [device.put(_ordered(ends)) for ends in empty]
    codes = [(c.column.name, c.start) for c in d.coded]
    for part in rows.parts([name for name, _ in d.columns]):
        sources, coded = _places(device, part, d.dense, codes)
        blocks = min(device.processors * 8, -(-part.rows // device.threads))
        device.launch(
            "widen_sides", blocks, part.rows, len(d.dense), len(codes), links, parameters,
            device.put(sources), device.put(question.scaling), device.put(coded), *part.classes, part.weights,
            directions, device.put(thetas), *there, memory=memory,
        )  # fmt: skip
    found = [_doubles(device.get(ends)) for ends in there]
    return found[0], found[1]


def _ordered(numbers: Floats) -> NDArray[np.uint64]:
    """Return doubles as whole numbers of the same order, as device/logistic.hpp."""
    bits = np.ascontiguousarray(numbers).view(np.uint64)
    return np.where(bits >> np.uint64(63), ~bits, bits | TOP)


def _doubles(ordered: NDArray[np.uint64]) -> Floats:
    """Return what `_ordered` was given."""
    return np.where(ordered & TOP, ordered ^ TOP, ~ordered).view(np.float64)


def row_facts(rows: DeviceRows, question: RowFacts) -> RowTotals | None:
    """Return how many rows each class has; None with words."""
    if question.design.texts or not rows.table.rows:
        return None
    total, device = question.zero(), rows.device
    table = device.zeros(question.classes, np.int64)
    for part in rows.parts([]):
        count_on_device(device, part, (None, 0), table)
        heaviest = 1
        if part.weights is not None:
            bits = device.zeros(1, np.uint64)
            device.launch("heaviest", device.processors, part.rows, part.weights, bits)
            heaviest = int(device.get(bits)[0])
        total.heaviest[0] = max(int(total.heaviest[0]), heaviest)
    total.classes += device.get(table)
    return total


def asked_by(question: LogisticSums) -> PointAsk:
    """Return what a question asks of columns."""
    design = question.design
    codes = tuple((c.column.name, c.start) for c in design.coded)
    return PointAsk(
        design.dense,
        codes,
        design.cells,
        question.scaling,
        question.theta,
        question.bits,
        question.copies,
        question.curvature,
    )


@dataclass(frozen=True)
class PointTiles:
    """How rows go through the kernel: 2^shift at a time; tasks[n, 3] are shared out among blocks that read
    the same rows, `each` to a block. hot: cells are columns of the tile.
    """

    shift: int
    hot: bool
    tasks: Whole
    each: int
    memory: int

    @classmethod
    def of(cls, asked: PointAsk, device: Device) -> PointTiles | None:
        """Return the tiles of a question; None where a tile of a few rows does not fit."""
        columns = 1 + len(asked.dense)
        hot = bool(asked.codes) and columns + asked.cells <= FEW
        columns += asked.cells if hot else 0
        residuals = -(-columns // 4) * 4
        weight = residuals + -(-asked.links // 4) * 4
        copies = weight + asked.weights + asked.links
        pitch = copies // 4 * 4 + (2 if copies % 4 < 2 else 6)  # as device/logistic.hpp
        shift = min(TILE, int(math.log2(max(device.block_memory // (8 * pitch), 1))))
        if shift < LEAST_TILE:
            return None
        tasks = _tasks(asked, residuals, weight)
        passes = -(-len(tasks) // device.threads)
        each = -(-len(tasks) // max(passes, 1))
        return cls(shift, hot, tasks, each, max(8 * pitch << shift, 24 * device.threads))

    def add(
        self, device: Device, part: DevicePart, asked: PointAsk, there: list[Any], chosen: PartSample | None
    ) -> None:
        """Add the rows of a part, or those that are chosen, to loss, gradient and squares on the device."""
        sources, codes = _places(device, part, asked.dense, asked.codes)
        factor = asked.copies.by_class
        passes = -(-len(self.tasks) // self.each)
        rows = part.rows if chosen is None else chosen.count
        device.launch(
            "logistic_sums",
            passes * min(device.processors * BLOCKS, -(-rows // (1 << self.shift))),
            rows,
            None if chosen is None else chosen.rows,
            len(asked.dense),
            len(asked.codes),
            asked.cells,
            asked.links,
            device.put(sources),
            _plain(sources),
            device.put(asked.scaling),
            device.put(codes),
            *part.classes,
            None if factor is None else device.put(factor),
            part.weights,
            0.0 if asked.copies.whole else float(asked.copies.unit * asked.copies.heaviest),
            device.put(asked.theta),
            1.5 * 2.0 ** (52 - asked.bits),
            int(asked.curvature),
            int(self.hot),
            self.shift,
            device.put(self.tasks),
            len(self.tasks),
            self.each,
            passes,
            *there,
            memory=self.memory,
        )


def _tasks(asked: PointAsk, residuals: int, weight: int) -> Whole:
    """Return places (weight, j, k) in a tile's row: a thread sums four columns j by four columns k. The
    constant, at 0, is the weight of residuals.
    """
    starts, found = range(0, residuals, 4), []
    if asked.curvature == Curvature.DIAGONAL:
        found = [(weight, j, j) for j in starts]
    elif asked.curvature in SQUARES:
        found = [(weight + q, j, k) for q in range(asked.weights) for j in starts for k in starts if k <= j]
    if asked.curvature != Curvature.GRAM:
        links = 1 if asked.curvature == Curvature.DIAGONAL else asked.links
        found += [(0, residuals + link, k) for link in range(0, links, 4) for k in starts]
    return np.array(found, np.int64)


def _places(
    device: Device, part: DevicePart, dense: Sequence[Dense], codes: Sequence[tuple[str, int]]
) -> tuple[Whole, Whole]:
    """Return where columns lie, as device/logistic.hpp takes them: [dense, 7] and [coded, 3]."""
    sources = [_source(device, part, d) for d in dense]
    coded = [(device.address(part.columns[name]), part.kind(name), start) for name, start in codes]
    return np.array(sources, np.int64).reshape(-1, 7), np.array(coded, np.int64).reshape(-1, 3)


def _source(device: Device, part: DevicePart, column: Dense) -> tuple[int, ...]:
    """Return where a dense column lies, as device/logistic.hpp takes it: its factors, and missing."""
    factors = [_factor(device, part, f) for f in column.factors]
    return (*factors[0], *(factors[1] if len(factors) > 1 else NO_FACTOR), int(column.missing))


def _factor(device: Device, part: DevicePart, factor: Factor) -> tuple[int, int, int]:
    code = -1 if factor.code is None else factor.code
    return device.address(part.columns[factor.column]), part.kind(factor.column), code


def _plain(sources: Whole) -> int:
    """Return 1 where all columns are doubles as they lie, 2 for singles, else 0."""
    alone = (sources[:, 2] < 0).all() and not sources[:, 3].any() and not sources[:, 6].any()
    kinds = set(sources[:, 1].tolist())
    return 1 + kinds.pop() if alone and len(kinds) == 1 else 0
