"""Memory that is lent, and used again once no array lies in it: asking the system for pages takes long.

Knows bytes. Law: nobody gets memory in which another array lies. Any thread may ask.
"""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]


class Lender:
    """Who lends memory, and keeps what came back as long as it lives itself."""

    def __init__(self) -> None:
        self.free: deque[Bytes] = deque()

    def __call__(self, size: int) -> Bytes:
        """Return so many bytes."""
        try:
            memory = self.free.pop()
        except IndexError:
            memory = np.empty(0, np.uint8)
        lent = _Lent(memory if len(memory) >= size else np.empty(size, np.uint8), self.free)
        return np.asarray(lent)[:size]


class _Lent:
    """Memory that goes back to what is free with the last array that lies in it."""

    def __init__(self, memory: Bytes, free: deque[Bytes]) -> None:
        self.memory, self.free = memory, free
        self.__array_interface__ = memory.__array_interface__

    def __del__(self) -> None:
        self.free.append(self.memory)
