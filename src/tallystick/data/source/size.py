"""How much memory a table would take, told from the file before it is read.

Knows file sizes and the machine's memory: all there is, not what happens to be free, so that the same table
on the same machine always gets the same answer. Knows nothing of rows.
"""

from __future__ import annotations

import os
from typing import Any

from tallystick.errors import DataError

NUMBER, OTHER = 16, 2  # bytes a cell takes while a table is read: numbers as doubles and a copy, else codes
UNITS = ("bytes", "KB", "MB", "GB", "TB", "PB")


def needed(rows: int, numbers: int, others: int) -> int:
    """Return about how many bytes a table of so many columns takes."""
    return rows * (numbers * NUMBER + others * OTHER)


def refuse_too_large(source: Any) -> None:
    """Refuse a file whose table cannot lie in the memory of this machine, before any work."""
    size, there = int(getattr(source, "needed", 0)), memory()
    if size > there:
        raise DataError(
            f"{source.name} needs about {_told(size)} of memory, and this machine has {_told(there)}. "
            "Larger tables than memory cannot be fitted yet (memory=): take fewer rows or columns, for "
            "example by an SQL query."
        )


def memory() -> int:
    """Return the bytes of memory this process can ever have: the machine's, or its container's limit."""
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        with open("/sys/fs/cgroup/memory.max", encoding="ascii") as file:
            limit = file.read().strip()
    except OSError:
        return there
    return min(there, int(limit)) if limit.isdigit() else there


def _told(size: int) -> str:
    power = min(max(size.bit_length() - 1, 0) // 10, len(UNITS) - 1)
    return f"{size / 1024**power:,.3g} {UNITS[power]}"
