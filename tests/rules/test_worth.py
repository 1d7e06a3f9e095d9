"""What a rule is worth: evidence of the rows it takes and leaves, less the price of its conditions."""

import numpy as np
import pytest

from tallystick.rules.learner import RuleScore
from tallystick.tree.model import log_evidence


def telling(**changed):
    given = {"factors": np.ones(3), "totals": np.array([20, 10, 10]), "imagined": 2.0} | changed
    return RuleScore(**given)


def test_telling_rows_apart_gains_and_a_mixture_does_not():
    left = np.array([20, 10, 10])
    apart, mixed = telling().gains(np.array([[20, 0, 0], [10, 5, 5]]), left)
    assert apart > 10
    assert mixed < 0


def test_the_gain_is_that_of_the_evidence():
    left, own = np.array([20, 10, 10]), np.array([12, 1, 0])
    base = np.array([20.5, 10.5, 10.5]) / 41.5
    each = [log_evidence(np.array([c], float), 2.0, base)[0] for c in (own, left - own, left)]
    assert telling().gains(own[None], left)[0] == pytest.approx(each[0] + each[1] - each[2], abs=1e-12)


def test_one_class_is_told_from_all_others():
    one = telling(one=1)
    assert one.rows(np.array([[3, 4, 5]])).tolist() == [[8.0, 4.0]]
    same = one.gains(np.array([[0, 10, 0]]), np.array([20, 10, 10]))[0]
    assert same > telling(one=1).gains(np.array([[20, 0, 0]]), np.array([20, 10, 10]))[0]


def test_a_condition_costs_a_quarter_of_a_nat_a_bit():
    assert telling().costs(np.array([2.0]))[0] == 0.5


def test_without_imagined_rows_shares_are_plain_and_conditions_are_free():
    exact = telling(imagined=0.0)
    assert exact.costs(np.array([2.0]))[0] == 0
    assert exact.evidence(np.array([[4, 0, 0], [2, 2, 0]])) == pytest.approx([0, 4 * np.log(0.5)])
