"""Profile of a dataset and of a model's answers to it; the sample of training rows that a model keeps for it.

- Questions: `spreads_of()`, `WithoutTarget`, `Instead`, `AnswerCounts`.
- The profile. Entry: `profile_of()`. Columns of numbers get exact order statistics (PERCENTS), other
  columns counts by level or word.
- What a fitted model keeps. Entry: `training_rows()`, then `TrainingRows.profile()`: all rows, or of many a
  sample (`RowSample`) of the distinct ones.
- Answers to training rows from a tree's own counts, without a pass: `answers_of_nodes()`.

answers = predicted shares and classes, or a regression's predictions; ends = lowest and highest number.
Law: the profile is a function of the multiset of rows and the model, whatever their order or partition.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels, methods
from tallystick.contracts import Block, Engine, Model, Statistic, Table
from tallystick.density.learner import CellEnds
from tallystick.model.profile import PERCENTS, STEPS, AnswerProfile, ColumnProfile, Profile
from tallystick.schema import CODED, Column, Schema
from tallystick.stats.class_counts import Ask, BayesSums, key
from tallystick.stats.exact import TwoStatistics
from tallystick.stats.quantiles import (
    Counts,
    Grid,
    Spreads,
    ValuesInCells,
    cells_for,
    rows_up_to,
    zoomed_where_crowded,
)
from tallystick.table.block import Hasher, RowBlock, together
from tallystick.table.hash_sample import SIZE
from tallystick.table.lazy_columns import raw_column
from tallystick.table.subset import own_copy, take_block
from tallystick.table.table import LocalTable
from tallystick.tree.model import Tree

TARGET, ANSWERS = "target", "answers"  # the two columns that `Instead` puts in place of the table's
ROWS = 1 << 19  # shares in memory at once, in about six arrays of 8 bytes each
CELLS = 1 << 12  # of a column at most, so that the counts of a few columns fit in the cache
TOGETHER = 256  # numeric columns per question
Ends = tuple[str, float, float]  # a column with its lowest and highest number


def spreads_of(ends: list[Ends], rows: int) -> Spreads:
    """Return the question for the rows in cells of columns of numbers."""
    cells = min(cells_for(rows), CELLS)
    grids = tuple(Grid(name, low, high, cells) for name, low, high in ends)
    return Spreads(grids, (0,) * len(grids))


def numbers_together(schema: Schema) -> list[list[Ends]]:
    """Return the numeric columns that have values, in groups of at most TOGETHER."""
    ends = [
        (c.name, c.low, c.high)
        for c in schema.used
        if c.kind == "numeric" and c.low is not None and c.high is not None
    ]
    return [ends[start : start + TOGETHER] for start in range(0, len(ends), TOGETHER)]


def wanted_ranks(rows: int) -> NDArray[np.int64]:
    """Return the ranks, from 1, of the values at PERCENTS of so many rows."""
    return np.array([max(-(-rows * percent // 100), 1) for percent in PERCENTS], np.int64)


def wanted_cells(cells: Counts) -> NDArray[np.bool_]:
    """Return the cells that have the wanted ranks."""
    there = np.zeros(len(cells), bool)
    there[np.searchsorted(np.cumsum(cells), wanted_ranks(int(cells.sum())), side="left")] = True
    return there


@dataclass(frozen=True)
class WithoutTarget(Statistic[Any]):
    """Ask a question of rows as if they had no target."""

    question: Any

    def zero(self) -> Any:
        return self.question.zero()

    def add(self, total: Any, block: Any) -> Any:
        return self.question.add(total, replace(block, classes=None))

    def merge(self, total: Any, other: Any) -> Any:
        return self.question.merge(total, other)


@dataclass(frozen=True)
class Instead(Statistic[Any]):
    """Ask a question of two numbers in the place of the columns: TARGET, the row's response, and ANSWERS,
    what a regression answers to it.
    """

    model: Model
    question: Any

    def zero(self) -> Any:
        return self.question.zero()

    def add(self, total: Any, block: Any) -> Any:
        answers = np.ascontiguousarray(self.model.shares(block)[:, 0])
        return self.question.add(
            total, replace(block, columns={TARGET: block.response, ANSWERS: answers}, memo={})
        )

    def merge(self, total: Any, other: Any) -> Any:
        return self.question.merge(total, other)


class AnswerSums(NamedTuple):
    """Rows of each class, rows answered with each, and shares[class * STEPS + step]."""

    classes: Counts
    given: Counts
    shares: Counts


def no_answers(model: Model, unit: int) -> None:
    """Return None: most models must predict the rows again, their own counts do not give the answers."""


@dataclass(frozen=True)
class AnswerCounts(Statistic[AnswerSums]):
    """Ask for the classes of the rows and for what a model answers to them."""

    model: Model
    classes: int

    def zero(self) -> AnswerSums:
        sizes = (self.classes, self.classes, self.classes * STEPS)
        return AnswerSums(*(np.zeros(size, np.int64) for size in sizes))

    def add(self, total: AnswerSums, block: Block) -> AnswerSums:
        size = max(ROWS // self.classes, 1)
        if block.rows > size:  # a model of many classes answers a few rows at a time
            for start in range(0, block.rows, size):
                some = np.arange(start, min(start + size, block.rows))
                total = self.add(total, take_block(block, some))
            return total
        assert block.classes is not None
        shares, weights = self.model.shares(block), block.weights
        kernels.count_classes(block.classes, self.classes, weights, total.classes)
        given = self.model.decide(shares).astype(np.uint32)
        kernels.count_classes(given, self.classes, weights, total.given)
        first = np.arange(self.classes, dtype=np.uint32) * STEPS
        places = first + np.minimum(shares * STEPS, STEPS - 1).astype(np.uint32)
        own = None if weights is None else np.repeat(weights, self.classes)
        kernels.count_classes(places.ravel(), self.classes * STEPS, own, total.shares)
        return total

    def merge(self, total: AnswerSums, other: AnswerSums) -> AnswerSums:
        for mine, theirs in zip(total, other, strict=True):
            mine += theirs
        return total


# ---- the profile of a table, by a few questions to its engine ----
# Exact order statistics: rows are counted in equal cells between the lowest and the highest value, then the
# values of the cells with wanted ranks are asked for.


Columns = dict[str, ColumnProfile]


def profile_of(table: Table, model: Model, engine: Engine) -> Profile:
    """Return what the rows of a table look like, and what the model learnt from them answers to them."""
    # Columns that the model does not use are left out. The ranges are the table's, since not every model
    # keeps them.
    schema = table.schema.only({c.name for c in model.schema.used})
    found = _coded(schema, table, engine)
    target, result, beside = schema.target, None, None
    if target is not None and not schema.regression:
        result = methods.of_kind(model.kind).load("answered")(model, table.unit)
        beside = AnswerCounts(model, len(target.labels)) if result is None else None
    for ends in numbers_together(schema):
        more, sums = _numbers(table, engine, ends, beside=beside)
        found |= more
        if sums is not None:
            result, beside = sums, None
    columns = tuple(found.get(c.name) or _empty(table) for c in schema.used)
    if target is None:
        return Profile(columns)
    if schema.regression:
        own = _regression(table, model, engine)
        return Profile(columns, own[TARGET], own[ANSWERS])
    if beside is not None:
        result = engine.total(table, beside)
    assert result is not None
    answers = AnswerProfile(result.given, result.shares.reshape(len(target.labels), -1))
    return Profile(columns, ColumnProfile(result.classes, 0), answers)


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
    sums = engine.total(table, WithoutTarget(BayesSums(asks, 1)))
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
    """Return the profiles of numeric columns; with a model, of its target and answers instead. beside: a
    statistic for the last pass too.
    """

    def asked(question: Any) -> Any:
        return engine.total(table, question if model is None else Instead(model, question))

    question = spreads_of(ends, table.rows)
    spreads = asked(question)
    cells = [spread.cells for spread in spreads]
    places, counts = zoomed_where_crowded(asked, question.grids, cells, wanted_cells)
    last = ValuesInCells(tuple(places), tuple(wanted_cells(own) for own in counts))
    near, found = (asked(last), None) if beside is None else asked(TwoStatistics(last, beside))
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
    return out, found


# ---- the sample of training rows that a fitted model keeps, in arrays of its own ----


SAMPLE = SIZE  # distinct rows from which quantiles and answers are estimated: shares to about 0.5 %
HASHES = 1 << 64
UNEVEN = 0.05  # relative error of the sample's weight; beyond, few rows have much of the weight


class PickedRows(NamedTuple):
    """Different rows in the order of their hashes [row]: one of each, with the weight of all its copies."""

    hashes: NDArray[np.uint64]
    rows: RowBlock | None = None


@dataclass(frozen=True)
class RowSample(Statistic[PickedRows]):
    """Ask for the different rows with the least hashes, one more than `size` if there are so many."""

    schema: Schema
    unit: int = 1
    size: int = SAMPLE

    @cached_property
    def _hasher(self) -> Hasher:
        return Hasher(self.schema)

    def zero(self) -> PickedRows:
        return PickedRows(np.empty(0, np.uint64))

    def add(self, total: PickedRows, block: Block) -> PickedRows:
        """Add the rows of one block; a row of weight 0 does not count."""
        hashes = row_prints(self._hasher, block)

        def within(limit: Any) -> PickedRows:
            near = hashes <= limit
            if block.weights is not None:
                near &= block.weights > 0
            at = np.flatnonzero(near)
            return self.picked(hashes[at], block, at)

        if len(total.hashes) > self.size:
            return self.merge(total, within(total.hashes[-1]))
        if block.rows > 2 * self.size:  # rows that have enough hashes, unless many are copies
            most = self.size + self.size // 8
            found = within(np.partition(hashes, most)[most])
            if len(found.hashes) > self.size:
                return self.merge(total, found)
        return self.merge(total, within(np.uint64(HASHES - 1)))

    def merge(self, total: PickedRows, other: PickedRows) -> PickedRows:
        if total.rows is None or other.rows is None:
            return other if total.rows is None else total
        rows = together([total.rows, other.rows])
        return self.picked(np.concatenate([total.hashes, other.hashes]), rows, np.arange(rows.rows))

    def picked(self, hashes: NDArray[np.uint64], rows: Block, at: NDArray[np.int64]) -> PickedRows:
        """Return some rows and their hashes as a total. hashes[i]: of the row at[i] of a block."""
        order = np.argsort(hashes)
        ordered = hashes[order]
        first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)])
        kept = first[: self.size + 1]
        if rows.weights is None:
            weights = np.diff(first, append=len(order)) * self.unit
        else:
            weights = np.add.reduceat(rows.weights[at[order]], first) if len(first) else rows.weights[:0]
        block = replace(take_block(rows, at[order[kept]]), weights=weights[: len(kept)], memo={})
        return PickedRows(ordered[kept], block)

    def solve(self, table: LocalTable, engine: Any) -> PickedRows | None:
        """Return the total where it is known from reading the table."""
        if table._least is None or self.schema != table.schema:
            return None
        hashes, at = table._least
        if table.weights is not None:
            there = table.weights[at] > 0
            hashes, at = hashes[there], at[there]
        used = table.schema.used
        lying = {c.name: raw_column(table, c.name) for c in used}  # only picked rows become doubles
        every = RowBlock(table.rows, lying, table.classes, table.response, table.weights)
        found = self.picked(hashes, every, at)
        if len(found.hashes) <= self.size or found.rows is None:
            return None  # many are copies of others
        columns = dict(found.rows.columns)
        for column in used:
            if column.kind == "numeric":
                values = columns[column.name].astype(np.float64, copy=False)
                values += 0.0  # never -0.0
                columns[column.name] = values
        return found._replace(rows=replace(found.rows, columns=columns))


def row_prints(hasher: Hasher, block: Block) -> NDArray[np.uint64]:
    """Return the lower half of each row's hash as it goes into the fingerprint."""
    coded, numeric = hasher._codes(block), hasher._numbers(block)
    hashes = hasher._others(block, coded)
    narrow = [(codes, table) for codes, table in coded if codes.dtype == np.uint8]
    kernels.add_joint_hashes(hashes, [codes for codes, _ in narrow], [table for _, table in narrow])
    kernels.add_prints(hashes, [values for values, _ in numeric], [key for _, key in numeric])
    kernels.mix_hashes(hashes)
    first: NDArray[np.uint64] = hashes[0]
    return first


@dataclass(frozen=True)
class TrainingRows:
    """What a fitted model keeps of its rows, in arrays of its own: all of them, or a sample of many different
    ones, with the counts of all rows by level, word and class (`coded`, `classes`).

    weight: of all rows; one: of a row; ends: the lowest and highest value of each column of numbers.
    """

    rows: LocalTable
    weight: int
    one: int = 1
    ends: Mapping[str, tuple[float, float]] | None = None
    coded: Columns | None = None
    classes: Counts | None = None

    def profile(self, model: Model, engine: Engine) -> Profile:
        """Return what all rows look like, and what the model learnt from them answers to them."""
        found = profile_of(self.rows, model, engine)
        if self.ends is None or self.coded is None:
            return found
        names = [c.name for c in model.schema.used]
        columns = [
            self.coded.get(name) or self._numbers(own, self.ends.get(name))
            for name, own in zip(names, found.columns, strict=True)
        ]
        target, answers = found.target, found.answers
        if target is not None:
            known = self.classes
            target = self._numbers(target) if known is None else ColumnProfile(known, 0)
        if isinstance(answers, AnswerProfile):
            shares = np.stack([in_proportion(row, self.weight) for row in answers.shares])
            answers = AnswerProfile(in_proportion(answers.given, self.weight), shares)
        elif answers is not None:
            answers = self._numbers(answers)
        return Profile(tuple(columns), target, answers)

    def _numbers(self, own: ColumnProfile, ends: tuple[float, float] | None = None) -> ColumnProfile:
        """Return the sample's profile scaled to all rows, with the lowest and highest value of all rows."""
        assert own.values is not None
        *counts, missing = in_proportion(np.append(own.counts, own.missing), self.weight).tolist()
        values = own.values.tolist()
        for low, end in enumerate(() if ends is None else ends):
            if end in values:
                continue
            most = max(range(len(counts)), key=counts.__getitem__, default=None)
            if most is None:
                missing, counts, values = missing - self.one, [self.one], [end]
                continue
            counts[most] -= self.one
            counts = [*counts, 0, self.one] if low else [self.one, 0, *counts]
            values = [*values, end] if low else [end, *values]
        return ColumnProfile(np.array(counts, np.int64), missing, np.array(values))


def in_proportion(counts: Counts, total: int) -> Counts:
    """Return counts that sum to a total in the proportions of others: by the largest remainders."""
    own = [int(count) for count in counts.tolist()]
    whole = sum(own)
    if whole in (0, total):
        return counts
    out = [count * total // whole for count in own]
    order = sorted(range(len(own)), key=lambda i: (-(own[i] * total % whole), i))
    for i in order[: total - sum(out)]:
        out[i] += 1
    return np.array(out, np.int64)


def training_rows(table: Table, engine: Engine) -> TrainingRows | None:
    """Return what is kept of the rows of a fit; None where so few of the different rows have much of the
    weight that a sample would mislead: their profile is to be taken at once.
    """
    if isinstance(table, LocalTable) and not table.budget and table.rows <= SAMPLE:
        return TrainingRows(own_copy(table), table.weight)
    found: PickedRows = engine.total(table, RowSample(table.schema, table.unit))
    assert found.rows is not None
    if len(found.hashes) <= SAMPLE:
        return TrainingRows(_as_table(table.schema, found.rows, table.unit), table.weight)
    rows = take_block(found.rows, np.arange(SAMPLE))
    limit, known = int(found.hashes[SAMPLE]), 0 if rows.weights is None else int(rows.weights.sum())
    if abs(known * HASHES - table.weight * limit) > UNEVEN * (table.weight * limit):
        return None
    schema = table.schema
    ends = {c.name: (c.low, c.high) for c in schema.used if c.low is not None and c.high is not None}
    classes = None
    if schema.target is not None and not schema.regression:
        classes = engine.total(table, BayesSums((), len(schema.target.labels)))[""]
    coded = _coded(schema, table, engine)
    return TrainingRows(
        _as_table(schema, rows, table.unit), table.weight, table.row_unit, ends, coded, classes
    )


def _as_table(schema: Schema, rows: RowBlock, unit: int) -> LocalTable:
    """Return rows as a table; of numbers that none of them has no range is known."""
    empty = {c.name for c in schema.used if c.kind == "numeric" and np.isnan(rows.columns[c.name]).all()}
    columns = tuple(replace(c, low=None, high=None) if c.name in empty else c for c in schema.columns)
    own, weights = replace(schema, columns=columns), rows.weights
    if unit == 1 and weights is not None and (weights == 1).all():
        weights = None
    return LocalTable(
        own, rows.columns, rows.rows, (), (), rows.classes, rows.response, weights, unit, threads=1, own=True
    )


# ---- answers to the training rows from a tree's own counts, without a pass over rows ----
# Law: the sums are those of `AnswerCounts.add` over these rows.


def answers_of_nodes(tree: Tree, unit: int) -> AnswerSums | None:
    """Return what a tree answers to the rows it was grown from, in units of their table: rows that reach a
    node and none below it end there. None: some row ends at several nodes, in parts.
    """
    nodes = tree.nodes
    if tree.spreads or tree.unit != unit:
        return None
    ending = nodes.counts.copy()
    np.subtract.at(ending, nodes.parent[1:], nodes.counts[1:])
    at, classes = np.nonzero(ending)
    return answers_at_nodes(tree, at, classes.astype(np.uint32), ending[at, classes])


def answers_at_nodes(
    tree: Tree, at: NDArray[np.int64], classes: NDArray[Any], weights: NDArray[np.int64]
) -> AnswerSums:
    """Return what a tree answers to rows that end at nodes. at, classes and weights [group of rows]."""
    found = AnswerCounts(_AtNodes(tree), len(tree.schema.predicted.labels))  # type: ignore[arg-type]
    return found.add(found.zero(), RowBlock(len(at), {"node": at}, classes, None, weights))


@dataclass(frozen=True)
class _AtNodes:
    """A tree for rows whose leaf is known: the column "node"."""

    tree: Tree

    def shares(self, block: Block) -> NDArray[np.float64]:
        """Return the shares of the nodes."""
        return self.tree.node_shares[block.codes("node")]  # type: ignore[no-any-return]

    def decide(self, shares: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the answers of the tree."""
        return self.tree.decide(shares)
