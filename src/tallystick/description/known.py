"""What a model file keeps of the training rows of a column: what new rows are compared with.

Knows checked documents (plain data), a function per kind of model. Knows nothing of new rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.data.schema import Column


@dataclass(frozen=True, slots=True)
class Known:
    """What the file keeps of a column's training values: counts by level, bin or word, or mean and standard
    deviation; or why there is nothing.
    """

    counts: NDArray[np.float64] | None = None
    cuts: NDArray[np.float64] | None = None
    mean: float = math.nan
    deviation: float = math.nan
    untold: str = ""


def nothing(document: Mapping[str, Any], column: Column) -> Known:
    """Return that the file keeps nothing."""
    return Known(untold="the model keeps no counts of a column")


def of_tree(document: Mapping[str, Any], column: Column) -> Known:
    """Return what a tree keeps: nothing."""
    return Known(untold="a tree keeps no counts of a column")


def of_bayes(document: Mapping[str, Any], column: Column) -> Known:
    """Return what naive Bayes keeps: counts by level, bin or word, or exact sums."""
    model, unit = document["model"], document["rows"]["unit"]
    own = next((c for c in model["columns"] if c["name"] == column.name), None)
    if own is None:
        return Known(untold="the model does not use it")
    if "counts" in own:
        counts = np.array(own["counts"], dtype=np.float64).reshape(len(own["counts"]), -1).sum(axis=1)
        if own.get("cuts") == []:
            return Known(untold="the model keeps it as one bin")
        return Known(counts, np.array(own["cuts"]) if "cuts" in own else None)
    rows = sum(n - m for n, m in zip(model["classes"], own["missing"], strict=True)) / unit
    return _moments(own, rows, unit)


def of_logistic(document: Mapping[str, Any], column: Column) -> Known:
    """Return what logistic regression keeps: the centre and scale of a number."""
    part = next(p for p in document["model"]["parts"] if p["name"] == column.name)
    if part["part"] == "slope" and part["scale"] > 0:
        return Known(mean=float(part["centre"]), deviation=float(part["scale"]))
    return Known(untold="a logistic regression keeps no counts of levels or words")


def of_card(document: Mapping[str, Any], column: Column) -> Known:
    """Return what a scorecard keeps: the training rows on each line of a column; of levels that share a line
    and of words no count of each.
    """
    parts = [p for p in document["model"]["parts"] if p.get("name") == column.name]
    if not parts:
        return Known(untold="it has no line of its own on the card")
    rows = np.array(parts[0]["rows"], dtype=np.float64).sum(axis=1)
    if parts[0]["part"] == "ranges":
        if not parts[0]["cuts"]:
            return Known(untold="the card has one line for all its numbers")
        return Known(rows[:-1], np.array(parts[0]["cuts"]))
    if parts[0]["part"] == "words":
        return Known(untold="a card keeps counts of the words with points only")
    lines = parts[0]["line"]
    if len(set(lines)) < len(lines):
        return Known(untold="some of its levels share a line of the card")
    return Known(rows[lines])


def _moments(own: Mapping[str, Any], rows: float, unit: int) -> Known:
    """Return mean and standard deviation over all classes from the exact sums of a naive Bayes model."""
    total = sum(Fraction(s) for s in own["sums"]) / unit
    if rows <= 0:
        return Known(untold="it was always missing")
    mean = total / Fraction(rows)
    if "squares" not in own:  # Poisson: the variance is the mean
        return Known(mean=float(mean), deviation=math.sqrt(max(float(mean), 0.0)))
    spread = sum(Fraction(s) for s in own["squares"]) / unit / Fraction(rows) - mean * mean
    return Known(mean=float(mean), deviation=math.sqrt(max(float(spread), 0.0)))
