"""Calibration of scores that stay far away: slope and shifts of the same scores here, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from tallystick.bayes.folds import AllWhole, CalibrationSums, JointOf, _calibrated, calibrate
from tallystick.judge.answers import DiskAnswers
from tallystick.schema import Column, Schema, Target
from tallystick.table.block import RowBlock as Block


@pytest.mark.parametrize("classes", [2, 3])
def test_sums_of_blocks_calibrate_as_all_scores_at_once(classes, monkeypatch):
    rng = np.random.default_rng(classes)
    truth = rng.integers(0, classes, 200)
    scores = 4 * rng.normal(size=(200, classes)) + 2 * np.eye(classes)[truth]
    scores[rng.random(scores.shape) < 0.05] = -np.inf
    monkeypatch.setattr("tallystick.judge.folds.STEP", 60)
    answers = DiskAnswers(truth, scores, np.zeros(200, np.int64), 1 << 25)
    assert _calibrated(answers, classes, 200.0, 1) == calibrate(scores, truth, np.ones(200))
    asked = CalibrationSums((1.0, *[0.0] * classes), 1.0)
    assert len(asked.zero()) == len(answers.total(asked))


class Blocks:
    """Answers in blocks."""

    def __init__(self, *blocks):
        self.blocks = blocks

    def total(self, question):
        total = question.zero()
        for block in self.blocks:
            total = question.merge(question.add(question.zero(), block), total)
        return total


@pytest.mark.parametrize("unit", [1, 4])
def test_weights_of_blocks_calibrate_as_those_of_all_rows_at_once(unit):
    rng = np.random.default_rng(unit)
    truth, weights = rng.integers(0, 2, 200).astype(np.uint8), rng.integers(1, 40, 200)
    weights[100:] = 4 * unit  # one block has whole weights alone, whatever the unit is
    scores = 4 * rng.normal(size=(200, 2)) + 2 * np.eye(2)[truth]
    blocks = [
        Block(100, {str(c): scores[s, c] for c in (0, 1)}, truth[s], weights=weights[s])
        for s in (slice(100), slice(100, 200))
    ]
    here = calibrate(scores, truth.astype(np.int64), weights / unit)
    assert _calibrated(Blocks(*blocks), 2, weights.sum() / unit, unit) == here
    assert Blocks(*blocks).total(AllWhole(unit)) == (unit == 1)


def test_a_class_that_no_training_row_has_is_impossible():
    whole = Schema((Column("x", "levels", ("r", "s")),), Target("y", ("a", "b", "c")))

    class Model:
        schema = Schema((Column("x", "levels", ("s",)),), Target("y", ("a", "c")))

        def joint(self, block):
            return np.stack([block.codes("x") - 1.0, -1.0 * block.codes("x")], axis=1)

    block = Block(2, {"x": np.array([0, 1], np.uint8)}, np.array([0, 1], np.uint8))
    assert JointOf(Model(), whole)(block).tolist() == [[1.0, -np.inf, -2.0], [-1.0, -np.inf, 0.0]]
