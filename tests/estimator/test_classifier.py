"""Answering by class: a label is decided in one place, whatever the rows came in."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import numpy as np
import pytest

import tallystick as ts
from tallystick.errors import DataError

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


ODD = {
    "i": ["zz", "0.1", float("inf"), True, b"1", [1], 10**30, Decimal("0.1"), None, "NA", 3, "3"],
    "d": ["0.1", Decimal("0.1"), 10**30, 0.5, 18_300, "2020-05-01", date(2020, 5, 1), True, None, "NA"],
    "c": ["u", " u ", "never", 1, True, b"u", [1], None],
}


@pytest.mark.parametrize(
    "method", [ts.NaiveBayes, ts.DecisionTree, ts.LogisticRegression, ts.Scorecard, ts.RuleList]
)
def test_a_dict_is_answered_or_refused_as_a_table_of_it(method):
    rng = np.random.default_rng(0)
    a, days = rng.normal(size=300), rng.integers(0, 900, 300)
    first = date(2020, 1, 1)
    rows = [
        {"a": x, "i": d % 9, "c": "uvw"[d // 9 % 3], "d": first + timedelta(d)}
        for x, d in zip(a.tolist(), days.tolist(), strict=True)
    ]
    known = [0.3 * r["a"] + r["i"] / 4 + 1.5 * (r["c"] == "u") + (r["d"] - first).days / 300 for r in rows]
    model = method().fit([r | {"y": k > 3.3} for r, k in zip(rows, known, strict=True)], "y")
    assert {c.name for c in model.schema_.used} == {"a", "i", "c", "d"}  # a cell that is not used is not read

    def told(X, lenient):
        try:
            return model.predict(X, lenient=lenient).tolist()
        except DataError as error:
            return str(error)

    for name, cells in ODD.items():
        for cell in cells:
            row = rows[0] | {name: cell}
            for lenient in (False, True):
                assert told(row, lenient) == told([row], lenient), (name, cell)


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
