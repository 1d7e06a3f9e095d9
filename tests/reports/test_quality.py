"""Of the page, how good: tables and charts of out-of-fold answers, as counted."""

from __future__ import annotations

import numpy as np
import pytest

from tallystick.reports.quality import _by_number, _pairs, _spread, judged_section


def test_the_confusion_has_every_row_once(given):
    found = judged_section(given("tree"))
    cells = [[int(cell["count"]) for cell in row["cells"]] for row in found["confusion"]["rows"]]
    assert sum(map(sum, cells)) == 60
    right = cells[0][0] + cells[1][1]
    chosen = next(m for m in found["methods"] if m["chosen"])
    assert chosen["accuracy"] == f"{100 * right / 60:.1f} %"


def test_errors_are_counted_by_the_columns_where_they_differ_most(given):
    found = judged_section(given("tree"))["groups"]
    assert found["asked"] is False
    for table in found["tables"]:
        assert sum(int(row["rows"]) for row in table["rows"]) == 60


def test_groups_that_err_alike_lie_less_apart_than_chance():
    alike = [{"rows": 10.0, "error": 0.2}, {"rows": 30.0, "error": 0.2}]
    apart = [{"rows": 10.0, "error": 0.0}, {"rows": 10.0, "error": 0.4}]
    assert _spread(alike) == pytest.approx(-1.0)
    assert _spread(apart) == pytest.approx(10 * 2 * 0.04 / 0.16 - 1)
    assert _spread([{"rows": 5.0, "error": 0.0}]) == 0.0


def test_confusions_of_many_classes_are_listed_the_most_frequent_first():
    counts = np.array([[5.0, 2.0, 0.0], [1.0, 3.0, 0.0], [0.0, 4.0, 1.0]])
    found = _pairs(counts, ("a", "b", "c"))
    assert [(p["truth"], p["answer"], p["rows"]) for p in found] == [
        ("c", "b", "4"),
        ("a", "b", "2"),
        ("b", "a", "1"),
    ]
    assert found[0]["share"] == "80.0 %"


def test_class_10_comes_after_class_9():
    labels = ["class 10", "class 9", "b", "a", "10", "2"]
    assert sorted(labels, key=_by_number) == ["2", "10", "a", "b", "class 9", "class 10"]
