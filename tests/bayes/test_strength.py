"""How many bits a column tells about the class."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from small_models import bayes

from tallystick.bayes.model import Worded, strengths


def with_counts(counts, **options):
    model = bayes(**options)
    return strengths(replace(model, parts=(replace(model.parts[1], counts=np.array(counts)),)))["a"]


def test_a_column_that_is_the_same_for_every_class_has_no_strength():
    assert with_counts([[2, 2], [2, 2]]) == 0.0
    same = replace(bayes().parts[0], sums=(bayes().parts[0].sums[0],) * 2, squares=(8 << 2148,) * 2)
    assert strengths(replace(bayes(), parts=(same,)))["x"] == pytest.approx(0.0, abs=1e-12)


def test_levels_that_tell_two_even_classes_apart_are_worth_one_bit():
    assert with_counts([[4, 0], [0, 4]], alpha=0.0) == pytest.approx(1.0)


def test_a_gaussian_is_worth_more_the_further_its_means_lie_apart():
    near = strengths(bayes())["x"]
    part = bayes().parts[0]
    far = replace(part, sums=(part.sums[0], 10 * part.sums[1]), squares=(part.squares[0], 3604 << 2148))
    assert 0 < near < strengths(replace(bayes(), parts=(far,)))["x"] <= 1.0 + 1e-9


def test_words_are_worth_the_sum_of_what_each_tells():
    none, rows = np.zeros(2, np.int64), np.array([4, 4])
    one = Worded("t", "bernoulli", np.array([[4, 0]]), none, rows)
    two = Worded("t", "bernoulli", np.array([[4, 0], [4, 0]]), none, rows)
    found = [strengths(replace(bayes(), parts=(part,)))["t"] for part in (one, two)]
    assert found[1] == pytest.approx(2 * found[0])
