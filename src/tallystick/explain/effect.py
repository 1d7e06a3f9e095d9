"""The effect of one column: what a model answers, on average over rows, when it has one value in all of them.

Knows blocks and models by their contract. Knows nothing of methods or files.
Laws: only the column changes, all other cells stay as they are in the rows; the band is the spread over the
rows, from the tenth to the ninetieth of a hundred.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block, Model
from tallystick.data.schema import CODED, Column
from tallystick.data.text import quantity
from tallystick.draw.svg import Picture
from tallystick.draw.text import Line, Span, bar, clean, plain, table, wrapped
from tallystick.errors import OptionError, counted, nearest, shown

Floats = NDArray[np.float64]

GRID = 21  # values of a number that are tried
MOST_LEVELS = 30  # the most frequent ones
BAND = (10, 90)  # of a hundred rows
WIDE = 80  # cells of a line


class ChangedBlock:
    """Rows in which one column has one value; all else is theirs."""

    def __init__(self, block: Block, column: str, value: float) -> None:
        self.block, self.column, self.value = block, column, value
        self.rows, self.classes, self.response = block.rows, block.classes, block.response
        self.weights = block.weights
        self.memo: dict[str, Any] = {}

    def codes(self, column: str) -> NDArray[Any]:
        """Return the codes of a column."""
        own = self.block.codes(column)
        return np.full_like(own, int(self.value)) if column == self.column else own

    def values(self, column: str) -> Floats:
        """Return the values of a column."""
        return np.full(self.rows, self.value) if column == self.column else self.block.values(column)

    def words(self, column: str) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.uint32]]:
        """Return the words of a column."""
        return self.block.words(column)


@dataclass(frozen=True)
class EffectPoint:
    """One value: the mean probability of the class, the band over rows, and how many rows have the value (of
    a number: those nearest to it).
    """

    value: str
    number: float
    mean: float
    low: float
    high: float
    rows: int


@dataclass(frozen=True)
class ColumnEffect:
    """The answers against a column. Prints as a table, draws as a picture."""

    column: str
    label: str
    numeric: bool
    rows: int
    points: tuple[EffectPoint, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        points = [
            {"value": p.value, "mean": p.mean, "low": p.low, "high": p.high, "rows": p.rows}
            for p in self.points
        ]
        return {"column": self.column, "class": self.label, "rows": self.rows, "points": points}

    @property
    def told(self) -> str:
        """What the numbers are."""
        return (
            f"The mean probability of {self.label} over {counted(self.rows, 'row')} when {self.column} has "
            "this value in all of them and nothing else changes; the band holds 80 of 100 rows."
        )

    def picture(self) -> Picture:
        """Return the curve with its band, or a dot for each level."""
        from tallystick.draw.charts import dot_chart
        from tallystick.draw.panels import Axis, ChartCurve, chart

        if not self.numeric:
            dots = [(p.value, p.mean, p.low, p.high, counted(p.rows, "row")) for p in self.points]
            return Picture(dot_chart(dots, f"probability of {self.label}"))
        x, y, low, high = ([getattr(p, k) for p in self.points] for k in ("number", "mean", "low", "high"))
        line = ChartCurve(self.label, x, y, low, high)
        axes = Axis(self.column, min(x), max(x)), Axis(f"probability of {self.label}")
        return Picture(chart([line], *axes, f"effect of {self.column}"))

    def _repr_html_(self) -> str:
        return self.picture()

    def __str__(self) -> str:
        most = max(p.rows for p in self.points) or 1
        rows = [
            (
                Span(clean(p.value)),
                Span(f"{p.mean:.3f}", "strong"),
                Span(f"{p.low:.3f} to {p.high:.3f}", "dim"),
                Span(bar(p.mean, 16), "bar"),
                Span(f"{p.rows:,}"),
                Span(bar(p.rows / most, 8), "dim"),
            )
            for p in self.points
        ]
        header = (clean(self.column), clean(self.label), "80 % of rows", "", "rows", "")
        lines: list[Line] = table(header, rows, frozenset({1, 4}), WIDE)
        return plain([*lines, (), *wrapped(clean(self.told), WIDE, "", "dim")])

    __repr__ = __str__


def column_effect(model: Model, blocks: Sequence[Block], name: str, label: int) -> ColumnEffect:
    """Return the effect of a column on the probability of a class, averaged over rows."""
    schema = model.schema
    column = _column_of(schema.used, name)
    rows = sum(block.rows for block in blocks)
    if not rows:
        raise OptionError("an effect is an average over rows, and there are none. Pass some rows.")
    coded = column.kind in CODED
    own = np.concatenate([block.codes(name) if coded else block.values(name) for block in blocks])
    grid = _levels(column, own) if coded else _numbers(column, own)
    points = []
    for value, text, many in grid:
        changed = [ChangedBlock(block, name, value) for block in blocks]
        shares = np.concatenate([model.shares(block)[:, label] for block in changed])
        low, high = np.percentile(shares, BAND).tolist()
        points.append(EffectPoint(text, float(value), float(shares.mean()), low, high, many))
    labels = schema.predicted.labels
    return ColumnEffect(name, labels[label], not coded, rows, tuple(points))


def _column_of(columns: Sequence[Column], name: str) -> Column:
    """Return a column whose effect can be told."""
    known = {c.name: c for c in columns}
    if name not in known:
        raise OptionError(f"the model has no column {shown(name)}.{nearest(name, tuple(known))}")
    if known[name].kind == "text":
        raise OptionError(f"column {shown(name)} is text, which has no values to try. Ask explain for a row.")
    return known[name]


def _levels(column: Column, codes: NDArray[Any]) -> list[tuple[float, str, int]]:
    """Return (code, level, rows): the most frequent levels in their order; missing where rows lack one."""
    k = len(column.levels)
    counts = np.bincount(codes.astype(np.int64), minlength=k + 2)
    kept = np.sort(np.argsort(-counts[:k], kind="stable")[:MOST_LEVELS]).tolist()
    out = [(float(c), column.levels[c], int(counts[c])) for c in kept]
    return [*out, (float(k), "(missing)", int(counts[k]))] if counts[k] else out


def _numbers(column: Column, values: Floats) -> list[tuple[float, str, int]]:
    """Return (value, its text, rows nearest to it): quantiles of the rows, each once."""
    known = values[~np.isnan(values)]
    if not len(known):
        raise OptionError(f"column {shown(column.name)} has no number in these rows. Pass others.")
    grid = np.unique(np.quantile(known, np.linspace(0, 1, GRID), method="nearest"))
    middles = (grid[1:] + grid[:-1]) / 2
    counts = np.bincount(np.searchsorted(middles, known), minlength=len(grid))
    return [
        (float(v), quantity(float(v), column.unit), int(n))
        for v, n in zip(grid, counts.tolist(), strict=True)
    ]
