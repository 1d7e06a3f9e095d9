"""What a column is, from what the judge said of it: the schema's column, its notes and its errors.

Knows verdicts and columns of a schema. Knows nothing of rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tallystick.data.read import strings
from tallystick.data.read.cells import PLAIN_NUMBERS, among
from tallystick.data.read.judge import Asked, KindVerdict, NumberFacts, judge_numbers, number_cure
from tallystick.data.schema import ABSENT, Column, Note
from tallystick.data.source.arrays import from_texts
from tallystick.data.table.block import code_type
from tallystick.data.text import number_text
from tallystick.errors import DataError, read_with, shown
from tallystick.kernels import Parsed

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Decided:
    """What a column is, and what has to be said about it."""

    column: Column
    notes: tuple[Note, ...] = ()


def decide_numbers(
    name: str, asked: Asked, facts: NumberFacts, before: KindVerdict, notes: tuple[Note, ...]
) -> Decided:
    """Return what a column of numbers is. before: the verdict that its texts are numbers, if they were texts;
    notes: what was done to the values.
    """
    verdict = judge_numbers(name, facts, asked)
    notes = (*before.notes, *notes, *verdict.notes)
    why = before.why if verdict.kind == "numeric" and before.notes else verdict.why
    if verdict.kind == "out":
        return decide_out(name, asked, replace(verdict, notes=notes), facts.missing)
    known = facts.missing < facts.total and verdict.kind == "numeric"
    column = Column(
        name,
        verdict.kind,  # type: ignore[arg-type]
        verdict.levels,
        low=facts.low if known else None,
        high=facts.high if known else None,
        unit="date" if facts.dated else "",
        missing=0 if ABSENT in verdict.levels else facts.missing,
        declared=asked.declared,
        why=why,
    )
    return Decided(column, notes)


def decide_out(name: str, asked: Asked, verdict: KindVerdict, missing: int) -> Decided:
    """Return a column that is left out."""
    column = Column(name, "out", missing=missing, declared=asked.kind == "out", why=verdict.why)
    return Decided(column, verdict.notes)


def infinite_note(name: str, count: int) -> Note:
    """Return what is said where infinite values are allowed."""
    return Note(
        "infinite-as-missing", f"column {shown(name)}: infinite values count as missing.", name, count
    )


def infinite_cells(name: str, count: int, rows: list[int]) -> DataError:
    """Return the error of infinite values; rows: the first of them, none where rows have no numbers."""
    listed = ", ".join(f"{row + 1:,}" for row in rows)
    where = f" (row {listed}{', …' * (count > len(rows))})" if rows else ""
    return DataError(
        f"column {shown(name)} holds {count:,} infinite value{'s' * (count > 1)}{where}. "
        "Make them missing (NaN), or pass ",
        read_with("inf", "missing"),
        ".",
    )


def unreadable_cells(name: str, count: int, row: int, example: str) -> DataError:
    """Return the error of cells that are to be numbers and are none; row: of the example, -1 if unknown."""
    where = f" in row {row + 1:,}" if row >= 0 else ""
    wrong = "1 cell is not a number" if count == 1 else f"{count:,} cells are not numbers"
    return DataError(
        f"column {shown(name)} should be numeric, but {wrong}, e.g. {shown(example)}{where}. ",
        number_cure(example),
    )


def in_one_way(
    texts: pa.LargeStringArray, parsed: Parsed
) -> tuple[pa.LargeStringArray, Parsed, NDArray[Any] | None]:
    """Write texts that are all numbers in one way: 1.0 and 1 are one level, in a file as in a frame.

    Returns the texts, what they read as, and into[old code], missing last; None when nothing changes.
    """
    if not len(texts) or not among(parsed.kinds, PLAIN_NUMBERS).all():
        return texts, parsed, None
    written = from_texts([number_text(value) for value in parsed.values.tolist()])
    again = strings.distinct(
        [pa.DictionaryArray.from_arrays(np.arange(len(written), dtype=np.int32), written)]
    )
    into = np.append(again.codes, len(again.values)).astype(code_type(len(again.values)))
    return again.values, strings.numbers(again.values, (), ".", dates=True), into
