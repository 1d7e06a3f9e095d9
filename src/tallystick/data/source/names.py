"""Column names: made text, made unique or refused.

Knows names only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tallystick.data.schema import Note
from tallystick.errors import DataError, shown, some

SPACES = " \t\n\v\f\r"
NAMED = 5  # positions named in a message


def clean_names(raw: Sequence[Any], where: str) -> tuple[tuple[str, ...], tuple[Note, ...]]:
    """Return the names as unique texts, with notes on names that were made up or are hard to tell apart."""
    names = [_as_text(raw, name, where) for name in raw]
    notes: list[Note] = []
    taken = set(names)
    for j, name in enumerate(names):
        if not name.strip():
            names[j] = _fresh(f"column_{j + 1}", taken)
            taken.add(names[j])
            notes.append(
                Note("name-made", f"column {j + 1} has no name; it is called {shown(names[j])}.", names[j])
            )
    _refuse_repeats(names, where)
    notes += _alike(names)
    return tuple(names), tuple(notes)


def _as_text(raw: Sequence[Any], name: Any, where: str) -> str:
    if isinstance(name, str):
        return _plain(name, where)
    if isinstance(name, bool) or not hasattr(name, "__index__"):
        raise DataError(
            f"{where} has a column name that is not text: {shown(name)}. "
            "Make them all text: df.columns = df.columns.map(str)."
        )
    if any(isinstance(other, str) for other in raw):
        raise DataError(
            f"{where} mixes text and numbers as column names, e.g. {shown(name)}. "
            "Make them all text: df.columns = df.columns.map(str)."
        )
    return str(name.__index__())


def _plain(name: str, where: str) -> str:
    """Return a name without white space around it, as in a file."""
    try:
        name.encode()
    except UnicodeEncodeError:
        raise DataError(
            f"{where} has the column name {shown(name)}, with half of a character in it. Rename it."
        ) from None
    return name.strip(SPACES)


def _fresh(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _refuse_repeats(names: Sequence[str], where: str) -> None:
    places: dict[str, list[int]] = {}
    for j, name in enumerate(names):
        places.setdefault(name, []).append(j + 1)
    twice = {name: at for name, at in places.items() if len(at) > 1}
    if twice:
        name, at = next(iter(twice.items()))
        more = f" ({len(twice) - 1:,} more names repeat)" if len(twice) > 1 else ""
        rest = f" and {len(at) - NAMED:,} more" if len(at) > NAMED else ""
        raise DataError(
            f"{where} has {len(at):,} columns called {shown(name)}, at positions "
            f"{', '.join(map(str, at[:NAMED]))}{rest}{more}. Give each column its own name."
        )


def _alike(names: Sequence[str]) -> list[Note]:
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault("".join(name.split()).casefold(), []).append(name)
    return [
        Note("names-alike", f"column names differ only in letter case or spaces: {some(group)}.", group[0])
        for group in groups.values()
        if len(group) > 1
    ]
