"""Hashes that a database computes are those of the kernels, bit for bit."""

from __future__ import annotations

import duckdb
import numpy as np
import pyarrow as pa

from tallystick import kernels
from tallystick.schema import Column, Schema, Target
from tallystick.sql.prints import SqlWords, hash_halves, signed, sum_of_hashes
from tallystick.table.block import Hasher
from tallystick.table.block import RowBlock as Block

WORDS = SqlWords("duckdb")
VALUES = np.array([0.0, 1.5, -1.5, 1e-310, -1e300, 0.1, 1 / 3, 2.0**53, 7e77])


def test_64_bits_have_a_sign():
    assert [signed(b) for b in (0, 2**63 - 1, 2**63, 2**64 - 1)] == [0, 2**63 - 1, -(2**63), -1]


def test_the_hash_of_a_value_is_that_of_the_kernels():
    rows = pa.table({"c0": VALUES})
    found = duckdb.sql(f"SELECT * FROM ({hash_halves(WORDS, 'SELECT * FROM rows', 'c0', ['c0'])}) AS h")
    told = {x: (high << 32) + low for x, low, high in found.fetchall()}
    hashes = kernels.value_hashes(np.array(list(told)))
    assert list(told.values()) == hashes.tolist()
    assert len(told) == rows.num_rows


def test_the_sum_over_rows_is_the_fingerprint():
    schema = Schema(
        (Column("x", "numeric"), Column("a", "levels", ("r", "s")), Column("z", "numeric")),
        Target("y", ("no", "yes")),
    )
    rng = np.random.default_rng(0)
    n = 200
    x = np.where(rng.random(n) < 0.2, np.nan, rng.choice(VALUES, n))
    columns = {"x": x, "a": rng.integers(0, 3, n).astype(np.uint8), "z": rng.normal(size=n)}
    y, w = rng.integers(0, 2, n).astype(np.uint8), rng.integers(1, 9, n)
    cells = {f"c{i}": pa.array(c, from_pandas=True) for i, c in enumerate(columns.values())}
    rows = pa.table({"y": y, "w": w, **cells})
    hasher = Hasher(schema)
    sql = sum_of_hashes(WORDS, "SELECT * REPLACE (c1::INT AS c1, y::INT AS y) FROM rows", hasher)
    low0, high0, low1, high1 = map(int, duckdb.sql(sql).fetchall()[0])
    lanes = low0 + (high0 << 32), low1 + (high1 << 32)
    assert rows.num_rows == n
    assert (lanes[0] + (lanes[1] << 64)) % 2**128 == hasher.total(Block(n, columns, y, None, w))
