"""How well naive Bayes generalises with its defaults: 30 data sets, the protocol of the published peers'
table.

    TALLYSTICK_DATA=folder python benchmarks/bayes_accuracy.py [set ...]

The folds and the treatment of shares are those of protocol.py. Peer: CategoricalNB on ten quantile bins.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pandas as pd
from protocol import SETS, folds, scores, table
from sklearn.naive_bayes import CategoricalNB
from sklearn.preprocessing import KBinsDiscretizer, OrdinalEncoder

import tallystick as ts


def out_of_fold(make, X: pd.DataFrame, y: pd.Series) -> tuple[float, float]:
    """Return accuracy and log-loss by the protocol."""
    labels = np.unique(y)
    shares = np.zeros((len(y), len(labels)))
    for training, test in folds(X, y):
        shares[test] = make(X.iloc[training], y.iloc[training])(X.iloc[test])
    return scores(shares, np.searchsorted(labels, y))


def ours(**parameters):
    """Return our method with parameters."""

    def fit(X, y):
        return ts.NaiveBayes(**parameters).fit(X, y).predict_proba

    return fit


def peer(X, y):
    """Return scikit-learn's CategoricalNB on ten quantile bins; missing is a value of its own."""
    numbers = [c for c in X if pd.api.types.is_numeric_dtype(X[c]) and X[c].dtype != bool]
    bins = {
        c: KBinsDiscretizer(
            10, encode="ordinal", strategy="quantile", quantile_method="averaged_inverted_cdf"
        )
        for c in numbers
    }
    known = {c: X[[c]].dropna() for c in numbers}
    for c in numbers:
        if len(known[c]):
            bins[c].fit(known[c])

    def coded(new):
        out = {}
        for c in new:
            if c in bins:
                here = new[c].notna()
                codes = np.full(len(new), "missing", object)
                if here.any() and len(known[c]):
                    codes[here.to_numpy()] = (
                        bins[c].transform(new.loc[here, [c]])[:, 0].astype(int).astype(str)
                    )
                out[c] = codes
            else:
                out[c] = new[c].astype(object).where(new[c].notna(), "missing").astype(str)
        return pd.DataFrame(out)

    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    codes = encoder.fit_transform(coded(X)) + 1
    model = CategoricalNB(min_categories=[len(c) + 1 for c in encoder.categories_]).fit(codes, y)
    return lambda new: model.predict_proba(encoder.transform(coded(new)) + 1)


METHODS = {"ours": ours(), "ours, calibrated": ours(calibrate=True), "CategoricalNB on ten bins": peer}


def compare(names: list[str]) -> dict[str, np.ndarray]:
    """Print accuracy and log-loss of each method on each set, and return them."""
    found: dict[str, list[tuple[float, float]]] = {m: [] for m in METHODS}
    print(f"{'set':<26}" + "".join(f"{m:>28}" for m in METHODS))
    for name in names:
        X, y = table(name)
        for method, make in METHODS.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found[method].append(out_of_fold(make, X, y))
        print(
            f"{name:<26}" + "".join(f"{r[-1][0]:20.4f} {r[-1][1]:7.4f}" for r in found.values()), flush=True
        )
    means = {m: np.mean(r, axis=0) for m, r in found.items()}
    print(f"{'mean':<26}" + "".join(f"{m[0]:20.4f} {m[1]:7.4f}" for m in means.values()))
    return means


def figures() -> list[tuple[str, float]]:
    """Return the mean accuracy and log-loss over the 30 sets."""
    means = compare(list(SETS))
    return [
        ("mean accuracy", float(means["ours"][0])),
        ("mean log-loss", float(means["ours"][1])),
        ("mean log-loss, calibrated", float(means["ours, calibrated"][1])),
    ]


if __name__ == "__main__":
    compare(sys.argv[1:] or list(SETS))
