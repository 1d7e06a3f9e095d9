"""A program that works until it is interrupted: sums of a table without end, or one tree after another.

    python endless_work.py sums
    python endless_work.py STEP THREADS     grow trees; "ready" is said when growing has reached this step

It prints `ready` when the work has begun, and after the interrupt one line: `interrupted`, how many threads
are left that are not kept for the next call, its processor time so far, and whether it rests now.
"""

from __future__ import annotations

import sys
import threading
import time

import numpy as np

import tallystick as ts
from tallystick.engine import Local
from tallystick.kernels.trees import Grower
from tallystick.parallel import KEPT
from tallystick.stats.class_counts import Ask, BayesSums
from tallystick.table.block import RowBlock as Block


def sum_without_end() -> None:
    rows, columns, size = 5_000_000, 20, 65_536
    rng = np.random.default_rng(0)
    codes = {f"c{j}": rng.integers(0, 50, rows).astype(np.uint8) for j in range(columns)}
    classes = rng.integers(0, 2, rows).astype(np.uint8)

    class Table:
        def __init__(self) -> None:
            self.rows = rows

        def holds(self, row_bytes):
            return True

        def blocks(self):
            while True:
                for a in range(0, rows, size):
                    b = a + size
                    yield Block(len(classes[a:b]), {n: c[a:b] for n, c in codes.items()}, classes[a:b])

    print("ready", flush=True)
    Local(2).total(Table(), BayesSums(tuple(Ask(n, "codes", 50) for n in codes), 2))


def grow_without_end(step: str, threads: int) -> None:
    real, begun = getattr(Grower, step), False

    def watched(*given):
        nonlocal begun
        if not begun:
            begun = True
            print("ready", flush=True)
        return real(*given)

    setattr(Grower, step, watched)
    rng = np.random.default_rng(0)
    X = rng.random((500_000, 20), np.float32)
    y = rng.integers(0, 2, len(X))  # noise: a tree of a hundred thousand leaves
    while True:
        ts.DecisionTree(threads=threads).fit(X, y)


if __name__ == "__main__":
    try:
        sum_without_end() if sys.argv[1] == "sums" else grow_without_end(sys.argv[1], int(sys.argv[2]))
    except KeyboardInterrupt:
        now = time.process_time()
        time.sleep(0.2)  # a thread that was being started as the signal came ends by itself
        rests = time.process_time() - now < 0.05
        left = [t for t in threading.enumerate() if not t.name.startswith(KEPT)]
        print("interrupted", len(left), now, rests, flush=True)
