"""Jobs over threads, which stop within moments when the user interrupts; threads are made only here.

Entry: `in_order()`, `each_in_order()`, `as_they_come()`, `crew()`. checkpoint = a call inside a job that ends
it when its answer is no longer wanted. Kernels and Arrow release the interpreter's lock, so threads help.
Laws: `in_order` and `each_in_order` give answers in their order, whichever thread was quicker, and raise the
first error in it; no caller waits for a job that ends by a checkpoint; no job is left behind, while threads
wait for the next call of `in_order`, since to start one takes longer than a small job; where no thread can be
had, the caller does the jobs; a thread that was bound to one core gets its cores back after its work.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from concurrent.futures import TimeoutError as NotYet
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from numbers import Integral
from operator import length_hint
from typing import Generic, NoReturn, TypeVar

from tallystick.errors import OptionError, shown

S = TypeVar("S")
T = TypeVar("T")
FEW_ROWS = 20_000  # rows, below which threads do not pay: benchmarks/encode.py, bayes.py and trees.py
STRETCH = 65_536  # rows that a thread takes at a time, at least
MOMENT = 5e-5  # seconds in which a woken thread can move to a core of its own
MOST_THREADS = 4096  # no machine runs more at once, and answers do not depend on how many there are


class _Here(threading.local):
    """The state of a thread's job: what stops it, and whether it is bound to one core."""

    stop: threading.Event | None = None
    on_core = False


_here = _Here()


class Stopped(Exception):  # noqa: N818  it is not an error: nobody waits for this job any more
    """Raised inside a job whose answer is no longer wanted."""


def checkpoint() -> None:
    """End this job here if nobody waits for it: called between the steps of long jobs."""
    if _here.stop is not None and _here.stop.is_set():
        raise Stopped


def thread_count(threads: int | None) -> int:
    """Return how many threads to use: the number given, or one for each core this process may use."""
    if threads is None:
        return len(_cores_here()) or os.cpu_count() or 1
    if type(threads) is int and threads >= 1:
        return min(threads, MOST_THREADS)
    if not isinstance(threads, Integral) or isinstance(threads, bool) or threads < 1:
        raise OptionError(
            f"threads must be a whole number of at least 1, not {shown(threads)}. Leave it out for all cores."
        )
    return min(int(threads), MOST_THREADS)


def _cores_here() -> list[int]:
    """Return the cores that this thread may use; none where the system does not tell."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def _pool(count: int, name: str = "tallystick") -> ThreadPoolExecutor:
    return ThreadPoolExecutor(count, thread_name_prefix=name)


KEPT = "tallystick-kept"  # name of the threads that wait for the next call
_idle: dict[int, ThreadPoolExecutor] = {}  # by their threads: the one pool that nobody uses


def _end_idle() -> None:
    while _idle:
        _idle.popitem()[1].shutdown()


if hasattr(os, "register_at_fork"):  # threads stay with the parent, and Python warns of a fork beside them
    os.register_at_fork(before=_end_idle, after_in_child=_idle.clear)


class _Once(Generic[T]):
    """A job that is done by whoever comes first; once it is stopped, to its next checkpoint at most."""

    def __init__(self, job: Callable[[], T], stop: threading.Event | None = None) -> None:
        self.job, self.stop, self.future, self.taken = job, stop, Future[T](), threading.Lock()
        self.by_caller = False

    def __call__(self) -> None:
        if not self.taken.acquire(blocking=False):
            return
        before, _here.stop = _here.stop, self.stop
        try:
            checkpoint()
            self.future.set_result(self.job())
        except BaseException as error:  # as a pool does: whoever waits hears of it
            if self.future.done():  # an interrupt of the caller, who did it: the answer is there
                raise
            self.future.set_exception(error)
        finally:
            _here.stop = before


def _begun(pool: ThreadPoolExecutor, job: Callable[[], T], stop: threading.Event | None = None) -> _Once[T]:
    """Return a job that a thread will do; where none can be started, it is done here."""
    once = _Once(job, stop)
    try:
        pool.submit(once)
    except RuntimeError:  # the system gives no more threads
        if once.taken.acquire(blocking=False):
            once.taken.release()
            once.by_caller = True
            once.stop = _here.stop  # nobody else stops the caller
            once()
    return once


def in_order(jobs: Iterable[Callable[[], T]], threads: int | None = None) -> Iterator[T]:
    """Yield the answer of every job, in order; only a few jobs run ahead, so that memory stays bounded."""
    count = 1 if _here.on_core else thread_count(threads)  # on one core, threads would wait for each other
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
    pool = _idle.pop(count, None) or _pool(count, KEPT)
    waiting: deque[_Once[T]] = deque()
    stop, alone, done = threading.Event(), False, False
    try:
        for job in every:
            waiting.append(_begun(pool, job, stop))
            alone = alone or waiting[-1].by_caller
            if len(waiting) > count:
                yield _answer(waiting)
        while waiting:
            yield _answer(waiting)
        done = True
    finally:
        if done and not alone:  # else a job that no thread could be had for lies in the pool's line
            _idle.clear()  # what lay there ends
            _idle[count] = pool
        else:
            stop.set()  # jobs not begun are dropped; one that runs ends at its next checkpoint, in moments
            pool.shutdown(cancel_futures=True)  # and is waited for


def shared_out(rows: int, threads: int | None = None, shares: int = 8) -> list[slice]:
    """Return stretches of rows for threads to take, so many for each: fewer are begun less often, more of
    them end together; one of no rows where there are none. They are not long, so that memory does not grow
    with the rows, and an interrupt need not wait.
    """
    size = min(max(STRETCH, -(-rows // (shares * thread_count(threads)))), 8 * STRETCH)
    return [slice(start, min(start + size, rows)) for start in range(0, max(rows, 1), size)]


def _on_cores(work: Callable[[], None], count: int) -> list[Callable[[], None]]:
    """Return jobs for so many threads that do the same work. Where they are as many as the cores, each stays
    on one: a system may wake two on the same (the kernel of a guest takes a core that sleeps for one in use),
    and leave them there for longer than a prediction takes.
    """
    cores = _cores_here()
    if _here.on_core or len(cores) != count or count == 1:
        return [work] * count
    caller = threading.get_ident()
    return [partial(_on_core, work, core, caller) for core in cores]


def _on_core(work: Callable[[], None], core: int, caller: int) -> None:
    """Do the work on one core; the thread has its own cores again afterwards. The caller, who does it where
    no thread can be had, stays free: an interrupt comes to that thread alone, and could leave it there.
    """
    if threading.get_ident() == caller:
        return work()
    before = os.sched_getaffinity(0)
    try:
        with suppress(OSError):  # the system does not allow it
            os.sched_setaffinity(0, {core})
            _here.on_core = True
            time.sleep(MOMENT)
        work()
    finally:
        _here.on_core = False
        with suppress(OSError):  # the cores of the process were changed meanwhile
            os.sched_setaffinity(0, before)


def each_in_order(
    work: Callable[[S], T], items: Iterable[S], threads: int | None = None, *, on_cores: bool = False
) -> list[T]:
    """Return work(item) of every item, in order. Threads take items one by one, since handing out a job takes
    as long as a small item; answers are all kept. on_cores: each thread stays on one core, where there are as
    many threads as cores. That is for kernels over rows alone: threads that wait for Python's lock gain
    nothing, and threads or processes that the work starts would stay on its core.
    """
    lock, left = threading.Lock(), enumerate(_to_the_end(partial(work, item) for item in items))
    found: dict[int, T] = {}
    failed: dict[int, BaseException] = {}

    def some() -> None:
        while True:
            checkpoint()
            with lock:
                taken = None if failed else next(left, None)
            if taken is None:
                return
            at, job = taken
            try:
                found[at] = job()
            except BaseException as error:  # whoever has an item before this one goes on: it may fail too
                failed[at] = error
            del taken, job  # an item is let go before the next is made

    count = thread_count(threads)
    count = max(1, min(count, length_hint(items, count)))
    for _ in in_order(_on_cores(some, count) if on_cores else [some] * count, threads):
        pass
    if failed:
        first = failed[min(failed)]
        try:
            raise first
        finally:
            failed.clear()  # an error holds its frames: these shall not hold it
            del first
    return [found[at] for at in range(len(found))]


def _to_the_end(jobs: Iterable[Callable[[], T]]) -> Iterator[Callable[[], T]]:
    """Yield the jobs; what ends the walk over them is a last job that raises it, behind those before."""
    try:
        yield from jobs
    except Exception as error:
        yield partial(_raise, error)


def _raise(error: Exception) -> NoReturn:
    raise error


def _answer(waiting: deque[_Once[T]]) -> T:
    """Take the first answer. Wait in short steps: so an interrupt is noticed at once on every platform."""
    while True:
        try:
            found = waiting[0].future.result(timeout=0.1)
        except NotYet:
            if not waiting[0].future.done():
                continue
            found = waiting[0].future.result()  # it was done just now, or raised this itself
        waiting.popleft()
        return found


def as_they_come(jobs: Sequence[Callable[[], T]], threads: int) -> Iterator[T]:
    """Yield the answer of every job, the first that is done first. Whoever stops asking does not wait: jobs
    not begun are dropped, and those under way end unseen at their next checkpoint.
    """
    if threads == 1:
        yield from (job() for job in jobs)
        return
    pool, stop = _pool(min(threads, len(jobs))), threading.Event()
    try:
        for future in as_completed([_begun(pool, job, stop).future for job in jobs]):
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
        return [once.future.result() for once in [_begun(self.pool, partial(step, i)) for i in items]]


@contextmanager
def crew(threads: int) -> Iterator[Crew]:
    """Yield threads for many short steps; also one alone, so that the caller stays free to see an
    interrupt.
    """
    with _pool(threads) as pool:
        yield Crew(threads, pool)
