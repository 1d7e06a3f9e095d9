"""Decide by cross-validation how a number is read: cut into bins by the MDL rule, or as a Gaussian.

Knows the values of one column with their class counts. Knows nothing of rows or other columns.
Law: the decision depends on the multiset of (value, class) alone; sums run over rising values, so bits are
fixed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tallystick import kernels
from tallystick.stats.class_values import ValuesByClass

FOLDS = 5
MANY = 20_000  # rows from which one of the folds is enough to judge by
OF_A_SAMPLE = 2  # folds of a sample; the others would tell little more


@dataclass(frozen=True)
class Judgement:
    """Cross-validated log-likelihoods of the classes per row, and the standard error of their difference."""

    gaussian: float
    binned: float
    error: float

    @property
    def prefers_gaussian(self) -> bool:
        """Whether the Gaussian is better by more than one standard error: bins assume less."""
        return self.gaussian - self.binned > self.error

    def __str__(self) -> str:
        said = f"{self.gaussian:.4f} as Gaussian, {self.binned:.4f} in bins"
        if self.prefers_gaussian or self.gaussian <= self.binned:
            return said
        return f"{said}, which assume less and are within the standard error of {self.error:.4f}"


def judge(column: ValuesByClass, unit: int, whole: bool) -> Judgement:
    """Compare the two ways to read this column alone, by the log-likelihood of the classes, cross-validated;
    whole: these are all values of the column, and not a sample.

    The cases of a class, in rising order of value, go round the folds; so the folds need no rows. A Gaussian
    smooths the variance of each class by two cases of the whole column's; bins have the Laplace correction.
    """
    rows = int(column.counts.sum()) // unit
    tried = 1 if rows >= MANY else FOLDS if whole else OF_A_SAMPLE
    said = kernels.judge_readings(column.values, column.counts, unit, FOLDS, tried)
    n = max(said.cases, 1.0)
    mean = (said.gaussian - said.binned) / n
    error = float(np.sqrt(max(said.squares / n - mean * mean, 0.0) / n))
    return Judgement(said.gaussian / n, said.binned / n, error)
