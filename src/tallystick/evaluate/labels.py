"""The labels of rows as class numbers, and their weights, for judging answers.

Knows a schema's target. Knows nothing of models.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.data.read.cells import distinct_texts
from tallystick.data.read.weights import no_weight, refuse_no_weights, weight_numbers
from tallystick.data.schema import Schema, Target
from tallystick.data.source import open_source
from tallystick.data.source.frames import as_column
from tallystick.data.source.unread import unread
from tallystick.errors import DataError, TargetError, counted, nearest, shown

UNKNOWN = -1
MISSING = -2


def labels_of(X: Any, y: Any, schema: Schema) -> NDArray[np.int64]:
    """Return truth[row]: the class number of each row's label, UNKNOWN for a label the model does not know,
    MISSING for none, as of a row that cannot be read.
    """
    target = schema.predicted
    if isinstance(y, str):
        source = open_source(X)
        if y not in source.columns:
            raise TargetError(f"there is no column {shown(y)} in {source.name}.{nearest(y, source.columns)}")
        parts = [_classes(batch.column(y), target, schema.marks, unread(batch)) for batch in source.batches()]
        return np.concatenate(parts) if parts else np.zeros(0, np.int64)
    flat = y.ravel() if isinstance(y, np.ndarray) and y.ndim != 1 else y
    return _classes(as_column(flat, target.name).combine_chunks(), target, schema.marks)


def _classes(
    cells: Any, target: Target, marks: Sequence[str], lost: Collection[int] = ()
) -> NDArray[np.int64]:
    """Return the class number of each label of a batch; lost: the rows that cannot be read."""
    known = {label: i for i, label in enumerate(target.labels)}
    distinct = distinct_texts(cells, target.name, marks)
    texts = map(target.label_of, distinct.values.to_pylist())
    numbers = np.array([*(known.get(text, UNKNOWN) for text in texts), MISSING], np.int64)
    out: NDArray[np.int64] = numbers[distinct.codes]
    out[list(lost)] = MISSING
    return out


def weights_of(X: Any, given: Any, rows: int) -> NDArray[np.float64]:
    """Return the weight of each row, checked. given: an array, or the name of a column of X."""
    if isinstance(given, str):
        source = open_source(X)
        if given not in source.columns:
            raise DataError(
                f"there is no column {shown(given)} in {source.name}.{nearest(given, source.columns)}"
            )
        real = np.concatenate([weight_numbers(batch.column(given)) for batch in source.batches()])
    else:
        real = weight_numbers(as_column(given, "sample_weight"))
    if len(real) != rows:
        raise DataError(
            f"sample_weight has {len(real):,} values for {counted(rows, 'row')}. Pass one per row."
        )
    refuse_no_weights(real)
    if not real.any():
        raise no_weight()
    return real
