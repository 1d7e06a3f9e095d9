"""The weights of a logistic regression by name, in the order of the file's standard errors.

Knows a model's parts. Knows nothing of statistics: those are in explain/logistic.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tallystick.models.logistic.model import LogisticModel
from tallystick.models.logistic.parts import Cells, Product, Slope

if TYPE_CHECKING:
    from tallystick.models.linear.model import LinearModel

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Coefficient:
    """One line of the table: what it belongs to, its weights [link] and their standard errors, if known.

    free: False where the weight is 0 by definition (a reference level, missing without missing rows).
    level: "" for a slope; column: "" for the constant.
    """

    name: str
    column: str
    level: str
    weights: Array
    errors: tuple[float, ...] | None
    free: bool = True


def coefficients(model: LogisticModel | LinearModel) -> list[Coefficient]:
    """Return all coefficients but those of words."""
    lines = list(_lines(model))
    errors = model.errors if model.errors else [None] * len(lines)
    return [
        Coefficient(name, column, level, weights, error, free)
        for (name, column, level, weights, free), error in zip(lines, errors, strict=True)
    ]


def _lines(model: LogisticModel | LinearModel) -> Iterator[tuple[str, str, str, Array, bool]]:
    yield "(constant)", "", "", model.constant, model.options.fit_intercept
    for part in model.parts:
        if isinstance(part, Slope):
            yield part.name, part.name, "", part.slope, part.name != model.options.offset
            if part.missing is not None:
                yield f"{part.name} is missing", part.name, "missing", part.missing, True
        elif isinstance(part, Product):
            yield part.name, part.name, "", part.slope, True
        elif isinstance(part, Cells):
            levels = model.schema[part.name].levels
            names = [f"{part.name} = {level}" for level in levels] + [f"{part.name} is missing"]
            for name, level, weights, free in zip(
                names, (*levels, "missing"), part.weights, part.free, strict=True
            ):
                yield name, part.name, level, weights, free
