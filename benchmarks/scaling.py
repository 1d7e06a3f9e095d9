"""How much of a fit and of a prediction one thread does alone, and what more threads than cores cost.

    python benchmarks/scaling.py [part ...]     bayes gaussian levels logistic tree card; fit predict

2 million rows x 20 columns of float32. Threads do the work of a table, and the caller waits for them: so the
processor time of the caller, while two threads work, is what nobody else can do meanwhile. A share s of one
thread lets 16 cores be 1 / (s + (1 - s) / 16) times as fast as one (Amdahl): 9.1 times for s = 0.05. The
processor time of 1, 2, 4 and 8 threads tells what threads cost that wait for a core. These figures hold on a
busy machine too; how much sooner two threads are done than one is told by the clock, and only on an idle one.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from turns import ROUNDS, Figure

import tallystick as ts

ROWS, COLUMNS = 2_000_000, 20
THREADS = (1, 2, 4, 8)


def numbers() -> tuple[np.ndarray, np.ndarray]:
    """Return a matrix of float32, half of its columns with something to tell, and two classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, ROWS)
    X = rng.normal(size=(ROWS, COLUMNS)).astype(np.float32)
    X[:, : COLUMNS // 2] += 0.3 * y[:, None].astype(np.float32)
    return X, y


def small_integers() -> tuple[np.ndarray, np.ndarray]:
    """Return a matrix of levels and two classes."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, ROWS)
    return (rng.integers(0, 8, (ROWS, COLUMNS)) + y[:, None]) % 9, y


LEVELS = {f"x{j}": "levels" for j in range(COLUMNS)}
METHODS: dict[
    str,
    tuple[Callable[..., ts.NaiveBayes | ts.LogisticRegression | ts.DecisionTree | ts.Scorecard], Callable],
] = {
    "bayes": (ts.NaiveBayes, numbers),
    "gaussian": (lambda **given: ts.NaiveBayes(distributions="gaussian", **given), numbers),
    "levels": (lambda **given: ts.NaiveBayes(kinds=LEVELS, **given), small_integers),
    "logistic": (ts.LogisticRegression, numbers),
    "tree": (lambda **given: ts.DecisionTree(max_depth=8, **given), numbers),
    "card": (ts.Scorecard, numbers),
}


class Spent(NamedTuple):
    """Seconds of one run: processor time of all threads and of the calling one, and the clock's."""

    everyone: float
    caller: float
    clock: float


def spent(work: Callable[[], object]) -> Spent:
    """Return what one run takes."""
    everyone, caller, clock = time.process_time(), time.thread_time(), time.perf_counter()
    work()
    return Spent(time.process_time() - everyone, time.thread_time() - caller, time.perf_counter() - clock)


def told(name: str, work: dict[int, Callable[[], object]]) -> Iterator[tuple[str, Figure]]:
    """Yield the share of the calling thread where two work, how much sooner these are done than one, and the
    processor time of the most threads in times of one: rounds in turn.
    """
    work[2]()  # modules are loaded, and tables of logarithms made
    found = [{threads: spent(job) for threads, job in work.items()} for _ in range(ROUNDS)]
    most = THREADS[-1]
    line = "  ".join(f"{t}: {1000 * Figure(own[t].everyone for own in found):.0f} ms" for t in THREADS)
    print(f"  {name}: processor time by threads  {line}", flush=True)
    yield f"{name}: share of one thread", Figure(own[2].caller / own[2].everyone for own in found)
    yield f"{name}: two threads, x faster than one", Figure(own[1].clock / own[2].clock for own in found)
    yield (
        f"{name}: processor time of {most} threads, in times of 1",
        Figure(own[most].everyone / own[1].everyone for own in found),
    )


def of(method: str, parts: tuple[str, ...] = ("fit", "predict")) -> Iterator[tuple[str, Figure]]:
    """Yield the figures of one method."""
    make, rows = METHODS[method]
    X, y = rows()
    if "fit" in parts:
        yield from told(f"{method}, fit", {t: (lambda t=t: make(threads=t).fit(X, y)) for t in THREADS})
    if "predict" in parts:
        models = {t: make(threads=t).fit(X[:100_000], y[:100_000]) for t in THREADS}
        yield from told(f"{method}, predict", {t: (lambda m=m: m.predict(X)) for t, m in models.items()})


def figures() -> list[tuple[str, float]]:
    """Return all figures."""
    warnings.simplefilter("ignore")
    return [figure for method in METHODS for figure in of(method)]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    asked = sys.argv[1:]
    wanted = tuple(part for part in ("fit", "predict") if part in asked) or ("fit", "predict")
    for method in [m for m in METHODS if m in asked] or METHODS:
        for name, figure in of(method, wanted):
            print(f"{name:<60} {figure:8.3f} ({figure.low:.3f} to {figure.high:.3f})", flush=True)
