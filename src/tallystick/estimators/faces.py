"""What `compare` and `report` ask of a method beside its estimator: a model for all to see, and checks.

Knows the estimators. Knows nothing of pages or folds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tallystick.contracts import Table
from tallystick.errors import shown
from tallystick.evaluate.checks import DEPENDENT, Check

MOST_PAIRED = 100  # columns: more have too many pairs to look at here


def as_it_is(estimator: Any, table: Table) -> Any:
    """Return the estimator: its model shows no single row."""
    return estimator


def guarded_tree(estimator: Any, table: Table) -> Any:
    """Return the tree, fitted again where a leaf holds a single row so that none does."""
    if not bool((estimator.model_.rows.sum(axis=1) <= 1).any()):
        return estimator
    params = estimator.get_params(deep=False)
    fresh = type(estimator)(**params | {"min_samples_leaf": max(2, params["min_samples_leaf"])})
    return fresh._fit_table(table)


def no_checks(table: Table) -> Iterator[Check]:
    """Yield nothing: no table misleads the method more than another."""
    yield from ()


def dependence(table: Table) -> Iterator[Check]:
    """Yield the pair of columns that naive Bayes should least take as independent, if that is bad."""
    from tallystick.explain.independence import independence

    if not 2 <= len(table.schema.used) <= MOST_PAIRED:
        return
    worst = max(independence(table), key=lambda pair: pair.excess, default=None)
    if worst is not None and worst.excess > DEPENDENT:
        yield Check(
            "dependence",
            f"columns {shown(worst.first)} and {shown(worst.second)} share {worst.bits:.2f} bits given the "
            f"class, {worst.by_chance:.2f} by chance alone.",
            "Naive Bayes counts such evidence twice: leave one out, or trust its shares less.",
            worst.first,
        )
