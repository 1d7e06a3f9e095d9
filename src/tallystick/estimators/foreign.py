"""Methods that are not ours, for comparison: the most frequent class, and any scikit-learn estimator.

Knows pandas frames and scikit-learn's words. Both are what judging asks of a method: fit a table, answer
rows.
"""

from __future__ import annotations

import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block
from tallystick.data.encode import Table
from tallystick.data.source import open_source
from tallystick.errors import OptionError, shown


class Majority:
    """Answers every row with the class shares of the training rows: the base rate as a method."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return no parameters: there are none."""
        return {}

    def fit_table(self, table: Table) -> Self:
        """Count the classes."""
        assert table.classes is not None
        assert table.schema.target is not None
        full = np.bincount(table.classes, table.weights, len(table.schema.target.labels))
        self.shares_ = full / full.sum()
        return self

    def predict_block(self, block: Block) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return the class shares for every row."""
        return np.tile(self.shares_, (block.rows, 1)), np.zeros(block.rows, bool)

    def numbers(self) -> int:
        """Return how many shares there are to read: one less than classes."""
        return len(self.shares_) - 1


class Foreign:
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

    def _rows(self, table: Table) -> Any:
        names = [c.name for c in table.schema.used]
        return self.frame[names] if table.kept is None else self.frame[names].iloc[table.kept]

    def fit_table(self, table: Table) -> Self:
        """Fit a copy of the estimator on the table's rows."""
        assert table.schema.target is not None
        assert table.classes is not None
        self.fitted_ = copy.deepcopy(self.estimator)
        labels = np.array(table.schema.target.values())
        weights = {} if table.weights is None else {"sample_weight": table.weights / table.unit}
        self.labels_ = labels
        self.fitted_.fit(self._rows(table), labels[table.classes], **weights)
        return self

    def predict_table(self, table: Table) -> NDArray[np.float64]:
        """Return P(class | row) [row, class]; an estimator without shares gives 1 to its answer."""
        rows = self._rows(table)
        out = np.zeros((table.rows, len(self.labels_)))
        if hasattr(self.fitted_, "predict_proba"):
            at = [self.labels_.tolist().index(c) for c in self.fitted_.classes_.tolist()]
            out[:, at] = self.fitted_.predict_proba(rows)
            return out
        answers = self.fitted_.predict(rows)
        out[np.arange(table.rows), [self.labels_.tolist().index(a) for a in answers.tolist()]] = 1
        return out


def raw_frame(data: Any) -> Any:
    """Return the rows of a source as a pandas frame, in their order, as they were read."""
    if type(data).__module__.startswith("pandas"):
        return data
    import pyarrow as pa

    source = open_source(data)
    return pa.Table.from_batches(list(source.batches())).to_pandas()
