"""A table in DuckDB or PostgreSQL: summed there, beside fetched through Arrow and summed here.

    python benchmarks/sql.py [postgresql://user@host/base]

Prints seconds on the clock (the middle of five rounds, and their spread), the bytes that travelled and
whether the models are the same bytes. The table is written into a DuckDB file of its own, or into the base
named, as `tally_bench`, and dropped.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from turns import Figure, in_turn, over

import tallystick as ts
from tallystick.io.database import Database

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
    """Print each method both ways; return what travelled, as a share of the table, and the time it took."""
    out: list[tuple[str, float]] = []
    for name, make in METHODS.items():
        here, there = Fitted(make, address, {}), Fitted(make, address, {"engine": ts.Sql()})
        fetched, summed = in_turn(here, there)
        words = "same bytes" if here.file == there.file else "OTHER BYTES"
        print(f"{name:<24} fetched {told(fetched)} {here.travelled:>12,} bytes", end="   ")
        print(f"summed there {told(summed)} {there.travelled:>11,} bytes   {words}", flush=True)
        out.append((f"bytes that travel, {name}", there.travelled / max(here.travelled, 1)))
        out.append((f"in times of fetching and fitting, {name}", over(summed, fetched)))
    return out


def told(times: list[float]) -> str:
    """Return seconds with their spread."""
    found = Figure(times)
    return f"{found:6.2f} s ({found.low:.2f} to {found.high:.2f})"


@dataclass
class Fitted:
    """A fit that keeps the bytes of its model and counts those that travelled."""

    make: Callable[..., Any]
    address: str
    given: dict[str, Any]
    file: bytes = b""
    travelled: int = 0

    def __call__(self) -> None:
        """Fit once."""
        with received() as bytes_:
            model = self.make(**self.given).fit(self.address, "y")
            self.file = model.to_bytes()
            del model
        self.travelled = bytes_[0]


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
