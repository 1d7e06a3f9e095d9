"""`tally predict` streams: its memory does not grow with the rows. Each run is a process of its own."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import tallystick as ts

pytestmark = pytest.mark.slow

RUN = """
import re, sys
from tallystick.cli.main import run
assert run(sys.argv[1:], debug=True) == 0
status = open("/proc/self/status").read()
print(int(re.search(r"VmHWM:\\s+(\\d+)", status)[1]) * 1024, file=sys.stderr)
"""
ROWS = 20_000  # in a piece of a file, 1.1 MB


@pytest.fixture(scope="module")
def piece():
    rng = np.random.default_rng(3)
    numbers = rng.normal(size=(ROWS, 5)).round(4)
    return "".join(
        ",".join([*map(str, row), f"city {i % 300}", "ab"[i % 2], "pq"[int(row[0] > 0)]]) + "\n"
        for i, row in enumerate(numbers.tolist())
    )


def peak(folder, piece: str, pieces: int, ending: str) -> tuple[int, int]:
    """Predict a file of so many pieces; return its size and the most memory the process had."""
    path, out = folder / "new.csv", folder / f"out.{ending}"
    with open(path, "w") as file:
        file.write("a,b,c,d,e,city,w,y\n")
        file.writelines([piece] * pieces)
    args = ["predict", str(folder / "m.tally.json"), str(path), "-o", str(out), "--proba", "--keep-columns"]
    done = subprocess.run(
        [sys.executable, "-c", RUN, *args, "--threads", "2"], check=True, capture_output=True, text=True
    )
    assert f"{pieces * ROWS:,} rows" in done.stdout
    return path.stat().st_size, int(done.stderr.splitlines()[-1])


@pytest.mark.parametrize(
    "ending", ["csv", *(pytest.param(e, marks=pytest.mark.night) for e in ("jsonl", "parquet"))]
)
def test_the_memory_of_predict_does_not_grow_with_the_rows(ending, piece, tmp_path):
    train = tmp_path / "train.csv"
    train.write_text("a,b,c,d,e,city,w,y\n" + piece[:200_000].rpartition("\n")[0] + "\n")
    ts.NaiveBayes(distributions="gaussian").fit(train, "y").save(tmp_path / "m.tally.json")
    # 200,000 answers wait until it is known whether a row cannot be read: both files have more
    small, low = peak(tmp_path, piece, 12, ending)
    large, high = peak(tmp_path, piece, 40, ending)
    assert high - low < (large - small) / 2, (low, high, small, large)
