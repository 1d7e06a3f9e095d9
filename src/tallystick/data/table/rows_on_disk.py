"""Rows that are brought together part by part, at places that the writer chooses; on disk if they are many.

Knows blocks and scratch files. Knows nothing of where the parts come from.
Law: a block of some rows is what was written there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.data.source import scratch
from tallystick.data.table.block import OWN, Block

Key = tuple[str, ...]  # the name of a column, or nothing and what else a row has


class RowsOnDisk:
    """So many rows, in the form of the first part that is written; there are no columns of words."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self._arrays: dict[Key, NDArray[Any]] = {}

    def write(self, part: Block, at: int) -> None:
        """Let some rows stand at a place."""
        arrays: dict[Key, NDArray[Any]] = {(name,): data for name, data in part.columns.items()}
        for name in OWN:
            if (array := getattr(part, name)) is not None:
                arrays["", name] = array
        if not self._arrays:
            forms = [scratch.ArrayForm((self.rows,), array.dtype) for array in arrays.values()]
            few = sum(form.bytes for form in forms) < scratch.FEW
            made = [np.empty(*form) for form in forms] if few else scratch.empties(forms)
            self._arrays = dict(zip(arrays, made, strict=True))
        for key, array in arrays.items():
            self._arrays[key][at : at + part.rows] = array

    def slice(self, start: int, stop: int) -> Block:
        """Return rows start to stop as a block of views."""
        cut = {key: array[start:stop] for key, array in self._arrays.items()}
        columns = {key[0]: array for key, array in cut.items() if len(key) == 1}
        classes, response, weights = (cut.get(("", name)) for name in OWN)
        return Block(stop - start, columns, classes, response, weights)
