"""The sums of naive Bayes: what each way of asking adds up, by hand."""

from __future__ import annotations

import numpy as np

from tallystick import kernels
from tallystick.stats.class_counts import Ask, BayesSums, key, plus
from tallystick.table.block import RowBlock as Block
from tallystick.table.block import WordCounts

CLASSES = np.array([0, 1, 1], np.uint8)


def total(ask, cells, weights=None):
    question = BayesSums((ask,), 2)
    return question.add(question.zero(), Block(3, {"a": cells}, CLASSES, weights=weights))


def test_codes_are_counted_by_class_with_missing_last():
    found = total(Ask("a", "codes", 2), np.array([0, 1, 2], np.uint8), np.array([5, 1, 2]))
    assert found[""].tolist() == [5, 3]
    assert found[key(0, "counts")].tolist() == [[5, 0], [0, 1], [0, 2]]


def test_numbers_are_counted_between_cuts_a_cut_belongs_above():
    found = total(Ask("a", "bins", cuts=(1.0,)), np.array([0.5, 1.0, np.nan]))
    assert found[key(0, "counts")].tolist() == [[1, 0], [0, 1], [0, 1]]


def test_moments_are_exact_and_missing_rows_are_counted():
    found = total(Ask("a", "moments"), np.array([0.1, 3.0, np.nan]))
    assert found["missing"].tolist() == [[0, 1]]
    assert float(kernels.exact_sum(found["sums"][0, 0])) == 0.1
    assert kernels.exact_squares(found["squares"][0, 1]) == 9


def test_words_count_as_often_as_they_stand_or_once():
    text = WordCounts(np.array([0, 1, 2, 2]), np.array([0, 0], np.uint32), np.array([3, 2], np.uint32))
    assert total(Ask("a", "words", 1), text)[key(0, "counts")].tolist() == [[3, 2]]
    found = total(Ask("a", "once", 1), text)
    assert found[key(0, "counts")].tolist() == [[1, 1]]
    assert found[key(0, "missing")].tolist() == [0, 1]  # a row without text


def test_what_was_added_can_be_taken_away_again():
    ask, cells = Ask("a", "moments"), np.array([0.1, -3.0, np.nan])
    question = BayesSums((ask,), 2)
    both = question.merge(total(ask, cells), total(ask, 7 * cells))
    left = plus(both, total(ask, 7 * cells), -1)
    for name, array in total(ask, cells).items():
        np.testing.assert_array_equal(left[name], array)
