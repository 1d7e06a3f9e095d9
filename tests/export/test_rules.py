"""The rules of a tree as text, Markdown or JSON."""

from __future__ import annotations

import json
import re

import exports as e
import pytest

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.export.rules import export_rules


@pytest.mark.slow
def test_rules_in_three_formats_are_the_rules_of_the_tree():
    model = e.fitted("tree cart")
    rules = model.rules()
    text, markdown = model.export("rules"), model.export("rules", format="markdown")
    data = json.loads(model.export("rules", format="json"))
    assert str(rules) in text
    assert "as an expression: 1 = " in text
    assert data["rules"] == rules.to_dict()["rules"]
    assert data["expression"] == rules.expression()
    assert len(re.findall(r"^\| \d+ \|", markdown, re.MULTILINE)) == len(rules)


def test_no_name_can_leave_its_cell_of_a_markdown_table():
    name = "a|b\n<script>*x*"
    model = ts.DecisionTree(average=False).fit({name: ["p|q", "r"] * 20, "y": ["u|v", "w"] * 20}, "y")
    lines = model.export("rules", format="markdown").splitlines()
    table = [line for line in lines if line.startswith("| ") and "if" not in line.split("|")[2].split()]
    assert all(len(re.findall(r"(?<!\\)\|", line)) == 6 for line in table)
    assert not re.search(r"(?<!\\)<script", "\n".join(lines))


@pytest.mark.slow
def test_rules_of_an_averaged_tree_say_that_predictions_average():
    assert "predictions average over all prunings" in e.fitted("tree").export("rules")


def test_a_model_that_adds_up_parts_has_no_rules():
    model = ts.NaiveBayes().fit({"a": ["x", "y"], "y": ["n", "p"]}, "y")
    with pytest.raises(
        OptionError, match=r"^a model of kind 'naive-bayes' has no if-then rules: every column adds"
    ):
        export_rules(model.model_, "", "text")


def test_an_unknown_format_is_refused_with_the_nearest():
    with pytest.raises(OptionError, match=r"rules have no format 'jsn'\. Did you mean 'json'\?"):
        export_rules(None, "", "jsn")


def test_the_text_holds_the_rules_and_the_expression_of_two_classes():
    rows = {"a": ["x", "y"] * 20, "y": ["n", "p"] * 20}
    text = export_rules(ts.DecisionTree(average=False).fit(rows, "y").model_, "abc")
    assert "# Model file sha256: abc.\n" in text
    assert text.endswith("as an expression: p = (a = y)\n")
