"""What a model file keeps of the training rows of a column: what new rows are compared with.

Knows profiles, and for files without one checked documents (plain data), a function per kind of model. Knows
nothing of new rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.data.schema import Column
from tallystick.data.text import quantity
from tallystick.models.profile import ColumnProfile

SPIKE = 0.05  # of the rows: a value that so many have is compared by itself


@dataclass(frozen=True, slots=True)
class Known:
    """What the file keeps of a column's training values: counts by level, bin or word, or mean and standard
    deviation; or why there is nothing. line[level]: where levels are counted together; words: the places in
    the vocabulary of those whose rows are counted. Of a profile, numbers are counted at and between `values`,
    line[place] of 2 * i + 1 at the i-th value and 2 * i below it; labels[bin]: what a bin is called.
    """

    counts: NDArray[np.float64] | None = None
    cuts: NDArray[np.float64] | None = None
    line: NDArray[np.int64] | None = None
    words: NDArray[np.int64] | None = None
    mean: float = math.nan
    deviation: float = math.nan
    untold: str = ""
    values: NDArray[np.float64] | None = None
    labels: tuple[str, ...] = ()
    missing: float | None = None  # the share of rows without a value


def of_profile(own: ColumnProfile, kind: str, names: Sequence[str], rows: int, unit: str = "") -> Known:
    """Return what a profile keeps of a column: of levels and words counts by name, of numbers counts in bins
    between some of their values; a value that many rows have is a bin of its own.

    rows: those of the table, in its units. unit: "date" where numbers are days.
    """
    missing = own.missing / rows if rows else 0.0
    counts = own.counts.astype(np.float64)
    if own.values is None:
        words = np.arange(len(counts)) if kind == "text" else None
        return Known(counts, words=words, labels=tuple(names), missing=missing)
    if not len(own.values):
        return Known(untold="it was always missing", missing=missing)
    line, labels = _bins(own, unit)
    held = np.bincount(line[1:-1], counts, len(labels)).astype(np.float64)
    return Known(held, line=line, values=own.values, labels=labels, missing=missing)


def _bins(own: ColumnProfile, unit: str) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Return the bin of each place and what the bins are called. The first is below all training values, the
    last above; a value of few rows belongs to what follows it, the highest to what goes before.
    """
    assert own.values is not None
    texts = [quantity(v, unit) for v in own.values.tolist()]
    full, last = own.counts.sum(), len(texts) - 1
    line, labels = [0], [f"below {texts[0]}"]
    for i, text in enumerate(texts):
        alone = own.counts[2 * i] >= SPIKE * full or last == 0
        if alone or i < last:
            labels.append(text if alone else f"{text} to {texts[i + 1]}")
        line.append(len(labels) - 1)
        if i < last:
            if alone:
                labels.append(f"{text} to {texts[i + 1]}")
            line.append(len(labels) - 1)
    return np.array([*line, len(labels)]), (*labels, f"above {texts[-1]}")


def nothing(document: Mapping[str, Any], column: Column) -> Known:
    """Return that the file keeps nothing."""
    return Known(untold="the model keeps no counts of a column")


def of_tree(document: Mapping[str, Any], column: Column) -> Known:
    """Return what a tree keeps: nothing."""
    return Known(untold="a tree keeps no counts of a column")


def of_rules(document: Mapping[str, Any], column: Column) -> Known:
    """Return what rules keep: nothing."""
    return Known(untold="rules keep no counts of a column")


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


def of_linear(document: Mapping[str, Any], column: Column) -> Known:
    """Return what linear regression keeps: the centre and scale of a number."""
    part = next((p for p in document["model"]["parts"] if p["name"] == column.name), None)
    if part is not None and part["part"] == "slope" and part["scale"] > 0:
        return Known(mean=float(part["centre"]), deviation=float(part["scale"]))
    return Known(untold="a linear regression keeps no counts of levels or words")


def of_card(document: Mapping[str, Any], column: Column) -> Known:
    """Return what a scorecard keeps: the training rows on each line of a column, its own or those of a pair;
    of a text how many rows have each word that has points.
    """
    for part in document["model"]["parts"]:
        if part.get("name") == column.name:
            rows = np.array(part["rows"], dtype=np.float64).sum(axis=1)
            return _words(part, rows) if part["part"] == "words" else _lines(part, rows)
    for part in document["model"]["parts"]:
        if part["part"] == "pair":
            first, second = (_size(part[side]) for side in ("first", "second"))
            table = np.array(part["rows"], dtype=np.float64).sum(axis=1).reshape(first, second)
            for axis, side in ((1, "first"), (0, "second")):
                if part[side]["name"] == column.name:
                    return _lines(part[side], table.sum(axis=axis))
    return Known(untold="it has no line on the card")


def _words(part: Mapping[str, Any], rows: NDArray[np.float64]) -> Known:
    untold = "a card keeps counts of the words with points only"
    return Known(rows, words=np.array(part["words"]), untold=untold)


def _lines(axis: Mapping[str, Any], rows: NDArray[np.float64]) -> Known:
    """Return the rows on the known lines of an axis."""
    if axis["part"] == "levels":
        lines = np.array(axis["line"], np.int64)
        return Known(rows[: _size(axis) - 2], line=lines)
    if not axis["cuts"]:
        return Known(untold="the card has one line for all its numbers")
    return Known(rows[:-1], np.array(axis["cuts"]))


def _size(axis: Mapping[str, Any]) -> int:
    return len(axis["cuts"]) + 2 if axis["part"] == "ranges" else max(axis["line"], default=-1) + 3


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
