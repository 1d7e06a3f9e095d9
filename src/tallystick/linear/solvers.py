"""Solvers of the logistic regression: generators that yield questions, get totals, return the last point.

1. L-BFGS memory: `Memory`. 2. State and end of a run: `SolverRun`, `SolverStep`; errors: `NoConvergence`.
3. Entry: `newton()`: quasi-Newton steps from a factorised curvature, asked for again only when it pays, with
   the recent gradient changes on top (L-BFGS), and a true Newton step at the end; `far_newton()` for few
   rows. `lbfgs()`: the same with a diagonal in place of the matrix, for many weights. `conjugate_gradient()`,
   `gradient_ascent()`: for teaching. `lasso()`, `orthant()`: an L1 prior.
4. Firth's correction: `ascent()`.

Newton's method ends when the gradient is at most TOLERANCE per row and the step still to go at most FINE in
standardised weights; or when rounding leaves no more: the last step did not halve the gradient (or no step
leads down), what a step could still gain is at most LEAST per row or the gradient no more than rounding makes
of 0, and the step would change no weight by more than 1e-4 of the longest. The others know no step to go:
the gradient is at most PLAIN (many weights: TOLERANCE) per row, or no step leads down and it is at most
TOLERANCE, or what rounding can make of 0. Anything else is an error.

Law: no row is seen, only totals; the same totals give the same steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.errors import OptionError, TallyError, counted, shown
from tallystick.kernels.linear import Curvature, End, Landing, NewtonPoint, NewtonStop
from tallystick.linear.prepare import KnownRows, Point, Problem, Start, StopRule, norm, steepest
from tallystick.stats.design_sums import LeverageSums, NewtonSums

# The L-BFGS approximation in compact form, which reads every kept vector once. s: a change of weights, y: the
# change of the gradient with it, z = H y for the initial inverse H. The inverse is then
# g H + [S, gZ] [[R^-T (D + gY'Z) R^-1, -R^-T], [-R^-1, 0]] [S, gZ]', R the upper triangle of S'Y and D its
# diagonal (Byrd, Nocedal and Schnabel). Long vectors are kept in single precision, which halves what has to
# be read: they only give directions.

Array = NDArray[np.float64]
Kept = NDArray[Any]  # of float64 or float32
Solve = Callable[[Array], Array]  # the initial inverse times a vector, in place
KEPT, FEWER, LONG = 12, 6, 100_000  # changes kept; fewer where there are many weights


class Memory:
    """The last changes; `solve` is the inverse before the first of them."""

    def __init__(self, solve: Solve) -> None:
        self.begin(solve)

    def begin(self, solve: Solve) -> None:
        """Forget all."""
        self.solve = solve
        self.s: list[Kept] = []
        self.z: list[Kept] = []
        self.sy: list[list[float]] = []  # [j][i] = s_i . y_j, i <= j
        self.yz: list[list[float]] = []  # [j][i] = z_i . y_j, i <= j
        self.seen: tuple[Array, list[float], list[float]] | None = None  # a gradient with S' and Z' times it

    def learn(self, step: Array, change: Array, gradient: Array) -> None:
        """Keep one change of weights and gradient; the new gradient is what `direction` will be asked for."""
        fewer = len(self.s) == (KEPT if len(step) <= LONG else FEWER)
        s = [*self.s[fewer:], kept(step)]
        z = [*self.z[fewer:], kept(self.solve(change.copy()))]
        k = len(s)
        found = kernels.dots([*s, *z], [change, gradient])
        if found[k - 1][0] <= 0:  # no positive curvature along s: not kept
            return
        self.s, self.z = s, z
        self.sy = [*(r[fewer:] for r in self.sy[fewer:]), [f[0] for f in found[:k]]]
        self.yz = [*(r[fewer:] for r in self.yz[fewer:]), [f[0] for f in found[k:]]]
        self.seen = gradient, [f[1] for f in found[:k]], [f[1] for f in found[k:]]

    def direction(self, gradient: Array, scaled: bool = False) -> Array:
        """Return minus the inverse curvature times the gradient. scaled: the first inverse is made to fit the
        last change.
        """
        q, k = self.solve(gradient.copy()), len(self.s)
        if not k:
            return np.negative(q, out=q)
        if self.seen is not None and self.seen[0] is gradient:
            p, zg = self.seen[1:]
        else:
            found = [f[0] for f in kernels.dots([*self.s, *self.z], [gradient])]
            p, zg = found[:k], found[k:]
        g = self.sy[-1][-1] / self.yz[-1][-1] if scaled else 1.0
        u = [0.0] * k  # R u = S' gradient
        for i in range(k - 1, -1, -1):
            rest = p[i]
            for j in range(i + 1, k):
                rest -= self.sy[j][i] * u[j]
            u[i] = rest / self.sy[i][i]
        t = [0.0] * k  # R' t = (D + g Y'Z) u - g Z' gradient
        for i in range(k):
            rest = self.sy[i][i] * u[i] - g * zg[i]
            for j in range(k):
                rest += g * self.yz[max(i, j)][min(i, j)] * u[j]
            for j in range(i):
                rest -= self.sy[i][j] * t[j]
            t[i] = rest / self.sy[i][i]
        coefficients = [*(-v for v in t), *(g * v for v in u)]
        return kernels.combine(q, -g, [*self.s, *self.z], coefficients)


def kept(v: Array) -> Kept:
    """Return a vector as it is kept: long ones in single precision."""
    return v if len(v) <= LONG else v.astype(np.float32)


Steps = Generator[Any, Any, Point]
TOLERANCE = 1e-8  # gradient norm per row
FINE = 1e-8  # longest step still to go, in standardised weights, where it is known
LEAST = 1e-16  # Newton decrement per row that may be left where steps gain no more
PLAIN = 1e-10  # gradient norm per row at the end of solvers that have no Newton step


class NoConvergence(TallyError):  # noqa: N818
    """The solver did not reach the optimum; there is no half-fitted model."""


class BudgetSpent(NoConvergence):
    """All steps were taken before the optimum; `point` is where they led."""

    point: Point


@dataclass(frozen=True, slots=True)
class SolverStep:
    """One line of the trace. weights[coefficient][link], in the user's units, the constant first: of the
    first steps, of fewer and fewer after them, and of the last. beta: of a conjugate gradient, how much
    of the last direction was added to the gradient.
    """

    iteration: int
    value: float
    gradient: float
    step: float
    weights: tuple[tuple[float, ...], ...] = ()
    beta: float = 0.0


def is_shown(iteration: int) -> bool:
    """Say of a step whether its weights are kept: the first twenty, then about thirty for each tenfold."""
    if iteration <= 20:
        return True
    tens = int(10 ** (len(str(iteration)) - 2))
    return iteration % (3 * tens) == 0


class Diverging(Exception):  # noqa: N818
    """The gradient is nearly gone, but the next step is as long as ever: there may be no optimum (separated
    classes).
    """

    def __init__(self, point: Point, direction: Array) -> None:
        super().__init__("diverging")
        self.point, self.direction = point, direction


@dataclass
class SolverRun:
    """The state all solvers share: the problem, the trace, and when to stop."""

    problem: Problem
    most: int
    errors: bool = False  # the curvature at the end is wanted
    alarm: float = 0.0  # gradient norm per row from which a long step means divergence
    ahead: bool = True  # divergence also means that every row's own class is ahead
    reach: float = 0.0  # ends when a Newton step can change no row's score by more
    fine: float = FINE  # the longest Newton step still to go at the end
    needed: float = TOLERANCE  # the gradient norm per row at the end
    trace: list[SolverStep] = field(default_factory=list)
    asked: int = 0
    latest: Array | None = None  # the last curvature that was asked for by itself
    kept: dict[int, Array] | None = None  # the weights of some steps, where they are wanted
    eta: float | None = None  # the step of plain gradient ascent, where it is given
    tolerance: float | None = None  # and the gradient norm per row where it ends
    spent: str = ""  # what is missing, where a budget of steps ended before the optimum

    def small(self, point: Point, tolerance: float = TOLERANCE) -> bool:
        """Is this the optimum?"""
        return point.steep <= tolerance * self.problem.rows

    def ask(self, w: Array, curvature: bool = False) -> Steps:
        """Ask for the point at w."""
        total = yield self.problem.ask(w, Curvature.PAIRS if curvature else Curvature.NONE)
        self.asked += 1
        point = self.problem.read(w, total)
        self.latest = self.latest if point.curvature is None else point.curvature
        return point

    def ended(self, point: Point, d: Array) -> bool:
        """Is this the optimum? d: the Newton step from here. Raises Diverging where there may be none."""
        end = self.stop.ended(point.w, point.gradient, d, point.wrong)
        if end == End.DIVERGING:
            raise Diverging(point, d)
        return end is not None

    @property
    def stop(self) -> NewtonStop:
        """When Newton's method is at its end."""
        rule = self.stop_rule(0)._asdict()
        del rule["most"]
        return NewtonStop(self.problem.power, **rule)

    def stalled(self, point: Point, d: Array, before: float) -> bool:
        """Does rounding leave no more to do? before: the gradient norm one step earlier."""
        return self.stop.stalled(point.w, point.gradient, d, before)

    def negligible(self, point: Point, d: Array) -> bool:
        """Is nothing left to gain? d: the Newton step from here."""
        return self.stop.stalled(point.w, point.gradient, d, -1.0)

    def floor(self, point: Point) -> bool:
        """May this be the optimum, where no step leads down and the step to go is not known?"""
        return point.steep <= max(TOLERANCE * self.problem.rows, self.problem.doubt)

    def far(self, w: Array, begun: NewtonPoint | None) -> Generator[Any, Any, Point | Landing]:
        """Ask for the point at w (begun: plus its step), or for the end of the way from there."""
        at = w if begun is None else w + begun.d
        stop = self.stop_rule(self.most - len(self.trace))
        question = self.problem.ask(at, Curvature.PAIRS)
        total = yield NewtonSums(question, self.problem.descent(stop), w, begun)
        if isinstance(total, Landing):
            return total
        self.asked += 1
        return self.problem.read(at, total)

    def stop_rule(self, left: int) -> StopRule:
        """Return when to stop; left: steps that may still be taken."""
        return StopRule(
            TOLERANCE * self.fine / FINE * self.problem.rows,
            self.fine,
            LEAST * self.problem.rows,
            self.problem.doubt,
            self.problem.grain,
            self.reach,
            self.alarm * self.problem.rows,
            self.ahead,
            left,
        )

    def landed(self, landing: Landing, before: Point | None) -> Point:
        """Return the point where a way ended, its lines noted; an end without an optimum is raised."""
        self.asked += landing.asked
        point = before
        if len(landing.trace):
            w, value, gradient, loss = landing.w, landing.value, landing.gradient, landing.loss
            point = Point(w, value, gradient, loss, landing.wrong, landing.curvature)
        assert point is not None
        for value, gradient_norm, step in landing.trace.tolist():
            self.trace.append(SolverStep(len(self.trace), value, gradient_norm, step))
        if len(self.trace) > self.most:
            raise self.too_many(point)
        if landing.end == End.DIVERGING:
            raise Diverging(point, landing.d)
        if landing.end == End.STUCK:
            raise _stuck(self, point)
        return point

    def note(self, point: Point, step: float, beta: float = 0.0) -> None:
        """Keep a line of the trace, and stop when there were too many."""
        if self.kept is not None and is_shown(len(self.trace)):
            self.kept[len(self.trace)] = point.w
        self.trace.append(SolverStep(len(self.trace), point.value, point.steep, step, beta=beta))
        if len(self.trace) > self.most:
            raise self.too_many(point)

    def too_many(self, point: Point) -> BudgetSpent:
        """Return the error of too many steps."""
        if self.small(point, self.needed) and point.steep <= norm(self.problem.rounding(point.w)):
            found = (
                f"the gradient is 0 but for rounding, and the weights still move by more than {self.fine:g}: "
                "the rows that decide them weigh too little beside the others. Raise l2"
            )
        else:
            found = f"{self.found(point)}. Raise max_iter or l2"
        iterations = counted(self.most, "iteration")
        spent = BudgetSpent(f"logistic regression did not converge in {iterations}: {found}.")
        spent.point = point
        return spent

    def found(self, point: Point) -> str:
        """Say why a point is not an optimum."""
        if self.problem.l1.any():  # at a corner the L1 prior balances a gradient up to its strength
            left = norm(corner(point, self.problem.l1)) / self.problem.rows
            return f"gradient norm per row {left:.1e} beyond what l1 holds, needed {self.needed:g}"
        steep = f"gradient norm per row {point.steep / self.problem.rows:.1e}"
        if self.small(point, self.needed):
            return f"{steep}, but the weights still move by more than {self.fine:g}"
        return f"{steep}, needed {self.needed:g}"

    def done(self, point: Point) -> bool:
        """Is this the optimum, by its gradient alone? Raises Diverging where every row's class is ahead."""
        if self.alarm and point.wrong == 0:
            raise Diverging(point, point.w)
        return self.small(point, self.needed)


def line_search(
    run: SolverRun, point: Point, d: Array, curvature: bool, first: Point | None = None
) -> Generator[Any, Any, tuple[Point, float]]:
    """Return the first point along d that is low enough, and its step; halving, by a parabola where it
    helps. first: the point after the whole step, when it is known.
    """
    slope = kernels.dot(point.gradient, d)
    t = 1.0
    for _ in range(60):
        new = first or (yield from run.ask(point.w + (d if t == 1.0 else t * d), curvature))
        first = None
        values, steep = (point.value, new.value), (point.steep, new.steep)
        less = kernels.shorter(t, slope, values, steep, run.problem.doubt)
        if less == 0.0:
            return new, t
        t = less
    return point, 0.0


def sample(problem: Problem, start: Start, every: int) -> Generator[Any, Any, Start]:
    """Return a better start from one row in `every`: its optimum, and its curvature for all rows.

    The sample only gives start and directions; the gradient of all rows decides the optimum.
    """
    run = SolverRun(problem.sampled(every), 100)
    point = yield from run.ask(start.w, True)
    for _ in range(8):
        assert point.curvature is not None
        solve = kernels.factorised(point.curvature)
        new, t = yield from line_search(run, point, -solve(point.gradient), True)
        point = new if t > 0.0 else point
        if t == 0.0 or run.small(point, 1e-4):
            break
    assert point.curvature is not None
    return replace(start, w=point.w, curvature=point.curvature * every)


def newton(run: SolverRun, start: Start, period: int) -> Steps:
    """period: quasi-Newton steps taken before the curvature is asked for again."""
    solve = kernels.factorised(start.curvature) if start.curvature is not None else None
    last = period == 1 or solve is None
    point = start.point or (yield from run.ask(start.w, last))
    run.note(point, 0.0)
    memory, age, latest = Memory(solve or _as_it_is), 0, point.curvature
    before = math.inf
    while True:
        if point.curvature is not None:
            latest, age = point.curvature, 0
            memory.begin(kernels.factorised(point.curvature))
        d = memory.direction(point.gradient)
        if run.ended(point, d):
            break
        if run.stalled(point, d, before):
            if point.curvature is not None:
                break
            point = yield from run.ask(point.w, True)
            continue
        near = run.errors and point.steep <= 100 * TOLERANCE * run.problem.rows and age > 0
        new, t = yield from line_search(run, point, d, age + 1 >= period or near)
        if t == 0.0:
            if point.curvature is None:
                point = yield from run.ask(point.w, True)
                continue
            if run.negligible(point, d):
                break
            raise _stuck(run, point)
        before = point.steep
        memory.learn(new.w - point.w, new.gradient - point.gradient, new.gradient)
        point, age = new, age + 1
        run.note(point, t)
    if run.errors and point.curvature is None:
        near = len(run.trace) > 1 and run.trace[-2].gradient <= 1e-7 * run.problem.rows
        if age == 1 and latest is not None and near:
            return replace(point, curvature=latest)
        point = yield from run.ask(point.w, True)
    return point


def far_newton(run: SolverRun, start: Start) -> Steps:
    """Newton's method with a curvature at every point, for few rows: an engine that has them all at hand
    answers with the last point. The bits are those of `newton` with the period 1.
    """
    found: Point | Landing | None = start.point
    d, before = start.w, math.inf  # later the step that leads on, and the gradient norm it began with
    point = found if isinstance(found, Point) else None
    if found is None:
        found = yield from run.far(start.w, None)
    while True:
        if isinstance(found, Landing):
            point = run.landed(found, point)
            if found.end == End.OPTIMUM:
                return point
        elif point is found or point is None:
            point = found
            run.note(point, 0.0)
        else:
            new, t = yield from line_search(run, point, d, True, found)
            if t == 0.0:
                if run.negligible(point, d):
                    return point
                raise _stuck(run, point)
            point = new
            run.note(point, t)
        assert point.curvature is not None
        d = np.negative(kernels.factorised(point.curvature)(point.gradient))
        if run.ended(point, d) or run.stalled(point, d, before):
            return point
        before = point.steep
        found = yield from run.far(point.w, NewtonPoint(point.value, point.gradient, d))


def lbfgs(run: SolverRun, start: Start) -> Steps:
    """L-BFGS, for many weights: it starts from a diagonal curvature about the means."""
    inverse = 1.0 / np.where(start.diagonal > 0, start.diagonal, 1.0)
    memory = Memory(start.metric.solve if start.metric is not None else lambda q: q * inverse)
    point = yield from run.ask(start.w)
    run.note(point, 0.0)
    run.needed = (PLAIN if len(point.w) <= 1_000 else TOLERANCE) * run.fine / FINE
    while not run.done(point):
        d = memory.direction(point.gradient, scaled=True)
        new, t = yield from line_search(run, point, d, False)
        if t == 0.0:
            if not memory.s:
                if run.floor(point):
                    break
                raise _stuck(run, point)
            memory.begin(memory.solve)
            continue
        memory.learn(d if t == 1.0 else t * d, new.gradient - point.gradient, new.gradient)
        point = new
        run.note(point, t)
    return point


def conjugate_gradient(run: SolverRun, start: Start) -> Steps:
    """Conjugate gradient (Polak-Ribiere), started again whenever it does not lead down."""
    inverse = 1.0 / np.where(start.diagonal > 0, start.diagonal, 1.0)
    point = yield from run.ask(start.w)
    run.note(point, 0.0)
    d, beta, run.needed = -inverse * point.gradient, 0.0, PLAIN
    while not run.done(point):
        if kernels.dot(d, point.gradient) >= 0:
            d, beta = -inverse * point.gradient, 0.0
        new, t = yield from exact_search(run, point, d)
        if t == 0.0:
            raise _stuck(run, point)
        run.note(new, t, beta)
        change = new.gradient - point.gradient
        beta = kernels.dot(inverse * new.gradient, change) / kernels.dot(
            inverse * point.gradient, point.gradient
        )
        beta = max(beta, 0.0)
        d = -inverse * new.gradient + beta * d
        point = new
    return point


def exact_search(run: SolverRun, point: Point, d: Array) -> Generator[Any, Any, tuple[Point, float]]:
    """Return the point along d where the slope is nearly 0: by false position on the slope."""
    low, slope_low, t = 0.0, kernels.dot(point.gradient, d), 1.0
    high, slope_high, best = 0.0, 0.0, point
    start = slope_low
    for _ in range(40):
        best = yield from run.ask(point.w + t * d)
        slope = kernels.dot(best.gradient, d)
        if abs(slope) <= 1e-3 * abs(start):
            break
        if slope < 0:
            low, slope_low = t, slope
        else:
            high, slope_high = t, slope
        if high == 0.0:
            t = (
                min(10 * t, t * slope_low / (slope_low - slope) if slope < start else 10 * t)
                if slope < 0
                else t
            )
            t = max(t, 2 * low)
        else:
            t = low - slope_low * (high - low) / (slope_high - slope_low)
            t = min(max(t, low + 0.05 * (high - low)), high - 0.05 * (high - low))
    return best, t


def gradient_ascent(run: SolverRun, start: Start) -> Steps:
    """Up the log-likelihood along its gradient, by the step that is given, or by one so short that it always
    leads up: 1 over the most curvature there can be. Plain and slow.
    """
    point = yield from run.ask(start.w)
    run.note(point, 0.0)
    t = 1.0 / steepest(run.problem, start) if run.eta is None else run.eta
    run.needed = PLAIN if run.tolerance is None else run.tolerance
    while not run.done(point):
        point = yield from run.ask(point.w - t * point.gradient)
        run.note(point, t)
    return point


def lasso(run: SolverRun, start: Start) -> Steps:
    """An L1 prior, weights that fit a matrix: Newton steps whose parabola keeps the corners (proximal
    Newton).
    """
    l1 = run.problem.l1
    point = yield from run.ask(start.w, True)
    run.note(point, 0.0)
    before = math.inf
    while (steep := norm(corner(point, l1))) > PLAIN * run.problem.rows:
        if steep <= TOLERANCE * run.problem.rows and steep > 0.5 * before:
            break  # as near as the other solvers, and steps gain little more
        before = steep
        assert point.curvature is not None
        # collinear weights leave the parabola flat, without a unique minimum; a ridge as large as what is
        # still to go gives it one, and the last steps are whole
        held = point.curvature.copy()
        held.reshape(-1)[:: len(held) + 1] += steep
        d, _ = kernels.lasso_step(held, point.gradient, point.w, l1, 1e-12 * run.problem.rows, 10_000)
        old = point.value + _l1(l1, point.w)
        drop = kernels.dot(point.gradient, d) + _l1(l1, point.w + d) - _l1(l1, point.w)
        t, new = 1.0, point
        for _ in range(60):
            new = yield from run.ask(point.w + t * d, True)
            value = new.value + _l1(l1, new.w)
            if value <= old + 1e-4 * t * drop or norm(corner(new, l1)) < 0.5 * steep:
                break
            t *= 0.5
        else:
            if steep <= TOLERANCE * run.problem.rows:
                return point
            raise _stuck(run, point)
        point = new
        run.note(point, t)
    return point


def orthant(run: SolverRun, start: Start) -> Steps:
    """An L1 prior, many weights: L-BFGS within the orthant the weights lie in (OWL-QN)."""
    l1 = run.problem.l1
    inverse = 1.0 / np.where(start.diagonal > 0, start.diagonal, 1.0)
    point = yield from run.ask(start.w)
    run.note(point, 0.0)
    memory = Memory(lambda q: q * inverse)
    while norm(pseudo := corner(point, l1)) > TOLERANCE * run.problem.rows:
        d = memory.direction(pseudo)
        d = np.where(d * pseudo < 0, d, 0.0)
        side = np.where(point.w != 0, np.sign(point.w), -np.sign(pseudo))
        t, new = 1.0, point
        for _ in range(60):
            w = point.w + t * d
            w = np.where((w * side < 0) & (l1 > 0), 0.0, w)
            new = yield from run.ask(w)
            gain = kernels.dot(pseudo, w - point.w)
            if new.value + _l1(l1, w) <= point.value + _l1(l1, point.w) + 1e-4 * gain:
                break
            t *= 0.5
        else:
            if not memory.s:
                raise _stuck(run, point)
            memory.begin(memory.solve)
            continue
        memory.learn(new.w - point.w, new.gradient - point.gradient, new.gradient)
        point = new
        run.note(point, t)
    return point


def corner(point: Point, l1: Array) -> Array:
    """Return the gradient with the L1 prior: at 0 the part of it that the corner cannot hold."""
    g = point.gradient
    at_zero = np.sign(g) * np.maximum(np.abs(g) - l1, 0.0)
    return np.where(point.w != 0, g + l1 * np.sign(point.w), at_zero)


def _l1(l1: Array, w: Array) -> float:
    return kernels.dot(l1, np.abs(w))


def _as_it_is(q: Array) -> Array:
    return q


def _stuck(run: SolverRun, point: Point) -> NoConvergence:
    return NoConvergence(
        f"logistic regression stopped after {counted(len(run.trace), 'iteration')}: no step leads down, "
        f"{run.found(point)}. Raise l2."
    )


# Firth's correction: the likelihood times the root of the determinant of its curvature, Jeffreys' prior.
# Weights stay finite where classes are separated, and estimates from few rows are less biased.

MOST = 300  # weights up to which the correction is made
FIRTH_KEPT = 10  # changes of the gradient kept
LONGEST = 5.0  # longest step, in standardised weights
ROUNDING = 1e-9  # relative rounding of the corrected loss: a smaller rise does not count


def refuse_firth(known: KnownRows, target: str) -> None:
    """Refuse tables that the correction is not made for."""
    if known.links > 1:
        raise OptionError(
            f"firth=True is for two classes, and target {shown(target)} has {known.links}. Use l2='auto'."
        )
    if known.design.texts:
        name = known.design.texts[0].name
        raise OptionError(f"firth=True does not read text, and column {shown(name)} is.")


def ascent(run: SolverRun, start: Start) -> Steps:
    """Newton's method on the corrected score; the point returned has the loss without the correction.

    The curvature is that of the likelihood alone. Where a row counts for much the correction doubles it,
    and a whole step would overshoot the optimum by as much as it was short of it, for ever: so the last
    changes of the corrected gradient are kept, which estimate the rest.
    """
    if run.problem.weights > MOST:
        raise OptionError(f"firth=True is for at most {MOST} weights, and there are {run.problem.weights:,}.")
    point, value = yield from corrected(run, start.w)
    run.note(point, 0.0)
    changes: list[tuple[Array, Array]] = []
    before: Point | None = None
    while True:
        gradient = yield from pulled(run.problem, point)
        point = replace(point, gradient=gradient)
        if before is not None:
            changes = [*changes[-FIRTH_KEPT:], (point.w - before.w, gradient - before.gradient)]
        assert point.curvature is not None
        memory = Memory(kernels.factorised(point.curvature))
        for step, change in changes:
            memory.learn(step, change, gradient)
        d = memory.direction(gradient)
        if kernels.dot(gradient, d) >= 0.0:
            changes, d = [], np.negative(memory.solve(gradient.copy()))
        if norm(gradient) <= TOLERANCE * run.problem.rows and norm(d) <= FINE:
            return point
        t = min(1.0, LONGEST / max(norm(d), 1e-300))
        slope = kernels.dot(gradient, d)
        for _ in range(60):
            new, below = yield from corrected(run, point.w + t * d)
            if below <= value + 1e-4 * t * slope + ROUNDING * (1.0 + abs(value)):
                break
            t *= 0.5
        else:
            raise NoConvergence("logistic regression with Firth's correction stopped: no step leads up.")
        before, point, value = point, new, below
        run.note(point, t)


def corrected(run: SolverRun, w: Array) -> Generator[Any, Any, tuple[Point, float]]:
    """Return the point at w, and the loss with the correction."""
    point = yield from run.ask(w, True)
    assert point.curvature is not None
    factor, at = kernels.cholesky(point.curvature, 1e-14)
    if at < len(point.curvature):
        return point, math.inf
    logs = kernels.log(np.ascontiguousarray(np.diag(factor)))
    return point, point.loss - math.fsum(logs.tolist())


def pulled(problem: Problem, point: Point) -> Generator[Any, Any, Array]:
    """Return the gradient with the correction."""
    assert point.curvature is not None
    at = np.flatnonzero(problem.free)
    power = problem.scales.power[at]
    factor, _ = kernels.cholesky(point.curvature, 1e-14)
    inverse = np.stack([kernels.cholesky_solve(factor, unit) for unit in np.eye(len(at))])
    question = problem.ask(point.w)
    # the curvature is of w, so of y * power; what the rows count for is in units of the factor
    by_y = np.ascontiguousarray(inverse * power[:, None] * power[None, :] * problem.factor)
    total = yield LeverageSums(
        problem.design,
        question.scaling,
        np.ascontiguousarray(question.theta[:, 0]),
        at,
        by_y,
        problem.bits,
        problem.copies,
    )
    # leverage is counted once a row of weight 1, whatever its factor: it has the factor within
    out: Array = point.gradient - total * power * 2.0**-problem.bits
    return out
