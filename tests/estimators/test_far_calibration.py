"""Calibration of scores that stay far away: slope and shifts of the same scores here, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from tallystick.data.schema import Column, Schema, Target
from tallystick.data.table.block import Block
from tallystick.estimators.far_calibration import CalibrationSums, JointOf, _calibrated
from tallystick.evaluate.disk_answers import DiskAnswers
from tallystick.learners.calibrate import calibrate


@pytest.mark.parametrize("classes", [2, 3])
def test_sums_of_blocks_calibrate_as_all_scores_at_once(classes, monkeypatch):
    rng = np.random.default_rng(classes)
    truth = rng.integers(0, classes, 200)
    scores = 4 * rng.normal(size=(200, classes)) + 2 * np.eye(classes)[truth]
    scores[rng.random(scores.shape) < 0.05] = -np.inf
    monkeypatch.setattr("tallystick.evaluate.large.STEP", 60)
    answers = DiskAnswers(truth, scores, np.zeros(200, np.int64), 1 << 25)
    assert _calibrated(answers, classes, 200) == calibrate(scores, truth, np.ones(200))
    asked = CalibrationSums((1.0, *[0.0] * classes), 1.0)
    assert len(asked.zero()) == len(answers.total(asked))


def test_a_class_that_no_training_row_has_is_impossible():
    whole = Schema((Column("x", "levels", ("r", "s")),), Target("y", ("a", "b", "c")))

    class Model:
        schema = Schema((Column("x", "levels", ("s",)),), Target("y", ("a", "c")))

        def joint(self, block):
            return np.stack([block.codes("x") - 1.0, -1.0 * block.codes("x")], axis=1)

    block = Block(2, {"x": np.array([0, 1], np.uint8)}, np.array([0, 1], np.uint8))
    assert JointOf(Model(), whole)(block).tolist() == [[1.0, -np.inf, -2.0], [-1.0, -np.inf, 0.0]]
