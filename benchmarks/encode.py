"""From raw tables to codes and ranks, beside pandas, NumPy and scikit-learn; and the memory it takes.

python benchmarks/encode.py     prints every figure with its spread

Adult comes from $TALLYSTICK_DATA; without it that figure is left out.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.preprocessing import OrdinalEncoder
from turns import Figure, ratio, repeated

from tallystick.io.open import open_source
from tallystick.table.reader import read_table


def adult() -> tuple[str, Figure]:
    folder = Path(os.environ["TALLYSTICK_DATA"]) / "adult"
    train = gzip.decompress((folder / "adult-train.csv.gz").read_bytes())
    test = gzip.decompress((folder / "adult-test.csv.gz").read_bytes())
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "adult.csv"
        path.write_bytes(train + test.split(b"\n", 1)[1])

        def peer() -> object:
            return OrdinalEncoder().fit_transform(pd.read_csv(path))

        found = ratio(peer, lambda: read_table(open_source(path), threads=2))
        return "adult csv: x faster than pandas + OrdinalEncoder", found


def doubles() -> tuple[str, Figure]:
    matrix = np.random.default_rng(0).normal(size=(1_000_000, 30))

    def peer() -> object:
        return [np.unique(matrix[:, j], return_inverse=True) for j in range(30)]

    def ours() -> object:
        table = read_table(open_source(matrix), threads=2)
        table.rank_all(threads=2)
        return table

    return "1M x 30 doubles to ranks: x faster than numpy.unique", ratio(peer, ours)


def strings() -> tuple[str, Figure]:
    rng = np.random.default_rng(0)
    levels = np.array([f"level {i:03d}" for i in range(100)])
    frame = pd.DataFrame({f"c{j}": levels[rng.integers(0, 100, 1_000_000)] for j in range(8)})
    found = ratio(
        lambda: OrdinalEncoder().fit_transform(frame), lambda: read_table(open_source(frame), threads=2)
    )
    return "1M x 8 strings to codes: x faster than OrdinalEncoder", found


# Run alone, so that nothing but the input and the encoding is in memory.
MEMORY = """
import sys, json, gc
import numpy as np, pandas as pd, pyarrow, pyarrow.compute, pyarrow.csv
from tallystick.table.reader import read_table
from tallystick.io.open import open_source

def status(key):
    for line in open("/proc/self/status"):
        if line.startswith(key):
            return int(line.split()[1]) * 1024

read_table(open_source({"a": ["x", "y"], "b": [1.5, 2.5]}))
rng = np.random.default_rng(0)
if sys.argv[1] == "doubles":
    x = rng.normal(size=(1_000_000, 30)); size = x.nbytes
elif sys.argv[1] == "strings":
    levels = np.array([f"level {i:03d}" for i in range(100)])
    x = pd.DataFrame({f"c{j}": levels[rng.integers(0, 100, 1_000_000)] for j in range(8)})
    size = int(x.memory_usage(deep=True).sum())
else:
    x = sys.argv[2]; size = __import__("os").path.getsize(x)
gc.collect()
pyarrow.default_memory_pool().release_unused()
before = status("VmRSS")
open("/proc/self/clear_refs", "w").write("5")
table = read_table(open_source(x), threads=2)
if sys.argv[1] == "doubles":
    table.rank_all(threads=2)
print(json.dumps([(status("VmHWM") - before) / size, size]))
"""


def write_csv(path: str) -> None:
    rng = np.random.default_rng(0)
    rows = 300_000
    frame = pd.DataFrame({f"n{j}": rng.normal(size=rows).round(6) for j in range(6)})
    for j in range(6):
        frame[f"w{j}"] = np.array([f"level {i}" for i in range(50)])[rng.integers(0, 50, rows)]
    frame.to_csv(path, index=False)


def memory() -> list[tuple[str, float]]:
    found = []
    with tempfile.TemporaryDirectory() as place:
        path = str(Path(place) / "table.csv")
        write_csv(path)
        for case in ("doubles", "strings", "csv"):
            found.append((case, repeated(partial(peak, case, path))))
    return found


def peak(case: str, path: str) -> float:
    """Return the peak of a process of its own, in inputs."""
    command = [sys.executable, "-c", MEMORY, case, path]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(json.loads(done.stdout)[0])


def races() -> list[tuple[str, Figure]]:
    return [
        race() for race in (adult, doubles, strings) if race is not adult or "TALLYSTICK_DATA" in os.environ
    ]


def figures() -> list[tuple[str, float]]:
    """Return every figure that has a target."""
    return [*races(), ("peak memory beyond the input, in inputs", max(share for _, share in memory()))]


def main() -> None:
    for name, found in races():
        print(f"{name:<56} {found:6.2f} times ({found.low:.2f} to {found.high:.2f})", flush=True)
    for case, share in memory():
        print(f"{'peak memory beyond the input: ' + case:<56} {share:6.2f} inputs", flush=True)


if __name__ == "__main__":
    main()
