"""What a column tells of a number alone: shares of the variance, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

import tallystick as ts
from tallystick.reports.columns import best_cut, variance_share

ROWS = [{"n": n, "c": c, "y": y} for n, c, y in zip(
    [1.0, 2.0, 3.0, None, 8.0, 9.0], "aabbba", [1.5, 2.5, 1.5, 7.25, 7.5, 8.5], strict=True)]  # fmt: skip


def table():
    return ts.RegressionTree(kinds={"n": "numeric", "c": "levels"})._read(ROWS, "y")


def test_a_cut_is_where_the_sides_differ_most():
    x, y = np.array([1.0, 2.0, 3.0, 8.0, 9.0]), np.array([1.5, 2.5, 1.5, 7.5, 8.5])
    assert best_cut(x, y, np.ones(5)) == 5.5
    assert best_cut(np.array([np.nan, 2.0]), np.array([1.0, 2.0]), np.ones(2)) is None


def test_the_share_is_that_of_the_variance_between_groups():
    found = table()
    told = variance_share(found, found.schema["n"])
    assert [(g.words, g.rows, g.missing) for g in told.groups] == [
        ("< 5.5", 3.0, False), ("≥ 5.5", 2.0, False), ("missing", 1.0, True)
    ]  # fmt: skip
    y = found.response
    means = {"< 5.5": y[:3].mean(), "≥ 5.5": y[4:].mean(), "missing": y[3]}
    between = sum(g.rows * (means[g.words] - y.mean()) ** 2 for g in told.groups)
    assert told.share == pytest.approx(between / ((y - y.mean()) ** 2).sum())
    assert told.furthest.words == "< 5.5"
    levels = variance_share(found, found.schema["c"])
    assert {g.words: g.mean for g in levels.groups} == pytest.approx({"a": 12.5 / 3, "b": 16.25 / 3})
