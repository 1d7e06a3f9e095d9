"""What the columns become inside a logistic regression: dense columns, cells of coded columns, and words.

A numeric column is one dense column, and a second one that is 1 where it is missing (when some training row
was). A column of levels has a cell per level, then one for missing and one for unseen; a boolean uses its
second cell only, so it is coded 0/1. Products (`interactions`, `polynomial`) are dense columns named `a ×
b`. Knows the schema. Knows nothing of weights. Law: the design depends on the schema and the options alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block
from tallystick.data.schema import CODED, Column, Schema
from tallystick.errors import Argument, DataError, OptionError, counted, nearest, shown

if TYPE_CHECKING:
    from tallystick.models.linear.options import LinearOptions
    from tallystick.models.logistic.options import LogisticOptions

Array = NDArray[np.float64]
MEASURED = ("numeric", "boolean")
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
    constant: bool = True  # whether there is one
    bases: tuple[tuple[str, int], ...] = ()  # columns with the code that others are compared with, as asked
    offset: int | None = None  # the dense column whose weight is 1

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


def products(columns: Sequence[Column], interactions: Any, polynomial: int) -> list[Dense]:
    """Return the products of pairs of columns, and the squares of numeric ones. interactions: 1 for none, 2
    for all, or pairs of names. polynomial: 2 for those of numbers and yes/no columns, which are 0 or 1 (and
    their own squares).
    """
    chosen = () if isinstance(interactions, int) else interactions
    out: list[Dense] = []
    if polynomial == 2 or chosen:
        for column in columns:
            if column.kind == "numeric" and (polynomial == 2 or (column.name, column.name) in chosen):
                (f,) = factors_of(column)
                out.append(Dense(f"{f.name} × {f.name}", (f, f)))
    if interactions != 1 or polynomial == 2:
        for a, b in combinations(columns, 2):
            wanted = interactions == 2 or (min(a.name, b.name), max(a.name, b.name)) in chosen
            if not wanted and not (polynomial == 2 and a.kind in MEASURED and b.kind in MEASURED):
                continue
            out += [Dense(f"{f.name} × {g.name}", (f, g)) for f in factors_of(a) for g in factors_of(b)]
    if polynomial == 2 and not out:
        raise OptionError(
            "polynomial=2 multiplies numbers and yes/no columns, and there are none to multiply in "
            f"{counted(len(columns), 'column')}. Use interactions=2 for products of levels."
        )
    if len(out) > MOST_PRODUCTS:
        raise OptionError(
            f"interactions=2 would make {len(out):,} products of columns; {MOST_PRODUCTS:,} are allowed. "
            "Leave out columns with many levels (",
            Argument("kinds", {"name": "out"}),
            ").",
        )
    return out


def design_of(schema: Schema, options: LogisticOptions | LinearOptions | None = None) -> Design:
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
    texts = tuple(c for c in schema.used if c.kind == "text")
    if options is None:
        return Design(tuple(dense), tuple(coded), texts)
    multiplied = [c for c in schema.used if c.name != options.offset]
    if not isinstance(options.interactions, int):
        refuse_pairs(schema, multiplied, options.interactions)
    at = None if options.offset is None else offset_at(schema, options.offset, dense)
    dense += products(multiplied, options.interactions, options.polynomial)
    bases = base_codes(schema, options.base_levels or {})
    return Design(tuple(dense), tuple(coded), texts, options.fit_intercept, bases, at)


def refuse_pairs(schema: Schema, columns: Sequence[Column], pairs: Sequence[tuple[str, str]]) -> None:
    """Refuse pairs of columns that have no product."""
    known = {c.name: c.kind for c in columns}
    for a, b in pairs:
        for name in (a, b):
            if name not in known:
                raise OptionError(
                    f"interactions names column {shown(name)}, which the model does not use."
                    f"{nearest(name, list(known))}"
                )
            if known[name] == "text":
                raise OptionError(f"interactions names {shown(name)}, which is text: it has no products.")
        if a == b and known[a] != "numeric":
            raise OptionError(f"interactions names {shown(a)} twice; only a number has a square.")


def offset_at(schema: Schema, name: str, dense: Sequence[Dense]) -> int:
    """Return which dense column is the offset."""
    used = {c.name: c for c in schema.used}
    if name not in used:
        raise OptionError(f"offset {shown(name)} is not a column of the model.{nearest(name, list(used))}")
    if used[name].kind != "numeric":
        raise OptionError(f"offset {shown(name)} is {used[name].kind}. An offset is a column of numbers.")
    if used[name].missing:
        raise DataError(
            f"offset {shown(name)} is missing in {counted(used[name].missing, 'row')}. Give each a number."
        )
    if len(schema.predicted.labels) > 2:
        labels = len(schema.predicted.labels)
        raise OptionError(f"offset {shown(name)} is for two classes, and there are {labels}.")
    return next(j for j, d in enumerate(dense) if d.column == name)


def base_codes(schema: Schema, given: Mapping[str, str]) -> tuple[tuple[str, int], ...]:
    """Return columns with the code of the level that others are to be compared with."""
    known = {c.name: c for c in schema.used if c.kind in CODED and c.kind != "boolean"}
    out = []
    for name, level in given.items():
        if name not in known:
            raise OptionError(
                f"base_levels names {shown(name)}, not a column of levels.{nearest(name, list(known))}"
            )
        levels = known[name].levels
        if level not in levels:
            raise OptionError(
                f"base_levels has {shown(level)} for column {shown(name)}, which has no such level."
                f"{nearest(level, levels)}"
            )
        out.append((name, levels.index(level)))
    return tuple(sorted(out))
