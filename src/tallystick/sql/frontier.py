"""The nodes of a growing tree, counted by a database: one query of grouping sets for all columns.

Entry: `frontier_of()`. A CASE gives the node of a row. Law: the tables are those of `LevelCounts.add` over
all rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tallystick import kernels
from tallystick.kernels.check import code_dtype
from tallystick.sql.prints import parted, place_among
from tallystick.sql.table import SqlTable, numbers
from tallystick.tree.tables import Coding, LargestBelow, Level, LevelCounts, Test

MOST_TESTS = 128  # tests in the CASE that finds a row's node; with more, fetching the rows is faster


def frontier_of(table: SqlTable, question: LevelCounts) -> Level | None:
    """Return the count tables of open nodes; None where a column is counted by its
    distinct numbers, or rows are in parts.
    """
    if not question.whole or any(c.plain for c in question.codings) or not question.classes:
        return None
    if len(question.tests) > MOST_TESTS:
        return None
    names = [c.name for c in question.codings]
    cells = [f"{_key(c, f'c{j}')} AS k{j}" for j, c in enumerate(question.codings)]
    node = _node(question)
    query = table.words.layer(table.rows_of(names), ["y", "w", f"{node} AS node", *cells])
    keys = [["node", f"k{j}"] for j in range(len(names))]
    found = table.groups(query, keys, " WHERE node >= 0")
    total = question.zero()
    for j, (coding, group) in enumerate(zip(question.codings, found, strict=True)):
        codes = _codes(coding, group.keys[1])
        nodes = group.keys[0].astype(np.uint32)
        tables: Any = total.tables
        for label, heavy in question.measures(group.classes, group.weights):
            kernels.count_columns(
                [codes],
                label,
                [coding.k + 1],
                question.width,
                weights=heavy,
                nodes=nodes,
                n_nodes=len(question.open),
                out=[tables[j]],
            )
    return total


def _key(coding: Coding, cell: str) -> str:
    """Return what a column is grouped by: a number itself where there are few, else its bin, or code."""
    if coding.binned:
        assert coding.values is not None
        return place_among(cell, coding.values, at=True, missing=coding.k)
    return cell


def _codes(coding: Coding, keys: Any) -> Any:
    kind = code_dtype(coding.k + 2)
    if coding.values is None or coding.binned:
        return keys.astype(kind)
    found = np.searchsorted(coding.values, keys)
    return np.where(np.isnan(keys), coding.k, found).astype(kind)


def _node(question: LevelCounts) -> str:
    """Return the CASE for the place of a row among the open nodes; -1 of any other."""
    tests = {test.node: test for test in question.tests}
    place = {node: i for i, node in enumerate(question.open)}

    def below(node: int) -> str:
        if node not in tests:
            return str(place.get(node, -1))
        test = tests[node]
        coding, cell = question.codings[test.column], f"c{test.column}"
        if coding.kind == "numeric":
            return _by_number(test, coding, cell)
        return _by_code(test, cell)

    def _by_number(test: Test, coding: Coding, cell: str) -> str:
        """Branches of a number are two ranges: find where the second begins."""
        assert coding.values is not None
        known = test.following[:-1]
        turns = np.flatnonzero(np.diff(known))
        first = int(turns[0]) + 1 if len(turns) else 1  # the code at which the second range begins
        cut = float(coding.values[first - 1 if coding.binned else min(first, coding.k - 1)])
        ways = {node: below(node) for node in {int(known[0]), int(known[-1]), int(test.following[-1])}}
        return parted(cell, cut, *(ways[int(n)] for n in (known[0], known[-1], test.following[-1])))

    def _by_code(test: Test, cell: str) -> str:
        ways: dict[int, list[int]] = {}
        for code, node in enumerate(test.following.tolist()):
            ways.setdefault(node, []).append(code)
        each = [f"WHEN {cell} IN ({', '.join(map(str, codes))}) THEN {below(n)}" for n, codes in ways.items()]
        return f"CASE {' '.join(each)} ELSE -1 END"

    return below(0)


def largest_below(table: SqlTable, question: LargestBelow) -> Any:
    """Return the largest value up to each of some cuts."""
    out = []
    for name, cuts in zip(question.names, question.cuts, strict=True):
        found = np.full(len(cuts), -np.inf)
        place = place_among("c0", cuts, at=False, missing=len(cuts))
        query = table.words.layer(table.rows_of([name]), ["c0", f"{place} AS k"])
        best = table.query(f"SELECT k, MAX(c0) AS c0 FROM ({query}) AS r WHERE c0 IS NOT NULL GROUP BY k")
        k, values = numbers(best["k"]).astype(np.int64), numbers(best["c0"]).astype(np.float64)
        here = k < len(cuts)
        found[k[here]] = values[here]
        out.append(np.maximum.accumulate(found))
    return out
