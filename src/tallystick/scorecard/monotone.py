"""Points of a column that only rise or only fall, kept exactly: while they are learnt and as whole numbers.

Of two classes the points themselves are held. Of more, the probability of a class rises whatever the other
columns say if and only if its points rise against those of every other class: the odds of two classes
depend on the difference of their points alone. So it is these differences that are held.

Knows optima of quadratics. Knows nothing of rows. Law: the answer is the optimum among the points that are
allowed; steps that are alike are held in the order of the lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.scorecard.quadratic import Optimum

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
BROKEN = 1e-10  # of a step's own spread: a step that goes the wrong way by less is rounding
RIDGE = 1e-12  # of the largest spread


@dataclass(frozen=True)
class OneWay:
    """Lines whose points only rise (sign 1) or only fall (-1); of several links those of one against every
    other.
    """

    lines: slice
    sign: int
    link: int = 0

    def kept(self, f: Array) -> Array:
        """Return f[line, link] with what is left of steps that go the wrong way taken out."""
        own, links = f[self.lines].copy(), f.shape[1]
        if links == 1:
            own = self._run(own)
        else:
            ahead = own[:, self.link : self.link + 1] - own
            own = own[:, self.link : self.link + 1] - self._run(ahead)
        out = f.copy()
        out[self.lines] = own
        return out

    def whole(self, f: Array, scale: float) -> Whole:
        """Return whole points [line, link] of the lines, f being in log-odds: differences are rounded, so
        that none turns round.
        """
        if f.shape[1] == 1:
            return self._run(np.rint(f[self.lines] * scale)).astype(np.int64)
        own = f[self.lines]
        ahead = self._run(np.rint((own[:, self.link : self.link + 1] - own) * scale))
        middle = np.rint(ahead.sum(axis=1, keepdims=True) / f.shape[1])
        out: Whole = (middle - ahead).astype(np.int64)
        return out

    def _run(self, values: Array) -> Array:
        out: Array = self.sign * np.maximum.accumulate(self.sign * values, axis=0)
        return out


def held(found: Sequence[Optimum], ways: Sequence[OneWay]) -> list[Optimum]:
    """Return the optima of all links [link] among the points that go the ways they may."""
    if not ways:
        return list(found)
    steps = [HeldSteps.of(one, ways) for one in found]
    place, signs = _held_steps(ways, len(found))
    gram = np.zeros((len(place), len(place)))
    slack = np.zeros(len(place))
    for k, own in enumerate(steps):
        gram += np.multiply.outer(signs[:, k], signs[:, k]) * own.gram[np.ix_(place, place)]
        slack += signs[:, k] * own.slack[place]
    pull = multipliers(gram, slack)
    vs = []
    for k, (one, own) in enumerate(zip(found, steps, strict=True)):
        by_step = np.zeros(len(own.slack))
        np.add.at(by_step, place, pull * signs[:, k])
        vs.append(one.v + kernels.product(by_step[None, :], own.moves)[0])
    f = np.stack([one.lines_at(v) for one, v in zip(found, vs, strict=True)], axis=1)
    for way in ways:
        f = way.kept(f)
    return [
        replace(one, v=v, f=np.ascontiguousarray(f[:, k]))
        for k, (one, v) in enumerate(zip(found, vs, strict=True))
    ]


@dataclass(frozen=True)
class HeldSteps:
    """The steps of all ways in one link: how v moves where one is held [step, direction], what holding one
    does to the others [step, step], and how far each goes its way by itself [step].
    """

    moves: Array
    gram: Array
    slack: Array

    @classmethod
    def of(cls, one: Optimum, ways: Sequence[OneWay]) -> HeldSteps:
        """Work the steps out at a free optimum."""
        directions, rises = one.directions, []
        for way in ways:
            j = next(
                i for i, part in enumerate(directions.parts) if part.start <= way.lines.start < part.stop
            )
            part, at = directions.parts[j], directions.at[j]
            inner = directions.factors[j][way.lines.start - part.start : way.lines.stop - part.start]
            rows = np.zeros((len(inner) - 1, len(one.scale)))
            rows[:, at] = way.sign * np.diff(inner * one.scale[at], axis=0)
            rises.append(rows[:, one.seen])
        rise = np.ascontiguousarray(np.concatenate(rises))
        half = kernels.product(one.root, np.ascontiguousarray(rise.T))
        moves = kernels.product(np.ascontiguousarray(half.T), one.root)
        gram = kernels.product(rise, np.ascontiguousarray(moves.T))
        slack = kernels.product(rise, np.ascontiguousarray(one.v[:, None]))[:, 0]
        return cls(moves, gram, slack)


def _held_steps(ways: Sequence[OneWay], links: int) -> tuple[Whole, Array]:
    """Return what is held to be at least 0, each a sum over links of one step: which step [held], and with
    which sign in each link [held, link].
    """
    place: list[int] = []
    signs: list[Array] = []
    first = 0
    for way in ways:
        count = way.lines.stop - way.lines.start - 1
        against: list[list[int]] = [[k] for k in range(links) if k != way.link] or [[]]
        for other in against:
            sign = np.zeros(links)
            sign[way.link] = 1.0
            sign[other] = -1.0
            place += range(first, first + count)
            signs += [sign] * count
        first += count
    return np.array(place, np.int64), np.array(signs).reshape(-1, links)


def multipliers(gram: Array, slack: Array) -> Array:
    """Return the least pulls of at least 0 that make slack + gram pulls at least 0, by Lawson's and Hanson's
    active sets: steps join one by one, the worst first, and leave where their pull would be below 0.
    """
    size = np.sqrt(np.maximum(np.diag(gram), 1e-300))
    ridge = RIDGE * float(size.max(initial=0.0)) ** 2
    pull, joined = np.zeros(len(slack)), np.zeros(len(slack), bool)
    open_ = np.diag(gram) > ridge
    for _ in range(3 * len(slack) + 10):
        wrong = np.where(open_ & ~joined, -(slack + kernels.times(gram, pull)) / size, 0.0)
        worst = int(np.argmax(wrong)) if len(wrong) else 0
        if not len(wrong) or wrong[worst] <= BROKEN:
            break
        joined[worst] = True
        pull = _settled(gram, slack, pull, joined, ridge)
        open_[worst] = joined[worst]  # one that leaves at once is held by the others already
    return pull


def _settled(gram: Array, slack: Array, pull: Array, joined: NDArray[np.bool_], ridge: float) -> Array:
    """Return the pulls that put every joined step at exactly 0; those that would fall below 0 leave."""
    out = pull.copy()
    while joined.any():
        at = np.flatnonzero(joined)
        inner = np.ascontiguousarray(gram[np.ix_(at, at)])
        inner.reshape(-1)[:: len(at) + 1] += ridge
        factor, _ = kernels.cholesky(inner)
        wanted = kernels.cholesky_solve(factor, -slack[at])
        below = wanted <= 0.0
        if not below.any():
            out[:] = 0.0
            out[at] = wanted
            return out
        own = out[at]
        part = float((own[below] / np.maximum(own[below] - wanted[below], 1e-300)).min())
        own = own + part * (wanted - own)
        gone = below & (own <= 1e-15 * max(float(own.max(initial=0.0)), 1e-300))
        if not gone.any():
            gone = below & (own <= own[below].min())
        own[gone] = 0.0
        out[at] = own
        joined[at[gone]] = False
    out[:] = 0.0
    return out
