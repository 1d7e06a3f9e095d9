"""The fitted naive Bayes model: shares by hand, variances, priors, and models that add."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from small_models import SCHEMA, bayes, rows

from tallystick.bayes.model import NaiveBayesModel, given_priors
from tallystick.errors import DataError, OptionError
from tallystick.model.additive import Calibration


def odds(model, x, a):
    shares = model.shares(rows([x], [a]))[0]
    return shares[1] / shares[0]


def test_the_odds_are_the_product_of_prior_density_and_shares():
    # means 1 and 3, variances 1; the share of r is (3 + 1) / (4 + 2) for no, (1 + 1) / (4 + 2) for yes
    assert odds(bayes(), 2.0, 2) == pytest.approx(1.0)
    assert odds(bayes(), 3.0, 2) == pytest.approx(math.exp(2.0))
    assert odds(bayes(), 2.0, 0) == pytest.approx(2 / 4)
    assert odds(bayes(), math.nan, 3) == pytest.approx(1.0)  # nothing is known of the row


def test_priors_are_those_of_the_rows_unless_they_are_given():
    assert odds(bayes(priors="uniform"), 2.0, 1) == pytest.approx(2.0)
    assert odds(bayes(priors={"no": 0.9, "yes": 0.1}), math.nan, 2) == pytest.approx(1 / 9)
    assert bayes(priors="none").additive.base.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"no": 0.5}, "priors has no number for the class 'yes'"),
        ([0.2, 0.2, 0.6], "priors has 3 numbers for 2 classes"),
        ([0.5, b"x"], "priors must be numbers; found"),
        ([0.5, 0.6], "priors must be at least 0 and sum to 1, not to 1.1"),
    ],
)
def test_priors_that_make_no_sense_are_refused(given, says):
    with pytest.raises(OptionError, match=says):
        given_priors(given, SCHEMA.target)


def test_a_row_that_no_class_can_have_is_answered_by_the_prior_and_said():
    model = bayes(alpha=0.0)
    counted = replace(model.parts[1], counts=np.array([[4, 4], [0, 0]]))
    model = replace(model, parts=(model.parts[0], counted))
    block = rows([2.0, 2.0], [1, 0])
    shares = model.shares(block)
    assert shares[0].tolist() == [0.5, 0.5]
    assert model.prior_only(block, shares).tolist() == [True, False]


def test_variances_may_be_shared_and_lose_one_row_per_mean():
    def variances(variance, share):
        model = bayes()
        part = replace(model.parts[0], variance=variance)
        options = replace(model.options, share=share)
        return replace(model, parts=(part, *model.parts[1:]), options=options).variances[part.name]

    assert variances("ml", "none") == [1, 1]
    assert variances("unbiased", "none") == [4 / 3] * 2
    assert variances("unbiased", "classes") == [8 / 6] * 2
    # two cases with the whole column's variance, 2
    assert variances("smoothed", "none") == [(4 + 2 * 2) / 6] * 2


def test_a_variance_that_no_density_can_be_computed_with_is_refused_with_a_cure():
    tiny = replace(bayes().parts[0], sums=(4, 12), squares=(8, 40))  # values of about 1e-323
    with pytest.raises(DataError, match=r"column 'x' has a variance .* use distributions=\{'x': 'binned'\}"):
        replace(bayes(), parts=(tiny,)).check()


def test_a_calibration_stretches_and_shifts_the_scores():
    block = rows([3.0], [2])
    plain = bayes().scores(block)
    model = replace(bayes(), calibration=Calibration(0.5, (0.0, 1.0)))
    np.testing.assert_allclose(model.scores(block), 0.5 * plain + [0.0, 1.0])
    assert model.to_dict()["calibration"] == {"shift": [0.0, 1.0], "slope": 0.5}


def test_the_model_comes_back_from_its_data():
    model, block = bayes(), rows([1.5, math.nan], [1, 0])
    again = NaiveBayesModel.from_dict(model.to_dict(), SCHEMA, model.options, 1)
    assert again.to_dict() == model.to_dict()
    assert again.shares(block).tobytes() == model.shares(block).tobytes()


def test_adding_doubles_every_count_and_what_was_not_learned_cannot_be_forgotten():
    model = bayes()
    both = model.plus(model)
    assert both.classes.tolist() == [8, 8]
    assert both.plus(model, -1).to_dict() == model.to_dict()
    with pytest.raises(DataError, match="cannot forget: a class would have fewer than 0 rows"):
        model.plus(both, -1)


def test_free_numbers_are_counted():
    assert bayes().numbers() == 1 + 2 + 2 + 2 * 1  # prior, means, variances, one share of each class
    assert bayes(share="classes").numbers() == 1 + 2 + 1 + 2
