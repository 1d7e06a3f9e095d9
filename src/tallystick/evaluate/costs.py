"""What answers cost where methods are judged: as the user says, and as a method decides by itself.

Knows classes and numbers. Knows nothing of rows or folds.
Law: a label is decided by the method's own costs where it has some, as its `predict` decides it; else by the
costs that judging was given, and without any by the largest share.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.data.schema import Target
from tallystick.errors import OptionError, nearest, some
from tallystick.evaluate.method import Fits
from tallystick.models.tree.weights import by_answer

Floats = NDArray[np.float64]


def cost_matrix(cost: Any, target: Target, labels: tuple[str, ...]) -> Floats | None:
    """Return cost[truth, answer] for labels, checked: rows of numbers, or {class: {answer: cost}}, where what
    is not named costs 1 if wrong. labels: those of the target, and perhaps one that was not in training.
    """
    if cost is None:
        return None
    size = len(target.labels)
    if isinstance(cost, Mapping):
        _refuse_unknown(cost, target)
    try:
        prices = np.asarray(by_answer(cost, target) if isinstance(cost, Mapping) else cost, np.float64)
    except (TypeError, ValueError):
        prices = np.empty(0)
    if prices.shape == (len(labels), len(labels)) and np.isfinite(prices).all():
        return prices
    if prices.shape != (size, size) or not np.isfinite(prices).all():
        raise OptionError(
            f"cost must be {{class: {{answer: cost}}}}, or {size} rows of {size} numbers, "
            f"cost[truth][answer], found shape {prices.shape}."
        )
    return _with_unseen(prices)


def _refuse_unknown(cost: Mapping[Any, Any], target: Target) -> None:
    """Refuse a name that is not a class."""
    inner = [answer for row in cost.values() if isinstance(row, Mapping) for answer in row]
    unknown = [str(k) for k in (*cost, *inner) if target.label_of(k) not in target.labels]
    if unknown:
        raise OptionError(
            f"cost names {some(unknown)}, which is not a class.{nearest(unknown[0], target.labels)} "
            f"The classes are {some(target.labels)}."
        )


def own_costs(model: Fits, target: Target, labels: tuple[str, ...]) -> Floats | None:
    """Return costs[truth, answer] by which a method decides its answers; None: by the largest share."""
    table = model._own_costs(target) if target.labels else ()
    if not len(table):
        return None
    prices = np.array(table, np.float64)
    return prices if len(prices) == len(labels) else _with_unseen(prices)


def judged_by(
    cost: Any, model: Fits, target: Target, labels: tuple[str, ...]
) -> tuple[Floats | None, Floats | None]:
    """Return what answers cost (as given, else the method's own), and the method's own costs."""
    own = own_costs(model, target, labels)
    given = cost_matrix(cost, target, labels)
    return (own if given is None else given), own


def _with_unseen(prices: Floats) -> Floats:
    """Return the costs with one class more, which nobody can answer: it always costs more than others."""
    most = float(prices.max()) + 1
    return np.pad(prices, ((0, 1), (0, 1)), constant_values=most)


def named(model: Any, target: Target) -> Any:
    """Return the method with its numbers per class by label: a fold may lack a class, and a list would no
    longer fit.
    """
    return model._by_label(target) if target.labels else model
