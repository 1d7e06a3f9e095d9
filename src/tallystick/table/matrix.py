"""Shortcuts for numeric data: Arrow columns as arrays without a copy, and small matrices without a survey.

`arrays_in_place()`: the values that `cells.py` finds. Entry: `small_table()`, a short matrix with labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Source
from tallystick.io.frames import to_numbers
from tallystick.io.source import BaseSource
from tallystick.kernels.numbers import Scan
from tallystick.parallel import FEW_ROWS
from tallystick.schema import ANY_TABLE, NO_WISHES, ColumnOptions, Note, Schema, Target
from tallystick.table.batches import is_doubles, is_singles
from tallystick.table.block import class_type
from tallystick.table.cells import SmallIntegers, floats, small_column, tidied
from tallystick.table.column_survey import NUMBERS, few_values, has_repeats
from tallystick.table.encode import number_codes
from tallystick.table.kinds import Decided, NumberFacts, decide_numbers, hints
from tallystick.table.table import FEW_CELLS, LocalTable
from tallystick.table.target import check_labels, rare_note, target_name
from tallystick.table.wishes import ReadingPlan
from tallystick.text import number_text


def arrays_in_place(table: pa.Table | pa.RecordBatch, names: Sequence[str]) -> list[NDArray[Any]] | None:
    """Return columns of a table or batch, views where they lie in one piece and none is null; None where one
    is not there once, or not of numbers or booleans.
    """
    out = []
    for name in names:
        places = table.schema.get_all_field_indices(name)
        if len(places) != 1:
            return None
        column = table.column(places[0])
        chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
        parts = [part for part in map(_in_place, chunks) if part is not None]
        if not parts or len(parts) < len(chunks):
            return None
        out.append(parts[0] if len(parts) == 1 else np.concatenate(parts))
    return out


def _in_place(chunk: pa.Array) -> NDArray[Any] | None:
    """Return a chunk as an array; None where it has to be read: whole numbers of 64 bits beside nulls might
    not be those that doubles hold.
    """
    kind, types = chunk.type, pa.types
    if types.is_boolean(kind):
        return None if chunk.null_count else to_numbers(chunk.cast(pa.uint8())).view(np.bool_)
    if not (types.is_integer(kind) or types.is_float32(kind) or types.is_float64(kind)):
        return None
    if not chunk.null_count:
        return to_numbers(chunk)
    return None if types.is_integer(kind) and kind.bit_width == 64 else floats(chunk)


# ---- a small matrix with whole numbers for labels, read in a few steps ----
# A survey can be partitioned, merged and pickled, and needs several objects a column for that, which take
# longer than a small fit. Here one scan is enough: columns and target are judged by the same facts and
# checks, and where they may need more, a survey is made. Law: the table is the one that a survey of the same
# rows leads to.

PLANS = {id(wishes): ReadingPlan(trivial=wishes.trivial) for wishes in (NO_WISHES, ANY_TABLE)}
NO_MARKS: NDArray[np.float64] = np.empty(0)  # marks of missing values that are numbers: by default none is


def small_table(source: Source, wishes: ColumnOptions, target: Any, threads: int) -> LocalTable | None:
    """Return the table of a short matrix of floats and its labels; None where a survey is needed."""
    plan, matrix = PLANS.get(id(wishes)), None if source.held is None else source.held.matrix
    if plan is None or source.notes or source.reading != BaseSource.reading:
        return None
    if not (is_doubles(matrix) or is_singles(matrix)):
        return None
    rows, width = matrix.shape
    if not width or not 0 < rows < FEW_ROWS or not _is_labels(target, rows):
        return None
    own = rows * width <= FEW_CELLS  # column by column, as kernels read them, and nobody else's
    matrix = np.array(matrix.T, np.float64, order="C").T if own else np.asarray(matrix, np.float64)
    labels = small_column(target)
    decided = None if labels is None else _decide(source.columns, matrix, rows, plan)
    if labels is None or decided is None:
        return None
    found, classes, said = _target(labels, target_name(target), plan)
    schema = Schema(tuple(d.column for d, _ in decided), found, plan.marks)
    if not schema.used:
        return None
    columns = {
        d.column.name: _data(d, values, scan)
        for values, (d, scan) in zip(matrix.T, decided, strict=True)
        if d.column.kind != "out"
    }
    notes = (*said, *(note for d, _ in decided for note in d.notes), *hints(d for d, _ in decided))
    return LocalTable(schema, columns, rows, notes, (), classes, files=source.files, threads=threads, own=own)


def _is_labels(target: Any, rows: int) -> bool:
    """Are these whole numbers that a kernel can read in place, one a row?"""
    if type(target) is not np.ndarray or target.dtype.kind not in "iu" or target.shape != (rows,):
        return False
    return target.dtype.isnative and target.flags.aligned and target.strides[0] % target.itemsize == 0


def _decide(
    names: tuple[str, ...], matrix: NDArray[np.float64], rows: int, plan: ReadingPlan
) -> list[tuple[Decided, Scan]] | None:
    """Return what the columns are, with what was seen of each; None where some may number the rows, is
    infinite somewhere or empty.
    """
    decided, asked = [], plan.plain
    for name, scan, values in zip(names, kernels.scan_matrix(matrix), matrix.T, strict=True):
        missing, infinity, low, high, whole, binary, _ = scan
        if missing == rows or infinity >= 0 or (whole and not has_repeats(scan, rows - missing)):
            return None
        few = 0
        if whole and not binary:
            few = len(few_values(values) or ())
        facts = NumberFacts(rows, missing, low + 0.0, high + 0.0, whole, binary and low < high, few=few)
        decided.append((decide_numbers(name, asked, facts, NUMBERS, ()), scan))
    return decided


def _target(
    labels: SmallIntegers, name: str, plan: ReadingPlan
) -> tuple[Target, NDArray[Any], tuple[Note, ...]]:
    """Return the target, classes[row] and notes."""
    used, codes, counts = labels.used, labels.codes, labels.counts
    assert counts is not None
    texts = tuple(number_text(float(value)) for value in labels.present)
    check_labels(name, set(texts), set(), "integer", len(labels), plan.trivial)
    target = Target(name, texts, "integer")
    if labels.base or len(used) <= used[-1]:  # not 0, 1, 2 ...
        into = np.zeros(256, class_type(len(texts)))
        into[used] = np.arange(len(texts))
        codes = into[codes]
    return target, codes, rare_note(target, counts[used])


def _data(decided: Decided, values: NDArray[np.float64], scan: Scan) -> NDArray[Any]:
    """Return the values or the codes of a column."""
    tidy = tidied(values, NO_MARKS, scan) if scan.negative_zero else values  # infinities are surveyed
    return tidy if decided.column.kind == "numeric" else number_codes(tidy, decided.column.levels)
