"""Count tables of the nodes of a level, by hand: whole rows, rows in parts, and responses."""

from __future__ import annotations

import numpy as np
import pytest

from tallystick.table.block import RowBlock as Block
from tallystick.tree.growth import ValueScale
from tallystick.tree.tables import (
    CodedColumn,
    Coding,
    Entries,
    LevelCounts,
    follow,
    share_out,
    sum_of_squares,
)
from tallystick.tree.tables import Test as MadeTest

X = Coding("x", "numeric", 2, np.array([1.0, 3.0]))
A = Coding("a", "levels", 2)
BLOCK = Block(
    3,
    {"x": np.array([3.0, np.nan, 1.0]), "a": np.array([0, 1, 2], np.uint8)},
    np.array([0, 1, 1], np.uint8),
)


def level(tests=(), open_=(0,), nodes=1, block=BLOCK, **more):
    question = LevelCounts(CodedColumn((X, A)), tests, open_, nodes, 2, ValueScale(), **more)
    return question.add(question.zero(), block)


def test_cells_become_the_codes_of_their_values_bins_or_levels():
    assert X.codes(BLOCK).tolist() == [1, 2, 0]
    assert Coding("x", "numeric", 2, np.array([2.0]), binned=True).codes(BLOCK).tolist() == [1, 2, 0]
    assert A.codes(BLOCK).tolist() == [0, 1, 2]
    form = CodedColumn((X, A))(BLOCK)
    assert (form.columns["x"].dtype, form.columns["x"].tolist()) == (np.uint8, [1, 2, 0])


def test_the_root_counts_all_rows_by_code_and_class():
    found = level()
    assert found.tables[0].tolist() == [[[0, 1], [1, 0], [0, 1]]]
    assert found.counts(0).tolist() == [1, 2]


def test_rows_follow_the_tests_made_and_only_open_nodes_are_counted():
    test = MadeTest(0, 1, np.array([1, 2, 2]))  # level 0 to node 1, level 1 and missing to node 2
    found = level((test,), (2,), 3)
    assert found.counts(0).tolist() == [0, 2]
    tables, _ = found.node(0)
    assert tables[0].table.tolist() == [[0, 1], [0, 0], [0, 1]]


def test_a_row_whose_value_is_missing_is_shared_out_and_its_parts_sum_to_it():
    test = MadeTest(0, 1, np.array([1, 2]), np.array([1, 2]), np.array([3, 1]))
    found = level((test,), (1, 2), 3, parts=100)
    assert found.counts(0).tolist() == [100, 75]  # the first row, and 75 parts of the last
    assert found.counts(1).tolist() == [0, 125]


def test_parts_are_whole_and_what_is_left_goes_to_the_largest_share():
    assert share_out(np.array([10, 1]), np.array([1, 1, 1])).tolist() == [[4, 3, 3], [1, 0, 0]]
    assert share_out(np.array([7]), np.array([1, 5])).tolist() == [[1, 6]]


def test_entries_at_other_nodes_stay_where_they_are():
    entries = Entries(np.array([0, 1]), np.array([0, 5]), np.array([1, 1]))
    found = follow(entries, (MadeTest(0, 0, np.array([1, 2])),), [np.array([1, 0], np.uint8)], 6)
    assert found.node.tolist() == [2, 5]


@pytest.mark.parametrize("bits", [1, 20, 35, 50, 52])
def test_a_sum_of_squares_of_weighted_rows_is_exact_whoever_adds(bits):
    rng = np.random.default_rng(bits)
    n = 60
    y, weight = rng.integers(0, 2**bits, n), rng.integers(1, 2 ** (62 - bits) // n, n) + 1
    exact = sum(w * v * v for w, v in zip(weight.tolist(), y.tolist(), strict=True))
    question = LevelCounts(CodedColumn((A,)), (), (0,), 1, 0, ValueScale())

    def part(rows):
        own = Block(len(y[rows]), {"a": np.zeros(len(y[rows]), np.uint8)}, None, 1.0 * y[rows], weight[rows])
        return question.add(question.zero(), own)

    parts = part(slice(0, 7)), part(slice(7, n))
    assert sum_of_squares(question.merge(*parts).squares[0]) == exact


def test_a_question_in_its_form_has_the_same_total_of_coded_blocks():
    question = LevelCounts(CodedColumn((X, A)), (), (0,), 1, 2, ValueScale())
    form, light = question.prepared()
    coded = light.add(light.zero(), form(BLOCK))
    assert [t.tolist() for t in coded.tables] == [t.tolist() for t in level().tables]
    assert all(c.values is None for c in light.codings)
