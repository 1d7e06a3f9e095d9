"""Run jobs over threads, and stop within moments when the user interrupts: nobody else makes a thread.

Knows callables. Kernels and Arrow release the interpreter's lock, so threads help.
Laws: `in_order` and `each_in_order` give answers in their order, whichever thread was quicker, and raise the
first error in it; nobody waits for a job that ends by a checkpoint; where no thread can be had, jobs are done
by the caller.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from concurrent.futures import TimeoutError as NotYet
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from numbers import Integral
from typing import Generic, NoReturn, TypeVar

from tallystick.errors import OptionError, shown

S = TypeVar("S")
T = TypeVar("T")
_here = threading.local()
JOBS = 4  # for each thread, or more: the last one to end does not keep the others waiting long
FEW_ROWS = 20_000  # below, a thread costs more than it gives: benchmarks/encode.py, bayes.py and trees.py


class Stopped(Exception):  # noqa: N818  it is not an error: nobody waits for this job any more
    """Raised inside a job whose answer is no longer wanted."""


def checkpoint() -> None:
    """End this job here if nobody waits for it: called between the steps of long jobs."""
    stop = getattr(_here, "stop", None)
    if stop is not None and stop.is_set():
        raise Stopped


def _watched(job: Callable[[], T], stop: threading.Event) -> T:
    _here.stop = stop
    checkpoint()
    return job()


def thread_count(threads: int | None) -> int:
    """Return how many threads to use: the number given, or one for each core this process may use."""
    if threads is None:
        return _cores()
    if type(threads) is int and threads >= 1:
        return threads
    if not isinstance(threads, Integral) or isinstance(threads, bool) or threads < 1:
        raise OptionError(
            f"threads must be a whole number of at least 1, not {shown(threads)}. Leave it out for all cores."
        )
    return int(threads)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


def _pool(count: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(count, thread_name_prefix="tallystick")


class _Once(Generic[T]):
    """A job that is done by whoever comes first."""

    def __init__(self, job: Callable[[], T]) -> None:
        self.job, self.future, self.taken = job, Future[T](), threading.Lock()

    def __call__(self) -> None:
        if not self.taken.acquire(blocking=False):
            return
        try:
            self.future.set_result(self.job())
        except BaseException as error:  # as a pool does: whoever waits is told
            self.future.set_exception(error)


def _begun(pool: ThreadPoolExecutor, job: Callable[[], T], stop: threading.Event | None = None) -> Future[T]:
    """Return the future of a job; where no thread can be started, it is done here."""
    once = _Once(job if stop is None else partial(_watched, job, stop))
    try:
        pool.submit(once)
    except RuntimeError:  # the system gives no more threads
        if once.taken.acquire(blocking=False):
            once.taken.release()
            once.job = job  # nobody stops the caller
            once()
    return once.future


def in_order(jobs: Iterable[Callable[[], T]], threads: int | None = None) -> Iterator[T]:
    """Yield the answer of every job, in order; only a few jobs run ahead, so that memory stays bounded."""
    count = thread_count(threads)
    if count == 1:
        for job in jobs:
            yield job()
        return
    every = _to_the_end(jobs)
    begin = list(islice(every, 2))
    if len(begin) < 2:  # a thread would cost more than it gives
        for job in begin:
            yield job()
        return
    every = chain(begin, every)
    del begin  # a job is let go once it is done
    pool = _pool(count)
    waiting: deque[Future[T]] = deque()
    stop = threading.Event()
    try:
        for job in every:
            waiting.append(_begun(pool, job, stop))
            if len(waiting) > count:
                yield _answer(waiting.popleft())
        while waiting:
            yield _answer(waiting.popleft())
    finally:
        stop.set()  # jobs not begun are dropped; one that runs ends at its next checkpoint, in moments
        pool.shutdown(cancel_futures=True)  # and is waited for: no thread is left behind


def each_in_order(work: Callable[[S], T], items: Sequence[S], threads: int | None = None) -> Iterator[T]:
    """Yield work(item) of every item, in order. Several neighbours are a job, because handing out a job takes
    as long as a small item: for items that are alike, and answers that all are kept.
    """
    count = thread_count(threads)
    size = 1 if count == 1 else max(1, len(items) // (JOBS * count))

    def some(start: int) -> list[T]:
        out = []
        for item in items[start : start + size]:
            checkpoint()
            out.append(work(item))
        return out

    for answers in in_order((partial(some, start) for start in range(0, len(items), size)), count):
        yield from answers


def _to_the_end(jobs: Iterable[Callable[[], T]]) -> Iterator[Callable[[], T]]:
    """Yield the jobs; what ends the walk over them is a last job that raises it, behind those before."""
    try:
        yield from jobs
    except Exception as error:
        yield partial(_raise, error)


def _raise(error: Exception) -> NoReturn:
    raise error


def _answer(future: Future[T]) -> T:
    """Wait in short steps, so that an interrupt is noticed at once on every platform."""
    while True:
        try:
            return future.result(timeout=0.1)
        except NotYet:
            if future.done():
                raise


def as_they_come(jobs: Sequence[Callable[[], T]], threads: int) -> Iterator[T]:
    """Yield the answer of every job, the first that is done first. Whoever stops asking does not wait: jobs
    not begun are dropped, and those under way end unseen at their next checkpoint.
    """
    if threads == 1:
        yield from (job() for job in jobs)
        return
    pool, stop = _pool(min(threads, len(jobs))), threading.Event()
    try:
        for future in as_completed([_begun(pool, job, stop) for job in jobs]):
            yield future.result()
    finally:
        stop.set()
        pool.shutdown(wait=False, cancel_futures=True)


@dataclass(frozen=True)
class Crew:
    """Threads that are kept for many short steps, one after the other."""

    threads: int
    pool: ThreadPoolExecutor

    def __call__(self, step: Callable[[int], T], items: Iterable[int]) -> list[T]:
        """Do a step for all items and wait."""
        return [f.result() for f in [_begun(self.pool, partial(step, i)) for i in items]]


@contextmanager
def crew(threads: int) -> Iterator[Crew]:
    """Yield threads for many short steps; also one alone, so that the caller stays free to see an
    interrupt.
    """
    with _pool(threads) as pool:
        yield Crew(threads, pool)
