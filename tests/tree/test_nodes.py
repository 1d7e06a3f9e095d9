"""The shape of a tree in flat arrays, and what is left when it is cut back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference_tree import shape
from trees import one_test, random_nodes

from tallystick.tree.nodes import STAYS
from tallystick.tree.nodes import _shape as nodes_shape


@st.composite
def preorders(draw):
    """The number of branches of each node, depth first."""
    out, waiting = [], 1
    while waiting:
        branches = draw(st.sampled_from([0, 0, 2, 2, 3, 5])) if len(out) + waiting < 60 else 0
        out.append(branches)
        waiting += branches - 1
    return out


@pytest.mark.slow
@given(preorders())
def test_the_shape_of_a_preorder_is_what_a_stack_reads(branches):
    parent, children = shape(branches)
    first, child, above = nodes_shape(np.array(branches, np.int32))
    assert above.tolist() == parent
    assert child.tolist() == children
    assert [c for n, k in enumerate(branches) for c in child[first[n] : first[n] + k].tolist()] == children


@pytest.mark.parametrize("branches", [[0, 0], [2, 0], [2, 0, 0, 0], [3, 0, 0]])
def test_what_is_not_one_tree_is_refused(branches):
    with pytest.raises(ValueError, match=r"no parent|lead nowhere"):
        nodes_shape(np.array(branches, np.int32))


def test_a_tree_that_is_cut_back_keeps_its_counts_and_loses_the_tests_below():
    nodes = random_nodes(next(s for s in range(99) if len(random_nodes(s)) > 8))
    stop = np.zeros(len(nodes), bool)
    inner = int(np.flatnonzero(nodes.column[1:] >= 0)[0]) + 1
    stop[inner] = True
    short, kept = nodes.cut_back(stop)
    assert len(short) == len(nodes) - (nodes.end[inner] - inner - 1)
    assert short.counts.tolist() == nodes.counts[kept].tolist()
    at = kept.tolist().index(inner)
    assert (short.column[at], short.n_children[at], short.missing_branch[at]) == (-1, 0, STAYS)
    only_root, numbers = nodes.cut_back(np.ones(len(nodes), bool))
    assert (len(only_root), numbers.tolist()) == (1, [0])


def test_depth_and_end_follow_from_the_branches():
    nodes = one_test(0)
    assert (nodes.depth.tolist(), nodes.end.tolist(), nodes.leaves) == ([0, 1, 1], [3, 2, 3], 2)
    assert nodes.branches(0).tolist() == [1, 2]
    assert nodes.weight.tolist() == [6, 3, 3]


@pytest.mark.parametrize("at_once", [1, 2, 5])
def test_depth_and_end_do_not_depend_on_how_many_nodes_are_looked_at_together(monkeypatch, at_once):
    many = [random_nodes(seed) for seed in range(30)]
    known = [(nodes.depth.tolist(), nodes.end.tolist()) for nodes in many]
    monkeypatch.setattr("tallystick.tree.nodes.AT_ONCE", at_once)
    again = [random_nodes(seed) for seed in range(30)]
    assert [(nodes.depth.tolist(), nodes.end.tolist()) for nodes in again] == known
    assert max(map(len, many)) > 5
