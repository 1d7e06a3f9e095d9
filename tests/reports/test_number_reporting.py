"""What a report of numbers is made from: all methods for numbers, on a part of many rows."""

from __future__ import annotations

import numpy as np
import pytest

import tallystick as ts
from tallystick.judge.compare import Watch
from tallystick.reports import api as report_work
from tallystick.reports.api import compared_numbers, described_numbers

ROWS = [{"x": i % 97, "c": "uv"[i % 2], "y": (i % 97) + 0.5 * (i % 7)} for i in range(3_000)]


@pytest.fixture
def table():
    return ts.RegressionTree()._read(ROWS, "y")


def test_columns_are_described_beside_a_number(table):
    found = described_numbers("t.csv", table, None, "")
    assert [c.name for c in found.columns] == ["x", "c"]
    assert found.target == ""


@pytest.mark.slow
def test_many_rows_are_compared_on_a_part_and_the_model_is_fitted_on_all(table, monkeypatch):
    monkeypatch.setattr(report_work, "COMPARED_WORK", 10.0)
    found, work = compared_numbers(table, ["regression"], 2, {}, Watch())
    assert work.compared == work.judged
    assert 0.9 * report_work.FEWEST < work.compared < 1.1 * report_work.FEWEST
    result = found.chosen.result
    assert len(result.truth) == 3_000
    assert int((result.fold >= 0).sum()) == work.compared
    assert (result.truth == table.response).all()
    assert found.chosen.model.rows_["count"] == 3_000
    assert np.isfinite(result.measure("r2").value)
