"""`RegressionTree`: the same machinery on a numeric target; leaves hold means, splits lower the variance.

Knows the learner and the model. Knows nothing of splits or sums.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from tallystick.contracts import Engine
from tallystick.data.schema import Columns
from tallystick.estimators.regressor import Regressor
from tallystick.estimators.tree import _AnyTree
from tallystick.learners.prune import Pruning


class RegressionTree(Regressor, _AnyTree):
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
