"""From a fitted logistic regression and its training rows to what they let one conclude.

Knows how rows are read and how a fit asks them. Knows nothing of statistics: those are in explain.
Law: other rows than those of the fit are an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Table
from tallystick.data.read.cells import distinct_texts
from tallystick.data.source.door import is_spark, open_source, opened
from tallystick.data.source.frames import as_column
from tallystick.errors import Argument, DataError, OptionError, counted, nearest, shown
from tallystick.estimators.base import Estimator
from tallystick.estimators.rows import as_given
from tallystick.explain.logistic_inference import ERRORS, Inference
from tallystick.explain.logistic_rows import FittedRows
from tallystick.explain.logistic_words import error_words
from tallystick.explain.tails import check_level
from tallystick.learners.logistic.again import found_again
from tallystick.learners.logistic.path import drive
from tallystick.models.logistic.parts import uncompared

if TYPE_CHECKING:
    from tallystick.estimators.logistic import LogisticRegression

Whole = NDArray[np.int64]


def infer(
    estimator: LogisticRegression,
    X: Any,
    y: Any,
    sample_weight: Any,
    errors: str,
    groups: Any,
    level: float,
) -> Inference:
    """Return what the fit lets one conclude; its training rows are given again."""
    model = estimator.model_
    if errors not in ERRORS:
        raise OptionError(f"errors must be one of {', '.join(ERRORS)}, not {shown(errors)}.")
    if groups is not None and errors != "curvature":
        raise OptionError("groups= gives clustered errors. Leave out errors=.")
    if not model.errors or uncompared(model.parts, model.options.fit_intercept):
        told = "there is nothing to infer from this model. "
        if not model.fit.separation:
            raise OptionError(told + error_words(model))
        told += next((n.text for n in estimator.notes_ if n.code == "separation"), error_words(model))
        cure = " Leave such columns out, or merge their levels"
        firth = (", or pass ", Argument("firth", True)) if model.links == 1 else ()
        raise OptionError(told, cure, *firth, ".")
    if is_spark(X):
        raise DataError("inference looks at single rows, which lie on Spark. Collect them: frame.toArrow().")
    X = opened(X)
    table = estimator._read(X, estimator.schema_.predicted.name if y is None else y, sample_weight)
    refuse_others(estimator, table)
    engine = estimator._engine(table)
    found = drive(found_again(estimator._options(), table.schema, table.unit, model.fit.l2), table, engine)
    places = None if table.kept is None else np.asarray(table.kept)
    many = None if groups is None else groups_of(X, groups, places, table.rows)
    return Inference(
        model,
        found,
        FittedRows(found, table),
        lambda stages: drive(stages, table, engine),
        lambda new: (matched.block for matched in estimator._blocks(new)),
        check_level(level),
        errors,
        many,
        places,
    )


def refuse_others(estimator: Estimator, table: Table) -> None:
    """Refuse other rows than those of the fit."""
    known = estimator.rows_
    if (table.fingerprint, table.weight) != (known["fingerprint"], known["count"]):
        raise DataError(
            f"these are not the rows of the fit: {counted(table.rows, 'row')} with another fingerprint. Pass "
            "the data that the model was fitted on, with its target and weights."
        )


def groups_of(X: Any, given: Any, places: Whole | None, rows: int) -> Whole:
    """Return the number of each row's group. given: an array with one for each row of X, or the name of a
    column of X.
    """
    if isinstance(given, str):
        source = open_source(as_given(X))
        if given not in source.columns:
            raise OptionError(
                f"there is no column {shown(given)} in {source.name}.{nearest(given, source.columns)}"
            )
        parts = [batch.column(given) for batch in source.batches()]
        name = given
    else:
        parts, name = [as_column(as_given(given), "groups").combine_chunks()], "groups"
    known: dict[str, int] = {}
    found = []
    for cells in parts:
        distinct = distinct_texts(cells, name, ())
        numbers = [known.setdefault(text, len(known)) for text in distinct.values.to_pylist()]
        found.append(np.array([*numbers, -1], np.int64)[distinct.codes])
    out = np.concatenate(found) if found else np.zeros(0, np.int64)
    if places is not None and len(out) > (int(places.max()) if len(places) else 0):
        out = out[places]
    if len(out) != rows:
        raise OptionError(f"groups has {len(out):,} values for {counted(rows, 'row')}. Pass one per row.")
    if (out < 0).any():
        row = int(np.flatnonzero(out < 0)[0])
        raise OptionError(f"groups is missing in row {row} (counted from 0). Give every row a group.")
    out = np.unique(out, return_inverse=True)[1].astype(np.int64)
    if len(out) == 0 or int(out.max()) < 1:
        raise OptionError("groups has one group only: clustered errors need at least two.")
    return out
