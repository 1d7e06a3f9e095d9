"""The profile of a table's rows: a few questions to an engine, the same wherever the rows lie.

Knows tables, questions and models. Knows nothing of who sums.
Law: the profile is a function of the multiset of rows and the model. Values of numbers are exact order
statistics: equal cells between the lowest and the highest tell where each lies, then the values of those
cells are asked for.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tallystick import methods
from tallystick.contracts import Engine, Model, Table
from tallystick.data.schema import CODED, Column, Schema
from tallystick.models.profile import AnswerProfile, ColumnProfile, Profile
from tallystick.stats.bayes import Ask, BayesSums, key
from tallystick.stats.distribution import Near, rows_up_to
from tallystick.stats.finer_cells import zoomed_where_crowded
from tallystick.stats.fingerprint import Both
from tallystick.stats.pair_tables import CellEnds
from tallystick.stats.profile import (
    ANSWERS,
    TARGET,
    AnswerCounts,
    AnswerSums,
    Ends,
    Instead,
    Untold,
    numbers_together,
    spreads_of,
    wanted_cells,
    wanted_ranks,
)

Columns = dict[str, ColumnProfile]


def profile_of(table: Table, model: Model, engine: Engine) -> Profile:
    """Return what the rows of a table look like, and what the model learnt from them answers to them."""
    # A model may ask for some of the columns only: the others are not watched. The ranges are the table's,
    # since not every model keeps them.
    schema = table.schema.only({c.name for c in model.schema.used})
    found = _coded(schema, table, engine)
    target, told, beside = schema.target, None, None
    if target is not None and not schema.regression:
        told = methods.of_kind(model.kind).load("answered")(model, table.unit)
        beside = AnswerCounts(model, len(target.labels)) if told is None else None
    for ends in numbers_together(schema):
        more, sums = _numbers(table, engine, ends, beside=beside)
        found |= more
        if sums is not None:
            told, beside = sums, None
    columns = tuple(found.get(c.name) or _empty(table) for c in schema.used)
    if target is None:
        return Profile(columns)
    if schema.regression:
        own = _regression(table, model, engine)
        return Profile(columns, own[TARGET], own[ANSWERS])
    if beside is not None:
        told = engine.total(table, beside)
    assert told is not None
    answers = AnswerProfile(told.given, told.shares.reshape(len(target.labels), -1))
    return Profile(columns, ColumnProfile(told.classes, 0), answers)


def _empty(table: Table) -> ColumnProfile:
    """Return the profile of a numeric column without any value."""
    return ColumnProfile(np.zeros(0, np.int64), table.weight, np.zeros(0))


def _coded(schema: Schema, table: Table, engine: Engine) -> Columns:
    """Return the columns of levels and of text."""
    coded: list[Column] = [c for c in schema.used if c.kind != "numeric"]
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


def _regression(table: Table, model: Model, engine: Engine) -> Columns:
    """Return the numeric target, and what the model answers."""
    names = (TARGET, ANSWERS)
    ends = engine.total(table, Instead(model, CellEnds(names, ((), ()))))
    known = [(name, float(e[0, 0]), -float(e[1, 0])) for name, e in zip(names, ends, strict=True)]
    return _numbers(table, engine, known, model)[0]


def _numbers(
    table: Table,
    engine: Engine,
    ends: list[Ends],
    model: Model | None = None,
    beside: AnswerCounts | None = None,
) -> tuple[Columns, AnswerSums | None]:
    """Return columns of numbers; with a model, its target and its answers in their place. beside: what is
    asked for in the last walk too.
    """

    def asked(question: Any) -> Any:
        return engine.total(table, question if model is None else Instead(model, question))

    question = spreads_of(ends, table.rows)
    spreads = asked(question)
    cells = [spread.cells for spread in spreads]
    places, counts = zoomed_where_crowded(asked, question.grids, cells, wanted_cells)
    last = Near(tuple(places), tuple(wanted_cells(own) for own in counts))
    near, told = (asked(last), None) if beside is None else asked(Both(last, beside))
    out = {}
    for grid, own, values in zip(places, counts, near, strict=True):
        upto = rows_up_to(grid, own, values)
        kept = np.searchsorted(upto, wanted_ranks(int(own.sum())), side="left")
        kept = kept[np.diff(kept, prepend=-1) > 0]  # they rise; np.unique would load masked arrays
        at = values.counts[kept]
        between = np.zeros(2 * len(kept) - 1, np.int64)
        between[::2] = at
        between[1::2] = (upto[kept] - at)[1:] - upto[kept][:-1]
        missing = table.weight - int(own.sum())
        out[grid.name] = ColumnProfile(between, missing, values.values[kept])
    return out, told
