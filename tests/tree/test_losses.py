"""Losses as whole numbers: exact where they can be, and never beyond 62 bits."""

from __future__ import annotations

import numpy as np
import pytest

from tallystick.errors import OptionError
from tallystick.kernels.trees import MOST_KEY
from tallystick.tree.model import ClassWeights
from tallystick.tree.optimal import Losses, price_table

CLASSES = np.array([0, 1, 1])
PLAIN = 1.0 - np.eye(2)


def of(costs=PLAIN, weights=(1, 1, 1), price=0.0, leaves=4, unit=1, classes=CLASSES):
    return Losses.of(classes, np.array(weights, np.int64), np.array(costs), price, leaves, unit)


@pytest.mark.parametrize("price", [0.0, 0.5, 0.1, 2.0, 1 / 3])
def test_a_key_tells_errors_and_the_price_of_leaves(price):
    made = of(price=price)
    for errors in range(3):
        for leaves in range(1, 5):
            key = errors * made.worth + leaves * made.leaf
            assert made.loss_of(key) == pytest.approx(errors + leaves * price, abs=1e-6)


def test_of_equal_costs_fewer_leaves_have_the_smaller_key():
    made = of(price=1.0)
    two_errors_three_leaves, three_errors_two_leaves = (
        errors * made.worth + leaves * made.leaf for errors, leaves in ((2, 3), (3, 2))
    )
    assert three_errors_two_leaves < two_errors_three_leaves


def test_common_factors_leave_small_numbers():
    made = of(weights=(2**32, 3 * 2**32, 2**32), unit=2**32)
    assert made.loss.tolist() == [[0, 1], [3, 0], [1, 0]]
    assert made.loss_of(3 * made.worth + made.leaf) == 3.0


def test_heavy_rows_are_rounded_up_in_a_coarser_unit():
    made = of(weights=(2**61, 2**60 + 1, 1), leaves=8)
    assert made.loss.max() * made.worth * 2 + 8 * made.leaf <= MOST_KEY
    assert made.loss[2, 0] == 1
    assert made.loss_of(int(made.loss[0, 1]) * made.worth) == pytest.approx(2.0**61)


@pytest.mark.parametrize("costs", [PLAIN, PLAIN * [[0.1234567], [1.7654321]], PLAIN * [[1e-9], [1 / 3]]])
@pytest.mark.parametrize("weights", [(1, 2, 3), (2**32, 2**40 + 1, 3), (2**61, 2**60 + 1, 1)])
@pytest.mark.parametrize("price", [0.0, 0.3, 1 / 3, 1e4 / 7])
@pytest.mark.parametrize("leaves", [1, 8, 2**16])
def test_keys_of_any_costs_and_prices_stay_below_62_bits(costs, weights, price, leaves):
    made = of(costs, weights, price, leaves, unit=weights[0])
    highest = int(made.loss.max(axis=1).sum()) * made.worth + leaves * made.leaf
    assert 0 <= highest <= MOST_KEY
    lost = sum(w * costs[c].max() / weights[0] for w, c in zip(weights, CLASSES, strict=True))
    assert made.loss_of(highest) == pytest.approx(lost + price * leaves, rel=1e-4)


@pytest.mark.parametrize(
    ("costs", "weights", "price"),
    [
        (PLAIN * [[1e-5 / 3], [1e300]], (1, 1, 1), 0.0),
        (PLAIN, (2**61, 2**60 + 1, 1), 1e-7),
        (PLAIN * [[1], [1 / 3]], (1, 1, 1), 1e100),
        (PLAIN * [[1], [1 / 3]], (1, 1, 1), 1e-100),
    ],
)
def test_costs_and_prices_that_would_lose_their_digits_are_refused(costs, weights, price):
    with pytest.raises(OptionError, match="too far apart for a proof: an error costs from"):
        of(costs, weights, price)


def test_forms_follow_from_the_costs():
    three = 1.0 - np.eye(3)
    assert of().form == "two"
    assert of(three, classes=np.array([0, 1, 2])).form == "classes"
    assert of(three * [[1], [2], [5]], classes=np.array([0, 1, 2])).form == "classes"
    assert of(three + np.eye(3)[[1, 2, 0]], classes=np.array([0, 1, 2])).form == "any"
    assert of(np.zeros((1, 1)), classes=np.zeros(3, int)).form == "any"


def test_balanced_weights_have_mean_one():
    table = price_table(ClassWeights((1.0, 1.0), True), (), np.array([30, 10]))
    assert table[0, 1] * 30 == pytest.approx(20)
    assert table[1, 0] * 10 == pytest.approx(20)
