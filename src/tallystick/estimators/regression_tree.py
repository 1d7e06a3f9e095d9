"""`RegressionTree`: the same machinery on a numeric target; leaves hold means, splits lower the variance.

Knows the learner and the model. Knows nothing of splits or sums.
"""

from __future__ import annotations

from collections.abc import Mapping, Sized
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Engine
from tallystick.data.schema import Columns
from tallystick.data.source.door import opened
from tallystick.errors import DataError
from tallystick.estimators.tree import _AnyTree
from tallystick.learners.prune import Pruning

if TYPE_CHECKING:
    from tallystick.contracts import Table


class RegressionTree(_AnyTree):
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
    engine : ts.Local or ts.Spark, default None
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
    _regression: ClassVar[Literal[True]] = True
    _estimator_type = "regressor"
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

    def _read(self, X: Any, y: Any = None, sample_weight: Any = None) -> Table:
        """Return the encoded table that `_fit_table` learns from."""
        alone = isinstance(y, str) or (isinstance(y, np.ndarray) and y.ndim == 0)
        if isinstance(y, Sized) and not alone and len(y) == 1:
            raise DataError("one sample (row) is too few to grow a tree. Give at least two rows.")
        return super()._read(X, y, sample_weight)

    def predict(
        self, X: Any, *, lenient: bool = False, missing_columns: str = "error"
    ) -> NDArray[np.float64]:
        """Return the mean response of each row's leaf.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix, records or dict
            New rows, with the columns of the fit; a dict of values is one row.
        lenient : bool, default False
            Whether cells that cannot be read as numbers count as missing; otherwise they are an error.
        missing_columns : {"error", "as-missing"}, default "error"
            What to do about columns of the fit that are not there.

        Returns
        -------
        array [row]
            The means.
        """
        return np.ascontiguousarray(self._shares(X, lenient=lenient, missing_columns=missing_columns)[:, 0])

    def predict_one(
        self, row: Mapping[str, Any], *, lenient: bool = False, missing_columns: str = "error"
    ) -> float:
        """Return the mean response of the leaf of a single row, as `predict` answers it.

        Parameters
        ----------
        row : dict
            The values of one row, by column.
        lenient : bool, default False
            Whether cells that cannot be read as numbers count as missing; otherwise they are an error.
        missing_columns : {"error", "as-missing"}, default "error"
            What to do about columns of the fit that are not there.

        Returns
        -------
        float
            The mean.
        """
        return float(self.predict(dict(row), lenient=lenient, missing_columns=missing_columns)[0])

    def predict_interval(
        self, X: Any, *, lenient: bool = False, missing_columns: str = "error"
    ) -> NDArray[np.float64]:
        """Return a 95 % interval of the mean of new rows like each, by Student's t; not of a single row.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix, records or dict
            New rows, with the columns of the fit; a dict of values is one row.
        lenient : bool, default False
            Whether cells that cannot be read as numbers count as missing; otherwise they are an error.
        missing_columns : {"error", "as-missing"}, default "error"
            What to do about columns of the fit that are not there.

        Returns
        -------
        array [row, 2]
            The lower and the upper end; NaN where the leaf has one row, or a row goes down several branches.
        """
        from tallystick.estimators.sureness import intervals

        return intervals(self, X, lenient=lenient, missing_columns=missing_columns)[:, 0]

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return R²: the share of the response's variance that the tree explains on these rows.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix or records
            The rows.
        y : str or array, default None
            The responses, or the name of their column; None is the target's.
        sample_weight : array or str, default None
            The weight of each row; None is 1.

        Returns
        -------
        float
            R², 1 for perfect answers.
        """
        self._check_fitted()
        X = opened(X)
        table = self._read(X, self.schema_.predicted.name if y is None else y, sample_weight)
        truth = table.response
        assert truth is not None
        found = self.predict(X)
        if len(found) != len(truth):
            raise DataError(f"{len(found) - len(truth):,} rows have no response. Leave them out to score.")
        weights = np.ones(len(truth)) if table.weights is None else table.weights.astype(np.float64)
        middle = float(np.average(truth, weights=weights))
        spread = float((weights * (truth - middle) ** 2).sum())
        lost = float((weights * (truth - found) ** 2).sum())
        return 1.0 - lost / spread if spread else float(lost == 0)

    def __sklearn_tags__(self) -> Any:
        """Return tags for scikit-learn, which is loaded when this is called."""
        from sklearn.utils import InputTags, RegressorTags, Tags, TargetTags

        return Tags(
            estimator_type="regressor",
            target_tags=TargetTags(required=True),
            regressor_tags=RegressorTags(),
            input_tags=InputTags(allow_nan=True, string=True, categorical=True, sparse=True),
        )
