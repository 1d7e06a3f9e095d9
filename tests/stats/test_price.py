"""What it costs to say which split was chosen."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
import reference_tree

from tallystick.stats.binning import after_price, coverage, cut_bits, group_bits, level_bits


@pytest.mark.parametrize(("values", "classes"), list(product((2, 5, 1000), (2, 3))))
def test_more_choices_cost_more(values, classes):
    assert cut_bits(values) <= cut_bits(values + 1)
    assert cut_bits(values, 2) == 2 * cut_bits(values)
    assert level_bits(values, classes) == pytest.approx((values - 1) * np.log2(classes))


@pytest.mark.parametrize(("k", "j"), [(3, 1), (4, 2), (12, 5), (305, 100), (500, 250)])
def test_the_bits_that_name_a_group(k, j):
    bits = group_bits(k, j)
    assert bits == pytest.approx(math.log2((k - 1) * math.comb(k, j) / 2))
    assert bits == pytest.approx(reference_tree.group_bits(k, j))


@pytest.mark.parametrize("k", range(3, 12))
def test_all_groupings_together_have_the_probability_one(k):
    both = sum(math.comb(k, j) * 2.0 ** -group_bits(k, j) for j in range(1, k))  # each grouping twice
    assert both / 2 == pytest.approx(1)


def test_two_levels_are_free_and_levels_of_one_row_count_for_nothing():
    assert group_bits(2, 1) == group_bits(1, 1) == 0
    assert coverage(np.array([1, 1])) == 1
    assert coverage(np.array([1, 1, 6])) == 0.75
    assert after_price(0.9, np.ones(50, np.int64)) == 0
    assert after_price(0.9, np.array([25, 25])) == 0.9
