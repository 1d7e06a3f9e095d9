"""Small scorecards made by hand, so that every number is known."""

from __future__ import annotations

import numpy as np

from tallystick.schema import Column, Schema, Target
from tallystick.scorecard.model import (
    CardFit,
    LevelAxis,
    LinePoints,
    PairAxis,
    PairPoints,
    Part,
    RangeAxis,
    ScorecardModel,
    WordPoints,
)
from tallystick.scorecard.options import ScorecardOptions

OPTIONS = ScorecardOptions(20, 32, None, None, None, None, None, "auto", None, None, 1)
AGE = Column("age", "numeric", low=18.0, high=90.0, missing=3)
SEX = Column("sex", "levels", levels=("f", "m"))
NOTE = Column("note", "text", words=("bad", "good", "so"))


def whole(*numbers):
    return np.array(numbers, np.int64)


def model(columns, labels, base, parts: tuple[Part, ...], errors=(), left_out=()) -> ScorecardModel:
    """Return a card of 143 rows."""
    schema = Schema(tuple(columns), Target("y", labels))
    fit = CardFit(0.4, 0.4001, 0.69, 143.0, 5.0, -60.0, 6)
    return ScorecardModel(schema, OPTIONS, 20, np.array(base, np.int64), parts, fit, 1, errors, left_out)


def hand_made(pair: bool = True) -> ScorecardModel:
    """Two classes, a number with three ranges, two levels, and both at once."""
    age = LinePoints(
        RangeAxis("age", (30.0, 60.0)),
        whole([-20], [5], [30], [-4]),
        whole([40, 10], [40, 40], [2, 8], [2, 1]),
    )
    sex = LinePoints(
        LevelAxis("sex", (0, 1)), whole([10], [-10], [0], [0]), whole([32, 38], [52, 21], [0, 0], [0, 0])
    )
    axis = PairAxis(RangeAxis("age", (30.0,)), LevelAxis("sex", (0, 1)))
    points, rows = np.zeros((12, 1), np.int64), np.zeros((12, 2), np.int64)
    points[[0, 1, 5]] = [[7], [-7], [3]]
    rows[[0, 1, 5]] = [[20, 5], [20, 5], [44, 49]]
    both = PairPoints(axis, points, rows)
    errors = tuple(np.full(p.points.shape, 2.0) for p in (age, sex, both)[: 2 + pair])
    return model((AGE, SEX), ("no", "yes"), [-12], (age, sex, both)[: 2 + pair], errors)


def three_classes() -> ScorecardModel:
    """Three classes and two levels."""
    points = whole([1, 5, -6], [-1, -5, 6], [0, 0, 0], [0, 0, 0])
    rows = whole([20, 40, 11], [30, 12, 30], [0, 0, 0], [0, 0, 0])
    errors = (np.full(points.shape, 1.5),)
    sex = LinePoints(LevelAxis("sex", (0, 1)), points, rows)
    return model((AGE, SEX), ("low", "high", "top"), [3, 0, -3], (sex,), errors, ("age",))


def worded() -> ScorecardModel:
    """Two classes and a text: two of its words have points."""
    note = WordPoints("note", (0, 1), whole([-15], [25]), whole([30, 4], [3, 40]), 3)
    return model((NOTE,), ("no", "yes"), [0], (note,), (np.array([[3.0], [4.0]]),))
