"""Least squares and ridge: the normal equations from sums, residual refinement, and the linear learner.

1. Equations: `Equations`, `solved()`; the penalty: `evident()` (MacKay's rule), `fold_errors()` (folds).
2. Refinement from residuals summed over the rows: `mended()`; many columns: `conjugate()`.
3. Entry: `LinearLearner`; `fit_once()` for one penalty.

The response is the last dense column of the design, so that one question gives the products of columns
with each other and with the response.
laid = weights placed among all parameters; left = residual.
Laws: no row is seen, only totals; the same totals give the same model; the order of rows does not matter.
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
from tallystick.contracts import Statistic
from tallystick.errors import DataError, OptionError, counted
from tallystick.kernels.linear import Curvature
from tallystick.linear.learner import condition_of, errors_of, ordered, parts_of
from tallystick.linear.model import LeastSquares, LinearModel
from tallystick.linear.options import DEFAULT_L2, LinearOptions
from tallystick.linear.prepare import (
    HELD,
    MATRIX,
    Basis,
    KnownRows,
    Moments,
    Prepared,
    Problem,
    Repeat,
    Scales,
    Start,
    averaged,
    first_question,
    free_weights,
    norm,
    prior_sizes,
    products_of,
    repeat_notes,
    repeated,
    row_shares,
    scales_of,
)
from tallystick.schema import Note, Schema
from tallystick.stats.design_sums import (
    Design,
    LogisticSums,
    ResidualSums,
    ResponseFacts,
    ResponseTotals,
    RowTotals,
    Total,
    design_of,
    response_at,
    with_response,
)

Array = NDArray[np.float64]
PSEUDO = 5.0  # weights that are counted in favour of a penalty of 1, so that few cannot drive it far
ROUNDS = 50  # of MacKay's rule at most
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
    determine) / (sum of their squares, in standard deviations of the noise), damped by PSEUDO weights.
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


# Refinement: the residuals of the solution are summed over the rows and solved again; where columns are too
# many for a matrix, conjugate gradients.

MENDS = 4  # rounds of refinement at most
FINE = 1e-15  # step relative to the weights, below which refinement ends
LIMIT = 5_000  # steps of conjugate gradients at most
SMALL = 1e-10  # gradient relative to the first, below which conjugate gradients end
AGAIN = 3  # restarts of conjugate gradients, from residuals that are summed afresh
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
    """Return the weights, the sum of squared errors there, and how many rounds it took: rounding of
    the equations is corrected from residuals of the rows while they get smaller.
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


# The learner: the sums of columns and response, then the weights that solve them.

KEPT = 60  # coefficients up to which the model file has their covariance


@dataclass(frozen=True)
class LinearLearner:
    """unit: a weight of 1 is this many; chosen: the penalty in force when l2 is "cv"; notes are filled on
    the way.
    """

    options: LinearOptions
    unit: int = 1
    chosen: float = DEFAULT_L2
    notes: list[Note] | None = None

    def learn(self, schema: Schema) -> Generator[Statistic[Any], Any, LinearModel]:
        """Ask for the normal equations, and solve them; with many weights by conjugate gradients."""
        options, given = self.options, self.options.l2
        found = yield from equations_of(options, schema, self.unit)
        auto = evident(found, options) if given == "auto" else self.chosen
        fitted = yield from fit_once(schema, options, found, auto if isinstance(given, str) else float(given))
        if self.notes is not None:
            self.notes.extend(repeat_notes(found.design, found.repeats, fitted.strength > 0))
        return fitted.model()


def equations_of(options: LinearOptions, schema: Schema, unit: int) -> Generator[Any, Any, Equations]:
    """Ask for the equations of a table; more columns than a matrix may have are not cross-validated."""
    design = design_of(schema, options)
    if design.texts and not design.dense and not design.coded:
        raise DataError(
            "a linear regression needs columns of numbers or levels, and there is none besides "
            f"{counted(len(design.texts), 'column')} of text."
        )
    if options.l2 == "cv" and design.size >= MATRIX:
        raise OptionError(
            f"l2='cv' is for at most {MATRIX:,} weights, and there are {design.size:,}. Give a number, or "
            "leave out columns of many levels."
        )
    return (yield from equations(design, unit))


@dataclass(frozen=True)
class FittedLinear:
    """One fit, before it becomes a model."""

    schema: Schema
    options: LinearOptions
    found: Equations
    problem: Problem
    strength: float
    w: Array  # standardised, of a standardised response
    error: float  # the same
    steps: int
    factor: Array | None  # of the matrix with the penalty

    def fit(self) -> LeastSquares:
        """Return how it went."""
        found, problem, unit = self.found, self.problem, self.found.scale**2
        rows, at = problem.rows, len(found.design.dense) + 1
        null = float(found.squares[at])
        if found.gram is not None:
            null = found.total
            null -= float(found.gram[0, at]) ** 2 / rows if found.design.constant else 0.0
        degrees = float(problem.weights) if self.factor is None else determined(problem, self.factor)
        gram = None if found.matrix is None else found.matrix
        ready = Prepared(problem, Start(self.w), gram)
        error, null = max(float(self.error), 0.0) * unit, max(null, 0.0) * unit
        condition = condition_of(ready)
        return LeastSquares(self.strength, error, null, self.steps, rows, problem.weights, degrees, condition)

    def model(self) -> LinearModel:
        """Return the model, in the user's units."""
        found, problem = self.found, self.problem
        theta = np.zeros((len(problem.free), 1))
        theta[problem.free, 0] = self.w * found.scale
        theta[0] += found.centre
        counts = found.columns.squares
        constant, parts = parts_of(self.schema, problem, theta, [], counts)
        fit = self.fit()
        model = LinearModel(self.schema, self.options, constant, parts, fit)
        shares = row_shares(Basis(replace(found.known, design=found.design), found.columns))
        model = averaged(model, found.design, shares, [])
        if self.factor is None or not fit.variance > 0:
            return model
        noisy = replace(problem, l2=problem.l2 / fit.variance)  # the penalty as a prior beside the noise
        model = replace(model, errors=errors_of(noisy, self.curvature(fit.variance), counts, parts))
        few = len(model.errors) <= KEPT
        return replace(model, covariance=self.covariance(fit.variance, parts)) if few else model

    def curvature(self, variance: float) -> Array:
        """Return the matrix with the penalty over the variance of the noise."""
        at = np.flatnonzero(self.problem.free)
        assert self.found.matrix is not None
        matrix = np.ascontiguousarray(self.found.matrix[np.ix_(at, at)])
        matrix.reshape(-1)[:: len(matrix) + 1] += self.problem.l2
        return matrix / variance

    def covariance(self, variance: float, parts: Any) -> tuple[tuple[float, ...], ...]:
        """Return how the errors of standardised weights go together, in the order of coefficients."""
        assert self.factor is not None
        free = np.flatnonzero(self.problem.free)
        whole = np.zeros((len(self.problem.free), len(self.problem.free)))
        inverse = np.stack([kernels.cholesky_solve(self.factor, unit) for unit in np.eye(len(free))])
        whole[np.ix_(free, free)] = 0.5 * (inverse + inverse.T) * variance
        first = np.stack(ordered(self.problem, whole, parts))
        table = np.stack(ordered(self.problem, first.T.copy(), parts))
        return tuple(tuple(float(v) for v in row[: i + 1]) for i, row in enumerate(table))


def fit_once(
    schema: Schema, options: LinearOptions, found: Equations, strength: float
) -> Generator[Any, Any, FittedLinear]:
    """Return the fit under one penalty."""
    problem = found.problem(options, strength)
    factor: Array | None = None
    if found.gram is None:
        w, error, steps = yield from conjugate(problem, found)
    else:
        w, factor = solved(problem, found)
        w, error, steps = yield from mended(problem, found, w, factor)
    return FittedLinear(schema, options, found, problem, strength, w, error, steps, factor)
