"""A card by hand: base and points, added with a pencil, are the very probability."""

from __future__ import annotations

import copy
import json
import math
import pickle
from dataclasses import replace

import numpy as np
import pytest
from small_models import CARD_FIT, card, card_of_three, rows, whole

from tallystick import kernels
from tallystick.schema import Column, Schema
from tallystick.scorecard.model import LN2, LevelAxis, LinePoints, RangeAxis, ScorecardModel, WordPoints
from tallystick.table.block import RowBlock as Block
from tallystick.table.block import WordCounts

NAN = math.nan
BY_HAND = [  # x, a, points for yes
    (1.0, 0, -10 - 20 - 7),
    (1.5, 1, -10 + 0 + 7),
    (2.0, 1, -10 + 0 + 7 + 11),
    (3.0, 1, -10 + 20 + 7 + 11),
    (2.5, 2, -10 + 0 - 3),
    (NAN, 1, -10 + 5 + 7),
    (9.0, 3, -10 + 20 + 0),
    (NAN, 3, -10 + 5),
]
BY_HAND_OF_THREE = [
    (1.0, 0, (1 + 3 + 10, 2 - 5 + 0, -3 + 2 - 10)),
    (2.0, 1, (1 - 4 - 1, 2 + 6 + 1, -3 - 2 + 0)),
    (NAN, 2, (1 + 2, 2 + 2, -3 - 4)),
    (1.9, 3, (1 + 3, 2 - 5, -3 + 2)),
]


@pytest.mark.parametrize(("x", "a", "points"), BY_HAND)
def test_points_added_by_hand_are_the_very_probability_of_two_classes(x, a, points):
    model, block = card(), rows([x], [a])
    assert model.points(block).tolist() == [[0.0, points]]
    share = model.shares(block)[0]
    assert share.tobytes() == kernels.softmax(LN2 / 20 * np.array([[0.0, points]]))[0].tobytes()
    assert share[1] == pytest.approx(1 / (1 + 2 ** (-points / 20)), rel=1e-14)


@pytest.mark.parametrize(("x", "a", "points"), BY_HAND_OF_THREE)
def test_points_added_by_hand_are_the_very_probability_of_three_classes(x, a, points):
    model, block = card_of_three(), rows([x], [a])
    assert model.points(block).tolist() == [list(points)]
    powers = [2 ** (p / 10) for p in points]
    assert model.shares(block)[0] == pytest.approx([p / sum(powers) for p in powers], rel=1e-14)
    logs = model.log_shares(block)[0]
    assert np.exp(logs) == pytest.approx(model.shares(block)[0], rel=1e-12)


def test_20_points_double_the_odds():
    model = card(parts=())
    odds = []
    for base in (0, 20, 40):
        share = replace(model, base=np.array([base])).shares(rows([1.0], [0]))[0]
        odds.append(share[1] / share[0])
    assert odds == pytest.approx([1, 2, 4], rel=1e-14)


def test_a_row_gets_the_same_bits_in_any_block():
    model = card()
    x, a = [r[0] for r in BY_HAND], [r[1] for r in BY_HAND]
    together = model.shares(rows(x, a))
    for i in range(len(x)):
        assert together[i].tobytes() == model.shares(rows(x[i : i + 1], a[i : i + 1]))[0].tobytes()


@pytest.mark.parametrize("make", [card, card_of_three])
def test_a_model_is_the_same_after_its_plain_data(make):
    model = make()
    plain = json.loads(json.dumps(model.to_dict()))
    again = ScorecardModel.from_dict(plain, model.schema, model.options, model.unit)
    assert again.to_dict() == model.to_dict()
    block = rows([1.0, 2.0, NAN], [0, 1, 3])
    assert again.shares(block).tobytes() == model.shares(block).tobytes()


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_a_copy_answers_the_same_bits(copied):
    model, block = card(), rows([1.0, NAN], [0, 3])
    before = model.shares(block)
    assert copied(model).shares(block).tobytes() == before.tobytes()
    assert copied(model).to_dict() == model.to_dict()


def test_lines_with_points_are_what_the_razor_counts():
    assert card().lines == 3 + 3 + 1  # x has a line of 0 points, a one for new levels
    assert card(parts=()).lines == 0


def test_a_card_of_no_lines_answers_its_base():
    shares = card(parts=(), base=np.array([0])).shares(rows([1.0, NAN], [0, 3]))
    assert shares.tolist() == [[0.5, 0.5], [0.5, 0.5]]


def test_averages_are_what_a_part_adds_to_the_average_training_row():
    x, a, pair = card().additive.averages
    assert x.tolist() == [0.0, (12 * -20 + 13 * 20 + 3 * 5) / 40]
    assert a.tolist() == [0.0, (18 * -7 + 19 * 7 + 3 * -3) / 40]
    assert pair.tolist() == [0.0, 16 * 11 / 40]


def test_the_average_of_words_is_over_all_rows():
    schema = Schema((Column("t", "text", words=("u", "v")),), card().schema.target)
    words = WordPoints("t", (1,), whole([12]), whole([6, 4]), 2)
    model = replace(card(parts=(words,)), schema=schema)
    assert model.additive.averages[0].tolist() == [0.0, 10 * 12 / 40]
    text = WordCounts(np.array([0, 1, 1], np.int64), np.array([1], np.uint32), np.array([3], np.uint32))
    assert model.points(Block(2, {"t": text}))[:, 1].tolist() == [-10 + 12, -10]
    assert model.shares_of_row({"t": "v v v"}) is None  # texts are for a table


def test_huge_points_add_up_exactly_and_shares_stay_finite():
    most = 10**12
    x = LinePoints(RangeAxis("x", (0.0,)), whole([-most], [most], [1]), whole([1, 1], [1, 1], [0, 0]))
    a = LinePoints(LevelAxis("a", (0, 1)), whole([most], [-most], [0], [0]), whole(*[[1, 1]] * 4))
    model = card(parts=(x, a), base=np.array([most - 1]), step=1)
    block = rows([1.0, -1.0, NAN, -1.0], [0, 1, 3, 0])
    assert model.points(block)[:, 1].tolist() == [3 * most - 1, -most - 1, most, most - 1]
    assert np.isfinite(model.shares(block)).all()
    assert model.shares(block)[:, 1].tolist() == [1.0, 0.0, 1.0, 1.0]
    assert np.isfinite(model.log_shares(block)).all()


def test_the_fit_is_plain_data_with_sorted_keys():
    assert list(CARD_FIT.to_dict()) == sorted(CARD_FIT.to_dict())
    assert CARD_FIT.to_dict()["rows"] == 40.0
