"""The effect of two columns at once: what a model answers, on average over rows, on the plane of both.

Knows blocks and models by their contract. Knows no files.
Law: only the two columns change; the average is that of asking with both values in every row.
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
from tallystick.draw.panels import Axis
from tallystick.draw.regions import Region, RegionPoints, regions_picture
from tallystick.draw.svg import Picture, brief
from tallystick.draw.text import Line, Span, clean, plain, table, wrapped
from tallystick.errors import OptionError, counted
from tallystick.explain.effect import WIDE, ColumnEffect, answers, column_effect, effect_column, evenly

CELLS = (24, 18)  # of two numbers: across, up
MOST_LEVELS = 8  # of a column of levels, the most frequent
AVERAGED = 200  # rows, evenly chosen: a plane has hundreds of places
SHOWN = 5  # values of a number in the table


@dataclass(frozen=True)
class EffectAxis:
    """One of the two columns: its values as codes or numbers, and what they are called."""

    column: str
    values: NDArray[np.float64]
    names: tuple[str, ...]
    numeric: bool

    @property
    def drawn(self) -> Axis:
        """As an axis of a picture."""
        if not self.numeric:
            return Axis(clean(self.column), -0.5, len(self.names) - 0.5, names=self.names)
        half = (self.values[1] - self.values[0]) / 2 if len(self.values) > 1 else 0.5
        return Axis(clean(self.column), float(self.values[0] - half), float(self.values[-1] + half))


@dataclass(frozen=True)
class PairEffect:
    """The answers on the plane of two columns: shares[up, across, class]. Prints as a table, draws as
    regions.

    labels: the classes; of a target of numbers its name. label: the class that the table tells.
    """

    x: EffectAxis
    y: EffectAxis
    shares: NDArray[np.float64]
    labels: tuple[str, ...]
    label: int
    rows: int
    of_number: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        of = {"target": self.labels[0]} if self.of_number else {"class": self.labels[self.label]}
        axes = {"across": list(self.x.names), "up": list(self.y.names)}
        mean = self.shares[:, :, self.label].tolist()
        return {"columns": [self.x.column, self.y.column], **axes, **of, "rows": self.rows, "mean": mean}

    @property
    def told(self) -> str:
        """What the numbers are."""
        of = self.labels[0] if self.of_number else f"probability of {self.labels[self.label]}"
        return (
            f"The mean {'of ' if self.of_number else ''}{of} over {counted(self.rows, 'row')} when "
            f"{self.x.column} and {self.y.column} have these values in all of them and nothing else changes."
        )

    def picture(self) -> Picture:
        """Return the plane in the colours of the answers; of a target of numbers in shades."""
        title = f"{clean(self.x.column)} and {clean(self.y.column)}"
        if self.of_number:
            from tallystick.draw.surface import Surface, surface_picture

            heights = self.shares[:, :, 0]
            lines = np.linspace(heights.min(), heights.max(), 9)[1:-1].tolist()
            x, y = ((a.drawn.words, a.drawn.low, a.drawn.high) for a in (self.x, self.y))
            ends = [f"palest: {brief(heights.min())}", f"fullest: {brief(heights.max())}"]
            told = [clean(self.labels[0]), *ends, f"from line to line: {brief(lines[1] - lines[0])}"]
            names = self.x.drawn.names, self.y.drawn.names
            return Picture(surface_picture(Surface(heights, x, y, lines, names), [], told, title))
        region = Region(title, self.shares, [], "averaged over the other columns")
        none = RegionPoints([], [], [])
        return Picture(regions_picture([region], self.x.drawn, self.y.drawn, self.labels, none, title))

    def _repr_html_(self) -> str:
        return self.picture()

    def __str__(self) -> str:
        across, up = (_some(len(a.names), a.numeric) for a in (self.x, self.y))
        say = "{:.4g}".format if self.of_number else "{:.3f}".format
        rows = [
            (Span(clean(self.y.names[j])), *(Span(say(float(self.shares[j, i, self.label]))) for i in across))
            for j in reversed(up)
        ]
        corner = f"{clean(self.y.column)} ↓ {clean(self.x.column)} →"
        header = (corner, *(clean(self.x.names[i]) for i in across))
        lines: list[Line] = table(header, rows, frozenset(range(1, len(across) + 1)), WIDE)
        return plain([*lines, (), *wrapped(clean(self.told), WIDE, "", "dim")])

    __repr__ = __str__


def effect_of(
    model: Model, blocks: Sequence[Block], column: str | Sequence[str], label: int
) -> ColumnEffect | PairEffect:
    """Return the effect of one column, or of two."""
    if isinstance(column, str):
        return column_effect(model, blocks, column, label)
    return pair_effect(model, blocks, column, label)


def pair_effect(model: Model, blocks: Sequence[Block], names: Sequence[str], label: int) -> PairEffect:
    """Return the effect of two columns together, averaged over rows."""
    if len(names) != 2 or names[0] == names[1]:
        raise OptionError(f"an effect is that of one column, or of two different ones, not of {len(names)}.")
    columns = [effect_column(model.schema.used, name) for name in names]
    whole = sum(block.rows for block in blocks)
    if not whole:
        raise OptionError("an effect is an average over rows, and there are none. Pass some rows.")
    x, y = (_axis(c, blocks, cells) for c, cells in zip(columns, CELLS, strict=True))
    given = {
        x.column: np.tile(x.values, len(y.values)),
        y.column: np.repeat(y.values, len(x.values)),
    }
    few = evenly(blocks, AVERAGED)
    shares = answers(model, few, given).mean(axis=1)
    target = model.schema.predicted
    plane = shares.reshape(len(y.values), len(x.values), -1)
    labels = target.labels or (target.name,)
    rows = sum(block.rows for block in few)
    return PairEffect(x, y, plane, labels, label, rows, not target.labels)


def _axis(column: Column, blocks: Sequence[Block], cells: int) -> EffectAxis:
    if column.kind in CODED:
        codes = np.concatenate([block.codes(column.name) for block in blocks]).astype(np.int64)
        counts = np.bincount(codes, minlength=len(column.levels) + 2)[: len(column.levels)]
        kept = np.sort(np.argsort(-counts, kind="stable")[:MOST_LEVELS])
        return EffectAxis(column.name, kept.astype(float), tuple(column.levels[k] for k in kept), False)
    values = np.concatenate([block.values(column.name) for block in blocks])
    known = values[np.isfinite(values)]
    if not len(known):
        raise OptionError(f"column {clean(column.name)} has no number in these rows. Pass others.")
    low, high = np.quantile(known, [0.01, 0.99], method="inverted_cdf").tolist()
    if low == high:
        low, high = float(known.min()), float(known.max())
    # halves: a double may not hold the difference of the ends
    grid = 2 * np.linspace(low / 2, high / 2, cells) if high > low else np.array([low])
    names = tuple(quantity(float(f"{v:.4g}"), column.unit) for v in grid)
    return EffectAxis(column.name, grid, names, True)


def _some(many: int, numeric: bool) -> list[int]:
    """Return which values stand in the table."""
    if not numeric or many <= SHOWN:
        return list(range(many))
    return [round(k * (many - 1) / (SHOWN - 1)) for k in range(SHOWN)]
