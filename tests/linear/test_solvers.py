"""When logistic regression is at its end: solved problems are answered, whatever their scale."""

from __future__ import annotations

import gzip

import numpy as np
import pandas as pd
import pytest
from shared_tables import shared
from sklearn.datasets import load_iris

import tallystick as ts
from tallystick import kernels
from tallystick.errors import TallyError
from tallystick.linear.prepare import Point
from tallystick.linear.solvers import corner


def two_classes(rows=300, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 3))
    return x, (x[:, 0] + rng.normal(size=rows) > 0).astype(int)


def weights_of(model):
    return np.concatenate([model.intercept_.ravel(), model.coef_.ravel()])


@pytest.mark.parametrize("l2", [1e-3, 1e-6, 1e-8, 1e-10])
def test_a_weak_prior_on_separated_classes_is_solved(l2):
    x, y = load_iris(return_X_y=True)
    model = ts.LogisticRegression(l2=l2, standardize=False).fit(x, y)
    shares = model.predict_proba(x)
    design = np.column_stack([np.ones(len(x)), x])
    prior = l2 * np.column_stack([np.zeros(3), model.coef_])
    gradient = (shares - np.eye(3)[y]).T @ design + prior
    assert np.abs(gradient).max() < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("weight", [1e3, 1e6, 1e9, 1e12])
@pytest.mark.parametrize("solver", ["auto", "newton", "lbfgs", "conjugate-gradient"])
def test_whole_weights_of_any_size_give_the_optimum(weight, solver):
    x, y = two_classes()
    plain = ts.LogisticRegression(l2=0).fit(x, y)
    heavy = ts.LogisticRegression(l2=0, solver=solver).fit(x, y, sample_weight=np.full(len(y), weight))
    assert np.allclose(weights_of(heavy), weights_of(plain), atol=1e-7)


@pytest.mark.parametrize("weight", [1e-9, 1e-6, 1e6, 1e9])
@pytest.mark.parametrize("l2", ["auto", 0, 1])
def test_extreme_class_weights_are_solved(weight, l2):
    x, y = two_classes()
    model = ts.LogisticRegression(l2=l2, class_weight={0: 1.0, 1: weight}).fit(x, y)
    by_class = np.where(y == 1, weight, 1.0)
    off = by_class * (model.predict_proba(x)[:, 1] - y)
    if l2 == 0:  # the sums of a class's misses are those of the other's
        assert abs(off.sum()) < 1e-5 * np.abs(off).sum()


@pytest.mark.slow
@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("value", [0.0, 3.7, 1e9, -1e-9])
@pytest.mark.parametrize("l2", ["auto", 0, 1.0, 1e4])
def test_a_kept_constant_column_changes_no_answer(standardize, value, l2):
    x, y = two_classes(60)
    table = pd.DataFrame(x, columns=list("abc"))
    without = ts.LogisticRegression(l2=l2, standardize=standardize).fit(table, y)
    table["same"] = value
    model = ts.LogisticRegression(l2=l2, standardize=standardize, columns=ts.Columns(keep=["same"])).fit(
        table, y
    )
    assert np.allclose(model.predict_proba(table), without.predict_proba(table), atol=1e-6)


@pytest.mark.slow
def test_adult_by_its_weights_is_solved_with_the_defaults():
    with gzip.open(shared("adult/adult-train")) as file:
        adult = pd.read_csv(file)
    weights = adult.pop("fnlwgt")
    model = ts.LogisticRegression().fit(adult, "income", sample_weight=weights)
    rich = (adult.income.str.strip().str.startswith(">")).to_numpy()
    share = model.predict_proba(adult.drop(columns="income"))[:, 1]
    assert (share * weights).sum() == pytest.approx((rich * weights).sum(), rel=1e-9)


def test_what_rounding_hides_is_refused_and_never_half_fitted():
    x, y = two_classes(8)
    y = (x[:, 0] > 0).astype(int)
    with pytest.raises(TallyError, match=r"did not converge|no step leads down"):
        ts.LogisticRegression(l2=1e-28).fit(x * 1.0, y, sample_weight=np.full(8, 1e6))


@pytest.mark.slow
def test_rows_that_weigh_too_little_beside_others_are_refused_by_name_and_a_prior_solves_them():
    """One row weighs 10,000,000,000 and decides nothing; what the others add is below the last digit."""
    r = np.random.default_rng(68)
    d = int(r.integers(1, 4))
    X, y = r.normal(size=(8, d)), np.array([0, 1] * 4)
    weights = np.round(10 ** r.uniform(0.5, 10.85, 8))
    words = r"gradient is 0 but for rounding.* weigh too little.* Raise l2"
    with pytest.raises(TallyError, match=words) as found:
        ts.LogisticRegression(l2=4e-6).fit(X, y, weights)
    assert "max_iter" not in str(found.value)
    assert np.isfinite(ts.LogisticRegression(l2=1.0).fit(X, y, weights).coef_).all()


def test_a_matrix_that_is_not_quite_positive_is_solved_all_the_same():
    assert kernels.factorised(np.diag([4.0, 16.0]))(np.array([8.0, 8.0])).tolist() == [2.0, 0.5]
    singular = kernels.factorised(np.array([[1.0, 1.0], [1.0, 1.0]]))(np.array([1.0, 1.0]))
    np.testing.assert_allclose(singular.sum(), 1.0, rtol=1e-6)
    assert kernels.factorised(np.zeros((1, 1)))(np.array([3.0])).tolist() == [3.0]


def test_at_0_an_l1_prior_holds_a_gradient_that_is_smaller_than_itself():
    here = Point(np.array([0.0, 0.0, 2.0]), 0.0, np.array([0.5, -3.0, 1.0]), 0.0)
    assert corner(here, np.array([1.0, 1.0, 1.0])).tolist() == [0.0, -2.0, 2.0]
