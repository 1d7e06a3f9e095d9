"""SQLite files: the only table, or the one that is named; read, never run."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest

import tallystick as ts


@pytest.fixture
def path(tmp_path):
    with contextlib.closing(sqlite3.connect(tmp_path / "t.db")) as connection:
        connection.execute('CREATE TABLE "the ""rows""" (x REAL, sky TEXT, y TEXT)')
        rows = [(None if i % 9 == 0 else i / 3, f"s{i % 3}", "ab"[i % 7 < 3]) for i in range(80)]
        connection.executemany('INSERT INTO "the ""rows""" VALUES (?, ?, ?)', rows)
        connection.commit()
    return str(tmp_path / "t.db")


def test_the_only_table_is_read_missing_cells_and_all(path):
    model = ts.DecisionTree().fit(path, "y").model_
    found = [(c.name, c.kind, c.missing) for c in model.schema.columns]
    assert found == [("x", "numeric", 9), ("sky", "levels", 0)]


def test_of_two_tables_one_is_named(path):
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute('CREATE VIEW few AS SELECT x, y FROM "the ""rows""" WHERE x > 3')
    with pytest.raises(ts.TallyError, match=r"t\.db has 2 tables: 'few', 'the .*Name one: .*table='few'"):
        ts.read(path)
    assert ts.read(path, table="few").columns == ("x", "y")


def test_a_damaged_file_is_one_line(path):
    whole = Path(path).read_bytes()
    Path(path).write_bytes(whole[:200] + bytes(len(whole) - 200))
    with pytest.raises(ts.TallyError, match=r"t\.db is an SQLite file that cannot be read"):
        list(ts.read(path).batches())


def test_the_file_is_not_changed(path):
    before = Path(path).read_bytes()
    ts.NaiveBayes().fit(path, "y")
    assert Path(path).read_bytes() == before
