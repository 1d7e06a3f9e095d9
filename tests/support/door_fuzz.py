"""Run in a process of its own by test_door_fuzz.py: odd tables, targets, weights and parameters, by Python.

    python door_fuzz.py FIRST LAST PLACE

A seed makes a table of any container with odd names and cells, asks a method with odd parameters for a fit,
and a model for all it can do. Every exception that leaves a public name is one line of ours. The number of
the seed stands in the file PLACE, so that one that ends the process can be found. Prints what was wrong as
JSON.
"""

from __future__ import annotations

import faulthandler
import inspect
import io
import json
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hostile
import hostile_values as odd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse

import tallystick as ts
from tallystick.errors import TallyError

METHODS: tuple[Any, ...] = (
    ts.DecisionTree,
    ts.NaiveBayes,
    ts.LogisticRegression,
    ts.Scorecard,
    ts.RegressionTree,
)
NAMES: list[Any] = [
    "x", "y", "", " ", "x ", "X", "a\ud800", "a\0b", "\x1b[31m", "=1+1", "x" * 5000, 0, 1, -1, 2**70, 1.5,
    None, True, b"x", ("a", 1), float("nan"), "\u202e", "x0", "prediction", "column_1", "P(a)", "\n",
    "y\udfff",
]  # fmt: skip
NUMBERS: list[Any] = [
    0, 1, -1, 2, 3, 1000, 2**31, 2**63, 10**30, 10**5000, 0.5, -0.5, 1e-300, 1e308, float("nan"),
    float("inf"), "1", "auto", "cv", "", "x", None, True, False, b"x", [], {}, (), [1, 2], {"x": 1},
    {"a": 0.5, "b": 0.5}, ["a", "b"], {"x": "numeric"}, {"x": "levels"}, {"y": "out"}, {"x": ["a"]}, {1: 2},
    {None: None}, 1j, object, np.float64(2), np.int8(3), np.array([0.5, 0.5]), np.array(2), {"a": {"b": 1}},
    [[0, 1], [1, 0]], "balanced", "64MB", "1", -5,
]  # fmt: skip


def some_name(rng: random.Random) -> Any:
    return rng.choice(NAMES) if rng.random() < 0.6 else hostile.text(rng)


def plain_cells(rng: random.Random, rows: int) -> list[Any]:
    """Return ordinary cells."""
    kind = rng.randrange(5)
    if kind == 0:
        return [round(rng.gauss(0, 1), 2) for _ in range(rows)]
    if kind == 1:
        return [rng.choice(["a", "b", "c"]) for _ in range(rows)]
    if kind == 2:
        return [rng.choice([True, False, None]) for _ in range(rows)]
    if kind == 3:
        return [" ".join(rng.choices(["quick", "brown", "fox"], k=4)) for _ in range(rows)]
    return [rng.randrange(5) for _ in range(rows)]


def some_cells(rng: random.Random, rows: int) -> Any:
    """Return a column of odd cells among ordinary ones, or one of a container's own type."""
    cells = plain_cells(rng, rows)
    if rng.random() < 0.3:
        return cells
    if rng.random() < 0.2:
        return odd.COLUMNS[rng.choice([*odd.COLUMNS])]()
    for _ in range(rng.choice([1, 1, 2, rows])):
        if cells:
            cells[rng.randrange(rows)] = some_cell(rng)
    return cells


def some_cell(rng: random.Random) -> Any:
    if rng.random() < 0.5:
        return hostile.text(rng)
    return odd.CELLS[rng.choice([n for n in odd.CELLS if n != "deep list"])]()


def containers(rng: random.Random, rows: int) -> Iterator[Callable[[], Any]]:
    """Yield ways to hold a table; those that a library itself refuses raise its own error."""
    names = [some_name(rng) for _ in range(rng.randint(0, 3))] + ["x"]
    columns = [some_cells(rng, rows) for _ in names]
    simple = [plain_cells(rng, rows) for _ in names]
    usable = [n for n in names if n.__hash__ is not None]
    dicts = dict(zip(usable, columns, strict=False))
    lists = [list(c) if not isinstance(c, list) else c for c in columns]
    # The library itself would end the process on what holds itself.
    flat = [[v for v in c if not isinstance(v, list | dict)] for c in lists]
    yield lambda: dicts
    yield lambda: [dict(zip(usable, row, strict=False)) for row in zip(*lists, strict=False)]
    yield lambda: [list(row) for row in zip(*lists, strict=False)]
    yield lambda: pd.DataFrame({j: pd.Series(c, dtype=object) for j, c in enumerate(lists)}).set_axis(
        pd.Index(names, dtype=object), axis=1
    )
    yield lambda: pd.DataFrame(dict(zip(usable, simple, strict=False)))
    yield lambda: pl.DataFrame({str(n): c for n, c in zip(names, flat, strict=True)}, strict=False)
    yield lambda: pl.LazyFrame({str(n): c for n, c in zip(names, simple, strict=True)}, strict=False)
    yield lambda: pa.table([pa.array(c) for c in flat], names=[str(n) for n in names])
    yield lambda: pa.table([pa.array(c) for c in simple], names=[str(n) for n in names]).to_reader()
    yield lambda: np.array(lists, dtype=object).T
    yield lambda: np.array(columns[0])
    yield lambda: np.array(simple, dtype=rng.choice(["U8", "S8", object]))
    yield lambda: np.ones((rows, 2, 2))
    yield lambda: np.random.default_rng(1).normal(size=(rows, 2)).astype(rng.choice(["f2", "f4", ">f8", "g"]))
    yield lambda: np.zeros(rows, [("x", "i4"), ("y", "U1")])
    yield lambda: np.ma.masked_all((rows, 2))
    yield lambda: scipy.sparse.csr_array(np.eye(max(rows, 1)))
    yield lambda: rng.choice(NUMBERS)
    yield lambda: iter(lists)
    yield lambda: columns[0]
    yield lambda: [some_cell(rng) for _ in range(rows)]
    yield lambda: (rng.choice(NAMES), rng.choice(NAMES))


def some_table(rng: random.Random, rows: int) -> Any:
    ways = list(containers(rng, rows))
    for _ in range(9):
        try:
            return rng.choice(ways)()
        except BaseException as refused:  # by the library that was to hold it; polars panics beside Exception
            if isinstance(refused, KeyboardInterrupt | SystemExit):
                raise
    return {"x": plain_cells(rng, rows)}


def some_target(rng: random.Random, rows: int) -> Any:
    kind = rng.random()
    if kind < 0.45:
        return [rng.choice(["a", "b"]) for _ in range(rows)]
    if kind < 0.6:
        return rng.choice(["x", "y"])
    if kind < 0.7:
        return some_name(rng)
    if kind < 0.9:
        return some_cells(rng, rows)
    return rng.choice(NUMBERS)


def settings(rng: random.Random, method: Any) -> dict[str, Any]:
    known = [*inspect.signature(method).parameters]
    return {name: rng.choice(NUMBERS) for name in rng.sample(known, rng.choice([0, 0, 0, 1, 1, 2]))}


def plain_table(rng: random.Random, rows: int) -> dict[str, list[Any]]:
    return {"x": [rng.gauss(0, 1) for _ in range(rows)], "t": [rng.choice("uvw") for _ in range(rows)]}


def asked(rng: random.Random, folder: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield what a seed asks for, by name."""
    rows = rng.choice([0, 1, 8, 8, 8, 30])
    method = rng.choice(METHODS)
    table, target = some_table(rng, rows), some_target(rng, rows)
    weight = rng.choice([None, None, None, some_cells(rng, rows), rng.choice(NUMBERS)])
    options = settings(rng, method)
    yield f"{method.__name__} fit {[*options]}", lambda: method(**options).fit(table, target, weight)
    yield "describe", lambda: str(ts.describe(table, target if rng.random() < 0.5 else None))
    if rng.random() < 0.1:
        yield "separable", lambda: str(ts.separable(table, target))
        yield "compare", lambda: str(ts.compare(table, target))
        yield "cross_validate", lambda: str(ts.cross_validate(method(), table, target))
    good = plain_table(rng, 30)
    labels = [
        rng.choice(["a", "b"]) if method is not ts.RegressionTree else rng.gauss(0, 1) for _ in range(30)
    ]
    if rng.random() < 0.5:
        good["t"] = [*good["t"][:-2], hostile.text(rng), hostile.text(rng)]
    try:
        model = method().fit(good, labels)
    except TallyError:  # hostile texts may make it so
        return
    new = (
        some_table(rng, rows)
        if rng.random() < 0.5
        else {"x": some_cells(rng, rows), "t": some_cells(rng, rows)}
    )
    one = {"x": some_cell(rng), "t": rng.choice(["u", some_cell(rng)]), some_key(rng): 1}
    for name in ("predict", "predict_proba", "apply", "explain", "decision_function"):
        if hasattr(model, name):
            yield name, lambda name=name: getattr(model, name)(new)
            yield name + " one", lambda name=name: str(getattr(model, name)(one))
    if hasattr(model, "predict_one"):
        yield "predict_one", lambda: model.predict_one(one)
    yield "score", lambda: model.score(new, some_target(rng, rows))
    yield (
        "export",
        lambda: model.export(rng.choice(["rules", "sql", "python", "js", "onnx", "card", 5, None, "x"])),
    )
    name = rng.choice(NAMES)
    yield "save", lambda: model.save(name if not isinstance(name, str) else folder / name[:200])
    yield "load", lambda: ts.load(rng.choice(NUMBERS))
    yield (
        "read",
        lambda: ts.read(folder / "t.csv", **{some_reading(rng): rng.choice(NUMBERS + NAMES)}).columns,
    )
    yield "describe against", lambda: str(ts.describe(new, against=model))


def some_key(rng: random.Random) -> Any:
    name = some_name(rng)
    return name if name.__hash__ is not None else "k"


def some_reading(rng: random.Random) -> str:
    return rng.choice(["encoding", "sep", "header", "decimal", "missing", "bad_rows", "inf", "memory"])


def is_theirs(error: BaseException) -> bool:
    """Say whether an object of the user's raised it."""
    return isinstance(error, RuntimeError) and str(error) == "rude"


def attempt(what: str, work: Callable[[], Any]) -> str:
    """Return what is wrong with a call, or nothing."""
    try:
        work()
    except TallyError as error:
        text = str(error)
        if "\n" in text or not text.isprintable():
            return f"{what}: not one printable line: {text[:300]!r}"
        if len(text) > 1500:
            return f"{what}: a line of {len(text):,} characters: {text[:200]!r}"
    except Exception as error:
        if not is_theirs(error):
            place = last_place(error)
            return f"{what}: {type(error).__name__}: {str(error)[:200]!r} {place}"
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        return f"{what}: {type(error).__name__}: {str(error)[:200]!r}"
    return ""


def last_place(error: BaseException) -> str:
    """Return the last line of ours that an exception came through."""
    found, trace = "", error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if "tallystick" in code.co_filename:
            found = f"{Path(code.co_filename).name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return found


def run(first: int, last: int, place: Path) -> list[str]:
    """Return what went wrong with these seeds."""
    folder, wrong = place.parent, []
    (folder / "t.csv").write_text("x,y\n" + "1,a\n2,b\n" * 9)
    for seed in range(first, last):
        place.write_text(str(seed))
        rng = random.Random(f"door {seed}")
        made = asked(rng, folder)
        while True:
            try:
                what, work = next(made)
            except StopIteration:
                break
            if fault := attempt(what, work):
                wrong.append(f"{seed}: {fault}")
                print(wrong[-1], file=sys.stderr, flush=True)
    return wrong


if __name__ == "__main__":
    faulthandler.enable()
    warnings.simplefilter("ignore")
    sys.stdout, out = io.StringIO(), sys.stdout
    out.write(json.dumps(run(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))))
