"""What a scorecard asks of a database: rows on each of its lines, and rows by all of their lines.

    ranges and levels --GROUP BY line, class--> what the rows on each line weigh
    lines of all columns, packed into whole numbers --GROUP BY--> the rows that a card cannot tell apart, once

A database's exp is not ours, so loss, gradient and curvature are summed here, of those groups: no value of a
number and no text is among them. Knows the questions of scorecards.
Law: a group is a row with a weight, so the total is that of `add` over all rows, bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Statistic
from tallystick.data.table.block import code_type
from tallystick.data.table.table import Table
from tallystick.engines.local import Local
from tallystick.engines.sql.table import SqlTable, class_counts, numbers
from tallystick.engines.sql.words import place_among
from tallystick.models.scorecard.axes import Axis, LevelAxis, PairAxis, RangeAxis
from tallystick.models.scorecard.model import ScorecardModel
from tallystick.models.scorecard.parts import LinePoints, PairPoints
from tallystick.stats.cards import CardSums, LineCounts, PairResiduals, RowVariety
from tallystick.stats.gradients import RowFacts, RowTotals
from tallystick.stats.profile import AnswerCounts, AnswerSums

PACKED = 1 << 62  # whole numbers of 64 bits hold lines up to here
Singles = dict[str, RangeAxis | LevelAxis]


def row_facts(table: SqlTable, question: RowFacts) -> RowTotals | None:
    """Return the rows of each class, and the heaviest weight."""
    if question.design.texts:
        return None
    total = question.zero()
    y, heavy = class_counts(table)
    np.add.at(total.classes, y, heavy)
    total.heaviest[0] = 1
    if table.weighed is not None:
        found = table.query(f"SELECT CAST(MAX(w) AS BIGINT) AS w FROM ({table.rows_of([])}) AS r")
        total.heaviest[0] = int(found["w"][0].as_py())
    return total


def line_counts(table: SqlTable, question: LineCounts) -> NDArray[np.int64] | None:
    """Return what the rows on each line weigh, by class: of single columns a sum by line there."""
    axes = question.layout.axes
    if not all(isinstance(axis, RangeAxis | LevelAxis) for axis in axes):
        return summed_by_lines(table, question, axes)  # type: ignore[no-any-return]
    total = question.zero()
    names = [axis.name for axis in axes]
    cells = ["y", "w", *(f"{_cell(axis, f'c{j}')} AS k{j}" for j, axis in enumerate(axes))]
    query = table.words.layer(table.rows_of(names), cells)
    for j, group in enumerate(table.groups(query, [[f"k{j}"] for j in range(len(axes))])):
        axis, keys = axes[j], group.keys[0].astype(np.int64)
        lines = keys if isinstance(axis, RangeAxis) else axis.lines[keys]  # type: ignore[union-attr]
        np.add.at(total[question.layout.part(j)], (lines, group.classes.astype(np.int64)), group.weights)
    return total


def _cell(axis: Axis, cell: str) -> str:
    """Return what a column is grouped by: the line of a number, the code of a level."""
    if isinstance(axis, RangeAxis):
        return place_among(cell, np.array(axis.cuts, float), at=True, missing=len(axis.cuts) + 1)
    return cell


# ---- rows by all of their lines ----


@dataclass(frozen=True)
class LineRows:
    """The rows that the lines of some columns cannot tell apart, each group a row with a weight. A number
    stands for its line: it is the cut at which the line begins.
    """

    cuts: Mapping[str, tuple[float, ...]]  # by column; of levels none
    rows: Table

    def tell(self, axes: Iterable[Axis]) -> bool:
        """Do lines of these axes follow from those that the rows are grouped by?"""
        return all(
            name in self.cuts and (not isinstance(axis, RangeAxis) or set(axis.cuts) <= set(self.cuts[name]))
            for name, axis in _singles(axes).items()
        )


def _singles(axes: Iterable[Axis]) -> Singles:
    """Return the columns of some axes, each with all of its cuts."""
    out: Singles = {}
    for axis in axes:
        for one in (axis.first, axis.second) if isinstance(axis, PairAxis) else (axis,):
            assert isinstance(one, RangeAxis | LevelAxis)
            before = out.get(one.name)
            if isinstance(one, RangeAxis) and isinstance(before, RangeAxis):
                one = RangeAxis(one.name, tuple(sorted({*one.cuts, *before.cuts})))
            out[one.name] = one
    return out


def summed_by_lines(table: SqlTable, question: Statistic[Any], axes: Iterable[Axis]) -> Any:
    """Return the total of a question that asks for nothing but the lines of some axes."""
    axes = tuple(axes)
    if table.by_lines is None or not table.by_lines.tell(axes):
        table.by_lines = _grouped(table, _singles(axes))
    return Local().total(table.by_lines.rows, question)


def _grouped(table: SqlTable, axes: Singles) -> LineRows:
    """Ask for all lines of the rows at once."""
    sizes = [len(table.schema.predicted.labels), *(_size(table, axis) for axis in axes.values())]
    cells = ["y", *(f"({_cell(axis, f'c{j}')})" for j, axis in enumerate(axes.values()))]
    runs = _runs(sizes)
    packed = [f"{_packed(cells[a:b], sizes[a:b])} AS p{i}" for i, (a, b) in enumerate(runs)]
    query = table.words.layer(table.rows_of(list(axes)), ["w", *packed])
    keys = ", ".join(f"p{i}" for i in range(len(runs)))
    weight = "INTEGER" if table.weight < 1 << 31 else "BIGINT"
    found = table.query(f"SELECT {keys}, CAST(SUM(w) AS {weight}) AS w FROM ({query}) AS r GROUP BY {keys}")
    codes: list[NDArray[np.int64]] = []
    for i, (a, b) in enumerate(runs):
        left, own = numbers(found[f"p{i}"]).astype(np.int64), []
        for size in reversed(sizes[a:b]):
            left, code = np.divmod(left, size)
            own.append(code)
        codes += reversed(own)
    told = zip(axes.values(), codes[1:], strict=True)
    columns = {axis.name: _stands(table, axis, code) for axis, code in told}
    heavy = numbers(found["w"]).astype(np.int64)
    rows = Table(table.schema, columns, len(heavy), classes=table.classes_from(codes[0]), weights=heavy)
    cuts = {name: axis.cuts if isinstance(axis, RangeAxis) else () for name, axis in axes.items()}
    return LineRows(cuts, rows)


def _size(table: SqlTable, axis: RangeAxis | LevelAxis) -> int:
    return axis.size if isinstance(axis, RangeAxis) else len(table.schema[axis.name].levels) + 1


def _runs(sizes: Sequence[int]) -> list[tuple[int, int]]:
    """Return which neighbours are packed into one whole number, as (first, after the last)."""
    out, start = [], 0
    for end in range(1, len(sizes) + 1):
        if prod(sizes[start:end]) > PACKED:
            out.append((start, end - 1))
            start = end - 1
    return [*out, (start, len(sizes))]


def _packed(cells: Sequence[str], sizes: Sequence[int]) -> str:
    """Return several codes as one whole number."""
    out = f"CAST({cells[0]} AS BIGINT)"
    for cell, size in zip(cells[1:], sizes[1:], strict=True):
        out = f"({out} * {size} + {cell})"
    return out


def _stands(table: SqlTable, axis: RangeAxis | LevelAxis, codes: NDArray[np.int64]) -> NDArray[Any]:
    """Return cells that lie on the lines of these codes."""
    if isinstance(axis, LevelAxis):
        return codes.astype(code_type(len(table.schema[axis.name].levels)))
    first = np.nextafter(axis.cuts[0], -np.inf) if axis.cuts else 0.0
    return np.array([first, *axis.cuts, np.nan])[codes]


def card_sums(table: SqlTable, question: CardSums) -> Any:
    """Return loss, gradient and curvature."""
    return summed_by_lines(table, question, (*question.layout.axes, *question.sample.axes))


def pair_residuals(table: SqlTable, question: PairResiduals) -> Any:
    """Return what is left on the lines of pairs."""
    every = (*question.layout.axes, *question.coarse, *question.sample.axes)
    return summed_by_lines(table, question, every)


def row_variety(table: SqlTable, question: RowVariety) -> Any:
    """Return how far rows differ."""
    return summed_by_lines(table, question, question.axes)


def card_answers(table: SqlTable, question: AnswerCounts, model: ScorecardModel) -> AnswerSums | None:
    """Return what a card answers to the rows: it depends on nothing but their lines."""
    axes = [part.axis for part in model.parts if isinstance(part, LinePoints | PairPoints)]
    return summed_by_lines(table, question, axes)  # type: ignore[no-any-return]
