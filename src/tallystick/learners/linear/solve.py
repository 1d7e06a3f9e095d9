"""The weights of least squares from the rows themselves: what is left after the equations are solved is
summed over the rows and solved again; where columns are too many for a matrix, by conjugate gradients.

Knows equations and questions. Never sees a row. Law: the same totals give the same weights.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.errors import OptionError
from tallystick.learners.linear.normal import Equations, pull, residuals
from tallystick.learners.logistic.problem import Problem, norm

Array = NDArray[np.float64]
MENDS = 4  # rounds of residuals after the equations are solved
FINE = 1e-15  # a step of this part of the weights is none
LIMIT = 5_000  # steps of conjugate gradients
SMALL = 1e-10  # a gradient of this part of where it began is none
AGAIN = 3  # times that conjugate gradients begin anew, from residuals that are summed afresh
Asked = Generator[Any, Any, tuple[Array, float]]


def laid(problem: Problem, w: Array) -> Array:
    """Return the weights of all parameters; 0 where they are not free."""
    theta = np.zeros(len(problem.free))
    theta[problem.free] = w
    return theta


def left_at(problem: Problem, found: Equations, w: Array) -> Asked:
    """Ask for the gradient, below 0, and the sum of squared errors at weights w, both standardised."""
    question = residuals(found, laid(problem, w))
    sums, error = pull(found, question, (yield question))
    return sums[problem.free] - problem.l2 * w, error


def mended(
    problem: Problem, found: Equations, w: Array, factor: Array
) -> Generator[Any, Any, tuple[Array, float, int]]:
    """Return the weights, the sum of squared errors there, and how many rounds it took: the equations' own
    rounding is mended from residuals of the rows while they get smaller.
    """
    gradient, error = yield from left_at(problem, found, w)
    for done in range(1, MENDS):
        step = kernels.cholesky_solve(factor, gradient)
        if norm(step) <= FINE * max(norm(w), FINE):
            return w, error, done
        again = w + step
        then, less = yield from left_at(problem, found, again)
        if norm(then) >= norm(gradient):  # nothing is left but the rounding of sums
            return w, error, done
        w, gradient, error = again, then, less
    return w, error, MENDS


def conjugate(problem: Problem, found: Equations) -> Generator[Any, Any, tuple[Array, float, int]]:
    """Return the same by conjugate gradients, a question for each step."""
    w = np.zeros(problem.weights)
    scale = found.squares[found.others][problem.free] + problem.l2
    scale = np.where(scale > 0, scale, 1.0)
    gradient, error = yield from left_at(problem, found, w)
    enough, steps = SMALL * norm(gradient), 0
    for _ in range(AGAIN):
        rest, way = gradient, gradient / scale
        size = kernels.dot(rest, way)
        while norm(rest) > enough and size > 0:
            question = residuals(found, laid(problem, way), 0.0)
            sums, _ = pull(found, question, (yield question))
            curved = problem.l2 * way - sums[problem.free]
            length = size / kernels.dot(way, curved)
            w, rest = w + length * way, rest - length * curved
            before, size = size, kernels.dot(rest, rest / scale)
            way = rest / scale + (size / before) * way
            steps += 1
            if steps > LIMIT:
                raise OptionError(
                    f"{LIMIT:,} steps did not reach the least squares of {problem.weights:,} weights: their "
                    "columns nearly repeat each other. Give l2=1, or leave some of them out."
                )
        gradient, error = yield from left_at(problem, found, w)
        if norm(gradient) <= 2.0 * enough:
            break
    return w, error, steps
