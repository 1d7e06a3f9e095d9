"""One row at a time, as fast as Python can: a dict of cells to shares, without a table on the way.

Knows the terms of a fitted model. Law: the shares are the bits that the same row gets in a table.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.schema import Column
from tallystick.errors import DataError, shown
from tallystick.models.additive import BinTerm, LevelTerm, LinearTerm, NormalTerm, Term
from tallystick.models.cells import level_reader, read_number
from tallystick.models.naive_bayes.model import NaiveBayesModel
from tallystick.models.tree.record import is_number

Parts = list[float]
Read = Callable[[Any], Parts | None]  # None: the cell adds nothing


class BayesRow:
    """The model's terms, ready for single cells. `able` is False where a column needs more than one cell's
    value.
    """

    def __init__(self, model: NaiveBayesModel) -> None:
        self.model = model
        self.base: Parts = model.additive.base.tolist()
        self.marks = {"": True} | dict.fromkeys(model.schema.marks, True)
        columns = [model.schema[t.column] for t in model.additive.terms]
        readers = [self._reader(t, c) for t, c in zip(model.additive.terms, columns, strict=True)]
        numbers = any(is_number(mark) for mark in model.schema.marks)  # such as -999: for the long way
        self.able = all(r is not None for r in readers) and not numbers
        self.readers = [(c.name, r) for c, r in zip(columns, readers, strict=True) if r is not None]

    def shares(self, row: Mapping[str, Any]) -> NDArray[np.float64] | None:
        """Return P(class | row) [class]; None where only a table can read the row, or say what it lacks."""
        if not self.able:
            return None
        scores = self.base
        try:
            for name, read in self.readers:
                parts = read(row[name])
                if parts is not None:
                    scores = [a + b for a, b in zip(scores, parts, strict=True)]
        except (KeyError, DataError):
            return None
        table = np.array([scores])
        c = self.model.calibration
        if c is not None:
            table = c.slope * table + np.array(c.shift)
        lost = table.max() == -math.inf
        shares: NDArray[np.float64] = (
            self.model.calibrated.shares(table)[0] if lost else kernels.softmax(table)
        )
        return shares.reshape(-1)

    def _reader(self, term: Term, column: Column) -> Read | None:
        if isinstance(term, LevelTerm):
            *own, _, unseen = term.table.tolist()
            return level_reader(column, self.marks, [*own, None, unseen])
        if isinstance(term, BinTerm):
            cuts: list[float] = term.cuts.tolist()
            table: list[Parts] = term.table.tolist()
            return self._number(column, lambda x: table[bisect_right(cuts, x)])
        if isinstance(term, NormalTerm):
            triples = list(zip(term.constant.tolist(), term.mean.tolist(), term.half.tolist(), strict=True))
            return self._number(column, lambda x: [k - (x - m) * (x - m) * h for k, m, h in triples])
        if isinstance(term, LinearTerm):
            return None  # two additions per row in a table: not worth a way of its own
        return None

    def _number(self, column: Column, parts: Callable[[float], Parts]) -> Read:
        marks = self.marks

        def read(cell: Any) -> Parts | None:
            if type(cell) is not float:
                number = read_number(column, cell, marks)
                if number is None:
                    return None
                cell = number
            if cell != cell:
                return None
            if cell in (math.inf, -math.inf):
                raise DataError(f"column {shown(column.name)} is infinite.")  # a table says what to do
            return parts(cell + 0.0)

        return read
