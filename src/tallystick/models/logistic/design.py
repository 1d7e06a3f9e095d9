"""What the columns become inside a logistic regression: dense columns, cells of coded columns, and words.

A numeric column is one dense column, and a second one that is 1 where it is missing (when some training row
was). A column of levels has a cell per level, then one for missing and one for unseen; a boolean uses its
second cell only, so it is coded 0/1. Products (`interactions`, `polynomial`) are dense columns named `a ×
b`. Knows the schema. Knows nothing of weights. Law: the design depends on the schema and two options alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block
from tallystick.data.schema import CODED, Column, Schema
from tallystick.errors import Argument, OptionError

Array = NDArray[np.float64]
MOST_PRODUCTS = 20_000


@dataclass(frozen=True, slots=True)
class Factor:
    """One side of a product: a numeric column, or 1 where a coded column has this code and 0 elsewhere."""

    column: str
    name: str
    code: int | None
    low: float
    high: float

    def values(self, block: Block) -> Array:
        """Return the factor [row]; NaN where it is missing."""
        if self.code is None:
            return block.values(self.column)
        codes = block.codes(self.column)
        held: Array = (codes == self.code).astype(np.float64)
        return held


@dataclass(frozen=True, slots=True)
class Dense:
    """A column of doubles. `missing`: 1 where the factor is missing. Several factors: their product."""

    name: str
    factors: tuple[Factor, ...]
    missing: bool = False

    @property
    def column(self) -> str:
        """The column it is told of with; products have none of their own."""
        return self.factors[0].column if len(self.factors) == 1 else ""

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the highest value it can have."""
        if self.missing:
            return 0.0, 1.0
        low, high = self.factors[0].low, self.factors[0].high
        for f in self.factors[1:]:
            ends = (low * f.low, low * f.high, high * f.low, high * f.high)
            low, high = min(ends), max(ends)
        return low, high

    def values(self, block: Block) -> Array:
        """Return the column [row]; NaN where it is missing."""
        out = self.factors[0].values(block)
        if self.missing:
            return np.isnan(out).astype(np.float64)
        for factor in self.factors[1:]:
            out = out * factor.values(block)
        return out


@dataclass(frozen=True, slots=True)
class CodedPart:
    """A column of codes: its cells start..start + levels + 1 are the levels, then missing, then unseen."""

    column: Column
    start: int

    @property
    def levels(self) -> int:
        """The number of levels."""
        return len(self.column.levels)


@dataclass(frozen=True)
class Design:
    """All parameters of one link: the constant, the dense columns, the cells, then the words of each text
    column.
    """

    dense: tuple[Dense, ...]
    coded: tuple[CodedPart, ...]
    texts: tuple[Column, ...]

    @cached_property
    def cells(self) -> int:
        """The cells of all coded columns."""
        return sum(c.levels + 2 for c in self.coded)

    @cached_property
    def columns(self) -> tuple[tuple[str, bool], ...]:
        """The columns it reads but for texts, each with whether it is one of numbers."""
        read = {f.column: f.code is None for d in self.dense for f in d.factors}
        return tuple((read | {c.column.name: False for c in self.coded}).items())

    @property
    def size(self) -> int:
        """Parameters of one link without words."""
        return 1 + len(self.dense) + self.cells

    def cell(self, coded: CodedPart, code: int = 0) -> int:
        """Return the position of a cell among the parameters of a link."""
        return 1 + len(self.dense) + coded.start + code


def factors_of(column: Column) -> list[Factor]:
    """Return what a column brings into a product."""
    if column.kind == "numeric":
        low, high = column.low or 0.0, column.high or 0.0
        return [Factor(column.name, column.name, None, low, high)]
    if column.kind == "boolean":
        return [Factor(column.name, column.name, 1, 0.0, 1.0)]
    if column.kind in CODED:
        return [Factor(column.name, f"{column.name} = {t}", i, 0.0, 1.0) for i, t in enumerate(column.levels)]
    return []


def products(columns: Sequence[Column], interactions: int, polynomial: int) -> list[Dense]:
    """Return the products of pairs of columns, and the squares of numeric ones."""
    out: list[Dense] = []
    if polynomial == 2:
        for column in columns:
            if column.kind == "numeric":
                (f,) = factors_of(column)
                out.append(Dense(f"{f.name} × {f.name}", (f, f)))
    if interactions == 2 or polynomial == 2:
        for a, b in combinations(columns, 2):
            if interactions != 2 and not a.kind == b.kind == "numeric":
                continue
            out += [Dense(f"{f.name} × {g.name}", (f, g)) for f in factors_of(a) for g in factors_of(b)]
    if len(out) > MOST_PRODUCTS:
        raise OptionError(
            f"interactions=2 would make {len(out):,} products of columns; {MOST_PRODUCTS:,} are allowed. "
            "Leave out columns with many levels (",
            Argument("kinds", {"name": "out"}),
            ").",
        )
    return out


def design_of(schema: Schema, interactions: int = 1, polynomial: int = 1) -> Design:
    """Return the design of a table."""
    dense: list[Dense] = []
    coded: list[CodedPart] = []
    start = 0
    for column in schema.used:
        if column.kind == "numeric":
            (f,) = factors_of(column)
            dense.append(Dense(column.name, (f,)))
            if column.missing:
                dense.append(Dense(f"{column.name} is missing", (f,), missing=True))
        elif column.kind in CODED:
            coded.append(CodedPart(column, start))
            start += len(column.levels) + 2
    dense += products(schema.used, interactions, polynomial)
    return Design(tuple(dense), tuple(coded), tuple(c for c in schema.used if c.kind == "text"))
