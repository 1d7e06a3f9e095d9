"""Which form X has (one record, a matrix, a table), and one record answered without making a table.

Parts: kinds of X, entry `as_record()`; single cells, entry `row_reader()`.
Each column has a closure from a cell to its code or number; the model answers these as it answers blocks.
Law: where a row is answered, the shares are the bits that it gets in a table. A row that only a table can
read or refuse, or that needs a warning, gives None, and the caller makes a table.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping, Sequence, Sized
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import DataError, shown
from tallystick.schema import ABSENT, CODED, NUMBER_MARKS, Column, Schema, meanings, spelt
from tallystick.text import EXACT, WRITTEN_OUT, cell_text, number_text

RowCells = Sequence[Any]  # of one row, a column each: a code as in a block, or a number, NaN where missing
RowShares = Callable[[Mapping[str, Any]], NDArray[np.float64] | None]  # of a row; None: a table must read it
RowAnswer = Callable[[RowCells], NDArray[np.float64] | None]  # the shares [class]; None as above


# Forms of X: one record, a matrix without names, or anything a source opens.


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


# -- single cells --

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
LEADING_ZERO = re.compile(r"[+-]?0[0-9]")
SPACES = " \t\n\v\f\r"
MOST_REMEMBERED = 10_000  # cached texts of a column that are no levels; others are parsed each time


class NeedsTable(Exception):  # noqa: N818  it is not an error: a table reads the row, or says what is wrong
    """Raised where a cell is not read here."""


def row_reader(schema: Schema, answer_of: Callable[[Mapping[str, int]], RowAnswer | None]) -> RowShares:
    """Return what answers single rows that have the columns of a schema: a row to P(class | row) [class], of
    a regression the answer [0]; None where a table must read the row.

    answer_of: makes the model's answer, given the place of each column among the cells; None where the model
    needs more than codes and numbers, such as words.
    """
    plain = all((c.kind in CODED or c.kind == "numeric") and not c.part for c in schema.used)
    answer = answer_of({c.name: i for i, c in enumerate(schema.used)}) if plain else None
    if answer is None:
        return lambda row: None
    readers = [(c.name, cell_reader(c, schema.marks)) for c in schema.used]

    def shares_of_row(row: Mapping[str, Any]) -> NDArray[np.float64] | None:
        try:
            return answer([read(row[name]) for name, read in readers])
        except (KeyError, NeedsTable, DataError):
            return None

    return shares_of_row


def cell_reader(column: Column, marks: Sequence[str]) -> Callable[[Any], Any]:
    """Return what reads single cells of a column as a table reads them: levels to codes, numbers to doubles,
    NaN where missing. It raises where only a table can read a cell, or has to say what it took it for.
    """
    missing = {"", *marks, *column.marks}
    if column.kind == "numeric":
        return number_reader(column, missing, frozenset(float(m) for m in marks if NUMBER.fullmatch(m)))
    return level_reader(column, missing)


def level_reader(column: Column, missing: set[str]) -> Callable[[Any], int]:
    """Return what reads single cells of a coded column. missing: texts that mean no value."""
    code = {level: i for i, level in enumerate(column.levels)}
    absent, unseen = code.get(ABSENT, len(code)), len(code) + 1
    known: dict[Any, int] = {t: code[level] for t, level in spelt(column).items() if t not in missing}

    def read_level(cell: Any) -> int:
        plain = type(cell) is str or type(cell) is int  # True is not a 1 here, so it is written first
        if plain and cell in known:
            return known[cell]
        text = cell_text(cell, column.name)
        text = None if text is None else text.strip(SPACES)
        if text is None or text in missing:
            found = absent
        else:
            found = known[text] if text in known else code.get(level_meant(text, column), unseen)
        if plain and len(known) < MOST_REMEMBERED:
            known[cell] = found  # the same cell comes again
        return found

    return read_level


def level_meant(text: str, column: Column) -> str:
    """Return the level that a text means which is none itself: 1.0 is "1"; the text where it means none.

    Of TRUE for "yes" a note is due, which a table gives.
    """
    plain, truths, known = text.lower(), meanings(column), spelt(column)
    if NUMBER.fullmatch(text) and not LEADING_ZERO.match(text):
        number = float(text)
        exact = not text.lstrip("+-").isdigit() or (abs(number) < WRITTEN_OUT and int(number) == int(text))
        plain = number_text(number) if exact else text
    elif not truths and plain not in ("false", "true"):
        return text
    if plain in known:
        return known[plain]
    if plain not in truths:
        return text
    if not {plain, *column.levels} <= {"0", "1", "false", "true", ABSENT}:
        raise NeedsTable
    return truths[plain]


def number_reader(column: Column, missing: set[str], sentinels: frozenset[float]) -> Callable[[Any], float]:
    """Return what reads single cells of a numeric column. missing, sentinels: texts and numbers for none."""
    dated = column.unit == "date"

    def read_number(cell: Any) -> float:
        if type(cell) is int and -EXACT <= cell <= EXACT:
            cell = float(cell)
        elif type(cell) is not float:
            text = cell_text(cell, column.name)
            text = None if text is None else text.strip(SPACES)
            if text is None or text in missing or text.lower() in NUMBER_MARKS:
                return math.nan
            # A table knows dates, and how the column's numbers are written; 1_000 is no number to it.
            if dated or (column.written and isinstance(cell, str)) or not NUMBER.fullmatch(text):
                raise NeedsTable
            cell = float(text)
        if cell - cell != 0.0:  # infinite or missing
            if cell == cell:
                raise NeedsTable
            return math.nan
        return math.nan if cell in sentinels else cell + 0.0  # never -0.0

    return read_number
