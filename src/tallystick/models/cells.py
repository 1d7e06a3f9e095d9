"""Single cells as people give them, in the canonical texts and numbers of a schema.

Knows Python values. Knows nothing of tables: those are read in data.read, to the same texts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tallystick.data.schema import NUMBER_MARKS, Column, meanings
from tallystick.data.text import WRITTEN_OUT, cell_text, number_text
from tallystick.errors import DataError, shown

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")

SPACES = " \t\n\v\f\r"
LEADING_ZERO = re.compile(r"[+-]?0[0-9]")


def read_number(name: str, cell: Any, marks: Mapping[str, bool]) -> float | None:
    """Return a cell of a numeric column as a double, None when it is missing."""
    text = written(cell, name)
    if text is None or text in marks or text.lower() in NUMBER_MARKS:
        return None
    if NUMBER.fullmatch(text) or text in ("inf", "-inf"):  # as a table reads it: 1_000 is none
        return float(text)
    raise DataError(
        f"column {shown(name)} was numeric when the model was fitted, but the row "
        f"holds {shown(cell)}. Correct it, or give None."
    )


def written(cell: Any, name: str) -> str | None:
    """Return a cell as its canonical text, None when it is missing."""
    text = cell_text(cell, name)
    return None if text is None else text.strip(SPACES)


def alias(text: str, column: Column) -> str:
    """Return the level that a text means which is none itself: 1.0 is "1", TRUE is "true" or "yes"."""
    plain, said = text.lower(), meanings(column)
    if NUMBER.fullmatch(text) and not LEADING_ZERO.match(text):
        number = float(text)
        exact = not text.lstrip("+-").isdigit() or (abs(number) < WRITTEN_OUT and int(number) == int(text))
        plain = number_text(number) if exact else text
    elif not said and plain not in ("false", "true"):
        return text
    return plain if plain in column.levels else said.get(plain, text)
