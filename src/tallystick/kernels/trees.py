"""Tree kernels: growing trees, optimal trees of small depth, and rows walked through trees.

- `Search`, the best tree of a small depth, in rounds: while `plan` names some cuts, `evaluate` each of them,
  in any order and at once, then `merge`.
- Entry: `Grower`, a greedy tree in steps: `prepare` may run at once for different columns, `look`, `advance`,
  `part` and `work` any number of times at once. `Judge`; `Walk`, rows to leaves.

The caller's threads share the steps. Arrays given to these classes are kept alive and must not change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import _kernels
from tallystick.kernels import check

# ---- the best tree of a small depth ----


FORMS = ("two", "classes", "any")  # kinds of loss: src/kernels/tree/optimal/table.hpp
MOST_KEY = (2**63 - 1) // 4  # search keys stay below it


class SearchColumn(NamedTuple):
    """codes[row] of one column, k is missing; levels: each against the rest, else cut in their order."""

    levels: bool
    k: int
    codes: NDArray[np.uint32]


class TestFound(NamedTuple):
    """A node of the best tree, depth first. column -1: a leaf. low, high: the codes a cut lies between; of
    levels, low is the one on the left. high == k: missing rows are alone on the right. missing: their
    branch, -1 where there were none.
    """

    column: int
    low: int
    high: int
    missing: int


class Search:
    """loss[row, answer], floor[row]: what no tree saves; a tree's key is loss * worth + leaves * leaf."""

    def __init__(
        self,
        columns: Sequence[SearchColumn],
        form: str,
        loss: NDArray[np.int64],
        floor: NDArray[np.int64],
        worth: int,
        leaf: int,
    ) -> None:
        if form not in FORMS:
            raise ValueError(f"form must be one of {FORMS}, not {form!r}")
        rows = len(loss)
        check.array("loss", loss, "int64", (rows, None))
        check.array("floor", floor, "int64", (rows,))
        self._kept = (columns, loss, floor)
        self._job = _kernels.OptimalTree()
        for column in columns:
            check.array("codes", column.codes, "uint32", (rows,))
            self._job.add_column(column.levels, column.k, column.codes)
        self._job.set_rows(FORMS.index(form), loss, floor, worth, leaf)

    def start(self, depth: int, leaves: int, max_work: int | None, seconds: float | None) -> None:
        """Begin: the tree has at most this depth and so many leaves. Limits may be None."""
        most = MOST_KEY if max_work is None else min(max_work, MOST_KEY)
        self._job.start(min(depth, 1000), leaves, most, -1.0 if seconds is None else seconds)

    def plan(self) -> int:
        """Return how many cuts are to be evaluated now; 0: the search is over."""
        return int(self._job.plan())

    def evaluate(self, number: int) -> None:
        """Look at one of the cuts planned."""
        self._job.evaluate(number)

    def merge(self) -> None:
        """Take in what was found. Cuts that were not evaluated end the search."""
        self._job.merge()

    def stop(self) -> None:
        """Let all steps that run now, or later, return soon; `merge` then ends the search."""
        self._job.stop()

    @property
    def tests(self) -> list[TestFound]:
        """The best tree so far."""
        return [TestFound(*t) for t in self._job.tests()]

    @property
    def key(self) -> int:
        """The key of the best tree so far."""
        return int(self._job.key)

    @property
    def bound(self) -> int:
        """No tree has a smaller key."""
        return int(self._job.bound)

    @property
    def work(self) -> int:
        """Rows times columns looked at so far."""
        return int(self._job.work)


Harvest = _kernels.TreeHarvest
CRITERIA = ("entropy", "ratio", "gini", "variance")
KINDS = ("numeric", "ordered", "levels")
ANY_NUMBER = 2**63 - 1  # nodes: no limit
SMALL = 16_384  # rows of a node whose whole subtree is grown in one call: about a core's cache


@dataclass(frozen=True, slots=True)
class GrowRules:
    """How splits are scored and where growing stops; rows are counted in table units.

    groups: level columns are split in two groups, else one branch per level. penalty, cut_rows: C4.5's
    price of a
    numeric cut and its least rows beside one. stop_at_zero: a best gain of 0 ends the branch. min_entropy: so
    does a node of fewer bits.
    fractions: splits are scored on known rows only, and missing rows go down all branches (`Judge` only).
    """

    criterion: str = "entropy"
    groups: bool = True
    penalty: float = 0.0
    cut_rows: bool = False
    stop_at_zero: bool = False
    fractions: bool = False
    max_depth: int = 2**31 - 1
    min_leaf: int = 1
    min_split: int = 2
    unit: int = 1
    min_decrease: float = 0.0
    min_entropy: float = 0.0

    def __post_init__(self) -> None:
        if self.criterion not in CRITERIA:
            raise ValueError(f"criterion must be one of {CRITERIA}, not {self.criterion!r}")

    def numbers(self) -> tuple[Any, ...]:
        """Return the rules as the kernel wants them."""
        switches = (self.groups, float(self.penalty), self.cut_rows, self.stop_at_zero, self.fractions)
        limits = (min(self.max_depth, 2**31 - 1), self.min_leaf, self.min_split, self.unit)
        least = (self.min_decrease, self.min_entropy)
        return (CRITERIA.index(self.criterion), *switches, *limits, *least)


class GrowColumn(NamedTuple):
    """One column: numbers (float32 or float64, any stride), or codes of which k is missing.

    distinct[code]: the numbers codes stand for, where a numeric column comes as codes; binned: where bins
    begin.
    """

    kind: str
    cells: NDArray[Any]
    k: int = 0
    distinct: NDArray[np.float64] | None = None
    binned: bool = False


class Grower:
    """One tree being grown. heavy, all_rows: what all rows of the table weigh in scores and in counts, None
    where these are all of them. room: makes the array in which columns of numbers lie in order, as
    numpy.empty does; None: in memory. most_nodes: a tree of more is given up, and `nodes` shows it.
    """

    def __init__(
        self,
        columns: Sequence[GrowColumn],
        by_name: Sequence[int],
        rules: GrowRules,
        *,
        classes: int,
        labels: NDArray[Any] | None = None,
        response: NDArray[np.int64] | None = None,
        score_weights: NDArray[np.int64] | None = None,
        row_weights: NDArray[np.int64] | None = None,
        heavy: int | None = None,
        all_rows: int | None = None,
        keep_tried: bool = True,
        small: int = SMALL,
        room: check.Room | None = None,
        most_nodes: int = ANY_NUMBER,
    ) -> None:
        rows = len(columns[0].cells)
        _check(columns, rows, labels, response, score_weights, row_weights)
        self.columns = len(columns)
        self.rows = rows
        self.small = check.check_size("small", small)
        if not 1 <= small <= 65_535:
            raise ValueError(f"small must be from 1 to 65,535, not {small}")
        self._kept: tuple[Any, ...] = (columns, labels, response, score_weights, row_weights)
        width = classes if response is None else 1
        self._grower = _kernels.TreeGrower(rows, width, labels, response, score_weights, row_weights)
        self._grower.set_rules(*rules.numbers())
        for column in columns:
            if column.k or column.kind != "numeric":
                self._grower.add_codes(
                    KINDS.index(column.kind), column.cells, column.k, column.distinct, column.binned
                )
            else:
                self._grower.add_numeric(column.cells)
        if heavy is None:
            heavy = rows if score_weights is None else int(score_weights.sum())
        if all_rows is None:
            all_rows = rows if row_weights is None else int(row_weights.sum())
        self._grower.build(list(by_name), keep_tried, small, heavy, all_rows, most_nodes)
        self._most_nodes = most_nodes
        if room is not None:
            in_numbers = sum(not column.k and column.kind == "numeric" for column in columns)
            orders = room((in_numbers, rows), np.dtype(f"u{self._grower.entry()}"))
            self._grower.lay_orders(orders)
            self._kept = (*self._kept, orders)

    def prepare(self, column: int) -> None:
        """Bring one column into the form the search wants."""
        self._grower.prepare(column)

    def start(self) -> int:
        """Place the root; return how many large nodes wait for `advance`."""
        return int(self._grower.start())

    def look(self) -> None:
        """Make the large nodes ready to be searched."""
        self._grower.look()

    def advance(self) -> None:
        """Part the columns by the last splits, and search the large nodes on them."""
        self._grower.advance()

    def choose(self) -> int:
        """Choose the splits of the searched nodes; where there are any, `part`, `settle`, `look`, `advance`
        and choose again.
        """
        return int(self._grower.choose())

    def part(self) -> None:
        """Part the rows of the nodes by their splits."""
        self._grower.part()

    def settle(self) -> None:
        """Add the branches as nodes."""
        self._grower.settle()

    def work(self) -> None:
        """Grow small nodes to their leaves until none waits."""
        self._grower.work()

    def run(self) -> None:
        """Do all of the above on this thread."""
        self._grower.run()

    def stop(self) -> None:
        """Let all steps that run now, or later, return soon; the tree is of no use then."""
        self._grower.stop()

    @property
    def nodes(self) -> int:
        """How many nodes there are so far; more than `most_nodes`: the tree was given up."""
        return int(self._grower.nodes())

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the tree, depth first, once; see `_kernels.TreeGrower` for the names."""
        if self.nodes > self._most_nodes:
            raise ValueError(f"the tree was given up: it has more than {self._most_nodes} nodes")
        return self._grower.arrays()

    def harvest(self) -> Harvest:
        """Return what is left when the tree is read off: `tried()` has the candidates of its nodes."""
        return self._grower.harvest()


class Judge:
    """Chooses the split of a node from count tables; for engines that sum tables instead of walking rows.

    columns: only kind, k and distinct matter; a numeric one with k = 0 brings the values of each node along.
    heavy, rows: the whole table's weight in the criterion and in counts.
    """

    def __init__(
        self,
        columns: Sequence[GrowColumn],
        by_name: Sequence[int],
        rules: GrowRules,
        classes: int,
        heavy: int,
        rows: int,
    ) -> None:
        self._columns = [(column.k + 1 if column.k else None, (classes or 1) + 1) for column in columns]
        self._width = (classes or 1) + 1
        self._kept = columns
        labels = np.zeros(1, np.uint8) if classes else None
        grower = _kernels.TreeGrower(0, classes or 1, labels, None, None, None)
        grower.set_rules(*rules.numbers())
        for column in columns:
            grower.add_codes(KINDS.index(column.kind), column.cells, column.k, column.distinct, column.binned)
        grower.build(list(by_name), True, 1, heavy, rows, ANY_NUMBER)
        self._judge = grower.judge(heavy, rows)

    def judge(
        self,
        total: NDArray[np.int64],
        tables: Sequence[NDArray[np.int64]],
        depth: int,
        deviance: float = 1.0,
        values: Sequence[NDArray[np.float64] | None] | None = None,
        cuts: Sequence[int] | None = None,
    ) -> dict[str, NDArray[Any]]:
        """Return a growth of one node, without counts.

        total[C + 1], tables[column][k + 1, C + 1]: weight in the criterion per class (regression: sum of
        the response), then rows in table units; the last code is missing. values[column][code]: of columns
        whose k is 0, None of others. cuts[column]: how many cuts are allowed where the table has the two
        sides of the best only, -1: those of the table.
        """
        values = [None] * len(tables) if values is None else list(values)
        for table, shape, own in zip(tables, self._columns, values, strict=True):
            check.array("tables", table, "int64", shape if own is None else (len(own) + 1, self._width))
            check.maybe("values", own, "float64", (None,))
        check.array("total", total, "int64", (None,))
        counts = [-1] * len(tables) if cuts is None else list(cuts)
        return self._judge.judge(total, list(tables), values, counts, depth, deviance)

    def best_cut(self, total: NDArray[np.int64], table: NDArray[np.int64]) -> tuple[int, int, int, int]:
        """Return the best cut of a numeric column: how many levels lie left of it (0: none is allowed), its
        score as a whole number of the same order, the branch of missing rows, and how many cuts are allowed.

        total[C + 1], table[level + 1, C + 1] as for `judge`: levels that are present, missing last.
        """
        check.array("total", total, "int64", (self._width,))
        check.array("table", table, "int64", (None, self._width))
        found: tuple[int, int, int, int] = self._judge.best_cut(total, table)
        return found


class Walk:
    """A fitted tree, ready for rows to go down; arrays as in `tallystick.tree.nodes.Nodes`."""

    def __init__(
        self,
        column: NDArray[np.int32],
        cut: NDArray[np.float64],
        first: NDArray[np.int64],
        child: NDArray[np.int64],
        branch_start: NDArray[np.int64],
        branch_of: NDArray[np.int32],
        missing: NDArray[np.int32],
    ) -> None:
        n = len(column)
        check.array("column", column, "int32", (n,))
        check.array("cut", cut, "float64", (n,))
        check.array("first", first, "int64", (n,))
        check.array("child", child, "int64", (n - 1,))
        check.array("branch_start", branch_start, "int64", (n + 1,))
        check.array("branch_of", branch_of, "int32", (int(branch_start[-1]),))
        check.array("missing", missing, "int32", (n,))
        self._walk = _kernels.tree_walk(column, cut, first, child, branch_start, branch_of, missing)

    def ends(
        self, columns: Sequence[NDArray[Any] | None], rows: int, out: NDArray[np.int32] | None = None
    ) -> tuple[NDArray[np.int32], bool]:
        """Return the node where each row's way ends, and whether an infinite number was met.

        columns: values or codes, None where no test looks.
        """
        for cells in columns:
            if cells is not None:
                check.loose("columns", cells, (*check.CODES, "float32", "float64"), (rows,))
        ends = np.empty(rows, np.int32) if out is None else check.array("out", out, "int32", (rows,))
        return ends, self._walk.ends(list(columns), ends)


def _check(
    columns: Sequence[GrowColumn],
    rows: int,
    labels: NDArray[Any] | None,
    response: NDArray[np.int64] | None,
    score_weights: NDArray[np.int64] | None,
    row_weights: NDArray[np.int64] | None,
) -> None:
    if (labels is None) == (response is None):
        raise ValueError("give either labels or response")
    if labels is not None:
        check.array("labels", labels, check.CODES, (rows,))
    check.maybe("response", response, "int64", (rows,))
    check.maybe("score_weights", score_weights, "int64", (rows,))
    check.maybe("row_weights", row_weights, "int64", (rows,))
    for column in columns:
        if column.kind not in KINDS:
            raise ValueError(f"kind must be one of {KINDS}, not {column.kind!r}")
        if column.k or column.kind != "numeric":
            check.array("cells", column.cells, check.CODES, (rows,))
            check.maybe("distinct", column.distinct, "float64", (column.k,))
        elif column.cells.dtype not in (np.float32, np.float64) or column.cells.shape != (rows,):
            raise TypeError(f"cells must be float32 or float64 of {rows} rows, not {column.cells.dtype}")
