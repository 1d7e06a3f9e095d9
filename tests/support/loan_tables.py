"""A small table of loans: numbers, levels, booleans and branches, for the tests of inference."""

from __future__ import annotations

import numpy as np
import pandas as pd


def loans(rows=400, seed=3, classes=2):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.normal(40.0, 11.0, rows).round(1),
            "income": rng.lognormal(3.0, 0.5, rows).round(2),
            "housing": rng.choice(["free", "own", "rent"], rows, p=[0.2, 0.5, 0.3]),
            "foreign": rng.random(rows) < 0.3,
        }
    )
    branch = rng.integers(0, 25, rows)
    score = 0.04 * (frame.age - 40) - 0.8 * (frame.housing == "own") + 0.6 * frame.foreign
    score = score + rng.normal(size=25)[branch] * 0.5
    frame["paid"] = np.where(rng.random(rows) < 1 / (1 + np.exp(-score)), "yes", "no")
    if classes == 3:
        frame["paid"] = np.where(rng.random(rows) < 0.25, "late", frame["paid"])
    return frame, branch


def as_numbers(frame):
    """The same columns as a design matrix with a constant, and 0/1 of the class yes."""
    x = pd.DataFrame({"(constant)": 1.0, "age": frame.age, "income": frame.income})
    x["housing = own"] = (frame.housing == "own").astype(float)
    x["housing = rent"] = (frame.housing == "rent").astype(float)
    x["foreign = true"] = frame.foreign.astype(float)
    return x, (frame.paid == "yes").astype(float)
