"""Single cells as people give them, in the canonical texts and numbers of a schema.

Knows Python values. Knows nothing of tables: those are read in data.read, to the same texts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from tallystick.data.schema import ABSENT, NUMBER_MARKS, Column, meanings, spelt
from tallystick.data.text import EXACT, WRITTEN_OUT, cell_text, number_text
from tallystick.errors import DataError, shown

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
