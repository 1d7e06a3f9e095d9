"""What every source has, as it is for most of them; and the pieces in which rows are handed out.

Knows batches. Knows nothing of containers or files. A new source derives from `BaseSource`, says what is
otherwise for it, and joins `tests/data/source/test_source_contract.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from tallystick.data.schema import Reading
from tallystick.files.stamp import Stamp

if TYPE_CHECKING:
    import pyarrow as pa

    from tallystick.contracts import InMemory, Load


class BaseSource:
    """A source of the contracts without its name, columns, notes and rows: text is text, nothing is known of
    its size, no file is behind it, and its batches come as they come.
    """

    reading: Reading = Reading()
    typed: bool = True
    needed: int = 0
    stamps: tuple[Stamp, ...] = ()
    files: tuple[str, ...] = ()

    @property
    def form(self) -> str:
        """How a file is read, in words; nothing of anything else."""
        return ""

    @property
    def held(self) -> InMemory | None:
        """The columns as they lie in memory; None: rows can only be walked through."""
        return None

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield all rows once."""
        raise NotImplementedError

    def pieces(self) -> Iterator[Load]:
        """Yield the batches as pieces that are there already."""
        return map(Given, self.batches())

    def within(self, size: int) -> Self:
        """Return the same source in pieces of at most about so many bytes, where it can be had so."""
        return self

    def streamed(self) -> Self:
        """Return the same source in small pieces, where it can be had so."""
        return self

    def each_row(self) -> Self:
        """Return the same source with a place for every row, also for those that cannot be read."""
        return self


@dataclass(frozen=True, slots=True)
class Given:
    """A batch that is there already, as a piece."""

    batch: Any

    @property
    def counted(self) -> None:
        """Nobody counted lines."""
        return

    def __call__(self) -> Any:
        """Return the batch."""
        return self.batch

    def plain(self) -> None:
        """Its cells are cut already."""
        return
