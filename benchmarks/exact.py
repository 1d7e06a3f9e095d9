"""Exact trees beside binned ones where rows are on disk or on Spark: processor time, memory, questions.

    python benchmarks/exact.py [disk rows] [Spark rows]     5,000,000 x 20 float32 numbers when none are given

Every fit is from the encoded table to the model, depth 8; the binned one has 255 bins. Processor time is that
of this process and all it started, so a busy machine changes it little. In turn.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path

import numpy as np
from turns import Figure, over

import tallystick as ts
from tallystick.spark.table import Spark

COLUMNS, DEPTH, MEMORY = 20, 8, "1GB"
TICK = os.sysconf("SC_CLK_TCK")


def processor_seconds() -> float:
    """Return the processor time of this process and all below it."""
    parent, spent = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parent[int(entry.name)] = int(fields[1])
            spent[int(entry.name)] = sum(map(int, fields[11:15]))
    ours, more = set(), {os.getpid()}
    while more:
        ours |= more
        more = {pid for pid, above in parent.items() if above in ours} - ours
    return sum(spent[pid] for pid in ours) / TICK


def memory(name: str) -> float:
    """Return a line of /proc/self/status in MB."""
    return int(re.search(rf"{name}:\s+(\d+)", Path("/proc/self/status").read_text())[1]) / 1e3


def reset_peak() -> None:
    """Let the peak of memory begin here."""
    Path("/proc/self/clear_refs").write_text("5")


def trees():
    given = {"max_depth": DEPTH}
    return {"exact": ts.DecisionTree(**given), "binned": ts.DecisionTree(max_bins=255, **given)}


class Asked:
    """How many questions Spark is asked."""

    def __init__(self) -> None:
        self.plain, self.count = Spark.total, 0

    def __enter__(self) -> Asked:
        def total(engine, table, question):
            self.count += 1
            return self.plain(engine, table, question)

        Spark.total = total
        return self

    def __exit__(self, *_) -> None:
        Spark.total = self.plain


def compared(table, where: str, repeats: int) -> list[tuple[str, float]]:
    """Return the exact fit's time in binned ones, the MB that the driver grew by, and its questions."""
    seconds: dict[str, list[float]] = {"exact": [], "binned": []}
    grown, questions = [], 0
    for _ in range(repeats):
        for name, tree in trees().items():
            reset_peak()
            before, started = memory("VmRSS"), processor_seconds()
            with Asked() as asked:
                tree._fit_table(table)
            spent = processor_seconds() - started
            seconds[name].append(spent)
            if name == "exact":
                grown.append(memory("VmHWM") - before)
                questions = asked.count
            print(f"  {where} {name}: {spent:.1f} s of processor time, {asked.count} questions", flush=True)
    size = f"{table.rows / 1e6:g}M x {COLUMNS}"
    out = [(f"{where}, {size}: exact, in times of binned", over(seconds["exact"], seconds["binned"]))]
    if where == "Spark":
        out.append((f"{where}, {size}: driver's memory of the exact fit, MB", Figure(grown)))
        out.append((f"{where}, {size}: questions of the exact fit", questions))
    return out


def on_disk(rows: int, repeats: int):
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        names = [f"x{i}" for i in range(COLUMNS)]
        writer = None
        for _ in range(0, rows, 250_000):
            x = rng.normal(size=(250_000, COLUMNS)).astype(np.float32)
            y = (x[:, 0] + x[:, 1] * x[:, 2] + np.sin(3 * x[:, 3]) + rng.normal(size=len(x)) > 0).astype(int)
            part = pa.table([*x.T, y], names=[*names, "y"])
            writer = writer or pq.ParquetWriter(path, part.schema)
            writer.write_table(part)
        writer.close()
        table = ts.DecisionTree(memory=MEMORY)._read(str(path), "y")
        return compared(table, "disk", repeats)


def on_spark(rows: int, repeats: int):
    import spark as peers

    session = peers.session()
    frame = peers.data(session, rows)
    table = ts.DecisionTree()._read(frame, "y")
    for tree in trees().values():  # workers are warm
        tree._fit_table(table)
    out = compared(table, "Spark", repeats)
    session.stop()
    return out


def figures(disk: int = 5_000_000, far: int = 5_000_000, repeats: int = 5) -> list[tuple[str, float]]:
    """Return all figures."""
    return (on_disk(disk, repeats) if disk else []) + (on_spark(far, repeats) if far else [])


if __name__ == "__main__":
    sizes = [int(a) for a in sys.argv[1:3]] or [5_000_000, 5_000_000]
    for figure, value in figures(*sizes, repeats=int(os.environ.get("REPEATS", "5"))):
        print(f"{figure:<60} {value:8.2f}")
