"""What a scorecard costs: fits beside explainable boosting and our own logistic regression, growth, one row.

    TALLYSTICK_DATA=folder python benchmarks/cards.py

All in processor time of one thread, so that a busy machine changes little; who is compared runs in turn, and
the middle of five turns is the figure. Explainable boosting is
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
import turns
from logistic import numbers
from protocol import table

import tallystick as ts

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


def bent(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Return numbers of which every third column tells something, along a curve."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(rows, columns))
    score = sum(np.sin(X[:, j] * (1 + j % 3)) for j in range(columns // 3))
    return X, (score + rng.logistic(size=rows) > 0).astype(int)


def growth(more: tuple[int, int], less: tuple[int, int]) -> turns.Figure:
    """Return what a larger table costs in fits of a smaller one; no pairs."""
    large, small = bent(*more), bent(*less)
    return turns.ratio(
        lambda: card(pairs=0).fit(*large), lambda: card(pairs=0).fit(*small), clock=time.process_time
    )


def adult() -> float:
    """Return how many times faster a fit on Adult is than explainable boosting's."""
    X, y = table("adult")
    some = np.random.default_rng(1).permutation(len(y))[: len(y) // PART]
    peer = spent(lambda: peers.ebm(X.iloc[some], y.iloc[some])) * PART
    return turns.repeated(lambda: peer / spent(lambda: card().fit(X, y)))


def big() -> float:
    """Return what 500,000 x 30 numbers cost in fits of our logistic regression."""
    X, y = numbers(2)
    ours = ts.LogisticRegression(threads=1)
    return turns.ratio(lambda: card().fit(X, y), lambda: ours.fit(X, y), clock=time.process_time)


def one_row() -> float:
    """Return the microseconds of one row of Adult as a dict."""
    X, y = table("adult")
    model = card().fit(X, y)
    row = X.iloc[5].to_dict()
    return turns.seconds(lambda: model.predict_one(row), runs=5_000, clock=time.process_time) * 1e6


def many_levels(levels: int = 1_000_000) -> float:
    """Return the seconds of a fit with a column of a million levels, beside one of numbers."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, levels)
    frame = pd.DataFrame({"who": rng.permutation(levels).astype(str), "x": rng.normal(size=levels) + y})
    return turns.repeated(lambda: spent(lambda: card(kinds={"who": "levels"}).fit(frame, y)))


def fit_of(name: str) -> float:
    """Return the seconds of a fit on one set."""
    X, y = table(name)
    return turns.repeated(lambda: spent(lambda: card().fit(X, y)))


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
