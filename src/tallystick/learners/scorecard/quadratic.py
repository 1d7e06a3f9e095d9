"""The loss about a point as a quadratic of the points per line, and its optimum under priors of given
strengths.

    minimise  1/2 f'W f - r'f + 1/2 f'K^-1 f,   K = the sum of strength * covariance

Every covariance is B B', B being its principal directions, so f = L v with L = sqrt(strength) B, and
v solves (I + L'W L) v = L'r. B'W B is worked out once; another strength only scales it. How far the rows
determine v is what the evidence needs: with C = (I + L'W L)^-1, a covariance has v'v against tr(I - C) over
its own directions. Knows small matrices. Knows nothing of rows. Law: every sum runs in a fixed order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.threads import crew, each_in_order, thread_count
from tallystick.kernels import BlockBasis, Together
from tallystick.kernels.check import Room
from tallystick.learners.scorecard.priors import CardPiece

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
T = TypeVar("T")
UNSEEN = 0.1  # of a direction that the rows determine, or of its squared length: less is as good as nothing
MANY = 128  # directions from which threads pay
GROWTH = 10.0  # times that a strength may become by the sums of one walk over the rows


@dataclass(frozen=True)
class Spot:
    """Sums at some points: gradient[line, link], slope[link] of the constant, curvature[link][line, line]
    with the constant free to follow, weight[link] of the constant; cross[link, line]: how the constant
    follows a line.
    """

    gradient: Array
    slope: Array
    curvature: tuple[Array, ...]
    weight: Array
    cross: Array

    def pulled(self, f: Array, link: int) -> Array:
        """Return r: where the rows want the points of a link, f[line, link] being the present ones."""
        own = kernels.times(self.curvature[link], np.ascontiguousarray(f[:, link]))
        r: Array = own + self.gradient[:, link] - self.cross[link] * self.slope[link]
        return r

    def constant(self, before: Array, change: Array) -> Array:
        """Return the constants [link] that go with a change[line, link] of points."""
        follow = [kernels.dot(c, np.ascontiguousarray(change[:, k])) for k, c in enumerate(self.cross)]
        out: Array = before + self.slope / self.weight - np.array(follow)
        return out

    def gain(self, change: Array, constant: Array) -> tuple[float, float]:
        """Return what a change of points and constants [link] is to gain by the slopes, and to lose by
        the bend.
        """
        rise = kernels.dot(np.ascontiguousarray(self.gradient.ravel()), np.ascontiguousarray(change.ravel()))
        rise += kernels.dot(self.slope, constant)
        bend = 0.0
        for k, matrix in enumerate(self.curvature):
            d = np.ascontiguousarray(change[:, k])
            along = float(constant[k]) + kernels.dot(self.cross[k], d)
            bend += kernels.dot(kernels.times(matrix, d), d) + float(self.weight[k]) * along * along
        return rise, 0.5 * bend


@dataclass(frozen=True)
class Directions:
    """The principal directions of pieces, side by side.

    parts[piece]: its lines; at[piece]: its directions; kind[direction]: which covariance of all pieces it
    belongs to; whole[direction]: of a piece of which nothing may be left out.
    """

    basis: BlockBasis
    factors: tuple[Array, ...]  # of each piece: B[line, direction]
    parts: tuple[slice, ...]
    at: tuple[slice, ...]
    kind: Whole
    whole: NDArray[np.bool_]

    @classmethod
    def of(cls, pieces: Sequence[CardPiece], threads: int | None = 1) -> Directions:
        """Lay out the directions of pieces."""
        few = sum(piece.lines for piece in pieces) < MANY
        factors = [found for found, _ in each_in_order(_directions, pieces, 1 if few else threads)]
        basis = BlockBasis.of(factors)
        first = np.cumsum([0, *(len(piece.covariances) for piece in pieces)])
        kinds = [piece.directions[1] + k for piece, k in zip(pieces, first[:-1], strict=True)]
        whole = [np.full(factor.shape[1], p.monotone != 0) for p, factor in zip(pieces, factors, strict=True)]
        table = basis.table.tolist()
        return cls(
            basis,
            tuple(factors),
            tuple(slice(line, line + lines) for line, lines, _, _ in table),
            tuple(slice(start, start + size) for _, _, start, size in table),
            np.concatenate(kinds),
            np.concatenate(whole),
        )

    def seen(self, strengths: Array, tells: Array, side: Array) -> Whole:
        """Return the directions of which rows can tell something, or which they pull at: tells[direction] is
        the diagonal of B'W B, side is B'r.
        """
        strength = strengths[self.kind]
        known = strength * (tells + side * side) > UNSEEN
        return np.flatnonzero((known | self.whole) & (strength > 0.0))


def _directions(piece: CardPiece) -> tuple[Array, Whole]:
    return piece.directions


def _solved(root: Array, right: Array) -> Array:
    """Return X'X b."""
    half = kernels.product(root, np.ascontiguousarray(right[:, None]))
    out: Array = kernels.product(_turned(half), root)[0]
    return out


def _turned(a: Array) -> Array:
    return np.ascontiguousarray(a.T)


@dataclass(frozen=True)
class Optimum:
    """The optimum of one link: f[line], v and how far rows and priors determine it, over the directions that
    are seen, scale[direction] being the roots of their strengths.

    root: X with X'X = C; told: the diagonal of I - C, how far the rows determine each direction.
    """

    directions: Directions
    seen: Whole
    scale: Array
    f: Array
    v: Array
    root: Array
    told: Array

    @property
    def log_determinant(self) -> float:
        """The logarithm of the determinant of I + L'W L."""
        return -2.0 * math.fsum(kernels.log(np.diag(self.root).copy()).tolist())

    def sizes(self, covariances: int) -> tuple[Array, Array]:
        """Return, per covariance, v'v and tr(I - C)."""
        kind = self.directions.kind[self.seen]
        length, told = np.zeros(covariances), np.zeros(covariances)
        np.add.at(length, kind, self.v * self.v)
        np.add.at(told, kind, self.told)
        return length, told

    def lines_at(self, v: Array) -> Array:
        """Return f[line] for other directions that are seen."""
        full = np.zeros(len(self.scale))
        full[self.seen] = v * self.scale[self.seen]
        return self.directions.basis.lines_of(full)

    def own(self, piece: int) -> slice:
        """Return where the directions of a piece are among those that are seen."""
        at = self.directions.at[piece]
        first, last = np.searchsorted(self.seen, [at.start, at.stop]).tolist()
        return slice(first, last)

    def spread(self, piece: int) -> Array:
        """Return the block of C that belongs to a piece."""
        own = np.ascontiguousarray(self.root[:, self.own(piece)])
        return kernels.product(_turned(own), own)

    def worths(self, share: float, threads: int | None) -> Array:
        """Return by how much the evidence falls if a piece is left out, of each piece. Those of one direction
        are found together.
        """
        starts = np.array([at.start for at in self.directions.at], np.int64)
        stops = np.array([at.stop for at in self.directions.at], np.int64)
        first, last = np.searchsorted(self.seen, starts), np.searchsorted(self.seen, stops)
        alone, others = np.flatnonzero(last - first == 1), np.flatnonzero(last - first != 1)
        out, worth = np.empty(len(starts)), partial(self.worth, share=share)
        out[others] = each_in_order(worth, others.tolist(), 1 if len(self.v) < MANY else threads)
        for some in np.split(alone, range(MANY, len(alone), MANY)):
            at = first[some]
            own = self.root[:, at]
            squares = np.add.accumulate(own * own, axis=0)[-1:]  # row by row, as `product` adds
            factor, v = np.sqrt(squares.ravel() + 1e-12), self.v[at]
            out[some] = 0.5 * (v / factor / factor * v) + share * kernels.log(factor)
        return out

    def worth(self, piece: int, share: float) -> float:
        """Return by how much the evidence falls if a piece is left out."""
        own, v = self.spread(piece), np.ascontiguousarray(self.v[self.own(piece)])
        if not len(v):
            return 0.0
        factor, _ = kernels.cholesky(own + 1e-12 * np.eye(len(own)))
        half = math.fsum(kernels.log(np.diag(factor).copy()).tolist())
        return 0.5 * kernels.dot(kernels.cholesky_solve(factor, v), v) + share * half

    def roots(self, room: Room) -> Array:
        """Return S[line, direction]: S S' is the covariance of f. room: makes it."""
        d = self.directions
        unseen = np.setdiff1d(np.flatnonzero(self.scale > 0.0), self.seen, assume_unique=True)
        out = room((len(self.f), len(self.v) + len(unseen)), np.float64)
        out.fill(0.0)
        for j, (factor, part) in enumerate(zip(d.factors, d.parts, strict=True)):
            own = self.own(j)
            here = self.seen[own] - d.at[j].start
            scaled = np.ascontiguousarray(factor[:, here] * self.scale[self.seen[own]])
            out[part, : len(self.v)] = kernels.product(scaled, _turned(self.root[:, own]))
            free = [i for i in unseen.tolist() if d.at[j].start <= i < d.at[j].stop]  # the rows tell nothing
            places = len(self.v) + np.searchsorted(unseen, free)
            out[part, places] = factor[:, np.array(free, np.int64) - d.at[j].start] * self.scale[free]
        return out


@contextmanager
def over_links(
    links: int, directions: int, threads: int | None
) -> Iterator[Callable[[Callable[[int, Together | None], T]], list[T]]]:
    """Yield every(work), which returns work(link, helpers) of all links. Threads take a link each where there
    are several and share the work of one that is alone; where there are few directions, they cost more than
    they give.
    """
    count = thread_count(threads)
    if count == 1 or directions < MANY:
        yield lambda work: [work(link, None) for link in range(links)]
        return
    with crew(count) as helpers:
        if links == 1:
            yield lambda work: [work(0, helpers)]
        else:
            yield lambda work: helpers(lambda link: work(link, None), range(links))


class Desk:
    """Room for the matrices of one link, which are worked out there again and again: W, B'W B and X of an
    optimum, each as long as nobody works out the next.
    """

    def __init__(self, w: Array, work: Array, turned: Array, root: Array) -> None:
        self._w, self._work, self._turned, self._root = w, work, turned, root

    def curvature(self, lines: int) -> Array:
        """Return room for W."""
        return _laid(self._w, lines, lines)

    def turned(self, size: int, lines: int) -> tuple[Array, Array]:
        """Return room for B'W and B'W B of some directions."""
        return _laid(self._work, size, lines), _laid(self._turned, size, size)

    def root(self, size: int) -> tuple[Array, Array]:
        """Return room for work and X of some directions."""
        return _laid(self._work, size, size), _laid(self._root, size, size)


def desks_of(directions: Directions, links: int, room: Room) -> list[Desk]:
    """Return a desk for each link, in one array that `room` makes: links may be more than files."""
    lines, size = directions.basis.lines, directions.basis.directions
    sizes = lines * lines, size * max(size, lines), size * size, size * size
    ends = np.cumsum(sizes).tolist()
    return [Desk(*np.split(own, ends[:-1])) for own in room((links, ends[-1]), np.float64)]


def _laid(room: Array, rows: int, columns: int) -> Array:
    return room[: rows * columns].reshape(rows, columns)


@dataclass(frozen=True)
class Pull:
    """What the rows want of one link: the lower triangle of B'W B over the directions that may matter, its
    diagonal and B'r over all. desk: where it and its optimum are worked out.
    """

    directions: Directions
    some: Whole
    matrix: Array
    tells: Array
    side: Array
    desk: Desk

    @classmethod
    def of(
        cls,
        directions: Directions,
        curvature: Array,
        right: Array,
        strengths: Array,
        helpers: Together | None,
        desk: Desk,
    ) -> Pull:
        """Turn W and r of a link to the directions of its prior. helpers: who shares the work."""
        basis = directions.basis
        tells, side = basis.diagonal(curvature), basis.along(right)
        some = directions.seen(GROWTH * strengths, tells, side)
        matrix = basis.turned(curvature, some, helpers, desk.turned(len(some), len(curvature)))
        return cls(directions, some, matrix, tells, side, desk)

    def optimum(self, strengths: Array, helpers: Together | None) -> Optimum:
        """Return the optimum under strengths, in the place of the last one. helpers: who shares the work."""
        directions = self.directions
        scale = np.sqrt(strengths)[directions.kind]
        place = np.isin(self.some, directions.seen(strengths, self.tells, self.side), assume_unique=True)
        seen, at = self.some[place], np.flatnonzero(place)
        own = scale[seen]
        root, told = kernels.posterior(self.matrix, at, own, helpers, self.desk.root(len(at)))
        v = _solved(root, self.side[seen] * own)
        out = Optimum(directions, seen, scale, np.zeros(0), v, root, told)
        return replace(out, f=out.lines_at(v))
