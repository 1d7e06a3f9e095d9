"""Scratch files for arrays that exceed memory, and the memory budget: its parts and refusals.

- Arrays over unnamed files in the folder for temporary files (TMPDIR). Entry: `empty()`, `ScratchFile`. The
  system frees them when no array refers to them: at the end, after an error, when the process is killed.
- Arrays that are kept on disk: `kept()`, `on_disk()`, `give_back()`.
- Memory estimates and the budget: `needed()`, `refuse_too_large()`, `budget()`, `within()`, `memory()`.

budget = bytes of memory to work in; piece = bytes of rows that are processed at once.
Law: bytes are written by `write`, never through an array, so that a full disk is an error and not a crash; or
the disk space was reserved before (`empty`).
"""

from __future__ import annotations

import errno
import math
import mmap
import os
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tallystick import files
from tallystick.errors import Argument, DataError, OptionError, shown

if TYPE_CHECKING:
    from tallystick.contracts import Source


LINE = 64  # bytes: arrays begin at multiples of this
FEW = 1 << 18  # bytes of arrays below which they stay in memory


class ScratchFile:
    """A file without a name that grows at its end or is written in places; gone when it is closed."""

    _open = False  # as it stays where the disk refuses it

    def __init__(self) -> None:
        try:
            self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  it lives as long as its arrays
        except OSError as error:
            raise no_room(error) from None
        self._open = True
        self.size, self._place = 0, Lock()

    def fileno(self) -> int:
        """Return the number by which the system knows the file."""
        return self._file.fileno()

    def claim(self, size: int) -> int:
        """Return a place behind the end for so many bytes, which is nobody else's; any thread may ask."""
        with self._place:
            at, self.size = self.size, self.size + size
        return at

    def append(self, *buffers: Any) -> None:
        """Write behind the end."""
        for buffer in buffers:
            self.size += self.write(buffer, self.size)

    def write(self, buffer: Any, at: int) -> int:
        """Write bytes in a place; return how many."""
        left = memoryview(buffer).cast("B") if len(buffer) else memoryview(b"")
        total = len(left)
        try:
            while left:
                done = files.write_at(self._file.fileno(), left, at)
                left, at = left[done:], at + done
        except OSError as error:
            raise no_room(error) from None
        return total

    def read(self, at: int, size: int) -> bytes:
        """Return some bytes."""
        parts = []
        while size:
            part = files.read_at(self._file.fileno(), size, at)
            if not part:
                raise DataError("a scratch file lost its bytes: check the disk of the temporary folder.")
            parts.append(part)
            at, size = at + len(part), size - len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def reserve(self, size: int) -> None:
        """Make the file so long, and let the disk say now whether it has the room."""
        try:
            if size:
                files.reserve(self._file.fileno(), size)
        except OSError as error:
            raise no_room(error) from None
        self.size = max(self.size, size)

    def free(self, size: int, at: int) -> None:
        """Free unneeded bytes of the file on disk; the others stay where they are."""
        files.free(self._file.fileno(), size, at)

    def view(self, write: bool = False) -> mmap.mmap | bytes:
        """Return the file as memory that the system fills and empties as it likes."""
        if not self.size:
            return b""
        access = mmap.ACCESS_WRITE if write else mmap.ACCESS_READ
        try:
            return mmap.mmap(self._file.fileno(), self.size, access=access)
        except OSError as error:  # it takes another number of an open file
            raise no_room(error) from None

    def close(self) -> None:
        """Give the room back, once no array holds it."""
        self._file.close()

    def __del__(self) -> None:
        if self._open:
            self.close()


def empty(shape: int | tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """Return an array as numpy.empty does, on disk; its room is free again when the array is."""
    return empties([ArrayForm(shape if isinstance(shape, tuple) else (shape,), np.dtype(dtype))])[0]


class ArrayForm(NamedTuple):
    """What an array is without its entries."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def bytes(self) -> int:
        """How many bytes its entries take."""
        return math.prod(self.shape) * self.dtype.itemsize


def empties(forms: Sequence[ArrayForm]) -> list[NDArray[Any]]:
    """Return arrays on disk, all in one file: a process may have so many open, and no more."""
    starts = [0, *accumulate(padded(form.bytes) for form in forms)]
    if not starts[-1]:
        return [np.empty(*form) for form in forms]
    file = ScratchFile()
    try:
        file.reserve(starts[-1])
        view = file.view(write=True)
    finally:
        file.close()  # the arrays hold it now
    return [
        np.frombuffer(view, dtype, math.prod(shape), start).reshape(shape)
        for (shape, dtype), start in zip(forms, starts, strict=False)
    ]


@dataclass(frozen=True)
class DiskBeyond:
    """Makes arrays: in memory as `make` does, on disk, of zeros, where one is of more than so many bytes.
    0: none is.
    """

    most: int = 0
    make: Callable[[Any, Any], NDArray[Any]] = np.empty

    def __call__(self, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        form = ArrayForm(shape, np.dtype(dtype))
        return empties([form])[0] if 0 < self.most < form.bytes else self.make(*form)


def kept(arrays: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the same arrays on disk; few bytes stay where they are."""
    return all_kept([arrays])[0] if size_of(arrays) >= FEW else arrays


def all_kept(many: Sequence[dict[str, NDArray[Any]]]) -> list[dict[str, NDArray[Any]]]:
    """Return the same arrays on disk, all in one file."""
    room = iter(
        empties([ArrayForm(array.shape, array.dtype) for arrays in many for array in arrays.values()])
    )
    out = [{name: next(room) for name in arrays} for arrays in many]
    for there, arrays in zip(out, many, strict=True):
        for name, array in arrays.items():
            there[name][...] = array
    return out


def size_of(arrays: dict[str, NDArray[Any]]) -> int:
    """Return how many bytes arrays take."""
    return sum(array.nbytes for array in arrays.values())


def on_disk(array: NDArray[Any]) -> bool:
    """Say whether an array is in a scratch file."""
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    return isinstance(base.obj if isinstance(base, memoryview) else base, mmap.mmap)


def give_back_at_once() -> None:
    """Let memory go back to the system as it is freed, from now on: of arrays, and of Arrow, whose own pool
    keeps some 20 MB for later. Who named a pool for Arrow (ARROW_DEFAULT_MEMORY_POOL), or set one, keeps it.
    """
    import pyarrow as pa

    files.return_freed_memory()
    usual = pa.supported_memory_backends()[0]  # the best of those there are, as Arrow takes it by itself
    if "ARROW_DEFAULT_MEMORY_POOL" not in os.environ and pa.default_memory_pool().backend_name == usual:
        pa.set_memory_pool(pa.system_memory_pool())


def give_back() -> None:
    """Give the system the memory that was freed: allocators keep it otherwise, for work that is over."""
    import ctypes

    import pyarrow as pa

    pa.default_memory_pool().release_unused()
    if sys.platform == "linux" and hasattr(library := ctypes.CDLL(None), "malloc_trim"):  # the GNU C library
        library.malloc_trim(0)


def padded(size: int) -> int:
    """Return where the next array begins."""
    return -(-size // LINE) * LINE


def no_room(error: OSError) -> Exception:
    """Return what to say when scratch files cannot be written."""
    folder = shown(tempfile.gettempdir(), 300)
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return DataError(
            f"the disk of the temporary folder {folder} is full: no room for scratch files. "
            "Free some, or set TMPDIR to a folder on a larger disk."
        )
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return DataError(
            "too many files are open for another scratch file: models of rows on disk hold some. "
            "Delete models that are done with, or raise the limit (ulimit -n)."
        )
    return DataError(
        f"scratch files cannot be written in the temporary folder {folder}: {shown(error.strerror, 120)}. "
        "Set TMPDIR to a folder that can be written to."
    )


# ---- the memory of a table, estimated from the file before it is read; the budget ----


NUMBER, OTHER = 16, 2  # bytes a cell takes while a table is read: numbers as doubles and a copy, else codes
LEAST = 32 << 20  # bytes of the smallest budget
MOST = 1 << 62  # bytes of the largest budget, as kernels count in 64 bits
ALWAYS = 32 << 20  # bytes in use however small the pieces are
PIECES = 48  # a piece takes this part of the rest: several are in process, each in several copies
THREAD = 16 << 20  # bytes of the budget per thread: its pieces, and what Arrow's pool keeps for it
COLUMN = 6 << 10  # bytes of overhead per column, about
ROW = 8  # pieces that one line may fill, at most: it has several copies, but is alone
UNITS = ("bytes", "KB", "MB", "GB", "TB", "PB")


def needed(rows: int, numbers: int, others: int) -> int:
    """Return about how many bytes a table of so many columns takes."""
    return rows * (numbers * NUMBER + others * OTHER)


def refuse_too_large(source: Source) -> None:
    """Refuse a file whose table does not fit in the memory of this machine, before any work."""
    size = source.needed
    if size > LEAST and size > (there := memory()):  # a small table is read sooner than asked for
        raise DataError(
            f"{source.name} needs about {size_text(size)} of memory, and this machine has "
            f"{size_text(there)}. Pass ",
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
            Argument("memory", str(memory)), f" is too little to work in. Give at least {size_text(LEAST)}."
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
            f"{source.name} has {len(source.columns):,} columns, which take at least {size_text(needed)} of "
            f"memory however few the rows, and {size_text(size)} is given. "
            "Pass ",
            Argument("memory", f"{-(-needed >> 20)}MB"),
            ", or take fewer columns.",
        )


def memory() -> int:
    """Return the bytes of memory this process can have: the machine's, its container's or its own limit."""
    there = files.machine_memory()
    if (own := files.address_limit()) > 0:  # ulimit -v; no limit is -1
        there = min(there, own)
    try:
        with open("/sys/fs/cgroup/memory.max", encoding="ascii") as file:
            limit = file.read().strip()
    except OSError:
        return there
    return min(there, int(limit)) if limit.isdigit() else there


def size_text(size: int) -> str:
    """Return a number of bytes as people say it."""
    power = min(max(size.bit_length() - 1, 0) // 10, len(UNITS) - 1)
    return f"{size / 1024**power:,.3g} {UNITS[power]}"
