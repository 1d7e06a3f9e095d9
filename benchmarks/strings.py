"""1M x 8 strings of a DataFrame to sorted codes: ours on two threads beside scikit-learn's OrdinalEncoder.

python benchmarks/strings.py
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pyarrow as pa
from turns import ratio, seconds

from tallystick.io.containers import as_column
from tallystick.table.strings import distinct, numbers

ROWS, LEVELS = 1_000_000, (2, 5, 10, 20, 50, 200, 1_000, 10_000)


def frames():
    """Return the same table as pandas gives it by default, and with columns of Python objects."""
    random = np.random.default_rng(0)
    columns = {}
    for j, k in enumerate(LEVELS):
        names = np.array([f"level {j} {i * 7919 % k:05d}" for i in range(k)], dtype=object)
        columns[f"c{j}"] = names[random.integers(0, k, ROWS)]
    objects = pd.DataFrame({name: pd.Series(column, dtype=object) for name, column in columns.items()})
    return pd.DataFrame(columns), objects


def codes(frame):
    """Return the codes of all columns, a column per task on two threads."""

    def one(name):
        column = frame[name]
        return distinct(as_column(column, name)).codes

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(one, frame.columns))


def figures() -> list[tuple[str, float]]:
    from sklearn.preprocessing import OrdinalEncoder

    out = []
    for frame, kind in zip(frames(), ("", " from objects"), strict=True):
        found, wanted = codes(frame), OrdinalEncoder().fit_transform(frame)
        assert all(np.array_equal(column, wanted[:, j]) for j, column in enumerate(found))
        faster = ratio(lambda f=frame: OrdinalEncoder().fit_transform(f), lambda f=frame: codes(f))
        out.append((f"1M x 8 strings to codes{kind}: x faster than OrdinalEncoder", faster))
    cells = pa.array([f"{x:.2f}" for x in np.random.default_rng(1).uniform(0, 100, ROWS)])
    spent = seconds(lambda: numbers(cells, ["", "?", "NA"]))
    out.append(("short number cell to double, nanoseconds", spent * (1e9 / ROWS)))
    return out


if __name__ == "__main__":
    for figure, value in figures():
        print(f"{figure:<60} {value:.2f}")
