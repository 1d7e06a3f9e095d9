"""Small whole numbers as bytes: what the long way makes of them."""

from __future__ import annotations

import numpy as np
import pytest

from tallystick.table.batches import is_integer_matrix
from tallystick.table.cells import SLICE, by_table, fill_table, level_code, small_column, small_columns


@pytest.mark.parametrize("values", [[3, 5, 3], [-7, 200, 0], [10**9, 10**9 + 255]])
def test_numbers_within_256_of_each_other_are_codes_above_a_base(values):
    part = small_column(np.array(values))
    assert part.values().tolist() == values
    assert part.present == sorted(set(values))
    assert part.texts().to_pylist() == [str(v) for v in values]


@pytest.mark.parametrize("values", [[0, 256], [2**53, 2**53 - 1], []])
def test_numbers_that_are_not_small_or_not_exact_are_left_alone(values):
    assert small_column(np.array(values, np.int64)) is None


def test_texts_are_sorted_by_their_bytes_not_by_number():
    found = small_column(np.array([10, 9, 10])).distinct()
    assert found.values.to_pylist() == ["10", "9"]
    assert found.codes.tolist() == [0, 1, 0]


def test_the_small_columns_of_a_matrix_are_found_and_the_memory_read_once():
    matrix = np.array([[1, 10**6, -5], [2, 0, -4], [1, 5, 250]])
    found = small_columns(matrix, 1)
    assert sorted(found) == [0, 2]
    assert found[2].values().tolist() == [-5, -4, 250]
    assert small_columns(np.zeros((0, 2), int), 1) == {}
    assert small_columns(np.array([[0], [10**6]]), 1) == {}


def test_a_number_that_a_sample_did_not_see_makes_a_column_large():
    column = np.zeros((5_000, 1), int)
    column[1] = 10**6  # between two rows of the sample
    assert small_columns(column, 1) == {}


def test_codes_go_through_a_table_and_stay_where_it_changes_nothing():
    part = small_column(np.array([0, 2, 1]))
    assert by_table(part, np.arange(256, dtype=np.uint8)) is part.codes
    code = level_code(["a", "1", "2"], 9)
    table = np.zeros(256, np.uint8)
    fill_table(table, part.used, part.base, code)
    assert by_table(part, table).tolist() == [9, 2, 1]


def test_only_arrays_of_whole_numbers_are_such_matrices():
    assert is_integer_matrix(np.zeros((1, 1), np.uint16))
    assert not is_integer_matrix(np.zeros((1, 1)))
    assert not is_integer_matrix(np.zeros((1, 1), ">i4"))
    assert not is_integer_matrix(None)


@pytest.mark.parametrize("threads", [1, 2])
def test_the_cells_of_a_long_column_are_counted_with_its_codes(threads):
    found = small_column(np.tile([7, 5, 7], SLICE // 2), threads)
    assert found.counts is not None
    assert found.counts.nonzero()[0].tolist() == found.used.tolist()
    assert found.counts[found.used].tolist() == [SLICE // 2, SLICE]
    assert found.distinct().counts().tolist()[:2] == [SLICE // 2, SLICE]
