"""A table described column by column, as data: kinds and why, distributions, missing counts, gains, notes.

Knows the encoded table and count tables. Knows nothing of files or terminals; `show` makes the lines.
Law: the description depends on the multiset of rows, not on their order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tallystick.data.encode import Table
from tallystick.data.schema import CODED, Column, Note
from tallystick.description.gains import Counts, Gain, by_cut, by_levels, by_word, entropy, midpoint

BINS = 12  # of the small distribution of a numeric column
SHOWN_LEVELS = 50  # levels listed in a description; the rest is one sum


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a distribution: a level, or the numbers from `low` up to the next part."""

    label: str
    rows: int
    low: float | None = None


@dataclass(frozen=True, slots=True)
class ColumnView:
    """One column: what it is taken for and why, what lies in it, and what it tells of the class.

    `gain`, `gain_ratio`: in bits, None without a target or for a kind that has none. `cut`: numeric: the
    exact cut of the best split, x < cut on one side; ordered: the first level of the upper side; text: the
    word whose presence tells most.
    """

    name: str
    kind: str
    why: str
    missing: int
    distinct: int
    distribution: tuple[Part, ...]
    gain: float | None = None
    gain_ratio: float | None = None
    cut: float | str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the column as plain data."""
        parts = [
            {"rows": p.rows, "low": p.low} if p.low is not None else {"rows": p.rows, "level": p.label}
            for p in self.distribution
        ]
        return {
            "name": self.name,
            "kind": self.kind,
            "why": self.why,
            "missing": self.missing,
            "distinct": self.distinct,
            "distribution": parts,
            "gain": self.gain,
            "gain_ratio": self.gain_ratio,
            "cut": self.cut,
        }


@dataclass(frozen=True, slots=True)
class Description:
    """What a table is taken for. Prints as a page; `to_dict()` has every number."""

    name: str
    rows: int
    columns: tuple[ColumnView, ...]
    notes: tuple[Note, ...]
    target: str = ""
    classes: tuple[Part, ...] = ()
    entropy: float | None = None
    form: str = ""  # how a file was read

    def __getitem__(self, name: str) -> ColumnView:
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)

    def to_dict(self) -> dict[str, Any]:
        """Return the description as plain data."""
        target = {
            "name": self.target,
            "classes": [{"label": p.label, "rows": p.rows} for p in self.classes],
            "entropy": self.entropy,
        }
        return {
            "name": self.name,
            "form": self.form,
            "rows": self.rows,
            "target": target if self.target else None,
            "columns": [c.to_dict() for c in self.columns],
            "notes": [n.to_dict() for n in self.notes],
        }

    def __str__(self) -> str:
        from tallystick.description.show import page
        from tallystick.draw.text import plain

        return plain(page(self))

    __repr__ = __str__


def level_parts(labels: tuple[str, ...], sizes: Counts) -> tuple[Part, ...]:
    """Return the most frequent levels, in schema order when all fit, and the rest as one part."""
    if len(labels) <= SHOWN_LEVELS:
        return tuple(Part(t, int(n)) for t, n in zip(labels, sizes, strict=True))
    first = np.argsort(-sizes, kind="stable")[:SHOWN_LEVELS]
    rest = int(sizes.sum() - sizes[first].sum())
    return (
        *(Part(labels[i], int(sizes[i])) for i in first),
        Part(f"{len(labels) - SHOWN_LEVELS:,} more levels", rest),
    )


def number_parts(distinct: np.ndarray[Any, Any], sizes: Counts) -> tuple[Part, ...]:
    """Return the rows in BINS equal intervals from lowest to highest, or per value when there are few."""
    if len(distinct) == 0:
        return ()
    if len(distinct) <= BINS:
        return tuple(Part("", int(n), float(v)) for v, n in zip(distinct, sizes, strict=True))
    low, high = float(distinct[0]), float(distinct[-1])
    step = high / BINS - low / BINS
    if not step > 0:  # the whole range is below what a double can divide
        step = float(np.nextafter(0.0, 1.0))
    place = np.clip(((distinct / BINS - low / BINS) / step * BINS).astype(np.int64), 0, BINS - 1)
    rows = np.zeros(BINS, np.int64)
    np.add.at(rows, place, sizes)
    return tuple(Part("", int(n), low + i * step) for i, n in enumerate(rows))


def view(table: Table, column: Column, counts: Counts | None) -> ColumnView:
    """Return one column by counts[code, class], the last code missing; None for a column left out.

    Without a target there is one class, and no gain.
    """
    if counts is None:
        return ColumnView(column.name, column.kind, column.why, column.missing, 0, ())
    if column.kind == "text":
        return _text_view(table, column, counts)
    sizes = counts.sum(axis=1)
    known, missing = counts[:-1], counts[-1]
    told: Gain | None = None
    cut: float | str | None = None
    if column.kind in CODED:
        parts = level_parts(column.levels, sizes[:-1])
        if table.schema.target is not None:
            told = by_cut(known, missing) if column.kind == "ordered" else by_levels(known, missing)
        if told is not None and told.at is not None:
            cut = column.levels[told.at]
    else:
        distinct = table.ranks(column.name)[1]
        parts = number_parts(distinct, sizes[:-1])
        told = by_cut(known, missing) if table.schema.target is not None else None
        if told is not None and told.at is not None:
            cut = midpoint(float(distinct[told.at - 1]), float(distinct[told.at]))
    filled = int((sizes[:-1] > 0).sum())
    gains = (None, None) if told is None else (told.gain, told.ratio)
    return ColumnView(
        column.name, column.kind, column.why, int(sizes[-1]), filled, parts, gains[0], gains[1], cut
    )


def _text_view(table: Table, column: Column, counts: Counts) -> ColumnView:
    """Return a text column by counts[word, class], the last being all rows; a missing text has no words."""
    told = by_word(counts[:-1], counts[-1]) if table.schema.target is not None else None
    base = (column.name, column.kind, column.why, column.missing, len(column.words), ())
    if told is None or told.at is None:
        return ColumnView(*base)
    return ColumnView(*base, told.gain, told.ratio, column.words[told.at])


def class_parts(table: Table, sizes: Counts) -> tuple[tuple[Part, ...], float]:
    """Return the classes with their rows, and the entropy of the class in bits."""
    assert table.schema.target is not None
    parts = tuple(Part(t, int(n)) for t, n in zip(table.schema.target.labels, sizes, strict=True))
    return parts, entropy(sizes)
