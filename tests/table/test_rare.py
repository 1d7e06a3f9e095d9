"""The same values in any type of Arrow, pandas and polars give the same model; types without cells one line
that says how to go on.
"""

from __future__ import annotations

import datetime as dt
import re
import uuid
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tallystick as ts
from tallystick.errors import DataError
from tallystick.io.open import open_source
from tallystick.table.cells import common
from tallystick.table.reader import read_table

ROWS = 60
FEW = [(i * i) % 5 for i in range(ROWS)]
MANY = [(i * 37) % 61 * 3 for i in range(ROWS)]
HALVES = [v / 2 for v in MANY]
FLAGS = [v % 2 == 0 for v in FEW]
WORDS = [f"l{v}" for v in FEW]
DAYS = [dt.date(2020, 1, 1) + dt.timedelta(days=v) for v in MANY]
SPANS = [dt.timedelta(seconds=v) for v in MANY]
TIMES = [dt.time(v // 60, v % 60) for v in MANY]
IDS = [uuid.UUID(int=v) for v in FEW]
PARTS = [[v, 1] for v in FEW]
RECORDS = [{"a": v, "b": 1} for v in FEW]
RUNS = pa.array(range(1, ROWS + 1), pa.int32())


class Amount(pa.ExtensionType):
    """A type of the user's own."""

    def __init__(self):
        super().__init__(pa.int64(), "test.amount")

    def __arrow_ext_serialize__(self):
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage, serialized):
        return cls()


def extension(kind, storage):
    return pa.ExtensionArray.from_storage(kind, storage)


def coded(values):
    return pa.DictionaryArray.from_arrays(pa.array(range(len(values)), pa.int32()), values)


def objects(cells):
    return pd.Series(cells, dtype=object)


def where_known(library, name, make):
    """Return a list of what is made, empty with a release of the library that lacks the type."""
    return [make()] if hasattr(library, name) else []


def decimals(kind):
    return pa.array([Decimal(v) / 2 for v in MANY], kind)


SAME = {
    "halves": [
        pa.array(HALVES),
        pa.array(np.array(HALVES, np.float16)),
        pa.array(HALVES, pa.float32()),
        *where_known(pa, "decimal32", lambda: decimals(pa.decimal32(9, 2))),
        *where_known(pa, "decimal64", lambda: decimals(pa.decimal64(12, 2))),
        decimals(pa.decimal128(20, 4)),
        decimals(pa.decimal256(60, 2)),
        coded(pa.array(np.array(HALVES, np.float16))),
        coded(decimals(pa.decimal128(20, 4))),
        np.array(HALVES, np.float16),
        pd.array(HALVES, dtype="Float32"),
        pd.Categorical(HALVES),
        objects([Decimal(v) / 2 for v in MANY]),
        objects([Fraction(v, 2) for v in MANY]),
        pl.Series(HALVES, dtype=pl.Float32),
        pl.Series(HALVES).cast(pl.Decimal(10, 2)),
    ],
    "whole numbers": [
        pa.array(MANY),
        pa.array(MANY, pa.uint64()),
        coded(pa.array(MANY, pa.int16())),
        coded(coded(pa.array(MANY))),
        extension(Amount(), pa.array(MANY)),
        extension(pa.opaque(pa.int64(), "number", "db"), pa.array(MANY)),
        pa.RunEndEncodedArray.from_arrays(RUNS, pa.array(MANY)),
        pd.array(MANY, dtype="Int64"),
        pd.arrays.SparseArray(MANY),
        *where_known(pl, "Int128", lambda: pl.Series(MANY, dtype=pl.Int128)),
        *where_known(pl, "UInt128", lambda: pl.Series(MANY, dtype=pl.UInt128)),
    ],
    "booleans": [
        pa.array(FLAGS),
        coded(pa.array(FLAGS)),
        extension(pa.bool8(), pa.array(FLAGS).cast(pa.int8())),
        pd.array(FLAGS, dtype="boolean"),
        pd.Categorical(FLAGS),
        pl.Series(FLAGS),
    ],
    "levels": [
        pa.array(WORDS),
        pa.array(WORDS, pa.string_view()),
        coded(pa.array(WORDS)),
        coded(coded(pa.array(WORDS, pa.large_string()))),
        pa.RunEndEncodedArray.from_arrays(RUNS, pa.array(WORDS)),
        pa.RunEndEncodedArray.from_arrays(RUNS, coded(pa.array(WORDS))),
        extension(pa.opaque(pa.string(), "word", "db"), pa.array(WORDS)),
        pd.Categorical(WORDS),
        pd.array(WORDS, dtype="string"),
        pl.Series(WORDS, dtype=pl.Categorical),
    ],
    "dates": [
        pa.array(DAYS),
        pa.array(DAYS, pa.date64()),
        coded(pa.array(DAYS)),
        pd.to_datetime(DAYS),
        pd.PeriodIndex(DAYS, freq="D"),
        pd.Categorical(pd.PeriodIndex(DAYS, freq="D")),
        objects([pd.Period(day, "D") for day in DAYS]),
        pl.Series(DAYS),
    ],
    "durations": [
        *(pa.array(SPANS, pa.duration(unit)) for unit in ("s", "ms", "us", "ns")),
        coded(pa.array(SPANS)),
        np.array(MANY, "m8[s]"),
        pd.to_timedelta(MANY, unit="s"),
        pd.Categorical(pd.to_timedelta(MANY, unit="s")),
        pd.array(pa.array(SPANS), dtype=pd.ArrowDtype(pa.duration("us"))),
        objects(SPANS),
        objects([np.timedelta64(v, "s") for v in MANY]),
        pl.Series(SPANS),
    ],
    "times": [
        [time.isoformat() for time in TIMES],
        pa.array(TIMES, pa.time32("s")),
        pa.array(TIMES, pa.time64("ns")),
        coded(pa.array(TIMES)),
        objects(TIMES),
        pl.Series(TIMES),
    ],
    "identifiers of rows": [
        [str(one) for one in IDS],
        extension(pa.uuid(), pa.array([one.bytes for one in IDS], pa.binary(16))),
        coded(extension(pa.uuid(), pa.array([one.bytes for one in IDS], pa.binary(16)))),
        objects(IDS),
    ],
    "documents": [
        pa.array([f'{{"a":{v}}}' for v in FEW]),
        *where_known(pa, "json_", lambda: extension(pa.json_(), pa.array([f'{{"a":{v}}}' for v in FEW]))),
    ],
    "intervals": [
        [f"({v}, {v + 1}]" for v in FEW],
        pd.arrays.IntervalArray.from_tuples([(v, v + 1) for v in FEW]),
        objects([pd.Interval(v, v + 1) for v in FEW]),
    ],
}
KINDS = {"booleans": "boolean", "levels": "levels", "identifiers of rows": "levels"}
KINDS |= {"documents": "levels", "intervals": "levels"}


def table_of(cells):
    """Return a table in the container that the cells come from."""
    other = {"z": [(i * 7) % 11 / 3 for i in range(ROWS)], "y": ["no" if v < 2 else "yes" for v in FEW]}
    if isinstance(cells, pa.Array):
        return pa.table({"x": cells, **other})
    return pl.DataFrame({"x": cells, **other}) if isinstance(cells, pl.Series) else {"x": cells, **other}


@pytest.mark.slow
@pytest.mark.parametrize("what", SAME)
@pytest.mark.filterwarnings("ignore")
def test_the_same_values_in_any_type_give_the_same_model(what):
    files = []
    for cells in SAME[what]:
        for engine in ({}, {"memory": "1GB"}):
            model = ts.NaiveBayes(**engine).fit(table_of(cells), "y")
            files.append(model.to_bytes())
        assert model.model_.schema["x"].kind == KINDS.get(what, "numeric")
    assert len(set(files)) == 1, [file == files[0] for file in files]


def test_a_frame_of_pandas_is_read_like_a_dict_of_its_columns():
    for cells in (pd.PeriodIndex(DAYS, freq="D"), pd.to_timedelta(MANY, unit="s"), objects(IDS)):
        plain = table_of(cells)
        assert read_table(open_source(pd.DataFrame(plain))).schema == read_table(open_source(plain)).schema


def test_durations_are_seconds_and_say_so():
    table = read_table(open_source(table_of(pa.array(SPANS))))
    assert (table.schema["x"].low, table.schema["x"].high) == (min(MANY), max(MANY))
    assert "column 'x' holds durations; they are used as seconds." in [note.text for note in table.notes]


def test_durations_that_run_through_or_are_zero_and_one_are_still_amounts():
    seconds = [dt.timedelta(seconds=v) for v in range(ROWS)]
    assert read_table(open_source(table_of(pa.array(seconds)))).schema["x"].kind == "numeric"
    binary = [dt.timedelta(seconds=v) for v in FLAGS]
    assert read_table(open_source(table_of(pa.array(binary)))).schema["x"].kind == "numeric"


def test_times_of_day_are_hours_and_say_so():
    table = read_table(open_source(table_of([f"{v // 60}:{v % 60:02}" for v in MANY])))
    assert (table.schema["x"].low, table.schema["x"].high) == (min(MANY) / 60, max(MANY) / 60)
    assert any("holds times of day, such as '0:00': read as hours." in note.text for note in table.notes)


@pytest.mark.parametrize("cell", ["24:00", "3:1", "12:60", "1:2:3", "08:30 Uhr"])
def test_what_is_no_time_of_day_stays_a_level(cell):
    cells = [cell if v == 0 else f"0{v}:30" for v in FEW]
    assert read_table(open_source(table_of(cells))).schema["x"].kind == "levels"


def test_a_model_of_times_answers_times_in_any_container():
    model = ts.DecisionTree().fit(table_of(pa.array(TIMES)), "y")
    answers = [list(model.predict(table_of(cells))) for cells in SAME["times"]]
    assert all(answer == answers[0] for answer in answers)


def test_a_cut_of_a_frame_is_ordered_levels():
    cut = pd.cut(pd.Series(MANY), [-1, 60, 120, 200])
    column = read_table(open_source(pd.DataFrame(table_of(cut)))).schema["x"]
    assert (column.kind, column.levels) == ("ordered", ("(-1, 60]", "(60, 120]", "(120, 200]"))


NO_CELLS = [
    (pa.array(PARTS), "pyarrow.compute.list_element(table['x'], 0)"),
    (pa.array(PARTS, pa.large_list(pa.int64())), "frame['x'].str[0]"),
    (pa.array(PARTS, pa.list_(pa.int64(), 2)), "pl.col('x').list.get(0)"),
    (coded(pa.array(PARTS)), "Make columns of its parts"),
    (pa.array(RECORDS), "table.flatten()"),
    (pa.array([[("a", v)] for v in FEW], pa.map_(pa.string(), pa.int64())), "map_lookup(table['x']"),
    (pa.array([word.encode() for word in WORDS]), "Decode it to text first"),
    (pa.array([word.encode() for word in WORDS], pa.binary_view()), "Decode it to text first"),
    (pa.array([(1, v, 0) for v in FEW], pa.month_day_nano_interval()), "a number of it first"),
    (
        pa.UnionArray.from_dense(pa.array([0] * ROWS, pa.int8()), pa.array(range(ROWS), pa.int32()), [RUNS]),
        "Cast it to numbers or text first",
    ),
    (extension(pa.fixed_shape_tensor(pa.int64(), [2]), pa.array(PARTS, pa.list_(pa.int64(), 2))), "parts"),
    (pa.array(pd.PeriodIndex(DAYS, freq="D").array), "frame['x'].dt.to_timestamp()"),
    (pa.array(pd.arrays.IntervalArray.from_tuples([(v, v + 1) for v in FEW])), "columns of its two ends"),
    (objects(PARTS), "frame['x'].str[0]"),
    (objects(RECORDS), "pd.json_normalize(frame['x'])"),
    (pl.Series(PARTS), "pl.col('x').list.get(0)"),
    (pl.Series(RECORDS), "frame.unnest('x')"),
    *[
        (pl.Series([[v] for v in FEW], dtype=kind), "pl.col('x').list.get(0)")
        for wide in where_known(pl, "Int128", lambda: pl.Int128)
        for kind in (pl.List(wide), pl.Array(wide, 1))
    ],
    *where_known(
        pl,
        "UInt128",
        lambda: (
            pl.Series([{"a": v} for v in FEW], dtype=pl.Struct({"a": pl.UInt128})),
            "frame.unnest('x')",
        ),
    ),
    (pl.Series([word.encode() for word in WORDS]), "Decode it to text first"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("cells", "cure"), NO_CELLS, ids=lambda v: str(getattr(v, "type", ""))[:30])
def test_a_type_without_cells_is_one_line_that_says_how_to_go_on(cells, cure):
    with pytest.raises(DataError, match=r"column 'x' is of type .*neither a number nor text") as told:
        ts.NaiveBayes().fit(table_of(cells), "y")
    assert cure in str(told.value)
    assert "\n" not in str(told.value)
    ts.NaiveBayes(kinds={"x": "out"}).fit(table_of(cells), "y")


def test_the_cures_do_what_they_say():
    parts, records = pa.table({"x": PARTS}), pa.table({"x": RECORDS})
    assert pa.compute.list_element(parts["x"], 0).to_pylist() == FEW
    assert pd.Series(PARTS).str[0].tolist() == FEW
    assert pl.DataFrame({"x": PARTS}).select(pl.col("x").list.get(0))["x"].to_list() == FEW
    assert records.flatten().column_names == ["x.a", "x.b"]
    assert list(pd.json_normalize(pd.DataFrame({"x": RECORDS})["x"])) == ["a", "b"]
    assert pl.DataFrame({"x": RECORDS}).unnest("x").columns == ["a", "b"]


def test_objects_of_polars_are_refused_with_the_cast_to_use():
    cells = pl.Series([{v} for v in FEW], dtype=pl.Object)
    with pytest.raises(DataError, match=re.escape("pl.col('x').map_elements(str, return_dtype=pl.String)")):
        ts.NaiveBayes().fit(table_of(cells), "y")


@pytest.mark.parametrize("unit", ["Y", "M"])
def test_durations_in_months_are_refused(unit):
    with pytest.raises(DataError, match="whose length in seconds is not fixed"):
        open_source({"x": np.array(FEW, f"m8[{unit}]")})


def test_runs_are_written_out_from_any_offset():
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2, 5, 6], pa.int32()), pa.array(["a", None, "b"]))
    for start in range(6):
        for size in range(6 - start):
            part = runs.slice(start, size)
            assert common(part, "x").to_pylist() == part.to_pylist()
