"""SQL as both databases read it: numbers to the bit, places and codes of cells."""

from __future__ import annotations

import duckdb
import numpy as np
import pytest

from tallystick.sql.prints import SqlWords, code_of, literal, looked_up, parted, place_among


def one(sql: str, cell: str = "NULL"):
    return duckdb.sql(f"SELECT {sql} FROM (SELECT {cell} AS c)").fetchall()[0][0]


@pytest.mark.parametrize("x", [0.1, -1e300, 5e-324, 1 / 3, float(2**53 - 1)])
def test_a_number_is_read_back_to_the_bit(x):
    assert one(literal(x)) == x
    assert one(SqlWords("duckdb").bits(literal(x))) == np.array([x]).view(np.int64)[0]


def test_texts_with_quotes_and_truths_are_cells():
    assert [one(literal(v)) for v in ("o'k", True, False, 7)] == ["o'k", True, False, 7]


@pytest.mark.parametrize("at", [True, False])
def test_a_place_among_numbers_is_that_of_a_search(at):
    ends = np.array([-1.5, 0.0, 0.1, 2.0, 8.0])
    sql = place_among("c", ends, at=at, missing=9)
    for x in (-2.0, -1.5, 0.05, 0.1, 8.0, 9.0):
        assert one(sql, literal(x)) == np.searchsorted(ends, x, side="right" if at else "left")
    assert one(sql, "CAST(NULL AS FLOAT8)") == 9


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 8, 9, 100])
def test_a_code_is_found_among_few_and_many_texts(size):
    known = [(f"v{i}'", i % 7) for i in range(size)]
    sql = code_of("c", known, 99)
    assert [one(sql, literal(v)) for v, _ in known] == [code for _, code in known]
    assert one(sql, "CAST(NULL AS TEXT)") == 99
    assert one(code_of("c", [], 3)) == 3


def test_a_cut_parts_numbers_and_writes_what_is_the_same_once():
    for low, high, away in (("1", "2", "1"), ("1", "2", "2"), ("1", "2", "3"), ("1", "1", "1")):
        sql = parted("c", 0.5, low, high, away)
        found = [str(one(sql, cell)) for cell in (literal(0.4), literal(0.5), "CAST(NULL AS FLOAT8)")]
        assert found == [low, high, away]
        assert sql.count(low) <= 2


def test_a_code_stands_for_a_number():
    assert one(looked_up("c", [5, 6, 2**32 - 1]), "2") == 2**32 - 1
