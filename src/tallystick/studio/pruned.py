"""The pruning path of a tree as a slider: from the root alone to the grown tree, with honest errors.

Knows trees and their nested prunings. Knows nothing of pages.
Law: the tree of a step is the one that a fit with its parameters gives: the price lies between two steps.
"""

from __future__ import annotations

import math
from typing import Any

from tallystick.errors import OptionError, shown
from tallystick.learners.prune import CostComplexity


def is_prunable(model: Any) -> bool:
    """Say whether a model is a tree that has a path of prunings, and was not pruned by a rule of its own."""
    return getattr(model, "pruning", ...) is None and hasattr(model, "pruning_path")


def path_of(model: Any, folds: int) -> dict[str, Any]:
    """Return the steps of the slider: leaves, error on the training rows, and on rows not seen."""
    path = model.pruning_path(folds=folds)
    return {
        "leaves": path.leaves.tolist(),
        "error": [round(float(e), 6) for e in path.error],
        "cv_error": [round(float(e), 6) for e in path.cv_error],
        "cv_se": [round(float(e), 6) for e in path.cv_se],
        "prices": _prices(path),
        "one_se": path.one_se,
        "minimum": path.minimum,
    }


def _prices(path: Any) -> list[float]:
    """Return the complexity parameter of each step: in the middle of those that give its tree."""
    own = [float(p) for p in path.cp]
    out = []
    for k, price in enumerate(own):
        above = own[k - 1] if k else 4 * price or 1.0
        out.append(math.sqrt(price * above) if price > 0 else above / 2)
    return out


def pruned(model: Any, path: dict[str, Any], step: Any) -> Any:
    """Return the method of a step, not fitted."""
    if type(step) is not int or not 0 <= step < len(path["prices"]):
        raise OptionError(f"there is no step {shown(step)} on the pruning path.")
    wanted = model.get_params(deep=False) | {"pruning": CostComplexity(path["prices"][step])}
    return type(model)(**wanted)
