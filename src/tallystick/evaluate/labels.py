"""The labels of rows as class numbers, for judging answers.

Knows a schema's target. Knows nothing of models.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.data.schema import Schema
from tallystick.data.source import open_source
from tallystick.data.source.unread import unread
from tallystick.data.text import cell_text
from tallystick.errors import TargetError, nearest, shown

UNKNOWN = -1
MISSING = -2


def labels_of(X: Any, y: Any, schema: Schema) -> NDArray[np.int64]:
    """Return truth[row]: the class number of each row's label, UNKNOWN for a label the model does not know,
    MISSING for none, as of a row that cannot be read.
    """
    known = {label: i for i, label in enumerate(schema.predicted.labels)}
    cells: list[Any] = []
    if isinstance(y, str):
        source = open_source(X)
        if y not in source.columns:
            raise TargetError(f"there is no column {shown(y)} in {source.name}.{nearest(y, source.columns)}")
        for batch in source.batches():
            labels, lost = batch.column(y).to_pylist(), unread(batch)
            cells += [None if row in lost else label for row, label in enumerate(labels)] if lost else labels
    else:
        cells = np.asarray(y).ravel().tolist()
    numbers: dict[Any, int] = {}
    for cell in set(cells):
        text = cell_text(cell, schema.predicted.name)
        if text is None or text.strip() in schema.marks:
            numbers[cell] = MISSING
        else:
            numbers[cell] = known.get(schema.predicted.label_of(text.strip()), UNKNOWN)
    return np.array([numbers[cell] for cell in cells], np.int64)
