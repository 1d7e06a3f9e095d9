"""Rules on the page: sentences, a table with the rows behind each rule, columns by the rows they decide."""

import small_rules as s

from tallystick.rules.model import RuleModel
from tallystick.rules.report import rule_pulls, rule_section, rule_sentences, rule_small


def test_sentences_count_rules_and_tell_the_largest():
    text = " ".join(map(str, rule_sentences(s.rules(), None, ())))
    assert text == (
        "2 rules with 3 conditions in all predict y. The one with most rows: if x < 3 and a = p or missing "
        "then yes (10 rows, 90.0 % of them yes)."
    )


def test_without_rules_it_is_said():
    given = s.rules()
    none = RuleModel(given.schema, given.options, given.kind, (), given.otherwise, given.totals)
    assert "No rule is worth" in str(rule_sentences(none, None, ())[0])


def test_the_table_has_all_rules_and_otherwise():
    made = rule_section(None, s.rules())
    assert made["kind"] == rule_small(None, s.rules())["kind"] == "rules"
    rows = made["rules"]["rows"]
    assert [r["number"] for r in rows] == ["1", "2", ""]
    assert rows[0]["when"] == ["x < 3", "a = p or missing"]
    assert (rows[0]["rows"], rows[0]["wrong"]) == ("10", "1")
    assert made["rules"]["expression"] == {"label": "yes", "text": "(x < 3)∧(a = p)"}


def test_columns_pull_by_the_rows_that_their_rules_answer():
    assert rule_pulls(s.rules(), None) == {"x": 18 / 24, "a": 10 / 24}
