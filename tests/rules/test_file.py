"""The rules' part of a model file: what does not fit is refused in one line that names it."""

import copy

import pytest
from model_files import signed

import tallystick as ts
from tallystick.errors import ModelFileError
from tallystick.estimator.base import from_data


def document(kind=ts.RuleList):
    rows = [{"x": i % 10, "a": "pqr"[i % 3], "y": "ab"[(i % 10 > 4) & (i % 3 > 0)]} for i in range(90)]
    return kind().fit(rows, "y").to_dict()


def edited(where, value, kind=ts.RuleList):
    out = copy.deepcopy(document(kind))
    place = out
    *path, last = where
    for key in path:
        place = place[key]
    place[last] = value
    return out


RULE = ("model", "rules", 0)
CASES = [
    ((*RULE, "counts"), [1, 2, 3], r"\(classes\)"),
    ((*RULE, "counts", 0), 10**6, "the rows of the rules are not those of the table"),
    ((*RULE, "imagined"), -1, "must be a number from"),
    ((*RULE, "conditions"), [], "a list of at least 1"),
    ((*RULE, "conditions", 0, "column"), "nobody", "column 'nobody' is not one that a rule can test"),
    ((*RULE, "conditions", 0, "high"), "many", "must be a finite number"),
    ((*RULE, "conditions", 0), {"column": "x", "missing": False, "levels": ["p"]}, "does not suit the kind"),
    ((*RULE, "conditions"), [{"column": "a", "missing": False, "levels": ["z"]}], "a level that column 'a'"),
    ((*RULE, "conditions", 0), {"column": "x", "missing": True, "low": 5, "high": 4}, "holds for no number"),
    ((*RULE, "conditions", 0), {"column": "x", "missing": True}, "does not suit the kind"),
    ((*RULE, "conditions", 0, "more"), 1, "unknown key 'more'"),
    (
        ("model", "otherwise", "conditions"),
        [{"column": "x", "missing": True, "known": False}],
        "has conditions",
    ),
    (("model", "totals"), [0, 0], "no training rows|not those of the table"),
    (("parameters", "max_rules"), 0, "must be a whole number from 1"),
    (("parameters", "costs"), [[0, 1]], "costs must be numbers"),
    (("parameters", "class_weight"), {"c": -1}, "must be a number from 0"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("where", "value", "said"), CASES)
def test_what_does_not_fit_is_refused_in_one_line(where, value, said):
    with pytest.raises(ModelFileError, match=said) as error:
        from_data(signed(edited(where, value)))
    assert "\n" not in str(error.value)


def test_a_rule_names_a_column_once():
    changed = document()
    first = changed["model"]["rules"][0]["conditions"]
    changed["model"]["rules"][0]["conditions"] = [first[0], first[0]]
    with pytest.raises(ModelFileError, match="two conditions of one column"):
        from_data(signed(changed))


def test_rules_of_a_set_may_share_rows_but_not_have_more_than_there_are():
    with pytest.raises(ModelFileError, match="not those of the table"):
        from_data(signed(edited((*RULE, "counts", 0), 91, ts.RuleSet)))
    from_data(signed(document(ts.RuleSet)))
