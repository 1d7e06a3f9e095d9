"""How much a column tells of the class, against a slow twin that knows only the formulas."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tallystick as ts
from tallystick import kernels
from tallystick.description.columns import (
    Stack,
    by_levels,
    by_word,
    entropy,
    gains_by_cut,
    gains_by_levels,
    midpoint,
    n_log2_n,
    summed,
)


def bits(counts):
    total = sum(counts)
    return -sum(n / total * math.log2(n / total) for n in counts if n)


def slow_gain(values, classes):
    """Gain and ratio of one branch per value, missing (None) being a value: the rule from its definition."""
    rows = list(zip(values, classes, strict=True))

    def inside(rows):
        return bits([sum(c == k for _, c in rows) for k in set(classes)])

    branches = [[r for r in rows if r[0] == v] for v in set(values)]
    gain = inside(rows) - sum(len(b) * inside(b) for b in branches) / len(rows)
    own = bits([len(b) for b in branches])
    return gain, gain / own if own else 0.0


def counted(values, classes, order):
    table = np.zeros((len(order) + 1, max(classes) + 1), np.int64)
    for v, c in zip(values, classes, strict=True):
        table[len(order) if v is None else order.index(v), c] += 1
    return table[:-1], table[-1]


rows = st.lists(st.tuples(st.sampled_from([None, 0, 1, 2, 3, 5]), st.integers(0, 2)), min_size=1, max_size=40)


@pytest.mark.slow
@given(rows)
def test_gain_of_levels_is_that_of_the_definition(data):
    values, classes = zip(*data, strict=True)
    found = by_levels(*counted(values, classes, [0, 1, 2, 3, 5]))
    assert (found.gain, found.ratio) == pytest.approx(slow_gain(values, classes), abs=1e-12)


@pytest.mark.slow
@given(rows)
def test_best_cut_is_the_lowest_of_the_best(data):
    values, classes = zip(*data, strict=True)
    order = sorted({v for v in values if v is not None})
    gains = [slow_gain([None if v is None else v >= b for v in values], classes) for _, b in pairwise(order)]
    if not gains:
        return
    counts, missing = counted(values, classes, order)
    gain, ratio, _, above = (float(v[0]) for v in gains_by_cut(Stack.of([np.vstack([counts, missing])])))
    at = int(above) - 1
    assert (gain, ratio) == pytest.approx(gains[at], abs=1e-12)
    assert gain == pytest.approx(max(g for g, _ in gains), abs=1e-12)
    costs = [_whole_cost(values, classes, b) for _, b in pairwise(order)]
    assert at == costs.index(min(costs))  # of equal splits the first


def _whole_cost(values, classes, cut):
    """What a split costs in the whole numbers that trees are grown by."""
    cost = 0
    for high in (False, True):
        side = [c for v, c in zip(values, classes, strict=True) if v is not None and (v >= cut) == high]
        parts = np.array([len(side), *(side.count(c) for c in set(side))], np.int64)
        whole = kernels.n_log2_n(parts, len(values))
        cost += int(whole[0] - whole[1:].sum())
    return cost


# 7 log2(7) - 6 log2(3) + 8 bits inside the branches, cut at 0.75 or at 1.5
TWO_CUTS_OF_ONE_GAIN = [(0.5, (0, 3, 4)), (1.0, (1, 3, 3)), (2.0, (0, 0, 1))]


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(st.sampled_from([0.5, 1.0, 2.0, 3.5, 5.0, 7.0, 8.25]), st.integers(0, 2)),
        min_size=2,
        max_size=60,
    )
)
@example(data=[(x, c) for x, counts in TWO_CUTS_OF_ONE_GAIN for c in range(3) for _ in range(counts[c])])
def test_the_best_cut_is_the_one_that_a_tree_takes(data):
    values, classes = zip(*data, strict=True)
    if len(set(values)) < 2 or len(set(classes)) < 2:
        return
    rows = {"x": [*values], "y": [f"c{c}" for c in classes]}
    found = ts.describe(rows, "y", columns=ts.Columns(keep=["x"], kinds={"x": "numeric"}))["x"]
    tree = ts.DecisionTree(criterion="entropy", max_depth=1, average=False, kinds={"x": "numeric"})
    (split,) = tree.fit(rows, "y").splits(0).to_dict()["candidates"]
    assert split["branches"][0]["test"] == f"x < {found.cut:g}"
    assert split["gain"] == pytest.approx(found.gain, abs=1e-5)


@pytest.mark.slow
@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_a_cut_parts_two_neighbouring_values(a, b):
    low, high = sorted((a, b))
    if low < high:
        assert low < midpoint(low, high) <= high


def test_midpoint_is_exact_and_does_not_overflow():
    assert midpoint(48, 60) == 54
    assert midpoint(1e308, 1.5e308) == 1.25e308
    assert midpoint(5e-324, 1e-323) == 1e-323


def test_entropy_of_equal_and_halved_shares():
    assert entropy(np.array([4, 2, 1, 1])) == 1.75
    assert entropy(np.array([3, 3, 3, 3])) == pytest.approx(2, abs=1e-15)
    assert entropy(np.array([5, 0])) == 0


def test_columns_in_one_stack_gain_what_each_gains_alone():
    tables = [np.array(t) for t in ([[3, 0], [0, 3], [1, 1]], [[2, 2], [2, 2], [0, 0]], [[4, 0], [0, 0]])]
    gains, ratios, left = gains_by_levels(Stack.of(tables))
    for j, own in enumerate(tables):
        alone = by_levels(own[:-1], own[-1])
        assert (gains[j], ratios[j], left[j]) == (alone.gain, alone.ratio, alone.left)
    assert gains[1] == 0.0


def test_a_word_that_parts_the_classes_gains_all_and_ties_go_to_the_first():
    found = by_word(np.array([[2, 2], [4, 0], [0, 4]]), np.array([4, 4]))
    assert (found.gain, found.at) == (1.0, 1)
    assert found.left == pytest.approx(1 - math.log2(3) / 8)
    assert by_word(np.zeros((0, 2), np.int64), np.array([4, 4])) is None


def test_large_counts_are_worked_out_as_small_ones_are():
    assert n_log2_n(np.array([0, 1, 8])).tolist() == [0.0, 0.0, 24.0]
    assert n_log2_n(np.array([0, 1 << 20])).tolist() == [0.0, 20.0 * (1 << 20)]


def test_sums_by_place_have_a_line_for_places_without_rows():
    found = summed(np.array([2, 0, 2]), np.array([[1, 0], [5, 1], [2, 2]]), 4)
    assert found.tolist() == [[5, 1], [0, 0], [3, 2], [0, 0]]
