"""How well naive Bayes generalises with its defaults: 30 data sets, the protocol of the published peers'
table.

    TALLYSTICK_DATA=folder python benchmarks/bayes_accuracy.py [set ...]

Rows without a target and classes of fewer than 10 rows are dropped, identifier columns too;
StratifiedKFold(10, shuffle=True, random_state=1) in the row order of the file; shares clipped at 1e-6 and
renormalised. Peer: CategoricalNB on ten quantile bins.
"""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import CategoricalNB
from sklearn.preprocessing import KBinsDiscretizer, OrdinalEncoder

import tallystick as ts

SETS = {  # and their targets; "" is the last column
    "balance-scale": "",
    "breast-cancer": "Class",
    "breast-cancer-wisconsin": "Class",
    "car": "class",
    "ecoli": "",
    "glass": "Type",
    "haberman": "",
    "house-votes-84": "Class",
    "ionosphere": "class",
    "iris": "class",
    "labor": "class",
    "letter": "class",
    "liver-disorders": "selector",
    "lymphography": "class",
    "mushroom": "class",
    "nursery": "class",
    "optdigits": "class",
    "page-blocks": "",
    "pendigits": "",
    "pima-diabetes": "class",
    "promoters": "class",
    "segment": "class",
    "sick": "Class",
    "sonar": "Class",
    "soybean": "class",
    "spambase": "class",
    "vehicle": "Class",
    "wine": "class",
    "zoo": "type",
    "adult": "income",
}
IDENTIFIERS = {"promoters": "name", "zoo": "animal"}


def table(name: str) -> tuple[pd.DataFrame, pd.Series]:
    """Return rows and labels of one set."""
    folder = Path(os.environ["TALLYSTICK_DATA"]) / name
    path = folder / "adult-train.csv.gz" if name == "adult" else sorted(folder.glob("*.csv.gz"))[0]
    frame = pd.read_csv(path, na_values=["?"])
    target = SETS[name] or frame.columns[-1]
    frame = frame.drop(columns=[c for c in frame if c == IDENTIFIERS.get(name)])
    frame = frame[frame[target].notna()]
    sizes = frame[target].value_counts()
    frame = frame[frame[target].isin(sizes[sizes >= 10].index)].reset_index(drop=True)
    return frame.drop(columns=target), frame[target]


def out_of_fold(make, X: pd.DataFrame, y: pd.Series) -> tuple[float, float]:
    """Return accuracy and log-loss by the protocol."""
    labels = np.unique(y)
    truth = np.searchsorted(labels, y)
    shares = np.zeros((len(y), len(labels)))
    for training, test in StratifiedKFold(10, shuffle=True, random_state=1).split(X, y):
        shares[test] = make(X.iloc[training], y.iloc[training])(X.iloc[test])
    right = shares.argmax(1) == truth
    shares = np.clip(shares, 1e-6, 1)
    shares /= shares.sum(1, keepdims=True)
    return float(right.mean()), float(-np.log(shares[np.arange(len(y)), truth]).mean())


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
