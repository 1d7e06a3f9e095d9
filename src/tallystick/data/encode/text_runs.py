"""Distinct texts that need not fit in memory: sorted runs on disk, joined range by range.

Knows sorted texts and counts. Knows nothing of columns.
Law: the joined run has every text once, sorted by UTF-8 bytes, with the sum of its counts in all runs.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick.data.encode.work import checkpoint
from tallystick.data.source.scratch import ScratchFile

Counts = NDArray[np.int64]
Run = tuple[pa.LargeStringArray, Counts]  # texts, sorted, and counts[text, measure]


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
