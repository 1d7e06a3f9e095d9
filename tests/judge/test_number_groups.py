"""Errors of numbers by group: counted by hand, and chance alone is not called a difference."""

from __future__ import annotations

import numpy as np
import pytest

import tallystick as ts
from tallystick.judge.groups import error_sizes, number_sentence
from tallystick.judge.result import FoldAnswers


def sizes(groups, truth, answer, weights=None):
    part = FoldAnswers(np.array(answer, float)[:, None], np.zeros(len(truth), np.int64))
    return error_sizes(np.array(groups), np.array(truth, float), part, weights)


def test_sizes_and_sides_are_those_counted_by_hand():
    first, second = sizes(["b", "b", "b", "a"], [1, 2, 3, 4], [2, 2, 1, 9])
    assert (first["group"], first["rows"], first["truth"]) == ("b", 3.0, 2.0)
    assert first["error"]["mean"] == 1.0
    assert first["over"]["mean"] == pytest.approx(-1 / 3)
    assert (second["group"], second["answer"], second["over"]["mean"]) == ("a", 9.0, 5.0)


def test_a_whole_weight_counts_as_so_many_rows():
    once = sizes(["a", "a", "b", "b"], [1, 2, 3, 5], [2, 2, 1, 1], np.array([2.0, 1.0, 1.0, 3.0]))
    copies = sizes(["a"] * 3 + ["b"] * 4, [1, 1, 2, 3, 5, 5, 5], [2, 2, 2, 1, 1, 1, 1])
    for one, other in zip(once, copies, strict=True):
        assert one["error"] == pytest.approx(other["error"])


def test_a_group_that_is_further_off_is_told_with_both_figures():
    draw = np.random.default_rng(3)
    truth = draw.normal(size=400)
    answer = truth + np.where(np.arange(400) < 200, 0.2, 1.5) * draw.choice([-1, 1], 400)
    said = number_sentence(sizes(["f"] * 200 + ["m"] * 200, truth, answer))
    assert said.startswith("Beyond chance: size of the error 1.5 where it is 'm', 0.2 elsewhere (2 comp")
    assert "answer less truth" not in said
    assert "fair" not in said


@pytest.mark.slow
def test_groups_of_one_kind_rarely_differ():
    draw, called = np.random.default_rng(0), 0
    for _ in range(200):
        truth = draw.normal(size=300)
        found = sizes(draw.integers(0, 3, 300).astype(str), truth, truth + draw.normal(size=300))
        called += number_sentence(found).startswith("Beyond")
    assert called <= 20  # 5 % are promised at most


@pytest.mark.slow
def test_cross_validation_of_a_regression_tells_errors_by_a_column_outside_the_model():
    rows = [{"x": i % 9, "sex": "fm"[i % 2], "y": i % 9 + 0.1 * (i % 7)} for i in range(120)]
    found = ts.cross_validate(ts.RegressionTree(kinds={"sex": "out"}), rows, "y", folds=3, by="sex")
    assert [g["rows"] for g in found.by("sex")] == [60.0, 60.0]
    assert "answer - truth" in str(found)
    assert found.to_dict()["by"]["sex"] == found.by("sex")
    assert found.said_by("sex").startswith("No group differs")
    card = ts.RegressionTree(kinds={"sex": "out"}).fit(rows, "y").card(rows, by="sex", folds=3)
    assert "| f | 60 |" in card.to_markdown()
