"""A table whose rows stay with Spark: packed blocks in a cached RDD, and what is known of them here.

Knows RDDs of packed blocks. Knows nothing of DataFrames, learners or models.
Laws: a block that is lost is made again from the DataFrame, in whatever order its rows come then, and nothing
here depends on that order; rows come here only where `row_hashes` or `blocks` is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tallystick.data.encode.pack import pack, unpack
from tallystick.data.encode.table import Block
from tallystick.data.schema import Note, Schema
from tallystick.stats.prints import Both, Printed, Prints

Ask = Callable[[Any, Any], Any]  # (RDD of packed blocks, question) -> total


@dataclass
class SparkTable:
    """Rows on Spark; see contracts.Table. raw: what the blocks are made of, until they are."""

    schema: Schema
    packed: Any  # RDD of bytes
    rows: int
    notes: tuple[Note, ...] = ()
    source_notes: tuple[Note, ...] = ()
    unit: int = 1
    raw: Any = None
    _printed: Printed | None = field(default=None, repr=False)
    _form: Any = field(default=None, repr=False)
    _formed: Any = field(default=None, repr=False)

    def blocks(self) -> Iterator[Block]:
        """Yield all rows, brought here block by block."""
        for data in self.packed.toLocalIterator():
            yield unpack(data)

    def asked(self, question: Any, ask: Ask) -> Any:
        """Return a total; the first question takes the fingerprint along, so that it costs no walk."""
        form = getattr(question, "form", None)
        if form is not None:
            return ask(self._in_form(form), question.in_form())
        if self._printed is not None:
            return ask(self.packed, question)
        total, printed = ask(self.packed, Both(question, Prints(self.schema)))
        self._know(printed)
        return total

    def _know(self, printed: Printed) -> None:
        self._printed = printed
        if self.raw is not None:  # the blocks are made: what they were made of may go
            self.raw.unpersist()
            self.raw = None

    def _in_form(self, form: Any) -> Any:
        """Return the blocks in a question's form, kept until another form is asked for."""
        if self._form is not form:
            self._drop_form()
            self._form, self._formed = form, keep(self.packed.map(Formed(form)))
        return self._formed

    def _drop_form(self) -> None:
        if self._formed is not None:
            self._formed.unpersist()
        self._form = self._formed = None

    @property
    def engine(self) -> Any:
        """Who sums over this table."""
        from tallystick.engines.spark import Spark

        return Spark()

    @property
    def printed(self) -> Printed:
        """Rows, weight and fingerprint."""
        if self._printed is None:
            self._know(self.engine.total(self, Prints(self.schema)))
        assert self._printed is not None
        return self._printed

    @property
    def fingerprint(self) -> str:
        """128 bits of the multiset of rows, in hex: the same for any order, container or cut."""
        return self.printed.fingerprint

    @property
    def weight(self) -> int:
        """The weights of all rows together, in units of the table."""
        return self.printed.weight

    def release(self) -> None:
        """Let Spark forget the blocks; who asks again waits until they are made again."""
        self._drop_form()
        self.packed.unpersist()
        if self.raw is not None:
            self.raw.unpersist()


def keep(rdd: Any) -> Any:
    """Let Spark keep the blocks: in memory, and on disk where that is full."""
    from pyspark import StorageLevel

    return rdd.persist(StorageLevel.MEMORY_AND_DISK)


class Formed:
    """Packed blocks in another form."""

    def __init__(self, form: Callable[[Any], Block]) -> None:
        self.form = form

    def __call__(self, data: bytes) -> bytes:
        """Return the block in the form."""
        return pack(self.form(unpack(data)))


def each(blocks: Iterable[bytes]) -> Iterator[Block]:
    """Yield packed blocks as blocks."""
    return (unpack(data) for data in blocks)
