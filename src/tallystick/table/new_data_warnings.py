"""Warnings about new rows: unseen levels and values outside of the training range, counted batch by batch.

Entry: `Met` (add, notes). Law: the notes depend on the rows alone, not on how they are cut into batches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import shown, warn
from tallystick.errors import some as listed
from tallystick.schema import CODED, Column, Note, Schema
from tallystick.text import quantity

if TYPE_CHECKING:
    from tallystick import contracts


STRANGE_CELLS = 2  # unseen cells, at least, for a warning: one may be new
SAMPLED = 1024  # rows checked before all are
MIXED = np.array([0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9], np.uint64)  # factors that mix all bits
BEYOND = 0.05  # share of rows that may be unseen, or outside of the range, without a warning
SURE = 5  # if the sample has less than BEYOND / SURE outside, the other rows are not checked


class Met:
    """What was found in the batches so far that deserves a warning."""

    def __init__(self, schema: Schema) -> None:
        self.schema, self.rows = schema, 0
        self.meant: dict[str, dict[str, str]] = {}
        self.filled: Counter[str] = Counter()
        self.unseen: Counter[str] = Counter()
        self.outside: Counter[str] = Counter()

    def add(self, rows: int, found: Mapping[str, Any]) -> None:
        """Take in a batch: of each column what `match` found."""
        self.rows += rows
        for name, f in found.items():
            if f.unseen or name in self.unseen:
                self.unseen[name] += f.unseen
            self.filled[name] += rows - f.missing
            if f.meant:
                self.meant[name] = self.meant.get(name, {}) | dict(f.meant)
            if ranged(self.schema[name]):
                self.add_values(self.schema[name], f.data)

    def add_floats(self, columns: Sequence[NDArray[Any]], rows: int) -> None:
        """Take in all rows as numbers: values[column][row] of the columns of the schema.

        Of many rows some are looked at first: to look at all takes longer than to answer. They lie evenly
        among the rows, but at no even distance, which rows that repeat might keep to.
        """
        self.rows += rows
        some = None if rows < 2 * SAMPLED else _scattered(rows)
        for column, values in zip(self.schema.used, columns, strict=True):
            if not ranged(column):
                continue
            beyond = _beyond(column, values if some is None else values[some])
            if beyond is not None and (some is None or beyond.mean() > BEYOND / SURE):
                self.add_values(column, values)

    def add_values(self, column: Column, values: NDArray[Any]) -> None:
        """Take in values of a numeric column."""
        if (beyond := _beyond(column, values)) is not None:
            self.outside[column.name] += int(beyond.sum())

    @property
    def notes(self) -> tuple[Note, ...]:
        """All that was met, one note for each thing and column."""
        return (
            *meant_notes(self.schema, self.meant),
            *strange_notes(self.schema, self.rows, self.filled, self.unseen, self.outside),
        )

    def warn(self) -> None:
        """Warn once of all that was met."""
        if notes := self.notes:
            warn(" ".join(note.text for note in notes))


def ranged(column: Column) -> bool:
    """Is the range of the training rows known?"""
    return column.kind == "numeric" and column.low is not None and column.high is not None


def _scattered(rows: int) -> NDArray[np.int64]:
    """Return the rows that are looked at first: one of every so many, at a place as if drawn by lot."""
    step = rows // SAMPLED
    even = np.arange(0, rows - step + 1, step)
    mixed = np.arange(1, len(even) + 1, dtype=np.uint64) * MIXED[0]
    mixed = (mixed ^ mixed >> np.uint64(30)) * MIXED[1]
    out: NDArray[np.int64] = even + (mixed >> np.uint64(33)).astype(np.int64) % step
    return out


def _beyond(column: Column, values: NDArray[Any]) -> NDArray[np.bool_] | None:
    """Return which values are outside the range of the fit, None if none does; a missing value does not."""
    beyond = (values < column.low) | (values > column.high)
    return beyond if beyond.any() else None


def outside(block: contracts.Block, schema: Schema) -> dict[str, NDArray[np.bool_]]:
    """Return, of each numeric column that has such a value, which rows are outside the range of the fit."""
    found = ((c.name, _beyond(c, block.values(c.name))) for c in schema.used if ranged(c))
    return {name: beyond for name, beyond in found if beyond is not None}


def meant_notes(schema: Schema, meant: Mapping[str, Mapping[str, str]]) -> tuple[Note, ...]:
    """Return a note for each column with texts that were taken for levels which they mean."""
    notes = []
    for name, words in meant.items():
        if words:
            said = ", ".join(f"{shown(word)} as {shown(words[word])}" for word in sorted(words)[:5])
            levels = listed(schema[name].levels)
            text = f"column {shown(name)}, with the levels {levels}, is read by meaning: {said}."
            notes.append(Note("matched-by-meaning", text, name))
    return tuple(notes)


def strange_notes(
    schema: Schema,
    rows: int,
    filled: Mapping[str, int],
    unseen: Mapping[str, int],
    outside: Mapping[str, int],
) -> tuple[Note, ...]:
    """Return a note for each column of which no cell, or too few, is what the model knows; of each column:
    filled: cells with a value, unseen: levels that are new, outside: numbers beyond the range of the fit.
    """
    notes = []
    for column in schema.used:
        new, far = unseen.get(column.name, 0), outside.get(column.name, 0)
        if column.kind in CODED and new >= STRANGE_CELLS and new == filled[column.name]:
            text = (
                f"no cell of column {shown(column.name)} is a level of the model: all {new:,} are unseen. "
                f"The model knows {listed(column.levels)}. Compare the spelling."
            )
            notes.append(Note("no-level-known", text, column.name, new))
        elif column.kind in CODED and _many(new, rows):
            text = f"{_share(new, rows)} have a level of column {shown(column.name)} that the model lacks."
            notes.append(Note("many-unseen", text, column.name, new))
        elif _many(far, rows):
            low, high = (quantity(end, column.unit, 6) for end in (column.low or 0.0, column.high or 0.0))
            text = (
                f"{_share(far, rows)} have a value of column {shown(column.name)} outside the range of the "
                f"training rows, {low} to {high}."
            )
            notes.append(Note("many-outside", text, column.name, far))
    return tuple(notes)


def _many(count: int, rows: int) -> bool:
    return count >= STRANGE_CELLS and count > BEYOND * rows


def _share(count: int, rows: int) -> str:
    return f"{count:,} of {rows:,} rows ({count / rows:.1%})"
