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

from tallystick.contracts import Table
from tallystick.errors import OptionError, shown
from tallystick.judge.answers import class_weights
from tallystick.judge.run import Fits
from tallystick.model.decision import AnswerDecision, by_answer, of_threshold, refuse_unknown
from tallystick.schema import Target

Floats = NDArray[np.float64]


def cost_matrix(cost: Any, target: Target, labels: tuple[str, ...]) -> Floats | None:
    """Return cost[truth, answer] for labels, checked: rows of numbers, or {class: {answer: cost}}, where what
    is not named costs 1 if wrong. labels: those of the target, and perhaps one that was not in training.
    """
    if cost is None:
        return None
    size = len(target.labels)
    refuse_unknown(cost, target, "cost")
    try:
        prices = np.asarray(by_answer(cost, target) if isinstance(cost, Mapping) else cost, np.float64)
    except (TypeError, ValueError, OverflowError):
        prices = np.empty(0)
    if prices.shape == (len(labels), len(labels)) and np.isfinite(prices).all():
        return prices
    if prices.shape != (size, size) or not np.isfinite(prices).all():
        raise OptionError(
            f"cost must be {{class: {{answer: cost}}}}, or {size} rows of {size} numbers, "
            f"cost[truth][answer], found {shown(cost)}."
        )
    return _with_unseen(prices)


def own_costs(model: Fits, target: Target, labels: tuple[str, ...]) -> Floats | None:
    """Return costs[truth, answer] by which a method decides its answers; None: by the largest share."""
    table = model._own_costs(target) if target.labels else ()
    if not len(table):
        return None
    prices = np.array(table, np.float64)
    return prices if len(prices) == len(labels) else _with_unseen(prices)


def threshold_decision(threshold: Any, table: Table) -> AnswerDecision:
    """Return the decision that a threshold means: a number, of the rarer class of a table, or
    {class: number}.
    """
    target = table.schema.predicted
    if isinstance(threshold, Mapping):
        if len(threshold) != 1:
            raise OptionError(
                f"threshold takes a number, or one class {{class: number}}, not {shown(threshold)}."
            )
        of, threshold = next(iter(threshold.items()))
        return of_threshold(target, threshold, of)
    return of_threshold(target, threshold, rarer_class(table) if len(target.labels) == 2 else None)


def judged_cost(cost: Any, threshold: Any, table: Table) -> Any:
    """Return what decides answers: costs as they were given, or the decision of a threshold."""
    if threshold is None:
        return cost
    if cost is not None:
        raise OptionError("cost and threshold both decide the answers. Pass one of them.")
    return threshold_decision(threshold, table)


def rarer_class(table: Table) -> str | None:
    """Return the class of the fewest rows, by weight; of equals the first. None without classes."""
    if table.schema.target is None or table.schema.regression:
        return None
    labels, counts = table.schema.predicted.labels, class_weights(table)
    return labels[int(np.argmin(np.where(counts > 0, counts, np.inf)))]


def judged_by(
    cost: Any, model: Fits, target: Target, labels: tuple[str, ...]
) -> tuple[Floats | None, Floats | None]:
    """Return what answers cost (as given, else the method's own), and the method's own costs."""
    if isinstance(cost, AnswerDecision):  # a threshold: it decides, and has no prices of its own
        rule = cost.table
        return None, rule if len(rule) == len(labels) else _with_unseen(rule)
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
