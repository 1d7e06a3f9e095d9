"""What `compare` and `report` ask of a method beside its estimator: a model for all to see, and checks.

Knows the estimators. Knows nothing of pages or folds.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from typing import Any

from tallystick.contracts import Table
from tallystick.errors import shown
from tallystick.judge.checks import DEPENDENT, Check

MOST_PAIRED = 100  # columns: more have too many pairs to look at here


def as_it_is(estimator: Any, table: Table) -> Any:
    """Return the estimator: its model shows no single row."""
    return estimator


def guarded_tree(estimator: Any, table: Table) -> Any:
    """Return the tree, fitted again where a leaf holds a single row so that none does."""
    if not bool((estimator.model_.rows.sum(axis=1) <= 1).any()):
        return estimator
    params = estimator.get_params(deep=False)
    least = estimator._counted(table).min_samples_leaf
    fresh = type(estimator)(**params | {"min_samples_leaf": max(2, least)})
    return fresh._fit_table(table)


def guarded_optimal(estimator: Any, table: Table) -> Any:
    """Return the tree, searched for again where a leaf holds a single row: at a higher and higher price of a
    leaf none does.
    """
    found, price = estimator, max(1.0, estimator.leaf_price)
    while found.get_n_leaves() > 1 and bool((found.model_.rows.sum(axis=1) <= 1).any()):
        found = type(estimator)(**estimator.get_params(deep=False) | {"leaf_price": price})._fit_table(table)
        price *= 2
    return found


def guarded_card(estimator: Any, table: Table) -> Any:
    """Return the card, fitted again without pairs and with ever fewer lines where a line holds a single row;
    a line that still does, such as a value that one row alone lacks, has no points and no row.
    """
    found = estimator
    for more in ({"pairs": 0}, *({"pairs": 0, "max_lines": n} for n in (12, 6, 3, 2))):
        if not any(_single(part, found.model_.unit).any() for part in found.model_.parts):
            return found
        least = min(more.get("max_lines", 10**6), estimator.max_lines or 10**6)
        wish = {"pairs": 0} | ({"max_lines": least} if "max_lines" in more else {})
        found = type(estimator)(**estimator.get_params(deep=False) | wish)._fit_table(table)
    out, unit = copy(found), found.model_.unit
    out.model_ = replace(out.model_, parts=tuple(_hushed(part, unit) for part in out.model_.parts))
    return out


def _hushed(part: Any, unit: int) -> Any:
    """Return a part whose lines of a single row are empty."""
    empty = _single(part, unit)[:, None]
    return replace(part, points=part.points * ~empty, rows=part.rows * ~empty)


def _single(part: Any, unit: int) -> Any:
    """Return which lines of a part hold a single row."""
    rows = _rows(part)
    return (rows > 0) & (rows <= unit)


def _rows(part: Any) -> Any:
    """Return the training rows on each line of a part."""
    return part.rows.sum(axis=1)


def no_checks(table: Table) -> Iterator[Check]:
    """Yield nothing: no table misleads the method more than another."""
    yield from ()


def dependence(table: Table) -> Iterator[Check]:
    """Yield the pair of columns that naive Bayes should least take as independent, if that is bad."""
    from tallystick.bayes.explain import independence

    if not 2 <= len(table.schema.used) <= MOST_PAIRED:
        return
    worst = max(independence(table), key=lambda pair: pair.excess, default=None)
    if worst is not None and worst.excess > DEPENDENT:
        yield Check(
            "dependence",
            f"columns {shown(worst.first)} and {shown(worst.second)} share {worst.bits:.2f} bits given the "
            f"class, {worst.by_chance:.2f} by chance alone.",
            "Naive Bayes counts such evidence twice: leave one out, or trust its probabilities less.",
            worst.first,
        )
