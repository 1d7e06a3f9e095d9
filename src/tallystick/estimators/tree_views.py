"""What a fitted tree can be asked for beyond answers: why, rules, smaller trees, a picture.

Knows fitted trees, their training table while it is at hand, pruning and explaining. Knows nothing of
growing. Law: nothing here changes the estimator; pruning returns a new one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Engine
from tallystick.data.schema import Note
from tallystick.draw.svg import Picture
from tallystick.errors import DataError, OptionError, shown
from tallystick.estimators.base import Estimator
from tallystick.estimators.deciding import undecided
from tallystick.estimators.tree_settings import check_price, check_whole
from tallystick.estimators.with_profile import written_over
from tallystick.learners import prune as pruners
from tallystick.learners.prune import Held, LinkPath
from tallystick.models.tree import Tree
from tallystick.models.tree.text import count, show

if TYPE_CHECKING:
    from tallystick.contracts import Table
    from tallystick.data.read.match import Matched
    from tallystick.estimators.pruning_path import PruningPath
    from tallystick.explain.tree import ColumnUse, Splits
    from tallystick.explain.tree_against import TreesBeside
    from tallystick.learners.tree_options import TreeOptions
    from tallystick.models.tree.rules import Rules

CHOICES = ("minimum", "one-se")
PRUNED = 850  # bytes that a node takes while a tree is pruned
NOTEBOOK = 15  # boxes that can be read in the width of a notebook; the others are counted


class TreeViews(Estimator):
    """Asking a fitted tree; the training table is kept in memory after `fit`, and is not part of the model
    file. On disk it is given back, unless `_keeps_rows`.
    """

    model_: Tree
    level_splits: str
    pruning: pruners.Pruning | str | None
    _settled: ClassVar[Mapping[str, Any]] = {}  # options of growing that are not parameters
    _table: Table | None = None
    _keeps_rows = False

    if TYPE_CHECKING:  # what the classes beside this one bring
        _blocks: Callable[..., Iterator[Matched]]
        _read: Callable[..., Table]
        _engine: Callable[..., Engine]
        _grow: Callable[..., Tree]
        apply: Callable[[Any], NDArray[np.int64]]

    def _model_part(self, whole: bool) -> dict[str, Any]:
        return super()._model_part(whole) if whole else self.model_.in_parts()

    @property
    def _averages(self) -> bool:
        """Whether all prunings of the tree are to answer."""
        return False

    def _setting(self, name: str) -> Any:
        """Return a setting of growing: a parameter, or what the class has settled."""
        return self._settled[name] if name in self._settled else getattr(self, name)

    def _counted(self, table: Table) -> TreeOptions:
        """Return the options of growing with parts of the rows as numbers of rows of this table."""
        options: TreeOptions = self._options()  # what rows weigh may cost a walk over them
        return options.counted(table.weight // table.row_unit) if options.in_parts else options

    def decision_path(self, X: Any) -> Any:
        """Return the nodes on the way of each row as scikit-learn does, in a sparse matrix of SciPy.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix, records or dict
            New rows, with the columns of the fit; a dict of values is one row.

        Returns
        -------
        scipy.sparse.csr_matrix [row, node]
            1 for every node from the root to where the row ends, by the numbers of `apply`; 0 elsewhere. A
            row that goes down several branches (missing_values="fractions") ends where `apply` says.
        """
        try:
            from scipy.sparse import csr_matrix
        except ImportError:
            raise OptionError("decision_path gives a matrix of SciPy, which is not installed.") from None
        ends = self.apply(X)
        parent = self.model_.nodes.parent.tolist()
        ways: list[list[int]] = [[0]]
        for node, above in enumerate(parent[1:], 1):
            ways.append([*ways[above], node])
        sizes = np.array([len(ways[end]) for end in ends.tolist()], np.int64)
        places = [node for end in ends.tolist() for node in ways[end]]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        return csr_matrix((np.ones(len(places), np.int64), places, starts), (len(ends), len(parent)))

    def show(self, most: int = 200, nodes: bool = False) -> str:
        """Return the tree in lines; `print(tree)` shows 200 branches.

        Parameters
        ----------
        most : int, default 200
            The most branches to show.
        nodes : bool, default False
            Whether each node has its number, as `apply`, `explain` and `splits` know it.

        Returns
        -------
        str
            The lines.
        """
        self._check_fitted()
        return show(self.model_, most, nodes)

    # -- why --

    def _numbers(self) -> int:
        """Return how many lines a reader of the tree must look at: tests and leaves."""
        self._check_fitted()
        return len(self.model_.shown.nodes)

    def splits(self, node: int = 0) -> Splits:
        """Return every candidate split of a node with its gain: why the chosen one won.

        Parameters
        ----------
        node : int, default 0
            A number as `apply`, `explain` and `show(nodes=True)` give it, in the grown tree.

        Returns
        -------
        Splits
            A line per candidate, the best first.
        """
        from tallystick.explain.tree import measures, splits

        self._check_fitted()
        check_whole("node", node, 0)
        price = float(self._setting("cut_price"))
        named = (
            len(c.levels) + (price > 0 and c.missing > 0) for c in self.schema_.used if c.kind == "levels"
        )
        table = None if self._table is None else self._as_fitted
        told = measures(
            None if self._regression else self._setting("criterion"),
            price,
            self.level_splits == "groups" and any(k > 2 for k in named),
        )
        return replace(splits(self.model_, node, table), measures=told)

    def rules(self, drop: bool = False, data: Any = None, confidence: float = 0.25) -> Rules:
        """Return the tree as if-then rules.

        Parameters
        ----------
        drop : bool, default False
            Whether conditions go that do not lower the pessimistic error (C4.5).
        data : rows or (X, y), default None
            With drop=True, the rows to count by: labelled, with the column of the target or as (X, y); None:
            those of the fit.
        confidence : float, default 0.25
            With drop=True, the confidence of that error.

        Returns
        -------
        Rules
            A rule per leaf.
        """
        from tallystick.models.tree.rules import generalised, rules

        self._check_fitted()
        pruners.Pessimistic(confidence)  # refuses what is not a confidence
        found = rules(self.model_)
        if not drop:
            if data is not None:
                raise _unused("rules()", "pass drop=True")
            return found
        table = self._coded_rows(data, "rules(drop=True)")
        return generalised(found, table.slice(0, table.rows), table.unit, pruners.Bound(confidence).upper)

    def column_use(self) -> ColumnUse:
        """Return what each column is worth to the tree, and the share of rows it is asked of."""
        from tallystick.explain.tree import column_use

        self._check_fitted()
        return column_use(self.model_)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The share of each column given to `fit` in all gain; columns left out have 0."""
        from tallystick.explain.tree import importances

        self._check_fitted()
        worth = dict(zip((c.name for c in self.model_.schema.used), importances(self.model_), strict=True))
        return np.array([worth.get(name, 0.0) for name in self._columns_in()])

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
        from tallystick.explain.tree_boxes import tree_svg

        self._check_fitted()
        return Picture(tree_svg(self.model_, most))

    def _in_notebook(self) -> str:
        from tallystick.draw.notebook import framed

        return framed(self.picture(NOTEBOOK), text=self._as_text())

    def against(self, other: Any) -> TreesBeside:
        """Return how far two trees of the same rows are from each other: a grown one and the optimal one.

        Parameters
        ----------
        other : DecisionTree or OptimalTree
            A tree fitted to the same rows.

        Returns
        -------
        TreesBeside
            Training errors and leaves of both; if one is optimal, counted as its certificate counts them.
        """
        from tallystick.explain.tree_against import beside

        self._check_fitted()
        if not isinstance(other, TreeViews) or other._regression != self._regression:
            raise OptionError(f"against() takes a fitted tree with the same target, not {shown(other)}.")
        other._check_fitted()
        if other.rows_["fingerprint"] != self.rows_["fingerprint"]:
            raise OptionError("the two trees were fitted to different rows. Fit both to the same table.")
        return beside(self.model_, other.model_)

    # -- smaller trees --

    def pruning_path(self, data: Any = None, folds: Any = 10, held_out: Any = None) -> PruningPath:
        """Return every cost-complexity pruning: its size, its training error (its cost, where answers have
        costs) and its error on rows that it was not grown on.

        Parameters
        ----------
        data : rows or (X, y), default None
            Rows to cross-validate on, with the column of the target or as (X, y); None: those of the fit.
        folds : int or list of shares, default 10
            How many folds; 0 for no cross-validation. Shares of rows, such as (0.6, 0.2, 0.2), grow a tree on
            the first part, validate its prunings on the second and test them on the third, if there is one.
        held_out : rows or (X, y), default None
            Rows to validate the prunings of this tree on, in the place of folds.

        Returns
        -------
        PruningPath
            A step per pruning.
        """
        from tallystick.estimators.pruning_path import PruningPath

        self._check_fitted()
        measure = "cost" if self.model_.answers.costs else "error"
        if held_out is not None:
            if data is not None:
                raise _unused("pruning_path(held_out=...)", "leave data out")
            given = self._rows(held_out, "pruning_path()")
            held = [held_rows(self._by_leaves(), given, np.arange(given.rows))]
            return replace(PruningPath.of_parts(held, measure), copies=self._copies(given))
        if isinstance(folds, list | tuple | np.ndarray):
            return PruningPath.of_parts(self._parts(self._rows(data, "pruning_path()"), folds), measure)
        if folds != 0 or isinstance(folds, bool):
            check_whole("folds", folds, 2, ", or 0 for none")
        elif data is not None:
            raise _unused("pruning_path(folds=0)", "pass folds=10")
        if self._table is not None:
            check_room(self.model_, self._table)
        path = pruners.weakest_links(self.model_)
        judged = None
        if folds:
            judged = pruners.judge(path, self._held_out(self._rows(data, "pruning_path()"), folds))
        return PruningPath.of(path, judged, measure)

    def prune(
        self,
        kind: str | pruners.Pruning = "cost-complexity",
        data: Any = None,
        *,
        alpha: float | None = None,
        choose: str = "minimum",
        folds: int = 10,
        confidence: float = pruners.Pessimistic.confidence,
        raising: bool = True,
    ) -> Self:
        """Return a smaller tree; this one stays as it is.

        Parameters
        ----------
        kind : str or ts.CostComplexity, ts.Pessimistic, ts.DescriptionLength, default "cost-complexity"
            "cost-complexity" (at `alpha`, or chosen by cross-validation), "pessimistic" (C4.5), "reduced-
            error" (by rows that were not in training) or "mdl" (least description length).
        data : rows or (X, y), default None
            Labelled rows, with the column of the target or as (X, y); None: those of the fit.
        alpha : float, default None
            The price of a leaf for "cost-complexity"; None: chosen by cross-validation.
        choose : {"minimum", "one-se"}, default "minimum"
            With alpha=None: the least error, or the smallest tree within one standard error of it.
        folds : int, default 10
            How many folds choose alpha.
        confidence : float, default 0.25
            For "pessimistic": the lower, the smaller the tree.
        raising : bool, default True
            For "pessimistic": whether a subtree may take the place of its parent.

        Returns
        -------
        DecisionTree or RegressionTree
            Its parameters say how it was pruned, except for "reduced-error": a refit does not have those
            rows, so it would grow the whole tree.
        """
        self._check_fitted()
        if (decision := self.model_.decision) is not None:  # it changes answers, never the tree
            asked: dict[str, Any] = {
                "alpha": alpha,
                "choose": choose,
                "folds": folds,
                "confidence": confidence,
            }
            out = undecided(self).prune(kind, data, raising=raising, **asked)
            out._decide_by(decision)
            return out
        way = pruners.pruning_of(kind) if pruners.is_pruning(kind) else None
        if way is not None:
            kind, alpha, confidence = self._said(way, alpha, confidence)
        tree, out = self.model_, type(self)(**self.get_params(deep=False))
        out._table, out._float_labels = self._table, self._float_labels
        out._set_columns(self._columns_in(), self._named_columns)
        if kind == "cost-complexity":
            path = pruners.weakest_links(tree)
            at = self._price(path, alpha, data, choose, folds)
            way = pruners.CostComplexity(at / float(path.error[0]) if path.error[0] else 0.0)
            small = tree.cut_back(path.stop(at))
        elif kind == "pessimistic":
            way = pruners.Pessimistic(confidence)
            small = self._pessimistic(data, confidence, raising)
        elif kind == pruners.HELD_OUT:
            small = self._reduced_error(data)
        else:
            way = way or self._named_way(kind)
            small = self._by_fit_rows(way, data, folds)
        out.pruning, out._by_held_out = way, way is None
        notes = tuple(n for n in self.notes_ if n.code != "pruned")
        out._adopt(small, (*notes, pruning_note(str(kind), tree, small, self._averages)), self.rows_)
        return out._with_profile_of(self, self._table)

    def _said(
        self, way: pruners.Pruning, alpha: float | None, confidence: float
    ) -> tuple[str, float | None, float]:
        """Return a way to prune in the words of `prune`: its name, alpha and confidence."""
        if isinstance(way, pruners.CostComplexity) and way.cp is not None:
            alpha = way.cp * float(pruners.weakest_links(self.model_).error[0])
        if isinstance(way, pruners.Pessimistic):
            confidence = way.confidence
        return way.name, alpha, confidence

    @staticmethod
    def _named_way(kind: Any) -> pruners.Pruning:
        if not isinstance(kind, str) or kind not in pruners.METHODS:
            known = ", ".join((*pruners.METHODS, pruners.HELD_OUT))
            raise OptionError(f"prune: kind must be one of {known}, not {shown(kind)}.")
        return pruners.METHODS[kind]()

    def _by_fit_rows(self, way: pruners.Pruning, data: Any, folds: int) -> Tree:
        """Return the tree that a way of the list leaves, as it would as part of a fit."""
        call = f"prune('{way.name}')"
        if data is not None:
            raise _unused(call, "leave data out")
        rows = None if self._table is None else self._as_fitted().slice(0, self._table.rows)
        return way.prune(self.model_, rows, lambda: self._held_out(self._rows(None, call), folds))

    def _price(self, path: LinkPath, alpha: float | None, data: Any, choose: str, folds: int) -> float:
        """Return the price per leaf: as given, or chosen by cross-validation."""
        if alpha is None:
            check_whole("folds", folds, 2)
            return self._choose(path, data, choose, folds)
        check_price("alpha", alpha)
        if data is not None:
            raise _unused("prune('cost-complexity', alpha=...)", "leave alpha or data out")
        return float(alpha)

    def _pessimistic(self, data: Any, confidence: float, raising: bool) -> Tree:
        if not raising:
            if data is not None:
                raise _unused("prune('pessimistic', raising=False)", "leave data out")
            return pruners.pessimistic(self.model_, confidence)
        table = self._coded_rows(data, "prune('pessimistic', raising=True)")
        return pruners.pessimistic(self.model_, confidence, table.slice(0, table.rows), True)

    def _choose(self, path: LinkPath, data: Any, choose: str, folds: int) -> float:
        """Return the price per leaf that cross-validation chooses."""
        if choose not in CHOICES:
            raise OptionError(f"prune: choose must be one of {', '.join(CHOICES)}, not {shown(choose)}.")
        judged = pruners.judge(path, self._held_out(self._rows(data, "prune('cost-complexity')"), folds))
        return float(path.alpha[judged.minimum if choose == "minimum" else judged.one_se])

    def _reduced_error(self, data: Any) -> Tree:
        if data is None:
            raise OptionError(
                "prune('reduced-error') needs rows the tree has not seen. Pass data=: labelled rows, "
                "or (X, y)."
            )
        table = self._coded_rows(data, "prune('reduced-error')")
        stops = np.concatenate([self.model_.stops(block) for block in table.blocks()])
        truth = table.response if self.model_.regression else table.classes
        assert truth is not None
        return pruners.reduced_error(self.model_, stops, truth.astype(np.float64), np.ones(len(stops)))

    def _rows(self, data: Any, what: str) -> Table:
        """Return the labelled rows to work on, with their own levels: those given, else those of the fit."""
        from tallystick.estimators.given_rows import read_labelled

        if data is not None:
            return read_labelled(self, data)
        if self._table is None:
            raise OptionError(
                f"{what} needs the training rows. A loaded model and a fit with memory= do not keep them. "
                "Pass data=: labelled rows, or (X, y)."
            )
        return self._as_fitted()

    def _as_fitted(self) -> Table:
        """Return the rows of the fit, unless they are others by now."""
        assert self._table is not None
        if written_over(self._table, self._engine(self._table)):
            raise DataError(
                "the rows were written over after the fit, so that they would give another tree. Fit again, "
                "or pass data=: labelled rows, or (X, y)."
            )
        return self._table

    def _coded_rows(self, data: Any, what: str) -> Table:
        """Return the labelled rows to work on, coded as the tree is."""
        from tallystick.estimators.given_rows import coded

        table = self._rows(data, what)
        return table if data is None else coded(table, self.schema_)

    def _held_out(self, table: Table, folds: int) -> Iterator[Held]:
        """Yield, fold by fold, a tree grown like this one without the fold, and the fold's rows."""
        from tallystick.evaluate import deal
        from tallystick.evaluate.costs import named

        plan = deal(table, folds)
        pieces = plan.pieces(table)
        method = named(self, table.schema.predicted)
        for train, test in plan.parts():
            yield held_rows(method._regrow(pieces.take(train)), pieces, test)

    def _parts(self, table: Table, shares: Any) -> list[Held]:
        """Return a tree grown on the first part of some rows, with the rows of each of the others: the parts
        that `compare` makes of the same shares.
        """
        from tallystick.evaluate.costs import named
        from tallystick.evaluate.crossval import FoldWay
        from tallystick.evaluate.folds import Dealing

        parts = FoldWay.of(shares, None, None).shares
        dealing = Dealing(shares=parts)
        plan = dealing.outer(table, 0)
        whole = plan.pieces(table)
        train, last = plan.part(0)
        method = named(self, table.schema.predicted)
        if len(parts) == 2:
            return [held_rows(method._regrow(whole.take(train)), whole, last)]
        rest = whole.take(train)
        plan = dealing.inner(rest, 0, train)
        pieces = plan.pieces(rest)
        train, second = plan.part(0)
        tree = method._regrow(pieces.take(train))
        return [held_rows(tree, pieces, second), held_rows(tree, whole, last)]

    def _copies(self, given: Table) -> int:
        """Return how many rows are among the training rows, target included, where these are at hand."""
        from tallystick.estimators.given_rows import coded

        if self._table is None:
            return 0
        return int(np.isin(coded(given, self.schema_).row_hashes(), self._table.row_hashes()).sum())

    def _by_leaves(self) -> Tree:
        """Return the tree of this model, answering by its leaves."""
        tree = self.model_
        return replace(tree, answers=replace(tree.answers, average=False))

    def _regrow(self, table: Table) -> Tree:
        """Return a tree grown from other rows by the same options, unpruned."""
        tree: Tree = self._grow(table, self._engine(), candidates=False)
        return replace(tree, answers=replace(tree.answers, average=False))


def _unused(what: str, do: str) -> OptionError:
    """Return the error of rows that nobody would look at."""
    return OptionError(f"{what} looks at no rows, but data= was given; {do}.")


def check_room(tree: Tree, table: Table) -> None:
    """Refuse to prune a tree of so many nodes that the budget of its table does not hold what this takes."""
    from tallystick.stats.room import refuse_large_tree

    if table.place == "disk":
        refuse_large_tree(len(tree.nodes), PRUNED, table.budget)


def pruning_note(kind: str, grown: Tree, small: Tree, average: bool) -> Note:
    """Say what a pruning did; average: the parameter, which a pruning switches off."""
    text = f"pruned ({kind}) from {grown.nodes.leaves:,} to {count(small.nodes.leaves, 'leaf')}."
    if small.nodes.leaves == grown.nodes.leaves:
        text = f"nothing was pruned ({kind}): the tree keeps its {count(small.nodes.leaves, 'leaf')}."
    if average and not grown.regression:
        text += " It answers by its leaves: average=True is for trees that are not pruned."
    return Note("pruned", text, count=grown.nodes.leaves - small.nodes.leaves)


def held_rows(tree: Tree, table: Table, rows: NDArray[np.int64]) -> Held:
    """Return where held-out rows stop in a tree of another schema, and what is true of them. Rows of one
    class that stop at one node are one of their weight: there are no more of these than the tree has counts.
    """
    test = table.take(rows, tree.schema)
    if table.classes is None:
        assert table.response is not None
        stops = np.concatenate([tree.stops(block) for block in test.blocks()])
        weights = np.ones(len(rows)) if table.weights is None else table.weights[rows] / table.unit
        return Held(tree, stops, table.response[rows], weights)
    labels, at = table.schema.predicted.labels, 0
    counts = np.zeros((len(tree.nodes), len(labels)), np.int64)
    for block in test.blocks():
        some = rows[at : at + block.rows]
        weigh = 1 if table.weights is None else table.weights[some]
        np.add.at(counts, (tree.stops(block), table.classes[some]), weigh)
        at += block.rows
    known = {label: code for code, label in enumerate(tree.schema.predicted.labels)}
    codes = np.array([known.get(label, -1) for label in labels])  # -1: not in the other folds
    stops, classes = np.nonzero(counts)
    return Held(
        tree, stops, codes[classes], counts[stops, classes] / (1 if table.weights is None else table.unit)
    )
