"""The average over all prunings, beside the sum over every one of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trees import prunings, random_tree

from tallystick.tree import model as average
from tallystick.tree.model import Tree, log_gamma
from tallystick.tree.nodes import prior_of_tests

seeds = st.integers(0, 10_000)


def by_enumeration(tree: Tree) -> tuple[np.ndarray, float]:
    """Sum over all prunings of probability times shares, with math.lgamma; and the probability of the
    best.
    """
    a, base, counts, nodes = tree.answers.smoothing, tree.base, tree.rows, tree.nodes
    keep = np.full(len(nodes), tree.answers.keep or 0.5)
    if tree.answers.keep is None:
        keep = prior_of_tests(tree.schema, nodes, counts.sum(axis=1))
    own = (counts + a * base) / (counts.sum(axis=1, keepdims=True) + a)
    logs, answers = [], []
    for pruning in prunings(nodes):
        log, answer = 0.0, np.zeros_like(own)
        for node, ends in pruning.items():
            if nodes.column[node] >= 0:
                log += math.log(1 - keep[node]) if ends else math.log(keep[node])
            if ends:
                log += math.lgamma(a) - math.lgamma(a + counts[node].sum())
                log += sum(
                    math.lgamma(n + a * b) - math.lgamma(a * b)
                    for n, b in zip(counts[node], base, strict=True)
                )
                answer[node : nodes.end[node]] = own[node]
            else:
                answer[node] = own[node]  # of a row that stays here
        logs.append(log)
        answers.append(answer)
    weights = np.exp(np.array(logs) - max(logs))
    weights /= math.fsum(weights)
    total = np.array(
        [
            [math.fsum(w * x for w, x in zip(weights, column, strict=True)) for column in row]
            for row in np.array(answers).transpose(1, 2, 0)
        ]
    )
    return total, weights.max()


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(seeds, st.sampled_from([0.5, 1.0, 2.0, 5.0]), st.sampled_from([None, 0.1, 0.5, 0.9]))
def test_average_is_the_sum_over_every_pruning(seed, smoothing, keep):
    tree = random_tree(seed, most=6, average=True, smoothing=smoothing, keep=keep)
    expected, best = by_enumeration(tree)
    np.testing.assert_allclose(tree.node_shares, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(tree.node_shares.sum(axis=1), 1, atol=1e-12)
    assert math.isclose(math.exp(tree.averaged.log_best), best, rel_tol=1e-9)


def test_the_most_probable_pruning_is_the_one_shown():
    tree = next(
        t for s in range(100) if len((t := random_tree(s, most=6, average=True, smoothing=2.0)).nodes) > 8
    )
    shown = tree.shown
    assert shown.averaged is None
    assert len(shown.nodes) <= len(tree.nodes)
    assert (shown.nodes.counts[0] == tree.nodes.counts[0]).all()
    assert "averaged over all prunings" in str(tree)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(st.floats(1e-8, 1e9))
def test_log_gamma_is_right(x):
    assert math.isclose(log_gamma(np.array([x]))[0], math.lgamma(x), rel_tol=2e-14, abs_tol=2e-14)


def test_log_gamma_of_many_is_that_of_each(monkeypatch):
    x = np.random.default_rng(0).random(100) * 40 + 0.01
    whole, sizes, few = log_gamma(x), [], average._log_gamma
    monkeypatch.setattr(average, "AT_ONCE", 7)
    monkeypatch.setattr(average, "_log_gamma", lambda some: sizes.append(len(some)) or few(some))
    assert log_gamma(x).tobytes() == whole.tobytes()
    assert (max(sizes), sum(sizes)) == (7, 100)  # a dozen arrays of few numbers
