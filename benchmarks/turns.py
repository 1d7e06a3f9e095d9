"""Works that are timed in turn, round by round, and what comes of it: a figure with its spread.

A machine that slows down for a while slows all who are compared, so the ratio is taken within each round. The
figure is the middle round's; its spread reaches from the lowest to the highest.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import median

ROUNDS = 5
REST = 0.1  # seconds: threads of OpenBLAS spin on after a product, and take a core from who comes next
Work = Callable[[], object]
Clock = Callable[[], float]


class Figure(float):
    """The median of some rounds; low and high are the ends of their spread."""

    low: float
    high: float

    def __new__(cls, rounds: Iterable[float]) -> Figure:
        """Return the figure of some rounds."""
        values = sorted(rounds)
        made = super().__new__(cls, median(values))
        made.low, made.high = values[0], values[-1]
        return made

    def __mul__(self, by: float) -> Figure:
        """Return the figure in another unit, its spread with it."""
        return Figure((self.low * by, float(self) * by, self.high * by))


def timed(work: Work, clock: Clock = time.perf_counter) -> float:
    """Return the seconds of one run, when threads that another library left waiting in a loop have gone."""
    gc.collect()
    time.sleep(REST)
    start = clock()
    work()
    return clock() - start


def in_turn(*works: Work, rounds: int = ROUNDS, clock: Clock = time.perf_counter) -> list[list[float]]:
    """Return seconds[work][round], one work after the other in every round."""
    times = [[timed(work, clock) for work in works] for _ in range(rounds)]
    return [list(column) for column in zip(*times, strict=True)]


def over(of: list[float], to: list[float]) -> Figure:
    """Return the seconds of one work over those of another, round by round."""
    return Figure(a / b for a, b in zip(of, to, strict=True))


def ratio(of: Work, to: Work, rounds: int = ROUNDS, clock: Clock = time.perf_counter) -> Figure:
    """Return how many times as long the first takes as the second: `ratio(peer, ours)` is "x faster"."""
    return over(*in_turn(of, to, rounds=rounds, clock=clock))


def seconds(work: Work, rounds: int = ROUNDS, runs: int = 1, clock: Clock = time.perf_counter) -> Figure:
    """Return the seconds of one run; runs: how many make up a round."""
    return Figure(timed(lambda: [work() for _ in range(runs)], clock) / runs for _ in range(rounds))


def repeated(measure: Callable[[], float], rounds: int = ROUNDS) -> Figure:
    """Return the figure of something that is measured in a way of its own, such as a peak of memory."""
    return Figure(measure() for _ in range(rounds))


class Others:
    """How much of the processor others take meanwhile, in cores; None where the system does not tell."""

    def __init__(self) -> None:
        self.began = self._now()

    def cores(self) -> float | None:
        """Return the share that others have taken since the beginning."""
        if self.began is None or (now := self._now()) is None:
            return None
        clock, busy, own = (b - a for a, b in zip(self.began, now, strict=True))
        return max(busy - own, 0.0) / max(clock, 1e-9)

    @staticmethod
    def _now() -> tuple[float, float, float] | None:
        """Return the clock, the processor's busy seconds, and those of this process and what it started."""
        try:
            first = Path("/proc/stat").read_text().partition("\n")[0]
            user, nice, system, _, _, *interrupts = first.split()[1:8]
        except (OSError, ValueError):
            return None
        ticks = sum(int(v) for v in (user, nice, system, *interrupts))
        return time.monotonic(), ticks / os.sysconf("SC_CLK_TCK"), sum(os.times()[:4])
