"""Why this row, why this model, as data."""

from __future__ import annotations

from typing import Any

from tallystick.bayes.explain import Explanation, shares
from tallystick.bayes.model import NaiveBayesModel

MOST_REASONS = 4  # of a row, unless told otherwise


# The training rows behind the reasons of an explanation, where a model keeps counts.

Behind = list[tuple[str, str, dict[str, int]]]  # column, value, training rows with it by class


def no_counts(model: Any, found: Any) -> Behind:
    """Return nothing: the explanation holds its counts itself, or there are none."""
    return []


def bayes_counts(model: NaiveBayesModel, found: Explanation) -> Behind:
    """Return the counts of each reason whose value was counted."""
    out: Behind = []
    for reason in found.reasons:
        known = shares(model, reason.column)
        if known.counts is not None and reason.entry in known.values:
            row = known.counts[known.values.index(reason.entry)].tolist()
            out.append((reason.column, reason.entry, dict(zip(known.classes, row, strict=True))))
    return out
