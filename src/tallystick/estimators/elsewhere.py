"""Fitting on rows that are elsewhere: on Spark, or in a database; who is summed there, and who here, of
fetched rows.

Knows estimators and where rows may be. Knows nothing of queries or passes.
Law: the model is that of the rows read here, byte for byte; a note says when they were fetched, and why.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tallystick.data.source.door import is_spark
from tallystick.engines.choice import table_of

if TYPE_CHECKING:
    from tallystick.contracts import Table

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
        from tallystick.engines.spark.read import read_frame
        from tallystick.estimators.on_spark import refuse_far

        refuse_far(model)
        return read_frame(X, model._wishes(), y, sample_weight, model._regression, profiled=True)
    return in_database(model, X, y, sample_weight)


def in_database(model: Any, X: Any, y: Any, sample_weight: Any) -> Table | None:
    """Return the table of a database that is asked to sum; None where none is."""
    there = table_of(model.engine, X)
    if there is None:
        return None
    from tallystick.data.read.reader import read_table
    from tallystick.engines.sql.read import RowsNeededError, read_there
    from tallystick.engines.sql.table import fetched_note

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
