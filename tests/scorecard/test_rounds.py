"""Rounds of learning: where they begin, what they stand for, and that they end at an optimum."""

from __future__ import annotations

import math
import weakref

import numpy as np
import pandas as pd
import pytest

import tallystick as ts
from tallystick.engine import Local
from tallystick.linear.prepare import KnownRows
from tallystick.scorecard.model import LevelAxis, RangeAxis
from tallystick.scorecard.quadratic import CardPiece
from tallystick.scorecard.rounds import (
    MIN_STRENGTH,
    OneWay,
    Rounds,
    State,
    center_links,
    first_state,
    further,
)
from tallystick.stats.design_sums import Design, RowTotals


def known(classes):
    facts = RowTotals(np.array(classes, np.int64), np.ones(1, np.int64), [], [])
    return KnownRows(Design((), (), ()), facts, 1, np.ones(len(classes)))


def test_learning_begins_with_the_class_shares():
    piece = CardPiece("a", (LevelAxis("a", (0, 1)),), (np.eye(4),), ("level",))
    begun = first_state((piece,), known([30, 10]))
    assert begun.constant[0] == pytest.approx(math.log(10.5 / 30.5))
    assert not begun.f.any()
    three = first_state((piece,), known([10, 10, 10]))
    assert three.constant.tolist() == pytest.approx([0.0, 0.0, 0.0])


def test_with_many_classes_a_link_bends_more_and_counts_less():
    assert Rounds(known([1, 1])).bend == Rounds(known([1, 1])).share == 1.0
    four = Rounds(known([1, 1, 1, 1]))
    assert four.bend == pytest.approx(4 / 3)
    assert four.share == pytest.approx(3 / 4)


def test_a_state_knows_where_the_lines_of_each_piece_lie():
    first = CardPiece("a", (LevelAxis("a", (0, 1)),), (np.eye(4),), ("level",))
    second = CardPiece("x", (RangeAxis("x", (1.0, 2.0)),), (np.eye(4),), ("step",), monotone=-1)
    state = State((first, second), (np.ones(1), np.ones(1)), np.zeros((8, 1)), np.zeros(1))
    assert state.starts == (0, 4)
    assert state.part(1) == slice(4, 8)
    assert state.ways == (OneWay(slice(4, 7), -1),)
    assert state.layout.lines == 8


def test_strengths_that_go_one_way_go_on():
    """s -> sqrt(16 s) comes to 16 by halves in logarithms; two steps tell the rest of the way."""
    strengths, before = np.array([1.0]), np.zeros(1)
    for _ in range(2):
        strengths, before, _ = further(strengths, np.sqrt(16.0 * strengths), before)
    assert strengths[0] == pytest.approx(16.0)


def test_strengths_that_turn_back_are_not_carried_on_and_none_leaps():
    new, way, moved = further(
        np.array([1.0, 1.0, 1.0]), np.array([0.5, 1e9, MIN_STRENGTH / 2]), np.array([0.7, 0, 0])
    )
    assert new[0] == pytest.approx(0.5)
    assert 9.9 < new[1] < 10.0
    assert new[2] == pytest.approx(0.1, rel=0.01)
    assert way[0] == pytest.approx(math.log(0.5))
    assert moved == pytest.approx(new[1] / 1.05, rel=0.2)
    gone, _, _ = further(np.array([2 * MIN_STRENGTH, 0.0]), np.array([MIN_STRENGTH / 2, 0.0]), np.zeros(2))
    assert gone.tolist() == [0.0, 0.0]


def test_the_points_of_a_line_sum_to_nothing_over_the_classes():
    f = np.array([[1.0, 2.0, 6.0], [0.0, 0.0, 0.0]])
    assert center_links(f).tolist() == [[-2.0, -1.0, 3.0], [0.0, 0.0, 0.0]]
    assert center_links(f[:, :1]).tolist() == [[1.0], [0.0]]


@pytest.mark.slow
def test_the_points_of_one_column_of_levels_are_those_of_its_counts_drawn_to_the_mean():
    """With one column of two levels the optimum under a given strength can be found by hand, by bisection."""
    data = pd.DataFrame(
        {"a": ["x"] * 60 + ["y"] * 40, "t": ["p"] * 45 + ["q"] * 15 + ["p"] * 10 + ["q"] * 30}
    )
    model = ts.Scorecard(l2=1.0, points_to_double=1_000, pairs=0).fit(data, "t")
    (section,) = model.card_.sections
    points = {line.text: line.points[0] * math.log(2) / model.model_.step for line in section.lines}
    # the prior: f = (0.4, -0.6) u / sqrt(0.24) with u of variance 1, and a flat constant
    side = np.array([0.4, -0.6]) / math.sqrt(0.24)
    rows, hits = np.array([60.0, 40.0]), np.array([15.0, 30.0])

    def slope(u):
        low, high = -10.0, 10.0  # the constant for which shares sum to the hits
        for _ in range(200):
            middle = (low + high) / 2
            p = 1 / (1 + np.exp(-(middle + side * u)))
            low, high = (middle, high) if (rows * p).sum() < hits.sum() else (low, middle)
        return float((side * (hits - rows * p)).sum() - u)

    low, high = -5.0, 5.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    assert points["x"] == pytest.approx(side[0] * low, abs=0.003)
    assert points["y"] == pytest.approx(side[1] * low, abs=0.003)


def test_sums_are_let_go_before_the_next_are_asked_for():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(600, 3))
    y = (x[:, 0] * x[:, 1] + x[:, 2] > rng.normal(size=600)).astype(int)
    held, asked = [], []

    class Watched(Local):
        def total(self, table, question):
            asked.append([ref() for ref in held if ref() is not None])
            found = super().total(table, question)
            if isinstance(getattr(found, "squares", None), np.ndarray):
                held.append(weakref.ref(found.squares))
            return found

    method = ts.Scorecard()
    method._learn(method._read(x, y), Watched(1))
    assert len(held) > 5
    assert not any(asked)
