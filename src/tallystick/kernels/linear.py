"""Kernels of linear models: sums of logistic regression, Newton's method, scores of rows, linear algebra.

- Loss, gradient, curvature over one block: `logistic_sums()`; answers: `linear_answers()`, `linear_scores()`.
- Newton's method over one block: `newton()`; single decisions for rows that are only summed: `NewtonStop`.
- Scores from added tables: `NumberScores`; linear algebra: `posterior()`, `stretches()`, `BlockBasis`.

theta = weights [parameter, link]; sums are whole multiples of 2^-bits, so no order or partition changes a
bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tallystick import _kernels
from tallystick.kernels import check

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
ROWS = 128  # rows that a kernel processes at a time: the length of a text column's buffer


class Curvature(IntEnum):
    """What to sum beside loss and gradient.

    PAIRS: squares[pair, P, P], weights p_a p_b of links a > b in the order (1, 0), (2, 0), (2, 1), ...; p
    (1 - p) for one link. What a link has with itself is the sum of its pairs. GRAM: squares[1, P, P],
    weight 1. DIAGONAL: squares[2, P], sums of y and of y^2. Both of columns alone: no loss, no gradient. OWN:
    squares[link, P, P], each link with itself, weight p (1 - p). Only lower triangles are filled.
    """

    NONE = 0
    PAIRS = 1
    GRAM = 2
    DIAGONAL = 3
    OWN = 4


@dataclass(frozen=True, slots=True)
class TextColumn:
    """A text column of a block: values are tf[count] * idf[word] * scale, rows of length 1 when `unit` is
    set.
    """

    starts: Whole
    words: NDArray[np.uint32]
    counts: NDArray[np.uint32]
    idf: Floats  # [words + 1], 0 for unseen words
    tf: Floats  # [count]; the last stands for all larger counts
    unit: bool
    scale: float
    theta: Floats  # [words, links]
    gradient: Whole  # [words, links]; nothing where no gradient is asked for
    values: Floats | None = None  # [entry] from `word_values`, to save finding them again

    def arrays(self) -> tuple[Any, ...]:
        """Return the fields as the kernel takes them."""
        own = (self.starts, self.words, self.counts, self.idf, self.tf, self.unit, self.scale)
        return (*own, self.theta, self.gradient, self.values)


@dataclass(frozen=True, slots=True)
class Sums:
    """The totals of logistic regression, added to by `logistic_sums`, and its scratch."""

    loss: Whole  # [3]: whole units, the rest in 2^-bits, and rows whose own class is not strictly ahead
    gradient: Whole  # [P, links]
    squares: Whole
    work: Floats


def new_sums(
    dense: int, cells: int, links: int, curvature: Curvature, texts: int = 0, room: check.Room = np.zeros
) -> Sums:
    """Return empty totals for P = 1 + dense + cells parameters per link. room: makes the curvature, of
    zeros.
    """
    p = 1 + dense + cells
    shape: tuple[int, ...] = {
        Curvature.NONE: (0,),
        Curvature.PAIRS: (max(links * (links - 1) // 2, 1), p, p),
        Curvature.GRAM: (1, p, p),
        Curvature.DIAGONAL: (2, p),
        Curvature.OWN: (links, p, p),
    }[curvature]
    work = np.empty(_kernels.logistic_work(dense, links) + texts * ROWS + links)
    return Sums(np.zeros(3, np.int64), np.zeros((p, links), np.int64), room(shape, np.int64), work)


@dataclass(frozen=True)
class DenseColumns:
    """The columns of a block: values[dense][row], codes[coded][row], starts[coded] (first cell of a coded
    column).
    """

    values: Sequence[Floats]
    codes: Sequence[NDArray[Any]]
    starts: Sequence[int]
    texts: Sequence[TextColumn] = ()
    _known: dict[int, Whole] = field(default_factory=dict, init=False, repr=False, compare=False)

    def places(self, rows: int) -> Whole:
        """Return where the columns lie, checked and looked up once: addresses and strides of values;
        addresses, bytes and first cells of codes.
        """
        if rows not in self._known:
            self._known[rows] = _kernels.places(self.values, self.codes, self.starts, rows)
        return self._known[rows]


@dataclass(frozen=True, slots=True)
class Weighting:
    """What a row counts for: copies[row] times row_factor[row] times class_factor[class]; the factors are
    at most 1.
    """

    copies: Whole | None = None
    row_factor: Floats | None = None
    class_factor: Floats | None = None


def logistic_sums(
    columns: DenseColumns,
    scaling: Floats,
    classes: NDArray[Any],
    weighting: Weighting,
    theta: Floats,
    bits: int,
    curvature: Curvature,
    out: Sums,
) -> None:
    """Add loss, gradient and curvature of a block at theta[P, link]; y = (x - scaling[0]) * scaling[1], |y|
    <= 1.
    """
    texts = [text.arrays() for text in columns.texts]
    given: list[Any] = [*_rows(columns, scaling, classes, weighting), theta, bits, int(curvature), texts]
    given += (out.work, out.loss, out.gradient, out.squares)
    _kernels.logistic_sums(*given)


class Answer(IntEnum):
    """What `logistic_answers` is asked for."""

    SCORES = 0
    SHARES = 1
    BEST = 2


NO_GRADIENT = np.zeros((0, 0), np.int64)
NO_NUMBERS, NO_CLASSES = np.empty((0, 0)), np.empty(0, np.uint32)


def linear_answers(
    columns: DenseColumns, rows: int, scaling: Floats, theta: Floats, answer: Answer
) -> tuple[NDArray[Any], bool]:
    """Return scores[row, class], shares[row, class] or best[row], and whether every score is finite.

    A score is theta[0] + (x - scaling[0]) * scaling[1] * theta + ...; two classes: 0 and the log-odds.
    """
    dense, coded = len(columns.values), len(columns.codes)
    texts = [text.arrays() for text in columns.texts]
    room = _room(dense, len(texts), rows, scaling, theta, answer)
    table = columns.places(rows)
    finite = _kernels.logistic_answers(dense, coded, rows, table, scaling, theta, texts, int(answer), *room)
    return room[2 if answer == Answer.BEST else 1], finite


def answers_of_numbers(
    columns: DenseColumns, rows: int, scaling: Floats, theta: Floats, answer: Answer
) -> tuple[NDArray[Any], bool]:
    """Return what `linear_answers` does, of values of any type, without texts; False where a value is
    infinite, or whole and beyond 2^53: the answers then hold anything.
    """
    given, coded = list(columns.values), len(columns.codes)
    room = _room(len(given), 0, rows, scaling, theta, answer)
    table = DenseColumns((), columns.codes, columns.starts).places(rows)
    finite = _kernels.answers_of_numbers(given, coded, rows, table, scaling, theta, int(answer), *room)
    return room[2 if answer == Answer.BEST else 1], finite


def _room(
    dense: int, texts: int, rows: int, scaling: Floats, theta: Floats, answer: Answer
) -> tuple[Floats, Floats, NDArray[np.uint32]]:
    """Return scratch, and room for numbers[row, class] or best[row], whichever is asked for."""
    links = theta.shape[1]
    work = np.empty(_kernels.logistic_work(dense, links) + texts * ROWS + links)
    if answer == Answer.BEST:
        return work, NO_NUMBERS, np.empty(rows, np.uint32)
    return work, np.empty((rows, max(links, 2))), NO_CLASSES


def linear_scores(columns: DenseColumns, rows: int, scaling: Floats, theta: Floats) -> Floats:
    """Return scores[row, class]: see `linear_answers`."""
    return linear_answers(columns, rows, scaling, theta, Answer.SCORES)[0]


def add_sides(
    columns: DenseColumns,
    scaling: Floats,
    classes: NDArray[Any],
    weights: Whole | None,
    thetas: Floats,
    sides: Floats,
    margins: Floats,
) -> None:
    """Widen sides[direction, pair, 4] and margins[direction, 2] by the rows of a block: see
    kernels/linear/answers.hpp.
    """
    dense, coded = len(columns.values), len(columns.codes)
    table = columns.places(len(classes))
    _kernels.add_sides(dense, coded, table, scaling, classes, weights, thetas, sides, margins)


def sample_rows(columns: DenseColumns, rows: int, every: int) -> tuple[NDArray[np.int64], list[Floats]]:
    """Return about one row in `every`, by a hash of their first columns, and the values of these rows.

    The choice depends on what is in a row alone, so it is the same in any order of rows.
    """
    table, dense = columns.places(rows), len(columns.values)
    picked = np.empty(rows + 1, np.int64)
    count = int(_kernels.pick_rows(dense, len(columns.codes), rows, table, every, picked))
    chosen = picked[:count].copy()
    values = np.empty((dense, count))
    _kernels.gather_rows(dense, table, chosen, values)
    return chosen, list(values)


def word_values(text: TextColumn) -> Floats:
    """Return values[entry] of a text column, from its first entry on."""
    values = np.empty(int(text.starts[-1] - text.starts[0]))
    _kernels.word_values(text.arrays(), values)
    return values


# ---- Newton's method over one block in one call, and its decisions one by one ----


ROOM = 256  # iterations of one call, at most


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
    """What is minimised beside the rows, and when to stop: see kernels/linear/newton.hpp.

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
class NewtonPoint:
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
    start: tuple[Floats, NewtonPoint | None],
) -> Landing:
    """Go from weights (or from a point, along its step) to the end. theta[P, link] has what is not free, and
    is written to.
    """
    dense, (p, links), m = len(columns.values), theta.shape, len(descent.l2)
    given = _rows(columns, scaling, classes, weighting)
    w, begun = start[0].copy(), start[1]
    gradient = np.empty(m) if begun is None else begun.gradient.copy()
    d = np.empty(m) if begun is None else begun.d.copy()
    memory = np.empty(_kernels.newton_doubles(dense, links, m))
    whole = np.empty(_kernels.newton_whole(p, links), np.int64)
    curvature, trace = np.empty((m, m)), np.empty((ROOM, 3))
    counts, out = np.empty(2, np.int64), np.empty(3)
    q, value = descent, 0.0 if begun is None else begun.value
    when = (q.small, q.fine, q.least, q.doubt, q.grain, q.reach, q.alarm, q.ahead)
    numbers = np.array([q.unit, q.factor, q.shift, *when, value])
    all_given: list[Any] = [*given, theta, bits, q.at, q.power, q.links, q.l2, numbers, q.most]
    all_given += (begun is not None, memory, whole, w, gradient, curvature, d, trace, counts, out)
    end = End(_kernels.newton(*all_given))
    value, loss, wrong = out.tolist()
    noted, asked = counts.tolist()
    return Landing(end, w, value, gradient, loss, int(wrong), curvature, d, trace[:noted], asked)


@dataclass(frozen=True, slots=True)
class NewtonStop:
    """When Newton's method is at its end: see kernels/linear/newton.hpp. power[m] brings each weight to its
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
        limits = (self.small, self.fine, self.least, self.doubt, self.grain, self.reach, self.alarm)
        numbers = np.array([*limits, self.ahead, wrong, before], np.float64)
        return _kernels.newton_end(w, gradient, d, self.power, numbers, stalled, np.empty(2 * len(w)))


def shorter(
    t: float, slope: float, values: tuple[float, float], steep: tuple[float, float], doubt: float
) -> float:
    """Return 0 where the step t along a slope leads low enough, else the next to try. values, steep: before
    and after it, of what is minimised and of the gradient norm.
    """
    return _kernels.newton_shorter(t, slope, *values, *steep, doubt)


def factorised(h: Floats) -> Callable[[Floats], Floats]:
    """Return what solves h x = b; a matrix that is not quite positive gets a little more diagonal."""
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
    """Return the rows as the kernel takes them."""
    factors = (weighting.class_factor, weighting.row_factor, weighting.copies)
    table = columns.places(len(classes))
    return (len(columns.values), len(columns.codes), table, scaling, classes, *factors)


# ---- scores of rows from tables; `add_*` write into scores[row, class] ----


class Parabola(NamedTuple):
    """What a number adds: constant[class] - half[class] * (x - mean[class])^2; a missing one nothing."""

    mean: Floats
    half: Floats
    constant: Floats


class Bins(NamedTuple):
    """What a number adds: table[bin, class], bin = cuts at or below it; a missing one the last line."""

    cuts: Floats
    table: Floats


class NumberScores:
    """What columns of numbers add to scores, made ready once for rows that come."""

    def __init__(self, parts: Sequence[Parabola | Bins], classes: int, rows: int = 1 << 20) -> None:
        """Make ready: rows: about how many are to come, of which nothing but the time depends."""
        self._parts, self._classes, self._rows = tuple(parts), classes, rows
        self._scores = _kernels.number_scores(classes)
        for part in self._parts:
            if isinstance(part, Parabola):
                self._scores.parabola(*part)
            else:
                self._scores.bins(part.cuts, part.table, rows)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what a pickle keeps: it is made ready again."""
        return NumberScores, (self._parts, self._classes, self._rows)

    def add(self, scores: Floats, columns: Sequence[NDArray[Any]]) -> bool:
        """Do scores[row, class] += the parts of columns[column][row], in the order of the columns, whatever
        their types are. Return False where a number is infinite, or whole and beyond 2^53; scores then hold
        anything.
        """
        return self._scores.add(scores, columns)


# ---- linear algebra in a fixed order of additions: the same bits everywhere, no BLAS, no LAPACK ----


class Together(Protocol):
    """Threads that do a step for all items and wait, as a crew of `data.threads` does."""

    @property
    def threads(self) -> int:
        """How many there are."""

    def __call__(self, step: Callable[[int], None], items: Iterable[int], /) -> object:
        """Do the step for all items."""


def posterior(
    matrix: Floats,
    at: Whole,
    scale: Floats,
    helpers: Together | None,
    out: tuple[Floats, Floats],
) -> tuple[Floats, Floats]:
    """Return X with X'X = (I + D M D)^-1, M being rows and columns `at` of a symmetric matrix and D =
    diag(scale), and the diagonal of I - X'X. helpers: who shares the work; the same bits. out: two matrices
    to be written over, the second is X.
    """
    n, (a, x) = len(at), out
    diagonal = np.empty(n)
    if helpers is None or not n:
        _kernels.posterior(matrix, at, scale, a, x, diagonal)
        return x, diagonal

    def start(begin: int, stop: int) -> None:
        _kernels.posterior_start(matrix, at, scale, begin, stop, a, x)

    def rows(first: int, begin: int, stop: int) -> None:
        _kernels.posterior_rows(first, begin, stop, a, x)

    stretches(helpers, start, 0, n)
    blocks = range(0, n, _kernels.POSTERIOR_BLOCK)
    for first, below in zip(blocks, [*blocks[1:], n], strict=True):
        _kernels.posterior_block(first, a, x)
        stretches(helpers, partial(rows, first), below, n)
    helpers(lambda column: _kernels.posterior_columns(column, a, x, diagonal), blocks)
    return x, diagonal


def stretches(
    helpers: Together, step: Callable[[int, int], None], begin: int, stop: int, times: int = 1
) -> None:
    """Do step(begin, stop) of stretches: `times` of them for each helper."""
    each = -(-(stop - begin) // (times * helpers.threads)) or 1
    helpers(lambda first: step(first, min(first + each, stop)), range(begin, stop, each))


# ---- block-diagonal basis B: B'x, B v and B'W B, summed in a fixed order ----


PARTS = 3  # parts of the directions per thread, as the first have the longest columns


@dataclass(frozen=True)
class BlockBasis:
    """table[piece]: first line, lines, first direction, directions; rows: a direction's lines, one direction
    after the other.
    """

    table: Whole
    rows: Floats

    @classmethod
    def of(cls, factors: Sequence[Floats]) -> BlockBasis:
        """Lay pieces side by side; factors[piece][line, direction]."""
        table, line, direction = np.zeros((len(factors), 4), np.int64), 0, 0
        for i, factor in enumerate(factors):
            table[i] = line, factor.shape[0], direction, factor.shape[1]
            line, direction = line + factor.shape[0], direction + factor.shape[1]
        rows = [np.ascontiguousarray(factor.T).ravel() for factor in factors]
        return cls(table, np.concatenate(rows) if rows else np.zeros(0))

    @property
    def lines(self) -> int:
        """The lines of all pieces."""
        return int(self.table[-1, :2].sum()) if len(self.table) else 0

    @property
    def directions(self) -> int:
        """The directions of all pieces."""
        return int(self.table[-1, 2:].sum()) if len(self.table) else 0

    def along(self, x: Floats) -> Floats:
        """Return B'x for x[line]."""
        out = np.empty(self.directions)
        _kernels.along(self.table, self.rows, x, out)
        return out

    def lines_of(self, v: Floats) -> Floats:
        """Return B v for v[direction]."""
        out = np.empty(self.lines)
        _kernels.lines_along(self.table, self.rows, v, out)
        return out

    def diagonal(self, w: Floats) -> Floats:
        """Return the diagonal of B'W B for a symmetric w[line, line]."""
        out = np.empty(self.directions)
        _kernels.diagonal_along(self.table, self.rows, w, out)
        return out

    def turned(self, w: Floats, some: Whole, helpers: Together | None, work: tuple[Floats, Floats]) -> Floats:
        """Return B'W B of some directions, in rising order, for a symmetric w[line, line]; only the lower
        triangle is filled. helpers: who shares the work; the same bits. work: two matrices to be written
        over, [direction, line] and what is returned.
        """
        q, (half, out) = len(some), work

        def halves(begin: int, stop: int) -> None:
            _kernels.turn_half(self.table, self.rows, w, some, begin, stop, half)

        def wholes(begin: int, stop: int) -> None:
            _kernels.turn_whole(self.table, self.rows, some, begin, stop, half, out)

        for step in (halves, wholes):
            if helpers is None:
                step(0, q)
            else:
                stretches(helpers, step, 0, q, PARTS)
        return out
