"""What a scorecard costs: fits beside explainable boosting and our own logistic regression, growth, one row.

    TALLYSTICK_DATA=folder python benchmarks/cards.py

All in processor time of one thread, so that a busy machine changes little; who is compared runs in turn, and
the ratios of all turns are printed, least and most. The middle one is the figure. Explainable boosting is
timed once, on a tenth of Adult, and its time taken ten times: all of it takes minutes.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import peers
from logistic import numbers
from protocol import table

import tallystick as ts

TURNS = 3
PART = 10  # of Adult that explainable boosting is timed on


def card(**given: Any) -> ts.Scorecard:
    """Return a scorecard on one thread."""
    return ts.Scorecard(threads=1, **given)


def spent(work: Callable[[], Any]) -> float:
    """Return the processor time of some work, in seconds."""
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        work()
    return time.process_time() - start


def ratio(name: str, work: Callable[[], Any], beside: Callable[[], Any], turns: int = TURNS) -> float:
    """Return how many times the second the first costs, in turn."""
    found = sorted(spent(work) / spent(beside) for _ in range(turns))
    print(f"  {name}: {found[0]:.2f} to {found[-1]:.2f}, {turns} turns", flush=True)
    return float(np.median(found))


def bent(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Return numbers of which every third column tells something, along a curve."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(rows, columns))
    score = sum(np.sin(X[:, j] * (1 + j % 3)) for j in range(columns // 3))
    return X, (score + rng.logistic(size=rows) > 0).astype(int)


def growth(more: tuple[int, int], less: tuple[int, int]) -> float:
    """Return what a larger table costs in fits of a smaller one; no pairs."""
    large, small = bent(*more), bent(*less)
    return ratio(f"{more} over {less}", lambda: card(pairs=0).fit(*large), lambda: card(pairs=0).fit(*small))


def adult() -> float:
    """Return how many times faster a fit on Adult is than explainable boosting's."""
    X, y = table("adult")
    some = np.random.default_rng(1).permutation(len(y))[: len(y) // PART]
    peer = spent(lambda: peers.ebm(X.iloc[some], y.iloc[some])) * PART
    return peer / float(np.median([spent(lambda: card().fit(X, y)) for _ in range(TURNS)]))


def big() -> float:
    """Return what 500,000 x 30 numbers cost in fits of our logistic regression."""
    X, y = numbers(2)
    return ratio("500k x 30", lambda: card().fit(X, y), lambda: ts.LogisticRegression(threads=1).fit(X, y))


def one_row() -> float:
    """Return the microseconds of one row of Adult as a dict."""
    X, y = table("adult")
    model = card().fit(X, y)
    row = X.iloc[5].to_dict()
    found = sorted(spent(lambda: [model.predict_one(row) for _ in range(5_000)]) / 5_000 for _ in range(5))
    print(f"  one row: {1e6 * found[0]:.1f} to {1e6 * found[-1]:.1f} µs", flush=True)
    return 1e6 * found[2]


def many_levels(levels: int = 1_000_000) -> float:
    """Return the seconds of a fit with a column of a million levels, beside one of numbers."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, levels)
    frame = pd.DataFrame({"who": rng.permutation(levels).astype(str), "x": rng.normal(size=levels) + y})
    return spent(lambda: card(kinds={"who": "levels"}).fit(frame, y))


def fit_of(name: str) -> float:
    """Return the seconds of a fit on one set."""
    X, y = table(name)
    return min(spent(lambda: card().fit(X, y)) for _ in range(TURNS))


def figures() -> list[tuple[str, float]]:
    """Return all figures."""
    card().fit(*bent(500, 3))  # what is loaded once
    out = [
        ("one row as a dict, µs", one_row()),
        ("twice the rows cost", growth((100_000, 20), (50_000, 20))),
        ("twice the columns cost", growth((20_000, 30), (20_000, 15))),
        ("500k x 30, in fits of our logistic regression", big()),
    ]
    for name in ("vehicle", "segment"):
        out.append((f"{name}, many classes, seconds", fit_of(name)))
    out.append(("a column of a million levels, seconds", many_levels()))
    return [*out, ("Adult: x faster than explainable boosting", adult())]


if __name__ == "__main__":
    for name, figure in figures():
        print(f"{name:<50} {figure:.3g}")
