"""How long a report takes, and how heavy it is: Adult (32,561 rows), Covertype (581,012 x 54, seven classes),
20 Newsgroups (11,314 texts, twenty classes), letter (26 classes), and 50 columns.

Seconds on the clock with two threads, on two idle cores; beside them the processor's seconds, which a busy
machine changes less. There is no peer: no other tool makes this page. The drawing is all that happens after
the last score is known.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from turns import ROUNDS, Figure

import tallystick as ts
from tallystick.reports import api as reporting

TABLES = {
    "adult": ("adult/adult-train.csv.gz", "income"),
    "covertype": ("covertype/covtype.csv.gz", "Cover_Type"),
    "newsgroups": ("20newsgroups/20news-bydate-train.csv.gz", "newsgroup"),
    "letter": ("letter/letter.csv.gz", "class"),
}


def spent(work) -> dict[str, float]:
    """Return seconds of all the work, of the processor and of making the page, and its megabytes."""
    drawing = []
    page = reporting.page

    def timed(parts):
        started = time.perf_counter()
        out = page(parts)
        drawing.append(time.perf_counter() - started)
        return out

    reporting.page = timed
    try:
        started, processor = time.perf_counter(), time.process_time()
        found = work()
        return {
            "seconds": time.perf_counter() - started,
            "seconds of the processor": time.process_time() - processor,
            "seconds of drawing": drawing[0],
            "megabytes": len(found.html.encode()) / 1e6,
        }
    finally:
        reporting.page = page


def wide(rows: int = 2_000, columns: int = 50):
    draw = np.random.default_rng(1)
    values = draw.normal(size=(rows, columns)).round(4)
    label = (values[:, :5].sum(axis=1) + draw.normal(size=rows) > 0).astype(int)
    table = {f"column {j}": values[:, j] for j in range(columns)}
    return ts.report(table | {"y": np.array(["no", "yes"])[label]}, "y", threads=2)


def figures(names: Iterable[str] = TABLES) -> Iterator[tuple[str, float]]:
    """Yield the figures, table by table; `50 columns` needs no data set."""
    folder = os.environ.get("TALLYSTICK_DATA")
    for name in names:
        if folder and name in TABLES:
            path, target = TABLES[name]
            yield from of_rounds(name, partial(ts.report, str(Path(folder) / path), target, threads=2))
    yield from of_rounds("50 columns", wide)


def of_rounds(name: str, work) -> Iterator[tuple[str, Figure]]:
    """Yield the figures of some rounds of a report."""
    rounds = [spent(work) for _ in range(ROUNDS)]
    yield from ((f"{name}, {what}", Figure(found[what] for found in rounds)) for what in rounds[0])


if __name__ == "__main__":
    for name, figure in figures(sys.argv[1:] or TABLES):
        print(f"{name:<40} {figure:.3g}", flush=True)
