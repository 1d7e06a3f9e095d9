"""Files: changes while reading, system calls, outputs kept apart from inputs, and atomic writing.

Entry: `unchanged()`; `lock()`, `machine_memory()` and others; `keep_apart()`; `whole_file()`.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import functools
import glob
import io
import os
import re
import resource
import stat
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tallystick.errors import DataError, OptionError, TallyError, shown

# Whether a file has changed since it was opened, by its size, its times and its place on the disk.
# The ctime is among them: a writer may set the mtime back, but not this.
# Law: rows of two states of a file never end up in one table in silence.


@dataclass(frozen=True, slots=True)
class Stamp:
    """A file as it was: what the system knows of it."""

    path: str
    name: str
    state: tuple[int, ...]

    @classmethod
    def of(cls, path: str, name: str) -> Stamp:
        """Return the stamp of a file as it is now."""
        return cls(path, name, _state(path))

    def check(self) -> None:
        """Refuse a file that is not what it was."""
        try:
            now = _state(self.path)
        except OSError:
            raise DataError(f"{self.name} was removed while it was read. Read it again.") from None
        if now != self.state:
            size = f" (it had {self.state[0]:,} bytes, now {now[0]:,})" if now[0] != self.state[0] else ""
            raise DataError(
                f"{self.name} changed while it was read{size}. Read it again when nobody writes to it."
            )


def _state(path: str) -> tuple[int, ...]:
    found = os.stat(path)
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_dev


@contextmanager
def unchanged(stamps: Iterable[Stamp]) -> Iterator[None]:
    """Read files; if they change meanwhile, that is the error, whatever else went wrong."""
    try:
        yield
    except (TallyError, OSError, UnicodeError):
        for stamp in stamps:
            stamp.check()
        raise
    for stamp in stamps:
        stamp.check()


# System calls that not every system has, with what is done where they are missing. Linux has all of them.
#
# - A lock on a file that is being written: none on Windows, so what a killed writer left stays.
# - A path to an open file without a name: `/dev/fd` on macOS; none on Windows, where streams are files
# first.
# - Room on disk kept before it is used: elsewhere the file is only made longer.
# - Reading and writing at a place: on Windows by going there first, one thread at a time.
# - The memory of the machine, the limit of addresses (`ulimit -v`), whether a folder is read-only, the
#   writing of a folder's names: not known on Windows, so nothing is foreseen.
# - Freed memory given back at once: the GNU C library can; elsewhere the allocator's own way stays.
# - Several processes of a server (`serve/server.py`): one on Windows.
#
# Law: every function answers on every system; none is asked for what the table does not list.

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
LARGE_BLOCK = 1 << 18  # bytes, from which a block of memory has pages of its own
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
    """Say whether a folder is on a read-only file system."""
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


# Outputs never replace inputs, and two outputs never share a file.
# Law: an output is refused before any work when it is a file that the work reads, under whatever name (a
# link, a pattern such as part-*.csv, a way through folders that are not there, the address of a database, a
# file named in an SQL query, which reads no others), when another output has its place, or when nothing can
# be written there.

STANDARD = "-"  # standard input where it is read, standard output where it is written
_NAMES = re.compile(  # names in a query: comments (skipped), quoted texts, and FROM votes.csv
    r"--[^\n]*|/\*.*?\*/|'((?:[^']|'')*)'|\"((?:[^\"]|\"\")*)\"|\b(?:from|join)\s+([\w.]+)",
    re.DOTALL | re.IGNORECASE,
)
_ADDRESS = re.compile("duckdb://([^?]*)", re.IGNORECASE)
_LOCAL = re.compile("^file:(//(localhost)?)?(?=/)")


def files_of(data: Any) -> list[str]:
    """Return the files behind something to read, as far as they can be known.

    data: a path, a pattern, an SQL query (every quoted text in it may name a file), or several of these. What
    lies in memory has no file; a source or a table knows its `files` itself.
    """
    if isinstance(data, str | os.PathLike):
        text = os.fspath(data)
        if text == STANDARD:
            return [text]
        return [file for name in (text, *_in_address(text), *names_in(text)) for file in _matches(name)]
    if isinstance(data, list | tuple) and all(isinstance(one, str | os.PathLike) for one in data):
        return [file for one in data for file in files_of(one)]
    return []


def as_path(given: Any) -> str:
    """Return the name of a file as text; refuse what can be none."""
    try:
        path = os.fspath(given)
        if isinstance(path, str) and b"\0" not in os.fsencode(path):
            return path
    except (TypeError, UnicodeError):
        pass
    raise OptionError(f"{shown(given)} cannot be the name of a file. Pass text, or a pathlib.Path.")


def placed(path: str) -> str:
    """Return a name that leads to the same file wherever the process goes; a name of a scratch file as it is.

    The names are only joined: `a/../b` is not `b` where `a` is a link.
    """
    return path if os.path.isabs(path) else os.path.join(os.getcwd(), path)


def _in_address(text: str) -> list[str]:
    """Return the file of an address such as duckdb:///votes.db?table=votes; none of other texts."""
    if (found := _ADDRESS.match(text)) is None:
        return []
    from urllib.parse import unquote

    return [unquote(found[1]).removeprefix("/")]


def names_in(query: str) -> list[str]:
    """Return every text of an SQL query that may name files."""
    found = (a.replace("''", "'") or b.replace('""', '"') or c for a, b, c in _NAMES.findall(query))
    return [name for name in found if name]


def _matches(name: str) -> list[str]:
    """Return the files, no folders, that a name or a pattern stands for: DuckDB knows ~ and file:// too."""
    out: dict[str, None] = {}
    for one in (name, os.path.expanduser(_LOCAL.sub("", name))):
        try:
            out |= dict.fromkeys([one, *glob.glob(one, recursive=True, include_hidden=True)])
        except ValueError:  # a NUL inside
            return []
    return [file for file in out if os.path.exists(file) and not os.path.isdir(file)]


def keep_apart(reads: Iterable[Any], writes: Mapping[str, Any]) -> None:
    """Refuse outputs that would replace an input or each other.

    reads: what `files_of` takes. writes: the option's name (`-o`, `path=`) to its path, None where not given.
    """
    inputs = [(file, _identity(file, 0)) for data in reads for file in files_of(data)]
    taken: dict[object, str] = {}
    for option, given in writes.items():
        if given is None:
            continue
        path = as_path(given)
        label = _label(option, path)
        place = _identity(path, 1)
        for file, known in inputs:
            if known is not None and known == place:
                raise OptionError(f"{_is(label, path, file)} Give the output another name.")
        other = taken.setdefault(place or (option, path), option)
        if other != option:
            raise OptionError(f"{label} is also the file of {other}. Give one of them another name.")


def check_places(writes: Mapping[str, Any]) -> None:
    """Refuse a folder, a file in a folder that is not there, or one that may not be written to."""
    for option, path in writes.items():
        if path in (None, STANDARD):
            continue
        target = os.path.realpath(path)
        folder, wrong = os.path.dirname(target), 0
        special = os.path.exists(target) and not os.path.isfile(target)
        if os.path.isdir(target):
            wrong = errno.EISDIR
        elif not os.path.isdir(folder):
            wrong = errno.ENOENT
        elif not os.access(target if special else folder, os.W_OK):
            wrong = errno.EROFS if is_read_only(folder) else errno.EACCES
        if wrong:
            what = f"{_label(option, os.fspath(path))} cannot be written"
            raise OptionError(f"{what}: {os.strerror(wrong)}. Nothing was changed.")


def _label(option: str, path: str) -> str:
    return f"{option}{'' if option.endswith('=') else ' '}{shown(path, 300)}"


def _is(label: str, path: str, file: str) -> str:
    if path == STANDARD:
        return f"standard output goes to {shown(file, 300)}, which this command reads."
    here = os.path.join(os.getcwd(), "")
    file = file.removeprefix(here)
    if path.removeprefix(here) == file:
        return f"{label} is a file that this command reads."
    return f"{label} is the file {shown(file, 300)}, which this command reads."


def _identity(path: str, standard: int) -> object:
    """Return what two names of one plain file share; None for a device or a pipe, which nothing replaces.

    A name that cannot be opened (`nodir/../in.csv`, `in.csv/`) is the file that its real path leads to, as a
    file is written there.
    """
    if path == STANDARD:
        with contextlib.suppress(OSError):
            return _of_stat(os.fstat(standard))
    for name in (path, os.path.realpath(path)):
        with contextlib.suppress(OSError, ValueError):
            return _of_stat(os.stat(name))
    return os.path.realpath(path)


def _of_stat(found: os.stat_result) -> object:
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


# Atomic writing: the old file or the new one is there at every moment.
# Law: whatever fails or is killed on the way, the name leads to one whole file. A failure leaves nothing else
# behind; what a killed process left is removed by the next write to the same name.
# The new content goes into a file without a name, takes a name of its own (`.NAME.XXXX.part`) when it is
# complete and on disk, and then replaces the old file. The writer holds a lock on it all the while: a
# `.part` file that nobody locks has lost its writer.

_replacing: list[tuple[str, os.stat_result]] = []  # each file of this process that was about to take its name


def replaced() -> list[str]:
    """Return the files that this process has written, known by the files themselves: an interrupt may come
    between a file's taking its name and any note of it.
    """
    out = []
    for path, new in _replacing:
        with contextlib.suppress(OSError):
            if os.path.samestat(os.stat(path), new):
                out.append(path)
    return list(dict.fromkeys(out))


class Sink(io.RawIOBase):
    """A file to write to; a fault of the disk becomes one line that names the file."""

    def __init__(self, handle: int, fault: Fault) -> None:
        self.handle, self.fault, self.place = handle, fault, 0

    def writable(self) -> bool:
        """Say that this can be written to."""
        return True

    def tell(self) -> int:
        """Return how many bytes were written."""
        return self.place

    def write(self, data: Any) -> int:
        """Write all of the data: systems may take less at once than they are given."""
        left = memoryview(data).cast("B")
        size = len(left)
        with self.fault:
            while left:
                left = left[os.write(self.handle, left) :]
        self.place += size
        return size


class Fault:
    """Turns the system's errors into one line: what could not be written, why, and what is there now."""

    def __init__(self, path: str, thing: str, error: type[TallyError]) -> None:
        self.path, self.thing, self.error = path, thing, error
        self.now = "Nothing was changed."

    def __enter__(self) -> None:
        """Watch what follows."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError):
            reason = error.strerror or str(error)
            what = f"cannot write the {self.thing} {shown(self.path, 300)}: {reason}. {self.now}"
            raise self.error(what) from None


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str], thing: str, error: type[TallyError]) -> Iterator[Sink]:
    """Give a file to write to that takes its name when all went well."""
    fault = Fault(as_path(path), thing, error)
    target = Path(os.path.realpath(path))
    with fault:
        if target.exists() and not stat.S_ISREG(target.stat().st_mode):
            handle, temporary = os.open(target, os.O_WRONLY), None  # a pipe or a device is never replaced
        else:
            _sweep(target)
            handle, temporary = _open(target)
    try:
        yield Sink(handle, fault)
        if temporary is not None:
            with fault:
                os.fsync(handle)
                if os.fstat(handle).st_nlink == 0:
                    # A dir_fd makes Python call linkat, which follows the link; link() would not.
                    os.link(f"/proc/self/fd/{handle}", temporary, src_dir_fd=handle, follow_symlinks=True)
                _replacing.append((fault.path, os.fstat(handle)))
                if os.name == "nt":  # Windows gives no open file another name
                    os.close(handle)
                    handle = -1
                os.replace(temporary, target)
                fault.now = "The new file is there, but the disk may not keep it."
                sync_folder(target.parent)
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                temporary.unlink()
        if handle >= 0:
            os.close(handle)


def _open(target: Path) -> tuple[int, Path]:
    """Return a locked new file, without a name where the system has that, and the name it is to take."""
    while True:
        temporary = target.parent / f"{_prefix(target)}{os.urandom(6).hex()}.part"
        try:
            handle = os.open(target.parent, os.O_WRONLY | (getattr(os, "O_TMPFILE", 0) or os.O_CREAT), 0o666)
            named = False
        except OSError:  # a file system without nameless files
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY, 0o666)
            named = True
        with contextlib.suppress(OSError):  # a file system without locks: leftovers are then never swept
            lock(handle)
        if not named or os.fstat(handle).st_nlink:
            return handle, temporary
        os.close(handle)  # swept away between its creation and its lock


def _prefix(target: Path) -> str:
    return f".{target.name[:50]}."  # 50 characters are at most 200 bytes; a name has 255


def _sweep(target: Path) -> None:
    """Remove what killed writers of this name left: `.part` files that nobody locks."""
    ours = re.compile(re.escape(_prefix(target)) + r"[0-9a-f]{12}\.part")
    with contextlib.suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            if ours.fullmatch(entry.name):
                with contextlib.suppress(OSError):
                    handle = os.open(entry.path, os.O_RDONLY | CAREFUL)
                    try:
                        lock(handle, wait=False)
                        os.unlink(entry.path)
                    finally:
                        os.close(handle)
