"""What people mean by a date: its year, month, weekday and hour, of days since 1970-01-01.

Knows numbers of days. Knows nothing of columns, texts or zones.
Laws: a moment is rounded to the millisecond; the parts are whole numbers, found by exact arithmetic of
doubles alone, so that an export in any language finds the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PARTS = ("year", "month", "weekday", "hour")
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
WEEKDAY_LEVELS = tuple(sorted(WEEKDAYS))
RANGES = {"month": (1.0, 12.0), "hour": (0.0, 23.0)}
MILLISECONDS = 86_400_000.0  # of a day


def part_values(days: NDArray[np.float64], part: str) -> NDArray[np.float64]:
    """Return a part of each moment; of a weekday its number from Monday on, 0 to 6. NaN stays NaN."""
    import numpy as np

    clock = np.floor(days * MILLISECONDS + 0.5)
    day = np.floor(clock / MILLISECONDS)
    if part == "hour":
        return np.floor((clock - day * MILLISECONDS) / 3_600_000.0)
    if part == "weekday":
        since = day + 3.0  # 1970-01-01 was a Thursday
        return since - 7.0 * np.floor(since / 7.0)
    found: NDArray[np.float64] = civil(day, np)[0 if part == "year" else 1]
    return found


def civil(day: Any, np: Any) -> tuple[Any, Any]:
    """Return year and month of whole days since 1970-01-01, counted in eras of 400 years from March 0000."""
    z = day + 719_468.0
    era = np.floor(z / 146_097.0)
    left = z - era * 146_097.0  # day of the era
    of_era = np.floor(
        (left - np.floor(left / 1_460.0) + np.floor(left / 36_524.0) - np.floor(left / 146_096.0)) / 365.0
    )
    of_year = left - (365.0 * of_era + np.floor(of_era / 4.0) - np.floor(of_era / 100.0))
    march = np.floor((5.0 * of_year + 2.0) / 153.0)  # months since March
    late = np.floor(march / 10.0)  # 1 in January and February
    return of_era + era * 400.0 + late, march + 3.0 - 12.0 * late


def weekday_codes(numbers: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return the codes of weekdays among WEEKDAY_LEVELS; missing is behind the last."""
    import numpy as np

    into = np.array([*(WEEKDAY_LEVELS.index(day) for day in WEEKDAYS), len(WEEKDAYS)], np.uint8)
    gone = np.isnan(numbers)
    return into[np.where(gone, len(WEEKDAYS), numbers).astype(np.int64)]


def telling(low: float, high: float, whole: bool) -> tuple[str, ...]:
    """Return the parts that may differ among moments from low to high; whole: there is no time of day."""
    import numpy as np

    ends = np.array([low, high])
    year, month = (part_values(ends, part) for part in ("year", "month"))
    out = ["year"] if year[0] != year[1] else []
    out += ["month"] if year[0] != year[1] or month[0] != month[1] else []
    out += ["weekday"] if low != high else []
    return (*out, *(() if whole else ("hour",)))
