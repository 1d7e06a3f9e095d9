"""What a GPU makes of sums, beside all cores of the same machine.

    python benchmarks/gpu.py [part ...]     same bandwidth bayes tree logistic predict

Runs from a source tree too, on a machine without a package registry: NumPy, pyarrow, CuPy, and the compiled
kernels in `src/tallystick`. `same` compares the bytes of model files; the others print a line for each figure
with its target (`docs/gpu.md` tells what was found). "resident": the columns lie on the device already.
"""

from __future__ import annotations

import hashlib
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


def tables(count: int) -> Iterator[tuple[str, Any, Any]]:
    """Yield bundled tables and generated ones."""
    import pyarrow as pa

    bundled = Path(ts.__file__).parent / "examples"
    for name, target in (("votes", "party"), ("iris", "species"), ("play-tennis", "Play")):
        yield name, str(bundled / f"{name}.csv"), target
    for seed in range(count):
        X, y = made(seed)
        yield f"made {seed}", pa.table(X), y


METHODS: dict[str, Callable[..., Any]] = {
    "naive Bayes": ts.NaiveBayes,
    "tree": lambda **given: ts.DecisionTree(max_depth=6, **given),
    "logistic": ts.LogisticRegression,
}


def same(count: int = 300) -> Iterator[Line]:
    """Compare bytes of models."""
    device = type(device_of(0).device)
    device.least_rows, device.small_rows = 0, 64
    for name, method in METHODS.items():
        digests, wrong, done = hashlib.sha256(), [], 0
        for told, X, y in tables(count if name != "logistic" else count // 5):
            try:
                here = method().fit(X, y).to_bytes()
            except ts.TallyError:
                continue
            there = method(engine=ts.Gpu()).fit(X, y).to_bytes()
            digests.update(there)
            done += 1
            if here != there:
                wrong.append(told)
        print(f"   {name}: {done} models, sha256 of all {digests.hexdigest()[:16]}, wrong: {wrong[:5]}")
        yield f"{name}: models with the processor's bytes, share of {done}", 1 - len(wrong) / done, 1.0


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
    share = rows * columns * 4 / spent / 1e12 / rate
    yield f"Gaussian sums, {rows:,} x {columns} float32, resident: ms", 1e3 * spent, None
    yield "  share of the bandwidth (read)", share, 0.5


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
        alone = _kernel(asked, own, rows)
        yield f"predict, {name}, {rows:,} x {columns} float32, resident: ms", 1e3 * alone, None
        yield "  share of the bandwidth (read)", rows * columns * 4 / alone / 1e12 / rate, 0.5
        yield "  with labels back here, ms", 1e3 * clock(lambda m=model: m.predict(new), 3), None


def _kernel(asked: Any, columns: list[Any], rows: int) -> float:
    """Return the seconds that the device works on answers which stay there."""
    import cupy

    times: list[float] = []
    device, launch = asked.device, asked.device.launch

    def timed(*given: Any, **more: Any) -> None:
        start, stop = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        launch(*given, **more)
        stop.record()
        stop.synchronize()
        times.append(cupy.cuda.get_elapsed_time(start, stop) / 1e3)

    device.launch = timed
    try:
        for _ in range(ROUNDS):
            with device.use():
                asked.answer(columns, rows)
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
}


def main() -> None:
    """Print what was asked for."""
    warnings.simplefilter("ignore")
    for part in sys.argv[1:] or PARTS:
        for what, found, least in PARTS[part]():
            verdict = "" if least is None else f"   must {least:g}: {'met' if found >= least else 'MISSED'}"
            print(f"{what:<72} {found:10.4g}{verdict}", flush=True)


if __name__ == "__main__":
    main()
