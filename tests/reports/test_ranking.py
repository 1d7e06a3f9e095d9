"""What each column tells: ranked shares of one whole, and the value that is furthest from all rows."""

from __future__ import annotations

from dataclasses import replace

import tallystick as ts
from tallystick.description.text import describe_table
from tallystick.judge.api import candidates_of, compare_read
from tallystick.judge.crossval import FoldOptions
from tallystick.reports.answer import ValueGroup, furthest
from tallystick.reports.columns import MOST_RANKED as MOST
from tallystick.reports.columns import _furthest_share as _told
from tallystick.reports.columns import ranking
from tallystick.reports.context import PageData


def test_columns_stand_by_how_far_they_move_the_model_and_shares_make_one_whole(given):
    for method in ("tree", "bayes", "logistic", "card"):
        found = ranking(given(method))
        names = [r["name"] for r in found["rows"]]
        assert names == given(method).columns[:MOST]
        assert names[0] == "wind"
        total = sum(given(method).weights.values())
        assert found["rows"][0]["share"].rstrip(" %") == f"{100 * given(method).weights['wind'] / total:.0f}"
        assert found["rest"] == ""


def test_the_most_telling_value_is_the_one_with_most_beyond_its_share(given):
    wind = next(r for r in ranking(given("tree"))["rows"] if r["name"] == "wind")
    assert wind["says"].endswith(("% yes", "% no"))
    groups = [ValueGroup("a", (9, 1)), ValueGroup("b", (40, 50)), ValueGroup("c", (1, 9))]
    assert furthest(groups)[0].words in ("a", "c", "b")
    few, many = ValueGroup("few", (0, 2)), ValueGroup("many", (60, 20))
    assert furthest([few, many, ValueGroup("rest", (40, 78))]) == (many, 0)
    assert furthest([few, many], 1) == (few, 1)  # where the second class is rare
    most, clear = ValueGroup("< 5", (90, 30)), ValueGroup("≥ 5", (2, 8))
    assert furthest([most, clear]) == (clear, 1)  # both have as many beyond their share: the clearer one


def test_a_rare_class_leads_only_where_there_are_two():
    """Of three classes the third is rare, and lies in the low numbers; the first has them nearly all."""
    rows = [{"x": i % 100, "y": "b" if i % 100 >= 50 else "c" if i % 100 == 7 else "a"} for i in range(600)]
    told = ranking(ingredients(rows))["rows"][0]["says"]
    assert told.endswith((" % a", " % b"))
    two = [row | {"y": "c" if row["y"] == "c" else "a"} for row in rows]
    assert ranking(ingredients(two))["rows"][0]["says"].endswith(" % c")


def ingredients(rows):
    """What a page of a tree is made from."""
    table = ts.NaiveBayes()._read(rows, "y")
    found = compare_read(table, FoldOptions.of(3, None, None), candidates_of(("tree",), False, {}))
    return PageData("t", table, describe_table("t.csv", table), found, folds=3)


def test_what_one_row_of_thousands_tells_is_not_told(given):
    one, rest = ValueGroup("t", (0, 1)), ValueGroup("f", (3541, 230))
    assert furthest([one, rest], 1) == (rest, 1)
    found = given("tree")
    view = next(v for v in found.description.columns if v.name == "wind")
    far = [r["says"] for r in ranking(found)["rows"] if r["name"] == view.name]
    assert far != [""]
    flat = replace(view, distribution=tuple(replace(p, by_class=(30.0, 30.0)) for p in view.distribution))
    assert _told(found, flat) == ""
