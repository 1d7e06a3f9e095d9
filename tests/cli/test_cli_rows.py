"""Rows out of `tally predict`: formats, quoting, formulas made harmless, streaming."""

from __future__ import annotations

import csv
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.cli.main import run
from tallystick.cli.rows import csv_header, csv_lines, json_lines, write_rows

pytestmark = pytest.mark.slow

TEXT = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=8)


@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=5))
def test_csv_lines_read_back_as_the_same_texts(rows):
    table = pa.table({"a": [a for a, _ in rows], "b": [b for _, b in rows]})
    text = csv_lines(table, raw=True).decode()
    assert [tuple(row) for row in csv.reader(io.StringIO(text, newline=""))] == rows


@pytest.mark.parametrize(
    "text",
    [
        *(
            "=1+1",
            "+cmd",
            "-cmd",
            "@sum",
            "\tx",
            "\rx",
            "\nx",
            "=",
            "-",
            "+1+1",
            " =1+1",
            "\n=1+1",
            "\u00a0@sum",
        ),
        *(
            "\ufeff=1",
            "\u200b-cmd",
            "\x00=1",
            "\uff1d1+1",
            "\uff0bcmd",
            "\uff0dcmd",
            "\uff20sum",
            "\u3000\uff1d1",
        ),
    ],
)
def test_formulas_are_made_harmless_unless_raw(text):
    table = pa.table({"a": [text], "b": ["x"]})
    (cells,) = csv.reader(io.StringIO(csv_lines(table, raw=False).decode(), newline=""))
    assert cells[0] == "'" + text
    (cells,) = csv.reader(io.StringIO(csv_lines(table, raw=True).decode(), newline=""))
    assert cells[0] == text
    assert csv_header([text], raw=False).decode().lstrip('"').startswith("'")


@pytest.mark.parametrize("text", ["-5", "+3.25", "-1e-7", "7", "-.5", "plain", "a=b", "", "x\u3000=1"])
def test_numbers_and_plain_texts_stay_as_they_are(text):
    assert csv_lines(pa.table({"a": [text], "b": [1.5]}), raw=False).decode() == f"{text},1.5\n"


def test_missing_cells_are_empty_and_one_empty_column_keeps_its_rows():
    assert csv_lines(pa.table({"a": [None, "x"], "b": [None, 2.5]}), raw=False) == b",\nx,2.5\n"
    assert csv_lines(pa.table({"a": [None, "x"]}), raw=False) == b'""\nx\n'


def test_json_lines_are_one_object_per_row():
    lines = json_lines(pa.table({"a": ["=1", "ü"], "b": [1.5, None]})).decode().splitlines()
    assert [json.loads(line) for line in lines] == [{"a": "=1", "b": 1.5}, {"a": "ü", "b": None}]


def test_a_failure_on_the_way_leaves_no_file(tmp_path):
    def tables():
        yield pa.table({"a": [1]})
        yield pa.table({"a": [2]})
        raise ValueError("broken off")

    with pytest.raises(ValueError, match="broken off"):
        write_rows(tables(), str(tmp_path / "out.csv"), raw=False)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def model(tmp_path):
    train = tmp_path / "train.csv"
    train.write_text(
        "w,x,y\n" + "".join(f"{'ab'[i % 2]},{i % 5},{'=p' if i % 2 else 'q'}\n" for i in range(40))
    )
    path = tmp_path / "m.tally.json"
    assert run(["fit", str(train), "--target", "y", "-o", str(path)], debug=True) == 0
    return path


def predict(model, *args):
    new, out = model.parent / "new.csv", None
    new.write_text("note,w,x\n=evil(),a,1\n-5,b,2\nfine,a,3\n")
    for name in args:
        if str(name).startswith("out."):
            out = model.parent / name
    given = [str(out) if str(a).startswith("out.") else a for a in args]
    assert run(["predict", str(model), str(new), *given], debug=True) == 0
    return out


def test_predict_keeps_columns_and_adds_probabilities(model):
    rows = list(
        csv.reader(predict(model, "-o", "out.csv", "--keep-columns", "--proba").read_text().splitlines())
    )
    assert rows[0] == ["note", "w", "x", "prediction", "probability", "P(=p)", "P(q)"]
    assert [row[0] for row in rows[1:]] == ["'=evil()", "-5", "fine"]
    assert [row[3] for row in rows[1:]] == ["q", "'=p", "q"]
    raw = list(
        csv.reader(predict(model, "-o", "out.csv", "--keep-columns", "--raw").read_text().splitlines())
    )
    assert [row[0] for row in raw[1:]] == ["=evil()", "-5", "fine"]


def test_predict_writes_json_lines_and_parquet(model):
    lines = predict(model, "-o", "out.jsonl", "--with", "note").read_text().splitlines()
    table = pq.read_table(predict(model, "-o", "out.parquet", "--with", "note"))
    assert [json.loads(line) for line in lines] == table.to_pylist()
    assert table.column_names == ["note", "prediction", "probability"]


def test_a_column_called_like_an_answer_is_not_copied_and_named(model, capsys):
    new, out = model.parent / "new.csv", model.parent / "out.csv"
    new.write_text("w,x,prediction,outside,P(q)\na,1,old,old,7\n")
    args = ["predict", str(model), str(new), "-o", str(out), "--keep-columns", "--flag-outside"]
    assert run(args, debug=True) == 0
    assert out.read_text().splitlines()[0] == "w,x,P(q),prediction,probability,outside"
    said = " ".join(capsys.readouterr().err.split())
    assert "the output has columns of these names already: 'prediction', 'outside'." in said


def test_an_unknown_ending_is_an_error(model, capsys):
    new = model.parent / "new.csv"
    new.write_text("w,x\na,1\n")
    assert run(["predict", str(model), str(new), "-o", str(model.parent / "out.xlsx")], debug=False) == 2
    assert "Use one of: .csv" in capsys.readouterr().err


def test_rows_and_answers_stay_side_by_side_over_many_batches(model):
    new, out = model.parent / "new.csv", model.parent / "out.csv"
    new.write_text("i,w,x\n" + "".join(f"{i},{'ab'[i % 2]},{i % 5}\n" for i in range(60_000)))
    assert run(["predict", str(model), str(new), "-o", str(out), "--with", "i", "--raw"], debug=True) == 0
    rows = list(csv.reader(out.read_text().splitlines()))[1:]
    assert [row[0] for row in rows] == [str(i) for i in range(60_000)]
    assert all(row[1] == ("=p" if int(row[0]) % 2 else "q") for row in rows)
