"""The page on what changed, made from rows and a model or its file."""

from __future__ import annotations

import pytest

import tallystick as ts
from tallystick.errors import TallyError

ROWS = [{"a": i % 5, "b": "uvw"[i % 3], "y": "ab"[i % 7 > 3]} for i in range(60)]


def test_a_model_and_its_file_give_the_same_findings(tmp_path):
    model = ts.NaiveBayes().fit(ROWS, "y")
    path = tmp_path / "m.tally.json"
    model.save(path)
    new = [r | {"b": "z"} for r in ROWS]
    one, two = ts.report(new, against=model), ts.report(new, against=path, path=tmp_path / "c.html")
    assert one.to_dict() == two.to_dict()
    assert (tmp_path / "c.html").read_text(encoding="utf-8") == two.html
    assert "m.tally.json" in two.html.replace("<wbr>", "")  # where its parts end it may be broken
    assert one.changes["b"].findings
    assert "levels never seen" in str(one)


def test_the_page_is_not_written_over_the_model(tmp_path):
    path = tmp_path / "m.tally.json"
    ts.NaiveBayes().fit(ROWS, "y").save(path)
    with pytest.raises(TallyError):
        ts.report(ROWS, against=path, path=path)


def test_without_a_model_a_target_is_needed():
    with pytest.raises(TallyError, match="name of the target"):
        ts.report(ROWS)


def test_rows_that_are_none_have_no_changes(tmp_path):
    model = ts.NaiveBayes().fit(ROWS, "y")
    (tmp_path / "new.csv").write_text("a,b,y\n")
    with pytest.raises(TallyError, match=r"new\.csv has a header \(3 columns\) but no rows"):
        ts.report(tmp_path / "new.csv", against=model)
