"""Pessimistic pruning: its bound is that of C4.5, and counts add up after it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trees import SCHEMA, random_rows, random_tree, refilled

from tallystick.tree.model import Tree
from tallystick.tree.prune import Bound, normal_quantile, pessimistic

seeds = st.integers(0, 10_000)


@pytest.mark.parametrize(("cases", "rate"), [(4, 0.293), (3, 0.370), (2, 0.500)])
def test_the_bound_on_no_errors_is_c45s(cases, rate):
    bound = Bound(0.25).upper(np.array([0.0]), np.array([float(cases)]))[0] / cases
    assert abs(bound - rate) < 5e-4
    assert math.isclose(bound, 1 - 0.25 ** (1 / cases), rel_tol=1e-14)


def test_the_bound_rises_with_errors_and_falls_with_confidence():
    cases = np.full(12, 12.0)
    errors = np.arange(12.0)
    low, high = Bound(0.25).upper(errors, cases), Bound(0.05).upper(errors, cases)
    assert (np.diff(low) > 0).all()
    assert (high[:-1] > low[:-1]).all()
    assert (low <= 12.001).all()
    half = Bound(0.25).upper(np.array([0.5]), np.array([12.0]))[0]
    assert low[0] < half < low[1]


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.floats(1e-300, 1 - 1e-16))
def test_the_normal_quantile_is_right(p):
    from scipy.stats import norm

    assert math.isclose(normal_quantile(p), norm.ppf(p), rel_tol=1e-13, abs_tol=1e-15)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(seeds)
def test_pessimistic_pruning_with_rows_keeps_counts_that_add_up(seed):
    grown, block = random_tree(seed, most=6), random_rows(seed, 60)
    nodes = refilled(grown, block)
    tree = Tree(SCHEMA, nodes)
    for raising in (False, True):
        pruned = pessimistic(tree, 0.25, block, raising=raising)
        Tree.from_dict(pruned.to_dict(), SCHEMA, 1, pruned.answers)  # the reader checks all sums
        assert len(pruned.nodes) <= len(tree.nodes)
        assert (pruned.nodes.counts[0] == nodes.counts[0]).all()
