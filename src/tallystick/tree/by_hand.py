"""`grow`: a tree whose tests a person chooses, node by node: gains before each choice, errors after it.

Prints nothing. Laws: a test has the gain, the branches and the way of missing values that the learner
gives it, so taking the best test at every node grows the learner's own tree; rows held out are never asked
when a test is made.
"""

from __future__ import annotations

import copy
import datetime
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tallystick import methods
from tallystick.contracts import Table
from tallystick.draw.svg import Picture, Span, as_html, plain, table
from tallystick.errors import OptionError, clean, counted, nearest, shown
from tallystick.judge.folds import hold_out
from tallystick.judge.run import fresh
from tallystick.model.file import is_number
from tallystick.schema import Columns, Note
from tallystick.table.table import LocalTable, owned
from tallystick.text import DAY, EPOCH, MICROSECOND
from tallystick.tree.estimator import DecisionTree, held_rows
from tallystick.tree.model import Tree
from tallystick.tree.nodes import NO_CUT, Candidates, Nodes
from tallystick.tree.optimal import OptimalTree
from tallystick.tree.options import BY_HAND, check_whole
from tallystick.tree.prune import Held
from tallystick.tree.splits import ErrorsBeside, Splits, TreeErrors

ANY_TEST: Mapping[str, Any] = {  # whoever chooses a test is not stopped by a rule
    "max_depth": 1,
    "max_leaf_nodes": None,
    "min_entropy": 0.0,
    "min_impurity_decrease": 0.0,
    "min_samples_leaf": 1,
    "min_samples_split": 2,
    "stop_at_zero_gain": False,
}
ONE_TREE: Mapping[str, Any] = {  # of which the rows of a node know all that a test needs
    "average": False,
    "cuts": "midpoint",
    "missing_values": "learned",
    "pruning": None,
}
DEEPEST = 3  # of the certified tree that a tree is compared with, unless it is wished deeper


class HandTree:
    """A tree grown by hand: `grow` makes one of a single leaf, `split` gives a leaf a test.

    Nodes have the numbers that `print(tree)` shows beside them; a split renumbers those after it.
    """

    def __init__(self, method: DecisionTree, training: Table, held_out: Table | None) -> None:
        self._method, self._training, self._test = method, training, held_out
        self._engine = method._engine(training)
        self._answers = method._answers(training.schema.target)
        start = self._one_test(np.arange(training.rows), training)
        leaf = np.ones(1, np.bool_)
        root = start.nodes.pick(np.zeros(1, np.int64), leaf)
        self._steps: list[tuple[Nodes, tuple[Candidates, ...]]] = [(root, (_offered(start),))]

    # -- growing --

    def split(self, node: int, column: str, cut: Any = None) -> Self:
        """Give a leaf a test.

        Parameters
        ----------
        node : int
            The leaf, by its number in `print(tree)`.
        column : str
            The column that is tested.
        cut : float or date, default None
            Of a column of numbers or dates: rows below it take the first branch. None: the best cut, and of
            levels the parting that the method makes.

        Returns
        -------
        HandTree
            This tree, grown by one test.
        """
        nodes, offers = self._steps[-1]
        rows, names = self._rows_of(node), [c.name for c in self._training.schema.used]
        if column not in names:
            raise OptionError(f"there is no column {shown(column)}.{nearest(column, names)}")
        number = names.index(column)
        if not nodes.leaf[node]:
            raise OptionError(f"node {node} has a test already. Split a leaf, or undo().")
        found = self._one_test(rows, self._tested(column, cut, rows))
        if len(found.nodes) == 1 or (cut is not None and found.nodes.cut[0] == NO_CUT):
            counts = nodes.counts[node]
            if np.count_nonzero(counts) == 1:
                label = shown(self._training.schema.predicted.labels[int(np.flatnonzero(counts)[0])])
                words = f"node {node} is pure: all its rows are {label}. There is nothing to part."
            elif cut is not None:
                words = (
                    f"all rows of node {node} lie on one side of {shown(column)} = {cut}. Choose another cut."
                )
            else:
                words = f"all rows of node {node} have one value of {shown(column)}. "
                words += f"best({node}) lists other columns."
            raise OptionError(words)
        test = replace(found.nodes, column=np.where(found.nodes.leaf, -1, number).astype(np.int32))
        if cut is not None:
            own = self._cut_of(column, cut)
            test = replace(test, cut=np.where(test.leaf, np.nan, own))
        grown = nodes.graft(node, test)
        stops, below = self._stops(grown), []
        for branch in grown.branches(node).tolist():
            here = np.flatnonzero((stops >= branch) & (stops < grown.end[branch]))
            none = offers[node].best(0)
            below.append(_offered(self._one_test(here, self._training)) if len(here) else none)
        after = (*offers[: node + 1], *below, *offers[node + 1 :])
        self._steps.append((grown, after))
        return self

    def undo(self) -> Self:
        """Take the last split back.

        Returns
        -------
        HandTree
            This tree, without that test.
        """
        if len(self._steps) == 1:
            raise OptionError("nothing has been split yet, so there is nothing to undo.")
        self._steps.pop()
        return self

    def best(self, node: int = 0) -> Splits:
        """Return the tests that a node could have, the best first, with their gains and branches.

        Parameters
        ----------
        node : int, default 0
            Its number in `print(tree)`.

        Returns
        -------
        Splits
            A line per column: `candidates[0].column` is the one that the method itself would take.
        """
        self._rows_of(node)
        return self.model().splits(node)

    def finish(self, node: int = 0) -> Self:
        """Let the method split on below a node, each leaf by its best test, until no test parts its rows.

        Parameters
        ----------
        node : int, default 0
            Its number in `print(tree)`.

        Returns
        -------
        HandTree
            This tree; `undo` takes the splits back one by one.
        """
        self._rows_of(node)
        waiting = [n for n in range(int(self._nodes.end[node]) - 1, node - 1, -1) if self._nodes.leaf[n]]
        for leaf in waiting:  # the last first: numbers before it stay
            self._grow_on(leaf)
        return self

    def _grow_on(self, leaf: int) -> None:
        offered = self._steps[-1][1][leaf]
        if not len(offered.column):
            return
        self.split(leaf, self._training.schema.used[int(offered.column[0])].name)
        for below in reversed(self._nodes.branches(leaf).tolist()):
            self._grow_on(below)

    # -- looking --

    def errors(self) -> TreeErrors:
        """Return how many rows the tree answers wrongly, in training and among those held out.

        Returns
        -------
        TreeErrors
            Leaves, wrong answers and rows.
        """
        return self._errors("this tree", self.tree_)

    def leaves(self) -> list[dict[str, Any]]:
        """Return of each leaf what it answers, its rows and its wrong answers, in training and held out.

        Returns
        -------
        list of dict
            `node`, `answer`, `rows`, `wrong`, `held_out_rows` and `held_out_wrong`.
        """
        tree = self.tree_
        answers, labels = tree.decide(tree.node_shares), tree.schema.predicted.labels
        held = self._held(tree)
        out = []
        for leaf in np.flatnonzero(tree.nodes.leaf).tolist():
            rows, own = float(tree.rows[leaf].sum()), int(answers[leaf])
            here = held.stops == leaf
            lost = here & (held.truth != own)
            out.append(
                {
                    "node": leaf,
                    "answer": labels[own],
                    "rows": rows,
                    "wrong": rows - float(tree.rows[leaf, own]),
                    "held_out_rows": float(held.weights[here].sum()),
                    "held_out_wrong": float(held.weights[lost].sum()),
                }
            )
        return out

    def compare(self, max_depth: int | None = None, seconds: float | None = 30.0) -> ErrorsBeside:
        """Return the errors of this tree, of the tree that the method grows itself, and of the smallest tree
        that makes the fewest training errors of all of its depth.

        Parameters
        ----------
        max_depth : int, default None
            The depth of the certified tree; None: that of this tree, 3 at most.
        seconds : float, default 30.0
            The most seconds of its search; None: no limit.

        Returns
        -------
        ErrorsBeside
            Of this tree, the grown one and the certified one: leaves, and rows answered wrongly.
        """
        greedy = fresh(self._method)._fit_table(self._training)
        depth = min(max(int(self._nodes.depth.max()), 1), DEEPEST) if max_depth is None else max_depth
        best = OptimalTree(max_depth=depth, seconds=seconds, columns=self._method.columns)
        best._check_parameters()
        best._fit_table(self._training)
        proof = "proven" if best.certificate_.proven else "not proven in the time"
        return ErrorsBeside(
            (
                self.errors(),
                self._errors("grown test by test", greedy.model_),
                self._errors(f"fewest errors of depth {depth}, {proof}", best.model_),
            )
        )

    @property
    def tree_(self) -> Tree:
        """The tree as it stands."""
        nodes, offers = self._steps[-1]
        return Tree(
            self._training.schema,
            nodes,
            self._training.unit,
            self._answers,
            Candidates.joined(offers),
            self._training.row_unit if self._training.unit != 1 else 0,
        )

    def model(self) -> DecisionTree:
        """Return the tree as a fitted `DecisionTree`: it predicts, explains, is saved and exported.

        Returns
        -------
        DecisionTree
            Its notes say that it was grown by hand, so that no refit gives it.
        """
        out = copy.copy(self._method)
        out._table = self._training
        tests = len(self._nodes) - self._nodes.leaves
        note = Note(BY_HAND, f"grown by hand: {counted(tests, 'test')}, each chosen by a person.")
        out._settle(self.tree_, (note,), self._training)
        return out._keep_profile(self._training)

    def picture(self, most: int = 63) -> Picture:
        """Return the tree as a picture.

        Parameters
        ----------
        most : int, default 63
            The most boxes to draw.

        Returns
        -------
        Picture
            SVG; `save` writes it.
        """
        return self.model().picture(most)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: the errors, and every leaf."""
        return {"errors": self.errors().to_dict(), "leaves": self.leaves()}

    def __str__(self) -> str:
        header = ["leaf", "answer", "rows", "wrong"]
        held = self._test is not None
        header += ["held out", "wrong"] if held else []
        rows = []
        for leaf in self.leaves():
            names = ("rows", "wrong", "held_out_rows", "held_out_wrong")[: 4 if held else 2]
            numbers = [Span(f"{leaf[name]:,.10g}") for name in names]
            rows.append([Span(str(leaf["node"])), Span(clean(leaf["answer"])), *numbers])
        lines = plain(table(header, rows, frozenset(range(2, 6))))
        return f"{self.model().show(nodes=True)}\n\n{lines}\n{self.errors()}"

    __repr__ = __str__
    _repr_html_ = as_html

    # -- rows --

    @property
    def _nodes(self) -> Nodes:
        return self._steps[-1][0]

    def _rows_of(self, node: int) -> NDArray[np.int64]:
        """Return the training rows that come to a node."""
        check_whole("node", node, 0)
        if node >= len(self._nodes):
            raise OptionError(f"node {node} is not there: the tree has nodes 0 to {len(self._nodes) - 1}.")
        stops = self._stops(self._nodes)
        return np.flatnonzero((stops >= node) & (stops < self._nodes.end[node]))

    def _stops(self, nodes: Nodes) -> NDArray[np.int64]:
        tree = Tree(self._training.schema, nodes)
        return np.concatenate([tree.stops(block) for block in self._training.blocks()])

    def _one_test(self, rows: NDArray[np.int64], source: Table) -> Tree:
        """Return the tree of at most one test that the method grows on some rows, coded as all are."""
        few = source.take(rows, source.schema)
        one: Tree = fresh(self._method).set_params(**ANY_TEST)._grow(few, self._engine)
        return one

    def _tested(self, column: str, cut: Any, rows: NDArray[np.int64]) -> Table:
        """Return the training rows with one column only; with a cut, with the sides of the cut for values."""
        names = [c.name for c in self._training.schema.used if c.name != column]
        alone: Any = self._training.without(names)
        if cut is None:
            return self._training.without(names)
        at, values = self._cut_of(column, cut), alone.column(column)
        sides = np.where(np.isnan(values), np.nan, (values >= at).astype(np.float64))
        halves: Table = alone.with_values(column, sides)
        return halves

    def _cut_of(self, column: str, cut: Any) -> float:
        own = self._training.schema[column]
        if own.kind != "numeric":
            raise OptionError(f"column {shown(column)} has {own.kind}, not numbers. Leave cut= out.")
        if own.unit == "date" and isinstance(cut, str | datetime.date):
            moment = datetime.datetime.fromisoformat(str(cut))
            return float((moment.replace(tzinfo=None) - EPOCH) // MICROSECOND) / DAY
        if not is_number(cut):
            raise OptionError(f"cut must be a number, not {shown(cut)}.")
        return float(cut)

    # -- errors --

    def _held(self, tree: Tree) -> Held:
        """Return where held-out rows stop in a tree; none of them where none were held out."""
        if self._test is None:
            return Held(tree, np.empty(0, np.int64), np.empty(0), np.empty(0))
        return held_rows(tree, self._test, np.arange(self._test.rows))

    def _errors(self, name: str, tree: Tree) -> TreeErrors:
        own, held = held_rows(tree, self._training, np.arange(self._training.rows)), self._held(tree)
        answers = tree.decide(tree.node_shares)
        wrong, lost = (float(h.weights[answers[h.stops] != h.truth].sum()) for h in (own, held))
        rows, kept = float(own.weights.sum()), float(held.weights.sum())
        return TreeErrors(name, tree.shown.nodes.leaves, wrong, rows, lost, kept)


def _offered(tree: Tree) -> Candidates:
    """Return the candidates of a tree's root."""
    found = tree.candidates_of(np.zeros(1, np.int64))
    assert found is not None
    return found


def grow(
    X: Any,
    y: Any,
    *,
    method: str = "id3",
    held_out: float | None = 0.25,
    columns: Columns | None = None,
    kinds: Mapping[str, str] | None = None,
) -> HandTree:
    """Begin a tree by hand: a single leaf, to be split test by test.

    Parameters
    ----------
    X : path, frame, Arrow table, matrix or records
        The rows.
    y : str or array
        The labels, or the name of their column.
    method : str, default "id3"
        How tests are measured and levels parted: "id3", "c45", "cart", "tree", or one of them with settings,
        such as "id3:criterion=gini". Cuts lie at midpoints, and missing values take one branch.
    held_out : float, default 0.25
        The share of each class that no test is made on, so that it tells how well the tree answers new rows.
        None: all rows are grown on.
    columns : ts.Columns, default None
        What you know of the columns: kinds, levels, marks of missing values, columns to keep.
    kinds : dict, default None
        Short for `columns=ts.Columns(kinds=...)`.

    Returns
    -------
    HandTree
        `split(node, column)`, `undo()`, `best(node)`, `finish(node)`; `errors()`, `compare()`, `model()`.

    Examples
    --------
    >>> import tallystick as ts
    >>> rows = [{"a": a, "b": b, "odd": (a + b) % 2} for a in (0, 1) for b in (0, 1)]
    >>> tree = ts.grow(rows, "odd", held_out=None)
    >>> tree.split(0, "a").split(1, "b").errors()
    this tree: 3 leaves, 1 of 4 (25.0%) wrong in training
    """
    if not isinstance(method, str):
        raise OptionError(f"method must be the name of a tree, such as 'id3', not {shown(method)}.")
    entry = methods.variant(method)
    if entry.method.kind != DecisionTree._kind:
        raise OptionError(f"only a tree is grown by hand, not {shown(method)}. Use id3, c45, cart or tree.")
    chosen = entry.make({"columns": columns, "kinds": kinds}).set_params(**ONE_TREE)
    for name in ("class_weight", "priors", "costs"):
        if getattr(chosen, name) is not None:
            raise OptionError(f"a tree by hand counts every row and error alike. Leave {name} out.")
    whole: Any = chosen._read(X, y)
    # It is asked at every step: what the caller writes over is not asked then.
    whole = owned(whole) if isinstance(whole, LocalTable) and not whole.budget else whole
    if held_out is None:
        return HandTree(chosen, whole, None)
    plan = hold_out(whole, held_out)
    pieces = plan.pieces(whole)
    train, test = next(plan.parts())
    return HandTree(chosen, pieces.take(train), pieces.take(test, pieces.schema))
