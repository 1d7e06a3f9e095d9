"""Wide files of any size for the tests and benchmarks of tables on disk, and fits that tell their peak.

    python wide_files.py fit FILE BUDGET|none METHOD ...   prints "ready", waits for a line, then JSON lines

Half of the 60 columns are numbers that all differ, the others levels; the target is `y`.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv

ROWS = 20_000  # written at once
LEVELS = (2, 5, 20, 40)


def write_wide(path: Path, size: int, seed: int = 0) -> int:
    """Write a CSV of about `size` bytes; return its rows."""
    rng, rows = np.random.default_rng(seed), 0
    words = pa.array([f"level {i:02d}" for i in range(max(LEVELS))])
    with open(path, "wb") as file:
        while file.tell() < size:
            x = rng.normal(size=(ROWS, 30))
            chance = x[:, 0] + 0.5 * x[:, 1] + rng.normal(size=ROWS)
            columns = {f"x{j:02d}": pa.array(x[:, j] + j % 3) for j in range(30)}
            for j in range(29):
                codes = rng.integers(0, LEVELS[j % 4], ROWS)
                columns[f"c{j:02d}"] = words.take(pa.array(codes))
            columns["y"] = pa.array(["no", "yes"]).take(pa.array((chance > 0).astype(np.int64)))
            options = pacsv.WriteOptions(include_header=rows == 0, quoting_style="needed")
            sink = pa.BufferOutputStream()
            pacsv.write_csv(pa.table(columns), sink, options)
            file.write(sink.getvalue())
            rows += ROWS
    return rows


def methods(memory: str | None) -> dict:
    """The methods whose models are compared; trees with as many bins on disk as in memory."""
    import tallystick as ts

    return {
        "tree": ts.DecisionTree(max_bins=255, max_depth=8, memory=memory),
        "bayes": ts.NaiveBayes(memory=memory),
        "gaussian": ts.NaiveBayes(distributions="gaussian", memory=memory),
        "frequent words": ts.NaiveBayes(min_count=2, memory=memory),
        "logistic": ts.LogisticRegression(memory=memory),
        "card": ts.Scorecard(memory=memory),
    }


def fit(path: str, memory: str | None, names: list[str]) -> None:
    """Read once, fit every method, and print the fingerprint of its model file."""
    import tallystick as ts

    votes = Path(ts.__file__).parent / "examples" / "votes.csv"
    for model in methods(None).values():
        model.fit(votes, "party")  # all that is loaded on the way is loaded now
    print("ready", flush=True)
    sys.stdin.readline()
    chosen = {name: model for name, model in methods(memory).items() if name in names}
    table = next(iter(chosen.values()))._read(path, "y")
    for name, model in chosen.items():
        content = model._fit_table(table).to_bytes()
        print(json.dumps({name: hashlib.sha256(content).hexdigest()}), flush=True)


def peak_of(path: Path, memory: str | None, names: list[str], folder: Path) -> tuple[dict, float]:
    """Run `fit` in a process of its own; return its fingerprints and how many MB its memory grew."""
    command = [sys.executable, __file__, "fit", str(path), memory or "none", *names]
    environment = {"TMPDIR": str(folder), "PATH": ""}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as job:
        assert job.stdout is not None
        assert job.stdin is not None
        assert job.stdout.readline() == "ready\n"
        before = peak = anonymous(job.pid)
        job.stdin.write("go\n")
        job.stdin.flush()
        while job.poll() is None:
            peak = max(peak, anonymous(job.pid))
            time.sleep(0.002)
        assert job.returncode == 0
        found: dict = {}
        for line in job.stdout:
            found |= json.loads(line)
    return found, (peak - before) / 1024


def anonymous(process: int) -> int:
    """Return the KB of memory that a process and its children hold for themselves."""
    total = 0
    waiting = [process]
    while waiting:
        one = waiting.pop()
        try:
            status = Path(f"/proc/{one}/status").read_text()
            waiting += map(int, Path(f"/proc/{one}/task/{one}/children").read_text().split())
        except OSError:  # it has ended
            continue
        total += sum(int(line.split()[1]) for line in status.splitlines() if line.startswith("RssAnon"))
    return total


if __name__ == "__main__":
    _, _, file, budget, *chosen = sys.argv
    fit(file, None if budget == "none" else budget, chosen)
