"""New rows encoded by the schema of a fitted model, batch by batch, with counts of missing and unseen cells.

Entry: `match()`, which yields `Matched`. Law: a row's codes depend on the row and the schema alone; columns
go by name, others are ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tallystick.contracts import Source
from tallystick.errors import Argument, DataError, OptionError, counted, nearest, shown, some
from tallystick.files import unchanged
from tallystick.parallel import in_order, thread_count
from tallystick.schema import Note, Schema
from tallystick.table.batches import batch_columns
from tallystick.table.block import RowBlock
from tallystick.table.encode import Found, Matcher, matcher_of
from tallystick.table.new_data_warnings import Met, meant_notes

Answer = Callable[[RowBlock, Mapping[int, str]], Any]


@dataclass(frozen=True)
class Matched:
    """New rows from row `start` on; per column, how many cells were missing, unseen or unreadable."""

    block: RowBlock
    start: int
    missing: Mapping[str, int]
    unseen: Mapping[str, int]
    unreadable: Mapping[str, int]
    notes: tuple[Note, ...] = ()
    unread: Mapping[int, str] = field(default_factory=dict)  # by its place: why a row could not be read
    answer: Any = None  # to what was asked of the rows


def match(
    source: Source,
    schema: Schema,
    *,
    lenient: bool = False,
    missing_columns: str = "error",
    threads: int | None = None,
    warn: bool = True,
    unread: str = "refuse",
    answer: Answer | None = None,
) -> Iterator[Matched]:
    """Encode new rows by a known schema, batch by batch. lenient: what is not a number counts as missing.

    warn: what is matched by its meaning, and a column of which no cell, or too few, is known, is a
    TallyWarning at the end; else the caller tells of it. unread: what becomes of rows that cannot be read,
    where the reading passes over them. "refuse"; "keep": they are rows of missing cells, and named;
    "leave out", as at a fit. answer(block, unread): what to ask of the rows; the thread that reads them asks.
    """
    absent = _absent(source, schema, missing_columns)
    notes = _absent_notes(source, absent)
    reading = source.reading
    how = schema.marks, reading.decimal or ".", reading.inf == "missing"
    matchers = [matcher_of(c, *how) for c in schema.used]
    for matcher in matchers:
        matcher.threads = thread_count(threads)
    names = [name for name in schema.needed if name not in absent]
    source = source.streamed() if unread == "leave out" else every_row(source)
    start, met = 0, Met(schema)
    jobs = (partial(_read, load, matchers, answer) for load in batch_columns(source, names))
    with unchanged(source.stamps):
        for block, found, lost, answered in in_order(jobs, threads):
            if lost and unread != "keep":
                _refuse_unread(source, lost, start)
            if not lenient:
                _refuse_unreadable(found, start)
            if warn:
                met.add(block.rows, found)
            yield Matched(
                block,
                start,
                {n: f.missing for n, f in found.items()},
                {n: f.unseen for n, f in found.items()},
                {n: f.unreadable for n, f in found.items()},
                (*notes, *meant_notes(schema, {n: f.meant for n, f in found.items()})),
                lost,
                answered,
            )
            start += block.rows
    if warn:
        met.warn()


def every_row(source: Source) -> Source:
    """Return a source in small batches, with a place for every row: also for those that cannot be read."""
    return source.streamed().each_row()


def _absent(source: Source, schema: Schema, missing_columns: str) -> list[str]:
    if missing_columns not in ("error", "as-missing"):
        raise OptionError(f"missing_columns is {shown(missing_columns)}. Use 'error' or 'as-missing'.")
    there = set(source.columns)
    absent = [name for name in schema.needed if name not in there]
    if absent and missing_columns == "error":
        raise DataError(
            f"{source.name} lacks {len(absent)} column{'s' * (len(absent) > 1)} that the model needs: "
            f"{some(absent)}.{nearest(absent[0], source.columns)} "
            "Add what is lacking, or pass ",
            Argument("missing_columns", "as-missing"),
            ".",
        )
    return absent


def _absent_notes(source: Source, absent: list[str]) -> tuple[Note, ...]:
    text = f"{source.name} lacks {counted(len(absent), 'column')}; counted as missing: {some(absent)}."
    return (Note("columns-as-missing", text, count=len(absent)),) if absent else ()


def _read(
    load: Callable[[], Any], matchers: list[Matcher], answer: Answer | None
) -> tuple[RowBlock, dict[str, Found], Mapping[int, str], Any]:
    rows, cells, lost = load()
    found = {m.column.name: m.run(cells.get(m.column.cells), rows) for m in matchers}
    block = RowBlock(rows, {n: f.data for n, f in found.items()})
    return block, found, lost, None if answer is None else answer(block, lost)


def _refuse_unread(source: Source, lost: Mapping[int, str], start: int) -> None:
    row, reason = min(lost.items())
    raise DataError(
        f"row {start + row + 1:,} of {source.name} cannot be read ({reason}), so it cannot be answered. "
        "Correct it, or remove it."
    )


def _refuse_unreadable(found: Mapping[str, Found], start: int) -> None:
    for name, f in found.items():
        if f.bad is not None:
            row, text = f.bad
            raise DataError(
                f"column {shown(name)} was numeric when the model was fitted, but row {start + row + 1:,} "
                f"holds {shown(text)}. Correct it, or pass ",
                Argument("lenient", True),
                " to count such cells as missing.",
            )
