"""`DecisionTree` and `RegressionTree`: grown, asked for rules, splits and pictures, and pruned.

Law: nothing that is asked of a fitted tree changes the estimator; pruning returns a new one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Engine, Model
from tallystick.draw.svg import Picture
from tallystick.engine import Local
from tallystick.errors import ModelFileError, OptionError, shown
from tallystick.estimator.base import PLACES, SHARED, Estimator
from tallystick.estimator.classifier import Classifier, Regressor, undecided
from tallystick.model.decision import cost_table
from tallystick.model.file import checked, plain
from tallystick.predict.columns import from_floats
from tallystick.schema import ANY_TABLE, NO_WISHES, ColumnOptions, Columns, Note, Schema, Target
from tallystick.tree import prune as pruners
from tallystick.tree.model import Answers, Tree, class_weights
from tallystick.tree.options import (
    TreeOptions,
    check_classes,
    check_price,
    check_settings,
    check_whole,
    named_by_label,
    plain_value,
    text_notes,
)
from tallystick.tree.prune import (
    HELD_OUT,
    CostComplexity,
    Held,
    Pessimistic,
    Pruning,
    from_file,
    pruning_of,
    to_file,
)
from tallystick.tree.view import count, show

if TYPE_CHECKING:
    from tallystick.contracts import Table
    from tallystick.tree.optimal import OptimalTree
    from tallystick.tree.rules import Rules
    from tallystick.tree.splits import ColumnUse, PruningPath, Splits, TreesBeside


CHOICES = ("minimum", "one-se")
PRUNED = 850  # bytes that a node takes while a tree is pruned
NOTEBOOK = 15  # boxes that can be read in the width of a notebook; the others are counted


GROWING = tuple(TreeOptions.__dataclass_fields__)
PER_CLASS = ("class_weight", "priors", "costs")


class AnyTree(Estimator):
    """What all trees share: growing, pruning, asking. Rows of a fit in memory are kept for `prune`, `splits`
    and `rules`, in a copy of the tree's own; on disk they are given back, unless `_keeps_rows`. The model
    file has none of them.
    """

    model_: Tree
    level_splits: str
    pruning: pruners.Pruning | str | None
    _settled: ClassVar[Mapping[str, Any]] = {}  # options of growing that are not parameters
    _table: Table | None = None
    _keeps_rows = False
    _places = PLACES | {
        "confidence": "pruning=ts.Pessimistic(confidence=0.25)",
        "cp": "pruning=ts.CostComplexity(cp=0.01)",
    }
    class_weight: Any
    priors: Any
    costs: Any

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
        from tallystick.tree.splits import measures, splits

        self._check_fitted()
        check_whole("node", node, 0)
        price = float(self._setting("cut_price"))
        named = (
            len(c.levels) + (price > 0 and c.missing > 0) for c in self.schema_.used if c.kind == "levels"
        )
        words = measures(
            None if self._regression else self._setting("criterion"),
            price,
            self.level_splits == "groups" and any(k > 2 for k in named),
        )
        return replace(splits(self.model_, node, self._table), measures=words)

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
        from tallystick.tree.rules import generalised, rules

        self._check_fitted()
        pruners.Pessimistic(confidence)  # refuses what is not a confidence
        found = rules(self.model_)
        if not drop:
            if data is not None:
                raise _unused("rules()", "pass drop=True")
            return found
        table = self._coded_rows(data, "rules(drop=True)")
        rows = table.local().slice(0, table.rows)
        return generalised(found, rows, table.unit, pruners.Bound(confidence).upper)

    def column_use(self) -> ColumnUse:
        """Return what each column is worth to the tree, and the share of rows it is asked of."""
        from tallystick.tree.splits import column_use

        self._check_fitted()
        return column_use(self.model_)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The share of each column given to `fit` in all gain; columns left out have 0."""
        from tallystick.tree.splits import importances

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
        from tallystick.tree.picture import tree_svg

        self._check_fitted()
        return Picture(tree_svg(self.model_, most))

    def _in_notebook(self) -> str:
        from tallystick.draw.svg import framed

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
        from tallystick.tree.splits import beside

        self._check_fitted()
        if not isinstance(other, AnyTree) or other._regression != self._regression:
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
        from tallystick.tree.splits import PruningPath

        self._check_fitted()
        measure = "cost" if self.model_.answers.costs else "error"
        if held_out is not None:
            if data is not None:
                raise _unused("pruning_path(held_out=...)", "leave data out")
            given = self._rows(held_out, "pruning_path()")
            tree = self.model_
            by_leaves = replace(tree, answers=replace(tree.answers, average=False))
            held = [held_rows(by_leaves, given, np.arange(given.rows))]
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
            kind = way.name
        tree, out = self.model_, type(self)(**self.get_params(deep=False))
        out._table, out._float_labels = self._table, self._float_labels
        out._set_columns(self._columns_in(), self._named_columns)
        if kind == "cost-complexity":
            path = pruners.weakest_links(tree)
            if isinstance(way, pruners.CostComplexity) and way.cp is not None:
                alpha = way.cp * float(path.error[0])
            if alpha is None:
                check_whole("folds", folds, 2)
                if choose not in CHOICES:
                    raise OptionError(
                        f"prune: choose must be one of {', '.join(CHOICES)}, not {shown(choose)}."
                    )
                judged = pruners.judge(
                    path, self._held_out(self._rows(data, "prune('cost-complexity')"), folds)
                )
                alpha = float(path.alpha[judged.minimum if choose == "minimum" else judged.one_se])
            else:
                check_price("alpha", alpha)
                if data is not None:
                    raise _unused("prune('cost-complexity', alpha=...)", "leave alpha or data out")
                alpha = float(alpha)
            way = pruners.CostComplexity(alpha / float(path.error[0]) if path.error[0] else 0.0)
            small = tree.cut_back(path.stop(alpha))
        elif kind == "pessimistic":
            way = way if isinstance(way, pruners.Pessimistic) else pruners.Pessimistic(confidence)
            if raising:
                rows = self._coded_rows(data, "prune('pessimistic', raising=True)")
                small = pruners.pessimistic(tree, way.confidence, rows.local().slice(0, rows.rows), True)
            elif data is not None:
                raise _unused("prune('pessimistic', raising=False)", "leave data out")
            else:
                small = pruners.pessimistic(tree, way.confidence)
        elif kind == pruners.HELD_OUT:
            if data is None:
                raise OptionError(
                    "prune('reduced-error') needs rows the tree has not seen. Pass data=: labelled rows, "
                    "or (X, y)."
                )
            rows = self._coded_rows(data, "prune('reduced-error')")
            stops = np.concatenate([tree.stops(block) for block in rows.blocks()])
            truth = rows.response if tree.regression else rows.classes
            assert truth is not None
            small = pruners.reduced_error(tree, stops, truth.astype(np.float64), np.ones(len(stops)))
        else:  # as it would as part of a fit
            if not isinstance(kind, str) or kind not in pruners.METHODS:
                known = ", ".join((*pruners.METHODS, pruners.HELD_OUT))
                raise OptionError(f"prune: kind must be one of {known}, not {shown(kind)}.")
            way, call = way or pruners.METHODS[kind](), f"prune('{kind}')"
            if data is not None:
                raise _unused(call, "leave data out")
            block = None if self._table is None else self._table.local().slice(0, self._table.rows)
            small = way.prune(tree, block, lambda: self._held_out(self._rows(None, call), folds))
        out.pruning, out._by_held_out = way, way is None
        notes = tuple(n for n in self.notes_ if n.code != "pruned")
        out._adopt(small, (*notes, pruning_note(str(kind), tree, small, self._averages)), self.rows_)
        return out._with_profile_of(self, self._table)

    def _rows(self, data: Any, what: str) -> Table:
        """Return the labelled rows to work on, with their own levels: those given, else those of the fit."""
        from tallystick.estimator.rows import read_labelled

        if data is not None:
            return read_labelled(self, data)
        if self._table is None:
            raise OptionError(
                f"{what} needs the training rows. A loaded model and a fit with memory= do not keep them. "
                "Pass data=: labelled rows, or (X, y)."
            )
        return self._table

    def _coded_rows(self, data: Any, what: str) -> Table:
        """Return the labelled rows to work on, coded as the tree is."""
        from tallystick.estimator.rows import coded

        table = self._rows(data, what)
        return table if data is None else coded(table, self.schema_)

    def _held_out(self, table: Table, folds: int) -> Iterator[Held]:
        """Yield, fold by fold, a tree grown like this one without the fold, and the fold's rows."""
        from tallystick.judge.folds import deal
        from tallystick.judge.run import named

        plan = deal(table, folds)
        pieces = plan.pieces(table)
        method = named(self, table.schema.predicted)
        for train, test in plan.parts():
            yield held_rows(method._regrow(pieces.take(train)), pieces, test)

    def _parts(self, table: Table, shares: Any) -> list[Held]:
        """Return a tree grown on the first part of some rows, with the rows of each of the others: the parts
        that `compare` makes of the same shares.
        """
        from tallystick.judge.crossval import FoldOptions
        from tallystick.judge.folds import Dealing
        from tallystick.judge.run import named

        parts = FoldOptions.of(shares, None, None).shares
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
        from tallystick.estimator.rows import coded

        if self._table is None:
            return 0
        return int(np.isin(coded(given, self.schema_).row_hashes(), self._table.row_hashes()).sum())

    def _regrow(self, table: Table) -> Tree:
        """Return a tree grown from other rows by the same options, unpruned."""
        tree: Tree = self._grow(table, self._engine(), candidates=False)
        return replace(tree, answers=replace(tree.answers, average=False))

    def _options(self) -> TreeOptions:
        settled = self._settled
        return checked(TreeOptions, {n: settled[n] if n in settled else getattr(self, n) for n in GROWING})

    def _answers(self, target: Target | None) -> Answers:
        """Return how the leaves answer."""
        return Answers()

    def _check_parameters(self) -> None:
        for name in PER_CLASS:
            plain_value(name, self._setting(name))
        self._options()
        self._wishes()
        self._engine()
        pruning_of(self.pruning)

    def _learning(self) -> dict[str, Any]:
        self._check_parameters()
        kept = (*SHARED, "criterion", "pruning")
        own = {n: plain_value(n, getattr(self, n)) for n in self._names() if n not in kept}
        own |= {n: plain_value(n, value) for n, value in to_file(pruning_of(self.pruning)).items()}
        if self._by_held_out:
            own["pruning"] = HELD_OUT
        if not self._regression:
            own |= {"criterion": self._setting("criterion"), "cut_price": float(self._setting("cut_price"))}
        if not own.get("min_entropy"):  # a file tells it only where it stops something
            own.pop("min_entropy", None)
        return own | self._wishes().to_dict()

    def _document(self, profile: bool, model: dict[str, Any]) -> dict[str, Any]:
        """Return the model file's content: numbers per class by label, costs as a table."""
        out = super()._document(profile, model)
        target, own = self.schema_.predicted, out["parameters"]
        if isinstance(costs := self._setting("costs"), Mapping):
            own["costs"] = [list(row) for row in cost_table(costs, target)]
        for name in ("class_weight", "priors"):
            if isinstance(own.get(name), Mapping):
                own[name] = {target.label_of(label): value for label, value in own[name].items()}
        return out

    def _wishes(self) -> ColumnOptions:
        wished = super()._wishes()  # where there is nothing to tell apart the tree is one leaf
        return ANY_TABLE if wished is NO_WISHES else replace(wished, trivial=True, by_columns=True)

    def _read(self, X: Any, y: Any = None, sample_weight: Any = None) -> Table:
        """Return the encoded table that `_fit_table` learns from."""
        table = super()._read(X, y, sample_weight)
        target = table.schema.target
        if target is not None and target.labels:
            check_classes(self.class_weight, self._setting("priors"), self.costs, target)
        return table

    def _grow(self, table: Table, engine: Engine, candidates: bool = True) -> Tree:
        """Return the tree as it is grown, unpruned; candidates: it keeps the splits it did not make."""
        from tallystick.engine import fit
        from tallystick.tree.learner import TreeLearner

        answers = self._answers(table.schema.target)
        learner = TreeLearner(
            self._counted(table), table.unit, answers, candidates, table.rows, table.row_unit, table.budget
        )
        return fit(learner, table, engine)

    def _rows_of(self, table: Table) -> dict[str, Any]:
        own = {} if table.unit == 1 else {"row": table.row_unit}
        return super()._rows_of(table) | own

    def _settle(self, model: Model, notes: tuple[Note, ...], table: Table) -> None:
        from tallystick.table.subset import own_copy
        from tallystick.table.table import LocalTable

        super()._settle(model, notes, table)
        if isinstance(self._table, LocalTable):
            self._table = own_copy(self._table)

    def _learn_to_answer(self, table: Table, engine: Engine) -> tuple[Model, tuple[Note, ...]]:
        """Return the tree without the splits it did not make."""
        return self._learn(table, engine, candidates=False)

    def _learn(self, table: Table, engine: Engine, candidates: bool = True) -> tuple[Model, tuple[Note, ...]]:
        way = pruning_of(self.pruning)
        self._by_held_out = False
        notes = text_notes(table.schema)
        grown = self._grow(table, engine, candidates)
        # kept for pruning; no part of the model file
        self._table = None if table.budget and not self._keeps_rows else table
        if way is None:
            return grown, notes
        check_room(grown, table)
        tree = way.prune(grown, table.local().slice(0, table.rows), lambda: self._held_out(table, 10))
        return tree, (*notes, pruning_note(way.name, grown, tree, self._averages))

    def _set_stored(self, parameters: Mapping[str, Any]) -> None:
        own = ({"min_entropy": 0.0} if "min_entropy" in self._names() else {}) | dict(parameters)
        name, settings = own.pop("pruning"), {n: own.pop(n) for n in to_file(None) if n != "pruning"}
        super()._set_stored(own)
        self._by_held_out = name == HELD_OUT  # no parameter of a fit: it tells where the tree comes from
        self.pruning = None if self._by_held_out else from_file(name, settings)

    def _with_part(self, name: str, part: str, value: Any) -> Any:
        if name == "pruning" and isinstance(self.pruning, str):
            self.pruning = pruning_of(self.pruning)
        return super()._with_part(name, part, value)

    def _fit_settings(
        self, settings: Sequence[Any], training: Table, roughly: bool = False
    ) -> Iterator[Tree] | None:
        """Return the tree of each setting from one tree, when only max_leaf_nodes differs."""
        from tallystick.engine import fit
        from tallystick.tree.learner import TreeLearner, limited

        first, *others = [{**s.get_params(deep=False), "max_leaf_nodes": None} for s in settings]
        if self.pruning is not None or any(params != first for params in others):
            return None
        whole = type(self)(**first)
        learner = TreeLearner(
            whole._counted(training),
            training.unit,
            whole._answers(training.schema.target),
            keep_candidates=False,
            row_unit=training.row_unit,
            budget=training.budget,
        )
        grown = fit(learner, training, training.engine or Local(1))
        sizes = (setting.max_leaf_nodes for setting in settings)
        return (grown if n is None else limited(grown, n) for n in sizes)

    def _restore(self, document: Mapping[str, Any]) -> None:
        schema = Schema.from_dict(document["schema"])
        rows = dict(document["rows"])
        try:
            self._set_stored(document["parameters"])
            unit = rows["unit"] * self._options().parts(schema, rows["unit"])
            answers = self._answers(schema.target)
        except OptionError as error:
            raise ModelFileError(f"model file: {error} The file was edited.") from None
        model = Tree.from_dict(document["model"], schema, unit, answers, rows.get("row", 0))
        self._adopt(model, tuple(Note(**n) for n in document["notes"]), rows)
        self._set_columns(list(schema.given), named=True)

    @property
    def _asked(self) -> Schema:
        return self.model_.asked

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the number of the node where each row ends; for an averaged tree, in the grown tree.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix, records or dict
            New rows, with the columns of the fit; a dict of values is one row.

        Returns
        -------
        array [row]
            Numbers as `explain`, `splits` and `show(nodes=True)` know them.
        """
        self._check_fitted()
        X = self._fitting(X)
        found = from_floats(
            self.schema_, X, self.model_.ends_of_floats, self._local().threads, asked=self._asked
        )
        if found is not None:
            return found.astype(np.int64)
        parts = list(self._each_block(X, self.model_.stops))
        return np.concatenate(parts) if parts else np.zeros(0, np.int64)

    def get_depth(self) -> int:
        """Return the longest way from the root to a leaf, in tests; an averaged tree's is of the grown
        tree.
        """
        self._check_fitted()
        return int(self.model_.nodes.depth.max())

    def get_n_leaves(self) -> int:
        """Return the number of leaves; an averaged tree has those of the grown tree, not of the printed
        one.
        """
        self._check_fitted()
        return self.model_.nodes.leaves

    def _as_text(self) -> str:
        return str(self.model_)

    def _own_costs(self, target: Target) -> tuple[tuple[float, ...], ...]:
        return () if self._regression else cost_table(self.costs, target)

    def _by_label(self, target: Target) -> Self:
        if self._regression:
            return self
        return type(self)(**named_by_label(self.get_params(deep=False), PER_CLASS, target))


def _unused(what: str, do: str) -> OptionError:
    """Return the error of rows that nobody would look at."""
    return OptionError(f"{what} looks at no rows, but data= was given; {do}.")


def check_room(tree: Tree, table: Table) -> None:
    """Refuse to prune a tree of so many nodes that the budget of its table does not hold what this takes."""
    from tallystick.stats.exact import refuse_large_tree

    if table.budget:
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


_PLAIN: dict[str, Any] = {"average": False, "smoothing": 0.0, "cut_price": 0.0}  # the leaf's own shares


class DecisionTree(AnyTree, Classifier):
    """A tree of tests on single columns, its leaves the class counts of the rows that came there.

    Parameters
    ----------
    criterion : {"gain-ratio", "entropy", "gini"}, default "gain-ratio"
        What a split is scored by: information gain over its own entropy (C4.5, among columns of at least
        average gain), information gain, or Gini's impurity.
    level_splits : {"groups", "each"}, default "groups"
        A test of levels parts them into two groups, or has a branch for each.
    missing_values : {"learned", "fractions"}, default "learned"
        Missing values take the branch that scores best, or go down all branches in parts (C4.5).
    max_depth : int, default None
        The most tests on the way to a leaf; None: no limit.
    min_samples_leaf : int or float, default 1
        The fewest rows in a leaf, or a part of all rows such as 0.01. A whole weight counts as so many rows;
        where weights are not whole, a row of the mean weight counts as one.
    min_samples_split : int or float, default 2
        The fewest rows in a node that is split, or a part of all rows.
    max_leaf_nodes : int, default None
        The most leaves, grown best first; None: no limit.
    min_impurity_decrease : float, default 0.0
        The least gain of a split times its node's share of all rows, class weights included.
    min_entropy : float, default 0.0
        The least entropy of a node that is split, in bits, class weights included.
    stop_at_zero_gain : bool, default False
        Whether a split must gain something.
    cuts : {"midpoint", "observed"}, default "midpoint"
        A cut lies between two values, or at the largest training value not above that (C4.5).
    cut_price : float, default 1.0
        Columns are compared by their gain less this times log2(cuts)/rows, the bits that name a cut (C4.5:
        1, CART: 0). Groups of three or more levels always pay the bits that name them, with missing as a
        level if this is above 0.
    cut_rows : bool, default False
        Whether each side of a cut needs C4.5's least number of rows.
    class_weight : dict or "balanced", default None
        What a row of each class counts: {label: weight}.
    priors : dict or list, default None
        Grow as if the classes had these shares, {label: share}; of every class, with the sum 1.
    costs : dict or table, default None
        {label: {answer: cost}} (not named: 1 for a wrong answer, 0 for a right) or `costs[class][answer]`:
        the cheapest class is answered.
    max_bins : int, default None
        Numeric columns in so many quantile bins; None is exact.
    average : bool, default True
        Answer by all prunings of the tree, each as probable as its fit and the prior make it. A pruned tree
        answers by its leaves.
    smoothing : float, default None
        Imagined rows in each leaf, with the shares of all rows; None is
        sqrt(8 / number of classes).
    split_prior : float, default None
        The probability that a test is kept, in the average; None is
        1 / (1 + sqrt(tests it was chosen from)).
    pruning : ts.CostComplexity, ts.Pessimistic or ts.DescriptionLength, default None
        How the grown tree is pruned; a name ("cost-complexity", "pessimistic", "mdl") is one with its
        defaults.
    columns : ts.Columns, default None
        What you know of the columns: kinds, levels, marks of missing values, columns to keep.
    kinds : dict, default None
        Short for `columns=ts.Columns(kinds=...)`.
    engine : ts.Local, ts.Spark or ts.Sql, default None
        Who sums the rows; None is this machine. It changes no model.
    threads, memory : int; int or str, default None
        Short for `engine=ts.Local(threads=..., memory=...)`: all cores, and all rows in memory.

    See Also
    --------
    DecisionTree.id3, DecisionTree.c45, DecisionTree.cart : the classical settings by name.
    DecisionTree.optimal : the best tree of a small depth, proven.

    Examples
    --------
    >>> import tallystick as ts
    >>> rows = [{"sky": "sun", "wind": 2, "play": "no"}, {"sky": "rain", "wind": 3, "play": "yes"}] * 5
    >>> tree = ts.DecisionTree(kinds={"wind": "out"}).fit(rows, "play")
    >>> tree.predict([{"sky": "sun"}]).tolist()
    ['no']
    """

    _kind = "decision-tree"

    def __init__(
        self,
        *,
        criterion: str = "gain-ratio",
        level_splits: str = "groups",
        missing_values: str = "learned",
        max_depth: int | None = None,
        min_samples_leaf: float = 1,
        min_samples_split: float = 2,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        min_entropy: float = 0.0,
        stop_at_zero_gain: bool = False,
        cuts: str = "midpoint",
        cut_price: float = 1.0,
        cut_rows: bool = False,
        class_weight: Any = None,
        priors: Any = None,
        costs: Any = None,
        max_bins: int | None = None,
        average: bool = True,
        smoothing: float | None = None,
        split_prior: float | None = None,
        pruning: Pruning | str | None = None,
        columns: Columns | None = None,
        kinds: Mapping[str, str] | None = None,
        engine: Engine | None = None,
        threads: int | None = None,
        memory: int | str | None = None,
    ) -> None:
        self.criterion = criterion
        self.level_splits = level_splits
        self.missing_values = missing_values
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.min_samples_split = min_samples_split
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.min_entropy = min_entropy
        self.stop_at_zero_gain = stop_at_zero_gain
        self.cuts = cuts
        self.cut_price = cut_price
        self.cut_rows = cut_rows
        self.class_weight = class_weight
        self.priors = priors
        self.costs = costs
        self.max_bins = max_bins
        self.average = average
        self.smoothing = smoothing
        self.split_prior = split_prior
        self.pruning = pruning
        self.columns = columns
        self.kinds = kinds
        self.engine = engine
        self.threads = threads
        self.memory = memory

    @classmethod
    def id3(cls, **given: Any) -> Self:
        """Return a tree as ID3 grows it: information gain, a branch per level, tests that gain nothing by
        themselves too (exclusive or), no pruning.

        Parameters
        ----------
        **given
            Parameters of `DecisionTree` that differ.

        Returns
        -------
        DecisionTree
            Not fitted yet.
        """
        own: dict[str, Any] = {"criterion": "entropy", "level_splits": "each"}
        return cls(**own | _PLAIN | given)

    @classmethod
    def c45(cls, **given: Any) -> Self:
        """Return a tree as C4.5 (J48) grows it: gain ratio, priced cuts at observed values, a branch per
        level, at least two branches of at least two rows, fractions for missing values, pessimistic pruning
        with subtree raising.

        Parameters
        ----------
        **given
            Parameters of `DecisionTree` that differ.

        Returns
        -------
        DecisionTree
            Not fitted yet.
        """
        own: dict[str, Any] = {
            "criterion": "gain-ratio",
            "level_splits": "each",
            "missing_values": "fractions",
            "min_samples_leaf": 2,
            "cuts": "observed",
            "cut_price": 1.0,
            "cut_rows": True,
            "stop_at_zero_gain": True,
            "pruning": Pessimistic(),
        }
        return cls(**_PLAIN | own | given)

    @classmethod
    def cart(cls, **given: Any) -> Self:
        """Return a tree as CART (rpart) grows it: Gini, two groups of levels, at least 20 rows to split and 7
        in a leaf, cost-complexity pruning at 0.01 of the error at the root.

        Parameters
        ----------
        **given
            Parameters of `DecisionTree` that differ.

        Returns
        -------
        DecisionTree
            Not fitted yet.
        """
        own: dict[str, Any] = {
            "criterion": "gini",
            "min_samples_split": 20,
            "min_samples_leaf": 7,
            "max_depth": 30,
            "stop_at_zero_gain": True,
            "pruning": CostComplexity(0.01),
        }
        return cls(**_PLAIN | own | given)

    @staticmethod
    def optimal(**given: Any) -> OptimalTree:
        """Return the tree with the fewest training errors of its depth, which is searched for and proven.

        Parameters
        ----------
        **given
            Parameters of `OptimalTree`: max_depth, max_leaf_nodes, leaf_price and others.

        Returns
        -------
        OptimalTree
            Not fitted yet.
        """
        from tallystick.tree.optimal import OptimalTree

        return OptimalTree(**given)

    @property
    def _averages(self) -> bool:
        return bool(self.average)

    def _answers(self, target: Target | None) -> Answers:
        if target is None or not target.labels:
            return Answers()
        few = float(np.sqrt(8 / len(target.labels)))  # 2 rows for two classes, fewer where each class is rare
        return Answers(
            self._averages and self.pruning is None and not self._by_held_out,
            few if self.smoothing is None else plain(self.smoothing),
            None if self.split_prior is None else plain(self.split_prior),
            cost_table(self.costs, target),
            class_weights(self.class_weight, self.priors, target),
        )

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_settings(self)


# ---- a numeric target: leaves hold means, splits lower the variance ----


class RegressionTree(Regressor, AnyTree):
    """A tree of tests on single columns, its leaves the mean response of the rows that came there.

    Parameters
    ----------
    level_splits : {"groups", "each"}, default "groups"
        A test of levels parts them into two groups, or has a branch for each.
    missing_values : {"learned", "fractions"}, default "learned"
        Missing values take the branch that scores best, or go down all branches in parts (C4.5).
    max_depth : int, default None
        The most tests on the way to a leaf; None: no limit.
    min_samples_leaf : int or float, default 1
        The fewest rows in a leaf, or a part of all rows such as 0.01. A whole weight counts as so many rows;
        where weights are not whole, a row of the mean weight counts as one.
    min_samples_split : int or float, default 2
        The fewest rows in a node that is split, or a part of all rows.
    max_leaf_nodes : int, default None
        The most leaves, grown best first; None: no limit.
    min_impurity_decrease : float, default 0.0
        The least gain of a split times its node's share of all rows, class weights included.
    stop_at_zero_gain : bool, default False
        Whether a split must gain something.
    max_bins : int, default None
        Numeric columns in so many quantile bins; None is exact.
    pruning : ts.CostComplexity, default None
        How the grown tree is pruned; the name "cost-complexity" is one with its defaults.
    columns : ts.Columns, default None
        What you know of the columns: kinds, levels, marks of missing values, columns to keep.
    kinds : dict, default None
        Short for `columns=ts.Columns(kinds=...)`.
    engine : ts.Local, ts.Spark or ts.Sql, default None
        Who sums the rows; None is this machine. It changes no model.
    threads, memory : int; int or str, default None
        Short for `engine=ts.Local(threads=..., memory=...)`: all cores, and all rows in memory.

    Examples
    --------
    >>> import tallystick as ts
    >>> rows = [{"rooms": n % 4, "rent": 100.0 * (n % 4)} for n in range(20)]
    >>> ts.RegressionTree().fit(rows, "rent").predict([{"rooms": 3}]).tolist()
    [300.0]
    """

    _kind = "regression-tree"
    _settled: ClassVar[Mapping[str, Any]] = {  # what belongs to classes, or to C4.5
        "criterion": "entropy",  # not asked where the target is a number
        "cuts": "midpoint",
        "cut_price": 0.0,
        "cut_rows": False,
        "class_weight": None,
        "priors": None,
        "costs": None,
        "min_entropy": 0.0,
    }

    def __init__(
        self,
        *,
        level_splits: str = "groups",
        missing_values: str = "learned",
        max_depth: int | None = None,
        min_samples_leaf: float = 1,
        min_samples_split: float = 2,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        stop_at_zero_gain: bool = False,
        max_bins: int | None = None,
        pruning: Pruning | str | None = None,
        columns: Columns | None = None,
        kinds: Mapping[str, str] | None = None,
        engine: Engine | None = None,
        threads: int | None = None,
        memory: int | str | None = None,
    ) -> None:
        self.level_splits = level_splits
        self.missing_values = missing_values
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.min_samples_split = min_samples_split
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.stop_at_zero_gain = stop_at_zero_gain
        self.max_bins = max_bins
        self.pruning = pruning
        self.columns = columns
        self.kinds = kinds
        self.engine = engine
        self.threads = threads
        self.memory = memory


def guarded_tree(estimator: Any, table: Table) -> Any:
    """Return the tree, fitted again where a leaf holds a single row so that none does."""
    if not bool((estimator.model_.rows.sum(axis=1) <= 1).any()):
        return estimator
    params = estimator.get_params(deep=False)
    least = estimator._counted(table).min_samples_leaf
    fresh = type(estimator)(**params | {"min_samples_leaf": max(2, least)})
    return fresh._fit_table(table)
