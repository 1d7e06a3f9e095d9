"""What the user said of the columns of a table, checked against its names.

Knows wishes and names. Knows nothing of values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from tallystick.data.schema import KINDS, MISSING_MARKS, Reading, Wishes
from tallystick.data.text import cell_text
from tallystick.errors import Argument, OptionError, nearest, shown, some


@dataclass(frozen=True)
class Asked:
    """What the user said about one column."""

    kind: str | None = None
    levels: tuple[str, ...] | None = None
    keep: bool = False
    marks: tuple[str, ...] = MISSING_MARKS
    mark: str | None = None  # the decimal mark that the user named
    day_first: bool | None = None
    inf: str = "error"
    min_count: int = 1
    min_letters: int = 1

    @property
    def decimal(self) -> str:
        """The decimal mark of plain numbers."""
        return self.mark or "."

    @property
    def declared(self) -> bool:
        """Did the user settle what the column is?"""
        return self.kind is not None or self.levels is not None

    @property
    def wants_text(self) -> bool:
        """Are even numbers wanted as texts?"""
        return self.kind in ("levels", "ordered", "boolean", "text") or (
            self.kind is None and self.levels is not None
        )


@dataclass(frozen=True)
class ReadingPlan:
    """The wishes, checked against the names of a table."""

    kinds: Mapping[str, str] = field(default_factory=dict)
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    keep: frozenset[str] = frozenset()
    marks: tuple[str, ...] = MISSING_MARKS
    mark: str | None = None
    day_first: bool | None = None
    inf: str = "error"
    min_count: int = 1
    min_letters: int = 1

    @property
    def decimal(self) -> str:
        """The decimal mark of plain numbers."""
        return self.mark or "."

    def of(self, name: str) -> Asked:
        """Return what was said about one column."""
        if name in self.kinds or name in self.levels or name in self.keep:
            kind, levels = self.kinds.get(name), self.levels.get(name)
            return replace(self.plain, kind=kind, levels=levels, keep=name in self.keep)
        return self.plain

    @cached_property
    def plain(self) -> Asked:
        """What holds of a column of which nothing was said."""
        return Asked(
            marks=self.marks,
            mark=self.mark,
            day_first=self.day_first,
            inf=self.inf,
            min_count=self.min_count,
            min_letters=self.min_letters,
        )


def check_wishes(wishes: Wishes, names: Iterable[str], reading: Reading, inf: str) -> ReadingPlan:
    """Return the wishes as a plan; a wish for an unknown column or kind is an error."""
    known = list(names)
    for option, asked in (("kinds", wishes.kinds), ("levels", wishes.levels), ("keep", wishes.keep)):
        for name in asked:
            if name not in known:
                raise OptionError(
                    Argument(option),
                    f" names column {shown(name)}, which is not in the table.{nearest(name, known)}",
                )
    for name, kind in wishes.kinds.items():
        if kind not in KINDS:
            raise OptionError(
                Argument("kinds"),
                f" gives column {shown(name)} the kind {shown(kind)}. Use one of: {', '.join(KINDS)}.",
            )
    marks = wishes.missing if wishes.missing is not None else reading.missing
    levels = {name: _level_texts(name, values) for name, values in wishes.levels.items()}
    return ReadingPlan(
        dict(wishes.kinds),
        levels,
        frozenset(wishes.keep),
        MISSING_MARKS if marks is None else tuple(sorted({"", *map(_mark_text, marks)})),
        reading.decimal,
        reading.day_first,
        "missing" if "missing" in (inf, reading.inf) else "error",
        wishes.min_count,
        wishes.min_letters,
    )


def _mark_text(mark: Any) -> str:
    return cell_text(mark, "missing") or ""


def _level_texts(name: str, values: Iterable[Any]) -> tuple[str, ...]:
    texts = [cell_text(value, name) for value in values]
    if None in texts or len(set(texts)) != len(texts) or not texts:
        raise OptionError(
            f"levels of column {shown(name)} must be different values, none missing: {some(texts)}."
        )
    return tuple(t.strip() for t in texts if t is not None)
