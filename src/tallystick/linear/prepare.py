"""From first sums to a logistic problem: scales, free weights, prior, repeated columns, text weights, means.

1. `Point`, `Scales`, `Problem`; starting weights: `Start`, `start_of()`.
2. Columns that repeat others (collinear): `repeated()`, `repeat_notes()`.
3. The first questions: `known_rows()`, `first_question()`, `Moments`, `Basis`. 4. Entry: `prepare()`.
5. What each part adds to the average training row: `averaged()`.

x = a column; y = x brought to -1..1; z = (x - centre) / scale; dense = a column of numbers;
cell = a level, or missing; link = one class's score; parameter = a constant, dense column or cell of a link;
free = a weight that is not 0 by definition; late = products, which come after all columns.
Law: everything here follows from sums, so it does not depend on the order of rows.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.errors import OptionError, TargetError, nearest, shown, some
from tallystick.kernels.linear import Curvature, Descent
from tallystick.linear.model import (
    Cells,
    LinearModel,
    LogisticModel,
    Part,
    Slope,
    WordWeights,
    on_average,
    with_average,
)
from tallystick.linear.options import LogisticOptions
from tallystick.schema import Note, Schema, Target
from tallystick.stats.design_sums import Copies, Design, LogisticSums, RowFacts, RowTotals, TextWeights, Total

Array = NDArray[np.float64]

Mask = NDArray[np.bool_]
ABSENT = -40.0  # log-odds constant of a class without rows


@dataclass(frozen=True)
class Point:
    """The objective at weights w: value and gradient with the prior, loss without; curvature with the prior
    if asked.
    """

    w: Array
    value: float
    gradient: Array
    loss: float
    wrong: int = 0  # rows whose own class is not strictly ahead
    curvature: Array | None = None

    @cached_property
    def steep(self) -> float:
        """The largest entry of the gradient."""
        return norm(self.gradient)


class StopRule(NamedTuple):
    """When Newton's method ends: see `kernels.linear.Descent`."""

    small: float
    fine: float
    least: float
    doubt: float
    grain: float
    reach: float
    alarm: float
    ahead: bool
    most: int


@dataclass(frozen=True)
class Scales:
    """z = (x - centre) / scale of dense columns; 2^exponent bounds |z| (0 for the constant and cells)."""

    centre: Array  # [dense]
    scale: Array  # [dense]
    power: Array  # [parameter]: 2^exponent

    @property
    def scaling(self) -> Array:
        """Centre and factor of each dense column, so that |y| <= 1."""
        return np.array((self.centre, 1.0 / self.scale / self.power[1 : 1 + len(self.scale)]))


@dataclass(frozen=True)
class Problem:
    """One fit: which weights are free, and their prior.

    free[parameter], links[link], words[text][word]: which weights are free. rows: what all rows count for.
    l2[weight], l1[weight]: the prior, flat over free weights. factor: what a row's factor of 1 stands for.
    """

    design: Design
    scales: Scales
    copies: Copies
    texts: tuple[TextWeights, ...]  # theta is empty here
    free: Mask
    links: Mask
    l2: Array
    l1: Array
    rows: float
    bits: int
    factor: float = 1.0
    absent: Mask = field(default_factory=lambda: np.zeros(0, bool))  # classes without rows
    every: int = 1  # about one row in so many is summed
    fixed: Array | None = None  # [parameter, link]: weights that are not free, where they are not 0

    @property
    def weights(self) -> int:
        """The number of free weights."""
        return len(self.l2)

    @property
    def free_links(self) -> int:
        """The number of free links."""
        return int(self.links.sum())

    @property
    def symmetric(self) -> bool:
        """Every class has weights of its own: adding a number to all constants changes nothing."""
        return len(self.links) > 1 and self.design.constant and bool((self.links | self.absent).all())

    @cached_property
    def _at(self) -> NDArray[np.int64]:
        return np.flatnonzero(self.free)

    @cached_property
    def _links_at(self) -> NDArray[np.int64]:
        return np.flatnonzero(self.links)

    @cached_property
    def _flat(self) -> NDArray[np.int64]:
        """Where the free weights lie in a flat theta[parameter, link]."""
        if len(self.links) == 1:
            return self._at
        return (self._at[:, None] * len(self.links) + self._links_at[None, :]).ravel()

    @cached_property
    def _power(self) -> Array:
        """The power of two that goes with each free weight."""
        own = self.scales.power[self._at]
        return own if len(self.links) == 1 else np.repeat(own, len(self._links_at))

    @cached_property
    def _scaling(self) -> Array:
        return self.scales.scaling

    def theta(self, w: Array) -> tuple[Array, list[Array]]:
        """Return the weights as kernels take them: theta[parameter, link], and words[text][word, link]."""
        return self._laid(w[: len(self._flat)]), self._words(w)

    def _laid(self, w: Array) -> Array:
        theta = np.zeros((len(self.free), len(self.links))) if self.fixed is None else self.fixed.copy()
        theta.reshape(-1)[self._flat] = w
        if len(self.absent) and self.absent.any():
            theta[0, self.absent] = ABSENT
        return theta

    def _words(self, w: Array) -> list[Array]:
        at, words = len(self._flat), []
        for text in self.texts:
            size = (len(text.idf) - 1) * self.free_links
            table = w[at : at + size].reshape(-1, self.free_links)
            if not self.links.all():
                whole = np.zeros((len(table), len(self.links)))
                whole[:, self.links] = table
                table = whole
            words.append(table)
            at += size
        return words

    def flat(self, theta: Array) -> Array:
        """Return the free weights of theta[parameter, link]."""
        return theta.reshape(-1)[self._flat]

    @property
    def power(self) -> Array:
        """What brings each weight to its scale, but those of words."""
        return self._power

    def reach(self, d: Array) -> float:
        """Return by how much a step can change the score of a row at most."""
        return kernels.dot(np.abs(d[: len(self._flat)]), self._power)

    def centred(self, w: Array) -> Array:
        """Return the weights with constants that sum to 0, where only their differences mean something."""
        if not self.symmetric:
            return w
        out, k = w.copy(), self.free_links
        out[:k] -= math.fsum(w[:k].tolist()) / k
        return out

    def ask(self, w: Array, curvature: Curvature = Curvature.NONE) -> LogisticSums:
        """Return the question at weights w."""
        theta = self._laid(w[: len(self._flat)]) * self.scales.power[:, None]
        texts = tuple(
            replace(t, theta=table if t.scale == 1.0 else table / t.scale)
            for t, table in zip(self.texts, self._words(w), strict=True)
        )
        return LogisticSums(
            self.design, self._scaling, theta, self.bits, self.copies, curvature, texts, self.every
        )

    def descent(self, stop: StopRule) -> Descent:
        """Return what a way of Newton's method needs beside the rows."""
        unit, power = self.factor * 2.0**-self.bits, self.scales.power[self._at]
        return Descent(self._at, power, self._links_at, self.l2, unit, self.factor, self.shift, *stop)

    def sampled(self, every: int) -> Problem:
        """Return the same problem on about one row in `every`."""
        return replace(self, every=every, l2=self.l2 / every, l1=self.l1 / every, rows=self.rows / every)

    def read(self, w: Array, total: Total) -> Point:
        """Return what the total says at weights w."""
        unit = self.factor * 2.0**-self.bits
        loss = float(total.sums.loss[0]) * self.factor + float(total.sums.loss[1]) * unit
        gradient = np.empty(self.weights)
        few = len(self._flat)
        pull = self.l2[:few] * w[:few]
        sums = total.sums.gradient.reshape(-1)[self._flat]
        if self.symmetric:  # residuals of all classes sum to 0, but for rounding
            k = self.free_links
            sums = sums - np.repeat(sums.reshape(-1, k).sum(axis=1) / k, k)
        gradient[:few] = sums * self._power * -unit + pull
        square, at = kernels.dot(pull, w[:few]), few
        for text, words in zip(self.texts, total.words, strict=True):
            kept = words if self.links.all() else np.ascontiguousarray(words[:, self.links])
            part = slice(at, at + kept.size)
            square += kernels.pulled(
                kept.reshape(-1), -unit / text.scale, self.l2[part], w[part], gradient[part]
            )
            at += kept.size
        value = loss + 0.5 * square
        curvature = self.curvature(total.sums.squares) if total.sums.squares.ndim == 3 else None
        return Point(w, value, gradient, loss, int(total.sums.loss[2]), curvature)

    def reread(self, point: Point, other: Problem) -> Point:
        """Return a point of another problem that differs by its prior alone, as this problem sees it."""
        change = self.l2 - other.l2
        pull = change * point.w
        curvature = point.curvature
        if curvature is not None:
            curvature = curvature.copy()
            curvature.reshape(-1)[:: len(curvature) + 1] += change
        value = point.value + 0.5 * kernels.dot(pull, point.w)
        return replace(point, value=value, gradient=point.gradient + pull, curvature=curvature)

    def curvature(self, squares: NDArray[np.int64]) -> Array:
        """Return the matrix [weight, weight] of second derivatives from the sums of pairs of links."""
        unit, power = self.factor * 2.0**-self.bits, self.scales.power[self._at]
        return kernels.curvature_of_sums(
            self._links_at, len(self.links), squares, self._at, power, unit, self.shift, self.l2
        )

    @property
    def doubt(self) -> float:
        """How far the rounding of the rows' terms can move a sum: half of 2^-bits for each row. The rows are
        at most 2^(61 - bits), by the choice of bits.
        """
        return self.factor * 2.0 ** (60 - 2 * self.bits)

    @property
    def grain(self) -> float:
        """How far the rounding of scores can move a sum, for each unit of their size: p changes by a quarter
        of it at most.
        """
        return self.rows * 2.0**-54

    def rounding(self, w: Array) -> Array:
        """Return what rounding can make of a gradient of 0 at weights w, but words."""
        return self._power * (self.doubt + self.grain * self.reach(w))

    @property
    def shift(self) -> float:
        """The curvature given to the constants' common shift, which has none of its own."""
        return self.rows / self.free_links if self.symmetric else 0.0


@dataclass(frozen=True)
class Spread:
    """Sums over rows for the free parameters and words of one link: squares[j] of z_j, mean[j] of z_j; and
    groups[group, 2]: first and last + 1 of the cells that belong to one column.
    """

    squares: Array
    mean: Array
    groups: NDArray[np.int64]


@dataclass(frozen=True)
class Metric:
    """About 1 over the curvature, where it is not a matrix: a[j] * v[link] about the means; see
    kernels.precondition.
    """

    a: Array
    v: Array
    mean: Array
    groups: NDArray[np.int64]
    even: bool

    def solve(self, q: Array) -> Array:
        """Return the inverse times q, in the memory of q."""
        return kernels.precondition(self.a, self.v, self.mean, self.groups, self.even, q)

    @classmethod
    def of(cls, problem: Problem, spread: Spread, v: Array) -> Metric:
        """Return the metric of a problem; v[link] is p (1 - p) of the class shares."""
        l2 = problem.l2[:: len(v)]
        own = np.maximum(spread.squares - spread.mean * spread.mean * problem.rows, 1e-9 * spread.squares)
        a = own + l2 * (len(v) / math.fsum(v.tolist()))
        a = np.where(a > 0, a, 1.0)
        prior = bool((l2[1:] > 0).all())
        none = np.zeros((0, 2), np.int64)
        groups = spread.groups if prior else none
        return cls(1.0 / a, 1.0 / v, spread.mean, groups, prior and problem.symmetric)


@dataclass(frozen=True)
class Start:
    """Where to begin: weights of 0 with the constants of the class shares, and the curvature there."""

    w: Array
    curvature: Array | None = None  # [weight, weight]
    diagonal: Array = field(default_factory=lambda: np.zeros(0))
    squares: Array = field(default_factory=lambda: np.zeros(0))  # [free or word]: sums of z^2 over rows
    gram: Array | None = None  # [free, free]: sums of z z' over rows
    metric: Metric | None = None
    point: Point | None = None  # the objective at w, if already asked for


def first_weights(problem: Problem, shares: Array) -> Array:
    """Return weights of 0 with the constants of the class shares."""
    w = np.zeros(problem.weights)
    if not problem.design.constant:
        return w
    logs = kernels.log(shares)
    if len(problem.links) == 1:
        w[0] = logs[1] - logs[0]
    elif problem.symmetric:
        logs = logs[problem.links]
        w[: len(logs)] = logs - math.fsum(logs.tolist()) / len(logs)
    else:
        ref = int(np.flatnonzero(~problem.links & ~problem.absent)[0])
        w[: problem.free_links] = (logs - logs[ref])[problem.links]
    return w


def start_of(problem: Problem, shares: Array, gram: Array | None, sums: Spread) -> Start:
    """Return the start. gram[free, free]: sums of z z' over rows."""
    w, diagonal = first_weights(problem, shares), sums.squares
    spread = (
        np.array([shares[1] * shares[0]])
        if len(problem.links) == 1
        else (shares * (1 - shares))[problem.links]
    )
    diag = (diagonal[:, None] * spread[None, :]).ravel() + problem.l2
    if gram is None:
        return Start(w, None, diag, sums.squares, None, Metric.of(problem, sums, spread))
    gram, links = np.ascontiguousarray(gram), np.flatnonzero(problem.links)
    h = kernels.curvature_of_gram(links, len(problem.links), gram, shares, problem.shift, problem.l2)
    return Start(w, h, diag, sums.squares, gram)


def steepest(problem: Problem, start: Start) -> float:
    """Return an upper bound on the curvature at any weights."""
    bound = 0.25 if len(problem.links) == 1 else 0.5
    return bound * largest(start.gram, start.squares) + float(problem.l2.max(initial=0.0))


def largest(gram: Array | None, diagonal: Array) -> float:
    """Return a little more than the largest eigenvalue of the matrix, or the sum of its diagonal."""
    if gram is None:
        return math.fsum(diagonal.tolist())
    gram, v = np.ascontiguousarray(gram), np.ones(len(gram))
    for _ in range(20):
        v = kernels.times(gram, v / math.sqrt(kernels.dot(v, v)))
    return 1.2 * math.sqrt(kernels.dot(v, v))


def unit_bits(total: float) -> int:
    """Return how many bits after the point a row's term may have so that all rows fit into 62 bits."""
    return max(1, min(50, 61 - math.frexp(max(total, 1.0))[1]))


def norm(v: Array) -> float:
    """Return the largest entry."""
    return kernels.longest(v)


# Columns that repeat others (collinear), from the products of all, with the columns they follow from.

MOST_NAMED = 30  # columns that one follows from, up to which the fewest are looked for
DEPENDENT = 1e-9  # unexplained part of a column's variance, below which it repeats others
NEARLY = 1e-12  # above this part, which rounding does not reach, the note says nearly


class Repeat(NamedTuple):
    """A parameter that repeats others, in all but a trace if `nearly`."""

    at: int
    others: tuple[int, ...]
    nearly: bool


def repeated(gram: Array, free: Mask, late: Mask, constant: bool = True) -> tuple[Repeat, ...]:
    """Return the parameters that are sums of earlier ones, each with those it repeats. late: those that come
    after all others, so that a column is never said to follow from its products. constant: the first is one.
    """
    at = np.concatenate([np.flatnonzero(free & ~late), np.flatnonzero(free & late)])
    own = np.sqrt(np.maximum(np.diag(gram)[at], 1e-300))
    unit = gram[np.ix_(at, at)] / (own[:, None] * own[None, :])
    factor, skipped = kernels.cholesky_skip(unit, DEPENDENT)
    out = []
    for j in np.flatnonzero(skipped):
        weights = kernels.cholesky_solve(factor, np.where(skipped | (np.arange(len(at)) >= j), 0.0, unit[j]))
        own_part = float(unit[j, j] - kernels.dot(weights, np.ascontiguousarray(unit[j])))
        among = np.flatnonzero(np.abs(weights) > 1e-4)
        partners = at[few_enough(unit, int(j), among) if constant else among]
        out.append(Repeat(int(at[j]), tuple(int(p) for p in partners if p), own_part > NEARLY))
    return tuple(out)


def few_enough(unit: Array, j: int, among: NDArray[np.int64]) -> list[int]:
    """Return columns of the correlations `unit` that j follows from, as few as possible: the one that
    explains most of the rest is added until nothing is left, then each that is not needed is removed.
    """
    at = np.array([0, *(int(i) for i in among if i), j])  # the constant is always included
    left, chosen, rest = taken_out(unit[np.ix_(at, at)], 0), [0], list(range(1, len(at) - 1))
    while rest and left[-1, -1] > DEPENDENT:
        own = np.diag(left)[rest]
        says = np.where(own > DEPENDENT, left[-1, rest] ** 2 / np.maximum(own, DEPENDENT), 0.0)
        best = rest[int(np.argmax(says))]
        chosen.append(int(at[best]))
        rest.remove(best)
        left = taken_out(left, best)
        if len(chosen) > MOST_NAMED:
            return [int(i) for i in among]
    for i in chosen[1:]:
        without = [k for k in chosen if k != i]
        if left_of(unit, j, without) <= DEPENDENT:
            chosen = without
    return chosen


def taken_out(left: Array, i: int) -> Array:
    """Return what is left of all correlations once column i is known."""
    return np.asarray(left - left[:, i, None] * (left[i] / max(left[i, i], 1e-300)))


def left_of(unit: Array, j: int, chosen: Sequence[int]) -> float:
    """Return the part of column j that the chosen columns do not explain, from correlations."""
    at = np.array([*chosen, j])
    factor, skipped = kernels.cholesky_skip(unit[np.ix_(at, at)], DEPENDENT)
    side = np.where(skipped[:-1], 0.0, unit[j, at[:-1]])
    small = np.ascontiguousarray(factor[:-1, :-1])
    return float(unit[j, j] - kernels.dot(kernels.cholesky_solve(small, side), side))


def repeat_notes(design: Design, repeats: tuple[Repeat, ...], prior: bool) -> list[Note]:
    """Return one note for columns that repeat others, naming them."""
    if not repeats:
        return []
    columns, terms = parameter_columns(design), parameter_terms(design)
    levels = {c.column.name: c.levels + (c.column.missing > 0) for c in design.coded}
    repeated_levels = Counter(columns[repeat.at] for repeat in repeats)

    def called(p: int) -> str:
        return columns[p] if columns[p] in levels else terms[p]

    pairs = []
    for repeat in repeats:
        column = columns[repeat.at]
        others = sorted({called(p) for p in repeat.others if columns[p] != column})
        alone = len(others) > 0 and not any(columns[p] == column for p in repeat.others)
        part = alone and repeated_levels[column] < levels.get(column, 0) - 1  # name the level, not the column
        own = terms[repeat.at] if part else called(repeat.at)
        how = (
            "never varies" if not others else "repeats " if len(others) == 1 and not part else "follows from "
        )
        nearly = "nearly " if repeat.nearly and others else ""
        pairs.append(f"{shown(own)} {nearly}{how}{some(others, 3)}")
    pairs = sorted(set(pairs))
    none = "its weight is 0" if len(pairs) == 1 else "their weights are 0"
    what = "the prior shares the weight among them" if prior else none
    more = f" and {len(pairs) - 5} more" if len(pairs) > 5 else ""
    text = f"Columns that follow from others: {'; '.join(pairs[:5])}{more}; {what}."
    return [Note("collinear", text, count=len(pairs))]


def unasked_notes(schema: Schema, asked: Schema) -> list[Note]:
    """Return one note for columns whose weights are all 0. asked: the schema of the others."""
    known = {c.name for c in asked.used}
    left = [c.name for c in schema.used if c.name not in known]
    if not left:
        return []
    them = "it" if len(left) == 1 else "them"
    text = f"all weights of {some(left, 5)} are 0: new rows need not have {them}."
    return [Note("columns-not-used", text, count=len(left))]


def parameter_columns(design: Design) -> list[str]:
    """Return the column or product each parameter of a link belongs to."""
    names = ["(constant)"] + [c.name if len(c.factors) > 1 else c.column for c in design.dense]
    for coded in design.coded:
        names += [coded.column.name] * (coded.levels + 2)
    return names


def parameter_terms(design: Design) -> list[str]:
    """Return what each parameter of a link is the weight of: a number, that it is missing, a level."""
    names = ["(constant)"] + [c.name for c in design.dense]
    for coded in design.coded:
        name = coded.column.name
        names += [f"{name} = {level}" for level in coded.column.levels]
        names += [f"{name} is missing", f"{name} is unseen"]
    return names


# The first questions, and what follows from them.

COPIES = 2**20  # the largest whole weight that counts as copies; beyond, weights are factors
HELD = 1e200  # λ that fixes a weight at 0
AT_ONCE = 64  # columns of a matrix that are mirrored together
LOWER = np.tri(AT_ONCE, dtype=bool)  # mask of the lower triangle of such a block
MATRIX = 1_000  # weights up to which the curvature is a matrix


@dataclass(frozen=True)
class KnownRows:
    """What is known of the rows after the first question."""

    design: Design
    facts: RowTotals
    unit: int
    class_weights: Array  # [class]

    @cached_property
    def classes(self) -> Array:
        """Rows of each class, by sample weight."""
        return self.facts.classes / self.unit

    @property
    def links(self) -> int:
        """One link for two classes, else one for each."""
        return 1 if len(self.facts.classes) == 2 else len(self.facts.classes)

    @cached_property
    def whole(self) -> bool:
        """Are weights copies, to the bit? Not when they have fractions, nor when one is beyond COPIES: the
        terms of a copy would have too few bits then.
        """
        return self.unit == 1 and int(self.facts.heaviest[0]) <= COPIES

    @cached_property
    def heaviest(self) -> float:
        """The largest factor of a row; copies are none."""
        return 1.0 if self.whole else max(float(self.facts.heaviest[0]) / self.unit, 2.0**-32)

    @cached_property
    def factor(self) -> float:
        """What a row's factor of 1 stands for."""
        return self.heaviest * float(self.class_weights.max())

    @cached_property
    def copies(self) -> Copies:
        """How rows are weighted."""
        by_class = self.class_weights / self.class_weights.max()
        return Copies(self.whole, self.unit, self.heaviest, None if (by_class == 1).all() else by_class)

    @cached_property
    def rows(self) -> float:
        """What all rows count for."""
        return _sum(self.classes * self.class_weights)

    @cached_property
    def middles(self) -> tuple[Array, Array]:
        """The middle and half the range of each dense column."""
        return middles(self.design)

    @cached_property
    def bits(self) -> int:
        """Bits after the point of a row's terms."""
        return unit_bits(float(self.facts.classes.sum()) if self.whole else self.rows / self.factor)


def class_weights(option: str | Mapping[str, float] | None, target: Target, classes: Array) -> Array:
    """Return weight[class]: 1, "balanced" (rows / (classes * rows of the class)), or as given by label;
    the estimator has seen to it that labels are classes, but a fold may lack one.
    """
    if option is None:
        return np.ones(len(classes))
    if isinstance(option, str):
        return _sum(classes) / (len(classes) * np.maximum(classes, 1e-9))
    given = {target.label_of(k): float(v) for k, v in option.items()}
    return np.array([given.get(label, 1.0) for label in target.labels])


def known_rows(
    design: Design, option: str | Mapping[str, float] | None, target: Target, unit: int
) -> Generator[Any, Any, KnownRows]:
    """Ask for the rows of each class; fewer than two classes are an error. option: the weights of classes."""
    facts = yield RowFacts(design, len(target.labels))
    if np.count_nonzero(facts.classes) < 2:
        present = [label for label, n in zip(target.labels, facts.classes, strict=True) if n]
        raise TargetError(
            f"target {shown(target.name)} has one class ({some(present)}) among the rows with weight; "
            "two are needed."
        )
    return KnownRows(design, facts, unit, class_weights(option, target, facts.classes / unit))


def first_question(known: KnownRows, matrix: bool, every: int = 1) -> LogisticSums:
    """Ask for the sums of columns, their squares (and products, if a matrix is wanted), each brought to
    -1..1; of about one row in `every`.
    """
    d = known.design
    middle, half = known.middles
    texts = tuple(replace(t, theta=np.zeros((len(t.idf) - 1, known.links))) for t in no_texts(d))
    mode = Curvature.GRAM if matrix and not d.texts else Curvature.DIAGONAL
    theta = np.zeros((d.size, known.links))
    scaling = np.array((middle, 1.0 / half))
    return LogisticSums(d, scaling, theta, known.bits, known.copies, mode, texts, every)


def no_texts(design: Design) -> tuple[TextWeights, ...]:
    """Return text weights of 0, for questions that do not look at words."""
    return tuple(
        TextWeights(np.zeros(len(t.words) + 1), np.zeros(1), False, 1.0, np.zeros((0, 1)))
        for t in design.texts
    )


def middles(design: Design) -> tuple[Array, Array]:
    """Return the middle and half the range of each dense column; never 0."""
    bounds = np.array([c.bounds for c in design.dense], np.float64).reshape(-1, 2)
    half = bounds[:, 1] / 2 - bounds[:, 0] / 2
    half = np.where(half == 0, 1.0, np.maximum(half, 1e-300))  # a constant column has range 0
    return bounds[:, 0] / 2 + bounds[:, 1] / 2, half


@dataclass(frozen=True)
class Moments:
    """Sums over rows of the first question: of y, of y^2, and of y y' if asked for, y in -1..1."""

    sums: Array  # [parameter]
    squares: Array  # [parameter]
    products: Array | None  # [parameter, parameter]

    def times(self, factor: float) -> Moments:
        """Return the moments of so many times the rows."""
        products = None if self.products is None else self.products * factor
        return Moments(self.sums * factor, self.squares * factor, products)

    @classmethod
    def of(cls, total: Total, known: KnownRows) -> Moments:
        """Read the total."""
        unit = known.factor * 2.0**-known.bits
        if total.sums.squares.ndim == 2:
            return cls(total.sums.squares[0] * unit, total.sums.squares[1] * unit, None)
        whole = mirrored(total.sums.squares[0] * unit)
        return cls(whole[0].copy(), np.diag(whole).copy(), whole)


def mirrored(matrix: Array) -> Array:
    """Return a matrix with its lower triangle above the diagonal too, in its own memory: some columns at a
    time, since a large matrix that is read down its columns misses the cache at every number.
    """
    for at in range(0, len(matrix), AT_ONCE):
        some = slice(at, at + AT_ONCE)
        own = matrix[some, some]
        own[:] = np.where(LOWER[: len(own), : len(own)], own, own.T)
        if at:
            matrix[:at, some] = matrix[some, :at].T
    return matrix


@dataclass(frozen=True)
class Basis:
    """What every strength of the prior shares: scales, products and repeats of columns, found once.

    part: moments of a sample of the rows, where products were not asked for all.
    """

    known: KnownRows
    moments: Moments
    part: Moments | None = None

    @cached_property
    def scales(self) -> tuple[Scales, Array, Array]:
        """The scales, and a, b with z = a y + b."""
        return scales_of(self.known, self.moments)

    @cached_property
    def gram(self) -> Array | None:
        """Sums of z z' over rows."""
        return gram_of(self.part or self.moments, *self.scales[1:])

    @cached_property
    def held_gram(self) -> Array | None:
        """The sums of z z' for the parameters that are free under a prior."""
        return None if self.gram is None else self.gram[np.ix_(self.held, self.held)]

    @cached_property
    def held_groups(self) -> NDArray[np.int64]:
        """Which of those belong together."""
        return groups_of(self.known.design, self.held)

    @cached_property
    def held(self) -> Mask:
        """Which parameters of a link are free under a prior."""
        return free_weights(self.known.design, self.moments.squares, True)

    @cached_property
    def identified(self) -> Mask:
        """Which parameters of a link are free without a prior, those that repeat others among them."""
        return free_weights(self.known.design, self.moments.squares, False)

    @cached_property
    def repeats(self) -> tuple[Repeat, ...]:
        """Parameters that repeat others."""
        if self.gram is None:
            return ()
        design = self.known.design
        return repeated(self.gram, self.identified, products_of(design), design.constant)

    @cached_property
    def shares(self) -> Array:
        """About the share of each class, never 0."""
        weighted = np.maximum(self.known.classes * self.known.class_weights, 0.5)
        return weighted / _sum(weighted)


def scales_of(known: KnownRows, moments: Moments) -> tuple[Scales, Array, Array]:
    """Return the scales, and a, b with z = a y + b for every parameter."""
    d = known.design
    (middle, half), of_dense = known.middles, slice(1, 1 + len(d.dense))
    a, b, power = np.ones(d.size), np.zeros(d.size), np.ones(d.size)
    sums, squares, rows = moments.sums[of_dense], moments.squares[of_dense], float(moments.squares[0])
    gone = [j for j, column in enumerate(d.dense) if column.missing]
    n = np.full(len(d.dense), rows)
    for j in gone:
        n[j - 1] -= 0.5 * (float(sums[j]) + rows)  # y = 2 * missing - 1
    n = np.maximum(n, 1e-300)
    mean = sums / n
    spread = np.sqrt(np.maximum(squares / n - mean * mean, 0.0))
    spread[spread == 0.0] = 1.0
    if not d.constant:  # without a constant, columns cannot be centred
        mean = -middle / half
    a[of_dense], b[of_dense] = 1.0 / spread, -mean / spread
    centre, scale = middle + half * mean if d.constant else np.zeros(len(d.dense)), half * spread
    power[of_dense] = np.ldexp(1.0, np.frexp((1.0 + np.abs(mean)) / spread)[1])
    for j in gone:
        a[1 + j], b[1 + j], power[1 + j], centre[j], scale[j] = half[j], middle[j], 1.0, 0.0, 1.0
    return Scales(centre, scale, power), a, b


def gram_of(moments: Moments, a: Array, b: Array) -> Array | None:
    """Return sums of z z' over rows from those of y y'."""
    g = moments.products
    if g is None or not (b.any() or (a != 1.0).any()):
        return g  # cells only: y is z
    both = a[:, None] * a[None, :] * g
    one = a[:, None] * b[None, :] * g[:, :1]
    out: Array = both + one + b[:, None] * a[None, :] * g[:1, :] + b[:, None] * b[None, :] * g[0, 0]
    return out


def free_weights(design: Design, counts: Array, prior: bool) -> Mask:
    """Return which parameters of a link are free. counts[parameter]: what the rows of a cell count for.

    With a prior every level has a weight of its own. Without, the first level with rows (or the one asked
    for) is the reference: it has none, nor have products with it. Without a constant the first column of
    levels has none. An offset is not free.
    """
    dense, seen = 1 + len(design.dense), (counts > 0).tolist()  # lists: a column is a few cells
    free = [True] * dense + [False] * design.cells
    free[0] = design.constant
    if design.offset is not None:
        free[1 + design.offset] = False
    if not design.coded:  # no levels, so no product with a reference level
        return np.array(free, bool)
    references: set[tuple[str, int]] = set()
    bases, whole = dict(design.bases), not design.constant
    for coded in design.coded:
        at, lost = dense + coded.start, dense + coded.start + coded.levels
        if coded.column.kind == "boolean":
            free[at + 1 : at + 3] = [True, seen[at + 2]]
            continue
        if prior:
            free[at : lost + 1] = [True] * coded.levels + [seen[lost]]
            continue
        free[at : lost + 1] = seen[at : lost + 1]
        if whole:
            whole = False
            continue
        asked, there = bases.get(coded.column.name, -1), seen[at : lost + 1]
        base = asked if asked >= 0 and there[asked] else there.index(True) if any(there) else -1
        if base >= 0:
            free[at + base] = False
            references |= {(coded.column.name, base)} if base < coded.levels else set()
    for j in np.flatnonzero(products_of(design)).tolist():
        free[j] = not any((f.column, f.code) in references for f in design.dense[j - 1].factors)
    return np.array(free, bool)


def products_of(design: Design) -> Mask:
    """Return which parameters of a link are products of columns."""
    out = np.zeros(design.size, bool)
    out[1 : 1 + len(design.dense)] = [len(c.factors) > 1 for c in design.dense]
    return out


def text_weights(known: KnownRows, words: str) -> tuple[TextWeights, ...]:
    """Return how words count: (1 + ln count) * (1 + ln((1 + rows) / (1 + rows with the word))), rows of
    length 1; or plain counts.
    """
    out = []
    rows = _sum(known.classes)
    for df, most in zip(known.facts.words, known.facts.most, strict=True):
        top = max(int(most[0]), 1)
        if words == "counts":
            idf, tf = np.ones(len(df)), np.arange(top + 1, dtype=float)
            scale = 2.0 ** -math.frexp(float(top))[1]
        else:
            idf = 1.0 + kernels.log((1.0 + rows) / (1.0 + df / known.unit))
            tf = 1.0 + kernels.log(np.maximum(np.arange(min(top, 4096) + 1, dtype=float), 1.0))
            tf[0], scale = 0.0, 1.0
        idf[-1] = 0.0
        out.append(TextWeights(idf, tf, words != "counts", scale, np.zeros((0, 1))))
    return tuple(out)


def word_squares(known: KnownRows, weights: TextWeights, df: NDArray[np.int64]) -> Array:
    """Return an estimate of the sum of squares of each word's values, enough for first steps."""
    rough = (df[:-1] / known.unit) * weights.idf[:-1] ** 2
    return rough * (_sum(known.classes) / max(_sum(rough), 1e-300)) if weights.unit else rough


def free_links(known: KnownRows, options: LogisticOptions, target: Target, prior: bool) -> Mask:
    """Return which classes have weights: with a prior all, without one all but the reference (the last, or
    as given).
    """
    links = ~absent_classes(known)
    if known.links > 1 and not prior:
        reference = reference_class(options, target)
        links[reference if links[reference] else int(np.flatnonzero(links)[-1])] = False
    return links


def absent_classes(known: KnownRows) -> Mask:
    """Return which links belong to classes without rows."""
    return np.zeros(1, bool) if known.links == 1 else known.facts.classes == 0


def reference_class(options: LogisticOptions, target: Target) -> int:
    """Return the class the others are compared with: as given, the first of two, the last of several."""
    if options.reference is None:
        return 0 if len(target.labels) == 2 else len(target.labels) - 1
    label = target.label_of(options.reference)
    if label not in target.labels:
        raise OptionError(
            f"reference is {shown(label)}, which is not a class.{nearest(label, target.labels)} "
            f"The classes are {some(target.labels)}."
        )
    return target.labels.index(label)


@dataclass(frozen=True)
class Prepared:
    """All that solving needs, and notes."""

    problem: Problem
    start: Start
    gram: Array | None  # [parameter, parameter]
    basis: Basis | None = None  # None: repeated columns are not looked for
    part: bool = False  # a sample of the rows gives the first weights
    each: Array = field(default_factory=lambda: np.zeros(0))  # [weight]: the prior acts on weight * each

    @property
    def repeats(self) -> tuple[Repeat, ...]:
        """Parameters that repeat others, found when somebody asks."""
        return () if self.basis is None else self.basis.repeats

    @property
    def identified(self) -> int:
        """Parameters of a link that would be free without a prior."""
        return 0 if self.basis is None else int(self.basis.identified.sum()) - len(self.repeats)

    def l2(self, strength: float) -> Array:
        """Return the prior of some strength [weight]."""
        return np.minimum(strength * self.each * self.each, HELD)


def prepare(
    known: KnownRows, basis: Basis, options: LogisticOptions, schema: Schema, strength: float
) -> Prepared:
    """Return the problem for a prior of this strength (l2)."""
    d, prior, moments = known.design, strength > 0 or options.l1 > 0, basis.moments
    (scales, a, b), gram = basis.scales, basis.gram
    free = (basis.held if prior else basis.identified).copy()
    if not prior:
        free[[r.at for r in basis.repeats]] = False
    links = free_links(known, options, schema.predicted, prior)
    texts = text_weights(known, options.words)
    size = prior_sizes(known, scales, moments, options.standardize)
    each = 1.0 / size
    each[0] = 0.0
    each = np.concatenate([each[free], np.ones(sum(len(t.idf) - 1 for t in texts))]) if texts else each[free]
    each = each if len(links) == 1 else np.repeat(each, int(links.sum()))
    problem = Problem(
        d,
        scales,
        known.copies,
        texts,
        free,
        links,
        np.minimum(strength * each * each, HELD),
        options.l1 * each,
        known.rows,
        known.bits,
        known.factor,
        absent_classes(known),
        fixed=fixed_weights(d, scales),
    )
    small = None
    if gram is not None and problem.weights <= MATRIX:
        small = gram if free.all() else basis.held_gram if prior else gram[np.ix_(free, free)]
    groups = basis.held_groups if prior else groups_of(d, free)
    sums = spread_of(known, moments, a, b, problem, groups)
    start = start_of(problem, basis.shares, small, sums)
    return Prepared(problem, start, gram, basis, basis.part is not None, each)


def fixed_weights(design: Design, scales: Scales) -> Array | None:
    """Return the weights that are not free and not 0, standardised [parameter, link]: that of the offset."""
    if design.offset is None:
        return None
    out = np.zeros((design.size, 1))
    out[1 + design.offset] = scales.scale[design.offset]
    return out


def groups_of(design: Design, free: Mask) -> NDArray[np.int64]:
    """Return which free parameters are cells of one column: [column, first and last + 1]."""
    if not design.coded:
        return np.zeros((0, 2), np.int64)
    place = [0, *np.cumsum(free).tolist()]
    cells = [(design.cell(c), c.levels) for c in design.coded if c.column.kind != "boolean"]
    groups = [(place[at], place[at + levels + 1]) for at, levels in cells]
    return np.array(groups, np.int64).reshape(-1, 2)


def spread_of(
    known: KnownRows, moments: Moments, a: Array, b: Array, problem: Problem, groups: NDArray[np.int64]
) -> Spread:
    """Return squares and means of z for free parameters and words, with the cells that belong together."""
    rows, d, free = moments.squares[0], known.design, problem.free
    squares = [(a * a * moments.squares + 2 * a * b * moments.sums + b * b * rows)[free]]
    means = [((a * moments.sums + b * rows) / max(rows, 1e-300))[free]]
    for text, df in zip(problem.texts, known.facts.words, strict=True):
        squares.append(word_squares(known, text, df))
        means.append(np.zeros(len(squares[-1])))
    if d.constant:
        means[0][0] = 0.0  # the constant itself
    return Spread(np.concatenate(squares), np.concatenate(means), groups)


def prior_sizes(known: KnownRows, scales: Scales, moments: Moments, standardize: bool) -> Array:
    """Return size[parameter]: the prior acts on weight / size. Standardised: the weights of z, and of
    booleans over their standard deviation; levels are 0/1 either way.
    """
    d = known.design
    size = np.ones(d.size)
    if not standardize:
        size[1 : 1 + len(d.dense)] = scales.scale
        return size
    for coded in d.coded:
        if coded.column.kind == "boolean":
            no, yes = moments.squares[d.cell(coded)], moments.squares[d.cell(coded, 1)]
            share = yes / max(no + yes, 1e-300)
            size[d.cell(coded, 1)] = 1.0 / math.sqrt(max(share * (1.0 - share), 1e-6))
    return size


def _sum(values: Array) -> float:
    return float(math.fsum(values.tolist()))


# What each part of a model adds to the average training row: the origin of explanations. It is the part's
# weights times weighted means: of a number, the share of a level or of missing, the mean value of a word.

WithParts = TypeVar("WithParts", LogisticModel, LinearModel)
SURE = 800.0  # log-odds constant that gives a class probability 1 in every row


def row_shares(basis: Basis) -> Array:
    """Return the share of rows in each cell, and of those that miss a number [parameter]; else 0."""
    d, moments = basis.known.design, basis.moments
    rows = float(moments.squares[0])
    out = moments.squares / rows
    out[: 1 + len(d.dense)] = 0.0
    for j, column in enumerate(d.dense):
        if column.missing:  # y = 2 * missing - 1
            out[1 + j] = 0.5 * (float(moments.sums[1 + j]) / rows + 1.0)
    return out


def word_means(problem: Problem) -> Generator[Any, Any, list[Array]]:
    """Ask for the mean value of each word over the rows [text][word].

    A residual is 1 or 0 less a share. Where a class is sure of every row, the residuals of another class mark
    its own rows, and its own all rows but its own: together all rows.
    """
    if not problem.texts:
        return []
    if not problem.design.constant:
        free = problem.free.copy()
        free[0] = True
        problem = replace(problem, free=free, l2=np.zeros(problem.weights + problem.free_links))
    first = np.zeros(problem.weights)
    links = problem.free_links
    if len(problem.links) == 1:  # the rows of the second class, then all but those
        first[0] = -SURE
        marked = yield problem.ask(first)
        first[0] = SURE
        others = yield problem.ask(first)
        sums = [a[:, 0] - b[:, 0] for a, b in zip(marked.words, others.words, strict=True)]
    else:
        at = int(np.flatnonzero(problem.links)[0])
        first[:links] = -SURE
        first[0] = SURE
        total = yield problem.ask(first)
        first[0] = -2.0 * SURE
        own = yield problem.ask(first)
        sums = [b[:, at] - a[:, at] for a, b in zip(total.words, own.words, strict=True)]
    unit = problem.factor * 2.0**-problem.bits
    return [s * unit / (t.scale * problem.rows) for s, t in zip(sums, problem.texts, strict=True)]


def averaged(model: WithParts, design: Design, shares: Array, words: Sequence[Array]) -> WithParts:
    """Return the model with what each part adds to the average training row."""
    if all(part.average is not None for part in model.parts):
        return model
    missing = {c.column: 1 + j for j, c in enumerate(design.dense) if c.missing}
    cells = {c.column.name: design.cell(c) for c in design.coded}
    means = {t.name: mean for t, mean in zip(design.texts, words, strict=True)}

    def average(part: Part) -> Array:
        if part.average is not None:
            return part.average
        if isinstance(part, Cells):
            at = cells[part.name]
            return _mean(part.weights, shares[at : at + len(part.weights)])
        if isinstance(part, WordWeights):
            return _mean(part.weights, means[part.name])
        known = on_average(part)
        if isinstance(part, Slope) and part.missing is not None:
            return known + part.missing * float(shares[missing[part.name]])
        return known

    return replace(model, parts=tuple(with_average(part, average(part)) for part in model.parts))


def _mean(weights: Array, means: Array) -> Array:
    """Return the sum of weights[i, link] * means[i] [link], the same whatever the order."""
    return np.array([math.fsum((weights[:, link] * means).tolist()) for link in range(weights.shape[1])])
