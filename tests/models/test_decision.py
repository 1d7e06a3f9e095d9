"""Which class is answered for some shares."""

from __future__ import annotations

import numpy as np

from tallystick.models.decision import cheapest, decide


def test_the_largest_share_is_answered_and_of_equals_the_first():
    assert decide(np.array([[0.5, 0.5], [0.4, 0.6]])).tolist() == [0, 1]
    assert decide(np.array([[0.2, 0.4, 0.4], [0.5, 0.1, 0.4]])).tolist() == [1, 0]


def test_costs_make_the_least_expected_cost_the_answer():
    costs = np.array([[0.0, 1.0], [10.0, 0.0]])  # to miss the second class is dear
    shares = np.array([[0.95, 0.05], [0.9, 0.1]])
    assert decide(shares, costs).tolist() == [0, 1]
    assert cheapest(np.array([[0.5, 0.5]]), np.ones((2, 2))).tolist() == [0]


def test_no_rows_have_no_answers_and_one_class_is_the_answer():
    assert decide(np.zeros((0, 2))).tolist() == []
    assert decide(np.ones((2, 1))).tolist() == [0, 0]
