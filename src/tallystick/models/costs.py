"""What answers cost, as users write it: {class: {answer: cost}}, or a table of numbers.

Knows labels and numbers. Knows nothing of shares or models.
Law: what is not named costs 1 if wrong, 0 if right.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tallystick.data.schema import Target
from tallystick.errors import OptionError, nearest, shown, some


def cost_table(given: Any, target: Target) -> tuple[tuple[float, ...], ...]:
    """Return costs[class][answer] as numbers; nothing for None."""
    if given is None:
        return ()
    size = len(target.labels)
    rows = by_answer(given, target) if isinstance(given, Mapping) else given
    try:
        table = np.array(rows, np.float64)
    except (TypeError, ValueError, OverflowError):
        table = np.empty(0)
    if table.shape != (size, size) or not bool(np.all((table >= 0) & np.isfinite(table))) or not table.any():
        raise OptionError(
            f"costs must be numbers from 0 up: {{class: {{answer: cost}}}}, or {size} rows of {size}, the "
            f"cost of each answer (column) for each class (row) in the order of classes_; "
            f"found {shown(given)}."
        )
    return tuple(tuple(row) for row in table.tolist())


def by_answer(given: Mapping[Any, Any], target: Target) -> Any:
    """Return costs[class][answer] of {class: {answer: cost}}; not named: 1 for a wrong answer, else 0."""
    if not all(isinstance(row, Mapping) for row in given.values()):
        return None
    known = {target.label_of(truth): row for truth, row in given.items()}
    named = {t: {target.label_of(answer): c for answer, c in row.items()} for t, row in known.items()}

    def cost(truth: str, answer: str) -> Any:
        return named.get(truth, {}).get(answer, float(truth != answer))

    return [[cost(truth, answer) for answer in target.labels] for truth in target.labels]


def refuse_unknown(costs: Any, target: Target, name: str = "costs") -> None:
    """Refuse costs by name that name what is not a class."""
    if not isinstance(costs, Mapping):
        return
    inner = [answer for row in costs.values() if isinstance(row, Mapping) for answer in row]
    unknown = [str(k) for k in (*costs, *inner) if target.label_of(k) not in target.labels]
    if unknown:
        names = "names" if name == "cost" else "name"
        raise OptionError(
            f"{name} {names} {some(unknown)}, which is not a class.{nearest(unknown[0], target.labels)} "
            f"The classes are {some(target.labels)}."
        )
