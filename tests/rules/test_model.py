"""Fitted rules: which rule answers, and shares that follow from the counts beside them."""

import numpy as np
import pytest
import small_rules as s

from tallystick.rules.model import SET, RuleModel, condition_of

NAN = float("nan")


def test_the_first_rule_that_holds_answers_missing_and_unseen_values_included():
    rows = s.block([1, 1, 1, 1, NAN, 7, 3, 2.9], [0, 1, 3, 4, 0, 0, 0, 0])
    assert s.rules().first(rows).tolist() == [0, 2, 0, 0, 1, 1, 2, 0]


def test_shares_follow_from_the_counts_beside_them():
    model = s.rules()
    base = np.array([13.5, 11.5]) / 25
    want = [
        (np.array([1, 9]) + 2 * base) / 12,
        (np.array([8, 0]) + base) / 9,
        (np.array([4, 2]) + 4 * base) / 10,
    ]
    assert np.allclose(model.rule_shares, want, rtol=0, atol=1e-15)
    assert model.answers.tolist() == [1, 0, 0]
    assert model.conditions == 3


def test_class_weights_multiply_the_odds():
    plain, heavy = s.rules().rule_shares, s.rules(class_weight={"yes": 3.0}).rule_shares
    assert np.allclose(heavy[:, 1] / heavy[:, 0], 3 * plain[:, 1] / plain[:, 0])


def test_costs_decide_by_the_least_expected_cost():
    dear = s.rules(costs=[[0, 1], [9, 0]])  # to call a yes no costs nine times as much
    assert dear.answers.tolist() == [1, 0, 1]
    assert np.array_equal(dear.rule_shares, s.rules().rule_shares)


def test_weights_that_are_not_whole_count_in_rows():
    heavy = RuleModel(
        s.SCHEMA, s.rules().options, s.LIST, tuple(s.RuleCounts(r.conditions, tuple(3 * n for n in r.counts),
        r.imagined) for r in s.rules().rules), s.RuleCounts((), (12, 6), 4.0), (39, 33), 2, 3,
    )  # fmt: skip
    assert np.allclose(heavy.rule_shares, s.rules().rule_shares)
    assert heavy.rows[0].tolist() == [1.5, 13.5]


@pytest.mark.parametrize("kind", [s.LIST, SET])
def test_a_model_comes_back_from_plain_data(kind):
    model = s.rules(kind)
    again = RuleModel.from_dict(model.to_dict(), s.SCHEMA, model.options, kind, {"unit": 1})
    assert again.rules == model.rules
    assert again.otherwise == model.otherwise
    assert np.array_equal(again.rule_shares, model.rule_shares)


def test_a_condition_that_no_number_fulfils_comes_back():
    only = s.Condition(s.X, np.inf, -np.inf, missing=True)
    assert condition_of(only.to_dict(), s.SCHEMA).sentence() == "x is missing"


def test_rules_print_as_those_of_trees_do():
    assert (
        str(s.rules().as_rules())
        .splitlines()[1]
        .startswith("  1. if x < 3 and (a = p or missing) then yes (10 rows, 41.7%")
    )
