"""The fitted logistic regression: log-odds by hand, and the same by every way in."""

from __future__ import annotations

import math

import numpy as np
import pytest
from small_models import SCHEMA, logistic, rows

from tallystick.linear.model import Fit, LogisticModel

GONE = math.nan


def test_the_log_odds_are_the_constant_plus_one_part_per_column():
    scores = logistic().scores(rows([0, 4, GONE, 0, 0], [0, 1, 0, 2, 3]))
    assert scores[:, 0].tolist() == [0.0] * 5
    assert scores[:, 1].tolist() == [0.5, 2.5, 1.0, -2.5, 0.5]  # missing x is the mean; unseen adds 0


def test_shares_are_those_of_the_scores_and_the_larger_is_answered():
    model, block = logistic(), rows([0, 0], [1, 2])
    shares = model.shares(block)
    np.testing.assert_allclose(shares[:, 1], [1 / (1 + math.exp(-1.5)), 1 / (1 + math.exp(2.5))])
    assert model.decide(shares).tolist() == [1, 0]
    np.testing.assert_allclose(np.exp(model.log_shares(block)), shares)


def test_the_additive_form_gives_the_same_scores():
    model, block = logistic(), rows([0, 4, GONE], [0, 1, 2])
    np.testing.assert_allclose(model.additive.scores(block), model.scores(block), atol=1e-15)


def test_a_row_beyond_all_doubles_still_has_shares():
    (slope, cells) = logistic().parts
    steep = logistic(parts=(type(slope)("x", np.array([1e300]), 0.0, 1.0), cells))
    assert steep.shares(rows([1e300, -1e300], [0, 0])).tolist() == [[0.0, 1.0], [1.0, 0.0]]


def test_the_model_comes_back_from_its_data():
    model = logistic(errors=((0.1,), (0.2,), (0.0,), (0.3,), (0.4,)))
    again = LogisticModel.from_dict(model.to_dict(), SCHEMA, model.options)
    assert again.to_dict() == model.to_dict()
    block = rows([1.5, GONE], [1, 3])
    assert again.shares(block).tobytes() == model.shares(block).tobytes()


def test_a_fit_of_an_old_file_has_no_degrees_and_keeps_none():
    fit = Fit(1.0, -1.0, -2.0, 3, 10.0, 2, spread=((0.2,),))
    assert "degrees" not in fit.to_dict()
    assert Fit.from_dict(fit.to_dict()) == fit
    assert Fit.from_dict(fit.to_dict() | {"degrees": 1.5}).degrees == 1.5


@pytest.mark.parametrize("columns", [[np.zeros(2), np.zeros(2)], [np.zeros(2, np.float32)] * 2])
def test_float_columns_are_left_to_a_table_where_levels_or_other_floats_are(columns):
    assert logistic().of_columns(columns, 2) is None
