"""The shape of a linear regression's part of the model file, and the check that it fits the schema.

Knows plain data. Knows nothing of how files are read.
"""

from __future__ import annotations

from typing import Any

from tallystick.data.schema import Schema
from tallystick.errors import ModelFileError, OptionError
from tallystick.models.linear.options import UNTOLD, LinearOptions
from tallystick.models.logistic import file as logistic
from tallystick.models.logistic.file import BIG, PART, WEIGHTS, check_part, coefficient_rows
from tallystick.models.shapes import (
    FileKind,
    Listed,
    Maybe,
    Number,
    Numbers,
    Record,
    Rows,
    Shape,
    Whole,
    wished,
)

_FIT = Record(
    {
        "condition": Maybe(Number(0, BIG)),
        "degrees": Number(0, BIG),
        "error": Number(0, BIG),
        "iterations": Whole(),
        "l2": Number(0, BIG),
        "null": Number(0, BIG),
        "rows": Number(0, BIG),
        "weights": Whole(),
    }
)
MODEL = Record(
    {
        "constant": WEIGHTS,
        "covariance": Rows(Numbers("", -BIG, BIG)),
        "errors": Rows(Numbers("links", 0, BIG)),
        "fit": _FIT,
        "parts": Listed(PART),
    }
)
PARAMETERS: dict[str, Shape] = {
    name: logistic.PARAMETERS[name] for name in ("interactions", "l2", "polynomial", "standardize")
}
OPTIONAL: dict[str, Shape] = {name: logistic.OPTIONAL[name] for name in UNTOLD}


def check(document: dict[str, Any], schema: Schema) -> None:
    """Raise ModelFileError unless the parts fit the schema and every number can be used."""
    model = document["model"]
    if not schema.regression or len(model["constant"]) != 1:
        raise ModelFileError("model file: a linear regression answers a number. The file was edited.")
    try:
        given = document["parameters"]
        LinearOptions(**UNTOLD | {k: given[k] for k in (*PARAMETERS, *OPTIONAL) if k in given})
    except OptionError as error:
        raise ModelFileError(f"model file: {error}") from None
    columns = {c.name: c for c in schema.columns if c.kind != "text"}
    names = [p["name"] for p in model["parts"] if p["part"] != "product"]
    if sorted(names) != sorted(columns):
        raise ModelFileError(
            "model file: the model's columns are not those of the schema. The file was edited."
        )
    for part in model["parts"]:
        check_part(part, columns)
    rows = 1 + sum(coefficient_rows(p) for p in model["parts"])
    told, spread = len(model["errors"]), [len(row) for row in model["covariance"]]
    if told not in (0, rows) or spread not in ([], list(range(1, rows + 1))):
        raise ModelFileError(f"model file: the standard errors are not those of {rows:,} coefficients.")


FILE = FileKind(MODEL, wished(PARAMETERS, OPTIONAL), check)
