"""What a model file says of its rows: how many, their weight, their fingerprint."""

from __future__ import annotations

import warnings

import numpy as np

from tallystick.schema import Column, Schema, Target
from tallystick.stats.exact import ALL, ColumnPrints, Printed, Prints, TwoStatistics
from tallystick.table.block import RowBlock as Block

SCHEMA = Schema((Column("x", "numeric"),), Target("y", ("no", "yes")))


def block(values, weights=None):
    given = None if weights is None else np.array(weights, np.int64)
    return Block(len(values), {"x": np.array(values, float)}, np.zeros(len(values), np.uint8), weights=given)


def printed(*blocks, unit=1):
    ask = Prints(SCHEMA, unit)
    total = ask.zero()
    for one in blocks:
        total = ask.add(total, one)
    return total


def test_order_and_cut_of_the_rows_mean_nothing_and_values_do():
    whole = printed(block([1, 2, 3]))
    assert whole == printed(block([3]), block([2, 1]))
    assert whole.hashes != printed(block([1, 2, 4])).hashes
    assert len(whole.fingerprint) == 32
    assert printed().fingerprint == "0" * 32


def test_a_whole_weight_is_so_many_rows_and_no_weight_is_none():
    assert printed(block([5, 6], [2, 0]))[1:] == printed(block([5, 5]))[1:]
    assert printed(block([5, 6], [2, 0])).rows == 2


def test_a_weight_that_is_not_whole_counts_as_one_row():
    assert printed(block([5, 6], [6, 8]), unit=4).counted == 2


def test_hashes_stay_below_128_bits():
    high = Printed(1, 1, ALL - 1, 1)
    assert Prints(SCHEMA).merge(high, Printed(1, 1, 2, 1)) == Printed(2, 2, 1, 2)


def test_two_questions_in_one_walk_have_both_answers():
    ask = TwoStatistics(Prints(SCHEMA), Prints(SCHEMA, 4))
    one, other = ask.add(ask.zero(), block([1], [2])), ask.add(ask.zero(), block([2], [4]))
    first, second = ask.merge(one, other)
    assert (first.counted, second.counted) == (6, 2)
    assert first.fingerprint == second.fingerprint


def test_prints_of_columns_that_pass_64_bits_go_on_from_0_without_a_warning():
    ask = ColumnPrints(SCHEMA)
    total = ask.zero()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(64):
            total = ask.add(total, block([1.0]))
    assert total.tolist() == [64 * ask.add(ask.zero(), block([1.0])).tolist()[0] % 2**64]


def test_what_a_column_holds_is_known_without_its_name_and_a_whole_weight_is_so_many_rows():
    def held(called, target, rows, weights=None, keys=()):
        schema = Schema(tuple(Column(c, "numeric") for c in called), Target(target, ("no", "yes")), keys=keys)
        columns = {
            c: np.array(values, float) for c, values in zip(called, zip(*rows, strict=True), strict=True)
        }
        given = None if weights is None else np.array(weights, np.int64)
        ask = ColumnPrints(schema)
        return ask.add(
            ask.zero(), Block(len(rows), columns, np.zeros(len(rows), np.uint8), None, given)
        ).tolist()

    rows = [(1, 2), (2, 1), (2, 1)]
    first = held("ab", "y", rows)
    assert first == held("ba", "t", rows) == held("ab", "y", rows[:2], [1, 2])
    assert first[0] != first[1] == held("a", "y", [row[1:] for row in rows])[0]
    for at in ("a", "b"):  # with keys also by the rest of the rows
        keyed = [
            held("ab", "y", r, keys=(("a", "1"), ("b", "1"))) for r in ([(1, 1), (2, 2)], [(1, 2), (2, 1)])
        ]
        assert keyed[0]["ab".index(at)] != keyed[1]["ab".index(at)]
