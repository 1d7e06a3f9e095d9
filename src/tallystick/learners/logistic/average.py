"""What each part of a model adds to the average training row: where reasons are measured from.

The mean over rows (by weight, as the fit weighed them) of a part is its weights times the means of what they
are multiplied with: the mean of a number, the share of a level or of missing, the mean value of a word. Knows
sums. Knows nothing of rows.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tallystick.learners.logistic.prepare import Basis
from tallystick.learners.logistic.problem import Problem
from tallystick.models.linear.model import LinearModel
from tallystick.models.logistic.design import Design
from tallystick.models.logistic.model import LogisticModel
from tallystick.models.logistic.parts import Cells, Part, Slope, WordWeights, on_average, with_average

Array = NDArray[np.float64]
WithParts = TypeVar("WithParts", LogisticModel, LinearModel)
SURE = 800.0  # a constant by which a class has all of every row


def row_shares(basis: Basis) -> Array:
    """Return the share of rows in each cell, and of those that miss a number [parameter]; else 0."""
    d, moments = basis.known.design, basis.moments
    rows = float(moments.squares[0])
    out = moments.squares / rows
    out[: 1 + len(d.dense)] = 0.0
    for j, column in enumerate(d.dense):
        if column.missing:  # y = 2 * missing - 1
            out[1 + j] = 0.5 * (float(moments.sums[1 + j]) / rows + 1.0)
    return out


def word_means(problem: Problem) -> Generator[Any, Any, list[Array]]:
    """Ask for the mean value of each word over the rows [text][word].

    A residual is 1 or 0 less a share. Where a class is sure of every row, the residuals of another class mark
    its own rows, and its own all rows but its own: together all rows.
    """
    if not problem.texts:
        return []
    if not problem.design.constant:
        free = problem.free.copy()
        free[0] = True
        problem = replace(problem, free=free, l2=np.zeros(problem.weights + problem.free_links))
    first = np.zeros(problem.weights)
    links = problem.free_links
    if len(problem.links) == 1:  # the rows of the second class, then all but those
        first[0] = -SURE
        marked = yield problem.ask(first)
        first[0] = SURE
        others = yield problem.ask(first)
        sums = [a[:, 0] - b[:, 0] for a, b in zip(marked.words, others.words, strict=True)]
    else:
        at = int(np.flatnonzero(problem.links)[0])
        first[:links] = -SURE
        first[0] = SURE
        total = yield problem.ask(first)
        first[0] = -2.0 * SURE
        own = yield problem.ask(first)
        sums = [b[:, at] - a[:, at] for a, b in zip(total.words, own.words, strict=True)]
    unit = problem.factor * 2.0**-problem.bits
    return [s * unit / (t.scale * problem.rows) for s, t in zip(sums, problem.texts, strict=True)]


def averaged(model: WithParts, design: Design, shares: Array, words: Sequence[Array]) -> WithParts:
    """Return the model with what each part adds to the average training row."""
    if all(part.average is not None for part in model.parts):
        return model
    missing = {c.column: 1 + j for j, c in enumerate(design.dense) if c.missing}
    cells = {c.column.name: design.cell(c) for c in design.coded}
    means = {t.name: mean for t, mean in zip(design.texts, words, strict=True)}

    def average(part: Part) -> Array:
        if part.average is not None:
            return part.average
        if isinstance(part, Cells):
            at = cells[part.name]
            return _mean(part.weights, shares[at : at + len(part.weights)])
        if isinstance(part, WordWeights):
            return _mean(part.weights, means[part.name])
        known = on_average(part)
        if isinstance(part, Slope) and part.missing is not None:
            return known + part.missing * float(shares[missing[part.name]])
        return known

    return replace(model, parts=tuple(with_average(part, average(part)) for part in model.parts))


def _mean(weights: Array, means: Array) -> Array:
    """Return the sum of weights[i, link] * means[i] [link], the same whatever the order."""
    return np.array([math.fsum((weights[:, link] * means).tolist()) for link in range(weights.shape[1])])
