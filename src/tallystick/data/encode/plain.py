"""Blocks of rows without quoted cells, cut and read where they lie: no column of texts is made for numbers.

Knows blocks of bytes that a source gives away and parts. Knows nothing of files or kinds.
Law: the parts are those of `condense` on the columns of the same rows; a block that is not plain is read by
its source.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.encode.cells import Coded, Floats, Part, coded, condense
from tallystick.data.encode.work import checkpoint
from tallystick.data.source.arrays import from_numbers, from_texts


class Plain:
    """The rows of a block, cut into cells; a column of texts is made when it is asked for."""

    def __init__(self, block: bytes, ends: NDArray[np.uint32], names: Sequence[str]) -> None:
        self.block, self.ends, self.names = block, ends, names
        self.num_rows = len(ends)

    def column(self, j: int) -> pa.Array:
        """Return a column as Arrow texts."""
        data, offsets = kernels.copy_cells(self.block, self.ends, j)
        return pa.Array.from_buffers(
            pa.string(), self.num_rows, [None, pa.py_buffer(offsets), pa.py_buffer(data)]
        )

    def parts(
        self, names: Collection[str], texts: Collection[str], marks: Sequence[str], decimal: str
    ) -> dict[str, Part]:
        """Return the parts of some columns; those in `texts` are read as texts."""
        asked = np.array([name not in names or name in texts for name in self.names])
        values, seen = kernels.read_columns(self.block, self.ends, asked, marks, decimal)
        dated = (seen & ~np.uint32(kernels.ALL_DATES)) == 0
        plain = (seen & ~np.uint32(kernels.ALL_NUMBERS)) == 0
        read = np.flatnonzero(plain | dated).tolist()
        scans = dict(zip(read, kernels.scan_columns([values[j] for j in read]), strict=True))
        parts: dict[str, Part] = {}
        for j, name in enumerate(self.names):
            if j in scans:
                parts[name] = Floats(values[j], not plain[j], True, scans[j])
            elif name in names:
                checkpoint()
                parts[name] = (
                    condense(self.column(j), name, marks, decimal, True) if name in texts else self._coded(j)
                )
        return parts

    def _coded(self, j: int) -> Coded:
        """Return a column as codes; few texts are told apart without a copy of every cell."""
        found = kernels.code_cells(self.block, self.ends, j)
        if found is None:
            return coded(self.column(j))
        codes, texts = found
        kind = np.int8 if len(texts) < 1 << 7 else np.int16
        known = from_texts([text.decode() for text in texts])
        return Coded(pa.DictionaryArray.from_arrays(from_numbers(codes.astype(kind)), known, safe=False))


def loaded(load: Callable[[], Any], names: Sequence[str]) -> Any:
    """Return a batch: cut here if its source gives plain rows away, else as the source reads it."""
    plain = getattr(load, "plain", None)
    block = None if plain is None else plain()
    ends = None if block is None else kernels.cut_cells(block, len(names), load.separator)  # type: ignore[attr-defined]
    return load() if block is None or ends is None else Plain(block, ends, names)
