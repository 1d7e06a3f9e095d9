"""Lists and sets of rules as estimators: words, rows not seen, files, exports."""

import re

import numpy as np
import pytest

import tallystick as ts
from tallystick.errors import OptionError


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(1)
    x, a = rng.integers(0, 50, 400), rng.choice(list("pqr"), 400)
    y = np.where((x < 20) & (a != "p"), "yes", "no")
    y = np.where(rng.random(400) < 0.1, "no", y)
    return [{"x": int(i), "a": str(j), "y": str(k)} for i, j, k in zip(x, a, y, strict=True)]


@pytest.mark.slow
@pytest.mark.parametrize("method", [ts.RuleList, ts.RuleSet])
def test_rules_print_with_their_rows_and_come_back_from_a_file(method, rows, tmp_path):
    model = method().fit(rows, "y")
    assert "if x < 19.5 and a in {q, r} then yes" in str(model)
    model.save(tmp_path / "r.tally.json")
    again = ts.load(tmp_path / "r.tally.json")
    assert type(again) is method
    assert again.to_bytes() == model.to_bytes()
    assert str(again) == str(model)
    assert model._numbers() == model.model_.conditions + len(model.model_.rules) + 1
    assert "<pre" in model._repr_html_()
    assert "RuleList" in ts.RuleList()._repr_html_()


@pytest.mark.slow
@pytest.mark.parametrize("method", [ts.RuleList, ts.RuleSet])
def test_rules_are_told_on_rows_they_were_not_learnt_from(method, rows):
    model = method().fit(rows[:300], "y")
    found = model.rules_on(rows[300:], "y")
    assert sum(rule.rows for rule in found.rules) == 100
    wrong = sum(rule.errors for rule in found.rules)
    assert wrong == pytest.approx(100 * (1 - model.score(rows[300:], "y")))


def test_the_expression_of_a_set_is_told(rows):
    assert ts.RuleSet().fit(rows, "y").rules().expression() == "(x < 19.5)∧(a in {q, r})"


@pytest.mark.slow
def test_costs_by_label_are_a_table_in_the_file(rows):
    model = ts.RuleList(costs={"yes": {"no": 4.0}}).fit(rows, "y")
    assert model.to_dict()["parameters"]["costs"] == [[0.0, 1.0], [4.0, 0.0]]
    assert ts.RuleList(costs=[[0, 1], [4, 0]]).fit(rows, "y").to_bytes() == model.to_bytes()
    assert ts.cross_validate(model, rows, "y", folds=3).accuracy > 0.5


def test_a_class_that_is_not_there_is_refused(rows):
    with pytest.raises(OptionError, match="class_weight names 'maybe', which is not a class"):
        ts.RuleSet(class_weight={"maybe": 2}).fit(rows, "y")


@pytest.mark.slow
def test_rules_are_explained_and_drawn(rows):
    model = ts.RuleList().fit(rows, "y")
    assert "answered" in str(model.explain({"x": 3, "a": "q"}))
    assert "Rules for y" in model.picture()


@pytest.mark.slow
def test_rows_on_disk_and_in_memory_give_one_model(rows, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["x,a,y", *(f"{r['x']},{r['a']},{r['y']}" for r in rows)]) + "\n")
    want = ts.RuleList().fit(rows, "y").to_bytes()
    assert ts.RuleList(memory="32MB").fit(path, "y").to_bytes() == want
    assert ts.RuleList(threads=2).fit(path, "y").to_bytes() == want
    assert ts.verify(ts.RuleList().fit(path, "y"), path).same


@pytest.mark.slow
def test_methods_are_compared_where_they_are_named(rows):
    found = ts.compare(rows[:80], "y", methods=("tree", "rules", "rule-set"), folds=2)
    assert {"decision tree", "rule list", "rule set"} <= set(re.findall(r"(?m)^[▸ ] (\S.*?)  ", str(found)))
