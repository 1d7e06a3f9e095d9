"""What a fitted naive Bayes says of itself: pictures of two classes, points of a number's line."""

from __future__ import annotations

import pytest
from svg import title, words

import tallystick as ts
from tallystick.bayes.estimator import MOST_MARKS, _points, _scale
from tallystick.errors import NotFitted, OptionError

ROWS = {"c": ["u", "v", "w"] * 10, "n": [float(i % 9) for i in range(30)], "y": ["a", "b", "c"] * 10}


@pytest.fixture(scope="module")
def model():
    return ts.NaiveBayes(distributions={"n": "poisson"}, kinds={"n": "numeric"}).fit(ROWS, "y")


def test_a_nomogram_sets_the_last_class_against_the_most_frequent_other(model):
    assert title(model.nomogram()) == "y: c against a"
    assert title(model.picture("a", "b")) == "y: a against b"
    assert {"u", "v", "w"} <= set(words(model.nomogram()))


def test_two_different_classes_are_needed(model):
    with pytest.raises(OptionError, match="both are 'a'"):
        model.nomogram("a", "a")
    with pytest.raises(OptionError, match="there is no class 'z'"):
        model.nomogram("z")
    with pytest.raises(NotFitted):
        ts.NaiveBayes().nomogram()


def test_points_of_a_count_are_round_and_never_below_0(model):
    part = next(p for p in model.model_.parts if p.name == "n")
    points = _points(model.model_, part, [0, 1]).tolist()
    assert points == sorted(points)
    assert points[0] >= 0


def test_a_column_of_many_levels_shows_the_strongest():
    rows = {
        "c": [f"l{i % 40:02}" for i in range(400)],
        "y": ["p" if i % 40 < 20 else "q" for i in range(400)],
    }
    many = ts.NaiveBayes().fit(rows, "y").model_
    assert len(_scale(many, 0, (1, 0, 1.0), {}).marks) == MOST_MARKS


def test_an_unfitted_model_stands_in_a_notebook_as_its_own_line(model):
    assert ts.NaiveBayes()._repr_html_().endswith(">NaiveBayes()</pre>")
    assert "<svg" in model._repr_html_()
