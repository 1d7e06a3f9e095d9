"""The public classes: fit(X, y) = open the source, choose the engine, run the loop; and models back from
files. A class is loaded when it is first used: who predicts with one kind of model waits for no other.
"""

from __future__ import annotations

import gc
import os
from typing import TYPE_CHECKING

from tallystick import methods
from tallystick.estimator.base import Estimator
from tallystick.model.file import from_bytes, read_file, refuse_other_bytes

if TYPE_CHECKING:
    pass


_METHODS = {method.estimator.partition(":")[2]: method for method in (*methods.METHODS, *methods.DENSITIES)}


def load(path: str | os.PathLike[str]) -> Estimator:
    """Return the fitted estimator that a model file holds. Loading runs no code from the file.

    Parameters
    ----------
    path : str or path
        A file that `save` wrote. Whatever is wrong with it is an error of one line.

    Returns
    -------
    DecisionTree, RegressionTree, NaiveBayes, LogisticRegression, LinearRegression, Scorecard, RuleList ...
        The model, with the parameters of its fit.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import tallystick as ts
    >>> rows = [{"sky": "sun", "play": "no"}, {"sky": "rain", "play": "yes"}] * 10
    >>> path = pathlib.Path(tempfile.mkdtemp(), "play.tally.json")
    >>> ts.NaiveBayes().fit(rows, "play").save(path)
    >>> print(ts.load(path).predict_one({"sky": "sun"}))
    no
    """
    return from_data(read_file(path))


def from_data(data: bytes) -> Estimator:
    """Return the fitted estimator of a model file's bytes.

    A file is many small lists, none of which refers back; Python's collector would look at all of them again
    and again (a tree of 10,000 nodes: half of the time), so it waits.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        document = from_bytes(data)
        estimator: Estimator = methods.of_kind(document["kind"]).load("estimator")._from_document(document)
        refuse_other_bytes(data, estimator.to_bytes())
    finally:
        if collecting:
            gc.enable()
    return estimator
