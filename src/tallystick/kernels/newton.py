"""Newton's method: over one block in one call, and its decisions one by one for rows that are only summed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import _kernels
from tallystick.kernels import check
from tallystick.kernels.logistic import DenseColumns, Weighting

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
ROOM = 256  # points a call may go through


class End(IntEnum):
    """How a way ended: at the optimum, going on without end, without a step that leads down, or out of
    room.
    """

    OPTIMUM = 0
    DIVERGING = 1
    STUCK = 2
    FULL = 3


@dataclass(frozen=True, slots=True)
class Descent:
    """What is minimised beside the rows, and when to stop: see kernels/logistic/newton.hpp.

    at[n]: free parameters; power[n] brings each to its scale; links[k]: links with weights; l2[n k].
    """

    at: Whole
    power: Floats
    links: Whole
    l2: Floats
    unit: float
    factor: float
    shift: float
    small: float
    fine: float
    least: float
    doubt: float
    grain: float
    reach: float
    alarm: float
    ahead: bool
    most: int


@dataclass(frozen=True, slots=True)
class Begun:
    """A point on the way, and the step that leads on."""

    value: float
    gradient: Floats
    d: Floats


@dataclass(frozen=True, slots=True)
class Landing:
    """Where a way ended: the point there, the step that would lead on, and a line per point gone through.

    trace[point] = value, gradient norm, step; asked: how often the rows were summed.
    """

    end: End
    w: Floats
    value: float
    gradient: Floats
    loss: float
    wrong: int
    curvature: Floats
    d: Floats
    trace: Floats
    asked: int


def newton(
    columns: DenseColumns,
    scaling: Floats,
    classes: NDArray[Any],
    weighting: Weighting,
    theta: Floats,
    bits: int,
    descent: Descent,
    start: tuple[Floats, Begun | None],
) -> Landing:
    """Go from weights (or from a point, along its step) to the end. theta[P, link] has what is not free, and
    is written to.
    """
    dense, (p, links), m = len(columns.values), theta.shape, len(descent.l2)
    given = _rows(columns, scaling, classes, weighting)
    check.writable("theta", theta, "float64", (None, None))
    w, begun = check.array("w", start[0], "float64", (m,)).copy(), start[1]
    gradient = np.empty(m) if begun is None else begun.gradient.copy()
    d = np.empty(m) if begun is None else begun.d.copy()
    memory = np.empty(_kernels.newton_doubles(dense, links, m))
    whole = np.empty(_kernels.newton_whole(p, links), np.int64)
    curvature, trace = np.empty((m, m)), np.empty((ROOM, 3))
    counts, out = np.empty(2, np.int64), np.empty(3)
    told = _told(descent, 0.0 if begun is None else begun.value)
    all_given: list[Any] = [*given, theta, bits, *told]
    all_given += (begun is not None, memory, whole, w, gradient, curvature, d, trace, counts, out)
    end = End(_kernels.newton(*all_given))
    value, loss, wrong = out.tolist()
    noted, asked = counts.tolist()
    return Landing(end, w, value, gradient, loss, int(wrong), curvature, d, trace[:noted], asked)


class WholeFit(NamedTuple):
    """What a whole small fit needs beside the rows: see kernels/logistic/whole_fit.hpp. strength, held: of
    the prior, and what it is at most; the rest as in `Descent`.
    """

    strength: float
    held: float
    standardize: bool
    unit: float
    small: float
    fine: float
    least: float
    doubt: float
    grain: float


def whole_fit(
    columns: DenseColumns, bounds: Floats, classes: NDArray[Any], bits: int, fit: WholeFit, most: int
) -> tuple[Floats, Floats] | None:
    """Return scales[2, dense], the centre and the scale of each column, and the weights w[1 + dense] of
    columns scaled so; None where Newton's method did not end at an optimum. bounds[dense, 2]: least and
    highest values.
    """
    rows, dense = len(classes), len(columns.values)
    check.array("classes", classes, check.CODES, (rows,))
    check.array("bounds", bounds, "float64", (dense, 2))
    memory = np.empty(_kernels.whole_fit_doubles(dense))
    whole = np.empty(_kernels.newton_whole(1 + dense, 1), np.int64)
    scales, w, trace = np.empty((2, dense)), np.empty(1 + dense), np.empty((ROOM, 3))
    numbers, table = np.array(fit, np.float64), columns.places(rows)
    every = np.arange(1 + dense)
    end = _kernels.whole_fit(
        dense, table, bounds, classes, bits, numbers, every, most, memory, whole, scales, w, trace
    )
    return (scales, w) if end == End.OPTIMUM else None


@dataclass(frozen=True, slots=True)
class NewtonStop:
    """When Newton's method is at its end: see kernels/logistic/newton.hpp. power[m] brings each weight to its
    scale.
    """

    power: Floats
    small: float
    fine: float
    least: float
    doubt: float
    grain: float
    reach: float
    alarm: float
    ahead: bool

    def ended(self, w: Floats, gradient: Floats, d: Floats, wrong: int) -> End | None:
        """Return how the way ends at a point, d the Newton step from there; None: it goes on."""
        found = self._asked(w, gradient, d, wrong, 0.0, False)
        return None if found < 0 else End(found)

    def stalled(self, w: Floats, gradient: Floats, d: Floats, before: float) -> bool:
        """Does rounding leave no more to do? before: the gradient norm one step earlier; -1: not asked."""
        return self._asked(w, gradient, d, 1, before, True) == 1

    def _asked(self, w: Floats, gradient: Floats, d: Floats, wrong: int, before: float, stalled: bool) -> int:
        m = len(w)
        for name, given in (("gradient", gradient), ("d", d), ("power", self.power)):
            check.array(name, given, "float64", (m,))
        limits = (self.small, self.fine, self.least, self.doubt, self.grain, self.reach, self.alarm)
        numbers = np.array([*limits, self.ahead, wrong, before], np.float64)
        return _kernels.newton_end(w, gradient, d, self.power, numbers, stalled, np.empty(2 * m))


def shorter(
    t: float, slope: float, values: tuple[float, float], steep: tuple[float, float], doubt: float
) -> float:
    """Return 0 where the step t along a slope leads low enough, else the next to try. values, steep: before
    and after it, of what is minimised and of the gradient norm.
    """
    return _kernels.newton_shorter(t, slope, *values, *steep, doubt)


def factorised(h: Floats) -> Callable[[Floats], Floats]:
    """Return what solves h x = b; a matrix that is not quite positive gets a little more diagonal."""
    check.array("h", h, "float64", (None, None))
    factor = np.empty_like(h)
    whole = _kernels.newton_factorise(h, factor)

    def solve(b: Floats) -> Floats:
        x = b.copy()
        _kernels.newton_step_by(h, factor, whole, x)
        return x

    return solve


def _rows(
    columns: DenseColumns, scaling: Floats, classes: NDArray[Any], weighting: Weighting
) -> tuple[Any, ...]:
    """Return the rows as the kernel takes them, checked."""
    rows, dense = len(classes), len(columns.values)
    check.array("classes", classes, check.CODES, (rows,))
    check.array("scaling", scaling, "float64", (2, dense))
    check.maybe("copies", weighting.copies, "int64", (rows,))
    check.maybe("row_factor", weighting.row_factor, "float64", (rows,))
    check.maybe("class_factor", weighting.class_factor, "float64", (None,))
    factors = (weighting.class_factor, weighting.row_factor, weighting.copies)
    return (dense, len(columns.codes), columns.places(rows), scaling, classes, *factors)


def _told(q: Descent, value: float) -> tuple[Any, ...]:
    """Return what is minimised as the kernel takes it, checked."""
    check.array("at", q.at, "int64", (None,))
    check.array("power", q.power, "float64", q.at.shape)
    check.array("links", q.links, "int64", (None,))
    check.array("l2", q.l2, "float64", (len(q.at) * len(q.links),))
    when = (q.small, q.fine, q.least, q.doubt, q.grain, q.reach, q.alarm, q.ahead)
    numbers = np.array([q.unit, q.factor, q.shift, *when, value])
    return q.at, q.power, q.links, q.l2, numbers, q.most
