"""From points in log-odds to whole points on a card: rounding, lines that say the same, the model.

Knows a learnt state and the rows on its lines. Law: what is rounded is the value of a line, so rising
points still rise; neighbouring ranges with the same whole points are one line.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tallystick.data.schema import Schema
from tallystick.learners.scorecard.rounds import State
from tallystick.learners.scorecard.ways import OneWay
from tallystick.models.scorecard.axes import LevelAxis, PairAxis, RangeAxis, WordAxis
from tallystick.models.scorecard.model import LN2
from tallystick.models.scorecard.parts import LinePoints, PairPoints, Part, WordPoints

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
FINER = (
    1,
    2,
    5,
    10,
    20,
    50,
    100,
    200,
    500,
    1000,
)  # times the scale asked for, until rounding costs next to nothing
COST = 0.002  # of log-loss that rounding may cost
SURE = 0.01  # curvature of a row at least, so that lines are not joined because all their rows are sure
WASTE = 0.1  # nats that joining lines may cost over the whole card, of many rows


@dataclass(frozen=True)
class Smooth:
    """Points before rounding: f[line, link] with class means taken out, and constant[link], both in
    log-odds. ways: lines whose points only rise or fall.
    """

    f: Array
    constant: Array
    ways: tuple[OneWay, ...] = ()

    @classmethod
    def of(cls, state: State) -> Smooth:
        """Return the points of a state; of several classes only differences count, so each line has a
        mean of 0.
        """
        if state.f.shape[1] == 1:
            return cls(state.f, state.constant, state.ways)
        means = np.array([math.fsum(row) for row in state.f.tolist()]) / state.f.shape[1]
        constant = state.constant - math.fsum(state.constant.tolist()) / len(state.constant)
        return cls(state.f - means.reshape(-1, 1), constant, state.ways)

    def rounded(self, step: int) -> tuple[Whole, Whole]:
        """Return whole points [line, link] and base [link]; halves go to the even number."""
        scale = step / LN2
        points = np.rint(self.f * scale).astype(np.int64)
        for way in self.ways:
            points[way.lines] = way.whole(self.f, scale)
        return points, np.rint(self.constant * scale).astype(np.int64)


def unrounded(points: Whole, base: Whole, step: int) -> tuple[Array, Array]:
    """Return whole points and base in log-odds."""
    return points.astype(np.float64) * (LN2 / step), base.astype(np.float64) * (LN2 / step)


def joined(state: State, smooth: Smooth, bends: Array, rows: Array) -> Smooth:
    """Return points in which neighbouring ranges that hardly differ are alike, cheapest first, as long as
    all of it costs next to nothing. bends[line, link]: curvature of each line; rows[line].
    """
    f, spent = smooth.f.copy(), 0.0
    weight = np.maximum(bends, SURE * rows.reshape(-1, 1))
    for way in state.ways:  # one mean for all links, or differences would no longer go their way
        means = [math.fsum(own) / len(own) for own in weight[way.lines].tolist()]
        weight[way.lines] = np.array(means).reshape(-1, 1)
    all_rows = math.fsum(rows[: state.pieces[0].lines].tolist()) if state.pieces else 0.0
    most = min(WASTE, COST / 8 * all_rows)
    runs: list[
        list[int]
    ] = []  # lines with the same points, neighbours side by side; an empty one ends a column
    for j, piece in enumerate(state.pieces):
        axis, start = piece.axes[0], state.starts[j]
        if isinstance(axis, RangeAxis):
            runs += [*([start + i] for i in range(axis.known)), []]
    costs = [_joining(f, weight, a, b) for a, b in pairwise(runs)]
    while costs:
        i = min(range(len(costs)), key=costs.__getitem__)
        if spent + costs[i] >= most:
            break
        spent += costs[i]
        a, b = runs[i], runs[i + 1]
        together = np.maximum(weight[a[0]] + weight[b[0]], 1e-300)
        f[a + b] = (weight[a[0]] * f[a[0]] + weight[b[0]] * f[b[0]]) / together
        weight[a + b] = together
        runs[i : i + 2] = [a + b]
        del costs[i]
        for k in (i - 1, i):
            if 0 <= k < len(costs):
                costs[k] = _joining(f, weight, runs[k], runs[k + 1])
    return replace(smooth, f=f)


def _joining(f: Array, weight: Array, a: Sequence[int], b: Sequence[int]) -> float:
    """Return what it costs to give two runs of lines the same points."""
    if not a or not b:
        return math.inf
    wa, wb, change = weight[a[0]], weight[b[0]], f[a[0]] - f[b[0]]
    return 0.5 * math.fsum((wa * wb / np.maximum(wa + wb, 1e-300) * change * change).tolist())


def parts_of(
    state: State, points: Whole, counts: Whole, schema: Schema
) -> tuple[list[Part], list[list[list[int]]]]:
    """Return the parts of the card, and for each of their lines the lines of the state that it is made of."""
    parts: list[Part] = []
    places: list[list[list[int]]] = []
    for j, piece in enumerate(state.pieces):
        at = state.part(j)
        own, rows, axis = points[at], counts[at], piece.axes[0]
        if not own.any():
            continue
        made = [[i] for i in range(len(own))]
        if isinstance(axis, WordAxis):
            words = [a.word for a in piece.axes if isinstance(a, WordAxis)]
            said = [i for i in range(len(words)) if own[2 * i + 1].any()]
            at_words = [2 * i + 1 for i in said]
            size = len(schema[piece.name].words)
            parts.append(
                WordPoints(piece.name, tuple(words[i] for i in said), own[at_words], rows[at_words], size)
            )
            made = [[i] for i in at_words]
        elif isinstance(axis, PairAxis):
            parts.append(PairPoints(axis, own, rows))
        elif isinstance(axis, LevelAxis):
            parts.append(LinePoints(axis, own, rows))
        else:
            lines, made = ranges_of(axis, own, rows)
            parts.append(lines)
        places.append([[at.start + i for i in line] for line in made])
    return parts, places


def ranges_of(axis: RangeAxis, points: Whole, rows: Whole) -> tuple[LinePoints, list[list[int]]]:
    """Return ranges with neighbours of the same points as one line, and the lines that each is made of."""
    change = (points[1 : axis.known] != points[: axis.known - 1]).any(axis=1)
    starts = np.concatenate([[0], np.flatnonzero(change) + 1])
    cuts = tuple(axis.cuts[i - 1] for i in starts[1:].tolist())
    made = [list(range(a, b)) for a, b in pairwise([*starts.tolist(), axis.known])]
    kept = np.concatenate([points[starts], points[-1:]])
    together = np.concatenate([np.add.reduceat(rows[: axis.known], starts, axis=0), rows[-1:]])
    return LinePoints(RangeAxis(axis.name, cuts), kept, together), [*made, [axis.known]]
