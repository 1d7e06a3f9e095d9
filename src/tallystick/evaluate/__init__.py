"""Judging: folds, scores, comparisons and curves, as data."""

from tallystick.evaluate.compare import Comparison, compare_table
from tallystick.evaluate.crossval import cross_validate, judge_on
from tallystick.evaluate.curve import LearningCurve, curve_table
from tallystick.evaluate.folds import deal
from tallystick.evaluate.labels import labels_of
from tallystick.evaluate.measures import Measure
from tallystick.evaluate.regression import RegressionValidation
from tallystick.evaluate.result import CrossValidation
from tallystick.evaluate.running import refit_shares
from tallystick.evaluate.scores import Scores, score
from tallystick.evaluate.trials import Candidate

__all__ = [
    "Candidate",
    "Comparison",
    "CrossValidation",
    "LearningCurve",
    "Measure",
    "RegressionValidation",
    "Scores",
    "compare_table",
    "cross_validate",
    "curve_table",
    "deal",
    "judge_on",
    "labels_of",
    "refit_shares",
    "score",
]
