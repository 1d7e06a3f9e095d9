"""Rows that come later and rows that must go: naive Bayes counts are added and subtracted.

Knows how to read more rows by a model's own schema. Laws: `update` and `+` give the bytes of a fit on all
rows, `forget` of a fit without them; when anything is wrong, an error is raised and nothing has changed.
"""

from __future__ import annotations

from typing import Any, Self

from tallystick.data.encode import read_table
from tallystick.data.encode.target import rare_note
from tallystick.data.schema import Note, Wishes
from tallystick.data.source import open_source
from tallystick.errors import OptionError
from tallystick.estimators.base import Classifier
from tallystick.models.naive_bayes import BayesOptions, NaiveBayesModel
from tallystick.models.naive_bayes.algebra import combined, fingerprint, refuse_choices


class Growing(Classifier):
    """update, forget, + and partial_fit for an estimator whose model is a NaiveBayesModel."""

    model_: NaiveBayesModel

    def _options(self) -> BayesOptions:
        raise NotImplementedError

    def update(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn more rows: the model becomes that of all rows together."""
        return self._change(X, y, sample_weight, 1)

    def forget(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Unlearn rows: the model becomes that of a fit without them. Rows that were never learned are an
        error.
        """
        return self._change(X, y, sample_weight, -1)

    def __add__(self, other: Any) -> Self:
        """Return the model of the rows of both."""
        if not isinstance(other, type(self)):
            return NotImplemented
        self._check_fitted()
        other._check_fitted()
        out = type(self)(**self.get_params(deep=False))
        out._take(self)
        for model in (self, other):
            model._refuse()
        out._merge(other, 1)
        return out

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn rows in parts; the first call may name all classes that are to come."""
        if hasattr(self, "model_"):
            return self.update(X, y, sample_weight)
        if classes is None:
            return self.fit(X, y, sample_weight)
        name = y if isinstance(y, str) else str(getattr(y, "name", None) or "y")
        source = open_source(X)
        wishes = self._wishes()
        labels = [str(c) for c in classes]
        known = Wishes(wishes.kinds, {**wishes.levels, name: labels}, wishes.keep, wishes.missing)
        self._learning()
        table = read_table(source, known, y, sample_weight, self.threads)
        return self.fit_table(table)

    def _change(self, X: Any, y: Any, sample_weight: Any, sign: int) -> Self:
        self._check_fitted()
        X = self._fitting(X)
        self._refuse()
        part = type(self)(**self.get_params(deep=False))
        target = self.schema_.target
        assert target is not None
        source = open_source(X)
        y = target.name if y is None else y
        name = y if isinstance(y, str) else str(getattr(y, "name", None) or "y")
        kinds: dict[str, str] = {c: "out" for c in source.columns if c != name}
        kinds |= {c.name: c.kind for c in self.schema_.used}
        given = self._wishes()
        levels = {n: v for n, v in given.levels.items() if n != target.name}
        levels |= {c.name: c.levels for c in self.schema_.used if c.kind in ("boolean", "ordered")}
        wishes = Wishes(kinds, {**levels, name: target.labels}, (), given.missing)
        table = read_table(source, wishes, y, sample_weight, self.threads)
        part.fit_table(table)
        self._merge(part, sign)
        return self

    def _refuse(self) -> None:
        refuse_choices(
            self.model_, {c.name: self._options().distribution(c.name, c.kind) for c in self.schema_.used}
        )

    def _merge(self, other: Growing, sign: int) -> None:
        """Take the other's rows in or out; nothing is set before everything is known to be right."""
        target = self.schema_.target
        if (
            target is not None
            and other.schema_.target is not None
            and target.type != other.schema_.target.type
        ):
            raise OptionError(
                f"the labels were {target.type} and are {other.schema_.target.type} now. Convert them."
            )
        given = self._wishes().levels
        model = combined(self.model_, other.model_, sign, given)
        rows = fingerprint(self.rows_, other.rows_, sign)
        notes = _told(
            self.notes_ + tuple(n for n in other.notes_ if sign > 0 and n not in self.notes_), model
        )
        columns, named = self._columns_in(), hasattr(self, "feature_names_in_")
        self._adopt(model, notes, rows)
        self._set_columns(columns, named)

    def _take(self, other: Growing) -> None:
        self._adopt(other.model_, other.notes_, dict(other.rows_))
        self._set_columns(other._columns_in(), hasattr(other, "feature_names_in_"))


def _told(notes: tuple[Note, ...], model: NaiveBayesModel) -> tuple[Note, ...]:
    """Return the notes as a fit on these rows would give them: classes of one row are counted anew."""
    target = model.schema.target
    assert target is not None
    plain = [n for n in notes if n.code != "rare-classes"]
    rare = rare_note(target, model.classes) if model.unit == 1 else ()
    first = [n for n in plain if n.column in ("", target.name)]
    return (*first, *rare, *(n for n in plain if n.column not in ("", target.name)))
