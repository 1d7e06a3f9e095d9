"""Scores of rows, shares and the best class: the bits of the twin."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
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
        ("add_linear_scores", (wide, slope, missing)),
        ("add_word_scores", (starts, words, counts, table)),
    ]
    for name, arguments in calls:
        ours, twin = start.copy(), start.copy()
        getattr(kernels, name)(ours, *arguments)
        getattr(reference, name)(twin, *arguments)
        np.testing.assert_array_equal(bits(ours), bits(twin), err_msg=name)


@given(scored(), st.lists(st.sampled_from([None, 0, 1, 3, 70]), max_size=5), st.sampled_from([1, 1 << 20]))
def test_scores_of_numbers_equal_the_twin(case, kinds, ready_for):
    seed, start = case
    rows, classes = start.shape
    values = seed.normal(size=(rows, len(kinds))).round(1)
    values[seed.random(values.shape) < 0.2] = np.nan
    parts = []
    for cuts in kinds:
        if cuts is None:
            parts.append(kernels.Parabola(*seed.normal(size=(3, classes))))
        else:
            rising = np.unique(seed.normal(size=cuts).round(1))
            parts.append(kernels.Bins(rising, seed.normal(size=(len(rising) + 2, classes))))
    twin = start.copy()
    reference.add_number_scores(twin, parts, values.T)
    scores = kernels.NumberScores(parts, classes, ready_for)
    for columns in (list(values.T), list(np.ascontiguousarray(values.T))):
        for made in (scores, pickle.loads(pickle.dumps(scores))):
            ours = start.copy()
            made.add(ours, columns)
            np.testing.assert_array_equal(bits(ours), bits(twin))


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "uint64", "int16", "uint8"])
@pytest.mark.parametrize("width", [1, 3, 32, 70])
def test_numbers_of_any_type_score_as_their_doubles_do(dtype, width):
    seed = np.random.default_rng(width)
    cells = (100 * seed.random((1_100, width))).astype(dtype)
    if dtype.startswith("f"):
        cells[seed.random(cells.shape) < 0.1] = np.nan
    cuts = np.array([20.0, 50.0])
    parts = [
        kernels.Parabola(*seed.normal(size=(3, 3))) if j % 2 else kernels.Bins(cuts, seed.normal(size=(4, 3)))
        for j in range(width)
    ]
    scores, twin = kernels.NumberScores(parts, 3), np.zeros((1_100, 3))
    reference.add_number_scores(twin, parts, cells.T.astype(np.float64))
    mixed = [c.astype(np.float64) if j % 3 else c for j, c in enumerate(cells.T)]
    for columns in (list(cells.T), list(np.asfortranarray(cells).T), list(cells[:, ::-1].T)[::-1], mixed):
        ours = np.zeros((1_100, 3))
        assert scores.add(ours, columns)
        np.testing.assert_array_equal(bits(ours), bits(twin))


@pytest.mark.parametrize("far", [np.inf, np.float32(-np.inf), 2**53 + 1, -(2**53) - 1, np.uint64(2**63)])
@pytest.mark.parametrize("row", [0, 700, 1_099])
def test_numbers_that_must_be_read_are_told(far, row):
    cells = np.ones((1_100, 40), np.asarray(far).dtype)
    scores = kernels.NumberScores([kernels.Parabola(np.ones(2), np.ones(2), np.ones(2))] * 40, 2)
    assert scores.add(np.zeros((1_100, 2)), list(cells.T))
    cells[row, 35] = far
    assert not scores.add(np.zeros((1_100, 2)), list(cells.T))
    assert not scores.add(np.zeros((1_100, 2)), list(np.asfortranarray(cells).T))


def test_many_rows_of_numbers_score_as_they_do_alone():
    seed = np.random.default_rng(3)
    values, cuts = seed.normal(size=(1_300, 2)), np.sort(seed.normal(size=90))
    parts = [kernels.Bins(cuts, seed.normal(size=(92, 3))), kernels.Parabola(*seed.normal(size=(3, 3)))]
    scores = kernels.NumberScores(parts, 3)
    every, alone = np.zeros((1_300, 3)), np.zeros((1_300, 3))
    scores.add(every, list(values.T))
    for row in range(1_300):
        scores.add(alone[row : row + 1], list(values[row : row + 1].T))
    np.testing.assert_array_equal(bits(every), bits(alone))


def test_the_first_of_equal_classes_wins():
    scores = np.array([[1.0, 1.0, 0.0], [0.0, 2.0, 2.0], [-np.inf, -np.inf, -np.inf]])
    assert kernels.best_class(scores).tolist() == [0, 1, 0]
