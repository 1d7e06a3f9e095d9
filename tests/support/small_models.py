"""Small models made by hand (logistic regression, naive Bayes, cards): every number can be followed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tallystick.bayes.model import Counted, NaiveBayesModel, Summed
from tallystick.bayes.options import BayesOptions
from tallystick.linear.model import Cells, Fit, KnownFit, LogisticModel, Slope
from tallystick.linear.options import LogisticOptions
from tallystick.schema import Column, Schema, Target
from tallystick.scorecard.model import (
    CardFit,
    LevelAxis,
    LinePoints,
    PairAxis,
    PairPoints,
    RangeAxis,
    ScorecardModel,
)
from tallystick.scorecard.options import ScorecardOptions
from tallystick.table.block import RowBlock as Block

SCHEMA = Schema(
    (Column("x", "numeric", low=0.0, high=4.0), Column("a", "levels", ("r", "s"))),
    Target("y", ("no", "yes")),
)
LOGISTIC = {
    "l2": 1.0,
    "l1": 0.0,
    "standardize": True,
    "solver": "auto",
    "interactions": 1,
    "polynomial": 1,
    "class_weight": None,
    "reference": None,
    "words": "tf-idf",
    "min_letters": 1,
    "max_iter": None,
    "eta": None,
    "tolerance": None,
    "fit_intercept": True,
    "base_levels": None,
    "offset": None,
    "firth": False,
}
BAYES = {
    "distributions": "gaussian",
    "alpha": 1.0,
    "m": None,
    "p": None,
    "priors": "data",
    "variance": "ml",
    "share": "none",
    "words": "counts",
    "min_count": 1,
    "min_letters": 1,
    "calibrate": False,
    "class_weight": None,
}


CARD: dict[str, Any] = {
    "points_to_double": 20,
    "ranges": 32,
    "cuts": None,
    "monotone": None,
    "pairs": None,
    "max_lines": None,
    "max_columns": None,
    "l2": "auto",
    "class_weight": None,
    "population": None,
    "min_letters": 1,
}
CARD_FIT = CardFit(0.5, 0.5, 0.6, 40.0, 3.0, -25.0, 4)


def rows(x: list[float], a: list[int]) -> Block:
    """Encoded rows: 0 and 1 are the levels r and s, 2 is missing, 3 is unseen."""
    return Block(len(x), {"x": np.array(x, float), "a": np.array(a, np.uint8)})


def logistic(**changed: Any) -> LogisticModel:
    """log-odds of yes = 0.5 + 0.25 x, and 1 more for s; missing: x counts as 2, a adds -3."""
    parts = (
        Slope("x", np.array([0.25]), 2.0, 1.0),
        Cells("a", np.array([[0.0], [1.0], [-3.0]]), (False, True, True)),
    )
    fit_stats = KnownFit(Fit(1.0, -10.0, -20.0, 5, 40.0, 3), changed.pop("errors", ()))
    given = {"constant": np.array([0.5]), "parts": parts, "fit_stats": fit_stats, "reference": 0} | changed
    return LogisticModel(SCHEMA, LogisticOptions(**LOGISTIC), **given)


def bayes(classes: tuple[int, int] = (4, 4), **options: Any) -> NaiveBayesModel:
    """x is 0 and 2 for no, 2 and 4 for yes, each twice; r is three of no's and one of yes's."""
    unit = 1 << 1074
    parts = (
        Summed(
            "x",
            "gaussian",
            np.array(classes),
            np.zeros(2, np.int64),
            (4 * unit, 12 * unit),
            (8 << 2148, 40 << 2148),
        ),
        Counted("a", "levels", np.array([[3, 1], [1, 3]]), np.zeros(2, np.int64), ("r", "s")),
    )
    return NaiveBayesModel(SCHEMA, BayesOptions(**BAYES | options), 1, np.array(classes), parts)


def whole(*rows: Any) -> Any:
    """Whole numbers as the parts of a card hold them: one row per line."""
    return np.array(rows, np.int64)


def card(**changed: Any) -> ScorecardModel:
    """Points for yes: base -10; x below 1.5 -20, to below 3 0, more +20, missing +5; r -7, s +7, missing -3;
    x from 2 and s together +11. 20 points double the odds; 20 rows of each class.
    """
    x = LinePoints(
        RangeAxis("x", (1.5, 3.0)), whole([-20], [0], [20], [5]), whole([9, 3], [6, 6], [4, 9], [1, 2])
    )
    a = LinePoints(
        LevelAxis("a", (0, 1)), whole([-7], [7], [-3], [0]), whole([12, 6], [6, 13], [2, 1], [0, 0])
    )
    points, counts = np.zeros((12, 1), np.int64), np.zeros((12, 2), np.int64)
    points[5], counts[[0, 5]] = 11, [[14, 10], [6, 10]]
    pair = PairPoints(PairAxis(RangeAxis("x", (2.0,)), LevelAxis("a", (0, 1))), points, counts)
    given = {"step": 20, "base": np.array([-10]), "parts": (x, a, pair), "fit": CARD_FIT} | changed
    return ScorecardModel(SCHEMA, ScorecardOptions(**CARD), **given)


def card_of_three() -> ScorecardModel:
    """The classes no, yes and perhaps with points of their own: x from 2, and the levels of a."""
    x = LinePoints(
        RangeAxis("x", (2.0,)),
        whole([3, -5, 2], [-4, 6, -2], [0, 0, 0]),
        whole([6, 2, 4], [1, 7, 4], [0, 0, 0]),
    )
    a = LinePoints(
        LevelAxis("a", (0, 1)),
        whole([10, 0, -10], [-1, 1, 0], [2, 2, -4], [0, 0, 0]),
        whole([5, 4, 2], [1, 4, 5], [1, 1, 1], [0, 0, 0]),
    )
    schema = Schema(SCHEMA.columns, Target("y", ("no", "yes", "perhaps")))
    return ScorecardModel(
        schema, ScorecardOptions(**CARD), 10, np.array([1, 2, -3]), (x, a), replace(CARD_FIT, rows=24.0)
    )
