"""Averaged answers on tables like credit data: many weak columns, a base rate that is hard to beat."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tallystick as ts

pytestmark = pytest.mark.slow


def credit(seed: int, rows: int = 1000) -> pd.DataFrame:
    """Loans: levels and numbers that each say little, about 70 % good."""
    r = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "status": r.choice(["<0", "0-200", ">200", "none"], rows, p=[0.27, 0.27, 0.06, 0.40]),
            "history": r.choice(list("abcde"), rows, p=[0.04, 0.05, 0.53, 0.09, 0.29]),
            "purpose": r.choice(list("pqrstuvwxy"), rows),
            "savings": r.choice(list("abcde"), rows, p=[0.60, 0.10, 0.06, 0.05, 0.19]),
            "duration": np.clip(np.round(r.gamma(3, 7, rows)), 4, 72),
            "age": np.clip(np.round(19 + r.gamma(2, 8, rows)), 19, 75),
            "amount": np.round(np.exp(r.normal(7.8, 0.75, rows))),
        }
    )
    risk = -1.2 + 0.035 * (frame["duration"] - 20) - 0.015 * (frame["age"] - 35)
    risk += frame["status"].map({"<0": 1.3, "0-200": 0.9, ">200": 0.3, "none": -0.7})
    risk += frame["history"].map({"a": 1.0, "b": 1.0, "c": 0.0, "d": 0.0, "e": -0.6})
    bad = r.random(rows) < 1 / (1 + np.exp(-risk))
    return frame.assign(y=np.where(bad, "bad", "good"))


def printed(tree: ts.DecisionTree, rows: pd.DataFrame) -> np.ndarray:
    """Return the classes that the printed tree, the most probable pruning, says."""
    model = tree.model_
    labels = tree.classes_[model.rows.argmax(axis=1)]
    ends = []
    for end in tree.apply(rows).tolist():
        way = [end]
        while way[-1]:
            way.append(int(model.nodes.parent[way[-1]]))
        ends.append(next((node for node in reversed(way) if model.averaged.best[node]), end))
    return labels[ends]


def test_averaged_answers_are_right_at_least_as_often_as_the_printed_tree():
    averaged, alone, base, rows = 0, 0, 0, 0
    for seed in range(3):
        frame = credit(seed)
        for fold in range(5):
            test = np.arange(len(frame)) % 5 == fold
            tree = ts.DecisionTree().fit(frame[~test], "y")
            new, truth = frame[test].drop(columns="y"), frame["y"][test].to_numpy()
            averaged += int((tree.predict(new) == truth).sum())
            alone += int((printed(tree, new) == truth).sum())
            base += int((truth == "good").sum())
            rows += len(truth)
    assert averaged >= alone
    assert averaged / rows > base / rows - 0.01
