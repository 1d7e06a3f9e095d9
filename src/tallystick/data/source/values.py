"""Single Python values as canonical text: the one way in which an object becomes a cell of a table.

Knows Python and NumPy scalars, and the missing values of pandas by name. Imports nothing heavy.
Law: 1, 1.0, Decimal("1.00") and "1" are "1"; True is "true"; None, NaN, NA and NaT are missing (None).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tallystick.errors import DataError, shown

DOUBLES = 400  # decimal places beyond which no double reaches
YEARS = 8_000  # from 1970 on, either way


def number_text(value: float) -> str:
    """Return the shortest text that reads back as the number; whole numbers without a point."""
    whole = abs(value) < 2.0**64 and value == int(value)
    return str(int(value)) if whole else repr(float(value))


def cell_text(cell: Any, name: str) -> str | None:
    """Return one value as canonical text, None for a missing one; what is not a cell is an error."""
    if isinstance(cell, str):
        return cell if type(cell) is str else str.__str__(cell)
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(cell, bool | np.bool_):
        return "true" if cell else "false"
    if isinstance(cell, int | np.integer) and not isinstance(cell, np.timedelta64):
        return _whole_text(int(cell), name)
    if isinstance(cell, float | np.floating):
        return None if cell != cell else number_text(float(cell))
    return _rare_text(cell, name)


def _whole_text(cell: int, name: str) -> str:
    try:
        return str(cell)
    except ValueError:
        raise DataError(
            f"column {shown(name)} holds a whole number of {cell.bit_length() * 3 // 10:,} digits or so, "
            "more than Python writes out. Write it as text."
        ) from None


def _rare_text(cell: Any, name: str) -> str | None:
    reason: Exception | None = None
    try:
        if type(cell).__name__ == "Decimal":
            return _decimal_text(cell)
        if isinstance(cell, np.datetime64):
            return None if np.isnat(cell) else _moment_text(cell, name)
        if hasattr(cell, "isoformat"):
            return str(cell.isoformat())
        if hasattr(cell, "as_py"):
            return cell_text(cell.as_py(), name)
    except DataError:
        raise
    except Exception as error:  # of an object that is not ours: it cannot say what it is
        reason = error
    raise DataError(
        f"column {shown(name)} holds {shown(type(cell).__name__)} objects, which are not cells. "
        "Turn them into numbers or text first, for example with .astype(str)."
    ) from reason


def _decimal_text(cell: Any) -> str | None:
    if cell.is_nan():
        return None
    if cell.is_finite() and abs(cell.adjusted()) > DOUBLES:  # to be read as a file would be
        return str(cell)
    whole = cell.is_finite() and cell == cell.to_integral_value()
    return str(int(cell)) if whole else number_text(float(cell))


def _moment_text(cell: Any, name: str) -> str:
    """Return a date or time of NumPy as ISO text."""
    if abs(int(cell.astype("M8[Y]").astype(np.int64))) > YEARS:
        raise DataError(
            f"column {shown(name)} holds the date {shown(cell)}, beyond the year 9999. Correct it."
        )
    return str(cell.astype("M8[us]"))
