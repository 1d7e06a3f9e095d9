"""Rows in an order of their content: the same rows give the same batches however they lay."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyarrow import feather

import tallystick as ts
from tallystick.estimator.verify import ordered, row_of
from tallystick.io.open import open_source

ROWS = [{"a": v, "y": y} for v, y in (("u", "p"), ("v", "q"), ("u", "q"), (None, "p"), ("w", None))]


def in_order(rows):
    source, table = ordered(open_source(rows), lambda s: ts.NaiveBayes()._read(s, "y"))
    return [row_of(source, i) for i in range(len(rows))], table


def test_the_order_of_the_file_means_nothing():
    one, first = in_order(ROWS)
    other, second = in_order(ROWS[::-1])
    assert one == other
    assert first.classes.tolist() == second.classes.tolist()


def test_a_row_has_the_number_of_its_place_in_the_table_and_rows_without_a_target_come_last():
    texts, table = in_order(ROWS)
    assert table.rows == 4
    labels = table.schema.predicted.labels
    assert [row["y"] for row in texts[:4]] == [labels[c] for c in table.classes]
    assert texts[4] == {"a": "w", "y": None}


def test_numbers_and_dictionaries_are_told_as_texts():
    cells = {
        "n": pa.array([1.5, 2.5]),
        "c": pa.array(["u", "v"]).dictionary_encode(),
        "y": pa.array(["p", "q"]),
    }
    source, _ = ordered(open_source(pa.table(cells)), lambda s: ts.NaiveBayes()._read(s, "y"))
    assert sorted((row_of(source, i) for i in range(2)), key=lambda r: r["n"]) == [
        {"n": "1.5", "c": "u", "y": "p"},
        {"n": "2.5", "c": "v", "y": "q"},
    ]


def test_a_cell_without_a_text_is_told_as_nothing():
    cells = {"n": [1.5, 2.5], "c": pa.array([[1], [2]]), "b": [b"u", b"v"], "y": ["p", "q"]}
    left = {"c": "out", "b": "out"}
    source, _ = ordered(open_source(pa.table(cells)), lambda s: ts.NaiveBayes(kinds=left)._read(s, "y"))
    assert sorted((row_of(source, i) for i in range(2)), key=lambda r: r["n"]) == [
        {"n": "1.5", "c": None, "b": None, "y": "p"},
        {"n": "2.5", "c": None, "b": None, "y": "q"},
    ]


@pytest.mark.parametrize("budget", [0, 1 << 26])
def test_files_that_hold_a_column_in_different_types_are_one_table(tmp_path, budget):
    names = [tmp_path / "1.arrow", tmp_path / "2.arrow"]
    feather.write_feather(pa.table({"a": [1, 2], "y": ["p", "q"]}), names[0])
    feather.write_feather(
        pa.table({"a": ["1", None], "y": pa.array(["q", "p"]).dictionary_encode()}), names[1]
    )
    read = ts.NaiveBayes(kinds={"a": "levels"})
    source, table = ordered(open_source(names), lambda s: read._read(s, "y"), budget)
    assert table.fingerprint == read._read(open_source(names), "y").fingerprint
    rows = sorted(tuple(map(str, row_of(source, i).values())) for i in range(4))
    assert rows == [("1", "p"), ("1", "q"), ("2", "q"), ("None", "p")]


@pytest.mark.parametrize("budget", [0, 1 << 26])
def test_no_rows_are_told_as_for_a_fit(budget):
    empty = open_source(pa.table({"a": pa.array([], pa.float64()), "y": pa.array([], pa.string())}))
    with pytest.raises(ts.TallyError, match=r"\(2 columns\) but no rows"):
        ordered(empty, lambda s: ts.NaiveBayes()._read(s, "y"), budget)
