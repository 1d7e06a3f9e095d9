"""Firth's correction: the likelihood times the root of the determinant of its curvature, Jeffreys' prior.
Weights stay finite where classes are separated, and estimates of few rows are less biased.

Knows problems and points. Never sees a row. Law: the same totals give the same weights.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.errors import OptionError, shown
from tallystick.learners.logistic.memory import Memory
from tallystick.learners.logistic.prepare import KnownRows
from tallystick.learners.logistic.problem import Point, Problem, Start, norm
from tallystick.learners.logistic.solvers import FINE, TOLERANCE, NoConvergence, SolverRun, Steps
from tallystick.stats.leverage import LeverageSums

Array = NDArray[np.float64]
MOST = 300  # weights
KEPT = 10  # changes of the gradient
LONGEST = 5.0  # a step in standardised weights
ROUNDING = 1e-9  # of the value, determinant included: steps near the optimum change it by less


def refuse_firth(known: KnownRows, target: str) -> None:
    """Refuse tables that the correction is not made for."""
    if known.links > 1:
        raise OptionError(
            f"firth=True is for two classes, and target {shown(target)} has {known.links}. Use l2='auto'."
        )
    if known.design.texts:
        name = known.design.texts[0].name
        raise OptionError(f"firth=True does not read text, and column {shown(name)} is.")


def ascent(run: SolverRun, start: Start) -> Steps:
    """Newton's method on the corrected score; the point returned has the loss without the correction.

    The curvature is that of the likelihood alone. Where a row counts for much the correction has as much
    again, and a whole step would lead as far beyond the optimum as it began before it, for ever: so the last
    changes of the corrected gradient are kept, and say how much more there is.
    """
    if run.problem.weights > MOST:
        raise OptionError(f"firth=True is for at most {MOST} weights, and there are {run.problem.weights:,}.")
    point, value = yield from corrected(run, start.w)
    run.note(point, 0.0)
    changes: list[tuple[Array, Array]] = []
    before: Point | None = None
    while True:
        gradient = yield from pulled(run.problem, point)
        point = replace(point, gradient=gradient)
        if before is not None:
            changes = [*changes[-KEPT:], (point.w - before.w, gradient - before.gradient)]
        assert point.curvature is not None
        memory = Memory(kernels.factorised(point.curvature))
        for step, change in changes:
            memory.learn(step, change, gradient)
        d = memory.direction(gradient)
        if kernels.dot(gradient, d) >= 0.0:
            changes, d = [], np.negative(memory.solve(gradient.copy()))
        if norm(gradient) <= TOLERANCE * run.problem.rows and norm(d) <= FINE:
            return point
        t = min(1.0, LONGEST / max(norm(d), 1e-300))
        slope = kernels.dot(gradient, d)
        for _ in range(60):
            new, below = yield from corrected(run, point.w + t * d)
            if below <= value + 1e-4 * t * slope + ROUNDING * (1.0 + abs(value)):
                break
            t *= 0.5
        else:
            raise NoConvergence("logistic regression with Firth's correction stopped: no step leads up.")
        before, point, value = point, new, below
        run.note(point, t)


def corrected(run: SolverRun, w: Array) -> Generator[Any, Any, tuple[Point, float]]:
    """Return the point at w, and the loss with the correction."""
    point = yield from run.ask(w, True)
    assert point.curvature is not None
    factor, at = kernels.cholesky(point.curvature, 1e-14)
    if at < len(point.curvature):
        return point, math.inf
    logs = kernels.log(np.ascontiguousarray(np.diag(factor)))
    return point, point.loss - math.fsum(logs.tolist())


def pulled(problem: Problem, point: Point) -> Generator[Any, Any, Array]:
    """Return the gradient with the correction."""
    assert point.curvature is not None
    at = np.flatnonzero(problem.free)
    power = problem.scales.power[at]
    factor, _ = kernels.cholesky(point.curvature, 1e-14)
    inverse = np.stack([kernels.cholesky_solve(factor, unit) for unit in np.eye(len(at))])
    question = problem.ask(point.w)
    # the curvature is of w, so of y * power; what the rows count for is in units of the factor
    by_y = np.ascontiguousarray(inverse * power[:, None] * power[None, :] * problem.factor)
    total = yield LeverageSums(
        problem.design,
        question.scaling,
        np.ascontiguousarray(question.theta[:, 0]),
        at,
        by_y,
        problem.bits,
        problem.copies,
    )
    # leverage is counted once a row of weight 1, whatever its factor: it has the factor within
    out: Array = point.gradient - total * power * 2.0**-problem.bits
    return out
