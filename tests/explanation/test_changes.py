"""What would change an answer: true, small, and of allowed columns only."""

from __future__ import annotations

import pytest
from pages import people

import tallystick as ts
from tallystick.errors import DataError, OptionError

METHODS = (ts.DecisionTree, ts.NaiveBayes, ts.LogisticRegression, ts.Scorecard, ts.RuleList)
ROW = {"education-num": 9, "hours": 35, "marital": "married"}


@pytest.fixture(scope="module", params=METHODS, ids=lambda m: m.__name__)
def model(request):
    return request.param().fit(people(400), "income")


@pytest.mark.slow
def test_every_change_gives_the_answer_that_it_tells(model):
    found = model.counterfactuals(ROW)
    assert found.answer == model.predict_one(ROW)
    assert found.found
    for one in found.found:
        new = ROW | {k: float(v) if k != "marital" else v for k, v in one.row.items()}
        assert model.predict_one(new) == one.answer != found.answer
        at = model.classes_.tolist().index(one.answer)
        assert model.predict_proba_one(new)[at] == pytest.approx(one.share)
        assert str(one) == str(one).strip()
        assert f"the answer would be {one.answer}" in str(one)


@pytest.mark.slow
def test_fewer_columns_come_first_then_smaller_steps(model):
    sizes = [one.size for one in model.counterfactuals(ROW, most=20).found]
    assert sizes == sorted(sizes)


@pytest.mark.slow
def test_only_allowed_columns_change(model):
    for one in model.counterfactuals(ROW, columns=["hours", "marital"]).found:
        assert set(one.row) <= {"hours", "marital"}
    assert model.counterfactuals(ROW, columns=[]).found == ()


def test_a_number_is_the_nearest_that_is_enough_and_its_sign_holds_beyond():
    rows = [{"income": i * 1000, "y": "yes" if i >= 32 else "no"} for i in range(60)]
    tree = ts.DecisionTree(average=False).fit(rows, "y")
    (only,) = tree.counterfactuals({"income": 20_000}).found
    assert only.steps[0].way == ">="
    value = float(only.row["income"])
    assert 31_000 < value <= 32_000
    assert tree.predict_one({"income": value}) == "yes"
    (down,) = tree.counterfactuals({"income": 50_000}).found
    assert down.steps[0].way == "<="
    assert tree.predict_one({"income": float(down.row["income"])}) == "no"


def test_two_columns_change_where_one_is_not_enough():
    rows = [{"a": a, "b": b, "y": "yes" if a == b == "p" else "no"} for a in "pq" for b in "pq"] * 10
    tree = ts.DecisionTree(average=False).fit(rows, "y")
    found = tree.counterfactuals({"a": "q", "b": "q"}).found
    assert [one.row for one in found] == [{"a": "p", "b": "p"}]


def test_a_wanted_answer_is_the_only_one_that_counts():
    rows = [{"x": i / 2, "y": "abc"[i // 20]} for i in range(60)]
    tree = ts.DecisionTree(average=False).fit(rows, "y")
    assert {one.answer for one in tree.counterfactuals({"x": 5}, "c").found} == {"c"}
    assert tree.counterfactuals({"x": 5}, "a").found == ()


def test_nothing_found_is_said():
    rows = [{"x": i % 2, "y": "ab"[i % 10 == 0]} for i in range(40)]
    found = (
        ts.DecisionTree(max_depth=1, pruning="cost-complexity")
        .fit(rows, "y")
        .counterfactuals({"x": 1}, columns=[])
    )
    assert "no change that was tried gives another" in str(found)
    assert found.to_dict()["counterfactuals"] == []


def test_what_makes_no_sense_is_refused():
    tree = ts.DecisionTree().fit(people(100), "income")
    with pytest.raises(OptionError, match="no column 'hour'"):
        tree.counterfactuals(ROW, columns=["hour"])
    with pytest.raises(OptionError, match="no class"):
        tree.counterfactuals(ROW, "rich")
    with pytest.raises(DataError, match="a row is a dict"):
        tree.counterfactuals([ROW])


def test_a_column_of_money_is_asked_about_in_numbers_and_reads_a_row_as_it_is_written():
    rows = [{"sum": f"{k}.{k % 10}00,50 €", "y": "yes" if k >= 32 else "no"} for k in range(1, 61)]
    tree = ts.DecisionTree().fit(rows, "y")
    found = [tree.counterfactuals({"sum": sum}) for sum in ("20.000,50 €", 20_000.5)]
    assert str(found[0]) == str(found[1])
    assert found[0].found[0].row["sum"] == "31700"
    assert tree.counterfactuals({"sum": 45.501}).answer == "no"  # as text of this column it would be 45501
