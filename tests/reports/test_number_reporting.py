"""What a report of numbers is made from: all methods for numbers, on a part of many rows."""

from __future__ import annotations

import numpy as np
import pytest

import tallystick as ts
from tallystick.reports import api as report_work

pytestmark = pytest.mark.slow

ROWS = [{"x": i % 97, "c": "uv"[i % 2], "y": (i % 97) + 0.5 * (i % 7)} for i in range(3_000)]


def test_many_rows_are_compared_on_a_part_and_the_model_is_fitted_on_all(monkeypatch):
    monkeypatch.setattr(report_work, "COMPARED_WORK", 10.0)
    found = ts.report(ROWS, "y", regression=True, methods=["regression"], folds=2)
    assert [c.name for c in found.description.columns] == ["x", "c"]
    assert found.description.target == ""  # columns are described beside a number, not against it
    chosen = found.comparison.chosen
    compared = int((chosen.result.fold >= 0).sum())
    assert 0.9 * report_work.FEWEST < compared < 1.1 * report_work.FEWEST
    assert f"compared on {compared:,} of the 3,000 rows" in found.html
    assert sorted(chosen.result.truth.tolist()) == sorted(row["y"] for row in ROWS)
    assert found.model.rows_["count"] == 3_000
    assert np.isfinite(chosen.result.measure("r2").value)
