"""The public classes: fit(X, y) = open the source, choose the engine, run the loop; and models back from
files.
"""

from __future__ import annotations

import os

from tallystick.estimators.base import Classifier, Estimator
from tallystick.estimators.check import Verdict, verify
from tallystick.estimators.logistic import LogisticRegression
from tallystick.estimators.naive_bayes import NaiveBayes
from tallystick.estimators.regression_tree import RegressionTree
from tallystick.estimators.tree import DecisionTree
from tallystick.export import from_bytes, read_file

KINDS: dict[str, type[Estimator]] = {
    cls.kind: cls for cls in (DecisionTree, LogisticRegression, NaiveBayes, RegressionTree)
}


def load(path: str | os.PathLike[str]) -> Estimator:
    """Return the fitted estimator a model file holds; anything wrong with the file is one line."""
    return from_data(read_file(path))


def from_data(data: bytes) -> Estimator:
    """Return the fitted estimator of a model file's bytes."""
    document = from_bytes(data)
    return KINDS[document["kind"]].from_document(document)


__all__ = [
    "Classifier",
    "DecisionTree",
    "Estimator",
    "LogisticRegression",
    "NaiveBayes",
    "RegressionTree",
    "Verdict",
    "from_data",
    "load",
    "verify",
]
