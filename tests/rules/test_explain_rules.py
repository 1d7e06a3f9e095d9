"""Rules in words: certainty, rows not seen, and why a row is answered."""

import numpy as np
import pytest
import small_rules as s
from svg import words

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.rules.explain import explain, intervals, measured_rules, rules_on

NAN = float("nan")


@pytest.mark.slow
def test_an_interval_holds_the_share_and_shrinks_with_rows():
    model = s.rules()
    for (low, high), shares, answer in zip(intervals(model), model.rule_shares, model.answers, strict=True):
        assert low <= shares[answer] <= high
    heavy = s.rules(class_weight={"yes": 5.0})
    assert intervals(heavy)[0][0] > intervals(model)[0][0]


def test_rules_are_told_with_their_rows_and_certainty():
    lines = str(measured_rules(s.rules())).splitlines()
    assert lines[0] == "2 rules for y; the first rule that holds answers:"
    assert lines[1].startswith(
        "  1. if x < 3 and (a = p or missing) then yes (10 rows, 41.7%, 1 wrong; 0.827, 95 %"
    )
    assert lines[3].startswith("otherwise no (6 rows, 25.0%, 2 wrong; 0.616,")


@pytest.mark.slow
def test_a_row_is_told_the_rule_that_answered_and_the_nearest_that_did_not():
    model = s.rules()
    found = explain(model, s.block([4.0, 1.0], [1, 0]), 0)
    assert found.number is None
    assert found.nearest == (2, "no", ("x ≥ 6 or missing does not hold (x is 4)",))
    text = str(explain(model, s.block([1.0], [0]), 0))
    assert text.startswith(
        "Rule 1 answered (training rows: no 1, yes 9):\n  x < 3 (1)\n  a = p or missing (p)"
    )
    assert "The nearest that did not: rule 2 (no), since" in text
    gone = explain(model, s.block([NAN], [4]), 0)
    assert gone.number == 2
    assert gone.held == ("x ≥ 6 or missing (missing)",)
    assert "a is a new level" not in str(gone)
    assert gone.to_dict()["nearest"] == {
        "rule": 1,
        "answer": "yes",
        "failed": ["x < 3 does not hold (x is missing)"],
    }


def test_rules_on_rows_count_their_errors():
    model = s.rules()
    first = [np.array([0, 0, 1]), np.array([2])]
    found = rules_on(model, first, np.array([1, 0, 0, 1]))
    assert [(r.rows, r.errors) for r in found.rules] == [(2.0, 1.0), (1.0, 0.0), (1.0, 1.0)]
    assert found.to_dict()["rules"][0]["error"] == 0.5
    assert "otherwise no" in str(found)
    heavy = rules_on(model, first, np.array([1, 0, 0, 1]), [3, 1, 1, 1])
    assert heavy.rules[0].error == 0.25
    with pytest.raises(OptionError, match="4 rows were read, but there are 3 labels"):
        rules_on(model, first, np.array([1, 0, 0]))


def test_a_rule_without_rows_has_no_error():
    found = rules_on(s.rules(), [np.array([0])], np.array([1]))
    assert found.rules[1].error is None


@pytest.mark.slow
def test_the_rule_that_answered_is_set_off_in_the_picture():
    svg = explain(s.rules(), s.block([7.0], [0]), 0).picture()
    assert "otherwise → no" in words(svg)
    assert svg.count('font-weight="bold"') == 2  # the title, and rule 2


@pytest.mark.slow
@pytest.mark.parametrize("method", [ts.RuleList, ts.RuleSet])
def test_intervals_hold_the_share_of_new_rows_although_the_rule_was_looked_for(method):
    held = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        columns = {f"x{j}": rng.normal(size=20_200).round(2) for j in range(6)}
        slope = rng.normal(size=2)
        high = 1 / (1 + np.exp(-slope[0] * columns["x0"] - slope[1] * columns["x1"]))
        y = rng.random(20_200) < high
        model = method().fit({n: v[:200] for n, v in columns.items()}, y[:200])
        new = {n: v[200:] for n, v in columns.items()}
        first = np.concatenate(list(model._each_block(new, model.model_.first)))
        for i, (low, top) in enumerate(intervals(model.model_)):
            if model.model_.rules and (first == i).sum() >= 200:
                share = (y[200:][first == i] == bool(model.model_.answers[i])).mean()
                held.append(low - 0.02 <= share <= top + 0.02)  # of a share that is known to about .02
    assert len(held) > 15
    assert np.mean(held) >= 0.94


def test_a_rule_without_a_wrong_row_may_hold_for_all_new_rows():
    assert intervals(s.rules())[1][1] == 1.0
