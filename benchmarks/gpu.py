"""What a GPU makes of sums, beside all cores of the same machine.

    python benchmarks/gpu.py [part ...]     same bandwidth bayes tree logistic predict; elsewhere

Runs from a source tree too, on a machine without a package registry: NumPy, pyarrow, CuPy, and the compiled
kernels in `src/tallystick`. `same` compares the bytes of model files with the processor's: of ten public
tables, where TALLYSTICK_DATA says where they are, and of generated ones, with one sha256 for all of them;
`elsewhere`, which needs no GPU, prints that sha256 for rows on disk, and with Spark of the public tables. The
others print a line for each figure with its target (`docs/gpu.md` tells what was found). "resident": the
columns lie on the device already.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import tallystick as ts
from tallystick.engines.gpu import device_of

ROUNDS = 5
Line = tuple[str, float, float | None]  # what, found, the least it must be
Way = Callable[[Callable[..., Any], Any, Any], Any]  # of a method and rows: the fitted estimator


def numbers(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a matrix of float32, half of its columns with something to tell, and two classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, rows).astype(np.uint8)
    X = np.empty((rows, columns), np.float32)
    for start in range(0, rows, 1 << 20):
        some = slice(start, min(start + (1 << 20), rows))
        X[some] = rng.standard_normal((some.stop - start, columns), np.float32)
        X[some, : columns // 2] += 0.3 * y[some, None]
    return X, y


def clock(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Return the seconds of the middle round."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return median(times)


def read(X: Any, y: Any, model: Any) -> Any:
    """Return the table that a model learns from."""
    return model._read(X, y)


# ---- parts ----


def made(seed: int) -> tuple[dict[str, Any], np.ndarray]:
    """Return a small table of mixed columns."""
    rng = np.random.default_rng(seed)
    n, classes = int(rng.integers(60, 2_000)), int(rng.integers(2, 7))
    X: dict[str, Any] = {f"x{j}": rng.normal(size=n) * 10.0 ** rng.integers(-5, 6) for j in range(3)}
    X["single"], X["rounded"] = X["x0"].astype(np.float32), np.round(X["x1"], 1)
    X["level"] = rng.choice(list("abcdef"), n).tolist()
    X["x2"][rng.random(n) < 0.1] = np.nan
    y = rng.integers(0, classes, n)
    return X, np.where(np.isin(X["level"], ["a", "b"]) & (X["rounded"] > 0), 0, y)


PUBLIC = {
    "pima-diabetes/diabetes": "class",
    "wine/wine": "class",
    "glass/glass": "Type",
    "sonar/sonar": "Class",
    "vehicle/vehicle": "Class",
    "ionosphere/ionosphere": "class",
    "segment/segment": "class",
    "page-blocks/page.blocks": "class",
    "sick/sick": "Class",
    "soybean/soybean": "class",
}


def public() -> Iterator[tuple[str, Any, Any]]:
    """Yield public tables, as far as they are at hand."""
    from pyarrow import csv

    folder = Path(os.environ.get("TALLYSTICK_DATA", ""))
    for name, target in PUBLIC.items():
        if (path := folder / f"{name}.csv.gz").is_file():
            yield name, csv.read_csv(path), target


def generated(count: int) -> Iterator[tuple[str, Any, Any]]:
    """Yield generated tables."""
    import pyarrow as pa

    for seed in range(count):
        X, y = made(seed)
        yield f"made {seed}", pa.table(X), y


METHODS: dict[str, Callable[..., Any]] = {
    "naive Bayes": ts.NaiveBayes,
    "tree": lambda **given: ts.DecisionTree(max_depth=6, **given),
    "logistic": ts.LogisticRegression,
}


def same(count: int = 300) -> Iterator[Line]:
    """Compare bytes of models with those of the processor."""
    device = type(device_of(0).device)
    device.least_rows, device.small_rows = 0, 64
    yield from _digests({"gpu": lambda method, X, y: method(engine=ts.Gpu()).fit(X, y)}, count)


def elsewhere(count: int = 300) -> Iterator[Line]:
    """Compare bytes of models of rows on disk and with Spark with those of rows in memory."""
    ways: dict[str, Way] = {"disk": lambda method, X, y: method(memory="64MB").fit(X, y)}
    yield from _digests(ways, count)
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    far: dict[str, Way] = {"spark": lambda method, X, y: method().fit(spark.createDataFrame(X), y)}
    yield from _digests(far, 0)
    spark.stop()


def _digests(ways: dict[str, Way], count: int) -> Iterator[Line]:
    """Fit every method to every table, here and otherwise; print one sha256 for all models of a kind."""
    for name, method in METHODS.items():
        for kind, some in (
            ("public", public()),
            ("made", generated(count // 5 if name == "logistic" else count)),
        ):
            digests = {way: hashlib.sha256() for way in ("memory", *ways)}
            done = 0
            for _, X, y in some:
                digests["memory"].update(method().fit(X, y).to_bytes())
                for way, fit in ways.items():
                    digests[way].update(fit(method, X, y).to_bytes())
                done += 1
            if not done:
                continue
            told = {way: digest.hexdigest()[:16] for way, digest in digests.items()}
            print(f"   {name}, {done} {kind} tables, sha256 of all models:", told, flush=True)
            yield f"{name}, {kind}: one sha256", float(len(set(told.values())) == 1), 1.0


def bandwidth() -> Iterator[Line]:
    """Tell how fast the device reads its memory: a sum over 8 GB."""
    import cupy

    data = cupy.ones(2 << 30, cupy.float32)
    other = cupy.empty_like(data)

    def copy() -> None:
        cupy.copyto(other, data)
        cupy.cuda.Device().synchronize()

    copy()
    yield "copy, TB/s (read and written)", 2 * data.nbytes / clock(copy) / 1e12, None


def bayes(rows: int = 100_000_000, columns: int = 20) -> Iterator[Line]:
    """Gaussian naive Bayes: the sums over columns that lie on the device, and whole fits."""
    import cupy

    from tallystick.stats.bayes import Ask, BayesSums

    rate = next(bandwidth())[1]
    cupy.get_default_memory_pool().free_all_blocks()
    y = np.random.default_rng(0).integers(0, 2, rows).astype(np.uint8)
    table = _Resident(rows, columns, y)
    question = BayesSums(tuple(Ask(f"x{j}", "moments") for j in range(columns)), 2)
    engine = ts.Gpu()
    found = table.total(engine, question)
    assert int(found[""].sum()) == rows
    spent = clock(lambda: table.total(engine, question))
    alone = _kernels(lambda: table.total(engine, question))
    yield f"Gaussian sums, {rows:,} x {columns} float32, resident: ms on the device", 1e3 * alone, None
    yield "  share of the bandwidth (read)", rows * (columns * 4 + 1) / alone / 1e12 / rate, 0.5
    yield "  the whole question with what Python does, ms", 1e3 * spent, None


class _Resident:
    """Columns that were made on the device, and what stands here for them."""

    def __init__(self, rows: int, columns: int, y: np.ndarray) -> None:
        import cupy

        from tallystick.data.schema import Column, Schema, Target
        from tallystick.data.table.table import Table

        names = [f"x{j}" for j in range(columns)]
        schema = Schema(tuple(Column(n, "numeric") for n in names), Target("y", ("0", "1")))
        here = {n: np.broadcast_to(np.float64(0), rows).view() for n in names}  # rows that take no memory
        self.table = Table(schema, here, rows, classes=y)
        kept = device_of(0)
        for n in names:
            values = cupy.random.standard_normal(rows, dtype=cupy.float32)
            kept.keep(here[n], values)
        cupy.cuda.Device().synchronize()

    def total(self, engine: Any, question: Any) -> Any:
        """Return the question's total."""
        return engine.total(self.table, question)


def tree(rows: int = 20_000_000, columns: int = 20) -> Iterator[Line]:
    """A tree of depth 8."""
    yield from _fits("tree, depth 8", lambda **given: ts.DecisionTree(max_depth=8, **given), rows, columns)


def logistic(rows: int = 20_000_000, columns: int = 30) -> Iterator[Line]:
    """Logistic regression."""
    yield from _fits("logistic regression", ts.LogisticRegression, rows, columns)


def _fits(name: str, method: Callable[..., Any], rows: int, columns: int) -> Iterator[Line]:
    """Compare what learning takes once the rows are read: that part is the processor's in both."""
    X, y = numbers(rows, columns)
    start = time.perf_counter()
    table = read(X, y, method())
    yield f"{name}, {rows:,} x {columns}: reading on the processor, s", time.perf_counter() - start, None
    start = time.perf_counter()
    here = method()._fit_table(table)
    cores = time.perf_counter() - start
    yield f"{name}: learning on all cores, s", cores, None
    there, spent = None, []
    for _ in range(3):
        table.release()
        start = time.perf_counter()
        there = method(engine=ts.Gpu())._fit_table(table)
        spent.append(time.perf_counter() - start)
    yield f"{name}: learning on the GPU with the way there, s (first {spent[0]:.2f})", median(spent), None
    start = time.perf_counter()
    there = method(engine=ts.Gpu())._fit_table(table)  # the columns are still there
    resident = time.perf_counter() - start
    yield f"{name}: learning on the GPU, resident, s", resident, None
    yield f"{name}: resident, x faster than all cores", cores / resident, 15
    same_bytes = here.to_bytes(profile=False) == there.to_bytes(profile=False)
    yield f"{name}: the same bytes", float(same_bytes), 1
    table.release()


def predict(rows: int = 100_000_000, columns: int = 20) -> Iterator[Line]:
    """Answers to rows that lie on the device: the kernel alone, and with labels that come back."""
    import cupy

    from tallystick.engines.gpu import predict as room

    rate = next(bandwidth())[1]
    cupy.get_default_memory_pool().free_all_blocks()
    X, y = numbers(200_000, columns)
    new = cupy.random.standard_normal((rows, columns), dtype=cupy.float32)
    for name, method in {
        "tree of depth 8": lambda: ts.DecisionTree(max_depth=8, engine=ts.Gpu()),
        "logistic regression": lambda: ts.LogisticRegression(engine=ts.Gpu()),
        "Gaussian naive Bayes": lambda: ts.NaiveBayes(distributions="gaussian", engine=ts.Gpu()),
    }.items():
        model = method().fit(X, y)
        plan = room.WAYS[type(model.model_)](model.model_, columns)
        asked = room._Answering(device_of(0).device, plan, True, None)
        own = [new[:, j] for j in plan.columns]

        def answer(asked: Any = asked, own: Any = own) -> None:
            with device_of(0).device.use():
                asked.answer(own, rows)

        alone = _kernels(answer)
        yield f"predict, {name}, {rows:,} x {columns} float32, resident: ms", 1e3 * alone, None
        yield "  share of the bandwidth (read)", rows * columns * 4 / alone / 1e12 / rate, 0.5
        yield "  with labels back here, ms", 1e3 * clock(lambda m=model: m.predict(new), 3), None


def _kernels(work: Callable[[], object]) -> float:
    """Return the seconds that the device's kernels take for a piece of work, one after the other."""
    import cupy

    times: list[float] = []
    device = device_of(0).device
    launch = device.launch

    def timed(*given: Any, **more: Any) -> None:
        start, stop = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        launch(*given, **more)
        stop.record()
        stop.synchronize()
        times[-1] += cupy.cuda.get_elapsed_time(start, stop) / 1e3

    device.launch = timed
    try:
        for _ in range(ROUNDS):
            times.append(0.0)
            work()
    finally:
        del device.launch
    return median(times)


PARTS: dict[str, Callable[[], Iterator[Line]]] = {
    "same": same,
    "bandwidth": bandwidth,
    "bayes": bayes,
    "tree": tree,
    "logistic": logistic,
    "predict": predict,
    "elsewhere": elsewhere,
}
DEVICE = [part for part in PARTS if part != "elsewhere"]


def main() -> None:
    """Print what was asked for."""
    warnings.simplefilter("ignore")
    for part in sys.argv[1:] or DEVICE:
        for what, found, least in PARTS[part]():
            verdict = "" if least is None else f"   must {least:g}: {'met' if found >= least else 'MISSED'}"
            print(f"{what:<72} {found:10.4g}{verdict}", flush=True)


if __name__ == "__main__":
    main()
