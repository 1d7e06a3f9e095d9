"""Long lists of plain data, part by part: one part at a time is in memory.

Knows lists. Knows nothing of models or files. Law: all parts, one after the other, are the list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any


@dataclass(frozen=True)
class ToldInParts:
    """A list so long that it is told part by part: nobody needs all of it at once to write it."""

    parts: Callable[[], Iterator[list[Any]]]

    def __iter__(self) -> Iterator[list[Any]]:
        """Yield the parts that hold something, in their order."""
        return filter(None, self.parts())

    def whole(self) -> list[Any]:
        """Return the list."""
        return list(chain.from_iterable(self))
