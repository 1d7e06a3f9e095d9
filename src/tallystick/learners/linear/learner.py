"""Linear regression as a learner: the sums of columns and response, then the weights that solve them.

Knows stages. Never sees a row. Law: the same totals give the same model.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.schema import Note, Schema
from tallystick.errors import DataError, OptionError, counted
from tallystick.learners.linear.normal import Equations, determined, equations, evident, solved
from tallystick.learners.linear.solve import conjugate, mended
from tallystick.learners.logistic.average import averaged, row_shares
from tallystick.learners.logistic.build import condition_of, errors_of, ordered, parts_of
from tallystick.learners.logistic.prepare import MATRIX, Basis, Prepared
from tallystick.learners.logistic.problem import Problem, Start
from tallystick.learners.logistic.repeats import repeat_notes
from tallystick.learners.stages import LearnerInStages, Stages
from tallystick.models.linear.model import LeastSquares, LinearModel
from tallystick.models.linear.options import LinearOptions
from tallystick.models.logistic.design import design_of
from tallystick.models.logistic.options import DEFAULT_L2

Array = NDArray[np.float64]
KEPT = 60  # coefficients up to which the model file says how their errors go together


@dataclass(frozen=True)
class LinearLearner(LearnerInStages[LinearModel]):
    """unit: a weight of 1 is this many; chosen: the penalty in force when l2 is "cv"; notes are filled on
    the way.
    """

    options: LinearOptions
    unit: int = 1
    chosen: float = DEFAULT_L2
    notes: list[Note] | None = None

    def _stages(self, schema: Schema) -> Stages[LinearModel]:
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
