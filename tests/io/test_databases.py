"""Tables of databases by address or connection, and errors in words."""

from __future__ import annotations

import builtins
import sqlite3
from pathlib import Path

import duckdb
import pandas as pd
import pytest
from sql_tables import duckdb_address, put

import tallystick as ts
from tallystick.errors import DataError, OptionError
from tallystick.io.database import QueryError, is_address, open_table, quoted

FRAME = pd.DataFrame({"a b": [1, 2, 3], 'q"t': ["x", None, "z"], "y": ["n", "p", "n"]})


@pytest.fixture
def address(tmp_path):
    return put(duckdb_address(tmp_path), "rows", FRAME)


def test_an_address_is_known_by_its_beginning():
    assert is_address("duckdb:///a.db?table=t")
    assert is_address("PostgreSQL://h/b")
    assert not is_address("votes.csv")
    assert not is_address(FRAME)


def test_rows_come_as_they_lie_and_their_bytes_are_counted(address):
    table = open_table(address)
    (batch,) = table.source().batches()
    assert batch.to_pydict() == {"a b": [1, 2, 3], 'q"t': ["x", None, "z"], "y": ["n", "p", "n"]}
    assert table.database.received >= batch.nbytes
    assert table.source().files == (address.removeprefix("duckdb:///").partition("?")[0],)
    table.database.close()


@pytest.mark.slow
def test_ts_read_takes_an_address_and_the_name_of_a_table(address):
    assert ts.read(address).columns == ("a b", 'q"t', "y")
    assert ts.read(address.partition("?")[0], table="rows").columns == ("a b", 'q"t', "y")
    assert ts.read(address.partition("?")[0]).name == "table 'rows' of rows.db"  # the only one


def test_nothing_is_written_over_the_file_that_was_read(address, tmp_path):
    model = ts.DecisionTree().fit(address, "y")
    with pytest.raises(OptionError, match=r"rows\.db"):
        model.save(tmp_path / "rows.db")


def test_a_file_is_only_read(address):
    table = open_table(address)
    with pytest.raises(QueryError, match="cannot answer"):
        table.database.query("CREATE TABLE more AS SELECT 1 AS x")


@pytest.mark.slow
def test_what_is_wrong_with_an_address_is_said(address, tmp_path):
    base = address.partition("?")[0]
    put(base, "others", FRAME)
    cases = {
        "duckdb:///": "the address names no file",
        f"duckdb:///{tmp_path}/none.db?table=t": "there is no file .*none.db",
        f"{base}?table=row": "no table 'row' in rows.db. Did you mean 'rows'. Tables: 'others', 'rows'",
        base: "rows.db holds 'others', 'rows': which",
        "postgresql://nobody:secret@127.0.0.1:1/none?table=t": "cannot connect to 'postgresql://127.0.0.1:1/none'",
    }
    for given, said in cases.items():
        with pytest.raises(DataError, match=said.replace("?", ".")) as told:
            open_table(given)
        assert "secret" not in str(told.value).partition(":1/none'")[0]
    (tmp_path / "text.db").write_text("no database")
    with pytest.raises(DataError, match="cannot be opened"):
        open_table(f"duckdb:///{tmp_path}/text.db?table=t")
    with pytest.raises(OptionError, match="names table 'rows', and 'others' is asked for"):
        open_table(address, "others")


def test_a_driver_that_is_not_installed_is_named(monkeypatch):
    real = builtins.__import__

    def without(name, *args, **more):
        if name.startswith(("adbc", "duckdb")):
            raise ImportError(name)
        return real(name, *args, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(DataError, match=r"pip install 'tallystick\[postgresql\]'"):
        open_table("postgresql://host/base?table=t")
    with pytest.raises(DataError, match=r"pip install 'tallystick\[sql\]'"):
        open_table("duckdb:///a.db?table=t")


def test_only_connections_that_are_known_are_asked():
    with (
        sqlite3.connect(":memory:") as base,
        pytest.raises(DataError, match="'Connection' is not a connection"),
    ):
        open_table(base, "t")
    with duckdb.connect() as base:
        base.register("frame", FRAME)
        assert open_table(base, "frame").kinds.names == list(FRAME.columns)


def test_a_users_own_snapshot_is_left_to_the_user():
    with duckdb.connect() as base:
        base.execute("CREATE TABLE t AS SELECT 1 AS x, 'a' AS y")
        base.execute("BEGIN")
        base.execute("INSERT INTO t VALUES (2, 'b')")
        table = open_table(base, "t")
        assert table.database.query(f"SELECT {quoted('x')} FROM t").num_rows == 2
        table.database.close()
        base.execute("ROLLBACK")
        assert base.execute("SELECT COUNT(*) FROM t").fetchone() == (1,)


@pytest.mark.slow
def test_no_other_test_run_can_shut_the_folder_of_the_server(postgres, tmp_path_factory):
    folder = Path(postgres.rpartition("host=")[2])
    assert tmp_path_factory.getbasetemp().parent not in folder.parents
