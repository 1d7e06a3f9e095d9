"""The small functions: the numbers of the worked examples, and those of the methods."""

from __future__ import annotations

from fractions import Fraction
from importlib.resources import files

import numpy as np
import pytest

import tallystick as ts
from tallystick.errors import OptionError

TENNIS = files("tallystick") / "examples" / "play-tennis.csv"
BALLS = [{"R": int(i < 16), "B": int(i < 6 or 16 <= i < 28)} for i in range(49)]
SPORT = [
    dict(zip(("Sky", "Water", "Forecast", "Enjoy"), line.split(), strict=True))
    for line in (
        "Sunny Warm Same Yes",
        "Sunny Warm Same No",
        "Rainy Warm Change No",
        "Sunny Cool Change Yes",
        "Sunny Cool Same No",
    )
]


def test_entropy_and_gini_of_counts_and_shares():
    assert ts.learn.entropy([1 / 2, 1 / 4, 1 / 8, 1 / 8]) == 1.75
    assert ts.learn.entropy([1, 1, 1, 1]) == 2
    assert ts.learn.entropy({"No": 5, "Yes": 9}) == pytest.approx(0.9403, abs=1e-4)
    assert ts.learn.entropy([]) == ts.learn.entropy([7]) == ts.learn.gini([0]) == 0
    assert ts.learn.gini([2, 1, 1]) == 0.625


def test_gains_are_those_of_the_tree():
    tree = ts.DecisionTree.id3().fit(TENNIS, "Play")
    for split in tree.splits(0).candidates:
        branches = [list(c) for c in split.counts]
        assert ts.learn.gain(branches) == pytest.approx(split.gain, abs=1e-12)
        assert ts.learn.gain_ratio(branches) == pytest.approx(split.ratio, abs=1e-12)
    assert ts.learn.gain([[1, 0], [100, 100]]) == pytest.approx(ts.learn.entropy([101, 100]) - 200 / 201)
    assert ts.learn.gain([[2, 2], [2, 0]], "gini") == pytest.approx(4 / 9 - 1 / 3)


def test_what_cannot_be_counted_is_refused():
    with pytest.raises(OptionError, match="from 0 up, not -1"):
        ts.learn.entropy([3, -1])
    with pytest.raises(OptionError, match="the rows of every class"):
        ts.learn.gain([[1, 2], [3]])
    with pytest.raises(OptionError, match="there is no criterion 'ginni'"):
        ts.learn.gain([[1, 2]], "ginni")
    with pytest.raises(OptionError, match="columns must be a whole number from 1"):
        ts.learn.count_parameters(0)
    with pytest.raises(OptionError, match="too many to write out"):
        ts.learn.count_hypotheses(40)


def test_a_parabola_has_no_correlation_and_tells_all_the_same():
    found = ts.learn.independent([{"x": x, "y": x * x} for x in range(-50, 51)], "x", "y")
    assert found.correlation == pytest.approx(0, abs=1e-12)
    assert found.bits > 5 * found.by_chance > 0
    assert not found.exact
    assert found.cut == ("x", "y")
    assert "\nx and y cut into 6 bins of about equal rows\n" in str(found)


def test_a_few_numbers_tell_as_much_as_they_gain():
    rows = [{"x": x, "y": x * x} for x in range(-3, 4)]
    found = ts.learn.independent(rows, "x", "y")
    assert found.bits == pytest.approx(ts.learn.entropy([1, 2, 2, 2]))  # y is known where x is: all its bits
    assert found.cut == ()
    assert "cut into" not in str(found)


def test_the_balls_are_not_independent_and_given_the_third_they_are():
    found = ts.learn.independent(BALLS, "R", "B")
    assert found.shares == (Fraction(6, 49), Fraction(16, 49), Fraction(18, 49))
    assert not found.exact
    assert "P(both) = 6/49 ≠ 288/2401" in str(found)
    given = [{"R": int(i % 3 == 0), "B": int(i % 2 == 0), "Y": "y"} for i in range(6)]
    given += [{"R": 0, "B": i % 2, "Y": "n"} for i in range(4)]
    known = ts.learn.independent(given, "R", "B", given="Y")
    assert known.exact
    assert dict(known.shares_given)["y"] == (Fraction(1, 6), Fraction(1, 3), Fraction(1, 2))
    assert "P(both | Y = y) = 1/6 = 1/6 = 1/3 · 1/2 = P(R | Y = y) · P(B | Y = y)\n" in str(known)
    assert "P(R or B) = 16/49 + 18/49 − 6/49 = 4/7\n" in str(found)
    with pytest.raises(OptionError, match="named twice"):
        ts.learn.independent(BALLS, "R", "R")
    with pytest.raises(OptionError, match="no column 'C'"):
        ts.learn.independent(BALLS, "R", "C")


def test_joint_counts_stand_beside_naive_products():
    found = ts.learn.joint(SPORT, "Enjoy", {"Sky": "Sunny", "Water": "Warm", "Forecast": "Change"})
    assert found.same == {"No": 0, "Yes": 0}
    assert found.naive == pytest.approx({"Yes": 0.1, "No": 0.08889}, abs=1e-5)
    there = ts.learn.joint(SPORT, "Enjoy", {"Sky": "Sunny", "Water": "Warm", "Forecast": "Same"})
    assert there.same == {"No": 1, "Yes": 1}
    assert "with just these values" in str(there)


@pytest.mark.parametrize("n", [2, 3])
def test_parameters_are_as_many_as_the_models_have(n):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(60, n))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    told = ts.learn.count_parameters(n)
    assert (told["bayes-gaussian"], told["bayes-gaussian-shared"], told["logistic"]) == (
        4 * n + 1,
        3 * n + 1,
        n + 1,
    )
    plain = ts.NaiveBayes(distributions="gaussian")
    shared = ts.NaiveBayes(distributions="gaussian", share="classes")
    for name, model in (("bayes-gaussian", plain), ("bayes-gaussian-shared", shared)):
        assert model.fit(X, y)._numbers() == told[name]
    assert ts.LogisticRegression().fit(X, y)._numbers() == told["logistic"]
    flags = X > 0
    assert ts.NaiveBayes().fit(flags, y)._numbers() == told["bayes"]


def test_hypotheses_grow_as_powers_of_powers():
    assert ts.learn.count_hypotheses(4) == {"rows": 16, "functions": 65536, "conjunctions": 82}
    assert ts.learn.count_parameters(10)["joint"] == 2 * (2**10 - 1) + 1
