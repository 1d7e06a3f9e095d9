"""How long it takes to describe a large and a wide CSV, beside pyarrow reading the same file.

    python benchmarks/describe.py [MB]     the large file in megabytes: 200, or for example 1000

Each figure is of fresh processes, ours and the peer's in turn, in seconds of the clock;
starting Python and importing is not counted. Files are made in a temporary folder.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from turns import ROUNDS, Figure, over, repeated

OURS = """
import json, re, sys, time
import tallystick as ts
def peak():  # of this process alone; what getrusage tells begins with the parent's
    return int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) * 1024
ts.describe(sys.argv[2])
before = peak()
started = time.perf_counter()
ts.describe(sys.argv[1])
took = time.perf_counter() - started
print(json.dumps([took, peak() - before]))
"""
PEER = """
import json, sys, time
import pyarrow.csv as csv
csv.read_csv(sys.argv[2])
started = time.perf_counter()
csv.read_csv(sys.argv[1])
print(json.dumps([time.perf_counter() - started, 0]))
"""


def write_mixed(path: Path, megabytes: int) -> None:
    """Write numbers, few and many levels, dates, texts with commas and quotes, and gaps."""
    import numpy as np
    import polars as pl

    rng, rows = np.random.default_rng(1), 200_000
    notes = ["none", "see file", "late, but paid", 'said "no"', "moved"]
    with open(path, "wb") as out:
        while out.tell() < megabytes << 20:
            frame = pl.DataFrame(
                {
                    "real": rng.normal(size=rows),
                    "price": np.round(rng.gamma(2, 50, rows), 2),
                    "age": rng.integers(18, 90, rows),
                    "city": rng.choice([f"city {i}" for i in range(300)], rows),
                    "flag": rng.choice(["true", "false"], rows),
                    "day": (np.datetime64("2020-01-01") + rng.integers(0, 2000, rows)).astype(str),
                    "user": [f"u{v}" for v in rng.integers(0, 50_000, rows)],
                    "half": [None if v < 0.3 else round(v, 4) for v in rng.random(rows).tolist()],
                    "note": rng.choice(notes, rows),
                }
            )
            out.write(frame.write_csv(include_header=out.tell() == 0).encode())


def write_wide(path: Path) -> None:
    """Write 200 rows of 10,000 columns, a third of them levels."""
    import numpy as np

    rng = np.random.default_rng(0)
    with open(path, "w", encoding="utf-8") as out:
        out.write(",".join(f"c{j}" for j in range(10_000)) + "\n")
        for row in rng.normal(size=(200, 10_000)):
            cells = [f"{v:.4f}" if j % 3 else "abc"[int(v * 9) % 3] for j, v in enumerate(row)]
            out.write(",".join(cells) + "\n")


def measured(code: str, path: Path, small: Path) -> tuple[float, float]:
    """Return seconds and bytes of memory of one fresh process."""
    done = subprocess.run(
        [sys.executable, "-c", code, str(path), str(small)], check=True, capture_output=True, text=True
    )
    seconds, size = json.loads(done.stdout)
    return seconds, size


def figures(megabytes: int = 200) -> list[tuple[str, float]]:
    with tempfile.TemporaryDirectory() as folder:
        large, wide, small = (Path(folder) / name for name in ("large.csv", "wide.csv", "small.csv"))
        write_mixed(large, megabytes)
        write_wide(wide)
        small.write_text("a,b\n1.5,x\n2.5,y\n", encoding="utf-8")
        rounds = [(measured(PEER, large, small), measured(OURS, large, small)) for _ in range(ROUNDS)]
        size = large.stat().st_size
        across = repeated(lambda: measured(OURS, wide, small)[0])
    return [
        ("mixed csv: times pyarrow's reading", over([o[0] for _, o in rounds], [p[0] for p, _ in rounds])),
        ("mixed csv: peak memory, in files", Figure(o[1] / size for _, o in rounds)),
        ("200 x 10,000 csv, seconds", across),
    ]


if __name__ == "__main__":
    for name, figure in figures(int(sys.argv[1]) if len(sys.argv) > 1 else 200):
        print(f"{name:<56} {figure:.3f}")
