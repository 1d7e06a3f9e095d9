"""The function that logistic regression minimises: minus the log-likelihood, plus the prior, over free
weights.

Weights are those of standardised columns, whatever the user sees: w[free parameter, free link], flat. This
file turns them into a question for an engine and the total back into value, gradient and curvature. Knows
designs and totals. Knows nothing of rows or of how steps are chosen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.kernels.linear import Curvature, Descent
from tallystick.stats.design_sums import Copies, Design, LogisticSums, TextWeights, Total

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
ABSENT = -40.0  # the constant of a class without rows


@dataclass(frozen=True)
class Point:
    """What is known at weights w: value and gradient with the prior, loss without; curvature with the prior
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
    """When Newton's method is at its end: see `kernels.Descent`."""

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
    """One fit: which weights are free, and what the prior says of them.

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
    every: int = 1  # only about one row in so many is looked at
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
    """Where to begin: the weights that know the class shares only, and the curvature there."""

    w: Array
    curvature: Array | None = None  # [weight, weight]
    diagonal: Array = field(default_factory=lambda: np.zeros(0))
    squares: Array = field(default_factory=lambda: np.zeros(0))  # [free or word]: sums of z^2 over rows
    gram: Array | None = None  # [free, free]: sums of z z' over rows
    metric: Metric | None = None
    point: Point | None = None  # what is known at w, when it was asked before


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
    """Return a number that no curvature anywhere is above."""
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
