"""How sure the points of a card are, from the curvature where learning ended: standard errors of its lines
and how they go together.

The covariance of the points is S S', S being the directions by the inverse of their Cholesky factor; the base
follows the lines and has a spread of its own. Of S as many directions are kept as a file has room for: those
of the lines that weigh most, one after the other, each with what all other lines share with it (Cholesky's
factor with pivots, which is exact once every line had its turn). Knows optima and lines. Knows nothing of
rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.kernels.check import Room
from tallystick.learners.scorecard.quadratic import Spot
from tallystick.learners.scorecard.rounds import Ending
from tallystick.models.scorecard.model import LN2
from tallystick.models.scorecard.spread import CardSpread

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
NUMBERS = 32_768  # that a file has room for
SAME = 1e-4  # of the largest variance, rows counted: less is not worth a direction
FINE = 64  # parts of a base's standard error that factors are told in
RARE = 1e-6  # of the rows: what a line without any counts for
DIGITS = 4  # of a standard error


def spread_of(
    ending: Ending, places: Sequence[Sequence[Sequence[int]]], shares: Array, step: int, room: Room
) -> tuple[tuple[Array, ...], CardSpread]:
    """Return the standard errors [line, link] of each part, and how they go together.

    places[part][line]: the lines, as they were learnt, that a line of the card is made of; shares[line]: of
    those, of all rows. room: makes the matrices.
    """
    lines = [line for part in places for line in part]
    most = max(1, NUMBERS // (len(ending.optima) * (len(lines) + 1)))
    weights = np.maximum([1.0, *(math.fsum(shares[list(line)].tolist()) for line in lines)], RARE)
    errors, factors = [], []
    for k, one in enumerate(ending.optima):
        roots = one.roots(room)
        whole = room((len(lines) + 1, roots.shape[1] + 1), np.float64)
        whole[0], whole[1:, -1] = base_root(roots, ending.spot, k), 0.0
        for i, line in enumerate(lines):
            whole[i + 1, :-1] = mean_root(roots, line, shares)
        del roots
        whole *= step / LN2
        errors.append(np.array([math.sqrt(kernels.dot(row, row)) for row in whole]))
        factors.append(leading(whole, weights, most))
    known = rounded(np.stack(errors, axis=1), DIGITS)
    units = rounded(known[0] / FINE, DIGITS)
    told = tuple(np.rint(f / unit).astype(np.int64) for f, unit in zip(factors, units, strict=True))
    ends = np.cumsum([1, *(len(part) for part in places)])
    by_part = tuple(np.split(known, ends[:-1])[1:]) if places else ()
    return by_part, CardSpread(known[0], units, told)


def base_spread(weight: Array, step: int) -> CardSpread:
    """Return the spread of a card that is its base alone; weight[link]: its curvature."""
    errors = rounded(step / LN2 / np.sqrt(np.maximum(weight, 1e-9)), DIGITS)
    return CardSpread(errors, errors / FINE, tuple(np.zeros((0, 1), np.int64) for _ in errors))


def base_root(roots: Array, spot: Spot, link: int) -> Array:
    """Return the root [direction + 1] of the base, which follows all lines, roots [line, direction], and has
    a direction of its own.
    """
    follow = kernels.product(np.ascontiguousarray(spot.cross[link][None, :]), roots)[0]
    return np.append(-follow, 1.0 / math.sqrt(spot.weight[link]))


def mean_root(roots: Array, lines: Sequence[int], shares: Array) -> Array:
    """Return the root of lines that became one: their mean over the rows."""
    if len(lines) == 1:
        own: Array = roots[lines[0]]
        return own
    weight = shares[list(lines)]
    total = math.fsum(weight.tolist())
    weight = weight / total if total else np.full(len(lines), 1.0 / len(lines))
    mean: Array = kernels.product(weight[None, :], np.ascontiguousarray(roots[list(lines)]))[0]
    return mean


def leading(roots: Array, weights: Array, most: int) -> Array:
    """Return at most so many directions [direction, line] of roots roots', those that the rows meet most
    first; weights[line].
    """
    left = np.array([kernels.dot(row, row) for row in roots])
    enough = SAME * float((weights * left).max(initial=0.0))
    found = np.zeros((0, len(roots)))
    while len(found) < most:
        j = int(np.argmax(weights * left))
        if weights[j] * left[j] <= enough:
            break
        column = _by(roots, roots[j])
        if len(found):
            column = column - _by(np.ascontiguousarray(found.T), found[:, j])
        column = column / math.sqrt(left[j])
        left = np.maximum(left - column * column, 0.0)
        left[j] = 0.0
        found = np.concatenate([found, column[None, :]])
    return found


def _by(matrix: Array, vector: Array) -> Array:
    return kernels.product(matrix, np.ascontiguousarray(vector[:, None]))[:, 0]


def rounded(values: Array, digits: int) -> Array:
    """Return numbers to so many digits that count: a file is shorter, and no wiser number stands in it."""
    flat = [float(f"{x:.{digits}g}") + 0.0 for x in values.ravel().tolist()]
    return np.array(flat).reshape(values.shape)
