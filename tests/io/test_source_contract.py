"""What every source must keep. A new source joins by adding its name and a way to make it to SOURCES."""

from __future__ import annotations

import contextlib
import gzip
import itertools
import json
import sqlite3
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.orc
import pyarrow.parquet
import pytest
from declared import lacking

import tallystick as ts
from tallystick.contracts import InMemory, Source
from tallystick.estimator.verify import ordered
from tallystick.io.containers import FrameSource
from tallystick.io.csv_repair import unread
from tallystick.io.open import open_source
from tallystick.io.source import BaseSource, ChosenColumns
from tallystick.table.batches import loaded
from tallystick.table.new_rows import every_row

NAMES = ("x", "sky", "y")
ROWS = [(i / 4, ("sun", "rain", "fög")[i % 3], ("low", "high")[i * i % 2]) for i in range(300)]
RECORDS = [dict(zip(NAMES, row, strict=True)) for row in ROWS]
FRAME = pd.DataFrame(RECORDS)
CSV = FRAME.to_csv(index=False)


def written(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return str(path)


def parquet(folder: Path) -> str:
    pyarrow.parquet.write_table(pa.Table.from_pandas(FRAME), folder / "t.parquet", row_group_size=70)
    return str(folder / "t.parquet")


def two_files(folder: Path) -> list[str]:
    lines = CSV.splitlines(keepends=True)
    turned = FRAME[["y", "x", "sky"]].iloc[150:].to_csv(index=False)
    return [written(folder, "a.csv", "".join(lines[:151])), written(folder, "b.csv", turned)]


def columnar(folder: Path, name: str) -> str:
    table = pa.Table.from_pandas(FRAME)
    if name.endswith(".orc"):
        pyarrow.orc.write_table(table, folder / name)
    else:
        pyarrow.feather.write_feather(table, folder / name, chunksize=70)
    return str(folder / name)


def workbook(folder: Path, name: str) -> str:
    FRAME.to_excel(str(folder / name), index=False)
    return str(folder / name)


def sqlite(folder: Path) -> str:
    with contextlib.closing(sqlite3.connect(folder / "t.db")) as connection:
        FRAME.to_sql("rows", connection, index=False, if_exists="replace")
    return str(folder / "t.db")


def packed(folder: Path) -> str:
    with zipfile.ZipFile(folder / "t.zip", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("inner/t.csv", CSV)
        file.writestr("__MACOSX/inner/._t.csv", b"\0")
    return str(folder / "t.zip")


def query(folder: Path) -> str:
    pytest.importorskip("duckdb")
    return f"SELECT * FROM '{written(folder, 'q.csv', CSV)}'"


def relation(folder: Path):
    return pytest.importorskip("duckdb").sql(query(folder))


class Own:
    """What a user may write: the rows again and again, and what they are called."""

    name, columns, notes = "mine", NAMES, ()

    def batches(self):
        yield from pa.Table.from_pandas(FRAME).to_batches(max_chunksize=64)


SOURCES = {
    "CSV": lambda folder: written(folder, "t.csv", CSV),
    "CSV, packed": lambda folder: written(folder, "t.csv.gz", CSV),
    "CSV, quoted": lambda folder: written(folder, "t.csv", FRAME.to_csv(index=False, quoting=2)),
    "several files": two_files,
    "Parquet": parquet,
    "Feather": lambda folder: columnar(folder, "t.feather"),
    "ORC": lambda folder: columnar(folder, "t.orc"),
    "Excel": lambda folder: workbook(folder, "t.xlsx"),
    "OpenDocument": lambda folder: workbook(folder, "t.ods"),
    "SQLite": sqlite,
    "CSV in a zip file": packed,
    "JSON lines": lambda folder: written(folder, "t.json", "\n".join(map(json.dumps, RECORDS))),
    "JSON array": lambda folder: written(folder, "t.json", json.dumps(RECORDS)),
    "SQL query": query,
    "DuckDB relation": relation,
    "pandas": lambda folder: FRAME,
    "polars": lambda folder: pl.from_pandas(FRAME),
    "polars, lazy": lambda folder: pl.from_pandas(FRAME).lazy(),
    "Arrow": lambda folder: pa.Table.from_pandas(FRAME),
    "records": lambda folder: RECORDS,
    "some columns": lambda folder: ChosenColumns(open_source(FRAME.assign(more=0)), NAMES),
    "dict of columns": lambda folder: {name: FRAME[name].tolist() for name in NAMES},
    "NumPy, named": lambda folder: FRAME.to_records(index=False),
    "in the order of their content": lambda folder: ordered(
        open_source(FRAME), lambda source: ts.NaiveBayes()._read(source, "y")
    )[0],
    "a user's own": lambda folder: Own(),
}
FILES = {
    "CSV",
    "CSV, packed",
    "CSV, quoted",
    "several files",
    "Parquet",
    "Feather",
    "ORC",
    "Excel",
    "OpenDocument",
    "SQLite",
    "CSV in a zip file",
    "JSON lines",
    "JSON array",
}


@pytest.fixture(params=list(SOURCES))
def opened(request, tmp_path):
    return request.param, open_source(SOURCES[request.param](tmp_path))


def cells(batches) -> list[tuple]:
    """All rows as a sorted list: numbers as numbers, whatever a source holds them as."""
    rows = itertools.chain.from_iterable(batch.to_pylist() for batch in batches)
    return sorted((float(row["x"]), row["sky"], row["y"]) for row in rows)


def test_every_source_of_the_package_is_listed(tmp_path):
    """The classes that sources are made of, found by looking for them, are all met in SOURCES."""
    met = {type(open_source(make(tmp_path))) for make in SOURCES.values()}
    ours = {kind for kind in BaseSource.__subclasses__() if kind.__module__.startswith("tallystick.")}
    assert ours == met


def test_every_member_of_the_contract_is_there(opened):
    _, source = opened
    assert lacking(Source, source) == set()
    if source.held is not None:
        assert lacking(InMemory, source.held) == set()


def test_batches_can_be_walked_again_and_have_the_columns(opened):
    _, source = opened
    first, second = list(source.batches()), list(source.batches())
    assert cells(first) == cells(second) == sorted(ROWS)
    for batch in first:
        assert tuple(batch.schema.names) == tuple(source.columns)
    assert sorted(source.columns) == sorted(NAMES)


def test_however_rows_come_they_are_the_same(opened):
    _, source = opened
    ways = {
        "pieces": source,
        "within": source.within(1 << 12),
        "streamed": source.streamed(),
        "each row": source.each_row(),
        "all": every_row(source.within(1 << 12)),
    }
    for way, same in ways.items():
        assert cells(piece() for piece in same.pieces()) == sorted(ROWS), way
        assert cells(same.batches()) == sorted(ROWS), way
        assert same.name == source.name
        assert same.columns == source.columns


def test_rows_given_as_bytes_have_the_cells_of_the_batch(opened):
    _, source = opened
    for piece in source.pieces():
        batch, cut = piece(), loaded(piece, source.columns)
        assert cut.num_rows == batch.num_rows
        for j in range(len(source.columns)):
            assert cut.column(j).to_pylist() == batch.column(j).to_pylist()


def test_columns_in_memory_are_those_of_the_batches(opened):
    _, source = opened
    if source.held is None:
        return
    whole = pa.Table.from_batches(list(source.batches()))
    assert source.held.rows == whole.num_rows
    for j, name in enumerate(source.columns):
        assert source.held.get(j).to_pylist() == whole[name].to_pylist()


def test_a_matrix_in_memory_is_held_as_one():
    numbers = np.arange(12.0).reshape(4, 3)
    assert np.shares_memory(open_source(numbers).held.matrix, numbers)
    assert open_source(FRAME).held.matrix is None


def test_files_behind_a_source_are_known_and_watched(opened, tmp_path):
    name, source = opened
    there = {str(p) for p in tmp_path.iterdir()}
    assert set(source.files) == (there if name in FILES or name == "SQL query" else set())
    assert {stamp.path for stamp in source.stamps} == (there if name in FILES else set())


def test_no_row_is_unread_where_all_can_be(opened):
    _, source = opened
    assert [unread(batch) for batch in source.each_row().batches() if unread(batch)] == []


def test_one_model_whatever_the_source(opened):
    """Law 1, and the reason for all the others."""
    _, source = opened
    assert ts.NaiveBayes().fit(source, "y").to_bytes() == ts.NaiveBayes().fit(FRAME, "y").to_bytes()


def test_a_frame_with_a_column_called_files_has_no_files(tmp_path):
    """A column is no member: what a frame calls its columns is the user's."""
    frame = FRAME.assign(files=str(tmp_path / "report.html"), stamps=1.0)
    ts.report(frame, "y", path=tmp_path / "report.html", methods=["bayes"], repeats=0, folds=2)
    assert (tmp_path / "report.html").stat().st_size > 0
    assert isinstance(open_source(frame), FrameSource)
