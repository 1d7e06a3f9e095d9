"""Words by class, scores of levels, and cuts by Fayyad and Irani's rule."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
import reference

from tallystick import kernels
from tallystick.kernels import numbers as bayes


def whole(*numbers):
    return np.array(numbers, np.int64)


def test_words_are_added_by_class_times_the_weight_of_their_row():
    starts, words = whole(0, 2, 3), np.array([0, 2, 2], np.uint32)
    counts, classes = np.array([1, 4, 5], np.uint32), np.array([0, 1], np.uint8)
    out = np.ones((3, 2), np.int64)
    kernels.count_entries(starts, words, counts, classes, weights=whole(10, 2), out=out)
    assert out.tolist() == [[11, 1], [1, 1], [41, 11]]  # what was there stays


def test_without_counts_a_word_counts_once_and_a_word_beyond_the_table_is_not_counted():
    starts, words = whole(0, 2), np.array([1, 7], np.uint32)
    out = kernels.count_entries(starts, words, None, np.zeros(1, np.uint8), out=np.zeros((2, 1), np.int64))
    assert out.tolist() == [[0], [1]]


def test_rows_that_reach_beyond_the_words_are_refused():
    with pytest.raises(ValueError, match=r"starts must lie within words; found 0\.\.3 for 2 entries"):
        kernels.count_entries(
            whole(0, 3), np.zeros(2, np.uint32), None, np.zeros(1, np.uint8), out=np.zeros((1, 1), np.int64)
        )


def test_scores_of_levels_are_added_column_by_column():
    scores = np.array([[1.0, 0.0], [0.0, 0.0]])
    codes = [np.array([0, 1], np.uint8), np.array([1, 1], np.uint8)]
    tables = [np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[0.0, 0.0], [10.0, 20.0]])]
    kernels.add_level_scores(scores, codes, tables)
    assert scores.tolist() == [[12.0, 22.0], [13.0, 24.0]]


@pytest.mark.parametrize("classes", [1, 2, 3, 4, 5, 9])
@pytest.mark.parametrize("rows", [1, 255, 256, 1_003])
def test_scores_of_levels_are_those_of_the_twin_to_the_bit(classes, rows):
    draw = np.random.default_rng(rows)
    sizes = [2, 11, 256, 3, 1]
    codes = [draw.integers(0, n, rows).astype(np.uint8) for n in sizes]
    tables = [draw.normal(size=(n, classes)) for n in sizes]
    tables[1][4] = -np.inf
    scores = draw.normal(size=(rows, classes))
    expected = scores.copy()
    reference.add_level_scores(expected, codes, tables)
    kernels.add_level_scores(scores, codes, tables)
    assert scores.tobytes() == expected.tobytes()


def test_a_cut_lies_where_the_class_changes_and_nowhere_in_noise():
    apart = np.array([[10, 0]] * 5 + [[0, 10]] * 5, np.int64)
    assert kernels.mdl_cuts(apart).tolist() == [5]
    assert kernels.mdl_cuts(np.full((10, 2), 5, np.int64)).tolist() == []


@pytest.mark.parametrize("values", [0, 1])
def test_fewer_than_two_values_cannot_be_cut(values):
    assert kernels.mdl_cuts(np.ones((values, 2), np.int64)).tolist() == []


def test_a_difference_that_six_rows_do_not_show_shows_in_six_thousand():
    few = np.array([[2, 1], [1, 2]], np.int64)
    assert kernels.mdl_cuts(few).tolist() == []
    assert kernels.mdl_cuts(1000 * few).tolist() == [1]
    assert kernels.mdl_cuts(1000 * few, unit=1000).tolist() == []  # six rows, in thousandths


def test_few_values_of_many_rows_take_no_memory_for_their_logarithms(monkeypatch):
    monkeypatch.setattr(bayes, "_tables", np.zeros(1))
    column = np.array([[3, 1], [2, 2], [1, 3]], np.int64) << 20
    tracemalloc.start()
    try:
        kernels.mdl_cuts(column)
        assert tracemalloc.get_traced_memory()[1] < 4 << 20  # 33 MB with a table up to a million rows
    finally:
        tracemalloc.stop()


def test_logarithms_of_a_table_and_beyond_it_are_the_same_bits(monkeypatch):
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 40_000, (60, 2)) * np.linspace(1, 3, 60)[:, None].astype(np.int64)
    found = []
    for most in 1, bayes.MOST_TABLE, int(counts.sum()):
        monkeypatch.setattr(bayes, "_tables", np.zeros(1))
        monkeypatch.setattr(bayes, "MOST_TABLE", most)
        said = kernels.judge_readings(np.arange(60.0), counts, 1, 5, 1)
        found.append((kernels.mdl_cuts(counts).tolist(), *(x.hex() for x in said)))
    assert found[0] == found[1] == found[2]
    assert found[0][0]
