"""Scorecard fit: prior covariances, the quadratic of the loss and its optimum, and the sums over rows.

In this order: `CardPiece` (the lines of a column, text or pair, with prior covariances); `QuadraticPoint`,
`Directions`, `LinkSystem` and `Optimum` (the Newton step of a link); statistics over rows (`CardSums`: loss,
gradient, curvature; counts, residuals of pairs, words). Entry: `LinkSystem.of(...).optimum()`; `rounds.py`
calls it. line, link, piece, strength, direction, desk: as defined there.

    minimise  1/2 f'W f - r'f + 1/2 f'K^-1 f,   K = the sum of strength * covariance

Every covariance is B B', B being its principal directions, so f = L v with L = sqrt(strength) B, and v
solves (I + L'W L) v = L'r; f are the points of a link, W and r curvature and right side of the quadratic.
B'W B is computed once; another strength only scales it. With the posterior covariance C = (I + L'W L)^-1,
a strength is re-estimated from v'v and tr(I - C) over the directions of its covariance.
Law: every sum runs in a fixed order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block, Statistic
from tallystick.kernels.check import Room
from tallystick.kernels.linear import BlockBasis, Curvature, DenseColumns, Sums, Together, Weighting
from tallystick.parallel import crew, each_in_order, thread_count
from tallystick.scorecard.model import Axis, LevelAxis, PairAxis, RangeAxis, WordAxis
from tallystick.stats.design_sums import Copies

Array = NDArray[np.float64]

# ---- pieces of a card and their prior covariances ----

FAINT = 1e-9  # part of the largest variance: principal directions with less are rounding and are dropped


@dataclass(frozen=True)
class CardPiece:
    """One part of the card while it is learnt: its axes, side by side, and covariances over all their lines.

    kinds[covariance]: its name; strengths of a kind are shrunk towards each other. monotone: 1 where points
    only rise along the ranges, -1 where they only fall; link: with several links, the one whose points do so
    against all others.
    """

    name: str
    axes: tuple[Axis, ...]
    covariances: tuple[Array, ...]
    kinds: tuple[str, ...]
    monotone: int = 0
    link: int = 0

    @property
    def lines(self) -> int:
        """The lines of all axes."""
        return sum(axis.size for axis in self.axes)

    @property
    def directions(self) -> tuple[Array, NDArray[np.int64]]:
        """The principal directions of all covariances: B[line, direction], B B' being the covariance; and
        which covariance each belongs to. Kept, without the lock of a `cached_property`: threads find those of
        several pieces at once.
        """
        known: dict[str, Any] = self.__dict__
        if "_directions" not in known:
            known["_directions"] = self._found()
        return known["_directions"]  # type: ignore[no-any-return]

    def _found(self) -> tuple[Array, NDArray[np.int64]]:
        factors, kinds = [], []
        for c, covariance in enumerate(self.covariances):
            values, vectors = kernels.eigen(covariance)
            kept = values > FAINT * values[0]
            factors.append((vectors[kept] * np.sqrt(values[kept])[:, None]).T)
            kinds.append(np.full(int(kept.sum()), c, np.int64))
        return np.ascontiguousarray(np.concatenate(factors, axis=1)), np.concatenate(kinds)

    @property
    def is_pair(self) -> bool:
        """Two columns at once."""
        return isinstance(self.axes[0], PairAxis)


def piece_of(axis: RangeAxis | LevelAxis, rows: Array, ordered: bool, monotone: int = 0) -> CardPiece | None:
    """Return the piece of a column; rows[line]. None: all rows are on one line. ordered: levels have an
    order.
    """
    steps = isinstance(axis, RangeAxis) or ordered
    shapes = curves(axis, rows) if steps else {"levels": cells(rows)}
    found = {kind: c for kind, c in shapes.items() if c is not None}
    return CardPiece(axis.name, (axis,), tuple(found.values()), tuple(found), monotone) if found else None


def words_piece(name: str, axes: Sequence[WordAxis], rows: Array) -> CardPiece:
    """Return the piece of a text's words: one strength for all; an absent word gives no points."""
    present = np.tile([0.0, 1.0], len(axes))
    total = rows[0] + rows[1]
    share = max(math.fsum(rows[1::2].tolist()) / max(float(total), 1.0), 1e-9)
    return CardPiece(name, tuple(axes), (np.diag(present) / share,), ("words",))


def curves(axis: RangeAxis | LevelAxis, rows: Array) -> dict[str, Array | None]:
    """Return the covariances of an ordered column by kind: a trend and a random walk (steps) over its known
    lines, and an independent effect of missing.
    """
    known, size = axis.known, axis.size
    place = (np.arange(known) + 0.5) / known
    value = middles(axis.cuts) if isinstance(axis, RangeAxis) else place
    shapes = {"trend": np.multiply.outer(value, value)} if known > 1 else {}
    if known > 2:
        shapes["steps"] = np.minimum.outer(place, place)
    out = {kind: _padded(standard(shape, rows[:known]), size) for kind, shape in shapes.items()}
    if rows[known] > 0 and rows[:known].any():
        gone = np.zeros((size, size))
        gone[known, known] = 1.0
        out["missing"] = standard(gone, rows)
    return out


def middles(cuts: Sequence[float]) -> Array:
    """Return the middles of the ranges, scaled to -1..1; the two open ranges are taken to be as wide as
    their neighbours, so that outliers have no influence.
    """
    if len(cuts) < 2:
        return np.linspace(-1.0, 1.0, len(cuts) + 1) if cuts else np.zeros(1)
    at = np.array(cuts, np.float64)
    at = (at / 2 - at[0] / 2) / (at[-1] / 2 - at[0] / 2)  # halves first: no overflow
    middle = at[:-1] + np.diff(at) / 2
    ends = [2 * at[0] - middle[0]], [2 * at[-1] - middle[-1]]
    out: Array = np.concatenate([ends[0], middle, ends[1]])
    return 2 * out - 1


def _padded(covariance: Array | None, size: int) -> Array | None:
    if covariance is None:
        return None
    out = np.zeros((size, size))
    out[: len(covariance), : len(covariance)] = covariance
    return out


def cells(rows: Array) -> Array | None:
    """Return the covariance of independent lines; a line without rows gets no points."""
    here = (rows > 0).astype(float)
    found = standard(np.diag(here), rows)
    return None if found is None else found * np.multiply.outer(here, here)


def standard(covariance: Array, rows: Array) -> Array | None:
    """Return a covariance centred by the rows on each line and scaled to a mean variance of 1; None:
    nothing is left.
    """
    total = math.fsum(rows.tolist())
    if total <= 0.0:
        return None
    share = rows / total
    mean = kernels.times(np.ascontiguousarray(covariance), share)
    centred = covariance - mean[:, None] - mean[None, :] + kernels.dot(share, mean)
    size = kernels.dot(share, np.diag(centred).copy())
    if size <= 1e-12:
        return None
    out: Array = centred / size
    return out


def pair_piece(axis: PairAxis, first: Array, second: Array) -> CardPiece | None:
    """Return the piece of a pair of columns; first[line], second[line]: rows on the lines of each."""
    ways = []
    for one, rows in ((axis.first, first), (axis.second, second)):
        apart = cells(rows)
        if apart is None:
            return None
        ways.append((_steps(one, rows) if isinstance(one, RangeAxis) else apart, apart))
    smooth = _both(ways[0][0], ways[1][0])
    plain = _both(ways[0][1], ways[1][1])
    numbers = isinstance(axis.first, RangeAxis) or isinstance(axis.second, RangeAxis)
    if not numbers:
        return CardPiece(axis.name, (axis,), (plain,), ("pair cells",))
    return CardPiece(axis.name, (axis,), (smooth, plain), ("pair steps", "pair cells"))


def _steps(axis: RangeAxis, rows: Array) -> Array:
    """Return the random-walk covariance along the ranges; missing is independent, of average variance."""
    known = axis.known
    place = (np.arange(known) + 0.5) / known
    out = np.zeros((axis.size, axis.size))
    out[:known, :known] = np.minimum.outer(place, place)
    if rows[known] > 0:
        out[known, known] = 0.5
    found = standard(out, rows)
    assert found is not None
    known_line = np.append(np.ones(known), float(rows[known] > 0))
    out = found * np.multiply.outer(known_line, known_line)
    return np.ascontiguousarray(out)


def _both(first: Array, second: Array) -> Array:
    return np.ascontiguousarray(np.kron(first, second))


# ---- the quadratic of the loss, and the optimum of one link ----

Whole = NDArray[np.int64]
T = TypeVar("T")
UNSEEN = 0.1  # strength times (curvature + squared pull) of a direction: with less it is left at its prior
MANY = 128  # directions from which threads are used
GROWTH = 10.0  # factor that a strength is expected to grow by at most on the sums of one pass over the rows


@dataclass(frozen=True)
class QuadraticPoint:
    """The quadratic of the log-likelihood at some points: gradient[line, link], slope[link] of the constant,
    curvature[link][line, line] with the constant eliminated, weight[link]: the constant's own curvature;
    cross[link, line]: change of the constant per change of a line, with sign reversed.
    """

    gradient: Array
    slope: Array
    curvature: tuple[Array, ...]
    weight: Array
    cross: Array

    def pulled(self, f: Array, link: int) -> Array:
        """Return r, the right side of a link's system; f[line, link]: the present points."""
        own = kernels.times(self.curvature[link], np.ascontiguousarray(f[:, link]))
        r: Array = own + self.gradient[:, link] - self.cross[link] * self.slope[link]
        return r

    def constant(self, before: Array, change: Array) -> Array:
        """Return the constants [link] that go with a change[line, link] of points."""
        follow = [kernels.dot(c, np.ascontiguousarray(change[:, k])) for k, c in enumerate(self.cross)]
        out: Array = before + self.slope / self.weight - np.array(follow)
        return out

    def gain(self, change: Array, constant: Array) -> tuple[float, float]:
        """Return the linear gain and the quadratic loss in log-likelihood that are predicted for a change of
        points and constants [link].
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

    parts[piece]: its lines; at[piece]: its directions; kind[direction]: the number of its covariance among
    those of all pieces; whole[direction]: whether its piece is monotone, which needs all directions.
    """

    basis: BlockBasis
    factors: tuple[Array, ...]  # of each piece: B[line, direction]
    parts: tuple[slice, ...]
    at: tuple[slice, ...]
    kind: Whole
    whole: NDArray[np.bool_]

    @classmethod
    def of(cls, pieces: Sequence[CardPiece], threads: int | None = 1) -> Directions:
        """Compute the directions of pieces."""
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

    def seen(self, strengths: Array, curvatures: Array, side: Array) -> Whole:
        """Return the directions on which the rows have a noticeable effect: curvatures[direction] is the
        diagonal of B'W B, side is B'r.
        """
        strength = strengths[self.kind]
        known = strength * (curvatures + side * side) > UNSEEN
        return np.flatnonzero((known | self.whole) & (strength > 0.0))


def _directions(piece: CardPiece) -> tuple[Array, Whole]:
    return piece.directions


def _solved(root: Array, right: Array) -> Array:
    """Return X'X b; root: X, right: b."""
    half = kernels.product(root, np.ascontiguousarray(right[:, None]))
    out: Array = kernels.product(_turned(half), root)[0]
    return out


def _turned(a: Array) -> Array:
    return np.ascontiguousarray(a.T)


@dataclass(frozen=True)
class Optimum:
    """The optimum of one link: points f[line]; v and its posterior over the directions in `seen`;
    scale[direction]: the square roots of their strengths.

    root: X with X'X = C; determined: the diagonal of I - C, the effective parameters of each direction.
    """

    directions: Directions
    seen: Whole
    scale: Array
    f: Array
    v: Array
    root: Array
    determined: Array

    @property
    def log_determinant(self) -> float:
        """The logarithm of the determinant of I + L'W L."""
        return -2.0 * math.fsum(kernels.log(np.diag(self.root).copy()).tolist())

    def sizes(self, covariances: int) -> tuple[Array, Array]:
        """Return, per covariance, v'v and tr(I - C)."""
        kind = self.directions.kind[self.seen]
        length, degrees = np.zeros(covariances), np.zeros(covariances)
        np.add.at(length, kind, self.v * self.v)
        np.add.at(degrees, kind, self.determined)
        return length, degrees

    def lines_at(self, v: Array) -> Array:
        """Return f[line] for another v over the directions in `seen`."""
        full = np.zeros(len(self.scale))
        full[self.seen] = v * self.scale[self.seen]
        return self.directions.basis.lines_of(full)

    def own(self, piece: int) -> slice:
        """Return the places of a piece's directions in `seen`."""
        at = self.directions.at[piece]
        first, last = np.searchsorted(self.seen, [at.start, at.stop]).tolist()
        return slice(first, last)

    def spread(self, piece: int) -> Array:
        """Return the block of C that belongs to a piece."""
        own = np.ascontiguousarray(self.root[:, self.own(piece)])
        return kernels.product(_turned(own), own)

    def worths(self, share: float, threads: int | None) -> Array:
        """Return the worth of each piece; those of pieces with one direction are computed together."""
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
        """Return the worth of a piece: by how many nats the evidence falls if it is left out."""
        own, v = self.spread(piece), np.ascontiguousarray(self.v[self.own(piece)])
        if not len(v):
            return 0.0
        factor, _ = kernels.cholesky(own + 1e-12 * np.eye(len(own)))
        half = math.fsum(kernels.log(np.diag(factor).copy()).tolist())
        return 0.5 * kernels.dot(kernels.cholesky_solve(factor, v), v) + share * half

    def roots(self, room: Room) -> Array:
        """Return S[line, direction]: S S' is the posterior covariance of f. room: allocates it."""
        d = self.directions
        unseen = np.setdiff1d(np.flatnonzero(self.scale > 0.0), self.seen, assume_unique=True)
        out = room((len(self.f), len(self.v) + len(unseen)), np.float64)
        out.fill(0.0)
        for j, (factor, part) in enumerate(zip(d.factors, d.parts, strict=True)):
            own = self.own(j)
            here = self.seen[own] - d.at[j].start
            scaled = np.ascontiguousarray(factor[:, here] * self.scale[self.seen[own]])
            out[part, : len(self.v)] = kernels.product(scaled, _turned(self.root[:, own]))
            free = [i for i in unseen.tolist() if d.at[j].start <= i < d.at[j].stop]  # the rows say nothing
            places = len(self.v) + np.searchsorted(unseen, free)
            out[part, places] = factor[:, np.array(free, np.int64) - d.at[j].start] * self.scale[free]
        return out


@contextmanager
def over_links(
    links: int, directions: int, threads: int | None
) -> Iterator[Callable[[Callable[[int, Together | None], T]], list[T]]]:
    """Yield every(work), which returns work(link, helpers) of all links. Threads take a link each, or share
    the work of a single one; with few directions no threads are used.
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
    """Reused buffers for the matrices of one link: W, B'W B and X of an optimum. Each is valid until the
    next one is computed.
    """

    def __init__(self, w: Array, work: Array, turned: Array, root: Array) -> None:
        self._w, self._work, self._turned, self._root = w, work, turned, root

    def curvature(self, lines: int) -> Array:
        """Return the buffer for W."""
        return _laid(self._w, lines, lines)

    def turned(self, size: int, lines: int) -> tuple[Array, Array]:
        """Return the buffers for B'W and B'W B of some directions."""
        return _laid(self._work, size, lines), _laid(self._turned, size, size)

    def root(self, size: int) -> tuple[Array, Array]:
        """Return the buffers for work and X of some directions."""
        return _laid(self._work, size, size), _laid(self._root, size, size)


def desks_of(directions: Directions, links: int, room: Room) -> list[Desk]:
    """Return a desk for each link, all in one array from `room`: one file if it is on disk."""
    lines, size = directions.basis.lines, directions.basis.directions
    sizes = lines * lines, size * max(size, lines), size * size, size * size
    ends = np.cumsum(sizes).tolist()
    return [Desk(*np.split(own, ends[:-1])) for own in room((links, ends[-1]), np.float64)]


def _laid(room: Array, rows: int, columns: int) -> Array:
    return room[: rows * columns].reshape(rows, columns)


@dataclass(frozen=True)
class LinkSystem:
    """The linear system of one link: the lower triangle of B'W B over the directions `some` that may matter,
    its diagonal and B'r over all. desk: the buffers of it and its optimum.
    """

    directions: Directions
    some: Whole
    matrix: Array
    curvatures: Array
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
    ) -> LinkSystem:
        """Project W and r of a link on the directions of its prior. helpers: threads that share the work."""
        basis = directions.basis
        curvatures, side = basis.diagonal(curvature), basis.along(right)
        some = directions.seen(GROWTH * strengths, curvatures, side)
        matrix = basis.turned(curvature, some, helpers, desk.turned(len(some), len(curvature)))
        return cls(directions, some, matrix, curvatures, side, desk)

    def optimum(self, strengths: Array, helpers: Together | None) -> Optimum:
        """Return the optimum under strengths, in the buffers of the last one. helpers: threads."""
        directions = self.directions
        scale = np.sqrt(strengths)[directions.kind]
        place = np.isin(self.some, directions.seen(strengths, self.curvatures, self.side), assume_unique=True)
        seen, at = self.some[place], np.flatnonzero(place)
        own = scale[seen]
        root, determined = kernels.posterior(self.matrix, at, own, helpers, self.desk.root(len(at)))
        v = _solved(root, self.side[seen] * own)
        out = Optimum(directions, seen, scale, np.zeros(0), v, root, determined)
        return replace(out, f=out.lines_at(v))


# ---- statistics over rows: counts by line and class, loss, gradient and curvature, residuals of pairs ----
#
# Law: totals are whole numbers that add, so any order of rows gives the same bits.

NO_SCALING = np.zeros((2, 0))
MIX = np.uint64(0x9E3779B97F4A7C15)  # multiplier of the hash of a row's lines
BUCKETS = 1 << 16  # of that hash, to estimate how many distinct rows there are
LIGHT = 1 << 23  # while no bucket weighs more, the sum of squares of all buckets fits in 64 bits


@dataclass(frozen=True)
class CardLayout:
    """The lines of several axes, one after the other: starts[axis], and lines in all."""

    axes: tuple[Axis, ...]
    starts: tuple[int, ...] = field(init=False)
    lines: int = field(init=False)

    def __post_init__(self) -> None:
        sizes = [axis.size for axis in self.axes]
        object.__setattr__(self, "starts", tuple(int(s) for s in np.cumsum([0, *sizes])[:-1]))
        object.__setattr__(self, "lines", sum(sizes))

    def part(self, axis: int) -> slice:
        """Return the lines of an axis."""
        return slice(self.starts[axis], self.starts[axis] + self.axes[axis].size)


@dataclass(frozen=True)
class RowSample:
    """A sample of about one row in `every`, by a hash of its lines on some axes: rows with equal lines are
    all in it or all out, so it does not depend on the order of rows.
    """

    axes: tuple[Axis, ...] = ()
    every: int = 1


ALL_ROWS = RowSample()


def laid_out(layout: CardLayout, block: Block, sample: RowSample) -> tuple[DenseColumns, Any, Whole | None]:
    """Return columns, classes and weights of the rows of a block that are in the sample."""
    assert block.classes is not None
    classes, weights = block.classes, block.weights
    if sample.every == 1:
        known = block.memo.get("card columns")  # cache of the last card: rounds use the same one many times
        if known is None or known[0] != layout.axes:
            codes = [lines_of(axis, block) for axis in layout.axes]
            known = block.memo["card columns"] = (layout.axes, DenseColumns([], codes, layout.starts))
        return known[1], classes, weights
    rows, lines = sampled(block, sample)
    for axis in layout.axes:
        if axis not in lines:
            lines[axis] = some_lines_of(axis, block, rows)
    codes = [lines[axis] for axis in layout.axes]
    return (
        DenseColumns([], codes, layout.starts),
        classes[rows],
        None if weights is None else weights[rows],
    )


def lines_of(axis: Axis, block: Block) -> NDArray[Any]:
    """Return line[row], cached in the block."""
    known: dict[Axis, NDArray[Any]] = block.memo.setdefault("card lines", {})
    if axis not in known:
        known[axis] = axis.codes(block)
    return known[axis]


def some_lines_of(axis: Axis, block: Block, rows: Whole) -> NDArray[Any]:
    """Return the lines of some rows. If the cuts of a numeric axis are among those of a cached one (as the
    axes of pairs are), they are derived from its lines, without reading values again.
    """
    known: dict[Axis, NDArray[Any]] = block.memo.setdefault("card lines", {})
    if isinstance(axis, RangeAxis) and axis not in known:
        for finer, lines in list(known.items()):  # another fit of the same rows may add to them
            if isinstance(finer, RangeAxis) and (line := axis.within(finer)) is not None:
                return np.take(line, lines[rows])
    return lines_of(axis, block)[rows]


def sampled(block: Block, sample: RowSample) -> tuple[Whole, dict[Axis, NDArray[Any]]]:
    """Return the rows of a block that are in the sample, and the cache of their lines."""
    held = block.memo.get("card sample")
    if held is None or held[0] != sample:
        inside = (mixed_lines(sample.axes, block) >> np.uint64(40)) % np.uint64(sample.every) == 0
        held = block.memo["card sample"] = (sample, np.flatnonzero(inside), {})
    return held[1], held[2]


def mixed_lines(axes: Sequence[Axis], block: Block) -> NDArray[np.uint64]:
    """Return a hash of each row's lines."""
    mixed = np.zeros(block.rows, np.uint64)
    for axis in axes:
        mixed = (mixed + lines_of(axis, block).astype(np.uint64) + np.uint64(1)) * MIX
        mixed ^= mixed >> np.uint64(29)
    return mixed


@dataclass(frozen=True)
class RowVariety(Statistic[Whole]):
    """The weight of the rows in each of BUCKETS of the hash of their lines: input of `variety`."""

    axes: tuple[Axis, ...]

    def zero(self) -> Whole:
        return np.zeros((BUCKETS, 1), np.int64)

    def add(self, total: Whole, block: Block) -> Whole:
        bucket = (mixed_lines(self.axes, block) >> np.uint64(24)).astype(np.uint16)
        alone = np.zeros(block.rows, np.uint8)
        kernels.count_codes(bucket, alone, BUCKETS, 1, weights=block.weights, out=total)
        return total

    def merge(self, total: Whole, other: Whole) -> Whole:
        total += other
        return total


def variety(total: Whole) -> float:
    """Return the effective number of distinct rows: so many of equal weight would give the same sum of
    squares over the buckets.
    """
    weights = total.ravel()
    if weights.max(initial=0) < LIGHT:  # then no sum of squares is beyond 64 bits
        whole, squares = int(weights.sum()) ** 2, int((weights * weights).sum())
    else:
        heavy = [int(w) for w in weights.tolist() if w]
        whole, squares = sum(heavy) ** 2, sum(w * w for w in heavy)
    alike = squares * BUCKETS - whole  # different kinds share a bucket by chance
    return math.inf if alike <= 0 else whole * (BUCKETS - 1) / alike


@dataclass(frozen=True)
class LineCounts(Statistic[Whole]):
    """The weight of the rows on each line, by class: [line, class] in units of the table."""

    layout: CardLayout
    classes: int

    def zero(self) -> Whole:
        return np.zeros((self.layout.lines, self.classes), np.int64)

    def add(self, total: Whole, block: Block) -> Whole:
        columns, classes, weights = laid_out(self.layout, block, ALL_ROWS)
        for i, codes in enumerate(columns.codes):
            here = total[self.layout.part(i)]
            kernels.count_codes(codes, classes, len(here), self.classes, weights=weights, out=here)
        return total

    def merge(self, total: Whole, other: Whole) -> Whole:
        total += other
        return total


@dataclass(frozen=True)
class CardSums(Statistic[Sums]):
    """Loss, gradient and curvature at theta[1 + line, link], the constant first; integers in units of
    2^-bits, over the rows of a sample. room: allocates the curvature (zeros).
    """

    layout: CardLayout
    theta: Array
    bits: int
    copies: Copies
    curvature: Curvature = Curvature.NONE
    sample: RowSample = ALL_ROWS
    room: Room = np.zeros

    def zero(self) -> Sums:
        links = self.theta.shape[1]
        return kernels.new_sums(0, self.layout.lines, links, self.curvature, room=self.room)

    def add(self, total: Sums, block: Block) -> Sums:
        columns, classes, weights = laid_out(self.layout, block, self.sample)
        kernels.logistic_sums(
            columns,
            NO_SCALING,
            classes,
            self.copies.of(weights),
            self.theta,
            self.bits,
            self.curvature,
            total,
        )
        return total

    def merge(self, total: Sums, other: Sums) -> Sums:
        for a, b in zip(
            (total.loss, total.gradient, total.squares),
            (other.loss, other.gradient, other.squares),
            strict=True,
        ):
            a += b
        return total


def met(columns: DenseColumns, lines: int, classes: NDArray[Any], whole: Whole) -> Whole:
    """Return [line, line]: the sum of whole[row] over the rows that are on both lines, for every pair of
    columns (lower triangle).
    """
    total = kernels.new_sums(0, lines, 1, Curvature.GRAM)
    theta, weighting = np.zeros((1 + lines, 1)), Weighting(whole)
    kernels.logistic_sums(columns, NO_SCALING, classes, weighting, theta, 0, Curvature.GRAM, total)
    return total.squares[0, 1:, 1:]


@dataclass(frozen=True)
class PairResiduals(Statistic[list[Whole]]):
    """Residuals at theta[1 + line, link] of a card, on the joint lines of pairs of columns.

    coarse: an axis per column; pairs: places among them. Total [pair][2, link, first, second]: sums of y
    - p and of p (1 - p) in units of 2^-bits.
    """

    layout: CardLayout
    theta: Array
    bits: int
    copies: Copies
    coarse: tuple[Axis, ...]
    pairs: tuple[tuple[int, int], ...]
    sample: RowSample = ALL_ROWS

    def zero(self) -> list[Whole]:
        links, sizes = self.theta.shape[1], [axis.size for axis in self.coarse]
        return [np.zeros((2, links, sizes[a], sizes[b]), np.int64) for a, b in self.pairs]

    def add(self, total: list[Whole], block: Block) -> list[Whole]:
        every = CardLayout((*self.layout.axes, *self.coarse))
        columns, classes, weights = laid_out(every, block, self.sample)
        main, codes = len(self.layout.axes), columns.codes
        known = DenseColumns([], codes[:main], self.layout.starts)
        shares, _ = kernels.linear_answers(known, len(classes), NO_SCALING, self.theta, kernels.Answer.SHARES)
        coarse = CardLayout(self.coarse)
        meeting = DenseColumns([], codes[main:], coarse.starts)
        lines = [coarse.part(i) for i in range(len(self.coarse))]
        for link, parts in enumerate(self._parts(shares, np.asarray(classes), weights)):
            for what, part in enumerate(parts):
                both = met(meeting, coarse.lines, classes, part)
                for table, (a, b) in zip(total, self.pairs, strict=True):
                    table[what, link] += both[lines[b], lines[a]].T if a <= b else both[lines[a], lines[b]]
        return total

    def _parts(self, shares: Array, classes: Any, weights: Whole | None) -> list[tuple[Whole, Whole]]:
        """Return, per link, the rows' residuals and curvatures as whole multiples of 2^-bits."""
        counted = self.copies.of(weights)
        factor = np.ones(len(classes)) if counted.row_factor is None else counted.row_factor
        if counted.class_factor is not None:
            factor = factor * counted.class_factor[classes]
        links, out = self.theta.shape[1], []
        for link in range(links):
            label = 1 if links == 1 else link
            share = shares[:, label]
            whole = []
            for values in ((classes == label) - share, share * (1.0 - share)):
                part = np.rint(values * factor * 2.0**self.bits).astype(np.int64)
                whole.append(part if counted.copies is None else part * counted.copies)
            out.append((whole[0], whole[1]))
        return out

    def merge(self, total: list[Whole], other: list[Whole]) -> list[Whole]:
        for a, b in zip(total, other, strict=True):
            a += b
        return total


@dataclass(frozen=True)
class WordsByClass(Statistic[list[Whole]]):
    """The weight of the rows that contain a word: [text][word, class] in units of the table."""

    texts: tuple[tuple[str, int], ...]  # name, words known
    classes: int

    def zero(self) -> list[Whole]:
        return [np.zeros((words + 1, self.classes), np.int64) for _, words in self.texts]

    def add(self, total: list[Whole], block: Block) -> list[Whole]:
        assert block.classes is not None
        for (name, words), here in zip(self.texts, total, strict=True):
            starts, word, _ = block.words(name)
            row = np.repeat(np.arange(block.rows), np.diff(starts))
            own = np.ascontiguousarray(word[int(starts[0]) : int(starts[-1])])
            weights = None if block.weights is None else block.weights[row]
            kernels.count_codes(own, block.classes[row], words + 1, self.classes, weights=weights, out=here)
        return total

    def merge(self, total: list[Whole], other: list[Whole]) -> list[Whole]:
        for a, b in zip(total, other, strict=True):
            a += b
        return total
