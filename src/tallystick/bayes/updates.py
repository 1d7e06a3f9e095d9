"""Rows added to a naive Bayes and taken away: the mixin `Updates` of the estimator, and sums of two models.

1. Entry: `Updates`: update, forget, + and partial_fit.
2. Sums and differences of models: `refuse_choices()`, `combined()`; schemas are merged and aligned first.

unit = the integer that a row of weight 1 adds to a count; sign = 1 to add rows, -1 to take them away.
Laws: `update` and `+` give the bytes of a fit on all rows, `forget` of a fit without them, but for the
profile of the rows, which is gone; when anything is wrong, an error is raised and nothing has changed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tallystick.bayes.model import BayesPart, NaiveBayesModel, Summed, Worded
from tallystick.bayes.options import BayesOptions
from tallystick.contracts import Table
from tallystick.errors import Argument, DataError, OptionError, shown, some
from tallystick.estimator.classifier import Classifier
from tallystick.predict.row import are_floats
from tallystick.schema import Column, Note, Schema, Target
from tallystick.text import label_text


class Updates(Classifier):
    """update, forget, + and partial_fit for an estimator whose model is a NaiveBayesModel."""

    model_: NaiveBayesModel
    _in_parts = False  # learned by partial_fit: numbers get a distribution that is a sum
    _named: list[str] | None = None  # the classes that the first call of partial_fit named

    def _options(self) -> BayesOptions:
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix or records
            The rows.
        y : str or array, default None
            The name of the column to predict, or the labels. It must be given.
        sample_weight : array or str, default None
            The weight of each row; None is 1.

        Returns
        -------
        self
            The fitted estimator.
        """
        self._in_parts = False
        return super().fit(X, y, sample_weight)

    def update(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn more rows: the model becomes that of all rows together.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix or records
            The rows.
        y : str or array, default None
            The labels, or the name of their column; None is the target's.
        sample_weight : array or str, default None
            The weight of each row; None is 1.

        Returns
        -------
        self
            The estimator.
        """
        return self._change(X, y, sample_weight, 1)

    def forget(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Unlearn rows: the model becomes that of a fit without them. Rows that were never learned are an
        error.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix or records
            The rows.
        y : str or array, default None
            The labels, or the name of their column; None is the target's.
        sample_weight : array or str, default None
            The weight of each row; None is 1.

        Returns
        -------
        self
            The estimator.
        """
        return self._change(X, y, sample_weight, -1)

    def __add__(self, other: Any) -> Self:
        """Return the model of the rows of both."""
        if not isinstance(other, type(self)):
            return NotImplemented
        self._check_fitted()
        other._check_fitted()
        out = type(self)(**self.get_params(deep=False))
        out._in_parts, out._float_labels = self._in_parts, self._float_labels
        out._take(self)
        for model in (self, other):
            model._refuse()
        out._merge(other, 1)
        return out

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn rows in parts. Numbers are read as gaussian where distributions="auto": which distribution
        fits them best is chosen from all rows, and they are never here together.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix or records
            The rows.
        y : str or array, default None
            The labels, or the name of their column.
        classes : list, default None
            In the first call, all classes that are to come; then no others may.
        sample_weight : array or str, default None
            The weight of each row; None is 1.

        Returns
        -------
        self
            The estimator.
        """
        from tallystick.io.open import open_source
        from tallystick.table.reader import read_table

        if self.__sklearn_is_fitted__():
            return self._change(X, y, sample_weight, 1, self._named)
        self._in_parts = True
        if classes is None:
            return super().fit(X, y, sample_weight)
        name = y if isinstance(y, str) else str(getattr(y, "name", None) or "y")
        source = open_source(X)
        wishes = self._wishes()
        labels = list(dict.fromkeys(label_text(c) for c in classes))
        known = replace(wishes, levels={**wishes.levels, name: labels}, fixed_weights=True)
        self._learning()
        self._float_labels = are_floats(X, y)
        table = read_table(source, known, y, sample_weight, self._local().threads)
        _refuse_others(table.schema.predicted, labels)
        self._fit_table(table)
        self._keep_profile(table)
        self._named = labels
        return self

    def _fit_table(self, table: Table) -> Self:
        """Learn from an encoded table. Where weights have fractions, classes are rare by weight: rows are not
        kept, and what is said must be what `update` and `forget` can say.
        """
        self._in_parts = self._in_parts and any(c.kind == "numeric" for c in table.schema.used)
        super()._fit_table(table)
        if self.model_.unit != 1:
            self._notes = _recounted(self.notes_, self.model_)
        return self

    def _change(self, X: Any, y: Any, sample_weight: Any, sign: int, named: list[str] | None = None) -> Self:
        from tallystick.io.open import open_source
        from tallystick.table.reader import read_table

        self._check_fitted()
        X = self._fitting(X)
        self._refuse()
        part = type(self)(**self.get_params(deep=False))
        part._in_parts = self._in_parts
        target = self.schema_.predicted
        source = open_source(X)
        y = target.name if y is None else y
        name = y if isinstance(y, str) else str(getattr(y, "name", None) or "y")
        kinds: dict[str, str] = {c: "out" for c in source.columns if c != name}
        kinds |= self.schema_.kinds_again()
        given = self._wishes()
        levels = {n: v for n, v in given.levels.items() if n != target.name}
        levels |= {c.name: c.levels for c in self.schema_.used if c.kind in ("boolean", "ordered")}
        levels[name] = target.labels
        parts = self.schema_.parts_again()
        wishes = replace(given, kinds=kinds, levels=levels, keep=(), parts=parts, fixed_weights=True)
        table = read_table(source, wishes, y, sample_weight, self._local().threads)
        if named is not None:
            _refuse_others(table.schema.predicted, named)
        part._fit_table(table)
        self._merge(part, sign)
        return self

    def _refuse(self) -> None:
        from tallystick.table.target import SCALED

        if any(note.code == SCALED for note in self.notes_):
            raise OptionError(
                "this model was fitted with sample weights that are not whole, which were scaled to sum to "
                "the number of its rows, so they have no unit in common with other rows. Begin with "
                "partial_fit, where a weight of 1 is one row, or fit all rows together."
            )
        refuse_choices(
            self.model_, {c.name: self._options().distribution(c.name, c.kind) for c in self.schema_.used}
        )

    def _merge(self, other: Updates, sign: int) -> None:
        """Take the other's rows in or out; nothing is set before everything is known to be right."""

        known, new = self.schema_.predicted.type, other.schema_.predicted.type
        if known != new:
            raise OptionError(f"the labels were {known} and are {new} now. Convert them.")
        given = self._wishes().levels
        model = combined(self.model_, other.model_, sign, given)
        model.check()
        rows = fingerprint(self.rows_, other.rows_, sign)
        notes = _recounted(
            self.notes_ + tuple(n for n in other.notes_ if sign > 0 and n not in self.notes_), model
        )
        columns, named = self._columns_in(), self._named_columns
        decision = self.model_.decision
        self._adopt(model, notes, rows)
        self._keep_decision(decision)
        self._remember(other._files)
        self._set_columns(columns, named)

    def _take(self, other: Updates) -> None:
        self._adopt(other.model_, other.notes_, dict(other.rows_))
        self._remember(other._files)
        self._set_columns(other._columns_in(), other._named_columns)


def _refuse_others(target: Target, named: list[str]) -> None:
    """Refuse rows of a class that the first call of `partial_fit` did not name."""
    if others := [label for label in target.labels if label not in named]:
        raise DataError(
            f"target {shown(target.name)} holds {some(others)}, which classes= did not name "
            f"({some(named)}). Name all classes in the first call of partial_fit."
        )


def _recounted(notes: tuple[Note, ...], model: NaiveBayesModel) -> tuple[Note, ...]:
    """Return the notes as a fit on these rows would give them: classes of one row are counted again."""
    from tallystick.table.target import rare_note

    target = model.schema.predicted
    plain = [n for n in notes if n.code not in ("rare-classes", "imbalance")]
    rare: tuple[Note, ...] = ()
    if model.unit == 1:
        rare = rare_note(target, model.classes)
    elif light := [
        s for s, w in zip(target.labels, model.classes.tolist(), strict=True) if 0 < w <= model.unit
    ]:
        weigh = f"class {some(light)} weighs" if len(light) == 1 else f"classes {some(light)} weigh"
        text = f"{weigh} no more than one row: too little to learn from."
        rare = (Note("rare-classes", text, target.name, len(light)),)
    first = [n for n in plain if n.column in ("", target.name)]
    return (*first, *rare, *(n for n in plain if n.column not in ("", target.name)))


# Sums of models. A choice that depends on all rows (cuts, tf-idf) cannot be added and is refused by name.


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
    unit = max(a.unit, b.unit)
    schema = _union(a.schema, b.schema, sign)
    total = aligned(scaled(a, unit), schema).plus(aligned(scaled(b, unit), schema), sign)
    return trimmed(total, declared) if sign < 0 else total


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
    parts = tuple(part.plus(part, -1) for part in model.parts)  # type: ignore[arg-type]
    out = NaiveBayesModel(model.schema, model.options, model.unit, model.classes * 0, parts)
    for bit in range(times.bit_length() - 1, -1, -1):  # multiply by doubling: parts can only be added
        out = out.plus(out)
        if times >> bit & 1:
            out = out.plus(model)
    return replace(out, unit=unit)


def aligned(model: NaiveBayesModel, schema: Schema) -> NaiveBayesModel:
    """Return the same model by a schema that may know more levels, words and labels."""
    classes = _places(model.schema.predicted.labels, schema.predicted.labels)
    k = len(schema.predicted.labels)
    parts: list[BayesPart] = []
    for part in model.parts:
        old, new = model.schema[part.name], schema[part.name]
        parts.append(_aligned(part, old, new, classes, k))
    return replace(model, schema=schema, classes=_spread(model.classes, classes, k), parts=tuple(parts))


def _aligned(part: BayesPart, old: Column, new: Column, classes: NDArray[np.intp], k: int) -> BayesPart:
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
    parts: list[BayesPart] = []
    for part in model.parts:
        column, part = _trimmed(part, columns[part.name], keep, part.name in declared)
        columns[part.name] = column
        parts.append(part)
    labels = tuple(target.labels[i] for i in keep)
    schema = Schema(tuple(columns.values()), replace(target, labels=labels), model.schema.marks)
    return replace(model, schema=schema, classes=model.classes[keep], parts=tuple(parts))


def _trimmed(
    part: BayesPart, column: Column, keep: NDArray[np.intp], declared: bool
) -> tuple[Column, BayesPart]:
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
    """Return the profile of the rows of both models, or of the rest: counts and fingerprints add."""
    unit = max(a["unit"], b["unit"])
    one, two = unit // a["unit"], unit // b["unit"]
    mark = (int(a["fingerprint"], 16) * one + sign * int(b["fingerprint"], 16) * two) % 2**128
    return {"count": a["count"] * one + sign * b["count"] * two, "fingerprint": f"{mark:032x}", "unit": unit}


def no_ranges(schema: Schema, parts: Sequence[BayesPart]) -> Schema:
    """Return the schema without the ranges of columns that are kept as sums: a range is not a sum and cannot
    be forgotten.
    """
    summed = {p.name for p in parts if isinstance(p, Summed)}
    columns = tuple(replace(c, low=None, high=None) if c.name in summed else c for c in schema.columns)
    return Schema(columns, schema.target, schema.marks)
