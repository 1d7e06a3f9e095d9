"""When a class is answered, as an expression: it holds where the rules say so."""

import itertools
from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tallystick as ts
from tallystick.model.conditions import Condition, disjunction
from tallystick.schema import Column

X = Column("x", "numeric", low=0.0, high=9.0)
A = Column("a", "levels", ("p", "q", "r", "s"))
B = Column("b", "boolean", ("false", "true"))


def test_numbers_that_exclude_each_other_are_known_to():
    """x < 3, else x < 5: yes; together with the other rule it is x < 5 alone."""
    rules = [((Condition(X, high=3.0),), True), ((Condition(X, low=3.0, high=5.0),), True)]
    assert str(disjunction(rules, False)) == "(x < 5)"


def test_ranges_stand_as_one_condition():
    rules = [((Condition(X, high=3.0),), False), ((Condition(X, high=5.0),), True)]
    found = disjunction(rules, False)
    assert str(found) == "(3 ≤ x < 5)"
    assert found.conditions == 1
    assert found.proven


def test_levels_that_cannot_meet_are_free():
    rules = [((Condition(A, levels=(0,)),), True), ((Condition(A, levels=(1, 2, 3)),), False)]
    assert str(disjunction(rules, False)) == "(a = p)"


def test_a_boolean_column_stands_by_its_name():
    rules = [((Condition(B, levels=(0,)), Condition(X, low=2.0)), True)]
    assert str(disjunction(rules, False)) == "¬b∧(x ≥ 2)"


def test_all_and_nothing():
    assert str(disjunction([((Condition(X, high=3.0),), True)], True)) == "true"
    assert str(disjunction([((Condition(X, high=3.0),), False)], False)) == "false"


CONDITIONS = [
    Condition(X, high=3.0),
    Condition(X, low=3.0),
    Condition(X, low=2.0, high=6.0),
    Condition(A, levels=(0,)),
    Condition(A, levels=(1, 2)),
    Condition(A, levels=(0, 1, 3)),
    Condition(B, levels=(1,)),
    Condition(B, levels=(0,)),
]


def fulfils(c, x, a, b):
    value = {"x": x, "a": a, "b": b}[c.column.name]
    return c.low <= value < c.high if c.levels is None else value in c.levels


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(st.lists(st.sampled_from(range(8)), max_size=3, unique=True), st.booleans()), max_size=5
    ),
    st.booleans(),
)
def test_an_expression_holds_where_the_first_rule_that_holds_says_yes(drawn, default):
    rules = [(tuple(CONDITIONS[i] for i in chosen), says) for chosen, says in drawn]
    found = disjunction(rules, default)
    for x, a, b in itertools.product((0.0, 2.0, 3.0, 6.0), range(4), range(2)):
        want = next((says for test, says in rules if all(fulfils(c, x, a, b) for c in test)), default)
        got = any(all(fulfils(c, x, a, b) for c in term) for term in found.terms)
        assert got == want
    for k, term in enumerate(found.terms):  # no level stands where other terms have it already
        for j, c in enumerate(term):
            others = (*found.terms[:k], *found.terms[k + 1 :])
            for level in c.levels or () if len(c.levels or ()) > 1 else ():
                assert not covered((replace(c, levels=(level,)), *term[:j], *term[j + 1 :]), others)


def covered(term, others):
    """Say whether other terms hold wherever a term does."""
    cells = itertools.product((0.0, 2.0, 3.0, 6.0), range(4), range(2))
    here = [cell for cell in cells if all(fulfils(c, *cell) for c in term)]
    return all(any(all(fulfils(c, *cell) for c in other) for other in others) for cell in here)


def test_a_term_has_the_levels_that_no_other_term_has():
    """a = p, or a = q where b: the least terms hold for p and b twice."""
    second = (Condition(A, levels=(1,)), Condition(B, levels=(1,)))
    rules = [((Condition(A, levels=(0,)),), True), (second, True)]
    assert str(disjunction(rules, False)) == "(a = p) ∨ (a = q)∧b"


def test_letters_stand_in_the_order_of_the_table():
    rules = [((Condition(X, low=2.0), Condition(B, levels=(1,)), Condition(A, levels=(0,))), True)]
    assert str(disjunction(rules, False, ["a", "b", "x"])) == "(a = p)∧b∧(x ≥ 2)"


def test_the_expression_of_play_tennis_is_that_of_the_lecture():
    text = str(files("tallystick.examples") / "play-tennis.csv")
    rainy, sunny = "(Outlook = Rain)∧(Wind = Weak)", "(Outlook = Sunny)∧(Humidity = Normal)"
    found = ts.DecisionTree.id3().fit(text, "Play").rules().expression()
    assert found == f"(Outlook = Overcast) ∨ {sunny} ∨ {rainy}"


def test_more_than_twelve_conditions_are_not_minimised():
    rules = [((Condition(X, high=float(k)),), bool(k % 2)) for k in range(13)]
    assert disjunction(rules, False) is None


def test_parity_shows_why_trees_and_disjunctions_differ():
    """Four variables: the tree has 16 leaves; the disjunction 8 terms of 4 conditions, and none fewer."""
    ways = list(itertools.product((False, True), repeat=4))
    rows = [dict(zip("abcd", way, strict=True)) | {"y": sum(way) % 2 == 1} for way in ways] * 3
    tree = ts.DecisionTree.id3().fit(rows, "y")
    found = tree.rules().disjunction()
    assert tree.get_n_leaves() == 16
    assert (len(found.terms), found.conditions, found.proven) == (8, 32, True)


def test_the_tree_of_a_choice_is_larger_than_its_disjunction():
    """A∧B ∨ C: a tree asks for C twice, or for A and B twice."""
    ways = list(itertools.product((False, True), repeat=3))
    rows = [dict(zip("ABC", w, strict=True)) | {"y": (w[0] and w[1]) or w[2]} for w in ways]
    tree = ts.DecisionTree.id3().fit(rows, "y")
    assert tree.rules().expression() == "C ∨ A∧B"
    assert sum(len(r.conditions) for r in tree.rules()) > 3
    assert np.array_equal(tree.predict(rows), [r["y"] for r in rows])
