"""`DecisionTree`, and what it shares with `RegressionTree`: grow, predict, the classical settings by name.

Knows the learner and the model. Knows nothing of splits or sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Engine, Model
from tallystick.data.schema import ANY_TABLE, NO_WISHES, Columns, Note, Schema, Target, Wishes
from tallystick.engines.local import Local
from tallystick.errors import ModelFileError, OptionError
from tallystick.estimators.classifier import Classifier
from tallystick.estimators.parameters import PLACES, SHARED
from tallystick.estimators.plain_rows import from_floats
from tallystick.estimators.tree_settings import (
    check_classes,
    check_settings,
    named_by_label,
    plain_value,
    text_notes,
)
from tallystick.estimators.tree_views import TreeViews, check_room, pruning_note
from tallystick.learners.prune import (
    HELD_OUT,
    CostComplexity,
    Pessimistic,
    Pruning,
    from_file,
    pruning_of,
    to_file,
)
from tallystick.learners.tree_options import TreeOptions
from tallystick.models.costs import cost_table
from tallystick.models.plain import checked, plain
from tallystick.models.tree import Answers, Tree
from tallystick.models.tree.weights import class_weights

if TYPE_CHECKING:
    from tallystick.contracts import Table
    from tallystick.estimators.optimal_tree import OptimalTree

GROWING = tuple(TreeOptions.__dataclass_fields__)
PER_CLASS = ("class_weight", "priors", "costs")


class _AnyTree(TreeViews):
    """What both trees share."""

    model_: Tree
    _places = PLACES | {
        "confidence": "pruning=ts.Pessimistic(confidence=0.25)",
        "cp": "pruning=ts.CostComplexity(cp=0.01)",
    }
    class_weight: Any
    priors: Any
    costs: Any

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

    def _wishes(self) -> Wishes:
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
        from tallystick.learners.fit import fit
        from tallystick.learners.tree import TreeLearner

        answers = self._answers(table.schema.target)
        learner = TreeLearner(
            self._counted(table), table.unit, answers, candidates, table.rows, table.row_unit, table.budget
        )
        return fit(learner, table, engine)

    def _rows_of(self, table: Table) -> dict[str, Any]:
        own = {} if table.unit == 1 else {"row": table.row_unit}
        return super()._rows_of(table) | own

    def _learn_to_answer(self, table: Table, engine: Engine) -> tuple[Model, tuple[Note, ...]]:
        """Return the tree without the splits it did not make."""
        return self._learn(table, engine, candidates=False)

    def _learn(self, table: Table, engine: Engine, candidates: bool = True) -> tuple[Model, tuple[Note, ...]]:
        way = pruning_of(self.pruning)
        self._by_held_out = False
        notes = text_notes(table.schema)
        grown = self._grow(table, engine, candidates)
        # kept for pruning; no part of the model file
        self._table = None if table.place == "disk" and not self._keeps_rows else table
        if way is None:
            return grown, notes
        check_room(grown, table)
        tree = way.prune(grown, table.slice(0, table.rows), lambda: self._held_out(table, 10))
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
        from tallystick.learners.fit import fit
        from tallystick.learners.tree import TreeLearner, limited

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


class ClassTree(_AnyTree, Classifier):
    """What trees for classes share: numbers per class, by label."""

    def _own_costs(self, target: Target) -> tuple[tuple[float, ...], ...]:
        """Return costs[class][answer] by which answers are decided; nothing where the largest share is."""
        return cost_table(self.costs, target)

    def _by_label(self, target: Target) -> Self:
        """Return an unfitted copy with its lists of numbers per class by label: a part of the rows may lack
        a class.
        """
        return type(self)(**named_by_label(self.get_params(deep=False), PER_CLASS, target))


_PLAIN: dict[str, Any] = {"average": False, "smoothing": 0.0, "cut_price": 0.0}  # the leaf's own shares


class DecisionTree(ClassTree):
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
        from tallystick.estimators.optimal_tree import OptimalTree

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
