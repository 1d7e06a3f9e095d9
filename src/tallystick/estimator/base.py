"""The base class of all estimators (parameters, fit, answers, copies, model file), and loading a model file.

Parts: the rows' section of a model file; `Absent`, methods that a kind lacks; `PlainMethod`, a method as
folds fit it; `Estimator`, the class; `load` and `from_data`. Entry: `Estimator.fit()`, `load()`.
profile = counts of each column in the training rows; kind = the model's name in its file; face = a function
that `methods.py` lists for a method.

Laws: `fit` sets everything it learned or nothing; copies and pickles are the model file.
"""

from __future__ import annotations

import functools
import gc
import hashlib
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from tallystick import methods
from tallystick.contracts import Block, Engine, Model
from tallystick.draw.svg import as_html, plain, wrapped
from tallystick.engine import Local, choose_engine, choose_local
from tallystick.errors import (
    DataError,
    Message,
    NoMethod,
    NoParameter,
    NotFitted,
    OptionError,
    clean,
    counted,
    for_reader,
    nearest,
    shown,
    some,
    warn,
)
from tallystick.estimator.rows import read_elsewhere, refuse_many
from tallystick.files import keep_apart
from tallystick.io.open import is_spark
from tallystick.model import file
from tallystick.model.decision import AnswerDecision, from_dict
from tallystick.model.file import from_bytes, is_whole, read_file, refuse_other_bytes
from tallystick.model.profile import Profile
from tallystick.predict.columns import Work, from_floats
from tallystick.predict.row import as_given, as_record, check_row, width
from tallystick.schema import NO_WISHES, ColumnOptions, Columns, Note, Schema, Target
from tallystick.table.table import LocalTable

if TYPE_CHECKING:
    from tallystick.contracts import Table
    from tallystick.estimator.model_card import ModelCard
    from tallystick.judge.folds import FoldPlan
    from tallystick.judge.groups import By
    from tallystick.judge.run import Answering
    from tallystick.stats.profile import TrainingRows
    from tallystick.table.new_rows import Matched


ROUTED = "_metadata_request"  # scikit-learn's attribute for the routing of metadata
EXECUTION = ("engine", "memory", "threads")  # how to run: these never change a model
SHARED = ("columns", "kinds", *EXECUTION)  # parameters of every estimator
GROUPED = {"columns": Columns, "engine": Local}  # arguments that group parameters: what None stands for
PLACES = {  # names often passed to a constructor by mistake, and the argument that takes them
    "levels": "columns=ts.Columns(levels={'size': ['S', 'M', 'L']})",
    "missing": "columns=ts.Columns(missing=['-999'])",
    "keep": "columns=ts.Columns(keep=['id'])",
    "merge": "columns=ts.Columns(merge={'yes': ['Yes', 'YES']})",
    "progress": "engine=ts.Local(progress=function)",
    "verbose": "engine=ts.Local(progress=function)",
}
SHOWN = 5  # columns named in a warning


# The profile of the training rows (model/profile.py) is made when it is first asked for.
#
# It costs more than many a fit, and most models are never written. It is made from a copy of the rows, all or
# a sample. Law: the profile is of the rows of the fit and of the model as it was learnt; no reference to the
# caller's data is kept, and later changes of that data do not reach it.


VERSION = 2  # format version of a model file with a profile


def rows_of(table: Table) -> dict[str, Any]:
    """Return what every model file says of the training rows: how many, in which unit, and their
    fingerprint.
    """
    return {"count": table.weight, "fingerprint": table.fingerprint, "unit": table.unit}


class Absent:
    """In place of a method that a kind of model cannot have: `hasattr` is False, and to ask for it is an
    error that says what to do instead. {words}: what its models are called.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def __get__(self, estimator: Any, kind: Any) -> Any:
        known = methods.KINDS.get(kind._kind)
        raise NoMethod(self.text.format(words="this kind" if known is None else known.words))


class PlainMethod:
    """A method that is fitted and asked, setting by setting and fold by fold."""

    _kind: ClassVar[str] = ""  # what its model files say; nothing where it has none

    def _fit_table(self, table: Table) -> Self:
        """Learn from an encoded table."""
        raise NotImplementedError

    def _fit_to_answer(self, table: Table) -> Self:
        """Learn from an encoded table to answer and be forgotten."""
        return self._fit_table(table)

    def _numbers(self) -> int | None:
        """Return how many numbers a reader of the model must look at; None: nobody says."""
        return None

    def _own_costs(self, target: Target) -> Sequence[Sequence[float]]:
        """Return costs[class][answer] by which answers are decided; nothing where the largest share is."""
        return ()

    def _keep_profile(self, table: Table) -> Self:
        """Keep what the rows of the fit look like, where the model is written to a file."""
        return self

    def _by_label(self, target: Target) -> Self:
        """Return the method with its numbers per class by label: a part of the rows may lack a class."""
        return self

    def _predict_table(self, table: Any) -> NDArray[np.float64] | None:
        """Return shares[row, class] of rows as they were read; None: `model_` answers blocks."""
        return None

    def _cross_shares(self, table: Table, plan: FoldPlan) -> NDArray[np.float64] | None:
        """Return out-of-fold shares[row, class] by a faster way; None: each fold is fitted."""
        return None

    def _fit_settings(
        self, settings: Sequence[Any], training: Table, roughly: bool = False
    ) -> Iterable[Answering] | None:
        """Return a model of each setting by a faster way; None: each is fitted."""
        return None

    def _grow_shares(
        self, table: Table, train: NDArray[np.int64], test: NDArray[np.int64], sizes: Sequence[int]
    ) -> Iterable[NDArray[np.float64] | None] | None:
        """Return shares[test row, class] of the model of train[:size] for rising sizes; None: each is
        fitted.
        """
        return None


class Estimator(PlainMethod):
    """Parameters, fitting, answers, copies and the model file; see the module's laws."""

    columns: Columns | None
    kinds: Mapping[str, str] | None
    engine: Any
    threads: int | None
    memory: int | str | None
    model_: Model
    schema_: Schema
    source_notes_: tuple[Note, ...]
    feature_names_in_: NDArray[np.object_]  # only where columns had names
    _metadata_request: Any  # of scikit-learn's routing; there where it was asked for
    _regression: ClassVar[bool] = False
    _predicts: ClassVar[bool] = True  # a target, which must be given
    _notes: tuple[Note, ...]
    _known_rows: dict[str, Any]
    _profile: Profile | None = None
    _profiled: tuple[TrainingRows, Model] | None = None  # what a profile that nobody asked for is made of
    _version = VERSION  # of its model file: what was read from version 1 is written as it was
    _files: Sequence[str] = ()  # what it read, to learn or to answer: nothing is saved over it
    _named_columns = False  # the columns of the fit had names
    _float_labels = False  # whole numbers that came as floats are given back so, to who fitted them
    _by_held_out = False  # pruned by rows that no refit has: the parameters are those of the fit
    _places: ClassVar[Mapping[str, str]] = PLACES

    def __new__(cls, *_: Any, **given: Any) -> Self:
        """Refuse parameters that are not there, before Python does: with the nearest name, or the place."""
        cls._refuse_unknown(given)
        return super().__new__(cls)

    @classmethod
    @functools.cache  # read once per class: comparisons make estimators by the thousand
    def _names(cls) -> tuple[str, ...]:
        return tuple(p for p in inspect.signature(cls.__init__).parameters if p != "self")

    @classmethod
    def _refuse_unknown(cls, given: Iterable[str]) -> None:
        names = cls._names()
        for name in given:
            if name in names:
                continue
            elsewhere = name in cls._places
            cure = f" Pass {cls._places[name]}." if elsewhere else nearest(name, names)
            known = "" if elsewhere else f" Known: {', '.join(names)}."
            raise NoParameter(f"{cls.__name__} has no parameter {shown(name)}.{cure}{known}")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the constructor's parameters as they were given.

        Parameters
        ----------
        deep : bool, default True
            Whether those inside of others are there too, such as `columns__kinds`.

        Returns
        -------
        dict
            By name.
        """
        out = {name: getattr(self, name) for name in sorted(self._names())}
        if deep:
            for name, value in list(out.items()):
                if is_dataclass(value):
                    out |= {f"{name}__{f.name}": getattr(value, f.name) for f in fields(value)}
        return out

    def set_params(self, **params: Any) -> Self:
        """Set some parameters; an unknown name is an error.

        Parameters
        ----------
        **params
            By name; one inside of another is `columns__kinds`.

        Returns
        -------
        self
            The estimator.
        """
        self._refuse_unknown(name.partition("__")[0] for name in params)
        for name, value in params.items():
            if "__" not in name:
                setattr(self, name, value)
        for name, value in params.items():
            outer, inner, part = name.partition("__")
            if inner:
                setattr(self, outer, self._with_part(outer, part, value))
        return self

    def _with_part(self, name: str, part: str, value: Any) -> Any:
        """Return a parameter that holds others with one of these set anew."""
        given = getattr(self, name)
        if given is None and name in GROUPED:
            given = GROUPED[name]()
        if not is_dataclass(given) or isinstance(given, type):
            raise NoParameter(f"{name}={given!r} has no part {shown(part)}. Set {name} itself first.")
        parts = [f.name for f in fields(given)]
        if part not in parts:
            raise NoParameter(
                f"{name} has no part {shown(part)}.{nearest(part, parts)} Known: {', '.join(parts)}."
            )
        return replace(given, **{part: value})

    # -- scikit-learn's metadata routing: what a search or a pipeline hands on --

    def set_fit_request(self, *, sample_weight: bool | str | None = None) -> Self:
        """Say whether scikit-learn's searches and pipelines hand sample weights on to `fit`.

        Parameters
        ----------
        sample_weight : bool or str, default None
            True hands them on, False does not, a text is the name they go by; None is an error where some
            are given.

        Returns
        -------
        self
            The estimator.
        """
        return self._request("fit", sample_weight)

    def set_score_request(self, *, sample_weight: bool | str | None = None) -> Self:
        """Say whether scikit-learn's searches and pipelines hand sample weights on to `score`.

        Parameters
        ----------
        sample_weight : bool or str, default None
            As for `set_fit_request`.

        Returns
        -------
        self
            The estimator.
        """
        return self._request("score", sample_weight)

    def _request(self, method: str, sample_weight: bool | str | None) -> Self:
        asked = self.get_metadata_routing()
        getattr(asked, method).add_request(param="sample_weight", alias=sample_weight)
        self._metadata_request = asked  # the name by which scikit-learn's clone takes it along
        return self

    def get_metadata_routing(self) -> Any:
        """Return what is asked of scikit-learn's routing, which is loaded when this is called.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRequest
            For `fit` and `score`.
        """
        from copy import deepcopy

        from sklearn.utils.metadata_routing import MetadataRequest

        if ROUTED in vars(self):
            return deepcopy(self._metadata_request)
        asked = MetadataRequest(owner=type(self).__name__)
        for method in ("fit", "score"):
            getattr(asked, method).add_request(param="sample_weight", alias=None)
        return asked

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        given = [
            f"{n}={v!r}"
            for n, v in self.get_params(deep=False).items()
            if v is not defaults[n].default and v != defaults[n].default
        ]
        return f"{type(self).__name__}({', '.join(given)})"

    def _wishes(self) -> ColumnOptions:
        """Return what is asked of a reader."""
        if self.columns is None and self.kinds is None:
            return NO_WISHES
        known = Columns.of(self.columns, self.kinds)
        return ColumnOptions(known.kinds, known.levels, known.missing, known.keep, known.merge)

    def _set_stored(self, parameters: Mapping[str, Any]) -> None:
        """Set the parameters that a model file holds."""
        own = dict(parameters)
        known = Columns(**{f.name: own.pop(f.name) for f in fields(Columns) if f.name in own})
        self.columns, self.kinds = None if known == Columns() else known, None
        for name, value in own.items():
            setattr(self, name, value)

    def _local(self) -> Local:
        """Return how work is done on this machine: threads, memory, progress."""
        return choose_local(self.engine, self.threads, self.memory)

    def _engine(self, table: Table | None = None) -> Engine:
        """Return who sums: who is where the table's rows are, or as given."""
        own = None if table is None else table.engine
        return choose_engine(self.engine, self.threads, self.memory) if own is None else own

    # -- what is shown --

    picture: Any = Absent("a model of {words} has no picture. Print it, or ask explain for a row.")

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

    # -- the decision: no part of learning, so a refit, a pruning and a profile know nothing of it --

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

    def _decide_as(self, known: Estimator) -> None:
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

    # -- what is known of the training rows --

    @property
    def rows_(self) -> dict[str, Any]:
        """What is known of the training rows: how many, in which unit, and their fingerprint."""
        return self._known_rows

    def _rows_of(self, table: Table) -> dict[str, Any]:
        """Return what the model file says of the training rows."""
        return rows_of(table)

    @property
    def profile_(self) -> Profile | None:
        """What the training rows looked like; None where nothing is kept of them."""
        if (kept := self._profiled) is not None:  # read once: another thread may take it meanwhile
            rows, model = kept
            self.profile_ = rows.profile(model, self._local())  # they are here, wherever those of the fit lay
        return self._profile

    @profile_.setter
    def profile_(self, profile: Profile | None) -> None:
        self._profile, self._profiled = profile, None

    def _profile_section(self, wanted: bool) -> dict[str, Any]:
        """Return the section of the model file, null where it is not wanted; a file of version 1 has none."""
        if self._version < VERSION:
            return {}
        profile = self.profile_ if wanted else None
        return {"profile": None if profile is None else profile.to_dict()}

    def _restore_profile(self, document: Mapping[str, Any]) -> None:
        """Set what a checked document says of the training rows."""
        self._version = VERSION if "profile" in document else 1
        section = document.get("profile")
        self.profile_ = None if section is None else Profile.from_dict(section)

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
        """Keep what the profile of the rows of a fit is made of."""
        from tallystick.stats.profile import profile_of, training_rows

        engine = self._engine(table)
        rows = training_rows(table, engine)
        self.profile_ = None if rows is not None else profile_of(table, self.model_, engine)
        # as it was learnt: a decision that is set later changes no profile
        self._profiled = None if rows is None else (rows, self.model_)
        return self

    def _with_profile_of(self, other: Estimator, table: Table | None) -> Self:
        """Take the profile of another model of the same rows; what this one answers to them is found again
        where the rows are still there.
        """
        if table is not None and (other._profiled is not None or other._profile is not None):
            return self._keep_profile(table)
        self.profile_ = None if other.profile_ is None else other.profile_.without_answers()
        return self

    def _as_much_as(self, known: Estimator) -> Self:
        """Keep no more of the training rows than a model file has that this one is compared with."""
        self._version = known._version
        if known.profile_ is None:
            self.profile_ = None
        elif self.profile_ is not None and known.profile_.answers is None:
            self.profile_ = self.profile_.without_answers()
        return self

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
        self._adopt(model, table.notes + notes, self._rows_of(table))
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
        """Return a model that answers as that of `_learn` does, and may say less of itself."""
        return self._learn(table, engine)

    def _adopt(self, model: Model, notes: tuple[Note, ...], rows: dict[str, Any]) -> None:
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
            ((found,),) = self._each_block([dict(row)], self.model_.shares, unread="keep", **reading)
        shares: NDArray[np.float64] = found
        return shares

    def _answered(
        self,
        X: Any,
        finish: Callable[[NDArray[Any]], NDArray[Any]],
        quick: Work | None = None,
        **reading: Any,
    ) -> NDArray[Any]:
        """Return finish(shares) of new rows, of all or of some at a time: shares[row, class]. Every answer of
        an estimator comes from here: one record, columns of numbers as they lie, or blocks that were read.
        quick: answers such columns without the probabilities.
        """
        self._check_fitted()
        if (row := as_record(X, self._given_columns)) is not None:
            return finish(self._shares_of_one(row, **reading)[None, :])
        threads = self._local().threads
        X = self._fitting(X)
        found = from_floats(self.schema_, X, quick or self.model_.of_columns, threads, self._asked)
        if found is not None:
            return finish(found) if quick is None else found
        parts = list(self._each_block(X, self.model_.shares, finish, unread="keep", **reading))
        none = np.zeros((0, max(len(self.schema_.predicted.labels), 1)))
        return np.concatenate(parts) if parts else finish(none)

    def _each_block(
        self,
        X: Any,
        work: Callable[[Block], Any],
        finish: Callable[[NDArray[Any]], NDArray[Any]] | None = None,
        **reading: Any,
    ) -> Iterator[Any]:
        """Yield finish(work(block)) for new rows, block by block in their order, over
        threads.
        """

        def answer(block: Block, unread: Mapping[int, str]) -> Any:
            found = without_unread(work(block), unread)
            return found if finish is None else finish(found)

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


def load(path: str | os.PathLike[str]) -> Estimator:
    """Return the fitted estimator that a model file holds. Loading runs no code from the file.

    Parameters
    ----------
    path : str or path
        A file that `save` wrote. Whatever is wrong with it is an error of one line.

    Returns
    -------
    DecisionTree, RegressionTree, NaiveBayes, LogisticRegression, LinearRegression, Scorecard, RuleList ...
        The model, with the parameters of its fit.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import tallystick as ts
    >>> rows = [{"sky": "sun", "play": "no"}, {"sky": "rain", "play": "yes"}] * 10
    >>> path = pathlib.Path(tempfile.mkdtemp(), "play.tally.json")
    >>> ts.NaiveBayes().fit(rows, "play").save(path)
    >>> print(ts.load(path).predict_one({"sky": "sun"}))
    no
    """
    return from_data(read_file(path))


def from_data(data: bytes) -> Estimator:
    """Return the fitted estimator of a model file's bytes.

    A file is many small lists, none of which refers back; Python's collector would look at all of them again
    and again (a tree of 10,000 nodes: half of the time), so it waits.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        document = from_bytes(data)
        estimator: Estimator = methods.of_kind(document["kind"]).load("estimator")._from_document(document)
        refuse_other_bytes(data, estimator.to_bytes())
    finally:
        if collecting:
            gc.enable()
    return estimator
