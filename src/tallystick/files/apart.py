"""What is written never replaces what is read, and two results never share a file.

Knows names of files, not what is in them. Law: an output is refused before any work when it is a file that
the work reads, under whatever name (a link, a pattern such as part-*.csv, a way through folders that are not
there, the address of a database, a file named in an SQL query, which reads no others), when another output
has its place, or when nothing can be written there.
"""

from __future__ import annotations

import contextlib
import errno
import glob
import os
import re
import stat
from collections.abc import Iterable, Mapping
from typing import Any

from tallystick.errors import OptionError, shown
from tallystick.files.system import is_read_only

STANDARD = "-"  # standard input where it is read, standard output where it is written
_NAMES = re.compile(  # of a query: comments, which are passed over, quoted texts, and FROM votes.csv
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
