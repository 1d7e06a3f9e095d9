"""Of the page, rows: which are shown depends on what they hold, and without leave none is fetched."""

from __future__ import annotations

import numpy as np

import tallystick as ts
from tallystick.reports.rows import (
    MOST_TESTS,
    _short,
    class_groups,
    leaf_groups,
    leaf_words,
    middle_row,
    most_typical,
    rows_section,
)


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


def test_a_leaf_is_told_by_one_condition_a_column():
    rows = [{"x": i % 64, "y": "pq"[i % 64 // 8 % 2]} for i in range(640)]
    tree = ts.DecisionTree(min_samples_leaf=1).fit(rows, "y").model_.shown
    for leaf in np.flatnonzero(tree.nodes.leaf).tolist():
        words, columns = leaf_words(tree, leaf)
        assert words.count("x") == 1
        assert columns == ("x",)
        assert " and " not in words


def test_of_a_long_way_the_conditions_that_fewest_rows_fulfil_are_told():
    """Six rare marks: whoever has none of them is told by a range of x, which half of the rows have."""
    rows = []
    for i in range(3000):
        marks = {f"m{k}": int(i % 97 == 5 * k) for k in range(6)}
        rows.append(marks | {"x": i % 50, "y": "p" if any(marks.values()) else "qr"[i % 50 < 25]})
    tree = ts.DecisionTree(min_samples_leaf=5).fit(rows, "y").model_.shown
    largest = max(np.flatnonzero(tree.nodes.leaf).tolist(), key=lambda n: tree.nodes.weight[n])
    words, columns = leaf_words(tree, largest)
    assert "x" in columns[:MOST_TESTS]
    assert words.endswith(", and 3 more")
    assert len(columns) == 7


def test_a_number_of_a_row_is_told_in_six_digits_and_other_texts_as_they_are():
    assert _short("94.78579366420564", True) == "94.7858"
    assert _short("94.78579366420564", False) == "94.78579366420564"
    assert _short("1234567890123", True) == "1234567890123"
    assert _short("2.75", True) == "2.75"
    assert _short(None, True) == "(missing)"
