"""The strength of the prior from the rows themselves: the one under which they are most probable.

MacKay's rule: λ = (weights the rows determine) / (sum of their squares), the weights solved again for each λ.
The rule is held back by PSEUDO weights that speak for λ = 1, so that few weights or few rows cannot drive it
far. Where rows abound the prior hardly matters and λ = 1 stands; where weights abound too.
Knows problems and points. Law: it follows from sums, so from no order of rows.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import replace
from typing import Any

from tallystick import kernels
from tallystick.data.schema import Schema
from tallystick.learners.logistic.prepare import MATRIX, Basis, KnownRows, Prepared, prepare
from tallystick.learners.logistic.problem import Point
from tallystick.models.logistic.options import DEFAULT_L2, LogisticOptions

PSEUDO = 5.0
PLENTY = 100  # rows per weight from which the prior hardly matters
COSTLY = 2e7  # rows times weights times classes beyond which λ = 1 stands too
LEAST, MOST = 0.05, 50.0
ROUNDS = 6
ROUGH = 1e-3  # how near to its optimum a strength is judged: the longest step still to go


def evident(
    known: KnownRows, basis: Basis, options: LogisticOptions, schema: Schema, solve: Any
) -> Generator[Any, Any, tuple[float, Prepared]]:
    """Return the strength, and the problem prepared for it, started from the last weights."""
    strength = DEFAULT_L2
    ready = prepare(known, basis, options, schema, strength)
    weights = ready.problem.weights
    costly = weights > MATRIX or known.rows * weights * known.links > COSTLY
    if costly or ready.start.curvature is None or known.rows >= PLENTY * weights:
        return strength, ready
    plain = replace(options, solver="newton", eta=None, tolerance=None)
    for _ in range(ROUNDS):
        point, _run = yield from solve(ready, plain, True, fine=ROUGH)
        before, strength = strength, next_strength(ready, point, strength)
        again = prepare(known, basis, options, schema, strength)
        seen = again.problem.reread(point, ready.problem)  # the rows need not be asked again
        ready = replace(again, start=replace(again.start, w=point.w, point=seen))
        if abs(strength - before) <= 0.05 * before:
            break
    return strength, ready


def next_strength(ready: Prepared, point: Point, strength: float) -> float:
    """Return the strength under which the rows are more probable than under this one."""
    assert point.curvature is not None
    factor, at = kernels.cholesky(point.curvature, 1e-14)
    if at < len(point.curvature):
        return strength
    l2 = ready.problem.l2
    held = l2 > 0
    determined = math.fsum((1.0 - l2 * kernels.inverse_diagonal(factor))[held].tolist())
    squares = math.fsum((l2 / strength * point.w * point.w).tolist())
    return min(max((determined + PSEUDO) / (squares + PSEUDO), LEAST), MOST)
