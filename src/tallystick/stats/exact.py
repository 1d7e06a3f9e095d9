"""Exact arithmetic of doubles (fractions, text, sums), fingerprints of rows, and refusals for lack of memory.

- Sums as integers and as exact decimal text: `write()`, `read()`. Every double is a whole multiple of 2^-1074
  and every square of 2^-2148. Law: `read(write(n, unit), unit) == n`, nothing rounded.
- Sums rounded once, to the nearest double. Entry: `exact_total()`, `weighted_total()`, `exact_total_of()`.
- Fingerprints of rows and columns (`Prints`, `ColumnPrints`); `TwoStatistics`, two statistics in one pass.
- Memory: `refuse_large_tree()`, `refuse_beyond_memory()`.

unit = n of 2^-n in `write`, elsewhere the integer that stands for a weight of 1; digits = a sum's 32-bit
parts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import starmap
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block, Statistic
from tallystick.errors import DataError, OptionError
from tallystick.io.scratch import LEAST, memory, size_text
from tallystick.schema import Schema
from tallystick.table.block import Hasher, rows_counted

SUM_UNIT = 1074  # sums are whole multiples of 2^-1074
SQUARE_UNIT = 2148
MAX_TEXT = 3_000  # characters of the decimal text of a sum
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?")


class Unreduced(NamedTuple):
    """A whole number over another above 0, not in lowest terms: these take most of a Fraction's time."""

    over: int
    under: int

    def plus(self, other: Unreduced) -> Unreduced:
        """Return the sum of both, over the least number that both may stand over."""
        under = math.lcm(self.under, other.under)
        over = self.over * (under // self.under) + other.over * (under // other.under)
        return Unreduced(over, under)

    def times(self, over: int, under: int = 1) -> Unreduced:
        """Return the product with over / under."""
        return Unreduced(self.over * over, self.under * under)

    def below(self, other: Unreduced) -> bool:
        """Say whether this is less than another."""
        return self.over * other.under < other.over * self.under


def write(units: int, unit: int) -> str:
    """Return units * 2^-unit as exact decimal text."""
    if units == 0:
        return "0"
    zeros = (units & -units).bit_length() - 1
    places = max(unit - zeros, 0)
    whole = abs(units) >> unit - places
    digits = str(whole * 5**places).rjust(places + 1, "0")
    text = digits[: len(digits) - places] + ("." + digits[len(digits) - places :] if places else "")
    return "-" + text if units < 0 else text


def reads(text: str, unit: int) -> bool:
    """Say whether the text is what `write` writes for some whole number of units."""
    if len(text) > MAX_TEXT or not _DECIMAL.fullmatch(text) or text == "-0":
        return False
    return len(text.partition(".")[2]) <= unit and (Fraction(text) * 2**unit).denominator == 1


def read(text: str, unit: int) -> int:
    """Return the whole number of units of 2^-unit that the text says."""
    return int(Fraction(text) * 2**unit)


# ---- sums of doubles, correctly rounded: the double nearest to the exact sum ----
# Law: no order of the values and no partition can change a sum, so scores are the same on every engine.

Floats = NDArray[np.float64]
Digits = NDArray[np.int64]
Weights = NDArray[np.int64]
PARTS = 1 << 32  # integer that stands for a weight of 1, where weights are not whole
FEW = 1 << 12  # values up to which math.fsum is faster than the kernel


def exact_total(values: Floats) -> float:
    """Return the sum of finite values."""
    if len(values) <= FEW:
        try:
            return math.fsum(values.tolist())
        except OverflowError:  # of a partial sum, or of the sum itself
            pass
    return nearest(digits(values))


def weighted_total(values: Floats, weights: Floats) -> float:
    """Return the sum of finite values, each counted as often as its weight says: no product is rounded, so a
    row of weight w adds what w rows add. Weights are whole multiples of 1/PARTS.
    """
    if (weights == 1.0).all():
        return exact_total(values)
    unit = 1 if (weights == np.floor(weights)).all() else PARTS
    return nearest(digits(values, np.rint(weights * unit).astype(np.int64))) / unit


def exact_total_of(parts: Iterable[tuple[Floats, Weights | None]]) -> float:
    """Return the sum of finite values that come in parts, which are not held together, each counted as often
    as its weight says; None: once.
    """
    each = iter(parts)
    first, second = next(each, (np.empty(0), None)), next(each, None)
    if second is None and first[1] is None:
        return exact_total(first[0])
    more = () if second is None else (digits(*second),)
    return nearest(joined(digits(*first), *more, *starmap(digits, each)))


def digits(values: Floats, weights: Weights | None = None) -> Digits:
    """Return the sum of finite values, each counted as often as its weight says, in digits that may be added
    (`joined`).
    """
    none, sums = np.zeros((1, 1), np.int64), np.zeros((1, 1, kernels.SUM_DIGITS), np.int64)
    squares = np.zeros((1, 1, kernels.SQUARE_DIGITS), np.int64)
    classes = np.zeros(len(values), np.uint8)
    kernels.add_moments([np.ascontiguousarray(values)], classes, none, sums, squares, weights)
    out: Digits = sums[0, 0]
    return out


def joined(*parts: Digits) -> Digits:
    """Return the sum of sums."""
    total = parts[0]
    for part in parts[1:]:
        total = kernels.carry(total + part)
    return total


def nearest(sums: Digits) -> float:
    """Return the double that is nearest to a sum in digits; infinity beyond all doubles."""
    exact = kernels.exact_sum(sums)
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


# ---- row counts, weights and fingerprints, as a model file records them ----
# Law: whole numbers that add, so any order and any partition of the rows gives the same.

ALL = 1 << 128


class Printed(NamedTuple):
    """rows; weight: their weights in units of the table; hashes: the sum of hash times weight; counted: rows
    where they are counted, a whole weight as so many.
    """

    rows: int = 0
    weight: int = 0
    hashes: int = 0
    counted: int = 0

    @property
    def fingerprint(self) -> str:
        """128 bits of the multiset of rows, in hex."""
        return f"{self.hashes:032x}"


@dataclass(frozen=True)
class Prints(Statistic[Printed]):
    """Ask for the rows, their weight and their fingerprint."""

    schema: Schema
    unit: int = 1

    @cached_property
    def _hasher(self) -> Hasher:
        return Hasher(self.schema)

    def zero(self) -> Printed:
        return Printed()

    def add(self, total: Printed, block: Block) -> Printed:
        weight = block.rows if block.weights is None else int(block.weights.sum())
        counted = rows_counted(block.weights, block.rows, self.unit)
        return self.merge(total, Printed(block.rows, weight, self._hasher.total(block), counted))

    def merge(self, total: Printed, other: Printed) -> Printed:
        hashes = (total.hashes + other.hashes) % ALL
        counted = total.counted + other.counted
        return Printed(total.rows + other.rows, total.weight + other.weight, hashes, counted)


@dataclass(frozen=True)
class ColumnPrints(Statistic[NDArray[np.uint64]]):
    """Ask for a fingerprint of each column, whatever its name: prints[column], the sum over rows of a hash of
    its cell and the target's, and, once the schema has keys, of the rest of its row.
    """

    schema: Schema
    unit: int = 1

    @cached_property
    def _hashers(self) -> tuple[list[Hasher], Hasher | None]:
        schema, target = self.schema, self.schema.target
        called = () if target is None else ((target.name, "target"),)
        alone = [replace(schema, columns=(c,), keys=((c.name, "column"), *called)) for c in schema.used]
        return [Hasher(one) for one in alone], Hasher(schema) if schema.keys else None

    def zero(self) -> NDArray[np.uint64]:
        return np.zeros(len(self.schema.used), np.uint64)

    def add(self, total: NDArray[np.uint64], block: Block) -> NDArray[np.uint64]:
        """Add the rows of one block; a whole weight is as many rows, where some are not whole each is one."""
        alone, whole = self._hashers
        rest = None if whole is None else whole.rows(block)
        copies = block.weights.astype(np.uint64) if block.weights is not None and self.unit == 1 else None
        own = []
        for hasher in alone:
            hashes = hasher.rows(block)
            if rest is not None:
                hashes = kernels.key_hashes(hashes ^ rest, 1)
            own.append((hashes if copies is None else hashes * copies).sum(dtype=np.uint64))
        return total + np.array(own, np.uint64)

    def merge(self, total: NDArray[np.uint64], other: NDArray[np.uint64]) -> NDArray[np.uint64]:
        return total + other


@dataclass(frozen=True)
class TwoStatistics(Statistic[tuple[Any, Any]]):
    """Ask for two statistics in one pass over the rows."""

    first: Any
    second: Any

    def zero(self) -> tuple[Any, Any]:
        """Return the totals of no rows."""
        return self.first.zero(), self.second.zero()

    def add(self, total: tuple[Any, Any], block: Block) -> tuple[Any, Any]:
        return self.first.add(total[0], block), self.second.add(total[1], block)

    def merge(self, total: tuple[Any, Any], other: tuple[Any, Any]) -> tuple[Any, Any]:
        return self.first.merge(total[0], other[0]), self.second.merge(total[1], other[1])


def in_two(question: Any) -> TwoStatistics | None:
    """Return the question if it is two in one, None of any other."""
    return question if isinstance(question, TwoStatistics) else None


# ---- refuse before allocating: does it fit in this machine's memory? ----
# Small sizes are not checked: asking the system takes longer.

SMALL = 1 << 28  # bytes that are granted unchecked
LEFT = 24 << 20  # bytes that stay allocated in a process after rows were read to disk
READING = 3  # but at most this part of the budget: with a small one, less is read at once
FEWER_NODES = "Set max_depth or a larger min_samples_leaf, or give more memory."


class LargeTree(OptionError):  # noqa: N818  named for what it is of
    """A tree that a budget has no room for."""


def most_nodes(each: int, budget: int) -> int:
    """Return how many nodes of a tree a budget of bytes holds. each: bytes that a node takes."""
    held = max(budget, LEAST)
    return (held - min(LEFT, held // READING)) // each


def refuse_large_tree(nodes: int, each: int, budget: int) -> None:
    """Refuse a tree of more nodes than a budget of bytes holds. each: bytes that a node takes."""
    if nodes > (most := most_nodes(each, budget)):
        raise LargeTree(
            f"this tree has more than {most:,} nodes, for which memory={size_text(budget)} has no room. "
            + FEWER_NODES
        )


def refuse_beyond_memory(needed: int, what: str, cure: str) -> None:
    """Refuse what would take more bytes than there are. what: in the plural; cure: a sentence."""
    if needed > SMALL and needed > (there := memory()):
        raise DataError(
            f"{what} take about {size_text(needed)} of memory, and there are {size_text(there)}. {cure}"
        )
