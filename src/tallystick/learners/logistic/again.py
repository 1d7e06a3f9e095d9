"""The optimum of a logistic regression found again, and with some of its weights held: what tests and
intervals need beyond the model.

Knows problems and solvers. Never sees a row. Law: nothing held, it is the optimum of the fit.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.schema import Schema
from tallystick.learners.logistic.compared import Comparison, compare
from tallystick.learners.logistic.learner import prepared, solve
from tallystick.learners.logistic.prepare import KnownRows, Prepared, prepare
from tallystick.learners.logistic.problem import Mask, Point, Problem, Start
from tallystick.models.logistic.options import LogisticOptions

Array = NDArray[np.float64]


@dataclass(frozen=True)
class FoundOptimum:
    """An optimum with its curvature, and what is known of the rows."""

    options: LogisticOptions
    known: KnownRows
    ready: Prepared
    point: Point

    @property
    def problem(self) -> Problem:
        """What was minimised."""
        return self.ready.problem

    @cached_property
    def covariance(self) -> Array:
        """The inverse curvature [weight, weight], in standardised weights."""
        assert self.point.curvature is not None
        n = len(self.point.curvature)
        factor, _ = kernels.cholesky(self.point.curvature, 1e-14)
        out = np.stack([kernels.cholesky_solve(factor, unit) for unit in np.eye(n)])
        if self.problem.symmetric:  # the common shift of constants was given a variance of its own
            k = self.problem.free_links
            out[:k, :k] -= 1.0 / (self.problem.rows * k)
        return 0.5 * (out + out.T)

    @cached_property
    def comparison(self) -> Comparison:
        """Which weights tables show, and what the others add to them."""
        assert self.ready.basis is not None
        return compare(self.problem, self.ready.basis.moments.squares)

    @cached_property
    def shown(self) -> Array:
        """The covariance of the weights that tables show [weight, weight], standardised."""
        assert self.point.curvature is not None
        found, k = self.comparison.of(self.point.curvature), self.problem.free_links
        assert found is not None
        factor, _ = kernels.cholesky(found.curvature, 1e-14)
        out = np.stack([kernels.cholesky_solve(factor, unit) for unit in np.eye(len(factor))])
        if found.common is not None:
            both = [kernels.cholesky_solve(found.common, unit) for unit in np.eye(len(found.common))]
            out -= np.kron(np.stack(both), np.full((k, k), 1.0 / k))
        return 0.5 * (out + out.T)

    @cached_property
    def gain(self) -> Array:
        """By how much the score of each free weight moves the weights that tables show [shown, weight]."""
        k = self.problem.free_links
        same = np.eye(k) - 1.0 / k if self.comparison.alike else np.eye(k)
        out: Array = np.kron(self.comparison.matrix, same) @ self.covariance
        return out

    @cached_property
    def in_units(self) -> Array:
        """The matrix that turns the shown weights of one link into the user's units [shown, shown]."""
        problem, at = self.problem, self.comparison.at
        dense = len(problem.design.dense)
        out = np.eye(len(at))
        for i, parameter in enumerate(at.tolist()):
            if 1 <= parameter <= dense:
                centre, scale = problem.scales.centre[parameter - 1], problem.scales.scale[parameter - 1]
                out[i, i] = 1.0 / scale
                if at[0] == 0:
                    out[0, i] = -centre / scale
        return out


def found_again(
    options: LogisticOptions, schema: Schema, unit: int, strength: float
) -> Generator[Any, Any, FoundOptimum]:
    """Return the optimum of a fit whose prior had this strength."""
    plain = replace(options, solver="auto", max_iter=None, eta=None, tolerance=None)
    known, basis = yield from prepared(plain, schema, unit)
    ready = prepare(known, basis, plain, schema, strength)
    point, _ = yield from solve(ready, plain, True)
    return FoundOptimum(plain, known, ready, point)


def found_held(
    found: FoundOptimum, held: Mask, values: Array | None = None, begin: Array | None = None
) -> Generator[Any, Any, Point]:
    """Return the optimum with the parameters `held` [free] at 0, or at values[free] (standardised, of one
    link). begin: weights to begin with, of those not held.
    """
    ready, point = found.ready, found.point
    assert point.curvature is not None
    problem = ready.problem
    k, at = problem.free_links, np.flatnonzero(problem.free)
    rest = np.repeat(~held, k)
    free = problem.free.copy()
    free[at[held]] = False
    fixed = problem.fixed
    if values is not None:
        fixed = np.zeros((len(free), len(problem.links))) if fixed is None else fixed.copy()
        fixed[at[held]] = values[held, None]
    smaller = replace(problem, free=free, l2=problem.l2[rest], l1=problem.l1[rest], fixed=fixed)
    start = Start(
        point.w[rest] if begin is None else begin,
        np.ascontiguousarray(point.curvature[np.ix_(rest, rest)]),
        ready.start.diagonal[rest],
        ready.start.squares[~held],
        None if ready.start.gram is None else np.ascontiguousarray(ready.start.gram[np.ix_(~held, ~held)]),
    )
    again = replace(ready, problem=smaller, start=start, part=False)
    out, _ = yield from solve(again, found.options, False)
    return out
