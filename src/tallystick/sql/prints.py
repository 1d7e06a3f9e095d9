"""SQL literals and cases in two dialects, and the fingerprint of rows computed by a database.

Entry: `literal()`, `parted()`, `place_among()`, `code_of()`; `sum_of_hashes()`, `row_hashes()`.
The arithmetic is that of `kernels/columns/hash.hpp` in signed whole numbers of 64 bits that overflow in no
database: a number of 64 bits is two halves of 32, and a product is taken by factors of 16 bits.
Law: the sum is that of `Hasher.total`, bit for bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.table.block import Hasher, Hashes

# SQL that DuckDB and PostgreSQL both read: literals, cases, and the few expressions in which they differ.
# Law: a number is written so that the database reads back its very bits.

FEW = 8  # values that are compared one after the other; more are searched by halves


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


HALF = (1 << 32) - 1
QUARTER = (1 << 16) - 1
FACTORS = 0xD6E8FEB86659FD93, 0x9E3779B97F4A7C15
MISSING = 0xA5A5A5A55A5A5A5A  # bits that stand for a missing cell
LANES = 0, 1


def signed(bits: int) -> int:
    """Return 64 bits as a number with a sign."""
    return bits - (1 << 64) if bits >> 63 else bits


def sum_of_hashes(words: SqlWords, rows: str, hasher: Hasher) -> str:
    """Return the query for the sums of all rows: sum_0_low, sum_0_high, sum_1_low, sum_1_high as texts.

    rows: a query with class y, weight w, and c0, c1, ... for the columns of the hasher.
    """
    ends = [(k, half) for k in LANES for half in ("low", "high")]
    query = row_hashes(words, rows, hasher, LANES, ["w"])
    return words.layer(query, [f"CAST(SUM({half}_{k} * w) AS TEXT) AS sum_{k}_{half}" for k, half in ends])


def row_hashes(words: SqlWords, rows: str, hasher: Hasher, lanes: Sequence[int], kept: Sequence[str]) -> str:
    """Return a query with low_k and high_k, the halves of a row's hash in each lane, and the cells kept."""
    coded = [(f"c{i}", table) for i, (c, _, table) in enumerate(hasher.columns) if c.kind != "numeric"]
    if hasher.target is not None:
        coded.append(("y", hasher.labels))
    query = _moved(words, rows, hasher, list(dict.fromkeys([*kept, *(cell for cell, _ in coded)])))
    query = words.layer(query, [*kept, *_lane_sums(hasher, coded)])
    carried = [f"((s_{k} & {QUARTER}) << 16) + t_{k} AS t_{k}, s_{k}, u_{k}" for k in lanes]
    query = words.layer(query, [*kept, *carried])
    joined = []
    for k in lanes:
        joined.append(f"(t_{k} & {HALF}) AS low_{k}")
        joined.append(f"(((s_{k} >> 16) + u_{k} + (t_{k} >> 32)) & {HALF}) AS high_{k}")
    return mixed(words, words.layer(query, [*kept, *joined]), lanes, kept)


def _numeric(hasher: Hasher) -> list[int]:
    return [i for i, (c, _, _) in enumerate(hasher.columns) if c.kind == "numeric"]


def _moved(words: SqlWords, rows: str, hasher: Hasher, kept: Sequence[str]) -> str:
    """Return a query with l{i}_{lane} and h{i}_{lane}, the halves of the bits of numbers and a lane's key."""
    numeric = _numeric(hasher)
    bits = [f"COALESCE({words.bits(f'c{i}')}, {signed(MISSING)}) AS b{i}" for i in numeric]
    query = words.layer(rows, [*kept, *bits])
    halves = []
    for i in numeric:
        high = f"((b{i} >> 32) & {HALF})"
        halves.append(f"{high} AS h{i}")
        halves.append(f"{words.xor(f'(b{i} & {HALF})', f'({high} >> 16)')} AS l{i}")
    query = words.layer(query, [*kept, *halves])
    moved = []
    for lane in LANES:
        for i in numeric:
            key = hasher.columns[i][1][lane]
            low = f"(l{i} + {key & HALF})"
            moved.append(f"({low} & {HALF}) AS l{i}_{lane}")
            moved.append(f"((h{i} + {key >> 32} + ({low} >> 32)) & {HALF}) AS h{i}_{lane}")
    return words.layer(query, [*kept, *moved])


def _lane_sums(hasher: Hasher, coded: Sequence[tuple[str, Hashes]]) -> list[str]:
    """Return s, t and u of each lane: what is worth 2^16, 1 and 2^32 in the sum over columns."""
    numeric, sums = _numeric(hasher), []
    for lane in LANES:
        own = [(cell, [int(h) for h in table[lane]]) for cell, table in coded]
        parts = {
            "s": [f"l{i}_{lane} * (h{i}_{lane} >> 16)" for i in numeric],
            "t": [f"l{i}_{lane} * (h{i}_{lane} & {QUARTER})" for i in numeric]
            + [looked_up(cell, [h & HALF for h in hashes]) for cell, hashes in own],
            "u": [looked_up(cell, [h >> 32 for h in hashes]) for cell, hashes in own],
        }
        sums += [f"{' + '.join(each) or '0'} AS {name}_{lane}" for name, each in parts.items()]
    return sums


def mixed(words: SqlWords, inner: str, lanes: Sequence[int], kept: Sequence[str]) -> str:
    """Return a query in which low_k and high_k of each lane are mixed, see `mix`."""
    query = _folded(words, inner, lanes, kept)
    query = _times(words, query, FACTORS[0], lanes, kept)
    cells = []
    for k in lanes:
        moved = f"(((high_{k} << 3) & {HALF}) | (low_{k} >> 29))"
        cells.append(f"{words.xor(f'low_{k}', moved)} AS low_{k}")
        cells.append(f"{words.xor(f'high_{k}', f'(high_{k} >> 29)')} AS high_{k}")
    query = _times(words, words.layer(query, [*kept, *cells]), FACTORS[1], lanes, kept)
    return _folded(words, query, lanes, kept)


def _folded(words: SqlWords, inner: str, lanes: Sequence[int], kept: Sequence[str]) -> str:
    """Return a query in which the lower halves differ where the upper ones do."""
    low = [f"{words.xor(f'low_{k}', f'high_{k}')} AS low_{k}" for k in lanes]
    return words.layer(inner, [*kept, *low, *(f"high_{k}" for k in lanes)])


def _times(words: SqlWords, inner: str, factor: int, lanes: Sequence[int], kept: Sequence[str]) -> str:
    """Return a query in which low_k and high_k are multiplied by a factor modulo 2^64."""
    high, low = factor >> 32, factor & HALF
    first, second = [], []
    for k in lanes:
        a, b = f"low_{k}", f"high_{k}"
        first += [f"{a} * {low & QUARTER} AS p_{k}", f"{a} * {low >> 16} AS q_{k}"]
        first.append(f"({_low(a, high)} + {_low(b, low)}) AS r_{k}")
        sums = f"(p_{k} + ((q_{k} & {QUARTER}) << 16))"
        second.append(f"({sums} & {HALF}) AS low_{k}")
        second.append(f"((({sums} >> 32) + (q_{k} >> 16) + r_{k}) & {HALF}) AS high_{k}")
    return words.layer(words.layer(inner, [*kept, *first]), [*kept, *second])


def _low(a: str, factor: int) -> str:
    """Return the lower 32 bits, or more, of a half times a factor of 32 bits."""
    return f"({a} * {factor & QUARTER} + ((({a} * {factor >> 16}) & {QUARTER}) << 16))"


def hash_halves(words: SqlWords, inner: str, cell: str, kept: Sequence[str]) -> str:
    """Return a query with high_0 and low_0 of `kernels.value_hashes` of a cell that has a value."""
    query = words.layer(inner, [*kept, f"{words.bits(cell)} AS b"])
    halves = [f"(b & {HALF}) AS low_0", f"((b >> 32) & {HALF}) AS high_0"]
    return mixed(words, words.layer(query, [*kept, *halves]), (0,), kept)
