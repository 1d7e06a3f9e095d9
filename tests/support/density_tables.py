"""Tables for density trees, and slow twins: the tree as a list of leaves, likelihoods cell by cell."""

from __future__ import annotations

import math
from itertools import pairwise, product
from typing import Any

import numpy as np
import pandas as pd

NEVER = "never seen"


def mixed(rows: int = 400, seed: int = 3) -> pd.DataFrame:
    """Return columns of every kind that hang together, with missing cells."""
    rng = np.random.default_rng(seed)
    young, large = rng.random((2, rows)) < 0.5
    frame = pd.DataFrame(
        {
            "age": np.where(young, rng.integers(18, 26, rows), rng.integers(50, 70, rows)).astype(float),
            "home": np.where(young, "rents", rng.choice(["owns", "owns", "rents"], rows)),
            "size": np.where(large, rng.choice(["M", "L"], rows), "S"),
            "member": rng.random(rows) < np.where(large, 0.9, 0.1),
            "income": np.round(np.where(young, 20, 60) + rng.normal(0, 5, rows), 3),
        }
    )
    frame.loc[rng.random(rows) < 0.1, "home"] = None
    frame.loc[rng.random(rows) < 0.1, "income"] = np.nan
    return frame


def cells_of(own: Any) -> list[tuple[Any, float]]:
    """Return a value in each outcome of a column with the measure of the outcome: the width of a piece, 1 of
    a level or of missing; tails have none here.
    """
    if not own.numeric:
        return [(level, 1.0) for level in own.column.levels] + [(None, 1.0), (NEVER, 1.0)]
    edges = own.edges.tolist()
    inside = [(math.nextafter(a, math.inf), b - a) for a, b in pairwise(edges)]
    return [*inside, (None, 1.0)]


def whole_likelihood(tree: Any) -> float:
    """Return the sum and integral of the likelihood over all rows without tails, row by row of cells."""
    cells = tree.model_.cells
    rows, sizes = [], []
    for combination in product(*(cells_of(own) for own in cells)):
        rows.append({own.name: value for own, (value, _) in zip(cells, combination, strict=True)})
        sizes.append(math.prod(size for _, size in combination))
    table = pd.DataFrame(rows, columns=[own.name for own in cells])
    return math.fsum(np.exp(tree.score_samples(table)) * np.array(sizes))


def log_likelihood(codes: dict[str, np.ndarray], leaves: np.ndarray) -> float:
    """Return the best log-likelihood, in bits, of rows whose leaves have distributions of their own."""
    total = 0.0
    for leaf in np.unique(leaves):
        here = leaves == leaf
        n = here.sum()
        total += n * math.log2(n / len(leaves))
        for column in codes.values():
            _, counts = np.unique(column[here], return_counts=True)
            total += float((counts * np.log2(counts / n)).sum())
    return total
