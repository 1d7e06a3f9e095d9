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
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.learners.scorecard.priors import CardPiece

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
FAINT = 1e-6  # directions with less than this part of a piece's largest variance are left out
UNSEEN = 0.02  # times lines over rows: directions of less variance no rows could tell from 0
SLIGHT = 1e-4  # directions of less variance, in log-odds, change no loss that matters


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

    factors[piece]: B[line, direction]; parts[piece]: its lines; at[piece]: its directions; kind[direction]:
    which covariance of all pieces it belongs to; size[direction]: its variance at strength 1.
    """

    factors: tuple[Array, ...]
    parts: tuple[slice, ...]
    at: tuple[slice, ...]
    kind: Whole
    size: Array
    lines: Array  # of its piece [direction]
    whole: NDArray[np.bool_]  # of a piece of which nothing may be left out [direction]

    @classmethod
    def of(cls, pieces: Sequence[CardPiece]) -> Directions:
        """Lay out the directions of pieces."""
        factors, parts, at, kinds, sizes, lines, whole = [], [], [], [], [], [], []
        line, direction, covariance = 0, 0, 0
        for piece in pieces:
            factor, own, size = piece.directions
            factors.append(factor)
            parts.append(slice(line, line + piece.lines))
            at.append(slice(direction, direction + len(size)))
            kinds.append(own + covariance)
            sizes.append(size)
            lines.append(np.full(len(size), float(piece.lines)))
            whole.append(np.full(len(size), piece.monotone != 0))
            line, direction = line + piece.lines, direction + len(size)
            covariance += len(piece.covariances)
        return cls(
            tuple(factors),
            tuple(parts),
            tuple(at),
            np.concatenate(kinds),
            np.concatenate(sizes),
            np.concatenate(lines),
            np.concatenate(whole),
        )

    def seen(self, strengths: Array, rows: float) -> Whole:
        """Return the directions with so much variance that rows can tell them from 0."""
        variance = strengths[self.kind] * self.size
        most = np.zeros(len(self.size))
        for part in self.at:
            most[part] = variance[part].max(initial=0.0)
        least = np.where(
            self.whole, 0.0, np.maximum(np.maximum(FAINT * most, SLIGHT), UNSEEN * self.lines / rows)
        )
        return np.flatnonzero((variance > least) & (variance > 0.0))

    def turned(self, curvature: Array) -> Array:
        """Return B'W B."""
        half = np.empty((len(self.size), len(curvature)))
        for factor, part, at in zip(self.factors, self.parts, self.at, strict=True):
            half[at] = kernels.product(_turned(factor), np.ascontiguousarray(curvature[part]))
        out = np.empty((len(half), len(half)))
        for factor, part, at in zip(self.factors, self.parts, self.at, strict=True):
            out[:, at] = kernels.product(np.ascontiguousarray(half[:, part]), factor)
        whole: Array = 0.5 * (out + out.T)
        return whole

    def along(self, values: Array) -> Array:
        """Return B'x for values[line]."""
        out = np.empty(len(self.size))
        for factor, part, at in zip(self.factors, self.parts, self.at, strict=True):
            out[at] = kernels.product(np.ascontiguousarray(values[None, part]), factor)[0]
        return out

    def lines_of(self, v: Array) -> Array:
        """Return B v by line."""
        out = np.zeros(self.parts[-1].stop if self.parts else 0)
        for factor, part, at in zip(self.factors, self.parts, self.at, strict=True):
            out[part] = kernels.product(factor, np.ascontiguousarray(v[at, None]))[:, 0]
        return out


def _turned(a: Array) -> Array:
    return np.ascontiguousarray(a.T)


@dataclass(frozen=True)
class Optimum:
    """The optimum of one link: f[line], v and how far rows and priors determine it, over the directions that
    are seen, scale[direction] being the roots of their strengths.
    """

    directions: Directions
    seen: Whole
    scale: Array
    f: Array
    v: Array
    factor: Array  # the Cholesky factor of I + L'W L

    @property
    def log_determinant(self) -> float:
        """The logarithm of the determinant of I + L'W L."""
        return 2.0 * math.fsum(kernels.log(np.diag(self.factor).copy()).tolist())

    @cached_property
    def inverse(self) -> Array:
        """The inverse of the Cholesky factor."""
        return kernels.lower_inverse(self.factor)

    @cached_property
    def told(self) -> Array:
        """How far the rows determine each direction that is seen: the diagonal of I - C."""
        squares = np.zeros(len(self.v))
        for row in self.inverse:
            squares += row * row
        out: Array = np.maximum(1.0 - squares, 0.0)
        return out

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
        return self.directions.lines_of(full)

    def own(self, piece: int) -> slice:
        """Return where the directions of a piece are among those that are seen."""
        at = self.directions.at[piece]
        first, last = np.searchsorted(self.seen, [at.start, at.stop]).tolist()
        return slice(first, last)

    def spread(self, piece: int) -> Array:
        """Return the block of C that belongs to a piece."""
        own = np.ascontiguousarray(self.inverse[:, self.own(piece)])
        return kernels.product(_turned(own), own)

    def worth(self, piece: int, share: float) -> float:
        """Return by how much the evidence falls if a piece is left out."""
        own, v = self.spread(piece), np.ascontiguousarray(self.v[self.own(piece)])
        if not len(v):
            return 0.0
        factor, _ = kernels.cholesky(own + 1e-12 * np.eye(len(own)))
        half = math.fsum(kernels.log(np.diag(factor).copy()).tolist())
        return 0.5 * kernels.dot(kernels.cholesky_solve(factor, v), v) + share * half

    def roots(self) -> Array:
        """Return S[line, direction]: S S' is the covariance of f."""
        d, out = self.directions, np.zeros((len(self.f), len(self.v)))
        for j, (factor, part) in enumerate(zip(d.factors, d.parts, strict=True)):
            own = self.own(j)
            here = self.seen[own] - d.at[j].start
            scaled = np.ascontiguousarray(factor[:, here] * self.scale[self.seen[own]])
            out[part] = kernels.product(scaled, _turned(self.inverse[:, own]))
        return out


def optimum(
    directions: Directions,
    matrix: Array,
    side: Array,
    strengths: Array,
    rows: float,
) -> Optimum:
    """Return the optimum of a link; matrix: B'W B; side: B'r."""
    seen, scale = directions.seen(strengths, rows), np.sqrt(strengths)[directions.kind]
    own = scale[seen]
    whole = np.ascontiguousarray(matrix[np.ix_(seen, seen)] * own[:, None] * own[None, :])
    whole.reshape(-1)[:: len(seen) + 1] += 1.0
    factor, _ = kernels.cholesky(whole)
    v = kernels.cholesky_solve(factor, side[seen] * own)
    out = Optimum(directions, seen, scale, np.zeros(0), v, factor)
    return replace(out, f=out.lines_at(v))
