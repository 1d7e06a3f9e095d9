"""Pairs of columns: which lines they have, and what they promise."""

from __future__ import annotations

import numpy as np
import pandas as pd

import tallystick as ts
from tallystick.learners.scorecard.pairs import COARSE, coarsened, promise
from tallystick.learners.scorecard.priors import pair_piece
from tallystick.models.scorecard.axes import LevelAxis, PairAxis, RangeAxis


def test_ranges_of_a_pair_have_equal_shares_of_curvature():
    axis = RangeAxis("x", tuple(float(i) for i in range(1, 16)))
    bends = np.append(np.ones(16), 0.0)
    coarse, line = coarsened(axis, bends, np.ones(17))
    assert coarse.known == COARSE
    assert line.tolist() == [i // 2 for i in range(16)] + [COARSE]
    assert coarse.cuts == tuple(float(i) for i in range(2, 16, 2))


def test_levels_with_little_to_tell_stand_together():
    axis = LevelAxis("town", tuple(range(10)))
    bends = np.array([5.0, 9, 1, 8, 7, 6, 4, 3, 2, 0.5, 0, 0])
    coarse, line = coarsened(axis, bends, np.ones(12))
    assert coarse.known == COARSE
    assert [i for i in range(10) if line[i] == COARSE - 1] == [2, 8, 9]


def test_a_pair_promises_what_neither_column_says_and_nothing_where_nothing_is_left():
    axis = PairAxis(LevelAxis("a", (0, 1)), LevelAxis("b", (0, 1)))
    rows = np.array([50.0, 50.0, 0.0, 0.0])
    piece = pair_piece(axis, rows, rows)
    bends = np.zeros((1, 4, 4))
    bends[0, :2, :2] = 6.0
    crossed = np.zeros((1, 4, 4))
    crossed[0, :2, :2] = [[10.0, -10.0], [-10.0, 10.0]]
    gain, strength = promise(piece, crossed, bends, 1.0)
    assert gain > 10.0
    assert strength >= 1.0
    nothing, _ = promise(piece, np.zeros((1, 4, 4)), bends, 1.0)
    assert nothing < 0.0


def test_either_or_is_found_as_a_pair_and_not_looked_for_where_none_is_wished():
    rng = np.random.default_rng(3)
    data = pd.DataFrame({"a": rng.choice(["x", "y"], 400), "b": rng.choice(["x", "y"], 400)})
    data["y"] = np.where((data.a == data.b) ^ (rng.random(400) < 0.1), "same", "other")
    found = ts.Scorecard().fit(data, "y")
    assert "a × b" in [section.name for section in found.card_.sections]
    assert found.score(data) > 0.85
    alone = ts.Scorecard(pairs=0).fit(data, "y")
    assert [s.name for s in alone.card_.sections if " × " in s.name] == []
