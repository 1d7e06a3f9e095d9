"""The strength of the prior by cross-validation: a path from strong to weak, each fit started from the one
before.

A fold is left out by weights of 0, so that the rows stay where they are; the loss on rows left out is
summed as any loss is, in whole numbers. Knows tables as something an engine can sum over. Law: the choice
depends on no order of rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Engine, Table
from tallystick.data.schema import Schema
from tallystick.learners.logistic.build import build
from tallystick.learners.logistic.learner import prepared, solve
from tallystick.learners.logistic.prepare import Prepared, prepare
from tallystick.learners.logistic.problem import Point
from tallystick.learners.logistic.solvers import FINE
from tallystick.models.logistic.model import LogisticModel
from tallystick.models.logistic.options import LogisticOptions

ROUGH = 1e-4  # how near to its optimum a strength is judged: the longest step still to go
COSTLY = 2e7  # rows times squared weights from which a curvature costs more than several gradients
STRENGTHS = (100.0, 30.0, 10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01)


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
    folds: Sequence[tuple[Table, Table]], engine: Engine, options: LogisticOptions, schema: Schema, unit: int
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


def path_models(
    training: Table,
    engine: Engine,
    options: LogisticOptions,
    strengths: Sequence[float],
    unit: int,
    roughly: bool = False,
) -> Iterator[LogisticModel]:
    """Yield the model of each strength of the prior, strong ones first, each started from the one before.

    Standard errors and the look for separated classes are left out: these models answer and are forgotten.
    roughly: they only tell which strength is best.
    """
    schema = training.schema
    known, basis = drive(prepared(options, schema, unit), training, engine)
    before, seen, fine = None, None, ROUGH if roughly else FINE
    for strength in strengths:
        ready = prepare(known, basis, options, schema, strength)
        if before is not None and seen is not None:
            ready = led_on(ready, before, seen)
        elif costly(ready):  # where all scores are equal the products of columns tell the curvature
            question = ready.problem.ask(ready.start.w)
            point = ready.problem.read(ready.start.w, engine.total(training, question))
            ready = replace(ready, start=replace(ready.start, point=point))
        point, run = drive(solve(ready, options, False, fine=fine), training, engine)
        fresh = run.latest if point.curvature is None else point.curvature
        before, seen = ready, replace(point, curvature=ready.start.curvature if fresh is None else fresh)
        point = replace(point, curvature=None)
        yield build(schema, replace(options, l2=strength), known, ready, point, run, "", strength)


def costly(ready: Prepared) -> bool:
    """Does a curvature cost more than several gradients, so that one is kept for many steps?"""
    problem = ready.problem
    much = problem.rows * problem.weights**2 >= COSTLY
    return much and ready.start.curvature is not None and not ready.part and not problem.texts


def led_on(ready: Prepared, before: Prepared, seen: Point) -> Prepared:
    """Return a problem begun where another one ended that differs by the strength of its prior. Where a
    curvature costs much, the last one that was seen is kept, with the new prior: it says which way is down,
    and the gradient of the rows decides the optimum.
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
