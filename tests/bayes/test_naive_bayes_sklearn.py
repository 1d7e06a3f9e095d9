"""Beside scikit-learn: its estimator checks, and equal answers on tables of one kind."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.utils.estimator_checks import parametrize_with_checks

import tallystick as ts

pytestmark = pytest.mark.slow

with (
    warnings.catch_warnings()
):  # that we do not inherit from BaseEstimator: scikit-learn is not imported at run time
    warnings.simplefilter("ignore")
    checks = parametrize_with_checks([ts.NaiveBayes()])


@pytest.mark.filterwarnings("ignore:.*does not inherit from:UserWarning")
@checks
def test_scikit_learn_estimator_checks(estimator, check):
    check(estimator)


def logs(model, X):
    """Return log shares, lowest clipped where both are 0."""
    return np.log(np.maximum(model.predict_proba(X), 1e-300))


def close(ours, X, theirs, Z):
    np.testing.assert_allclose(
        ours.predict_joint_log_proba(X), theirs.predict_joint_log_proba(Z), rtol=1e-9, atol=1e-9
    )
    np.testing.assert_allclose(logs(ours, X), logs(theirs, Z), rtol=1e-9, atol=1e-9)


levels_table = st.integers(2, 4).flatmap(
    lambda columns: st.lists(
        st.tuples(st.integers(0, 2), *[st.integers(0, 3) for _ in range(columns)]), min_size=8, max_size=40
    )
)


@settings(max_examples=40, deadline=None)
@given(levels_table, st.sampled_from([1.0, 0.3, 2.5]))
def test_levels_equal_categorical_nb(rows, alpha):
    rows = [*rows, *[(c, *[v] * (len(rows[0]) - 1)) for c in range(3) for v in range(4)]]
    codes = np.array([r[1:] for r in rows])
    y = np.array([r[0] for r in rows])
    frame = pd.DataFrame(codes.astype(str), columns=[f"c{j}" for j in range(codes.shape[1])])
    ours = ts.NaiveBayes(alpha=alpha, kinds=dict.fromkeys(frame, "levels")).fit(frame, y)
    close(ours, frame, CategoricalNB(alpha=alpha).fit(codes, y), codes)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 1), st.booleans(), st.booleans()), min_size=5, max_size=40))
def test_booleans_equal_bernoulli_nb(rows):
    rows = [*rows, (0, False, True), (1, True, False)]
    X, y = np.array([r[1:] for r in rows]).astype(np.uint8), np.array([r[0] for r in rows])
    close(ts.NaiveBayes().fit(X, y), X, BernoulliNB().fit(X, y), X)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 4), st.floats(-8, 8))
def test_gaussian_columns_equal_gaussian_nb(seed, classes, scale):
    rng = np.random.default_rng(seed)
    y = np.arange(60) % classes
    X = (rng.normal(size=(60, 3)) + y[:, None]) * 10**scale + 10**scale
    ours = ts.NaiveBayes(distributions="gaussian", kinds=dict.fromkeys(["x0", "x1", "x2"], "numeric")).fit(
        X, y
    )
    close(ours, X, GaussianNB(var_smoothing=0).fit(X, y), X)


WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"]
documents = st.lists(
    st.tuples(st.integers(0, 2), st.lists(st.sampled_from(WORDS), min_size=1, max_size=12)),
    min_size=6,
    max_size=25,
)


@settings(max_examples=25, deadline=None)
@given(documents, st.sampled_from([1.0, 0.01]))
def test_words_equal_multinomial_bernoulli_and_complement_nb(rows, alpha):
    rows = [*rows, *[(c, WORDS[c : c + 3]) for c in range(3)]]
    texts, y = [" ".join(w) for _, w in rows], np.array([c for c, _ in rows])
    frame = pd.DataFrame({"t": texts})
    counts = CountVectorizer().fit_transform(texts)
    for name, peer in (
        ("multinomial", MultinomialNB(alpha=alpha)),
        ("complement", ComplementNB(alpha=alpha)),
        ("bernoulli", BernoulliNB(alpha=alpha)),
    ):
        ours = ts.NaiveBayes(distributions=name, alpha=alpha, kinds={"t": "text"}).fit(frame, y)
        close(ours, frame, peer.fit(counts, y), counts)


def test_tf_idf_words_equal_scikit_learn_up_to_the_fixed_point():
    rng = np.random.default_rng(5)
    texts = [" ".join(rng.choice(WORDS, 9)) for _ in range(80)]
    y = rng.integers(0, 3, 80)
    weights = TfidfVectorizer().fit_transform(texts)
    frame = pd.DataFrame({"t": texts})
    for name, peer in (("multinomial", MultinomialNB()), ("complement", ComplementNB())):
        ours = ts.NaiveBayes(distributions=name, words="tf-idf", kinds={"t": "text"}).fit(frame, y)
        np.testing.assert_allclose(
            ours.predict_proba(frame), peer.fit(weights, y).predict_proba(weights), atol=1e-4
        )


def test_sample_weights_equal_scikit_learn():
    rng = np.random.default_rng(3)
    X, y, w = rng.normal(size=(100, 3)), rng.integers(0, 2, 100), rng.random(100) + 0.01
    ours = ts.NaiveBayes(distributions="gaussian").fit(X, y, sample_weight=w)
    theirs = GaussianNB(var_smoothing=0).fit(X, y, sample_weight=w)
    np.testing.assert_allclose(logs(ours, X), logs(theirs, X), rtol=1e-6)  # weights are multiples of 2^-32


@pytest.mark.parametrize("priors", [[0.2, 0.8], {"0": 0.2, "1": 0.8}])
def test_given_priors_equal_scikit_learn(priors):
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(50, 2)), np.arange(50) % 2
    ours = ts.NaiveBayes(distributions="gaussian", priors=priors).fit(X, y)
    close(ours, X, GaussianNB(priors=[0.2, 0.8], var_smoothing=0).fit(X, y), X)
