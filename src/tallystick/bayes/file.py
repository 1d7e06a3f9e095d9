"""The naive Bayes part of the model file: its shape, and the check that its counts add up. Entry: `FILE`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallystick.bayes.model import NaiveBayesModel, given_priors
from tallystick.bayes.options import (
    DISTRIBUTIONS,
    PRIORS,
    SHARES,
    VARIANCES,
    WEIGHTS,
    BayesOptions,
    Distribution,
    every_name,
)
from tallystick.errors import DataError, ModelFileError, OptionError, shown
from tallystick.model.shapes import (
    Counts,
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
from tallystick.schema import Schema
from tallystick.stats import exact

_MISSING = Counts("classes")
_TABLE = Rows(Counts("classes"))
_SUM = Text(test=lambda t: exact.reads(t, exact.SUM_UNIT), words="an exact sum of doubles")
_SQUARE = Text(
    test=lambda t: t[:1] != "-" and exact.reads(t, exact.SQUARE_UNIT), words="an exact sum of squares"
)


def _column(way: Distribution) -> Record:
    """Return what a file holds of a column that is read in this way."""
    keys: dict[str, Shape] = {"distribution": Text((way.name,)), "missing": _MISSING, "name": Text()}
    if way.keeps != "sums":
        cuts: dict[str, Shape] = {"cuts": Numbers(rising=True)} if way.name == "binned" else {}
        weighted = way.keeps == "words" and way.name != "bernoulli"
        return Record(keys | {"counts": _TABLE} | cuts, _IDF if weighted else {})
    keys["sums"] = Listed(_SUM, "classes")
    if way.squares:
        keys |= {"squares": Listed(_SQUARE, "classes"), "variance": Text(VARIANCES)}
    return Record(keys)


_IDF: dict[str, Shape] = {"idf": Counts(high=2**32)}
_COLUMN = Variant("distribution", {name: _column(way) for name, way in sorted(DISTRIBUTIONS.items())})
MODEL = Record(
    {"classes": Counts("classes"), "columns": Listed(_COLUMN)},
    {"calibration": Record({"shift": Numbers("classes", -1e9, 1e9), "slope": Number(0, 1e9)})},
)
_NON_NEGATIVE = Number(0, 1e300)
_SHARE = Number(0, 1)
_BY_COLUMN = Either((Named(_NON_NEGATIVE), _NON_NEGATIVE))
_NAMES = Text(every_name())
PARAMETERS: dict[str, Shape] = {
    "alpha": _BY_COLUMN,
    "calibrate": Flag(),
    "distributions": Either((Named(_NAMES), _NAMES)),
    "m": Maybe(_BY_COLUMN),
    "p": Maybe(Either((Named(Either((Named(_SHARE), _SHARE))), _SHARE))),
    "priors": Either((Named(_NON_NEGATIVE), Numbers("classes", 0, 1), Text(PRIORS))),
    "share": Text(SHARES),
    "variance": Maybe(Text(VARIANCES)),
    "words": Text(WEIGHTS),
}
OPTIONAL: dict[str, Shape] = {
    "min_count": Whole(2),
    "min_letters": Whole(2),
    "class_weight": Either((Named(_NON_NEGATIVE), Text(("balanced",)))),
}  # written only when they are not the defaults below
UNTOLD = {"min_count": 1, "min_letters": 1, "class_weight": None}


def check(document: dict[str, Any], schema: Schema) -> None:
    """Raise ModelFileError unless the parts fit the schema, the counts add up, and every number can be
    derived.
    """
    model, unit = document["model"], document["rows"]["unit"]
    classes = np.array(model["classes"], object)
    if schema.target is None or len(schema.target.labels) < 1:
        raise ModelFileError("model file: a naive Bayes model needs class labels. The file was edited.")
    if not classes.sum():
        raise ModelFileError("model file: a naive Bayes model needs rows. The file was edited.")
    if int(classes.sum()) != document["rows"]["count"]:
        raise _uneven("the class counts", int(classes.sum()), f"{document['rows']['count']:,} rows")
    names = [c["name"] for c in model["columns"]]
    used = {c.name: c for c in schema.columns}
    if len(set(names)) != len(names) or any(n not in used for n in names):
        raise ModelFileError(
            "model file: the model's columns are not those of the schema. The file was edited."
        )
    for column in model["columns"]:
        _check_column(column, used[column["name"]], classes)
    try:
        given = document["parameters"]
        fields = {k: given[k] for k in PARAMETERS}
        options = BayesOptions(**fields | {k: given.get(k, UNTOLD[k]) for k in OPTIONAL})
        if not isinstance(options.priors, str):
            given_priors(options.priors, schema.target)
        _ = NaiveBayesModel.from_dict(model, schema, options, unit).additive
    except (DataError, OptionError, OverflowError) as error:
        raise ModelFileError(f"model file: {error}") from None


def _check_column(data: dict[str, Any], column: Any, classes: Any) -> None:
    place, missing = f"column {shown(column.name)}", np.array(data["missing"], object)
    way = DISTRIBUTIONS[data["distribution"]]
    if column.kind not in way.kinds:
        raise ModelFileError(
            f"model file: {place} is {column.kind}, not fit for {data['distribution']}. The file was edited."
        )
    present = classes - missing
    if (present < 0).any():
        raise ModelFileError(f"model file: {place} misses more rows than a class has. The file was edited.")
    if "counts" in data:
        _check_counts(data, column, present, place)
    else:
        squares = data.get("squares", ["0"] * len(classes))
        for n, s, q in zip(present.tolist(), data["sums"], squares, strict=True):
            total, square = exact.read(s, exact.SUM_UNIT), exact.read(q, exact.SQUARE_UNIT)
            if (n == 0 and (total or square)) or ("squares" in data and total * total > square * n):
                raise ModelFileError(
                    f"model file: the sums of {place} cannot come from {n:,} rows. The file was edited."
                )
            if way.counts and total < 0:
                raise ModelFileError(
                    f"model file: {place} has a negative sum of counts. The file was edited."
                )


def _check_counts(data: dict[str, Any], column: Any, present: Any, place: str) -> None:
    size = (
        len(column.words)
        if column.kind == "text"
        else len(data.get("cuts", column.levels)) + ("cuts" in data)
    )
    if len(data["counts"]) != size:
        raise ModelFileError(
            f"model file: {place} has {len(data['counts']):,} rows of counts, needs {size:,}."
        )
    sums = np.array(data["counts"], object).reshape(size, len(present)).sum(0) if size else present * 0
    if column.kind != "text" and (sums != present).any():
        c = int(np.flatnonzero(sums != present)[0])
        raise _uneven(f"the counts of {place} in class {c}", int(sums[c]), f"{int(present[c]):,} rows")
    if column.kind == "text":
        if (
            data["distribution"] == "bernoulli"
            and size
            and (np.array(data["counts"], object).max(0) > present).any()
        ):
            raise ModelFileError(
                f"model file: {place} has a word in more rows than there are. The file was edited."
            )
        if max(sums.tolist(), default=0) >= 2**63:
            raise ModelFileError(
                f"model file: the word counts of {place} are too large. The file was edited."
            )
        if "idf" in data and len(data["idf"]) != size:
            raise ModelFileError(
                f"model file: {place} has {len(data['idf']):,} word weights, needs {size:,}."
            )


def _uneven(what: str, found: int, expected: str) -> ModelFileError:
    return ModelFileError(f"model file: {what} sum to {found:,}, not to {expected}. The file was edited.")


FILE = FileKind(MODEL, wished(PARAMETERS, OPTIONAL), check)
