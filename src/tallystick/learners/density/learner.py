"""Learn a density tree: cut numbers into pieces, test by test by gain in log-likelihood, prune by length.

Knows totals and options. Knows nothing of rows, threads or files.
Law: the same totals give the same tree.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.data.schema import Note, Schema
from tallystick.errors import DataError, shown
from tallystick.learners.density.grown import Bud, as_model
from tallystick.learners.density.length import leaf_bits, test_bits
from tallystick.learners.density.splits import Split, SplitScale, best_split
from tallystick.learners.scorecard.cuts import cuts_by_column
from tallystick.learners.stages import LearnerInStages, Stages
from tallystick.models.density.cells import LARGEST_WHOLE, ColumnCells, halves, refined
from tallystick.models.density.model import DensityModel, overall
from tallystick.models.density.options import DensityOptions
from tallystick.stats.bayes import Ask, BayesSums, key
from tallystick.stats.level_tables import CodedColumn, Coding, Test
from tallystick.stats.pair_tables import CellEnds, PairTables, WholeNumbers

Ints = NDArray[np.int64]
MOST_CELLS = 1 << 22  # of the tables of one question: more nodes, or more columns, wait for the next
PATIENCE = 1  # tests in a row that need not pay for themselves: what lies below them may


@dataclass(frozen=True)
class DensityLearner(LearnerInStages[DensityModel]):
    """The learner of the contracts. unit: the table's unit of weights; weight: of all rows; row_unit: what
    one row weighs where rows are counted. patience: tests in a row that need not pay, None: any number.
    """

    options: DensityOptions
    weight: int
    unit: int = 1
    row_unit: int = 1
    patience: int | None = PATIENCE
    notes: list[Note] | None = None

    def _stages(self, schema: Schema) -> Stages[DensityModel]:
        schema = self._without_text(schema)
        cells = yield from self._cells(schema)
        growth = Growth(self, cells, CodedColumn(tuple(map(_coding, cells))))
        counts = yield BayesSums(tuple(map(_ask, cells)), 1)
        growth.begin([counts[key(j, "counts")][:, 0] for j in range(len(cells))])
        yield from growth.questions()
        return as_model(schema, cells, growth.buds, self.unit, self.options)

    def _without_text(self, schema: Schema) -> Schema:
        """Return the schema with columns of text left out, which is noted."""
        columns = tuple(replace(c, kind="out", words=()) if c.kind == "text" else c for c in schema.columns)
        texts = [c.name for c in schema.used if c.kind == "text"]
        if self.notes is not None:
            for name in texts:
                said = f"column {shown(name)} is text, which a density tree does not read, and is left out."
                self.notes.append(Note("column-left-out", said, name))
        out = replace(schema, columns=columns)
        if not out.used:
            raise DataError("a density tree needs a column of numbers or levels, and there is none.")
        return out

    def _cells(self, schema: Schema) -> Generator[Any, Any, tuple[ColumnCells, ...]]:
        """Return the cells of all columns: levels as they are, numbers cut into pieces."""
        numbers = [c for c in schema.used if c.kind == "numeric"]
        cuts: dict[str, tuple[float, ...]] = {}
        whole: dict[str, bool] = {}
        if numbers:
            flags = yield WholeNumbers(tuple(c.name for c in numbers), LARGEST_WHOLE)
            whole = {c.name: bool(flag) for c, flag in zip(numbers, flags, strict=True)}
            rows = self.weight / self.row_unit
            cuts = yield from cuts_by_column(numbers, self.options.pieces, self.weight, rows)
            cuts = {
                c.name: refined(cuts[c.name], c.low or 0.0, c.high or 0.0, self.options.pieces)
                for c in numbers
            }
        if names := tuple(name for name, flag in whole.items() if flag):
            ends = yield CellEnds(names, tuple(cuts[name] for name in names))
            cuts |= {name: halves(low, -high) for name, (low, high) in zip(names, ends, strict=True)}
        return tuple(ColumnCells(c, cuts.get(c.name, ()), whole.get(c.name, False)) for c in schema.used)


def _coding(own: ColumnCells) -> Coding:
    return Coding(own.name, own.column.kind, own.k, np.array(own.cuts) if own.numeric else None, own.numeric)


def _ask(own: ColumnCells) -> Ask:
    return Ask(own.name, "bins", cuts=own.cuts) if own.numeric else Ask(own.name, "codes", own.k)


@dataclass
class Growth:
    """A tree in the making."""

    learner: DensityLearner
    cells: tuple[ColumnCells, ...]
    form: CodedColumn
    buds: list[Bud] = field(default_factory=list)
    tests: list[Test] = field(default_factory=list)
    waiting: list[int] = field(default_factory=list)

    def begin(self, counts: list[Ints]) -> None:
        """Plant the root, of counts[column][cell] of all rows."""
        learner = self.learner
        self.scale = SplitScale.of(learner.weight, len(self.cells))
        self.whole = [
            overall(own, rows / learner.unit, learner.options.alpha)
            for own, rows in zip(self.cells, counts, strict=True)
        ]
        reach = [np.ones(own.k + 1, bool) for own in self.cells]
        self._add(counts, reach, 0, learner.patience)

    def _add(self, rows: list[Ints], reach: list[NDArray[np.bool_]], depth: int, patience: int | None) -> int:
        options, unit = self.learner.options, self.learner.unit
        bits = leaf_bits(self.cells, [r / unit for r in rows], self.whole, reach, options.alpha)
        bud = Bud(rows, reach, depth, bits, patience)
        self.buds.append(bud)
        enough = bud.weight >= 2 * self.least and (options.max_depth is None or depth < options.max_depth)
        if enough and len(self.cells) > 1 and (patience is None or patience >= 0):
            self.waiting.append(len(self.buds) - 1)
        return len(self.buds) - 1

    @property
    def least(self) -> int:
        """Rows of a leaf at least, in table units."""
        return self.learner.options.min_samples_leaf * self.learner.row_unit

    def questions(self) -> Generator[PairTables, list[Ints], None]:
        """Ask for pairs of columns until no node waits, and split the nodes."""
        parts = list(self._parts())
        each = sum(self._size(pair) for pair in parts[0][1]) if parts else 1
        while self.waiting:
            take = max(MOST_CELLS // each, 1) if len(parts) == 1 else 1
            nodes, self.waiting = self.waiting[:take], self.waiting[take:]
            found: list[Split | None] = [None] * len(nodes)
            tables: dict[int, dict[int, Ints]] = {}
            for columns, pairs in parts:
                total = yield PairTables(self.form, tuple(self.tests), tuple(nodes), len(self.buds), pairs)
                for i, node in enumerate(nodes):
                    own = {pair: table[i] for pair, table in zip(pairs, total, strict=True)}
                    better = self._best(node, columns, own)
                    if better is not None and _before(better, found[i], self.cells):
                        found[i], tables[i] = better, _beside(better.column, own)
            for i, node in enumerate(nodes):
                split = found[i]
                if split is not None:
                    self._split(node, split, tables[i])

    def _parts(self) -> Iterator[tuple[tuple[int, ...], tuple[tuple[int, int], ...]]]:
        """Yield columns to test and the pairs that tell of them, as many at once as the tables have room."""
        columns: list[int] = []
        pairs: dict[tuple[int, int], None] = {}
        for j in range(len(self.cells)):
            own = [(min(i, j), max(i, j)) for i in range(len(self.cells)) if i != j]
            more = sum(self._size(p) for p in own if p not in pairs)
            if columns and sum(map(self._size, pairs)) + more > MOST_CELLS:
                yield tuple(columns), tuple(pairs)
                columns, pairs = [], {}
            columns.append(j)
            pairs.update(dict.fromkeys(own))
        if pairs:
            yield tuple(columns), tuple(pairs)

    def _size(self, pair: tuple[int, int]) -> int:
        return (self.cells[pair[0]].k + 1) * (self.cells[pair[1]].k + 1)

    def _best(self, node: int, columns: tuple[int, ...], tables: dict[tuple[int, int], Ints]) -> Split | None:
        def pair(a: int, b: int) -> Ints:
            return tables[a, b] if a < b else tables[b, a].T

        return best_split(self.cells, columns, pair, self.buds[node].rows, self.least, self.scale)

    def _split(self, node: int, split: Split, beside: dict[int, Ints]) -> None:
        """Give a node its test and two branches. beside[column][cell of the test, cell of the column]."""
        bud, unit = self.buds[node], self.learner.unit
        own = split.column
        sides = []
        for branch in (0, 1):
            here = split.branch == branch
            rows = [
                np.where(here, bud.rows[j], 0) if j == own else beside[j][here].sum(axis=0)
                for j in range(len(self.cells))
            ]
            reach = list(bud.reach)
            reach[own] = reach[own] & here
            sides.append((rows, reach))
        weights = np.array([rows[own].sum() for rows, _ in sides]) / unit
        bud.split, bud.test_bits = split, test_bits(len(self.cells), split.choices, weights)
        first = len(self.buds)
        for rows, reach in sides:
            bud.children.append(self._add(rows, reach, bud.depth + 1, bud.patience))
        self.tests.append(Test(node, own, first + split.branch))
        bud.gain = split.gain / self.scale.bit * unit / bud.weight
        if bud.patience is not None:
            pays = bud.bits > bud.test_bits + sum(self.buds[child].bits for child in bud.children)
            self._bear(bud, self.learner.patience if pays else bud.patience - 1)

    def _bear(self, bud: Bud, patience: int | None) -> None:
        """Tell the branches how many tests in a row need not pay; those with none left wait no more."""
        for child in bud.children:
            self.buds[child].patience = patience
            if patience is not None and patience < 0 and child in self.waiting:
                self.waiting.remove(child)


def _before(better: Split, known: Split | None, cells: tuple[ColumnCells, ...]) -> bool:
    """Say whether a test goes before the best so far: by its gain, of equals by the name of its column."""
    if known is None or better.gain != known.gain:
        return known is None or better.gain > known.gain
    return cells[better.column].name.encode() < cells[known.column].name.encode()


def _beside(column: int, tables: dict[tuple[int, int], Ints]) -> dict[int, Ints]:
    """Return tables[other column][cell of the column, cell of the other]."""
    out = {b: table for (a, b), table in tables.items() if a == column}
    return out | {a: table.T for (a, b), table in tables.items() if b == column}
