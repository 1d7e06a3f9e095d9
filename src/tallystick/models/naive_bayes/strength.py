"""How much each column tells about the class, in bits: for prints and rankings, never for a stored number.

Knows a fitted model. Law: a column that is the same for every class has strength 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.models.naive_bayes.columns import Counted, Part, Summed, Worded
from tallystick.models.naive_bayes.distributions import of_part
from tallystick.models.naive_bayes.model import NaiveBayesModel

Array = NDArray[np.float64]
POINTS = 97  # of the grid over which a Gaussian is averaged, 6 deviations to each side


def strengths(model: NaiveBayesModel) -> dict[str, float]:
    """Return the information of each column about the class: the mean of log2 P(value | class) / P(value)."""
    weights = model.classes / max(int(model.classes.sum()), 1)
    return {part.name: _strength(model, part, weights) for part in model.parts}


def _strength(model: NaiveBayesModel, part: Part, weights: Array) -> float:
    if isinstance(part, Summed):
        return _of_sums(model, part, weights)
    shares = part.shares(model.options, model.unit)
    if isinstance(part, Worded) and part.distribution == "complement":
        plain = Worded(part.name, "multinomial", part.counts, part.missing, part.documents, part.idf)
        shares = plain.shares(model.options, model.unit)
    if isinstance(part, Counted) or part.distribution != "bernoulli":
        return _information(shares, weights)
    both = np.stack([shares, 1 - shares])  # of each word on its own, summed
    return float(sum(_information(both[:, w], weights) for w in range(both.shape[1])))


def _information(shares: Array, weights: Array) -> float:
    """Return sum over value, class of weight * share * log2(share / mean share)."""
    mean = shares @ weights
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = np.where(shares > 0, shares * kernels.log2(shares / mean[:, None]), 0.0)
    return float(max((bits @ weights).sum(), 0.0))


def _of_sums(model: NaiveBayesModel, part: Summed, weights: Array) -> float:
    means, wide = np.array([float(m) for m in part.means()]), of_part(part).variance
    squared = np.array(model.variances[part.name]) if wide is None else np.maximum(wide(means), 1e-12)
    deviations = np.sqrt(squared)
    # [class, point, class] stays below 32 MB: with a thousand classes few points must do
    grid = np.linspace(-6, 6, max(9, min(POINTS, 4_000_000 // len(means) ** 2)) | 1)
    mass = kernels.exp(-0.5 * grid * grid)
    mass /= mass.sum()
    x = means[:, None] + deviations[:, None] * grid  # [class, point]
    distance = (x[:, :, None] - means) / deviations  # [class, point, class]
    logs = -0.5 * distance * distance - kernels.log(deviations)
    top = logs.max(axis=2, keepdims=True)
    mean = kernels.log((kernels.exp(logs - top) * weights).sum(axis=2)) + top[:, :, 0]
    own = np.stack([logs[c, :, c] for c in range(len(means))])
    bits = ((own - mean) * mass).sum(axis=1) / np.log(2.0)
    return float(max((bits * weights).sum(), 0.0))
