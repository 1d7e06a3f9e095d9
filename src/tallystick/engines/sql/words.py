"""SQL as DuckDB and PostgreSQL both read it: literals, cases, and the few words in which they differ.

Knows texts of SQL. Knows nothing of tables, schemas or questions.
Law: a number is written so that the database reads back its very bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FEW = 8  # values that are compared one after the other; of more, halves are left out


@dataclass(frozen=True)
class SqlWords:
    """What two databases say in their own words."""

    kind: str

    def bits(self, x: str) -> str:
        """Return the 64 bits of a double, as a whole number with a sign."""
        if self.kind == "duckdb":
            return f"CAST(CAST({x} AS BIT) AS BIGINT)"
        return f"CAST(CAST('x' || encode(float8send({x}), 'hex') AS BIT(64)) AS BIGINT)"

    def days(self, moment: str) -> str:
        """Return a date or a time of a day as days since 1970, of whole microseconds as our reader has it."""
        if self.kind == "duckdb":
            return f"(CAST(epoch_us({moment}) AS FLOAT8) / 86400e6)"
        return f"(CAST(CAST(EXTRACT(EPOCH FROM {moment}) * 1000000 AS BIGINT) AS FLOAT8) / 86400e6)"

    def xor(self, a: str, b: str) -> str:
        """Return the bits in which two whole numbers differ."""
        return f"xor({a}, {b})" if self.kind == "duckdb" else f"(({a}) # ({b}))"

    @property
    def wide(self) -> str:
        """Whole numbers of more than 64 bits."""
        return "HUGEINT" if self.kind == "duckdb" else "NUMERIC"

    @property
    def fence(self) -> str:
        """What keeps PostgreSQL from writing an inner expression out wherever it is used."""
        return "" if self.kind == "duckdb" else " OFFSET 0"

    @property
    def bytewise(self) -> str:
        """What orders texts by their UTF-8 bytes."""
        return "" if self.kind == "duckdb" else ' COLLATE "C"'

    def layer(self, inner: str, cells: Sequence[str]) -> str:
        """Return a query over a query, of which each cell is worked out once."""
        return f"SELECT {', '.join(cells)} FROM ({inner}) AS q{self.fence}"


def literal(value: Any) -> str:
    """Return a cell as SQL writes it."""
    if isinstance(value, bool | np.bool_):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | np.integer):
        return str(int(value))
    if isinstance(value, float | np.floating):
        return f"CAST('{float(value)!r}' AS FLOAT8)"
    return "'" + str(value).replace("'", "''") + "'"


def parted(cell: str, cut: float, low: str, high: str, away: str) -> str:
    """Return what a number says below a cut, from it on, and where it is missing. Each is written once where
    two are the same: they may be long.
    """
    if away == low:
        return low if low == high else f"CASE WHEN {cell} >= {literal(cut)} THEN {high} ELSE {low} END"
    if away == high:
        return f"CASE WHEN {cell} < {literal(cut)} THEN {low} ELSE {high} END"
    return f"CASE WHEN {cell} IS NULL THEN {away} WHEN {cell} >= {literal(cut)} THEN {high} ELSE {low} END"


def place_among(cell: str, ends: NDArray[np.float64], *, at: bool, missing: int) -> str:
    """Return how many of some rising numbers lie below a cell; at: or are equal to it. A cell without a value
    has the place `missing`.
    """
    sign = ">=" if at else ">"

    def half(low: int, high: int) -> str:
        if low == high:
            return str(low)
        middle = (low + high) // 2
        above, below = half(middle + 1, high), half(low, middle)
        return f"CASE WHEN {cell} {sign} {literal(ends[middle])} THEN {above} ELSE {below} END"

    return f"CASE WHEN {cell} IS NULL THEN {missing} ELSE {half(0, len(ends))} END"


def code_of(cell: str, known: Sequence[tuple[Any, int]], missing: int, bytewise: str = "") -> str:
    """Return the code of a cell; known: all values that there are, with their codes."""
    pairs = sorted(known, key=lambda pair: str(pair[0]).encode() if isinstance(pair[0], str) else pair[0])

    def among(low: int, high: int) -> str:
        if high - low <= FEW:
            each = " ".join(f"WHEN {literal(v)} THEN {code}" for v, code in pairs[low:high])
            return f"CASE {cell} {each} ELSE {missing} END"
        middle = (low + high) // 2
        first = literal(pairs[middle][0])
        return f"CASE WHEN {cell} < {first} THEN {among(low, middle)} ELSE {among(middle, high)} END"

    if not pairs:
        return f"CAST({missing} AS BIGINT)"
    if bytewise and isinstance(pairs[0][0], str):
        cell = f"({cell}{bytewise})"
    return f"CASE WHEN {cell} IS NULL THEN {missing} ELSE {among(0, len(pairs))} END"


def looked_up(code: str, values: Sequence[int]) -> str:
    """Return the whole number that stands for a code 0, 1, ..."""
    return f"(CAST(ARRAY[{', '.join(map(str, values))}] AS BIGINT[]))[{code} + 1]"
