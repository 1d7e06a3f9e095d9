"""Folds and scores: how good is a method on rows it has not seen, as data.

Knows tables and anything that can fit a table and score a block. Knows nothing of learners.
Law: folds depend on the rows' content alone; copies of a row are in one fold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block
from tallystick.data.encode import Table
from tallystick.data.schema import Schema
from tallystick.data.source import open_source
from tallystick.errors import OptionError, TargetError, nearest, shown

Array = NDArray[np.float64]
LEAST_SHARE = 1e-15  # the log-loss of a share of 0 is that of this share


class Fits(Protocol):
    """What cross-validation needs of a method."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters it was made with."""
        ...

    def read(self, X: Any, y: Any = None, sample_weight: Any = None) -> Table:
        """Return the encoded table."""
        ...

    def fit_table(self, table: Table) -> Any:
        """Learn from an encoded table."""
        ...

    def predict_block(self, block: Block) -> tuple[Array, NDArray[np.bool_]]:
        """Return P(class | row) [row, class]."""
        ...


@dataclass(frozen=True)
class CrossValidation:
    """Out-of-fold answers and what follows from them.

    shares[row, class], truth[row] and fold[row] in the order of the rows read; weights[row] or None.
    """

    classes: tuple[str, ...]
    shares: Array
    truth: NDArray[np.int64]
    fold: NDArray[np.int64]
    weights: NDArray[np.int64] | None

    @property
    def accuracy(self) -> float:
        """The share of rows whose most probable class is right."""
        return self._mean(self.shares.argmax(1) == self.truth)

    @property
    def log_loss(self) -> float:
        """The mean of -ln(share given to the right class)."""
        given = np.clip(self.shares[np.arange(len(self.truth)), self.truth], LEAST_SHARE, 1)
        return -self._mean(kernels.log(given))

    @property
    def base_rate(self) -> float:
        """The accuracy of always answering the most frequent class."""
        weights = np.ones(len(self.truth)) if self.weights is None else self.weights.astype(float)
        return float(np.bincount(self.truth, weights, len(self.classes)).max() / weights.sum())

    @property
    def fold_accuracies(self) -> tuple[float, ...]:
        """The accuracy in each fold."""
        right = self.shares.argmax(1) == self.truth
        return tuple(self._mean(right, self.fold == f) for f in range(int(self.fold.max()) + 1))

    def _mean(self, values: NDArray[Any], rows: NDArray[np.bool_] | None = None) -> float:
        weights = self.weights if rows is None or self.weights is None else self.weights[rows]
        return float(np.average(values if rows is None else values[rows], weights=weights))

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        folds = self.fold_accuracies
        return {
            "accuracy": self.accuracy,
            "base_rate": self.base_rate,
            "fold_accuracies": list(folds),
            "fold_sizes": np.bincount(self.fold).tolist(),
            "folds": len(folds),
            "log_loss": self.log_loss,
            "rows": len(self.truth),
            "standard_error": float(np.std(folds, ddof=1) / len(folds) ** 0.5),
        }

    def __str__(self) -> str:
        d = self.to_dict()
        return (
            f"{d['folds']:,}-fold cross-validation on {d['rows']:,} rows: accuracy {d['accuracy']:.4f} "
            f"(standard error {d['standard_error']:.4f}), log-loss {d['log_loss']:.4f}; "
            f"always the most frequent class {d['base_rate']:.4f}"
        )


def cross_validate(
    model: Fits, data: Any, target: Any, folds: int | str = 10, sample_weight: Any = None
) -> CrossValidation:
    """Return out-of-fold answers of a method: each fold is answered by a model fitted on the others.

    folds: how many, or "leave-one-out" (copies of a row are left out together).
    """
    table = model.read(data, target, sample_weight)
    assert table.schema.target is not None
    assert table.classes is not None
    one_out = folds == "leave-one-out"
    if one_out:
        _, fold = np.unique(table.row_hashes(), return_inverse=True)
        count = int(fold.max()) + 1
    else:
        fold, count = deal_folds(table, folds), int(folds)
    own = getattr(model, "cross_shares", None)  # a method may know a faster way to the same answers
    shares = own(table, None if one_out else fold, count) if own is not None else None
    if shares is None:
        shares = refit_shares(model, table, fold, count)
    truth = table.classes.astype(np.int64)
    return CrossValidation(table.schema.target.labels, shares, truth, fold, table.weights)


def refit_shares(model: Fits, table: Table, fold: NDArray[np.int64], folds: int) -> Array:
    """Return shares[row, class] out of fold, by fitting each training part anew."""
    assert table.schema.target is not None
    labels = table.schema.target.labels
    shares = np.zeros((table.rows, len(labels)))
    for f in range(folds):
        test = np.flatnonzero(fold == f)
        if not len(test):
            continue
        fresh = type(model)(**model.get_params(deep=False))
        training = table.take(np.flatnonzero(fold != f))
        fresh.fit_table(training)
        assert training.schema.target is not None
        at = [labels.index(label) for label in training.schema.target.labels]
        part = table.take(test, training.schema)
        done = 0
        for block in part.blocks():
            answers, _ = fresh.predict_block(block)
            shares[test[done : done + block.rows, None], at] = answers
            done += block.rows
    return shares


def deal_folds(table: Table, folds: Any) -> NDArray[np.int64]:
    """Return fold[row]: per class, distinct rows in the order of a keyed hash, each dealt to the lightest
    fold.

    Copies of a row are one: they stay together and weigh together. Equal loads: the lower fold.
    """
    if isinstance(folds, bool) or not isinstance(folds, int) or folds < 2:
        raise OptionError(f"folds must be a whole number of at least 2, not {shown(folds)}.")
    assert table.classes is not None and table.schema.target is not None
    if folds > table.rows:
        raise OptionError(
            f"folds={folds} needs at least {folds} rows, found {table.rows:,}. Use fewer folds."
        )
    hashes, out = table.row_hashes(), np.empty(table.rows, np.int64)
    load = np.zeros(folds, np.int64)
    for c in range(len(table.schema.target.labels)):
        rows = np.flatnonzero(table.classes == c)
        _, first, inverse = np.unique(hashes[rows], return_index=True, return_inverse=True)
        weight = np.ones(len(rows), np.int64) if table.weights is None else table.weights[rows]
        loads = np.zeros(len(first), np.int64)
        np.add.at(loads, inverse, weight)
        dealt, load = deal(loads, load)
        out[rows] = dealt[inverse]
    return out


def deal(loads: NDArray[np.int64], before: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return fold[item] and the new loads: each item goes to the fold lightest in this class, then lightest
    in all.
    """
    folds = len(before)
    out = np.empty(len(loads), np.int64)
    mine = np.zeros(folds, np.int64)
    order = np.lexsort((np.arange(folds), before))
    if len(loads) and (loads == loads[0]).all():  # equal items go round
        out[:] = order[np.arange(len(loads)) % folds]
        np.add.at(mine, out, loads)
        return out, before + mine
    for i, load in enumerate(loads.tolist()):
        f = min(range(folds), key=lambda k: (mine[k], before[k], k))
        out[i] = f
        mine[f] += load
    return out, before + mine


def labels_of(X: Any, y: Any, schema: Schema) -> NDArray[np.int64]:
    """Return truth[row]: the class number of each row's label, -1 for a label the model does not know."""
    assert schema.target is not None
    known = {label: i for i, label in enumerate(schema.target.labels)}
    cells: list[Any] = []
    if isinstance(y, str):
        source = open_source(X)
        if y not in source.columns:
            raise TargetError(f"there is no column {shown(y)} in {source.name}.{nearest(y, source.columns)}")
        for batch in source.batches():
            cells += batch.column(y).to_pylist()
    else:
        cells = np.asarray(y).ravel().tolist()
    numbers: dict[Any, int] = {}
    for cell in set(cells):
        numbers[cell] = known.get(_label(cell, schema.target.type), -1)
    return np.array([numbers[cell] for cell in cells], np.int64)


def _label(cell: Any, kind: str) -> str:
    """Return a cell as the canonical text of a label: 1, 1.0 and "1" are one label."""
    text = str(cell).strip()
    if kind == "boolean":
        return {"1": "true", "0": "false", "1.0": "true", "0.0": "false"}.get(text, text.lower())
    if kind in ("integer", "number"):
        try:
            number = float(text)
        except ValueError:
            return text
        return str(int(number)) if number == int(number) else repr(number)
    return text
