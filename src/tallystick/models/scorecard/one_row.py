"""One row at a time, as fast as Python can: a dict of cells to points and shares, without a table on the way.

Knows the parts of a fitted card. Law: the shares are the bits that the same row gets in a table.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.errors import DataError
from tallystick.models.cells import reader_of
from tallystick.models.scorecard.axes import LevelAxis, RangeAxis
from tallystick.models.scorecard.model import ScorecardModel
from tallystick.models.scorecard.parts import LinePoints, PairPoints, WordPoints
from tallystick.models.tree.record import is_number

Points = list[float]
Line = Callable[[float], int]


class CardRow:
    """The card's parts, ready for single cells. `able` is False where a column needs more than one cell's
    value.
    """

    def __init__(self, model: ScorecardModel) -> None:
        self.model = model
        self.marks = {"": True} | dict.fromkeys(model.schema.marks, True)
        numbers = any(is_number(mark) for mark in model.schema.marks)  # such as -999: for the long way
        self.able = not numbers and not any(isinstance(part, WordPoints) for part in model.parts)
        if not self.able:
            return
        by_class = [model._by_class(part.points).tolist() for part in model.parts]
        self.base: Points = model.additive.base.tolist()
        used = dict.fromkeys(name for part in model.parts for name in part.columns)
        self.readers = [(name, reader_of(model.schema[name], self.marks)) for name in used]
        others = [c for c in model.schema.used if c.name not in used and c.kind != "text"]
        self.others = [(c.name, reader_of(c, self.marks)) for c in others]
        place = {name: i for i, name in enumerate(used)}
        self.lines: list[tuple[int, Line, list[Points]]] = []
        self.pairs: list[tuple[int, Line, int, Line, int, list[Points]]] = []
        for part, table in zip(model.parts, by_class, strict=True):
            if isinstance(part, LinePoints):
                self.lines.append((place[part.name], line_of(part.axis), table))
            elif isinstance(part, PairPoints):
                a, b = part.axis.first, part.axis.second
                self.pairs.append((place[a.name], line_of(a), place[b.name], line_of(b), b.size, table))

    def shares(self, row: Mapping[str, Any]) -> NDArray[np.float64] | None:
        """Return P(class | row) [class]; None where only a table can read the row, or say what it lacks."""
        if not self.able:
            return None
        try:
            cells = [read(row[name]) for name, read in self.readers]
            for name, read in self.others:  # they need not be there; if so, a table must read them
                if name in row:
                    read(row[name])
        except (KeyError, DataError):
            return None
        parts = [table[line(cells[i])] for i, line, table in self.lines]
        for i, first, j, second, wide, table in self.pairs:
            parts.append(table[first(cells[i]) * wide + second(cells[j])])
        scores = [math.fsum(points) for points in zip(self.base, *parts, strict=True)]
        return kernels.softmax(self.model.slope * np.array([scores])).reshape(-1)


def line_of(axis: RangeAxis | LevelAxis) -> Line:
    """Return what finds the line of a cell."""
    if isinstance(axis, LevelAxis):
        lines: list[int] = axis.lines.tolist()
        return lambda code: lines[int(code)]
    cuts, missing = list(axis.cuts), axis.known
    return lambda x: bisect_right(cuts, x) if x == x else missing
