"""How far probabilities of naive Bayes could lie elsewhere: models that each lack a part of the rows.

Knows tables, folds and the learner's totals. Law: the same rows in any order give the same intervals.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Table
from tallystick.data.source.door import opened, with_each_row
from tallystick.errors import OptionError, counted
from tallystick.estimators.folds import fold_models, holds_values
from tallystick.estimators.inference import refuse_others
from tallystick.explain.interval import student
from tallystick.explain.tails import check_level
from tallystick.learners.naive_bayes import NaiveBayesLearner
from tallystick.learners.naive_bayes.folds import question
from tallystick.models.naive_bayes import NaiveBayesModel

if TYPE_CHECKING:
    from tallystick.estimators.naive_bayes import NaiveBayes

Array = NDArray[np.float64]
PARTS = 40


class BayesInference:
    """What a naive Bayes and its training rows let one conclude about its probabilities.

    The training rows are dealt into 40 parts, and each model that lacks one of them answers too (the
    jackknife of groups): how much their log-odds differ tells how much those of the model would, had other
    rows of the same kind been seen. Columns that go together make intervals wider, for whole rows are left
    out. That the answers themselves are off where columns depend on each other is not told: look at the
    calibration (`cross_validate`).
    """

    def __init__(self, whole: NaiveBayes, parts: list[NaiveBayes], level: float) -> None:
        self._whole, self._parts, self.level = whole, parts, level

    def predict_interval(self, X: Any) -> Array:
        """Return the interval of each probability of new rows.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix, records or dict
            New rows, with the columns of the fit.

        Returns
        -------
        array [row, class, 2]
            The lower and the upper end; `predict_proba` lies between them. NaN where a part of the rows
            decides whether a class is possible at all.
        """
        X = with_each_row(X)
        middle, many = _log_odds(self._whole, self._whole, X), len(self._parts)
        mean, squares = np.zeros_like(middle), np.zeros_like(middle)
        with np.errstate(invalid="ignore"):
            for part in self._parts:
                off = _log_odds(part, self._whole, X) - middle
                mean += off / many
                squares += off * off
            spread = np.sqrt((many - 1) / many * np.maximum(squares - many * mean * mean, 0.0))
            half = student(many - 1, self.level) * spread
            ends = np.stack([middle - half, middle + half], axis=-1)
        out: Array = 1.0 / (1.0 + np.exp(-np.clip(ends, -700.0, 700.0)))
        return out


def infer(estimator: NaiveBayes, X: Any, y: Any, sample_weight: Any, level: float) -> BayesInference:
    """Return what the fit lets one conclude; its training rows are given again."""
    from tallystick.evaluate import deal
    from tallystick.evaluate.cases import count_cases

    level = check_level(level)
    if estimator.model_.classes.size < 2:
        raise OptionError("the model knows one class only: there is nothing to infer.")
    table = estimator._read(opened(X), estimator.schema_.predicted.name if y is None else y, sample_weight)
    refuse_others(estimator, table)
    cases = count_cases(table)
    if cases < 4:
        raise OptionError(f"{counted(cases, 'row')} cannot be left out in parts. Use at least 4.")
    plan = deal(table, min(PARTS, cases), by_class=False)
    parts = []
    for model in _models(estimator, plan.pieces(table), plan):
        part = type(estimator)(**estimator.get_params(deep=False))
        part._adopt(model, (), dict(estimator.rows_))
        part._set_columns(estimator._columns_in(), estimator._named_columns)
        parts.append(part)
    return BayesInference(estimator, parts, level)


def _models(estimator: NaiveBayes, table: Table, plan: Any) -> Iterator[NaiveBayesModel]:
    """Yield the models that lack a part each: from one pass, or refitted where a choice needs the rows."""
    learner = NaiveBayesLearner(estimator._options(), table.unit, row_unit=table.row_unit)
    ask = None if estimator.calibrate else question(learner, table.schema)
    if ask is not None and holds_values(ask, table, table.rows, len(plan.numbers)):
        yield from (model for _, model in fold_models(ask, table, plan, estimator._engine(table)))
        return
    for train, _ in plan.parts():
        training = table.take(train)
        model, _ = estimator._learn(training, estimator._engine(training))
        yield cast(NaiveBayesModel, model)


def _log_odds(estimator: NaiveBayes, whole: NaiveBayes, X: Any) -> Array:
    """Return the log-odds of each class against all others, [row, class of the whole]."""
    own = estimator.schema_.predicted.labels
    at = [whole.schema_.predicted.labels.index(label) for label in own]
    parts = list(estimator._each_block(X, estimator.model_.log_shares))
    logs = np.full((sum(map(len, parts)), len(whole.schema_.predicted.labels)), -np.inf)
    logs[:, at] = np.concatenate([np.zeros((0, len(own))), *parts])
    out = np.empty_like(logs)
    with np.errstate(divide="ignore", invalid="ignore"):
        for c in range(logs.shape[1]):
            out[:, c] = logs[:, c] - np.logaddexp.reduce(np.delete(logs, c, axis=1), axis=1)
    out[~np.isfinite(out)] = np.nan
    return out
