"""The own part of a model file by names: two of them differ in words."""

from __future__ import annotations

import tallystick as ts
from tallystick.export.diff import (
    bayes_changes,
    by_class,
    by_name,
    logistic_changes,
    plain_changes,
    tree_changes,
    walk,
)

ROWS = {"a": ["x", "y", "x", "y"], "y": ["n", "p", "n", "p"]}
MORE = {"a": ["x", "y", "x", "y", "y"], "y": ["n", "p", "n", "p", "n"]}


def both(make):
    return make().fit(ROWS, "y").to_dict(), make().fit(MORE, "y").to_dict()


def test_counts_are_told_by_column_level_and_class():
    a, b = both(ts.NaiveBayes)
    told = {place: (before, after) for place, before, after in bayes_changes(a, b)}
    place = next(p for p in told if "'a'" in p and "'y'" in p and "'n'" in p)
    assert told[place] == (0, 1)
    assert list(bayes_changes(a, a)) == []


def test_every_kind_tells_no_change_of_itself_and_some_of_another():
    for make, changes in ((ts.DecisionTree, tree_changes), (ts.LogisticRegression, logistic_changes)):
        a, b = both(make)
        assert list(changes(a, a)) == []
        assert list(changes(a, b))
    a, b = both(ts.NaiveBayes)
    assert list(plain_changes(a, a)) == []
    assert list(plain_changes(a, b))


def test_one_and_one_point_zero_and_true_are_three_things():
    assert list(walk({"k": 1}, {"k": 1.0}, "")) == [("k", 1, 1.0)]
    assert list(walk({"k": 1}, {"k": True}, "")) == [("k", 1, True)]
    assert list(walk({"k": 1}, {}, "at")) == [("at, k", 1, None)]


def test_texts_that_come_and_go_are_named_and_so_is_their_order():
    assert list(walk(["a", "b"], ["b", "c"], "levels")) == [
        ("levels: 'a'", "a", None),
        ("levels: 'c'", None, "c"),
    ]
    assert list(walk(["a", "b"], ["b", "a"], "levels")) == [("levels, their order", ["a", "b"], ["b", "a"])]


def test_lists_become_objects_where_they_have_names_or_a_place_per_class():
    assert by_name({"columns": [{"name": "a", "n": 1}]}) == {"columns": {"column 'a'": {"name": "a", "n": 1}}}
    assert by_name(None) == "none"
    assert by_class({"k": [3, 4]}, ["n", "p"]) == {"k": {"class 'n'": 3, "class 'p'": 4}}
    assert by_class([1, 2, 3], ["n", "p"]) == [1, 2, 3]
