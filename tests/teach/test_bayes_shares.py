from fractions import Fraction

import numpy as np
import pytest

import tallystick as ts
from tallystick.bayes.work import CountedShare, laplace, priors_of, shares_of
from tallystick.teach.document import flat

ROWS = [{"a": a, "y": y} for a, y in (("x", 0), ("x", 0), ("z", 1), ("w", 1), ("z", 0))]


@pytest.mark.parametrize("settings", [{}, {"alpha": 0.5}, {"m": 2, "p": 0.25}, {"alpha": 0}])
def test_a_corrected_share_is_the_models_own(settings):
    model = ts.NaiveBayes(**settings).fit(ROWS, "y").model_
    found = shares_of(model.parts[0], model.options)
    own = [[float(s.value) for s in row] for row in found.corrected]
    np.testing.assert_allclose(own, model.parts[0].shares(model.options, 1), rtol=1e-14)
    assert found.plain == (settings == {"alpha": 0})


@pytest.mark.parametrize("distribution", ["multinomial", "bernoulli"])
def test_the_shares_of_words_are_the_models_own(distribution):
    rows = [{"t": t, "y": y} for t, y in (("red red blue", 0), ("blue", 1), ("red green", 1))]
    model = ts.NaiveBayes(kinds={"t": "text"}, distributions=distribution).fit(rows, "y").model_
    found = shares_of(model.parts[0], model.options)
    own = [[float(s.value) for s in row] for row in found.corrected]
    np.testing.assert_allclose(own, model.parts[0].shares(model.options, 1), rtol=1e-14)


def test_a_share_is_written_as_it_was_counted():
    assert flat(CountedShare(2, 6).written) == "2/6"
    assert flat(CountedShare(0, 5, Fraction(1), Fraction(2)).written) == "1/7"
    assert flat(CountedShare(1, 5, Fraction(1, 2), Fraction(1)).written) == "1.5/6"
    assert CountedShare(0, 0, empty=Fraction(1, 2)).value == Fraction(1, 2)


def test_laplace_adds_one_case_for_each_value():
    model = ts.NaiveBayes(alpha=0).fit(ROWS, "y").model_
    found = laplace(shares_of(model.parts[0], model.options))
    assert [flat(row[0].written) for row in found.corrected] == ["1/6", "3/6", "2/6"]


def test_priors_are_counted_given_equal_or_none():
    def of(priors):
        return priors_of(ts.NaiveBayes(priors=priors).fit(ROWS, "y").model_)

    assert [p.value for p in of("data")] == [Fraction(3, 5), Fraction(2, 5)]
    assert of("uniform") == [Fraction(1, 2)] * 2
    assert of("none") is None
    assert of([0.1, 0.9]) == [Fraction(1, 10), Fraction(9, 10)]
