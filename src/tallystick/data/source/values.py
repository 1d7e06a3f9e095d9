"""Single Python values as canonical text: the one way in which an object becomes a cell of a table.

Knows Python and NumPy scalars, and the missing values of pandas by name. Imports nothing heavy.
Law: 1, 1.0, Decimal("1.00") and "1" are "1"; True is "true"; None, NaN, NA and NaT are missing (None).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tallystick.errors import DataError, shown


def number_text(value: float) -> str:
    """Return the shortest text that reads back as the number; whole numbers without a point."""
    whole = abs(value) < 2.0**64 and value == int(value)
    return str(int(value)) if whole else repr(float(value))


def cell_text(cell: Any, name: str) -> str | None:
    """Return one value as canonical text, None for a missing one; what is no cell is an error."""
    if isinstance(cell, str):
        return cell
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(cell, bool | np.bool_):
        return "true" if cell else "false"
    if isinstance(cell, int | np.integer):
        return str(int(cell))
    if isinstance(cell, float | np.floating):
        return None if cell != cell else number_text(float(cell))
    return _rare_text(cell, name)


def _rare_text(cell: Any, name: str) -> str | None:
    if type(cell).__name__ == "Decimal":
        if cell.is_nan():
            return None
        return str(int(cell)) if cell == cell.to_integral_value() else number_text(float(cell))
    if hasattr(cell, "isoformat"):
        return str(cell.isoformat())
    if hasattr(cell, "as_py"):
        return cell_text(cell.as_py(), name)
    raise DataError(
        f"column {shown(name)} holds {shown(type(cell).__name__)} objects, which are no cells. "
        "Turn them into numbers or text first, for example with .astype(str)."
    )
