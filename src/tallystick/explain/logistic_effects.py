"""Average marginal effects of a logistic regression over its training rows.

Knows an optimum and its rows. Laws: the effect of a level is the mean difference between the rows with the
level and the same rows with the base level; that of a number is the mean slope.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block
from tallystick.data.schema import CODED, Column
from tallystick.draw.svg import as_html
from tallystick.draw.text import Line, Span, clean, plain, table
from tallystick.explain.logistic import p_words, pair_words
from tallystick.explain.logistic_rows import FittedRows, SomeRows, columns_of, slopes_of, with_code
from tallystick.explain.tails import NormalEstimate
from tallystick.learners.logistic.again import FoundOptimum
from tallystick.models.logistic.model import LogisticModel
from tallystick.models.logistic.parts import Cells

Array = NDArray[np.float64]


@dataclass(frozen=True)
class AverageEffect(NormalEstimate):
    """By how much a class's probability changes, on average over the rows: for one unit more of a number, or
    for a level in place of the base level. error: of two classes, by the delta method.
    """

    name: str
    of: str
    effect: float
    error: float | None
    level: float = 0.95

    @property
    def value(self) -> float:
        """The effect."""
        return self.effect

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        names = ("name", "of", "effect", "error", "z", "p", "interval")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Effects:
    """The effects of all columns; prints well, and `to_dict` is plain data."""

    effects: tuple[AverageEffect, ...]

    def to_dict(self) -> list[dict[str, Any]]:
        """Return plain data."""
        return [effect.to_dict() for effect in self.effects]

    def lines(self) -> list[Line]:
        """Return the effects as lines."""
        sure = all(e.error is not None for e in self.effects)
        level = self.effects[0].level if self.effects else 0.95
        header = ["", "class", "effect"]
        header += ["std. error", "z", "p", f"{100 * level:g} % interval"] if sure else []
        rows = []
        for e in self.effects:
            row = [clean(e.name), clean(e.of), f"{e.effect:+.6f}"]
            if sure and e.error is not None and e.interval is not None:
                row += [
                    f"{e.error:.6f}",
                    "" if e.z is None else f"{e.z:.3f}",
                    p_words(e.p),
                    pair_words(e.interval),
                ]
            rows.append([Span(text) for text in row])
        return table(header, rows, frozenset(range(2, len(header))), 10_000)

    _repr_html_ = as_html

    def __str__(self) -> str:
        return plain(self.lines())

    __repr__ = __str__


def effects_of(
    model: LogisticModel, found: FoundOptimum, rows: FittedRows, spread: Array, level: float
) -> Effects:
    """Return the effects; spread: the covariance of the free weights."""
    classes = [1 - model.reference] if model.links == 1 else list(range(len(model.labels)))
    out = []
    for column in model.schema.used:
        for name, change in changes_of(model, rows, column):
            mean, slope = change
            for c in classes:
                error = None
                if model.links == 1:
                    error = math.sqrt(max(float(slope @ spread @ slope), 0.0))
                out.append(AverageEffect(name, model.labels[c], float(mean[c]), error, level))
    return Effects(tuple(out))


def changes_of(
    model: LogisticModel, rows: FittedRows, column: Column
) -> Iterator[tuple[str, tuple[Array, Array]]]:
    """Yield the effects of a column: a name, the mean change of each class's share, and its derivative by
    the free weights (of two classes).
    """
    if column.kind == "numeric":
        yield column.name, averaged_over(rows, lambda block, some: _by_slope(rows, block, some, column.name))
    elif column.kind in CODED:
        counts = np.zeros(len(column.levels) + 2, np.int64)
        for block in rows.table.blocks():
            counts += np.bincount(block.codes(column.name), minlength=len(counts))
        seen = [code for code in range(len(column.levels) + 1) if counts[code] > 0]
        base = base_of(model, column, seen)
        for code in seen:
            if code == base:
                continue
            own = (
                f"{column.name} is missing"
                if code == len(column.levels)
                else f"{column.name} = {column.levels[code]}"
            )
            yield (
                own,
                averaged_over(
                    rows, lambda block, some, code=code: _by_level(rows, block, column.name, base, code)
                ),
            )


def base_of(model: LogisticModel, column: Column, seen: list[int]) -> int:
    """Return the level that others are compared with, as in the table; else the first with rows."""
    part = next(p for p in model.parts if isinstance(p, Cells) and p.name == column.name)
    if part.base is not None:
        return part.base
    held = [code for code in seen if not part.free[code]]
    return held[0] if held else seen[0]


def averaged_over(rows: FittedRows, change: Any) -> tuple[Array, Array]:
    """Return the mean over rows, by copies, of a change [class] and of its derivative [weight]."""
    total, slope, weight = 0.0, 0.0, 0.0
    for block, some in zip(rows.table.blocks(), rows.each(), strict=True):
        own, derivative = change(block, some)
        counts = some.copies * some.factor
        total = total + counts @ own
        slope = slope + counts @ derivative
        weight += float(counts.sum())
    return total / weight, slope / weight  # type: ignore[return-value]


def _by_slope(rows: FittedRows, block: Block, some: SomeRows, column: str) -> tuple[Array, Array]:
    """Return the slope of each class's share by a number [row, class], and its derivative [row, weight]."""
    problem = rows.found.problem
    dz = slopes_of(problem, block, column)
    theta = problem.theta(rows.found.point.w)[0][problem.free]
    d = dz @ theta
    if problem.fixed is not None:
        held = ~problem.free & problem.fixed.any(axis=1)
        d = d + slopes_of(problem, block, column, held) @ problem.fixed[held]
    if d.shape[1] == 1:
        d = np.concatenate([np.zeros_like(d), d], axis=1)
    p = some.shares
    own = p * (d - (p * d).sum(axis=1, keepdims=True))
    if p.shape[1] > 2:
        return own, np.zeros((len(p), 0))
    share, slope = p[:, 1:], d[:, 1:]
    v = share * (1.0 - share)
    return own, v * (dz + (1.0 - 2.0 * share) * slope * some.z)


def _by_level(rows: FittedRows, block: Block, column: str, base: int, code: int) -> tuple[Array, Array]:
    """Return what a level in place of the base changes in each class's share [row, class], and its
    derivative [row, weight].
    """
    problem, sides = rows.found.problem, []
    for c in (code, base):
        other = with_code(problem, block, column, c)
        z = columns_of(problem, other)
        sides.append((rows.shares(other, z), z))
    (with_p, _), (base_p, _) = sides
    if with_p.shape[1] > 2:
        return with_p - base_p, np.zeros((len(with_p), 0))
    slopes = [p[:, 1:] * (1.0 - p[:, 1:]) * z for p, z in sides]
    return with_p - base_p, slopes[0] - slopes[1]
