"""How sure an estimator is of new rows: the interval of each answer, by the face of its method.

Knows faces and blocks. Knows nothing of any method.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import methods
from tallystick.estimators.base import Estimator


def intervals(estimator: Estimator, X: Any, **reading: Any) -> NDArray[np.float64]:
    """Return low and high ends [row, class, 2]; of a regression [row, 0, 2]."""
    estimator._check_fitted()
    face, model = methods.of_kind(estimator._kind).load("interval"), estimator.model_
    classes = max(len(estimator.schema_.predicted.labels), 1)
    found = estimator._each_block(X, lambda block: face(model, block), **reading)
    return np.concatenate([np.zeros((0, classes, 2)), *found])
