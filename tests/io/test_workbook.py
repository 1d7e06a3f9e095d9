"""Workbooks: a sheet gives the model of its CSV; what is not a table is one line."""

from __future__ import annotations

import contextlib
import datetime
from pathlib import Path

import openpyxl
import pandas as pd
import pytest

import tallystick as ts

DAY = datetime.date(2020, 1, 31)
ROWS = [
    (i % 7 + 0.5, f"c{i % 3}", DAY + datetime.timedelta(i), i % 2 == 0, "yn"[i % 7 < 3]) for i in range(60)
]
FRAME = pd.DataFrame(ROWS, columns=["x", "sky", "day", "wet", "y"])


def saved(folder, rows, name="book.xlsx", **sheets):
    book = openpyxl.Workbook()
    for title, content in ({"Sheet": rows} | sheets).items():
        sheet = book[title] if title in book.sheetnames else book.create_sheet(title)
        for row in content:
            sheet.append(row)
    book.save(folder / name)
    return str(folder / name)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["t.xlsx", "t.ods"])
def test_a_sheet_gives_the_model_of_its_csv(tmp_path, name):
    FRAME.to_excel(str(tmp_path / name), index=False)
    FRAME.to_csv(tmp_path / "t.csv", index=False)
    here, there = (ts.DecisionTree().fit(str(tmp_path / file), "y") for file in (name, "t.csv"))
    assert here.to_bytes() == there.to_bytes()
    assert [c.kind for c in here.model_.schema.columns] == ["numeric", "levels", "numeric", "boolean"]


def test_a_title_above_the_table_and_empty_rows_are_no_rows(tmp_path):
    rows = [["Report of May"], [], ["x", "y"], *[[i, "ab"[i % 2]] for i in range(30)], []]
    found = ts.read(saved(tmp_path, rows))
    assert found.columns == ("x", "y")
    assert sum(batch.num_rows for batch in found.batches()) == 30
    assert {note.code for note in found.notes} >= {"lines-before-header"}


def test_a_formula_is_its_value(tmp_path):
    """A workbook keeps the value of a formula beside it; one that no program has computed has none."""
    path = saved(tmp_path, [["x", "y"], ["=1+1", "a"], [3, "b"]])
    (batch,) = ts.read(path).batches()
    assert batch.column(0).to_pylist()[1] == "3"


def test_the_sheet_that_is_named_is_read(tmp_path):
    path = saved(tmp_path, [["x", "y"], [1, "a"]], Other=[["p", "q"], [1, "a"]])
    assert ts.read(path).columns == ("x", "y")
    assert "'Sheet' is read, not 'Other'" in ts.read(path).notes[0].text
    assert ts.read(path, table="Other").columns == ("p", "q")
    with pytest.raises(ts.TallyError, match=r"book\.xlsx has no sheet 'Othr'\. Did you mean 'Other'\?"):
        ts.read(path, table="Othr")


def test_a_damaged_workbook_is_one_line_or_read(tmp_path):
    whole = Path(saved(tmp_path, [["x", "y"], [1, "a"]])).read_bytes()
    said = set()
    for place in range(len(whole) // 3, len(whole) - 200, 97):
        (tmp_path / "bad.xlsx").write_bytes(whole[:place] + bytes(40) + whole[place + 40 :])
        with contextlib.suppress(ts.TallyError):
            list(ts.read(str(tmp_path / "bad.xlsx")).batches())
            continue
        with pytest.raises(ts.TallyError) as error:
            ts.read(str(tmp_path / "bad.xlsx"))
        said.add(str(error.value))
    assert said
    assert not any("\n" in line for line in said)


def test_a_workbook_is_known_by_what_it_holds(tmp_path):
    path = saved(tmp_path, [["x", "y"], [1, "a"]], name="book.ods")
    assert ts.read(path).columns == ("x", "y")
