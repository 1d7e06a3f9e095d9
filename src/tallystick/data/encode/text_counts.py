"""Distinct texts and how often each was met, batch after batch.

Knows texts and counts. Knows nothing of columns or rows.
Law: the texts and counts are those of all batches together, in whatever order they came, whatever the limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.encode import text_runs
from tallystick.data.encode.text_runs import Run
from tallystick.data.source.arrays import from_texts, to_numbers

Counts = NDArray[np.int64]
FEW = 4_096  # texts that may wait to be joined
RUNS = 16  # on disk that are joined at once


@dataclass
class TextCounts:
    """texts with counts[text, measure]; those of batches wait until they are as many as the joined.

    limit: bytes of texts that may lie in memory, the others go to runs on disk; 0: all.
    """

    measures: int
    limit: int = 0
    parts: list[Run] = field(default_factory=list)  # the first: joined ones
    joined: bool = False  # the first part is not sorted any more
    waiting: int = 0
    held: int = 0  # bytes of all parts
    runs: list[Run] = field(default_factory=list)  # on disk
    times: list[int] = field(default_factory=list)  # how often each run was joined

    def add(self, texts: pa.LargeStringArray, counts: Counts) -> None:
        """Add the distinct texts of a batch, sorted."""
        self.parts.append((texts, counts))
        if self.limit:
            self.held += texts.nbytes + counts.nbytes
        if len(self.parts) > 1:
            self.waiting += len(texts)
        if self.waiting > max(FEW, len(self.parts[0][0])) or 0 < self.limit < self.held:
            self._join()
        if 0 < self.limit < 2 * self.held:
            self._spill()

    def merge(self, other: TextCounts) -> None:
        """Add the texts of other batches."""
        for texts, counts in (*other.runs, *other.parts):
            self.add(texts, counts)
        self.joined = self.joined or other.joined

    def _join(self) -> None:
        if len(self.parts) > 1:
            self.parts, self.joined = [self._joined(self.parts)], True
        self.waiting, self.held = 0, sum(t.nbytes + c.nbytes for t, c in self.parts)

    def _joined(self, parts: Sequence[Run]) -> Run:
        coded = pa.chunked_array([t for t, _ in parts], pa.large_string()).combine_chunks()
        coded = coded.dictionary_encode()
        codes = to_numbers(coded.indices).astype(np.uint32)
        size, counts = len(coded.dictionary), np.concatenate([c for _, c in parts])
        joined = np.empty((size, self.measures), np.int64)
        for m in range(self.measures):
            joined[:, m] = kernels.count_classes(codes, max(size, 1), np.ascontiguousarray(counts[:, m]))[
                :size
            ]
        return coded.dictionary, joined

    def _spill(self) -> None:
        if self.parts:
            self._join()
            self.runs.append(text_runs.written(_sorted(self.parts[0])))
            self.times.append(0)
            self.parts, self.held, self.joined = [], 0, False
            pa.default_memory_pool().release_unused()  # what was sorted lies on disk now
        while self.times[-RUNS:].count(self.times[-1]) == RUNS:  # each text is joined again few times
            self._join_runs(RUNS, self.times[-1] + 1)

    def _join_runs(self, count: int, times: int) -> None:
        """Make the last runs one, and say how many times its texts were joined."""
        run = text_runs.joined(self.runs[-count:], self.limit, lambda parts: _sorted(self._joined(parts)))
        self.runs[-count:], self.times[-count:] = [run], [times]

    def sorted(self) -> Run:
        """Return all texts, sorted by UTF-8 bytes, and their counts."""
        if self.runs:
            self._spill()
            if len(self.runs) > 1:
                self._join_runs(len(self.runs), max(self.times) + 1)
            return self.runs[0]
        if not self.parts:
            return from_texts([]), np.zeros((0, self.measures), np.int64)
        if len(self.parts) == 1 and not self.joined:
            return self.parts[0]
        self._join()
        return _sorted(self.parts[0])


def _sorted(run: Run) -> Run:
    order = pc.sort_indices(run[0])
    return run[0].take(order), run[1][to_numbers(order)]
