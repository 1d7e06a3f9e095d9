"""The weights of a logistic regression by name, in the order of the file's standard errors; and as tables
show them, levels compared with a base level.

Knows a model's parts. Knows nothing of statistics: those are in explain/logistic.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tallystick.models.logistic.differences import Key, against_bases, key_of
from tallystick.models.logistic.model import LogisticModel
from tallystick.models.logistic.parts import Cells, Product, Slope, uncompared

if TYPE_CHECKING:
    from tallystick.models.linear.model import LinearModel

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Coefficient:
    """One line of the table: what it belongs to, its weights [link], and their standard errors where they are
    compared with a base and known.

    free: False where the weight is 0 by definition (a base level, missing without missing rows).
    level: "" for a slope; column: "" for the constant. key: what the weight is multiplied with.
    """

    name: str
    column: str
    level: str
    weights: Array
    errors: tuple[float, ...] | None
    free: bool
    key: Key


def coefficients(model: LogisticModel | LinearModel) -> list[Coefficient]:
    """Return all weights but those of words, as the model holds them: under a prior one for every level."""
    return list(_lines(model))


def compared(model: LogisticModel | LinearModel) -> list[Coefficient]:
    """Return the same as tables show them, with standard errors: levels that all have a weight are compared
    with their column's base level.
    """
    lines = coefficients(model)
    bases = {p.name: p.base for p in model.parts if isinstance(p, Cells) and p.base is not None}
    levels = (p.name for p in model.parts if isinstance(p, Cells) and model.schema[p.name].kind != "boolean")
    whole = "" if model.options.fit_intercept else next(levels, "")
    adds = against_bases([c.key if c.free else None for c in lines], bases, whole)
    weights = [c.weights.copy() for c in lines]
    for at, terms in adds.items():
        for place, factor in terms:
            weights[place] += factor * lines[at].weights
        weights[at] = np.zeros_like(weights[at])
    known = model.errors and not uncompared(model.parts, model.options.fit_intercept)
    errors = model.errors if known else [None] * len(lines)
    return [
        replace(c, weights=own, errors=error, free=c.free and at not in adds)
        for at, (c, own, error) in enumerate(zip(lines, weights, errors, strict=True))
    ]


def _lines(model: LogisticModel | LinearModel) -> Iterator[Coefficient]:
    yield Coefficient("(constant)", "", "", model.constant, None, model.options.fit_intercept, frozenset())
    for part in model.parts:
        name = part.name
        if isinstance(part, Slope):
            free = name != model.options.offset
            yield Coefficient(name, name, "", part.slope, None, free, frozenset({(name, None)}))
            if part.missing is not None:
                key = frozenset({(f"{name} is missing", None)})
                yield Coefficient(f"{name} is missing", name, "missing", part.missing, None, True, key)
        elif isinstance(part, Product):
            yield Coefficient(name, name, "", part.slope, None, True, key_of(part.factors))
        elif isinstance(part, Cells):
            levels = model.schema[name].levels
            names = [f"{name} = {level}" for level in levels] + [f"{name} is missing"]
            each = zip(names, (*levels, "missing"), part.weights, part.free, strict=True)
            for code, (own, level, weights, free) in enumerate(each):
                yield Coefficient(own, name, level, weights, None, free, frozenset({(name, code)}))
