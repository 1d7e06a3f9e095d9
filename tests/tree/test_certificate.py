"""A certificate in words and as data."""

from __future__ import annotations

import pytest

from tallystick.tree.view import Certificate

PROVEN = Certificate("errors", 3, None, 0.0, 37.0, 8, 37.0, 37.0, "proven", 1000)


def words(**changed):
    return str(Certificate(**PROVEN.to_dict() | changed))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, "no tree of depth 3 makes fewer than 37 errors; this one makes 37."),
        ({"max_leaf_nodes": 5}, "no tree of depth 3 and at most 5 leaves makes fewer than 37 errors; "),
        ({"max_depth": None, "max_leaf_nodes": 2}, "no tree of at most 2 leaves makes fewer than 37 errors"),
        ({"measure": "cost"}, "no tree of depth 3 costs less than 37; this one costs 37."),
        (
            {"leaf_price": 0.5, "found": 41.0, "bound": 41.0},
            "no tree of depth 3 makes fewer than 41 errors with 0.5 added for each leaf; "
            "this one makes 41 (37 and 8 leaves).",
        ),
        (
            {"bound": 30.0, "ended": "max_work"},
            "this one makes 37. The search was stopped at max_work: at most 7 can still be gained.",
        ),
    ],
)
def test_the_sentence(changed, said):
    assert said in words(**changed)


@pytest.mark.parametrize(
    ("ended", "reproducible"),
    [("proven", True), ("max_work", True), ("seconds", False), ("interrupted", False)],
)
def test_what_a_clock_or_a_hand_cut_off_is_not_reproducible(ended, reproducible):
    cut = Certificate.from_dict(PROVEN.to_dict() | {"ended": ended, "bound": 30.0})
    assert cut.reproducible == reproducible
    assert not cut.proven
    assert cut.gap == 7.0


def test_plain_data_gives_it_back():
    assert Certificate.from_dict(PROVEN.to_dict()) == PROVEN
