"""How likely a density tree makes rows it has not seen, beside scikit-learn's GaussianMixture and
KernelDensity.

    TALLYSTICK_DATA=folder python benchmarks/density.py [set ...]

Numeric columns of shared sets, rows with missing numbers left out (the peers take none); five folds,
shuffled with a fixed seed. The figure is the mean log-likelihood of a held-out row in nats, in the units of
the file, so a higher one is better; and the seconds of the five fits. The mixture takes the number of
components (1 to 10) of the least BIC; the kernel's bandwidth is chosen among twelve by three inner folds.
Both see columns of mean 0 and variance 1. A value that many rows share (an atom) has a density as high as its
piece is narrow: such columns favour pieces and mixtures with a narrow component, and `atoms` says in which
share of the columns one value has over a tenth of the rows.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd
from protocol import table
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.neighbors import KernelDensity

import tallystick as ts

SETS = (
    "iris", "wine", "glass", "ecoli", "liver-disorders", "pima-diabetes", "vehicle", "segment", "page-blocks",
    "pendigits",
)  # fmt: skip
Fit = Callable[[pd.DataFrame], Callable[[pd.DataFrame], np.ndarray]]


def numbers(name: str) -> pd.DataFrame:
    """Return the numeric columns of a set that have more than one value."""
    rows, _ = table(name)
    rows = rows.select_dtypes("number").dropna()
    return rows[[c for c in rows if rows[c].nunique() > 1]].reset_index(drop=True)


def tree(**parameters) -> Fit:
    """Return our method."""

    def fit(rows: pd.DataFrame):
        kinds = dict.fromkeys(rows, "numeric")
        return ts.DensityTree(kinds=kinds, **parameters).fit(rows).score_samples

    return fit


def scaled(fit: Callable[[np.ndarray], object]) -> Fit:
    """Return a peer fitted to columns of mean 0 and variance 1, its answers in the units of the file."""

    def whole(rows: pd.DataFrame):
        mean, scale = rows.to_numpy(float).mean(axis=0), rows.to_numpy(float).std(axis=0)
        scale = np.where(scale > 0, scale, 1.0)
        peer = fit((rows.to_numpy(float) - mean) / scale)
        return lambda new: peer.score_samples((new.to_numpy(float) - mean) / scale) - np.log(scale).sum()

    return whole


def mixture(rows: np.ndarray) -> GaussianMixture:
    """Return the mixture of the least BIC."""
    found = [GaussianMixture(k, random_state=0).fit(rows) for k in range(1, 11)]
    return min(found, key=lambda m: m.bic(rows))


def kernel(rows: np.ndarray) -> KernelDensity:
    """Return the kernel density of the best bandwidth."""
    search = GridSearchCV(KernelDensity(), {"bandwidth": np.geomspace(0.05, 1.5, 12)}, cv=3)
    return search.fit(rows).best_estimator_


METHODS: dict[str, Fit] = {
    "tree": tree(),
    "held-out": tree(pruning="held-out"),
    "one leaf": tree(max_leaf_nodes=1),
    "mixture": scaled(mixture),
    "kernel": scaled(kernel),
}


def judged(rows: pd.DataFrame, fit: Fit) -> tuple[float, float]:
    """Return the mean held-out log-likelihood and the seconds of all fits."""
    found, spent = [], 0.0
    for training, test in KFold(5, shuffle=True, random_state=1).split(rows):
        start = time.perf_counter()
        score = fit(rows.iloc[training])
        spent += time.perf_counter() - start
        found.append(score(rows.iloc[test]))
    return float(np.concatenate(found).mean()), spent


def main(names: list[str]) -> None:
    """Print a line per set."""
    warnings.simplefilter("ignore")
    print(f"{'set':<16}{'rows':>7}{'columns':>8}{'atoms':>7}" + "".join(f"{m:>20}" for m in METHODS))
    for name in names:
        rows = numbers(name)
        atoms = np.mean([rows[c].value_counts().iloc[0] > len(rows) / 10 for c in rows])
        line = f"{name:<16}{len(rows):>7,}{rows.shape[1]:>8}{atoms:>7.2f}"
        for fit in METHODS.values():
            value, seconds = judged(rows, fit)
            line += f"{value:>12.3f}{seconds:>7.1f}s"
        print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or list(SETS))
