"""One record through the rules, without arrays: what a service asks a thousand times a second.

Knows conditions and plain Python values. Law: the rule is the one that the same row finds in a table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tallystick.data.schema import Schema
from tallystick.errors import DataError
from tallystick.models.cells import Read, reader_of
from tallystick.models.tree.record import is_number
from tallystick.models.tree.sentences import Condition


class RuleRow:
    """The rules, ready for single cells."""

    def __init__(self, schema: Schema, rules: Sequence[tuple[Condition, ...]]) -> None:
        marks = {"": True} | dict.fromkeys(schema.marks, True)
        self._able = not any(is_number(mark) for mark in schema.marks)  # such as -999: for the long way
        self._readers: dict[str, Read] = {
            c.name: reader_of(c, marks) for c in schema.used if c.kind != "text"
        }
        self._others = [c.name for c in schema.used if c.kind == "text"]
        self._rules = [[self._test(c) for c in conditions] for conditions in rules]

    @staticmethod
    def _test(c: Condition) -> tuple[str, Any, float, float, bool]:
        codes = None if c.levels is None else frozenset(c.levels)
        known = len(c.column.levels)
        if codes is not None and c.missing:
            codes |= {known, known + 1}
        return c.column.name, codes, c.low, c.high, c.missing

    def first(self, row: Mapping[str, Any]) -> int | None:
        """Return the number of the first rule that holds; None where only a table can read the row."""
        if not self._able or self._others:
            return None
        try:
            cells = {name: read(row[name]) for name, read in self._readers.items()}
        except (KeyError, DataError):
            return None
        for number, tests in enumerate(self._rules):
            for name, codes, low, high, missing in tests:
                x = cells[name]
                if not (x in codes if codes is not None else low <= x < high if x == x else missing):
                    break
            else:
                return number
        return len(self._rules)
