"""Distinct texts and how often each was met, batch after batch.

Knows texts and counts. Knows nothing of columns or rows.
Law: the texts and counts are those of all batches together, in whatever order they came, whatever the limit.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.source.arrays import from_texts, to_numbers
from tallystick.data.source.scratch import ScratchFile
from tallystick.data.threads import checkpoint

Counts = NDArray[np.int64]
Run = tuple[pa.LargeStringArray, Counts]  # texts, sorted, and counts[text, measure]
FEW = 4_096  # texts that may wait to be joined
MANY = 1 << 17  # the same without a limit: joining takes longer than holding them, as their batches do anyway
APART = 64  # texts that take about the room that a batch's own arrays take, however few are in them
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
        if self.parts and self.parts[-1][0] is texts:  # as in the batch before
            self.parts[-1] = texts, self.parts[-1][1] + counts
            return
        self.parts.append((texts, counts))
        if self.limit:
            self.held += texts.nbytes + counts.nbytes
        few = FEW if self.limit else MANY
        if len(self.parts) > 1:
            self.waiting += len(texts) + APART * (few // FEW)  # as many batches may wait either way
        if self.waiting > max(few, len(self.parts[0][0])) or 0 < self.limit < self.held:
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
            self.runs.append(written(_sorted(self.parts[0])))
            self.times.append(0)
            self.parts, self.held, self.joined = [], 0, False
            pa.default_memory_pool().release_unused()  # what was sorted lies on disk now
        while self.times[-RUNS:].count(self.times[-1]) == RUNS:  # each text is joined again few times
            self._join_runs(RUNS, self.times[-1] + 1)

    def _join_runs(self, count: int, times: int) -> None:
        """Make the last runs one, and say how many times its texts were joined."""
        run = joined(self.runs[-count:], self.limit, lambda parts: _sorted(self._joined(parts)))
        self.runs[-count:], self.times[-count:] = [run], [times]
        pa.default_memory_pool().release_unused()

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


# ---- runs on disk: texts that need not fit in memory, sorted, and joined range by range ----


class RunFile:
    """A run being written, text after text; it is read from the file, in pages that the system may drop."""

    def __init__(self, measures: int) -> None:
        self.measures, self.size = measures, 0
        self.ends, self.data, self.counts = ScratchFile(), ScratchFile(), ScratchFile()
        self.ends.append(np.zeros(1, np.int64))

    def add(self, texts: pa.LargeStringArray, counts: Counts) -> None:
        """Add texts behind those there are."""
        _, offsets, data = texts.buffers()
        if not len(texts):
            return
        places = np.frombuffer(offsets, np.int64, len(texts) + 1, 8 * texts.offset)
        self.ends.append(places[1:] - places[0] + self.data.size)
        self.data.append(memoryview(data or b"")[int(places[0]) : int(places[-1])])
        self.counts.append(np.ascontiguousarray(counts))
        self.size += len(texts)

    def run(self) -> Run:
        """Return all that was written."""
        ends, data, counts = (file.view() for file in (self.ends, self.data, self.counts))
        for file in (self.ends, self.data, self.counts):
            file.close()  # the arrays hold them now
        buffers = [None, pa.py_buffer(ends), pa.py_buffer(data)]
        texts = pa.Array.from_buffers(pa.large_string(), self.size, buffers)
        return texts, np.frombuffer(counts, np.int64, self.size * self.measures).reshape(-1, self.measures)


def written(run: Run) -> Run:
    """Return a run on disk."""
    file = RunFile(run[1].shape[1])
    file.add(*run)
    return file.run()


@dataclass(frozen=True)
class _Texts(Sequence[str]):
    """Texts as Python's bisection wants them: str sorts as UTF-8 does."""

    array: pa.LargeStringArray

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, at: Any) -> Any:
        return self.array[at].as_py()


def joined(runs: Sequence[Run], limit: int, join: Callable[[Sequence[Run]], Run]) -> Run:
    """Return all runs as one on disk. join: gives runs as one, sorted; it sees some `limit` bytes at once."""
    size = sum(texts.nbytes + counts.nbytes for texts, counts in runs)
    bounds = _bounds(runs, max(1, 2 * size // limit))
    cuts = [[0, *(bisect_left(_Texts(texts), b) for b in bounds), len(texts)] for texts, _ in runs]
    file = RunFile(runs[0][1].shape[1])
    for i in range(len(bounds) + 1):
        checkpoint()
        some = [
            (texts.slice(at[i], at[i + 1] - at[i]), counts[at[i] : at[i + 1]])
            for (texts, counts), at in zip(runs, cuts, strict=True)
        ]
        file.add(*join(some))
    return file.run()


def _bounds(runs: Sequence[Run], ranges: int) -> list[str]:
    """Return rising texts that cut all runs into ranges of about as many texts."""
    told = list[str]()
    for texts, _ in runs:
        told += (texts[at].as_py() for at in range(0, len(texts), max(1, len(texts) // ranges)))
    told.sort()
    return sorted({told[len(told) * i // ranges] for i in range(1, ranges)})
