"""Why naive Bayes answers as it does: shares, votes and parts that follow from the counts."""

from __future__ import annotations

import json
import math

import pytest

import tallystick as ts
from tallystick.bayes.explain import Explanation, Reason, bin_names, shares, votes
from tallystick.errors import OptionError

ROWS = {"wind": ["weak", "weak", "strong", "weak"], "play": ["yes", "yes", "no", "no"]}


def fitted(**options):
    return ts.NaiveBayes(alpha=1.0, **options).fit(ROWS, "play")


def test_bins_are_named_as_conditions():
    assert bin_names([3.5, 7]) == ["< 3.5", "3.5 to 7", ">= 7"]
    assert bin_names([2.0]) == ["< 2", ">= 2"]
    assert bin_names([]) == ["any"]


def test_shares_are_the_smoothed_counts():
    found = shares(fitted().model_, "wind")
    assert found.counts.tolist() == [[1, 0], [1, 2]]
    assert found["weak", "yes"] == pytest.approx((2 + 1) / (2 + 2))
    assert found["strong", "no"] == pytest.approx((1 + 1) / (2 + 2))


def test_a_column_of_two_values_votes_once():
    (vote,) = votes(fitted().model_)
    assert (vote.column, vote.value, vote.label) == ("wind", "weak", "yes")
    assert vote.weight == pytest.approx(math.log(3 / 1) - math.log(2 / 2))
    assert votes(fitted().model_, "no")["wind"] == pytest.approx(-vote.weight)


def test_the_parts_of_a_row_add_up_to_its_score():
    found = fitted().explain({"wind": "strong"})
    assert found.scores == pytest.approx(
        [a + b for a, b in zip(found.base, found.reasons[0].parts, strict=True)]
    )
    assert found.answer == "no"
    assert found.for_class("yes") == [("wind", "strong", pytest.approx(math.log(1 / 2)))]
    assert fitted().explain({"wind": None}).reasons[0].value == "missing"
    assert fitted().explain({"wind": "gale"}).reasons[0].value == "a new level"


def test_what_the_model_does_not_have_is_named():
    with pytest.raises(OptionError, match=r"no column 'win'\. Did you mean 'wind'"):
        shares(fitted().model_, "win")
    with pytest.raises(OptionError, match=r"there is no class 'yess'\. Did you mean 'yes'"):
        votes(fitted().model_, "yess")


def test_a_class_is_asked_for_by_its_value_or_refused_in_one_line():
    found = Explanation(
        ("false", "true"), (0.0, 0.0), (Reason("a", "x", (0.0, 1.0)),), (0.0, 1.0), (0.25, 0.75), False
    )
    assert found.for_class(True) == [("a", "x", 1.0)]
    with pytest.raises(OptionError, match=r"there is no class 'maybe'.* Classes: 'false', 'true'\."):
        found.for_class("maybe")


def test_an_impossible_row_is_told_as_answered_by_the_prior():
    found = Explanation(("p", "q"), (-1.0, -0.5), (), (-math.inf, -math.inf), (0.4, 0.6), True)
    assert "answered by the prior alone" in str(found)


def test_a_number_is_the_class_that_it_means_however_it_is_written():
    model = ts.NaiveBayes().fit({"c": ["u", "v", "u", "v"], "y": [0, 1, 0, 1]}, "y").model_
    assert votes(model, 1.0)["c"] == votes(model, 1)["c"] == votes(model, "1")["c"]


ZERO = [{"a": "x", "b": "p", "y": 0}, {"a": "z", "b": "p", "y": 1}, {"a": "z", "b": "q", "y": 1}] * 2


def test_a_share_of_zero_is_said_as_what_it_is():
    model = ts.NaiveBayes(alpha=0).fit(ZERO, "y")
    found = model.explain({"a": "x", "b": "p"})
    text = str(found)
    assert "a = x                                         share 0 rules out 1" in text
    assert text.splitlines()[-1].endswith(" none 1 is impossible")
    both = str(model.explain({"a": "x", "b": "q"}))
    assert both.splitlines()[-1].endswith(" none every class is impossible")
    for said in (text, both, str(model.votes()), found.picture(), model.votes().picture()):
        assert "inf" not in said
        assert "nan" not in said


def test_a_share_of_zero_is_plain_data():
    model = ts.NaiveBayes(alpha=0).fit(ZERO, "y")
    data = json.loads(json.dumps(model.explain({"a": "x", "b": "p"}).to_dict(), allow_nan=False))
    assert data["reasons"][0]["parts"] == [0.0, None]
    assert data["scores"][1] is None
    assert data["shares"] == [1.0, 0.0]
    votes = json.loads(json.dumps(model.votes().to_dict(), allow_nan=False))
    assert votes["votes"][0] == {"column": "a", "value": "z", "class": "1", "weight": None}


def test_words_that_never_occur_in_a_class_are_said():
    rows = [{"t": t, "y": y} for t, y in (("red red blue", 0), ("blue", 1), ("red green", 1), ("red", 0))]
    text = str(ts.NaiveBayes(alpha=0, kinds={"t": "text"}).fit(rows, "y").explain({"t": "green blue"}))
    assert "words in t for: green (share 0), blue +0.29" in text
