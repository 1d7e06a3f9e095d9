"""What all estimators of a number share: answering, its interval, and how well.

Knows fitted models by their contract. Knows nothing of any learner.
Law: an answer is `shares[row, 0]` of the model, whoever asks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tallystick.data.source.door import opened
from tallystick.errors import DataError
from tallystick.estimators.base import Estimator

if TYPE_CHECKING:
    from tallystick.contracts import Table
    from tallystick.explain.effect import ColumnEffect
    from tallystick.explain.effect_pair import PairEffect


class Regressor(Estimator):
    """Predict and score for estimators of a number."""

    _estimator_type = "regressor"
    _regression: ClassVar[Literal[True]] = True

    def _read(self, X: Any, y: Any = None, sample_weight: Any = None) -> Table:
        """Return the encoded table that `_fit_table` learns from."""
        alone = isinstance(y, str) or (isinstance(y, np.ndarray) and y.ndim == 0)
        if isinstance(y, Sized) and not alone and len(y) == 1:
            raise DataError("one sample (row) is too few to learn from. Give at least two rows.")
        return super()._read(X, y, sample_weight)

    def predict(
        self, X: Any, *, lenient: bool = False, missing_columns: str = "error"
    ) -> NDArray[np.float64]:
        """Return the number answered for each row: of a tree the mean response of its leaf.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix, records or dict
            New rows, with the columns of the fit; a dict of values is one row.
        lenient : bool, default False
            Whether cells that cannot be read as numbers count as missing; otherwise they are an error.
        missing_columns : {"error", "as-missing"}, default "error"
            What to do about columns of the fit that are not there.

        Returns
        -------
        array [row]
            The answers. NaN for a row of a file that cannot be read.
        """
        return np.ascontiguousarray(self._shares(X, lenient=lenient, missing_columns=missing_columns)[:, 0])

    def predict_one(
        self, row: Mapping[str, Any], *, lenient: bool = False, missing_columns: str = "error"
    ) -> float:
        """Return the number answered for a single row, as `predict` answers it.

        Parameters
        ----------
        row : dict
            The values of one row, by column.
        lenient : bool, default False
            Whether cells that cannot be read as numbers count as missing; otherwise they are an error.
        missing_columns : {"error", "as-missing"}, default "error"
            What to do about columns of the fit that are not there.

        Returns
        -------
        float
            The answer.
        """
        return float(self._shares_of_one(row, lenient=lenient, missing_columns=missing_columns)[0])

    def predict_interval(
        self, X: Any, *, lenient: bool = False, missing_columns: str = "error"
    ) -> NDArray[np.float64]:
        """Return a 95 % interval of the mean of new rows like each, by Student's t; not of a single row.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix, records or dict
            New rows, with the columns of the fit; a dict of values is one row.
        lenient : bool, default False
            Whether cells that cannot be read as numbers count as missing; otherwise they are an error.
        missing_columns : {"error", "as-missing"}, default "error"
            What to do about columns of the fit that are not there.

        Returns
        -------
        array [row, 2]
            The lower and the upper end; NaN where a leaf has one row, or a row goes down several branches.
        """
        from tallystick.estimators.sureness import intervals

        return intervals(self, X, lenient=lenient, missing_columns=missing_columns)[:, 0]

    def effect(self, column: str | Sequence[str], X: Any) -> ColumnEffect | PairEffect:
        """Return what the model answers, on average over rows, when a column has one value in all of them.

        Parameters
        ----------
        column : str or two of them
            The column: of numbers, levels, ordered or boolean; of two the plane of both.
        X : path, frame, Arrow table, matrix or records
            The rows to average over, the training rows say, with the columns of the fit.

        Returns
        -------
        ColumnEffect or PairEffect
            For each value the mean answer, its band, and its rows; of two columns the mean answers on their
            plane.
        """
        from tallystick.explain.effect_pair import effect_of

        self._check_fitted()
        return effect_of(self.model_, [matched.block for matched in self._blocks(X)], column, 0)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return R²: the share of the response's variance that the model explains on these rows.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix or records
            The rows.
        y : str or array, default None
            The responses, or the name of their column; None is the target's.
        sample_weight : array or str, default None
            The weight of each row; None is 1.

        Returns
        -------
        float
            R², 1 for perfect answers.
        """
        self._check_fitted()
        X = opened(X)
        table = self._read(X, self.schema_.predicted.name if y is None else y, sample_weight)
        truth = table.response
        assert truth is not None
        found = self.predict(X)
        if len(found) != len(truth):
            raise DataError(f"{len(found) - len(truth):,} rows have no response. Leave them out to score.")
        weights = np.ones(len(truth)) if table.weights is None else table.weights.astype(np.float64)
        middle = float(np.average(truth, weights=weights))
        spread = float((weights * (truth - middle) ** 2).sum())
        lost = float((weights * (truth - found) ** 2).sum())
        return 1.0 - lost / spread if spread else float(lost == 0)

    def __sklearn_tags__(self) -> Any:
        """Return tags for scikit-learn, which is loaded when this is called."""
        from sklearn.utils import InputTags, RegressorTags, Tags, TargetTags

        return Tags(
            estimator_type="regressor",
            target_tags=TargetTags(required=True),
            regressor_tags=RegressorTags(),
            input_tags=InputTags(allow_nan=True, string=True, categorical=True, sparse=True),
        )
