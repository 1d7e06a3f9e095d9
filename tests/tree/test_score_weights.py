"""What a row weighs in scores: the exact product of two weights, in units that leave room for all sums."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.tree.growth import PARTS_ROOM, ROOM, ScoreWeights, class_factors
from tallystick.tree.model import ClassWeights

CLASSES = np.array([0, 1], np.uint8)


def rule(weights, factors, parts=1):
    return ScoreWeights.of(ClassWeights(factors) if factors else None, np.array(weights, np.int64), parts)


def test_class_weights_are_whole_numbers_and_none_that_counts_becomes_nothing():
    counts = np.array([10, 10], np.int64)
    assert class_factors(ClassWeights((1.0, 3.0)), counts).tolist() == [1, 3]
    assert class_factors(ClassWeights((1e-9, 1.0)), counts).tolist() == [1, 2**16 - 1]
    assert class_factors(ClassWeights((0.0, 0.5)), counts).tolist() == [0, 2**16 - 1]
    assert class_factors(None, counts) is None


def test_weights_of_rows_and_classes_multiply():
    light = rule([2, 5], (1.0, 3.0))
    assert (light.heavy, light.drop) == (17, 0)
    assert light.of_rows(CLASSES, np.array([2, 5])).tolist() == [2, 15]
    assert light.of_rows(CLASSES, None).tolist() == [1, 3]
    assert rule([2, 5], None).of_rows(CLASSES, None) is None
    assert rule([2, 5], None).of_rows(CLASSES, np.array([2, 5])).tolist() == [2, 5]


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(1, 2**58)), min_size=1, max_size=8),
    st.tuples(st.floats(0.001, 1e4), st.floats(0.001, 1e4)) | st.none(),
)
def test_a_row_weighs_the_product_in_units_that_leave_room(rows, factors):
    classes = np.array([c for c, _ in rows], np.uint8)
    weights = np.array([w for _, w in rows], np.int64)
    found = rule([int(weights[classes == c].sum()) for c in (0, 1)], factors)
    own = [1, 1] if found.factors is None else found.factors.tolist()
    products = [w * own[c] for c, w in rows]
    assert found.of_rows(classes, weights).tolist() == [-(-p >> found.drop) for p in products]  # rounded up
    assert found.heavy == sum(products) >> found.drop
    assert found.heavy < 2**ROOM


@pytest.mark.parametrize("weight", [2**40, 2**50, 2**55])
def test_a_class_keeps_its_weight_however_heavy_the_rows_are(weight):
    classes, weights = np.arange(64) % 2, np.full(64, weight)
    heavy = rule([32 * weight, 32 * weight], (1.0, 3.0)).of_rows(classes, weights)
    assert (heavy[classes == 1] == 3 * heavy[0]).all()
    assert heavy.sum() <= 2**ROOM


def test_a_row_that_counts_never_weighs_nothing():
    heavy = rule([2**62, 1], (1.0, 0.5))
    assert heavy.drop > 0
    assert heavy.of_rows(CLASSES, np.array([2**62, 1])).min() == 1


def test_rows_in_parts_have_room_too():
    found = rule([2**42, 2**42], (1.0, 60_000.0), parts=2**20)
    assert found.drop > 0
    assert 2 ** (PARTS_ROOM - 2) < found.heavy < 2**PARTS_ROOM


def test_counts_of_candidates_are_rows_again_not_weights():
    arrays = {"lefts": np.array([[2, 9, 5]]), "tried_left": np.array([0])}
    ScoreWeights(np.array([1, 3]), 11).count_rows(arrays)
    assert arrays["lefts"].tolist() == [[2, 3, 5]]
    ScoreWeights(np.array([0, 0]), 0).count_rows(
        arrays
    )  # two classes that weigh nothing cannot be told apart
    assert arrays["tried_left"].tolist() == [-1]


@pytest.mark.parametrize("factors", [None, np.array([1, 3])])
def test_counts_of_candidates_are_left_out_where_bits_are_lost(factors):
    arrays = {"lefts": np.array([[2, 9, 5]]), "tried_left": np.array([0])}
    ScoreWeights(factors, 2**55, drop=2).count_rows(arrays)
    assert arrays["tried_left"].tolist() == [-1]


def test_one_class_without_weight_has_the_rows_that_are_left():
    arrays = {"lefts": np.array([[0, 9, 5]]), "tried_left": np.array([0])}
    ScoreWeights(np.array([0, 3]), 9).count_rows(arrays)
    assert arrays["lefts"].tolist() == [[2, 3, 5]]
