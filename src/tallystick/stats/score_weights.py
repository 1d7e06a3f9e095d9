"""What a row weighs in the scores of a tree: its own weight times its class's.

Knows weights, classes and how much the scores can take. Knows nothing of columns, splits or engines.
Law: one rule for whoever sums. A row weighs the same wherever it is, so no engine can change a sum,
and a class keeps its weight however heavy the rows are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.models.tree.weights import ClassWeights

Ints = NDArray[np.int64]
CLASS_BITS = 16  # class weights are whole multiples of 2^-16 of the largest
ROOM = 56  # bits of a sum of weights in scores
PARTS_ROOM = 60  # the same where rows are shared out in parts; the kernels' scores have room for one more
HALF = 32  # bits of a weight that are multiplied at a time
AT_ONCE = 1 << 17  # entries of arrays that may lie on disk, changed in place


@dataclass(frozen=True, eq=False)
class ScoreWeights:
    """factors[class]: class weights as whole numbers, None for 1 each. heavy: what all rows weigh together.

    Where that may be beyond `ROOM`, rows are weighed in units of 2^drop: the product of their two weights is
    rounded up, so that no row that counts weighs nothing, and all rows together weigh at most `heavy` and a
    unit a row.
    """

    factors: Ints | None
    heavy: int
    drop: int = 0

    @classmethod
    def of(cls, given: ClassWeights | None, counts: Ints, parts: int = 1) -> ScoreWeights:
        """Return the rule for a table. counts[class]: its rows; a weight of 1 is `parts` in the tree."""
        factors = class_factors(given, counts)
        rows = [parts * n for n in counts.tolist()]  # beyond 64 bits from here
        each = [1] * len(rows) if factors is None else factors.tolist()
        drop = max(0, (sum(rows) * max(each)).bit_length() - (ROOM if parts == 1 else PARTS_ROOM))
        return cls(factors, sum(n * own for n, own in zip(rows, each, strict=True)) >> drop, drop)

    def of_rows(self, classes: NDArray[Any], weights: Ints | None) -> Ints | None:
        """Return what rows weigh in scores, None for 1 each. weights[row]: in counts, None for 1 each."""
        if self.factors is None and weights is None:
            return None
        own: Any = 1 if self.factors is None else self.factors[classes]
        if weights is None:
            weights = np.ones(len(classes), np.int64)
        if not self.drop:
            full: Ints = weights * own
            return full
        # Weights have 63 bits and factors 16, so the whole product has no room; its two halves have.
        high, low = (weights >> HALF) * own, (weights & (1 << HALF) - 1) * own
        out: Ints = (high << HALF - self.drop) + (low + (1 << self.drop) - 1 >> self.drop)
        return out

    def vectors(self, table: Ints, classes: int) -> Ints:
        """Return a table as the judge takes it: what rows of each class weigh in scores, then all rows;
        regression (no classes): the sum of the response, then rows.
        """
        if not classes:
            return np.ascontiguousarray(table[:, ::-1])
        rows = table[:, :classes]
        out = np.empty((len(table), classes + 1), np.int64)
        if self.drop:
            out[:, :classes] = table[:, classes:]
        else:
            out[:, :classes] = rows if self.factors is None else rows * self.factors
        out[:, classes] = rows[:, 0]
        for c in range(1, classes):  # many codes, few classes: quicker than a sum along the short side
            out[:, classes] += rows[:, c]
        return out

    def count_rows(self, arrays: dict[str, NDArray[Any]]) -> None:
        """Turn candidates' first branches, lefts[branch, class then all rows], from weights to rows,
        in place.

        Where rows cannot be distinguished from weights the counts are left out.
        """
        own = np.ones(1, np.int64) if self.factors is None else self.factors
        free = np.flatnonzero(own == 0)
        if self.drop or len(free) > 1:
            arrays["tried_left"][...] = -1
        if self.drop or len(free) > 1 or self.factors is None:
            return
        for start in range(0, len(arrays["lefts"]), AT_ONCE):
            lefts: Ints = arrays["lefts"][start : start + AT_ONCE]
            rows = lefts[:, :-1] // np.maximum(own, 1)  # exact: sums of whole multiples
            if len(free):
                rows[:, free[0]] = lefts[:, -1] - rows.sum(axis=1)
            lefts[:, :-1] = rows


def class_factors(given: ClassWeights | None, counts: Ints | None) -> Ints | None:
    """Return class weights as whole numbers, None when all are equal. counts[class]: rows of the table."""
    if given is None or counts is None:
        return None
    weights = given.of(counts)
    if np.all(weights == np.rint(weights)) and weights.max() < 2**CLASS_BITS:
        return weights.astype(np.int64)
    scaled = np.rint(weights * ((2**CLASS_BITS - 1) / weights.max())).astype(np.int64)
    return np.where(weights > 0, np.maximum(scaled, 1), 0)
