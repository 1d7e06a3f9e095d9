"""Columns that repeat others are found with and without a constant."""

from __future__ import annotations

import numpy as np
import pandas as pd
from loan_tables import loans

import tallystick as ts
from tallystick.linear.prepare import DEPENDENT, left_of


def test_what_is_left_of_a_copy_is_nothing():
    x = np.random.default_rng(0).normal(size=(60, 2))
    x = np.column_stack([np.ones(60), x, x[:, 0] + 2])
    gram = x.T @ x
    own = np.sqrt(np.diag(gram))
    unit = gram / np.outer(own, own)
    assert left_of(unit, 3, [0, 1]) <= DEPENDENT
    assert left_of(unit, 3, [1]) > DEPENDENT  # the constant is needed


def test_without_a_constant_a_shifted_copy_is_no_copy():
    frame, _ = loans()
    shifted = frame[["age", "paid"]].assign(older=frame.age + 10)
    model = ts.LogisticRegression(l2=0).fit(shifted, "paid")
    assert [n.code for n in model.notes_] == ["collinear", "columns-not-used"]
    assert model.notes_[1].text == "all weights of 'older' are 0: new rows need not have it."
    alike = model.predict_proba(shifted[["age"]]) == model.predict_proba(shifted[["age", "older"]])
    assert np.all(alike)
    alone = ts.LogisticRegression(l2=0, fit_intercept=False).fit(shifted, "paid")
    assert alone.notes_ == ()
    twice = shifted.assign(older=frame.age * 2)
    note, unused = ts.LogisticRegression(l2=0, fit_intercept=False).fit(twice, "paid").notes_
    assert "'older' repeats 'age'" in note.text
    assert unused.code == "columns-not-used"


def test_only_what_follows_from_a_column_is_named_not_the_column_it_is_a_part_of():
    rng = np.random.default_rng(0)
    city = rng.choice(["X", "Y", "Z", "W"], 300)
    frame = pd.DataFrame({"a": rng.normal(size=300), "b": rng.normal(size=300), "city": city})
    frame["zip"] = frame["city"].map({"X": "x1", "Y": "y2", "Z": "z3", "W": "w4"})
    frame["job"] = rng.choice(["p", "q", "r"], 300)
    frame.loc[frame["city"] == "X", "job"] = None  # its other levels are its own
    frame.loc[:20, ["a", "b"]] = None  # missing together, and unlike where they are there
    y = np.resize(["n", "y"], 300)
    for make in (ts.LogisticRegression(l2=0), ts.LogisticRegression()):
        (note,) = [n.text for n in make.fit(frame, y).notes_ if n.code == "collinear"]
        assert "'b is missing' repeats 'a is missing'; " in note
        assert "'zip' repeats 'city'; " in note or "'zip' repeats 'city', " in note
        assert "'job is missing' follows from 'city'; " in note
