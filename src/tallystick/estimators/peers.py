"""Methods that are not ours, for comparison: the most frequent class, the mean, and any scikit-learn
estimator.

Knows pandas frames and scikit-learn's words. Both are what judging asks of a method: fit a table, answer
rows.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block, Table
from tallystick.data.source import open_source
from tallystick.errors import DataError, OptionError, counted, shown, some
from tallystick.estimators.plain_method import PlainMethod
from tallystick.evaluate.far_sums import class_weights, mean_response
from tallystick.evaluate.held_out import HeldOut

SLACK = 1e-3  # of the sum of shares: they may be floats of 16 bits


@dataclass(frozen=True)
class Same:
    """A model that answers every row alike. answer[class], or [0] in a regression."""

    answer: NDArray[np.float64]

    def shares(self, block: Block) -> NDArray[np.float64]:
        """Return the answer for every row."""
        return np.tile(self.answer, (block.rows, 1))


class Majority(PlainMethod):
    """Answers every row with the class shares of the training rows: the baseline as a method."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return no parameters: there are none."""
        return {}

    def _fit_table(self, table: Table) -> Self:
        """Count the classes."""
        full = class_weights(table)
        self.model_ = Same(full / full.sum())
        return self

    def _numbers(self) -> int:
        """Return how many shares there are to read: one less than classes."""
        return len(self.model_.answer) - 1


class Foreign(PlainMethod):
    """A scikit-learn estimator on the rows as they were read, in a pandas frame with the columns that are
    used.
    """

    def __init__(self, estimator: Any, frame: Any) -> None:
        if not hasattr(estimator, "fit") or not hasattr(estimator, "predict"):
            raise OptionError(
                f"{shown(type(estimator).__name__)} cannot be compared: it has no fit and predict."
            )
        self.estimator = estimator
        self.frame = frame

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the estimator and its rows."""
        return {"estimator": self.estimator, "frame": self.frame}

    def _rows(self, table: Any) -> Any:
        """Return the rows of a table, or rows held out, as a frame of the columns that are used."""
        if isinstance(table, HeldOut):
            return raw_frame(table.data)[self.names_]
        frame = self.frame[list(table.schema.needed)]
        return frame if table.kept is None else frame.iloc[table.kept]

    def _fit_table(self, table: Table) -> Self:
        """Fit a copy of the estimator on the table's rows."""
        self.fitted_ = copy.deepcopy(self.estimator)
        self.names_ = [c.name for c in table.schema.used]
        weights = {} if table.weights is None else {"sample_weight": table.weights / table.unit}
        self.labels_: NDArray[Any] | None = None
        truth: Any = table.response
        if table.classes is not None:
            self.labels_ = np.array(table.schema.predicted.values())
            truth = self.labels_[table.classes]
        self.fitted_.fit(self._rows(table), truth, **weights)
        return self

    def _predict_table(self, table: Any) -> NDArray[np.float64]:
        """Return P(class | row) [row, class]; an estimator without shares gives 1 to its answer. Regression:
        [row, 0].
        """
        rows = self._rows(table)
        if self.labels_ is None:
            return self._numbers_of(self.fitted_.predict(rows), "predict", (len(rows), 1))
        out = np.zeros((len(rows), len(self.labels_)))
        if hasattr(self.fitted_, "predict_proba"):
            at = self._classes_of(getattr(self.fitted_, "classes_", ()), "classes_")
            out[:, at] = self._shares_of(self.fitted_.predict_proba(rows), (len(rows), len(at)))
            return out
        answers = self._classes_of(self.fitted_.predict(rows), "predict")
        if len(answers) != len(rows):
            raise DataError(
                f"predict of {self._called} gave {counted(len(answers), 'answer')} for "
                f"{counted(len(rows), 'row')}. Correct the estimator, or leave it out."
            )
        out[np.arange(len(rows)), answers] = 1
        return out

    @property
    def _called(self) -> str:
        return shown(type(self.fitted_).__name__)

    def _classes_of(self, given: Any, how: str) -> list[int]:
        """Return the numbers of the classes that an estimator names."""
        assert self.labels_ is not None
        place = {label: k for k, label in enumerate(self.labels_.tolist())}
        named = np.asarray(given).ravel().tolist()
        if other := [label for label in named if label not in place]:
            raise DataError(
                f"{how} of {self._called} names {shown(other[0])}, which is not a class: {some(place)}. "
                "Correct the estimator, or leave it out."
            )
        return [place[label] for label in named]

    def _shares_of(self, given: Any, shape: tuple[int, int]) -> NDArray[np.float64]:
        """Return the shares that an estimator gave; a score of other numbers would say nothing."""
        shares = self._numbers_of(given, "predict_proba", shape)
        wrong = (shares.min(axis=1, initial=0) < -SLACK) | (np.abs(shares.sum(axis=1) - 1) > SLACK)
        if len(rows := np.flatnonzero(wrong)):
            raise DataError(
                f"predict_proba of {self._called} gave {some(shares[rows[0]].tolist())} for a row "
                f"({counted(len(rows), 'row')} of {len(shares):,}). Shares are from 0 to 1, and 1 together: "
                "correct the estimator, or leave it out."
            )
        return shares

    def _numbers_of(self, given: Any, how: str, shape: tuple[int, int]) -> NDArray[np.float64]:
        """Return what an estimator gave as numbers [row, answer]."""
        said = f"{how} of {self._called} gave"
        cure = f"It must give numbers of shape {shape}: correct the estimator, or leave it out."
        try:
            numbers = np.asarray(given, np.float64)
        except (TypeError, ValueError):
            raise DataError(f"{said} something that is not a number. {cure}") from None
        numbers = numbers[:, None] if numbers.ndim == 1 and shape[1] == 1 else numbers
        if numbers.shape != shape:
            raise DataError(f"{said} numbers of shape {numbers.shape}. {cure}")
        if count := int((~np.isfinite(numbers)).any(axis=1).sum()):
            raise DataError(f"{said} NaN or infinity in {counted(count, 'row')} of {len(numbers):,}. {cure}")
        return numbers

    def _numbers(self) -> int | None:
        """Return the weights of a linear model that are not 0, or the nodes of a tree; others do not say."""
        last = self.fitted_.steps[-1][1] if hasattr(self.fitted_, "steps") else self.fitted_
        if hasattr(last, "coef_"):
            constant = np.asarray(getattr(last, "intercept_", 0.0))
            return int(np.count_nonzero(last.coef_) + np.count_nonzero(constant))
        return int(last.tree_.node_count) if hasattr(last, "tree_") else None


class Mean(PlainMethod):
    """Answers every row with the mean response of the training rows: the baseline of a regression."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return no parameters: there are none."""
        return {}

    def _fit_table(self, table: Table) -> Self:
        """Take the mean."""
        self.model_ = Same(np.array([mean_response(table)]))
        return self

    def _numbers(self) -> int:
        """Return 1: the mean."""
        return 1


def raw_frame(data: Any) -> Any:
    """Return the rows of a source as a pandas frame, in their order, as they were read."""
    if type(data).__module__.startswith("pandas"):
        return data
    from tallystick.data.source.alike import one_table

    source = open_source(data)
    return one_table(source.batches(), source.columns).to_pandas()
