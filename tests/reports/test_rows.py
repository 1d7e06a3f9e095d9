"""Of the page, rows: which are shown depends on what they hold, and without leave none is fetched."""

from __future__ import annotations

import numpy as np

import tallystick as ts
from tallystick.reports.rows import class_groups, leaf_groups, middle_row, most_typical, rows_section


def test_no_raw_row_is_fetched_without_leave(given):
    found = rows_section(given("tree", raw=False))
    assert (found["shown"], found["wrong"], found["typical"], found["starts"]) == (False, [], [], [])
    assert found["errors"]["rows"] == "60"


def test_wrong_rows_are_wrong_and_the_surest_come_first(given):
    found = rows_section(given("bayes"))
    assert all(row["truth"] != row["answer"] for row in found["wrong"])
    shares = [float(row["share"].removesuffix(" %")) for row in found["wrong"]]
    assert shares == sorted(shares, reverse=True)
    assert sum(row["copies"] for row in found["wrong"]) <= int(found["errors"]["wrong"])


def test_a_typical_row_has_the_class_it_stands_for(given):
    for method in ("tree", "bayes"):
        for row in rows_section(given(method))["typical"]:
            assert row["words"].startswith(row["truth"])


def test_groups_hold_only_rows_that_are_answered_right(given):
    for groups, words in (leaf_groups(given("tree")), class_groups(given("bayes"))):
        assert len(groups) == 60
        assert set(words) <= set(groups.tolist()) | {-1}
        assert (groups == -1).sum() < 20


def table():
    rows = {
        "c": ["u", "u", "v", None],
        "n": [1.0, 2.0, 9.0, None],
        "t": ["a b"] * 4,
        "y": ["p", "q", "p", "q"],
    }
    return ts.NaiveBayes(kinds={"c": "levels", "n": "numeric", "t": "text"})._read(rows, "y")


def test_the_middle_row_has_the_most_frequent_level_and_the_median():
    assert middle_row(table()) == {"c": "u", "n": "2", "t": ""}


def test_the_most_typical_row_agrees_with_most_columns():
    assert most_typical(table(), np.arange(4)) == 1  # u, and nearest to the median
    assert most_typical(table(), np.array([3])) == 3
