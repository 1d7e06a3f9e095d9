"""Scores of rows, shares and the best class: the bits of the twin."""

from __future__ import annotations

import numpy as np
import reference
from hard_columns import bits
from hypothesis import given
from hypothesis import strategies as st

from tallystick import kernels


@st.composite
def scored(draw):
    rows, classes = draw(st.integers(0, 30)), draw(st.integers(1, 5))
    seed = np.random.default_rng(draw(st.integers(0, 2**32)))
    scores = seed.normal(size=(rows, classes)) * draw(st.sampled_from([0.0, 1.0, 300.0]))
    scores[seed.random((rows, classes)) < draw(st.sampled_from([0.0, 0.5]))] = -np.inf
    return seed, scores


@given(scored())
def test_shares_and_best_class_equal_the_twin(case):
    _, scores = case
    np.testing.assert_array_equal(bits(kernels.softmax(scores)), bits(reference.softmax(scores)))
    np.testing.assert_array_equal(bits(kernels.log_sum_exp(scores)), bits(reference.log_sum_exp(scores)))
    np.testing.assert_array_equal(kernels.best_class(scores), reference.best_class(scores))
    total = kernels.softmax(scores).sum(axis=1)
    np.testing.assert_allclose(total, np.where(np.isneginf(scores).all(axis=1), 0.0, 1.0), rtol=1e-14)


@given(scored(), st.sampled_from([np.uint8, np.uint16, np.uint32]))
def test_added_scores_equal_the_twin(case, dtype):
    seed, start = case
    rows, classes = start.shape
    codes = seed.integers(0, 4, rows).astype(dtype)
    table, slope, missing = (
        seed.normal(size=(4, classes)),
        seed.normal(size=classes),
        seed.normal(size=classes),
    )
    values = np.where(seed.random(rows) < 0.2, np.nan, seed.normal(size=rows))
    wide = np.stack([values, values], axis=1)[:, 1]
    starts = np.cumsum(np.r_[0, seed.integers(0, 4, rows)])
    words = seed.integers(0, 4, starts[-1]).astype(np.uint32)
    counts = seed.integers(0, 3, starts[-1]).astype(np.uint32)
    calls = [
        ("add_code_scores", (codes, table)),
        ("add_gaussian_scores", (wide, slope, missing**2, slope)),
        ("add_linear_scores", (wide, slope, missing)),
        ("add_word_scores", (starts, words, counts, table)),
    ]
    for name, arguments in calls:
        ours, twin = start.copy(), start.copy()
        getattr(kernels, name)(ours, *arguments)
        getattr(reference, name)(twin, *arguments)
        np.testing.assert_array_equal(bits(ours), bits(twin), err_msg=name)


def test_the_first_of_equal_classes_wins():
    scores = np.array([[1.0, 1.0, 0.0], [0.0, 2.0, 2.0], [-np.inf, -np.inf, -np.inf]])
    assert kernels.best_class(scores).tolist() == [0, 1, 0]
