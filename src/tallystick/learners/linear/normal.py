"""The normal equations of least squares: what the sums say of columns and response, and the weights that
solve them under a penalty.

The response is the last dense column of the design, so that one question gives columns by columns and columns
by response. Knows designs, sums and penalties. Knows nothing of rows. Law: everything here follows from sums,
so from no order of rows.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.kernels import Curvature
from tallystick.learners.logistic.prepare import (
    HELD,
    MATRIX,
    KnownRows,
    Moments,
    first_question,
    free_weights,
    prior_sizes,
    products_of,
    scales_of,
)
from tallystick.learners.logistic.problem import Problem, Scales
from tallystick.learners.logistic.repeats import Repeat, repeated
from tallystick.models.linear.design import response_at, with_response
from tallystick.models.linear.options import LinearOptions
from tallystick.models.logistic.design import Design
from tallystick.stats.gradients import LogisticSums, RowTotals, Total
from tallystick.stats.residuals import ResidualSums, ResponseFacts, ResponseTotals

Array = NDArray[np.float64]
PSEUDO = 5.0  # weights that speak for a penalty of 1, so that few cannot drive it far
ROUNDS = 50
STRENGTHS = (3000.0, 1000.0, 300.0, 100.0, 30.0, 10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01)


@dataclass(frozen=True)
class Equations:
    """Sums over rows of standardised columns, the response among them. gram[parameter, parameter]; None where
    there are too many columns for a matrix. squares: about its diagonal.
    """

    known: KnownRows  # of the design with the response
    design: Design  # without it
    moments: Moments
    whole: Scales  # of the design with the response
    squares: Array  # [parameter]
    gram: Array | None

    @cached_property
    def others(self) -> NDArray[np.int64]:
        """The parameters but the response."""
        return np.delete(np.arange(self.known.design.size), response_at(self.design))

    @property
    def scale(self) -> float:
        """What a standardised response of 1 is in the user's unit."""
        return float(self.whole.scale[-1])

    @property
    def centre(self) -> float:
        """The response that is 0 when standardised."""
        return float(self.whole.centre[-1])

    @cached_property
    def scales(self) -> Scales:
        """The scales of the columns."""
        w = self.whole
        return Scales(w.centre[:-1], w.scale[:-1], w.power[self.others])

    @cached_property
    def columns(self) -> Moments:
        """The moments of the columns."""
        return Moments(self.moments.sums[self.others], self.moments.squares[self.others], None)

    @cached_property
    def matrix(self) -> Array | None:
        """Columns by columns."""
        return None if self.gram is None else self.gram[np.ix_(self.others, self.others)]

    @cached_property
    def side(self) -> Array:
        """Columns by response [parameter]."""
        assert self.gram is not None
        out: Array = self.gram[self.others, response_at(self.design)]
        return out

    @property
    def total(self) -> float:
        """The sum of squares of the standardised response."""
        assert self.gram is not None
        at = response_at(self.design)
        return float(self.gram[at, at])

    @cached_property
    def repeats(self) -> tuple[Repeat, ...]:
        """Parameters that repeat others."""
        if self.matrix is None:
            return ()
        free = free_weights(self.design, self.columns.squares, False)
        return repeated(self.matrix, free, products_of(self.design), self.design.constant)

    def problem(self, options: LinearOptions, strength: float) -> Problem:
        """Return which weights are free under a penalty of this strength, and how it acts on them."""
        d, known = self.design, self.known
        free = free_weights(d, self.columns.squares, strength > 0)
        if not strength:
            free[[r.at for r in self.repeats]] = False
        size = prior_sizes(replace(known, design=d), self.scales, self.columns, options.standardize)
        each = np.where(np.arange(d.size) == 0, 0.0, 1.0 / size)[free]
        return Problem(
            d,
            self.scales,
            known.copies,
            (),
            free,
            np.ones(1, bool),
            np.minimum(strength * each * each, HELD),
            np.zeros(len(each)),
            known.rows,
            known.bits,
            known.factor,
        )

    def without(self, part: Array) -> Equations:
        """Return the equations of all rows but those with these sums."""
        assert self.gram is not None
        return replace(self, gram=self.gram - part)

    def question(self) -> LogisticSums:
        """Return the question whose total is the matrix."""
        d = self.known.design
        scaling, theta = self.whole.scaling, np.zeros((d.size, 1))
        return LogisticSums(d, scaling, theta, self.known.bits, self.known.copies, Curvature.GRAM)

    def read(self, total: Total) -> Array:
        """Return the matrix of a total."""
        unit = self.known.factor * 2.0**-self.known.bits
        lower, power = np.tril(total.sums.squares[0]), self.whole.power
        whole: Array = (lower + np.tril(lower, -1).T) * (unit * power[:, None] * power[None, :])
        return whole


def equations(design: Design, unit: int) -> Generator[Any, Any, Equations]:
    """Ask for what the rows weigh, the moments of columns, then the products of standardised ones."""
    facts: ResponseTotals = yield ResponseFacts()
    low, high = (float(end) for end in facts.ends)
    whole = with_response(replace(design, texts=()), low, high)
    totals = RowTotals(facts.weight, facts.heaviest, [], [])
    known = KnownRows(whole, totals, unit, np.ones(1))
    moments = Moments.of((yield first_question(known, False)), known)
    scales, a, b = scales_of(known, moments)
    squares = a * a * moments.squares + 2.0 * a * b * moments.sums + b * b * moments.squares[0]
    out = Equations(known, replace(design, texts=()), moments, scales, squares, None)
    if whole.size > MATRIX:
        return out
    return replace(out, gram=out.read((yield out.question())))


def solved(problem: Problem, found: Equations) -> tuple[Array, Array]:
    """Return the weights [weight], standardised, and the factor of the matrix with the penalty."""
    assert found.matrix is not None
    at = np.flatnonzero(problem.free)
    matrix = np.ascontiguousarray(found.matrix[np.ix_(at, at)])
    matrix.reshape(-1)[:: len(matrix) + 1] += problem.l2
    factor, _ = kernels.cholesky_skip(matrix, 1e-15)
    return kernels.cholesky_solve(factor, np.ascontiguousarray(found.side[at])), factor


def left(problem: Problem, found: Equations, w: Array) -> float:
    """Return the sum of squared errors at weights w, from sums."""
    assert found.matrix is not None
    at = np.flatnonzero(problem.free)
    product = kernels.times(np.ascontiguousarray(found.matrix[np.ix_(at, at)]), w)
    side = np.ascontiguousarray(found.side[at])
    return max(found.total - 2.0 * kernels.dot(side, w) + kernels.dot(product, w), 0.0)


def determined(problem: Problem, factor: Array) -> float:
    """Return how many numbers the weights amount to: those that the rows determine."""
    parts = 1.0 - problem.l2 * kernels.inverse_diagonal(factor)
    return max(math.fsum(parts.tolist()), 0.0)


def evident(found: Equations, options: LinearOptions) -> float:
    """Return the penalty under which the rows are most probable: MacKay's rule, λ = (weights the rows
    determine) / (sum of their squares, in standard deviations of the noise), held back by PSEUDO weights.
    """
    strength = 1.0
    if found.gram is None or not found.total:
        return strength
    for _ in range(ROUNDS):
        problem = found.problem(options, strength)
        w, factor = solved(problem, found)
        numbers, held = determined(problem, factor), problem.l2 > 0
        own = numbers - int((~held).sum())
        noise = left(problem, found, w) / max(problem.rows - numbers, 1e-9)
        squares = math.fsum((problem.l2 / strength * w * w).tolist()) / max(
            noise, 1e-12 * found.total / problem.rows
        )
        before, strength = strength, (own + PSEUDO) / (squares + PSEUDO)
        if abs(strength - before) <= 1e-3 * before:
            break
    return strength


def fold_errors(found: Equations, parts: Sequence[Array], options: LinearOptions) -> Array:
    """Return the mean squared error on rows left out after each of STRENGTHS. parts: the sums of the folds;
    a fit without one has the sums of all less its own.
    """
    losses = np.zeros(len(STRENGTHS))
    for part in parts:
        rest, own = found.without(part), replace(found, gram=part)
        for i, strength in enumerate(STRENGTHS):
            problem = rest.problem(options, strength)
            losses[i] += left(problem, own, solved(problem, rest)[0])
    return losses / found.known.rows * found.scale**2


def residuals(found: Equations, theta: Array, response: float = 1.0) -> ResidualSums:
    """Return the question of columns by residuals at standardised weights theta[parameter]; response 0: by
    scores, below 0.
    """
    known, power = found.known, found.whole.power[response_at(found.design)]
    scaled = theta * found.scales.power
    dense = 1 + len(found.design.dense)
    reach = math.fsum(np.abs(scaled[:dense]).tolist())
    for coded in found.design.coded:
        at = found.design.cell(coded)
        reach += float(np.abs(scaled[at : at + coded.levels + 2]).max())
    bound = max(response * power + reach, 1e-300)
    scaling = found.whole.scaling
    return ResidualSums(
        known.design, scaling, scaled[:, None].copy(), response * power, bound, known.bits, known.copies
    )


def pull(found: Equations, question: ResidualSums, total: Any) -> tuple[Array, float]:
    """Return columns by residuals [parameter] and the sum of the residuals' squares, standardised."""
    unit = found.known.factor * 2.0**-found.known.bits * question.bound
    sums = total.squares[0] * unit
    own = float(sums[response_at(found.design)]) * float(question.bound)
    return sums[found.others] * found.scales.power, own
