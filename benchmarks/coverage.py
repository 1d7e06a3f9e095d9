"""How often do the 95 % intervals cover the truth? Tables drawn from known shares answer that.

Prints the table of docs/judge.md. Cross-validation: does the interval of a measure hold what the model taught
by all rows gets on new rows? A row: does the interval of its answer's share hold the share it was drawn with?

    python benchmarks/coverage.py [tables drawn per line, 200 unless given] [rows, 200 unless given]
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import tallystick as ts

METHODS: dict[str, Any] = {
    "decision tree": ts.DecisionTree,
    "naive Bayes": ts.NaiveBayes,
    "logistic regression": ts.LogisticRegression,
}
NEW, ASKED = 4_000, 5  # new rows that tell the true score, and rows whose share is asked for


def draw(kind: str, rows: int, rng: np.random.Generator) -> tuple[dict[str, Any], Any, Any]:
    """Return four columns of numbers, the classes 0 and 1, and the share of 1 that each was drawn with."""
    x = rng.normal(size=(rows, 4))
    if kind == "slope":
        share = 1 / (1 + np.exp(-(1.5 * x[:, 0] - x[:, 1])))
    elif kind == "steps":
        share = np.select([x[:, 0] < -0.5, (x[:, 0] < 0.7) & (x[:, 1] > 0)], [0.1, 0.8], 0.4)
    else:  # either of two, but not both
        share = np.where((x[:, 0] > 0) ^ (x[:, 1] > 0), 0.85, 0.15)
    y = (rng.random(rows) < share).astype(int)
    return {f"x{j}": x[:, j] for j in range(4)}, y, share


def covered(kind: str, method: str, rows: int, seed: int, folds: int = 10) -> dict[str, list[bool]]:
    """Return, of one drawn table, which intervals hold the truth."""
    columns, y, _ = draw(kind, rows, np.random.default_rng(seed))
    data = {**columns, "y": y.tolist()}
    found = ts.cross_validate(METHODS[method](threads=1), data, "y", folds=folds)
    model = METHODS[method](threads=1).fit(data, "y")
    new, _, share = draw(kind, NEW, np.random.default_rng(seed + 1_000_000))
    both, told = np.c_[1 - share, share], model.predict_proba(new)
    truth = {
        "accuracy": both[np.arange(NEW), told.argmax(axis=1)].mean(),
        "log-loss": -(both * np.log(np.clip(told, 1e-15, 1))).sum(axis=1).mean(),
    }
    out = {}
    for name, true in truth.items():
        m = found.measure(name)
        out[name] = [bool(m.low <= true <= m.high)]
    if method == "decision tree":
        for name, asked in (
            ("a row", model),
            ("a row, one tree", ts.DecisionTree(average=False).fit(data, "y")),
        ):
            out[name] = []
            for i in range(ASKED):
                told_row = asked.explain({k: float(v[i]) for k, v in new.items()})
                low, high = told_row.interval
                out[name].append(bool(low <= both[i, int(told_row.answer)] <= high))
    return out


def main(tables: int = 200, rows: int = 200) -> None:
    """Print the table: percent of intervals that hold the truth."""
    names = ("accuracy", "log-loss", "a row", "a row, one tree")
    print(f"| table, {rows} rows | method | {' | '.join(names)} |\n|---|---|---|---|---|---|")
    for kind in ("slope", "steps", "either"):
        for method in METHODS:
            held: dict[str, list[bool]] = {}
            for seed in range(tables):
                for name, hits in covered(kind, method, rows, seed).items():
                    held.setdefault(name, []).extend(hits)
            cells = (f"{100 * np.mean(held[n]):.0f} %" if n in held else "" for n in names)
            print(f"| {kind} | {method} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
