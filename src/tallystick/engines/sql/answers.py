"""Questions that a database answers: counts, exact moments, spreads and samples of values.

Knows what each statistic is the sum of, and how SQL says it. Knows nothing of learners.
Law: an answer is the total of zero, add and merge over all rows, bit for bit; None: the rows are fetched.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.table.picked import ALL
from tallystick.engines.sql.cards import card_sums, line_counts, pair_residuals, row_facts, row_variety
from tallystick.engines.sql.frontier import frontier_of, largest_below
from tallystick.engines.sql.model_answers import answer_counts
from tallystick.engines.sql.prints import hash_halves
from tallystick.engines.sql.table import RowGroups, SqlTable, class_counts, numbers
from tallystick.engines.sql.words import literal, place_among
from tallystick.stats.bayes import Ask, BayesSums, Total, key
from tallystick.stats.cards import CardSums, LineCounts, PairResiduals, RowVariety
from tallystick.stats.class_values import ClassValues, ValuesByClass
from tallystick.stats.distribution import NONE, Grid, Near, Spreads, ValueSpread
from tallystick.stats.finer_cells import FinerCells, Zoomed
from tallystick.stats.fingerprint import Both, Printed, Prints
from tallystick.stats.gradients import RowFacts
from tallystick.stats.level_tables import Frontier
from tallystick.stats.observed import LargestBelow
from tallystick.stats.profile import AnswerCounts, Untold
from tallystick.stats.quantiles import ValueCounts
from tallystick.stats.split_search import GrowingTree, NodeLook
from tallystick.stats.value_samples import QUARTER, SampledValues, ValueSample, sample_of

Counts = NDArray[np.int64]
FRACTION = (1 << 52) - 1
SPLIT = 27  # bits of the lower part of a mantissa: products of two parts stay below 2^54


# ---- naive Bayes ----


def bayes_sums(table: SqlTable, question: BayesSums) -> Total | None:
    """Return class counts, and the sums of each column."""
    if any(ask.how in ("words", "once", "tf-idf") for ask in question.asks):
        return None
    one = question.classes == 1 and len(table.schema.predicted.labels) != 1
    total = question.zero()
    y, heavy = class_counts(table)
    np.add.at(total[""], y * (not one), heavy)
    counted = [(i, ask) for i, ask in enumerate(question.asks) if ask.how in ("codes", "bins")]
    names = [ask.column for _, ask in counted]
    if counted:
        cells = ["y", "w", *(_place(ask, f"c{j}") + f" AS k{j}" for j, (_, ask) in enumerate(counted))]
        query = table.words.layer(table.rows_of(names), cells)
        found = table.groups(query, [[f"k{j}"] for j in range(len(counted))])
        for (i, _), group in zip(counted, found, strict=True):
            at = group.keys[0].astype(np.int64), group.classes * (not one)
            np.add.at(total[key(i, "counts")], at, group.weights)
    for j, ask in enumerate(a for a in question.asks if a.how == "moments"):
        _moments(table, ask.column, (total["missing"][j], total["sums"][j], total["squares"][j]), one)
    return total


def _place(ask: Ask, cell: str) -> str:
    if ask.how == "codes":
        return cell
    return place_among(cell, np.asarray(ask.cuts, float), at=True, missing=len(ask.cuts) + 1)


def _moments(table: SqlTable, name: str, to: tuple[Counts, Counts, Counts], one: bool) -> None:
    """Add exact sums: mantissas are whole numbers, added for each exponent by themselves."""
    words = table.words
    missing, sums, squares = to
    query = words.layer(table.rows_of([name]), ["y", "w", f"{words.bits('c0')} AS b"])
    query = words.layer(
        query, ["y", "w", "b < 0 AS less", "((b >> 52) & 2047) AS e", f"(b & {FRACTION}) AS m"]
    )
    whole = f"(CASE WHEN e > 0 THEN m + {FRACTION + 1} ELSE m END)"
    query = words.layer(query, ["y", "w", "less", "e", f"{whole} AS m"])
    parts = [
        f"(m >> {SPLIT}) AS a",
        f"(m & {(1 << SPLIT) - 1}) AS b",
        "(CASE WHEN less THEN -m ELSE m END) AS x",
    ]
    query = words.layer(query, ["y", "w", "e", *parts])
    w = "" if table.weighed is None else f" * CAST(w AS {words.wide})"
    wanted = {"x": "x", "aa": "a * a", "ab": "a * b", "bb": "b * b"}
    totals = [f"CAST(SUM(({cell}){w}) AS TEXT) AS {n}" for n, cell in wanted.items()]
    found = table.query(
        f"SELECT y, e, CAST(SUM(w) AS BIGINT) AS w, {', '.join(totals)} FROM ({query}) AS r GROUP BY y, e"
    )
    first: dict[int, int] = {}
    second: dict[int, int] = {}
    for row in found.to_pylist():
        c = 0 if one else int(row["y"])
        if row["e"] is None:
            missing[c] += row["w"]
            continue
        position = max(int(row["e"]) - 1, 0)
        x, aa, ab, bb = (int(row[n]) for n in wanted)
        first[c] = first.get(c, 0) + (x << position)
        second[c] = second.get(c, 0) + (((aa << 2 * SPLIT) + (ab << SPLIT + 1) + bb) << 2 * position)
    for c, number in first.items():
        sums[c] = kernels.digits_of(number, kernels.SUM_DIGITS)
        squares[c] = kernels.digits_of(second[c], kernels.SQUARE_DIGITS)


def untold(table: SqlTable, question: Untold) -> Any:
    """Return a total of rows as if they had no target."""
    return answer(table, question.question)


# ---- values of numbers ----


def values_by_class(table: SqlTable, name: str, classes: int) -> ValuesByClass:
    """Return all distinct values of a column by class. Where most are different, cells that are not grouped
    are fewer bytes: of this column the rows travel.
    """
    rows = table.rows_of([name])
    if 2 * _count(table, f"SELECT DISTINCT c0 FROM ({rows}) AS r") < table.rows:
        return _by_class(table.groups(rows, [["c0"]])[0], classes)
    own = "" if table.weighed is None else ", w"
    kind = "FLOAT4" if table.single(name) else "FLOAT8"
    found = table.query(f"SELECT CAST(c0 AS {kind}) AS c0, CAST(y AS SMALLINT) AS y{own} FROM ({rows}) AS r")
    heavy = np.ones(len(found), np.int64) if table.weighed is None else numbers(found["w"]).astype(np.int64)
    keys = (numbers(found["c0"]).astype(np.float64),)
    return _by_class(RowGroups(keys, numbers(found["y"]), heavy), classes)


def _by_class(group: RowGroups, classes: int) -> ValuesByClass:
    values, y, heavy = group.keys[0], group.classes.astype(np.int64), group.weights
    there = ~np.isnan(values)
    missing = np.zeros(classes, np.int64)
    np.add.at(missing, y[~there], heavy[~there])
    distinct, place = np.unique(values[there], return_inverse=True)
    counts = np.zeros((len(distinct), classes), np.int64)
    np.add.at(counts, (place, y[there]), heavy[there])
    return ValuesByClass(distinct, counts, missing)


def class_values(table: SqlTable, question: ClassValues) -> list[ValuesByClass]:
    """Return all distinct values by class: of these columns the values themselves travel."""
    return [values_by_class(table, name, question.classes) for name in question.columns]


def value_sample(table: SqlTable, question: ValueSample) -> list[SampledValues]:
    """Return the values with the least hashes; the database hashes them."""
    return [_sampled(table, name, question) for name in question.columns]


def _sampled(table: SqlTable, name: str, question: ValueSample) -> SampledValues:
    words, rows = table.words, table.rows_of([name])
    every = f"SELECT DISTINCT c0 FROM ({rows}) AS r WHERE c0 IS NOT NULL"
    hashed = hash_halves(words, every, "c0", ["c0"])
    chosen = f"SELECT c0 FROM ({hashed}) AS h ORDER BY high_0, low_0 LIMIT {question.size + 1}"
    (group,) = table.groups(rows, [["c0"]], f" WHERE c0 IS NULL OR c0 IN ({chosen})")
    values = _by_class(group, question.classes)
    if len(values.values) <= question.size:
        return SampledValues(values)
    limit = int(kernels.value_hashes(values.values).max())
    if limit > QUARTER:
        values, limit = values_by_class(table, name, question.classes), ALL
    return sample_of(values, limit, question.size)


def _count(table: SqlTable, query: str) -> int:
    return int(table.query(f"SELECT COUNT(*) AS n FROM ({query}) AS d")["n"][0].as_py())


def _cell(grid: Grid, cell: str) -> str:
    """Return the cell of a grid in which a number lies."""
    place = f"({cell} / 2 - {literal(grid.low / 2)}) * {literal(grid.scale)}"
    return f"CAST(TRUNC(LEAST(GREATEST({place}, 0), {grid.cells - 1})) AS BIGINT)"


def spreads(table: SqlTable, question: Spreads) -> list[ValueSpread]:
    """Return rows in cells, and the distinct values where those are few."""
    return [_spread(table, grid, most) for grid, most in zip(question.grids, question.most, strict=True)]


def _spread(table: SqlTable, grid: Grid, most: int) -> ValueSpread:
    rows, cells = table.rows_of([grid.name]), np.zeros(grid.cells, np.int64)
    query = table.words.layer(rows, ["w", "c0", f"CAST({_cell(grid, 'c0')} AS INTEGER) AS k"])
    found = table.query(
        f"SELECT k, CAST(SUM(w) AS BIGINT) AS w FROM ({query}) AS r WHERE c0 IS NOT NULL GROUP BY k"
    )
    cells[numbers(found["k"])] = numbers(found["w"])
    if not most:
        return ValueSpread(cells, NONE, True)
    found = table.query(
        f"SELECT c0, CAST(SUM(w) AS BIGINT) AS w FROM ({rows}) AS r "
        f"WHERE c0 IS NOT NULL GROUP BY c0 LIMIT {most + 1}"
    )
    if len(found) > most:
        return ValueSpread(cells, NONE, True)
    return ValueSpread(cells, _value_counts(found, table.weight - int(cells.sum())))


def _value_counts(found: Any, missing: int = 0) -> ValueCounts:
    values, counts = numbers(found["c0"]).astype(np.float64), numbers(found["w"]).astype(np.int64)
    order = np.argsort(values)
    return ValueCounts(values[order], counts[order], missing)


def near(table: SqlTable, question: Near) -> list[ValueCounts]:
    """Return the values in some cells."""
    out = []
    for grid, there in zip(question.grids, question.there, strict=True):
        if not there.any():
            out.append(NONE)
            continue
        if isinstance(grid, Zoomed):
            (found,) = near(table, Near((grid.grid,), (grid.there,)))
            kept = grid.pick(found.values, there)
            out.append(ValueCounts(found.values[kept], found.counts[kept], 0))
            continue
        assert isinstance(grid, Grid)
        cells = ", ".join(map(str, np.flatnonzero(there).tolist()))
        query = table.words.layer(table.rows_of([grid.name]), ["w", "c0", f"{_cell(grid, 'c0')} AS k"])
        found = table.query(
            f"SELECT c0, CAST(SUM(w) AS BIGINT) AS w FROM ({query}) AS r "
            f"WHERE c0 IS NOT NULL AND k IN ({cells}) GROUP BY c0"
        )
        out.append(_value_counts(found))
    return out


def finer_cells(table: SqlTable, question: FinerCells) -> list[NDArray[np.int64]]:
    """Return the rows in finer cells, of the values in the cells that they divide."""
    found = near(table, Near(tuple(z.grid for z in question.zoomed), tuple(z.there for z in question.zoomed)))
    return [z.counted(own.values, own.counts) for z, own in zip(question.zoomed, found, strict=True)]


# ---- the rest ----


def look(table: SqlTable, question: GrowingTree) -> NodeLook | None:
    """Return the look at the values that a tree begins with; None where it is to tell more numbers apart than
    travel well: the rows are fetched, and the tree is grown of them at once.
    """
    if question.shares_out or not question.labels:
        return None
    found = spreads(table, question.spreads)
    if question.max_bins is None and any(spread.many for spread in found):
        return None
    y, heavy = class_counts(table)
    classes = np.zeros(len(question.labels), np.int64)
    np.add.at(classes, y, heavy)
    return NodeLook(found, classes, table.weight, np.inf, -np.inf)


def prints(table: SqlTable, question: Prints) -> Printed | None:
    """Return the fingerprint of the rows."""
    return table.printed if question.schema == table.schema and question.unit == table.unit else None


def both(table: SqlTable, question: Both) -> tuple[Any, Any] | None:
    """Return two totals."""
    first, second = answer(table, question.first), answer(table, question.second)
    return None if first is None or second is None else (first, second)


ANSWERS: Mapping[type[Any], Callable[[SqlTable, Any], Any]] = {
    AnswerCounts: answer_counts,
    BayesSums: bayes_sums,
    Both: both,
    CardSums: card_sums,
    ClassValues: class_values,
    FinerCells: finer_cells,
    Frontier: frontier_of,
    GrowingTree: look,
    LargestBelow: largest_below,
    LineCounts: line_counts,
    Near: near,
    PairResiduals: pair_residuals,
    Prints: prints,
    RowFacts: row_facts,
    RowVariety: row_variety,
    Spreads: spreads,
    Untold: untold,
    ValueSample: value_sample,
}


def answer(table: SqlTable, question: Any) -> Any:
    """Return the total that the database computes; None: this question is asked of rows that are here."""
    way = ANSWERS.get(type(question))
    return None if way is None else way(table, question)
