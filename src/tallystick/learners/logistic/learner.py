"""Logistic regression as a learner: rows per class, then the moments of columns, then one question per step.

Knows stages. Solvers, the objective and the model are neighbours. Never sees a row.
Law: the same totals give the same model.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Statistic
from tallystick.data.schema import Note, Schema
from tallystick.learners.logistic import solvers
from tallystick.learners.logistic.build import build
from tallystick.learners.logistic.prepare import (
    MATRIX,
    Moments,
    Prepared,
    Known,
    class_weights,
    first_question,
    prepare,
    repeat_notes,
)
from tallystick.learners.logistic.problem import Point
from tallystick.models.logistic.design import design_of
from tallystick.models.logistic.model import LogisticModel
from tallystick.models.logistic.options import DEFAULT_L2, LogisticOptions
from tallystick.stats.gradients import RowFacts

Array = NDArray[np.float64]
ERRORS = 2_000  # weights beyond which standard errors are not given
LIMITS = {"newton": 200, "lbfgs": 5_000, "conjugate-gradient": 20_000, "gradient": 1_000_000}
CHEAP = 2_000_000  # rows times weights below which the curvature is asked for at every step


@dataclass
class Draft:
    """A fit under way: the stages as a generator, and the question it waits on."""

    stages: Generator[Statistic[Any], Any, LogisticModel]
    question: Statistic[Any] | None
    model: LogisticModel | None = None


@dataclass(frozen=True)
class LogisticLearner:
    """unit: a weight of 1 is this many; errors: standard errors are wanted; trace and notes are filled on the way."""

    options: LogisticOptions = field(default_factory=LogisticOptions)
    unit: int = 1
    errors: bool = True
    trace: list[solvers.Step] | None = None
    notes: list[Note] | None = None

    def start(self, schema: Schema) -> Draft:
        """Return the first draft."""
        stages = self._stages(schema)
        return Draft(stages, next(stages))

    def ask(self, draft: Draft) -> Statistic[Any] | None:
        """Return the next question."""
        return draft.question

    def update(self, draft: Draft, total: Any) -> Draft:
        """Work the answer in."""
        try:
            draft.question = draft.stages.send(total)
        except StopIteration as end:
            draft.question, draft.model = None, end.value
        return draft

    def finish(self, draft: Draft) -> LogisticModel:
        """Return the model."""
        assert draft.model is not None
        return draft.model

    def _stages(self, schema: Schema) -> Generator[Statistic[Any], Any, LogisticModel]:
        assert schema.target is not None
        options = self.options
        design = design_of(schema, options.interactions, options.polynomial)
        facts = yield RowFacts(design, len(schema.target.labels))
        known = Known(
            design, facts, self.unit,
            class_weights(options.class_weight, schema.target, facts.classes / self.unit),
        )
        total = yield first_question(known, design.size * known.links <= 3 * MATRIX)
        moments = Moments.of(total, known)
        strength = options.l2 if not isinstance(options.l2, str) else DEFAULT_L2
        ready = prepare(known, moments, options, schema, float(strength))
        point, run = yield from solve(ready, options, self.errors)
        if self.trace is not None:
            self.trace.extend(run.trace)
        model = build(schema, options, known, ready, point, run, strength=float(strength))
        if self.notes is not None:
            self.notes.extend(repeat_notes(known, ready.repeats, strength > 0 or options.l1 > 0))
        return model


def solve(ready: Prepared, options: LogisticOptions, errors: bool) -> Generator[Any, Any, tuple[Point, solvers.Run]]:
    """Return the optimum by the solver asked for, and how it went."""
    problem, start = ready.problem, ready.start
    name = options.solver
    if name == "auto":
        name = "newton" if start.curvature is not None else "lbfgs"
    run = solvers.Run(problem, options.max_iter or LIMITS[name], errors and problem.weights <= ERRORS and not problem.texts)
    if name == "newton":
        point = yield from solvers.newton(run, start, refresh(ready))
    elif name == "lbfgs":
        point = yield from solvers.lbfgs(run, start)
    elif name == "conjugate-gradient":
        point = yield from solvers.conjugate_gradient(run, start)
    else:
        point = yield from solvers.gradient_ascent(run, start)
    if run.errors and point.curvature is None:
        point = yield from run.ask(point.w, True)
    return point, run


def refresh(ready: Prepared) -> int:
    """Return after how many steps a new curvature pays: at once when it costs little beside the step itself."""
    problem = ready.problem
    if ready.start.curvature is None or problem.rows * problem.weights <= CHEAP:
        return 1
    pairs = max(len(problem.links) * (len(problem.links) - 1) // 2, 1)
    ratio = pairs * int(problem.free.sum()) / (4 * len(problem.links))
    return max(1, min(10, int(ratio)))
