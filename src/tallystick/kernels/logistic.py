"""Sums of logistic regression over one block, and what a fitted one answers.

Every sum is whole multiples of 2^-bits, so that any order and any cut of the rows gives the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

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
            check.columns("values", self.values, "float64", rows)
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
    check.columns("values", columns.values, check.NUMBERS, rows)
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
    kernels/logistic/answers.hpp.
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
    step = check.size("every", every)
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
