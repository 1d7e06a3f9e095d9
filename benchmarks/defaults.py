"""Which settings of a decision tree generalise best: mean rank by log-loss over 30 data sets.

    TALLYSTICK_DATA=folder python benchmarks/defaults.py [set ...]

The folds are those of `protocol.py`; all settings see the same encoded tables. `behind`: on the worst set of
500 rows or more, the distance to the best of three peers in standard errors. `time`: the whole fit, pruning
and averaging included, over the fit of an unpruned tree. The defaults are the setting of the best rank by
log-loss among those that are nowhere behind by more than two standard errors and take at most 1.5 times as
long as an unpruned fit (pessimistic pruning and the choice by cross-validation are not here for that
reason). The table is in this order.
"""

from __future__ import annotations

import sys
import time
import warnings

import numpy as np
from protocol import BEST_TREE, SETS, folds, scores, table
from scipy.stats import rankdata
from turns import over

import tallystick as ts

Judged = tuple[float, float, list[float]]  # accuracy, log-loss, seconds of each fold
TIMED = ("defaults", "unpruned")
SETTINGS = {
    "defaults": {},
    "unpruned": {"average": False, "smoothing": 0.0},
    "unpruned, smoothed": {"average": False},
    "entropy": {"criterion": "entropy"},
    "gini": {"criterion": "gini"},
    "a branch per level": {"level_splits": "each"},
    "no price for cuts": {"cut_price": 0.0},
    "half the price for cuts": {"cut_price": 0.5},
    "at least 2 rows in a leaf": {"min_samples_leaf": 2},
    "at least 5 rows in a leaf": {"min_samples_leaf": 5},
    "tests kept with prior 1/3": {"split_prior": 1 / 3},
    "tests kept with prior 1/10": {"split_prior": 0.1},
    "tests kept with prior 1/30": {"split_prior": 1 / 30},
    "smoothing by 1 row": {"smoothing": 1.0},
    "smoothing by 5 rows": {"smoothing": 5.0},
    "pruned by description length": {"pruning": "mdl"},
    "CART": None,
}


def made(name: str) -> ts.DecisionTree:
    """Return the tree of one setting."""
    return ts.DecisionTree.cart() if SETTINGS[name] is None else ts.DecisionTree(**SETTINGS[name])


def judged(name: str) -> dict[str, Judged]:
    """Return accuracy, log-loss and the seconds of each fold of every setting on one set."""
    X, y = table(name)
    labels = np.unique(y)
    truth = np.searchsorted(labels, y)
    shares = {s: np.zeros((len(y), len(labels))) for s in SETTINGS}
    seconds: dict[str, list[float]] = {s: [] for s in SETTINGS}  # of each fold
    for training, test in folds(X, y):
        rows = ts.DecisionTree()._read(X.iloc[training], y.iloc[training])
        made("unpruned")._fit_table(rows)  # what a table keeps for later fits is made here, charged to none
        for setting in SETTINGS:
            tree = made(setting)
            started = time.perf_counter()
            tree._fit_table(rows)
            _ = tree.model_.node_shares
            seconds[setting].append(time.perf_counter() - started)
            at = np.searchsorted(labels, tree.classes_)
            shares[setting][test[:, None], at] = tree.predict_proba(X.iloc[test])
    return {s: (*scores(found, truth), seconds[s]) for s, found in shares.items()}


def behind(results: dict[str, dict[str, Judged]], setting: str) -> float:
    """Return how far a setting is behind the best peer on its worst set of 500 rows or more, in standard
    errors.
    """
    worst = 0.0
    for name, by in results.items():
        best, rows = BEST_TREE[name], len(table(name)[1])
        if rows >= 500 and best < 1:
            worst = max(worst, (best - by[setting][0]) / (best * (1 - best) / rows) ** 0.5)
    return worst


def run(names: list[str]) -> dict[str, dict[str, Judged]]:
    """Return and print what every setting does on every set, the best that is nowhere far behind first."""
    with warnings.catch_warnings():  # of test rows beyond the range of a fold's training rows
        warnings.simplefilter("ignore")
        results = {name: judged(name) for name in names}
    losses = np.array([[results[n][s][1] for s in SETTINGS] for n in names])
    ranks = dict(zip(SETTINGS, np.mean([rankdata(row) for row in losses.round(6)], axis=0), strict=True))
    worst = {s: behind(results, s) for s in SETTINGS}
    unpruned = sum(sum(results[n]["unpruned"][2]) for n in names)
    print(f"{'setting':<30} {'rank':>6} {'log-loss':>9} {'accuracy':>9} {'behind':>7} {'time':>6}")
    for s in sorted(SETTINGS, key=lambda s: (worst[s] > 2, ranks[s])):
        accuracy, loss = np.mean([results[n][s][:2] for n in names], axis=0)
        ratio = sum(sum(results[n][s][2]) for n in names) / unpruned
        print(f"{s:<30} {ranks[s]:6.2f} {loss:9.4f} {accuracy:9.4f} {worst[s]:7.2f} {ratio:6.2f}")
    return results


def figures() -> list[tuple[str, float]]:
    """Return what `make bench` compares with its targets."""
    results = run(list(SETS))
    own = [r["defaults"] for r in results.values()]
    times = ([sum(fold) for fold in zip(*(r[s][2] for r in results.values()), strict=True)] for s in TIMED)
    return [
        ("mean accuracy of the defaults", float(np.mean([r[0] for r in own]))),
        ("mean log-loss of the defaults", float(np.mean([r[1] for r in own]))),
        ("standard errors behind the best peer, worst set", behind(results, "defaults")),
        ("time of the defaults over unpruned", over(*times)),
    ]


if __name__ == "__main__":
    found = run(sys.argv[1:] or list(SETS))
    for name, by in found.items():
        print(f"{name:<25} accuracy {by['defaults'][0]:.4f} log-loss {by['defaults'][1]:.4f}")
