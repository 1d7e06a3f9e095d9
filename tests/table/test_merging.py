"""Merged spellings on every way in: the table is the one in which they were corrected before."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallystick as ts
from tallystick.errors import DataError, OptionError
from tallystick.io.frames import from_texts
from tallystick.table.merging import in_order, kept, merged

MERGE = {"yes": ["Yes", "YES", "Y"], "no": ["No"], "grade": {"one": ["1", "ONE"]}, "never": ["nowhere"]}
SPELT = {"Yes": "yes", "YES": "yes", "Y": "yes", "No": "no"}


def frame(rows: int = 300, seed: int = 0, right: bool = False) -> pd.DataFrame:
    """Return a table; right: with every spelling corrected."""
    r = np.random.default_rng(seed)
    answer = r.choice(["yes", "Yes", "YES", "Y", "no", "No", "perhaps"], rows)
    grade = r.choice(["1", "ONE", "one", "2", "3"], rows)
    x = r.normal(size=rows).round(2)
    good = np.isin(answer, ["yes", "Yes", "YES", "Y"]) ^ (r.random(rows) < 0.2)
    label = np.where(good, r.choice(["yes", "Yes"], rows), r.choice(["no", "No"], rows))
    table = pd.DataFrame({"answer": answer, "grade": grade, "x": x, "label": label})
    if right:
        table = table.replace(SPELT)
        table["grade"] = table["grade"].replace({"1": "one", "ONE": "one"})
    return table


def fitted(data, **more):
    return ts.DecisionTree(columns=ts.Columns(merge=MERGE), **more).fit(data, "label")


def test_the_model_is_that_of_corrected_cells():
    model, right = fitted(frame()), ts.DecisionTree().fit(frame(right=True), "label")
    one, other = json.loads(model.to_bytes()), json.loads(right.to_bytes())
    assert one["model"] == other["model"]
    assert one["rows"] == other["rows"]
    for a, b in zip(one["schema"]["columns"], other["schema"]["columns"], strict=True):
        a.pop("merged", None)
        assert a == b
    assert model.classes_.tolist() == ["no", "yes"]


@pytest.mark.slow
def test_one_table_is_one_model_whatever_the_way_in(tmp_path):
    table = frame()
    want = fitted(table).to_bytes()
    table.to_csv(tmp_path / "t.csv", index=False)
    pq.write_table(pa.Table.from_pandas(table), tmp_path / "t.parquet", row_group_size=37)
    coded = table.astype({"answer": "category", "label": "category"})
    for data in (
        tmp_path / "t.csv",
        tmp_path / "t.parquet",
        pl.from_pandas(table),
        coded,
        table.sample(frac=1, random_state=1),
        pa.Table.from_batches(pa.Table.from_pandas(table, preserve_index=False).to_batches(max_chunksize=11)),
    ):
        assert fitted(data).to_bytes() == want
    assert fitted(tmp_path / "t.csv", memory="64MB").to_bytes() == want


def test_new_rows_may_have_the_spellings_too():
    table, right = frame(seed=5), frame(seed=5, right=True)
    model = fitted(frame())
    want = model.predict_proba(right)
    assert np.array_equal(model.predict_proba(table), want)
    for i in range(40):
        row = {k: str(v) if k != "x" else float(v) for k, v in table.drop(columns="label").iloc[i].items()}
        assert np.array_equal(model.predict_proba([row])[0], want[i])
    assert model.score(table, table["label"]) == model.score(right, right["label"])
    assert model.predict_proba([{"answer": "Y", "grade": 1, "x": 0.0}]).tolist() == (
        model.predict_proba([{"answer": "yes", "grade": "one", "x": 0.0}]).tolist()
    )


def test_what_was_merged_is_said_with_counts_and_kept():
    table = frame()
    model = fitted(table)
    notes = {n.column: n for n in model.notes_ if n.code == "spellings-merged"}
    assert set(notes) == {"answer", "grade", "label"}
    assert notes["answer"].count == int(table["answer"].isin(list(SPELT)).sum())
    assert notes["label"].text.startswith("target 'label': 'No' as 'no'; 'Yes' as 'yes', as asked (")
    unused = [n.text for n in model.source_notes_ if n.code == "merge-unused"]
    assert unused == ["merge names 'nowhere', which is in no column. Compare the spelling."]
    again = ts.DecisionTree._from_document(json.loads(model.to_bytes()))
    assert again.to_bytes() == model.to_bytes()
    assert again.columns == ts.Columns(merge=MERGE)


def test_an_order_that_a_column_brings_is_that_of_what_it_becomes():
    size = pd.Categorical(["S", "s", "L", "M"] * 20, ["s", "S", "M", "L"], ordered=True)
    table = pd.DataFrame({"size": size, "y": ["a", "b", "b", "a"] * 20})
    model = ts.NaiveBayes(columns=ts.Columns(merge={"S": ["s"]})).fit(table, "y")
    assert model.schema_["size"].kind == "ordered"
    assert model.schema_["size"].levels == ("S", "M", "L")
    assert in_order(("s", "S", "M"), {"s": "S"}) == ("S", "M")


def test_numbers_are_merged_in_a_named_column_alone():
    with pytest.raises(OptionError, match="names '1', a number, for all columns") as caught:
        ts.DecisionTree(columns=ts.Columns(merge={"one": ["1"]})).fit(frame(), "label")
    assert "merge={'NAME': {'one': ['1']}}" in str(caught.value)
    table = pd.DataFrame({"c": [0, 1, 2, 1] * 20, "y": ["a", "b", "b", "a"] * 20})
    model = ts.NaiveBayes(columns=ts.Columns(merge={"c": {"many": ["1", "2"]}})).fit(table, "y")
    assert model.schema_["c"].levels == ("0", "many")
    assert model.predict(table.assign(c=[2.0, 1.0, 0.0, 2.0] * 20)).tolist() == (
        model.predict(table.assign(c=["many", "many", "0", "many"] * 20)).tolist()
    )
    table["c"] = ["none", "1", "2", "3"] * 20
    with pytest.raises(DataError, match="holds numbers once 'none' is merged into '0'"):
        ts.NaiveBayes(columns=ts.Columns(merge={"c": {"0": ["none"]}})).fit(table, "y")


def test_what_stands_for_missing_and_unknown_columns_are_refused():
    with pytest.raises(OptionError, match=r"names '\?', which stands for missing"):
        ts.DecisionTree(columns=ts.Columns(merge={"no": ["?"]})).fit(frame(), "label")
    with pytest.raises(OptionError, match="names column 'grades', which is not in the table"):
        ts.DecisionTree(columns=ts.Columns(merge={"grades": {"a": ["b"]}})).fit(frame(), "label")


@pytest.mark.slow
@given(st.lists(st.sampled_from("abcdef")), st.dictionaries(st.sampled_from("abc"), st.sampled_from("dxyz")))
def test_counts_move_to_what_texts_become(cells, merge):
    texts = sorted(set(cells))
    counts = np.array([[cells.count(t), 2 * cells.count(t)] for t in texts], np.int64).reshape(-1, 2)
    found = merged(from_texts(texts), counts, merge)
    became = [merge.get(c, c) for c in cells]
    assert found.texts.to_pylist() == sorted(set(became))
    assert found.counts[:, 0].tolist() == [became.count(t) for t in sorted(set(became))]
    assert {s: t for s, (t, _) in found.became.items()} == {s: t for s, t in merge.items() if s in cells}
    assert all(text in became for _, text in kept(merge, set(became)))
