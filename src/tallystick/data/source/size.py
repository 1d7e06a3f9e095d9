"""How much memory a table would take, estimated from the file before it is read.

Knows file sizes and the machine's memory: all there is, not what happens to be free, so that the same table
on the same machine always gets the same answer. Knows nothing of rows.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tallystick.errors import Argument, DataError, OptionError
from tallystick.files import system

if TYPE_CHECKING:
    from tallystick.contracts import Source

NUMBER, OTHER = 16, 2  # bytes a cell takes while a table is read: numbers as doubles and a copy, else codes
LEAST = 32 << 20  # bytes of memory that work can be done in
MOST = 1 << 62  # bytes: more is as much, and kernels count in 64 bits
ALWAYS = 32 << 20  # bytes that work takes however small its pieces are
PIECES = 48  # a piece takes this part of the rest: several are under way, in several forms
THREAD = 16 << 20  # bytes of a budget for each thread: its pieces, and what Arrow's pool keeps for it
COLUMN = 6 << 10  # bytes that are held of a column, whatever its rows, about
ROW = 8  # pieces that one line may take, at most: it is held in several forms, but alone
UNITS = ("bytes", "KB", "MB", "GB", "TB", "PB")


def needed(rows: int, numbers: int, others: int) -> int:
    """Return about how many bytes a table of so many columns takes."""
    return rows * (numbers * NUMBER + others * OTHER)


def refuse_too_large(source: Source) -> None:
    """Refuse a file whose table cannot lie in the memory of this machine, before any work."""
    size = source.needed
    if size > LEAST and size > (there := memory()):  # a small table is read sooner than asked for
        raise DataError(
            f"{source.name} needs about {told(size)} of memory, and this machine has {told(there)}. Pass ",
            Argument("memory", f"{max(there // 2 >> 30, 1)}GB"),
            " to keep the rows on disk, or take fewer of them.",
        )


def budget(memory: Any) -> int:
    """Return "1GB", "64 MB" or a number of bytes as bytes; 1 KB is 1024 bytes."""
    size = memory if isinstance(memory, int) and not isinstance(memory, bool) else None
    if isinstance(memory, str) and (
        found := re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgtp]?)i?b?\s*", memory.lower())
    ):
        size = int(float(found[1]) * 1024 ** " kmgtp".index(found[2] or " "))
    if size is None:
        raise OptionError(Argument("memory", str(memory)), " is not a size. Write it as '512MB' or '4GB'.")
    if size < LEAST:
        raise OptionError(
            Argument("memory", str(memory)), f" is too little to work in. Give at least {told(LEAST)}."
        )
    return min(size, MOST)


def within(source: Source, size: int) -> Source:
    """Return the source read in pieces that fit a budget of so many bytes; what is in memory stays."""
    return source.within(piece(size))


def piece(size: int) -> int:
    """Return how many bytes a piece takes where there is a budget of so many."""
    return max((size - ALWAYS) // PIECES, 1 << 18)


def longest_row(size: int) -> int:
    """Return how long a line may be where pieces of so many bytes are read."""
    return ROW * size


def longest_within(memory: Any) -> int:
    """Return how long a line may be within a budget."""
    return longest_row(piece(budget(memory)))


def refuse_too_wide(source: Source, size: int) -> None:
    """Refuse more columns than a budget has room for: each takes memory, whatever the rows."""
    if (needed := COLUMN * len(source.columns)) > size:
        raise DataError(
            f"{source.name} has {len(source.columns):,} columns, which take at least {told(needed)} of "
            f"memory however few the rows, and {told(size)} is given. "
            "Pass ",
            Argument("memory", f"{-(-needed >> 20)}MB"),
            ", or take fewer columns.",
        )


def memory() -> int:
    """Return the bytes of memory this process can have: the machine's, its container's or its own limit."""
    there = system.machine_memory()
    if (own := system.address_limit()) > 0:  # ulimit -v; no limit is -1
        there = min(there, own)
    try:
        with open("/sys/fs/cgroup/memory.max", encoding="ascii") as file:
            limit = file.read().strip()
    except OSError:
        return there
    return min(there, int(limit)) if limit.isdigit() else there


def told(size: int) -> str:
    """Return a number of bytes as people say it."""
    power = min(max(size.bit_length() - 1, 0) // 10, len(UNITS) - 1)
    return f"{size / 1024**power:,.3g} {UNITS[power]}"
