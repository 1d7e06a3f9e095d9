"""Tables for the tests of logistic regression, and the problems that they pose."""

from __future__ import annotations

import numpy as np
import pandas as pd

import tallystick as ts
from tallystick.engine import Local
from tallystick.io.open import open_source
from tallystick.linear.learner import prepared
from tallystick.linear.path import drive
from tallystick.linear.prepare import prepare
from tallystick.table.reader import read_table


def made(seed, rows=80, classes=2):
    """Numbers, levels, booleans and gaps, with classes that depend on two of them."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": rng.normal(3, 2, rows),
            "b": rng.choice(list("uvw"), rows),
            "c": rng.random(rows) < 0.4,
            "d": rng.exponential(size=rows),
        }
    )
    frame.loc[rng.random(rows) < 0.1, "d"] = np.nan
    score = frame["a"] / 2 + (frame["b"] == "u") + rng.logistic(size=rows)
    return frame, np.digitize(score, np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1]))


def ready_of(frame, y, l2=0.7, **options):
    """Return a table, what is known of its rows, its moments, and the problem prepared."""
    table = read_table(open_source(frame), None, y)
    given_ = ts.LogisticRegression(l2=l2, **options)._options()
    known, moments = drive(prepared(given_, table.schema, table.unit), table, Local(1))
    return table, known, moments, prepare(known, moments, given_, table.schema, l2)


def problem_of(frame, y, l2=0.7, **options):
    """Return a table and the problem that it poses."""
    table, _, _, ready = ready_of(frame, y, l2, **options)
    return table, ready.problem
