"""What is believed of a column's points before the rows are looked at: covariances of its lines.

A column of numbers has two: a straight trend and steps, each with a strength of its own that the rows
decide. Levels have one, words one, a missing value one. Knows axes and how many rows lie on each line.
Law: a covariance of strength 1 gives the average row a variance of 1 and a mean of 0, so that strengths
of different columns mean the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.scorecard.model import Axis, LevelAxis, PairAxis, RangeAxis, WordAxis

Array = NDArray[np.float64]
FAINT = 1e-9  # of the largest variance: directions with less are rounding


@dataclass(frozen=True)
class CardPiece:
    """One part of the card while it is learnt: its axes, lying side by side, and covariances over all
    their lines.

    kinds: what each covariance is, since strengths of a kind are alike. monotone: 1 where points only rise
    along the ranges, -1 where they only fall; link: of several links the one whose points do so against all
    others.
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
    """Return a column; rows[line]. None: there is nothing to tell its rows apart by. ordered: levels in
    an order.
    """
    steps = isinstance(axis, RangeAxis) or ordered
    shapes = curves(axis, rows) if steps else {"levels": cells(rows)}
    found = {kind: c for kind, c in shapes.items() if c is not None}
    return CardPiece(axis.name, (axis,), tuple(found.values()), tuple(found), monotone) if found else None


def words_piece(name: str, axes: Sequence[WordAxis], rows: Array) -> CardPiece:
    """Return the words of a text column: one strength for all; a text without a word has no points for it."""
    present = np.tile([0.0, 1.0], len(axes))
    total = rows[0] + rows[1]
    share = max(math.fsum(rows[1::2].tolist()) / max(float(total), 1.0), 1e-9)
    return CardPiece(name, tuple(axes), (np.diag(present) / share,), ("words",))


def curves(axis: RangeAxis | LevelAxis, rows: Array) -> dict[str, Array | None]:
    """Return trend and steps over the known lines, in the order of the lines, and missing by itself."""
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
    """Return where ranges lie, in -1..1: their middles; the first and the last are taken for as wide as
    their neighbours, so that no wild value stretches them.
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
    """Return the covariance of lines that have nothing to do with each other; one without rows has no
    points.
    """
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
    """Return two columns at once; first[line], second[line]: rows on the lines of each."""
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
    """Return the covariance of steps along the ranges, missing as far away as an average range."""
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
