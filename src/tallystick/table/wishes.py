"""The user's settings for the columns of a table (kinds, levels, marks, merges), checked against its names.

Entry: `check_wishes()`, which returns a `ReadingPlan`; `ReadingPlan.of(name)` is the `Asked` of one column.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from tallystick.errors import Argument, NoColumn, OptionError, nearest, shown, some
from tallystick.schema import ASKED, MISSING_MARKS, ColumnOptions, Reading
from tallystick.table import strings
from tallystick.text import PARTS, cell_text, of_all, spellings


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
    merge: Mapping[str, str] = field(default_factory=dict)  # the text that each spelling becomes
    parts: tuple[str, ...] | None = None  # of dates; None: those that may tell something
    first: bool = False  # it is the first of several columns, where tables have the names of their rows

    @property
    def decimal(self) -> str:
        """The decimal mark of plain numbers."""
        return self.mark or "."

    @property
    def as_numbers(self) -> bool:
        """Must every cell be a number, or a date?"""
        return self.kind in ("numeric", "date")

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
    merge: Mapping[str, Any] = field(default_factory=dict)  # as `Columns` has it
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    trivial: bool = False  # one class, or no usable column, is no error
    by_columns: bool = False  # doubles are made to lie so
    first: str | None = None  # the first of several columns
    total: str | None = None  # what the row of a total has for the target; it counts as missing there

    @property
    def decimal(self) -> str:
        """The decimal mark of plain numbers."""
        return self.mark or "."

    @property
    def target_marks(self) -> tuple[str, ...]:
        """What stands for a missing target."""
        return self.marks if self.total is None else (*self.marks, self.total)

    @cached_property
    def spelt(self) -> frozenset[str]:
        """All spellings that are merged, in whatever column."""
        every = (spellings(self.merge, name) for name in (None, *self.merged_alone))
        return frozenset(one for own in every for one in own)

    @cached_property
    def merged_alone(self) -> frozenset[str]:
        """The columns whose own spellings are merged: even numbers among them are read as texts."""
        return frozenset(name for name, own in self.merge.items() if isinstance(own, Mapping))

    def of(self, name: str) -> Asked:
        """Return what was said about one column."""
        return self._said.get(name, self.plain)

    @cached_property
    def _said(self) -> dict[str, Asked]:
        """What is known about each column of which anything is: they are asked for again and again."""
        return {
            name: replace(
                self.plain,
                kind=self.kinds.get(name),
                levels=self.levels.get(name),
                keep=name in self.keep,
                merge=spellings(self.merge, name) if name in self.merged_alone else self.plain.merge,
                parts=self.parts.get(name),
                first=name == self.first,
            )
            for name in {*self.kinds, *self.levels, *self.keep, *self.merged_alone, self.first}
            if name is not None
        }

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
            merge=spellings(self.merge, None),
        )


def check_wishes(wishes: ColumnOptions, names: Iterable[str], reading: Reading, inf: str) -> ReadingPlan:
    """Return the wishes as a plan; a wish for an unknown column or kind is an error."""
    _refuse_names(wishes, list(names))
    marks = wishes.missing if wishes.missing is not None else reading.missing
    levels = {name: _level_texts(name, values) for name, values in wishes.levels.items()}
    marks = MISSING_MARKS if marks is None else tuple(sorted({"", *map(_mark_text, marks)}))
    _refuse_halves("missing", marks)
    for own in levels.values():
        _refuse_halves("levels", own)
    _refuse_merges(wishes.merge, marks)
    return ReadingPlan(
        dict(wishes.kinds),
        levels,
        frozenset(wishes.keep),
        marks,
        reading.decimal,
        reading.day_first,
        "missing" if "missing" in (inf, reading.inf) else "error",
        wishes.min_count,
        wishes.min_letters,
        wishes.merge,
        {name: tuple(parts) for name, parts in wishes.parts.items()},
        wishes.trivial,
        wishes.by_columns,
    )


def _refuse_names(wishes: ColumnOptions, known: list[str]) -> None:
    """Refuse wishes for columns that are not there, for kinds that are none, and parts that are there."""
    alone = [name for name, own in wishes.merge.items() if isinstance(own, Mapping)]
    for option, asked in (
        ("kinds", wishes.kinds),
        ("levels", wishes.levels),
        ("keep", wishes.keep),
        ("merge", alone),
    ):
        for name in asked:
            if name not in known:
                cure = nearest(name, known) or f" Columns: {some(known)}."
                raise NoColumn(
                    Argument(option),
                    f" names column {shown(name)}, which is not in the table.{cure}",
                    name=name,
                )
    for name, kind in wishes.kinds.items():
        if kind not in ASKED:
            raise OptionError(
                Argument("kinds"),
                f" gives column {shown(name)} the kind {shown(kind)}. Use one of: {', '.join(ASKED)}.",
            )
        if kind == "date" and (taken := [f"{name} {p}" for p in PARTS if f"{name} {p}" in known]):
            raise OptionError(
                f"column {shown(name)} as a date would make a column {shown(taken[0])}, which is there "
                "already. Rename one of them."
            )


def _refuse_merges(merge: Mapping[str, Any], marks: tuple[str, ...]) -> None:
    """Refuse to merge what stands for missing, and numbers of a column that is not named: they are read as
    numbers, not as texts.
    """
    for name, own in (("", of_all(merge)), *((n, o) for n, o in merge.items() if isinstance(o, Mapping))):
        for text, spelt in own.items():
            _refuse_halves("merge", (text, *spelt))
            for one in (text, *spelt):
                if one in marks:
                    raise OptionError(
                        Argument("merge"),
                        f" names {shown(one)}, which stands for missing. Name the other marks alone: ",
                        Argument("missing", [...]),
                        ".",
                    )
                if not name and strings.reads_as_number(one):
                    raise OptionError(
                        Argument("merge"),
                        f" names {shown(one)}, a number, for all columns. Name the one that is meant: ",
                        Argument("merge", {"NAME": {text: list(spelt)}}),
                        ".",
                    )


def _refuse_halves(option: str, texts: Iterable[str]) -> None:
    """Refuse texts that no cell can hold."""
    for text in texts:
        try:
            text.encode()
        except UnicodeEncodeError:
            raise OptionError(
                Argument(option),
                f" names {shown(text)}, with half of a character (a lone surrogate), which no cell holds. "
                "Correct it.",
            ) from None


def _mark_text(mark: Any) -> str:
    return cell_text(mark, "missing") or ""


def _level_texts(name: str, values: Iterable[Any]) -> tuple[str, ...]:
    texts = [cell_text(value, name) for value in values]
    if None in texts or len(set(texts)) != len(texts) or not texts:
        raise OptionError(
            f"levels of column {shown(name)} must be different values, none missing: {some(texts)}."
        )
    return tuple(t.strip() for t in texts if t is not None)
