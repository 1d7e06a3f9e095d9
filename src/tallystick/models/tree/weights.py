"""What a row of each class counts: class weights and priors, in growing and in answering.

Knows labels and counts. Knows nothing of splits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.data.schema import Target
from tallystick.errors import OptionError, shown
from tallystick.models.plain import plain


@dataclass(frozen=True, slots=True)
class ClassWeights:
    """weights[class], of a row; with by_share, of all rows of the class together (priors, "balanced")."""

    weights: tuple[float, ...]
    by_share: bool = False

    def of(self, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return what one row of each class weighs; counts[class]: rows of the training table."""
        own = np.array(self.weights, np.float64)
        if not self.by_share:
            return own
        out: NDArray[np.float64] = np.where(counts > 0, own / np.maximum(counts, 1), 0.0)
        return out

    def of_mean_one(self, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return what an error in a row of each class counts: weights by share are scaled to have mean 1 over
        all rows, so that an error is still one error.
        """
        own = self.of(counts)
        if not self.by_share:
            return own
        out: NDArray[np.float64] = own * (counts.sum() / max(float((own * counts).sum()), 1e-300))
        return out

    def times(self, factors: Sequence[float]) -> ClassWeights:
        """Return the weights, each times a factor."""
        return ClassWeights(tuple(w * f for w, f in zip(self.weights, factors, strict=True)), self.by_share)


def class_weights(class_weight: Any, priors: Any, target: Target) -> ClassWeights | None:
    """Return the weights that two parameters mean, None when a row counts 1 whatever its class."""
    if class_weight is None and priors is None:
        return None
    class_weight, priors = plain(class_weight), plain(priors)
    ones = ClassWeights((1.0,) * len(target.labels), class_weight == "balanced" or priors is not None)
    if class_weight is not None and class_weight != "balanced":
        ones = ones.times(by_label("class_weight", class_weight, target))
    return ones if priors is None else ones.times(by_label("priors", priors, target))


def criterion_weights(weights: ClassWeights | None, costs: Sequence[Sequence[float]]) -> ClassWeights | None:
    """Return what a row of each class counts in the criterion, None for 1 each: a class is worth the sum of
    what its errors cost.
    """
    if not costs:
        return weights
    return (weights or ClassWeights((1.0,) * len(costs))).times([sum(row) for row in costs])


def by_label(name: str, given: Any, target: Target) -> tuple[float, ...]:
    """Return one number per class from a mapping by label (classes not named: 1) or a sequence."""
    if isinstance(given, Mapping):
        known = {target.label_of(k): _real(name, v) for k, v in given.items()}
        own = [known.get(label, 1.0) for label in target.labels]
    elif isinstance(given, Sequence) and not isinstance(given, str) and len(given) == len(target.labels):
        own = [_real(name, v) for v in given]
    else:
        raise OptionError(
            f"{name} must give a number for each of {len(target.labels)} classes, not {shown(given)}."
        )
    if any(not 0 <= v < float("inf") for v in own) or not any(own):
        raise OptionError(f"{name} must be numbers from 0 up, not all 0; found {shown(given)}.")
    return tuple(own)


def _real(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise OptionError(f"{name} must be numbers from 0 up, not {shown(value)}.") from None
