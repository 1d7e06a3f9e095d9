"""What a model answers to new rows, counted as its profile counts what it answered to the training rows.

Knows fitted models and blocks. Knows nothing of columns. Law: counts, so no order of rows is in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.description.known import Known, of_profile
from tallystick.models.profile import STEPS


@dataclass
class AnswerTally:
    """known: what was answered in training, a count for each class or bin; given: the same of new rows.
    steps[class], seen[class]: rows in tenths of the share, then and now. untold: why nothing is known.
    """

    model: Any
    known: Known | None = None
    untold: str = ""
    labels: Sequence[str] = ()
    steps: Sequence[NDArray[np.int64]] = ()
    given: Any = 0
    seen: Any = field(default=0)

    @classmethod
    def of(cls, estimator: Any) -> AnswerTally:
        """Return what a fitted model's profile has of its answers."""
        profile, target = estimator.profile_, estimator.schema_.target
        if target is None:
            return cls(None)
        if profile is None or profile.answers is None:
            old = estimator._version == 1
            kept = "its file is of version 1 and keeps" if old else "its file keeps"
            return cls(None, untold=f"{kept} no answers to the training rows; fit again to have them")
        own, model = profile.answers, estimator.model_
        if target.labels:
            model = replace(model, decision=None)  # as the training rows were counted
            known = Known(own.given.astype(np.float64), labels=target.labels)
            return cls(model, known, "", target.labels, list(own.shares))
        return cls(model, of_profile(own, "numeric", (), estimator.rows_["count"]))

    def add(self, block: Any) -> None:
        """Add what is answered to the rows of a block."""
        if self.known is None or not block.rows:
            return
        shares = self.model.shares(block)
        if self.known.values is not None:
            self.given = self.given + in_bins(self.known, shares[:, 0])
            return
        k = len(self.labels)
        self.given = self.given + np.bincount(self.model.decide(shares), minlength=k)
        places = np.arange(k) * STEPS + np.minimum((shares * STEPS).astype(np.int64), STEPS - 1)
        self.seen = self.seen + np.bincount(places.ravel(), minlength=k * STEPS).reshape(k, STEPS)


def in_bins(known: Known, values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return how many numbers lie in each bin of a profile."""
    assert known.values is not None
    assert known.line is not None
    at = np.searchsorted(known.values, values, side="left")
    there = known.values[np.minimum(at, len(known.values) - 1)] == values
    return np.bincount(known.line[2 * at + there], minlength=len(known.labels))
