"""New rows and a known schema: by name, streamed, counted."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tallystick as ts
from tallystick.errors import DataError, OptionError, TallyError
from tallystick.io.open import open_source
from tallystick.schema import ColumnOptions
from tallystick.table.new_rows import match
from tallystick.table.reader import read_table

FIT = pd.DataFrame(
    {
        "x": [1.5, 2.5, 3.5, 4.5],
        "w": ["a", "b", "a", "c"],
        "f": [0, 1, 0, 1],
        "t": [True, False, True, False],
        "d": ["2020-01-01", "2020-01-02", "2020-02-01", "2021-01-01"],
        "y": ["p", "q", "p", "q"],
    }
)


@pytest.fixture
def schema():
    return read_table(open_source(FIT), target="y").schema


def one(x, schema, **options):
    (answer,) = match(open_source(x), schema, **options)
    return answer


def test_missing_columns_are_named_or_taken_as_missing(schema):  # row 55
    with pytest.raises(
        DataError, match=r"lacks 2 columns that the model needs: 'w', 'f'.*missing_columns='as-missing'"
    ):
        one(FIT.drop(columns=["w", "f"]), schema)
    answer = one(FIT.drop(columns=["w", "f"]), schema, missing_columns="as-missing")
    assert answer.missing["w"] == 4
    assert answer.notes[0].code == "columns-as-missing"
    with pytest.raises(OptionError):
        one(FIT, schema, missing_columns="ignore")


def test_columns_go_by_name_and_others_are_ignored(schema):  # rows 56 and 57
    plain = one(FIT, schema)
    other = one(FIT[FIT.columns[::-1]].assign(extra=[[1]] * 4, y="changed"), schema)
    for name in plain.block.columns:
        np.testing.assert_array_equal(plain.block.columns[name], other.block.columns[name])


def test_numbers_as_text_are_read_and_what_is_none_is_an_error_with_its_row(schema):  # row 58
    texts = FIT.assign(x=["1.5", " 2.5", "?", "4.5e0"])
    assert one(texts, schema).block.values("x").tolist()[:2] == [1.5, 2.5]
    texts["x"] = ["1.5", "2.5", "oops", "oops"]
    with pytest.raises(DataError, match=r"column 'x' was numeric.*row 3 holds 'oops'.*lenient=True"):
        one(texts, schema)
    answer = one(texts, schema, lenient=True)
    assert answer.unreadable["x"] == 2
    assert answer.missing["x"] == 2


def test_unseen_levels_are_coded_and_counted(schema):  # row 59
    answer = one(FIT.assign(w=["a", "zebra", None, "c"]), schema)
    assert answer.block.codes("w").tolist() == [0, 4, 3, 2]
    assert (answer.unseen["w"], answer.missing["w"]) == (1, 1)


def test_without_rows_the_result_is_empty(schema):  # row 61
    answers = list(match(open_source(FIT.head(0)), schema))
    assert sum(a.block.rows for a in answers) == 0


def test_levels_are_found_whatever_type_brings_them(schema):
    answer = one(FIT.assign(f=[True, False, True, False], t=[1, 0, 1.0, 0]), schema)
    assert answer.block.codes("f").tolist() == [1, 0, 1, 0]
    assert answer.block.codes("t").tolist() == [1, 0, 1, 0]
    answer = one(FIT.assign(f=["0.0", "1.0", "0", "1"], t=["TRUE", "false", "True", "0"]), schema)
    assert answer.block.codes("f").tolist() == [0, 1, 0, 1]
    assert answer.block.codes("t").tolist() == [1, 0, 1, 0]
    assert sum(answer.unseen.values()) == 0


def test_levels_that_look_like_numbers_are_found_among_numbers():
    schema = read_table(open_source({"persons": ["2", "4", "more", "2"], "x": [1.5, 2.5, 3.5, 4.5]})).schema
    answer = one({"persons": [4, 2], "x": [1, 2]}, schema)
    assert answer.block.codes("persons").tolist() == [1, 0]


def test_dates_are_read_in_any_type_and_numbers_are_not_dates(schema):
    expected = one(FIT, schema).block.values("d").tolist()
    assert one(FIT.assign(d=pd.to_datetime(FIT["d"])), schema).block.values("d").tolist() == expected
    with pytest.raises(DataError, match=r"column 'd' was numeric"):
        one(FIT.assign(d="7"), schema)
    with pytest.raises(DataError, match=r"column 'x' was numeric"):
        one(FIT.assign(x=pd.to_datetime(FIT["d"])), schema)


def test_rows_are_streamed_and_numbered(schema):
    batches = pa.table(FIT).to_batches()
    table = pa.Table.from_batches(batches * 3)
    answers = list(match(open_source(table), schema))
    assert sum(a.block.rows for a in answers) == 12
    assert [a.start for a in answers] == np.cumsum([0, *(a.block.rows for a in answers)])[:-1].tolist()


def test_a_bad_cell_is_named_by_its_row_in_the_whole_source(schema, tmp_path):
    from dataclasses import replace

    frame = pd.concat([FIT] * 500, ignore_index=True).astype({"x": object})
    frame.loc[1_234, "x"] = "oops"
    path = tmp_path / "new.csv"
    frame.to_csv(path, index=False)
    source = replace(open_source(path), block=1_000)
    with pytest.raises(DataError, match=r"row 1,235 holds 'oops'"):
        list(match(source, schema))


def test_an_infinite_number_is_unreadable(schema):
    with pytest.raises(DataError, match=r"row 2 holds 'inf'"):
        one(FIT.assign(x=[1.0, np.inf, 2.0, 3.0]), schema)
    assert one(FIT.assign(x=[1.0, np.inf, 2.0, 3.0]), schema, lenient=True).unreadable["x"] == 1


WRITTEN = {
    "whole numbers": lambda i: str(i * 7919 % 1000),
    "real numbers": lambda i: f"{i * 7919 % 997 / 8}",
    "no and yes": lambda i: str(i * 7919 % 997 % 2),
    "dates": lambda i: f"20{10 + i % 9}-0{1 + i % 7}-1{i % 10}",
    "German dates": lambda i: f"{13 + i % 12}.0{1 + i % 7}.2011",
    "money": lambda i: f"€{i * 7919 % 997 / 8:.2f}",
    "no money": lambda i: f"€{i * 7919 % 997 % 2}",
    "one amount": lambda i: "€7" if i % 3 else "",
    "percentages": lambda i: f"{i * 7919 % 97}.{i % 10}%",
    "times": lambda i: f"1{i % 10}:3{i % 7}",
    "decimal commas": lambda i: f"{i * 7919 % 997},{10 + i % 81}",
}
DAMAGE = [
    *("90+", "x", "n/a", "N/A", "-", "2020-01-01", "31.02.2020", "5", "+4", "1e5", "1e400", "inf", "-inf"),
    *("true", "TRUE", "Yes", "no", "1,5", "12%", "€5", "€", "007", "12:30", "(5)", "1_000", " 3 ", "é", "."),
]


@settings(deadline=None)
@given(
    st.sampled_from(sorted(WRITTEN)),
    st.lists(st.sampled_from(DAMAGE) | st.text(max_size=4), min_size=1, max_size=4),
    st.integers(0, 1),
    st.sampled_from(["error", "missing"]),
)
def test_every_schema_reads_the_cells_it_was_found_in_as_they_were_read_then(way, damage, twice, inf):
    cells = [WRITTEN[way](i) for i in range(400)]
    for i, text in enumerate(damage):
        for place in range(1 + twice):
            cells[31 * (i + 1) + place * 200] = text
    rows = pa.table({"v": cells, "w": [str(i % 7) for i in range(400)]})
    try:
        table = read_table(open_source(rows), ColumnOptions(keep=["v"]), ["a", "b"] * 200, inf=inf)
    except TallyError:
        return  # it was refused at the fit, which says so
    if table.schema["v"].kind not in ("out", "text"):
        found = np.concatenate([part.block.columns["v"] for part in match(open_source(rows), table.schema)])
        np.testing.assert_array_equal(found, table.columns["v"])


@pytest.mark.parametrize("model", [ts.NaiveBayes, ts.DecisionTree, ts.LogisticRegression, ts.Scorecard])
def test_a_row_without_any_known_column_is_answered(model, tmp_path):
    labels = ["p", "q"] * 20
    fitted = model().fit({"a": ["x", "y"] * 20, "b": [1.5, 2.5, 2.5] * 13 + [2.5]}, labels)
    nothing = fitted.predict_proba([{"a": None, "b": None}]).tolist()
    (tmp_path / "t.jsonl").write_text("{}\n{}\n", encoding="utf-8")
    arrow = pa.table({"z": [1, 2]}).select([])
    for rows in ([{}, {}], pd.DataFrame(index=range(2)), arrow, [{"z": 1}, {}], str(tmp_path / "t.jsonl")):
        found = fitted.predict_proba(rows, missing_columns="as-missing")
        assert found.tolist() == nothing * 2
        assert len(fitted.predict([{"a": None, "b": None}])) == 1
    assert fitted.predict_proba_one({}, missing_columns="as-missing").tolist() == nothing[0]
    assert fitted.predict_proba([], missing_columns="as-missing").shape == (0, 2)
    with pytest.raises(DataError, match="lacks"):
        fitted.predict([{}, {}])
