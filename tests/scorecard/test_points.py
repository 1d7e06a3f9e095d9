"""From points in log-odds to whole points on a card."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tallystick.scorecard.model import RangeAxis
from tallystick.scorecard.pairs import Smooth, joined, ranges_of, unrounded
from tallystick.scorecard.quadratic import CardPiece
from tallystick.scorecard.rounds import State

AXIS = RangeAxis("age", (25.0, 40.0, 60.0))


def state(f, constant):
    f = np.array(f, float)
    piece = CardPiece("age", (AXIS,), (np.eye(5),), ("level",))
    return State((piece,), (np.ones(1),), f, np.array(constant, float))


def test_twenty_points_double_the_odds_and_halves_go_to_the_even_number():
    smooth = Smooth(
        np.array([[math.log(2.0)], [-2 * math.log(2.0)], [0.5 * math.log(2.0) / 20]]), np.zeros(1)
    )
    points, base = smooth.rounded(20)
    assert points.ravel().tolist() == [20, -40, 0]
    assert base.tolist() == [0]
    back, constant = unrounded(points, base, 20)
    assert back[0, 0] == pytest.approx(math.log(2.0))
    assert constant.tolist() == [0.0]


def test_of_several_classes_only_differences_count():
    found = Smooth.of(state([[1.0, 2.0, 3.0]] * 5, [3.0, 0.0, 0.0]))
    assert found.f[0].tolist() == [-1.0, 0.0, 1.0]
    assert found.constant.tolist() == [2.0, -1.0, -1.0]


def test_ranges_that_hardly_differ_are_joined_and_others_are_not():
    given = state([[0.0], [1e-4], [1.0], [1.0], [0.3]], [0.0])
    found = joined(given, Smooth.of(given), np.full((5, 1), 50.0), np.full(5, 200.0))
    assert found.f[0, 0] == found.f[1, 0] == pytest.approx(5e-5)
    assert found.f[2, 0] == found.f[3, 0] == 1.0
    assert found.f[4, 0] == 0.3  # missing is by itself


def test_neighbours_with_the_same_points_are_one_line_with_the_rows_of_both():
    points = np.array([[5], [5], [-3], [7], [0]])
    rows = np.array([[1, 2], [3, 4], [5, 6], [7, 8], [9, 9]])
    found, made = ranges_of(AXIS, points, rows)
    assert found.axis.cuts == (40.0, 60.0)
    assert found.points.ravel().tolist() == [5, -3, 7, 0]
    assert found.rows.tolist() == [[4, 6], [5, 6], [7, 8], [9, 9]]
    assert made == [[0, 1], [2], [3], [4]]
