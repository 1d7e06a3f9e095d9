"""Distinct texts and how often each was met, batch after batch.

Knows texts and counts. Knows nothing of columns or rows.
Law: the texts and counts are those of all batches together, in whatever order they came.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.source.arrays import from_texts, to_numbers

Counts = NDArray[np.int64]
FEW = 4_096  # texts that may wait to be joined


@dataclass
class TextCounts:
    """texts with counts[text, measure]; those of batches wait until they are as many as the joined."""

    measures: int
    parts: list[tuple[pa.LargeStringArray, Counts]] = field(default_factory=list)  # the first: joined ones
    waiting: int = 0

    def add(self, texts: pa.LargeStringArray, counts: Counts) -> None:
        """Add the distinct texts of a batch."""
        self.parts.append((texts, counts))
        if len(self.parts) > 1:
            self.waiting += len(texts)
        if self.waiting > max(FEW, len(self.parts[0][0])):
            self._join()

    def merge(self, other: TextCounts) -> None:
        """Add the texts of other batches."""
        for texts, counts in other.parts:
            self.add(texts, counts)

    def _join(self) -> None:
        if len(self.parts) < 2:
            return
        coded = pa.chunked_array([t for t, _ in self.parts], pa.large_string()).combine_chunks()
        coded = coded.dictionary_encode()
        codes = to_numbers(coded.indices).astype(np.uint32)
        size, counts = len(coded.dictionary), np.concatenate([c for _, c in self.parts])
        joined = np.empty((size, self.measures), np.int64)
        for m in range(self.measures):
            joined[:, m] = kernels.count_classes(codes, max(size, 1), np.ascontiguousarray(counts[:, m]))[
                :size
            ]
        self.parts, self.waiting = [(coded.dictionary, joined)], 0

    def sorted(self) -> tuple[pa.LargeStringArray, Counts]:
        """Return all texts, sorted by UTF-8 bytes, and their counts."""
        self._join()
        if not self.parts:
            return from_texts([]), np.zeros((0, self.measures), np.int64)
        texts, counts = self.parts[0]
        order = pc.sort_indices(texts)
        return texts.take(order), counts[to_numbers(order)]
