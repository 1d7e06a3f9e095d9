"""Small logistic regressions and naive Bayes models made by hand: every number can be followed."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallystick.data.schema import Column, Schema, Target
from tallystick.data.table.block import Block
from tallystick.models.logistic.model import Fit, LogisticModel
from tallystick.models.logistic.options import LogisticOptions
from tallystick.models.logistic.parts import Cells, Slope
from tallystick.models.naive_bayes.columns import Counted, Summed
from tallystick.models.naive_bayes.model import NaiveBayesModel
from tallystick.models.naive_bayes.options import BayesOptions

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
}


def rows(x: list[float], a: list[int]) -> Block:
    """Encoded rows: 0 and 1 are the levels r and s, 2 is missing, 3 is unseen."""
    return Block(len(x), {"x": np.array(x, float), "a": np.array(a, np.uint8)})


def logistic(**changed: Any) -> LogisticModel:
    """log-odds of yes = 0.5 + 0.25 x, and 1 more for s; missing: x counts as 2, a adds -3."""
    parts = (
        Slope("x", np.array([0.25]), 2.0, 1.0),
        Cells("a", np.array([[0.0], [1.0], [-3.0]]), (False, True, True)),
    )
    fit = Fit(1.0, -10.0, -20.0, 5, 40.0, 3)
    given = {"constant": np.array([0.5]), "parts": parts, "fit": fit, "reference": 0} | changed
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
