"""Logistic regression as a learner: rows per class, then the moments of columns, then one question per step.

Knows stages. Solvers, the objective and the model are neighbours. Never sees a row.
Law: the same totals give the same model.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.data.schema import Note, Schema
from tallystick.errors import OptionError, shown
from tallystick.learners.logistic import solvers
from tallystick.learners.logistic.average import averaged, row_shares, word_means
from tallystick.learners.logistic.build import LogisticOptimum, build, parts_of
from tallystick.learners.logistic.evidence import evident
from tallystick.learners.logistic.firth import ascent, refuse_firth
from tallystick.learners.logistic.prepare import (
    MATRIX,
    Basis,
    KnownRows,
    Moments,
    Prepared,
    first_question,
    known_rows,
    prepare,
)
from tallystick.learners.logistic.problem import Point, Start
from tallystick.learners.logistic.repeats import repeat_notes
from tallystick.learners.logistic.separation import SeparationVerdict, ahead, lacking, look
from tallystick.learners.logistic.small import small_model, small_question
from tallystick.learners.stages import LearnerInStages, Stages
from tallystick.models.logistic.coefficients import coefficients
from tallystick.models.logistic.design import design_of
from tallystick.models.logistic.model import KnownFit, LogisticModel
from tallystick.models.logistic.options import DEFAULT_L2, ERRORS, LogisticOptions

Array = NDArray[np.float64]
Look = Callable[[], Generator[Any, Any, SeparationVerdict]]
Later = Callable[[Generator[Any, Any, Any]], Any]
MOST_STEPS = 1 << 62  # more are as many, and kernels count in 64 bits
LIMITS = {"newton": 200, "lbfgs": 5_000, "conjugate-gradient": 20_000, "gradient": 1_000_000}
CORNERS = 1_000  # steps of any solver under an L1 prior
GRAM = 1e10  # rows times pairs of columns up to which their products are summed though no solver needs them
ENOUGH = 0.1  # a Newton step that can change no score by more has an optimum ahead
PROBE = 300  # weights up to which separation is looked for under a prior, and what is told may wait
MANY, EVERY = 100_000, 16  # from so many rows on, a sample of one in EVERY says where to begin
WEAK = (1e-8, 1e-11)  # priors that hold no weights that can run
LASTING = 10  # steps by a curvature that was seen elsewhere, before one is asked for
USUAL = 1e100  # how far the middles and sizes of columns are from 1 where no standard error is beyond 1e300
CHEAP = 2_000_000  # rows times weights below which the curvature is asked for at every step


@dataclass(frozen=True)
class LogisticLearner(LearnerInStages[LogisticModel]):
    """unit: a weight of 1 is this many; probes: classes that only a prior keeps from being separated are
    looked for, which is told and changes no weight; trace and notes are filled on the way. later: answers
    further questions of the same rows, so that what only tells of the fit is found when somebody asks.
    """

    options: LogisticOptions
    unit: int = 1
    probes: bool = True
    chosen: float = DEFAULT_L2  # the strength in force when l2 is "cv"
    trace: list[solvers.SolverStep] | None = None
    keep_weights: bool = False  # whether the trace has them
    notes: list[Note] | None = None
    later: Later | None = None

    def _stages(self, schema: Schema) -> Stages[LogisticModel]:
        options = self.options
        if self.later is not None and len(schema.used) < PROBE:  # a small table: perhaps by one question
            question = small_question(options, schema, LIMITS["newton"])
            found = None if question is None else (yield question)
            if found is not None and measured(found.centre, found.scale):
                return small_model(schema, options, found, partial(self._again, schema))
        known, basis = yield from prepared(options, schema, self.unit)
        ready = None
        if options.firth:
            refuse_firth(known, schema.predicted.name)
            strength = 0.0
        elif options.l2 == "auto" and not options.l1:
            strength, ready = yield from evident(known, basis, options, schema, solve)
        else:
            strength = (
                self.chosen if options.l2 == "cv" else 0.0 if options.l2 == "auto" else float(options.l2)
            )
        given = ready or prepare(known, basis, options, schema, strength)
        wanted: dict[int, Array] | None = {} if self.keep_weights else None
        fitted = yield from fit_once(known, basis, options, schema, strength, given, wanted)
        if not self.probes:
            fitted = replace(fitted, look=None)
        elif fitted.look is not None and self.later is None:
            fitted = replace(fitted, verdict=(yield from fitted.look()), look=None)
        if self.trace is not None:
            self.trace.extend(fitted.steps())
        if self.notes is not None:
            self.notes.extend(fitted.notes())
        return fitted.model(self.later, forgotten=not self.probes)

    def _again(self, schema: Schema) -> KnownFit:
        """Return what the same fit tells when it is made the long way."""
        assert self.later is not None
        notes: list[Note] = []
        told = self.later(replace(self, later=None, trace=None, notes=notes)._stages(schema)).told
        return KnownFit(told.fit, told.errors, (*notes, *told.notes))


def prepared(
    options: LogisticOptions, schema: Schema, unit: int
) -> Generator[Any, Any, tuple[KnownRows, Basis]]:
    """Ask what every fit needs: rows per class and word, then the moments of columns."""
    design = design_of(schema, options)
    if options.solver == "newton" and design.texts:
        raise OptionError(
            f"solver 'newton' needs a matrix of weights, and text column {shown(design.texts[0].name)} has "
            "one for every word; take 'auto' or 'lbfgs'."
        )
    known = yield from known_rows(design, options.class_weight, schema.predicted, unit)
    size = design.size * known.links
    if not design.texts and size <= MATRIX and many(known.rows, size):
        found = Moments.of((yield first_question(known, False)), known)
        part = Moments.of((yield first_question(known, True, EVERY)), known)
        basis = Basis(known, found, part.times(EVERY))
        fair = abs(part.squares[0] * EVERY / found.squares[0] - 1.0) <= 0.5  # few distinct rows: all or none
        if fair and not basis.repeats:  # columns apart in a part of the rows are apart in all
            return known, basis
    cheap = design.size <= MATRIX and known.rows * (1 + len(design.dense)) ** 2 <= GRAM
    total = yield first_question(known, size <= MATRIX or cheap)
    return known, Basis(known, Moments.of(total, known))


def many(rows: float, weights: int) -> bool:
    """Are there so many rows that a part of them says where to begin?"""
    return rows >= MANY and rows >= 1_000 * weights


@dataclass(frozen=True)
class FittedLogistic:
    """One fit, before it becomes a model."""

    schema: Schema
    options: LogisticOptions
    known: KnownRows
    ready: Prepared
    point: Point
    run: solvers.SolverRun
    strength: float
    verdict: SeparationVerdict
    shares: Array  # [parameter]
    words: list[Array]  # [text][word]: mean values
    null: float | None = None  # the loss without any column, where it is not that of the class shares
    look: Look | None = None  # asks for the verdict, where it is still open

    def notes(self) -> list[Note]:
        """Return what has to be said; of separated classes the model tells itself."""
        out = repeat_notes(self.known.design, self.ready.repeats, self.strength > 0 or self.options.l1 > 0)
        return [*out, Note("not-converged", self.run.spent)] if self.run.spent else out

    def steps(self) -> list[solvers.SolverStep]:
        """Return the trace, with weights in the user's units where they were kept; the last are the
        model's.
        """
        trace, kept, problem = self.run.trace, self.run.kept, self.ready.problem
        if kept is None or not trace:
            return trace
        model, out = self.model(None), list(trace)
        for at, w in (kept | {len(trace) - 1: self.point.w}).items():
            constant, parts = parts_of(self.schema, problem, *problem.theta(problem.centred(w)))
            found = coefficients(replace(model, constant=constant, parts=parts))
            out[at] = replace(trace[at], weights=tuple(tuple(c.weights.tolist()) for c in found))
        return out

    def model(self, later: Later | None, forgotten: bool = False) -> LogisticModel:
        """Return the model; what it tells of its fit is found now unless it may be later. forgotten: the
        model only answers and does not keep its matrices for long, so what nobody is likely to ask for may
        wait, and what its columns add on average is not found.
        """
        ready = self.ready
        optimum = LogisticOptimum(self.known, ready, self.point, self.run, self.strength, self.null)
        model = build(self.schema, self.options, optimum, self._verdict(later))
        scales, waits = ready.problem.scales, forgotten or ready.problem.weights <= PROBE
        if later is None or not waits or not measured(scales.centre, scales.scale):
            model = replace(model, told=KnownFit.of(model.told))
        return model if forgotten else averaged(model, self.known.design, self.shares, self.words)

    def _verdict(self, later: Later | None) -> Callable[[], SeparationVerdict]:
        look, verdict = self.look, self.verdict
        return (lambda: verdict) if look is None or later is None else (lambda: later(look()))


def fit_once(
    known: KnownRows,
    basis: Basis,
    options: LogisticOptions,
    schema: Schema,
    strength: float,
    ready: Prepared,
    kept: dict[int, Array] | None = None,
) -> Generator[Any, Any, FittedLogistic]:
    """Return the fit for one strength of the prior; separated classes without a prior get the default one.

    kept: filled with the weights of some steps.
    """
    prior = strength > 0 or options.l1 > 0 or options.firth
    verdict, look = SeparationVerdict(), None
    try:
        point, run = yield from solve(ready, options, True, watch=not prior, kept=kept)
    except Separated as found:
        verdict, strength, prior = found.verdict, DEFAULT_L2, True
        ready = prepare(known, basis, options, schema, strength)
        try:
            point, run = yield from solve(ready, options, False, kept=kept)
        except solvers.NoConvergence as error:
            raise solvers.NoConvergence(error.message, " ", verdict.text) from None
    else:
        if prior and not options.firth:
            look = partial(probe, known, basis, options, schema, ready, point)
    words = yield from word_means(ready.problem)
    null = yield from null_loss(ready, options)
    return FittedLogistic(
        schema, options, known, ready, point, run, strength, verdict, row_shares(basis), words, null, look
    )


def measured(centre: Array, scale: Array) -> bool:
    """Are all columns of a size that leaves no standard error beyond what a model file holds?"""
    sound = (scale >= 1.0 / USUAL) & (np.abs(centre) / USUAL <= scale)  # no product that could overflow
    return int(np.count_nonzero(sound)) == len(scale)


def null_loss(ready: Prepared, options: LogisticOptions) -> Generator[Any, Any, float | None]:
    """Return the loss of an offset and the constant alone; None where there is no offset: shares tell it."""
    problem = ready.problem
    if problem.fixed is None:
        return None
    if not problem.design.constant:
        nothing = np.zeros(problem.weights)
        return problem.read(nothing, (yield problem.ask(nothing))).loss
    free = np.arange(len(problem.free)) == 0
    alone = replace(problem, free=free, l2=np.zeros(1), l1=np.zeros(1))
    one = np.ones((1, 1))
    start = Start(np.zeros(1), one * problem.rows / 4, np.ones(1), np.ones(1), one * problem.rows)
    plain = replace(options, l1=0.0, firth=False, solver="newton", max_iter=None, eta=None, tolerance=None)
    point, _ = yield from solve(replace(ready, problem=alone, start=start, part=False), plain, False)
    return point.loss


class Separated(Exception):  # noqa: N818
    """The classes are separated: there is no optimum without a prior."""

    def __init__(self, verdict: SeparationVerdict) -> None:
        super().__init__(verdict.kind)
        self.verdict = verdict


def probe(
    known: KnownRows, basis: Basis, options: LogisticOptions, schema: Schema, ready: Prepared, point: Point
) -> Generator[Any, Any, SeparationVerdict]:
    """Return whether the classes are separated although a prior holds the weights. In a small table that is
    the verdict of the fit without one, found as it finds it, so that no prior says something else.
    """
    small = ready.problem.weights <= PROBE and known.rows * ready.problem.weights * known.links <= CHEAP
    if known.design.texts or not small:
        return (yield from apart(ready, [point.w])) if point.wrong == 0 else SeparationVerdict()
    plain = replace(options, l1=0.0, solver="auto", max_iter=None, eta=None, tolerance=None)
    bare = prepare(known, basis, plain, schema, 0.0)
    try:
        yield from solve(bare, plain, False, watch=True, reach=ENOUGH)
    except Separated as found:
        return found.verdict
    except solvers.NoConvergence:
        pass
    return SeparationVerdict()


def solve(
    ready: Prepared,
    options: LogisticOptions,
    errors: bool,
    watch: bool = False,
    reach: float = 0.0,
    fine: float = solvers.FINE,
    kept: dict[int, Array] | None = None,
) -> Generator[Any, Any, tuple[Point, solvers.SolverRun]]:
    """Return the optimum by the solver asked for, and how it went.

    watch: look out for separated classes. reach, fine: when a Newton step is short enough to stop, in scores
    and in weights.
    """
    problem, start = ready.problem, ready.start
    best = "newton" if start.curvature is not None else "lbfgs"
    name = best if options.solver == "auto" else options.solver
    wanted = errors and problem.weights <= ERRORS and not problem.texts and not options.l1
    limit = max(LIMITS[name], CORNERS) if options.l1 else LIMITS[name]
    most = min(options.max_iter or limit, MOST_STEPS)
    run = solvers.SolverRun(problem, most, wanted, reach=reach, fine=fine)
    run.kept, run.eta, run.tolerance = kept, options.eta, options.tolerance
    if kept is not None:
        kept.clear()  # of a fit that had to begin again
    if watch and name != best:  # the verdict is that of the best solver, whichever does the steps
        with suppress(solvers.NoConvergence):
            yield from watched(solvers.SolverRun(problem, LIMITS[best]), ready, best)
    try:
        point = yield from steps(run, ready, options, name, watch and name == best)
    except solvers.BudgetSpent as spent:
        if options.max_iter is None:  # nobody set a budget: the solver's own limit is an error
            raise
        point, run.spent = spent.point, str(spent)
    if options.l1:
        point = replace(point, curvature=None)
    if run.errors and point.curvature is None:
        point = yield from run.ask(point.w, True)
    return replace(point, w=problem.centred(point.w)), run


def steps(
    run: solvers.SolverRun, ready: Prepared, options: LogisticOptions, name: str, watch: bool
) -> solvers.Steps:
    """Take the steps of a solver to the optimum."""
    start = ready.start
    if options.firth:
        return (yield from ascent(run, start))
    if options.l1:
        if name != "newton":
            try:
                return (yield from solvers.orthant(run, start))
            except solvers.NoConvergence:  # weights that can be traded for each other hold it up at corners
                if start.curvature is None or options.max_iter is not None:
                    raise
                run.trace.clear()
        return (yield from solvers.lasso(run, start))
    if watch:
        return (yield from watched(run, ready, name))
    if name == "newton":
        return (yield from newton(run, ready, *(yield from begun(ready))))
    if name == "lbfgs":
        return (yield from solvers.lbfgs(run, start))
    if name == "conjugate-gradient":
        return (yield from solvers.conjugate_gradient(run, start))
    return (yield from solvers.gradient_ascent(run, start))


def apart(ready: Prepared, directions: list[Array]) -> Generator[Any, Any, SeparationVerdict]:
    """Return the verdict along directions; words are only asked where every row's own class is ahead, and no
    smallest set of them is looked for.
    """
    texts = ready.problem.design.texts
    if texts:
        return SeparationVerdict("complete", tuple(t.name for t in texts))
    return (yield from look(ready.problem, directions))


def watched(run: solvers.SolverRun, ready: Prepared, name: str) -> solvers.Steps:
    """Run Newton's method or L-BFGS without a prior; raise Separated where the classes are."""
    many_weights = doubt = name == "lbfgs"
    run.alarm = 1.0 if many_weights else 1e-3
    start, period = (ready.start, 0) if many_weights else (yield from begun(ready))
    while True:
        try:
            way = solvers.lbfgs(run, start) if many_weights else newton(run, ready, start, period)
            point = yield from way
        except solvers.Diverging as signal:
            at, doubt = signal.point, True
            directions = [at.w] if many_weights else [at.w, signal.direction]
            verdict = yield from apart(ready, directions)
            if verdict.kind:
                raise Separated((yield from settled(ready, verdict))) from None
            # all ahead, but by next to nothing: that will not tell any more
            run.ahead = run.ahead and at.wrong > 0
            run.alarm = 0.0 if many_weights else run.alarm / 10
            start = replace(start, w=at.w, curvature=None, point=at)
        except solvers.NoConvergence:
            verdict = yield from settled(ready, (yield from lacking(ready.problem)))
            if verdict.kind:
                raise Separated(verdict) from None
            raise
        else:
            verdict = (yield from lacking(ready.problem)) if doubt else SeparationVerdict()
            if many_weights and not verdict.kind:
                verdict = yield from runaway(ready, point, run.needed)
            if verdict.kind:
                raise Separated((yield from settled(ready, verdict)))
            return point


def settled(ready: Prepared, verdict: SeparationVerdict) -> Generator[Any, Any, SeparationVerdict]:
    """Return the verdict, or that of priors so weak that weights run where they can: a level that lacks a
    class, or a first step that no row is behind, may be a part of what separates. All rows are ahead along
    the weights under the weaker prior if they can be; what still grows between the two separates some.
    """
    problem, start = ready.problem, ready.start
    if verdict.kind == "complete" or start.curvature is None or problem.texts:
        return verdict
    k, found = problem.free_links, list[Array]()
    for strength in WEAK:
        l2 = np.full(problem.weights, strength)
        l2[: k * problem.design.constant] = 0.0
        curvature = start.curvature.copy()
        curvature.reshape(-1)[:: len(curvature) + 1] += l2
        held = replace(problem, l2=l2)
        begun_at = replace(start, curvature=curvature, point=None, w=found[-1] if found else start.w)
        run = solvers.SolverRun(held, LIMITS["newton"])
        try:
            found.append((yield from solvers.newton(run, begun_at, 1)).w)
        except solvers.NoConvergence:
            return verdict
    wide = yield from apart(ready, [found[1], found[1] - found[0]])
    return wide if wide.kind == "complete" or not verdict.kind else verdict


def runaway(ready: Prepared, point: Point, needed: float) -> Generator[Any, Any, SeparationVerdict]:
    """Return whether weights that seem to be an optimum only ran until the gradient was gone: an optimum is
    found again from twice its weights, but weights that run away stay as far as they are.
    """
    problem = ready.problem
    if problem.texts or not (yield from ahead(problem, point.w, needed)):
        return SeparationVerdict()
    run = solvers.SolverRun(problem, LIMITS["lbfgs"], fine=solvers.FINE / 100)
    try:
        near = yield from solvers.lbfgs(run, replace(ready.start, w=point.w))
        far = yield from solvers.lbfgs(run, replace(ready.start, w=2.0 * near.w))
    except solvers.NoConvergence:
        return SeparationVerdict()
    return (yield from look(problem, [far.w - near.w]))


def begun(ready: Prepared) -> Generator[Any, Any, tuple[Start, int]]:
    """Return where Newton's method begins, and after how many steps it asks for a new curvature."""
    if ready.part and many(ready.problem.rows, ready.problem.weights):
        return (yield from solvers.sample(ready.problem, ready.start, EVERY)), 10
    return ready.start, refresh(ready)


def newton(run: solvers.SolverRun, ready: Prepared, start: Start, period: int) -> solvers.Steps:
    """Run Newton's method in the form that suits the number of rows and weights."""
    few = ready.problem.rows * ready.problem.weights <= CHEAP and not ready.problem.texts
    if few and period == 1 and run.kept is None:  # the quick way tells no weights; its bits are the same
        return (yield from solvers.far_newton(run, start))
    return (yield from solvers.newton(run, start, period))


def refresh(ready: Prepared) -> int:
    """Return after how many steps a new curvature pays: at once when it costs little beside the step
    itself.
    """
    problem, start = ready.problem, ready.start
    if start.point is not None and start.point.curvature is None:
        return LASTING
    if start.curvature is None or problem.rows * problem.weights <= CHEAP:
        return 1
    pairs = max(len(problem.links) * (len(problem.links) - 1) // 2, 1)
    ratio = pairs * int(problem.free.sum()) / (4 * len(problem.links))
    return max(1, min(10, int(ratio)))
