"""Columns that repeat others, and scales that touch no other column."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from logistic_tables import made, ready_of

import tallystick as ts
from tallystick.linear.prepare import DEPENDENT, class_weights, few_enough, left_of, middles, mirrored
from tallystick.schema import Target
from tallystick.stats.design_sums import Dense, Design, Factor


@pytest.mark.parametrize("l2", [0, 1.0])
def test_collinear_columns_have_one_answer_and_are_named(l2):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 2)), columns=["a", "b"])
    X["twice"] = 2 * X["a"] + 1
    y = (X["a"] + rng.logistic(size=200) > 0).astype(int).to_numpy()
    order = rng.permutation(200)
    one = ts.LogisticRegression(l2=l2).fit(X, y)
    assert one.to_bytes() == ts.LogisticRegression(l2=l2).fit(X.iloc[order], y[order]).to_bytes()
    note = next(n for n in one.notes_ if n.code == "collinear")
    assert "'twice' repeats 'a'" in note.text
    assert np.isfinite(one.coef_).all()


@pytest.mark.slow
def test_more_columns_than_rows_have_one_answer():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 40)), np.arange(20) % 2
    order = rng.permutation(20)
    for l2 in (0, 1.0):
        model = ts.LogisticRegression(l2=l2).fit(X, y)
        assert model.to_bytes() == ts.LogisticRegression(l2=l2).fit(X[order], y[order]).to_bytes()
        assert model.model_.fit.separation == "complete"


def test_one_columns_scale_touches_no_other():
    X, y = made(2)
    plain = ts.LogisticRegression().fit(X, y)
    wide = ts.LogisticRegression().fit(X.assign(a=X["a"] * 2.0**40), y)
    np.testing.assert_allclose(
        plain.predict_proba(X), wide.predict_proba(X.assign(a=X["a"] * 2.0**40)), atol=1e-9
    )
    at = plain.coef_names_.index("a")
    np.testing.assert_allclose(plain.coef_[:, at], wide.coef_[:, at] * 2.0**40, rtol=1e-6)
    rest = [i for i in range(len(plain.coef_names_)) if i != at]
    np.testing.assert_allclose(plain.coef_[:, rest], wide.coef_[:, rest], rtol=1e-6, atol=1e-9)


def test_scales_are_the_means_and_deviations_of_the_columns():
    X, y = made(6, rows=90)
    _, known, basis, ready = ready_of(X, y)
    scales = ready.problem.scales
    at = [c.name for c in known.design.dense].index("d")
    assert scales.centre[at] == pytest.approx(X["d"].mean())
    assert scales.scale[at] == pytest.approx(X["d"].std(ddof=0))
    assert basis.shares.sum() == pytest.approx(1.0)


def test_without_a_prior_the_first_level_and_the_reference_class_have_no_weights():
    X, y = made(7, rows=90, classes=3)
    _, known, _, held = ready_of(X, y, l2=1.0)
    _, _, _, bare = ready_of(X, y, l2=0.0)
    cells = known.design.cell(known.design.coded[0])
    assert held.problem.free[cells : cells + 4].tolist() == [True, True, True, False]  # no row misses b
    assert bare.problem.free[cells : cells + 4].tolist() == [False, True, True, False]
    assert held.problem.links.tolist() == [True] * 3
    assert bare.problem.links.tolist() == [True, True, False]


@pytest.mark.parametrize("size", [1, 5, 64, 65, 150])
def test_a_mirrored_matrix_has_its_lower_triangle_on_both_sides(size):
    given = np.random.default_rng(size).random((size, size))
    lower = np.tril(given)
    assert mirrored(given.copy()).tolist() == (lower + np.tril(given, -1).T).tolist()


def test_balanced_classes_weigh_alike_and_labels_are_found_by_any_spelling():
    target = Target("y", ("0", "1"), "integer")
    weights = class_weights("balanced", target, np.array([90.0, 10.0]))
    assert (weights * [90, 10]).tolist() == [50.0, 50.0]
    assert class_weights({1: 5}, target, np.array([1.0, 1.0])).tolist() == [1.0, 5.0]
    assert class_weights(None, target, np.array([1.0, 1.0])).tolist() == [1.0, 1.0]


def test_a_constant_column_is_in_the_middle_of_no_range():
    flat = Dense("x", (Factor("x", "x", None, 3.0, 3.0),))
    middle, half = middles(Design((flat,), (), ()))
    assert (middle.tolist(), half.tolist()) == ([3.0], [1.0])


def few_by_trying(unit, j, among):
    """The slow twin: every column is tried anew at each step."""
    chosen, rest = [0], [int(i) for i in among if i]
    while rest and left_of(unit, j, chosen) > DEPENDENT:
        best = min(rest, key=lambda i: (left_of(unit, j, [*chosen, i]), i))
        chosen.append(best)
        rest.remove(best)
    for i in chosen[1:]:
        without = [k for k in chosen if k != i]
        if left_of(unit, j, without) <= DEPENDENT:
            chosen = without
    return chosen


@pytest.mark.parametrize("seed", range(8))
def test_columns_that_one_follows_from_are_those_that_trying_each_finds(seed):
    random = np.random.default_rng(seed)
    columns = np.column_stack([np.ones(50), random.normal(size=(50, 6))])
    last = columns[:, 1] + 2 * columns[:, 3] - columns[:, 5 - seed % 2]
    columns = np.column_stack([columns, columns[:, 2] + columns[:, 4], last])
    columns /= np.sqrt((columns**2).sum(axis=0))
    unit, j = columns.T @ columns, columns.shape[1] - 1
    found = few_enough(unit, j, np.arange(j))
    assert left_of(unit, j, found) <= DEPENDENT
    assert found == few_by_trying(unit, j, np.arange(j))
