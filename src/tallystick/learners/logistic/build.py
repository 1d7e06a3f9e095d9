"""From the optimum to the model: weights in the user's units, standard errors, and how well it fitted.

Knows problems, points and parts. Knows nothing of how the optimum was found.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.schema import Note, Schema
from tallystick.learners.logistic.compared import bases_of, compare, with_rows
from tallystick.learners.logistic.prepare import KnownRows, Prepared, reference_class
from tallystick.learners.logistic.problem import Point, Problem
from tallystick.learners.logistic.separation import SeparationVerdict
from tallystick.learners.logistic.solvers import SolverRun
from tallystick.models.logistic.model import Fit, LogisticModel
from tallystick.models.logistic.options import LogisticOptions
from tallystick.models.logistic.parts import Cells, Part, Product, Slope, WordWeights

Array = NDArray[np.float64]


@dataclass(frozen=True)
class LogisticOptimum:
    """Where a fit ended. strength: of its l2 prior; null: the loss without any column, where it is not that
    of the class shares.
    """

    known: KnownRows
    ready: Prepared
    point: Point
    run: SolverRun
    strength: float = 0.0
    null: float | None = None


@dataclass
class ToldWhenAsked:
    """What a fit tells of itself, found when somebody first asks for it: most models only answer.

    look: says whether the classes are separated, which may need the rows.
    """

    optimum: LogisticOptimum
    l1: float
    parts: tuple[Part, ...]
    look: Callable[[], SeparationVerdict] = SeparationVerdict

    @cached_property
    def verdict(self) -> SeparationVerdict:
        """Whether the classes are separated."""
        found = self.look()
        self.look = lambda: found  # the rows are no longer needed; another thread may ask meanwhile
        return found

    @cached_property
    def fit(self) -> Fit:
        """How the fit went."""
        known, ready, point = self.optimum.known, self.optimum.ready, self.optimum.point
        problem, null = ready.problem, self.optimum.null
        return Fit(
            self.optimum.strength,
            -point.loss,
            null_likelihood(known) if null is None else -null,
            len(self.optimum.run.trace) - 1,
            problem.rows,
            count_weights(problem, point),
            self.verdict.kind,
            condition_of(ready),
            spread_of(problem, point),
            degrees_of(known, ready, point),
        )

    @cached_property
    def errors(self) -> tuple[tuple[float, ...], ...]:
        """Standard errors, in the order of the model's coefficients; none where they mean nothing."""
        if self.optimum.point.curvature is None or self.optimum.run.spent or self.verdict.kind:
            return ()
        ready = self.optimum.ready
        if ready.basis is None:
            return ()
        return errors_of(ready.problem, self.optimum.point.curvature, ready.basis.moments.squares, self.parts)

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """What has to be said of separated classes."""
        return (self.verdict.note(self.optimum.strength, self.l1),) if self.verdict.kind else ()


def build(
    schema: Schema,
    options: LogisticOptions,
    optimum: LogisticOptimum,
    look: Callable[[], SeparationVerdict] = SeparationVerdict,
) -> LogisticModel:
    """Return the model at the optimum. look: says whether the classes are separated, which is asked later."""
    problem = optimum.ready.problem
    theta, words = problem.theta(optimum.point.w)
    basis = optimum.ready.basis
    counts = None if basis is None else basis.moments.squares
    constant, parts = parts_of(schema, problem, theta, words, counts)
    told = ToldWhenAsked(optimum, options.l1, parts, look)
    return LogisticModel(schema, options, constant, parts, told, reference_class(options, schema.predicted))


def in_units(theta: Array, centre: Array, scale: Array) -> tuple[Array, Array, Array]:
    """Return constant[link] and slopes[dense, link] in the user's units, and what each slope adds at its
    centre.
    """
    slopes = theta[1 : 1 + len(scale)] / scale[:, None]
    averages = slopes * centre[:, None]
    shifts, constant = averages.tolist(), theta[0].copy()
    for link in range(len(constant)):
        rest = float(constant[link])
        for shift in shifts:
            rest -= shift[link]
        constant[link] = rest
    return constant, slopes, averages


def parts_of(
    schema: Schema, problem: Problem, theta: Array, words: Sequence[Array], counts: Array | None = None
) -> tuple[Array, tuple[Part, ...]]:
    """Return constant[link] and the parts, in the user's units. counts[parameter]: what the rows of a cell
    count for; None where nobody compares levels.
    """
    d, scales = problem.design, problem.scales
    constant, slopes, averages = in_units(theta, scales.centre, scales.scale)
    dense: dict[str, Part] = {}
    products: list[Part] = []
    each = zip(d.dense, slopes, averages, scales.centre.tolist(), scales.scale.tolist(), strict=True)
    for j, (column, slope, average, centre, scale) in enumerate(each):
        if len(column.factors) > 1:
            if problem.free[1 + j]:  # without a prior not with a reference level
                products.append(Product(column.name, column.factors, slope, centre, scale, average))
        elif column.missing:
            known = dense[column.column]
            assert isinstance(known, Slope)
            dense[column.column] = Slope(known.name, known.slope, known.centre, known.scale, slope)
        else:
            name = column.factors[0].column
            dense[name] = Slope(name, slope, centre, scale, None, average)
    bases = {} if counts is None else bases_of(problem, counts)
    free = (problem.free if counts is None else problem.free & with_rows(problem, counts)).tolist()
    for coded in d.coded:
        at, name = d.cell(coded), coded.column.name
        end = at + coded.levels + 1
        dense[name] = Cells(name, theta[at:end].copy(), tuple(free[at:end]), base=bases.get(name))
    for written, table, text in zip(d.texts, words, problem.texts, strict=True):
        idf = text.idf[:-1].copy() if text.unit else np.zeros(0)
        dense[written.name] = WordWeights(written.name, table.copy(), idf)
    return constant, (*(dense[c.name] for c in schema.used if c.name in dense), *products)


def errors_of(
    problem: Problem, curvature: Array, counts: Array, parts: Sequence[Part]
) -> tuple[tuple[float, ...], ...]:
    """Return standard errors of the model's coefficients as tables show them, in their order
    [coefficient][link]: those of levels are of the difference from the base level; 0 for what is not free.
    """
    found = compare(problem, counts).of(curvature)
    if found is None:
        return ()
    factor, at = kernels.cholesky(found.curvature, 1e-14)
    if at < len(found.curvature):
        return ()
    k, n = problem.free_links, len(found.at)
    variances = kernels.inverse_diagonal(factor).reshape(n, k)
    if found.common is not None:
        variances = variances - kernels.inverse_diagonal(found.common)[:, None] / k
    table = np.zeros((problem.design.size, len(problem.links)))
    table[np.ix_(found.at, np.flatnonzero(problem.links))] = np.sqrt(np.maximum(variances, 0.0))
    scales = problem.scales
    dense = len(problem.design.dense)
    table[1 : 1 + dense] /= scales.scale[:, None]
    shift = np.zeros(problem.design.size)
    shift[0] = 1.0
    shift[1 : 1 + dense] = -scales.centre / scales.scale
    for i, link in enumerate(np.flatnonzero(problem.links)):
        c = np.zeros((n, k))
        c[:, i] = own = np.ascontiguousarray(shift[found.at])
        flat = c.ravel()
        variance = kernels.dot(flat, kernels.cholesky_solve(factor, flat))
        if found.common is not None:
            variance -= kernels.dot(own, kernels.cholesky_solve(found.common, own)) / k
        table[0, link] = math.sqrt(max(variance, 0.0))
    return tuple(tuple(float(v) for v in row) for row in ordered(problem, table, parts))


def ordered(problem: Problem, table: Array, parts: Sequence[Part]) -> list[Array]:
    """Return rows of table[parameter, link] in the order of coefficients: constant, then part by part."""
    d = problem.design
    by_name: dict[str, list[Array]] = {}
    for j, column in enumerate(d.dense):
        by_name.setdefault(column.name if len(column.factors) > 1 else column.column, []).append(table[1 + j])
    for coded in d.coded:
        at = d.cell(coded)
        by_name[coded.column.name] = list(table[at : at + coded.levels + 1])
    return [table[0], *(row for part in parts for row in by_name.get(part.name, []))]


def count_weights(problem: Problem, point: Point) -> int:
    """Return how many weights were free to be chosen; with an L1 prior, those that are not 0."""
    return int(np.count_nonzero(point.w)) if problem.l1.any() else problem.weights


def degrees_of(known: KnownRows, ready: Prepared, point: Point) -> float:
    """Return how many numbers the weights amount to, for AIC and BIC: those that the rows determine, the sum
    of 1 - l2 * (inverse curvature) over weights. Without a prior that is all that are free. With an L1 prior:
    those that are not 0. Where there is no curvature: as many as would be free without a prior.
    """
    problem = ready.problem
    if problem.l1.any() or not problem.l2.any():
        return float(count_weights(problem, point))
    if point.curvature is not None:
        factor, at = kernels.cholesky(point.curvature, 1e-14)
        if at == len(point.curvature):
            parts = 1.0 - problem.l2 * kernels.inverse_diagonal(factor)
            # the common shift of constants is not a number of its own
            return max(math.fsum(parts.tolist()) - problem.symmetric, 0.0)
    words = sum(len(t.idf) - 1 for t in problem.texts)
    links = len(problem.links) - 1 if len(problem.links) > 1 else 1
    return float((ready.told_apart + words) * links)


def null_likelihood(known: KnownRows) -> float:
    """Return the log-likelihood of the class shares."""
    rows = known.classes * known.class_weights
    rows = rows[rows > 0]
    logs = kernels.log(rows / math.fsum(rows.tolist()))
    return math.fsum((rows * logs).tolist())


def spread_of(problem: Problem, point: Point) -> tuple[tuple[float, ...], ...]:
    """Return the mean over rows of p_a (1[a = b] - p_b) [link, link], from the curvature of the constants."""
    if point.curvature is None or not problem.design.constant:
        return ()
    k, links = problem.free_links, np.flatnonzero(problem.links)
    block = point.curvature[:k, :k] - (problem.rows / k if problem.symmetric else 0.0)
    out = np.zeros((len(problem.links), len(problem.links)))
    out[np.ix_(links, links)] = block / problem.rows
    if k < len(problem.links) and not problem.symmetric:  # the reference is minus the sum of the others
        ref = int(np.flatnonzero(~problem.links & ~problem.absent)[0])
        for a in links:
            out[a, ref] = out[ref, a] = -math.fsum(out[a, links].tolist())
        out[ref, ref] = -math.fsum(out[ref, links].tolist())
    return tuple(tuple(float(v) for v in row) for row in out)


def condition_of(ready: Prepared) -> float | None:
    """Return the condition number of the correlations among columns (constant aside): largest over smallest
    eigenvalue.
    """
    if ready.gram is None:
        return None
    at = np.flatnonzero(ready.problem.free)
    at = at[(at > 0) & (at <= len(ready.problem.design.dense))]
    if len(at) == 0 or len(at) > 500:
        return None
    own = np.sqrt(np.maximum(np.diag(ready.gram)[at], 1e-300))
    matrix = np.ascontiguousarray(ready.gram[np.ix_(at, at)] / (own[:, None] * own[None, :]))
    factor, done = kernels.cholesky(matrix, 1e-12)
    if done < len(matrix):
        return None
    largest, smallest = kernels.eigen_ends(matrix, factor)
    return largest / smallest
