"""Tests as sentences: exactly which values take a branch, missing ones included."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from trees import LEVELS, SCHEMA, one_test

from tallystick.model import conditions as sentences
from tallystick.model.conditions import Condition, bound, condition, missing_alone, number, rows
from tallystick.schema import ABSENT, Column
from tallystick.tree.nodes import NO_CUT

X, COLOUR, SIZE = (SCHEMA[name] for name in ("x", "colour", "size"))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (Condition(X, high=5.0), "x < 5"),
        (Condition(X, low=5.0), "x ≥ 5"),
        (Condition(X, 2.5, 5.0, missing=True), "2.5 ≤ x < 5"),
        (Condition(replace(X, missing=1), 2.5, 5.0, missing=True), "2.5 ≤ x < 5 or missing"),
        (Condition(X, low=math.inf, high=-math.inf, missing=True), "x is missing"),
        (Condition(X), "x is known"),
        (Condition(COLOUR, levels=(1,)), "colour = b"),
        (Condition(replace(COLOUR, missing=3), levels=(0, 2), missing=True), "colour in {a, c} or missing"),
        (Condition(COLOUR, levels=()), "colour is impossible"),
        (Condition(SIZE, levels=(0, 1)), "size ≤ medium"),
        (Condition(SIZE, levels=(1, 2)), "size > low"),
    ],
)
def test_a_condition_reads_as_a_sentence(given, says):
    assert given.sentence() == says


def test_missing_that_is_a_level_is_said_once_and_long_lists_are_shortened():
    bought = Column("milk", "levels", ("yes", ABSENT))
    assert Condition(bought, levels=(1,), missing=True).sentence() == "milk = (missing)"
    assert Condition(COLOUR, levels=(0, 1, 3)).sentence(widest=4) == "colour in {a, b, … 1 more}"


def test_a_name_of_control_characters_is_escaped():
    assert Condition(Column("a\nb", "numeric"), high=1.0).sentence() == r"a\nb < 1"


def test_both_and_either_of_two_conditions():
    low, high = Condition(X, high=3.0), Condition(X, low=2.0, high=7.0)
    assert low.and_(high) == Condition(X, 2.0, 3.0)
    assert low.or_(high) == Condition(X, high=7.0)
    assert low.or_(Condition(X, low=5.0)) is None  # a gap: no one condition says it
    some = Condition(COLOUR, levels=(0, 1)).and_(Condition(COLOUR, levels=(1, 2), missing=True))
    assert some == Condition(COLOUR, levels=(1,))
    assert Condition(COLOUR, levels=tuple(range(len(LEVELS)))).always


def test_a_cut_at_an_observed_value_is_written_as_that_value():
    assert bound(np.nextafter(0.1, 1)) == ("≤", "0.1")
    assert bound(0.1) == ("<", "0.1")


def test_numbers_of_dates_are_dates():
    day = Column("day", "numeric", unit="date")
    assert number(1.0, day) == "1970-01-02"
    assert number(0.5, day) == "1970-01-01 12:00:00"
    assert number(1e12, day) == "1e+12"  # no date lies there
    assert number(1 / 3) == "0.333333333333"
    assert (rows(3.0, 2), rows(4.0, 2)) == ("1.50", "2")


def test_the_branches_of_a_test_of_missing_values():
    none = np.empty(0, np.int32)
    assert sentences.tested(X, NO_CUT, none, 0, False).sentence() == "x is known"
    assert sentences.tested(X, NO_CUT, none, 1, True).sentence() == "x is missing"
    assert missing_alone(NO_CUT, none)
    assert not missing_alone(5.0, none)
    assert condition(SCHEMA, one_test(missing=1), 0, 1) == Condition(X, low=5.0, missing=True)


def test_a_condition_is_plain_data_without_infinities():
    missing = Condition(X, low=np.inf, high=-np.inf, missing=True)
    assert missing.to_dict() == {"column": "x", "missing": True, "known": False}
    assert Condition(X, high=5.0).to_dict() == {"column": "x", "missing": False, "low": None, "high": 5.0}
    assert Condition(COLOUR, levels=(3,)).to_dict()["levels"] == ["d"]
