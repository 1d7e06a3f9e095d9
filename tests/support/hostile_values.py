"""Values that no table was made for: Python's, NumPy's, Arrow's, pandas' and polars'."""

from __future__ import annotations

import datetime
import enum
import fractions
import uuid
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

ROWS = 8


class Rude:
    """An object that fails whatever it is asked."""

    def __str__(self) -> str:
        raise RuntimeError("rude")

    __repr__ = __str__

    def __float__(self) -> float:
        raise RuntimeError("rude")

    def isoformat(self) -> str:
        raise RuntimeError("rude")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("rude")

    __hash__ = None  # type: ignore[assignment]


class Colour(enum.Enum):
    RED = 1


def cyclic() -> list[Any]:
    found: list[Any] = []
    found.append(found)
    return found


def deep(depth: int = 100_000) -> list[Any]:
    found: list[Any] = []
    for _ in range(depth):
        found = [found]
    return found


def cyclic_dict() -> dict[str, Any]:
    found: dict[str, Any] = {}
    found["me"] = found
    return found


def bad_utf8(kind: Any) -> pa.Array:
    """Return texts whose bytes are not UTF-8, as a damaged file holds them."""
    size = np.int32 if kind == pa.string() else np.int64
    offsets = np.arange(0, 2 * ROWS + 1, 2, dtype=size)
    return pa.Array.from_buffers(kind, ROWS, [None, pa.py_buffer(offsets), pa.py_buffer(b"a\xff" * ROWS)])


CELLS: dict[str, Callable[[], Any]] = {  # one cell, to stand among ordinary ones and alone
    "beyond int64": lambda: 10**30,
    "beyond int64, below": lambda: -(10**30),
    "beyond uint64": lambda: 2**64,
    "uint64": lambda: 2**64 - 1,
    "4,000 digits": lambda: 10**4000,
    "5,000 digits": lambda: 10**5000,
    "a lone surrogate": lambda: "\ud800",
    "NUL": lambda: "a\0b",
    "Decimal NaN": lambda: Decimal("NaN"),
    "Decimal sNaN": lambda: Decimal("sNaN"),
    "Decimal Infinity": lambda: Decimal("-Infinity"),
    "Decimal huge": lambda: Decimal("1E+999999"),
    "Decimal tiny": lambda: Decimal("1E-999999"),
    "Decimal long": lambda: Decimal("1." + "1" * 300),
    "longdouble": lambda: np.longdouble("1e4000"),
    "float16": lambda: np.float16(1.5),
    "complex": lambda: 1j,
    "datetime64 without unit": lambda: np.datetime64("NaT"),
    "datetime64 of years": lambda: np.datetime64(300_000, "Y"),
    "datetime64 ps": lambda: np.datetime64(1, "ps"),
    "timedelta64": lambda: np.timedelta64(1, "D"),
    "timedelta": lambda: datetime.timedelta(days=1),
    "datetime min": lambda: datetime.datetime.min,
    "datetime zone": lambda: datetime.datetime.max.replace(
        tzinfo=datetime.timezone(datetime.timedelta(hours=-5))
    ),
    "date": lambda: datetime.date.max,
    "time": lambda: datetime.time(1, 2),
    "bytes": lambda: b"\xff",
    "bytearray": lambda: bytearray(b"x"),
    "memoryview": lambda: memoryview(b"x"),
    "list": lambda: [1, 2],
    "tuple": lambda: (1, "a"),
    "set": lambda: {1},
    "dict": lambda: {"a": 1},
    "dict of mixed keys": lambda: {1: 1, "a": 2},
    "cyclic list": cyclic,
    "cyclic dict": cyclic_dict,
    "deep list": deep,
    "object": object,
    "rude object": Rude,
    "class": lambda: int,
    "function": lambda: len,
    "Fraction": lambda: fractions.Fraction(1, 3),
    "UUID": lambda: uuid.UUID(int=1),
    "Enum": lambda: Colour.RED,
    "Ellipsis": lambda: ...,
    "array": lambda: np.array([1, 2]),
    "array 0-d": lambda: np.array(1.5),
    "void": lambda: np.void(b"xy"),
    "Period": lambda: pd.Period("2020-01"),
    "Interval": lambda: pd.Interval(0, 1),
    "Timestamp far": lambda: pd.Timestamp.max,
    "Timedelta": lambda: pd.Timedelta(days=1),
    "NaT": lambda: pd.NaT,
    "NA": lambda: pd.NA,
    "frame": lambda: pd.DataFrame({"a": [1]}),
    "Arrow scalar": lambda: pa.scalar(5),
    "Arrow list scalar": lambda: pa.scalar([1, 2]),
    "subclass of str": lambda: type("S", (str,), {"strip": None})("x"),
}

COLUMNS: dict[str, Callable[[], Any]] = {  # a whole column of a container's own type
    "longdouble array": lambda: np.ones(ROWS, np.longdouble) * np.longdouble("1e4000"),
    "datetime64 array without unit": lambda: np.full(ROWS, "NaT", "M8"),
    "datetime64 array of years": lambda: np.arange(ROWS).astype("M8[Y]"),
    "datetime64 array ps": lambda: np.arange(ROWS).astype("M8[ps]"),
    "timedelta array": lambda: np.arange(ROWS).astype("m8[s]"),
    "complex array": lambda: np.ones(ROWS, complex),
    "void array": lambda: np.zeros(ROWS, "V4"),
    "bytes array": lambda: np.array([b"\xff"] * ROWS),
    "bad UTF-8": lambda: bad_utf8(pa.string()),
    "bad UTF-8 large": lambda: bad_utf8(pa.large_string()),
    "bad UTF-8 dictionary": lambda: pa.DictionaryArray.from_arrays(
        pa.array(np.arange(ROWS, dtype=np.int8)), bad_utf8(pa.string())
    ),
    "Arrow binary": lambda: pa.array([b"\xff"] * ROWS),
    "Arrow map": lambda: pa.array([[("a", 1)]] * ROWS, pa.map_(pa.string(), pa.int64())),
    "Arrow union": lambda: pa.UnionArray.from_sparse(
        pa.array([0] * ROWS, pa.int8()), [pa.array(range(ROWS)), pa.array(["a"] * ROWS)]
    ),
    "Arrow interval": lambda: pa.array([(1, 2, 3)] * ROWS, pa.month_day_nano_interval()),
    "Arrow time": lambda: pa.array([1] * ROWS, pa.time64("ns")),
    "Arrow half": lambda: pa.array(np.arange(ROWS, dtype=np.float16)),
    "Arrow decimal256": lambda: pa.array([Decimal("9" * 70)] * ROWS, pa.decimal256(76, 0)),
    "Arrow decimal128": lambda: pa.array([Decimal("1.10"), *[Decimal("2.25")] * (ROWS - 1)]),
    "Arrow dictionary of lists": lambda: pa.DictionaryArray.from_arrays(
        pa.array([0] * ROWS, pa.int8()), pa.array([[1]])
    ),
    "Arrow run ends": lambda: pa.RunEndEncodedArray.from_arrays([4, ROWS], pa.array([[1], [2]])),
    "Arrow dates far": lambda: pa.array([2**31 - 1 - i for i in range(ROWS)], pa.date32()),
    "Arrow timestamps far": lambda: pa.array([2**62 + i for i in range(ROWS)], pa.timestamp("s")),
    "Arrow string view": lambda: pa.array(["a", "b"] * (ROWS // 2), pa.string_view()),
    "Arrow bool8": lambda: pa.ExtensionArray.from_storage(
        pa.bool8(), pa.array([0, 1] * (ROWS // 2), pa.int8())
    ),
    "pandas periods": lambda: pd.Series(pd.period_range("2020", periods=ROWS, freq="M")),
    "pandas intervals": lambda: pd.Series(pd.interval_range(0, ROWS)),
    "pandas timedeltas": lambda: pd.Series(pd.to_timedelta(range(ROWS), unit="D")),
    "pandas categories of tuples": lambda: pd.Series(pd.Categorical([(1, 2), (3, 4)] * (ROWS // 2))),
    "pandas complex": lambda: pd.Series(np.ones(ROWS, complex)),
    "polars Time": lambda: pl.Series([datetime.time(1, i) for i in range(ROWS)]),
    "polars Duration": lambda: pl.Series([datetime.timedelta(i) for i in range(ROWS)]),
    "polars Binary": lambda: pl.Series([b"\xff"] * ROWS),
    "polars Object": lambda: pl.Series([object() for _ in range(ROWS)], dtype=pl.Object),
    "polars List": lambda: pl.Series([[1, 2]] * ROWS),
    "polars Array": lambda: pl.Series([[1, 2]] * ROWS, dtype=pl.Array(pl.Int64, 2)),
    "polars Struct": lambda: pl.Series([{"a": 1}] * ROWS),
    "polars Null": lambda: pl.Series([None] * ROWS),
    "polars Decimal": lambda: pl.Series([Decimal("1.5")] * ROWS),
}
if hasattr(pl, "Int128"):  # polars 1.0 has none
    COLUMNS |= {
        "polars Int128": lambda: pl.Series([2**100 + i for i in range(ROWS)], dtype=pl.Int128),
        "polars Int128 small": lambda: pl.Series(range(ROWS), dtype=pl.Int128),
    }


def columns_of(name: str) -> list[Any]:
    """Return a value as columns: alone, and a cell also among numbers."""
    if name in COLUMNS:
        return [COLUMNS[name]()]
    cell = CELLS[name]()
    return [[cell] * ROWS, [cell, *[1.5] * (ROWS - 1)], [cell, *["u"] * (ROWS - 1)]]


def sweep(names: list[str]) -> list[str]:
    """Return what went wrong with these values: every exception that is none of ours."""
    import tallystick as ts
    from tallystick.errors import TallyError

    wrong: list[str] = []

    def attempt(what: str, work: Callable[[], Any]) -> None:
        try:
            work()
        except TallyError as error:
            if "\n" in str(error):
                wrong.append(f"{what}: several lines")
        except Exception as error:
            wrong.append(f"{what}: {type(error).__name__}: {error}")

    labels, numbers = ["a", "b"] * (ROWS // 2), list(range(ROWS))
    plain = {"x": [1.5, 2.5, 3.5, 4.5] * (ROWS // 4), "t": ["u", "v"] * (ROWS // 2)}
    kinds: list[Any] = [ts.DecisionTree, ts.NaiveBayes, ts.LogisticRegression, ts.Scorecard]
    kinds.append(ts.RegressionTree)
    models = [k().fit(plain, numbers if k is ts.RegressionTree else labels) for k in kinds]
    for name in names:
        for cells in columns_of(name):
            attempt(f"fit {name}", lambda c=cells: ts.DecisionTree().fit({"x": c, "t": plain["t"]}, labels))
            attempt(f"memory {name}", lambda c=cells: ts.NaiveBayes(memory="64MB").fit({"x": c}, labels))
            for model in models:
                attempt(f"predict {name}", lambda c=cells, m=model: m.predict({"x": c, "t": plain["t"]}))
                attempt(f"level {name}", lambda c=cells, m=model: m.predict({"x": plain["x"], "t": c}))
        if name in CELLS:
            cell = CELLS[name]()
            for model in models:
                for row in ({"x": cell, "t": "u"}, {"x": 1.5, "t": cell}):
                    attempt(f"explain {name}", lambda r=row, m=model: m.explain(r))
                    attempt(f"row {name}", lambda r=row, m=model: m.predict([r]))
                    if hasattr(model, "predict_one"):
                        attempt(f"one {name}", lambda r=row, m=model: m.predict_one(r))
    return wrong


if __name__ == "__main__":
    import json
    import sys
    import warnings

    warnings.simplefilter("ignore")
    print(json.dumps(sweep(sys.argv[1:] or [*CELLS, *COLUMNS])))
