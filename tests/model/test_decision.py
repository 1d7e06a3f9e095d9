"""Which class is answered for some shares."""

from __future__ import annotations

import numpy as np
import pytest

from tallystick.errors import OptionError
from tallystick.model.decision import cheapest, decide, decision_of, from_dict
from tallystick.schema import Target


def test_the_largest_share_is_answered_and_of_equals_the_first():
    assert decide(np.array([[0.5, 0.5], [0.4, 0.6]])).tolist() == [0, 1]
    assert decide(np.array([[0.2, 0.4, 0.4], [0.5, 0.1, 0.4]])).tolist() == [1, 0]


def test_costs_make_the_least_expected_cost_the_answer():
    costs = np.array([[0.0, 1.0], [10.0, 0.0]])  # to miss the second class is dear
    shares = np.array([[0.95, 0.05], [0.9, 0.1]])
    assert decide(shares, costs).tolist() == [0, 1]
    assert cheapest(np.array([[0.5, 0.5]]), np.ones((2, 2))).tolist() == [0]


def test_no_rows_have_no_answers_and_one_class_is_the_answer():
    assert decide(np.zeros((0, 2))).tolist() == []
    assert decide(np.ones((2, 1))).tolist() == [0, 0]


TWO = Target("loan", ("bad", "good"))


def test_a_threshold_answers_its_class_above_it_and_0_5_as_no_decision_does():
    shares = np.array([[p, 1 - p] for p in np.linspace(0, 1, 101)])
    for of, own in (("bad", 0), ("good", 1)):
        low = decide(shares, decision_of(TWO, threshold=0.255, of=of).table)
        assert (low == own).tolist() == (shares[:, own] > 0.255).tolist()
        half = decide(shares, decision_of(TWO, threshold=0.5, of=of).table)
        assert half.tolist() == decide(shares).tolist()


def test_at_exactly_the_threshold_the_first_class_is_answered():
    shares = np.array([[0.3, 0.7], [0.7, 0.3]])
    assert decide(shares, decision_of(TWO, threshold=0.3, of="bad").table).tolist() == [0, 0]
    assert decide(shares, decision_of(TWO, threshold=0.3, of="good").table).tolist() == [1, 0]


def test_a_decision_is_what_its_plain_data_says():
    for wish in ({"threshold": 0.3, "of": "bad"}, {"costs": {"bad": {"good": 5}}}):
        made = decision_of(TWO, **wish)
        assert from_dict(made.to_dict(), TWO) == made
    assert from_dict(None, TWO) is None


def test_a_decision_says_what_it_does():
    assert str(decision_of(TWO, threshold=0.3, of="bad")) == (
        "bad where its probability is above 0.3, else good"
    )
    assert str(decision_of(TWO, costs={"bad": {"good": 5}})) == (
        "the class of least expected cost (bad answered good costs 5, good answered bad costs 1)"
    )
    three = Target("y", ("a", "b", "c"))
    assert str(decision_of(three, costs={"a": {"b": 5}})) == (
        "the class of least expected cost (a answered b costs 5, every other error 1)"
    )


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ({}, "made of costs or of a threshold"),
        ({"costs": {"bad": {"good": 5}}, "threshold": 0.5}, "made of costs or of a threshold"),
        ({"threshold": 0.5}, r"of which class\? Pass of='bad' or of='good'"),
        ({"threshold": 0.5, "of": "bda"}, r"no class 'bda'\. Did you mean 'bad'"),
        ({"threshold": 1, "of": "bad"}, "between 0 and 1, not 1"),
        ({"threshold": "much", "of": "bad"}, "between 0 and 1, not 'much'"),
        ({"costs": {"bda": {"good": 5}}}, "costs name 'bda'"),
        ({"costs": {"bad": {"good": 5}}, "of": "bad"}, "of= names the class of a threshold"),
    ],
)
def test_a_decision_that_makes_no_sense_is_refused_in_one_line(wish, said):
    with pytest.raises(OptionError, match=said) as caught:
        decision_of(TWO, **wish)
    assert "\n" not in str(caught.value)


def test_three_classes_have_costs_and_no_threshold():
    with pytest.raises(OptionError, match=r"a threshold is for two classes, and 'y' has 3\. Pass costs"):
        decision_of(Target("y", ("a", "b", "c")), threshold=0.4, of="a")
