"""The profile of a table's rows: a few questions to an engine, the same wherever the rows lie.

Knows tables, questions and models. Knows nothing of who sums.
Law: the profile is a function of the multiset of rows and the model. Values of numbers are exact order
statistics: equal cells between the lowest and the highest tell where each lies, then the values of those
cells are asked for.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Engine, Model, Table
from tallystick.data.schema import CODED, Column
from tallystick.models.profile import PERCENTS, AnswerProfile, ColumnProfile, Profile
from tallystick.stats.bayes import Ask, BayesSums, key
from tallystick.stats.distribution import Grid, Near, Spreads, cells_for, rows_up_to
from tallystick.stats.finer_cells import zoomed_where_crowded
from tallystick.stats.pair_tables import CellEnds
from tallystick.stats.profile import ANSWERS, TARGET, AnswerCounts, Instead, Untold

CELLS = 1 << 12  # of a column, at most: the counts of a few columns stay in the cache
TOGETHER = 256  # numeric columns that are asked for at once
Ends = tuple[str, float, float]  # a column with its lowest and highest number


def profile_of(table: Table, model: Model, engine: Engine) -> Profile:
    """Return what the rows of a table look like, and what the model learnt from them answers to them."""
    schema, found = table.schema, _coded(table, engine)
    ends = [
        (c.name, c.low, c.high)
        for c in schema.used
        if c.kind == "numeric" and c.low is not None and c.high is not None
    ]
    for start in range(0, len(ends), TOGETHER):
        found |= _numbers(table, engine, ends[start : start + TOGETHER])
    columns = tuple(found.get(c.name) or _empty(table) for c in schema.used)
    if schema.target is None:
        return Profile(columns)
    if schema.regression:
        own = _regression(table, model, engine)
        return Profile(columns, own[TARGET], own[ANSWERS])
    classes = len(schema.target.labels)
    told = engine.total(table, AnswerCounts(model, classes))
    answers = AnswerProfile(told.given, told.shares.reshape(classes, -1))
    return Profile(columns, ColumnProfile(told.classes, 0), answers)


def _empty(table: Table) -> ColumnProfile:
    """Return the profile of a numeric column without any value."""
    return ColumnProfile(np.zeros(0, np.int64), table.weight, np.zeros(0))


def _coded(table: Table, engine: Engine) -> dict[str, ColumnProfile]:
    """Return the columns of levels and of text."""
    coded: list[Column] = [c for c in table.schema.used if c.kind != "numeric"]
    if not coded:
        return {}
    asks = tuple(
        Ask(c.name, "codes", len(c.levels)) if c.kind in CODED else Ask(c.name, "once", len(c.words))
        for c in coded
    )
    sums = engine.total(table, Untold(BayesSums(asks, 1)))
    out = {}
    for i, column in enumerate(coded):
        counts = sums[key(i, "counts")].reshape(-1)
        if column.kind in CODED:
            out[column.name] = ColumnProfile(counts[:-1], int(counts[-1]))
        else:
            out[column.name] = ColumnProfile(counts, int(sums[key(i, "missing")].sum()))
    return out


def _regression(table: Table, model: Model, engine: Engine) -> dict[str, ColumnProfile]:
    """Return the numeric target, and what the model answers."""
    names = (TARGET, ANSWERS)
    ends = engine.total(table, Instead(model, CellEnds(names, ((), ()))))
    known = [(name, float(e[0, 0]), -float(e[1, 0])) for name, e in zip(names, ends, strict=True)]
    return _numbers(table, engine, known, model)


def _numbers(
    table: Table, engine: Engine, ends: list[Ends], model: Model | None = None
) -> dict[str, ColumnProfile]:
    """Return columns of numbers; with a model, its target and its answers in their place."""

    def asked(question: Any) -> Any:
        return engine.total(table, question if model is None else Instead(model, question))

    cells = min(cells_for(table.rows), CELLS)
    grids = tuple(Grid(name, low, high, cells) for name, low, high in ends)
    spreads = asked(Spreads(grids, (0,) * len(grids)))
    places, counts = zoomed_where_crowded(asked, grids, [spread.cells for spread in spreads], _cells_of)
    near = asked(Near(tuple(places), tuple(_cells_of(own) for own in counts)))
    out = {}
    for grid, own, values in zip(places, counts, near, strict=True):
        upto = rows_up_to(grid, own, values)
        kept = np.searchsorted(upto, _wanted(int(own.sum())), side="left")
        kept = kept[np.diff(kept, prepend=-1) > 0]  # they rise; np.unique would load masked arrays
        at = values.counts[kept]
        between = np.zeros(2 * len(kept) - 1, np.int64)
        between[::2] = at
        between[1::2] = (upto[kept] - at)[1:] - upto[kept][:-1]
        missing = table.weight - int(own.sum())
        out[grid.name] = ColumnProfile(between, missing, values.values[kept])
    return out


def _wanted(rows: int) -> NDArray[np.int64]:
    """Return the ranks, from 1, of the values at PERCENTS of so many rows."""
    return np.array([max(-(-rows * percent // 100), 1) for percent in PERCENTS], np.int64)


def _cells_of(cells: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return the cells in which the wanted ranks lie."""
    there = np.zeros(len(cells), bool)
    there[np.searchsorted(np.cumsum(cells), _wanted(int(cells.sum())), side="left")] = True
    return there
