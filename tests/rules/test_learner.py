"""Rules as a learner: what was planted is found, in every kind of column; the laws hold."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tallystick as ts
from tallystick.errors import DataError, TargetError


def planted(n=600, seed=0, noise=0.0):
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        x, a = float(rng.integers(0, 100)), "pqrst"[rng.integers(0, 5)]
        size, flag = ["S", "M", "L"][rng.integers(0, 3)], bool(rng.random() < 0.5)
        yes = (x < 30 and a in "pq") or (size == "L" and flag)
        if rng.random() < noise:
            yes = not yes
        lost = rng.random() < 0.05
        rows.append({"x": None if lost else x, "a": a, "size": size, "flag": flag, "y": ["no", "yes"][yes]})
    return rows


WISHES = {"columns": ts.Columns({"size": "ordered"}, {"size": ["S", "M", "L"]})}


@pytest.mark.slow
@pytest.mark.parametrize("method", [ts.RuleList, ts.RuleSet])
def test_a_planted_disjunction_is_found(method):
    rows = planted()
    model = method(**WISHES).fit(rows, "y")
    assert model.score([r for r in rows if r["x"] is not None], "y") >= 0.99
    assert len(model.model_.rules) <= 4


@pytest.mark.slow
def test_a_set_of_two_classes_is_one_expression():
    found = ts.RuleSet(**WISHES).fit([r for r in planted() if r["x"] is not None], "y").rules()
    assert {rule.answer for rule in found} == {"yes"}
    assert found.expression() == "(x < 30.5)∧(a in {p, q}) ∨ flag∧(size = L)" or "flag" in found.expression()


@pytest.mark.slow
@pytest.mark.parametrize("method", [ts.RuleList, ts.RuleSet])
def test_the_model_does_not_depend_on_the_order_of_rows_or_on_copies(method):
    rows = planted(200, noise=0.1)
    want = method(**WISHES).fit(rows, "y").to_bytes()
    assert method(**WISHES, threads=2).fit(rows[::-1], "y").to_bytes() == want
    twice = method(**WISHES).fit(rows + rows, "y").model_
    heavy = method(**WISHES).fit(rows, "y", sample_weight=[2] * len(rows)).model_
    assert twice.to_dict() == heavy.to_dict()


@pytest.mark.slow
def test_limits_hold():
    rows = planted(noise=0.05)
    assert len(ts.RuleList(max_rules=1, **WISHES).fit(rows, "y").model_.rules) == 1
    short = ts.RuleSet(max_conditions=1, **WISHES).fit(rows, "y").model_
    assert all(len(rule.conditions) == 1 for rule in short.rules)
    assert len(ts.RuleSet(max_rules=1, **WISHES).fit(rows, "y").model_.rules) == 1


@pytest.mark.slow
def test_rules_of_a_set_have_all_the_rows_they_hold_for_and_the_surest_comes_first():
    model = ts.RuleSet(**WISHES).fit(planted(noise=0.05), "y").model_
    shares = [float(model.rule_shares[i, 1]) for i in range(len(model.rules))]
    assert shares == sorted(shares, reverse=True)
    assert sum(sum(rule.counts) for rule in model.all_rules) >= sum(model.totals)


@pytest.mark.slow
def test_rules_of_a_list_have_the_rows_that_no_rule_before_takes():
    model = ts.RuleList(**WISHES).fit(planted(noise=0.05), "y").model_
    assert sum(sum(rule.counts) for rule in model.all_rules) == sum(model.totals)


@pytest.mark.slow
def test_three_classes_are_told_apart():
    rows = [{"x": x, "y": "abc"[(x > 3) + (x > 6)]} for x in range(10)] * 10
    for method in (ts.RuleList, ts.RuleSet):
        model = method().fit(rows, "y")
        assert model.score(rows, "y") == 1.0
        assert model.rules().expression("b") == "(3.5 ≤ x < 6.5)"


@pytest.mark.slow
def test_class_weights_and_costs_change_what_is_answered():
    rows = planted(noise=0.3)
    plain = ts.RuleList(**WISHES).fit(rows, "y")
    heavy = ts.RuleList(class_weight={"yes": 8.0}, **WISHES).fit(rows, "y")
    dear = ts.RuleList(costs={"yes": {"no": 8.0}}, **WISHES).fit(rows, "y")
    count = [int((m.predict(rows) == "yes").sum()) for m in (plain, heavy, dear)]
    assert count[0] < count[1]
    assert count[0] < count[2]


def test_no_rule_has_a_single_row():
    rows = [{"x": i / 8, "y": "rare" if i == 500 else "usual"} for i in range(1000)]
    model = ts.RuleList().fit(rows, "y").model_
    assert all(sum(rule.counts) > 1 for rule in model.rules)


def test_text_alone_and_one_class_are_refused():
    with pytest.raises(DataError, match="rules need columns of numbers or levels"):
        ts.RuleList(kinds={"t": "text"}).fit([{"t": "some words", "y": i % 2} for i in range(9)], "y")
    with pytest.raises(TargetError, match="one class"):
        ts.RuleSet().fit([{"x": i, "y": "a"} for i in range(9)], "y")


def test_parity_has_no_rule_that_begins_to_tell():
    """No single condition tells anything of parity, and a rule grows by one condition at a time."""
    ways = list(itertools.product((False, True), repeat=3))
    rows = [dict(zip("abc", w, strict=True)) | {"y": sum(w) % 2 == 1} for w in ways] * 20
    assert ts.RuleList().fit(rows, "y").score(rows, "y") >= 0.5


functions = st.integers(1, 4).flatmap(lambda n: st.lists(st.booleans(), min_size=2**n, max_size=2**n))


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(functions)
def test_without_smoothing_the_rules_of_a_truth_table_are_right_on_every_row(truth):
    columns = "abcd"[: len(truth).bit_length() - 1]
    ways = itertools.product([False, True], repeat=len(columns))
    rows = [dict(zip(columns, way, strict=True)) | {"y": y} for way, y in zip(ways, truth, strict=True)]
    if len(set(truth)) == 1:
        return
    for method in (ts.RuleList, ts.RuleSet):
        model = method(smoothing=0).fit(rows, "y")
        assert model.predict(rows).tolist() == truth
        assert (model.predict_proba(rows).max(axis=1) == 1).all()
        shown = model.rules()
        assert [r for rule in shown.all_rules for r in [rule.covers - rule.right] if r] == []
        assert all(rule.interval[0] < 1 == rule.interval[1] for rule in shown.rules)  # few rows prove little


def test_without_smoothing_rows_that_differ_in_class_alone_go_to_no_rule():
    rows = [{"a": i % 2 == 0, "b": i < 2, "y": i % 2 == 0} for i in range(4)]
    rows += [rows[0] | {"y": False}, rows[1], rows[3]]
    model = ts.RuleList(smoothing=0).fit(rows, "y")
    assert model.model_.otherwise.counts == (1, 1)
    assert model.predict(rows[1:4]).tolist() == [row["y"] for row in rows[1:4]]


def test_a_note_says_that_no_rule_pays_and_what_asks_for_rules_all_the_same():
    rows = [{"a": a, "b": b, "y": a != b} for a in (False, True) for b in (False, True)]
    (note,) = [n for n in ts.RuleList().fit(rows, "y").notes_ if n.code == "no-rules"]
    assert note.text.startswith("no rule is worth its conditions in 4 rows")
    assert not [n for n in ts.RuleList(smoothing=0).fit(rows, "y").notes_ if n.code == "no-rules"]
