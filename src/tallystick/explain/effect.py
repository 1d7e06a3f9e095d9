"""The effect of one column: what a model answers, on average over rows, when it has one value in all of them.

Knows blocks and models by their contract, and the face of a method that makes the band. Knows no files.
Laws: only the column changes, all other cells stay as they are in the rows; the band says what it is: the
spread over the rows, from the tenth to the ninetieth of a hundred, or how sure the model is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import methods
from tallystick.contracts import Block, Model
from tallystick.data.schema import CODED, Column
from tallystick.data.text import quantity
from tallystick.draw.svg import Picture, brief
from tallystick.draw.text import Line, Span, bar, clean, plain, table, wrapped
from tallystick.errors import OptionError, counted, nearest, shown

Floats = NDArray[np.float64]

GRID = 21  # values of a number that are tried
MOST_LEVELS = 30  # the most frequent ones
BAND = (10, 90)  # of a hundred rows
WIDE = 80  # cells of a line
SPREAD, OWN = "spread", "own"  # what a band is
BANDS = {
    SPREAD: "the band holds 80 of 100 rows: how much the other columns change it",
    OWN: "the band is the mean of the rows' 95 % intervals: how sure the model is",
}
HEADS = {SPREAD: "80 % of rows", OWN: "95 %"}


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
    """One value: the mean answer (the probability of a class, or the number), its band, and how many rows
    have the value (of a number: those nearest to it).
    """

    value: str
    number: float
    mean: float
    low: float
    high: float
    rows: int


@dataclass(frozen=True)
class ColumnEffect:
    """The answers against a column. Prints as a table, draws as a picture.

    label: the class whose probability is told; the target, where that is a number. band: what the ends are.
    """

    column: str
    label: str
    numeric: bool
    rows: int
    points: tuple[EffectPoint, ...]
    of_number: bool = False
    band: str = SPREAD

    @property
    def answer(self) -> str:
        """What is told of each value."""
        return self.label if self.of_number else f"probability of {self.label}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        points = [
            {"value": p.value, "mean": p.mean, "low": p.low, "high": p.high, "rows": p.rows}
            for p in self.points
        ]
        of = {"target": self.label} if self.of_number else {"class": self.label}
        return {"column": self.column, **of, "rows": self.rows, "band": self.band, "points": points}

    @property
    def told(self) -> str:
        """What the numbers are."""
        return (
            f"The mean {'of ' if self.of_number else ''}{self.answer} over {counted(self.rows, 'row')} when "
            f"{self.column} has this value in all of them and nothing else changes; {BANDS[self.band]}."
        )

    def picture(self) -> Picture:
        """Return the curve with its band, or a dot for each level."""
        from tallystick.draw.charts import dot_chart
        from tallystick.draw.panels import Axis, ChartCurve, chart

        if not self.numeric:
            dots = [(p.value, p.mean, p.low, p.high, counted(p.rows, "row")) for p in self.points]
            return Picture(dot_chart(dots, self.answer))
        x, y, low, high = ([getattr(p, k) for p in self.points] for k in ("number", "mean", "low", "high"))
        line = ChartCurve(self.label, x, y, low, high)
        up = Axis(self.answer, min(low), max(high)) if self.of_number else Axis(self.answer)
        axes = Axis(self.column, min(x), max(x) if max(x) > min(x) else min(x) + 1), up
        return Picture(chart([line], *axes, f"effect of {self.column}"))

    def _repr_html_(self) -> str:
        return self.picture()

    def __str__(self) -> str:
        most = max(p.rows for p in self.points) or 1
        ends = (0.0, 1.0)
        if self.of_number:
            ends = min(p.low for p in self.points), max(p.high for p in self.points)
        wide = (ends[1] - ends[0]) or 1.0
        say = brief if self.of_number else "{:.3f}".format
        rows = [
            (
                Span(clean(p.value)),
                Span(say(p.mean), "strong"),
                Span(f"{say(p.low)} to {say(p.high)}", "dim"),
                Span(bar((p.mean - ends[0]) / wide, 16), "bar"),
                Span(f"{p.rows:,}"),
                Span(bar(p.rows / most, 8), "dim"),
            )
            for p in self.points
        ]
        header = (clean(self.column), clean(self.label), HEADS[self.band], "", "rows", "")
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
    band: Any = methods.of_kind(model.kind).load("band")
    points, kind = [], SPREAD
    for value, text, many in grid:
        changed = [ChangedBlock(block, name, value) for block in blocks]
        shares = np.concatenate([model.shares(block)[:, label] for block in changed])
        kind, (low, high) = band(model, changed, shares, label)
        points.append(EffectPoint(text, float(value), float(shares.mean()), low, high, many))
    target = schema.predicted
    of_number = not target.labels
    told = target.name if of_number else target.labels[label]
    return ColumnEffect(name, told, not coded, rows, tuple(points), of_number, kind)


def spread_band(
    model: Model, blocks: Sequence[Block], shares: Floats, label: int
) -> tuple[str, tuple[float, float]]:
    """Return between which numbers 80 of 100 rows are answered."""
    low, high = np.percentile(shares, BAND).tolist()
    return SPREAD, (low, high)


def own_band(
    model: Model, blocks: Sequence[Block], shares: Floats, label: int
) -> tuple[str, tuple[float, float]]:
    """Return the mean ends of the intervals that the model has of its answers to these rows; where it keeps
    none, the spread over the rows.
    """
    interval = methods.of_kind(model.kind).load("interval")
    try:
        ends = np.concatenate([interval(model, block)[:, label] for block in blocks])
    except OptionError:
        return spread_band(model, blocks, shares, label)
    return OWN, (float(ends[:, 0].mean()), float(ends[:, 1].mean()))


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
