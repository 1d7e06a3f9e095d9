"""Cuts of numbers as a page tells them: in as few digits as part the training rows as the cut itself does.

Knows tables, and trees whose words the page shows. Knows nothing of HTML; exports and model files have all
digits. Law: between a cut and the cut that is told lies no training value, so that every training row
fulfils what the page says if and only if it goes the model's way.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Table
from tallystick.data.schema import Column
from tallystick.evaluate.large import steps
from tallystick.models.tree import Candidates, Tree
from tallystick.models.tree.sentences import number

Floats = NDArray[np.float64]

PLAIN = 6  # digits in which a cut is told as it is
FEWEST, MOST = 4, 15  # digits that are tried for one of more
SAME = 1e-12  # of a cut: what no text of it shows
LARGEST = 1e300  # no cut of the rows: a test of whether there is a number


def few_digits(cuts: Floats, below: Floats, above: Floats) -> Floats:
    """Return numbers of few digits with below < number <= above: the training values next to each cut."""
    out, left = cuts.copy(), np.flatnonzero(is_long(cuts))
    for digits in range(FEWEST, MOST):
        short = _rounded(cuts[left], digits)
        fits = (below[left] < short) & (short <= above[left])
        out[left[fits]] = short[fits]
        left = left[~fits]
    return out


def is_long(cuts: Floats) -> NDArray[np.bool_]:
    """Say of each cut whether it has more digits than a page tells; not of a test that has no cut."""
    known = np.isfinite(cuts) & (np.abs(cuts) < LARGEST) & (cuts != 0)
    out = np.zeros(len(cuts), bool)
    out[known] = np.abs(cuts[known] - _rounded(cuts[known], PLAIN)) > SAME * np.abs(cuts[known])
    return out


def _rounded(values: Floats, digits: int) -> Floats:
    return np.array([float(f"{v:.{digits}g}") for v in values.tolist()], np.float64)


def beside(values: Any, cuts: Floats) -> tuple[Floats, Floats]:
    """Return of each cut, in rising order, the largest value below it and the smallest at or above it."""
    low, high = np.full(len(cuts) + 1, -np.inf), np.full(len(cuts) + 1, np.inf)
    for some in steps(len(values)):
        here = np.asarray(values[some], np.float64)
        here = here[~np.isnan(here)]
        place = np.searchsorted(cuts, here, "right")
        np.maximum.at(low, place, here)
        np.minimum.at(high, place, here)
    return np.maximum.accumulate(low)[:-1], np.minimum.accumulate(high[::-1])[::-1][1:]


def told_cut(cut: float, column: Column, values: Any) -> str:
    """Return one cut of a column in few digits, as text; values: of the training rows."""
    one = np.array([cut])
    return number(cut if column.unit else float(few_digits(one, *beside(values, one))[0]), column)


def in_few_digits(tree: Tree, table: Table, candidates: int = 0, of: NDArray[np.int64] | None = None) -> Tree:
    """Return a tree to be told in words: it sends every training row the same way, by cuts of few digits.

    candidates: how many candidate splits it keeps of each of the nodes `of`, None for all; none of others.
    """
    nodes = np.arange(len(tree.nodes)) if of is None else np.sort(of)
    found = _best(tree, candidates, nodes) if candidates else None
    cuts, column = tree.nodes.cut, tree.nodes.column
    if found is not None:
        cuts, column = np.concatenate([cuts, found.cut]), np.concatenate([column, found.column])
    long = np.flatnonzero(is_long(cuts))
    if not len(long):
        return tree
    cuts = cuts.copy()
    for j in np.unique(column[long]).tolist():
        own = tree.schema.used[j]
        if not own.unit:
            here = long[column[long] == j]
            every, back = np.unique(cuts[here], return_inverse=True)
            cuts[here] = few_digits(every, *beside(table.column(own.name), every))[back]
    size = len(tree.nodes)
    told = replace(tree.nodes, cut=cuts[:size])
    return replace(tree, nodes=told, candidates=None if found is None else replace(found, cut=cuts[size:]))


def _best(tree: Tree, most: int, of: NDArray[np.int64]) -> Candidates | None:
    """Return the best candidate splits of some nodes, in rising order, as those of a tree whose other nodes
    have none.
    """
    found = tree.candidates_of(of)
    if found is None:
        return None
    found = found.best(most)
    sizes = np.zeros(len(tree.nodes), np.int64)
    sizes[of] = np.diff(found.start)
    return replace(found, start=np.concatenate([[0], np.cumsum(sizes)]))
