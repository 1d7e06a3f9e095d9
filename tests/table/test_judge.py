"""What columns are taken for: the rules of the front door, one promise each."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from shared_tables import needs_data, shared

from tallystick.errors import DataError, OptionError, TargetError
from tallystick.io.open import open_source, read
from tallystick.schema import ColumnOptions
from tallystick.table.kinds import words_per_text
from tallystick.table.reader import read_table

Y = ["p", "q"]


def table_of(cells, wishes=None, **options):
    frame = {"x": cells, "other": [1.5, 2.5] * (len(cells) // 2) + [3.5] * (len(cells) % 2)}
    return read_table(open_source(frame), wishes, **options)


def kind_of(cells, wishes=None, **options):
    return table_of(cells, wishes, **options).schema["x"]


def codes(table):
    return [note.code for note in table.notes]


def test_numbers_as_text_are_numbers():
    column = kind_of([" 3", "4.5", "1e3", "-2", "?"])
    assert (column.kind, column.low, column.high, column.missing) == ("numeric", -2.0, 1000.0, 1)


@pytest.mark.parametrize("cells", [[0, 1, 1, 0], [0.0, 1.0, 1.0, 0.0], ["0", "1", "1.0", "0"]])
def test_zero_and_one_are_a_boolean_column(cells):
    column = kind_of(cells)
    assert (column.kind, column.levels) == ("boolean", ("0", "1"))


@pytest.mark.parametrize("cells", [[True, False, None], ["true", "FALSE", "?"], ["True", "False", "NA"]])
def test_true_and_false_in_any_case_are_a_boolean_column(cells):
    column = kind_of(cells)
    assert (column.kind, column.levels, column.missing) == ("boolean", ("false", "true"), 1)


def test_yes_and_no_stay_levels():
    assert kind_of(["yes", "no", "yes"]).levels == ("no", "yes")


# row 24
def test_nearly_all_numbers_are_numbers_and_the_few_others_are_missing_and_named():
    table = table_of([str(i * 1.5) for i in range(300)] + ["n/a", "oops"])
    assert table.schema["x"].kind == "numeric"
    assert table.schema["x"].missing == 2
    (note,) = [n for n in table.notes if n.code == "texts-as-missing"]
    assert "'n/a' (1), 'oops' (1)" in note.text
    assert note.count == 2


def test_mixed_numbers_and_text_are_levels():
    assert kind_of(["2", "4", "more", "2"]).levels == ("2", "4", "more")


def test_eleven_other_texts_are_too_many():
    assert kind_of([str(i % 50 * 1.5) for i in range(3000)] + [f"t{i}" for i in range(11)]).kind == "levels"


# row 25
def test_missing_marks_are_missing_by_default_and_can_be_set():
    cells = ["", "NA", "NaN", "null", "None", "?", "-", "a", "b", "b"]
    assert kind_of(cells).missing == 6
    column = kind_of(cells, ColumnOptions(missing=("-",)))
    assert column.missing == 2  # an empty cell is always missing
    assert "NA" in column.levels


def test_a_number_can_be_a_missing_mark_in_any_container():
    for cells in ([1.5, -999.0, 3.5], ["1.5", "-999", "3.5"], np.array([1.5, -999, 3.5])):
        column = kind_of(cells, ColumnOptions(missing=(-999,)))
        assert (column.missing, column.low) == (1, 1.5)


# row 26
def test_an_all_missing_or_constant_column_is_left_out_with_a_note():
    for cells in ([None] * 4, ["?"] * 4, ["a", "a", "a", "a"], [7, 7, 7, 7], [True] * 4):
        table = table_of(cells)
        assert table.schema["x"].kind == "out"
        assert codes(table) == ["column-left-out"]


def test_a_constant_column_with_declared_levels_stays():
    column = kind_of(["Warm"] * 4, ColumnOptions(levels={"x": ["Cool", "Warm"]}))
    assert (column.kind, column.levels) == ("levels", ("Cool", "Warm"))


def test_a_value_outside_declared_levels_is_an_error():
    with pytest.raises(DataError, match=r"'Hot', not among its declared levels"):
        kind_of(["Warm", "Hot"], ColumnOptions(levels={"x": ["Cool", "Warm"]}))


# row 29
def test_an_infinite_value_is_an_error_with_its_row_or_missing_on_request():
    for cells in ([1.5, float("inf"), 2.5], ["1.5", "-inf", "2.5"]):
        with pytest.raises(DataError, match=r"column 'x' holds 1 infinite value.*row.* 2.*inf='missing'"):
            table_of(cells)
        table = table_of(cells, inf="missing")
        assert table.schema["x"].missing == 1
        assert codes(table) == ["infinite-as-missing"]


# row 30
def test_huge_and_tiny_numbers_are_full_doubles():
    column = kind_of(["1e308", "1e-308", "1e39"])
    assert (column.low, column.high) == (1e-308, 1e308)


# row 32
def test_integers_beyond_double_precision_are_never_merged():
    big = 2**53
    for cells in ([big, big + 1, big + 2, big], [str(big), str(big + 1), str(big + 2), str(big)]):
        table = table_of(cells)
        assert table.schema["x"].levels == (str(big), str(big + 1), str(big + 2))
        assert codes(table) == ["large-integers"]
    assert kind_of([2**60, 2**61, 5, 2**60]).kind == "numeric"  # exact doubles
    assert kind_of(np.array([2**64 - 1, 5, 5, 5], np.uint64)).levels == ("18446744073709551615", "5")


# row 34
def test_leading_zeros_are_kept_as_levels_with_a_note():
    table = table_of(["00123", "00123", "4567", "00999"])
    assert table.schema["x"].levels == ("00123", "00999", "4567")
    assert codes(table) == ["leading-zeros"]


# row 35
@pytest.mark.slow
@pytest.mark.parametrize(
    ("cells", "high"),
    [
        (["3,14", "2,5", "3,14"], 3.14),
        (["1,234", "5,678,901", "1,234"], 5_678_901),
        (["12 %", "5%", "5%"], 12),
        (["$5", "$7", "$5"], 7),
    ],
)
def test_formatted_numbers_are_read_and_named(cells, high):
    table = table_of(cells)
    assert table.schema["x"].high == high
    assert codes(table) == ["read-as-written"]


@pytest.mark.parametrize("cells", [["3,14", "2 %"], ["5 kg", "3 lb"], ["$5", "7", "8"]])
def test_numbers_written_in_several_ways_are_no_numbers(cells):
    assert table_of([*cells, *cells]).schema["x"].kind == "levels"


@pytest.mark.parametrize("cells", [["1,234", "5,678"], ["03/04/2012", "04/03/2012"]])
def test_what_may_be_two_things_is_asked_about_never_guessed(cells):
    with pytest.raises(DataError, match=r"column 'x' holds .* which may be .* Say which: "):
        table_of([*cells, *cells])


def test_a_decimal_comma_is_read_on_request(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x;y\n3,14;a\n2,5;b\n")
    assert read_table(read(path, decimal=",")).schema["x"].high == 3.14


@pytest.mark.parametrize(
    ("cells", "levels"),
    [
        (["Yes", "no", "YES", "No"], ("no", "yes")),
        (["Y", "N", "n"], ("n", "y")),
        (["ja", "nein", "Ja"], ("nein", "ja")),
        (["OUI", "Oui", "Non"], ("non", "oui")),
    ],
)
def test_words_for_yes_and_no_in_several_letter_cases_are_boolean(cells, levels):
    column = kind_of([*cells, *cells])
    assert (column.kind, column.levels) == ("boolean", levels)
    assert kind_of([*cells, *cells, "maybe"]).kind == "levels"


# row 36
def test_iso_dates_are_days_with_a_note_in_any_type():
    texts = ["1970-01-02", "1970-01-11", None]
    stamps = pd.to_datetime(pd.Series(texts))
    dates = [None if t is None else pd.Timestamp(t).date() for t in texts]
    for cells in (texts, stamps, dates, pa.array(stamps), pa.array(dates, pa.date32())):
        table = read_table(open_source({"x": cells, "o": [1, 2, 3]}))
        assert table.schema["x"].unit == "date"
        assert table.column("x")[:2].tolist() == [1.0, 10.0]
        assert codes(table) == ["dates"]


def test_times_have_the_same_bits_as_text_and_as_timestamps():
    texts = ["2020-03-04T05:06:07.89", "1999-12-31 23:59:59", "2020-03-04T05:06:07Z"]
    stamps = pd.Series([pd.Timestamp(t).tz_localize(None) for t in texts])
    written, typed = table_of(texts).column("x"), table_of(stamps).column("x")
    assert written.tolist() == typed.tolist()
    assert table_of(pa.array(stamps).cast(pa.timestamp("ms"))).column("x").tolist() == typed.tolist()


def test_dates_of_other_orders_are_days_where_one_order_fits():
    assert kind_of(["03/04/2012", "24/03/2012", "03/04/2012"]).unit == "date"
    assert kind_of(["03.04.2012", "24.03.2012", "03.04.2012"]).unit == "date"


# row 37
def test_surrounding_spaces_are_stripped():
    assert kind_of([" a", "a ", "b", "\tb"]).levels == ("a", "b")


# row 38
def test_long_texts_are_a_text_column_with_a_note():
    table = table_of([f"this is message number {i} of the day" for i in range(40)])
    assert table.schema["x"].kind == "text"
    assert codes(table) == ["read-as-text"]


# row 39
def test_the_same_values_in_another_type_give_the_same_column():
    words = ["a", "b", "a", "c"]
    expected = kind_of(words)
    unused = pd.Categorical(words, categories=["c", "a", "unused", "b"])
    for cells in (
        pd.Series(words, dtype="string"),
        pd.Series(words, dtype=object),
        pd.Series(unused),
        pl.Series(words),
        pl.Series(words, dtype=pl.Categorical),
        pa.array(words, pa.large_string()),
        pa.array(words, pa.string_view()),
        pa.array(words).dictionary_encode(),
    ):
        assert kind_of(cells) == expected
    numbers = [1, 2, None, 300]
    expected = kind_of([1.0, 2.0, None, 300.0])
    for cells in (
        pd.Series(numbers, dtype="Int64"),
        pd.Series(numbers, dtype="Float32"),
        pd.Series(pd.Categorical([1, 2, None, 300])),
        pl.Series(numbers, dtype=pl.UInt16),
        pa.array(numbers, pa.uint64()),
        pa.array([Decimal("1.00"), Decimal("2.00"), None, Decimal("300.00")]),
        pa.array(numbers, pa.float32()),
        pa.array(numbers, pa.int32()).dictionary_encode(),
        [1, 2.0, None, "300"],
    ):
        assert kind_of(cells) == expected, cells


def test_ordered_categories_are_ordered_levels():
    order = ["low", "mid", "high", "never"]
    cells = pd.Series(pd.Categorical(["high", "low", "mid", "low"], categories=order, ordered=True))
    assert kind_of(cells).kind == "ordered"
    assert kind_of(cells).levels == ("low", "mid", "high")
    polars = pl.Series(["high", "low", "mid", "low"], dtype=pl.Enum(order))
    assert kind_of(polars) == kind_of(cells)


@pytest.mark.parametrize(
    ("cells", "cure"),
    [
        (pa.array([[1], [2]]), "Make columns of its parts"),
        (pa.array([{"a": 1}, {"a": 2}]), "Make columns of its parts"),
        (pa.array([b"x", b"y"]), "Decode it to text first"),
        (pa.array([(1, 2, 3), (4, 5, 6)], pa.month_day_nano_interval()), "Make a number of it first"),
    ],
)
def test_types_that_hold_no_cells_are_refused_with_a_cure(cells, cure):
    with pytest.raises(DataError, match=rf"column 'x' is of type.*{cure}"):
        table_of(cells)
    assert kind_of(cells, ColumnOptions(kinds={"x": "out"})).kind == "out"


# rows 20 and 46
def test_a_saved_row_index_is_left_out_with_a_note():
    table = read_table(open_source({"Unnamed: 0": [0, 1, 2, 3], "x": [1.5, 2.5, 1.5, 3.5]}))
    assert table.schema["Unnamed: 0"].kind == "out"
    assert "saved row index" in table.notes[0].text


def test_identifiers_are_left_out_with_a_note_unless_kept():
    for cells in ([f"id{i}" for i in range(30)], list(range(100, 130)), [str(i) for i in range(30)]):
        table = table_of(cells)
        assert table.schema["x"].kind == "out"
        assert codes(table) == ["column-left-out"]
        assert kind_of(cells, ColumnOptions(keep=("x",))).kind in ("levels", "numeric")
        assert kind_of(cells, ColumnOptions(kinds={"x": "levels"})).kind == "levels"


def test_a_measurement_is_no_identifier():
    assert kind_of([i + 0.5 for i in range(30)]).kind == "numeric"  # real numbers
    assert kind_of([2 * i for i in range(30)]).kind == "numeric"  # gaps
    assert kind_of([40, 48, 60, 72, 80, 90]).kind == "numeric"  # few rows
    assert kind_of(list(range(19))).kind == "numeric"


# row 23
def test_a_table_without_a_usable_column_says_why_each_was_left_out():
    with pytest.raises(
        DataError, match=r"no usable column.*'a' is left out: all 3.*'b' is left out: it has one value"
    ):
        read_table(open_source({"a": [None] * 3, "b": ["x"] * 3, "y": [1, 0, 1]}), target="y")


def test_wishes_for_unknown_columns_or_kinds_are_errors():
    with pytest.raises(OptionError, match=r"kinds names column 'X'.*Did you mean 'x'"):
        kind_of([1, 2], ColumnOptions(kinds={"X": "levels"}))
    with pytest.raises(OptionError, match=r"the kind 'category'. Use one of: numeric"):
        kind_of([1, 2], ColumnOptions(kinds={"x": "category"}))
    with pytest.raises(OptionError, match=r"its order is not known"):
        kind_of(["a", "b"], ColumnOptions(kinds={"x": "ordered"}))


def test_a_cell_that_is_no_number_in_a_declared_numeric_column_is_an_error_with_its_row():
    with pytest.raises(DataError, match=r"but 1 cell is not a number, e.g. 'oops' in row 2"):
        kind_of(["1", "oops"], ColumnOptions(kinds={"x": "numeric"}))
    with pytest.raises(DataError, match=r"2 cells are not numbers, e.g. 'oops' in row 2"):
        kind_of(["1", "oops", "2", "oops"], ColumnOptions(kinds={"x": "numeric"}))
    assert (
        kind_of(["1", "n/a", "2", "n/a"], ColumnOptions(kinds={"x": "numeric"})).missing == 2
    )  # a mark is none


# ---- real data ----


@pytest.mark.slow
@needs_data
@pytest.mark.parametrize(
    ("path", "kinds"),
    [
        ("zoo/zoo", {"animal": "out", "hair": "boolean", "legs": "numeric", "type": "levels"}),
        ("weather/weather.nominal", {"outlook": "levels", "windy": "boolean", "play": "levels"}),
        ("car/car", {"doors": "levels", "persons": "levels", "safety": "levels"}),
        ("sms-spam/sms-spam", {"label": "levels", "text": "text"}),
        ("sick/sick", {"TBG": "out", "TBG measured": "out", "age": "numeric", "sex": "levels"}),
        ("adult/adult-train", {"age": "numeric", "education": "levels", "fnlwgt": "numeric"}),
    ],
)
def test_real_tables_are_taken_for_what_they_are(path, kinds):
    schema = read_table(open_source(shared(path))).schema
    assert {name: schema[name].kind for name in kinds} == kinds


# ---- advice ----


@pytest.mark.parametrize(
    ("cell", "cure"),
    [
        ("10.9%", "Remove the percent sign"),
        ("$59,081", "Remove the currency sign"),
        ("oops", r"if it stands for missing, pass columns=ts.Columns\(missing=\['oops'\]\)"),
    ],
)
def test_advice_on_a_cell_that_is_not_a_number_helps(cell, cure):
    with pytest.raises(DataError, match=cure):
        kind_of([cell, "1.5", "2.5", cell], ColumnOptions(kinds={"x": "numeric"}))
    with pytest.raises(TargetError, match=cure):
        read_table(open_source({"x": [1, 2, 3, 5]}), target=[cell, "1.5", "2.5", "3"], regression=True)


def test_a_decimal_comma_is_not_advised_to_who_passed_it(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x;y\n3.14;a\n2.5;b\n3.14;a\n")
    (note,) = read_table(read(path, decimal=",")).notes[:1]
    assert "Write them with a comma, as the others" in note.text
    assert "decimal=" not in note.text


def test_arguments_of_read_are_named_with_it_in_python_and_as_flags_on_the_command_line(tmp_path):
    from tallystick.cli.options import as_flags

    with pytest.raises(DataError, match=r"pass inf='missing' to ts.read.$") as found:
        kind_of([1.5, float("inf"), 2.5])
    assert as_flags(found.value.message).endswith("or pass --inf missing.")
    path = tmp_path / "t.csv"
    path.write_bytes("x,y\n1,é\n2,b\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"pass encoding='cp1252' to ts.read.$") as found:
        read_table(open_source(path))
    assert as_flags(found.value.message).endswith("pass --encoding cp1252.")


@pytest.mark.parametrize("levels", [["0.0", "1.0"], ["0", "1"], [0.0, 1.0], [0, 1]])
@pytest.mark.parametrize("cells", [[0.0, 1.0, 1.0], ["0.0", "1.0", "1"]])
def test_levels_that_are_numbers_may_be_written_in_any_way(levels, cells):
    table = read_table(open_source({"x": cells * 5}), ColumnOptions(levels={"x": levels}))
    assert table.schema["x"].levels == ("0", "1")


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_words_are_what_white_space_of_ascii_parts_and_no_text_goes_on_in_the_next(kind):
    texts = ["one", "", "two\tparts", " ", "\n three  small \x0cparts\r", "no\u00a0space\x0bhere", "end"]
    array = pa.array(["before ", *texts, " after"], kind).slice(1, len(texts))
    assert words_per_text(array) == (1 + 0 + 2 + 0 + 3 + 1 + 1) / 7
