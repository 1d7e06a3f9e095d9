"""New rows to the codes and values of a known schema, batch by batch.

Knows schemas and new cells. Knows nothing of how the schema was found.
Law: a row's codes depend on the row and the schema alone; columns go by name, others are ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import contracts
from tallystick.contracts import Source
from tallystick.data.encode.gather import batch_columns
from tallystick.data.encode.matcher import Found, Matcher
from tallystick.data.encode.table import Block
from tallystick.data.encode.work import in_order, thread_count
from tallystick.data.schema import Note, Reading, Schema
from tallystick.errors import DataError, OptionError, counted, nearest, shown, some


@dataclass(frozen=True)
class Matched:
    """New rows from row `start` on; per column, how many cells were missing, unseen or unreadable."""

    block: Block
    start: int
    missing: Mapping[str, int]
    unseen: Mapping[str, int]
    unreadable: Mapping[str, int]
    notes: tuple[Note, ...] = ()


def match(
    source: Source,
    schema: Schema,
    *,
    lenient: bool = False,
    missing_columns: str = "error",
    threads: int | None = None,
) -> Iterator[Matched]:
    """Encode new rows by a known schema, batch by batch. lenient: what is no number counts as missing."""
    absent = _absent(source, schema, missing_columns)
    notes = _absent_notes(source, absent)
    reading = getattr(source, "reading", Reading())
    matchers = [Matcher(c, schema.marks, reading.decimal, reading.inf == "missing") for c in schema.used]
    if len(matchers) == 1:
        matchers[0].threads = thread_count(threads)
    names = [c.name for c in schema.used if c.name not in absent]
    source = source.streamed() if hasattr(source, "streamed") else source
    start = 0
    jobs = (_bind(load, matchers) for load in batch_columns(source, names))
    for rows, found in in_order(jobs, threads):
        if not lenient:
            _refuse_unreadable(found, start)
        yield Matched(
            Block(rows, {n: f.data for n, f in found.items()}),
            start,
            {n: f.missing for n, f in found.items()},
            {n: f.unseen for n, f in found.items()},
            {n: f.unreadable for n, f in found.items()},
            notes,
        )
        start += rows


def outside(block: contracts.Block, schema: Schema) -> dict[str, NDArray[np.bool_]]:
    """Return, of each numeric column that has such a value, which rows lie outside the range of the fit."""
    found = {}
    for column in schema.used:
        if column.kind == "numeric" and column.low is not None and column.high is not None:
            values = block.values(column.name)
            beyond = (values < column.low) | (values > column.high)  # a missing value is neither
            if beyond.any():
                found[column.name] = beyond
    return found


def _absent(source: Source, schema: Schema, missing_columns: str) -> list[str]:
    if missing_columns not in ("error", "as-missing"):
        raise OptionError(f"missing_columns is {shown(missing_columns)}. Use 'error' or 'as-missing'.")
    there = set(source.columns)
    absent = [c.name for c in schema.used if c.name not in there]
    if absent and missing_columns == "error":
        raise DataError(
            f"{source.name} lacks {len(absent)} column{'s' * (len(absent) > 1)} that the model needs: "
            f"{some(absent)}.{nearest(absent[0], source.columns)} "
            "Add what is lacking, or pass missing_columns='as-missing'."
        )
    return absent


def _absent_notes(source: Source, absent: list[str]) -> tuple[Note, ...]:
    text = f"{source.name} lacks {counted(len(absent), 'column')}; counted as missing: {some(absent)}."
    return (Note("columns-as-missing", text, count=len(absent)),) if absent else ()


def _bind(load: Callable[[], Any], matchers: list[Matcher]) -> Callable[[], tuple[int, dict[str, Found]]]:
    def run() -> tuple[int, dict[str, Found]]:
        rows, cells = load()
        return rows, {m.column.name: m.run(cells.get(m.column.name), rows) for m in matchers}

    return run


def _refuse_unreadable(found: Mapping[str, Found], start: int) -> None:
    for name, f in found.items():
        if f.bad is not None:
            row, text = f.bad
            raise DataError(
                f"column {shown(name)} was numeric when the model was fitted, but row {start + row + 1:,} "
                f"holds {shown(text)}. Correct it, or pass lenient=True to count such cells as missing."
            )
