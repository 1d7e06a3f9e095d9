"""Sums of logistic regression over one block, and what a fitted one answers.

Every sum is whole multiples of 2^-bits, so that any order and any cut of the rows gives the same bits.
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
ROWS = 128  # rows a kernel takes at a time: the scratch of a text column


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
        """Return the fields as the kernel takes them, checked."""
        check.array("starts", self.starts, "int64", (None,))
        check.array("words", self.words, "uint32", (None,))
        check.array("counts", self.counts, "uint32", self.words.shape)
        check.array("idf", self.idf, "float64", (None,))
        check.array("tf", self.tf, "float64", (None,))
        check.array("theta", self.theta, "float64", (len(self.idf) - 1, None))
        if self.gradient.size:
            check.writable("gradient", self.gradient, "int64", self.theta.shape)
        check.maybe("values", self.values, "float64", self.words.shape)
        if int(self.starts[0]) < 0 or int(self.starts[-1]) > len(self.words):
            raise ValueError(f"starts must lie within words; found {self.starts[0]}..{self.starts[-1]}")
        return (
            self.starts,
            self.words,
            self.counts,
            self.idf,
            self.tf,
            self.unit,
            self.scale,
            self.theta,
            self.gradient,
            self.values,
        )


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
            check.check_columns("values", self.values, "float64", rows)
            for one in self.codes:
                check.array("codes", one, check.CODES, (rows,))
            table = np.zeros((5, max(len(self.values), len(self.codes))), np.int64)
            _kernels.places(self.values, self.codes, self.starts, table)
            self._known[rows] = table
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
    rows, dense, coded = len(classes), len(columns.values), len(columns.codes)
    check.array("classes", classes, check.CODES, (rows,))
    check.array("scaling", scaling, "float64", (2, dense))
    check.array("theta", theta, "float64", out.gradient.shape)
    check.maybe("copies", weighting.copies, "int64", (rows,))
    check.maybe("row_factor", weighting.row_factor, "float64", (rows,))
    check.maybe("class_factor", weighting.class_factor, "float64", (None,))
    if not 0 <= bits <= 50:
        raise ValueError(f"bits must be 0 to 50; found {bits}")
    table, texts = columns.places(rows), [text.arrays() for text in columns.texts]
    _kernels.logistic_sums(
        dense,
        coded,
        table,
        scaling,
        classes,
        weighting.class_factor,
        weighting.row_factor,
        weighting.copies,
        theta,
        bits,
        int(curvature),
        texts,
        out.work,
        out.loss,
        out.gradient,
        out.squares,
    )


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
    check.check_columns("values", columns.values, check.NUMBERS, rows)
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
    check.array("scaling", scaling, "float64", (2, dense))
    check.array("theta", theta, "float64", (None, None))
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
    rows, dense, (directions, _, links) = len(classes), len(columns.values), thetas.shape
    pairs = max(links * (links - 1) // 2, 1)
    check.array("classes", classes, check.CODES, (rows,))
    check.maybe("weights", weights, "int64", (rows,))
    check.array("scaling", scaling, "float64", (2, dense))
    check.array("thetas", thetas, "float64", (None, None, None))
    check.writable("sides", sides, "float64", (directions, pairs, 4))
    check.writable("margins", margins, "float64", (directions, 2))
    work = np.empty(_kernels.logistic_work(dense, links))
    table = columns.places(rows)
    _kernels.add_sides(
        dense, len(columns.codes), table, scaling, classes, weights, thetas, work, sides, margins
    )


def sample_rows(columns: DenseColumns, rows: int, every: int) -> tuple[NDArray[np.int64], list[Floats]]:
    """Return about one row in `every`, by a hash of their first columns, and the values of these rows.

    The choice depends on what is in a row alone, so it is the same in any order of rows.
    """
    table, dense = columns.places(rows), len(columns.values)
    picked = np.empty(rows + 1, np.int64)
    step = check.check_size("every", every)
    count = int(_kernels.pick_rows(dense, len(columns.codes), rows, table, step, picked))
    chosen = picked[:count].copy()
    values = np.empty((dense, count))
    _kernels.gather_rows(dense, table, chosen, values)
    return chosen, list(values)


def word_rows(
    starts: Whole,
    words: NDArray[np.uint32],
    counts: NDArray[np.uint32],
    weights: Whole | None,
    rows: Whole,
    most: Whole,
) -> None:
    """Do rows[word] += copies of the rows that hold the word; most[0] becomes the largest count."""
    check.array("starts", starts, "int64", (None,))
    check.array("words", words, "uint32", (None,))
    check.array("counts", counts, "uint32", words.shape)
    check.maybe("weights", weights, "int64", (len(starts) - 1,))
    check.writable("rows", rows, "int64", (None,))
    check.writable("most", most, "int64", (1,))
    _kernels.word_rows(starts, words, counts, weights, rows, most)


def word_values(text: TextColumn) -> Floats:
    """Return values[entry] of a text column, from its first entry on."""
    values = np.empty(int(text.starts[-1] - text.starts[0]))
    _kernels.word_values(text.arrays(), values)
    return values


# Newton's method: over one block in one call, and its decisions one by one for rows that are only summed.


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
    """What a whole small fit needs beside the rows: see kernels/linear/whole_fit.hpp. strength, held: of
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


# Scores of rows: tables added up, the best class, shares. `add_*` write into scores[row, class].


def add_code_scores(scores: Floats, codes: NDArray[Any], table: Floats) -> None:
    """Do scores[row, class] += table[codes[row], class]."""
    rows, classes = _shape(scores)
    check.array("codes", codes, check.CODES, (rows,))
    check.array("table", table, "float64", (None, classes))
    _kernels.add_code_scores(scores, codes, table)


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
        self._scores = _kernels.number_scores(check.check_size("number of classes", classes))
        for part in self._parts:
            if isinstance(part, Parabola):
                check.arrays("parabola", part, "float64", (classes,))
                self._scores.parabola(*part)
            else:
                check.array("cuts", part.cuts, "float64", (None,))
                check.array("table", part.table, "float64", (len(part.cuts) + 2, classes))
                self._scores.bins(part.cuts, part.table, rows)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what a pickle keeps: it is made ready again."""
        return NumberScores, (self._parts, self._classes, self._rows)

    def add(self, scores: Floats, columns: Sequence[NDArray[Any]]) -> bool:
        """Do scores[row, class] += the parts of columns[column][row], in the order of the columns, whatever
        their types are. Return False where a number is infinite, or whole and beyond 2^53; scores then hold
        anything.
        """
        rows, _ = _shape(scores)
        check.array("scores", scores, "float64", (rows, self._classes))
        if len(columns) != len(self._parts):
            raise ValueError(f"columns must be {len(self._parts)}; found {len(columns)}")
        check.check_columns("columns", columns, check.NUMBERS, rows)
        fine: bool = self._scores.add(scores, list(columns))
        return fine


def add_linear_scores(scores: Floats, values: Floats, slope: Floats, missing: Floats) -> None:
    """Do scores[row, class] += x * slope[class]; a missing x adds missing[class]."""
    rows, classes = _shape(scores)
    check.loose("values", values, "float64", (rows,))
    check.array("slope", slope, "float64", (classes,))
    check.array("missing", missing, "float64", (classes,))
    _kernels.add_linear_scores(scores, values, slope, missing)


def add_word_scores(
    scores: Floats,
    starts: NDArray[np.int64],
    words: NDArray[np.uint32],
    counts: NDArray[np.uint32],
    table: Floats,
) -> None:
    """Do scores[row, class] += sum over the row's entries of counts[entry] * table[words[entry], class]."""
    rows, classes = _shape(scores)
    check.array("starts", starts, "int64", (rows + 1,))
    check.array("words", words, "uint32", (None,))
    check.array("counts", counts, "uint32", words.shape)
    check.array("table", table, "float64", (None, classes))
    if int(starts[0]) < 0 or int(starts[-1]) > len(words):
        raise ValueError(
            f"starts must lie within words; found {starts[0]}..{starts[-1]} for {len(words)} entries"
        )
    _kernels.add_word_scores(scores, starts, words, counts, table)


def best_class(scores: Floats) -> NDArray[Any]:
    """Return the class with the highest score per row, the first of equals, in the narrowest dtype."""
    check.array("scores", scores, "float64", (None, None))
    rows, classes = scores.shape
    check.check_size("number of classes", classes)
    best = np.empty(rows, check.code_dtype(classes))
    _kernels.best_class(scores, best)
    return best


def softmax(scores: Floats) -> Floats:
    """Return shares[row, class] = e^score over the row's sum; all 0 in a row where every score is -inf."""
    check.array("scores", scores, "float64", (None, None))
    check.check_size("number of classes", scores.shape[1])
    shares = np.empty_like(scores)
    _kernels.softmax(scores, shares)
    return shares


def log_sum_exp(scores: Floats) -> Floats:
    """Return ln(sum over classes of e^score) per row."""
    check.array("scores", scores, "float64", (None, None))
    check.check_size("number of classes", scores.shape[1])
    out = np.empty(len(scores))
    _kernels.log_sum_exp(scores, out)
    return out


def _shape(scores: Floats) -> tuple[int, int]:
    check.writable("scores", scores, "float64", (None, None))
    return scores.shape[0], check.check_size("number of classes", scores.shape[1])


# The solvers' linear algebra in a fixed order of additions: the same bits everywhere, no BLAS, no LAPACK.


Kept = NDArray[Any]  # a long vector as it is remembered, in float64 or float32
KEPT = ("float64", "float32")


def longest(v: Floats) -> float:
    """Return the largest of |v|."""
    return float(_kernels.longest(check.array("v", v, "float64", (None,))))


def dot(a: Floats, b: Floats) -> float:
    """Return the sum of a * b in a fixed order."""
    check.array("a", a, "float64", (None,))
    check.array("b", b, "float64", a.shape)
    return float(_kernels.dot(a, b))


def dots(vectors: Sequence[Kept], sides: Sequence[Floats]) -> list[list[float]]:
    """Return [vector][side]: the sums of products, every vector read once; vectors of one precision."""
    for one in vectors:
        check.array("vectors", one, KEPT, sides[0].shape)
    for side in sides:
        check.array("sides", side, "float64", sides[0].shape)
    out = np.empty((len(vectors), len(sides)))
    _kernels.dots(vectors, sides, out)
    found: list[list[float]] = out.tolist()
    return found


def combine(q: Floats, factor: float, vectors: Sequence[Kept], coefficients: Sequence[float]) -> Floats:
    """Do q = factor * q + the sum of coefficient * vector, and return it."""
    check.writable("q", q, "float64", (None,))
    for one in vectors:
        check.array("vectors", one, KEPT, q.shape)
    given = check.array("coefficients", np.array(coefficients, np.float64), "float64", (len(vectors),))
    _kernels.combine(factor, vectors, given, q)
    return q


def pulled(sums: Whole, unit: float, l2: Floats, w: Floats, gradient: Floats) -> float:
    """Do gradient = sums * unit + l2 * w, and return the sum of l2 * w * w."""
    check.array("sums", sums, "int64", w.shape)
    check.array("l2", l2, "float64", w.shape)
    check.array("w", w, "float64", (None,))
    check.writable("gradient", gradient, "float64", w.shape)
    return float(_kernels.pulled(sums, unit, l2, w, gradient))


def cholesky(a: Floats, least: float = 0.0) -> tuple[Floats, int]:
    """Return L of a = L L' and n; or what was done, and the first column whose pivot is at most `least` of
    itself.
    """
    check.array("a", a, "float64", (None, None))
    factor = a.copy()
    at = int(_kernels.cholesky(factor, least))
    return factor, at


def cholesky_solve(factor: Floats, right: Floats) -> Floats:
    """Return x with L L' x = right."""
    check.array("factor", factor, "float64", (None, None))
    x = np.array(right, np.float64)
    check.array("right", x, "float64", (len(factor),))
    _kernels.cholesky_solve(factor, x)
    return x


def cholesky_skip(a: Floats, least: float) -> tuple[Floats, NDArray[np.bool_]]:
    """Return L of the columns that do not depend on earlier ones, and which do (their rows are the
    identity's).
    """
    n = len(check.array("a", a, "float64", (None, None)))
    factor, skipped = a.copy(), np.zeros(n, np.uint8)
    _kernels.cholesky_skip(factor, least, skipped)
    return factor, skipped.astype(bool)


def inverse_diagonal(factor: Floats) -> Floats:
    """Return the diagonal of (L L')^-1."""
    n = len(check.array("factor", factor, "float64", (None, None)))
    diagonal = np.empty(n)
    _kernels.inverse_diagonal(factor, np.empty(n), diagonal)
    return diagonal


def product(a: Floats, b: Floats) -> Floats:
    """Return the matrix product a b, in a fixed order of additions."""
    check.array("a", a, "float64", (None, len(b)))
    check.array("b", b, "float64", (None, None))
    out = np.empty((len(a), b.shape[1]))
    _kernels.product(a, b, out)
    return out


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
    check.array("matrix", matrix, "float64", (None, len(matrix)))
    n = len(check.array("at", at, "int64", (None,)))
    check.array("scale", scale, "float64", (n,))
    if n and not (at.min() >= 0 and at.max() < len(matrix)):
        raise ValueError(f"at must lie within 0..{len(matrix) - 1}; found {at.min()}..{at.max()}")
    a, x = (check.writable("out", given, "float64", (n, n)) for given in out)
    told = np.empty(n)
    if helpers is None or not n:
        _kernels.posterior(matrix, at, scale, a, x, told)
        return x, told

    def start(begin: int, stop: int) -> None:
        _kernels.posterior_start(matrix, at, scale, begin, stop, a, x)

    def rows(first: int, begin: int, stop: int) -> None:
        _kernels.posterior_rows(first, begin, stop, a, x)

    stretches(helpers, start, 0, n)
    blocks = range(0, n, _kernels.POSTERIOR_BLOCK)
    for first, below in zip(blocks, [*blocks[1:], n], strict=True):
        _kernels.posterior_block(first, a, x)
        stretches(helpers, partial(rows, first), below, n)
    helpers(lambda column: _kernels.posterior_columns(column, a, x, told), blocks)
    return x, told


def stretches(
    helpers: Together, step: Callable[[int, int], None], begin: int, stop: int, times: int = 1
) -> None:
    """Do step(begin, stop) of stretches: `times` of them for each helper."""
    each = -(-(stop - begin) // (times * helpers.threads)) or 1
    helpers(lambda first: step(first, min(first + each, stop)), range(begin, stop, each))


def without_constant(lower: Whole, unit: float, out: Floats) -> tuple[Floats, float, Floats]:
    """Return what a curvature in whole `unit`s, the constant first and only its lower triangle filled, is
    where the constant is free to follow; the constant's own; and how it follows each of the others. out:
    a matrix to be written over with the first.
    """
    n = len(check.array("lower", lower, "int64", (None, len(lower)))) - 1
    check.writable("out", out, "float64", (n, n))
    cross = np.empty(n)
    return out, float(_kernels.without_constant(lower, unit, out, cross)), cross


def eigen(a: Floats) -> tuple[Floats, Floats]:
    """Return the eigenvalues of a symmetric matrix, falling, and its eigenvectors as rows."""
    work = check.array("a", a, "float64", (None, len(a))).copy()
    vectors = np.empty_like(work)
    _kernels.eigen(work, vectors)
    order = np.argsort(-np.diag(work), kind="stable")
    return np.diag(work)[order].copy(), vectors[order]


def times(a: Floats, x: Floats) -> Floats:
    """Return a x for a square matrix, in a fixed order of additions."""
    check.array("a", a, "float64", (len(x), len(x)))
    check.array("x", x, "float64", (None,))
    y = np.empty(len(x))
    _kernels.times(a, x, y)
    return y


def precondition(a: Floats, v: Floats, mean: Floats, groups: Whole, even: bool, q: Floats) -> Floats:
    """Return q[row, link] divided by about the curvature, in place: see kernels/linear/solve.hpp.

    a[row] * v[link] is 1 over the diagonal, mean[row] the mean of a column; groups[group, 2]: rows whose
    weights keep their sum; even: so do the links of a row.
    """
    check.array("a", a, "float64", (None,))
    check.array("v", v, "float64", (None,))
    check.array("mean", mean, "float64", a.shape)
    check.array("groups", groups, "int64", (None, 2))
    check.writable("q", q, "float64", (len(a) * len(v),))
    if len(groups) and not (groups.min() >= 0 and groups.max() <= len(a)):
        raise ValueError(f"groups must lie within 0..{len(a)}; found {groups.min()}..{groups.max()}")
    _kernels.precondition(a, v, mean, groups, even, q)
    return q


def curvature_of_sums(
    links: Whole,
    classes: int,
    squares: Whole,
    at: Whole,
    power: Floats,
    unit: float,
    shift: float,
    l2: Floats,
) -> Floats:
    """Return the curvature [n k, n k] from squares[pair, P, P] in whole `unit`s, lower triangles filled.

    links[k]: the classes with weights (classes 1: the one link of two classes); at[n]: the free parameters,
    each brought to its scale by power[n]; shift is added among the constants, l2[n k] to the diagonal.
    """
    pairs = max(classes * (classes - 1) // 2, 1)
    check.array("links", links, "int64", (None,))
    check.array("at", at, "int64", (None,))
    check.array("power", power, "float64", at.shape)
    check.array("l2", l2, "float64", (len(at) * len(links),))
    check.array("squares", squares, "int64", (pairs, None, None))
    h = np.empty((len(l2), len(l2)))
    _kernels.curvature_of_sums(links, classes, squares, at, power, unit, shift, l2, h)
    return h


def curvature_of_gram(
    links: Whole, classes: int, gram: Floats, share: Floats, shift: float, l2: Floats
) -> Floats:
    """Return the curvature [n k, n k] where every row has the same share[class]; gram[n, n] sums z z'."""
    check.array("links", links, "int64", (None,))
    check.array("gram", gram, "float64", (len(gram), len(gram)))
    check.array("share", share, "float64", (max(classes, 2),))
    check.array("l2", l2, "float64", (len(gram) * len(links),))
    h = np.empty((len(l2), len(l2)))
    _kernels.curvature_of_gram(links, classes, gram, share, shift, l2, h)
    return h


def eigen_ends(a: Floats, factor: Floats, rounds: int = 30) -> tuple[float, float]:
    """Return about the largest and the smallest eigenvalue of a = L L'."""
    n = len(check.array("a", a, "float64", (len(a), len(a))))
    check.array("factor", factor, "float64", a.shape)
    ends = np.empty(2)
    _kernels.eigen_ends(a, factor, check.check_size("rounds", rounds), np.empty(2 * n), ends)
    return float(ends[0]), float(ends[1])


def lasso_step(
    h: Floats, g: Floats, w: Floats, l1: Floats, tolerance: float, rounds: int
) -> tuple[Floats, int]:
    """Return the step d that minimises g'd + d'hd/2 + sum l1 |w + d|, and the rounds it took."""
    n = len(g)
    check.array("h", h, "float64", (n, n))
    for name, value in (("g", g), ("w", w), ("l1", l1)):
        check.array(name, value, "float64", (n,))
    d, hd = np.zeros(n), np.zeros(n)
    return d, int(_kernels.lasso_step(h, g, w, l1, tolerance, rounds, d, hd))


# A basis in blocks: pieces of lines, each with directions of its own, and what vectors and matrices over
# all lines are along them. Sums in a fixed order, as in `solve.py`.


PARTS = 3  # of the directions for each thread: the first have the longest columns


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
            check.array("factors", factor, "float64", (None, None))
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
        check.array("x", x, "float64", (self.lines,))
        out = np.empty(self.directions)
        _kernels.along(self.table, self.rows, x, out)
        return out

    def lines_of(self, v: Floats) -> Floats:
        """Return B v for v[direction]."""
        check.array("v", v, "float64", (self.directions,))
        out = np.empty(self.lines)
        _kernels.lines_along(self.table, self.rows, v, out)
        return out

    def diagonal(self, w: Floats) -> Floats:
        """Return the diagonal of B'W B for a symmetric w[line, line]."""
        check.array("w", w, "float64", (self.lines, self.lines))
        out = np.empty(self.directions)
        _kernels.diagonal_along(self.table, self.rows, w, out)
        return out

    def turned(self, w: Floats, some: Whole, helpers: Together | None, work: tuple[Floats, Floats]) -> Floats:
        """Return B'W B of some directions, in rising order, for a symmetric w[line, line]; only the lower
        triangle is filled. helpers: who shares the work; the same bits. work: two matrices to be written
        over, [direction, line] and what is returned.
        """
        check.array("w", w, "float64", (self.lines, self.lines))
        q = len(check.array("some", some, "int64", (None,)))
        if q and not (some[0] >= 0 and some[-1] < self.directions and (np.diff(some) > 0).all()):
            raise ValueError(f"some must rise within 0..{self.directions - 1}")
        half, out = work
        check.writable("work", half, "float64", (q, len(w)))
        check.writable("work", out, "float64", (q, q))

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
