"""The rows and classes an estimator is given: checks of classes, and which engine sums the rows.

Parts: checks of classes; rows on Spark or in a database (entry: `read_elsewhere()`); labelled rows that come
after the fit (entry: `read_labelled()`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tallystick import methods
from tallystick.errors import (
    Argument,
    DataError,
    OptionError,
    TargetError,
    nearest,
    shown,
    some,
    warn,
    with_article,
)
from tallystick.io.open import is_spark
from tallystick.schema import ColumnOptions, Schema, Target

if TYPE_CHECKING:
    from tallystick.contracts import Table
    from tallystick.estimator.base import Estimator
    from tallystick.io.database import DatabaseTable


# Checks of classes: options by class must name classes of the table, and there may not be too many classes.
# Law: checked once, on the whole table; a part of it may lack a rare class.

LONG = 500  # classes, from which a method with parameters for each takes more than some seconds
MANY_CLASSES = 5_000  # naive Bayes of 10,000 classes and 10 columns took 25 s and 5.1 GB


def refuse_unknown(name: str, given: Mapping[Any, Any], target: Target) -> None:
    """Refuse a key that is not a class."""
    unknown = [str(k) for k in given if target.label_of(k) not in target.labels]
    if unknown:
        raise OptionError(
            Argument(name),
            f" names {some(unknown)}, which is not a class.{nearest(unknown[0], target.labels)} "
            f"The classes are {some(target.labels)}.",
        )


def refuse_many(kind: str, schema: Schema) -> None:
    """Refuse more classes than a method can be learnt for in a time that anybody waits; say so before work
    that takes long.
    """
    method = methods.KINDS.get(kind)
    most = 0 if method is None else method.most_classes
    found = 0 if schema.target is None else len(schema.target.labels)
    if method is not None and 0 < most < found:
        raise TargetError(
            f"target {shown(schema.predicted.name)} has {found:,} classes, and "
            f"{with_article(method.words)} is learnt for at most {most:,}: the work grows with their "
            "square. Join rare classes, or use a tree or naive Bayes."
        )
    if method is not None and method.few_classes and found > LONG:
        warn(
            f"target {shown(schema.predicted.name)} has {found:,} classes, and {with_article(method.words)} "
            "has points for each of them, so this may take a minute or more. Join rare classes, or use a "
            "tree or naive Bayes, which take a second."
        )
    elif found > MANY_CLASSES:
        warn(
            f"target {shown(schema.predicted.name)} has {found:,} classes, each counted in every column, so "
            "this may take a minute or more and several GB of memory. Join rare classes."
        )


# Rows on Spark or in a database: which models are summed there, and for which the rows are fetched.
# Law: the model is that of the rows read here, byte for byte; a note says when they were fetched, and why.

SUMMED: dict[str, tuple[tuple[str, Callable[[Any], bool], str], ...]] = {
    # kinds of models whose questions have queries, and the settings that need rows one by one
    "naive-bayes": (
        ("calibrate", lambda wish: wish is not False, "calibrate=True needs answers to single rows"),
    ),
    "decision-tree": (("pruning", lambda wish: wish is not None, "pruning needs single rows"),),
    "scorecard": (("l2", lambda wish: wish == "cv", "l2='cv' deals rows into folds"),),
}


def read_elsewhere(model: Any, X: Any, y: Any, sample_weight: Any) -> Table | None:
    """Return the table of rows that are on Spark or in a database that is asked to sum; None of any other."""
    if is_spark(X):
        from tallystick.spark.fitting import refuse_far
        from tallystick.spark.read import read_frame

        refuse_far(model)
        return read_frame(X, model._wishes(), y, sample_weight, model._regression, profiled=True)
    return in_database(model, X, y, sample_weight)


def table_of(engine: Any, rows: Any) -> DatabaseTable | None:
    """Return the table of a database that a user's words mean; None where none was asked to sum."""
    from tallystick.sql import Sql

    if not isinstance(engine, Sql):
        return None
    from tallystick.io.database import is_address, open_table, without_user

    if is_address(rows):
        return open_table(rows)
    if engine.connection is not None and isinstance(rows, str):
        return open_table(engine.connection, rows)
    given = without_user(rows) if isinstance(rows, str) else rows
    raise OptionError(
        f"engine=ts.Sql() sums a table of a database, and X is {shown(given, 60)}. Pass its address, such as "
        "'duckdb:///votes.db?table=votes', or the name of a table and ts.Sql(connection)."
    )


def in_database(model: Any, X: Any, y: Any, sample_weight: Any) -> Table | None:
    """Return the table of a database that is asked to sum; None where none is."""
    there = table_of(model.engine, X)
    if there is None:
        return None
    from tallystick.sql.read import RowsNeededError, read_there
    from tallystick.sql.table import fetched_note
    from tallystick.table.reader import read_table

    wishes, regression = model._wishes(), model._regression

    def fetch(notes: Any = ()) -> Table:
        source = there.source(notes=notes)
        return read_table(source, wishes, y, sample_weight, model.threads, regression=regression)

    try:
        if why := needs_rows(model):
            raise RowsNeededError(why)
        return read_there(there, wishes, y, sample_weight, fetch, model.engine)
    except RowsNeededError as why_not:
        try:
            return fetch((fetched_note(there, str(why_not)),))
        finally:
            there.database.close()
    except BaseException:
        there.database.close()
        raise


def needs_rows(model: Any) -> str:
    """Say why a model cannot be summed in a database; nothing where it can."""
    if model._kind not in SUMMED:
        return f"{model.__class__.__name__} asks for more than a database sums"
    for name, needs, why in SUMMED[model._kind]:
        if needs(getattr(model, name)):
            return why
    return ""


# Labelled rows that come after the fit, to prune a tree by or to shorten its rules.
# Law: they are read with the kinds of the fit, or refused in one line that says what they lack.


def read_labelled(estimator: Estimator, data: Any) -> Table:
    """Return rows with their target, read with the kinds and classes of a fitted estimator.

    data: anything tabular that has the target's column, or (X, y).
    """
    from tallystick.io.open import open_source
    from tallystick.table.reader import read_table
    from tallystick.table.target import target_name

    schema, given = estimator.schema_, estimator._wishes()
    X, y = _parted(data, schema)
    source = open_source(estimator._fitting(X))
    name = y if isinstance(y, str) else target_name(y)
    _refuse_lacking(source, schema, name if isinstance(y, str) else None)
    kinds = {c: "out" for c in source.columns if c != name} | schema.kinds_again()
    levels: dict[str, Any] = {c.name: c.levels for c in schema.used if c.kind in ("boolean", "ordered")}
    if schema.predicted.labels:
        levels[name] = schema.predicted.labels
    wishes = ColumnOptions(kinds, levels, given.missing, merge=given.merge, parts=schema.parts_again())
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
    return out.local().with_classes(into[table.classes])


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
