"""Adding and subtracting fitted models: rows of both, or rows of one without the other's.

Knows models and schemas. Knows nothing of rows. Law: the sum of two models is the model of the rows of both.
Only sums add: a model with a choice that depends on all rows (cuts, tf-idf) is refused, and
the error names the choice.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.data.schema import Column, Schema, Target
from tallystick.errors import Argument, DataError, OptionError, shown, some
from tallystick.models.naive_bayes.columns import Part, Summed, Worded
from tallystick.models.naive_bayes.model import NaiveBayesModel


def refuse_choices(model: NaiveBayesModel, wished: dict[str, str]) -> None:
    """Raise when some part of the model is not a sum; wished[column] is the distribution asked for."""
    for part in model.parts:
        if wished.get(part.name) == "auto" or part.distribution == "binned":
            fix = f"distributions={{{shown(part.name)}: 'gaussian'}}"
            raise OptionError(
                f"how column {shown(part.name)} is read was chosen from all rows, so rows cannot be added or "
                f"forgotten. Fix the choice with {fix} and fit again."
            )
        if isinstance(part, Worded) and part.idf:
            raise OptionError(
                f"the tf-idf weights of column {shown(part.name)} depend on all rows, so none can be added "
                "or "
                "forgotten. Use words='counts' and fit again."
            )
        if isinstance(part, Worded) and model.options.min_count > 1:
            raise OptionError(
                f"which words of column {shown(part.name)} are known depends on all rows, so none can be "
                "added or forgotten. Use ",
                Argument("min_count", 1),
                " and fit again.",
            )
    if model.calibration is not None:
        raise OptionError(
            "the calibration depends on all rows. Use ",
            Argument("calibrate", False),
            " to add or forget rows.",
        )


def combined(a: NaiveBayesModel, b: NaiveBayesModel, sign: int, declared: Collection[str]) -> NaiveBayesModel:
    """Return the model of the rows of both (sign 1), or of a's rows without b's (sign -1).

    declared: columns whose levels were given by the user, so they stay when no row has them any more.
    """
    _refuse_other_columns(a, b)
    unit = max(a.unit, b.unit)
    schema = _union(a.schema, b.schema, sign)
    total = aligned(scaled(a, unit), schema).plus(aligned(scaled(b, unit), schema), sign)
    return trimmed(total, declared) if sign < 0 else total


def _refuse_other_columns(a: NaiveBayesModel, b: NaiveBayesModel) -> None:
    if a.options != b.options:
        raise OptionError("the two models were fitted with different parameters. Fit both with the same.")
    kinds = [{c.name: c.kind for c in m.schema.used} for m in (a, b)]
    if kinds[0] != kinds[1]:
        other = sorted(n for n in kinds[0].keys() | kinds[1].keys() if kinds[0].get(n) != kinds[1].get(n))
        raise DataError(
            f"the two models do not have the same columns: {some(other)} differ. Pass ",
            Argument("kinds", {...: ...}),
            ".",
        )
    if a.schema.predicted.name != b.schema.predicted.name:
        raise DataError("the two models do not have the same target.")


def _union(a: Schema, b: Schema, sign: int) -> Schema:
    columns = []
    for mine in a.columns:
        if mine.kind == "out":
            columns.append(mine)
            continue
        other = b[mine.name]
        levels = mine.levels if mine.kind == "ordered" else _merged(mine.levels, other.levels)
        if mine.kind == "ordered" and not set(other.levels) <= set(mine.levels):
            new = some(sorted(set(other.levels) - set(mine.levels)))
            raise DataError(f"column {shown(mine.name)} has the new level {new}, whose order is not known.")
        words = _merged(mine.words, other.words)
        missing = mine.missing + sign * other.missing
        columns.append(replace(mine, levels=levels, words=words, missing=missing, low=None, high=None))
    labels = _labels(a.predicted, b.predicted)
    return Schema(tuple(columns), replace(a.predicted, labels=labels), a.marks)


def _merged(a: Sequence[str], b: Sequence[str]) -> tuple[str, ...]:
    return tuple(a) if tuple(a) == tuple(b) else tuple(sorted({*a, *b}, key=str.encode))


def _labels(a: Target, b: Target) -> tuple[str, ...]:
    if a.type in ("integer", "number"):
        return tuple(sorted({*a.labels, *b.labels}, key=float))
    return _merged(a.labels, b.labels)


def scaled(model: NaiveBayesModel, unit: int) -> NaiveBayesModel:
    """Return the same model with counts in another unit."""
    times = unit // model.unit
    if times == 1:
        return model
    nothing = NaiveBayesModel(model.schema, model.options, model.unit, model.classes * 0, _zeros(model.parts))
    out = nothing
    for bit in range(times.bit_length() - 1, -1, -1):  # times by doubling: parts know only how to add
        out = out.plus(out)
        if times >> bit & 1:
            out = out.plus(model)
    return replace(out, unit=unit)


def _zeros(parts: Sequence[Part]) -> tuple[Part, ...]:
    return tuple(part.plus(part, -1) for part in parts)  # type: ignore[arg-type]


def aligned(model: NaiveBayesModel, schema: Schema) -> NaiveBayesModel:
    """Return the same model by a schema that may know more levels, words and labels."""
    classes = _places(model.schema.predicted.labels, schema.predicted.labels)
    k = len(schema.predicted.labels)
    parts: list[Part] = []
    for part in model.parts:
        old, new = model.schema[part.name], schema[part.name]
        parts.append(_aligned(part, old, new, classes, k))
    return replace(model, schema=schema, classes=_spread(model.classes, classes, k), parts=tuple(parts))


def _aligned(part: Part, old: Column, new: Column, classes: NDArray[np.intp], k: int) -> Part:
    missing = _spread(part.missing, classes, k)
    if isinstance(part, Summed):
        sums, squares = [0] * k, [0] * k
        for i, c in enumerate(classes.tolist()):
            sums[c], squares[c] = part.sums[i], part.squares[i]
        rows = _spread(part.rows, classes, k)
        return replace(part, rows=rows, missing=missing, sums=tuple(sums), squares=tuple(squares))
    names = (old.words, new.words) if isinstance(part, Worded) else (old.levels, new.levels)
    counts = np.zeros((len(names[1]), k), np.int64)
    counts[np.ix_(_places(*names), classes)] = part.counts
    if isinstance(part, Worded):
        return replace(part, counts=counts, missing=missing, documents=_spread(part.documents, classes, k))
    return replace(part, counts=counts, missing=missing, levels=new.levels)


def _places(old: Sequence[str], new: Sequence[str]) -> NDArray[np.intp]:
    at = {name: i for i, name in enumerate(new)}
    return np.array([at[name] for name in old], np.intp)


def _spread(values: NDArray[np.int64], places: NDArray[np.intp], size: int) -> NDArray[np.int64]:
    out = np.zeros(size, np.int64)
    out[places] = values
    return out


def trimmed(model: NaiveBayesModel, declared: Collection[str]) -> NaiveBayesModel:
    """Return the model without levels, words and labels that no row has; declared ones stay."""
    target = model.schema.predicted
    keep = np.flatnonzero(model.classes) if target.name not in declared else np.arange(len(model.classes))
    columns: dict[str, Column] = {c.name: c for c in model.schema.columns}
    parts: list[Part] = []
    for part in model.parts:
        column, part = _trimmed(part, columns[part.name], keep, part.name in declared)
        columns[part.name] = column
        parts.append(part)
    labels = tuple(target.labels[i] for i in keep)
    schema = Schema(tuple(columns.values()), replace(target, labels=labels), model.schema.marks)
    return replace(model, schema=schema, classes=model.classes[keep], parts=tuple(parts))


def _trimmed(part: Part, column: Column, keep: NDArray[np.intp], declared: bool) -> tuple[Column, Part]:
    missing = part.missing[keep]
    if isinstance(part, Summed):
        sums, squares = ([values[i] for i in keep.tolist()] for values in (part.sums, part.squares))
        part = replace(part, rows=part.rows[keep], missing=missing, sums=tuple(sums), squares=tuple(squares))
        return column, part
    used = np.asarray(part.counts.any(axis=1))
    if isinstance(part, Worded):
        words = tuple(w for w, there in zip(column.words, used.tolist(), strict=True) if there)
        counts, documents = part.counts[used][:, keep], part.documents[keep]
        return replace(column, words=words), replace(
            part, counts=counts, missing=missing, documents=documents
        )
    if declared or column.kind == "boolean":
        used[:] = True
    levels = tuple(v for v, there in zip(column.levels, used.tolist(), strict=True) if there)
    counts = part.counts[used][:, keep]
    return replace(column, levels=levels), replace(part, counts=counts, missing=missing, levels=levels)


def fingerprint(a: dict[str, Any], b: dict[str, Any], sign: int) -> dict[str, Any]:
    """Return what the model file says of the rows of both, or of the rest: counts and fingerprints add."""
    unit = max(a["unit"], b["unit"])
    one, two = unit // a["unit"], unit // b["unit"]
    mark = (int(a["fingerprint"], 16) * one + sign * int(b["fingerprint"], 16) * two) % 2**128
    return {"count": a["count"] * one + sign * b["count"] * two, "fingerprint": f"{mark:032x}", "unit": unit}


def no_ranges(schema: Schema, parts: Sequence[Part]) -> Schema:
    """Return the schema without the ranges of columns that are kept as sums: a range is not a sum and cannot
    be forgotten.
    """
    summed = {p.name for p in parts if isinstance(p, Summed)}
    columns = tuple(replace(c, low=None, high=None) if c.name in summed else c for c in schema.columns)
    return Schema(columns, schema.target, schema.marks)
