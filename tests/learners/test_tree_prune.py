"""Pruning: each rule against its definition, by trying every pruning of small trees."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trees import REGRESSION, SCHEMA, prunings, random_nodes, random_rows, random_tree, refilled

from tallystick.learners.prune import (
    Bound,
    normal_quantile,
    pessimistic,
    reduced_error,
    shortest,
    weakest_links,
)
from tallystick.learners.prune.weakest import Held, ends, judge, node_errors
from tallystick.models.tree import Tree

pytestmark = pytest.mark.slow

seeds = st.integers(0, 10_000)


def stops_of(tree: Tree, pruning: dict[int, bool]) -> np.ndarray:
    return np.array([pruning.get(node, True) for node in range(len(tree.nodes))])


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


@settings(max_examples=80, deadline=None)
@given(seeds)
def test_reduced_error_is_the_smallest_pruning_with_the_fewest_errors(seed):
    tree, block = random_tree(seed, most=5), random_rows(seed, 40)
    stops, truth, weights = tree.stops(block), block.classes.astype(float), np.ones(40)
    labels = tree.decide(tree.rows)
    results = []
    for pruning in prunings(tree.nodes):
        at = ends(tree, stops_of(tree, pruning))[stops]
        results.append((int((labels[at] != block.classes).sum()), sum(pruning.values())))
    pruned = reduced_error(tree, stops, truth, weights)
    wrong = int((pruned.decide(pruned.rows)[pruned.stops(block)] != block.classes).sum())
    assert wrong == min(results)[0]
    assert pruned.nodes.leaves <= min(results)[1]


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_mdl_is_the_pruning_of_least_length(seed):
    tree = random_tree(seed, most=5)

    def length(pruning):
        bits = 0.0
        for node, is_end in pruning.items():
            bits += 1
            counts = tree.rows[node]
            if is_end:
                n, k = counts.sum(), len(counts)
                bits -= (math.lgamma(k / 2) - math.lgamma(n + k / 2)) / math.log(2)
                bits -= sum(math.lgamma(c + 0.5) - math.lgamma(0.5) for c in counts) / math.log(2)
            else:
                column = SCHEMA.used[tree.nodes.column[node]]
                bits += 2  # log2 of four columns
                if column.kind == "numeric":
                    bits += math.log2(max(counts.sum() - 1, 1))
                elif tree.nodes.n_children[node] == 2 and len(column.levels) > 2:
                    bits += len(column.levels) - 1
        return bits

    lengths = {tuple(sorted(p.items())): length(p) for p in prunings(tree.nodes)}
    pruned = shortest(tree)
    nodes, kept = tree.nodes.cut_back(np.zeros(len(tree.nodes), bool))
    assert len(kept) == len(nodes) == len(tree.nodes)
    found = min(lengths.values())
    best = [p for p, bits in lengths.items() if bits <= found + 1e-9]
    assert any(sum(end for _, end in p) == pruned.nodes.leaves for p in best)


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


@settings(max_examples=300, deadline=None)
@given(st.floats(1e-300, 1 - 1e-16))
def test_the_normal_quantile_is_right(p):
    from scipy.stats import norm

    assert math.isclose(normal_quantile(p), norm.ppf(p), rel_tol=1e-13, abs_tol=1e-15)


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
