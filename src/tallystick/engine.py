"""The engine of this machine, which engine a user's options mean, and the loop that fits a learner.

1. Entry: `Local`: threads take blocks one by one, each adds to its own total, totals are merged at the end.
2. `choose_engine()`: from `engine=`, or `threads=` and `memory=`; both together are refused.
3. Entry: `fit()`: the learner asks, the engine sums, until there is no further question.

total = the sums that answer one Statistic over all blocks.
Laws: the answer is the sum, whatever the number of threads and the order of blocks; memory is one total
per thread and the blocks being summed; an interrupt or an error ends all threads before it leaves `total`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from tallystick.contracts import Block, Engine, Learner, Model, Statistic, Table
from tallystick.errors import OptionError, shown
from tallystick.io.scratch import THREAD, budget
from tallystick.parallel import FEW_ROWS, checkpoint, in_order, thread_count
from tallystick.schema import typed

T = TypeVar("T")
M = TypeVar("M", bound=Model)
Progress = Callable[[int, int], None]  # rows done, rows in all (0 when unknown)
ROWS_DONE = "done, total"  # arguments of a progress callback for rows summed
STEPS_DONE = "done, total, what"  # arguments of a progress callback for other work


def check_progress(progress: Any, called_with: str = ROWS_DONE) -> None:
    """Refuse what cannot be called as work goes on."""
    if progress is not None and not callable(progress):
        raise OptionError(f"progress must be a function of ({called_with}), not {shown(progress)}.")


@dataclass(frozen=True, slots=True, repr=False)
class Local:
    """Work on this machine. None of this changes a model.

    Parameters
    ----------
    threads : int, default None
        How many threads to use; None is one for each core, with `memory` at most one for each 16 MB of it.
    memory : str or int, default None
        How much memory to work in, such as "1GB": the rows are then kept on disk. None is all in memory.
    progress : callable, default None
        progress(rows done, rows in all) is called while rows are summed.

    Examples
    --------
    >>> import tallystick as ts
    >>> ts.NaiveBayes(engine=ts.Local(threads=2, memory="1GB"))
    NaiveBayes(engine=Local(threads=2, memory='1GB'))
    """

    threads: int | None = None
    memory: int | str | None = None
    progress: Progress | None = None

    def __post_init__(self) -> None:
        if self.threads is not None:
            thread_count(self.threads)
        if self.memory is not None:
            budget(self.memory)
        check_progress(self.progress)

    __repr__ = typed

    def __deepcopy__(self, memo: Any) -> Local:
        return self  # immutable, and a progress bar cannot be copied

    @property
    def cores(self) -> int:
        """How many threads may work."""
        return thread_count(self.threads)

    def total(self, table: Table, question: Statistic[T]) -> T:
        """Return the question's total over the whole table."""
        from tallystick.table.table import LocalTable  # not loaded for prediction alone

        if isinstance(table, LocalTable):
            found: T | None = question.solve(table, self)
            if found is not None:
                return found
        return self.summed(table, question)

    def summed(self, table: Table, question: Statistic[T]) -> T:
        """Return the total by going over the rows."""
        rows = table.rows
        count = 1 if 0 < rows <= FEW_ROWS else self.cores
        if count == 1 and self.progress is None:
            return _one_by_one(table, question)
        work = _Work(table.blocks(), question, rows, self.progress)
        for _ in in_order([work.run] * count, count):
            pass
        return work.merged()


def _one_by_one(table: Table, question: Statistic[T]) -> T:
    """Add block after block: for a small table threads cost more than they save."""
    total = question.zero()
    for block in table.blocks():
        total = question.add(total, block)
    return total


@dataclass
class _Work(Generic[T]):
    """The queue of blocks, and the totals of the threads."""

    blocks: Iterator[Block]
    question: Statistic[T]
    rows: int
    progress: Progress | None
    done: int = 0
    totals: list[T] = field(default_factory=list)
    failed: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def next_block(self) -> Block | None:
        """Hand out one block; blocks come from one iterator, so one thread at a time."""
        checkpoint()
        with self.lock:
            return None if self.failed else next(self.blocks, None)

    def run(self) -> None:
        """Take blocks until there are none, or somebody failed with one."""
        total = self.question.zero()
        try:
            while (block := self.next_block()) is not None:
                total = self.question.add(total, block)
                with self.lock:
                    self.done += block.rows
                    if self.progress is not None:
                        self.progress(self.done, self.rows)
        except BaseException:
            self.failed = True
            raise
        self.totals.append(total)

    def merged(self) -> T:
        """Return the one total; the merge law makes its order free."""
        if not self.totals:
            return self.question.zero()
        first = self.totals[0]
        for other in self.totals[1:]:
            first = self.question.merge(first, other)
        return first


# The engine from a user's options.

PLAIN = Local()  # the default, made once


def choose_local(engine: Any, threads: int | None, memory: int | str | None) -> Local:
    """Return how work is done on this machine: also rows that another engine sums are read here."""
    if not isinstance(engine, Local):
        return PLAIN if threads is None and memory is None else _few_enough(Local(threads, memory))
    given: dict[str, Any] = {
        name: value for name, value in (("threads", threads), ("memory", memory)) if value is not None
    }
    for name in given:
        if getattr(engine, name) is not None:
            raise OptionError(f"{name}= and engine=ts.Local({name}=) were both given. Pass one of them.")
    return _few_enough(replace(engine, **given) if given else engine)


def _few_enough(work: Local) -> Local:
    """Return the engine with no more threads than its memory has room for, unless their number was given."""
    if work.memory is None or work.threads is not None:
        return work
    most = budget(work.memory) // THREAD
    return work if thread_count(None) <= most else replace(work, threads=most)


def choose_engine(engine: Any, threads: int | None, memory: int | str | None) -> Engine:
    """Return the engine that a user's options mean."""
    if engine is None or isinstance(engine, Local):
        return choose_local(engine, threads, memory)
    if not hasattr(engine, "total"):
        raise OptionError(f"engine must be ts.Local(...), ts.Spark(...) or ts.Sql(...), not {shown(engine)}.")
    found: Engine = engine
    return found


# The loop. The model depends on the totals alone.


def fit(learner: Learner[M], table: Table, engine: Engine) -> M:
    """Return the fitted model: sum what the learner asks for until it has no further question."""
    questions = learner.learn(table.schema)
    total = None  # the first send to a generator
    while True:
        try:
            question = questions.send(total)
        except StopIteration as end:
            model: M = end.value
            return model
        total = None  # the last one is not kept while the next is made
        total = engine.total(table, question)
