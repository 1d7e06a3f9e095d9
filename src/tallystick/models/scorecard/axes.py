"""How the rows of a column become lines of a card: ranges of a number, levels, single words, two columns
at once.

Knows blocks and the schema. Knows nothing of points. Law: a row's line depends on its own cells alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block

Codes = NDArray[Any]


def narrow(codes: Codes, size: int) -> Codes:
    """Return codes in as few bytes as `size` of them need."""
    kind = np.uint8 if size <= 1 << 8 else np.uint16 if size <= 1 << 16 else np.uint32
    return np.ascontiguousarray(codes, kind)


@dataclass(frozen=True)
class RangeAxis:
    """A number. Line i holds cuts[i - 1] <= x < cuts[i]; the last line is missing."""

    name: str
    cuts: tuple[float, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are looked at."""
        return (self.name,)

    @property
    def known(self) -> int:
        """The lines of values that are there."""
        return len(self.cuts) + 1

    @property
    def size(self) -> int:
        """All lines."""
        return len(self.cuts) + 2

    @cached_property
    def _cuts(self) -> NDArray[np.float64]:
        return np.array(self.cuts, np.float64)

    def codes(self, block: Block) -> Codes:
        """Return line[row]."""
        return narrow(kernels.bins(block.values(self.name), self._cuts), self.size)

    def within(self, finer: RangeAxis) -> Codes | None:
        """Return line[line of the finer axis]; None where that does not begin a line at each of the cuts."""
        if self.name != finer.name or not set(self.cuts) <= set(finer.cuts):
            return None
        starts = np.searchsorted(self._cuts, finer._cuts, side="right")
        return narrow(np.array([0, *starts.tolist(), self.known]), self.size)


@dataclass(frozen=True)
class LevelAxis:
    """Levels. line[level]: which line a level is in; after the known lines come missing and unseen."""

    name: str
    line: tuple[int, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are looked at."""
        return (self.name,)

    @cached_property
    def known(self) -> int:
        """The lines of values that are there."""
        return max(self.line, default=-1) + 1

    @property
    def size(self) -> int:
        """All lines."""
        return self.known + 2

    @cached_property
    def lines(self) -> NDArray[np.int64]:
        """The line of each code: the levels, missing, unseen."""
        return np.array([*self.line, self.known, self.known + 1], np.int64)

    def codes(self, block: Block) -> Codes:
        """Return line[row]."""
        return narrow(self.lines[block.codes(self.name)], self.size)


@dataclass(frozen=True)
class WordAxis:
    """A word of a text: line 0 is a text without it, line 1 a text with it."""

    name: str
    word: int

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are looked at."""
        return (self.name,)

    @property
    def size(self) -> int:
        """All lines."""
        return 2

    def codes(self, block: Block) -> Codes:
        """Return line[row]."""
        starts, words, _ = block.words(self.name)
        entries = np.flatnonzero(words == self.word)
        out = np.zeros(block.rows, np.uint8)
        out[np.searchsorted(starts, entries, side="right") - 1] = 1
        return out


@dataclass(frozen=True)
class PairAxis:
    """Two columns at once: line = first * (lines of the second) + second."""

    first: RangeAxis | LevelAxis
    second: RangeAxis | LevelAxis

    @property
    def name(self) -> str:
        """What the pair is called."""
        return f"{self.first.name} × {self.second.name}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are looked at."""
        return (self.first.name, self.second.name)

    @property
    def size(self) -> int:
        """All lines."""
        return self.first.size * self.second.size

    def codes(self, block: Block) -> Codes:
        """Return line[row]."""
        first = self.first.codes(block).astype(np.int64)
        return narrow(first * self.second.size + self.second.codes(block), self.size)


Axis = RangeAxis | LevelAxis | WordAxis | PairAxis
