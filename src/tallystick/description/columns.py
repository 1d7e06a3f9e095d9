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
from tallystick.description.against import Changes
from tallystick.description.gains import Counts, Gain, by_cut, by_levels, by_word, entropy, midpoint
from tallystick.draw.charts import bar_chart
from tallystick.draw.svg import Picture, as_html

BINS = 12  # of the small distribution of a numeric column
SHOWN_LEVELS = 50  # levels listed in a description; the rest is one sum


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a distribution: a level, or the numbers from `low` up to the next part.

    by_class: its rows in each class, where there is a target.
    """

    label: str
    rows: int
    low: float | None = None
    by_class: tuple[int, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the part as plain data."""
        out: dict[str, Any] = {"rows": self.rows}
        out |= {"low": self.low} if self.low is not None else {"level": self.label}
        return out | ({"by_class": list(self.by_class)} if self.by_class else {})


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
        return {
            "name": self.name,
            "kind": self.kind,
            "why": self.why,
            "missing": self.missing,
            "distinct": self.distinct,
            "distribution": [p.to_dict() for p in self.distribution],
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
    changes: Changes | None = None  # since the training of a model

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
        } | ({} if self.changes is None else {"against": self.changes.to_dict()})

    def picture(self, most: int = 30) -> Picture:
        """Return the information gain of the columns as bars, the largest first; without a target their
        missing rows.
        """
        if not self.target:
            missing = [(c.name, float(c.missing)) for c in self.columns[:most]]
            return Picture(bar_chart(missing, "rows without a value", f"columns of {self.name}"))
        ranked = sorted(self.columns, key=lambda c: -(c.gain or 0.0))
        bars = [(c.name, c.gain) for c in ranked[:most] if c.gain is not None]
        return Picture(bar_chart(bars, f"information gain about {self.target}, bits", "gains"))

    def _repr_html_(self) -> str:
        return as_html(self) + self.picture()

    def __str__(self) -> str:
        from tallystick.description.show import page
        from tallystick.draw.text import plain

        return plain(page(self)) if self.changes is None else str(self.changes)

    __repr__ = __str__


def level_parts(labels: tuple[str, ...], counts: Counts) -> tuple[Part, ...]:
    """Return the most frequent levels, in schema order when all fit, and the rest as one part.

    counts[level, class]; without a target there is one class, and parts do not tell it.
    """
    sizes = counts.sum(axis=1)
    if len(labels) <= SHOWN_LEVELS:
        return tuple(_part(t, n) for t, n in zip(labels, counts, strict=True))
    first = np.argsort(-sizes, kind="stable")[:SHOWN_LEVELS]
    rest = counts.sum(axis=0) - counts[first].sum(axis=0)
    return (
        *(_part(labels[i], counts[i]) for i in first),
        _part(f"{len(labels) - SHOWN_LEVELS:,} more levels", rest),
    )


def number_parts(distinct: np.ndarray[Any, Any], counts: Counts) -> tuple[Part, ...]:
    """Return the rows in BINS equal intervals from lowest to highest, or per value when there are few.

    counts[value, class].
    """
    if len(distinct) == 0:
        return ()
    if len(distinct) <= BINS:
        return tuple(_part("", n, float(v)) for v, n in zip(distinct, counts, strict=True))
    low, high = float(distinct[0]), float(distinct[-1])
    step = high / BINS - low / BINS
    if not step > 0:  # the whole range is below what a double can divide
        step = float(np.nextafter(0.0, 1.0))
    place = np.clip(((distinct / BINS - low / BINS) / step * BINS).astype(np.int64), 0, BINS - 1)
    rows = np.zeros((BINS, counts.shape[1]), np.int64)
    np.add.at(rows, place, counts)
    return tuple(_part("", n, low + i * step) for i, n in enumerate(rows))


def _part(label: str, counts: Counts, low: float | None = None) -> Part:
    by_class = tuple(counts.tolist()) if len(counts) > 1 else ()
    return Part(label, int(counts.sum()), low, by_class)


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
        parts = level_parts(column.levels, known)
        if table.schema.target is not None:
            told = by_cut(known, missing) if column.kind == "ordered" else by_levels(known, missing)
        if told is not None and told.at is not None:
            cut = column.levels[told.at]
    else:
        distinct = table.ranks(column.name)[1]
        parts = number_parts(distinct, known)
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
