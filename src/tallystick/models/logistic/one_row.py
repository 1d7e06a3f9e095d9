"""One row at a time, as fast as Python can: a dict of cells to shares, without a table on the way.

Knows the parts of a fitted model. Law: the shares are the bits that the same row gets in a table.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.schema import ABSENT, Column
from tallystick.errors import DataError, shown
from tallystick.models.cells import alias, read_number, written
from tallystick.models.logistic.model import LogisticModel
from tallystick.models.logistic.parts import Cells, Slope
from tallystick.models.tree.record import is_number

if TYPE_CHECKING:
    from tallystick.models.linear.model import LinearModel

Parts = tuple[float, ...]


class LogisticRow:
    """The model's parts, ready for single cells. `able` is False where a part needs more than one cell's
    value.
    """

    def __init__(self, model: LogisticModel | LinearModel) -> None:
        self.model = model
        self.marks = {"": True} | dict.fromkeys(model.schema.marks, True)
        numbers = any(is_number(mark) for mark in model.schema.marks)  # such as -999: for the long way
        self.able = all(isinstance(part, Slope | Cells) for part in model.answering) and not numbers
        self.base: Parts = tuple(model.centred_constant.tolist())
        self.slopes = [self._slope(p) for p in model.answering if isinstance(p, Slope)]
        self.cells = [self._levels(p) for p in model.answering if isinstance(p, Cells)]

    @staticmethod
    def _slope(part: Slope) -> tuple[str, float, Parts, Parts]:
        gone = np.zeros(len(part.slope)) if part.missing is None else part.missing
        return part.name, part.centre, tuple(part.slope.tolist()), tuple(gone.tolist())

    def _levels(self, part: Cells) -> tuple[Column, dict[Any, Parts], Parts]:
        column = self.model.schema[part.name]
        rows = [tuple(row) for row in part.weights.tolist()]
        known: dict[Any, Parts] = dict(zip(column.levels, rows, strict=False))
        return column, known, known.get(ABSENT, rows[-1])

    def shares(self, row: Mapping[str, Any]) -> NDArray[np.float64] | None:
        """Return P(class | row) [class]; None where only a table can read the row, or say what it lacks."""
        scores = self.scores(row)
        return None if scores is None else kernels.softmax(np.array([scores])).reshape(-1)

    def scores(self, row: Mapping[str, Any]) -> Sequence[float] | None:
        """Return the score of each class, of one link 0 and its own; None as `shares` does, and beyond all
        doubles, where each part is bounded.
        """
        if not self.able:
            return None
        try:
            found = self._one_link(row) if len(self.base) == 1 else self._links(row)
        except (KeyError, DataError):
            return None
        return found if math.isfinite(sum(found)) else None

    def _one_link(self, row: Mapping[str, Any]) -> Parts:
        score = self.base[0]
        for name, centre, (slope,), (gone,) in self.slopes:
            cell = row[name]
            z = (cell if type(cell) is float else self._number(name, cell)) - centre
            if z - z == 0.0:
                score += slope * z
            else:
                self._refuse_infinite(name, z)
                score += gone
        for column, known, missing in self.cells:
            cell = row[column.name]
            score += self._level(column, known, missing, cell)[0]
        return 0.0, score

    def _links(self, row: Mapping[str, Any]) -> list[float]:
        scores = list(self.base)
        for name, centre, slope, gone in self.slopes:
            cell = row[name]
            z = (cell if type(cell) is float else self._number(name, cell)) - centre
            if z - z == 0.0:
                scores = [s + t * z for s, t in zip(scores, slope, strict=True)]
            else:
                self._refuse_infinite(name, z)
                scores = [s + t for s, t in zip(scores, gone, strict=True)]
        for column, known, missing in self.cells:
            found = self._level(column, known, missing, row[column.name])
            scores = [s + t for s, t in zip(scores, found, strict=True)]
        return scores

    def _number(self, name: str, cell: Any) -> float:
        """Return a cell as a double; NaN when it is missing."""
        number = read_number(self.model.schema[name], cell, self.marks)
        return math.nan if number is None else number

    @staticmethod
    def _refuse_infinite(name: str, z: float) -> None:
        if z == z:
            raise DataError(f"column {shown(name)} is infinite.")  # a table says what to do

    def _level(self, column: Column, known: dict[Any, Parts], missing: Parts, cell: Any) -> Parts:
        """Return the weights of a cell of a coded column: 0 for unseen levels."""
        plain = type(cell) is str or type(cell) is int  # True is not 1 here, so others are written first
        if plain and cell in known:
            return known[cell]
        text = written(cell, column.name)
        if text is None or text in self.marks or text in column.marks:
            return missing
        if text not in known:
            text = alias(text, column)
        found = known.get(text, (0.0,) * len(self.base))
        if plain and len(known) < 10_000:
            known[cell] = found  # the same cell comes again
        return found
