"""Labelled rows that come after the fit: to prune a tree by, or to shorten its rules.

Knows sources and a fitted schema. Knows nothing of pruning.
Law: the rows are read with the kinds of the fit, or refused in one line that says what they lack.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from tallystick.data.schema import Schema, Wishes
from tallystick.errors import DataError, TargetError, nearest, some

if TYPE_CHECKING:
    from tallystick.contracts import Table
    from tallystick.estimators.base import Estimator


def read_labelled(estimator: Estimator, data: Any) -> Table:
    """Return rows with their target, read with the kinds and classes of a fitted estimator.

    data: anything tabular that has the target's column, or (X, y).
    """
    from tallystick.data.read.reader import read_table
    from tallystick.data.read.survey_target import target_name
    from tallystick.data.source import open_source
    schema, given = estimator.schema_, estimator._wishes()
    X, y = _parted(data, schema)
    source = open_source(estimator._fitting(X))
    name = y if isinstance(y, str) else target_name(y)
    _refuse_lacking(source, schema, name if isinstance(y, str) else None)
    kinds = {c: "out" for c in source.columns if c != name} | schema.kinds_again()
    levels: dict[str, Any] = {c.name: c.levels for c in schema.used if c.kind in ("boolean", "ordered")}
    if schema.predicted.labels:
        levels[name] = schema.predicted.labels
    wishes = Wishes(kinds, levels, given.missing, merge=given.merge, parts=schema.parts_again())
    table = read_table(source, wishes, y, None, estimator._local().threads, regression=estimator._regression)
    _refuse_new_labels(table, schema, source.name)
    return table


def coded(table: Table, schema: Schema) -> Table:
    """Return the rows in the codes and classes of another schema, whose labels are all of theirs."""
    out = table.take(np.arange(table.rows), schema)
    if table.classes is None:
        return out
    places = {label: code for code, label in enumerate(schema.predicted.labels)}
    into = np.array([places[label] for label in table.schema.predicted.labels], table.classes.dtype)
    return out.with_classes(into[table.classes])


def _parted(data: Any, schema: Schema) -> tuple[Any, Any]:
    """Return X and y; where y is not given it is the target's column."""
    if isinstance(data, tuple) and len(data) == 2 and not _are_paths(data):
        return data
    return data, schema.predicted.name


def _are_paths(data: tuple[Any, ...]) -> bool:
    return all(isinstance(part, str | os.PathLike) and os.path.exists(part) for part in data)


def _refuse_lacking(source: Any, schema: Schema, target: str | None) -> None:
    """Refuse rows without the columns of the fit, or without their target."""
    absent = [name for name in schema.needed if name not in source.columns]
    if absent:
        raise DataError(
            f"data: {source.name} lacks {len(absent)} column{'s' * (len(absent) > 1)} of the fit: "
            f"{some(absent)}.{nearest(absent[0], source.columns)} Pass rows with the columns of the fit."
        )
    if target is not None and target not in source.columns:
        raise TargetError(
            f"data: {source.name} has no column {target!r}, the target.{nearest(target, source.columns)} "
            "Add it, or pass data=(X, y)."
        )


def _refuse_new_labels(table: Table, schema: Schema, where: str) -> None:
    known = schema.predicted.labels
    unknown = [label for label in table.schema.predicted.labels if label not in known]
    if known and unknown:
        raise TargetError(
            f"data: {where} has {some(unknown)} in its target, which is not a class of this model. Its "
            f"classes are {some(known)}. Leave these rows out."
        )
