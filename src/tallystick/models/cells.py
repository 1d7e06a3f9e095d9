"""Single cells as people give them, in the canonical texts and numbers of a schema.

Knows Python values. Knows nothing of tables: those are read in data.encode, to the same texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tallystick.errors import DataError, shown


def read_number(name: str, cell: Any, marks: Mapping[str, bool]) -> float | None:
    """Return a cell of a numeric column as a double, None when it is missing."""
    text = written(cell)
    if text is None or text in marks:
        return None
    try:
        return float(text)
    except ValueError:
        raise DataError(
            f"column {shown(name)} was numeric when the model was fitted, but the row "
            f"holds {shown(cell)}. Correct it, or give None."
        ) from None


def written(cell: Any) -> str | None:
    """Return a cell as its canonical text, None when it is missing."""
    if cell is None:
        return None
    if isinstance(cell, bool | np.bool_):
        return "true" if cell else "false"
    if isinstance(cell, float | np.floating):
        number = float(cell)
        if number != number:
            return None
        return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)
    return str(cell).strip()


def alias(text: str, levels: tuple[str, ...]) -> str:
    """Return the boolean level a text means: TRUE is true, and 1 where the levels are 0 and 1."""
    plain = text.lower()
    if plain in levels:
        return plain
    return levels[plain in ("1", "true")] if plain in ("0", "1", "false", "true") else text
