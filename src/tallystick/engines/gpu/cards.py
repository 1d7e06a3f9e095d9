"""The sums of a scorecard on a device: on which line a row stands is found on the processor once for each
axis, and stays there; rows per line, loss, gradient and curvature are summed there.

Knows axes and the kernels of counts and of logistic regression. Knows nothing of strengths or rounding.
Law: an answer is the total of zero, add and merge over all rows, bit for bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.data.threads import in_order
from tallystick.engines.gpu.points import PointAsk, PointTiles
from tallystick.engines.gpu.rows import CLASSES, WEIGHTS, DevicePart, DeviceRows
from tallystick.engines.gpu.sums import count_on_device
from tallystick.kernels import Sums
from tallystick.models.scorecard.axes import Axis
from tallystick.stats.cards import ALL_ROWS, NO_SCALING, CardSums, LineCounts, RowSample, sampled

Whole = NDArray[np.int64]


def card_sums(rows: DeviceRows, question: CardSums) -> Sums | None:
    """Return loss, gradient and curvature; None where the card has more lines than a tile has columns."""
    codes = tuple((str(i), start) for i, start in enumerate(question.layout.starts))
    own = question.bits, question.copies, question.curvature
    asked = PointAsk((), codes, question.layout.lines, NO_SCALING, question.theta, *own)
    tiles = PointTiles.of(asked, rows.device)
    part = None if tiles is None or not tiles.hot else _lines(rows, question.layout.axes, question.sample)
    if tiles is None or part is None:
        return None
    total = question.zero()
    places = total.loss, total.gradient, total.squares
    there = [rows.device.zeros(place.shape, np.int64) for place in places]
    tiles.add(rows.device, part, asked, there, None)
    for here, found in zip(places, there, strict=True):
        here += rows.device.get(found)
    return total


def line_counts(rows: DeviceRows, question: LineCounts) -> Whole | None:
    """Return what the rows on each line weigh, by class."""
    part = _lines(rows, question.layout.axes, ALL_ROWS)
    if part is None:
        return None
    out, device = question.zero(), rows.device
    for i in range(len(question.layout.axes)):
        place = question.layout.part(i)
        table = device.zeros((place.stop - place.start, question.classes), np.int64)
        count_on_device(device, part, (part.columns[str(i)], part.kind(str(i))), table)
        out[place] = device.get(table)
    return out


@dataclass
class CardLines:
    """What a device keeps of the rows of a table that are in a sample: their numbers, None for all of them;
    lines[axis], classes and weights there.
    """

    rows: Whole | None
    columns: dict[str, Any]
    lines: dict[Axis, Any] = field(default_factory=dict)


def _lines(rows: DeviceRows, axes: Sequence[Axis], sample: RowSample) -> DevicePart | None:
    """Return rows as their lines, in columns named by the places of the axes; None where they do not fit, or
    cannot be had whole.
    """
    table = rows.table
    if not rows.at_hand or not table.rows or len(axes) * table.rows * 2 > rows.room:
        return None
    key = id(table), sample
    if key not in rows.kept.cards:
        rows.kept.cards[key] = _begun(rows, sample)
        rows.kept.keep_for(table, partial(rows.kept.cards.pop, key, None))
    known: CardLines = rows.kept.cards[key]
    block = table.slice(0, table.rows)
    missing = [axis for axis in dict.fromkeys(axes) if axis not in known.lines]
    found = in_order((partial(axis.codes, block) for axis in missing), rows.threads)
    for axis, codes in zip(missing, found, strict=True):
        known.lines[axis] = rows.device.put(codes if known.rows is None else codes[known.rows])
    count = table.rows if known.rows is None else len(known.rows)
    columns = {str(i): known.lines[axis] for i, axis in enumerate(axes)}
    return DevicePart(count, known.columns | columns)


def _begun(rows: DeviceRows, sample: RowSample) -> CardLines:
    table = rows.table
    own = None if sample.every == 1 else sampled(table.slice(0, table.rows), sample)[0]
    columns = {}
    for name, array in ((CLASSES, table.classes), (WEIGHTS, table.weights)):
        if array is not None:
            columns[name] = rows.device.put(array if own is None else array[own])
    return CardLines(own, columns)
