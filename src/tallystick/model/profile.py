"""The profile of the training rows, column by column: counts that new rows are compared with later.

Entry: `Profile`; `check()` checks one that was read from a file.
unit = the integer that a row of weight 1 adds to a count. A profile counts rows of each level, rows that have
each word, of numbers some of their values (those at PERCENTS of the rows) with the rows at each and between
them; the same of the target, and of what the model answers to its own training rows. Law: a profile is a
function of the multiset of rows and the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import shown
from tallystick.model.shapes import Counts, Either, Listed, Maybe, Numbers, Record, Rows, Whole, wrong
from tallystick.schema import CODED, Column, Schema

PERCENTS = (0, 1, 5, 10, 20, 25, 30, 40, 50, 60, 70, 75, 80, 90, 95, 99, 100)
STEPS = 10  # equal bins from 0 to 1 in which shares are counted

_COLUMN = Record({"counts": Counts(), "missing": Whole()})
_NUMBERS = Record({"counts": Counts(), "missing": Whole(), "values": Numbers(rising=True)})
_ANSWERS = Record({"given": Counts(), "shares": Rows(Counts())})
SHAPE = Maybe(
    Record(
        {
            "answers": Maybe(Either((_ANSWERS, _NUMBERS))),
            "columns": Listed(Either((_COLUMN, _NUMBERS))),
            "target": Maybe(Either((_COLUMN, _NUMBERS))),
        }
    )
)


@dataclass(frozen=True, eq=False)
class ColumnProfile:
    """The training rows of one column, in units of the table.

    counts: of levels counts[level], of text counts[word] (rows that have the word), in the schema's order.
    Of numbers `values` are some of the column's values, rising from the lowest to the highest, and counts has
    the rows at each of them and between it and the next, in turn. missing: rows without a value; of text,
    without a word.
    """

    counts: NDArray[np.int64]
    missing: int
    values: NDArray[np.float64] | None = None

    def quantile(self, percent: float) -> float | None:
        """Return the value that so many percent of the numbers are at or below: of PERCENTS exact, of
        another the next one kept. None where all are missing.
        """
        if self.values is None or not len(self.values):
            return None
        upto = np.cumsum(self.counts)[::2]  # rows up to and with each value
        rank = max(float(upto[-1]) * percent / 100, 1.0)
        return float(self.values[min(int(np.searchsorted(upto, rank)), len(upto) - 1)])

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        out: dict[str, Any] = {"counts": self.counts.tolist(), "missing": self.missing}
        return out if self.values is None else out | {"values": self.values.tolist()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ColumnProfile:
        """Build a column's profile from checked plain data."""
        values = np.array(data["values"], np.float64) if "values" in data else None
        return cls(np.array(data["counts"], np.int64), data["missing"], values)


@dataclass(frozen=True, eq=False)
class AnswerProfile:
    """What a classifier answers to its training rows, in units of the table: given[class], the rows answered
    with the class; shares[class, step], the rows whose share of the class lies in each of STEPS equal steps.
    """

    given: NDArray[np.int64]
    shares: NDArray[np.int64]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"given": self.given.tolist(), "shares": self.shares.tolist()}


@dataclass(frozen=True, eq=False)
class Profile:
    """The columns in the schema's order, the target, and the answers; None of what is not known: a model
    without a target has neither, a pruned tree whose rows are gone has no answers.
    """

    columns: tuple[ColumnProfile, ...]
    target: ColumnProfile | None = None
    answers: AnswerProfile | ColumnProfile | None = None

    def ranged(self, schema: Schema) -> Schema:
        """Return the schema with the range of every number in training, also where the model needs none."""
        ends = {}
        for column, known in zip(schema.used, self.columns, strict=True):
            if known.values is not None and len(known.values):
                ends[column.name] = float(known.values[0]), float(known.values[-1])
        columns = [
            replace(c, low=ends[c.name][0], high=ends[c.name][1]) if c.name in ends else c
            for c in schema.columns
        ]
        return replace(schema, columns=tuple(columns))

    def without_answers(self) -> Profile:
        """Return the same rows, of another model."""
        return replace(self, answers=None)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "answers": None if self.answers is None else self.answers.to_dict(),
            "columns": [column.to_dict() for column in self.columns],
            "target": None if self.target is None else self.target.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Profile:
        """Build a profile from checked plain data."""
        answers, target = data["answers"], data["target"]
        found: AnswerProfile | ColumnProfile | None = None
        if answers is not None and "given" in answers:
            found = AnswerProfile(np.array(answers["given"], np.int64), np.array(answers["shares"], np.int64))
        elif answers is not None:
            found = ColumnProfile.from_dict(answers)
        return cls(
            tuple(ColumnProfile.from_dict(column) for column in data["columns"]),
            None if target is None else ColumnProfile.from_dict(target),
            found,
        )


def check(data: Mapping[str, Any] | None, schema: Schema, count: int) -> None:
    """Raise unless a profile of this shape belongs to the schema and to so many rows."""
    if data is None:
        return
    if len(data["columns"]) != len(schema.used):
        raise wrong("profile.columns", f"a list of {len(schema.used):,}", data["columns"])
    for column, own in zip(schema.used, data["columns"], strict=True):
        _check_column(f"the profile of column {shown(column.name)}", column, own, count)
    target, answers = data["target"], data["answers"]
    if (target is not None) != (schema.target is not None):
        raise wrong("profile.target", "null" if schema.target is None else "an object", target)
    if schema.target is None:
        if answers is not None:
            raise wrong("profile.answers", "null", answers)
    elif schema.regression:
        _check_numbers("profile.target", target, count)
        if answers is not None:
            _check_numbers("profile.answers", answers, count)
    else:
        _check_classes(target, answers, len(schema.target.labels), count)


def _check_column(place: str, column: Column, own: Mapping[str, Any], count: int) -> None:
    if column.kind == "numeric":
        return _check_numbers(place, own, count)
    wanted = len(column.levels if column.kind in CODED else column.words)
    if "values" in own or len(own["counts"]) != wanted:
        raise wrong(place, f"{wanted:,} counts", own["counts"])
    if column.kind in CODED and sum(own["counts"]) + own["missing"] != count:
        raise wrong(place, f"counts of {count:,} in all", sum(own["counts"]) + own["missing"])
    if column.kind == "text" and max(own["counts"], default=0) + own["missing"] > count:
        raise wrong(place, f"counts of at most {count:,}", max(own["counts"], default=0) + own["missing"])


def _check_numbers(place: str, own: Mapping[str, Any], count: int) -> None:
    if "values" not in own:
        raise wrong(place, "counts with their values", "counts alone")
    values, counts = own["values"], own["counts"]
    if len(counts) != max(2 * len(values) - 1, 0) or not all(counts[::2]):
        raise wrong(f"{place} counts", "rows at each value and between neighbours", counts)
    if sum(counts) + own["missing"] != count:
        raise wrong(place, f"counts of {count:,} in all", sum(counts) + own["missing"])


def _check_classes(
    target: Mapping[str, Any], answers: Mapping[str, Any] | None, classes: int, count: int
) -> None:
    if "values" in target or len(target["counts"]) != classes:
        raise wrong("profile.target", f"{classes:,} counts", target["counts"])
    if sum(target["counts"]) + target["missing"] != count:
        raise wrong("profile.target", f"counts of {count:,} in all", sum(target["counts"]))
    if answers is None:
        return
    if "given" not in answers or len(answers["given"]) != classes or sum(answers["given"]) != count:
        raise wrong("profile.answers", f"{classes:,} counts of {count:,} in all", answers)
    lists = answers["shares"]
    if len(lists) != classes or any(len(row) != STEPS or sum(row) != count for row in lists):
        raise wrong("profile.answers.shares", f"{STEPS} counts of {count:,} in all for each class", lists)
