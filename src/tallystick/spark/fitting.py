"""Settings that fits on Spark refuse, and `model.transform(frame)`: a DataFrame with added answers.

Entry: `refuse_far()`, `transform()`. Two ways to answer: "arrow", the model in Spark's Python workers, a
batch at a time; "sql", the model's SQL export as an expression of Spark's own, without Python.
Law: the prediction of a row is that of `predict`; by "arrow" its shares are those of `predict_proba`, bit for
bit.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from tallystick.errors import DataError, OptionError, nearest, shown
from tallystick.io.open import is_spark
from tallystick.spark.read import arrow_kind, refuse_others
from tallystick.spark.workers import check_version
from tallystick.tree.prune import is_pruning

WAYS = ("arrow", "sql")
FAR = (  # settings that need all rows in one place: parameter, value, what to do instead
    ("pruning", "held-out", "Pass pruning='length'"),
    ("pruning", "pessimistic", "Pass pruning=ts.CostComplexity() or ts.DescriptionLength()"),
)
TYPES = {"text": pa.string(), "integer": pa.int64(), "number": pa.float64(), "boolean": pa.bool_()}


DEALING = (("l2", "cv"), ("calibrate", True))  # parameters for which rows are dealt into folds in a fit


def deals(model: Any) -> bool:
    """Say whether a fit deals the rows into folds, and so asks for many parts of them."""
    parameters = model.get_params(deep=False)
    return any(parameters.get(name) == value for name, value in DEALING)


def refuse_far(model: Any) -> None:
    """Refuse, before any work, settings that are not available where rows are on Spark."""
    parameters = model.get_params(deep=False)
    for name, value, cure in FAR:
        given = parameters.get(name)
        if (given.name if given is not None and is_pruning(given) else given) == value:
            raise OptionError(
                f"{name}={shown(value)} needs all rows in one place, and these are on Spark. "
                f"{cure}, or collect them: frame.toArrow()."
            )


def transform(model: Any, frame: Any, how: str = "arrow") -> Any:
    """Return the DataFrame with `prediction`, and `P(label)` for each class.

    Rows that are here get their shares (a regression: its answers): what scikit-learn calls transforming.
    """
    if not is_spark(frame):
        return model.predict(frame) if model._regression else model.predict_proba(frame)
    if how not in WAYS:
        close = nearest(how, WAYS)
        raise OptionError(f"how={shown(how)} is not a way to answer.{close} Use 'arrow' or 'sql'.")
    _refuse(model, frame)
    return _by_sql(model, frame) if how == "sql" else _by_arrow(model, frame)


def answer_names(model: Any) -> list[tuple[str, pa.DataType]]:
    """Return the names and types of the columns that answers have."""
    target = model.schema_.target
    names = [("prediction", TYPES[target.type])]
    return names + [(f"P({label})", pa.float64()) for label in target.labels]


def _refuse(model: Any, frame: Any) -> None:
    """Refuse, before any work, a frame that the model cannot read or that has columns called like answers."""
    refuse_others(frame)
    for name, _ in answer_names(model):
        if name.lower() in [column.lower() for column in frame.columns]:
            raise DataError(f"the DataFrame has a column {shown(name)} already. Rename or drop it.")
    used = [name for name in model._asked.needed if name in frame.columns]
    schema = frame.select(*(_quoted(n) for n in used)).schema
    kinds = {field.name: arrow_kind(field.name, field.dataType) for field in schema.fields}
    list(model._blocks(pa.schema(kinds).empty_table()))


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _by_arrow(model: Any, frame: Any) -> Any:
    from pyspark.sql.pandas.types import from_arrow_type
    from pyspark.sql.types import StructField, StructType

    from tallystick import __version__

    answers = [StructField(name, from_arrow_type(kind)) for name, kind in answer_names(model)]
    kinds = StructType([*frame.schema.fields, *answers])
    return frame.mapInArrow(SparkAnswers(model.to_bytes(), __version__), kinds)


class SparkAnswers:
    """The work of Spark's workers: batches in, the same batches with answers out."""

    def __init__(self, file: bytes, version: str) -> None:
        self.file, self.version = file, version

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the batches with answers."""
        from tallystick.estimator.base import from_data

        check_version(self.version)
        model: Any = from_data(self.file)
        model.threads = 1  # Spark has a worker for each core
        for batch in batches:
            yield answered(model, batch)


def answered(model: Any, batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return a batch with the model's answers."""
    rows = pa.Table.from_batches([batch])
    kinds = answer_names(model)
    if len(kinds) == 1:
        found = [pa.array(model.predict(rows).tolist(), kinds[0][1])]
    else:
        shares = model.predict_proba(rows)
        found = [pa.array(model.classes_[model._decide(shares)].tolist(), kinds[0][1])]
        found += [pa.array(np.ascontiguousarray(share)) for share in shares.T]
    return pa.RecordBatch.from_arrays(
        [*batch.columns, *found], names=[*batch.schema.names, *(n for n, _ in kinds)]
    )


def _by_sql(model: Any, frame: Any) -> Any:
    from pyspark.sql.pandas.types import from_arrow_type

    name = f"tally_{uuid.uuid4().hex}"
    query = model.export("sql", dialect="spark", table=name, keep=list(frame.columns), unseen=False)
    query = query.replace("{", "{{").replace("}", "}}").replace(f"`{name}`", "{rows}")
    found = frame.sparkSession.sql(query, rows=frame)
    kind = from_arrow_type(answer_names(model)[0][1])
    return found.withColumn("prediction", found["prediction"].cast(kind))
