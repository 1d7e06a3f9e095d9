"""Model files of logistic and linear regression: coefficients by name, shapes of the file, and their checks.

1. `coefficients()`: weights in the order of the file's standard errors; `compared()`: as tables show them.
2. Logistic: `FILE`, `check()`. 3. Linear: `LINEAR_FILE`, `check_linear()`.

link = one class's score (linear: the one score); free = not 0 by definition;
base = the level of a column that its other levels are compared with.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import DataError, ModelFileError, OptionError, shown
from tallystick.linear.model import (
    Cells,
    Key,
    LogisticModel,
    Product,
    Slope,
    against_bases,
    key_of,
    uncompared,
)
from tallystick.linear.options import (
    CHOSEN,
    OPTIONS_UNTOLD,
    SOLVERS,
    UNTOLD,
    WORDS,
    LinearOptions,
    LogisticOptions,
)
from tallystick.model.shapes import (
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
from tallystick.schema import CODED, Schema

if TYPE_CHECKING:
    from tallystick.linear.model import LinearModel


# Coefficients by name.

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Coefficient:
    """One line of the table: what it belongs to, its weights [link], and their standard errors where they are
    compared with a base and known.

    free: False where the weight is 0 by definition (a base level, missing without missing rows).
    level: "" for a slope; column: "" for the constant. key: what the weight is multiplied with.
    """

    name: str
    column: str
    level: str
    weights: Array
    errors: tuple[float, ...] | None
    free: bool
    key: Key


def coefficients(model: LogisticModel | LinearModel) -> list[Coefficient]:
    """Return all weights but those of words, as the model holds them: under a prior one for every level."""
    return list(_lines(model))


def compared(model: LogisticModel | LinearModel) -> list[Coefficient]:
    """Return the same as tables show them, with standard errors: levels that all have a weight are compared
    with their column's base level.
    """
    lines = coefficients(model)
    bases = {p.name: p.base for p in model.parts if isinstance(p, Cells) and p.base is not None}
    levels = (p.name for p in model.parts if isinstance(p, Cells) and model.schema[p.name].kind != "boolean")
    whole = "" if model.options.fit_intercept else next(levels, "")
    adds = against_bases([c.key if c.free else None for c in lines], bases, whole)
    weights = [c.weights.copy() for c in lines]
    for at, terms in adds.items():
        for place, factor in terms:
            weights[place] += factor * lines[at].weights
        weights[at] = np.zeros_like(weights[at])
    known = model.errors and not uncompared(model.parts, model.options.fit_intercept)
    errors = model.errors if known else [None] * len(lines)
    return [
        replace(c, weights=own, errors=error, free=c.free and at not in adds)
        for at, (c, own, error) in enumerate(zip(lines, weights, errors, strict=True))
    ]


def _lines(model: LogisticModel | LinearModel) -> Iterator[Coefficient]:
    yield Coefficient("(constant)", "", "", model.constant, None, model.options.fit_intercept, frozenset())
    for part in model.parts:
        name = part.name
        if isinstance(part, Slope):
            free = name != model.options.offset
            yield Coefficient(name, name, "", part.slope, None, free, frozenset({(name, None)}))
            if part.missing is not None:
                key = frozenset({(f"{name} is missing", None)})
                yield Coefficient(f"{name} is missing", name, "missing", part.missing, None, True, key)
        elif isinstance(part, Product):
            yield Coefficient(name, name, "", part.slope, None, True, key_of(part.factors))
        elif isinstance(part, Cells):
            levels = model.schema[name].levels
            names = [f"{name} = {level}" for level in levels] + [f"{name} is missing"]
            each = zip(names, (*levels, "missing"), part.weights, part.free, strict=True)
            for code, (own, level, weights, free) in enumerate(each):
                yield Coefficient(own, name, level, weights, None, free, frozenset({(name, code)}))


BIG = 1e300  # bound on weights and standard errors
_MOST = sys.float_info.max  # bound on centres and scales of columns: any double
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

OPTIONAL: dict[str, Shape] = {  # written only where they are not the default
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
        untold = {"min_letters": 1, "eta": None, "tolerance": None} | OPTIONS_UNTOLD
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


# Linear regression.

_LINEAR_FIT = Record(
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
LINEAR_MODEL = Record(
    {
        "constant": WEIGHTS,
        "covariance": Rows(Numbers("", -BIG, BIG)),
        "errors": Rows(Numbers("links", 0, BIG)),
        "fit": _LINEAR_FIT,
        "parts": Listed(PART),
    }
)
LINEAR_PARAMETERS: dict[str, Shape] = {
    name: PARAMETERS[name] for name in ("interactions", "l2", "polynomial", "standardize")
}
LINEAR_OPTIONAL: dict[str, Shape] = {name: OPTIONAL[name] for name in UNTOLD}


def check_linear(document: dict[str, Any], schema: Schema) -> None:
    """Raise ModelFileError unless the parts fit the schema and every number can be used."""
    model = document["model"]
    if not schema.regression or len(model["constant"]) != 1:
        raise ModelFileError("model file: a linear regression answers a number. The file was edited.")
    try:
        given = document["parameters"]
        LinearOptions(**UNTOLD | {k: given[k] for k in (*LINEAR_PARAMETERS, *LINEAR_OPTIONAL) if k in given})
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
    errors, spread = len(model["errors"]), [len(row) for row in model["covariance"]]
    if errors not in (0, rows) or spread not in ([], list(range(1, rows + 1))):
        raise ModelFileError(f"model file: the standard errors are not those of {rows:,} coefficients.")


LINEAR_FILE = FileKind(LINEAR_MODEL, wished(LINEAR_PARAMETERS, LINEAR_OPTIONAL), check_linear)
