"""Small tables for the tests of the data rooms: strategies, and the same cells in every container."""

from __future__ import annotations

import csv
import io
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

from tallystick.errors import TallyError
from tallystick.io.open import open_source, read
from tallystick.schema import ABSENT
from tallystick.table.reader import read_table

Cells = list  # of str, int, float, bool, date or None, one type per column

WORDS = st.text(alphabet="abcxyzäß€ .,;-'\"0", min_size=1, max_size=6).map(str.strip).filter(bool)


def column_strategy(rows: int) -> st.SearchStrategy[Cells]:
    """A column of one Python type, with gaps."""

    def gaps(values: st.SearchStrategy) -> st.SearchStrategy[Cells]:
        return st.lists(st.one_of(values, values, values, st.none()), min_size=rows, max_size=rows)

    few_words = st.lists(WORDS, min_size=2, max_size=4, unique=True).flatmap(
        lambda w: gaps(st.sampled_from(w))
    )
    finite = st.floats(allow_nan=False, allow_infinity=False)
    days = st.integers(-30_000, 30_000).map(lambda n: date(1970, 1, 1) + timedelta(days=n))
    return st.one_of(
        few_words,
        gaps(st.integers(-(2**52), 2**52)),
        gaps(st.integers(0, 1)),
        gaps(st.integers(0, 9)),
        gaps(finite),
        gaps(st.booleans()),
        gaps(days),
    )


@st.composite
def tables(draw: st.DrawFn, max_rows: int = 12) -> dict[str, Cells]:
    """A table of one to three columns."""
    rows = draw(st.integers(1, max_rows))
    names = draw(st.lists(st.sampled_from(["a", "b b", "ü", "=c()"]), min_size=1, max_size=3, unique=True))
    return {name: draw(column_strategy(rows)) for name in names}


def as_text(cell: object) -> str:
    """A cell as a CSV holds it."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "True" if cell else "False"
    return cell.isoformat() if isinstance(cell, date) else str(cell)


def csv_bytes(table: dict[str, Cells], sep: str = ",", end: str = "\n") -> bytes:
    """The table as a CSV file."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=sep, lineterminator=end)
    writer.writerow(table)
    for row in zip(*table.values(), strict=True):
        texts = [as_text(cell) for cell in row]
        if texts == [""]:
            out.write('""' + end)  # an empty line would be no row for other readers
        else:
            writer.writerow(texts)
    return out.getvalue().encode()


def arrow_type(cells: Cells) -> pa.DataType:
    """The Arrow type of a column of one Python type."""
    kinds = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), str: pa.string(), date: pa.date32()}
    types = [type(cell) for cell in cells if cell is not None]
    return kinds[types[0]] if types else pa.null()


def arrow(table: dict[str, Cells]) -> pa.Table:
    """The table as Arrow, typed."""
    return pa.table({name: pa.array(cells, arrow_type(cells)) for name, cells in table.items()})


def containers(table: dict[str, Cells], folder: Path) -> dict[str, object]:
    """The same cells in every container that can hold them."""
    plain = arrow(table)
    csv_path, parquet_path = folder / "table.csv", folder / "table.parquet"
    csv_path.write_bytes(csv_bytes(table))
    pq.write_table(plain, parquet_path)
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    return {
        "csv": read(csv_path, sep=","),
        "parquet": parquet_path,
        "arrow": plain,
        "arrow reader": plain.to_reader(),
        "pandas": plain.to_pandas(),
        "pandas objects": pd.DataFrame({n: pd.Series(c, dtype=object) for n, c in table.items()}),
        "pandas arrow": plain.to_pandas(types_mapper=pd.ArrowDtype),
        "polars": pl.from_arrow(plain),
        "polars lazy": pl.from_arrow(plain).lazy(),
        "dict of lists": table,
        "list of dicts": rows,
        "object array": {n: np.array(c, dtype=object) for n, c in table.items()},
        "texts": {n: [None if x is None else as_text(x) for x in c] for n, c in table.items()},
        "dictionary": pa.table({n: c.dictionary_encode() for n, c in zip(table, plain.columns, strict=True)}),
    }


def encoded(x, **options):
    """Return what a table means: schema, columns, notes; or the error's text without the source's name."""
    source = open_source(x)
    try:
        table = read_table(source, **options)
    except TallyError as error:
        return str(error).replace(source.name, "TABLE")
    columns = {
        n: np.asarray(d).tolist() if not isinstance(d, tuple) else None for n, d in table.columns.items()
    }
    texts = {n: [repr(v) for v in c] for n, c in columns.items() if c is not None}
    return table.schema, texts, table.notes, table.fingerprint


def decode(codes, levels):
    """Return the texts of codes; missing and unseen are None."""
    texts: list[str | None] = [*(None if t == ABSENT else t for t in levels), None, None]
    return [texts[code] for code in codes.tolist()]


def mixed(rows=240, seed=0):
    """Return numbers, levels and missing cells with two classes."""
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=rows), rng.normal(size=rows).round(1)
    colour = rng.choice(["red", "green", "blue", None], rows)
    p = 1 / (1 + np.exp(-(1.5 * x + (colour == "red") - z * x)))
    y = np.where(rng.random(rows) < p, "yes", "no")
    return {"x": x, "z": z, "colour": colour.tolist(), "y": y.tolist()}


def of_every_kind(seed=0, rows=900):
    """Mixed columns: numbers with gaps, whole numbers, levels, booleans, dates, texts, an id, a target."""
    rng = np.random.default_rng(seed)
    x = np.round(rng.normal(size=rows), 2)
    x[rng.random(rows) < 0.1] = np.nan
    return pa.table(
        {
            "x": pa.array(x, from_pandas=True),
            "whole": rng.integers(0, 40, rows),
            "colour": rng.choice(["red", "green", "blue", None], rows).tolist(),
            "flag": rng.random(rows) < 0.5,
            "day": pa.array(rng.integers(0, 9_000, rows), pa.int32()).cast(pa.date32()),
            "said": [" ".join(rng.choice(["good", "bad", "news", "sun"], 3)) for _ in range(rows)],
            "id": [f"r{i}" for i in range(rows)],
            "heavy": rng.integers(1, 4, rows),
            "y": np.where(np.nan_to_num(x) + rng.normal(size=rows) > 0, "yes", "no"),
        }
    )
