"""How long a report takes, and how heavy it is: Adult (32,561 rows), and 50 columns.

Seconds on the clock with two threads. There is no peer: no other tool makes this page. The drawing is all
that happens after the last score is known.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np

import tallystick as ts
from tallystick.estimators import reporting


def drawing_time(work) -> tuple[float, float, int]:
    """Return seconds of all the work, seconds of making the page, and the page's bytes."""
    spent = []
    page = reporting.page

    def timed(parts):
        started = time.perf_counter()
        out = page(parts)
        spent.append(time.perf_counter() - started)
        return out

    reporting.page = timed
    try:
        started = time.perf_counter()
        found = work()
        return time.perf_counter() - started, spent[0], len(found.html.encode())
    finally:
        reporting.page = page


def wide(rows: int = 2_000, columns: int = 50):
    draw = np.random.default_rng(1)
    values = draw.normal(size=(rows, columns)).round(4)
    label = (values[:, :5].sum(axis=1) + draw.normal(size=rows) > 0).astype(int)
    table = {f"column {j}": values[:, j] for j in range(columns)}
    return ts.report(table | {"y": np.array(["no", "yes"])[label]}, "y", threads=2)


def figures() -> list[tuple[str, float]]:
    out = []
    folder = os.environ.get("TALLYSTICK_DATA")
    if folder:
        adult = str(Path(folder) / "adult" / "adult-train.csv.gz")
        whole, drawing, size = drawing_time(lambda: ts.report(adult, "income", threads=2))
        out += [
            ("adult, seconds", whole),
            ("adult, seconds of drawing", drawing),
            ("adult, megabytes", size / 1e6),
        ]
    _, drawing, size = drawing_time(wide)
    return [*out, ("50 columns, seconds of drawing", drawing), ("50 columns, megabytes", size / 1e6)]


if __name__ == "__main__":
    for name, figure in figures():
        print(f"{name:<40} {figure:.3g}")
