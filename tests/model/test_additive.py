"""Base and terms: scores by hand, parts that add up to the bit, rows that every class finds impossible."""

from __future__ import annotations

import numpy as np

from tallystick.model.additive import (
    IDF_ONE,
    WEIGHT_ONE,
    Additive,
    BinTerm,
    LevelTerm,
    LinearTerm,
    NormalTerm,
    WordTerm,
    bins_of,
    weighted,
)
from tallystick.table.block import RowBlock as Block
from tallystick.table.block import WordCounts

TEXT = WordCounts(np.array([0, 2, 2]), np.array([0, 1], np.uint32), np.array([3, 1], np.uint32))
BLOCK = Block(
    2,
    {
        "a": np.array([0, 2], np.uint8),
        "b": np.array([1, 1], np.uint8),
        "x": np.array([1.0, np.nan]),
        "t": TEXT,
    },
)
LEVELS = LevelTerm("a", np.array([[1.0, 2.0], [9.0, 9.0], [0.0, 0.5]]))


def added(term):
    scores = np.zeros((2, 2))
    term.add(scores, BLOCK)
    return scores.tolist()


def test_a_term_adds_the_part_of_a_code_a_bin_a_parabola_or_a_line():
    assert added(LEVELS) == [[1.0, 2.0], [0.0, 0.5]]
    assert added(BinTerm("x", np.array([1.0]), np.array([[5.0, 5], [1, 2], [0, 7]]))) == [[1, 2], [0, 7]]
    normal = NormalTerm("x", np.array([0.0, 1.0]), np.array([0.5, 0.5]), np.array([1.0, 2.0]))
    assert added(normal) == [[0.5, 2.0], [0.0, 0.0]]
    line = LinearTerm("x", np.array([2.0, 3.0]), np.array([1.0, 0.0]), np.array([4.0, 5.0]))
    assert added(line) == [[3.0, 3.0], [4.0, 5.0]]


def test_words_count_all_or_once_and_an_empty_text_adds_nothing():
    table = np.array([[1.0, 0.0], [0.0, 1.0], [7.0, 7.0]])
    present = np.array([10.0, 0.0])
    assert added(WordTerm("t", table, present)) == [[13.0, 1.0], [0.0, 0.0]]
    assert added(WordTerm("t", table, present, "once")) == [[11.0, 1.0], [0.0, 0.0]]


def test_tf_idf_weights_of_a_row_have_length_1():
    found = weighted(*TEXT, np.array([IDF_ONE, 4 * IDF_ONE, 0]))
    np.testing.assert_allclose(found / WEIGHT_ONE, [3 / 5, 4 / 5], atol=1e-6)
    assert weighted(*TEXT, np.zeros(3, np.int64)).tolist() == [0, 0]


def test_a_value_at_a_cut_lies_above_it_and_missing_has_a_bin_of_its_own():
    assert bins_of(np.array([0.9, 1.0, np.nan]), np.array([1.0, 2.0])).tolist() == [0, 1, 3]


def test_parts_sum_to_the_score_and_reasons_start_at_the_average():
    other = LevelTerm("b", np.array([[0.0, 0.0], [0.25, -1.0], [0.0, 0.0]]))
    model = Additive(np.array([0.1, 0.2]), [LEVELS, other], [np.array([0.5, 0.5]), np.zeros(2)])
    parts = model.parts(BLOCK)
    assert np.add.accumulate(parts, axis=1)[:, -1].tolist() == model.scores(BLOCK).tolist()
    assert model.start.tolist() == [0.1 + 0.5, 0.2 + 0.5]
    assert model.reasons(BLOCK)[0, 1].tolist() == [0.5, 1.5]


def test_a_row_that_every_class_finds_impossible_is_answered_by_the_base():
    model = Additive(np.log([0.25, 0.75]), [])
    shares, lost = model.shares(np.array([[0.0, 0.0], [-np.inf, -np.inf]]))
    np.testing.assert_allclose(shares, [[0.5, 0.5], [0.25, 0.75]])
    assert lost.tolist() == [False, True]
    np.testing.assert_allclose(
        np.exp(model.log_shares(np.array([[-2000.0, 0.0]]))), [[0.0, 1.0]], atol=1e-300
    )
    assert model.log_shares(np.array([[-2000.0, 0.0]]))[0, 0] == -2000.0  # a share too small for a number
    assert model.shares(np.zeros((0, 2)))[0].shape == (0, 2)
