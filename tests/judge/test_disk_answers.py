"""Scores of more rows than memory holds are those of rows in memory."""

from __future__ import annotations

import numpy as np
import pytest
from same_scores import same_scores

from tallystick.judge import folds as large
from tallystick.judge.result import CrossValidation, FoldAnswers

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("classes", ["pq", "pqr"])
@pytest.mark.parametrize("values", [3, 50, 1_000])
@pytest.mark.parametrize("priced", [False, True])
def test_answers_that_memory_does_not_hold_are_scored_as_those_that_it_holds(
    monkeypatch, classes, values, priced
):
    rng = np.random.default_rng(values)
    truth, fold = rng.integers(0, len(classes), 2_000), rng.integers(-1, 4, 2_000)
    shares = rng.integers(1, values, (2_000, len(classes))) + 3.0 * np.eye(len(classes))[truth]
    shares /= shares.sum(axis=1, keepdims=True)
    cost = np.arange(1.0, len(classes) ** 2 + 1).reshape(len(classes), -1) if priced else None
    monkeypatch.setattr(large, "STEP", 300)
    monkeypatch.setattr(large, "SORTED_BYTES", 1 << 14)
    one, other = (
        CrossValidation(tuple(classes), truth, (FoldAnswers(shares, fold, budget=budget),), cost=cost)
        for budget in (1 << 25, 0)
    )
    same_scores(one.scores, other.scores)
    assert [m.name for m in one.measures] == [m.name for m in other.measures]
