"""Options of naive Bayes: smoothing by column, distributions by kind, refused by name."""

from __future__ import annotations

import numpy as np
import pytest
from small_models import BAYES

from tallystick.bayes.options import BayesOptions
from tallystick.errors import OptionError


def options(**changed):
    return BayesOptions(**BAYES | changed)


def test_alpha_adds_cases_per_value_and_m_goes_before_it():
    assert options().smoothing("a", 4) == (4.0, 0.25)
    assert options(alpha={"a": 0.5}).smoothing("a", 4) == (2.0, 0.25)
    assert options(alpha={"a": 0.5}).smoothing("b", 4) == (4.0, 0.25)
    assert options(m=3, p={"a": {"r": 0.9, "s": 0.1}}).smoothing("a", ("r", "s")) == (3.0, [0.9, 0.1])
    assert options().unseen("a", 4) == (5.0, 0.2)


def test_a_level_without_a_share_of_its_own_is_named():
    with pytest.raises(OptionError, match="p for column 'a' has no share for 's'"):
        options(p={"a": {"r": 0.5}}).smoothing("a", ("r", "s"))


def test_a_distribution_is_that_of_the_kind_unless_it_was_wished_for():
    assert [options().distribution("c", k) for k in ("numeric", "text", "levels", "boolean")] == [
        "gaussian",
        "multinomial",
        "levels",
        "bernoulli",
    ]
    assert options(distributions={"c": "poisson"}).distribution("c", "numeric") == "poisson"
    assert options(distributions={"c": "poisson"}).distribution("other", "numeric") == "auto"
    with pytest.raises(OptionError, match="'poisson' does not fit column 'c', which is text"):
        options(distributions={"c": "poisson"}).distribution("c", "text")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"alpha": -1}, "alpha must be a number of at least 0"),
        ({"m": {"a": "much"}}, "m must be a number of at least 0"),
        ({"p": 1.5}, "p is a share and at most 1"),
        ({"priors": "datas"}, "priors='datas' is unknown.*data"),
        ({"variance": "big"}, "variance='big' is unknown"),
        ({"share": None}, "share="),
        ({"min_count": 0}, "min_count must be a whole number of rows of at least 1"),
        ({"calibrate": 1}, "calibrate must be True or False"),
        ({"distributions": "gauss"}, "distributions='gauss' is unknown"),
    ],
)
def test_an_option_that_makes_no_sense_is_named(given, says):
    with pytest.raises(OptionError, match=says):
        options(**given)


def test_a_column_that_is_not_used_is_named_with_the_nearest():
    with pytest.raises(OptionError, match=r"alpha names the column 'agee', which is not used.*age"):
        options(alpha={"agee": 1.0}).check_columns(["age", "x"])


def test_options_are_plain_data_and_defaults_of_words_are_not_written():
    found = options(alpha=np.float32(2.0), priors=np.array([0.5, 0.5])).to_dict()
    assert (found["alpha"], found["priors"]) == (2.0, [0.5, 0.5])
    assert "min_count" not in found
    assert options(min_count=3).to_dict()["min_count"] == 3
