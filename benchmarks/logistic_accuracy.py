"""How well logistic regression generalises with its defaults: 30 data sets, the protocol of the published
peers' table.

    TALLYSTICK_DATA=folder python benchmarks/logistic_accuracy.py [set ...] [--options "{'l2': 1.0}"]

The folds and the treatment of shares are those of protocol.py. scikit-learn's LogisticRegression on one-hot
and scaled columns has 0.883 and 0.299.
"""

from __future__ import annotations

import ast
import sys
import time
import warnings

import numpy as np
from protocol import SETS, folds, scores, table

import tallystick as ts


def out_of_fold(name: str, **options: object) -> tuple[float, float, float]:
    """Return accuracy, log-loss and seconds of one set."""
    X, y = table(name)
    labels = np.unique(y)
    shares = np.zeros((len(y), len(labels)))
    start = time.perf_counter()
    for training, test in folds(X, y):
        model = ts.LogisticRegression(**options).fit(X.iloc[training], y.iloc[training])
        shares[test] = model.predict_proba(X.iloc[test])
    return *scores(shares, np.searchsorted(labels, y)), time.perf_counter() - start


def means(names: list[str], **options: object) -> tuple[float, float]:
    """Print each set and return the mean accuracy and log-loss."""
    found = []
    for name in names:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.append(out_of_fold(name, **options))
        print("{:<26} {:8.4f} {:8.4f} {:7.1f} s".format(name, *found[-1]), flush=True)
    accuracy, loss, _ = np.mean(found, axis=0)
    print(f"{'mean':<26} {accuracy:8.4f} {loss:8.4f}", flush=True)
    return float(accuracy), float(loss)


def figures() -> list[tuple[str, float]]:
    """Return the mean accuracy and log-loss over the 30 sets."""
    accuracy, loss = means(list(SETS))
    return [("mean accuracy of the defaults", accuracy), ("mean log-loss of the defaults", loss)]


if __name__ == "__main__":
    given = sys.argv[1:]
    options = {}
    if "--options" in given:
        at = given.index("--options")
        options = ast.literal_eval(given[at + 1])
        del given[at : at + 2]
    means(given or list(SETS), **options)
