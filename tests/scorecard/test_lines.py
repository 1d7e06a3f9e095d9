"""Which lines a card begins with, and fewer of them."""

from __future__ import annotations

import numpy as np
import pytest

from tallystick.scorecard.lines import fewer_lines, gathered, separation, with_room
from tallystick.scorecard.model import LevelAxis, RangeAxis


def test_rare_levels_share_the_last_line():
    axis = LevelAxis("town", tuple(range(300)))
    counts = np.zeros((302, 2), np.int64)
    counts[:300, 0] = np.arange(300, 0, -1)  # the first have most rows
    shorter = gathered(axis, counts)
    assert shorter.known == 256
    assert shorter.line[:255] == tuple(range(255))
    assert set(shorter.line[255:]) == {255}
    few = LevelAxis("town", (0, 1))
    assert gathered(few, counts) is few


def test_lines_on_which_every_class_has_its_share_tell_nothing():
    even = np.array([[30, 10], [60, 20]])
    assert separation(even) == pytest.approx(-2.0)
    assert separation(np.array([[40, 0], [0, 40]])) == pytest.approx(80.0 - 2.0)


def test_the_columns_that_tell_most_have_room_first():
    axes = [RangeAxis(name, (1.0,)) for name in "abc"]
    tables = {
        axes[0]: np.array([[20, 20], [20, 20], [0, 0]]),
        axes[1]: np.array([[40, 0], [0, 40], [0, 0]]),
        axes[2]: np.array([[30, 10], [10, 30], [0, 0]]),
    }
    kept, crowded = with_room(axes, tables, 6)
    assert [a.name for a in kept] == ["b", "c"]
    assert crowded == ("a",)
    assert with_room(axes, tables, 9) == (axes, ())


def test_neighbouring_ranges_with_the_nearest_points_are_joined_first():
    axis = RangeAxis("age", (1.0, 2.0, 3.0))
    f = np.array([[0.0], [0.1], [2.0], [2.05], [0.0]])
    bends = np.ones((5, 1))
    assert fewer_lines(axis, f, bends, 3).cuts == (1.0, 2.0)
    assert fewer_lines(axis, f, bends, 2).cuts == (2.0,)
    assert fewer_lines(axis, f, bends, 1).cuts == ()
    assert fewer_lines(axis, f, bends, 4) is axis


def test_levels_are_joined_in_the_order_of_their_points():
    axis = LevelAxis("town", (0, 1, 2))
    f = np.array([[1.0], [-1.0], [1.1], [0.0], [0.0]])
    shorter = fewer_lines(axis, f, np.ones((5, 1)), 2)
    assert shorter.line == (0, 1, 0)


def test_levels_in_an_order_are_joined_with_their_neighbours():
    axis = LevelAxis("grade", (0, 1, 2))
    f = np.array([[1.0], [-1.0], [1.1], [0.0], [0.0]])
    assert fewer_lines(axis, f, np.ones((5, 1)), 2, ordered=True).line == (0, 0, 1)
    many = LevelAxis("grade", tuple(range(300)))
    line = gathered(many, np.ones((302, 2), np.int64), ordered=True).line
    assert (np.diff(line) >= 0).all()
    assert max(line) == 255
