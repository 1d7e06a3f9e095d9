"""Frames as tables of real databases, and addresses of these."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from databases import quoted


def awkward(n: int = 600) -> pd.DataFrame:
    """Rows that are hard to sum alike: quotes and spaces in texts, all sizes of numbers, NaN, -0.0, NULL."""
    rng = np.random.default_rng(3)
    sky = rng.choice(["sun", "ra'in", " snow", "é", None], n)
    x = np.where(rng.random(n) < 0.1, np.nan, np.round(rng.normal(5, 3, n), 1))
    wide = rng.normal(0, 1, n) * 10.0 ** rng.integers(-8, 9, n)
    wide[:3] = [-0.0, 1e-310, -1e100]
    small = rng.integers(-3, 60, n).astype(np.int32)
    good = (sky == "sun") + (np.nan_to_num(x) > 5) + (small > 20) + rng.normal(0, 0.6, n) > 1.4
    y = np.where(good, "yes", "no").astype(object)
    y[5], y[6] = None, "?"
    return pd.DataFrame(
        {
            "sky": sky,
            "x": x,
            "wide": wide,
            "v": small,
            "o'k": rng.random(n) < 0.3,
            "f": rng.normal(0, 1, n).astype(np.float32),
            "two": rng.integers(0, 2, n),
            "w": rng.integers(0, 4, n),
            "y": y,
        }
    )


def put(address: str, name: str, frame: pd.DataFrame) -> str:
    """Write a frame into a database; return the address of its table."""
    rows = pa.Table.from_pandas(frame, preserve_index=False)
    if address.startswith("duckdb"):
        import duckdb

        with duckdb.connect(address.removeprefix("duckdb:///")) as base:
            base.register("rows", rows)
            base.execute(f"CREATE TABLE {quoted(name)} AS SELECT * FROM rows")
        return f"{address}?table={name}"
    import adbc_driver_postgresql.dbapi as driver

    with driver.connect(address) as base, base.cursor() as cursor:
        cursor.adbc_ingest(name, rows, mode="create")
        base.commit()
    return f"{address}&table={name}"


def duckdb_address(folder: Path) -> str:
    """Return the address of a DuckDB file in a folder."""
    return f"duckdb:///{folder / 'rows.db'}"


def postgres_address(place: Path) -> str:
    """Return the address of a server's own database."""
    return f"postgresql://tally@/postgres?host={place}"
