"""How many rows there are, what they weigh together, and their fingerprint: what a model file says of them.

Knows blocks. Law: whole numbers that add, so any order and any cut of the rows gives the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block
from tallystick.data.schema import Schema
from tallystick.data.table.block import rows_counted
from tallystick.data.table.hashes import Hasher

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
class Prints:
    """Ask for the rows, their weight and their fingerprint."""

    schema: Schema
    unit: int = 1

    @cached_property
    def _hasher(self) -> Hasher:
        return Hasher(self.schema)

    def zero(self) -> Printed:
        """Return the total of no rows."""
        return Printed()

    def add(self, total: Printed, block: Block) -> Printed:
        """Add the rows of one block."""
        weight = block.rows if block.weights is None else int(block.weights.sum())
        counted = rows_counted(block.weights, block.rows, self.unit)
        return self.merge(total, Printed(block.rows, weight, self._hasher.total(block), counted))

    def merge(self, total: Printed, other: Printed) -> Printed:
        """Add two totals."""
        hashes = (total.hashes + other.hashes) % ALL
        counted = total.counted + other.counted
        return Printed(total.rows + other.rows, total.weight + other.weight, hashes, counted)


@dataclass(frozen=True)
class ColumnPrints:
    """Ask what each column holds, whatever it is called: prints[column], the sum over rows of a hash of its
    cell and the target's, and, once the schema has keys, of the rest of its row.
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
        """Return the total of no rows."""
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
        """Add two totals."""
        return total + other


@dataclass(frozen=True)
class Both:
    """Ask two questions in one walk over the rows."""

    first: Any
    second: Any

    def zero(self) -> tuple[Any, Any]:
        """Return the totals of no rows."""
        return self.first.zero(), self.second.zero()

    def add(self, total: tuple[Any, Any], block: Block) -> tuple[Any, Any]:
        """Add the rows of one block."""
        return self.first.add(total[0], block), self.second.add(total[1], block)

    def merge(self, total: tuple[Any, Any], other: tuple[Any, Any]) -> tuple[Any, Any]:
        """Add two totals."""
        return self.first.merge(total[0], other[0]), self.second.merge(total[1], other[1])


def in_two(question: Any) -> Both | None:
    """Return the question if it is two in one, None of any other."""
    return question if isinstance(question, Both) else None
