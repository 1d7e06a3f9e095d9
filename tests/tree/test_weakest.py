"""Cost-complexity pruning: every step of the path is the smallest best pruning for its price."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trees import REGRESSION, prunings, random_nodes, random_rows, random_tree

import tallystick as ts
from tallystick.tree.model import Tree
from tallystick.tree.prune import Held, ends, judge, node_errors, weakest_links

seeds = st.integers(0, 10_000)


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(seeds, st.booleans())
def test_every_step_of_the_path_is_the_smallest_best_pruning_for_its_price(seed, regression):
    if regression:
        tree = Tree(REGRESSION, deviance_that_falls(random_nodes(seed, 5, regression=True)))
    else:
        tree = random_tree(seed, most=5)
    path, error = weakest_links(tree), node_errors(tree) / tree.rows[0].sum()
    options = [
        np.flatnonzero([p.get(n, False) for n in range(len(tree.nodes))]) for p in prunings(tree.nodes)
    ]
    for step, alpha in enumerate(path.alpha):
        costs = [error[leaves].sum() + alpha * len(leaves) for leaves in options]
        least = min(costs)
        smallest = min(len(leaves) for leaves, c in zip(options, costs, strict=True) if c <= least + 1e-12)
        found = np.flatnonzero(tree.cut_back(path.stop(alpha)).nodes.leaf)
        assert len(found) == smallest == path.leaves[step]
        assert math.isclose(path.error[step] + alpha * smallest, least, abs_tol=1e-12)
    assert (np.diff(path.leaves) > 0).all()
    assert (np.diff(path.alpha) < 0).all()
    assert path.leaves[0] == 1


def deviance_that_falls(nodes):
    """Deviances as a table gives them: the branches of a node have no more than the node."""
    deviance = np.random.default_rng(len(nodes)).random(len(nodes))
    for node in range(len(nodes) - 1, 0, -1):
        if nodes.n_children[node] == 0 or nodes.parent[node] >= 0:
            deviance[nodes.parent[node]] += deviance[node]
    object.__setattr__(nodes, "deviance", deviance)
    return nodes


def test_cross_validation_picks_the_minimum_and_the_smallest_within_one_standard_error():
    tree, block = next(
        (t, random_rows(s, 80))
        for s in range(100)
        if len(weakest_links(t := random_tree(s, most=8)).alpha) > 3
    )
    held = Held(tree, tree.stops(block), block.classes.astype(np.int64), np.ones(80))
    judged = judge(weakest_links(tree), [held, held])
    labels = tree.decide(tree.rows)
    at = ends(tree, weakest_links(tree).stop(np.inf))[held.stops]
    wrong = labels[at] != block.classes
    assert math.isclose(judged.cv_error[0], wrong.mean())
    assert math.isclose(judged.cv_se[0], wrong.std() / math.sqrt(160))
    assert judged.cv_error[judged.minimum] == judged.cv_error.min()
    assert judged.one_se <= judged.minimum


@settings(max_examples=20, deadline=None)
@given(seeds)
def test_entries_that_have_changed_since_may_be_left_out_at_any_moment(seed):
    tree = random_tree(seed, most=40)
    path = weakest_links(tree)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tallystick.tree.prune.STALE", 0)
        again = weakest_links(tree)
    assert again.alpha.tolist() == path.alpha.tolist()
    assert again.leaves.tolist() == path.leaves.tolist()


def test_the_spread_of_large_squares_is_a_number_and_moves_with_the_unit():
    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=60), rng.normal(size=60)

    def path(unit):
        rows = {"x": x.tolist()}, ((2 * x + noise) * unit).tolist()
        train, rest = (({"x": rows[0]["x"][part]}, rows[1][part]) for part in (slice(40), slice(40, 60)))
        tree = ts.RegressionTree().fit(*train)
        assert np.isfinite(tree.pruning_path(folds=3).cv_se).all()
        return tree.pruning_path(held_out=rest)

    one, large = path(1.0), path(2.0**330)  # its square is about 1e199, and the square of that no double
    assert large.leaves.tolist() == one.leaves.tolist()
    assert (large.cv_se / 2.0**660).tolist() == pytest.approx(one.cv_se.tolist())
    assert (large.minimum, large.one_se) == (one.minimum, one.one_se)
