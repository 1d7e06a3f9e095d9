"""Errors of numbers by group: how large they are, and to which side, each with an interval.

Knows a value per row, the true numbers and the answers. Knows nothing of models.
Laws: groups are shown the largest first; what differs beyond chance is told with both figures (Welch's test
of a group against all other rows, Holm's correction), and never whether that is fair.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.draw.svg import brief
from tallystick.errors import shown
from tallystick.judge.groups import (
    FEWEST,
    ToldDifferences,
    beyond_chance,
    largest_groups,
    told_apart,
    told_differences,
)
from tallystick.judge.result import FoldAnswers
from tallystick.judge.scores import average
from tallystick.stats import distributions
from tallystick.stats.exact import weighted_total

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class NumberDifference:
    """A mean of one group beside that of all other rows; p before the correction."""

    group: str
    what: str
    mean: float
    others: float
    p: float

    @property
    def figures(self) -> str:
        """Both figures."""
        return f"{brief(self.mean)}, elsewhere {brief(self.others)}"

    def __str__(self) -> str:
        return (
            f"{self.what} {brief(self.mean)} where it is {shown(self.group)}, {brief(self.others)} elsewhere"
        )


def error_sizes(
    groups: NDArray[Any], truth: Floats, part: FoldAnswers, weights: Floats | None
) -> list[dict[str, Any]]:
    """Return per group: rows, the mean size of the error with its interval, the mean of answer less truth
    with its interval, and the means of truth and answer.
    """
    tested = np.flatnonzero(part.fold >= 0)
    weight = np.ones(len(tested)) if weights is None else weights[tested]
    truth, answers = truth[tested], part.shares[tested, 0]
    away = answers - truth
    out = []
    for name, here in largest_groups(groups, tested, weight):
        own = weight[here]
        each = truth[here], answers[here], np.abs(away[here]), away[here]
        means = [average(values, own) for values in each]
        sums = [_away(values - mean, own) for values, mean in zip(each[2:], means[2:], strict=True)]
        out.append(sizes_of(name, float(own.sum()), means, sums))
    return out


def _away(away: Floats, weight: Floats) -> tuple[float, float]:
    """Return the sums of the squares and cubes of what values are away from their mean."""
    return weighted_total(away**2, weight), weighted_total(away**3, weight)


def sizes_of(
    name: str, rows: float, means: Sequence[float], sums: Sequence[tuple[float, float]]
) -> dict[str, Any]:
    """Return what is told of one group that has rows. means: of the truth, the answer, the size of the error
    and answer less truth; sums: of the squares and cubes of what the last two are away from their means.
    """
    told = []
    for mean, (squares, cubes) in zip(means[2:], sums, strict=True):
        low, high = distributions.of_sums(rows, mean, squares, cubes)
        told.append({"mean": mean, "low": low, "high": high, "variance": squares / rows})
    return {
        "group": name,
        "rows": rows,
        "error": told[0],
        "over": told[1],
        "truth": means[0],
        "answer": means[1],
    }


def number_sentence(found: Sequence[dict[str, Any]]) -> str:
    """Return what differs between groups beyond chance, or that nothing does."""
    return str(number_told(found))


def number_told(found: Sequence[dict[str, Any]]) -> ToldDifferences:
    """Return what is told of groups."""
    made = []
    for key, what in (("error", "size of the error"), ("over", "answer less truth")):
        for k, group in told_apart(found):
            rest = [g for j, g in enumerate(found) if j != k]
            one = _compared(group["group"], what, _moments([group], key), _moments(rest, key))
            made += [] if one is None else [one]
    return told_differences(len(made), beyond_chance(made), "the size of the error or the side it is on")


def _moments(groups: Sequence[dict[str, Any]], key: str) -> tuple[float, float, float]:
    """Return rows, mean and variance of groups together."""
    rows = sum(g["rows"] for g in groups)
    if not rows:
        return 0.0, 0.0, 0.0
    mean = sum(g["rows"] * g[key]["mean"] for g in groups) / rows
    square = sum(g["rows"] * (g[key]["variance"] + (g[key]["mean"] - mean) ** 2) for g in groups) / rows
    return rows, mean, square


def _compared(
    group: str, what: str, own: tuple[float, float, float], rest: tuple[float, float, float]
) -> NumberDifference | None:
    if min(own[0], rest[0]) < FEWEST:
        return None
    parts = [variance / (rows - 1) for rows, _, variance in (own, rest)]
    error = math.sqrt(sum(parts))
    if error == 0.0:
        return NumberDifference(group, what, own[1], rest[1], 1.0 if own[1] == rest[1] else 0.0)
    freedom = sum(parts) ** 2 / sum(
        part**2 / (rows - 1) for part, (rows, _, _) in zip(parts, (own, rest), strict=True)
    )
    p = 2 * distributions.student_tail(abs(own[1] - rest[1]) / error, freedom)
    return NumberDifference(group, what, own[1], rest[1], p)
