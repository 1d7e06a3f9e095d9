"""Distinct rows as the search takes them: codes by column, in the order in which equal tests are taken.

Knows totals of distinct rows. Knows nothing of losses or of the search.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tallystick.data.schema import CODED, Schema
from tallystick.kernels.optimal import SearchColumn
from tallystick.stats.distinct_rows import RowCells, groups_of

__all__ = ["Points"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Points:
    """classes[row], weights[row] in units of the table. numbers[at]: the column's position in `schema.used`,
    of the at-th column by name; values[at][code] of numbers, empty for levels.
    """

    schema: Schema
    classes: Ints
    weights: Ints
    groups: Ints  # [row]: rows of one group differ in their class alone
    numbers: tuple[int, ...]
    columns: tuple[SearchColumn, ...]
    values: tuple[NDArray[np.float64], ...]

    @classmethod
    def of(cls, schema: Schema, columns: tuple[int, ...], found: RowCells) -> Points:
        """Return the rows of a total that was asked for with these columns."""
        by_name = sorted(range(len(columns)), key=lambda at: schema.used[columns[at]].name.encode())
        coded = [_coded(schema, columns[at], found.cells[:, at]) for at in by_name]
        return cls(
            schema,
            found.cells[:, -1].astype(np.int64),
            found.weights,
            groups_of(found.cells[:, :-1]),
            tuple(columns[at] for at in by_name),
            tuple(column for column, _ in coded),
            tuple(values for _, values in coded),
        )

    @cached_property
    def counts(self) -> Ints:
        """The weight of each class."""
        out = np.zeros(len(self.schema.predicted.labels), np.int64)
        np.add.at(out, self.classes, self.weights)
        return out

    def floor(self, loss: Ints) -> Ints:
        """Return what no tree saves of loss[row, answer], at the first row of each group: equal rows get one
        answer.
        """
        _, first = np.unique(self.groups, return_index=True)
        together = np.zeros((len(first), loss.shape[1]), np.int64)
        np.add.at(together, self.groups, loss)
        out = np.zeros(len(loss), np.int64)
        out[first] = together.min(axis=1)
        return out


def _coded(schema: Schema, j: int, cells: NDArray[np.uint64]) -> tuple[SearchColumn, NDArray[np.float64]]:
    """Return a column as codes, missing last, and the numbers they stand for."""
    column = schema.used[j]
    if column.kind in CODED:
        codes = np.minimum(cells, len(column.levels)).astype(np.uint32)
        return SearchColumn(column.kind == "levels", len(column.levels), codes), np.empty(0)
    given = np.ascontiguousarray(cells).view(np.float64)
    lost = np.isnan(given)
    values, place = np.unique(given[~lost], return_inverse=True)
    codes = np.full(len(given), len(values), np.uint32)
    codes[~lost] = place
    return SearchColumn(False, len(values), codes), values
