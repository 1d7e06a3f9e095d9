"""Refitting a logistic regression: its optimum again, with weights fixed, and along a path of priors.

1. The optimum again, with its curvature: `found_again()`; with some weights fixed: `found_held()`.
2. The strength of the prior by cross-validation, from strong to weak: entry `choose()`, `path_models()`.
3. `drive()`: answers a generator's questions on a table.

strength = λ of the l2 prior; held = weights fixed at given values; fold = rows left out by weights of 0.
Laws: with nothing held, the optimum is that of the fit; the choice does not depend on the order of rows,
since the loss on rows left out is summed in integers.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block, Engine, Table
from tallystick.linear.learner import Comparison, LogisticOptimum, build, compare, prepared, solve
from tallystick.linear.model import LogisticModel
from tallystick.linear.options import LogisticOptions
from tallystick.linear.prepare import KnownRows, Mask, Point, Prepared, Problem, Start, prepare
from tallystick.linear.solvers import FINE, SolverRun
from tallystick.schema import Schema
from tallystick.stats.design_sums import laid_out

# The optimum again, for tests and intervals.

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


ROUGH = 1e-4  # longest step still to go, in standardised weights, when a strength is judged
COSTLY = 2e7  # rows times squared weights from which a curvature costs more than several gradients
STRENGTHS = (100.0, 30.0, 10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01)  # tried, in this order


@dataclass(frozen=True)
class PenaltyPath:
    """strengths[i] had the mean loss losses[i] on rows left out; `best` has the lowest, of equals the
    strongest.
    """

    strengths: tuple[float, ...]
    losses: tuple[float, ...]

    @property
    def best(self) -> float:
        """The strength with the lowest loss."""
        return self.strengths[int(np.argmin(self.losses))]


def choose(
    folds: Iterable[tuple[Table, Table]], engine: Engine, options: LogisticOptions, schema: Schema, unit: int
) -> PenaltyPath:
    """Return the path over folds of (training rows, rows left out)."""
    plain = replace(options, l2=STRENGTHS[0])
    losses = np.zeros(len(STRENGTHS))
    rows = 0.0
    for training, left_out in folds:
        losses += fold_losses(training, left_out, engine, plain, schema, unit)
        rows += 1.0
    return PenaltyPath(STRENGTHS, tuple(float(v) for v in losses / max(rows, 1.0)))


def fold_losses(
    training: Table, left_out: Table, engine: Engine, options: LogisticOptions, schema: Schema, unit: int
) -> NDArray[np.float64]:
    """Return the loss on the rows left out after each strength, per row."""
    known, basis = drive(prepared(options, schema, unit), training, engine)
    out, w = np.zeros(len(STRENGTHS)), None
    for i, strength in enumerate(STRENGTHS):
        ready = prepare(known, basis, options, schema, strength)
        if w is not None:
            start = ready.start
            ready = replace(ready, start=replace(start, w=w))
        point, _ = drive(solve(ready, options, False, fine=ROUGH), training, engine)
        w = point.w
        seen = ready.problem.read(w, engine.total(left_out, ready.problem.ask(w)))
        out[i] = seen.loss
        if i > 1 and out[i] > 1.5 * out[:i].min():  # far past the lowest: weaker priors only fit noise
            out[i + 1 :] = out[i]
            break
    return out


@dataclass(frozen=True)
class PathPoint:
    """The optimum for one strength of the prior."""

    schema: Schema
    options: LogisticOptions
    known: KnownRows
    ready: Prepared
    point: Point
    run: SolverRun

    @cached_property
    def model(self) -> LogisticModel:
        """The model, without standard errors."""
        point, strength = replace(self.point, curvature=None), float(self.options.l2)
        optimum = LogisticOptimum(self.known, self.ready, point, self.run, strength)
        return build(self.schema, self.options, optimum)

    @property
    def answering(self) -> PathPoint:
        """The same without the matrices of its solver: to answer, here or where the rows are."""
        start = replace(self.ready.start, curvature=None, gram=None)
        ready = replace(self.ready, start=start, gram=None, basis=None)
        run = replace(self.run, latest=None)
        return replace(self, ready=ready, point=replace(self.point, curvature=None), run=run)

    def shares(self, block: Block) -> Array:
        """Return P(class | row) [row, class]: by the weights as they are, where these can answer."""
        if not self.ready.problem.texts:
            asked = self.ready.problem.ask(self.point.w)
            columns, way = laid_out(asked.design, block, 1).columns, kernels.Answer.SHARES
            shares, finite = kernels.linear_answers(columns, block.rows, asked.scaling, asked.theta, way)
            if finite:
                return shares
        return self.model.shares(block)


def path_models(
    training: Table, engine: Engine, options: LogisticOptions, strengths: Sequence[float], unit: int
) -> Iterator[LogisticModel]:
    """Yield the model of each strength of the prior, strong ones first, each started from the one before.

    Standard errors and the check for separated classes are left out: these models are only scored.
    """
    for found in path_points(training, engine, options, strengths, unit):
        yield found.model


def path_points(
    training: Table,
    engine: Engine,
    options: LogisticOptions,
    strengths: Sequence[float],
    unit: int,
    roughly: bool = False,
) -> Iterator[PathPoint]:
    """Yield the optimum of each strength, or, roughly, one near it."""
    schema = training.schema
    known, basis = drive(prepared(options, schema, unit), training, engine)
    before, seen, fine = None, None, ROUGH if roughly else FINE
    base = halved(prepare(known, basis, options, schema, strengths[0])) if roughly else None
    for strength in strengths:
        if base is None or base.start.curvature is None:
            ready = prepare(known, basis, options, schema, strength)
        else:
            ready = with_strength(base, strength)
        if before is not None and seen is not None:
            ready = led_on(ready, before, seen)
        elif costly(ready):  # where all scores are equal the products of columns give the curvature
            question = ready.problem.ask(ready.start.w)
            point = ready.problem.read(ready.start.w, engine.total(training, question))
            ready = replace(ready, start=replace(ready.start, point=point))
        point, run = drive(solve(ready, options, False, fine=fine), training, engine)
        fresh = run.latest if point.curvature is None else point.curvature
        before, seen = ready, replace(point, curvature=ready.start.curvature if fresh is None else fresh)
        yield PathPoint(schema, replace(options, l2=strength), known, ready, point, run)


def with_strength(ready: Prepared, strength: float) -> Prepared:
    """Return the same problem with a prior of another strength; the matrix it begins with follows."""
    problem, start = ready.problem, ready.start
    l2 = ready.l2(strength)
    curvature, change = start.curvature, l2 - problem.l2
    if curvature is not None:
        curvature = curvature.copy()
        curvature.reshape(-1)[:: len(curvature) + 1] += change
    start = replace(start, curvature=curvature, diagonal=start.diagonal + change)
    return replace(ready, problem=replace(problem, l2=l2), start=start)


def halved(ready: Prepared) -> Prepared:
    """Return the same problem with one weight for a column of two levels in the place of two.

    A prior that holds both alike leaves them opposite, and the constant takes what they have in common. So
    the weight of the second may stand for their difference u, which half the prior holds: the squares of u/2
    and -u/2 sum to half of u's. With half the weights a curvature has an eighth of the work.
    """
    problem, start, d = ready.problem, ready.start, ready.problem.design
    pairs = [d.cell(c) for c in d.coded if c.levels == 2 and c.column.kind != "boolean"]
    first = np.array([at for at in pairs if not problem.free[at + 2]], np.int64)  # none is missing
    if start.curvature is None or not len(first) or not d.constant or problem.l1.any():
        return ready
    free, half = problem.free.copy(), np.ones(d.size)
    free[first], half[first + 1] = False, math.sqrt(0.5)
    left = free[problem.free]
    stays = np.repeat(left, problem.free_links)
    each = ready.each[stays] * np.repeat(half[free], problem.free_links)
    kept = np.flatnonzero(stays)
    start = replace(
        start,
        w=start.w[stays],
        curvature=start.curvature[np.ix_(kept, kept)],
        diagonal=start.diagonal[stays],
        squares=start.squares[left],
        gram=None if start.gram is None else start.gram[np.ix_(left, left)],
    )
    problem = replace(problem, free=free, l2=problem.l2[stays], l1=problem.l1[stays])
    return replace(ready, problem=problem, start=start, each=each)


def costly(ready: Prepared) -> bool:
    """Does a curvature cost more than several gradients, so that one is kept for many steps?"""
    problem = ready.problem
    much = problem.rows * problem.weights**2 >= COSTLY
    return much and ready.start.curvature is not None and not ready.part and not problem.texts


def led_on(ready: Prepared, before: Prepared, seen: Point) -> Prepared:
    """Return the problem, started at the optimum of one that differs only in the strength of its prior. Where
    a curvature costs much, the last one is kept, with the new prior: it only gives directions, and the
    gradient of the rows decides the optimum.
    """
    problem, start = ready.problem, ready.start
    same = np.array_equal(problem.free, before.problem.free)
    if seen.curvature is None or not same or not costly(ready):
        return replace(ready, start=replace(start, w=seen.w))
    known = problem.reread(seen, before.problem)
    point = replace(known, curvature=None)
    return replace(ready, start=replace(start, w=seen.w, curvature=known.curvature, point=point))


def drive(stages: Any, table: Table, engine: Engine) -> Any:
    """Answer a generator's questions on a table and return what it returns."""
    try:
        question = next(stages)
        while True:
            question = stages.send(engine.total(table, question))
    except StopIteration as end:
        return end.value
