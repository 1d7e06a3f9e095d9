"""The answers of a regression to new rows, with all that is said of them: what `tally predict` writes.

Knows fitted models by what all share, and Arrow. Knows nothing of files or screens.
Law: a row's number is that of `predict`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from tallystick.estimators.answers import UNREAD, MetRows, Wanted, without_answers
from tallystick.estimators.base import names_outside

if TYPE_CHECKING:
    import pyarrow as pa

    from tallystick.contracts import Source


def number_tables(estimator: Any, source: Source, met: MetRows, wanted: Wanted) -> Iterator[pa.Table]:
    """Yield the prediction of each row, what else is wanted, and `unread`, as tables.

    The first table has no rows, so that there always is one.
    """
    import pyarrow as pa

    from tallystick.data.source.arrays import from_numbers

    names = ["prediction", *(["outside"] if wanted.outside else []), UNREAD]
    types = [pa.float64(), *[pa.string()] * (len(names) - 1)]
    yield pa.schema(list(zip(names, types, strict=True))).empty_table()
    met.schema = estimator._asked
    reading = {"lenient": wanted.lenient, "missing_columns": wanted.missing_columns}
    for matched in estimator._blocks(source, warn=False, unread="keep", **reading):
        block = matched.block
        numbers = np.ascontiguousarray(estimator.model_.shares(block)[:, 0])
        met.add(matched, 0, np.zeros(block.rows, np.int64), ("answered",))
        columns: list[Any] = [from_numbers(numbers)]
        if wanted.outside:
            beyond = names_outside(block, estimator._asked)
            met.outside.update(name for own in beyond for name in own)
            columns.append(pa.array(["; ".join(own) for own in beyond], pa.string()))
        yield pa.table(without_answers(columns, matched), names=names)
