"""Answering by class: a label is decided in one place, whatever the rows came in."""

from __future__ import annotations

import numpy as np
import pytest

import tallystick as ts

ROWS = {"c": ["u", "u", "v", "v", "v"] * 20, "y": ["p", "p", "q", "q", "p"] * 20}


@pytest.fixture(scope="module", params=[ts.NaiveBayes, ts.DecisionTree, ts.LogisticRegression, ts.Scorecard])
def model(request):
    return request.param().fit(ROWS, "y")


def test_one_row_and_all_rows_are_answered_alike(model):
    shares = model.predict_proba({"c": ["u", "v", None, "new"]})
    for cell, row in zip(("u", "v", None, "new"), shares, strict=True):
        assert model.predict_proba_one({"c": cell}).tolist() == row.tolist()
        assert model.predict_one({"c": cell}) == model.classes_[row.argmax()]
    assert model.predict({"c": ["u", "v"]}).tolist() == ["p", "q"]


def test_one_row_as_a_dict_is_answered_without_a_table(model, monkeypatch):
    want = {cell: model.predict([{"c": cell}]).tolist() for cell in ("u", "v", None)}

    def read(*_, **__):
        raise AssertionError("one row was read as a table")

    monkeypatch.setattr(type(model), "_blocks", read)
    for cell, label in want.items():
        assert model.predict({"c": cell}).tolist() == label


def test_logarithms_are_those_of_the_shares_and_no_rows_are_none(model):
    assert np.allclose(
        np.exp(model.predict_log_proba({"c": ["u", "v"]})), model.predict_proba({"c": ["u", "v"]})
    )
    assert model.predict_proba({"c": []}).shape == (0, 2)
    assert model.predict({"c": []}).tolist() == []


def test_the_score_is_the_share_of_right_answers_and_an_unknown_label_is_wrong(model):
    rows = {"c": ["u", "v", "u", "u"], "y": ["p", "q", "q", "never"]}
    assert model.score(rows) == 0.5
    assert model.score({"c": rows["c"]}, rows["y"], sample_weight=[1, 1, 0, 0]) == 1.0


@pytest.mark.parametrize("labels", [[0, 1, 0, 1], [False, True, False, True], ["0", "1", "0", "1"]])
def test_labels_keep_their_type(labels):
    fitted = ts.NaiveBayes().fit({"c": ["u", "v", "u", "v"]}, labels)
    assert [type(v) for v in fitted.predict({"c": ["u", "v"]}).tolist()] == [type(labels[0])] * 2


def test_a_row_that_cannot_be_read_has_no_label(tmp_path, model):
    path = tmp_path / "new.csv"
    path.write_text("c,d\nu,1\nv\nv,2\n")
    found = model.predict(ts.read(path, bad_rows="skip"))
    assert found.tolist() == ["p", None, "q"]
