"""The way of a column at the door: one model in every container, the same answers for new rows, a question
where two ways would do.
"""

from __future__ import annotations

import datetime
import json

import numpy as np
import pandas as pd
import pytest

import tallystick as ts
from tallystick.errors import DataError

ROWS = 90
MONEY = [1234.5 * (i * 37 % 41) - 9000 for i in range(ROWS)]
DAYS = [datetime.date(2020, 1, 1) + datetime.timedelta(i * 13 % 400) for i in range(ROWS)]
LABELS = ["ab"[i * 37 % 41 > 20] for i in range(ROWS)]
PLAIN = pd.DataFrame({"money": MONEY, "day": [str(d) for d in DAYS], "y": LABELS})


def german(value: float) -> str:
    return f"{value:,.2f}".translate(str.maketrans(",.", ".,")) + " €"


WRITTEN = pd.DataFrame(
    {"money": [german(m) for m in MONEY], "day": [f"{d:%d.%m.%Y}" for d in DAYS], "y": LABELS}
)


def shape(model):
    """The model but for how its cells are written."""
    return [(str(c.kind), c.low, c.high, c.unit) for c in model.schema.columns], str(model)


@pytest.fixture
def paths(tmp_path):
    for name, frame in (("plain", PLAIN), ("written", WRITTEN)):
        frame.to_csv(tmp_path / f"{name}.csv", index=False, sep=";")
    return str(tmp_path / "plain.csv"), str(tmp_path / "written.csv")


def test_numbers_and_dates_as_people_write_them_give_the_model_of_the_plain_ones(paths):
    plain, written = (ts.DecisionTree().fit(path, "y") for path in paths)
    assert shape(plain.model_) == shape(written.model_)
    assert [c.written for c in written.model_.schema.columns] == ["1.234,5 €", "31.12.2020"]
    assert plain.predict_proba(paths[0]).tolist() == written.predict_proba(paths[1]).tolist()


def test_one_model_in_memory_on_disk_and_of_a_frame_in_any_order(paths):
    one = ts.NaiveBayes().fit(paths[1], "y").to_bytes()
    assert ts.NaiveBayes(memory="64MB").fit(paths[1], "y").to_bytes() == one
    assert ts.NaiveBayes(threads=1).fit(WRITTEN, "y").to_bytes() == one
    assert ts.NaiveBayes().fit(WRITTEN.sample(frac=1, random_state=3), "y").to_bytes() == one


def test_a_saved_model_reads_new_rows_in_its_way_and_plain_numbers_too(paths, tmp_path):
    model = ts.DecisionTree().fit(paths[1], "y")
    model.save(tmp_path / "m.tally.json")
    again = ts.load(tmp_path / "m.tally.json")
    assert again.predict_proba(WRITTEN).tolist() == model.predict_proba(WRITTEN).tolist()
    assert again.predict_one(dict(WRITTEN.iloc[0])) == again.predict_one(
        {"money": MONEY[0], "day": f"{DAYS[0]:%d.%m.%Y}"}
    )
    with pytest.raises(ts.TallyError, match=r"column 'money' was numeric .* row 1 holds '1,5 \$'"):
        again.predict(WRITTEN.assign(money="1,5 $"))


@pytest.mark.slow
def test_plain_numbers_between_others_are_read_in_the_way_of_the_column(tmp_path):
    """1.500 alone is one and a half; among decimal commas it is fifteen hundred, wherever it lies."""
    cells = ["1.500"] * 40_000 + ["1.234,5", "2,5", "17"] * 20
    for order in (cells, cells[::-1]):
        frame = pd.DataFrame({"x": order, "y": ["ab"[len(c) % 2] for c in order]})
        frame.to_csv(tmp_path / "t.csv", index=False, sep=";")
        column = ts.DecisionTree().fit(str(tmp_path / "t.csv"), "y").model_.schema["x"]
        assert (column.low, column.high, column.written) == (2.5, 1500.0, "1.234,5")


def test_what_may_be_two_numbers_is_asked_about_and_answered(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x;y\n1,234;a\n5,678;b\n1,234;a\n")
    with pytest.raises(
        ts.TallyError,
        match=r"column 'x' holds '1,234', which may be '1.234' or '1234'\. Say which: .*decimal=','.* or "
        r".*decimal='\.'",
    ):
        ts.describe(str(path), "y")
    for decimal, high in ((",", 5.678), (".", 5678)):
        assert ts.DecisionTree().fit(ts.read(path, decimal=decimal), "y").model_.schema["x"].high == high


def test_a_day_that_never_was_is_no_date(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n30.02.2020,a\n28.02.2020,b\n30.02.2020,a\n28.02.2020,b\n")
    assert ts.NaiveBayes().fit(str(path), "y").model_.schema["x"].kind == "levels"


def test_a_note_says_what_was_read_and_marks_for_missing_are_missing(paths):
    frame = WRITTEN.copy()
    frame.loc[3, "money"] = "n/a"
    model = ts.NaiveBayes().fit(frame, "y")
    said = [note.text for note in model.notes_]
    first = min(german(m) for i, m in enumerate(MONEY) if i != 3)
    assert f"column 'money' holds amounts in €, such as '{first}': read as numbers." in said
    assert model.model_.schema["money"].missing == 1


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        (["03.05.45", "13.06.12"], "holds '03.05.45', whose year may be 1945 or 2045. Write years of four"),
        (
            ["10/07/10", "11/08/11"],
            "holds '10/07/10', which may be '2010-07-10' or '2010-10-07'. Say which: ",
        ),
        (["1/2/2021 3:05 PM", "2/3/2021 1:00 AM"], "which may be '2021-02-01 15:05' or '2021-01-02 15:05'"),
    ],
)
def test_dates_with_two_readings_are_asked_about_in_one_line(cells, told):
    with pytest.raises(DataError) as caught:
        ts.describe(pd.DataFrame({"d": cells * 20, "y": ["a", "b"] * 20}), "y")
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_clocks_of_twelve_hours_and_short_years_are_read_where_one_reading_fits():
    cells = ["31.12.20 11:30 PM", "01.02.99 12:00 AM", "13.05.05"] * 20
    frame = pd.DataFrame({"d": cells, "y": ["a", "b", "a"] * 20})
    model = ts.NaiveBayes().fit(frame, "y")
    column = model.schema_["d"]
    assert (column.kind, column.unit, column.written) == ("numeric", "date", "31.12.20 11:59 PM")
    day = (np.datetime64("2020-12-31T23:30") - np.datetime64("1970-01-01T00:00")) / np.timedelta64(1, "D")
    assert column.high == day
    again = ts.NaiveBayes._from_document(json.loads(model.to_bytes()))
    assert again.predict(frame).tolist() == model.predict(frame).tolist()
