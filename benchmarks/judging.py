"""How long a comparison takes: `tally compare` on the votes, start-up included, `ts.compare` on Adult
beside a scikit-learn script that does the same with GridSearchCV, and on many columns of two levels.

    TALLYSTICK_DATA=folder python benchmarks/judging.py [--whole | --levels]

The script: ten stratified folds; in each, for the tree, naive Bayes and logistic regression, the
defaults and a search over the same number of settings by five inner folds (the same tree sizes;
smoothing and two ways to bin; the same strengths of the prior), with two jobs. Reading and one-hot or
ordinal encoding are done once, outside its clock, which is in its favour; ours reads the file. Without
`--whole` two of its ten folds are run and their time is taken five times.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import warnings
from importlib import resources
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.naive_bayes import CategoricalNB
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from turns import Figure, in_turn, over, seconds

import tallystick as ts

FOLDS, MEASURED = 10, 2
LEVELS = "compare on 4,600 rows x 200 columns of two levels, seconds of the processor"


def adult() -> Path:
    """Return the path of the census table's training rows."""
    return Path(os.environ["TALLYSTICK_DATA"]) / "adult" / "adult-train.csv.gz"


def votes_seconds() -> Figure:
    """Return the seconds of `tally compare` on the votes, on the clock."""
    tally = Path(sys.executable).parent / "tally"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "votes.csv"
        path.write_bytes((resources.files("tallystick.examples") / "votes.csv").read_bytes())
        command = [tally, "compare", str(path), "--target", "party"]
        return seconds(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL))


def prepared() -> dict[str, object]:
    """Return Adult as peers want it: one-hot for trees and logistic regression, codes for naive Bayes."""
    frame = pd.read_csv(adult(), na_values=["?"])
    y = frame.pop("income")
    numbers = frame.select_dtypes("number").columns
    texts = frame.drop(columns=numbers).fillna("missing")
    hot = OneHotEncoder(sparse_output=False, dtype="float32").fit_transform(texts)
    scaled = StandardScaler().fit_transform(frame[numbers]).astype("float32")
    codes = OrdinalEncoder().fit_transform(texts)
    out = {"y": y.to_numpy(), "hot": pd.concat([pd.DataFrame(scaled), pd.DataFrame(hot)], axis=1).to_numpy()}
    for bins in (10, 20):
        cut = KBinsDiscretizer(
            bins, encode="ordinal", strategy="quantile", quantile_method="averaged_inverted_cdf"
        )
        out[bins] = pd.concat(
            [pd.DataFrame(cut.fit_transform(frame[numbers])), pd.DataFrame(codes)], axis=1
        ).to_numpy()
    return out


def peer_fold(data: dict[str, object], training, test) -> None:
    """Fit and answer one fold: each family as it is and searched over its settings."""
    y, hot = data["y"], data["hot"]
    inner = StratifiedKFold(5)
    sizes = [int(data[b][:, j].max()) + 1 for b in (20,) for j in range(data[20].shape[1])]
    searches = [
        (DecisionTreeClassifier(), {"max_leaf_nodes": [2, 3, 4, 6, 10, 20, 50, None]}, hot),
        (CategoricalNB(min_categories=sizes), {"alpha": [0.1, 1.0, 10.0, 100.0]}, data[10]),
        (CategoricalNB(min_categories=sizes), {"alpha": [0.1, 1.0, 10.0, 100.0]}, data[20]),
        (
            LogisticRegression(max_iter=1000),
            {"C": [1 / v for v in (1000, 300, 100, 30, 10, 3, 1, 0.1)]},
            hot,
        ),
    ]
    for model, grid, rows in searches:
        model.fit(rows[training], y[training]).predict_proba(rows[test])
        search = GridSearchCV(model, grid, scoring="neg_log_loss", cv=inner, n_jobs=2)
        search.fit(rows[training], y[training]).predict_proba(rows[test])


def adult_seconds(whole: bool) -> tuple[list[float], list[float]]:
    """Return the seconds of the script's ten folds (measured whole, or on two folds times five) and of
    `ts.compare` on Adult, from the file; in turn.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # bins that fall together
        data = prepared()
    folds = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(data["hot"], data["y"]))
    used = folds if whole else folds[:MEASURED]

    def script() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for training, test in used:
                peer_fold(data, training, test)

    peer, ours = in_turn(script, lambda: print(ts.compare(str(adult()), "income"), flush=True))
    return [spent * FOLDS / len(used) for spent in peer], ours


def levels_seconds(rows: int = 4_600, columns: int = 200) -> Figure:
    """Return the processor's seconds of `ts.compare` on columns of two levels, of which some matter."""
    rng = np.random.default_rng(0)
    cells = rng.integers(0, 2, (rows, columns))
    weights = rng.normal(size=columns) * (rng.random(columns) < 0.2)
    score = cells @ weights - weights.sum() / 2 + rng.logistic(size=rows)
    frame = pd.DataFrame(np.where(cells == 1, "yes", "no"), columns=[f"c{j}" for j in range(columns)])
    frame["y"] = np.where(score > 0, "a", "b")
    ts.compare(frame[["c0", "c1", "y"]], "y")  # what is loaded when it is first used
    return seconds(lambda: print(ts.compare(frame, "y"), flush=True), clock=time.process_time)


def figures(whole: bool = False) -> list[tuple[str, float]]:
    """Return what `make bench` compares with its targets."""
    votes, levels = votes_seconds(), levels_seconds()
    peer, ours = adult_seconds(whole)
    part = "all ten folds" if whole else f"{MEASURED} of {FOLDS} folds, scaled"
    print(
        f"votes {votes:.2f} s; adult: ours {Figure(ours):.1f} s, scikit-learn {Figure(peer):.1f} s ({part})",
        flush=True,
    )
    return [
        ("tally compare on votes, seconds", votes),
        ("compare on Adult: x faster than GridSearchCV", over(peer, ours)),
        (LEVELS, levels),
    ]


if __name__ == "__main__":
    alone = "--levels" in sys.argv
    for name, figure in [(LEVELS, levels_seconds())] if alone else figures("--whole" in sys.argv):
        print(f"{name}: {figure:.2f}")
