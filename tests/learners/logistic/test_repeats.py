"""Columns that repeat others are found with and without a constant."""

from __future__ import annotations

import numpy as np
from loan_tables import loans

import tallystick as ts
from tallystick.learners.logistic.repeats import DEPENDENT, left_of


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
    assert [n.code for n in ts.LogisticRegression(l2=0).fit(shifted, "paid").notes_] == ["collinear"]
    alone = ts.LogisticRegression(l2=0, fit_intercept=False).fit(shifted, "paid")
    assert alone.notes_ == ()
    twice = shifted.assign(older=frame.age * 2)
    (note,) = ts.LogisticRegression(l2=0, fit_intercept=False).fit(twice, "paid").notes_
    assert "'older' repeats 'age'" in note.text
