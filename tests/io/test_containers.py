"""One table, one model: the same values in any container, type or file give the same model bytes."""

from __future__ import annotations

import datetime as dt
import decimal
import gzip
import json
import sqlite3

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tallystick as ts
from tallystick.errors import DataError

pytestmark = pytest.mark.slow

LEARNERS = [ts.NaiveBayes, ts.DecisionTree, ts.LogisticRegression, ts.Scorecard]
ROWS = 90
DAY = dt.date(2020, 1, 1)

RNG = np.random.default_rng(5)
COLUMNS = {
    "real": [None if i % 11 == 0 else float(v) for i, v in enumerate(RNG.normal(size=ROWS).round(3))],
    "whole": [int(v) for v in RNG.integers(0, 40, ROWS)],
    "word": [None if i % 13 == 0 else ["low", "mid", "high"][i * 7 % 3] for i in range(ROWS)],
    "flag": [bool(v) for v in RNG.integers(0, 2, ROWS)],
    "day": [DAY + dt.timedelta(days=int(v)) for v in RNG.integers(0, 400, ROWS)],
    "y": ["pq"[int(v)] for v in RNG.integers(0, 2, ROWS)],
}
FRAME = pd.DataFrame(COLUMNS)


def csv_text(sep: str = ",", rows: slice = slice(None)) -> str:
    lines = [sep.join(COLUMNS)]
    cells = list(zip(*COLUMNS.values(), strict=True))[rows]
    lines += [sep.join("" if c is None else str(c) for c in row) for row in cells]
    return "\n".join(lines) + "\n"


def arrow(**types: pa.DataType) -> pa.Table:
    made = {}
    for name, cells in COLUMNS.items():
        kind = types.get(name)
        if kind is not None and pa.types.is_decimal(kind):
            cells = [None if c is None else decimal.Decimal(str(c)) for c in cells]
        if kind is not None and pa.types.is_dictionary(kind):
            made[name] = pa.array(cells).dictionary_encode()
        elif kind is not None and pa.types.is_timestamp(kind):
            made[name] = pa.array(cells, pa.date32()).cast(kind)
        else:
            made[name] = pa.array(cells, kind)
    return pa.table(made)


def pandas_nullable() -> pd.DataFrame:
    types = {
        "real": "Float64",
        "whole": "Int16",
        "word": "string",
        "flag": "boolean",
        "day": "datetime64[ns]",
    }
    return FRAME.astype(types)


def pandas_categories() -> pd.DataFrame:
    words = pd.Categorical(COLUMNS["word"], categories=["unused", "mid", "low", "high"])
    return FRAME.assign(word=words, y=pd.Categorical(COLUMNS["y"]), whole=pd.Categorical(COLUMNS["whole"]))


def structured() -> np.ndarray:
    kinds = [("real", "f8"), ("whole", "i4"), ("word", "O"), ("flag", "?"), ("day", "M8[D]"), ("y", "U1")]
    rows = zip(*COLUMNS.values(), strict=True)
    return np.array(
        [tuple(np.nan if c is None and j == 0 else c for j, c in enumerate(r)) for r in rows], kinds
    )


IN_MEMORY = {
    "pandas": lambda: FRAME,
    "pandas objects": lambda: FRAME.astype(object),
    "pandas nullable": pandas_nullable,
    "pandas categories": pandas_categories,
    "pandas arrow types": lambda: FRAME.convert_dtypes(dtype_backend="pyarrow"),
    "polars": lambda: pl.DataFrame(COLUMNS),
    "polars lazy": lambda: pl.DataFrame(COLUMNS).lazy(),
    "polars categories": lambda: pl.DataFrame(COLUMNS).with_columns(pl.col("word", "y").cast(pl.Categorical)),
    "records": lambda: [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)],
    "dict of columns": lambda: COLUMNS,
    "structured array": structured,
    "arrow": arrow,
    "arrow reader": lambda: arrow().to_reader(max_chunksize=7),
    "arrow chunks": lambda: pa.concat_tables([arrow().slice(0, 40), arrow().slice(40)]),
    "arrow dictionary": lambda: arrow(
        word=pa.dictionary(pa.int32(), pa.string()), y=pa.dictionary(pa.int32(), pa.string())
    ),
    "arrow decimal": lambda: arrow(real=pa.decimal128(12, 3), whole=pa.decimal256(40, 0)),
    "arrow timestamps": lambda: arrow(day=pa.timestamp("ms")),
    "arrow date64": lambda: arrow(day=pa.date64()),
    "arrow large": lambda: arrow(word=pa.large_string(), y=pa.string_view(), whole=pa.uint64()),
}


def files(folder):
    """Every file or query that holds the table, by what it is."""
    path = {
        name: folder / f"{name}" for name in ("t.csv", "t.tsv", "t.csv.gz", "t.jsonl", "t.json", "t.parquet")
    }
    path["t.csv"].write_text(csv_text())
    path["t.tsv"].write_text(csv_text("\t"))
    path["t.csv.gz"].write_bytes(gzip.compress(csv_text().encode()))
    records = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]
    path["t.jsonl"].write_text("".join(json.dumps(r, default=str) + "\n" for r in records))
    path["t.json"].write_text(json.dumps(records, default=str))
    pq.write_table(arrow(), path["t.parquet"], row_group_size=17)
    for i, rows in enumerate((slice(0, 30), slice(30, 31), slice(31, None))):
        (folder / f"part-{i}.csv").write_text(csv_text(rows=rows))
    found = dict(path)
    found["list of files"] = sorted(folder.glob("part-*.csv"), reverse=True)
    found["pattern"] = str(folder / "part-*.csv")
    return found


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    path = tmp_path_factory.mktemp("plain") / "t.csv"
    path.write_text(csv_text())
    return {learner: learner().fit(path, "y").to_bytes() for learner in LEARNERS}


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("what", IN_MEMORY)
def test_every_container_gives_the_same_model_bytes(what, learner, expected):
    assert learner().fit(IN_MEMORY[what](), "y").to_bytes() == expected[learner]


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_file_gives_the_same_model_bytes(learner, expected, tmp_path):
    for what, x in files(tmp_path).items():
        assert learner().fit(x, "y").to_bytes() == expected[learner], what


@pytest.mark.parametrize("learner", LEARNERS)
def test_queries_and_relations_give_the_same_model_bytes(learner, expected, tmp_path):
    duckdb = pytest.importorskip("duckdb")
    path = files(tmp_path)["t.parquet"]
    query = f"SELECT * FROM '{path}' ORDER BY whole, real"
    assert learner().fit(query, "y").to_bytes() == expected[learner]
    assert learner().fit(duckdb.sql(query), "y").to_bytes() == expected[learner]


@pytest.mark.parametrize("learner", LEARNERS)
def test_an_adbc_reader_gives_the_same_model_bytes(learner, expected, tmp_path):
    dbapi = pytest.importorskip("adbc_driver_sqlite.dbapi")
    database = str(tmp_path / "t.db")
    with sqlite3.connect(database) as plain:
        plain.execute("CREATE TABLE t (real REAL, whole INTEGER, word TEXT, flag TEXT, day TEXT, y TEXT)")
        cells = [
            [str(c).lower() if isinstance(c, bool) else str(c) if isinstance(c, dt.date) else c for c in row]
            for row in zip(*COLUMNS.values(), strict=True)
        ]
        plain.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", cells)
    plain.close()
    with dbapi.connect(database) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT * FROM t")
        assert learner().fit(cursor.fetch_record_batch(), "y").to_bytes() == expected[learner]


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_matrix_gives_the_same_model_bytes(learner):
    sparse = pytest.importorskip("scipy.sparse")
    dense = np.where(RNG.random((60, 4)) < 0.5, 0, RNG.integers(1, 100, (60, 4))).astype(float)
    y = ["pq"[int(v)] for v in RNG.integers(0, 2, 60)]
    plain = learner().fit(dense, y).to_bytes()
    for kind in (np.float32, np.int64, np.int16, np.uint8, np.uint64, object, ">f8"):
        assert learner().fit(dense.astype(kind), np.array(y)).to_bytes() == plain, kind
    for form in (sparse.csr_matrix, sparse.csc_array, sparse.coo_array):
        assert learner().fit(form(dense), y).to_bytes() == plain
    assert learner().fit(np.asfortranarray(dense), pd.Series(y)).to_bytes() == plain
    assert learner().fit(dense[:, ::-1][:, ::-1], pl.Series(y)).to_bytes() == plain
    assert learner().fit(dense.tolist(), y).to_bytes() == plain


def test_types_that_hold_no_cells_are_refused_with_the_cast_to_use():
    for cells, cure in (
        ([[1, 2], [3]], "Make columns of its parts"),
        ([{"a": 1}, {"a": 2}], "Make columns of its parts"),
        ([b"x", b"y"], "Decode it to text"),
        (pa.array([(1, 2, 3), (4, 5, 6)], pa.month_day_nano_interval()), "Make a number of it first"),
    ):
        table = pa.table({"x": cells, "w": ["a", "b"]})
        with pytest.raises(DataError, match=cure):
            ts.NaiveBayes().fit(table, ["p", "q"])


# ---- readers, and what happens when they raise ----

SCHEMA = pa.schema([("x", pa.float64()), ("y", pa.string())])
BATCH = pa.record_batch([pa.array([v * 0.37 for v in range(100)]), pa.array(["a", "b"] * 50)], schema=SCHEMA)
MODEL = ts.DecisionTree().fit(pa.Table.from_batches([BATCH]), "y")
ASKED = (
    lambda x: ts.DecisionTree().fit(x, "y"),
    lambda x: ts.DecisionTree(memory="64MB").fit(x, "y"),
    lambda x: MODEL.predict(x),
    lambda x: ts.describe(x, "y"),
)


class MineError(Exception):
    """Of the user."""


class OwnSource:
    name, columns, notes = "mine", ("x", "y"), ()

    def __init__(self, last):
        self.last = last

    def batches(self):
        yield BATCH
        if isinstance(self.last, BaseException):
            raise self.last
        yield self.last


@pytest.mark.parametrize("ask", ASKED)
@pytest.mark.parametrize(
    "error", [MineError("boom"), KeyError("boom"), OSError("boom"), pa.ArrowInvalid("boom")]
)
def test_a_reader_that_raises_midway_is_one_line_with_its_error_behind(ask, error):
    reader = pa.RecordBatchReader.from_batches(SCHEMA, OwnSource(error).batches())
    with pytest.raises(DataError, match=r"the Arrow table cannot be read to its end: .*boom") as told:
        ask(reader)
    assert "\n" not in str(told.value)
    assert "boom" in str(told.value.__cause__)


def test_ctrl_c_in_a_reader_is_ctrl_c():
    with pytest.raises(KeyboardInterrupt):
        ASKED[0](pa.RecordBatchReader.from_batches(SCHEMA, OwnSource(KeyboardInterrupt()).batches()))


@pytest.mark.parametrize("ask", ASKED)
def test_what_a_source_of_the_user_raises_stays_the_users_own(ask):
    with pytest.raises(MineError, match="boom"):
        ask(OwnSource(MineError("boom")))


@pytest.mark.parametrize("ask", ASKED)
@pytest.mark.parametrize(
    ("last", "said"),
    [
        (pa.ArrowInvalid("boom"), "mine cannot be read to its end: 'boom'"),
        (BATCH.select(["x"]), "mine gave a batch of 1 column, but has 2"),
        ({"x": 1}, "mine gave 'dict' among its batches. Yield pyarrow.RecordBatch alone"),
    ],
)
def test_a_source_of_the_user_that_gives_something_else_is_one_line(ask, last, said):
    with pytest.raises(DataError, match=said):
        ask(OwnSource(last))


@pytest.mark.parametrize("ask", ASKED)
def test_a_relation_that_raises_midway_is_one_line(ask):
    import duckdb

    def odd(x):
        raise MineError("boom")

    with duckdb.connect() as base:
        base.create_function("odd", odd, ["DOUBLE"], "DOUBLE")
        with pytest.raises(DataError, match=r"the relation cannot be read to its end: .*boom"):
            ask(base.sql("SELECT odd(x::double) x, 'a' || x % 2 y FROM range(100) t(x)"))


def test_datasets_scanners_and_lists_of_batches_are_tables(tmp_path):
    import pyarrow.dataset as ds

    plain = ts.NaiveBayes().fit(pa.Table.from_batches([BATCH]), "y").to_bytes()
    pq.write_table(pa.Table.from_batches([BATCH]), tmp_path / "a.parquet")
    stored = ds.dataset(tmp_path)
    held = ds.dataset(pa.Table.from_batches([BATCH]))
    for rows in (stored, stored.scanner(), held, [BATCH[:9], BATCH[9:]]):
        assert ts.NaiveBayes().fit(rows, "y").to_bytes() == plain
    assert ts.NaiveBayes(memory="64MB").fit(stored, "y").to_bytes() == plain
    with pytest.raises(DataError, match="the list has batches of different columns"):
        ASKED[0]([BATCH, BATCH.select(["x"])])
    whole = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "b.parquet").write_bytes(whole[:-30] + b"x" * 22 + whole[-8:])
    for ask in ASKED:
        with pytest.raises(DataError, match=r"the dataset cannot be read to its end: .*Parquet"):
            ask(ds.dataset(tmp_path, schema=SCHEMA, format="parquet"))


@pytest.mark.parametrize("rows", [iter([BATCH]), (row for row in [{"x": 1, "y": "a"}])])
def test_rows_that_can_be_had_only_once_are_refused_with_the_way_to_keep_them(rows):
    with pytest.raises(DataError, match=r"more than once. Pass list\(rows\), or batches as pyarrow"):
        ASKED[0](rows)
