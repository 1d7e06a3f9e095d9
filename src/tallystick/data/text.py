"""The canonical text of a value, a number, a moment and a label: the one place where something becomes text.

Knows Python's, NumPy's and Arrow's scalars, and the missing values of pandas by name. Imports nothing heavy.
Laws: 1, 1.0, Decimal("1.00") and "1" are "1"; True is "true"; None, NaN, NA and NaT are missing (None); one
moment is one text in any container and unit, a duration is its seconds; the text of a number reads back as
that number.
"""

from __future__ import annotations

import datetime
from typing import Any

from tallystick.errors import DataError, shown

DOUBLES = 400  # decimal places beyond which no double reaches
DAY, SECOND = 86_400_000_000, 1_000_000  # in microseconds
YEARS = 8_000  # from 1970 on, either way
EXACT = 2.0**53  # whole numbers from here on are no longer exact as doubles
WRITTEN_OUT = 2.0**64  # whole numbers from here on are written as powers of ten
MICROSECOND = datetime.timedelta(microseconds=1)
EPOCH = datetime.datetime(1970, 1, 1)
OF_PANDAS = ("NAType", "NaTType")  # its missing values, known by name: it is not imported for this
TRUTH_LABELS = {"1": "true", "0": "false", "1.0": "true", "0.0": "false", "true": "true", "false": "false"}


def number_text(value: float) -> str:
    """Return the shortest text that reads back as the number; whole numbers without a point."""
    whole = abs(value) < WRITTEN_OUT and value == int(value)
    return str(int(value)) if whole else repr(float(value))


def quantity(value: float, unit: str, digits: int | None = None) -> str:
    """Return a number of a column as people write it, in some digits or in all that tell it apart; where the
    unit is "date" the moment that these days since 1970 stand for, to the second or to the microsecond.
    """
    if unit == "date" and abs(value) < 365 * YEARS:
        return moment_text(round(value * DAY) if digits is None else round(value * DAY / SECOND) * SECOND)
    return number_text(value) if digits is None else f"{value:.{digits}g}"


def figure(value: float, unit: str, digits: int = 5) -> str:
    """Return a number of a column in some digits; a large one whole, as people write it."""
    whole = not unit and 1e5 <= abs(value) < 1e12
    return f"{value:,.0f}" if whole else quantity(value, unit, digits)


def moment_text(micros: int, zoned: bool = False) -> str:
    """Return a moment, in microseconds since 1970, as people write it: the date, and the time where there is
    one. zoned: it is known when that was anywhere on Earth; the text is UTC's and says so.
    """
    import numpy as np

    date, _, time = str(np.datetime64(micros, "us")).partition("T")
    time = time.rstrip("0").rstrip(".") if not time.endswith(".000000") else time[:8]
    return f"{date} {time}Z" if zoned else date if time == "00:00:00" else f"{date} {time}"


def is_missing(cell: Any) -> bool:
    """Say whether one value is none: None, NaN, or NA and NaT of pandas."""
    return cell is None or (isinstance(cell, float) and cell != cell) or type(cell).__name__ in OF_PANDAS


def cell_text(cell: Any, name: str) -> str | None:
    """Return one value as canonical text, None for a missing one; what is not a cell is an error."""
    if isinstance(cell, str):
        return cell if type(cell) is str else str.__str__(cell)
    if is_missing(cell):
        return None
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, int):
        return _whole_text(int(cell), name)
    if isinstance(cell, float):
        return number_text(float(cell))
    reason: Exception | None = None
    try:
        if (text := _rare_text(cell, name)) != "":
            return text
    except DataError:
        raise
    except Exception as error:  # of an object that is not ours: it cannot say what it is
        reason = error
    raise DataError(
        f"column {shown(name)} holds {shown(type(cell).__name__)} objects, which are not cells. "
        "Turn them into numbers or text first, for example with .astype(str)."
    ) from reason


def _whole_text(cell: int, name: str) -> str:
    try:
        return str(cell)
    except ValueError:
        raise DataError(
            f"column {shown(name)} holds a whole number of {cell.bit_length() * 3 // 10:,} digits or so, "
            "more than Python writes out. Write it as text."
        ) from None


def _rare_text(cell: Any, name: str) -> str | None:
    """Return the text of what is not one of Python's own numbers and texts; "" of what is not a cell."""
    if type(cell).__name__ == "Decimal":
        return _decimal_text(cell)
    if isinstance(cell, datetime.datetime):
        zone = cell.utcoffset()
        plain = cell.replace(tzinfo=None) - (zone or datetime.timedelta())
        return moment_text((plain - EPOCH) // MICROSECOND, zone is not None)
    if isinstance(cell, datetime.date | datetime.time):
        return cell.isoformat()
    if isinstance(cell, datetime.timedelta):
        return number_text((cell // MICROSECOND) / 1e6)
    library, of = type(cell).__module__.partition(".")[0], type(cell).__name__
    if (library, of) in (("uuid", "UUID"), ("pandas", "Interval")):
        return str(cell)
    if (library, of) == ("pandas", "Period"):
        return cell_text(cell.to_timestamp(), name)
    if library == "fractions":
        return number_text(float(cell))
    if library == "pyarrow":
        return cell_text(cell.as_py(), name)
    return _numpy_text(cell, name)


def _numpy_text(cell: Any, name: str) -> str | None:
    import numpy as np

    if isinstance(cell, np.datetime64):
        return None if np.isnat(cell) else _numpy_moment(cell, name)
    if isinstance(cell, np.timedelta64):
        return None if np.isnat(cell) else number_text(int(cell.astype("m8[us]").astype("i8")) / 1e6)
    if isinstance(cell, np.bool_):
        return cell_text(bool(cell), name)
    if isinstance(cell, np.integer):
        return str(int(cell))
    return cell_text(float(cell), name) if isinstance(cell, np.floating) else ""


def _decimal_text(cell: Any) -> str | None:
    if cell.is_nan():
        return None
    if cell.is_finite() and abs(cell.adjusted()) > DOUBLES:  # to be read as a file would be
        return str(cell)
    whole = cell.is_finite() and cell == cell.to_integral_value()
    return str(int(cell)) if whole else number_text(float(cell))


def _numpy_moment(cell: Any, name: str) -> str:
    if abs(int(cell.astype("M8[Y]").astype("i8"))) > YEARS:
        raise DataError(
            f"column {shown(name)} holds the date {shown(cell)}, beyond the year 9999. Correct it."
        )
    return moment_text(int(cell.astype("M8[us]").astype("i8")))


# ---- labels ----


def label_text(given: Any) -> str:
    """Return the label that a user gives as text: that of a cell; what is not a cell as Python prints it."""
    try:
        text = cell_text(given, "target")
    except DataError:
        if isinstance(given, int):  # of more digits than Python writes out
            raise
        text = None
    return str(given) if text is None else text


def label_number(text: str) -> str | None:
    """Return a number as the text its label has, None for what is not a finite number: "1.0" is "1"."""
    try:
        value = float(text)
    except ValueError:
        return None
    if value - value != 0 or "_" in text or not text.isascii():
        return None
    try:
        return str(int(text))  # whole numbers of any size, to the last digit
    except ValueError:
        return number_text(value)


def label_form(text: str, value: float, label_type: str) -> str:
    """Return the one text of a label that was read; value: the number it is; label_type: see schema."""
    if label_type == "boolean":
        return text.lower()
    if label_type == "integer" and abs(value) >= EXACT:
        return label_number(text) or text  # to the last digit
    return number_text(value) if label_type in ("integer", "number") else text
