"""The numbers that are written are those of `predict`, row by row, and nothing met stays silent."""

from __future__ import annotations

import pytest

import tallystick as ts
from tallystick.io.open import open_source
from tallystick.predict.answers import MetRows, Wanted, number_tables

ROWS = [{"x": i % 9, "s": "uv"[i % 2], "y": float(i % 9) ** 2 + 30 * (i % 2)} for i in range(90)]


def test_numbers_are_those_of_predict_and_what_is_met_is_counted():
    model = ts.RegressionTree(min_samples_leaf=2).fit(ROWS, "y")
    new = [{"x": 3, "s": "u"}, {"x": None, "s": "w"}, {"x": 99, "s": "v"}]
    met = MetRows()
    first, *rest = number_tables(model, open_source(new), met, Wanted(outside=True))
    assert first.num_rows == 0
    assert first.column_names == ["prediction", "outside", "unread"]
    told = [row for part in rest for row in part.to_pylist()]
    assert [row["prediction"] for row in told] == model.predict(new).tolist()
    assert [row["outside"] for row in told] == ["", "", "x"]
    assert (met.rows, met.unseen["s"], met.missing["x"]) == (3, 1, 1)


@pytest.mark.slow
def test_the_command_line_writes_them_and_refuses_what_only_classes_have(tmp_path):
    from command import bad, good

    table = tmp_path / "t.csv"
    table.write_text("x,s,y\n" + "".join(f"{r['x']},{r['s']},{r['y']}\n" for r in ROWS))
    good("fit", table, "-t", "y", "--regression", "--folds", "0", "-o", "m.tally.json", cwd=tmp_path)
    lines = good("predict", "m.tally.json", table, "--with", "s", cwd=tmp_path).splitlines()
    assert lines[0] == "s,prediction"
    assert len(lines) == 91
    wanted = ts.load(tmp_path / "m.tally.json").predict(str(table))
    assert float(lines[1].split(",")[1]) == wanted[0]
    for flag in (["--proba"], ["--reasons", "2"], ["--top", "a: 10%"]):
        assert "predicts numbers" in bad("predict", "m.tally.json", table, *flag, cwd=tmp_path)
