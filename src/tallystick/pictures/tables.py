"""Two tables as pictures: the shares that naive Bayes multiplies, and the prunings of a tree.

Knows fitted estimators and what they say of themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tallystick.draw.share_bars import ShareRow, share_bars
from tallystick.draw.svg import Picture
from tallystick.errors import DataError
from tallystick.estimators.naive_bayes import NaiveBayes
from tallystick.estimators.tree import DecisionTree
from tallystick.explain.naive_bayes import Shares

MOST_VALUES = 60


def shares(
    data: Any,
    target: Any = None,
    *,
    model: NaiveBayes | None = None,
    draw: Sequence[str] | None = None,
    **shared: Any,
) -> Picture:
    """Return the R table of naive Bayes as bars: how often each class has each value of a column.

    Parameters
    ----------
    data : path, frame, Arrow table, matrix or records
        The rows, as `fit` takes them.
    target : str or array, default None
        The name of the column to predict, or the labels.
    model : ts.NaiveBayes, default None
        The settings, such as `ts.NaiveBayes(m=0)` for plain counts; None is the Laplace correction.
    draw : list of str, default None
        The columns; None is all of them that are counted.
    **shared
        columns, kinds, engine, threads and memory, as every estimator takes them.

    Returns
    -------
    Picture
        SVG; `save` writes it.

    Examples
    --------
    >>> import tallystick as ts
    >>> rows = [{"sky": "sun", "play": "no"}, {"sky": "rain", "play": "yes"}] * 4
    >>> "5/6" in ts.pictures.shares(rows, "play")
    True
    """
    fitted = (NaiveBayes(**shared) if model is None else model).fit(data, target)
    names = [part.name for part in fitted.model_.parts] if draw is None else list(draw)
    tables = [table for table in map(fitted.shares, names) if counts(table)]
    rows = [row for table in tables for row in share_rows(table, fitted)]
    if not rows:
        raise DataError("no column is counted: there is no table of shares to draw. Draw columns of levels.")
    kept = rows[:MOST_VALUES]
    note = f"the first {MOST_VALUES} of {len(rows):,} values" if len(rows) > MOST_VALUES else ""
    return Picture(share_bars(kept, fitted.model_.schema.predicted.labels, "R: shares by class", note))


def counts(table: Shares) -> bool:
    """Say whether a column is counted: sums of numbers have no shares."""
    return table.distribution not in ("gaussian", "poisson")


def share_rows(table: Shares, fitted: NaiveBayes) -> list[ShareRow]:
    """Return the values of a column with their shares, as fractions where a person would use them."""
    m, _ = fitted.model_.options.smoothing(table.column, len(table.values))
    rows = [0.0] * len(table.classes) if table.counts is None else table.counts.sum(axis=0).tolist()
    found = []
    for i, value in enumerate(table.values):
        line = [float(s) for s in table.shares[i]]
        words = [_words(s, n + m) for s, n in zip(line, rows, strict=True)]
        found.append(ShareRow(table.column, value, line, words))
    return found


def _words(share: float, rows: float) -> str:
    """Return a share as so many of the rows, the added ones among them, where they are whole numbers."""
    of = round(share * rows, 9)
    if rows and of.is_integer() and float(rows).is_integer() and abs(of / rows - share) < 1e-12:
        return f"{of:,.0f}/{rows:,.0f} = {share:.4g}"
    return f"{share:.4g}"


def overfitting(
    data: Any, target: Any = None, *, model: DecisionTree | None = None, folds: int = 10, **shared: Any
) -> Picture:
    """Return the overfitting curve: the error of every pruning of a full tree, in training and
    cross-validated, against its leaves.

    Parameters
    ----------
    data : path, frame, Arrow table, matrix or records
        The rows, as `fit` takes them.
    target : str or array, default None
        The name of the column to predict, or the labels.
    model : ts.DecisionTree, default None
        The settings of the tree that is pruned; None grows it until nothing is left to split.
    folds : int, default 10
        How many folds.
    **shared
        columns, kinds, engine, threads and memory, as every estimator takes them.

    Returns
    -------
    Picture
        SVG; `save` writes it.

    Examples
    --------
    >>> import tallystick as ts
    >>> rows = [{"a": i % 7, "b": i % 5, "y": i % 7 > i % 3} for i in range(70)]
    >>> ts.pictures.overfitting(rows, "y", folds=3)  # doctest: +ELLIPSIS
    <picture: ...>
    """
    tree = DecisionTree(**shared) if model is None else model
    return tree.fit(data, target).pruning_path(folds=folds).picture()
