"""scikit-learn's own checks of an estimator, and the coefficients it finds."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_classification
from sklearn.linear_model import LogisticRegression as Peer
from sklearn.utils.estimator_checks import parametrize_with_checks

import tallystick as ts

pytestmark = pytest.mark.slow

with warnings.catch_warnings():  # not derived from BaseEstimator: scikit-learn is not loaded at run time
    warnings.simplefilter("ignore")
    every_check = parametrize_with_checks([ts.LogisticRegression()])


@pytest.mark.filterwarnings("ignore")
@every_check
def test_scikit_learn_accepts_the_estimator(estimator, check):
    check(estimator)


def tables():
    for name, load in (("iris", load_iris), ("wine", load_wine), ("breast cancer", load_breast_cancer)):
        X, y = load(return_X_y=True)
        yield name, X, y
    for seed in range(17):
        rng = np.random.default_rng(seed)
        classes, columns = 2 + seed % 4, 4 + seed % 7
        X, y = make_classification(
            150 + 40 * seed,
            columns,
            n_informative=4,
            n_redundant=0,
            n_classes=classes,
            class_sep=0.6,
            random_state=seed,
        )
        X *= rng.lognormal(0, 0.7, columns)
        yield f"made {seed}", X + rng.normal(0, 1, columns), y


TABLES = list(tables())


@pytest.mark.parametrize(("name", "X", "y"), TABLES, ids=[t[0] for t in TABLES])
def test_coefficients_are_those_of_scikit_learn(name, X, y):
    C = [0.1, 1.0, 10.0][len(name) % 3]
    ours = ts.LogisticRegression(standardize=False, l2=1 / C).fit(X, y)
    solver = "newton-cholesky" if len(np.unique(y)) == 2 else "newton-cg"
    peer = Peer(C=C, solver=solver, tol=1e-13, max_iter=10_000).fit(X, y)
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-6, rtol=1e-6)
    shift = (
        peer.intercept_.mean() if len(peer.intercept_) > 1 else 0.0
    )  # of several constants only differences count
    np.testing.assert_allclose(ours.intercept_, peer.intercept_ - shift, atol=1e-6, rtol=1e-6)
