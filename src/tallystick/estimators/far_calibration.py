"""Calibrating naive Bayes where the rows stay with Spark: scores of rows that models had not seen stay there,
and each step of the calibration asks for a few sums of them.

Knows folds of rows far away, models and the sums of a calibration. Law: slope and shifts are those of the
same rows here, bit for bit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block, Engine
from tallystick.data.schema import Schema
from tallystick.data.table.subset import recode_block
from tallystick.evaluate.far_dealing import FarDealing
from tallystick.evaluate.running import spread
from tallystick.evaluate.summed_answers import AnswerRows, answers_in
from tallystick.learners.calibrate import maximised, nearby, objective, term_sums, whole_unit
from tallystick.learners.fit import fit
from tallystick.learners.naive_bayes import NaiveBayesLearner
from tallystick.models.naive_bayes import Calibration, NaiveBayesModel

Array = NDArray[np.float64]


@dataclass(frozen=True)
class JointOf:
    """The scores of the rows of a fold, in the codes of the whole table."""

    model: NaiveBayesModel
    whole: Schema

    def __call__(self, block: Block) -> Array:
        """Return scores[row, class of the whole table]: minus infinity where training rows lack it."""
        own = recode_block(block, self.whole, self.model.schema)  # type: ignore[arg-type]
        labels = self.model.schema.predicted.labels
        return spread(self.model.joint(own), labels, self.whole.predicted.labels, -np.inf)


@dataclass(frozen=True)
class CalibrationSums:
    """Ask blocks of scores for the sums of a step of a calibration at (slope, shift...). unit: what a row of
    weight 1 weighs; whole: no row weighs a part of one.
    """

    at: tuple[float, ...]
    one: float
    unit: int = 1
    whole: bool = True

    def zero(self) -> NDArray[np.int64]:
        """Return the total of no rows."""
        k = len(self.at) - 1
        return np.zeros(3 + 2 * k + k * (k + 1) // 2, np.int64)

    def add(self, total: NDArray[np.int64], block: Block) -> NDArray[np.int64]:
        """Add the rows of one block."""
        truth, scores = answers_in(block, len(self.at) - 1)
        weights = None if block.weights is None else block.weights / self.unit
        return total + term_sums(nearby(scores), truth, np.array(self.at), self.one, weights, self.whole)

    def merge(self, total: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
        """Add two totals."""
        return total + other


@dataclass(frozen=True)
class AllWhole:
    """Ask whether no row weighs a part of one. unit: what a row of weight 1 weighs."""

    unit: int

    def zero(self) -> bool:
        """Return the total of no rows."""
        return True

    def add(self, total: bool, block: Block) -> bool:
        """Add the rows of one block."""
        return total and (block.weights is None or not (block.weights % self.unit).any())

    def merge(self, total: bool, other: bool) -> bool:
        """Add two totals."""
        return total and other


def calibrated_far(
    model: NaiveBayesModel, dealing: FarDealing, folds: int, engine: Engine
) -> NaiveBayesModel:
    """Return the model with slope and shifts fitted to the scores of rows its like had not seen."""
    learner = NaiveBayesLearner(model.options, model.unit)
    rows = dealing.outer(min(folds, dealing.dealer.cases))
    try:
        works = []
        for f in range(len(rows.sizes)):
            training = rows.training(f)
            try:
                works.append(JointOf(fit(learner, training, engine), rows.schema))
            finally:
                training.release()
        scores = rows.answered(works)
        try:
            weight = dealing.table.weight / rows.unit
            slope, shift = _calibrated(scores, len(rows.schema.predicted.labels), weight, rows.unit)
        finally:
            scores.release()
    finally:
        rows.release()
    return replace(model, calibration=Calibration(slope, shift))


def _calibrated(
    scores: AnswerRows, classes: int, weight: float, unit: int
) -> tuple[float, tuple[float, ...]]:
    one, whole = whole_unit(weight), unit == 1 or scores.total(AllWhole(unit))

    def look(at: Array) -> tuple[float, Array, Array]:
        asked = CalibrationSums(tuple(at.tolist()), one, unit, whole)
        return objective(scores.total(asked), at, one)

    return maximised(look, classes)
