"""tally predict: an answer per row, and what was met in new rows."""

from __future__ import annotations

import csv
import json

import pyarrow.parquet as pq
import pytest
from command import bad, call, good, tally

from tallystick.cli.main import run

pytestmark = pytest.mark.slow  # a process per call


def test_predict_prints_a_row_per_row(fitted):
    lines = good("predict", "votes.tally.json", "votes.csv", cwd=fitted).splitlines()
    assert lines[0] == "prediction,probability"
    assert len(lines) == 436
    assert {line.partition(",")[0] for line in lines[1:]} == {"democrat", "republican"}


def test_predictions_are_those_of_python(fitted):
    import tallystick as ts

    model = ts.load(fitted / "votes.tally.json")
    text = good("predict", "votes.tally.json", "votes.csv", "--all-classes", cwd=fitted)
    assert text.splitlines()[0] == "prediction,probability,P(democrat),P(republican)"
    rows = [line.split(",") for line in text.splitlines()[1:]]
    assert [r[0] for r in rows] == list(model.predict(str(fitted / "votes.csv")))
    shares = model.predict_proba(str(fitted / "votes.csv"))
    assert [[float(x) for x in r[2:]] for r in rows] == shares.tolist()


def test_predict_writes_a_file_and_says_how_many(fitted):
    done = tally("predict", "votes.tally.json", "votes.csv", "-o", "out.csv", "--with", "crime", cwd=fitted)
    assert done.stdout.decode().startswith("435 rows -> out.csv: democrat ")
    assert "missing cells: 392" in done.stderr.decode()
    lines = (fitted / "out.csv").read_text().splitlines()
    assert lines[0] == "crime,prediction,probability"
    source = (fitted / "votes.csv").read_text().splitlines()
    assert [line.split(",")[0] for line in lines[1:]] == [line.split(",")[13] for line in source[1:]]


def test_predict_writes_parquet(fitted):
    pq = pytest.importorskip("pyarrow.parquet")
    good("predict", "votes.tally.json", "votes.csv", "-o", "out.parquet", cwd=fitted)
    assert pq.read_table(fitted / "out.parquet").num_rows == 435


def test_predict_ignores_column_order_and_the_target(fitted):
    first = good("predict", "votes.tally.json", "votes.csv", cwd=fitted)
    rows = [line.split(",") for line in (fitted / "votes.csv").read_text().splitlines()]
    turned = [[*reversed(r[:-1])] for r in rows]
    (fitted / "turned.csv").write_text("".join(",".join(r) + "\n" for r in turned))
    assert good("predict", "votes.tally.json", "turned.csv", cwd=fitted) == first


def test_predict_of_no_rows_is_a_header(fitted):
    (fitted / "none.csv").write_text((fitted / "votes.csv").read_text().splitlines()[0] + "\n")
    assert good("predict", "votes.tally.json", "none.csv", cwd=fitted) == "prediction,probability\n"


def test_unseen_levels_are_counted_and_named(fitted):
    text = (fitted / "votes.csv").read_text().splitlines()
    (fitted / "new.csv").write_text("\n".join([text[0], text[1].replace("n,", "maybe,", 1)]) + "\n")
    done = tally("predict", "votes.tally.json", "new.csv", cwd=fitted)
    assert done.returncode == 0
    assert "never seen: 1 (handicapped-infants 1)" in " ".join(done.stderr.decode().split())
    data = json.loads(good("predict", "votes.tally.json", "new.csv", "--json", cwd=fitted))
    assert data["unseen_levels"] == {"handicapped-infants": 1}
    assert len(data["predictions"]) == 1


def test_a_column_that_is_not_there_is_named(fitted):
    rows = [line.partition(",")[2] for line in (fitted / "votes.csv").read_text().splitlines()]
    (fitted / "less.csv").write_text("\n".join(rows) + "\n")
    line = bad("predict", "votes.tally.json", "less.csv", "-o", "out.csv", cwd=fitted)
    assert "'handicapped-infants'" in line
    assert not (fitted / "out.csv").exists()
    good("predict", "votes.tally.json", "less.csv", "--missing-columns", "as-missing", cwd=fitted)


def test_predictions_into_a_pipe_are_rows_alone(inside, capfd):
    assert call("tally predict votes.tally.json new.csv -o -") == 0
    piped = capfd.readouterr()
    assert call("tally predict votes.tally.json new.csv") == 0
    assert piped.out == capfd.readouterr().out
    assert piped.out.startswith("prediction,probability\n")
    assert "missing cells" in piped.err


@pytest.fixture
def model(tmp_path):
    train = tmp_path / "train.csv"
    train.write_text(
        "w,x,y\n" + "".join(f"{'ab'[i % 2]},{i % 5},{'=p' if i % 2 else 'q'}\n" for i in range(40))
    )
    path = tmp_path / "m.tally.json"
    assert run(["fit", "--model", "bayes", str(train), "--target", "y", "-o", str(path)], debug=True) == 0
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


def test_reasons_are_columns_of_their_own(inside):
    import tallystick as ts

    good("fit", "votes.csv", "--target", "party", "--model", "card", "-o", "card.tally.json", cwd=inside)
    text = good("predict", "card.tally.json", "votes.csv", "--reasons", "2", cwd=inside)
    rows = list(csv.DictReader(text.splitlines()))
    want = ts.load(inside / "card.tally.json").reasons(str(inside / "votes.csv"), 2)
    assert [[t for t in (r["reason_1"], r["reason_2"]) if t] for r in rows] == [
        [code.text for code in codes] for codes in want
    ]
    asked = ("--reasons", "1", "--reasons-against", "average", "--reasons-for", "democrat", "--json")
    data = json.loads(good("predict", "card.tally.json", "votes.csv", *asked, cwd=inside))
    assert data["predictions"][0]["reason_1"].endswith("less than the average row")
    alone = bad("predict", "card.tally.json", "votes.csv", "--reasons-for", "x", cwd=inside)
    assert "Add --reasons 4" in alone


def test_reasons_of_another_method_are_refused(fitted):
    said = bad("predict", "votes.tally.json", "votes.csv", "--reasons", "4", cwd=fitted)
    assert "has no reason codes: a scorecard has." in said


def test_every_row_has_a_line_and_one_that_cannot_be_read_has_a_reason(fitted):
    header, *rows = (fitted / "votes.csv").read_text().splitlines()
    rows[3] = "y,n,y"
    rows[5] = rows[5].replace(",", ";")
    (fitted / "hurt.csv").write_text("\n".join([header, *rows, *40 * ["y,n"]]) + "\n")
    done = tally("predict", "votes.tally.json", "hurt.csv", cwd=fitted)
    lines = done.stdout.decode().splitlines()
    assert lines[0] == "prediction,probability,unread"
    assert len(lines) == 1 + len(rows) + 40
    assert next(csv.reader([lines[4]])) == ["", "", "line 5 has 3 cells, not 17"]
    assert lines[6].startswith(("democrat", "republican"))
    assert "not read: 41 rows (line 5 has 3 cells, not 17; line 437" in done.stderr.decode()
    assert "repaired: line 7 has 1 cell, not 17" in done.stderr.decode()
    refused = tally("predict", "votes.tally.json", "hurt.csv", "--strict", cwd=fitted)
    assert refused.returncode == 2
    assert "42 rows that do not have 17 cells" in refused.stderr.decode()
