"""The table of a session: read once, for the columns, the comparison and the model.

Knows sources, tables and descriptions. Knows nothing of pages.
Law: what is read is what `ts.compare` and `fit` read with the same wishes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tallystick.data.read.reader import read_table
from tallystick.data.schema import Wishes
from tallystick.data.source import open_source
from tallystick.description import Description, describe_table
from tallystick.errors import OptionError, for_reader, shown
from tallystick.estimators.naive_bayes import NaiveBayes
from tallystick.estimators.row_order import ordered, row_of
from tallystick.reports.columns import column_row
from tallystick.reports.ingredients import Row
from tallystick.studio.asked import TableWishes, act_of, cure_of


@dataclass(frozen=True)
class OpenTable:
    """Rows in an order of their content, their table, and what they are taken for; `lying`: as they lie."""

    asked: TableWishes
    table: Any
    description: Description
    source: Any = field(repr=False, default=None)
    lying: Any = field(repr=False, default=None)

    @property
    def labels(self) -> tuple[str, ...]:
        """The classes; none before there is a target."""
        target = self.table.schema.target
        return () if target is None else tuple(target.labels)

    def row(self, number: int) -> Row:
        """Return a row of the ordered source as texts."""
        return row_of(self.source, number)

    def row_in_file(self, number: int) -> Row:
        """Return a row by its number in the file, from 1, with nothing where a cell is missing."""
        if not 1 <= number <= self.lying.rows:
            raise OptionError(
                f"row {shown(number)} is not there: the file has rows 1 to {self.lying.rows:,}."
            )
        marks = self.table.schema.marks
        found = row_of(self.lying, number - 1)
        return {n: None if v is None or v.strip() in marks else v for n, v in found.items()}


def read(asked: TableWishes) -> OpenTable:
    """Read the file of a session as the user wants it."""
    source = open_source(str(asked.path))
    if not asked.target:
        own = asked.columns
        bare = read_table(source, Wishes(own.kinds, own.levels, own.missing, own.keep, own.merge), None)
        return OpenTable(asked, bare, describe_table(asked.name, bare, form=source.form))
    lying: list[Any] = []

    def encode(cells: Any) -> Any:
        lying.append(cells)
        return NaiveBayes(**asked.shared)._read(cells, asked.target)

    arranged, table = ordered(source, encode)
    described = describe_table(asked.name, table, form=source.form)
    return OpenTable(asked, table, described, arranged, lying[0])


def columns_part(reading: OpenTable) -> dict[str, Any]:
    """Return what the page shows of the columns: each with kind, why, distribution and its warnings."""
    found, schema = reading.description, reading.table.schema
    most = max([c.gain or 0.0 for c in found.columns] or [0.0]) or 1.0
    line = partial(column_row, rows=found.rows, labels=reading.labels, most=most)
    notes = list(dict.fromkeys(found.notes))
    beside: dict[str, list[dict[str, Any]]] = {}
    general = []
    for number, note in enumerate(notes):
        cure = cure_of(note.text)
        told = {"text": for_reader(note.text), "number": number, "act": "" if cure is None else act_of(cure)}
        if note.column:
            beside.setdefault(note.column, []).append(told)
        else:
            general.append(told)
    known = {c.name for c in found.columns}
    general += [t for name, told in beside.items() if name not in known for t in told]
    ranked = sorted(found.columns, key=lambda c: (*c.rank, c.name)) if found.target else found.columns
    rows = [line(c, schema[c.name]) | {"notes": beside.get(c.name, [])} for c in ranked]
    said = reading.asked.columns
    for row in rows:
        row["said"] = said.kinds.get(row["name"], "")
        row["kept"] = row["name"] in said.keep
    return {
        "rows": rows,
        "general": general,
        "cures": [cure_of(note.text) for note in notes],
        "found": found,
        "labels": reading.labels,
        "asked": reading.asked,
        "names": [c.name for c in found.columns] + ([found.target] if found.target else []),
    }
