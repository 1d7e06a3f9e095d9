"""The shape of a logistic regression's part of the model file, and the check that it fits the schema.

Knows plain data. Knows nothing of how files are read.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tallystick.data.schema import CODED, Schema
from tallystick.errors import DataError, ModelFileError, OptionError, shown
from tallystick.models.logistic.model import LogisticModel
from tallystick.models.logistic.options import CHOSEN, SOLVERS, UNTOLD, WORDS, LogisticOptions
from tallystick.models.logistic.parts import Product, Slope
from tallystick.models.shapes import (
    Either,
    FileKind,
    Flag,
    Listed,
    Maybe,
    Named,
    Number,
    Numbers,
    Record,
    Rows,
    Shape,
    Text,
    Variant,
    Whole,
    wished,
)

if TYPE_CHECKING:
    from tallystick.models.linear.model import LinearModel

BIG = 1e300
_MOST = sys.float_info.max  # where a column was centred, and its scale, may be any double
WEIGHTS = Numbers("links", -BIG, BIG)
_TABLE = Rows(WEIGHTS)
_SCALE = Number(0, _MOST)
_AVERAGE: dict[str, Shape] = {"average": WEIGHTS}
PART = Variant(
    "part",
    {
        "cells": Record(
            {"free": Listed(Flag()), "name": Text(), "part": Text(), "weights": _TABLE},
            {"base": Whole()} | _AVERAGE,
        ),
        "product": Record(
            {
                "centre": Number(-_MOST, _MOST),
                "factors": Listed(Listed(Either((Maybe(Whole()), Text())), least=2), least=2),
                "name": Text(),
                "part": Text(),
                "scale": _SCALE,
                "slope": WEIGHTS,
            },
            _AVERAGE,
        ),
        "slope": Record(
            {
                "centre": Number(-_MOST, _MOST),
                "name": Text(),
                "part": Text(),
                "scale": _SCALE,
                "slope": WEIGHTS,
            },
            {"missing": WEIGHTS} | _AVERAGE,
        ),
        "words": Record(
            {"idf": Numbers("", 0, BIG), "name": Text(), "part": Text(), "weights": _TABLE}, _AVERAGE
        ),
    },
)
_FIT = Record(
    {
        "condition": Maybe(Number(0, BIG)),
        "iterations": Whole(),
        "l2": Number(0, BIG),
        "log_likelihood": Number(-BIG, BIG),
        "null": Number(-BIG, BIG),
        "rows": Number(0, BIG),
        "separation": Text(("", "complete", "quasi-complete")),
        "spread": Rows(WEIGHTS),
        "weights": Whole(),
    },
    {"degrees": Number(0, BIG)},
)
MODEL = Record(
    {
        "constant": WEIGHTS,
        "errors": Rows(Numbers("links", 0, BIG)),
        "fit": _FIT,
        "parts": Listed(PART),
        "reference": Whole(),
    }
)
_POSITIVE = Number(0, BIG)
PARAMETERS: dict[str, Shape] = {
    "class_weight": Maybe(Either((Named(_POSITIVE), Text(("balanced",))))),
    "interactions": Either((Whole(1, 2), Listed(Listed(Text(), least=2), least=1))),
    "l1": _POSITIVE,
    "l2": Either((_POSITIVE, Text(CHOSEN))),
    "max_iter": Maybe(Whole(1)),
    "polynomial": Whole(1, 2),
    "reference": Maybe(Text()),
    "solver": Text(SOLVERS),
    "standardize": Flag(),
    "words": Text(WORDS),
}

OPTIONAL: dict[str, Shape] = {  # written only where they say something
    "min_letters": Whole(2),
    "eta": Number(0.0),
    "tolerance": Number(0.0),
    "base_levels": Named(Text()),
    "firth": Flag(only=True),
    "fit_intercept": Flag(only=False),
    "offset": Text(),
}


def check(document: dict[str, Any], schema: Schema) -> None:
    """Raise ModelFileError unless the parts fit the schema and every number can be used."""
    model = document["model"]
    labels = schema.target.labels if schema.target else ()
    links = 1 if len(labels) == 2 else len(labels)
    if len(labels) < 2 or len(model["constant"]) != links or model["reference"] >= len(labels):
        raise ModelFileError(
            "model file: the weights are not those of the class labels. The file was edited."
        )
    try:
        given = document["parameters"]
        untold = {"min_letters": 1, "eta": None, "tolerance": None} | UNTOLD
        LogisticOptions(**untold | {k: given[k] for k in (*PARAMETERS, *OPTIONAL) if k in given})
    except OptionError as error:
        raise ModelFileError(f"model file: {error}") from None
    columns = {c.name: c for c in schema.columns}
    names = [p["name"] for p in model["parts"] if p["part"] != "product"]
    if sorted(names) != sorted(columns):
        raise ModelFileError(
            "model file: the model's columns are not those of the schema. The file was edited."
        )
    for part in model["parts"]:
        check_part(part, columns)
    rows = 1 + sum(coefficient_rows(p) for p in model["parts"])
    if model["errors"] and len(model["errors"]) != rows:
        raise ModelFileError(
            f"model file: {len(model['errors']):,} standard errors for {rows:,} coefficients."
        )


def refuse_beyond(model: LogisticModel | LinearModel, errors: Sequence[Sequence[float]]) -> None:
    """Refuse weights that are too large for a model file, as those of values near 1e-300 are, and standard
    errors, as far as they are known.
    """
    measured = [part for part in model.parts if isinstance(part, Slope | Product)]
    weights = np.concatenate([model.constant, *errors, *(part.slope for part in measured)])
    finite = all(map(math.isfinite, (size for part in measured for size in (part.centre, part.scale))))
    if finite and (np.abs(weights) <= BIG).all():
        return
    part = max(measured, key=lambda part: abs(math.log10(part.scale or 1.0)))
    raise DataError(
        f"column {shown(part.name)} spreads by about {part.scale:.3g}, which gives weights beyond {BIG:g}. "
        "Multiply or divide it by a power of ten first."
    )


def coefficient_rows(part: dict[str, Any]) -> int:
    """Return how many coefficients a part of the file has."""
    if part["part"] == "cells":
        return len(part["weights"])
    return {"slope": 1 + ("missing" in part), "words": 0, "product": 1}[part["part"]]


def check_part(part: dict[str, Any], columns: dict[str, Any]) -> None:
    """Raise ModelFileError unless a part of the file fits its column."""
    place = f"column {shown(part['name'])}"
    if part["part"] == "product":
        for factor in part["factors"]:
            column = columns.get(factor[0]) if len(factor) == 2 and isinstance(factor[0], str) else None
            code = factor[1] if len(factor) == 2 else None
            if column is None or (code is None) != (column.kind == "numeric") or isinstance(code, str):
                raise ModelFileError(
                    f"model file: the product {shown(part['name'])} names no column of the schema."
                )
            if code is not None and code >= len(column.levels):
                raise ModelFileError(
                    f"model file: the product {shown(part['name'])} names no level of its column."
                )
        return
    column = columns[part["name"]]
    wanted = {"numeric": "slope", "text": "words"}.get(column.kind, "cells" if column.kind in CODED else "")
    if part["part"] != wanted:
        raise ModelFileError(
            f"model file: {place} is {column.kind}, not fit for {part['part']}. The file was edited."
        )
    if wanted == "cells" and not len(part["weights"]) == len(part["free"]) == len(column.levels) + 1:
        raise ModelFileError(
            f"model file: {place} needs a weight for each of {len(column.levels):,} levels and missing."
        )
    if wanted == "cells" and not part.get("base", 0) < len(column.levels):
        raise ModelFileError(f"model file: {place} is compared with level {part['base']}, which it lacks.")
    if wanted == "words" and (
        len(part["weights"]) != len(column.words) or len(part["idf"]) not in (0, len(column.words))
    ):
        raise ModelFileError(f"model file: {place} needs a weight for each of {len(column.words):,} words.")


FILE = FileKind(MODEL, wished(PARAMETERS, OPTIONAL), check)
