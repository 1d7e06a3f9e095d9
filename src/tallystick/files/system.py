"""What not every system has, with what is done where it is missing. Linux has all of it.

- A lock on a file that is being written: none on Windows, so what a killed writer left stays.
- A path to an open file without a name: `/dev/fd` on macOS; none on Windows, where streams are files first.
- Room on disk kept before it is used: elsewhere the file is only made longer.
- Reading and writing at a place: on Windows by going there first, one thread at a time.
- The memory of the machine, the limit of addresses (`ulimit -v`), whether a folder is read-only, the
  writing of a folder's names: not known on Windows, so nothing is foreseen.
- Freed memory given back at once: the GNU C library can; elsewhere the allocator's own way stays.
- Several processes of a server (`serve/server.py`): one on Windows.

Knows the operating system. Knows nothing of models or tables.
Law: every function answers on every system; none is asked for what the table does not list.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import threading
from typing import Any

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]
try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

UNKNOWN = 1 << 62  # bytes: more than any machine has
BINARY = getattr(os, "O_BINARY", 0)  # Windows would change the ends of lines
CAREFUL = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # neither links nor pipes
LARGE_BLOCK = 1 << 18  # bytes of a block of memory that has pages of its own
_MAPPED_FROM = -3  # the number of that setting of the GNU C library
_HOLE = 3  # a hole in a file, its length kept: flags of fallocate on Linux
_place = threading.Lock()


def lock(handle: int, wait: bool = True) -> None:
    """Lock an open file for this process; OSError where another has it, or the system knows no locks."""
    if fcntl is None:
        raise OSError("this system has no locks on files")
    fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


def path_of(handle: int) -> str | None:
    """Return a path by which this process can open a file that has no name; None where there is none."""
    roots = ("/proc/self/fd", "/dev/fd")
    return next((f"{root}/{handle}" for root in roots if os.path.exists(f"{root}/{handle}")), None)


def reserve(handle: int, size: int) -> None:
    """Make a file so long; where the system can, let the disk say now whether it has the room."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(handle, 0, size)
    elif os.fstat(handle).st_size < size:
        os.ftruncate(handle, size)


def free(handle: int, size: int, at: int) -> None:
    """Give the disk back so many bytes of an open file from a place on; its length stays. Where the system
    cannot, the room stays taken.
    """
    if sys.platform == "linux" and size > 0:
        import ctypes

        with contextlib.suppress(AttributeError):  # another C library; what a disk says is not looked at
            library = ctypes.CDLL(None)
            punch = getattr(library, "fallocate64", None) or library.fallocate  # in 64 bits, one or the other
            punch.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64]
            punch(handle, _HOLE, at, size)


def read_at(handle: int, size: int, at: int) -> bytes:
    """Return up to so many bytes of an open file from a place on."""
    if hasattr(os, "pread"):
        return os.pread(handle, size, at)
    with _place:
        os.lseek(handle, at, os.SEEK_SET)
        return os.read(handle, size)


def write_at(handle: int, data: Any, at: int) -> int:
    """Write bytes to an open file from a place on; return how many were written."""
    if hasattr(os, "pwrite"):
        return os.pwrite(handle, data, at)
    with _place:
        os.lseek(handle, at, os.SEEK_SET)
        return os.write(handle, data)


def machine_memory() -> int:
    """Return the bytes of memory of the machine; `UNKNOWN` where it does not say."""
    if not hasattr(os, "sysconf"):
        return UNKNOWN
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def address_limit() -> int:
    """Return how many bytes of addresses this process may have (`ulimit -v`); -1: any."""
    return -1 if resource is None else resource.getrlimit(resource.RLIMIT_AS)[0]


@functools.cache
def return_freed_memory() -> None:
    """Let large blocks of memory go back to the system as soon as they are freed. The GNU C library keeps
    ever larger ones for later, up to 32 MB each: with them a process holds far more than its arrays.
    """
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):  # another C library
            ctypes.CDLL("libc.so.6").mallopt(_MAPPED_FROM, LARGE_BLOCK)


def resident() -> int:
    """Return the bytes of memory that this process has now, or has had at most; 0 where nobody knows."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:  # a system without /proc
        if resource is None:
            return 0
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def is_read_only(folder: str) -> bool:
    """Say whether a folder lies on a file system that takes no writing."""
    return hasattr(os, "statvfs") and bool(os.statvfs(folder).f_flag & os.ST_RDONLY)


def sync_folder(folder: str | os.PathLike[str]) -> None:
    """Let the disk keep the names in a folder, where the system lets folders be opened."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
