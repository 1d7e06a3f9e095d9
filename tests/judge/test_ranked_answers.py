"""However an order is cut into pieces, all of them together tell the same."""

from __future__ import annotations

import numpy as np
import pytest

from tallystick.judge.answers import Curves, PairSpread, PairsWon, calibrated
from tallystick.judge.scores import thinned
from tallystick.stats.exact import joined, nearest
from tallystick.stats.values import RankedPiece

RNG = np.random.default_rng(1)
VALUES = np.unique(RNG.random(300))
COUNTS = RNG.integers(0, 4, (len(VALUES), 4)) + np.eye(4, dtype=int)[RNG.integers(0, 4, len(VALUES))]


class Cut:
    """The order, cut after some values."""

    totals, distinct = COUNTS.sum(axis=0), len(VALUES)

    def __init__(self, *ends):
        self.ends = (0, *ends, len(VALUES))

    def ask(self, work):
        return [
            work(RankedPiece(VALUES[a:b], COUNTS[a:b], COUNTS[:a].sum(axis=0), a))
            for a, b in zip(self.ends[:-1], self.ends[1:], strict=True)
        ]


def told(order):
    area = nearest(joined(*order.ask(PairsWon(order.totals))))
    spread = zip(*order.ask(PairSpread(order.totals, 0.6)), strict=True)
    curves = order.ask(Curves(order.totals, order.distinct, thinned(order.distinct)))
    points = sorted(point for part in curves for point in part.points)
    bins = np.sum([part.bins for part in curves], axis=0)
    sums = [nearest(joined(*(part[i] for part in curves))) for i in range(3)]
    sides = [(nearest(joined(*(d for d, _ in side))), sum(n for _, n in side)) for side in spread]
    return area, sides, points, sums, bins.tolist(), calibrated(order, bins)


@pytest.mark.parametrize("ends", [(1,), (150,), (10, 11, 12, 299), (0, 7, 7)])
def test_pieces_tell_together_what_the_whole_tells(ends):
    assert told(Cut(*ends)) == told(Cut())


def test_pairs_are_those_counted_one_by_one():
    won = 0.0
    for fold in (0, 1):
        down, up = COUNTS[:, 2 * fold], COUNTS[:, 2 * fold + 1]
        won += sum(up[i] * (down[:i].sum() + down[i] / 2) for i in range(len(up)))
    assert told(Cut(40))[0] == won
