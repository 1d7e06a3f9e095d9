"""Naive Bayes as fitted numbers: options, what is kept of each column, the model, and its part of the model
file.
"""

from tallystick.models.additive import Calibration
from tallystick.models.naive_bayes.columns import Counted, Part, Summed, Worded, idf_of
from tallystick.models.naive_bayes.model import KIND, NaiveBayesModel
from tallystick.models.naive_bayes.options import BayesOptions

__all__ = [
    "KIND",
    "BayesOptions",
    "Calibration",
    "Counted",
    "NaiveBayesModel",
    "Part",
    "Summed",
    "Worded",
    "idf_of",
]
