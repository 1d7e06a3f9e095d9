"""Write a file whole or not at all: the old file or the new one is there at every moment.

Knows file systems. Knows nothing of models or tables.
Law: whatever fails or is killed on the way, the name leads to one whole file. A failure leaves nothing else
behind; what a killed process left is removed by the next write to the same name.

The new content goes into a file without a name, takes a name of its own (`.NAME.XXXX.part`) when it is
complete and on disk, and then replaces the old file. The writer holds a lock on it all the while: a `.part`
file that nobody locks has lost its writer.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tallystick.errors import TallyError, shown
from tallystick.files import system
from tallystick.files.apart import as_path

_replacing: list[tuple[str, os.stat_result]] = []  # each file of this process that was about to take its name


def replaced() -> list[str]:
    """Return the files that this process has written. Told by the files themselves: an interrupt may come
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
        """Say it in one line."""
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
                _name(handle, temporary)
                _replacing.append((fault.path, os.fstat(handle)))
                if os.name == "nt":  # Windows gives no open file another name
                    handle = _closed(handle)
                os.replace(temporary, target)
                fault.now = "The new file is there, but the disk may not keep it."
                system.sync_folder(target.parent)
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                temporary.unlink()
        if handle >= 0:
            os.close(handle)


def _closed(handle: int) -> int:
    os.close(handle)
    return -1


def _open(target: Path) -> tuple[int, Path]:
    """Return a locked new file, without a name where the system has that, and the name it is to take."""
    while True:
        temporary = target.parent / f"{_prefix(target)}{os.urandom(6).hex()}.part"
        try:
            handle = os.open(target.parent, os.O_WRONLY | (getattr(os, "O_TMPFILE", 0) or os.O_CREAT), 0o666)
            named = False
        except OSError:  # a file system without nameless files
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | system.BINARY, 0o666)
            named = True
        with contextlib.suppress(OSError):  # a file system without locks: leftovers are then never swept
            system.lock(handle)
        if not named or os.fstat(handle).st_nlink:
            return handle, temporary
        os.close(handle)  # swept away between its creation and its lock


def _name(handle: int, temporary: Path) -> None:
    """Give a nameless file its name; one that has a name keeps it."""
    if os.fstat(handle).st_nlink == 0:
        # A dir_fd makes Python call linkat, which follows the link; link() would not.
        os.link(f"/proc/self/fd/{handle}", temporary, src_dir_fd=handle, follow_symlinks=True)


def _prefix(target: Path) -> str:
    return f".{target.name[:50]}."  # 50 characters are at most 200 bytes; a name has 255


def _sweep(target: Path) -> None:
    """Remove what killed writers of this name left: `.part` files that nobody locks."""
    ours = re.compile(re.escape(_prefix(target)) + r"[0-9a-f]{12}\.part")
    with contextlib.suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            if ours.fullmatch(entry.name):
                with contextlib.suppress(OSError):
                    _remove_if_unlocked(entry.path)


def _remove_if_unlocked(path: str) -> None:
    handle = os.open(path, os.O_RDONLY | system.CAREFUL)
    try:
        system.lock(handle, wait=False)
        os.unlink(path)
    finally:
        os.close(handle)
