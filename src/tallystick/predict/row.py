"""New rows that need no reading: columns of numbers go to the model as they lie, over threads.

Knows NumPy matrices, those on a GPU, pandas frames, Arrow tables and schemas. Whatever needs reading (texts,
levels, numbers that mean missing, infinite ones) is not for here: the answer is None, and the caller goes the
long way.
Law: where it answers, it answers what the long way answers.
"""

from __future__ import annotations

import math
import os
import re
from bisect import bisect_right
from collections.abc import Callable, Container, Mapping, Sequence, Sized
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.bayes.model import NaiveBayesModel
from tallystick.errors import DataError, shown
from tallystick.io.open import here, lies_on_device
from tallystick.linear.model import Cells, LogisticModel, Slope
from tallystick.model.additive import BinTerm, LevelTerm, LinearTerm, NormalTerm, Term
from tallystick.model.conditions import Condition
from tallystick.parallel import each_in_order, shared_out
from tallystick.schema import ABSENT, CODED, NUMBER_MARKS, Column, Schema, meanings, spelt
from tallystick.scorecard.model import (
    LevelAxis,
    LinePoints,
    PairPoints,
    RangeAxis,
    ScorecardModel,
    WordPoints,
)
from tallystick.table.new_data_warnings import Met
from tallystick.text import EXACT, WRITTEN_OUT, cell_text, number_text
from tallystick.tree.nodes import SPREADS, Nodes

if TYPE_CHECKING:
    from tallystick.linear.model import LinearModel


class _NotPlain(Exception):  # noqa: N818  it is not an error: these rows have to be read
    pass


Columns = Sequence[NDArray[Any]]
Work = Callable[[Columns, int], NDArray[Any] | None]  # of values[column][row] and rows; None: must be read


def from_floats(
    schema: Schema, X: Any, work: Work, threads: int | None, asked: Schema | None = None
) -> NDArray[Any] | None:
    """Return work(columns of the schema, rows) for all rows, or None when they have to be read.

    Values outside the range of the fit are warned of, as where rows are read; asked: of which columns, None
    all of them.
    """
    columns = plain_columns(schema, X)
    if columns is None:
        return None
    columns = [here(c) for c in columns]
    out = in_stretches(columns, len(X), work, threads)
    if out is None:
        return None
    watched = schema if asked is None else asked
    met = Met(watched)
    seen = {c.name for c in watched.used}
    met.add_floats([v for c, v in zip(schema.used, columns, strict=True) if c.name in seen], len(X))
    met.warn()
    return out


def in_stretches(columns: Columns, rows: int, work: Work, threads: int | None) -> NDArray[Any] | None:
    """Return work(columns, rows) of stretches of the rows, over threads; None when one has to be read."""
    out: list[NDArray[Any]] = []
    first = Lock()

    def answer(part: slice) -> None:
        found = work([c[part] for c in columns], part.stop - part.start)
        if found is None:
            raise _NotPlain
        with first:
            if not out:
                out.append(found if len(found) == rows else np.empty((rows, *found.shape[1:]), found.dtype))
        if out[0] is not found:
            out[0][part] = found

    try:
        each_in_order(answer, shared_out(rows, threads), threads, on_cores=True)
    except _NotPlain:
        return None
    return out[0]


def plain_columns(schema: Schema, X: Any) -> list[NDArray[Any]] | None:
    """Return the columns of the schema as arrays, or None when some cells have to be read."""
    from tallystick.predict.columns import needs_no_reading

    if not hasattr(X, "shape") or any(is_number(m) for m in schema.marks):
        return None
    found = _found(X, [c.name for c in schema.used])
    if found is None or len(found) != len(schema.used):
        return None
    plain = all(needs_no_reading(c, values.dtype) for c, values in zip(schema.used, found, strict=True))
    return found if plain and all(_lies_well(values) for values in found) else None


def _lies_well(values: Any) -> bool:
    """Does a column lie where kernels may read numbers?"""
    return not isinstance(values, np.ndarray) or values.flags.aligned


def _found(X: Any, names: list[str]) -> list[NDArray[Any]] | None:
    """Return the columns of these names as they lie; None where X has no such columns, or none that lie."""
    if isinstance(X, np.ma.MaskedArray | np.matrix):  # cells that are not there; columns that are matrices
        return None
    if isinstance(X, np.ndarray) or lies_on_device(X):
        place = {f"x{j}": j for j in range(X.shape[1])} if X.ndim == 2 else {}
        return [X[:, place[n]] for n in names] if all(n in place for n in names) else None
    library, of = type(X).__module__.partition(".")[0], type(X).__name__
    if library == "pyarrow" and of in ("Table", "RecordBatch"):
        from tallystick.table.matrix import arrays_in_place

        return arrays_in_place(X, names)
    if library != "pandas" or of != "DataFrame" or not X.columns.is_unique:
        return None
    if not all(n in X.columns and isinstance(X.dtypes[n], np.dtype) for n in names):
        return None
    return [X[n].to_numpy() for n in names]


# Rows as they are given: one record, a matrix without names, or anything a source opens.
#
# Knows containers by what they say of themselves. Knows nothing of estimators, schemas or cells.


def as_record(X: Any, columns: tuple[str, ...]) -> dict[str, Any] | None:
    """Return one row as a record: a dict of single values, or a pandas Series that has a column of the fit in
    its index (a row of a frame). A dict of columns is a table, and so is a sparse matrix that is a dict.
    """
    if type(X) is dict:
        several = [hasattr(v, "__len__") and not isinstance(v, (str, bytes)) for v in X.values()]
        return None if several and all(several) else X
    if type(X).__name__ != "Series" or not hasattr(X, "to_dict"):
        return None
    record = {str(key): value for key, value in X.to_dict().items()}
    return record if any(name in record for name in columns) else None


def width(X: Any) -> int | None:
    """Return how many columns there are where they have no names; None where they have, or without rows."""
    if is_matrix(X):
        return int(X.shape[1])
    if not isinstance(X, list | tuple) or not X or isinstance(X[0], str | bytes | Mapping | os.PathLike):
        return None
    row, alone = X[0], isinstance(X[0], np.ndarray) and X[0].ndim == 0
    return len(row) if isinstance(row, Sized) and not alone else None


def is_matrix(X: Any) -> bool:
    """Say whether X is an array whose columns have places but no names."""
    shape = getattr(X, "shape", ())  # of a class it is a property
    two = isinstance(shape, tuple) and len(shape) == 2
    return two and not hasattr(X, "columns") and not hasattr(X, "schema")


def as_given(X: Any) -> Any:
    """Return X as it is, or as an array where that is all it says it is; an array without columns is an
    error.
    """
    known = ("columns", "schema", "__arrow_c_stream__", "__arrow_c_array__", "dtype")
    if type(X) is not np.ndarray and hasattr(X, "__array__") and not any(hasattr(X, n) for n in known):
        X = np.asarray(X)
    if is_matrix(X) and X.shape[1] == 0:
        raise DataError(
            f"X has 0 feature(s) (shape={X.shape}) while a minimum of 1 is required. Pass some columns."
        )
    return X


def check_row(row: Any) -> None:
    """Refuse what has no values by column: a row by itself is a dict, or a row of a frame."""
    named = callable(getattr(row, "keys", None)) and not isinstance(row, type)
    if not named or getattr(row, "ndim", 1) != 1:
        raise DataError(
            f"a row is a dict of its values by column, not {shown(type(row).__name__)}. Pass a dict, or use "
            "predict for rows of a table."
        )


def are_floats(X: Any, y: Any) -> bool:
    """Are the labels floats, as an array, a Series or a list has them, or a column of a frame?"""
    if isinstance(y, str):
        library, of = type(X).__module__.partition(".")[0], type(X).__name__
        framed = library in ("pandas", "polars") and of == "DataFrame"
        y = X[y] if framed and y in list(X.columns) else X.get(y) if isinstance(X, dict) else None
    if isinstance(y, list | tuple):
        return bool(y) and all(isinstance(label, float) for label in y)
    kind = getattr(y, "dtype", None)
    return str(kind).lower().startswith(("float", "double"))


# Single cells as people give them, in the canonical texts and numbers of a schema.
#
# Knows Python values. Knows nothing of tables: those are read in data.read, to the same texts.


T = TypeVar("T")
Read = Callable[[Any], float]  # a cell as a number, NaN where missing; of levels as a code
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")

SPACES = " \t\n\v\f\r"
LEADING_ZERO = re.compile(r"[+-]?0[0-9]")


def read_number(column: Column, cell: Any, marks: Mapping[str, bool]) -> float | None:
    """Return a cell of a numeric column as a double, None when it is missing."""
    text = written(cell, column.name)
    if text is None or text in marks or text in column.marks or text.lower() in NUMBER_MARKS:
        return None
    plain = column.unit != "date" or (type(cell) is int and abs(cell) <= EXACT)  # dates are for a table
    if plain and (NUMBER.fullmatch(text) or text in ("inf", "-inf")):  # as a table reads it: 1_000 is none
        return float(text)
    raise DataError(
        f"column {shown(column.name)} was numeric when the model was fitted, but the row "
        f"holds {shown(cell)}. Correct it, or give None."
    )


def written(cell: Any, name: str) -> str | None:
    """Return a cell as its canonical text, None when it is missing."""
    text = cell_text(cell, name)
    return None if text is None else text.strip(SPACES)


def alias(text: str, column: Column) -> str:
    """Return the level that a text means which is none itself: 1.0 is "1", TRUE is "true" or "yes"."""
    plain, said, known = text.lower(), meanings(column), spelt(column)
    if text in known:
        return known[text]
    if NUMBER.fullmatch(text) and not LEADING_ZERO.match(text):
        number = float(text)
        exact = not text.lstrip("+-").isdigit() or (abs(number) < WRITTEN_OUT and int(number) == int(text))
        plain = number_text(number) if exact else text
    elif not said and plain not in ("false", "true"):
        return text
    return known[plain] if plain in known else said.get(plain, text)


def reader_of(column: Column, marks: Mapping[str, bool]) -> Read:
    """Return what reads single cells of a column of numbers or levels."""
    if column.kind == "numeric":
        return _number_reader(column, marks)
    return level_reader(column, marks, range(len(column.levels) + 2))


def level_reader(column: Column, marks: Mapping[str, bool], values: Sequence[T]) -> Callable[[Any], T]:
    """Return what gives the value of a single cell's level. values: one a level, then that of a missing cell
    and that of a level never seen.
    """
    *own, missing, unseen = values
    known: dict[Any, T] = dict(zip(column.levels, own, strict=True))
    absent = known.get(ABSENT, missing)

    def read(cell: Any) -> T:
        plain = type(cell) is str or type(cell) is int  # True is not a 1 here, so others are written first
        if plain and cell in known:
            return known[cell]
        text = written(cell, column.name)
        if text is None or text in marks or text in column.marks:
            return absent
        if text not in known:
            text = alias(text, column)
        found = known.get(text, unseen)
        if plain and len(known) < 10_000:
            known[cell] = found  # the same cell comes again
        return found

    return read


def _number_reader(column: Column, marks: Mapping[str, bool]) -> Read:
    def read(cell: Any) -> float:
        if type(cell) is not float:
            number = read_number(column, cell, marks)
            if number is None:
                return math.nan
            cell = number
        if cell in (math.inf, -math.inf):
            raise DataError(f"column {shown(column.name)} is infinite.")  # a table says what to do
        return float(cell)

    return read


# One record down the tree, without arrays: what a service asks a thousand times a second.
#
# Knows a fitted tree and plain Python values. A value that needs reading (a number written as text, a level
# that is not known) is not read here: the answer is None, and the caller goes the long way. Law: where it
# answers, it answers what the long way answers.


Step = tuple[
    str, float, dict[str, int] | None, int, int, int
]  # column, cut, levels -> node, low, high, missing


LONG_WAY = -1  # not a node: only arrays can answer


def level_text(value: Any, levels: Container[str]) -> str:
    """Return the level a plain value means: 1 is "1", True is "true", or "1" of the levels 0 and 1."""
    kind = type(value)
    if kind is str:
        return value  # type: ignore[no-any-return]
    if kind is not bool and (kind is not int or abs(value) >= WRITTEN_OUT):  # those go the long way
        return ""
    text = cell_text(value, "") or ""
    return text if kind is int or text in levels else str(int(value))


def is_number(mark: str) -> bool:
    """Tell whether a mark for missing values is a number, so that numbers have to be compared with it."""
    try:
        return float(mark) == float(mark)
    except ValueError:
        return False


class RecordWalk:
    """The tests of a tree as plain tuples."""

    def __init__(self, nodes: Nodes, schema: Schema) -> None:
        columns = schema.used
        self._numeric = [c.name for c in columns if c.kind == "numeric"]
        self._coded = [(c.name, frozenset(c.levels)) for c in columns if c.kind in CODED]
        marked = any(is_number(mark) for mark in schema.marks)  # some number means missing
        self._other = marked or any(c.kind == "text" for c in columns)
        self._steps: list[Step | None] = [self._step(nodes, schema, n) for n in range(len(nodes))]

    @staticmethod
    def _step(nodes: Nodes, schema: Schema, node: int) -> Step | None:
        if nodes.column[node] < 0:
            return None
        column = schema.used[nodes.column[node]]
        below = [*nodes.branches(node).tolist(), node]  # -1, the last: stays
        way = int(nodes.missing_branch[node])
        missing = LONG_WAY if way == SPREADS else below[way]
        if column.kind not in CODED:
            return column.name, float(nodes.cut[node]), None, below[0], below[1], missing
        following = {t: below[b] for t, b in zip(column.levels, nodes.levels(node).tolist(), strict=True)}
        return column.name, 0.0, following, node, node, missing

    def end(self, record: Mapping[str, Any]) -> int | None:
        """Return the node where the record's way ends, None when a value has to be read the long way."""
        if self._other or not self._plain(record):
            return None
        node, steps = 0, self._steps
        while (step := steps[node]) is not None:
            name, cut, following, low, high, missing = step
            value = record[name]
            if following is not None:
                to = missing if value is None else following[level_text(value, following)]
            else:
                to = (
                    low
                    if value is not None and value < cut
                    else high
                    if value is not None and value >= cut
                    else missing
                )
            if to == node:
                break
            if to == LONG_WAY:
                return None
            node = to
        return node

    def _plain(self, record: Mapping[str, Any]) -> bool:
        """Tell whether every value is there and can be used as it is."""
        try:
            for name in self._numeric:
                value = record[name]
                kind = type(value)
                if kind is not float and kind is not int and value is not None:
                    return False
                if value is not None and not -1e308 < value < 1e308 and value == value:
                    return False
                if kind is int and not -EXACT <= value <= EXACT:  # a table has the nearest double
                    return False
            for name, levels in self._coded:
                value = record[name]
                if value is not None and level_text(value, levels) not in levels:
                    return False
        except KeyError:
            return False
        return True


# One row at a time, as fast as Python can: a dict of cells to shares, without a table on the way.
#
# Knows the parts of a fitted model. Law: the shares are the bits that the same row gets in a table.


Parts = tuple[float, ...]


class LogisticRow:
    """The model's parts, ready for single cells. `able` is False where a part needs more than one cell's
    value.
    """

    def __init__(self, model: LogisticModel | LinearModel) -> None:
        self.model = model
        self.marks = {"": True} | dict.fromkeys(model.schema.marks, True)
        numbers = any(is_number(mark) for mark in model.schema.marks)  # such as -999: for the long way
        self.able = all(isinstance(part, Slope | Cells) for part in model.answering) and not numbers
        self.base: Parts = tuple(model.centred_constant.tolist())
        self.slopes = [self._slope(p) for p in model.answering if isinstance(p, Slope)]
        self.cells = [self._levels(p) for p in model.answering if isinstance(p, Cells)]

    @staticmethod
    def _slope(part: Slope) -> tuple[str, float, Parts, Parts]:
        gone = np.zeros(len(part.slope)) if part.missing is None else part.missing
        return part.name, part.centre, tuple(part.slope.tolist()), tuple(gone.tolist())

    def _levels(self, part: Cells) -> tuple[Column, dict[Any, Parts], Parts]:
        column = self.model.schema[part.name]
        rows = [tuple(row) for row in part.weights.tolist()]
        known: dict[Any, Parts] = dict(zip(column.levels, rows, strict=False))
        return column, known, known.get(ABSENT, rows[-1])

    def shares(self, row: Mapping[str, Any]) -> NDArray[np.float64] | None:
        """Return P(class | row) [class]; None where only a table can read the row, or say what it lacks."""
        scores = self.scores(row)
        return None if scores is None else kernels.softmax(np.array([scores])).reshape(-1)

    def scores(self, row: Mapping[str, Any]) -> Sequence[float] | None:
        """Return the score of each class, of one link 0 and its own; None as `shares` does, and beyond all
        doubles, where each part is bounded.
        """
        if not self.able:
            return None
        try:
            found = self._one_link(row) if len(self.base) == 1 else self._links(row)
        except (KeyError, DataError):
            return None
        return found if math.isfinite(sum(found)) else None

    def _one_link(self, row: Mapping[str, Any]) -> Parts:
        score = self.base[0]
        for name, centre, (slope,), (gone,) in self.slopes:
            cell = row[name]
            z = (cell if type(cell) is float else self._number(name, cell)) - centre
            if z - z == 0.0:
                score += slope * z
            else:
                self._refuse_infinite(name, z)
                score += gone
        for column, known, missing in self.cells:
            cell = row[column.name]
            score += self._level(column, known, missing, cell)[0]
        return 0.0, score

    def _links(self, row: Mapping[str, Any]) -> list[float]:
        scores = list(self.base)
        for name, centre, slope, gone in self.slopes:
            cell = row[name]
            z = (cell if type(cell) is float else self._number(name, cell)) - centre
            if z - z == 0.0:
                scores = [s + t * z for s, t in zip(scores, slope, strict=True)]
            else:
                self._refuse_infinite(name, z)
                scores = [s + t for s, t in zip(scores, gone, strict=True)]
        for column, known, missing in self.cells:
            found = self._level(column, known, missing, row[column.name])
            scores = [s + t for s, t in zip(scores, found, strict=True)]
        return scores

    def _number(self, name: str, cell: Any) -> float:
        """Return a cell as a double; NaN when it is missing."""
        number = read_number(self.model.schema[name], cell, self.marks)
        return math.nan if number is None else number

    @staticmethod
    def _refuse_infinite(name: str, z: float) -> None:
        if z == z:
            raise DataError(f"column {shown(name)} is infinite.")  # a table says what to do

    def _level(self, column: Column, known: dict[Any, Parts], missing: Parts, cell: Any) -> Parts:
        """Return the weights of a cell of a coded column: 0 for unseen levels."""
        plain = type(cell) is str or type(cell) is int  # True is not 1 here, so others are written first
        if plain and cell in known:
            return known[cell]
        text = written(cell, column.name)
        if text is None or text in self.marks or text in column.marks:
            return missing
        if text not in known:
            text = alias(text, column)
        found = known.get(text, (0.0,) * len(self.base))
        if plain and len(known) < 10_000:
            known[cell] = found  # the same cell comes again
        return found


# One row at a time, as fast as Python can: a dict of cells to shares, without a table on the way.
#
# Knows the terms of a fitted model. Law: the shares are the bits that the same row gets in a table.


BayesParts = list[float]
BayesCell = Callable[[Any], BayesParts | None]  # None: the cell adds nothing


class BayesRow:
    """The model's terms, ready for single cells. `able` is False where a column needs more than one cell's
    value.
    """

    def __init__(self, model: NaiveBayesModel) -> None:
        self.model = model
        self.base: BayesParts = model.additive.base.tolist()
        self.marks = {"": True} | dict.fromkeys(model.schema.marks, True)
        columns = [model.schema[t.column] for t in model.additive.terms]
        readers = [self._reader(t, c) for t, c in zip(model.additive.terms, columns, strict=True)]
        numbers = any(is_number(mark) for mark in model.schema.marks)  # such as -999: for the long way
        self.able = all(r is not None for r in readers) and not numbers
        self.readers = [(c.name, r) for c, r in zip(columns, readers, strict=True) if r is not None]

    def shares(self, row: Mapping[str, Any]) -> NDArray[np.float64] | None:
        """Return P(class | row) [class]; None where only a table can read the row, or say what it lacks."""
        if not self.able:
            return None
        scores = self.base
        try:
            for name, read in self.readers:
                parts = read(row[name])
                if parts is not None:
                    scores = [a + b for a, b in zip(scores, parts, strict=True)]
        except (KeyError, DataError):
            return None
        table = np.array([scores])
        c = self.model.calibration
        if c is not None:
            table = c.slope * table + np.array(c.shift)
        lost = table.max() == -math.inf
        shares: NDArray[np.float64] = (
            self.model.calibrated.shares(table)[0] if lost else kernels.softmax(table)
        )
        return shares.reshape(-1)

    def _reader(self, term: Term, column: Column) -> BayesCell | None:
        if isinstance(term, LevelTerm):
            *own, _, unseen = term.table.tolist()
            return level_reader(column, self.marks, [*own, None, unseen])
        if isinstance(term, BinTerm):
            cuts: list[float] = term.cuts.tolist()
            table: list[BayesParts] = term.table.tolist()
            return self._number(column, lambda x: table[bisect_right(cuts, x)])
        if isinstance(term, NormalTerm):
            triples = list(zip(term.constant.tolist(), term.mean.tolist(), term.half.tolist(), strict=True))
            return self._number(column, lambda x: [k - (x - m) * (x - m) * h for k, m, h in triples])
        if isinstance(term, LinearTerm):
            return None  # two additions per row in a table: not worth a way of its own
        return None

    def _number(self, column: Column, parts: Callable[[float], BayesParts]) -> BayesCell:
        marks = self.marks

        def read(cell: Any) -> BayesParts | None:
            if type(cell) is not float:
                number = read_number(column, cell, marks)
                if number is None:
                    return None
                cell = number
            if cell != cell:
                return None
            if cell in (math.inf, -math.inf):
                raise DataError(f"column {shown(column.name)} is infinite.")  # a table says what to do
            return parts(cell + 0.0)

        return read


# One record through the rules, without arrays: what a service asks a thousand times a second.
#
# Knows conditions and plain Python values. Law: the rule is the one that the same row finds in a table.


class RuleRow:
    """The rules, ready for single cells."""

    def __init__(self, schema: Schema, rules: Sequence[tuple[Condition, ...]]) -> None:
        marks = {"": True} | dict.fromkeys(schema.marks, True)
        self._able = not any(is_number(mark) for mark in schema.marks)  # such as -999: for the long way
        self._readers: dict[str, Read] = {
            c.name: reader_of(c, marks) for c in schema.used if c.kind != "text"
        }
        self._others = [c.name for c in schema.used if c.kind == "text"]
        self._rules = [[self._test(c) for c in conditions] for conditions in rules]

    @staticmethod
    def _test(c: Condition) -> tuple[str, Any, float, float, bool]:
        codes = None if c.levels is None else frozenset(c.levels)
        known = len(c.column.levels)
        if codes is not None and c.missing:
            codes |= {known, known + 1}
        return c.column.name, codes, c.low, c.high, c.missing

    def first(self, row: Mapping[str, Any]) -> int | None:
        """Return the number of the first rule that holds; None where only a table can read the row."""
        if not self._able or self._others:
            return None
        try:
            cells = {name: read(row[name]) for name, read in self._readers.items()}
        except (KeyError, DataError):
            return None
        for number, tests in enumerate(self._rules):
            for name, codes, low, high, missing in tests:
                x = cells[name]
                if not (x in codes if codes is not None else low <= x < high if x == x else missing):
                    break
            else:
                return number
        return len(self._rules)


# One row at a time, as fast as Python can: a dict of cells to points and shares, without a table on the
# way.
#
# Knows the parts of a fitted card. Law: the shares are the bits that the same row gets in a table.


Points = list[float]
Line = Callable[[float], int]


class CardRow:
    """The card's parts, ready for single cells. `able` is False where a column needs more than one cell's
    value.
    """

    def __init__(self, model: ScorecardModel) -> None:
        self.model = model
        self.marks = {"": True} | dict.fromkeys(model.schema.marks, True)
        numbers = any(is_number(mark) for mark in model.schema.marks)  # such as -999: for the long way
        self.able = not numbers and not any(isinstance(part, WordPoints) for part in model.parts)
        if not self.able:
            return
        by_class = [model._by_class(part.points).tolist() for part in model.parts]
        self.base: Points = model.additive.base.tolist()
        used = dict.fromkeys(name for part in model.parts for name in part.columns)
        self.readers = [(name, reader_of(model.schema[name], self.marks)) for name in used]
        others = [c for c in model.schema.used if c.name not in used and c.kind != "text"]
        self.others = [(c.name, reader_of(c, self.marks)) for c in others]
        place = {name: i for i, name in enumerate(used)}
        self.lines: list[tuple[int, Line, list[Points]]] = []
        self.pairs: list[tuple[int, Line, int, Line, int, list[Points]]] = []
        for part, table in zip(model.parts, by_class, strict=True):
            if isinstance(part, LinePoints):
                self.lines.append((place[part.name], line_of(part.axis), table))
            elif isinstance(part, PairPoints):
                a, b = part.axis.first, part.axis.second
                self.pairs.append((place[a.name], line_of(a), place[b.name], line_of(b), b.size, table))

    def shares(self, row: Mapping[str, Any]) -> NDArray[np.float64] | None:
        """Return P(class | row) [class]; None where only a table can read the row, or say what it lacks."""
        if not self.able:
            return None
        try:
            cells = [read(row[name]) for name, read in self.readers]
            for name, read in self.others:  # they need not be there; if so, a table must read them
                if name in row:
                    read(row[name])
        except (KeyError, DataError):
            return None
        parts = [table[line(cells[i])] for i, line, table in self.lines]
        for i, first, j, second, wide, table in self.pairs:
            parts.append(table[first(cells[i]) * wide + second(cells[j])])
        scores = [math.fsum(points) for points in zip(self.base, *parts, strict=True)]
        return kernels.softmax(self.model.slope * np.array([scores])).reshape(-1)


def line_of(axis: RangeAxis | LevelAxis) -> Line:
    """Return what finds the line of a cell."""
    if isinstance(axis, LevelAxis):
        lines: list[int] = axis.lines.tolist()
        return lambda code: lines[int(code)]
    cuts, missing = list(axis.cuts), axis.known
    return lambda x: bisect_right(cuts, x) if x == x else missing
