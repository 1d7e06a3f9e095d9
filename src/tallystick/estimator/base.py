"""What all estimators share: fitting from anything tabular, predicting, saving, copying.

Knows sources, engines and the model file. Knows nothing of any learner: each estimator brings its own.
Laws: `fit` sets everything it learned or nothing; copies and pickles are the model file.
"""

from __future__ import annotations

import functools
import hashlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from tallystick import methods
from tallystick.contracts import Block, Engine, Model
from tallystick.draw.svg import as_html, plain, wrapped
from tallystick.engine.choice import table_of
from tallystick.errors import (
    Argument,
    DataError,
    Message,
    NotFitted,
    OptionError,
    TargetError,
    clean,
    counted,
    for_reader,
    nearest,
    shown,
    some,
    warn,
    with_article,
)
from tallystick.estimator.plain_method import PlainMethod
from tallystick.files import keep_apart
from tallystick.io.open import is_spark
from tallystick.model import file
from tallystick.model.decision import AnswerDecision, from_dict
from tallystick.model.file import is_whole
from tallystick.model.parameters import ROUTED, Parameters
from tallystick.model.profile import Profile
from tallystick.predict.columns import Work, from_floats
from tallystick.predict.row import as_given, as_record, check_row, width
from tallystick.schema import ColumnOptions, Note, Schema, Target
from tallystick.table.table import LocalTable

if TYPE_CHECKING:
    from tallystick.contracts import Table
    from tallystick.estimator.model_card import ModelCard
    from tallystick.judge.groups import By
    from tallystick.table.new_rows import Matched


# Numbers that users give per class: the names must be classes of the table; and classes that are too many.
#
# Knows the target's labels and values. Knows nothing of what the numbers mean. Law: asked once, of the
# whole table; a part of it may lack a rare class.


LONG = 500  # classes from which a method with points for each takes more than some seconds
MANY_CLASSES = 5_000  # naive Bayes of 10,000 classes and 10 columns took 25 s and 5.1 GB


def refuse_unknown(name: str, given: Mapping[Any, Any], target: Target) -> None:
    """Refuse a key that is not a class."""
    unknown = [str(k) for k in given if target.label_of(k) not in target.labels]
    if unknown:
        raise OptionError(
            Argument(name),
            f" names {some(unknown)}, which is not a class.{nearest(unknown[0], target.labels)} "
            f"The classes are {some(target.labels)}.",
        )


def class_number(target: Target, label: Any) -> int:
    """Return the number of the class that a user means."""
    text = target.label_of(label)
    if text not in target.labels:
        raise OptionError(f"there is no class {shown(label)}.{nearest(text, target.labels)}")
    return target.labels.index(text)


def refuse_many(kind: str, schema: Schema) -> None:
    """Refuse more classes than a method can be learnt for in a time that anybody waits; say so before work
    that takes long.
    """
    method = methods.KINDS.get(kind)
    most = 0 if method is None else method.most_classes
    found = 0 if schema.target is None else len(schema.target.labels)
    if method is not None and 0 < most < found:
        raise TargetError(
            f"target {shown(schema.predicted.name)} has {found:,} classes, and "
            f"{with_article(method.words)} is learnt for at most {most:,}: the work grows with their "
            "square. Join rare classes, or use a tree or naive Bayes."
        )
    if method is not None and method.few_classes and found > LONG:
        warn(
            f"target {shown(schema.predicted.name)} has {found:,} classes, and {with_article(method.words)} "
            "has points for each of them, so this may take a minute or more. Join rare classes, or use a "
            "tree or naive Bayes, which take a second."
        )
    elif found > MANY_CLASSES:
        warn(
            f"target {shown(schema.predicted.name)} has {found:,} classes, each counted in every column, so "
            "this may take a minute or more and several GB of memory. Join rare classes."
        )


# Fitting on rows that are elsewhere: on Spark, or in a database; who is summed there, and who here, of
# fetched rows.
#
# Knows estimators and where rows may be. Knows nothing of queries or passes. Law: the model is that of the
# rows read here, byte for byte; a note says when they were fetched, and why.


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
        from tallystick.spark.fitting import refuse_far
        from tallystick.spark.read import read_frame

        refuse_far(model)
        return read_frame(X, model._wishes(), y, sample_weight, model._regression, profiled=True)
    return in_database(model, X, y, sample_weight)


def in_database(model: Any, X: Any, y: Any, sample_weight: Any) -> Table | None:
    """Return the table of a database that is asked to sum; None where none is."""
    there = table_of(model.engine, X)
    if there is None:
        return None
    from tallystick.sql.read import RowsNeededError, read_there
    from tallystick.sql.table import fetched_note
    from tallystick.table.reader import read_table

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


# Labelled rows that come after the fit: to prune a tree by, or to shorten its rules.
#
# Knows sources and a fitted schema. Knows nothing of pruning. Law: the rows are read with the kinds of the
# fit, or refused in one line that says what they lack.


def read_labelled(estimator: Estimator, data: Any) -> Table:
    """Return rows with their target, read with the kinds and classes of a fitted estimator.

    data: anything tabular that has the target's column, or (X, y).
    """
    from tallystick.io.open import open_source
    from tallystick.table.reader import read_table
    from tallystick.table.target import target_name

    schema, given = estimator.schema_, estimator._wishes()
    X, y = _parted(data, schema)
    source = open_source(estimator._fitting(X))
    name = y if isinstance(y, str) else target_name(y)
    _refuse_lacking(source, schema, name if isinstance(y, str) else None)
    kinds = {c: "out" for c in source.columns if c != name} | schema.kinds_again()
    levels: dict[str, Any] = {c.name: c.levels for c in schema.used if c.kind in ("boolean", "ordered")}
    if schema.predicted.labels:
        levels[name] = schema.predicted.labels
    wishes = ColumnOptions(kinds, levels, given.missing, merge=given.merge, parts=schema.parts_again())
    table = read_table(source, wishes, y, None, estimator._local().threads, regression=estimator._regression)
    _refuse_new_labels(table, schema, source.name)
    return table


def coded(table: Table, schema: Schema) -> Table:
    """Return the rows in the codes and classes of another schema, whose labels are all of theirs."""
    out = table.take(np.arange(table.rows), schema)
    if table.classes is None:
        return out
    places = {label: code for code, label in enumerate(schema.predicted.labels)}
    into = np.array([places[label] for label in table.schema.predicted.labels], table.classes.dtype)
    return out.local().with_classes(into[table.classes])


def _parted(data: Any, schema: Schema) -> tuple[Any, Any]:
    """Return X and y; where y is not given it is the target's column."""
    if isinstance(data, tuple) and len(data) == 2 and not _are_paths(data):
        return data
    return data, schema.predicted.name


def _are_paths(data: tuple[Any, ...]) -> bool:
    return all(isinstance(part, str | os.PathLike) and os.path.exists(part) for part in data)


def _refuse_lacking(source: Any, schema: Schema, target: str | None) -> None:
    """Refuse rows without the columns of the fit, or without their target."""
    absent = [name for name in schema.needed if name not in source.columns]
    if absent:
        raise DataError(
            f"data: {source.name} lacks {len(absent)} column{'s' * (len(absent) > 1)} of the fit: "
            f"{some(absent)}.{nearest(absent[0], source.columns)} Pass rows with the columns of the fit."
        )
    if target is not None and target not in source.columns:
        raise TargetError(
            f"data: {source.name} has no column {target!r}, the target.{nearest(target, source.columns)} "
            "Add it, or pass data=(X, y)."
        )


def _refuse_new_labels(table: Table, schema: Schema, where: str) -> None:
    known = schema.predicted.labels
    unknown = [label for label in table.schema.predicted.labels if label not in known]
    if known and unknown:
        raise TargetError(
            f"data: {where} has {some(unknown)} in its target, which is not a class of this model. Its "
            f"classes are {some(known)}. Leave these rows out."
        )


# `card` for every estimator; what a card holds is in model_card.py, loaded when one is asked for.


class WithCard:
    """`card` for every estimator."""

    def card(self, data: Any = None, *, by: By = (), folds: int = 10) -> ModelCard:
        """Return the model's card: data, method, scores, groups, limits, notes, how to verify it.

        Parameters
        ----------
        data : path, frame, Arrow table, matrix or records, default None
            Rows with the target to judge it by. The training rows themselves are cross-validated with the
            model's parameters; other rows are answered by the model as it is. None: the card has no scores.
        by : str, list of str or dict, default ()
            Columns to tell rates by, in the model or not. Numbers are cut at their quartiles, or where you
            say: "age: 25, 40, 60" or {"age": [25, 40, 60]}.
        folds : int, default 10
            How many folds, where the rows are those of the training.

        Returns
        -------
        ModelCard
            Prints as Markdown; `to_dict` and `to_json` have it as data.
        """
        from tallystick.estimator.model_card import model_card

        return model_card(self, data, by, folds)


# What a fitted model keeps of the rows it was learnt from: their profile, see model/profile.py.
#
# A profile costs more than many a fit, and most models are never written: of rows in memory and on disk it
# is taken when somebody first asks for it. Until then the model holds the rows. Knows tables and model
# documents. Knows nothing of any learner. Law: the profile is of the rows of the fit and of the model as it
# was learnt; a model whose rows are gone or have changed keeps no more than is still true.


VERSION = 2  # of the model file that has a profile


@dataclass(frozen=True)
class DeferredProfile:
    """The rows of a fit and what was learnt from them, as long as nobody has asked for their profile."""

    table: Table
    model: Model  # as it was learnt: a decision that is set later changes no profile

    def taken(self, engine: Engine) -> Profile | None:
        """Return the profile; of rows that were written over since the fit none, with a warning."""
        from tallystick.stats.profile import profile_of

        if not written_over(self.table, engine):
            return profile_of(self.table, self.model, engine)
        warn(
            "the rows were written over after the fit, so that nothing can be said of what they looked like: "
            "the model keeps no profile of them. Save it before the arrays it was fitted to change."
        )
        return None


def written_over(table: Table, engine: Engine) -> bool:
    """Say whether somebody wrote to the arrays of a table since its fingerprint was taken, at the fit."""
    from tallystick.stats.exact import Prints
    from tallystick.table.table import is_own

    if is_own(table):
        return False
    return bool(engine.total(table, Prints(table.schema, table.unit)).fingerprint != table.fingerprint)


class WithProfile:
    """The section `profile` of a model file, made, read and written; and what is known of the rows."""

    model_: Model
    _profile: Profile | None = None
    _untaken: DeferredProfile | None = None
    _known_rows: dict[str, Any] | Table  # what is known of the training rows, or the rows that will tell
    _version = VERSION  # of its model file: what was read from version 1 is written as it was

    def _engine(self, table: Table | None = None) -> Engine:
        raise NotImplementedError

    @property
    def rows_(self) -> dict[str, Any]:
        """What is known of the training rows: how many, in which unit, and their fingerprint."""
        if not isinstance(self._known_rows, dict):
            self._known_rows = self._rows_of(self._known_rows)
        return self._known_rows

    def _rows_of(self, table: Table) -> dict[str, Any]:
        """Return what the model file says of the training rows."""
        return rows_of(table)

    @property
    def profile_(self) -> Profile | None:
        """What the training rows looked like; None where nothing is kept of them."""
        if (untaken := self._untaken) is not None:
            self.profile_ = untaken.taken(self._engine(untaken.table))
            self._known_rows = self.rows_  # the rows are held no longer
        return self._profile

    @profile_.setter
    def profile_(self, profile: Profile | None) -> None:
        self._profile, self._untaken = profile, None

    def _profile_section(self, wanted: bool) -> dict[str, Any]:
        """Return the section of the model file, null where it is not wanted; a file of version 1 has none."""
        if self._version < VERSION:
            return {}
        profile = self.profile_ if wanted else None
        return {"profile": None if profile is None else profile.to_dict()}

    def _restore_profile(self, document: Mapping[str, Any]) -> None:
        """Set what a checked document says of the training rows."""
        self._version = VERSION if "profile" in document else 1
        told = document.get("profile")
        self.profile_ = None if told is None else Profile.from_dict(told)

    def _usual_ranges(self) -> dict[str, tuple[float, float]]:
        """Return the 1st and the 99th percentile of each numeric column, where the model knows its rows."""
        if self.profile_ is None:
            return {}
        out = {}
        for column, own in zip(self.model_.schema.used, self.profile_.columns, strict=True):
            low, high = own.quantile(1), own.quantile(99)
            if low is not None and high is not None:
                out[column.name] = low, high
        return out

    def _keep_profile(self, table: Table) -> Self:
        """Keep what the rows of the fit look like, and what the model answers to them: rows that are here
        until their profile is asked for, of others the profile.
        """
        if isinstance(table, LocalTable):
            self._profile, self._untaken = None, DeferredProfile(table, self.model_)
        else:
            from tallystick.stats.profile import profile_of

            self.profile_ = profile_of(table, self.model_, self._engine(table))
        return self

    def _with_profile_of(self, other: WithProfile, table: Table | None) -> Self:
        """Take the profile of another model of the same rows; what this one answers to them is found again
        where the rows are still there.
        """
        if table is not None and (other._untaken is not None or other._profile is not None):
            return self._keep_profile(table)
        self.profile_ = None if other.profile_ is None else other.profile_.without_answers()
        return self

    def _as_much_as(self, known: WithProfile) -> Self:
        """Keep no more of the training rows than a model file has that this one is compared with."""
        self._version = known._version
        if known.profile_ is None:
            self.profile_ = None
        elif self.profile_ is not None and known.profile_.answers is None:
            self.profile_ = self.profile_.without_answers()
        return self


def rows_of(table: Table) -> dict[str, Any]:
    """Return what every model file says of the training rows: how many, in which unit, and their
    fingerprint.
    """
    return {"count": table.weight, "fingerprint": table.fingerprint, "unit": table.unit}


# The section `decision` of a model file: how probabilities become an answer, where the user said so.
#
# Knows model documents and decisions. Knows nothing of any learner. Law: a decision is not part of
# learning: a refit, a pruning and a profile of the rows know nothing of it.


class WithDecision(WithProfile):
    """Read, written, shown and handed on."""

    schema_: Schema
    _notes: tuple[Note, ...]

    @property
    def notes_(self) -> tuple[Note, ...]:
        """What was dropped, merged, guessed or found on the way."""
        return self._notes

    def _decision_section(self) -> dict[str, Any]:
        """Return the section of the model file; nothing where there is no decision."""
        decision = self.model_.decision
        return {} if decision is None else {"decision": decision.to_dict()}

    def _restore_decision(self, document: Mapping[str, Any]) -> None:
        """Set what a checked document says."""
        if "decision" in document:
            self._decide_by(from_dict(document["decision"], self.schema_.predicted))

    def _decide_by(self, decision: AnswerDecision | None) -> None:
        """Keep a decision with the model, or none; a file of version 1 has no place for one."""
        self.model_ = replace(self.model_, decision=decision)  # type: ignore[type-var]
        if decision is not None:
            self._version = VERSION

    def _decide_as(self, known: WithDecision) -> None:
        """Decide as another model does."""
        if known.model_.decision is not None:
            self._decide_by(known.model_.decision)

    def _below(self) -> list[str]:
        """Return what stands below a printed model: how it answers, if not by the largest probability, and
        the notes.
        """
        decision, out = self.model_.decision, []
        if decision is not None:
            out.append(plain(wrapped(clean(str(decision)), 80, "answers ")))
        if self.notes_:
            texts = [clean(for_reader(note.text)) for note in self.notes_]
            lines = [line for text in texts for line in wrapped(text, 80, "  - ")]
            out.append("notes\n" + plain(lines))
        return out


# The model file of an estimator: its content, its bytes, and what it says in other languages.
#
# Knows model documents. Knows nothing of any learner, nor how a file is read. Law: whoever asks for the
# file gets the same bytes, whole or piece by piece.


class WithFile(WithDecision):
    """Written, and exported."""

    _kind: ClassVar[str]
    _files: Sequence[str] = ()  # what it read, to learn or to answer: nothing is saved over it

    if TYPE_CHECKING:  # what the classes beside this one bring
        _check_fitted: Callable[[], None]
        _learning: Callable[[], dict[str, Any]]  # the learning parameters, checked

    def to_dict(self) -> dict[str, Any]:
        """Return the model file's content as plain data, without format and checksum."""
        return self._document(True, self._model_part(whole=True))

    def _model_part(self, whole: bool) -> dict[str, Any]:
        """Return the model's own part of the file; whole: no list of it in parts."""
        self._check_fitted()
        return self.model_.to_dict()

    def _document(self, profile: bool, model: dict[str, Any]) -> dict[str, Any]:
        return (
            self._profile_section(profile)
            | self._decision_section()
            | {
                "kind": self._kind,
                "model": model,
                "notes": [n.to_dict() for n in self.notes_],
                "parameters": self._learning(),
                "rows": dict(self.rows_),
                "schema": self.schema_.to_dict(),
            }
        )

    def to_bytes(self, *, profile: bool = True) -> bytes:
        """Return the model file's bytes.

        Parameters
        ----------
        profile : bool, default True
            Whether what the training rows looked like is kept: level counts and some values of each column.

        Returns
        -------
        bytes
            What `save` writes.
        """
        return b"".join(self._pieces(profile))

    def _pieces(self, profile: bool) -> Iterator[bytes]:
        """Yield the model file's bytes bit by bit."""
        self._check_fitted()
        return file.file_pieces(self._document(profile, self._model_part(whole=False)))

    def save(self, path: str | os.PathLike[str], *, profile: bool = True) -> None:
        """Write the model file, whole or not at all; never over a file whose rows were read.

        Parameters
        ----------
        path : str or path
            Where to write it, e.g. "votes.tally.json".
        profile : bool, default True
            Whether what the training rows looked like is kept: level counts and some values of each column.
            Without it nobody can ask later what has changed since.
        """
        keep_apart([self._files], {"path=": path})
        file.save(path, self._pieces(profile))

    def export(self, kind: str, **options: Any) -> str | bytes:
        """Return the model in another language.

        Parameters
        ----------
        kind : {"rules", "card", "sql", "python", "js", "c", "onnx", "pmml", "excel"}
            The language.
        **options
            rules: format="text", "markdown" or "json". card: format="markdown", "csv" or "html".
            sql: dialect="duckdb", "sqlite", "postgres", "spark", "tsql", "bigquery" or "snowflake",
            table="name", keep=[columns to carry along], unseen=False to leave out the count of unseen
            levels, and reasons=4 for columns that say what cost a row most points of a scorecard.
            c: name="model", what all names begin with.

        Returns
        -------
        str or bytes
            The text; ONNX and Excel are bytes.
        """
        from tallystick.export.targets import export

        self._check_fitted()
        return export(self.model_, kind, sha256=hashlib.sha256(self.to_bytes()).hexdigest(), **options)


SHOWN = 5  # columns named in a warning


class Estimator(Parameters, WithFile, WithCard, PlainMethod):
    """Fitting, copies and the model file; see the module's laws."""

    model_: Model
    schema_: Schema
    source_notes_: tuple[Note, ...]
    _regression: ClassVar[bool] = False
    _predicts: ClassVar[bool] = True  # a target, which must be given
    feature_names_in_: NDArray[np.object_]  # only where columns had names
    _named_columns = False  # the columns of the fit had names
    _float_labels = False  # whole numbers that came as floats are given back so, to who fitted them
    _by_held_out = False  # pruned by rows that no refit has: the parameters are those of the fit

    # -- what is shown --

    def __str__(self) -> str:
        if not self.__sklearn_is_fitted__():
            return repr(self)
        return "\n\n".join([self._as_text(), *self._below()])

    def _repr_html_(self) -> str:
        if not self.__sklearn_is_fitted__():
            return as_html(repr(self))
        return self._in_notebook() + "".join(as_html(text) for text in self._below())

    def _as_text(self) -> str:
        """Return the fitted model as lines; the notes come below them."""
        raise NotImplementedError

    def _in_notebook(self) -> str:
        """Return the fitted model as a notebook shows it; the notes come below it."""
        return as_html(self._as_text())

    # -- the model file --

    def _learning(self) -> dict[str, Any]:
        """Return the learning parameters as plain data for the model file."""
        return dict(self._options().to_dict() | self._wishes().to_dict())

    def _options(self) -> Any:
        """Return the parameters of the method itself, checked, with `to_dict`."""
        raise NotImplementedError

    def _check_parameters(self) -> None:
        """Refuse parameters that make no sense."""
        self._learning()
        self._engine()

    def _restore(self, document: Mapping[str, Any]) -> None:
        """Set parameters and model from a checked document."""
        raise NotImplementedError

    @classmethod
    def _from_document(cls, document: Mapping[str, Any]) -> Self:
        """Return a fitted estimator from a checked document."""
        return cls()._load(document)

    def _load(self, document: Mapping[str, Any]) -> Self:
        """Set everything from a checked document."""
        self._restore(document)
        self._restore_profile(document)
        self._restore_decision(document)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def _check_fitted(self) -> None:
        if "model_" not in vars(self):
            raise not_fitted(type(self).__name__)

    def __getstate__(self) -> dict[str, Any]:
        """Return parameters and, when fitted, the model file's bytes: a pickle of a model is its file."""
        state: dict[str, Any] = {"parameters": self.get_params(deep=False)}
        state |= {name: value for name, value in vars(self).items() if name == ROUTED}
        if self.__sklearn_is_fitted__():
            state["file"] = self.to_bytes()
            state["files"] = self._files
            state["columns"] = [str(n) for n in self._columns_in()], self._named_columns
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "file" in state:
            self._load(file.from_bytes(state["file"]))
            self._set_columns(*state["columns"])
            self._remember(state.get("files", ()))
        vars(self).update({name: value for name, value in state.items() if name == ROUTED})
        for name, value in state["parameters"].items():
            setattr(self, name, value)

    def _columns_in(self) -> list[str]:
        return list(self._given_columns)

    def _set_columns(self, names: list[str], named: bool) -> None:
        self._given_columns = tuple(names)
        self.n_features_in_ = len(names)
        if self._named_columns and not named:
            del self.feature_names_in_
        if named:
            self.feature_names_in_ = np.array(names, dtype=object)
        self._named_columns = named

    # -- fitting --

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
        table = self._read(X, y, sample_weight)
        try:
            self._fit_table(table)
            self._keep_profile(table)
        finally:
            table.release()  # what others kept for us
        self.source_notes_ = table.source_notes
        if isinstance(table, LocalTable) and table.classes is not None:
            from tallystick.stats.leakage import ADVICE, giveaways, likely

            for _, text in giveaways(table, likely(table)):
                warn(f"{text} {ADVICE}")
        if left_out := [note for note in self._notes if note.code == "column-left-out"]:
            more = f" And {len(left_out) - SHOWN:,} more columns: see notes_." if left_out[SHOWN:] else ""
            texts = [part for note in left_out[:SHOWN] for part in (" ", note.text)]
            warn(Message(*texts[1:], more))
        return self

    def _read(self, X: Any, y: Any = None, sample_weight: Any = None) -> Table:
        """Return the encoded table that `_fit_table` learns from."""
        if y is None and self._predicts:
            raise OptionError(
                f"{type(self).__name__} requires y to be passed, but the target y is None. "
                "Pass labels, or the name of a column of X."
            )
        self._check_parameters()  # before the work
        from tallystick.io.open import open_source
        from tallystick.table.reader import read_table

        if (there := read_elsewhere(self, X, y, sample_weight)) is not None:
            return there
        work = self._local()
        source = open_source(as_given(X), memory=work.memory)
        y, sample_weight = as_given(y), as_given(sample_weight)
        wishes, regression = self._wishes(), self._regression
        if work.memory is not None:
            from tallystick.io.scratch import budget
            from tallystick.table.reader import read_to_disk

            room = budget(work.memory)
            return read_to_disk(source, room, wishes, y, sample_weight, work.threads, regression=regression)
        return read_table(source, wishes, y, sample_weight, work.threads, regression=regression)

    def _fit_table(self, table: Table) -> Self:
        """Learn from an encoded table."""
        if not isinstance(table, LocalTable):
            from tallystick.spark.fitting import deals, refuse_far

            refuse_far(self)
            table = table.near() if deals(self) else table
        refuse_many(self._kind, table.schema)
        self._settle(*self._learn(table, self._engine(table)), table)
        return self

    def _fit_to_answer(self, table: Table) -> Self:
        """Learn from an encoded table to answer and be forgotten: nothing is kept of the rows."""
        if not isinstance(table, LocalTable):
            return self._fit_table(table)
        refuse_many(self._kind, table.schema)
        self._adopt(*self._learn_to_answer(table, self._engine(table)), {})
        return self

    def _settle(self, model: Model, notes: tuple[Note, ...], table: Table) -> None:
        """Become the model that was learnt from a table, with what is known of the table."""
        from tallystick.table.table import is_own

        rows = table if is_own(table) else self._rows_of(table)  # where nobody can write to them, it may wait
        self._adopt(model, table.notes + notes, rows)
        self._remember(table.files)
        self.source_notes_ = table.source_notes  # how the file was read: shown, but not part of the model
        names = list(table.schema.given)
        self._set_columns(names, named=not all(n == f"x{i}" for i, n in enumerate(names)))

    def _remember(self, files: Sequence[str]) -> None:
        """Keep the names of files that were read; a scratch file, whose name is more than text, has none."""
        if plain := [file for file in files if type(file) is str]:
            self._files = tuple(dict.fromkeys((*self._files, *plain)))

    def _learn(self, table: Table, engine: Engine) -> tuple[Model, tuple[Note, ...]]:
        """Return the fitted model and what has to be said about the fit."""
        raise NotImplementedError

    def _learn_to_answer(self, table: Table, engine: Engine) -> tuple[Model, tuple[Note, ...]]:
        """Return a model that answers as that of `_learn` does, and may tell less of itself."""
        return self._learn(table, engine)

    def _adopt(self, model: Model, notes: tuple[Note, ...], rows: dict[str, Any] | Table) -> None:
        self.model_, self.schema_, self._notes, self._known_rows = model, model.schema, notes, rows
        self.profile_, self._version = None, 2

    # -- new rows --

    @property
    def transform(self) -> Callable[..., Any]:
        """transform(frame, how="arrow"): a Spark DataFrame with `prediction` and `P(label)` beside its cells.

        how: "arrow", the model in Spark's Python workers, or "sql", its SQL export as Spark's own expression.
        Rows that are here get their shares. Not there before the fit: scikit-learn takes an unfitted thing
        with `transform` for a transformer.
        """
        self._check_fitted()
        from tallystick.spark.fitting import transform

        return functools.partial(transform, self)

    def _blocks(self, X: Any, **reading: Any) -> Iterator[Matched]:
        """Yield new rows encoded by the model's schema, batch by batch.

        reading: lenient=True counts cells that cannot be read as numbers as missing; missing_columns=
        "as-missing" does so with columns that X lacks.
        """
        self._check_fitted()
        X = self._fitting(X)
        from tallystick.io.open import open_source
        from tallystick.io.scratch import budget, within
        from tallystick.table.new_rows import match

        one = isinstance(X, list) and len(X) == 1 and isinstance(X[0], dict)
        work = self._local()
        source = open_source(X, name="the row" if one else None, memory=work.memory)
        self._remember(source.files)
        if work.memory is not None:
            source = within(source, budget(work.memory))
        return match(source, self._asked, threads=work.threads, **reading)

    @property
    def _asked(self) -> Schema:
        """The columns that new rows must have: those that the model asks for."""
        return self.schema_

    def outside_range(self, X: Any) -> list[tuple[str, ...]]:
        """Return, for each new row, the numeric columns whose value lies outside the range of the fit.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix, records or dict
            New rows, with the columns of the fit; a dict of values is one row.

        Returns
        -------
        list of tuple of str
            The names, row by row.
        """
        rows: list[tuple[str, ...]] = []
        for matched in self._blocks(X):
            rows += names_outside(matched.block, self._asked)
        return rows

    def explain(self, X: Any, row: int = 0, *, lenient: bool = False, missing_columns: str = "error") -> Any:
        """Return why one row gets its answer.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix, records or dict
            New rows, with the columns of the fit; a dict of values is the row itself.
        row : int, default 0
            Which row of X, counted from 0.
        lenient : bool, default False
            Whether cells that cannot be read as numbers count as missing; otherwise they are an error.
        missing_columns : {"error", "as-missing"}, default "error"
            What to do about columns of the fit that are not there.

        Returns
        -------
        object
            Prints well, draws in a notebook, and has `to_dict`.
        """
        self._check_fitted()
        block, at = self._find_row(X, row, lenient=lenient, missing_columns=missing_columns)
        return methods.of_kind(self._kind).load("explain")(self.model_, block, at)

    def picture(self, *given: Any, **wanted: Any) -> Any:
        """Return the model as a picture, where its method draws one."""
        self._check_fitted()
        words = methods.of_kind(self._kind).words
        raise OptionError(f"a model of {words} has no picture. Print it, or ask explain for a row.")

    def _find_row(self, X: Any, row: int, **reading: Any) -> tuple[Block, int]:
        """Return the block that holds a row of anything tabular, and its place there; a dict is one row."""
        if not is_whole(row) or row < 0:
            raise OptionError(f"row must be a whole number of at least 0, not {shown(row)}.")
        start = 0
        for matched in self._blocks(X, **reading):
            if row < start + matched.block.rows:
                return matched.block, int(row) - start
            start += matched.block.rows
        raise OptionError(f"row {row} is not there: the data has {counted(start, 'row')}, counted from 0.")

    def _shares(self, X: Any, **reading: Any) -> NDArray[np.float64]:
        """Return what the model answers to new rows, [row, class] (a regression: [row, 0])."""
        return self._answered(X, lambda shares: shares, **reading)

    def _shares_of_one(self, row: Mapping[str, Any], **reading: Any) -> NDArray[np.float64]:
        """Return what the model answers to a single row, [class] (a regression: [0]); quicker than a table of
        one row, which is asked for where a cell has to be read as tables are.
        """
        self._check_fitted()
        threads = self.threads
        if self.engine is not None or (threads is not None and (type(threads) is not int or threads < 1)):
            self._local()  # what is not sense is refused, though one row needs no thread
        if type(row) is not dict:
            check_row(row)
        found = self.model_.shares_of_row(row)
        if found is None:
            found = next(self._each_block([dict(row)], self.model_.shares, unread="keep", **reading))[0]
        shares: NDArray[np.float64] = found
        return shares

    def _answered(
        self,
        X: Any,
        told: Callable[[NDArray[Any]], NDArray[Any]],
        quick: Work | None = None,
        **reading: Any,
    ) -> NDArray[Any]:
        """Return told(shares) of new rows, of all or of some at a time: shares[row, class]. Every answer of
        an estimator comes from here: one record, columns of numbers as they lie, or blocks that were read.
        quick: answers such columns without the probabilities.
        """
        self._check_fitted()
        if (row := as_record(X, self._given_columns)) is not None:
            return told(self._shares_of_one(row, **reading)[None, :])
        threads = self._local().threads
        X = self._fitting(X)
        found = from_floats(self.schema_, X, quick or self.model_.floats, threads, self._asked)
        if found is not None:
            return told(found) if quick is None else found
        parts = list(self._each_block(X, self.model_.shares, told, unread="keep", **reading))
        none = np.zeros((0, max(len(self.schema_.predicted.labels), 1)))
        return np.concatenate(parts) if parts else told(none)

    def _each_block(
        self,
        X: Any,
        work: Callable[[Block], Any],
        told: Callable[[NDArray[Any]], NDArray[Any]] | None = None,
        **reading: Any,
    ) -> Iterator[Any]:
        """Yield work(block), or what is told of it, for new rows, block by block in their order, over
        threads.
        """

        def answer(block: Block, unread: Mapping[int, str]) -> Any:
            found = without_unread(work(block), unread)
            return found if told is None else told(found)

        return (matched.answer for matched in self._blocks(X, answer=answer, **reading))

    def _fitting(self, X: Any) -> Any:
        """Return X when its columns can be those of the fit: columns without names are counted."""
        X = [record] if (record := as_record(X, self._given_columns)) is not None else as_given(X)
        if is_spark(X):
            raise DataError("a Spark DataFrame is answered where its rows are. Use transform(frame).")
        found = width(X)
        named = self._named_columns and not {f"x{j}" for j in range(found or 0)} >= set(self.schema_.needed)
        if found == self.n_features_in_ and named:
            return self._in_order(X)
        if found not in (None, self.n_features_in_) and (named or not self._named_columns):
            raise DataError(
                f"X has {found} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input. Pass the columns of the fit, in their order."
            )
        return X

    def _in_order(self, X: Any) -> Any:
        """Return columns without names as those of the fit, taken in their order, with a warning."""
        from tallystick.io.open import open_source

        names, source = self._given_columns, open_source(X)
        warn(f"{source.name} has no names of columns; they are taken in the order of the fit: {some(names)}.")
        return replace(source, columns=names)  # type: ignore[type-var]


def without_unread(out: NDArray[Any], unread: Mapping[int, str]) -> NDArray[Any]:
    """Return the answers of a block with none for the rows that could not be read: NaN, or -1 of numbers of
    classes.
    """
    if unread:
        out = out.copy() if out.dtype.kind == "f" else out.astype(np.int64)
        out[list(unread)] = np.nan if out.dtype.kind == "f" else -1
    return out


def names_outside(block: Block, schema: Schema) -> list[tuple[str, ...]]:
    """Return, of each row of a block, the numeric columns whose value lies outside the range of the fit."""
    from tallystick.table.new_data_warnings import outside

    rows: list[tuple[str, ...]] = [()] * block.rows
    for name, beyond in outside(block, schema).items():
        for row in np.flatnonzero(beyond).tolist():
            rows[row] += (name,)
    return rows


def not_fitted(name: str) -> Exception:
    """Return the error of an unfitted model; scikit-learn's callers get its class too, when it is loaded."""
    text = f"this {name} is not fitted yet. Call fit(data, target) first, or load a saved model."
    loaded = sys.modules.get("sklearn.exceptions")
    if loaded is None:
        return NotFitted(text)
    return type("NotFitted", (NotFitted, loaded.NotFittedError), {})(text)  # type: ignore[no-any-return]
