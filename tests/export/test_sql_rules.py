"""Rules in SQL: one CASE with an arm for each rule; what it answers is held by the suite of exports."""

import small_rules as s

from tallystick.export.form import rules_form
from tallystick.export.sql import first_rule
from tallystick.export.sql_dialects import dialect_of
from tallystick.model.conditions import Condition
from tallystick.rules.model import RuleCounts, RuleModel


def test_every_rule_is_an_arm_and_the_last_is_otherwise():
    text = first_rule(rules_form(s.rules(), ""), dialect_of("duckdb"))
    assert [line.strip() for line in text.splitlines()] == [
        "CASE",
        'WHEN "x" < 3 AND ("a" IS NULL OR "a" NOT IN (\'q\', \'r\')) THEN 1',
        'WHEN ("x" IS NULL OR "x" >= 6) THEN 2',
        "ELSE 3 END",
    ]


def one(*conditions):
    given = s.rules()
    rules = (RuleCounts(conditions, (1, 9), 2.0),) if conditions else ()
    model = RuleModel(given.schema, given.options, given.kind, rules, given.otherwise, given.totals)
    return first_rule(rules_form(model, ""), dialect_of("duckdb"))


def test_conditions_of_every_kind():
    inf = float("inf")
    assert '"x" IS NULL' in one(Condition(s.X, inf, -inf, missing=True))
    assert '"x" IS NOT NULL' in one(Condition(s.X))
    assert '"x" >= 2 AND "x" < 4' in one(Condition(s.X, 2.0, 4.0))
    assert "\"a\" = 'p'" in one(Condition(s.A, levels=(0,)))
    assert "\"a\" IN ('p', 'q')" in one(Condition(s.A, levels=(0, 1)))
    assert "1 = 0" in one(Condition(s.A, levels=()))
    assert "1 = 1" in one(Condition(s.A, levels=(0, 1, 2), missing=True))
    assert one() == "1"
