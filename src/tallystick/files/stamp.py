"""Has a file changed since it was opened? Told by its size, its times and its place on the disk.

The time of its last change of any kind is among them: who writes may set the other one back, but not this.

Knows files, not what is in them. Law: rows of two states of a file never end up in one table in silence.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tallystick.errors import DataError, TallyError


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
