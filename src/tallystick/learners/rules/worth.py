"""What a rule is worth: by how many nats the classes of the rows are better told with it than without.

Knows counts. Knows nothing of columns or rows.

The rows that a rule takes, and those it leaves, are told by their evidence (the probability of their classes
in any order when the shares are unknown, `models/tree/average.py`). A condition costs a quarter of a
nat for each bit that names it among all that were looked at.

Without imagined rows (`exact`) shares are what the rows say: evidence is the likelihood of the plain shares,
conditions cost nothing, and a rule is to take rows of one class only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.models.tree.average import log_evidence

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
PRICE = 0.25  # nats a bit; neighbouring cuts part nearly the same rows, so that m offers are not m chances


@dataclass(frozen=True, eq=False)
class Telling:
    """How well counts tell the classes apart. factors[class]: what a unit of the table counts as, class
    weights among it. totals[class]: all rows. imagined: rows of each evidence that have the shares of all
    rows. one: the class that is told from all others, which then count as one; None: all are told apart.
    """

    factors: Floats
    totals: Ints
    imagined: float
    one: int | None = None

    @property
    def base(self) -> Floats:
        """The shares of the imagined rows, every class with half a row more."""
        whole = self.rows(self.totals) + 0.5
        out: Floats = whole / whole.sum()
        return out

    @property
    def exact(self) -> bool:
        """Whether rules are to be right on every row they take."""
        return self.imagined == 0

    def rows(self, counts: Ints) -> Floats:
        """Return counts[..., class] in rows; of the others and of one class, where one is told."""
        out: Floats = counts * self.factors
        if self.one is None:
            return out
        own = out[..., self.one]
        others = np.delete(out, self.one, axis=-1).sum(axis=-1)
        return np.stack([others, own], axis=-1)

    def evidence(self, counts: Ints) -> Floats:
        """Return the log of the evidence of counts[set, class]."""
        rows = self.rows(counts)
        if self.exact:
            whole = rows.sum(axis=-1, keepdims=True)
            logs = kernels.log(np.where(rows > 0, rows, 1.0)) - kernels.log(np.where(whole > 0, whole, 1.0))
            out: Floats = np.where(rows > 0, rows * logs, 0.0).sum(axis=-1)
            return out
        return log_evidence(rows, self.imagined, self.base)

    def costs(self, bits: Floats) -> Floats:
        """Return what conditions cost in nats, by the bits that name them."""
        return np.zeros_like(bits) if self.exact else PRICE * bits

    def gains(self, covered: Ints, left: Ints) -> Floats:
        """Return what taking rows away tells: covered[offer, class] of left[class]."""
        whole = self.evidence(left[None])[0]
        out: Floats = self.evidence(covered) + self.evidence(left - covered) - whole
        return out
