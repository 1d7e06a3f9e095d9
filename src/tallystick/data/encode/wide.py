"""Many short columns of text read at once: a call for each costs more than its cells.

Knows batches of Arrow text columns. Knows nothing of kinds.
Law: the parts hold the same cells as `condense` gives for each column alone.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from tallystick import kernels
from tallystick.data.encode import strings
from tallystick.data.encode.cells import FEW, WRITTEN_NUMBERS, Coded, Floats, Part, among, condense, narrow
from tallystick.data.encode.work import checkpoint
from tallystick.kernels import CellKind

COLUMNS, ROWS = 32, 2_000  # at least so many columns of at most so many rows
TOGETHER = 1 << 21  # cells at once


def is_wide(batch: pa.RecordBatch) -> bool:
    """Are these many short columns of text?"""
    return (
        batch.num_columns >= COLUMNS
        and 0 < batch.num_rows <= ROWS
        and all(pa.types.is_string(kind) for kind in batch.schema.types)
    )


def condense_wide(
    batch: pa.RecordBatch, marks: Sequence[str], decimal: str, texts: Collection[str], alone: bool
) -> list[Part]:
    """Return the parts of all columns; those in `texts` stay texts. alone: there is no other batch, so
    numbers of few values will not turn out to be levels elsewhere.
    """
    parts: list[Part] = []
    columns, names = batch.columns, batch.schema.names
    step = max(1, TOGETHER // batch.num_rows)
    for start in range(0, len(columns), step):
        some = range(start, min(start + step, len(columns)))
        numbers = _numbers([columns[j] for j in some], marks, decimal, alone)
        for j, number in zip(some, numbers, strict=True):
            checkpoint()
            if names[j] in texts:
                parts.append(condense(columns[j], names[j], marks, decimal, True))
            elif number is not None:
                parts.append(number)
            else:
                coded = columns[j].dictionary_encode()
                parts.append(Coded(coded if alone else narrow(coded)))
    return parts


def _numbers(columns: list[Any], marks: Sequence[str], decimal: str, alone: bool) -> list[Floats | None]:
    """Return the columns whose every cell is a number, a date or missing; None for others."""
    rows = len(columns[0])
    parsed = strings.numbers(pa.concat_arrays(columns), marks, decimal, dates=True)
    values, kinds = parsed.values.reshape(-1, rows), parsed.kinds.reshape(-1, rows)
    missing = kinds == CellKind.MISSING
    plain, dated = (
        (missing | among(kinds, family)).all(axis=1) for family in (WRITTEN_NUMBERS, (CellKind.DATE,))
    )
    if not alone:
        told = np.sort(values, axis=1)
        many = (told[:, 1:] > told[:, :-1]).sum(axis=1) >= FEW
        plain, dated = plain & many, dated & many
    scans = kernels.scan_matrix(values.T)
    return [
        Floats(values[j], bool(dates and not numbers), True, scans[j]) if numbers or dates else None
        for j, (numbers, dates) in enumerate(zip(plain.tolist(), dated.tolist(), strict=True))
    ]
