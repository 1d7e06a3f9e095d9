"""What a tree or a list of rules shows of a row is what it answers, where it claims to be the same."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tallystick as ts
from tallystick.errors import TallyError

METHODS = {
    "tree": lambda **o: ts.DecisionTree(**o),
    "leaves": lambda **o: ts.DecisionTree(average=False, **o),
    "c45": lambda **o: ts.DecisionTree.c45(**o),
    "cart": lambda **o: ts.DecisionTree.cart(min_samples_split=2, min_samples_leaf=1, **o),
    "id3": lambda **o: ts.DecisionTree.id3(**o),
    "optimal": lambda **o: ts.DecisionTree.optimal(max_depth=2, **o),
    "rules": lambda **o: ts.RuleList(**o),
    "rule-set": lambda **o: ts.RuleSet(**o),
    "rules right on every row": lambda **o: ts.RuleList(smoothing=0, **o),
}
ROW = st.fixed_dictionaries(
    {
        "n": st.none() | st.integers(0, 4).map(float),
        "l": st.none() | st.sampled_from("pqrs"),
        "o": st.sampled_from("SML"),
        "b": st.booleans(),
        "y": st.sampled_from(["no", "so", "yes"]),
    }
)
KNOWN = ts.Columns(
    kinds={"n": "numeric", "l": "levels", "o": "ordered"}, levels={"o": ["S", "M", "L"]}, keep=list("nlob")
)
WEIGHTS = st.none() | st.just("balanced") | st.fixed_dictionaries({"no": st.sampled_from([0.2, 1.0, 3.0])})


def holds(test, row):
    """Whether a row fulfils a condition, read off the words alone."""
    value = row[test.column.name]
    if value is None:
        return test.missing
    if test.column.kind == "numeric":
        return test.low <= value < test.high
    text = str(value).lower() if isinstance(value, bool) else value
    return text in [test.column.levels[code] for code in test.levels]


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=25, deadline=None)
@given(st.lists(ROW, min_size=4, max_size=24), WEIGHTS)
def test_rules_steps_and_heading_name_the_class_that_is_predicted(method, rows, weights):
    try:
        model = METHODS[method](class_weight=weights, columns=KNOWN).fit(rows, "y")
    except TallyError:
        return  # one class, or nothing that could be tested
    predicted = model.predict(rows).tolist()
    assert [model.predict_one(row) for row in rows] == predicted
    assert [model.explain(rows, i).to_dict()["answer"] for i in range(len(rows))] == predicted
    is_tree = "rule" not in method
    if is_tree and model.model_.averaged is not None:
        assert "Answers are averaged over all prunings" in str(model)
        return
    spreads = is_tree and model.model_.spreads  # a row of a missing value goes down several branches
    shown = model.rules()
    for row, answer in zip(rows, predicted, strict=True):
        if not (spreads and None in row.values()):
            first = (r.answer for r in shown if all(holds(test, row) for test in r.conditions))
            assert next(first, shown.default) == answer
    heading = re.search(r"training accuracy \S+ \((\d+) of", str(model))
    if heading and not spreads:
        assert int(heading[1]) == sum(a == row["y"] for a, row in zip(predicted, rows, strict=True))
