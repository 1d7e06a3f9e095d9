"""Standard input, pipes and FIFOs: read once, whole, into a scratch file that can be read again.

Knows what a path leads to. Knows nothing of what comes out of it.
Law: no byte of a stream is lost or read twice, however often the table is walked through.
"""

from __future__ import annotations

import os
import stat
import sys
from typing import IO

from tallystick.data.source.scratch import ScratchFile
from tallystick.errors import DataError, clean, shown
from tallystick.files.system import path_of

STANDARD_INPUT = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
PIECE = 1 << 20  # bytes read at once
LONGEST_NAME = 255  # of a file, on most disks


class ScratchPath(str):
    """The path of a scratch file, which is there as long as this text is."""

    __slots__ = ("file",)
    file: ScratchFile

    @classmethod
    def of(cls, file: ScratchFile) -> ScratchPath:
        """Return the path by which this process can open the file, as often as it likes."""
        if (place := path_of(file.fileno())) is None:
            raise DataError("this system cannot read a stream twice. Save it to a file first, and read that.")
        path = cls(place)
        path.file = file
        return path


def title(path: str) -> str:
    """Return what to call a path in messages: a file by its name, a stream by what it is."""
    if path in STANDARD_INPUT:
        return "standard input"
    name = path if path.startswith(("/dev/fd/", "/proc/self/fd/")) else os.path.basename(path)
    return clean(name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…")


def is_stream(path: str) -> bool:
    """Does a path lead to something that can be read only once?"""
    try:
        return path in STANDARD_INPUT[1:] or stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def settled(path: str, where: str) -> str:
    """Return a path that can be opened again and again: a stream is read here, whole, to a scratch file."""
    if path in STANDARD_INPUT:
        return _standard_input(where)
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return path  # reported when it is opened
    if stat.S_ISFIFO(mode):
        with open(path, "rb", buffering=0) as stream:
            return _copied(stream, where)
    if stat.S_ISSOCK(mode) or stat.S_ISBLK(mode) or (stat.S_ISCHR(mode) and path != os.devnull):
        raise DataError(f"{shown(path, 300)} is a device or a socket. Pass a file, a pipe, or - for input.")
    return path


def _standard_input(where: str) -> str:
    if sys.stdin is None or sys.stdin.closed:
        raise DataError("standard input is closed. Pass a file.")
    try:
        known = sys.stdin.fileno() == 0 and stat.S_ISREG(os.fstat(0).st_mode)
        if known and os.lseek(0, 0, os.SEEK_CUR) == 0 and os.access("/dev/stdin", os.R_OK):
            return "/dev/stdin"  # a file, from its beginning: no need of a copy
    except (OSError, ValueError):
        pass  # no file at all: whatever stands there is read
    return _copied(sys.stdin.buffer, where)


def _copied(stream: IO[bytes], where: str) -> ScratchPath:
    file = ScratchFile()
    while True:
        try:
            piece = stream.read(PIECE)
        except OSError as error:
            raise cannot_read(where, error) from None
        if not piece:
            return ScratchPath.of(file)
        file.append(piece)


def cannot_read(where: str, error: OSError) -> DataError:
    """Return the error for a file that the system fails to give."""
    return DataError(f"{where} cannot be read: {shown(error.strerror or error, 120)}. Check the disk.")


def scratch_path(data: bytes) -> ScratchPath:
    """Return the path of a scratch file that holds these bytes."""
    file = ScratchFile()
    file.append(data)
    return ScratchPath.of(file)
