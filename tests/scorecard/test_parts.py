"""What a card keeps of a column: plain data and back, and terms that add the same points."""

from __future__ import annotations

import json

import numpy as np
import pytest
from small_models import card, card_of_three, rows, whole

from tallystick.scorecard.model import PairAxis, PairPoints, WordPoints, part_from
from tallystick.table.block import RowBlock as Block
from tallystick.table.block import WordCounts

WORDS = WordPoints("t", (0, 2), whole([4], [-6]), whole([3, 1], [0, 5]), 3)
PARTS = [*card().parts, *card_of_three().parts, WORDS]


@pytest.mark.parametrize("number", range(len(PARTS)))
def test_a_part_is_the_same_after_its_plain_data(number):
    part = PARTS[number]
    again = part_from(json.loads(json.dumps(part.to_dict())), {"t": 3})
    assert type(again) is type(part)
    assert again.to_dict() == part.to_dict()
    assert again.points.dtype == again.rows.dtype == np.int64
    assert again.columns == part.columns
    assert again.name == part.name


def test_the_keys_of_plain_data_are_sorted_so_that_files_have_one_form():
    for part in PARTS:
        assert list(part.to_dict()) == sorted(part.to_dict())


def test_a_pair_adds_the_points_of_its_line():
    pair = card().parts[2]
    assert isinstance(pair, PairPoints)
    assert isinstance(pair.axis, PairAxis)
    scores = np.zeros((4, 2))
    table = np.hstack([np.zeros_like(pair.points), pair.points]).astype(float)
    pair.term(table).add(scores, rows([2.0, 1.9, 2.0, np.nan], [1, 1, 0, 1]))
    assert scores[:, 1].tolist() == [11, 0, 0, 0]


def test_words_add_their_points_once_however_often_they_stand():
    text = WordCounts(
        np.array([0, 2, 2, 4], np.int64), np.array([0, 2, 1, 3], np.uint32), np.array([7, 1, 2, 1], np.uint32)
    )
    scores = np.zeros((3, 2))
    term = WORDS.term(np.hstack([np.zeros_like(WORDS.points), WORDS.points]).astype(float))
    term.add(scores, Block(3, {"t": text}))
    assert scores[:, 1].tolist() == [4 - 6, 0, 0]
