"""A small matrix of numbers with whole numbers for labels, read in a few steps.

A survey can be cut, merged and sent elsewhere, and pays for that with several objects a column, more than a
small fit takes. Here all is known at one look: a column is judged by the same facts, a target by the same
checks, and where either may need more than that look, it is surveyed.
Knows matrices and labels in memory. Knows nothing of files, frames, weights, nor of learners.
Law: the table is the one that a survey of the same rows leads to.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Source
from tallystick.data.read.batches import is_doubles, is_singles
from tallystick.data.read.cells import SmallIntegers, small_column, tidied
from tallystick.data.read.decided import Decided, decide_numbers, hints
from tallystick.data.read.encode import number_codes
from tallystick.data.read.judge import NumberFacts
from tallystick.data.read.plan import ReadingPlan
from tallystick.data.read.survey_column import NUMBERS
from tallystick.data.read.survey_numbers import few_values, has_repeats
from tallystick.data.read.survey_target import check_labels, rare_note, target_name
from tallystick.data.schema import ANY_TABLE, NO_WISHES, Note, Schema, Target, Wishes
from tallystick.data.source.base import BaseSource
from tallystick.data.table.block import class_type
from tallystick.data.table.held import FEW_CELLS
from tallystick.data.table.table import Table
from tallystick.data.text import number_text
from tallystick.data.threads import FEW_ROWS
from tallystick.kernels import Scan

PLANS = {id(wishes): ReadingPlan(trivial=wishes.trivial) for wishes in (NO_WISHES, ANY_TABLE)}
NO_MARKS: NDArray[np.float64] = np.empty(0)  # none of the usual marks of missing values is a number


def small_table(source: Source, wishes: Wishes, target: Any, threads: int) -> Table | None:
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
    return Table(schema, columns, rows, notes, (), classes, files=source.files, threads=threads, own=own)


def _is_labels(target: Any, rows: int) -> bool:
    """Are these whole numbers that a kernel reads as they lie, one a row?"""
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
