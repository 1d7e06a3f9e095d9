"""Of the page of a target of numbers, the data: how it lies, and every column with what it tells alone.

Knows tables and descriptions. Knows nothing of HTML.
Law: what a column tells alone is the share of the target's variance between its levels, or between the two
sides of its best cut, counted from the rows; rows without a value are a group of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Table
from tallystick.data.schema import CODED, Column
from tallystick.draw.number_charts import histogram
from tallystick.draw.panels import INK, length_bar
from tallystick.draw.svg import brief
from tallystick.draw.text import clean, cut
from tallystick.errors import for_reader
from tallystick.reports.columns import MOST, MOST_NOTES, OPEN, column_row
from tallystick.reports.cuts import told_cut
from tallystick.reports.ingredients import Ingredients
from tallystick.reports.sentences import percent

Floats = NDArray[np.float64]

MOST_LEVELS = 200  # of a column that can be said to tell something alone
LETTERS = 30  # of a level


@dataclass(frozen=True)
class MeanGroup:
    """Some rows: their value of a column in words that follow "where it is", how many, their mean."""

    words: str
    rows: float
    mean: float
    missing: bool = False


@dataclass(frozen=True)
class ToldAlone:
    """What one column tells of a number: its share of the variance, and its groups."""

    share: float
    groups: tuple[MeanGroup, ...]

    @property
    def furthest(self) -> MeanGroup | None:
        """The group that moves the mean most, by its rows and its distance."""
        known = [g for g in self.groups if not g.missing]
        rows = sum(g.rows for g in self.groups) or 1.0
        mean = sum(g.rows * g.mean for g in self.groups) / rows
        return max(known, key=lambda g: (g.rows * abs(g.mean - mean), g.words), default=None)


def row_weights(table: Table) -> Floats:
    """Return the weight of each row."""
    return np.ones(table.rows) if table.weights is None else table.weights / table.unit


def alone(table: Table, column: Column) -> ToldAlone | None:
    """Return what one column tells of the target; None for text, or too many levels."""
    response, weight = table.response, row_weights(table)
    assert response is not None
    if column.kind in CODED:
        if not 2 <= len(column.levels) <= MOST_LEVELS:
            return None
        codes = np.minimum(np.asarray(table.column(column.name)).astype(np.int64), len(column.levels))
        return _grouped(response, weight, codes, [*column.levels, "missing"], len(column.levels))
    if column.kind != "numeric":
        return None
    values = np.asarray(table.column(column.name))
    at = best_cut(values, response, weight)
    if at is None:
        return None
    told = told_cut(at, column, values)
    codes = np.where(np.isnan(values), 2, (values >= at).astype(np.int64))
    return _grouped(response, weight, codes, [f"< {told}", f"≥ {told}", "missing"], 2)


def _grouped(
    response: Floats, weight: Floats, codes: NDArray[np.int64], names: list[str], gone: int
) -> ToldAlone:
    rows = np.bincount(codes, weight, minlength=len(names))
    sums = np.bincount(codes, weight * response, minlength=len(names))
    means = sums / np.where(rows > 0, rows, 1.0)
    middle = float(sums.sum() / rows.sum())
    spread = float((weight * (response - middle) ** 2).sum())
    between = float((rows * (means - middle) ** 2)[rows > 0].sum())
    groups = tuple(
        MeanGroup(names[k], float(rows[k]), float(means[k]), k == gone) for k in np.flatnonzero(rows).tolist()
    )
    return ToldAlone(min(between / spread, 1.0) if spread else 0.0, groups)


def best_cut(values: Floats, response: Floats, weight: Floats) -> float | None:
    """Return the cut of a number whose two sides differ most; None where there is one value alone."""
    known = np.flatnonzero(~np.isnan(values))
    order = known[np.argsort(values[known], kind="stable")]
    x = values[order]
    change = np.flatnonzero(np.diff(x) > 0)
    if not len(change):
        return None
    w = np.cumsum(weight[order])
    s = np.cumsum((weight * response)[order])
    left, below = w[change], s[change]
    right, above = w[-1] - left, s[-1] - below
    gain = below**2 / left + above**2 / np.where(right > 0, right, 1.0)
    at = int(change[int(np.argmax(gain))])
    return float(x[at] + (x[at + 1] - x[at]) / 2)


def number_data(given: Ingredients) -> dict[str, Any]:
    """Return the checks, the target, the columns and the notes, as the page shows them."""
    found, table = given.description, given.table
    told = {c.name: alone(table, c) for c in table.schema.used}
    ranked = sorted(found.columns, key=lambda v: (-_share(told.get(v.name)), v.name))
    most = max([_share(one) for one in told.values()] or [0.0]) or 1.0
    rows = [
        column_row(view, table.schema[view.name], found.rows, (), 1.0, (INK,))
        | _told(told.get(view.name), most)
        for view in ranked[:MOST]
    ]
    notes = list(dict.fromkeys(for_reader(n.text) for n in found.notes))
    return {
        "checks": [c.to_dict() for c in given.comparison.checks],
        "target": _target(table),
        "rows": rows[:OPEN],
        "more": rows[OPEN:],
        "left": len(ranked) - len(rows),
        "notes": notes[:MOST_NOTES],
        "notes_left": max(0, len(notes) - MOST_NOTES),
        "form": found.form,
    }


def _share(one: ToldAlone | None) -> float:
    return 0.0 if one is None else one.share


def _told(one: ToldAlone | None, most: float) -> dict[str, str]:
    if one is None:
        return {"alone": "", "alone_bar": "", "means": ""}
    groups = sorted(one.groups, key=lambda g: (-g.rows, g.words))[:3]
    means = "; ".join(f"{cut(clean(g.words), LETTERS)}: {brief(g.mean)}" for g in groups)
    left = len(one.groups) - len(groups)
    return {
        "alone": percent(one.share, 0),
        "alone_bar": length_bar(one.share / most, f"{percent(one.share)} of the variance"),
        "means": means + (f"; {left:,} more" if left else ""),
    }


def _target(table: Table) -> dict[str, Any]:
    """Return how the numbers lie: a picture, and a few of them."""
    response, weight = table.response, row_weights(table)
    assert response is not None
    order = np.argsort(response, kind="stable")
    full = np.cumsum(weight[order])
    places = [int(np.searchsorted(full, share * full[-1])) for share in (0.0, 0.25, 0.5, 0.75)]
    values = [float(response[order[min(p, len(order) - 1)]]) for p in places] + [float(response.max())]
    mean = float(np.average(response, weights=weight))
    spread = float(np.sqrt(np.average((response - mean) ** 2, weights=weight)))
    names = ("lowest", "a quarter at or below", "half at or below", "three quarters at or below", "highest")
    return {
        "svg": histogram(response, weight, clean(table.schema.predicted.name)),
        "numbers": [
            *((name, brief(value)) for name, value in zip(names, values, strict=True)),
            ("mean", brief(mean)),
            ("standard deviation", brief(spread)),
        ],
    }
