"""How naive Bayes may read a column: one name each, fit for some kinds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from small_models import bayes

from tallystick.models.naive_bayes.distributions import (
    AUTO,
    DISTRIBUTIONS,
    every_name,
    fitting,
    of_part,
    smoothed_means,
)


def test_every_kind_has_its_names_and_the_default_comes_first():
    assert fitting("numeric") == (AUTO, "binned", "gaussian", "poisson")
    assert fitting("text") == ("multinomial", "complement", "bernoulli")
    assert fitting("levels") == ("levels",)
    assert set(every_name()) == {AUTO, *DISTRIBUTIONS}


def test_an_entry_is_called_what_it_is_listed_as_and_says_what_it_keeps():
    assert all(name == d.name for name, d in DISTRIBUTIONS.items())
    assert {d.keeps for d in DISTRIBUTIONS.values()} == {"counts", "sums", "words"}
    assert of_part(bayes().parts[0]) is DISTRIBUTIONS["gaussian"]


def test_means_are_drawn_to_the_mean_of_all_by_one_case():
    part = bayes().parts[0]  # sums 4 and 12 of 4 rows each, the mean of all is 2
    assert smoothed_means(part, bayes().options, 1).tolist() == [(4 + 2) / 5, (12 + 2) / 5]
    assert smoothed_means(part, bayes(m=0).options, 1).tolist() == [1.0, 3.0]


def test_a_poisson_column_adds_x_times_the_log_of_its_rate_less_the_rate():
    part = replace(bayes().parts[0], distribution="poisson")
    term = DISTRIBUTIONS["poisson"].term(part, bayes(m=0).options, 1)
    np.testing.assert_allclose(term.slope, np.log([1.0, 3.0]), atol=1e-15)
    assert term.at_zero.tolist() == [-1.0, -3.0]
