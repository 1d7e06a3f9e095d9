"""A table in DuckDB or PostgreSQL: summed there, beside fetched through Arrow and summed here.

    python benchmarks/sql.py [postgresql://user@host/base]

Prints seconds on the clock, the bytes that travelled and whether the models are the same bytes. The table is
written into a DuckDB file of its own, or into the base named, as `tally_bench`, and dropped.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa

import tallystick as ts
from tallystick.data.source.databases import Database

ROWS = 200_000
METHODS = {
    "naive Bayes, Gaussian": lambda **given: ts.NaiveBayes(distributions="gaussian", **given),
    "naive Bayes": lambda **given: ts.NaiveBayes(**given),
    "tree, depth 4, 32 bins": lambda **given: ts.DecisionTree(max_depth=4, max_bins=32, **given),
    "scorecard": lambda **given: ts.Scorecard(**given),
    "tree, depth 4": lambda **given: ts.DecisionTree(max_depth=4, **given),
}


def table(rows: int = ROWS) -> pa.Table:
    """Return five columns of bell-shaped numbers and five of levels."""
    rng = np.random.default_rng(0)
    columns = {f"x{i}": rng.normal(size=rows).astype(np.float32) for i in range(5)}
    columns |= {f"l{i}": np.array(["a", "b", "c", "d"])[rng.integers(0, 4, rows)] for i in range(5)}
    y = np.where(columns["x0"] + (columns["l0"] == "a") + rng.normal(size=rows) > 0, "yes", "no")
    return pa.table({**columns, "y": y})


@contextmanager
def received() -> Iterator[list[int]]:
    """Count the bytes of Arrow that databases hand out."""
    total, close = [0], Database.close

    def closed(self: Database) -> None:
        total[0], self.received = total[0] + self.received, 0
        close(self)

    Database.close = closed  # type: ignore[method-assign]
    try:
        yield total
    finally:
        Database.close = close  # type: ignore[method-assign]


def compare(address: str) -> list[tuple[str, float]]:
    """Print each method both ways; return what travelled, as a share of the table."""
    shares = []
    for name, make in METHODS.items():
        here, there = [], []
        for _ in range(3):  # in turn
            for taken, engine in ((here, {}), (there, {"engine": ts.Sql()})):
                started = time.perf_counter()
                with received() as bytes_:
                    model = make(**engine).fit(address, "y")
                    file = model.to_bytes()
                    del model
                taken.append((time.perf_counter() - started, bytes_[0], file))
        (a, all_bytes, one), (b, some, other) = sorted(here)[1], sorted(there)[1]
        words = "same bytes" if one == other else "OTHER BYTES"
        print(f"{name:<24} fetched {a:6.2f} s {all_bytes:>12,} bytes", end="   ")
        print(f"summed there {b:6.2f} s {some:>11,} bytes   {words}")
        shares.append((f"bytes that travel, {name}", some / max(all_bytes, 1)))
    return shares


def figures() -> list[tuple[str, float]]:
    """Return what travels of a table in DuckDB, as a share of what is fetched."""
    import duckdb

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "bench.db")
        rows = table()
        with duckdb.connect(str(path)) as base:
            base.register("rows", rows)
            base.execute("CREATE TABLE tally_bench AS SELECT * FROM rows")
        return compare(f"duckdb:///{path}?table=tally_bench")


def postgresql(address: str) -> None:
    """Print the same of a PostgreSQL base."""
    import adbc_driver_postgresql.dbapi as driver

    with driver.connect(address) as base, base.cursor() as cursor:
        cursor.adbc_ingest("tally_bench", table(), mode="replace")
        base.commit()
        try:
            compare(f"{address}{'&' if '?' in address else '?'}table=tally_bench")
        finally:
            cursor.execute("DROP TABLE tally_bench")
            base.commit()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        postgresql(sys.argv[1])
    else:
        figures()
