"""Columns that name or number the rows, and rows that are totals: left out of tables of any size."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared_tables import needs_data, shared

import tallystick as ts
from tallystick.io.open import open_source, read
from tallystick.schema import ColumnOptions
from tallystick.table.reader import read_table

OUTLOOK = ["Sunny", "Sunny", "Rain", "Rain", "Overcast", "Rain"]
PLAY = ["No", "No", "Yes", "Yes", "Yes", "No"]


def kinds(columns, wishes=None, **options):
    table = read_table(open_source(columns), wishes, **options)
    return {c.name: c.kind for c in table.schema.columns}, [n.code for n in table.notes]


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("Example", [1, 2, 3, 4, 5, 6]),
        ("Example", ["1", "2", "3", "4", "5", "6"]),
        ("Day", ["D1", "D2", "D3", "D4", "D5", "D6"]),
        ("day", [1, 2, 3, 5, 6, 7]),  # one is gone
        ("customer id", ["k7", "a3", "zz", "b1", "q", "m"]),
        ("RowNo", [10, 11, 12, 13, 14, 15]),
        ("Animal", ["bear", "carp", "dove", "frog", "gnat", "wasp"]),
        ("", ["x1", "x2", "x3", "x4", "x5", "x6"]),
    ],
)
def test_a_first_column_that_names_the_rows_is_left_out_with_a_note_and_keep_uses_it(name, cells):
    columns = {name or "column_1": cells, "Outlook": OUTLOOK}
    name = name or "column_1"
    found, codes = kinds(columns, target=PLAY)
    assert (found[name], found["Outlook"]) == ("out", "levels")
    assert codes.count("column-left-out") == 1
    kept, codes = kinds(columns, ColumnOptions(keep=(name,)), target=PLAY)
    assert kept[name] != "out"
    assert "column-left-out" not in codes


@pytest.mark.parametrize("name", ["id", "Nr", "obs", "Number of the row no"])
def test_a_column_named_like_an_index_is_left_out_wherever_it_stands(name):
    found, _ = kinds({"Outlook": OUTLOOK, name: [3, 1, 2, 4, 6, 5]}, target=PLAY)
    assert found == {"Outlook": "levels", name: "out"}


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("Temperature", [40, 48, 60, 72, 80, 90]),  # a measurement
        ("Hours", [1, 2, 3, 4, 5, 6]),
        ("Day", [3, 17, 29, 8, 30, 1]),  # of the month: they do not number the rows
        ("Day", [1, 2, 3, 4, 5, 5]),
        ("paid", [1, 2, 3, 4, 5, 6]),  # ends in id, and is none
        ("Outlook2", ["a", "b", "c", "d", "e", "e"]),
        ("text", ["the cat sat", "on the mat", "a dog ran", "home it is", "so we go", "to the sea"]),
    ],
)
def test_data_in_a_small_table_stays(name, cells):
    assert kinds({name: cells, "Outlook": OUTLOOK}, target=PLAY)[0][name] != "out"


def test_two_rows_say_nothing_and_one_column_is_never_left_out_by_its_place():
    assert kinds({"a": ["x", "y"], "b": ["u", "v"]}, target=["p", "q"])[0] == {"a": "levels", "b": "levels"}
    assert kinds({"a": ["x", "y", "z"]}, target=["p", "q", "p"])[0] == {"a": "levels"}
    assert kinds({"No": ["yes", "no"], "b": [1.5, 2]}, target=["p", "q"])[0]["No"] == "levels"


def test_copies_of_named_rows_are_data_as_weights_of_two_are():
    named = {"a": ["x", "y", "z"], "b": [1.5, 2, 2.5]}
    twice = {name: cells * 2 for name, cells in named.items()}
    assert kinds(twice, target=["p", "q", "p"] * 2)[0] == {"a": "levels", "b": "numeric"}
    assert kinds(named, target=["p", "q", "p"], weights=[2, 2, 2])[0] == {"a": "levels", "b": "numeric"}


@needs_data
@pytest.mark.slow
@pytest.mark.parametrize("name", ["labor/labor", "zoo/zoo", "weather/weather.nominal"])
def test_no_column_of_a_shared_table_is_taken_for_names_by_its_place(name):
    source = read(shared(name))
    table = read_table(source, target=source.columns[-1])
    out = {c.name for c in table.schema.columns if c.kind == "out"}
    assert out <= {"animal", "animal_name", "animal name", "day", "id"}


# ---- rows of totals ----

LINES = ["Day,Outlook,Play", *(f"D{i},{o},{p}" for i, (o, p) in enumerate(zip(OUTLOOK, PLAY, strict=True)))]


@pytest.mark.parametrize("total", ["Total,,2054", 'Total,,"2,054"', ",,2054", "Sum,,12.5 %"])
def test_a_class_of_one_row_that_is_a_number_among_words_is_a_total_and_no_column_knows_it(tmp_path, total):
    path = tmp_path / "t.csv"
    path.write_text("\n".join([*LINES, total]) + "\n", encoding="utf-8")
    plain = tmp_path / "u.csv"
    plain.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    table = read_table(read(path), target="Play")
    assert table.schema == read_table(read(plain), target="Play").schema
    assert table.rows == 6
    (note,) = [n for n in table.notes if n.code == "total-left-out"]
    assert note.count == 1
    assert "last-row-total" not in [n.code for n in table.source_notes]
    disk = ts.NaiveBayes(memory="64MB").fit(str(path), "Play")
    assert disk.classes_.tolist() == ["No", "Yes"]
    assert disk.to_bytes() == ts.NaiveBayes().fit(str(path), "Play").to_bytes()


@given(st.lists(st.sampled_from(["a", "b", "7"]), min_size=6, max_size=12))
def test_only_a_single_number_among_words_is_a_total(labels):
    labels = [*labels, "a", "a", "b"]
    table = read_table(open_source({"x": [i % 3 + 0.5 for i in range(len(labels))]}), target=labels)
    assert table.rows == len(labels) - (labels.count("7") == 1)


@given(st.lists(st.tuples(st.sampled_from(["a", "b", "7"]), st.integers(1, 2)), max_size=8))
def test_a_row_of_weight_two_is_no_total_as_two_copies_are_none(rows):
    rows = [*rows, ("a", 1), ("a", 2), ("b", 1)]
    labels, weights = [label for label, _ in rows], [weight for _, weight in rows]
    copies = [label for label, weight in rows for _ in range(weight)]

    columns = ts.Columns(keep=["x"])
    once = ts.NaiveBayes(columns=columns).fit({"x": [ord(y[0]) % 3 for y in labels]}, labels, weights)
    again = ts.NaiveBayes(columns=columns).fit({"x": [ord(y[0]) % 3 for y in copies]}, copies)
    assert once.classes_.tolist() == again.classes_.tolist()
    assert once.to_bytes() == again.to_bytes()


def test_a_number_that_is_declared_a_class_is_one():
    labels, x = ["a", "a", "b", "b", "7"], {"x": [1.5, 2, 2.5, 3, 3]}
    table = read_table(open_source(x), ColumnOptions(levels={"y": ("7", "a", "b")}), labels)
    assert table.schema.predicted.labels == ("7", "a", "b")
