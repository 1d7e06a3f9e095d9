"""Rows in an order of their content: the same rows give the same batches however they lay."""

from __future__ import annotations

import tallystick as ts
from tallystick.data.source import open_source
from tallystick.estimators.row_order import ordered, row_of

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
    import pyarrow as pa

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
