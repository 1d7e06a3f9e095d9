"""Run one job per column over threads; stop quickly when the user interrupts.

Knows callables. The kernels release the GIL, so threads help.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import Any, TypeVar

T = TypeVar("T")


def run_all(
    jobs: Mapping[str, Callable[[], T]], threads: int | None, progress: Callable[[int, int, str], None] | None
) -> dict[str, T]:
    """Return the answer of every job by name, in the order given. The first error by that order is raised."""
    count = min(threads or os.cpu_count() or 1, len(jobs))
    if count <= 1:
        done: dict[str, T] = {}
        for name, job in jobs.items():
            done[name] = job()
            if progress:
                progress(len(done), len(jobs), name)
        return done
    pool = ThreadPoolExecutor(count)
    try:
        futures = {name: pool.submit(job) for name, job in jobs.items()}
        left: set[Any] = set(futures.values())
        while left:
            finished, left = wait(left, timeout=0.1, return_when=FIRST_COMPLETED)
            if progress and finished:
                progress(len(jobs) - len(left), len(jobs), "")
        return {name: future.result() for name, future in futures.items()}
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
