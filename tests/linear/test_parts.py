"""Parts of a logistic regression: to data and back, products and words as terms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from small_models import rows

from tallystick.linear.model import (
    Cells,
    Product,
    ProductTerm,
    Slope,
    TextTerm,
    WordWeights,
    on_average,
    part_from,
    product_values,
)
from tallystick.stats.design_sums import Factor
from tallystick.table.block import RowBlock as Block
from tallystick.table.block import WordCounts

BOTH = (Factor("x", "x", None, 0.0, 0.0), Factor("a", "a", 1, 0.0, 0.0))
PARTS = [
    Slope("x", np.array([0.5]), 2.0, 1.5),
    Slope("x", np.array([0.5]), 2.0, 1.5, np.array([1.0]), np.array([0.25])),
    Cells("a", np.array([[0.0], [1.0]]), (False, True)),
    WordWeights("t", np.array([[1.0], [2.0]]), np.array([1.0, 1.5]), np.array([0.5])),
    Product("x × a = s", BOTH, np.array([3.0]), 0.5, 1.0),
]


@pytest.mark.parametrize("part", PARTS, ids=lambda p: type(p).__name__)
def test_a_part_comes_back_from_its_data(part):
    again = part_from(part.to_dict())
    assert type(again) is type(part)
    assert again.to_dict() == part.to_dict()


def test_files_from_before_averages_were_kept_are_measured_from_what_they_know():
    assert on_average(PARTS[0]).tolist() == [1.0]  # slope times centre
    assert on_average(PARTS[1]).tolist() == [0.25]
    assert on_average(PARTS[2]).tolist() == [0.0]


def test_a_missing_product_counts_as_its_mean():
    block = rows([4.0, 4.0, math.nan], [0, 1, 1])
    np.testing.assert_array_equal(product_values(BOTH, block), [0.0, 4.0, math.nan])
    scores = np.zeros((3, 1))
    ProductTerm(PARTS[4], PARTS[4].slope).add(scores, block)
    assert scores.ravel().tolist() == [0.0, 12.0, 1.5]


def test_words_have_parts_and_a_word_that_is_not_known_has_none():
    starts, words = np.array([0, 2, 2]), np.array([1, 2], np.uint32)
    block = Block(2, {"t": WordCounts(starts, words, np.array([3, 9], np.uint32))})
    counts = WordWeights("t", np.array([[1.0], [2.0]]), np.empty(0))
    (first, second) = TextTerm(counts, counts.weights).by_word(block)
    assert [(w, part.tolist()) for w, part in first] == [(1, [6.0])]
    assert second == []
    scores = np.zeros((2, 1))
    TextTerm(PARTS[3], PARTS[3].weights).add(scores, block)
    assert scores.ravel().tolist() == [2.0, 0.0]  # the one known word of a row has length 1
