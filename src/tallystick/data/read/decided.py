"""What a column is, once it is judged; and the errors and notes of its values.

Knows facts and verdicts. Knows nothing of rows or of how they were seen.
Law: a column is decided by its facts and by what was asked alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from tallystick.data.dates import RANGES, WEEKDAY_LEVELS, part_values, telling
from tallystick.data.read.judge import WHOLE, KindVerdict, NumberFacts, judge_numbers, no_dates, number_cure
from tallystick.data.read.merging import Merged, kept
from tallystick.data.read.plan import Asked
from tallystick.data.schema import ABSENT, NUMBER_MARKS, Column, Note
from tallystick.errors import Argument, DataError, Message, read_with, shown, some


class Decided(NamedTuple):
    """What a column is, and what has to be said about it."""

    column: Column
    notes: tuple[Note, ...] = ()
    parts: tuple[Column, ...] = ()  # of dates
    hint: str = ""  # another kind that the user may mean


HINTS = {  # by kind, what is said of one column and of several
    "text": (
        " has several words in every cell and is",
        " have several words in every cell and are",
        "levels",
    ),
    "levels": (
        " has few different whole numbers and is",
        " have few different whole numbers and are",
        "numbers",
    ),
}


def hints(done: Iterable[Decided]) -> tuple[Note, ...]:
    """Return a note for each other kind that may be meant, which names the columns and what to pass."""
    by_kind: dict[str, list[str]] = {kind: [] for kind in HINTS}
    for found in done:
        if found.hint:
            by_kind[found.hint].append(found.column.name)
    out = []
    for kind, names in by_kind.items():
        if names:
            one, many, read = HINTS[kind]
            column = f"column {shown(names[0])}{one}" if len(names) == 1 else f"columns {some(names)}{many}"
            cure = Argument("kinds", {names[0]: kind})
            text = Message(
                f"{column} read as {read}; if {kind} {'is' if kind == 'text' else 'are'} meant, pass ",
                cure,
                ".",
            )
            out.append(Note("other-kind", text, names[0] if len(names) == 1 else "", len(names)))
    return tuple(out)


def decide_numbers(
    name: str, asked: Asked, facts: NumberFacts, before: KindVerdict, notes: tuple[Note, ...]
) -> Decided:
    """Return what a column of numbers is. before: the verdict that its texts are numbers, if they were texts;
    notes: what was done to the values.
    """
    verdict = judge_numbers(name, facts, asked)
    if verdict.kind == "boolean" and before.way is not None:  # no level is written as the cells are
        verdict = WHOLE
    said = () if before.way is not None and verdict.kind == "numeric" else verdict.notes
    notes = (*before.notes, *notes, *said)
    why = before.why if verdict.kind == "numeric" and before.notes else verdict.why
    if verdict.kind == "out":
        return decide_out(name, asked, replace(verdict, notes=notes), facts.missing)
    known = facts.missing < facts.total and verdict.kind == "numeric"
    marks = before.marks
    if verdict.kind == "numeric":  # where the usual marks among numbers mean missing anyway
        marks = tuple(mark for mark in marks if mark.lower() not in NUMBER_MARKS)
    column = Column(
        name,
        verdict.kind,  # type: ignore[arg-type]
        verdict.levels,
        low=facts.low if known else None,
        high=facts.high if known else None,
        unit="date" if facts.dated else "",
        written="" if before.way is None or verdict.kind != "numeric" else before.way.example,
        missing=0 if ABSENT in verdict.levels else facts.missing,
        declared=asked.declared,
        marks=marks,
        why=why,
    )
    if asked.kind != "date" or not known:
        return Decided(column, notes, hint=verdict.hint if before.way is None else "")
    parts = date_parts(column, facts, asked)
    return Decided(column, (*notes, parts_note(name, parts)), parts)


def date_parts(column: Column, facts: NumberFacts, asked: Asked) -> tuple[Column, ...]:
    """Return what people mean by the dates of a column, as columns."""
    wanted = telling(facts.low, facts.high, facts.whole) if asked.parts is None else asked.parts
    return tuple(_part(column, part, facts) for part in wanted)


def _part(column: Column, part: str, facts: NumberFacts) -> Column:
    shared: dict[str, Any] = {
        "written": column.written,
        "missing": column.missing,
        "declared": True,
        "of": column.name,
        "part": part,
        "marks": column.marks,
        "why": f"the {part} of its dates",
    }
    name = f"{column.name} {part}"
    if part == "weekday":
        return Column(name, "levels", WEEKDAY_LEVELS, **shared)
    if part in RANGES:
        low, high = RANGES[part]
    else:
        low, high = part_values(np.array([facts.low, facts.high]), part).tolist()
    return Column(name, "numeric", low=low, high=high, **shared)


def parts_note(name: str, parts: tuple[Column, ...]) -> Note:
    """Return what a column of dates is used as."""
    also = f", and as {', '.join(shown(c.name) for c in parts)}" if parts else ""
    text = f"column {shown(name)} holds dates; they are used as days since 1970-01-01{also}."
    return Note("dates", text, name)


def decide_out(name: str, asked: Asked, verdict: KindVerdict, missing: int) -> Decided:
    """Return a column that is left out."""
    column = Column(name, "out", missing=missing, declared=asked.kind == "out", why=verdict.why)
    return Decided(column, verdict.notes)


def decide_levels(
    name: str, asked: Asked, verdict: KindVerdict, missing: int, notes: tuple[Note, ...]
) -> Decided:
    """Return a column of levels. notes: what was done to its texts."""
    column = Column(
        name,
        verdict.kind,  # type: ignore[arg-type]
        verdict.levels,
        missing=0 if ABSENT in verdict.levels else missing,
        declared=asked.declared,
        merged=kept(asked.merge, verdict.levels),
        why=verdict.why,
    )
    return Decided(column, (*notes, *verdict.notes), hint=verdict.hint)


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


def unreadable_cells(name: str, asked: Asked, count: int, row: int, example: str) -> DataError:
    """Return the error of cells that are to be numbers and are none; row: of the example, -1 if unknown."""
    where = f" in row {row + 1:,}" if row >= 0 else ""
    if asked.kind == "date":
        return no_dates(name, f"holds {shown(example)}{where}")
    wrong = "1 cell is not a number" if count == 1 else f"{count:,} cells are not numbers"
    return DataError(
        f"column {shown(name)} should be numeric, but {wrong}, e.g. {shown(example)}{where}. ",
        number_cure(example),
    )


def refuse_numbers(name: str, joined: Merged) -> None:
    """Refuse to merge the texts of a column into numbers: only levels have spellings."""
    if joined.became:
        spelling, (text, _) = min(joined.became.items())
        raise DataError(
            f"column {shown(name)} holds numbers once {shown(spelling)} is merged into {shown(text)}, and "
            f"only words are merged. Write {shown(text)} in the data, or keep the numbers as levels: ",
            Argument("kinds", {name: "levels"}),
            ".",
        )
