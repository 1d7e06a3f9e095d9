"""Tables of many short columns are read and described together: the answer is that of each column alone."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone

import tallystick as ts
from tallystick.io.open import read
from tallystick.table import batches as wide
from tallystick.table.reader import read_table

POOLS = [
    ["1.5", "2.5", "-3", "1e3"],
    ["7", "8", "9"],
    ["0", "1"],
    ["a", "b", "c"],
    ["yes", "no", ""],
    ["true", "False", "TRUE"],
    ["2020-01-31", "2021-06-30", "2019-02-28"],
    ["00123", "00456"],
    ["3,14", "2,5"],
    ["9007199254740993", "7"],
    [" x", "x ", "y"],
    ["NA", "?", "", "5"],
    ["same"],
    [""],
    ["12 %", "5 %"],
]


def wide_table(seed: int, rows: int, columns: int = 60) -> str:
    """Columns of few values, of many numbers, and of numbers with a text somewhere."""
    rng = random.Random(seed)
    cells = []
    for j in range(columns):
        pool = rng.choice(POOLS)
        own = [rng.choice(pool) for _ in range(rows)]
        if j % 3 == 0:
            own = [repr(round(rng.gauss(0, 1), 3)) for _ in range(rows)]
        if j % 12 == 0:
            own[rng.randrange(rows)] = rng.choice(["n/a", "", "many words in one cell"])
        cells.append(own)
    cells.append([rng.choice("pq") for _ in range(rows)])
    names = ",".join([f"c{j}" for j in range(columns)] + ["y"])
    quoted = [",".join(f'"{cell}"' for cell in row) for row in zip(*cells, strict=True)]
    return "\n".join([names, *quoted]) + "\n"


def read_all(path, block=None):
    source = read(path)
    return read_table(source if block is None else replace(source, block=block), target="y")


def same(a, b) -> None:
    assert a.schema == b.schema
    assert [c.why for c in a.schema.columns] == [c.why for c in b.schema.columns]
    assert a.notes == b.notes
    for name, data in a.columns.items():
        if isinstance(data, tuple):
            assert all(np.array_equal(x, y) for x, y in zip(data, b.columns[name], strict=True)), name
        else:
            assert np.array_equal(data, b.columns[name], equal_nan=data.dtype.kind == "f"), name


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("block", [None, 4_000])
def test_many_short_columns_are_read_as_each_alone(seed, block, tmp_path, monkeypatch):
    path = tmp_path / "wide.csv"
    path.write_text(wide_table(seed, 25 + 30 * (seed % 3)))
    together = read_all(path, block)
    monkeypatch.setattr(wide, "COLUMNS", 1 << 30)
    same(together, read_all(path))


@pytest.mark.slow
def test_columns_are_read_together_in_parts_as_at_once(tmp_path, monkeypatch):
    path = tmp_path / "wide.csv"
    path.write_text(wide_table(99, 40))
    at_once = read_all(path)
    monkeypatch.setattr(wide, "TOGETHER", 100)
    same(at_once, read_all(path))


@pytest.mark.slow
@pytest.mark.parametrize("target", [None, "y"])
@pytest.mark.parametrize("together", [1, 150, 1 << 18])
def test_many_columns_are_described_as_each_alone(target, together, tmp_path, monkeypatch):
    path = tmp_path / "wide.csv"
    path.write_text(wide_table(5, 60))
    rows = [line.split(",") for line in path.read_text().replace('"', "").splitlines()]
    monkeypatch.setattr("tallystick.description.columns.TOGETHER", together)
    found = ts.describe(path, target)
    names = [c.name for c in found.columns if c.name != "y"]
    assert names == [f"c{j}" for j in range(60)]
    for name in names[::4]:  # beside one other column, as a table needs one that can be used
        alone = ts.describe(path, target, kinds={n: "out" for n in rows[0] if n not in (name, "c3", "y")})
        one, of_many = alone[name], found[name]
        assert of_many == one
        assert [n for n in alone.notes if n.column == name] == [n for n in found.notes if n.column == name]


@pytest.mark.parametrize("order", ["C", "F"])
def test_single_floats_are_read_as_the_doubles_they_are(order):
    rng = np.random.default_rng(0)
    X = np.array(rng.normal(size=(300, 4)), np.float32, order=order)
    X[::9, 1], X[5, 2], X[:, 3] = np.nan, -0.0, rng.integers(0, 3, 300)
    y = rng.integers(0, 2, 300)
    for method in (ts.NaiveBayes(), ts.DecisionTree(max_depth=3), ts.LogisticRegression()):
        single, double = (clone(method).fit(given, y) for given in (X, X.astype(np.float64)))
        assert single.to_bytes() == double.to_bytes()
        assert single.predict_proba(X).tobytes() == double.predict_proba(X.astype(np.float64)).tobytes()
        assert single.predict(X).tolist() == double.predict(X.astype(np.float64)).tolist()
