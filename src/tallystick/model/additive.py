"""Additive models (naive Bayes, regressions): score(row, class) = base(class) + one part per column.

Entry: `Additive`; the classes before it are the kinds of terms.
term = the table or formula that turns a column's codes, numbers or words into a part per class;
ready = terms of numbers prepared for the kernel that adds several at once.
Every reader of such a model (scores, explanations, exports) works on terms alone. Law: parts are added in the
order of the terms, so a row's score is the same bits in any block.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block
from tallystick.predict.columns import OddNumber

Array = NDArray[np.float64]
MANY = 1 << 20  # rows that terms are prepared for, where their number is not known
RowPart = Callable[[Sequence[Any]], Sequence[float]]  # cells of one row -> a part per class


class Term(Protocol):
    """One column's part of the score."""

    @property
    def column(self) -> str:
        """The column's name."""
        ...

    def add(self, scores: Array, block: Block) -> None:
        """Add the part of each row: scores[row, class] += part(row, class)."""
        ...

    def row_part(self, place: Mapping[str, int]) -> RowPart | None:
        """Return what gives the part of one row, whose cells stand in places by column; None: words."""
        ...


@dataclass(frozen=True, slots=True)
class LevelTerm:
    """A part per code. table[code, class]: the levels in schema order, then missing, then unseen."""

    column: str
    table: Array

    def add(self, scores: Array, block: Block) -> None:
        """Add table[code[row], class]."""
        kernels.add_code_scores(scores, block.codes(self.column), self.table)

    def row_part(self, place: Mapping[str, int]) -> RowPart:
        """Return the part of one row."""
        at, table = place[self.column], self.table.tolist()
        return lambda cells: table[cells[at]]


@dataclass(frozen=True, slots=True)
class BinTerm:
    """A part per bin of a number. cuts[cut] rising; table[bin, class]: bin = cuts at or below x; the last
    row: missing.
    """

    column: str
    cuts: Array
    table: Array

    def add(self, scores: Array, block: Block) -> None:
        """Add table[bin(x[row]), class]."""
        ready([self], len(scores)).add(scores, [block.values(self.column)])

    def row_part(self, place: Mapping[str, int]) -> RowPart:
        """Return the part of one row."""
        at, cuts, (*table, missing) = place[self.column], self.cuts.tolist(), self.table.tolist()
        return lambda cells: table[bisect_right(cuts, x)] if (x := cells[at]) == x else missing

    @property
    def part(self) -> kernels.Bins:
        """The term as the kernel takes it."""
        return kernels.Bins(self.cuts, self.table)


@dataclass(frozen=True, slots=True)
class NormalTerm:
    """A parabola per class: constant[class] - half[class] * (x - mean[class])^2; a missing x adds nothing."""

    column: str
    mean: Array
    half: Array
    constant: Array

    def add(self, scores: Array, block: Block) -> None:
        """Add the parabola at x[row]."""
        ready([self], len(scores)).add(scores, [block.values(self.column)])

    def row_part(self, place: Mapping[str, int]) -> RowPart:
        """Return the part of one row."""
        at, nothing = place[self.column], [0.0] * len(self.mean)
        curves = list(zip(self.constant.tolist(), self.mean.tolist(), self.half.tolist(), strict=True))

        def part(cells: Sequence[Any]) -> list[float]:
            x = cells[at]
            return [k - (x - m) * (x - m) * h for k, m, h in curves] if x == x else nothing

        return part

    @property
    def part(self) -> kernels.Parabola:
        """The term as the kernel takes it."""
        return kernels.Parabola(self.mean, self.half, self.constant)


@dataclass(frozen=True, slots=True)
class LinearTerm:
    """A line per class: at_zero[class] + slope[class] * x; a missing x adds missing[class]."""

    column: str
    slope: Array
    at_zero: Array
    missing: Array

    def add(self, scores: Array, block: Block) -> None:
        """Add the line at x[row]."""
        part = np.zeros_like(scores)
        kernels.add_linear_scores(part, block.values(self.column), self.slope, self.missing - self.at_zero)
        part += self.at_zero
        scores += part  # in one addition, so that parts add up to scores to the bit

    def row_part(self, place: Mapping[str, int]) -> RowPart:
        """Return the part of one row."""
        at, missing = place[self.column], ((self.missing - self.at_zero) + self.at_zero).tolist()
        lines = list(zip(self.slope.tolist(), self.at_zero.tolist(), strict=True))

        def part(cells: Sequence[Any]) -> list[float]:
            x = cells[at]
            return [slope * x + start for slope, start in lines] if x == x else missing

        return part


@dataclass(frozen=True, slots=True)
class WordTerm:
    """A part per word. table[word, class]; the last row: unseen words. present[class] is added to rows with
    any text.

    `counts`: "all" a word's part times its count in the row; "once" a word counts once; "tf-idf" see
    `weighted`.
    """

    column: str
    table: Array
    present: Array
    counts: str = "all"
    idf: NDArray[np.int64] | None = None

    @property
    def words(self) -> Array:
        """The parts of the known words [word, class]."""
        return self.table[:-1]

    def add(self, scores: Array, block: Block) -> None:
        """Add the parts of the row's words."""
        starts, words, counts = block.words(self.column)
        if self.counts == "once":
            counts = np.ones_like(counts)
        table = self.table
        if self.idf is not None:
            counts = weighted(starts, words, counts, self.idf)
            table = table / WEIGHT_ONE
        part = np.zeros_like(scores)
        kernels.add_word_scores(part, starts, words, counts, table)
        if self.present.any():
            part[np.diff(starts) > 0] += self.present
        scores += part  # in one addition, so that parts add up to scores to the bit

    def row_part(self, place: Mapping[str, int]) -> None:
        """Return the part of one row."""
        return None


WEIGHT_ONE = (
    2**20
)  # tf-idf weights are whole multiples of 1 / WEIGHT_ONE, so that their sums do not depend on order
IDF_ONE = 2**16


def weighted(
    starts: NDArray[np.int64], words: NDArray[np.uint32], counts: NDArray[np.uint32], idf: NDArray[np.int64]
) -> NDArray[np.uint32]:
    """Return tf-idf weights in fixed point: count * idf, each row scaled to length 1 in units of 1 /
    WEIGHT_ONE.
    """
    raw = counts.astype(np.float64) * idf[words] / IDF_ONE
    rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    squares = np.bincount(
        rows, raw * raw, len(starts) - 1
    )  # in word order within a row: the same bits in any block
    lengths = np.sqrt(np.where(squares == 0, 1.0, squares))
    out: NDArray[np.uint32] = np.rint(raw / lengths[rows] * WEIGHT_ONE).astype(np.uint32)
    return out


def bins_of(values: Array, cuts: Array) -> NDArray[np.uint32]:
    """Return bin[row]: how many cuts are at or below x; len(cuts) + 1 where x is missing."""
    return kernels.bins(values, np.ascontiguousarray(cuts, np.float64)).astype(np.uint32)


def ready(terms: Sequence[BinTerm | NormalTerm], rows: int = MANY) -> kernels.NumberScores:
    """Return terms of numbers, prepared for adding them to the scores of about so many rows."""
    parts = [term.part for term in terms]
    return kernels.NumberScores(parts, parts[0][-1].shape[-1], rows)


def _together(term: Term, block: Block) -> str:
    """Return how neighbours are added in one call: those that read 8-bit codes, and those of numbers; nothing
    where each is added alone.
    """
    if isinstance(term, BinTerm | NormalTerm):
        return "numbers"
    small = isinstance(term, LevelTerm) and block.codes(term.column).dtype == np.uint8
    return "codes" if small else ""


@dataclass(frozen=True)
class Calibration:
    """Scores become slope * score + shift[class]."""

    slope: float
    shift: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Additive:
    """base[class] and terms. averages[term][class]: what a reason is measured from, where it is not 0: what
    the term adds to the average training row.
    """

    base: Array
    terms: Sequence[Term]
    averages: Sequence[Array] = ()
    _known: dict[tuple[int, int], kernels.NumberScores] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def start(self) -> Array:
        """The score [class] that reasons are measured from: the base, on the average training row where the
        averages are known.
        """
        return np.add.accumulate(np.array([self.base, *self.averages]), axis=0)[-1]  # type: ignore[no-any-return]

    @property
    def numbers(self) -> frozenset[str]:
        """The columns that bins and parabolas read: of any type, as they lie."""
        return frozenset(t.column for t in self.terms if isinstance(t, BinTerm | NormalTerm))

    def scores(self, block: Block) -> Array:
        """Return scores[row, class]."""
        out = np.empty((block.rows, len(self.base)))
        for c, start in enumerate(self.base.tolist()):  # row by row takes as long as many columns do
            out[:, c] = start
        at = 0
        for way, terms in itertools.groupby(self.terms, lambda t: _together(t, block)):
            run = list(terms)
            if way == "numbers":
                if not self._ready(at, run).add(out, [block.values(t.column) for t in run]):
                    raise OddNumber
            elif way == "codes" and len(run) > 1:
                codes = [block.codes(t.column) for t in run]
                kernels.add_level_scores(out, codes, [t.table for t in run if isinstance(t, LevelTerm)])
            else:
                for term in run:
                    term.add(out, block)
            at += len(run)
        return out

    def row_scores(self, place: Mapping[str, int]) -> Callable[[Sequence[Any]], Sequence[float]] | None:
        """Return what gives the scores [class] of one row; None where a term needs more than its cells."""
        parts = [term.row_part(place) for term in self.terms]
        return row_scores(self.base.tolist(), parts)

    def _ready(self, at: int, terms: Sequence[Term]) -> kernels.NumberScores:
        """Return the terms of numbers from one on, made ready once: blocks follow each other."""
        if (at, len(terms)) not in self._known:
            self._known[at, len(terms)] = ready([t for t in terms if isinstance(t, BinTerm | NormalTerm)])
        return self._known[at, len(terms)]

    def parts(self, block: Block) -> Array:
        """Return parts[row, 1 + term, class]: the base, then each term's own part; their sum in order is the
        score.
        """
        out = np.zeros((block.rows, 1 + len(self.terms), len(self.base)))
        out[:, 0] = self.base
        for i, term in enumerate(self.terms):
            part = np.zeros((block.rows, len(self.base)))
            term.add(part, block)
            out[:, 1 + i] = part
        return out

    def reasons(self, block: Block) -> Array:
        """Return reasons[row, 1 + term, class]: the start, then what each term adds beside its average."""
        out = self.parts(block)
        out[:, 0] = self.start
        for i, average in enumerate(self.averages):
            out[:, 1 + i] -= average
        return out

    def log_shares(self, scores: Array) -> Array:
        """Return log shares[row, class] from log scores; rows that every class scored impossible are answered
        by the base.
        """
        lost = scores.max(axis=1, initial=-np.inf) == -np.inf
        scores = np.where(lost[:, None], self.base, scores)
        away = scores - scores.max(axis=1, keepdims=True, initial=-np.inf)
        total = np.add.accumulate(kernels.exp(away), axis=1)[:, -1:]
        out: Array = away - kernels.log(total)
        return out

    def shares(self, scores: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Return shares[row, class], and which rows every class scored impossible: those are answered by the
        base.
        """
        none = scores == -np.inf
        lost = none.all(axis=1) if none.any() else np.zeros(len(scores), bool)
        if lost.any():
            scores = scores.copy()
            scores[lost] = self.base
        return kernels.softmax(scores), lost


def row_scores(
    base: Sequence[float], parts: Sequence[RowPart | None]
) -> Callable[[Sequence[Any]], Sequence[float]] | None:
    """Return what adds the parts of one row to the base, in their order; None where there is none of some."""
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None

    def scores(cells: Sequence[Any]) -> Sequence[float]:
        if len(base) == 2:
            a, b = base
            for part in known:
                c, d = part(cells)
                a += c
                b += d
            return a, b
        out = base
        for part in known:
            out = [x + y for x, y in zip(out, part(cells), strict=True)]
        return out

    return scores
