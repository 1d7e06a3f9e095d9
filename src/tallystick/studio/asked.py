"""What the user said of the table: the file, the target, kinds, marks of missing values, spellings.

Knows words only. Law: it never changes; another wish makes another one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tallystick.data.schema import KINDS, MISSING_MARKS, Columns
from tallystick.errors import Argument, Message, OptionError, shown, some

CURES = ("missing", "merge", "keep", "kinds", "levels")  # of notes: what one press can do


@dataclass(frozen=True)
class TableWishes:
    """The table as the user wants it read. `name`: what the page calls the file."""

    name: str = ""
    path: Path | None = None
    target: str = ""
    columns: Columns = field(default_factory=Columns)

    def with_kind(self, column: str, kind: str) -> TableWishes:
        """Return it with a column of another kind; an empty kind is what looking finds."""
        if kind and kind not in KINDS:
            raise OptionError(f"there is no kind {shown(kind)}. Use: {', '.join(KINDS)}.")
        kinds = {name: k for name, k in self.columns.kinds.items() if name != column}
        keep = tuple(name for name in self.columns.keep if name != column)
        return self._columns(kinds=kinds | ({column: kind} if kind else {}), keep=keep)

    def with_missing(self, marks: str) -> TableWishes:
        """Return it with other marks of missing values, with commas between them; none are the usual ones."""
        found = tuple(dict.fromkeys(mark.strip() for mark in marks.split(",") if mark.strip()))
        return self._columns(missing=("", *found) if found else None)

    def with_cure(self, cure: Argument) -> TableWishes:
        """Return it as a note advises."""
        own, value = self.columns, cure.value
        if cure.name == "missing":
            return self._columns(missing=tuple(dict.fromkeys((*(own.missing or MISSING_MARKS), *value))))
        if cure.name == "keep":
            return self._columns(keep=tuple(dict.fromkeys((*own.keep, *value))))
        return self._columns(**{cure.name: {**getattr(own, cure.name), **value}})

    def _columns(self, **more: Any) -> TableWishes:
        own = {name: getattr(self.columns, name) for name in ("kinds", "levels", "missing", "keep", "merge")}
        return replace(self, columns=Columns(**own | more))

    @property
    def marks(self) -> str:
        """The marks of missing values as the page shows them; nothing where they are the usual ones."""
        return ", ".join(mark for mark in self.columns.missing or () if mark)

    @property
    def shared(self) -> Mapping[str, Any]:
        """What every estimator is given."""
        return {} if self.columns == Columns() else {"columns": self.columns}


def cure_of(text: str) -> Argument | None:
    """Return what a note advises to pass, where one press can do it."""
    if not isinstance(text, Message):
        return None
    found = [part for part in text.parts if isinstance(part, Argument) and part.name in CURES and not part.of]
    return found[0] if len(found) == 1 and _known(found[0].value) else None


def _known(value: Any) -> bool:
    """Say whether a note says all of what to pass; `...` is what only the user knows."""
    if isinstance(value, Mapping):
        return all(_known(part) for pair in value.items() for part in pair)
    if isinstance(value, list | tuple):
        return all(map(_known, value))
    return value is not None and value is not ...


def act_of(cure: Argument) -> str:
    """Return what the press of a cure's button does, in words that stand on the button."""
    if cure.name == "keep":
        return f"Use {some(cure.value)} to predict"
    if cure.name == "missing":
        return f"Read {some(cure.value)} as missing"
    if cure.name == "kinds":
        told = [
            f"leave out {shown(column)}" if kind == "out" else f"read {shown(column)} as {kind}"
            for column, kind in cure.value.items()
        ]
    elif cure.name == "levels":
        told = [f"put the levels of {shown(c)} in this order: {some(v, 9)}" for c, v in cure.value.items()]
    else:
        told = [_merged(key, value) for key, value in cure.value.items()]
    return (text := "; ".join(told))[:1].upper() + text[1:]


def _merged(key: str, value: Any) -> str:
    """Return one merge in words: of a text in all columns, or of the texts of one column."""
    if isinstance(value, Mapping):
        return f"in {shown(key)} {', '.join(_merged(*pair) for pair in value.items())}"
    return f"read {some(value)} as {shown(key)}"
