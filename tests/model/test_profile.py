"""What a profile says of the rows is what the rows hold, and is read back as it was written."""

from __future__ import annotations

import json

import numpy as np
import pytest

import tallystick as ts
from tallystick.model.profile import PERCENTS, ColumnProfile, Profile


def numbers(counts, values, missing=0):
    return ColumnProfile(np.array(counts), missing, np.array(values, float))


def test_a_quantile_is_the_value_that_so_many_percent_are_at_or_below():
    column = numbers([1, 3, 4, 1, 1], [0, 5, 9])  # 0, three between, 5 four times, one between, 9
    assert [column.quantile(p) for p in (0, 10, 50, 80, 95, 100)] == [0, 0, 5, 5, 9, 9]
    assert numbers([], [], missing=3).quantile(50) is None
    assert ColumnProfile(np.array([2, 1]), 0).quantile(50) is None


@pytest.mark.parametrize("name", ["bayes", "tree-numbers", "density", "tree-weights"])
def test_a_profile_is_read_back_as_it_was_written(name):
    from pathlib import Path

    stored = Path(__file__).resolve().parents[1] / "files" / "v2" / f"{name}.tally.json"
    data = json.loads(stored.read_bytes())["profile"]
    assert Profile.from_dict(data).to_dict() == data


def test_the_kept_values_are_those_at_the_percents():
    x = np.random.default_rng(1).normal(size=1001)
    profile = ts.NaiveBayes().fit(x[:, None], x > 0).profile_
    ordered = np.sort(x)
    wanted = [ordered[max(-(-1001 * p // 100), 1) - 1] for p in PERCENTS]
    assert [profile.columns[0].quantile(p) for p in PERCENTS] == wanted


def test_a_model_that_is_no_longer_of_these_rows_keeps_no_answers():
    profile = ts.NaiveBayes().fit([{"a": i % 3, "y": i % 2} for i in range(12)], "y").profile_
    assert profile.answers is not None
    assert profile.without_answers().answers is None
    assert profile.without_answers().columns == profile.columns


def test_a_profile_tells_the_range_of_numbers_that_the_model_does_not_keep():
    rows = [{"x": float(i % 9), "z": "pq"[i % 2], "y": "ab"[i % 9 > 4]} for i in range(90)]
    model = ts.NaiveBayes(distributions="gaussian").fit(rows, "y")
    assert model.schema_["x"].low is None
    known = model.profile_.ranged(model.schema_)
    assert (known["x"].low, known["x"].high) == (0.0, 8.0)
    assert known["z"] == model.schema_["z"]
    told = model.counterfactuals({"x": 2.0, "z": "p"}).found
    assert all(0 <= float(c.row["x"]) <= 8 for c in told if "x" in c.row)
