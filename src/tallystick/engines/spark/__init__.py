"""Sum on Spark: rows lie in packed blocks that Spark keeps; each question is a pass over them.

    DataFrame --read.py--> packed blocks, kept by Spark --Spark.total--> a total per partition --tree--> sum

Every partition gives one total, and totals are merged in a tree: no accumulator, so a task that is tried
again or run twice counts once. Questions and totals travel by Spark's own serializer. Knows Spark's RDDs.
Knows nothing of columns or models, and imports pyspark only when it is given a table.
Law: the answer is the sum, whatever the partitions, their order, and what failed on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from tallystick.contracts import Block, Statistic, Table
from tallystick.data.schema import typed
from tallystick.data.table.block import pack, unpack
from tallystick.engines.local import check_progress
from tallystick.engines.spark.frames import rows_sent
from tallystick.engines.spark.table import SparkTable
from tallystick.engines.spark.workers import is_connect, merged_there, plain_errors, settle

T = TypeVar("T")
Progress = Callable[[int, int], None]


@dataclass(frozen=True, repr=False)
class Spark:
    """Let Spark sum rows that lie here. Rows in a Spark DataFrame are summed where they are without this.

    Parameters
    ----------
    session : SparkSession, default None
        Who sums; None is the session that is active.
    progress : callable, default None
        progress(rows done, rows in all) is called after each pass over the rows.

    Examples
    --------
    >>> import tallystick as ts
    >>> ts.NaiveBayes(engine=ts.Spark())
    NaiveBayes(engine=Spark())
    """

    session: Any = None
    progress: Progress | None = None

    def __post_init__(self) -> None:
        check_progress(self.progress)

    __repr__ = typed

    def __deepcopy__(self, memo: Any) -> Spark:
        return self  # a session cannot be copied

    def total(self, table: Table, question: Statistic[T]) -> T:
        """Return the question's total over the whole table."""
        with plain_errors():
            if isinstance(table, SparkTable):
                found = table.asked(question, self.sum)
            else:
                found = self.sum(self._sent(table), question)
        if self.progress is not None:
            self.progress(table.rows, table.rows)
        return found  # type: ignore[no-any-return]

    def _sent(self, table: Table) -> Any:
        """Return the blocks of a table that lies here, sent to the workers."""
        session = self.session
        if session is None:
            from pyspark.sql import SparkSession

            session = SparkSession.builder.getOrCreate()
        packed = [pack(block) for block in table.blocks()]  # type: ignore[arg-type]
        parts = max(min(len(packed), 8), 1)
        if is_connect(session):
            return rows_sent(session, packed, parts).map(unpack)
        return session.sparkContext.parallelize(packed, parts).map(unpack)

    @staticmethod
    def sum(blocks: Any, question: Statistic[T]) -> T:
        """Return the sum over an RDD of blocks."""
        if blocks.getNumPartitions() == 0:
            return question.zero()
        return merged_there(blocks.mapPartitions(Sum(question)), question.merge)


class Sum:
    """The work of one partition: its blocks, one after the other, to one total."""

    def __init__(self, question: Statistic[Any]) -> None:
        self.question = question

    def __call__(self, blocks: Iterable[Block]) -> Iterator[Any]:
        """Yield the total."""
        settle()
        total = self.question.zero()
        for block in blocks:
            total = self.question.add(total, block)
        yield total
