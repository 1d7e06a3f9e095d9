"""Bayes' rule on a small table of hypotheses, worked out by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tallystick.errors import OptionError
from tallystick.teach.learn import bayes_rule


def test_a_rare_disease_and_a_good_test():
    found = bayes_rule({"ill": 0.01, "well": 0.99}, {"ill": 0.9, "well": 0.05})
    assert found.evidence == pytest.approx(0.0585)
    assert found["ill"] == pytest.approx(0.009 / 0.0585)
    assert found.to_dict()["product"] == pytest.approx({"ill": 0.009, "well": 0.0495})


def test_fractions_and_whole_numbers_stay_exact():
    found = bayes_rule([Fraction(1, 3), Fraction(2, 3)], [1, Fraction(1, 2)])
    assert found.posterior == {"h1": Fraction(1, 2), "h2": Fraction(1, 2)}
    assert found.predict({"h1": 1, "h2": Fraction(1, 4)}) == Fraction(5, 8)
    assert bayes_rule([1, 0], [1, 1])["h1"] == 1


def test_hypotheses_may_be_left_out_where_the_evidence_is_given():
    assert bayes_rule({"ill": 0.01}, {"ill": 0.9}, evidence=0.05)["ill"] == pytest.approx(0.18)


@pytest.mark.parametrize(
    ("prior", "likelihoods", "says"),
    [
        ([0.5, 0.4], [1, 1], "the priors sum to 0.9, not to 1"),
        ([1.5, -0.5], [1, 1], "the prior of 'h1' is 1.5, not between 0 and 1"),
        ([0.5, 0.5], [1, 2], "the likelihood of 'h2' is 2, not between 0 and 1"),
        ({"a": 1}, {"b": 1}, "must name the same hypotheses as the prior; 'a', 'b' differ"),
        ([0.5, 0.5], [0, 0], "the evidence is impossible under every hypothesis"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(prior, likelihoods, says):
    with pytest.raises(OptionError, match=says):
        bayes_rule(prior, likelihoods)


def test_the_computation_is_shown_line_by_line_with_clean_names():
    lines = str(bayes_rule({"\x1b[2J": 0.25, "b": 0.75}, {"\x1b[2J": 0.5, "b": 0.5})).splitlines()
    assert lines[1].split() == ["\\x1b[2J", "0.25", "x", "0.5", "=", "0.125", "0.25"]
    assert lines[-1].split() == ["sum", "0.5", "=", "P(evidence)"]
