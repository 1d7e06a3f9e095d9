"""A fitted model as plain data: whoever follows it answers what the model answers."""

from __future__ import annotations

import json
import math

import pytest

import tallystick as ts
from tallystick.export.form import Form, best, form_of, number_levels, printable
from tallystick.schema import Column

ROWS = {"a": ["x", "y", "x", "y"], "b": ["k", "k", "l", "l"], "y": ["n", "p", "n", "p"]}


def empty(**more):
    return Form("decision-tree", "y", ("n", "p"), (), ("?", "-999"), "", **more)


def test_a_tree_names_only_the_columns_it_tests():
    form = form_of(ts.DecisionTree.id3().fit(ROWS, "y").model_, "abc")
    assert form.is_tree
    assert [c.name for c in form.columns] == ["a"]
    root, left, right = form.nodes
    assert root[:4] == [0, None, [1, 2], 1]
    assert (left, right) == ([[1.0, 0.0]], [[0.0, 1.0]])


def test_an_additive_model_is_its_base_and_terms():
    model = ts.NaiveBayes(alpha=1.0).fit(ROWS, "y")
    form = form_of(model.model_, "")
    assert not form.is_tree
    assert form.base == pytest.approx((math.log(0.5), math.log(0.5)))
    first, _ = form.terms
    assert (first["name"], first["column"]) == ("a", 0)
    assert first["table"][0] == pytest.approx([math.log(3 / 4), math.log(1 / 4)])
    assert first["table"][-1] == pytest.approx([math.log(1 / 5)] * 2)  # a level never seen is one more


def test_the_answer_is_the_largest_share_or_the_cheapest_and_of_equals_the_first():
    assert best(empty(), [0.5, 0.5]) == 0
    assert best(empty(), [0.2, 0.8]) == 1
    assert best(empty(costs=((0.0, 1.0), (9.0, 0.0))), [0.8, 0.2]) == 1


def test_levels_written_as_numbers_are_known_by_their_number():
    column = Column("c", "levels", levels=("1", "2.5", "01", "x"))
    assert number_levels(column) == [(1.0, 0), (2.5, 1)]


def test_json_may_stand_in_a_script_and_reads_back():
    form = empty(base=(-math.inf, 0.0), terms=({"name": "</script>\u202e\u2028"},))
    text = form.to_json()
    assert "<" not in text
    assert "\u202e" not in text
    data = json.loads(text)
    assert data["base"] == [None, 0.0]
    assert data["terms"] == [{"name": "</script>\u202e\u2028"}]
    assert data["sentinels"] == [-999.0]
    assert printable("a\U000e0001") == "a\\udb40\\udc01"
