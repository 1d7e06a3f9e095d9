"""`kinds={"d": "date"}`: a date as days and as its parts, alike on every way in and at every answer."""

from __future__ import annotations

import datetime
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tallystick as ts
from tallystick.errors import DataError, ModelFileError, OptionError
from tallystick.model import file
from tallystick.schema import Column
from tallystick.table.encode import PartMatcher, matcher_of

DATE = {"when": "date"}


def frame(rows: int = 400, seed: int = 0, times: bool = True) -> pd.DataFrame:
    r = np.random.default_rng(seed)
    minutes = r.integers(0, 900 * 24 * 60, rows) if times else r.integers(0, 900, rows) * 24 * 60
    when = pd.Series(pd.Timestamp("2020-01-01") + pd.to_timedelta(minutes, unit="min"))
    free = (when.dt.day_of_week >= 5) | (when.dt.hour < 6)
    y = np.where(free ^ (r.random(rows) < 0.05), "free", "work")
    table = pd.DataFrame({"when": when, "x": r.normal(size=rows).round(2), "y": y})
    table.loc[r.random(rows) < 0.05, "when"] = pd.NaT
    return table


def fitted(data, kind=ts.DecisionTree, **more):
    return kind(kinds=DATE, **more).fit(data, "y")


def test_a_date_is_days_and_its_parts():
    model = fitted(frame())
    names = [c.name for c in model.schema_.columns]
    assert names == ["when", "when year", "when month", "when weekday", "when hour", "x"]
    assert model.feature_names_in_.tolist() == ["when", "x"]
    assert model.schema_["when weekday"].kind == "levels"
    (note,) = [n.text for n in model.notes_ if n.code == "dates"]
    assert note.endswith("and as 'when year', 'when month', 'when weekday', 'when hour'.")
    assert "when weekday in {Saturday, Sunday}" in str(model)
    assert model.score(frame(seed=1), frame(seed=1)["y"]) > 0.9
    days = [c.name for c in fitted(frame(times=False)).schema_.columns]
    assert "when hour" not in days


@pytest.mark.slow
def test_one_table_is_one_model_whatever_the_way_in(tmp_path):
    table = frame(times=False)
    want = fitted(table).to_bytes()
    table.to_csv(tmp_path / "iso.csv", index=False)
    german = table.assign(when=table["when"].dt.strftime("%d.%m.%Y"))
    german.to_csv(tmp_path / "german.csv", index=False)
    pq.write_table(pa.Table.from_pandas(table), tmp_path / "t.parquet", row_group_size=37)
    for data in (tmp_path / "iso.csv", tmp_path / "t.parquet", table.sample(frac=1, random_state=1)):
        assert fitted(data).to_bytes() == want
    assert fitted(tmp_path / "iso.csv", memory="64MB").to_bytes() == want
    written = fitted(tmp_path / "german.csv")
    assert json.loads(written.to_bytes())["model"] == json.loads(want)["model"]
    assert written.predict(tmp_path / "german.csv").tolist() == fitted(table).predict(table).tolist()
    assert fitted(tmp_path / "german.csv", memory="64MB").to_bytes() == written.to_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("kind", [ts.DecisionTree, ts.NaiveBayes, ts.LogisticRegression, ts.Scorecard])
def test_rows_single_rows_and_files_get_one_answer(kind, tmp_path):
    table = frame(seed=2)
    model = fitted(frame(), kind)
    want = model.predict_proba(table)
    table.to_csv(tmp_path / "t.csv", index=False)
    assert np.array_equal(model.predict_proba(tmp_path / "t.csv"), want)
    for i in range(10):
        row = table.drop(columns="y").iloc[i].to_dict()
        assert np.array_equal(model.predict_proba_one(row), want[i])
        assert np.array_equal(model.predict_proba([row])[0], want[i])
    model.save(tmp_path / "m.tally.json")
    again = ts.load(tmp_path / "m.tally.json")
    assert again.to_bytes() == model.to_bytes()
    assert np.array_equal(again.predict_proba(table), want)
    assert ts.verify(tmp_path / "m.tally.json", frame()) is not None
    model.explain(table, 3)
    assert all(c.findings == () for c in ts.describe(frame(), against=model).changes.columns)


def test_rows_that_come_later_have_the_parts_of_the_fit():
    model = fitted(frame(), ts.NaiveBayes, distributions="gaussian")
    later = frame(30, seed=4, times=False)
    model.partial_fit(later.iloc[:20], "y")
    assert "when hour" in [c.name for c in model.schema_.used]
    tree = fitted(frame())
    tree.prune("reduced-error", data=frame(seed=6, times=False))


def test_what_is_no_date_is_an_error_in_one_line():
    table = frame()
    with pytest.raises(DataError, match="column 'x' should hold dates, but holds -") as caught:
        ts.DecisionTree(kinds={"x": "date"}).fit(table, "y")
    assert "\n" not in str(caught.value)
    texts = table.assign(when=table["when"].dt.strftime("%Y-%m-%d").where(table.index != 7, "soon"))
    with pytest.raises(DataError, match="should hold dates, but holds 'soon' in row 8"):
        fitted(texts)
    with pytest.raises(OptionError, match="would make a column 'when year', which is there already"):
        fitted(table.assign(**{"when year": 1}))
    with pytest.raises(DataError, match="lacks 1 column that the model needs: 'when'"):
        fitted(table).predict(table.drop(columns="when"))
    with pytest.raises(DataError, match=r"column 'when' .* row 1 holds 'soon'"):
        fitted(table).predict([{"when": "soon", "x": 1.0}])
    assert len(fitted(table).predict([{"when": "soon", "x": 1.0}], lenient=True)) == 1


def test_a_model_file_with_half_a_part_is_refused():
    document = json.loads(fitted(frame()).to_bytes())
    columns = {c["name"]: c for c in document["schema"]["columns"]}
    for name, key, value in (
        ("when year", "of", None),
        ("when year", "part", "weekday"),
        ("when weekday", "part", "hour"),
        ("when weekday", "levels", ["Monday", "Sunday"]),
        ("when year", "unit", "date"),
    ):
        changed = json.loads(json.dumps(document))
        column = next(c for c in changed["schema"]["columns"] if c["name"] == name)
        if value is None:
            del column[key]
        else:
            column[key] = value
        del changed["sha256"], changed["format"]
        with pytest.raises(ModelFileError):
            file.from_bytes(file.to_bytes(changed))
    assert columns["when month"]["of"] == "when"


def test_a_part_is_read_by_the_way_of_its_dates():
    column = Column("d month", "numeric", written="31.12.2020", of="d", part="month")
    matcher = matcher_of(column, ("",), ".", False)
    assert isinstance(matcher, PartMatcher)
    found = matcher.run(pa.array(["24.12.2021", "", "01.02.1999"]), 3)
    assert found.data.tolist()[::2] == [12.0, 2.0]
    assert found.missing == 1
    day = datetime.date(2024, 2, 29)
    assert matcher.run(pa.array([day]), 1).data.tolist() == [2.0]
