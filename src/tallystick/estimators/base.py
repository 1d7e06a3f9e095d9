"""What all estimators share: fitting from anything tabular, predicting, saving, copying.

Knows sources, engines and the model file. Knows nothing of any learner: each estimator brings its own.
Laws: `fit` sets everything it learned or nothing; copies and pickles are the model file.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from tallystick import methods
from tallystick.contracts import Block, Engine, Model
from tallystick.data.schema import Note, Schema
from tallystick.data.source.door import is_spark
from tallystick.draw.svg import as_html
from tallystick.errors import DataError, Message, NotFitted, OptionError, counted, shown, some, warn
from tallystick.estimators.classes import refuse_many
from tallystick.estimators.elsewhere import read_elsewhere
from tallystick.estimators.parameters import ROUTED, Parameters
from tallystick.estimators.plain_method import PlainMethod
from tallystick.estimators.plain_rows import Work, from_floats
from tallystick.estimators.rows import as_given, as_record, check_row, width
from tallystick.estimators.with_card import WithCard
from tallystick.estimators.with_file import WithFile
from tallystick.export import file
from tallystick.models.plain import is_whole

if TYPE_CHECKING:
    from tallystick.contracts import Table
    from tallystick.data.read.match import Matched

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
        if not self.__sklearn_is_fitted__():
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
        if table.place != "far" and table.classes is not None:
            from tallystick.stats.giveaways import ADVICE, giveaways, likely

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
        from tallystick.data.read.reader import read_table
        from tallystick.data.source.door import open_source

        if (there := read_elsewhere(self, X, y, sample_weight)) is not None:
            return there
        work = self._local()
        source = open_source(as_given(X), memory=work.memory)
        y, sample_weight = as_given(y), as_given(sample_weight)
        wishes, regression = self._wishes(), self._regression
        if work.memory is not None:
            from tallystick.data.read.reader import read_to_disk
            from tallystick.data.source.size import budget

            room = budget(work.memory)
            return read_to_disk(source, room, wishes, y, sample_weight, work.threads, regression=regression)
        return read_table(source, wishes, y, sample_weight, work.threads, regression=regression)

    def _fit_table(self, table: Table) -> Self:
        """Learn from an encoded table."""
        if table.place == "far":
            from tallystick.estimators.on_spark import deals, refuse_far

            refuse_far(self)
            table = table.near() if deals(self) else table
        refuse_many(self._kind, table.schema)
        self._settle(*self._learn(table, self._engine(table)), table)
        return self

    def _fit_to_answer(self, table: Table) -> Self:
        """Learn from an encoded table to answer and be forgotten: nothing is kept of the rows."""
        if table.place == "far":
            return self._fit_table(table)
        refuse_many(self._kind, table.schema)
        self._adopt(*self._learn_to_answer(table, self._engine(table)), {})
        return self

    def _settle(self, model: Model, notes: tuple[Note, ...], table: Table) -> None:
        """Become the model that was learnt from a table, with what is known of the table."""
        from tallystick.data.table.held import is_own

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
        from tallystick.estimators.on_spark import transform

        return functools.partial(transform, self)

    def _blocks(self, X: Any, **reading: Any) -> Iterator[Matched]:
        """Yield new rows encoded by the model's schema, batch by batch.

        reading: lenient=True counts cells that cannot be read as numbers as missing; missing_columns=
        "as-missing" does so with columns that X lacks.
        """
        self._check_fitted()
        X = self._fitting(X)
        from tallystick.data.read.match import match
        from tallystick.data.source import open_source
        from tallystick.data.source.size import budget, within

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
        if self.threads is not None or self.engine is not None:
            self._local()  # what is not sense is refused as `predict` does, though one row needs no thread
        if type(row) is not dict:
            check_row(row)
        found = None if self.schema_.has_parts else self.model_.record(row)
        shares: NDArray[np.float64] = self._shares([dict(row)], **reading)[0] if found is None else found
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
        threads = self._local().threads  # refused also where no thread is needed
        record = as_record(X, self._given_columns)
        found = None if record is None or self.schema_.has_parts else self.model_.record(record)
        if found is not None:
            return told(found[None, :])
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
        from tallystick.data.source import open_source

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
    from tallystick.data.read.met import outside

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
