"""Values of a column in pieces, as rows far away have them, and how much is told of them."""

from __future__ import annotations

import pickle
from itertools import pairwise

from tallystick.stats.values import RankedPiece


class Pieces:
    """Values and their counts, cut at some places; how much works told of them."""

    def __init__(self, values, counts, cuts):
        self.totals, self.distinct, self.told = counts.sum(axis=0), len(values), 0
        ends = [0, *cuts, len(values)]
        self.pieces = [
            RankedPiece(values[a:b], counts[a:b], counts[:a].sum(axis=0), a) for a, b in pairwise(ends)
        ]

    def ask(self, work):
        """Return what a work finds in each piece."""
        found = [pickle.loads(pickle.dumps(work))(piece) for piece in self.pieces]
        self.told += len(pickle.dumps(found))
        return found
