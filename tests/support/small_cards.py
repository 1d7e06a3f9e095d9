"""Small scorecards made by hand: every point can be followed."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallystick.schema import Column, Schema, Target
from tallystick.scorecard.estimator import Scorecard
from tallystick.scorecard.model import (
    CardFit,
    LevelAxis,
    LinePoints,
    PairAxis,
    PairPoints,
    RangeAxis,
    ScorecardModel,
    WordPoints,
)
from tallystick.table.block import RowBlock as Block

AGE = Column("age", "numeric", low=18.0, high=80.0)
SINCE = Column("since", "numeric", low=0.0, high=20000.0, unit="date")
HOME = Column("home", "levels", ("free", "own", "rent"))
NOTE = Column("note", "text", words=("fine", "late", "prompt"))
FIT = CardFit(loss=0.4, rounded=0.401, null=0.69, rows=10.0, degrees=3.0, evidence=-5.0, passes=3)

ages = RangeAxis("age", (25.0, 40.5))
dates = RangeAxis("since", (10957.0, 10957.5))  # 2000-01-01, and noon of that day
homes = LevelAxis("home", (0, 1, 0))  # free and rent are one line
PAIR = PairAxis(RangeAxis("age", (30.0,)), homes)


def whole(*points: Any) -> np.ndarray:
    """Points or rows of lines, as the model keeps them."""
    table = np.array(points, np.int64)
    return table[:, None] if table.ndim == 1 else table


AGE_POINTS = whole(-20, 4, 14, 3)  # below 25, to 40.5, more, missing
AGE_ROWS = whole([3, 0], [2, 2], [0, 3], [0, 0])
SINCE_POINTS = whole(-5, 0, 6, 0)
SINCE_ROWS = whole([3, 1], [1, 1], [1, 3], [0, 0])
HOME_POINTS = whole(-7, 1, -2, 0)  # free or rent, own, missing, new
HOME_ROWS = whole([3, 1], [1, 4], [1, 0], [0, 0])
PAIR_POINTS = whole(
    -9, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0
)  # below 30 by home, 30 and more by home, missing by home
PAIR_ROWS = whole([3, 0], [1, 1], [0, 0], [0, 0], [0, 1], [1, 3], [0, 0], [0, 0], *[[0, 0]] * 4)
WORD_POINTS = whole(2, -12, 8)
WORD_ROWS = whole([2, 2], [4, 0], [0, 3])


def card(labels: tuple[str, ...] = ("bad", "good"), target: str = "loan") -> ScorecardModel:
    """Two classes: points for good. The parts are age, since, home, the words of a note, age × home."""
    parts = (
        LinePoints(ages, AGE_POINTS, AGE_ROWS),
        LinePoints(dates, SINCE_POINTS, SINCE_ROWS),
        LinePoints(homes, HOME_POINTS, HOME_ROWS),
        WordPoints("note", (0, 1, 2), WORD_POINTS, WORD_ROWS, 3),
        PairPoints(PAIR, PAIR_POINTS, PAIR_ROWS),
    )
    schema = Schema((AGE, SINCE, HOME, NOTE), Target(target, labels))
    return ScorecardModel(
        schema, Scorecard()._options(), 20, np.array([11]), parts, FIT, left_out=("shoe size",)
    )


def three() -> ScorecardModel:
    """Three classes, a column of points each."""
    points = whole([-20, 4, 0], [4, 0, 7], [14, -3, 1], [3, 0, 0])
    rows = whole([3, 0, 1], [2, 2, 0], [0, 3, 0], [0, 0, 0])
    schema = Schema((AGE,), Target("pet", ("cat", "dog", "fish")))
    parts = (LinePoints(ages, points, rows),)
    return ScorecardModel(schema, Scorecard()._options(), 20, np.array([1, 2, -3]), parts, FIT)


def estimator(model: ScorecardModel) -> Scorecard:
    """An estimator that has a card, as if it were loaded."""
    out = Scorecard()
    counts = {"rows": 10, "weight": 10, "unit": 1}
    out._adopt(model, (), counts)
    out._set_columns([c.name for c in model.schema.columns], named=True)
    return out


def rows(age: list[float], since: list[float], home: list[int], note: list[list[int]]) -> Block:
    """Encoded rows: home 0 to 2 are levels, 3 is missing, 4 is new; note: the words of each text."""
    starts = np.cumsum([0, *map(len, note)]).astype(np.int64)
    words = np.array([w for text in note for w in text], np.uint32)
    said = (starts, words, np.ones(len(words), np.uint32))
    plain = {"age": np.array(age, float), "since": np.array(since, float), "home": np.array(home, np.uint8)}
    return Block(len(age), plain | {"note": said})
