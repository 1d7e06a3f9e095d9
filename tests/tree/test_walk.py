"""Rows down the tree: as blocks and one by one, in parts, and where a cut lies."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trees import SCHEMA, Rows, one_test, random_rows, random_tree

from tallystick.tree.model import Tree
from tallystick.tree.nodes import SPREADS, STAYS, ways

seeds = st.integers(0, 10_000)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(seeds)
def test_walking_a_block_and_walking_one_row_agree(seed):
    tree, block = random_tree(seed), random_rows(seed, 60)
    stops = tree.stops(block)
    names = [c.name for c in SCHEMA.columns]
    for row in range(block.rows):
        (way,) = ways(tree.nodes, lambda j, row=row: block.columns[names[j]][row])
        assert way.part == 1
        assert way.steps[-1][0] == stops[row]
    parts = [Rows({k: v[a:b] for k, v in block.columns.items()}, b - a) for a, b in ((0, 7), (7, 60))]
    assert np.array_equal(np.concatenate([tree.shares(p) for p in parts]), tree.shares(block))


def test_a_cut_itself_goes_right_and_a_missing_value_goes_where_the_tree_says():
    nodes = one_test(missing=0)
    tree = Tree(SCHEMA, nodes)
    x = np.array([4.9, 5.0, 5.1, np.nan])
    assert tree.stops(Rows({"x": x}, 4)).tolist() == [1, 2, 2, 1]
    stays = Tree(SCHEMA, one_test(missing=STAYS))
    assert stays.stops(Rows({"x": x}, 4)).tolist() == [1, 2, 2, 0]


def test_spread_rows_are_answered_by_all_branches_in_proportion():
    tree = Tree(SCHEMA, one_test(missing=SPREADS))
    shares = tree.shares(Rows({"x": np.array([np.nan, 1.0])}, 2))
    np.testing.assert_allclose(shares[0], tree.rows[0] / tree.rows[0].sum(), atol=1e-15)
    np.testing.assert_allclose(shares[1], [1, 0, 0])
