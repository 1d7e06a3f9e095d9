"""Rows that come later and rows that must go: naive Bayes counts are added and subtracted.

Knows how to read more rows by a model's own schema. Laws: `update` and `+` give the bytes of a fit on all
rows, `forget` of a fit without them, but for the profile of the rows, which is gone; when anything is wrong,
an error is raised and nothing has changed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

from tallystick.contracts import Table
from tallystick.data.schema import Note, Target
from tallystick.data.text import label_text
from tallystick.errors import DataError, OptionError, shown, some
from tallystick.estimators.classifier import Classifier
from tallystick.estimators.rows import are_floats
from tallystick.models.naive_bayes import BayesOptions, NaiveBayesModel


class Updates(Classifier):
    """update, forget, + and partial_fit for an estimator whose model is a NaiveBayesModel."""

    model_: NaiveBayesModel
    _in_parts = False  # learned by partial_fit: numbers are read in a way that more rows can be added to
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
        from tallystick.data.read.reader import read_table
        from tallystick.data.source import open_source

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
            self._notes = _told(self.notes_, self.model_)
        return self

    def _change(self, X: Any, y: Any, sample_weight: Any, sign: int, named: list[str] | None = None) -> Self:
        from tallystick.data.read.reader import read_table
        from tallystick.data.source import open_source

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
        from tallystick.data.read.weights import SCALED
        from tallystick.models.naive_bayes.algebra import refuse_choices

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
        from tallystick.models.naive_bayes.algebra import combined, fingerprint

        known, new = self.schema_.predicted.type, other.schema_.predicted.type
        if known != new:
            raise OptionError(f"the labels were {known} and are {new} now. Convert them.")
        given = self._wishes().levels
        model = combined(self.model_, other.model_, sign, given)
        model.check()
        rows = fingerprint(self.rows_, other.rows_, sign)
        notes = _told(
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


def _light(model: NaiveBayesModel) -> tuple[Note, ...]:
    """Return a note on classes that weigh no more than one row."""
    target = model.schema.predicted
    light = [s for s, w in zip(target.labels, model.classes.tolist(), strict=True) if 0 < w <= model.unit]
    if not light:
        return ()
    verb = "weighs" if len(light) == 1 else "weigh"
    text = (
        f"class{'es' * (len(light) > 1)} {some(light)} {verb} no more than one row: too little to learn from."
    )
    return (Note("rare-classes", text, target.name, len(light)),)


def _told(notes: tuple[Note, ...], model: NaiveBayesModel) -> tuple[Note, ...]:
    """Return the notes as a fit on these rows would give them: classes of one row are counted again."""
    from tallystick.data.read.survey_target import rare_note

    target = model.schema.predicted
    plain = [n for n in notes if n.code not in ("rare-classes", "imbalance")]
    rare = rare_note(target, model.classes) if model.unit == 1 else _light(model)
    first = [n for n in plain if n.column in ("", target.name)]
    return (*first, *rare, *(n for n in plain if n.column not in ("", target.name)))
