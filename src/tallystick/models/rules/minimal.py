"""The least disjunction of conjunctions that says what some rules say: exact two-level minimisation.

Knows conditions as true and false. Knows nothing of columns, names or rows. Law: for every way in which the
conditions can be true or false together, the terms hold just where the function does; no disjunction has
fewer terms, and none of as many terms has fewer literals.

A cube fixes some variables and leaves the others free; it stands in an array of n axes of length 3 at (0
false, 1 true, 2 free). Cubes that hold nowhere else than where the function does, or where it does not
matter, are found by joining halves along each axis; a cube is prime if no axis of it can be freed. The fewest
primes that hold everywhere they must are found by essential primes, dominance, and a search whose bound is a
set of points that no two of which one prime covers.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

MOST_VARIABLES = 12
MOST_STEPS = 20_000  # of the search for the fewest primes; beyond, the best found is returned
Cube = tuple[int, ...]  # 0 false, 1 true, 2 free, of each variable
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Least:
    """Terms, and whether no others are fewer: `proven` is False where the search was given up."""

    terms: tuple[Cube, ...]
    proven: bool = True

    @property
    def literals(self) -> int:
        """How many literals all terms have."""
        return sum(literals(term) for term in self.terms)


def literals(cube: Cube) -> int:
    """Return how many variables a cube fixes."""
    return sum(value < 2 for value in cube)


def least(true: Bools, free: Bools) -> Least:
    """Return the least terms. true, free: of every way (2,) * variables, whether the function holds, and
    whether it does not matter.
    """
    n = true.ndim
    if n > MOST_VARIABLES:
        raise ValueError(f"at most {MOST_VARIABLES} variables, not {n}")
    points = [int(p) for p in np.flatnonzero(true & ~free)]
    if not points:
        return Least(())
    primes = sorted(prime_cubes(true | free), key=lambda cube: (literals(cube), cube))
    bit = {point: 1 << i for i, point in enumerate(points)}
    covers = [sum(bit.get(p, 0) for p in _points(cube)) for cube in primes]
    useful = [(cover, cube) for cover, cube in zip(covers, primes, strict=True) if cover]
    search = _Search([c for c, _ in useful], [literals(cube) for _, cube in useful])
    chosen = search.run((1 << len(points)) - 1)
    terms = sorted((useful[i][1] for i in chosen), key=lambda c: (literals(c), [_rank(v) for v in c]))
    return Least(tuple(terms), search.steps <= MOST_STEPS)


def _rank(value: int) -> int:
    """Return the order of a literal in a list of terms: true, false, free."""
    return (1, 0, 2)[value]


def prime_cubes(allowed: Bools) -> list[Cube]:
    """Return the prime cubes of all ways that are allowed."""
    cubes = allowed
    for axis in range(allowed.ndim):
        both = np.all(np.take(cubes, [0, 1], axis), axis=axis, keepdims=True)
        cubes = np.concatenate([cubes, both], axis=axis)
    prime = cubes.copy()
    for axis in range(allowed.ndim):
        freed = np.take(cubes, [2], axis)
        fixed = np.take(prime, [0, 1], axis) & ~freed
        prime = np.concatenate([fixed, np.take(prime, [2], axis)], axis=axis)
    return [tuple(int(v) for v in cube) for cube in np.argwhere(prime)]


def _points(cube: Cube) -> list[int]:
    """Return the ways that a cube holds in, as numbers whose first variable is the highest bit."""
    out = [0]
    for value in cube:
        out = [2 * p + v for p in out for v in ((0, 1) if value == 2 else (value,))]
    return out


@dataclass
class _Search:
    """The fewest sets that cover all points, of as many those with the fewest literals."""

    covers: list[int]
    prices: list[int]
    best: tuple[int, int] = (1 << 30, 0)  # sets and literals of the best cover so far
    chosen: list[int] = field(default_factory=list)
    steps: int = 0

    def run(self, points: int) -> list[int]:
        """Return the numbers of the chosen sets."""
        self._go(points, list(range(len(self.covers))), [])
        return self.chosen

    def _go(self, points: int, open_: list[int], taken: list[int]) -> None:
        points, open_, taken = self._reduced(points, open_, taken)
        size = len(taken), sum(self.prices[i] for i in taken)
        if size >= self.best:
            return
        if not points:
            self.best, self.chosen = size, taken
            return
        self.steps += 1
        if self.steps > MOST_STEPS and self.chosen:
            return
        more, dear = self._bound(points, open_)
        if (size[0] + more, size[1] + dear) >= self.best:
            return
        point = self._hardest(points, open_)
        ways = [i for i in open_ if self.covers[i] & point]
        ways.sort(key=lambda i: (-(self.covers[i] & points).bit_count(), self.prices[i]))
        for k, i in enumerate(ways):
            rest = [j for j in open_ if j not in ways[: k + 1]]
            self._go(points & ~self.covers[i], rest, [*taken, i])

    def _reduced(self, points: int, open_: list[int], taken: list[int]) -> tuple[int, list[int], list[int]]:
        """Take sets that must be taken, drop those that another does better, until nothing changes."""
        while points:
            open_ = self._undominated(points, open_)
            once, more = 0, 0
            for i in open_:
                more |= once & self.covers[i]
                once |= self.covers[i]
            alone = points & once & ~more
            if not alone:
                break
            must = [i for i in open_ if self.covers[i] & alone]
            for i in must:
                points &= ~self.covers[i]
            taken = [*taken, *must]
            gone = set(must)
            open_ = [i for i in open_ if i not in gone]
        return points, open_, taken

    def _undominated(self, points: int, open_: list[int]) -> list[int]:
        """Return the sets that no other one of at most as many literals holds in full."""
        here = sorted(
            (i for i in open_ if self.covers[i] & points),
            key=lambda i: (-(self.covers[i] & points).bit_count(), self.prices[i], i),
        )
        kept: list[int] = []
        for i in here:
            own = self.covers[i] & points
            if not any(own & ~self.covers[j] == 0 and self.prices[j] <= self.prices[i] for j in kept):
                kept.append(i)
        return kept

    def _bound(self, points: int, open_: list[int]) -> tuple[int, int]:
        """Return sets and literals that are needed at least: points no two of which one set covers."""
        sets = dear = 0
        while points:
            point = self._hardest(points, open_)
            ways = [i for i in open_ if self.covers[i] & point]
            sets += 1
            dear += min((self.prices[i] for i in ways), default=0)
            for i in ways:
                points &= ~self.covers[i]
            points &= ~point
        return sets, dear

    def _hardest(self, points: int, open_: list[int]) -> int:
        """Return the point that the fewest sets cover, of equals the first."""
        left, fewest, found = points, len(open_) + 1, points & -points
        while left:
            point = left & -left
            left ^= point
            ways = sum(1 for i in open_ if self.covers[i] & point)
            if ways < fewest:
                fewest, found = ways, point
        return found
