"""The 30 data sets and the folds on which peers were measured.

Rows without a target, classes of fewer than 10 rows and identifier columns are dropped; folds are
StratifiedKFold(10, shuffle=True, random_state=1) in the row order of the file; shares are clipped at 1e-6
and renormalised.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

# name of the set: name of its target, "" for the last column
SETS = {
    "adult": "income", "balance-scale": "", "breast-cancer": "Class", "breast-cancer-wisconsin":
    "Class", "car": "class", "ecoli": "", "glass": "Type", "haberman": "", "house-votes-84": "Class",
    "ionosphere": "class", "iris": "class", "labor": "class", "letter": "class", "liver-disorders":
    "selector", "lymphography": "class", "mushroom": "class", "nursery": "class", "optdigits": "class",
    "page-blocks": "", "pendigits": "", "pima-diabetes": "class", "promoters": "class", "segment":
    "class", "sick": "Class", "sonar": "Class", "soybean": "class", "spambase": "class", "vehicle":
    "Class", "wine": "class", "zoo": "type",
}  # fmt: skip
# the best accuracy of three peers by this protocol: Weka's J48, scikit-learn's tree with cost-complexity
# pruning by
# cross-validation, YDF's CART
BEST_TREE = {
    "adult": 0.8624, "balance-scale": 0.7936, "breast-cancer": 0.7518,
    "breast-cancer-wisconsin": 0.9485, "car": 0.9329, "ecoli": 0.8318, "glass": 0.7073,
    "haberman": 0.7255, "house-votes-84": 0.9678, "ionosphere": 0.9174, "iris": 0.9533, "labor": 0.8947,
    "letter": 0.8869, "liver-disorders": 0.6927, "lymphography": 0.8451, "mushroom": 1.0000,
    "nursery": 0.9742, "optdigits": 0.9130, "page-blocks": 0.9682, "pendigits": 0.9655,
    "pima-diabetes": 0.7318, "promoters": 0.7924, "segment": 0.9736, "sick": 0.9912, "sonar": 0.7404,
    "soybean": 0.9304, "spambase": 0.9274, "vehicle": 0.7246, "wine": 0.9494, "zoo": 1.0000,
}  # fmt: skip
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


def folds(X: pd.DataFrame, y: pd.Series) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield training and test rows."""
    return StratifiedKFold(10, shuffle=True, random_state=1).split(X, y)


def scores(shares: np.ndarray, truth: np.ndarray) -> tuple[float, float]:
    """Return accuracy and log-loss of shares[row, class]."""
    right = (shares.argmax(1) == truth).mean()
    clipped = np.clip(shares, 1e-6, 1)
    clipped /= clipped.sum(1, keepdims=True)
    return float(right), float(-np.log(clipped[np.arange(len(truth)), truth]).mean())
