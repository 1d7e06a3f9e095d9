"""What all sections ask of a page's ingredients."""

from __future__ import annotations

from dataclasses import replace


def test_columns_stand_in_the_order_in_which_they_move_the_model(given):
    assert given("bayes").columns[0] == "wind"
    assert set(given("bayes").columns) <= {"wind", "temp", "<b>"}
    assert (given("bayes").target, given("bayes").labels) == ("play", ("no", "yes"))


def test_the_most_frequent_class_has_no_model_and_no_columns(given):
    found = given("tree")
    most = next(e for e in found.comparison.entries if e.family == "majority")
    plain = replace(found, comparison=replace(found.comparison, chosen=most))
    assert (plain.model, plain.columns) == (None, [])


def test_other_families_are_listed_once_and_never_the_chosen_one(given):
    assert given("tree").others == []
    found = given("tree")
    other = replace(found.chosen, family="bayes", name="naive Bayes")
    again = replace(found.chosen, family="bayes", name="naive Bayes, tuned")
    comparison = replace(found.comparison, entries=(found.chosen, other, again))
    assert [e.name for e in replace(found, comparison=comparison).others] == ["naive Bayes"]
