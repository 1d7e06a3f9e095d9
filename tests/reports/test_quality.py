"""Of the page, how good: tables and charts of out-of-fold answers, as counted."""

from __future__ import annotations

import numpy as np
import pytest

from tallystick.judge.groups import GroupDifference, GroupDifferences
from tallystick.reports.page import environment
from tallystick.reports.quality import _by_number, _pairs, beyond_chance, judged_section


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
    alike = [(10.0, 0.2), (30.0, 0.2)]
    apart = [(10.0, 0.0), (10.0, 0.4)]
    assert beyond_chance(alike) == pytest.approx(-1.0)
    assert beyond_chance(apart) == pytest.approx(10 * 2 * 0.04 / 0.16 - 1)
    assert beyond_chance([(50.0, 0.0), (50.0, 0.0)]) == 0.0


def test_groups_of_a_row_or_two_do_not_put_a_column_first():
    few = [(3771.0, 0.011), (1.0, 1.0)]
    assert beyond_chance(few) == -np.inf
    assert beyond_chance([*few, (400.0, 0.011)]) == pytest.approx(-1.0)


def test_what_differs_is_a_list_of_groups_with_both_figures(given):
    said = judged_section(given("tree"))["groups"]["tables"][0]["said"]
    assert said.lead[:14] in ("Beyond chance ", "No group diffe", "The groups are")
    one = GroupDifference("Husband", "answered '>50K'", 0.397, 0.063, 0.0)
    told = GroupDifferences("Beyond chance (24):", (one,), 21, "24")
    macros = environment().get_template("macros.html").make_module({"given": None})
    html = str(macros.what_differs(told))
    assert (
        "<b><bdi>Husband</bdi></b>: <bdi>answered &#39;&gt;50K&#39;</bdi> 39.7\u00a0%, elsewhere 6.3\u00a0%"
        in html
    )
    assert "and 21 more" in html
    assert (
        str(told)
        == "Beyond chance: answered '>50K' 39.7% where it is 'Husband', 6.3% elsewhere; and 21 more (24)."
    )


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
