"""The density itself: it sums and integrates to one, over everything and in every leaf."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from density_tables import mixed, whole_likelihood

import tallystick as ts


def tails(tree):
    """The probability that some number lies beyond its pieces."""
    model = tree.model_
    inside = 0.0
    for i, log_leaf in enumerate(model.log_leaf):
        each = [
            model.leaf_shares[j][i, : own.k + (1 if own.numeric else 2)].sum()
            for j, own in enumerate(model.cells)
        ]
        inside += math.exp(log_leaf) * math.prod(each)
    return 1 - inside


@pytest.mark.parametrize(
    "columns", [["home", "size", "member"], ["age", "home"], ["income", "member", "home"], ["age"]]
)
def test_likelihoods_of_all_rows_sum_and_integrate_to_one(columns):
    tree = ts.DensityTree(
        pieces=6, columns=ts.Columns(levels={"size": ["S", "M", "L"]} if "size" in columns else {})
    )
    tree.fit(mixed()[columns])
    assert whole_likelihood(tree) + tails(tree) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.slow
def test_a_tree_of_many_leaves_sums_to_one_with_weights_and_missing_values():
    frame = mixed(300, 5)[["home", "member", "age"]]
    tree = ts.DensityTree(pruning=None, min_samples_leaf=3, pieces=5)
    tree.fit(frame, sample_weight=np.linspace(0.1, 3, len(frame)))
    assert len(tree.leaves_) >= 8
    assert whole_likelihood(tree) + tails(tree) == pytest.approx(1.0, abs=1e-12)


def test_shares_of_a_leaf_sum_to_one_within_what_its_tests_let_through():
    tree = ts.DensityTree(pruning=None, min_samples_leaf=10).fit(mixed())
    model = tree.model_
    for j, own in enumerate(model.cells):
        for i in range(len(model.leaves)):
            shares, reach = model.leaf_shares[j][i], own.reached(model.reach[i][j])
            assert math.fsum(shares) == pytest.approx(1.0, abs=1e-13)
            assert (shares[~reach] == 0).all()
            assert (shares[reach & (own.even > 0)] > 0).all()


def test_whole_numbers_sum_to_one_as_well_as_they_integrate():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"n": rng.poisson(6, 300), "c": rng.choice(["u", "v"], 300)})
    tree = ts.DensityTree().fit(frame)
    model = tree.model_
    low, high = model.cells[0].edges[[0, -1]]
    every = np.arange(np.ceil(low), np.floor(high) + 1)
    new = pd.DataFrame({"n": np.repeat(every, 4), "c": ["u", "v", None, "w"] * len(every)})
    beyond = tails(tree) + sum(  # a missing number
        math.exp(log) * model.leaf_shares[0][i, model.cells[0].k] for i, log in enumerate(model.log_leaf)
    )
    assert np.exp(tree.score_samples(new)).sum() + beyond == pytest.approx(1.0, abs=1e-12)


def test_a_share_can_be_checked_by_hand():
    rows = [{"c": "a", "d": "u"}] * 6 + [{"c": "b", "d": "v"}] * 2
    tree = ts.DensityTree(alpha=2, max_leaf_nodes=1).fit(rows)
    # all rows: (6 + 2 · 1/4) / (8 + 2); in the one leaf: (6 + 2 · 0.65) / (8 + 2); never seen: 0 for 6
    shares = [(6 + 2 * (6 + 2 / 4) / 10) / 10, (2 + 2 * (2 + 2 / 4) / 10) / 10, 2 * (2 / 4 / 10) / 10]
    found = tree.score_samples([{"c": "a", "d": "u"}, {"c": "b", "d": "u"}, {"c": "a", "d": "w"}])
    wanted = [shares[0] ** 2, shares[0] * shares[1], shares[0] * shares[2]]
    np.testing.assert_allclose(np.exp(found), wanted, rtol=1e-14)


def test_numbers_far_beyond_are_unlikely_but_never_impossible():
    tree = ts.DensityTree().fit(mixed()[["income", "home"]])
    near, far, further = tree.score_samples([{"income": x, "home": "rents"} for x in (30.0, 1e6, 1e300)])
    assert near > far > further > -math.inf
