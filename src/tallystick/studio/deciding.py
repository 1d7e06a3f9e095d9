"""Answers by a threshold or by costs: the confusion table of answers to rows that the model had not seen.

Knows shares and truth. Knows nothing of pages. Law: in the middle of the slider stand the
model's own answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import OptionError
from tallystick.models.decision import cheapest

STEPS = 100  # of the slider: a threshold is a step over so many
MOST_CLASSES = 12  # whose costs can be typed in


def deciding(result: Any, labels: Sequence[str]) -> dict[str, Any]:
    """Return what the page needs to move the threshold by itself, or to ask for costs.

    Two classes: found[step], alarms[step]: rows of the positive class and of the other that are answered
    positive from a share of step / STEPS on.
    """
    tested = result.fold >= 0
    truth, shares = result.truth[tested], result.shares[tested]
    out: dict[str, Any] = {"labels": list(labels), "rows": int(tested.sum()), "classes": len(labels)}
    if len(labels) != 2:
        return out | {
            "costs": len(labels) <= MOST_CLASSES,
            "confusion": counted_answers(truth, result.answered[tested], len(labels)),
        }
    positive = list(labels).index(result.scores.positive)
    share = shares[:, positive]
    steps = np.arange(STEPS + 1) / STEPS
    found, alarms = (_from(share[truth == c], steps, positive) for c in (positive, 1 - positive))
    return out | {
        "positive": positive,
        "steps": STEPS,
        "found": found.tolist(),
        "alarms": alarms.tolist(),
        "of": [int((truth == positive).sum()), int((truth != positive).sum())],
    }


def _from(share: NDArray[np.float64], steps: NDArray[np.float64], positive: int) -> NDArray[np.int64]:
    """Return how many shares reach each step; of equals the first class is answered, as everywhere."""
    rising = np.sort(share)
    below = np.searchsorted(rising, steps, "right") if positive else np.searchsorted(rising, steps, "left")
    return np.asarray(len(share) - below, np.int64)


def by_costs(result: Any, labels: Sequence[str], costs: Any) -> dict[str, Any]:
    """Return the confusion table of the cheapest answers, and what they cost beside the model's own."""
    try:
        prices = np.asarray(costs, np.float64)
    except (TypeError, ValueError):
        prices = np.empty(0)
    if prices.shape != (len(labels), len(labels)) or not np.isfinite(prices).all():
        raise OptionError(f"costs must be {len(labels)} rows of {len(labels)} numbers, costs[truth][answer].")
    tested = result.fold >= 0
    truth, shares = result.truth[tested], result.shares[tested][:, : len(labels)]
    cheap = np.array(counted_answers(truth, cheapest(shares, prices), len(labels)))
    own = np.array(counted_answers(truth, result.answered[tested], len(labels)))
    return {
        "confusion": cheap.tolist(),
        "cost": float((cheap * prices).sum()),
        "own": float((own * prices).sum()),
    }


def counted_answers(truth: NDArray[Any], answers: NDArray[Any], size: int) -> list[list[int]]:
    """Return counts[truth][answer]."""
    out = np.zeros((size, size), np.int64)
    np.add.at(out, (truth.astype(np.int64), answers.astype(np.int64)), 1)
    return [[int(n) for n in line] for line in out]
